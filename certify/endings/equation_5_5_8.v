(* both facts are over x⁶ *)
apply (Rmult_le_reg_r (x ^ 6)); [product_lt | lra].
