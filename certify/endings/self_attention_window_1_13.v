(* a product of what is positive *)
rewrite (h_0 i h_i). apply Rle_ge. product_le.
