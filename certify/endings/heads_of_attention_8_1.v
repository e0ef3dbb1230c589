(* q1 - q0 = n (u0 - u1) *)
replace (q1 + (-1) * q0) with ((u0 + (-1) * u1) * IZR n) by lra. field. lra.
