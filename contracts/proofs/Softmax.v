(* Softmax, log-softmax and log-sum-exp over the reals.

   Ops: softmax, log_softmax, logsumexp, softmax_backward, cross_entropy and its backward form.
   Algorithm: one pass takes m = max x, one takes s = sum exp (x - m), one writes
   exp (x - m) / s (softmax) or x - m - ln s (log-softmax); logsumexp returns m + ln s. *)
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Fixpoint total (l : list R) : R := match l with [] => 0 | x :: r => x + total r end.

(* The row maximum, as a running maximum from the first element. *)
Definition row_max (l : list R) : R :=
  match l with [] => 0 | x :: r => fold_left Rmax r x end.

Definition exp_sum (c : R) (l : list R) : R := total (map (fun x => exp (x - c)) l).

(* What the kernels compute, with any shift c; they take c = row_max l. *)
Definition softmax_by (c : R) (l : list R) : list R := map (fun x => exp (x - c) / exp_sum c l) l.
Definition softmax (l : list R) : list R := softmax_by (row_max l) l.
Definition log_softmax (l : list R) : list R :=
  map (fun x => x - row_max l - ln (exp_sum (row_max l) l)) l.
Definition logsumexp (l : list R) : R := row_max l + ln (exp_sum (row_max l) l).

(* The textbook forms, without a shift. *)
Definition softmax_plain (l : list R) : list R :=
  map (fun x => exp x / total (map exp l)) l.

Lemma total_ge0 : forall l, (forall x, In x l -> 0 <= x) -> 0 <= total l.
Proof.
  induction l as [|x l IH]; intros H; simpl; [lra|].
  pose proof (H x (or_introl eq_refl)). assert (0 <= total l) by (apply IH; intros; apply H; now right). lra.
Qed.

Lemma total_div : forall (f : R -> R) c l, total (map (fun x => f x / c) l) = total (map f l) / c.
Proof. intros f c l. induction l as [|x l IH]; simpl; [unfold Rdiv; ring|]. rewrite IH. unfold Rdiv; ring. Qed.

Lemma exp_sum_ge0 : forall c l, 0 <= exp_sum c l.
Proof.
  intros c l. apply total_ge0. intros y Hy. apply in_map_iff in Hy. destruct Hy as [x [<- _]].
  left; apply exp_pos.
Qed.

Lemma exp_sum_ge_part : forall c l x, In x l -> exp (x - c) <= exp_sum c l.
Proof.
  intros c l x. unfold exp_sum. induction l as [|y l IH]; intros H; [inversion H|]. simpl.
  pose proof (exp_sum_ge0 c l) as H0. unfold exp_sum in H0.
  destruct H as [->|H]; [lra|]. specialize (IH H). pose proof (exp_pos (y - c)). lra.
Qed.

Lemma exp_sum_pos : forall c l, l <> [] -> 0 < exp_sum c l.
Proof.
  intros c [|x l] H; [congruence|].
  pose proof (exp_sum_ge_part c (x :: l) x (or_introl eq_refl)). pose proof (exp_pos (x - c)). lra.
Qed.

Lemma exp_sum_shift : forall c d l, exp_sum (c + d) l = exp (- d) * exp_sum c l.
Proof.
  intros c d l. unfold exp_sum. induction l as [|x l IH]; simpl; [ring|]. rewrite IH.
  replace (x - (c + d)) with (- d + (x - c)) by ring. rewrite exp_plus. ring.
Qed.

Lemma exp_sum_0 : forall l, exp_sum 0 l = total (map exp l).
Proof.
  intros l. unfold exp_sum. f_equal. apply map_ext. intros x. f_equal. ring.
Qed.

Lemma fold_Rmax_ge : forall l a, a <= fold_left Rmax l a /\ (forall x, In x l -> x <= fold_left Rmax l a).
Proof.
  induction l as [|y l IH]; intros a; simpl; [split; [lra|tauto]|].
  destruct (IH (Rmax a y)) as [H1 H2]. split.
  - pose proof (Rmax_l a y). lra.
  - intros x [->|Hx]; [pose proof (Rmax_r a x); lra|auto].
