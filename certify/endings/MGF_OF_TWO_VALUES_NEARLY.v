(* with a = 2u²/n <= 1/2: exp a <= 1/(1 - a) <= 1 + 2a *)
set (a := 2 * u ^ 2 * / (IZR n)) in *. set (E := exp a) in *. set (B := exp ((1/8) * u ^ 2 + q * u)) in *.
replace ((-2) * u ^ 2 * / (IZR n)) with (- a) in * by (unfold a; ring).
assert (0 <= (exp (- a) - (1 - a)) * E) by (apply Rmult_le_pos; lra).
assert (E <= 1 + 2 * a).
{ apply Rnot_gt_le. intro.
  assert (0 < (1 - a) * (E - (1 + 2 * a))) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= a * (1 / 2 - a)) by (apply Rmult_le_pos; lra). lra. }
assert (0 <= (1 + 2 * a - E) * B) by (apply Rmult_le_pos; lra).
replace (4 * u ^ 2 * / (IZR n)) with (2 * a) by (unfold a; ring). lra.
