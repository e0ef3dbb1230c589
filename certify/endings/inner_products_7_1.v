(* 2 t n (v + g) - (n + 1) (v + g (t - 1)) is at least (n - 1) (v + g t) + (n + 1) g *)
assert (0 <= g * t) by product_le.
moved. match goal with |- ?d <= 0 => field_simplify d end; [|repeat split; lra].
assert (0 <= (IZR n - 1) * (v + g * t)) by product_le.
apply quotient_le; [nra | nra].
