(* with u in [lo, hi]: sum u² <= (hi + lo) sum u - hi lo n, and a square is not negative *)
set (a := / alpha) in *.
assert ((hi + lo) * alpha = (hi + lo) * Sum u n) by (apply Rmult_eq_compat_l; assumption).
assert (0 <= a ^ 2 * ((hi + lo) * alpha - hi * lo * IZR n - Sum (fun i : Z => (u i) ^ 2) n))
  by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]).
assert (0 <= / (IZR n) * / hi * / lo * (hi + lo - 2 * hi * lo * IZR n * a) ^ 2)
  by product_le.
assert (a ^ 2 * ((hi + lo) * alpha - hi * lo * IZR n) = 1/4 * / hi * / lo * / (IZR n) * (hi + lo) ^ 2
  - 1/4 * (/ (IZR n) * / hi * / lo * (hi + lo - 2 * hi * lo * IZR n * a) ^ 2))
  by (unfold a; field; repeat split; lra).
lra.
