(* k is an indicator, 0 or 1 *)
destruct (Rmult_integral _ _ h_3) as [K|K].
- rewrite K. pose proof (exp_pos (s * v)). lra.
- assert (E : k = 1) by lra. rewrite E in *. pose proof (MARKOV_2 s t v h_0 ltac:(lra)). lra.
