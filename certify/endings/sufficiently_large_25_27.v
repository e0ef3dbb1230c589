(* the tail is at least 1/2, and the right side at most (1 + n)^-k <= 1/4 *)
rewrite f_1, f_2, f_10. rewrite f_9, f_11 in f_12.
match goal with |- _ > delta * ?e => assert (delta * e <= 1 * e) by (apply Rmult_le_compat_r; [apply Rlt_le, exp_pos | lra]) end.
lra.
