(* with N = n^q and T = n^(1 - q), n = N T: T V <= T r / n = r / N <= 1 *)
set (N := Rpower (IZR n) q) in *; set (T := Rpower (IZR n) (1 + ((-1) * q))) in *.
set (V := Sum (fun i : Z => (f i) ^ 2) n) in *.
assert (En : IZR n = N * T) by lra.
assert (A : T * V <= r * / N).
{ apply Rle_trans with (T * (r * / (IZR n))); [apply Rmult_le_compat_l; lra|].
  right. rewrite En. field. split; lra. }
assert (B : r * / N <= 1) by (apply Rmult_le_reg_r with N; [lra|]; rewrite Rmult_assoc, Rinv_l; lra).
assert (0 <= tau ^ 2 * (1 - T * V)) by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]). lra.
