(* p + r (t - 1) + r t n = 1, times b, and p (a + 2 b) > 1/10 + b *)
assert (0 <= b * (r * ((-1) + t))) by product_le.
assert (b * (p + r * ((-1) + t) + r * t * IZR n) = b * 1) by (rewrite f_3; reflexivity).
rewrite f_9, f_10, h_1, h_2, h_3. lra.
