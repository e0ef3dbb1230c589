(* the right side of the hypothesis over T² *)
replace a with (X * / T) by (rewrite <- h_4; field; lra).
transitivity ((/ T) ^ 2 * (X * (X + tau + (-1) * S_ * / p))); [field; lra | rewrite h_7; ring].
