(* 1 + p times the difference of the two sides is p times that of the step before *)
assert (0 <= p * (U * a + V * b * p - V * a * (1 + p))) by product_le.
cleared.
