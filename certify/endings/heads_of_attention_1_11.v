(* 1 - q = n u, and the left side is 1 *)
rewrite f_1, f_2, f_4. apply Req_le. field. lra.
