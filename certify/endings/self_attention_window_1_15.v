(* b (p + r (t - 1)) is not negative *)
assert (0 <= r * ((-1) + t)) by product_le.
rewrite h_2. apply Rle_ge. product_le.
