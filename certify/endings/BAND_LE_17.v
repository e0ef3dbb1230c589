(* what is left is b y N with a quadratic form N that is positive definite *)
set (N := 79 / 20 * y ^ 2 - 1127 / 60 * x * y + 683 / 30 * x ^ 2).
assert (P : 0 <= N).
{ unfold N. pose proof (pow2_ge_0 (y - 1127 / 474 * x)). pose proof (pow2_ge_0 x). lra. }
assert (Q : b > 0).
{ apply Rnot_le_gt. intro B. pose proof (Rmult_le_pos (- b) _ ltac:(lra) (Rlt_le _ _ (Rgt_lt _ _ f_1))). lra. }
assert (R : 0 <= b * (y * N)) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
unfold N in R. lra.
