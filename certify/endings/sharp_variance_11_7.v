(* one rational function of 2^beta *)
rewrite f_3, f_2. field. lra.
