(* w x a <= 2 and t/eta <= x, each times what is not negative *)
set (e := / eta) in *.
assert (P : 0 <= a * (K - w * x * y)) by (apply Rmult_le_pos; lra).
assert (Q : w * x * a <= 2).
{ apply Rnot_gt_le. intro. assert (0 < y * (w * x * a - 2)) by (apply Rmult_lt_0_compat; lra). lra. }
assert (R : 0 <= e * (eta * x - t)) by (apply Rmult_le_pos; lra).
assert (S : t * e <= x) by (assert (eta * e * x = x) by (replace (eta * e) with 1; ring); lra).
assert (0 <= a * e * (5 * b * t * w - 4 * IZR m)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
assert (0 <= b * w * a * (x - t * e)) by (repeat apply Rmult_le_pos; lra).
assert (0 <= b * (2 - w * x * a)) by (apply Rmult_le_pos; lra).
lra.
