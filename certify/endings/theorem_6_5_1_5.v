(* z² <= y² *)
assert (z ^ 2 <= y ^ 2) by nra.
assert (0 <= 1/2 * (/ b) ^ 2 * (1 + IZR n)) by product_le.
nra.
