(* 1 + 1/x <= 2 *)
assert (/ x <= 1) by nra.
assert (1/2 <= / (1 + / x)) by nra.
assert (1/4 <= (/ (1 + / x)) ^ 2) by nra.
assert (0 <= y * tau ^ 2) by product_le.
nra.
