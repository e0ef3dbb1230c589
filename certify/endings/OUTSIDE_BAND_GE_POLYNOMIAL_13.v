(* a product of four factors that are not negative *)
assert (0 <= b * ((c - y) * ((y - x) * (4 * x - y)))) by (repeat apply Rmult_le_pos; lra). lra.
