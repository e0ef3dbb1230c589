(* the signs of s and t; the right side is k (c - Z) (Z - W), at most k (c - W)²/4 *)
rewrite f_14.
set (W := ((1/2) * s + (1/2) * t) ^ 2) in *. set (Z := ((1/2) * t + (-1/2) * s) ^ 2).
replace (((1/2) * t + (-1/2) * s) ^ 4) with (Z ^ 2) by (unfold Z; ring).
assert (P : Z - W = - (s * t)) by (unfold Z, W; field).
assert (0 <= k * (c + W - 2 * Z) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
destruct (Rlt_le_dec s 0) as [S|S], (Rlt_le_dec t 0) as [T|T].
- lra.
- rewrite (f_13 S), (f_10 (Rle_ge _ _ T)). lra.
- rewrite (f_12 (Rle_ge _ _ S)), (f_11 T). lra.
- rewrite (f_12 (Rle_ge _ _ S)), (f_10 (Rle_ge _ _ T)). pose proof (Rmult_le_pos s t S T).
  assert (0 <= k * ((c - Z) * (W - Z))) by (repeat apply Rmult_le_pos; lra). lra.
