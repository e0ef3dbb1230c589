(* (1 + (r - 1) s)² = 1 + (r² - 1) s where s² = s *)
assert (S : (s i) ^ 2 = s i) by assumption.
match goal with H : u i = _ |- _ => rewrite H end.
transitivity (lo ^ 2 * (1 + 2 * (r - 1) * s i + (r - 1) ^ 2 * (s i) ^ 2)); [ring | rewrite S; ring].
