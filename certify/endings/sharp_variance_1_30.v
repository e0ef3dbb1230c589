(* what is taken off is not negative *)
assert (0 <= (/ alpha) ^ 2 * / ell * / h * / (IZR n) * (alpha * (ell + h) + (-2) * ell * h * IZR n) ^ 2) by product_le.
lra.
