(* the difference is (k - 1)(x - z)² + (4k - 2 - r - w) x z *)
assert (0 <= (k - 1) * (x - z) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
assert (0 <= (4 * k - 2 - r - w) * (x * z)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
assert (r * w * z ^ 2 = z ^ 2) by (rewrite h_2; ring).
lra.
