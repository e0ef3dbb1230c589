(* with this share of large ones the square that is taken off is 0 *)
assert (Z : alpha * (ell + h) + (-2) * ell * h * IZR n = 0) by (rewrite h_6, h_7; field; lra).
rewrite f_1, Z. ring.
