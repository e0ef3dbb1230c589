(* the left side is (n r)² and n r = 1 - q *)
assert (0 <= r * IZR n <= 1) by (split; [product_le | lra]).
rewrite f_1, f_2. replace (IZR n * (/ b) ^ 2 * (IZR n * b ^ 2 * r ^ 2)) with ((r * IZR n) ^ 2) by (field; lra). nra.
