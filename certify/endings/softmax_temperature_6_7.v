(* (1 + x)² / x grows with x from 1 on *)
set (x := exp (30 * beta)) in *. set (y := exp 30) in *.
assert (/ x <= 1) by nra. assert (/ y <= 1) by nra. assert (/ x * / y <= 1) by nra.
assert (0 <= (y - x) * (1 - / x * / y)) by product_le.
assert ((1 + y) ^ 2 * / y - (1 + x) ^ 2 * / x = (y - x) * (1 - / x * / y)) by (field; lra).
lra.
