(* a ReLU that is not positive is zero, and so is the sum with it *)
assert (P : T = 0). { apply Rle_antisym; [|lra]. apply Rnot_gt_le. intro Q. pose proof (Rmult_lt_0_compat N T h_4 Q). lra. }
assert (Q : g = 0) by (destruct (Rmult_integral _ _ h_2); lra).
rewrite P, Q in h_10. destruct (Rmult_integral _ _ h_10); lra.
