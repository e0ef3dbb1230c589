(* where z is, of five intervals: without signs the sum is z itself *)
rewrite f_2. specialize (f_19 ltac:(intros; exfalso; lia)).
destruct (Rlt_le_dec (s + z) 0) as [A|A]; [rewrite (f_13 A) | rewrite (f_12 (Rle_ge _ _ A))];
destruct (Rlt_le_dec (s + (-1) * z) 0) as [B|B]; [rewrite (f_11 B) | rewrite (f_10 (Rle_ge _ _ B)) | rewrite (f_11 B) | rewrite (f_10 (Rle_ge _ _ B))];
destruct (Rlt_le_dec (z + 2 * s) 0) as [C|C];
destruct (Rlt_le_dec ((-1) * z + 2 * s) 0) as [D|D];
repeat first [rewrite (f_17 C) | rewrite (f_16 (Rle_ge _ _ C)) | rewrite (f_15 D) | rewrite (f_14 (Rle_ge _ _ D))];
first [lra | pose proof (f_20 ltac:(nra) ltac:(nra) ltac:(lra) ltac:(lra)); lra].
