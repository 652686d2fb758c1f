(* Normalisation and statistics, over the reals.

   Ops: layer_norm, layer_norm_simple, rms_norm, zscore, minmax_normalize, normalize (L2), mean,
   variance, covariance, correlation, cosine similarity, layer_norm_backward, rms_norm_backward.
   Algorithms: variance as the mean of squared differences from the mean, and from any centre;
   layer_norm = (x - mean) / sqrt (var + eps); rms_norm = x / sqrt (mean x^2 + eps);
   backward forms as in the reference: rstd (g - mean g - xhat mean (xhat g)) with g = gamma dy.
   A row is a list of records (x, g, h): x the input, g the weighted upstream gradient, h any direction. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

Section Sums.
Context {A : Type}.

Fixpoint S (f : A -> R) (l : list A) : R := match l with [] => 0 | p :: r => f p + S f r end.
Definition len (l : list A) : R := INR (length l).
Definition mean (f : A -> R) (l : list A) : R := S f l / len l.
Definition variance (f : A -> R) (l : list A) : R := mean (fun p => (f p - mean f l) * (f p - mean f l)) l.

Lemma S_ext : forall f g l, (forall p, In p l -> f p = g p) -> S f l = S g l.
Proof.
  intros f g l. induction l as [|p l IH]; intros H; simpl; [reflexivity|].
  rewrite IH by (intros; apply H; now right). rewrite (H p) by now left. reflexivity.
Qed.

Lemma S_plus : forall f g l, S (fun p => f p + g p) l = S f l + S g l.
Proof. intros f g l. induction l as [|p l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma S_minus : forall f g l, S (fun p => f p - g p) l = S f l - S g l.
Proof. intros f g l. induction l as [|p l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma S_scal : forall c f l, S (fun p => c * f p) l = c * S f l.
Proof. intros c f l. induction l as [|p l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma S_const : forall c l, S (fun _ => c) l = c * len l.
Proof.
  intros c l. unfold len. induction l as [|p l IH]; simpl S; [simpl; ring|]. rewrite IH.
  change (length (p :: l)) with (Datatypes.S (length l)). rewrite S_INR. ring.
Qed.

Lemma S_ge0 : forall f l, (forall p, In p l -> 0 <= f p) -> 0 <= S f l.
Proof.
  intros f l. induction l as [|p l IH]; intros H; simpl; [lra|].
  pose proof (H p (or_introl eq_refl)). assert (0 <= S f l) by (apply IH; intros; apply H; now right). lra.
Qed.

Lemma len_pos : forall l, l <> [] -> 0 < len l.
Proof. intros [|p l] H; [congruence|]. unfold len. apply lt_0_INR. simpl. apply PeanoNat.Nat.lt_0_succ. Qed.

Lemma S_mean : forall f l, l <> [] -> S f l = mean f l * len l.
Proof. intros f l H. unfold mean. field. pose proof (len_pos l H). lra. Qed.

Lemma mean_ext : forall f g l, (forall p, In p l -> f p = g p) -> mean f l = mean g l.
Proof. intros f g l H. unfold mean. now rewrite (S_ext f g l H). Qed.

Lemma mean_scal : forall c f l, mean (fun p => c * f p) l = c * mean f l.
Proof. intros. unfold mean. rewrite S_scal. unfold Rdiv. ring. Qed.

Lemma mean_plus : forall f g l, mean (fun p => f p + g p) l = mean f l + mean g l.
Proof. intros. unfold mean. rewrite S_plus. unfold Rdiv. ring. Qed.

Lemma mean_minus : forall f g l, mean (fun p => f p - g p) l = mean f l - mean g l.
Proof. intros. unfold mean. rewrite S_minus. unfold Rdiv. ring. Qed.

Lemma mean_const : forall c l, l <> [] -> mean (fun _ => c) l = c.
Proof. intros c l H. unfold mean. rewrite S_const. field. pose proof (len_pos l H). lra. Qed.

Lemma S_ge_part : forall f l, (forall p, In p l -> 0 <= f p) -> forall q, In q l -> f q <= S f l.
Proof.
  intros f l. induction l as [|p l IH]; intros H q Hq; [inversion Hq|]. simpl.
  pose proof (H p (or_introl eq_refl)).
  assert (0 <= S f l) by (apply S_ge0; intros; apply H; now right).
  destruct Hq as [->|Hq]; [lra|]. specialize (IH (fun p Hp => H p (or_intror Hp)) q Hq). lra.
Qed.

(* Statistics *)

Theorem variance_two_pass_is_moment_form : forall f l, l <> [] ->
  variance f l = mean (fun p => f p * f p) l - mean f l * mean f l.
Proof.
  intros f l H. unfold variance. set (m := mean f l).
  rewrite (mean_ext _ (fun p => (f p * f p - (2 * m) * f p) + m * m)) by (intros; ring).
  rewrite mean_plus, mean_minus, mean_scal, mean_const by exact H. fold m. ring.
Qed.

Theorem variance_ge0 : forall f l, l <> [] -> 0 <= variance f l.
Proof.
  intros f l H. unfold variance, mean at 1. apply Rmult_le_pos.
  - apply S_ge0. intros. exact (Rle_0_sqr _).
  - left. apply Rinv_0_lt_compat. now apply len_pos.
Qed.

Theorem variance_shift_invariant : forall f c l, l <> [] -> variance (fun p => f p + c) l = variance f l.
Proof.
  intros f c l H. unfold variance. rewrite mean_plus, mean_const by exact H. apply mean_ext. intros. ring.
Qed.

(* What one pass gives: sums of deviations from any centre, here the mean of the first elements, and of their squares. *)
Theorem variance_about_any_centre : forall f c l, l <> [] -> variance f l =
  mean (fun p => (f p - c) * (f p - c)) l - mean (fun p => f p - c) l * mean (fun p => f p - c) l.
Proof.
  intros f c l H. rewrite <- (variance_shift_invariant f (- c) l H).
  exact (variance_two_pass_is_moment_form (fun p => f p + - c) l H).
Qed.

Theorem covariance_about_any_centres : forall f g c d l, l <> [] ->
  mean (fun p => (f p - mean f l) * (g p - mean g l)) l =
  mean (fun p => (f p - c) * (g p - d)) l - mean (fun p => f p - c) l * mean (fun p => g p - d) l.
Proof.
  intros f g c d l H. set (m := mean f l). set (k := mean g l).
  rewrite (mean_ext (fun p => (f p - m) * (g p - k))
    (fun p => (f p - c) * (g p - d) + (((c - m) * (g p - d) + (d - k) * (f p - c)) + (c - m) * (d - k))))
    by (intros; ring).
  rewrite (mean_plus (fun p => (f p - c) * (g p - d))), mean_plus, mean_plus, !mean_scal, !mean_minus, !mean_const
    by exact H.
  fold m k. ring.
Qed.

Theorem centred_mean_zero : forall f l, l <> [] -> mean (fun p => f p - mean f l) l = 0.
Proof. intros f l H. rewrite mean_minus, mean_const by exact H. ring. Qed.

(* Layer norm and z-score *)

Definition layer_norm (eps : R) (f : A -> R) (l : list A) (p : A) : R :=
  (f p - mean f l) / sqrt (variance f l + eps).

Theorem layer_norm_mean_0 : forall eps f l, l <> [] -> mean (layer_norm eps f l) l = 0.
Proof.
  intros eps f l H. unfold layer_norm.
  rewrite (mean_ext _ (fun p => / sqrt (variance f l + eps) * (f p - mean f l))) by (intros; unfold Rdiv; ring).
  rewrite mean_scal, centred_mean_zero by exact H. ring.
Qed.

(* With eps > 0 the variance is v / (v + eps), below 1; with eps = 0 it is 1. *)
Theorem layer_norm_variance : forall eps f l, l <> [] -> 0 < variance f l + eps ->
  variance (layer_norm eps f l) l = variance f l / (variance f l + eps).
Proof.
  intros eps f l H Hv. rewrite variance_two_pass_is_moment_form by exact H.
  rewrite layer_norm_mean_0 by exact H. unfold layer_norm.
  set (s := sqrt (variance f l + eps)).
  assert (Hs : s * s = variance f l + eps) by (apply sqrt_sqrt; lra).
  assert (Hp : 0 < s) by (now apply sqrt_lt_R0).
  rewrite (mean_ext _ (fun p => / (s * s) * ((f p - mean f l) * (f p - mean f l)))) by (intros; field; lra).
  rewrite mean_scal. fold (variance f l). rewrite Hs. field. lra.
Qed.

Theorem layer_norm_variance_1 : forall f l, l <> [] -> 0 < variance f l -> variance (layer_norm 0 f l) l = 1.
Proof. intros f l H Hv. rewrite layer_norm_variance by (auto; lra). rewrite Rplus_0_r. apply Rinv_r. lra. Qed.

Theorem layer_norm_shift_invariant : forall eps c f l p, l <> [] ->
  layer_norm eps (fun q => f q + c) l p = layer_norm eps f l p.
Proof.
  intros eps c f l p H. unfold layer_norm. rewrite variance_shift_invariant by exact H.
  rewrite mean_plus, mean_const by exact H. f_equal. ring.
Qed.

(* zscore is layer_norm with eps = 0: the same two facts under its own name. *)
Theorem zscore_mean_0_variance_1 : forall f l, l <> [] -> 0 < variance f l ->
  let z p := (f p - mean f l) / sqrt (variance f l) in mean z l = 0 /\ variance z l = 1.
Proof.
  intros f l H Hv z.
  assert (E : z = fun p => (f p - mean f l) / sqrt (variance f l)) by reflexivity. clearbody z. subst z.
  pose proof (layer_norm_mean_0 0 f l H) as M. pose proof (layer_norm_variance_1 f l H Hv) as V.
  unfold layer_norm in M, V. rewrite Rplus_0_r in M, V. now split.
Qed.

(* RMS norm *)

Definition rms (eps : R) (f : A -> R) (l : list A) : R := sqrt (mean (fun p => f p * f p) l + eps).
Definition rms_norm (eps : R) (f : A -> R) (l : list A) (p : A) : R := f p / rms eps f l.

Theorem rms_norm_scale_invariant : forall c f l p, 0 < c -> 0 < mean (fun q => f q * f q) l ->
  rms_norm 0 (fun q => c * f q) l p = rms_norm 0 f l p.
Proof.
  intros c f l p Hc Hm. unfold rms_norm, rms. rewrite !Rplus_0_r.
  rewrite (mean_ext _ (fun q => (c * c) * (f q * f q))) by (intros; ring). rewrite mean_scal.
  rewrite sqrt_mult by nra. rewrite sqrt_square by lra.
  assert (0 < sqrt (mean (fun q => f q * f q) l)) by now apply sqrt_lt_R0. field. split; lra.
Qed.

Theorem rms_norm_mean_square_1 : forall f l, 0 < mean (fun q => f q * f q) l ->
  mean (fun p => rms_norm 0 f l p * rms_norm 0 f l p) l = 1.
Proof.
  intros f l Hm. unfold rms_norm, rms. rewrite Rplus_0_r. set (v := mean (fun q => f q * f q) l) in *.
  assert (Hs : sqrt v * sqrt v = v) by (apply sqrt_sqrt; lra).
  assert (0 < sqrt v) by now apply sqrt_lt_R0.
  rewrite (mean_ext _ (fun p => / (sqrt v * sqrt v) * (f p * f p))) by (intros; field; lra).
  rewrite mean_scal. fold v. rewrite Hs. field. lra.
Qed.

(* L2 norm, cosine, min-max *)

Definition norm2 (f : A -> R) (l : list A) : R := sqrt (S (fun p => f p * f p) l).

Theorem l2_normalised_has_norm_1 : forall f l, 0 < S (fun p => f p * f p) l ->
  norm2 (fun p => f p / norm2 f l) l = 1.
Proof.
  intros f l H. unfold norm2. set (v := S (fun p => f p * f p) l) in *.
  assert (Hs : sqrt v * sqrt v = v) by (apply sqrt_sqrt; lra).
  assert (0 < sqrt v) by now apply sqrt_lt_R0.
  rewrite (S_ext _ (fun p => / (sqrt v * sqrt v) * (f p * f p))) by (intros; field; lra).
  rewrite S_scal. fold v. rewrite Hs. rewrite Rinv_l by lra. apply sqrt_1.
Qed.

(* Scaling by the largest magnitude first, as an overflow-safe norm does, changes nothing. *)
Theorem scaled_norm2_is_norm2 : forall c f l, 0 < c -> c * norm2 (fun p => f p / c) l = norm2 f l.
Proof.
  intros c f l Hc. unfold norm2.
  rewrite (S_ext _ (fun p => / (c * c) * (f p * f p))) by (intros; field; lra). rewrite S_scal.
  assert (0 <= S (fun p => f p * f p) l) by (apply S_ge0; intros; exact (Rle_0_sqr _)).
  rewrite <- (sqrt_square c) at 1 by lra. rewrite <- sqrt_mult_alt by nra. f_equal. field. lra.
Qed.

Theorem cauchy_schwarz : forall f g l,
  S (fun p => f p * g p) l * S (fun p => f p * g p) l <= S (fun p => f p * f p) l * S (fun p => g p * g p) l.
Proof.
  intros f g l. set (a := S (fun p => f p * f p) l). set (b := S (fun p => f p * g p) l).
  set (c := S (fun p => g p * g p) l).
  assert (Q : forall s t, 0 <= s * s * a - 2 * (s * t) * b + t * t * c).
  { intros s t. assert (E : s * s * a - 2 * (s * t) * b + t * t * c
       = S (fun p => (s * f p - t * g p) * (s * f p - t * g p)) l).
    { rewrite (S_ext (fun p => (s * f p - t * g p) * (s * f p - t * g p))
        (fun p => ((s * s) * (f p * f p) - (2 * (s * t)) * (f p * g p)) + (t * t) * (g p * g p)))
        by (intros; ring).
      rewrite S_plus, S_minus, !S_scal. unfold a, b, c. ring. }
    rewrite E. apply S_ge0. intros. exact (Rle_0_sqr _). }
  assert (Ha : 0 <= a) by (apply S_ge0; intros; exact (Rle_0_sqr _)). assert (Hc : 0 <= c) by (apply S_ge0; intros; exact (Rle_0_sqr _)).
  destruct (Req_dec a 0) as [Z|Z].
  - pose proof (Q (c + 1) b) as X. rewrite Z in X |- *. assert (0 <= b * b) by exact (Rle_0_sqr _). nra.
  - pose proof (Q b a) as X. assert (0 < a) by lra. assert (0 <= a * (a * c - b * b)) by lra. nra.
Qed.

Theorem cosine_in_pm1 : forall f g l, 0 < S (fun p => f p * f p) l -> 0 < S (fun p => g p * g p) l ->
  Rabs (S (fun p => f p * g p) l / (norm2 f l * norm2 g l)) <= 1.
Proof.
  intros f g l Hf Hg. unfold norm2. pose proof (cauchy_schwarz f g l) as C.
  rewrite <- sqrt_mult by lra. set (n := S (fun p => f p * f p) l * S (fun p => g p * g p) l) in *.
  assert (0 < n) by (unfold n; nra). assert (Hn : 0 < sqrt n) by now apply sqrt_lt_R0.
  unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
  apply (Rmult_le_reg_r (sqrt n)); [exact Hn|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
  rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. exact C.
Qed.

Theorem correlation_in_pm1 : forall f g l, l <> [] -> 0 < variance f l -> 0 < variance g l ->
  let cov := mean (fun p => (f p - mean f l) * (g p - mean g l)) l in
  Rabs (cov / (sqrt (variance f l) * sqrt (variance g l))) <= 1.
Proof.
  intros f g l H Hf Hg cov. pose proof (len_pos l H) as Hn.
  pose proof (cauchy_schwarz (fun p => f p - mean f l) (fun p => g p - mean g l) l) as C. cbv beta in C.
  rewrite !(S_mean _ l H) in C. fold cov in C. fold (variance f l) in C. fold (variance g l) in C.
  assert (B : cov * cov <= variance f l * variance g l).
  { apply (Rmult_le_reg_r (len l * len l)); [nra|]. lra. }
  rewrite <- sqrt_mult by lra. set (n := variance f l * variance g l) in *.
  assert (0 < n) by (unfold n; nra). assert (Hs : 0 < sqrt n) by now apply sqrt_lt_R0.
  unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
  apply (Rmult_le_reg_r (sqrt n)); [exact Hs|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
  rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. exact B.
Qed.

Theorem minmax_in_0_1 : forall lo hi x, lo < hi -> lo <= x <= hi ->
  0 <= (x - lo) / (hi - lo) <= 1 /\ (lo - lo) / (hi - lo) = 0 /\ (hi - lo) / (hi - lo) = 1.
Proof.
  intros lo hi x H Hx. split; [|split; field; lra]. split.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - apply (Rmult_le_reg_r (hi - lo)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Backward forms *)

Definition layer_norm_backward (eps : R) (x g : A -> R) (l : list A) (p : A) : R :=
  let rstd := / sqrt (variance x l + eps) in
  let xhat q := layer_norm eps x l q in
  rstd * (g p - mean g l - xhat p * mean (fun q => xhat q * g q) l).

Theorem layer_norm_backward_sums_to_zero : forall eps x g l, l <> [] ->
  S (layer_norm_backward eps x g l) l = 0.
Proof.
  intros eps x g l H. unfold layer_norm_backward.
  set (r := / sqrt (variance x l + eps)). set (k := mean (fun q => layer_norm eps x l q * g q) l).
  rewrite S_scal. rewrite (S_ext _ (fun p => (g p - mean g l) - k * layer_norm eps x l p)) by (intros; ring).
  rewrite S_minus, S_scal, !S_mean by exact H.
  rewrite centred_mean_zero, layer_norm_mean_0 by exact H. ring.
Qed.

Theorem layer_norm_backward_orthogonal_to_xhat : forall x g l, l <> [] -> 0 < variance x l ->
  S (fun p => layer_norm_backward 0 x g l p * layer_norm 0 x l p) l = 0.
Proof.
  intros x g l H Hv. unfold layer_norm_backward.
  set (r := / sqrt (variance x l + 0)). set (xh := layer_norm 0 x l).
  set (k := mean (fun q => xh q * g q) l).
  rewrite (S_ext _ (fun p => r * ((xh p * g p - mean g l * xh p) - k * (xh p * xh p)))) by (intros; ring).
  rewrite S_scal, !S_minus, !S_scal, !S_mean by exact H. fold k.
  assert (M : mean xh l = 0) by now apply layer_norm_mean_0.
  assert (V : mean (fun p => xh p * xh p) l = 1).
  { pose proof (layer_norm_variance_1 x l H Hv) as V. fold xh in V.
    rewrite variance_two_pass_is_moment_form in V by exact H. rewrite M in V. lra. }
  rewrite M, V. ring.
Qed.

(* The backward form is the gradient: along any direction h, the derivative of sum g * layer_norm (x + t h)
   at t = 0 is sum h * dx. Any eps with var + eps > 0. *)
Theorem layer_norm_backward_is_gradient : forall eps x g h l, l <> [] -> 0 < variance x l + eps ->
  is_derive (fun t => S (fun p => g p * layer_norm eps (fun q => x q + t * h q) l p) l) 0
    (S (fun p => h p * layer_norm_backward eps x g l p) l).
Proof.
  intros eps x g h l H Hv. pose proof (len_pos l H) as Hn.
  set (xc := fun p => x p - mean x l). set (hc := fun p => h p - mean h l).
  set (a := S (fun p => g p * xc p) l). set (b := S (fun p => g p * hc p) l).
  set (v := variance x l) in *. set (c := mean (fun p => xc p * hc p) l). set (w := variance h l).
  assert (E1 : forall t p, x p + t * h p - mean (fun q => x q + t * h q) l = xc p + t * hc p).
  { intros t p. rewrite mean_plus, mean_scal. unfold xc, hc. ring. }
  assert (E2 : forall t, variance (fun q => x q + t * h q) l = v + 2 * t * c + t * t * w).
  { intros t. unfold variance at 1.
    rewrite (mean_ext _ (fun p => (xc p * xc p + (2 * t) * (xc p * hc p)) + (t * t) * (hc p * hc p)))
      by (intros; rewrite E1; ring).
    rewrite !mean_plus, !mean_scal. reflexivity. }
  apply (is_derive_ext (fun t => (a + t * b) / sqrt (v + 2 * t * c + t * t * w + eps))).
  { intros t. unfold layer_norm. rewrite E2.
    set (r := sqrt (v + 2 * t * c + t * t * w + eps)).
    rewrite (S_ext (fun p => g p * ((x p + t * h p - mean (fun q => x q + t * h q) l) / r))
      (fun p => / r * (g p * xc p + t * (g p * hc p))))
      by (intros; rewrite E1; unfold Rdiv; ring).
    rewrite S_scal, S_plus, S_scal. fold a b. unfold Rdiv.
    match goal with |- @eq _ ?y ?z => change (@eq R y z) end. ring. }
  assert (Hs : sqrt (v + eps) * sqrt (v + eps) = v + eps) by (apply sqrt_sqrt; lra).
  assert (Hp : 0 < sqrt (v + eps)) by now apply sqrt_lt_R0.
  assert (E3 : S (fun p => h p * layer_norm_backward eps x g l p) l
     = b / sqrt (v + eps) - a * c / (sqrt (v + eps) * (v + eps))).
  { unfold layer_norm_backward, layer_norm. fold v. set (s := sqrt (v + eps)) in *.
    assert (K : mean (fun q => (x q - mean x l) / s * g q) l = a / (s * len l)).
    { rewrite (mean_ext _ (fun q => / s * (g q * xc q))) by (intros; unfold xc; field; lra).
      rewrite mean_scal. unfold mean. fold a. field. split; lra. }
    rewrite K. set (k := a / (s * len l)).
    rewrite (S_ext _ (fun p => / s * ((g p * h p - mean g l * h p) - (k / s) * (xc p * h p))))
      by (intros; unfold xc; field; lra).
    rewrite S_scal, !S_minus, !S_scal.
    assert (B : b = S (fun p => g p * h p) l - mean g l * S h l).
    { unfold b, hc. rewrite (S_ext _ (fun p => g p * h p - mean h l * g p)) by (intros; ring).
      rewrite S_minus, S_scal. unfold mean. field. lra. }
    assert (C : S (fun p => xc p * h p) l = c * len l).
    { unfold c. rewrite <- S_mean by exact H.
      rewrite (S_ext (fun p => xc p * hc p) (fun p => xc p * h p - mean h l * xc p)) by (intros; unfold hc; ring).
      rewrite S_minus, S_scal. rewrite (S_mean xc) by exact H.
      unfold xc at 3. rewrite centred_mean_zero by exact H. ring. }
    rewrite C, <- B. unfold k. rewrite <- Hs. field. repeat split; lra. }
  rewrite E3.
  auto_derive.
  - replace (v + 2 * 0 * c + 0 * 0 * w + eps) with (v + eps) by ring. repeat split; lra.
  - replace (v + 2 * 0 * c + 0 * 0 * w + eps) with (v + eps) by ring.
    set (s := sqrt (v + eps)) in *. rewrite <- Hs. field. repeat split; nra.
Qed.

Definition rms_norm_backward (eps : R) (x g : A -> R) (l : list A) (p : A) : R :=
  let r := rms eps x l in
  (g p - x p * mean (fun q => x q * g q) l / (mean (fun q => x q * x q) l + eps)) / r.

Theorem rms_norm_backward_orthogonal_to_x : forall x g l, l <> [] -> 0 < mean (fun q => x q * x q) l ->
  S (fun p => rms_norm_backward 0 x g l p * x p) l = 0.
Proof.
  intros x g l H Hm. unfold rms_norm_backward, rms. rewrite Rplus_0_r.
  set (m := mean (fun q => x q * x q) l) in *. set (k := mean (fun q => x q * g q) l).
  assert (0 < sqrt m) by now apply sqrt_lt_R0.
  rewrite (S_ext _ (fun p => / sqrt m * (x p * g p - (k / m) * (x p * x p)))) by (intros; field; lra).
  rewrite S_scal, S_minus, S_scal, !S_mean by exact H. fold m k. field. split; lra.
Qed.

Theorem rms_norm_backward_is_gradient : forall eps x g h l, l <> [] -> 0 < mean (fun q => x q * x q) l + eps ->
  is_derive (fun t => S (fun p => g p * rms_norm eps (fun q => x q + t * h q) l p) l) 0
    (S (fun p => h p * rms_norm_backward eps x g l p) l).
Proof.
  intros eps x g h l H Hv. pose proof (len_pos l H) as Hn.
  set (a := S (fun p => g p * x p) l). set (b := S (fun p => g p * h p) l).
  set (v := mean (fun q => x q * x q) l) in *. set (c := mean (fun p => x p * h p) l).
  set (w := mean (fun p => h p * h p) l).
  assert (E2 : forall t, mean (fun q => (x q + t * h q) * (x q + t * h q)) l = v + 2 * t * c + t * t * w).
  { intros t. rewrite (mean_ext _ (fun p => (x p * x p + (2 * t) * (x p * h p)) + (t * t) * (h p * h p)))
      by (intros; ring). rewrite !mean_plus, !mean_scal. reflexivity. }
  apply (is_derive_ext (fun t => (a + t * b) / sqrt (v + 2 * t * c + t * t * w + eps))).
  { intros t. unfold rms_norm, rms. rewrite E2. set (r := sqrt (v + 2 * t * c + t * t * w + eps)).
    rewrite (S_ext (fun p => g p * ((x p + t * h p) / r)) (fun p => / r * (g p * x p + t * (g p * h p))))
      by (intros; unfold Rdiv; ring).
    rewrite S_scal, S_plus, S_scal. fold a b. unfold Rdiv.
    match goal with |- @eq _ ?y ?z => change (@eq R y z) end. ring. }
  assert (Hs : sqrt (v + eps) * sqrt (v + eps) = v + eps) by (apply sqrt_sqrt; lra).
  assert (Hp : 0 < sqrt (v + eps)) by now apply sqrt_lt_R0.
  assert (E3 : S (fun p => h p * rms_norm_backward eps x g l p) l
     = b / sqrt (v + eps) - a * c / (sqrt (v + eps) * (v + eps))).
  { unfold rms_norm_backward, rms. fold v. set (s := sqrt (v + eps)) in *.
    assert (K : mean (fun q => x q * g q) l = a / len l).
    { unfold mean, a. f_equal. apply S_ext. intros. ring. }
    rewrite K.
    rewrite (S_ext _ (fun p => / s * (g p * h p - (a / len l / (v + eps)) * (x p * h p))))
      by (intros; field; repeat split; lra).
    rewrite S_scal, S_minus, S_scal. rewrite (S_mean (fun p => x p * h p)) by exact H. fold b c.
    field. repeat split; lra. }
  rewrite E3.
  auto_derive.
  - replace (v + 2 * 0 * c + 0 * 0 * w + eps) with (v + eps) by ring. repeat split; lra.
  - replace (v + 2 * 0 * c + 0 * 0 * w + eps) with (v + eps) by ring.
    set (s := sqrt (v + eps)) in *. rewrite <- Hs. field. repeat split; nra.
Qed.
End Sums.
