(* with N = n^q and T = n^(1 - 2q), n = N² T: T V <= T r² / n = (r / N)² <= 1 *)
set (N := Rpower (IZR n) q) in *; set (T := Rpower (IZR n) (1 + ((-2) * q))) in *.
set (V := Sum (fun i : Z => (f i) ^ 2) n) in *.
assert (E2 : Rpower (IZR n) (2 * q) = N ^ 2) by assumption. rewrite E2 in *.
assert (En : IZR n = N ^ 2 * T) by lra.
assert (A : T * V <= (r * / N) ^ 2).
{ apply Rle_trans with (T * (r ^ 2 * / (IZR n))); [apply Rmult_le_compat_l; lra|].
  right. rewrite En. field. split; lra. }
assert (iN : 0 < / N) by (apply Rinv_0_lt_compat; lra).
assert (B : r * / N <= 1) by (apply Rmult_le_reg_r with N; [lra|]; rewrite Rmult_assoc, Rinv_l; lra).
assert (C : 0 <= r * / N) by product_le.
assert (0 <= (1 - r * / N) * (1 + r * / N)) by product_le.
assert (0 <= tau ^ 2 * (1 - T * V)) by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]). lra.
