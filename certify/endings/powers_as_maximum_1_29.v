(* where a or b is 0 one side is not positive; else U = a^p and V = b^p *)
assert (A : a = 0 \/ (a > 0 /\ U = Rpower a p)).
{ destruct (Rle_lt_or_eq_dec 0 a ltac:(lra)) as [P | P]; [right | left; lra].
  apply Rmult_integral in h_3. destruct h_3; [lra | split; lra]. }
assert (B : b = 0 \/ (b > 0 /\ V = Rpower b p)).
{ destruct (Rle_lt_or_eq_dec 0 b ltac:(lra)) as [P | P]; [right | left; lra].
  apply Rmult_integral in h_6. destruct h_6; [lra | split; lra]. }
destruct A as [A | [A UA]], B as [B | [B VB]].
- rewrite A, B. lra.
- specialize (f_7 B). assert (0 <= V * (b * p)) by product_le. rewrite h_2, A. lra.
- specialize (f_6 A). assert (0 <= U * a) by product_le. rewrite h_5, B. lra.
- specialize (f_1 A B h_0). rewrite (f_2 A), (f_3 B), (f_4 A), (f_5 B) in f_1. rewrite UA, VB. lra.
