(* Compensated summation.

   Ops: sum_kahan (compensated sum), and any reduction that carries a (sum, correction) pair.
   Algorithm: a state is a pair (s, c). An element x is (x, 0). Two states merge by TwoSum:
   s = rnd (sl + sr), e = the rounding error of that addition, c = rnd (rnd (cl + cr) + e); at the end
   the result is rnd (s + c). On a comb this is Neumaier's left-to-right sum with TwoSum in place of
   the branch; the tree form is what lanes, accumulators and leaves of fold.rs evaluate
   (src/reduce/sums.rs: step e + d, merge (e + f) + d).
   Proved: TwoSum and the branch form (Fast2Sum) are exact, the pair plus the errors that were
   rounded away is the exact sum, and |result - sum| <= u |sum| + (1+u)((1+u)^(2d) - 1)((1+u)^d - 1) sum|x|
   for tree depth d, hence <= u |sum| + 4 d^2 u^2 sum|x| when 8 d u <= 1. FLT, so gradual underflow is included;
   overflow is not. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core Relative.
From Flocq.Pff Require Import Pff2Flocq.
From Fulmen Require Import Summation.
Import ListNotations.
Open Scope R_scope.

Section Abstract.
Variables (rnd : R -> R) (u : R) (F : R -> Prop) (err : R -> R -> R).
Hypothesis u_ge0 : 0 <= u.
Hypothesis F_0 : F 0.
Hypothesis rnd_F : forall x, F (rnd x).
Hypothesis add_err : forall x y, F x -> F y -> Rabs (rnd (x + y) - (x + y)) <= u * Rabs (x + y).
Hypothesis err_F : forall x y, F x -> F y -> F (err x y).
Hypothesis err_exact : forall x y, F x -> F y -> rnd (x + y) + err x y = x + y.

Notation fsum := (fsum rnd).
Notation inputs := (inputs F).

Fixpoint comp (t : tree) : R :=
  match t with
  | Leaf _ => 0
  | Node l r => rnd (rnd (comp l + comp r) + err (fsum l) (fsum r))
  end.
Definition compensated_sum (t : tree) : R := rnd (fsum t + comp t).

(* The exact sum of the errors that TwoSum reports, and the sum of their magnitudes. *)
Fixpoint lost (t : tree) : R :=
  match t with Leaf _ => 0 | Node l r => lost l + lost r + err (fsum l) (fsum r) end.
Fixpoint lost_mag (t : tree) : R :=
  match t with Leaf _ => 0 | Node l r => lost_mag l + lost_mag r + Rabs (err (fsum l) (fsum r)) end.

Theorem sum_plus_lost_is_exact : forall t, inputs t -> fsum t + lost t = exact t.
Proof.
  induction t as [x|l IHl r IHr]; intros H; [simpl; ring|]. destruct H as [Hl Hr].
  specialize (IHl Hl). specialize (IHr Hr). cbn [Summation.fsum exact lost].
  pose proof (err_exact _ _ (fsum_F rnd F rnd_F l Hl) (fsum_F rnd F rnd_F r Hr)). lra.
Qed.

Lemma lost_le_mag : forall t, Rabs (lost t) <= lost_mag t.
Proof.
  induction t as [x|l IHl r IHr]; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (lost l) (lost r)). lra.
Qed.

Lemma lost_mag_ge0 : forall t, 0 <= lost_mag t.
Proof. intros t. pose proof (lost_le_mag t). pose proof (Rabs_pos (lost t)). lra. Qed.

Lemma fsum_le : forall t, inputs t -> Rabs (fsum t) <= (1 + u) ^ depth t * mag t.
Proof.
  intros t H. pose proof (tree_sum_error rnd u F u_ge0 rnd_F add_err t H) as E.
  pose proof (exact_le_mag t). replace (fsum t) with ((fsum t - exact t) + exact t) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma lost_mag_le : forall t, inputs t -> lost_mag t <= ((1 + u) ^ depth t - 1) * mag t.
