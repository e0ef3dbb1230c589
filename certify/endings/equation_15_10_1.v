(* with s = z² the difference of the two sides is (1 - s) times a polynomial that is positive on [0, 1] *)
assert (S : 0 <= z ^ 2 <= 1) by (split; [apply pow2_ge_0 | nra]).
set (s := z ^ 2) in *.
assert (0 <= s ^ 2 * (8127/32 - 1323/2 * s + 43659/64 * s ^ 2)) by (apply Rmult_le_pos; [apply pow_le; lra | nra]).
assert (0 <= (1 - s) * (2079/64 + 63/8 * s + 8127/32 * s ^ 2 - 1323/2 * s ^ 3 + 43659/64 * s ^ 4)) by (apply Rmult_le_pos; nra).
unfold s in *. lra.
