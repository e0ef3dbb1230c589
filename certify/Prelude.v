(** What polycore believes as axioms, proved from Coq's Reals and from counting sign vectors. *)
From Coq Require Import Reals Lra Lia ZArith List Psatz.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over i = 1..n *)
Fixpoint sumN (f : Z -> R) (k : nat) : R :=
  match k with O => 0 | S k' => sumN f k' + f (Z.of_nat (S k')) end.
Definition Sum (f : Z -> R) (n : Z) : R := sumN f (Z.to_nat n).

(** ** Sign vectors and probabilities: counting over all 2^n of them *)
Fixpoint signs (k : nat) : list (list bool) :=
  match k with O => [[]] | S k' => map (cons true) (signs k') ++ map (cons false) (signs k') end.
Fixpoint dot (f : Z -> R) (s : list bool) : R :=
  match s with
  | [] => 0
  | b :: s' => dot f s' + (if b then f (Z.of_nat (length s)) else - f (Z.of_nat (length s)))
  end.
Definition share {A} (P : A -> bool) (l : list A) : R := INR (length (filter P l)) / INR (length l).
Definition above f t s := if Rlt_dec t (dot f s) then true else false.
Definition Above (f : Z -> R) (n : Z) (t : R) : R := share (above f t) (signs (Z.to_nat n)).
Definition Tail (f : Z -> R) (n : Z) (t : R) : R :=
  share (fun s => if Rlt_dec t (Rabs (dot f s)) then true else false) (signs (Z.to_nat n)).
(** all lists of m columns, each a sign vector *)
Fixpoint columns {A} (l : list A) (m : nat) : list (list A) :=
  match m with O => [[]] | S m' => flat_map (fun c => map (cons c) (columns l m')) l end.
Definition AllBelow (f : Z -> R) (n : Z) (t : R) (m : Z) : R :=
  share (forallb (fun s => negb (above f t s))) (columns (signs (Z.to_nat n)) (Z.to_nat m)).
(** Definition 3.9, and 6.4 for u tokens with the same output: F = relu (u * sum of relu (column - t)) *)
Definition relu (x : R) : R := Rmax 0 x.
Fixpoint outputs (f : Z -> R) (t : R) (l : list (list bool)) : R :=
  match l with [] => 0 | s :: l' => relu (dot f s - t) + outputs f t l' end.
Definition Silent (f : Z -> R) (n : Z) (t : R) (m : Z) (u : R) : R :=
  share (fun l => if Req_EM_T (relu (u * outputs f t l)) 0 then true else false)
    (columns (signs (Z.to_nat n)) (Z.to_nat m)).
Definition Ceil (x : R) : Z := (- Int_part (- x))%Z.

(** ** Lemmas *)
Lemma le_Z (a n : Z) : IZR n >= IZR a -> (a <= n)%Z.
Proof. intros H. apply le_IZR. lra. Qed.

Lemma Sum_empty f : Sum f 0 = 0. Proof. reflexivity. Qed.
Lemma Sum_more f n : IZR n >= 0 -> Sum f (n + 1) = Sum f n + f (n + 1)%Z.
Proof.
  intros H%le_Z. unfold Sum. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia.
  cbn [sumN]. do 2 f_equal. lia.
Qed.
Lemma sumN_ext f g k : (forall i, (1 <= i <= Z.of_nat k)%Z -> f i = g i) -> sumN f k = sumN g k.
Proof.
  induction k as [|k IH]; intros H; [reflexivity|]. cbn [sumN]. rewrite IH, H; [reflexivity|lia|].
  intros i Hi. apply H. lia.
Qed.
Lemma Sum_ext f g n : (forall i, (1 <= i <= n)%Z -> f i = g i) -> Sum f n = Sum g n.
Proof. intros H. apply sumN_ext. intros i Hi. apply H. lia. Qed.

Lemma signs_pos k : (0 < length (signs k))%nat.
Proof. induction k as [|k IH]; cbn; [lia|]. rewrite app_length, !map_length. lia. Qed.
Lemma signs_length k s : In s (signs k) -> length s = k.
Proof.
  revert s. induction k as [|k IH]; cbn.
  - intros s [<-|[]]. reflexivity.
  - intros s H. apply in_app_or in H. rewrite !in_map_iff in H.
    destruct H as [[s' [<- H]]|[s' [<- H]]]; cbn; f_equal; auto.
