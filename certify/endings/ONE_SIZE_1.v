(* 72 Lambda n <= X² times (w/X)² *)
set (e := / X) in *.
assert (P : X ^ 2 * e ^ 2 * w ^ 2 = w ^ 2) by (replace (X ^ 2 * e ^ 2) with ((X * e) ^ 2) by ring; replace (X * e) with 1; ring).
assert (0 <= Lambda * (IZR n * e ^ 2 * w ^ 2 - x)) by (apply Rmult_le_pos; lra).
assert (0 <= e ^ 2 * w ^ 2 * (X ^ 2 - 72 * Lambda * IZR n)) by product_le.
lra.
