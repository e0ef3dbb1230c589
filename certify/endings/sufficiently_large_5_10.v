(* (1 + r)² / (4 n r) <= r / n for r >= 1 *)
set (r := Rpower 2 beta) in *.
assert ((1 + r) ^ 2 <= 4 * r ^ 2) by nra.
assert (0 <= 1/4 * / (IZR n) * / r * (4 * r ^ 2 - (1 + r) ^ 2)) by product_le.
replace (/ (IZR n) * r) with (1/4 * / (IZR n) * (4 * r ^ 2) * / r) by (field; lra). lra.
