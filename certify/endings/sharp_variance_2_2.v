(* u_i <= h and alpha >= n ell *)
assert (/ alpha <= / (ell * IZR n)) by (apply Rinv_le_contravar; [product_lt | lra]).
replace (h * / ell * / (IZR n)) with (/ (ell * IZR n) * h) by (field; lra).
rewrite g_1. apply Rmult_le_compat; lra.
