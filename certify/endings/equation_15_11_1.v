(* with s = z² the difference of the two sides is (1 - s) times a polynomial that is positive on [0, 1] *)
assert (S : 0 <= z ^ 2 <= 1) by (split; [apply pow2_ge_0 | nra]).
set (s := z ^ 2) in *. pose proof (pow2_ge_0 (s - 3/4)). pose proof (pow2_ge_0 (s - 1/3)).
assert (0 <= s ^ 3 * (400000/256 - 1023561/256 * s + 693693/256 * s ^ 2)) by (apply Rmult_le_pos; [apply pow_le; lra | nra]).
assert (0 <= s * (18669/256 - 102606/256 * s + 153014/256 * s ^ 2)) by (apply Rmult_le_pos; [lra | nra]).
assert (0 <= (1 - s) * (11319/256 + 18669/256 * s - 51303/128 * s ^ 2 + 276507/128 * s ^ 3 - 1023561/256 * s ^ 4 + 693693/256 * s ^ 5)) by (apply Rmult_le_pos; nra).
unfold s in *. lra.
