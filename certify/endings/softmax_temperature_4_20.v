(* the bound on the sum of squares, times what makes tau² of it *)
match goal with |- context [exp ?e] => set (x := exp e) in * end. set (s := Sum (fun i : Z => (g i) ^ 2) n) in *.
assert (0 <= 4 * tau ^ 2 * (/ (1 + x)) ^ 2 * x * IZR n * (1/4 * / (IZR n) * (1 + x) ^ 2 * / x - s)) by product_le.
assert (4 * tau ^ 2 * (/ (1 + x)) ^ 2 * x * IZR n * (1/4 * / (IZR n) * (1 + x) ^ 2 * / x) = tau ^ 2) by (field; lra).
rewrite f_3. lra.
