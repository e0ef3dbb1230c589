(* both sides are one quotient, with the power of c above and below *)
rewrite g_8, f_6. field. lra.
