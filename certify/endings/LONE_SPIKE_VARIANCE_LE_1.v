(* a larger divisor and a smaller sum *)
set (p := / ((-1) + r + IZR n)) in *; set (q := / (IZR n)) in *.
assert (p <= q) by (apply Rinv_le_contravar; lra).
assert (0 <= (q - p) * (q + p) * (IZR n + r ^ 2))
  by (pose proof (pow2_ge_0 r); product_le).
assert (0 <= p ^ 2) by apply pow2_ge_0. lra.
