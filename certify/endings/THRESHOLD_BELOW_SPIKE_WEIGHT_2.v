(* the bound of tau² times r n *)
set (J := / r) in *. set (N := / IZR n) in *.
assert (P : r * J * (IZR n * N) * (Lambda * (1 + r) ^ 2) = Lambda * (1 + r) ^ 2)
  by (replace (r * J) with 1; replace (IZR n * N) with 1; ring).
assert (0 <= r * IZR n * ((1/2) * Lambda * J * N * (1 + r) ^ 2 - tau ^ 2)) by (repeat apply Rmult_le_pos; lra).
lra.
