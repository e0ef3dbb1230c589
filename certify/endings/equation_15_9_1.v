(* with s = z² the difference of the two sides is (1 - s) times a polynomial that is positive on [0, 1] *)
assert (S : 0 <= z ^ 2 <= 1) by (split; [apply pow2_ge_0 | nra]).
set (s := z ^ 2) in *.
assert (0 <= s * (2275/64 - 5075/64 * s + 11025/64 * s ^ 2)) by (apply Rmult_le_pos; [lra | nra]).
assert (0 <= (1 - s) * (1375/64 + 2275/64 * s - 5075/64 * s ^ 2 + 11025/64 * s ^ 3)) by (apply Rmult_le_pos; nra).
unfold s in *. lra.
