(* a4 = a2 a3 / a1 *)
replace a4 with (a2 * a3 * / a1) by (apply (Rmult_eq_reg_l a1); [|lra]; rewrite h_1; field; lra).
field. lra.
