(* the difference, a polynomial in a, z and x without a negative term *)
pose proof (pow2_ge_0 s).
assert (0 <= b * (a ^ 2 * ((c + 5 * s ^ 2) * (mu - a ^ 2)))) by product_le.
assert (0 <= b * (a ^ 2) ^ 3) by product_le.
assert (0 <= b * ((a ^ 2) ^ 2 * x)) by product_le.
assert (0 <= b * ((a ^ 2) ^ 2 * z ^ 2)) by product_le.
lra.
