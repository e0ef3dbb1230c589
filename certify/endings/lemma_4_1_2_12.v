(* a square: with r = 2^beta, the right side less the left is (1 + r - 2 n r² / alpha)² / (4 n r) *)
set (r := Rpower 2 beta) in *.
assert (0 <= / (IZR n) * / r * (1 + r - 2 * IZR n * r ^ 2 * / alpha) ^ 2) by product_le.
moved. match goal with |- ?d <= 0 =>
  replace d with (- 1/4 * (/ (IZR n) * / r * (1 + r - 2 * IZR n * r ^ 2 * / alpha) ^ 2)) by (rewrite f_1; field; lra) end. lra.
