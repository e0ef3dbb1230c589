(* (X² + X'²) / 2 = 2 S² - 1 where S = (X + X') / 2, at most 2 Y² - 1, at most Y⁴ *)
set (X := exp x) in *; set (X' := exp ((-1) * x)) in *; set (Y := exp y) in *.
assert (X * X' = 1) by lra. assert (0 < X') by apply exp_pos.
assert (0 <= (Y - (X + X') / 2) * (Y + (X + X') / 2)) by (apply Rmult_le_pos; lra).
assert (0 <= (Y ^ 2 - 1) ^ 2) by apply pow2_ge_0.
assert (exp (4 * y) = (Y ^ 2) ^ 2) by congruence. lra.