Qed.
Lemma filter_map {A B} (g : A -> B) P l : length (filter P (map g l)) = length (filter (fun x => P (g x)) l).
Proof. induction l as [|x l IH]; cbn; [reflexivity|]. destruct (P (g x)); cbn; rewrite IH; reflexivity. Qed.
Lemma filter_ext_length {A} P Q (l : list A) : (forall x, In x l -> P x = Q x) -> length (filter P l) = length (filter Q l).
Proof. intros H. f_equal. apply filter_ext_in. exact H. Qed.

Lemma Above_none f t : t >= 0 -> Above f 0 t = 0.
Proof. intros H. unfold Above, share, above. cbn. destruct (Rlt_dec t 0); [lra|]. cbn. lra. Qed.
Lemma Above_none' f t : t < 0 -> Above f 0 t = 1.
Proof. intros H. unfold Above, share, above. cbn. destruct (Rlt_dec t 0); [cbn; lra|lra]. Qed.
Lemma Above_more f n t : IZR n >= 0 ->
  Above f (n + 1) t = Above f n (t - f (n + 1)%Z) / 2 + Above f n (t + f (n + 1)%Z) / 2.
Proof.
  intros H%le_Z. unfold Above, share. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia.
  cbn [signs]. rewrite filter_app, !app_length, !filter_map, !map_length.
  assert (E : forall s, In s (signs (Z.to_nat n)) -> Z.of_nat (S (length s)) = (n + 1)%Z)
    by (intros s Hs; apply signs_length in Hs; lia).
  rewrite (filter_ext_length (fun s => above f t (true :: s)) (above f (t - f (n + 1)%Z))).
  2:{ intros s Hs. unfold above. cbn [dot length]. rewrite (E s Hs).
      destruct (Rlt_dec _ _), (Rlt_dec _ _); try reflexivity; exfalso; lra. }
  rewrite (filter_ext_length (fun s => above f t (false :: s)) (above f (t + f (n + 1)%Z))).
  2:{ intros s Hs. unfold above. cbn [dot length]. rewrite (E s Hs).
      destruct (Rlt_dec _ _), (Rlt_dec _ _); try reflexivity; exfalso; lra. }
  rewrite !plus_INR. pose proof (signs_pos (Z.to_nat n)) as P%lt_INR. cbn [INR] in P. field. lra.
Qed.
Lemma share_ext {A} P Q (l : list A) : (forall x, In x l -> P x = Q x) -> share P l = share Q l.
Proof. intros H. unfold share. rewrite (filter_ext_length P Q l H). reflexivity. Qed.
Lemma share_or {A} P Q (l : list A) : (forall x, P x = true -> Q x = true -> False) ->
  share (fun x => P x || Q x)%bool l = share P l + share Q l.
Proof.
  intros H. unfold share. rewrite <- Rdiv_plus_distr, <- plus_INR. do 2 f_equal.
  induction l as [|x l IH]; cbn; [reflexivity|].
  destruct (P x) eqn:E, (Q x) eqn:F; cbn; rewrite ?IH; try lia. exfalso. eauto.
Qed.
Lemma dot_ext f g k s : (forall i, (1 <= i <= Z.of_nat k)%Z -> f i = g i) -> length s = k -> dot f s = dot g s.
Proof.
  revert k. induction s as [|b s IH]; intros k H L; [reflexivity|]. cbn [dot].
  rewrite (IH (length s)), H; [reflexivity| |intros i Hi; apply H|]; cbn [length] in *; lia.
Qed.
Lemma dot_opp f s : dot (fun i => - f i) s = - dot f s.
Proof. induction s as [|b s IH]; cbn [dot]; [lra|]. rewrite IH. destruct b; lra. Qed.
Lemma Above_ext f g n t : (forall i, (1 <= i <= n)%Z -> f i = g i) -> Above f n t = Above g n t.
Proof.
  intros H. apply share_ext. intros s Hs%signs_length. unfold above. rewrite (dot_ext f g (Z.to_nat n)); [reflexivity| |exact Hs].
  intros i Hi. apply H. lia.
