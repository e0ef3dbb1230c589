(* b = 0, and then V = 0; or V = b^p *)
destruct (Rle_lt_or_eq_dec 0 b) as [B | B]; [lra | | rewrite h_5, <- B; lra].
specialize (f_6 B). apply Rmult_integral in h_6. destruct h_6; lra.
