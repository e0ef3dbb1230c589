(* y below x, between x and 4x, up to c, beyond; up to c, 4 (p + q)³ - 27 q p² = (p - 2q)² (4p + q) *)
destruct (Rle_lt_dec y x) as [A|A]; [|destruct (Rle_lt_dec y (4 * x)) as [B|B]; [|destruct (Rle_lt_dec y c) as [C|C]]].
- assert (0 <= b * (y * ((x - y) * (4 * x - y)))) by product_le.
  assert (0 <= b * (c * (y * (5 * x - y)))) by product_le.
  lra.
- assert (0 <= b * ((c - y) * ((y - x) * (4 * x - y)))) by product_le. lra.
- assert (0 <= b * ((y - 5 / 2 * x - 2 * (c - y)) ^ 2 * (4 * (y - 5 / 2 * x) + (c - y)))) by product_le.
  assert (0 <= b * ((c - y) * x ^ 2)) by product_le.
  lra.
- assert (0 <= b * ((y - c) * ((y - x) * (y - 4 * x)))) by product_le. lra.
