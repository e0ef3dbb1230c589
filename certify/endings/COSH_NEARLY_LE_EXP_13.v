(* 1 <= (1 + 3 y) (1 - y/2)², since their difference is y (1 - y) (2 - 3 y/4) *)
set (r := / (1 + ((-1/2) * y))) in *.
assert (0 <= y * ((1 - y) * (2 - 3 / 4 * y))) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
assert (r ^ 2 <= 1 + 3 * y).
{ apply Rmult_le_reg_r with ((1 + ((-1/2) * y)) ^ 2); [apply pow_lt; lra|].
  replace (r ^ 2 * (1 + ((-1/2) * y)) ^ 2) with (((1 + ((-1/2) * y)) * r) ^ 2) by ring.
  replace ((1 + ((-1/2) * y)) * r) with 1 by lra. lra. }
assert (0 <= x ^ 2 * (1 + 3 * y - r ^ 2)) by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]). lra.
