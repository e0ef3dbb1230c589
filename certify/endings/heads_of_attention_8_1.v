(* what the heads share of the other tokens is what they take from the special one *)
replace (q1 + (-1) * q0) with ((u0 + (-1) * u1) * IZR n) by lra. field. lra.
