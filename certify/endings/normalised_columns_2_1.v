(* y is 1 or -1, and so x at least 5 w / 6 on its side *)
assert (Y : (y - 1) * (y + 1) = 0) by lra.
apply Rmult_integral in Y. destruct Y; [replace y with 1 in * by lra | replace y with (-1) in * by lra]; nra.
