(* where a or b is 0 the right side is 0; else U = a^p and V = b^p *)
assert (K : forall x y z, x >= 0 -> x * (y + (-1) * z) = 0 -> x = 0 \/ (x > 0 /\ y = z)).
{ intros x y z P E. destruct (Rle_lt_or_eq_dec 0 x ltac:(lra)); [right | left; lra].
  apply Rmult_integral in E. destruct E; [lra | split; lra]. }
destruct (K _ _ _ h_1 h_3) as [A | [A UA]], (K _ _ _ h_4 h_6) as [B | [B VB]].
- rewrite A, B. lra.
- specialize (f_7 B). assert (0 <= V * (b * p)) by product_le. rewrite h_2, A. lra.
- specialize (f_6 A). assert (0 <= U * a) by product_le. rewrite h_5, B. lra.
- specialize (f_1 A B h_0). rewrite (f_2 A), (f_3 B), (f_4 A), (f_5 B) in f_1. rewrite UA, VB. lra.
