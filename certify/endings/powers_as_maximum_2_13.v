(* a = 0, or W = X^p / T^p = a^p *)
destruct (Req_dec a 0) as [E | E]; [rewrite E; ring |].
assert (A : a > 0) by nra. assert (P : X > 0) by nra.
specialize (f_1 A h_1). specialize (f_2 ltac:(lra) P h_4).
apply Rmult_integral in h_9. destruct h_9 as [| N]; [lra |].
rewrite <- f_2, f_1, <- h_2 in N.
replace W with (Rpower a p); [ring |].
replace ((-1) * / Z_ * (Z_ * Rpower a p)) with (- Rpower a p) in N by (field; lra). lra.
