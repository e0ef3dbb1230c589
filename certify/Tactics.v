(** What the generated proofs leave to Coq: terms that differ in their arrangement, divisors, and arithmetic. *)
From Coq Require Import Reals Lra Lia ZArith Psatz.
From Interval Require Import Tactic.
From Poly Require Import Prelude.
Open Scope R_scope.

(** ** Two terms that are one but for the arrangement of their arguments *)
Ltac same_real := intros; first [reflexivity | lra | ring | (field; repeat split; try assumption; lra)].
Ltac same_whole := first [reflexivity | lia].
Ltac congr :=
  first [ reflexivity
  | match goal with
    | |- exp _ = exp _ => apply f_equal; same_real
    | |- ln _ = ln _ => apply f_equal; same_real
    | |- Rpower _ _ = Rpower _ _ => apply f_equal2; same_real
    | |- Sum ?f ?n = Sum ?g ?m => (transitivity (Sum g n); [apply Sum_ext; intros; same_real | apply f_equal; same_whole])
    | |- Above ?f ?n ?t = Above ?g ?m ?s =>
        transitivity (Above g n t); [apply Above_ext; intros; same_real | apply f_equal2; [same_whole | same_real]]
    | |- Tail ?f ?n ?t = Tail ?g ?m ?s =>
        transitivity (Tail g n t); [apply Tail_ext; intros; same_real | apply f_equal2; [same_whole | same_real]]
    | |- Silent ?f ?n ?t ?k ?u = Silent ?g ?m ?s ?l ?v =>
        transitivity (Silent g n t k u);
        [apply Silent_ext; intros; same_real | replace m with n by same_whole; replace l with k by same_whole;
          replace s with t by same_real; replace v with u by same_real; reflexivity]
    | |- Ceil _ = Ceil _ => apply f_equal; same_real
    | |- ?f _ = ?f _ => apply f_equal; same_whole
    end ].

(** ** Arithmetic *)
Ltac prove := first [assumption | lra | nra].
(** What is known of a divisor: its sign where that is clear, and its inverse. *)
Ltac divisor d :=
  first
  [ let P := fresh "P" in let Q := fresh "Q" in let E := fresh "D" in
    assert (P : 0 < d) by prove; assert (Q : 0 < / d) by (apply Rinv_0_lt_compat; exact P);
    assert (E : d * / d = 1) by (apply Rinv_r; apply Rgt_not_eq; exact P)
  | let P := fresh "P" in let Q := fresh "Q" in let E := fresh "D" in
    assert (P : d < 0) by prove; assert (Q : / d < 0) by (apply Rinv_lt_0_compat; exact P);
    assert (E : d * / d = 1) by (apply Rinv_r; apply Rlt_not_eq; exact P)
  | let P := fresh "P" in let E := fresh "D" in
    assert (P : d <> 0) by prove; assert (E : d * / d = 1) by (apply Rinv_r; exact P)
  | idtac ].
(** The sign of a product from those of its factors. *)
Ltac product_le := lazymatch goal with
  | |- 0 <= _ ^ 2 => apply pow2_ge_0
  | |- 0 <= _ ^ _ => apply pow_le; product_le
  | |- 0 <= _ * _ => apply Rmult_le_pos; product_le
  | |- 0 <= exp _ => apply Rlt_le, exp_pos
  | _ => lra end.
Ltac product_lt := lazymatch goal with
  | |- 0 < _ ^ _ => apply pow_lt; product_lt
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; product_lt
  | |- 0 < exp _ => apply exp_pos
  | _ => lra end.
(** An index is in its range, where bounds of the range are known as real numbers. *)
Ltac range := repeat match goal with H : IZR _ <= IZR _ |- _ => apply le_IZR in H end; lia.
(** A premise that is known is taken off a fact; one that is not is left. *)
Ltac at_index := intros; match goal with H : forall i : Z, _ |- _ => apply H; lia end.
Ltac meet f := lazymatch type of f with
  | ?A -> ?B => let h := fresh "m" in
      tryif assert (h : A) by (first [assumption | at_index | lra | timeout 5 nra])
      then (specialize (f h); meet f) else idtac
  | _ => idtac end.
Ltac facts := repeat match goal with H : ?A -> ?B |- _ =>
    let h := fresh "m" in assert (h : A) by (first [assumption | lra]); specialize (H h); clear h end.
Ltac suppose := first [apply Rnot_gt_le | apply Rnot_ge_lt | apply Rnot_lt_ge | apply Rnot_le_gt]; intro; facts.
Ltac easy_arithmetic := first [assumption | lra | lia | at_index
  | (apply Rle_ge; product_le) | (apply Rlt_gt; product_lt) | product_le | product_lt].
(** Rational functions of powers, some of which are products of others. *)
Ltac powers := repeat match goal with H : Rpower _ _ = _ |- _ => rewrite H in *; clear H end.
Ltac same_function := field; repeat split; lra.
(** Something known says it of the same number, written another way. *)
Ltac same_side := match goal with H : ?r ?a ?c |- ?r ?a ?b => replace b with c; [exact H | first [congr | same_function]] end.
Ltac rational := powers; first [same_function | same_side].
(** An inequality of two quotients is one of polynomials, once all is on one side and over one divisor. *)
Lemma quotient_le x y : x <= 0 -> 0 < y -> x / y <= 0.
Proof. intros H P%Rinv_0_lt_compat. unfold Rdiv. nra. Qed.
Lemma quotient_lt x y : x < 0 -> 0 < y -> x / y < 0.
Proof. intros H P%Rinv_0_lt_compat. unfold Rdiv. nra. Qed.
Ltac moved := lazymatch goal with
  | |- _ <= _ => apply Rminus_le | |- _ < _ => apply Rminus_lt
  | |- _ >= _ => apply Rle_ge, Rminus_le | |- _ > _ => apply Rlt_gt, Rminus_lt end.
Ltac cleared := moved; match goal with |- ?d <= 0 => field_simplify d | |- ?d < 0 => field_simplify d end;
  [first [apply quotient_le | apply quotient_lt]; [nra | first [product_lt | nra]] | repeat split; lra ..].
(** Of two inverses the larger is that of the smaller number. *)
Ltac inverses := lazymatch goal with
  | |- / _ < / _ => apply Rinv_lt_contravar; [product_lt | lra]
  | |- / _ <= / _ => apply Rinv_le_contravar; lra
  | |- / _ >= / _ => apply Rle_ge, Rinv_le_contravar; lra
  | |- / _ > / _ => apply Rlt_gt, Rinv_lt_contravar; [product_lt | lra] end.
Ltac finish := first [easy_arithmetic | inverses | same_function | timeout 10 (subst; ring) | timeout 10 nra
  | (suppose; first [lra | timeout 10 nra]) | timeout 10 rational | timeout 10 cleared].
Ltac ball := first [(pose proof ln_lt_2; lra) | interval with (i_prec 60) | interval with (i_prec 200)
  | (unfold Rpower; interval with (i_prec 200)) | (apply Rgt_not_eq; interval) | (apply Rlt_not_eq; interval)].
