(* K (1 + 2 n) <= n (1 + 2 n) / 2 < (1 + n)² *)
assert (D1 : d1 = / (1 + IZR n)) by (apply (Rmult_eq_reg_r (1 + IZR n)); [rewrite Rinv_l |]; lra).
assert (D2 : d2 = / (1 + 2 * IZR n)) by (apply (Rmult_eq_reg_r (1 + 2 * IZR n)); [rewrite Rinv_l |]; lra).
rewrite D1, D2. cleared.
