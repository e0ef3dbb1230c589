(* the ceiling is not negative, and ln 2 at least 1/2 *)
match goal with |- _ >= 1 + 1/2 * ?c => set (k := c) in * end.
assert (0 <= x ^ 3) by (apply pow_le; lra).
assert (0 <= (ln 2 - 1/2) * k) by (apply Rmult_le_pos; lra). lra.
