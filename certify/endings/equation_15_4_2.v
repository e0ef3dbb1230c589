(* the difference of the two sides is (x b - y a)² *)
assert (0 <= (x * b i - y * a i) ^ 2) by apply pow2_ge_0.
lra.
