(* Rounding-error bounds of sums and dot products.

   Ops: sum, mean, dot, norm_l1, norm_l2, sum_of_squares, gemv, gemm (each output is one dot
   product), norm_l1, covariance's and variance's inner sums.
   Algorithm: any binary tree of roundings to nearest. src/lanes/fold.rs evaluates one fixed
   tree per length: accumulators of LANES lanes in a leaf of LEAF elements, merged in pairs, lanes merged by
   halves, leaves merged at powers of two (DriveSum.v is that tree).
   The theorems hold for every tree, with the tree's depth.

   Number model: Flocq. Section Abstract takes any rounding whose relative error is at most u on
   the values that occur. It is then instantiated with radix 2, any precision, round to nearest even,
   (a) sums in FLT, that is with gradual underflow: additions of floats never lose relative accuracy there;
   (b) dots in FLX, where products don't underflow, and (c) dots in FLT with the absolute
   error of products that do underflow. Overflow, infinities and NaN are outside the model. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core Relative Plus_error.
Import ListNotations.
Open Scope R_scope.

(* Powers of 1 + u. *)

Lemma pow_ge1 : forall u n, 0 <= u -> 1 <= (1 + u) ^ n.
Proof. intros u n Hu. induction n; simpl; [lra|]. nra. Qed.

Lemma pow_mono : forall u m n, 0 <= u -> (m <= n)%nat -> (1 + u) ^ m <= (1 + u) ^ n.
Proof. intros u m n Hu H. apply Rle_pow; [lra|exact H]. Qed.

(* The usual gamma: ((1+u)^n - 1) <= n u / (1 - n u) when n u < 1. *)
Theorem gamma_bound : forall u n, 0 <= u -> INR n * u < 1 ->
  (1 + u) ^ n - 1 <= INR n * u / (1 - INR n * u).
Proof.
  intros u n Hu H.
  assert (B : forall k, 1 - INR k * u <= (1 - u) ^ k \/ 1 <= u).
  { induction k as [|k IH].
    - left. simpl. lra.
    - destruct IH as [IH|IH]; [|now right]. destruct (Rlt_le_dec u 1) as [Hl|Hl]; [|now right]. left.
      rewrite S_INR. simpl. pose proof (pos_INR k). 
      assert (0 <= INR k * u) by (apply Rmult_le_pos; lra). nra. }
  assert (P : (1 + u) ^ n * (1 - INR n * u) <= 1).
  { destruct n as [|n]; [simpl; lra|].
    assert (u < 1).
    { rewrite S_INR in H. pose proof (pos_INR n). assert (0 <= INR n * u) by (apply Rmult_le_pos; lra). lra. }
    destruct (B (S n)) as [Hb|Hb]; [|lra].
    apply Rle_trans with ((1 + u) ^ S n * (1 - u) ^ S n).
    - apply Rmult_le_compat_l; [|exact Hb]. pose proof (pow_ge1 u (S n) Hu). lra.
    - rewrite <- Rpow_mult_distr. apply Rle_trans with (1 ^ S n); [|rewrite pow1; lra].
      apply pow_incr. clear - Hu H0. split; [apply Rmult_le_pos; lra|nra]. }
  set (d := INR n * u) in *.
  apply (Rmult_le_reg_r (1 - d)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(* Sums over a tree *)

Inductive tree := Leaf (x : R) | Node (l r : tree).

Fixpoint depth (t : tree) : nat := match t with Leaf _ => 0 | Node l r => S (max (depth l) (depth r)) end.
Fixpoint exact (t : tree) : R := match t with Leaf x => x | Node l r => exact l + exact r end.
Fixpoint mag (t : tree) : R := match t with Leaf x => Rabs x | Node l r => mag l + mag r end.
Fixpoint leaves (t : tree) : list R := match t with Leaf x => [x] | Node l r => leaves l ++ leaves r end.

Lemma mag_ge0 : forall t, 0 <= mag t.
Proof. induction t; simpl; [apply Rabs_pos|lra]. Qed.

Lemma exact_le_mag : forall t, Rabs (exact t) <= mag t.
Proof. induction t; simpl; [lra|]. eapply Rle_trans; [apply Rabs_triang|lra]. Qed.

Lemma exact_is_sum_of_leaves : forall t, exact t = fold_right Rplus 0 (leaves t).
Proof.
  assert (A : forall a b, fold_right Rplus 0 (a ++ b) = fold_right Rplus 0 a + fold_right Rplus 0 b).
  { induction a as [|x a IH]; intros b; simpl; [ring|]. rewrite IH. ring. }
  induction t as [x|l IHl r IHr]; simpl; [ring|]. rewrite A, IHl, IHr. reflexivity.
Qed.

Section Abstract.
Variables (rnd : R -> R) (u : R) (F : R -> Prop).
Hypothesis u_ge0 : 0 <= u.
(* F: the values that are floats. Adding two floats has relative error u and gives a float. *)
Hypothesis rnd_F : forall x, F (rnd x).
Hypothesis add_err : forall x y, F x -> F y -> Rabs (rnd (x + y) - (x + y)) <= u * Rabs (x + y).

Fixpoint fsum (t : tree) : R := match t with Leaf x => x | Node l r => rnd (fsum l + fsum r) end.
Fixpoint inputs (t : tree) : Prop := match t with Leaf x => F x | Node l r => inputs l /\ inputs r end.

Lemma fsum_F : forall t, inputs t -> F (fsum t).
Proof. destruct t; simpl; intros; [assumption|apply rnd_F]. Qed.

Lemma step_bound : forall a b ea eb ma mb g,
  1 <= g -> Rabs (a - ea) <= (g - 1) * ma -> Rabs (b - eb) <= (g - 1) * mb ->
  Rabs ea <= ma -> Rabs eb <= mb -> Rabs (rnd (a + b) - (a + b)) <= u * Rabs (a + b) ->
  Rabs (rnd (a + b) - (ea + eb)) <= ((1 + u) * g - 1) * (ma + mb).
Proof.
  intros a b ea eb ma mb g Hg Ha Hb Hea Heb Hr.
  replace (rnd (a + b) - (ea + eb)) with ((rnd (a + b) - (a + b)) + ((a - ea) + (b - eb))) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (D : Rabs ((a - ea) + (b - eb)) <= (g - 1) * (ma + mb)).
  { eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (S : Rabs (a + b) <= g * (ma + mb)).
  { replace (a + b) with ((ea + eb) + ((a - ea) + (b - eb))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang ea eb). lra. }
  assert (u * Rabs (a + b) <= u * (g * (ma + mb))) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Lemma weaken : forall e m d d', 0 <= m -> (d <= d')%nat ->
  Rabs e <= ((1 + u) ^ d - 1) * m -> Rabs e <= ((1 + u) ^ d' - 1) * m.
Proof.
  intros e m d d' Hm Hd H. eapply Rle_trans; [exact H|]. apply Rmult_le_compat_r; [exact Hm|].
  pose proof (pow_mono u d d' u_ge0 Hd). lra.
Qed.

Theorem tree_sum_error : forall t, inputs t ->
  Rabs (fsum t - exact t) <= ((1 + u) ^ depth t - 1) * mag t.
Proof.
  induction t as [x|l IHl r IHr]; intros H.
  - simpl. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. lra.
  - destruct H as [Hl Hr]. cbn [fsum exact depth mag].
    change ((1 + u) ^ S (max (depth l) (depth r))) with ((1 + u) * (1 + u) ^ max (depth l) (depth r)).
    apply step_bound.
    + now apply pow_ge1.
    + apply weaken with (depth l); [apply mag_ge0|lia|auto].
    + apply weaken with (depth r); [apply mag_ge0|lia|auto].
    + apply exact_le_mag.
    + apply exact_le_mag.
    + apply add_err; now apply fsum_F.
Qed.

(* Left to right: s := x0; s := rnd (s + x) for each further x. *)
Definition fsum_left (x0 : R) (l : list R) : R := fold_left (fun s x => rnd (s + x)) l x0.
Definition comb (x0 : R) (l : list R) : tree := fold_left (fun t x => Node t (Leaf x)) l (Leaf x0).

Lemma comb_facts : forall l t,
  let c := fold_left (fun t x => Node t (Leaf x)) l t in
  fsum c = fold_left (fun s x => rnd (s + x)) l (fsum t) /\ depth c = (length l + depth t)%nat /\
  exact c = exact t + fold_right Rplus 0 l /\ mag c = mag t + fold_right Rplus 0 (map Rabs l) /\
  ((forall x, In x l -> F x) -> inputs t -> inputs c).
Proof.
  induction l as [|x l IH]; intros t.
  - simpl. repeat split; try ring; auto.
  - destruct (IH (Node t (Leaf x))) as (A & B & C & D & E). cbn [fold_left] in *. rewrite A, B, C, D.
    cbn [fsum depth exact mag fold_right map length]. rewrite Nat.max_0_r. repeat split; try ring; try lia.
    intros Hx Ht. apply E; [intros; apply Hx; now right|split; [exact Ht|apply Hx; now left]].
Qed.

Theorem left_to_right_sum_error : forall x0 l, F x0 -> (forall x, In x l -> F x) ->
  Rabs (fsum_left x0 l - (x0 + fold_right Rplus 0 l))
    <= ((1 + u) ^ length l - 1) * (Rabs x0 + fold_right Rplus 0 (map Rabs l)).
Proof.
  intros x0 l H0 Hl. destruct (comb_facts l (Leaf x0)) as (A & B & C & D & E).
  pose proof (tree_sum_error (comb x0 l) (E Hl H0)) as G. unfold comb in G.
  rewrite A, B, C, D in G. simpl in G. rewrite Nat.add_0_r in G. exact G.
Qed.

(* Dot products over a tree. DMul is a rounded product, DFma a fused step acc + a*b, DMulAdd the same with two
   roundings, DZero the accumulator's start. *)
Inductive dtree :=
  | DZero
  | DMul (a b : R)
  | DFma (t : dtree) (a b : R)
  | DMulAdd (t : dtree) (a b : R)
  | DAdd (l r : dtree).

Fixpoint fdot (t : dtree) : R :=
  match t with
  | DZero => 0
  | DMul a b => rnd (a * b)
  | DFma t a b => rnd (fdot t + a * b)
  | DMulAdd t a b => rnd (fdot t + rnd (a * b))
  | DAdd l r => rnd (fdot l + fdot r)
  end.
Fixpoint ddepth (t : dtree) : nat :=
  match t with
  | DZero => 0
  | DMul _ _ => 1
  | DFma t _ _ => S (ddepth t)
  | DMulAdd t _ _ => S (max 1 (ddepth t))
  | DAdd l r => S (max (ddepth l) (ddepth r))
  end.
Fixpoint dexact (t : dtree) : R :=
  match t with
  | DZero => 0
  | DMul a b => a * b
  | DFma t a b | DMulAdd t a b => dexact t + a * b
  | DAdd l r => dexact l + dexact r
  end.
Fixpoint dmag (t : dtree) : R :=
  match t with
  | DZero => 0
  | DMul a b => Rabs (a * b)
  | DFma t a b | DMulAdd t a b => dmag t + Rabs (a * b)
  | DAdd l r => dmag l + dmag r
  end.
Fixpoint terms (t : dtree) : nat :=
  match t with
  | DZero => 0
  | DMul _ _ => 1
  | DFma t _ _ | DMulAdd t _ _ => S (terms t)
  | DAdd l r => terms l + terms r
  end.

Lemma dmag_ge0 : forall t, 0 <= dmag t.
Proof. induction t; simpl; try lra; try apply Rabs_pos; pose proof (Rabs_pos (a * b)); lra. Qed.

Lemma dexact_le_dmag : forall t, Rabs (dexact t) <= dmag t.
Proof.
  induction t; simpl; try lra; try (rewrite Rabs_R0; lra); eapply Rle_trans; try apply Rabs_triang; lra.
Qed.

(* Every rounding keeps relative error u: no product underflows. *)
Section NoUnderflow.
Hypothesis any_err : forall x, Rabs (rnd x - x) <= u * Rabs x.

Theorem tree_dot_error : forall t, Rabs (fdot t - dexact t) <= ((1 + u) ^ ddepth t - 1) * dmag t.
Proof.
  assert (M : forall a b, Rabs (rnd (a * b) - a * b) <= ((1 + u) ^ 1 - 1) * Rabs (a * b)).
  { intros a b. pose proof (any_err (a * b)). simpl. lra. }
  assert (Z : forall t a b, Rabs (a * b - a * b) <= ((1 + u) ^ ddepth t - 1) * Rabs (a * b)).
  { intros t a b. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0.
    apply Rmult_le_pos; [pose proof (pow_ge1 u (ddepth t) u_ge0); lra|apply Rabs_pos]. }
  induction t as [|a b|t IH a b|t IH a b|l IHl r IHr]; cbn [fdot dexact ddepth dmag].
  - rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. lra.
  - apply M.
  - change ((1 + u) ^ S (ddepth t)) with ((1 + u) * (1 + u) ^ ddepth t).
    apply step_bound; auto; [now apply pow_ge1|apply dexact_le_dmag|lra].
  - change ((1 + u) ^ S (max 1 (ddepth t))) with ((1 + u) * (1 + u) ^ max 1 (ddepth t)).
    apply step_bound; auto; [now apply pow_ge1| | |apply dexact_le_dmag|lra].
    + apply weaken with (ddepth t); [apply dmag_ge0|lia|exact IH].
    + apply weaken with 1%nat; [apply Rabs_pos|lia|apply M].
  - change ((1 + u) ^ S (max (ddepth l) (ddepth r))) with ((1 + u) * (1 + u) ^ max (ddepth l) (ddepth r)).
    apply step_bound; auto; [now apply pow_ge1| | |apply dexact_le_dmag|apply dexact_le_dmag].
    + apply weaken with (ddepth l); [apply dmag_ge0|lia|exact IHl].
    + apply weaken with (ddepth r); [apply dmag_ge0|lia|exact IHr].
Qed.
End NoUnderflow.

(* With gradual underflow: each rounding has relative error u or absolute error eta. *)
Section Underflow.
Variable eta : R.
Hypothesis eta_ge0 : 0 <= eta.
Hypothesis any_err : forall x, Rabs (rnd x - x) <= u * Rabs x + eta.

Lemma step_bound_eta : forall a b ea eb ma mb g ha hb,
  1 <= g -> Rabs (a - ea) <= (g - 1) * ma + ha -> Rabs (b - eb) <= (g - 1) * mb + hb ->
  Rabs ea <= ma -> Rabs eb <= mb ->
  Rabs (rnd (a + b) - (ea + eb)) <= ((1 + u) * g - 1) * (ma + mb) + ((1 + u) * (ha + hb) + eta).
Proof.
  intros a b ea eb ma mb g ha hb Hg Ha Hb Hea Heb.
  pose proof (any_err (a + b)) as Hr.
  replace (rnd (a + b) - (ea + eb)) with ((rnd (a + b) - (a + b)) + ((a - ea) + (b - eb))) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (D : Rabs ((a - ea) + (b - eb)) <= (g - 1) * (ma + mb) + (ha + hb)).
  { eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (S : Rabs (a + b) <= g * (ma + mb) + (ha + hb)).
  { replace (a + b) with ((ea + eb) + ((a - ea) + (b - eb))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang ea eb). lra. }
  assert (u * Rabs (a + b) <= u * (g * (ma + mb) + (ha + hb))) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* How many roundings the tree holds: each may add eta, amplified by the roundings above it. *)
Fixpoint roundings (t : dtree) : nat :=
  match t with
  | DZero => 0
  | DMul _ _ => 1
  | DFma t _ _ => S (roundings t)
  | DMulAdd t _ _ => S (S (roundings t))
  | DAdd l r => S (roundings l + roundings r)
  end.

Theorem tree_dot_error_underflow : forall t,
  Rabs (fdot t - dexact t)
    <= ((1 + u) ^ ddepth t - 1) * dmag t + INR (roundings t) * ((1 + u) ^ ddepth t * eta).
Proof.
  assert (W : forall e m d d' k, 0 <= m -> (d <= d')%nat ->
    Rabs e <= ((1 + u) ^ d - 1) * m + INR k * ((1 + u) ^ d * eta) ->
    Rabs e <= ((1 + u) ^ d' - 1) * m + INR k * ((1 + u) ^ d' * eta)).
  { intros e m d d' k Hm Hd H. eapply Rle_trans; [exact H|].
    pose proof (pow_mono u d d' u_ge0 Hd) as P. apply Rplus_le_compat.
    - apply Rmult_le_compat_r; [exact Hm|lra].
    - apply Rmult_le_compat_l; [apply pos_INR|]. apply Rmult_le_compat_r; lra. }
  assert (M : forall a b, Rabs (rnd (a * b) - a * b)
              <= ((1 + u) ^ 1 - 1) * Rabs (a * b) + INR 1 * ((1 + u) ^ 1 * eta)).
  { intros a b. pose proof (any_err (a * b)). simpl. nra. }
  assert (Z : forall d a b, Rabs (a * b - a * b) <= ((1 + u) ^ d - 1) * Rabs (a * b) + 0).
  { intros d a b. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0.
    assert (0 <= ((1 + u) ^ d - 1) * Rabs (a * b)); [|lra].
    apply Rmult_le_pos; [pose proof (pow_ge1 u d u_ge0); lra|apply Rabs_pos]. }
  assert (Q : forall d k j x y, x = INR k * ((1 + u) ^ d * eta) -> y = INR j * ((1 + u) ^ d * eta) ->
    (1 + u) * (x + y) + eta <= INR (S (k + j)) * ((1 + u) ^ S d * eta)).
  { intros d k j x y -> ->. rewrite S_INR, plus_INR. simpl.
    pose proof (pow_ge1 u d u_ge0) as P. set (g := (1 + u) ^ d) in *.
    assert (eta <= (1 + u) * g * eta); [|lra].
    rewrite <- (Rmult_1_l eta) at 1. apply Rmult_le_compat_r; [exact eta_ge0|]. nra. }
  induction t as [|a b|t IH a b|t IH a b|l IHl r IHr]; cbn [fdot dexact ddepth dmag roundings].
  - rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. simpl. lra.
  - apply M.
  - set (d := ddepth t) in *. eapply Rle_trans.
    + apply (step_bound_eta _ _ _ _ (dmag t) (Rabs (a * b)) ((1 + u) ^ d)
               (INR (roundings t) * ((1 + u) ^ d * eta)) 0); auto;
        [now apply pow_ge1|apply dexact_le_dmag|lra].
    + change ((1 + u) ^ S d) with ((1 + u) * (1 + u) ^ d) at 1. apply Rplus_le_compat_l.
      rewrite <- (Nat.add_0_r (roundings t)) at 2. apply Q; [reflexivity|simpl; ring].
  - set (d := max 1 (ddepth t)) in *. eapply Rle_trans.
    + apply (step_bound_eta _ _ _ _ (dmag t) (Rabs (a * b)) ((1 + u) ^ d)
               (INR (roundings t) * ((1 + u) ^ d * eta)) (INR 1 * ((1 + u) ^ d * eta)));
        [now apply pow_ge1| | |apply dexact_le_dmag|lra].
      * apply W with (ddepth t); [apply dmag_ge0|unfold d; lia|exact IH].
      * apply W with 1%nat; [apply Rabs_pos|unfold d; lia|apply M].
    + change ((1 + u) ^ S d) with ((1 + u) * (1 + u) ^ d) at 1. apply Rplus_le_compat_l.
      replace (S (S (roundings t))) with (S (roundings t + 1)) by lia. apply Q; reflexivity.
  - set (d := max (ddepth l) (ddepth r)) in *. eapply Rle_trans.
    + apply (step_bound_eta _ _ _ _ (dmag l) (dmag r) ((1 + u) ^ d)
               (INR (roundings l) * ((1 + u) ^ d * eta)) (INR (roundings r) * ((1 + u) ^ d * eta)));
        [now apply pow_ge1| | |apply dexact_le_dmag|apply dexact_le_dmag].
      * apply W with (ddepth l); [apply dmag_ge0|unfold d; lia|exact IHl].
      * apply W with (ddepth r); [apply dmag_ge0|unfold d; lia|exact IHr].
    + change ((1 + u) ^ S d) with ((1 + u) * (1 + u) ^ d) at 1. apply Rplus_le_compat_l. apply Q; reflexivity.
Qed.
End Underflow.
End Abstract.

(* Instances: radix 2, precision prec, round to nearest, ties to even. *)
Section Binary.
Variables (prec emin : Z).
Context {prec_pos : Prec_gt_0 prec}.

Definition rne_flx (x : R) : R := round radix2 (FLX_exp prec) ZnearestE x.
Definition rne_flt (x : R) : R := round radix2 (FLT_exp emin prec) ZnearestE x.
Definition float_flt (x : R) : Prop := generic_format radix2 (FLT_exp emin prec) x.
Definition float_flx (x : R) : Prop := generic_format radix2 (FLX_exp prec) x.
Definition u_of (p : Z) : R := u_ro radix2 p.

Lemma u_of_value : u_of prec = bpow radix2 (- prec).
Proof. unfold u_of, u_ro. rewrite bpow_plus. change (bpow radix2 1) with 2. field. Qed.

Lemma rne_flx_err : forall x, Rabs (rne_flx x - x) <= u_of prec * Rabs x.
Proof. intros x. exact (relative_error_N_FLX radix2 prec prec_pos (fun n => negb (Z.even n)) x). Qed.

Lemma rne_flt_float : forall x, float_flt (rne_flt x).
Proof. intros x. apply generic_format_round; [apply FLT_exp_valid; exact prec_pos|apply valid_rnd_N]. Qed.

Lemma rne_flx_float : forall x, float_flx (rne_flx x).
Proof. intros x. apply generic_format_round; [apply FLX_exp_valid; exact prec_pos|apply valid_rnd_N]. Qed.

Lemma rne_flt_add_err : forall x y, float_flt x -> float_flt y ->
  Rabs (rne_flt (x + y) - (x + y)) <= u_of prec * Rabs (x + y).
Proof.
  intros x y Hx Hy.
  destruct (FLT_plus_error_N_ex radix2 emin prec (fun n => negb (Z.even n)) x y Hx Hy) as [e [He E]].
  unfold rne_flt, u_of. rewrite E. replace ((x + y) * (1 + e) - (x + y)) with (e * (x + y)) by ring.
  rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|]. eapply Rle_trans; [exact He|].
  pose proof (u_ro_pos radix2 prec) as Hu. apply (Rmult_le_reg_r (1 + u_ro radix2 prec)); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Lemma rne_flt_err : forall x,
  Rabs (rne_flt x - x) <= u_of prec * Rabs x + / 2 * bpow radix2 emin.
Proof.
  intros x. destruct (error_N_FLT radix2 emin prec prec_pos (fun n => negb (Z.even n)) x)
    as (e & h & He & Hh & _ & E).
  unfold rne_flt. rewrite E. replace (x * (1 + e) + h - x) with (e * x + h) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. apply Rplus_le_compat; [|exact Hh].
  apply Rmult_le_compat_r; [apply Rabs_pos|exact He].
Qed.

Lemma u_of_ge0 : 0 <= u_of prec.
Proof. apply u_ro_pos. Qed.

Theorem binary_tree_sum_error : forall t, inputs float_flt t ->
  Rabs (fsum rne_flt t - exact t) <= ((1 + u_of prec) ^ depth t - 1) * mag t.
Proof. apply tree_sum_error; [apply u_of_ge0|apply rne_flt_float|apply rne_flt_add_err]. Qed.

Theorem binary_left_to_right_sum_error : forall x0 l, float_flt x0 -> (forall x, In x l -> float_flt x) ->
  Rabs (fsum_left rne_flt x0 l - (x0 + fold_right Rplus 0 l))
    <= ((1 + u_of prec) ^ length l - 1) * (Rabs x0 + fold_right Rplus 0 (map Rabs l)).
Proof. apply left_to_right_sum_error; [apply u_of_ge0|apply rne_flt_float|apply rne_flt_add_err]. Qed.

Theorem binary_tree_dot_error : forall t,
  Rabs (fdot rne_flx t - dexact t) <= ((1 + u_of prec) ^ ddepth t - 1) * dmag t.
Proof. apply tree_dot_error; [apply u_of_ge0|apply rne_flx_err]. Qed.

Theorem binary_tree_dot_error_underflow : forall t,
  Rabs (fdot rne_flt t - dexact t)
    <= ((1 + u_of prec) ^ ddepth t - 1) * dmag t
       + INR (roundings t) * ((1 + u_of prec) ^ ddepth t * (/ 2 * bpow radix2 emin)).
Proof.
  apply tree_dot_error_underflow; [apply u_of_ge0|pose proof (bpow_gt_0 radix2 emin); lra|apply rne_flt_err].
Qed.

(* Left-to-right dot, by fused or by separate steps, from a zero accumulator. *)
Definition dot_left (step : dtree -> R -> R -> dtree) (l : list (R * R)) : dtree :=
  fold_left (fun t p => step t (fst p) (snd p)) l DZero.
Definition abs_dot (l : list (R * R)) : R := fold_right (fun p s => Rabs (fst p * snd p) + s) 0 l.
Definition real_dot (l : list (R * R)) : R := fold_right (fun p s => fst p * snd p + s) 0 l.

Lemma dot_left_facts : forall l t,
  let f := fold_left (fun t p => DFma t (fst p) (snd p)) l t in
  let m := fold_left (fun t p => DMulAdd t (fst p) (snd p)) l t in
  (ddepth f = (length l + ddepth t)%nat /\ dexact f = dexact t + real_dot l /\ dmag f = dmag t + abs_dot l) /\
  ((ddepth m <= S (length l) + ddepth t)%nat /\ dexact m = dexact t + real_dot l /\ dmag m = dmag t + abs_dot l).
Proof.
  assert (X : forall l t, l <> [] -> (ddepth (fold_left (fun t p => DMulAdd t (fst p) (snd p)) l t)
                = length l + max 1 (ddepth t))%nat).
  { induction l as [|p l IH]; intros t H; [congruence|]. cbn [fold_left length]. destruct l as [|q l].
    - cbn [fold_left length ddepth]. lia.
    - rewrite IH by discriminate. cbn [ddepth length]. lia. }
  induction l as [|p l IH]; intros t.
  - cbn. repeat split; try lia; try ring.
  - pose proof (X (p :: l) t ltac:(discriminate)) as XX.
    destruct (IH (DFma t (fst p) (snd p))) as [(A & B & C) _].
    destruct (IH (DMulAdd t (fst p) (snd p))) as [_ (D & E & G)].
    cbn [fold_left] in *. cbv zeta. rewrite A, B, C, E, G. unfold real_dot, abs_dot.
    cbn [ddepth dexact dmag length fold_right] in *.
    repeat split; try lia; ring.
Qed.

Theorem left_to_right_fma_dot_error : forall l,
  Rabs (fdot rne_flx (dot_left DFma l) - real_dot l) <= ((1 + u_of prec) ^ length l - 1) * abs_dot l.
Proof.
  intros l. pose proof (binary_tree_dot_error (dot_left DFma l)) as H. unfold dot_left in *.
  destruct (dot_left_facts l DZero) as [(A & B & C) _]. rewrite A, B, C in H. simpl in H.
  rewrite Nat.add_0_r, !Rplus_0_l in H. exact H.
Qed.

Theorem left_to_right_mul_add_dot_error : forall l,
  Rabs (fdot rne_flx (dot_left DMulAdd l) - real_dot l) <= ((1 + u_of prec) ^ S (length l) - 1) * abs_dot l.
Proof.
  intros l. pose proof (binary_tree_dot_error (dot_left DMulAdd l)) as H. unfold dot_left in *.
  destruct (dot_left_facts l DZero) as [_ (A & B & C)]. rewrite B, C in H. simpl in H.
  rewrite !Rplus_0_l in H. eapply Rle_trans; [exact H|]. apply Rmult_le_compat_r.
  - clear. induction l as [|p l IH]; simpl; [lra|]. pose proof (Rabs_pos (fst p * snd p)). lra.
  - assert (P : (1 + u_of prec) ^ ddepth (fold_left (fun t p => DMulAdd t (fst p) (snd p)) l DZero)
                <= (1 + u_of prec) ^ S (length l)).
    { apply pow_mono; [apply u_of_ge0|]. simpl in A. lia. }
    lra.
Qed.

(* The masked tail: lanes past the end hold the identity, and adding it changes nothing. *)
Theorem adding_zero_is_exact : forall x, float_flt x -> rne_flt (x + 0) = x.
Proof. intros x H. rewrite Rplus_0_r. apply round_generic; [apply valid_rnd_N|exact H]. Qed.
End Binary.

(* binary32 and binary64 by name. *)
#[local] Instance prec_24 : Prec_gt_0 24. Proof. reflexivity. Qed.
#[local] Instance prec_53 : Prec_gt_0 53. Proof. reflexivity. Qed.
Lemma u_24 : u_of 24 = bpow radix2 (-24). Proof. exact (u_of_value 24). Qed.
Lemma u_53 : u_of 53 = bpow radix2 (-53). Proof. exact (u_of_value 53). Qed.

Theorem f32_tree_sum_error : forall t, inputs (float_flt 24 (-149)) t ->
  Rabs (fsum (rne_flt 24 (-149)) t - exact t) <= ((1 + bpow radix2 (-24)) ^ depth t - 1) * mag t.
Proof. intros t H. rewrite <- u_24. now apply binary_tree_sum_error. Qed.

Theorem f64_tree_sum_error : forall t, inputs (float_flt 53 (-1074)) t ->
  Rabs (fsum (rne_flt 53 (-1074)) t - exact t) <= ((1 + bpow radix2 (-53)) ^ depth t - 1) * mag t.
Proof. intros t H. rewrite <- u_53. now apply binary_tree_sum_error. Qed.

Theorem f32_tree_dot_error : forall t,
  Rabs (fdot (rne_flt 24 (-149)) t - dexact t)
    <= ((1 + bpow radix2 (-24)) ^ ddepth t - 1) * dmag t
       + INR (roundings t) * ((1 + bpow radix2 (-24)) ^ ddepth t * bpow radix2 (-150)).
Proof.
  intros t. rewrite <- u_24.
  replace (bpow radix2 (-150)) with (/ 2 * bpow radix2 (-149)) by (simpl; lra).
  exact (binary_tree_dot_error_underflow 24 (-149) t).
Qed.

Theorem f64_tree_dot_error : forall t,
  Rabs (fdot (rne_flt 53 (-1074)) t - dexact t)
    <= ((1 + bpow radix2 (-53)) ^ ddepth t - 1) * dmag t
       + INR (roundings t) * ((1 + bpow radix2 (-53)) ^ ddepth t * bpow radix2 (-1075)).
Proof.
  intros t. rewrite <- u_53.
  replace (bpow radix2 (-1075)) with (/ 2 * bpow radix2 (-1074)).
  - exact (binary_tree_dot_error_underflow 53 (-1074) t).
  - replace (-1074)%Z with (-1075 + 1)%Z by reflexivity. rewrite bpow_plus.
    change (bpow radix2 1) with 2. field.
Qed.
