(* 1 <= (1 + 3 z) (1 - 3/2 z) for z = y x² in [0, 1/3], and e^(-3z/2) >= 1 - 3/2 z *)
set (W := exp ((3/2) * y * x ^ 2)) in *; set (V := exp ((-3/2) * y * x ^ 2)) in *.
assert (0 <= y * x ^ 2) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]).
assert (V * W = 1) by lra.
assert (0 <= y * x ^ 2 * (1 - 3 * (y * x ^ 2))) by (apply Rmult_le_pos; lra).
assert (0 <= (1 + 3 * (y * x ^ 2)) * (V - (1 - 3 / 2 * (y * x ^ 2)))) by (apply Rmult_le_pos; lra).
assert (W <= 1 + 3 * (y * x ^ 2)) by (apply Rmult_le_reg_l with V; lra).
assert (0 <= exp ((1/2) * x ^ 2) * (1 + 3 * (y * x ^ 2) - W)) by (apply Rmult_le_pos; lra). lra.
