(* both sides are one rational function *)
rewrite f_1, f_2. field. lra.
