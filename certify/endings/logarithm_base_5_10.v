(* beta log 2 >= 17/50 log (1 + n), and log 8 = 3 log 2 *)
assert (0 <= (beta - 17/50 * / (ln 2) * ln (1 + IZR n)) * ln 2) by product_le.
assert (17/50 * / (ln 2) * ln (1 + IZR n) * ln 2 = 17/50 * ln (1 + IZR n)) by (field; lra).
rewrite f_2, f_1. lra.
