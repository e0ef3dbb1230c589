(* one rational function of the smaller power *)
rewrite f_3. field. lra.
