(* sum u² / (sum u)², both of lo and of how many of the s are 1; lo cancels *)
set (D := IZR n + c * ((-1) + r)) in *.
assert (E : Sum (fun i : Z => (u i) ^ 2) n = lo ^ 2 * (IZR n + c * ((-1) + r ^ 2)))
  by (replace c with (Sum s n) by assumption; lra).
assert (F : Sum (fun i : Z => (f i) ^ 2) n = (/ alpha) ^ 2 * Sum (fun i : Z => (u i) ^ 2) n) by lra.
assert (A : alpha = lo * D) by lra.
rewrite F, E, A. field. split; lra.