Qed.

Lemma fold_Rmax_in : forall l a, fold_left Rmax l a = a \/ In (fold_left Rmax l a) l.
Proof.
  induction l as [|y l IH]; intros a; simpl; [tauto|].
  destruct (IH (Rmax a y)) as [H|H]; [|tauto]. rewrite H.
  destruct (Rmax_Rle a y a) as [_ _]. unfold Rmax. destruct (Rle_dec a y); tauto.
Qed.

Theorem row_max_is_maximum : forall l, l <> [] ->
  In (row_max l) l /\ forall x, In x l -> x <= row_max l.
Proof.
  intros [|a l] H; [congruence|]. simpl. destruct (fold_Rmax_ge l a) as [H1 H2]. split.
  - destruct (fold_Rmax_in l a) as [->|E]; [now left|now right].
  - intros x [->|Hx]; auto.
Qed.

Theorem softmax_shift_invariant : forall c d l, softmax_by c l = softmax_by d l.
Proof.
  intros c d l. unfold softmax_by. apply map_ext_in. intros x Hx.
  assert (Hne : l <> []) by (intros ->; inversion Hx).
  replace c with (d + (c - d)) at 1 2 by ring. rewrite exp_sum_shift.
  replace (x - (d + (c - d))) with (- (c - d) + (x - d)) by ring. rewrite exp_plus.
  pose proof (exp_sum_pos d l Hne). pose proof (exp_pos (- (c - d))). field. split; lra.
Qed.

Theorem softmax_max_shift_is_plain : forall l, softmax l = softmax_plain l.
Proof.
  intros l. unfold softmax. rewrite (softmax_shift_invariant _ 0). unfold softmax_by, softmax_plain.
  apply map_ext. intros x. rewrite exp_sum_0. now rewrite Rminus_0_r.
Qed.

Theorem softmax_sums_to_one : forall l, l <> [] -> total (softmax l) = 1.
Proof.
  intros l H. unfold softmax, softmax_by.
  rewrite (total_div (fun x => exp (x - row_max l))). fold (exp_sum (row_max l) l).
  apply Rinv_r. pose proof (exp_sum_pos (row_max l) l H). lra.
Qed.

(* 0 belongs to it: what is masked, and exponentials that underflow. *)
Theorem softmax_parts_in_0_1 : forall l y, In y (softmax l) -> 0 <= y <= 1.
Proof.
  intros l y Hy. unfold softmax, softmax_by in Hy. apply in_map_iff in Hy. destruct Hy as [x [<- Hx]].
  assert (Hne : l <> []) by (intros ->; inversion Hx).
  pose proof (exp_sum_pos (row_max l) l Hne). pose proof (exp_pos (x - row_max l)).
  pose proof (exp_sum_ge_part (row_max l) l x Hx). split; [apply Rlt_le, Rdiv_lt_0_compat; lra|].
  apply (Rmult_le_reg_r (exp_sum (row_max l) l)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Why the shift is safe: no argument of exp is positive, and the divisor lies in [1, n]. *)
Theorem softmax_divisor_in_1_n : forall l, l <> [] ->
  (forall x, In x l -> exp (x - row_max l) <= 1) /\ 1 <= exp_sum (row_max l) l <= INR (length l).
Proof.
  intros l H. destruct (row_max_is_maximum l H) as [Hin Hmax].
  assert (He : forall x, In x l -> exp (x - row_max l) <= 1).
  { intros x Hx. specialize (Hmax x Hx). rewrite <- exp_0.
    destruct (Req_dec x (row_max l)) as [->|]; [right; f_equal; ring|left; apply exp_increasing; lra]. }
  split; [exact He|]. split.
  - pose proof (exp_sum_ge_part (row_max l) l _ Hin) as G. rewrite Rminus_diag_eq in G by reflexivity.
    now rewrite exp_0 in G.
  - clear H Hin Hmax. generalize dependent (row_max l). intros m He. unfold exp_sum.
    induction l as [|x l IH]; [simpl; lra|].
    change (length (x :: l)) with (S (length l)). rewrite S_INR. simpl map. simpl total.
    pose proof (He x (or_introl eq_refl)). assert (forall y, In y l -> exp (y - m) <= 1) by (intros; apply He; now right).
    specialize (IH H0). lra.
