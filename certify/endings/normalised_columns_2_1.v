(* y is 1 or -1, and x within w / 6 of w y *)
assert (Y : (y - 1) * (y + 1) = 0) by lra.
apply Rmult_integral in Y. destruct Y; [replace y with 1 in * by lra | replace y with (-1) in * by lra]; nra.
