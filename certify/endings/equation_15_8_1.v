(* with s = z² the difference of the two sides is (1 - s) times a polynomial that is positive on [0, 1] *)
assert (S : 0 <= z ^ 2 <= 1) by (split; [apply pow2_ge_0 | nra]).
set (s := z ^ 2) in *.
assert (0 <= (1 - s) * (55/4 + 5/2 * s + 175/4 * s ^ 2)) by (apply Rmult_le_pos; nra).
unfold s in *. lra.
