(* with J = 1/S: S <= 1/(4n) times J says that J >= 4n *)
set (S := Sum (fun i : Z => (f i) ^ 2) n) in *. set (J := / S) in *. set (N := / IZR n) in *.
assert (0 <= IZR n * (1 / 4 * N - S)) by (apply Rmult_le_pos; lra).
assert (0 <= J * (1 / 4 - IZR n * S)) by (apply Rmult_le_pos; lra).
assert (IZR n * (S * J) = IZR n) by (replace (S * J) with 1; ring).
assert (0 <= ((1/2) + (-1) * t) ^ 2 * (J / 4 - IZR n)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
lra.
