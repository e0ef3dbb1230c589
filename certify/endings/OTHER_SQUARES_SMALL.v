(* with e = 1/alpha: top e and e sum u add up to 1, so that their product is at most 1/4 *)
set (e := / alpha) in *. set (N := / IZR n) in *.
assert (P : top * e + Sum u n * e = 1) by (rewrite <- Rmult_plus_distr_r, <- h_0; assumption).
assert (Q : (top * e + Sum u n * e) ^ 2 = 1) by (rewrite P; ring).
assert (R : top * e * (e * Sum u n) <= 1 / 4) by (pose proof (pow2_ge_0 (top * e - Sum u n * e)); lra).
rewrite f_5, h_2, f_6, f_7 in f_4.
assert (0 <= N * (1 / 4 - top * e * (e * Sum u n))) by (apply Rmult_le_pos; lra).
lra.
