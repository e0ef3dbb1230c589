(* the weights sum to 1 *)
rewrite f_3, f_4, <- h_0. field. lra.
