(* 2 log h < log ell + log v, for h² < ell v *)
assert ((ell * v - h ^ 2) * (/ ell * / v) = 1 - / ell * h ^ 2 * / v) by (field; lra).
assert (0 < (ell * v - h ^ 2) * (/ ell * / v)) by product_lt.
inverses.
