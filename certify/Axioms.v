(** What polycore/proof/axioms.py believes, as it is printed from there, each proved. *)
From Coq Require Import Reals Lra Lia ZArith.
From Poly Require Import Prelude.
Open Scope R_scope.

Lemma axiom_exp_of_a_sum : forall (x : R) (y : R), exp (x + y) = (exp x * exp y).
Proof. exact exp_plus. Qed.
Lemma axiom_tangent_of_exp : forall (x : R), exp x >= (1 + x).
Proof. exact exp_tangent. Qed.
Lemma axiom_log_inverts_exp : forall (x : R), x > 0 -> exp (ln x) = x.
Proof. exact exp_ln. Qed.
Lemma axiom_power : forall (a : R) (x : R), x > 0 -> Rpower x a = exp (a * ln x).
Proof. reflexivity. Qed.
Lemma axiom_ceiling : forall (x : R), IZR (Ceil x)%Z >= x.
Proof. exact Ceil_above. Qed.
Lemma axiom_empty_sum : forall (f : Z -> R), Sum f 0%Z = 0.
Proof. reflexivity. Qed.
Lemma axiom_one_more_term : forall (f : Z -> R) (n : Z), IZR n >= 0 -> Sum f (1 + n)%Z = (f (1 + n)%Z + Sum f n).
Proof. intros f n H. rewrite (Z.add_comm 1 n), (Sum_more f n H). ring. Qed.
Lemma axiom_no_sign_limit_at_least_0 : forall (f : Z -> R) (t : R), t >= 0 -> Above f 0%Z t = 0.
Proof. exact Above_none. Qed.
Lemma axiom_no_sign_limit_below_0 : forall (f : Z -> R) (t : R), t < 0 -> Above f 0%Z t = 1.
Proof. exact Above_none'. Qed.
Lemma axiom_one_more_sign : forall (f : Z -> R) (n : Z) (t : R), IZR n >= 0 -> Above f (1 + n)%Z t = (((1/2) * Above f n (t + ((-1) * f (1 + n)%Z))) + ((1/2) * Above f n (t + f (1 + n)%Z))).
Proof.
  intros f n t H. rewrite (Z.add_comm 1 n), (Above_more f n t H).
  replace (t + (-1) * f (n + 1)%Z) with (t - f (n + 1)%Z) by ring. lra.
Qed.
Lemma axiom_two_sides : forall (f : Z -> R) (n : Z) (t : R), t >= 0 -> Tail f n t = (Above (fun i : Z => ((-1) * f i)) n t + Above f n t).
Proof.
  intros f n t H. rewrite (Tail_two f n t H), (Above_ext (fun i => - f i) (fun i => (-1) * f i)) by (intros; ring). lra.
Qed.
Lemma axiom_no_column : forall (N : R) (f : Z -> R) (n : Z) (t : R), N > 0 -> Silent f n t 0%Z N = 1.
Proof. intros N f n t H. rewrite Silent_below by exact H. apply AllBelow_none. Qed.
Lemma axiom_one_more_column : forall (N : R) (f : Z -> R) (m : Z) (n : Z) (t : R), IZR m >= 0 -> N > 0 -> Silent f n t (1 + m)%Z N = ((1 + ((-1) * Above f n t)) * Silent f n t m N).
Proof. intros N f m n t H P. rewrite !Silent_below by exact P. rewrite (Z.add_comm 1 m), (AllBelow_more f n t m H). ring. Qed.