Proof.
  induction t as [x|l IHl r IHr]; intros H; [simpl; lra|]. destruct H as [Hl Hr].
  specialize (IHl Hl). specialize (IHr Hr). cbn [lost_mag depth mag].
  set (d := max (depth l) (depth r)). change ((1 + u) ^ S d) with ((1 + u) * (1 + u) ^ d).
  pose proof (pow_mono u (depth l) d u_ge0 ltac:(unfold d; lia)) as Pl.
  pose proof (pow_mono u (depth r) d u_ge0 ltac:(unfold d; lia)) as Pr.
  pose proof (mag_ge0 l) as Ml. pose proof (mag_ge0 r) as Mr.
  pose proof (fsum_le l Hl) as Fl. pose proof (fsum_le r Hr) as Fr.
  pose proof (fsum_F rnd F rnd_F l Hl) as Xl. pose proof (fsum_F rnd F rnd_F r Hr) as Xr.
  pose proof (add_err _ _ Xl Xr) as E. pose proof (err_exact _ _ Xl Xr) as X.
  replace (rnd (fsum l + fsum r) - (fsum l + fsum r)) with (- err (fsum l) (fsum r)) in E by lra.
  rewrite Rabs_Ropp in E. pose proof (Rabs_triang (fsum l) (fsum r)) as T.
  set (g := (1 + u) ^ d) in *. set (gl := (1 + u) ^ depth l) in *. set (gr := (1 + u) ^ depth r) in *.
  assert (A : gl * mag l <= g * mag l) by (apply Rmult_le_compat_r; lra).
  assert (B : gr * mag r <= g * mag r) by (apply Rmult_le_compat_r; lra).
  assert (C : u * Rabs (fsum l + fsum r) <= u * (g * mag l + g * mag r)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Lemma comp_F : forall t, F (comp t).
Proof. destruct t; simpl; auto. Qed.

Lemma comp_error : forall t, inputs t ->
  Rabs (comp t - lost t) <= ((1 + u) ^ (2 * depth t) - 1) * lost_mag t.
Proof.
  induction t as [x|l IHl r IHr]; intros H.
  - simpl. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. lra.
  - destruct H as [Hl Hr]. specialize (IHl Hl). specialize (IHr Hr). cbn [comp lost lost_mag depth].
    set (d := max (depth l) (depth r)). set (e := err (fsum l) (fsum r)).
    replace (2 * S d)%nat with (S (S (2 * d))) by lia.
    change ((1 + u) ^ S (S (2 * d))) with ((1 + u) * ((1 + u) ^ S (2 * d))).
    assert (Fe : F e) by (apply err_F; apply fsum_F; auto).
    apply (step_bound rnd u u_ge0).
    + now apply pow_ge1.
    + change ((1 + u) ^ S (2 * d)) with ((1 + u) * (1 + u) ^ (2 * d)).
      apply (step_bound rnd u u_ge0).
      * now apply pow_ge1.
      * apply (weaken u u_ge0) with (2 * depth l)%nat; [apply lost_mag_ge0|unfold d; lia|exact IHl].
      * apply (weaken u u_ge0) with (2 * depth r)%nat; [apply lost_mag_ge0|unfold d; lia|exact IHr].
      * apply lost_le_mag.
      * apply lost_le_mag.
      * apply add_err; apply comp_F.
    + rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. apply Rmult_le_pos; [|apply Rabs_pos].
      pose proof (pow_ge1 u (S (2 * d)) u_ge0). lra.
    + eapply Rle_trans; [apply Rabs_triang|]. pose proof (lost_le_mag l). pose proof (lost_le_mag r). lra.
    + lra.
    + apply add_err; auto.
Qed.

Theorem compensated_tree_sum_error : forall t, inputs t ->
  Rabs (compensated_sum t - exact t)
    <= u * Rabs (exact t)
       + (1 + u) * (((1 + u) ^ (2 * depth t) - 1) * (((1 + u) ^ depth t - 1) * mag t)).
Proof.
  intros t H. unfold compensated_sum. pose proof (sum_plus_lost_is_exact t H) as X.
  pose proof (comp_error t H) as C. pose proof (lost_mag_le t H) as L.
  assert (A : Rabs (comp t - lost t) <= ((1 + u) ^ (2 * depth t) - 1) * (((1 + u) ^ depth t - 1) * mag t)).
  { eapply Rle_trans; [exact C|]. apply Rmult_le_compat_l; [|exact L].
    pose proof (pow_ge1 u (2 * depth t) u_ge0). lra. }
  set (D := ((1 + u) ^ (2 * depth t) - 1) * (((1 + u) ^ depth t - 1) * mag t)) in *.
  pose proof (add_err _ _ (fsum_F rnd F rnd_F t H) (comp_F t)) as E.
  replace (fsum t + comp t) with (exact t + (comp t - lost t)) in * by lra.
  pose proof (Rabs_triang (exact t) (comp t - lost t)) as T.
  replace (rnd (exact t + (comp t - lost t)) - exact t)
    with ((rnd (exact t + (comp t - lost t)) - (exact t + (comp t - lost t))) + (comp t - lost t)) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (u * Rabs (exact t + (comp t - lost t)) <= u * (Rabs (exact t) + D)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* The same bound with an explicit second-order constant. *)
Theorem compensated_tree_sum_error_4 : forall t, inputs t -> u <= / 4 -> 8 * INR (depth t) * u <= 1 ->
  Rabs (compensated_sum t - exact t)
    <= u * Rabs (exact t) + 4 * (INR (depth t) * INR (depth t)) * (u * u) * mag t.
Proof.
  intros t H Hu Hd. eapply Rle_trans; [apply (compensated_tree_sum_error t H)|]. apply Rplus_le_compat_l.
  set (d := depth t) in *. pose proof (pos_INR d) as P.
  assert (D0 : 0 <= INR d * u) by (apply Rmult_le_pos; lra).
  pose proof (gamma_bound u (2 * d) u_ge0) as G2. pose proof (gamma_bound u d u_ge0) as G1.
  assert (N : INR (2 * d) = 2 * INR d) by (rewrite mult_INR; simpl; ring). rewrite N in G2.
  specialize (G2 ltac:(lra)). specialize (G1 ltac:(lra)).
  pose proof (pow_ge1 u (2 * d) u_ge0) as L2. pose proof (pow_ge1 u d u_ge0) as L1.
  set (q := INR d * u) in *.
  replace (2 * INR d * u) with (2 * q) in G2 by (unfold q; ring).
  assert (Hq : 8 * q <= 1) by (unfold q; lra).
  assert (B2 : (1 + u) ^ (2 * d) - 1 <= 8 / 3 * q).
  { eapply Rle_trans; [exact G2|]. apply (Rmult_le_reg_r (1 - 2 * q)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (B1 : (1 + u) ^ d - 1 <= 8 / 7 * q).
  { eapply Rle_trans; [exact G1|]. apply (Rmult_le_reg_r (1 - q)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  set (a := (1 + u) ^ (2 * d) - 1) in *. set (b := (1 + u) ^ d - 1) in *.
  assert (A0 : 0 <= a) by (unfold a; lra). assert (B0 : 0 <= b) by (unfold b; lra).
  assert (AB : a * b <= 8 / 3 * q * (8 / 7 * q)) by (apply Rmult_le_compat; lra).
  pose proof (mag_ge0 t) as M.
  replace (4 * (INR d * INR d) * (u * u) * mag t) with (4 * (q * q) * mag t) by (unfold q; ring).
  replace ((1 + u) * (a * (b * mag t))) with ((1 + u) * (a * b) * mag t) by ring.
  apply Rmult_le_compat_r; [exact M|].
  assert (0 <= a * b) by (apply Rmult_le_pos; lra).
  assert (0 <= q * q) by (apply Rmult_le_pos; exact D0).
  assert ((1 + u) * (a * b) <= (1 + / 4) * (a * b)) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.

(* Neumaier's loop, left to right. *)
Definition neumaier_step (st : R * R) (x : R) : R * R :=
  (rnd (fst st + x), rnd (snd st + err (fst st) x)).
Definition neumaier (x0 : R) (l : list R) : R :=
  let st := fold_left neumaier_step l (x0, 0) in rnd (fst st + snd st).

Hypothesis rnd_id : forall x, F x -> rnd x = x.

Lemma neumaier_is_comb : forall l t,
  fold_left neumaier_step l (fsum t, comp t)
    = let c := fold_left (fun t x => Node t (Leaf x)) l t in (fsum c, comp c).
Proof.
  induction l as [|x l IH]; intros t; [reflexivity|].
  cbn [fold_left]. specialize (IH (Node t (Leaf x))). cbv zeta in *. rewrite <- IH. f_equal. unfold neumaier_step.
  cbn [fst snd Summation.fsum comp]. now rewrite Rplus_0_r, (rnd_id (comp t)) by apply comp_F.
Qed.

Theorem neumaier_error : forall x0 l, F x0 -> (forall x, In x l -> F x) ->
  let n := length l in
  let sum := x0 + fold_right Rplus 0 l in
  Rabs (neumaier x0 l - sum)
    <= u * Rabs sum
       + (1 + u) * (((1 + u) ^ (2 * n) - 1)
                    * (((1 + u) ^ n - 1) * (Rabs x0 + fold_right Rplus 0 (map Rabs l)))).
Proof.
  intros x0 l H0 Hl. cbv zeta. destruct (comb_facts rnd F l (Leaf x0)) as (_ & B & C & D & E).
  pose proof (compensated_tree_sum_error _ (E Hl H0)) as G. unfold compensated_sum in G.
  pose proof (neumaier_is_comb l (Leaf x0)) as N. cbv zeta in N.
  unfold neumaier. change (x0, 0) with (fsum (Leaf x0), comp (Leaf x0)). rewrite N. cbv zeta. cbn [fst snd].
  rewrite B, C, D in G. cbn [depth exact mag] in G. rewrite Nat.add_0_r in G. exact G.
Qed.
End Abstract.

(* Instances *)
Section Binary.
Variables (prec emin : Z).
Context {prec_pos : Prec_gt_0 prec}.
Hypothesis prec_gt_1 : (1 < prec)%Z.
Hypothesis emin_le0 : (emin <= 0)%Z.
Notation rnd := (rne_flt prec emin).
Notation float := (float_flt prec emin).

Definition two_sum_err (x y : R) : R :=
  let s := rnd (x + y) in
  let x' := rnd (s - x) in
  rnd (rnd (x - rnd (s - x')) + rnd (y - x')).

Definition fast_two_sum_err (x y : R) : R := rnd (y + rnd (x - rnd (x + y))).

Lemma even_choice_symmetric : forall x, negb (Z.even x) = negb (negb (Z.even (- (x + 1)))).
Proof.
  intros x. rewrite Z.even_opp. replace (x + 1)%Z with (Z.succ x) by lia.
  rewrite Z.even_succ, <- Z.negb_even. now destruct (Z.even x).
Qed.

Theorem two_sum_exact : forall x y, float x -> float y -> rnd (x + y) + two_sum_err x y = x + y.
Proof.
  intros x y Hx Hy.
  exact (TwoSum_correct emin prec (fun n => negb (Z.even n)) prec_gt_1 emin_le0
           even_choice_symmetric x y Hx Hy).
Qed.

(* Neumaier's branch: the larger magnitude first. *)
Theorem fast_two_sum_exact : forall x y, float x -> float y -> Rabs y <= Rabs x ->
  rnd (x + y) + fast_two_sum_err x y = x + y.
Proof.
  intros x y Hx Hy H.
  exact (Fast2Sum_correct emin prec (fun n => negb (Z.even n)) prec_gt_1 emin_le0
           even_choice_symmetric x y Hx Hy H).
Qed.

Theorem neumaier_branch_is_two_sum : forall x y, float x -> float y ->
  (if Rle_dec (Rabs y) (Rabs x) then fast_two_sum_err x y else fast_two_sum_err y x) = two_sum_err x y.
Proof.
  intros x y Hx Hy. pose proof (two_sum_exact x y Hx Hy) as T.
  destruct (Rle_dec (Rabs y) (Rabs x)) as [H|H].
  - pose proof (fast_two_sum_exact x y Hx Hy H). lra.
  - pose proof (fast_two_sum_exact y x Hy Hx ltac:(lra)) as G. rewrite (Rplus_comm y x) in G. lra.
Qed.

Lemma float_0 : float 0.
Proof. apply generic_format_0. Qed.

Lemma rnd_float : forall x, float x -> rnd x = x.
Proof. intros x H. apply round_generic; [apply valid_rnd_N|exact H]. Qed.

Theorem binary_compensated_invariant : forall t, inputs float t ->
  fsum rnd t + lost rnd two_sum_err t = exact t.
Proof.
  exact (sum_plus_lost_is_exact rnd float two_sum_err (rne_flt_float prec emin) two_sum_exact).
Qed.

Theorem binary_compensated_sum_error : forall t, inputs float t ->
  Rabs (compensated_sum rnd two_sum_err t - exact t)
    <= u_of prec * Rabs (exact t)
       + (1 + u_of prec) * (((1 + u_of prec) ^ (2 * depth t) - 1)
                            * (((1 + u_of prec) ^ depth t - 1) * mag t)).
Proof.
  apply (compensated_tree_sum_error rnd (u_of prec) float two_sum_err (u_of_ge0 prec) float_0
    (rne_flt_float prec emin) (rne_flt_add_err prec emin)).
  - intros. apply (rne_flt_float prec emin).
  - apply two_sum_exact.
Qed.

Theorem binary_neumaier_error : forall x0 l, float x0 -> (forall x, In x l -> float x) ->
  let n := length l in
  let sum := x0 + fold_right Rplus 0 l in
  Rabs (neumaier rnd two_sum_err x0 l - sum)
    <= u_of prec * Rabs sum
       + (1 + u_of prec) * (((1 + u_of prec) ^ (2 * n) - 1)
           * (((1 + u_of prec) ^ n - 1) * (Rabs x0 + fold_right Rplus 0 (map Rabs l)))).
Proof.
  apply (neumaier_error rnd (u_of prec) float two_sum_err (u_of_ge0 prec) float_0
    (rne_flt_float prec emin) (rne_flt_add_err prec emin)).
  - intros. apply (rne_flt_float prec emin).
  - apply two_sum_exact.
  - apply rnd_float.
Qed.

Theorem binary_compensated_sum_error_4 : forall t, inputs float t ->
  8 * INR (depth t) * bpow radix2 (- prec) <= 1 ->
  Rabs (compensated_sum rnd two_sum_err t - exact t)
    <= bpow radix2 (- prec) * Rabs (exact t)
       + 4 * (INR (depth t) * INR (depth t)) * (bpow radix2 (- prec) * bpow radix2 (- prec)) * mag t.
Proof.
  intros t Ht. rewrite <- u_of_value. intros Hd.
  apply (compensated_tree_sum_error_4 rnd (u_of prec) float two_sum_err (u_of_ge0 prec) float_0
    (rne_flt_float prec emin) (rne_flt_add_err prec emin)); auto.
  - intros. apply (rne_flt_float prec emin).
  - apply two_sum_exact.
  - rewrite u_of_value. change (/ 4) with (bpow radix2 (-2)). apply bpow_le. lia.
Qed.
End Binary.

#[local] Instance prec_24 : Prec_gt_0 24. Proof. reflexivity. Qed.

(* binary32, up to depth 2^21: the compensated error is one rounding plus a term of second order. *)
Theorem f32_compensated_sum_error : forall t, inputs (float_flt 24 (-149)) t -> (depth t <= 2 ^ 21)%nat ->
  Rabs (compensated_sum (rne_flt 24 (-149)) (two_sum_err 24 (-149)) t - exact t)
    <= bpow radix2 (-24) * Rabs (exact t)
       + 4 * (INR (depth t) * INR (depth t)) * (bpow radix2 (-24) * bpow radix2 (-24)) * mag t.
Proof.
  intros t Ht Hd. apply (binary_compensated_sum_error_4 24 (-149)); [lia|lia|exact Ht|].
  apply le_INR in Hd. rewrite pow_INR in Hd. change (INR 2) with 2 in Hd.
  change (- (24))%Z with (-24)%Z. replace (bpow radix2 (-24)) with (/ (8 * 2 ^ 21)) by (simpl; lra).
  apply (Rmult_le_reg_r (8 * 2 ^ 21)); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
