(* a product of what is positive *)
rewrite f_1, f_2. apply Rlt_gt. product_lt.