Qed.

Theorem logsumexp_max_shift_is_plain : forall l, l <> [] -> logsumexp l = ln (total (map exp l)).
Proof.
  intros l H. unfold logsumexp. rewrite <- exp_sum_0.
  replace (row_max l) with (0 + row_max l) at 2 by ring. rewrite exp_sum_shift.
  rewrite ln_mult; [|apply exp_pos|now apply exp_sum_pos]. rewrite ln_exp. ring.
Qed.

Theorem logsumexp_bounds : forall l, l <> [] ->
  row_max l <= logsumexp l <= row_max l + ln (INR (length l)).
Proof.
  intros l H. destruct (softmax_divisor_in_1_n l H) as [_ [H1 H2]]. unfold logsumexp.
  assert (0 <= ln (exp_sum (row_max l) l)).
  { rewrite <- ln_1. destruct H1 as [H1|<-]; [left; apply ln_increasing; lra|lra]. }
  assert (ln (exp_sum (row_max l) l) <= ln (INR (length l))).
  { destruct H2 as [H2|<-]; [left; apply ln_increasing; lra|lra]. }
  lra.
Qed.

Theorem log_softmax_is_ln_of_softmax : forall l, log_softmax l = map ln (softmax l).
Proof.
  intros l. unfold log_softmax, softmax, softmax_by. rewrite map_map. apply map_ext_in. intros x Hx.
  assert (Hne : l <> []) by (intros ->; inversion Hx).
  pose proof (exp_sum_pos (row_max l) l Hne) as Hp. unfold Rdiv.
  rewrite ln_mult; [|apply exp_pos|now apply Rinv_0_lt_compat]. rewrite ln_exp, ln_Rinv by exact Hp. ring.
Qed.

Theorem log_softmax_is_x_minus_logsumexp : forall l, log_softmax l = map (fun x => x - logsumexp l) l.
Proof. intros l. unfold log_softmax, logsumexp. apply map_ext. intros x. ring. Qed.

(* Backward: dx_i = y_i (dy_i - sum y dy), over pairs (y, dy). *)
Definition softmax_backward (l : list (R * R)) : list R :=
  map (fun p => fst p * (snd p - total (map (fun q => fst q * snd q) l))) l.

Theorem softmax_backward_sums_to_zero : forall l,
  total (map fst l) = 1 -> total (softmax_backward l) = 0.
Proof.
  intros l H. unfold softmax_backward. set (g := total (map (fun q => fst q * snd q) l)).
  assert (E : forall k, total (map (fun p => fst p * (snd p - g)) k)
                = total (map (fun q => fst q * snd q) k) - g * total (map fst k)).
  { induction k as [|p k IH]; simpl; [ring|]. rewrite IH. ring. }
  rewrite E, H. unfold g. ring.
Qed.

(* Cross-entropy backward on one row: softmax minus the one-hot target, t of whose parts sum to 1. *)
Theorem cross_entropy_backward_sums_to_zero : forall l t, l <> [] -> length t = length l -> total t = 1 ->
  total (map (fun p => fst p - snd p) (combine (softmax l) t)) = 0.
Proof.
  intros l t Hne Hlen Ht. pose proof (softmax_sums_to_one l Hne) as Hs.
  assert (Hl : length (softmax l) = length t) by (unfold softmax, softmax_by; rewrite map_length; auto).
  assert (E : forall a b, length a = length b ->
    total (map (fun p => fst p - snd p) (combine a b)) = total a - total b).
  { induction a as [|x a IH]; intros [|y b] Hab; simpl in *; try discriminate; [ring|].
    rewrite IH by (now injection Hab). ring. }
  rewrite E by exact Hl. lra.
Qed.