Qed.
Lemma Tail_ext f g n t : (forall i, (1 <= i <= n)%Z -> f i = g i) -> Tail f n t = Tail g n t.
Proof.
  intros H. apply share_ext. intros s Hs%signs_length. rewrite (dot_ext f g (Z.to_nat n)); [reflexivity| |exact Hs].
  intros i Hi. apply H. lia.
Qed.
Lemma Tail_two f n t : t >= 0 -> Tail f n t = Above f n t + Above (fun i => - f i) n t.
Proof.
  intros H. unfold Tail, Above. rewrite <- share_or.
  - apply share_ext. intros s _. unfold above. rewrite dot_opp. unfold Rabs.
    destruct (Rcase_abs (dot f s)); repeat destruct (Rlt_dec _ _); try reflexivity; exfalso; lra.
  - intros s. unfold above. rewrite dot_opp. repeat destruct (Rlt_dec _ _); try discriminate; intros; lra.
Qed.

Lemma columns_length {A} (l : list A) m : length (columns l m) = (length l ^ m)%nat.
Proof.
  induction m as [|m IH]; [reflexivity|]. cbn [columns Nat.pow].
  assert (G : forall l', length (flat_map (fun c => map (cons c) (columns l m)) l') = (length l' * length l ^ m)%nat).
  { induction l' as [|c l' IH']; cbn; [reflexivity|]. rewrite app_length, map_length, IH, IH'. reflexivity. }
  apply G.
Qed.
Lemma columns_filter {A} P (l : list A) m :
  length (filter (forallb P) (columns l m)) = (length (filter P l) ^ m)%nat.
Proof.
  induction m as [|m IH]; [reflexivity|]. cbn [columns Nat.pow].
  assert (G : forall l', length (filter (forallb P) (flat_map (fun c => map (cons c) (columns l m)) l'))
    = (length (filter P l') * length (filter P l) ^ m)%nat).
  { induction l' as [|c l' IH']; [reflexivity|]. cbn [flat_map]. rewrite filter_app, app_length, filter_map, IH'.
    cbn [forallb filter]. destruct (P c); cbn [length andb]; [change (fun x => forallb P x) with (forallb P); rewrite IH; lia|].
    replace (filter _ (columns l m)) with (@nil (list A)); [reflexivity|].
    symmetry. clear. induction (columns l m); auto. }
  apply G.
Qed.
Lemma share_neg {A} P (l : list A) : (0 < length l)%nat -> share (fun x => negb (P x)) l = 1 - share P l.
Proof.
  intros H%lt_INR. cbn [INR] in H. unfold share.
  assert (E : INR (length l) = INR (length (filter P l)) + INR (length (filter (fun x => negb (P x)) l))).
  { rewrite <- plus_INR. f_equal. clear H. induction l as [|x l IH]; cbn; [reflexivity|]. destruct (P x); cbn; lia. }
  apply Rmult_eq_reg_r with (INR (length l)); [|lra]. field_simplify; lra.
Qed.
Lemma AllBelow_none f n t : AllBelow f n t 0 = 1.
Proof. unfold AllBelow, share. cbn. lra. Qed.
Lemma AllBelow_more f n t m : IZR m >= 0 -> AllBelow f n t (m + 1) = AllBelow f n t m * (1 - Above f n t).
Proof.
  intros H%le_Z. unfold AllBelow, Above. rewrite <- share_neg by apply signs_pos. unfold share.
  replace (Z.to_nat (m + 1)) with (S (Z.to_nat m)) by lia.
  rewrite !columns_filter, !columns_length. cbn [Nat.pow]. rewrite !mult_INR, !pow_INR.
  pose proof (signs_pos (Z.to_nat n)) as P%lt_INR. cbn [INR] in P. field.
  repeat split; try apply pow_nonzero; lra.
Qed.
Lemma AllBelow_ext f g n t m : (forall i, (1 <= i <= n)%Z -> f i = g i) -> AllBelow f n t m = AllBelow g n t m.
Proof.
  intros H. unfold AllBelow. unfold share. rewrite !columns_filter, !columns_length.
  rewrite (filter_ext_length _ (fun s => negb (above g t s))); [reflexivity|].
  intros s Hs%signs_length. unfold above. rewrite (dot_ext f g (Z.to_nat n)); [reflexivity| |exact Hs]. intros i Hi. apply H. lia.
Qed.
Lemma outputs_pos f t l : 0 <= outputs f t l.
Proof. induction l as [|s l IH]; cbn; [lra|]. unfold relu. pose proof (Rmax_l 0 (dot f s - t)). lra. Qed.
Lemma outputs_zero f t l : outputs f t l = 0 <-> forallb (fun s => negb (above f t s)) l = true.
Proof.
  induction l as [|s l IH]; cbn [outputs forallb]; [tauto|].
  rewrite Bool.andb_true_iff, <- IH. pose proof (outputs_pos f t l) as P. unfold relu, above.
  pose proof (Rmax_l 0 (dot f s - t)). pose proof (Rmax_r 0 (dot f s - t)).
  destruct (Rlt_dec t (dot f s)); cbn [negb].
  - split; [intros; lra | intros [? _]; discriminate].
  - rewrite Rmax_left in * by lra. split; [intros; split; [reflexivity|lra] | intros [_ ?]; lra].
Qed.
Lemma Silent_below f n t m u : u > 0 -> Silent f n t m u = AllBelow f n t m.
Proof.
  intros U. apply share_ext. intros l _. pose proof (outputs_pos f t l) as P.
  pose proof (outputs_zero f t l) as Z. destruct (Req_EM_T _ 0) as [E|E].
  - symmetry. apply Z. unfold relu in E. pose proof (Rmax_r 0 (u * outputs f t l)). nra.
  - destruct (forallb _ l); [|reflexivity]. destruct E. rewrite (proj2 Z eq_refl), Rmult_0_r.
    unfold relu. apply Rmax_left. lra.
Qed.
Lemma Silent_ext f g n t m u : (forall i, (1 <= i <= n)%Z -> f i = g i) -> Silent f n t m u = Silent g n t m u.
Proof.
  intros H. unfold Silent, share. do 3 f_equal. apply filter_ext_in. intros l L.
  assert (E : outputs f t l = outputs g t l); [|rewrite E; reflexivity].
  assert (K : forall s, In s l -> length s = Z.to_nat n).
  { revert l L. induction (Z.to_nat m) as [|k IH]; cbn [columns].
    - intros l [<-|[]] s [].
    - intros l L%in_flat_map s. destruct L as [c [C L]]. apply in_map_iff in L.
      destruct L as [l' [<- L]]. intros [<-|S]; [apply signs_length in C; exact C | exact (IH _ L _ S)]. }
  clear L. induction l as [|s l IH]; [reflexivity|]. cbn [outputs]. rewrite IH by (intros; apply K; right; assumption).
  rewrite (dot_ext f g (Z.to_nat n)); [reflexivity| intros i Hi; apply H; lia | apply K; left; reflexivity].
Qed.
Lemma Ceil_above x : IZR (Ceil x) >= x.
Proof. unfold Ceil. rewrite opp_IZR. destruct (base_Int_part (- x)). lra. Qed.
Lemma exp_tangent x : exp x >= 1 + x.
Proof. pose proof (exp_ineq1_le x). lra. Qed.

Lemma Z_up (P : Z -> Prop) (a : Z) : P a -> (forall n, (a <= n)%Z -> P n -> P (n + 1)%Z) -> forall n, (a <= n)%Z -> P n.
Proof.
  intros H0 H1 n Hn. replace n with (a + Z.of_nat (Z.to_nat (n - a)))%Z by lia.
  induction (Z.to_nat (n - a)) as [|k IH]; [rewrite Z.add_0_r; exact H0|].
  replace (a + Z.of_nat (S k))%Z with (a + Z.of_nat k + 1)%Z by lia. apply H1; [lia|exact IH].
Qed.
