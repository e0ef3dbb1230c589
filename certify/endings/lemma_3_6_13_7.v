(* exp (c x²) <= 1 / (1 - c x²), and (1 + (x - x²/4)² / 2) (1 - c x²) - 1 >= x³ (3/4 - x/4) *)
assert (0 < x <= 1/2) by lra.
assert (exp (c * x ^ 2) * (1 - c * x ^ 2) <= 1).
{ pose proof (exp_pos (c * x ^ 2)). nra. }
assert (1 < (1 + 1/2 * (x + -1/4 * x ^ 2) ^ 2) * (1 - c * x ^ 2)).
{ replace c with (1/2 - x) by lra.
  assert (0 <= (1 - x * / 4) ^ 2 <= 1) by nra.
  assert (0 <= (1 - x * / 4) ^ 2 * (1/2 - x) <= 1/2) by nra.
  assert (0 < x ^ 3 * (3/4 + x * / 32 - 1/2 * x * ((1 - x * / 4) ^ 2 * (1/2 - x)))) by (apply Rmult_lt_0_compat; [product_lt | nra]).
  lra. }
apply Rlt_gt, (Rmult_lt_reg_r (1 - c * x ^ 2)); [lra | nra].
