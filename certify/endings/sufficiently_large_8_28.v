(* what is added to 1 is two products of what is not negative *)
match type of h_7 with _ = 1 + 2 * ?t * (?a + (-1) * (1 + c) * ln delta) =>
  assert (0 <= t * a) by product_le; assert (0 <= t * ((1 + c) * (- ln delta))) by product_le end.
rewrite h_7. lra.
