(* with N = n^q, M = n0^q <= N and T = n^(1 - q), n = N T: 4 T V <= (1 + r)² / (r N) <= (1 + 1/N)² for
   r in [1, N], and that is at most (1 + 1/M)² *)
set (N := Rpower (IZR n) q) in *; set (M := Rpower n0 q) in *.
set (T := Rpower (IZR n) (1 + ((-1) * q))) in *; set (V := Sum (fun i : Z => (f i) ^ 2) n) in *.
set (h := / (1 + / M)) in *.
assert (En : IZR n = N * T) by lra. assert (iN : 0 < / N) by (apply Rinv_0_lt_compat; lra).
assert (iM : 0 < / M) by (apply Rinv_0_lt_compat; lra). assert (ir : 0 < / r) by (apply Rinv_0_lt_compat; lra).
assert (A1 : 4 * T * V <= (1 + r) ^ 2 * / r * / N).
{ apply Rle_trans with (4 * T * ((1/4) * / r * / (IZR n) * (1 + r) ^ 2)); [apply Rmult_le_compat_l; lra|].
  right. rewrite En. field. repeat split; lra. }
assert (A2 : (1 + r) ^ 2 * / r * / N <= (1 + / N) ^ 2).
{ replace ((1 + / N) ^ 2) with ((1 + r) ^ 2 * / r * / N + (N - r) * (r * N - 1) * (/ r * / N * / N))
    by (field; lra).
  assert (1 <= r * N) by nra. assert (0 <= (N - r) * (r * N - 1) * (/ r * / N * / N)) by product_le. lra. }
assert (A3 : / N <= / M) by (apply Rinv_le_contravar; lra).
assert (A4 : (1 + / N) ^ 2 <= (1 + / M) ^ 2) by (apply pow_incr; lra).
assert (A5 : h ^ 2 * (4 * T * V) <= h ^ 2 * (1 + / M) ^ 2)
  by (apply Rmult_le_compat_l; [apply pow2_ge_0 | lra]).
assert (A6 : h ^ 2 * (1 + / M) ^ 2 = 1) by (unfold h; field; lra).
assert (0 <= tau ^ 2 * (1 - h ^ 2 * (4 * T * V))) by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]). lra.
