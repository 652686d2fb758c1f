(* Identities that the activation bodies rely on, over the reals.

   Ops: sigmoid, tanh, silu, gelu, softplus, mish, elu, sinh, cosh, atanh and
   the backward forms of sigmoid, tanh, silu, gelu.
   Algorithms: each body evaluates the form that neither overflows nor cancels; the theorems say
   that the form is the function in the op's contract. expm1 and ln1p stand for exp x - 1, ln (1 + x). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition expm1 (x : R) : R := exp x - 1.
Definition ln1p (x : R) : R := ln (1 + x).
Definition sigmoid (x : R) : R := / (1 + exp (- x)).
Definition silu (x : R) : R := x * sigmoid x.
Definition softplus (x : R) : R := ln (1 + exp x).
Definition mish (x : R) : R := x * tanh (softplus x).
Definition gelu_tanh (k c x : R) : R := / 2 * x * (1 + tanh (k * (x + c * (x * x * x)))).

Lemma exp_neg_inv : forall x, exp (- x) = / exp x.
Proof. exact exp_Ropp. Qed.

Lemma exp_double : forall x, exp (2 * x) = exp x * exp x.
Proof. intros x. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma tanh_exp : forall x, tanh x = (exp x - exp (- x)) / (exp x + exp (- x)).
Proof.
  intros x. unfold tanh, sinh, cosh. pose proof (exp_pos x). pose proof (exp_pos (- x)). field. lra.
Qed.

Ltac with_exp x := let E := fresh "e" in let H := fresh "He" in
  pose proof (exp_pos x) as H; set (E := exp x) in *; clearbody E.

(* sigmoid *)

Theorem sigmoid_left_form : forall x, sigmoid x = exp x / (1 + exp x).
Proof. intros x. unfold sigmoid. rewrite exp_neg_inv. with_exp x. field. lra. Qed.

Theorem sigmoid_reflection : forall x, sigmoid (- x) = 1 - sigmoid x.
Proof. intros x. rewrite sigmoid_left_form. unfold sigmoid. with_exp (- x). field. lra. Qed.

(* The branch-free body: z = exp (-|x|), then 1/(1+z) or z/(1+z); z never exceeds 1. *)
Theorem sigmoid_by_abs : forall x,
  sigmoid x = (if Rle_dec 0 x then 1 else exp (- Rabs x)) / (1 + exp (- Rabs x)) /\ exp (- Rabs x) <= 1.
Proof.
  intros x. split.
  - destruct (Rle_dec 0 x) as [H|H].
    + rewrite Rabs_pos_eq by exact H. unfold sigmoid, Rdiv. ring.
    + rewrite Rabs_left by lra. rewrite Ropp_involutive. apply sigmoid_left_form.
  - rewrite <- exp_0. pose proof (Rabs_pos x). destruct (Req_dec (Rabs x) 0) as [->|].
    + rewrite Ropp_0. lra.
    + left. apply exp_increasing. lra.
Qed.

(* The ends belong to it, as results are rounded to them. *)
Theorem sigmoid_in_0_1 : forall x, 0 <= sigmoid x <= 1.
Proof.
  intros x. rewrite sigmoid_left_form. with_exp x. split.
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - apply (Rmult_le_reg_r (1 + e)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Theorem sigmoid_derivative : forall x, is_derive sigmoid x (sigmoid x * (1 - sigmoid x)).
Proof.
  intros x. unfold sigmoid. auto_derive.
  - pose proof (exp_pos (- x)). lra.
  - with_exp (- x). field. lra.
Qed.

(* tanh *)

Theorem tanh_is_sigmoid : forall x, tanh x = 2 * sigmoid (2 * x) - 1.
Proof.
  intros x. rewrite tanh_exp. rewrite sigmoid_left_form, exp_double, exp_neg_inv. with_exp x.
  field; repeat split; nra.
Qed.

(* The body without a table: |x| = r + n ln 2 / 2, t = 2^-n. *)
Theorem tanh_by_addition : forall t r, 0 < t ->
  tanh (r - / 2 * ln t) = ((1 - t) + (1 + t) * tanh r) / ((1 + t) + (1 - t) * tanh r).
Proof.
  intros t r Ht. rewrite !tanh_is_sigmoid, !sigmoid_left_form.
  replace (2 * (r - / 2 * ln t)) with (2 * r + - ln t) by field.
  rewrite exp_plus, exp_Ropp, exp_ln by exact Ht. with_exp (2 * r). field.
  repeat split; nra.
Qed.

Theorem tanh_odd : forall x, tanh (- x) = - tanh x.
Proof.
  intros x. rewrite !tanh_exp, Ropp_involutive. rewrite exp_neg_inv. with_exp x.
  field. nra.
Qed.

(* The ends belong to it, as results are rounded to them. *)
Theorem tanh_in_pm1 : forall x, -1 <= tanh x <= 1.
Proof. intros x. rewrite tanh_is_sigmoid. pose proof (sigmoid_in_0_1 (2 * x)). lra. Qed.

Theorem tanh_derivative : forall x, is_derive tanh x (1 - tanh x * tanh x).
Proof.
  intros x. apply (is_derive_ext (fun t => 2 * sigmoid (2 * t) - 1)).
  - intros t. symmetry. apply tanh_is_sigmoid.
  - rewrite tanh_is_sigmoid. unfold sigmoid. auto_derive.
    + pose proof (exp_pos (- (2 * x))). lra.
    + with_exp (- (2 * x)). field. lra.
Qed.

(* gelu, tanh form; k = sqrt (2/pi), c = 0.044715 in the contract, any constants here *)

Theorem gelu_tanh_is_x_sigmoid : forall k c x,
  gelu_tanh k c x = x * sigmoid (2 * (k * (x + c * (x * x * x)))).
Proof. intros k c x. unfold gelu_tanh. rewrite tanh_is_sigmoid. field. Qed.

Theorem gelu_tanh_constants : forall x,
  gelu_tanh (sqrt (2 / PI)) 0.044715 x
    = x * sigmoid (2 * (sqrt (2 / PI) * (x + 0.044715 * (x * x * x)))).
Proof. intros x. apply gelu_tanh_is_x_sigmoid. Qed.

Theorem gelu_tanh_derivative : forall k c x,
  let s := sigmoid (2 * (k * (x + c * (x * x * x)))) in
  is_derive (gelu_tanh k c) x (s + x * s * (1 - s) * (2 * k * (1 + 3 * c * (x * x)))).
Proof.
  intros k c x s. apply (is_derive_ext (fun t => t * sigmoid (2 * (k * (t + c * (t * t * t)))))).
  - intros t. symmetry. apply gelu_tanh_is_x_sigmoid.
  - unfold s, sigmoid. auto_derive.
    + pose proof (exp_pos (- (2 * (k * (x + c * (x * x * x)))))). lra.
    + with_exp (- (2 * (k * (x + c * (x * x * x))))). field. lra.
Qed.

(* silu *)

Theorem silu_derivative : forall x, is_derive silu x (sigmoid x * (1 + x - x * sigmoid x)).
Proof.
  intros x. unfold silu, sigmoid. auto_derive.
  - pose proof (exp_pos (- x)). lra.
  - with_exp (- x). field. lra.
Qed.

(* softplus *)

Theorem softplus_by_abs : forall x, softplus x = Rmax x 0 + ln1p (exp (- Rabs x)).
Proof.
  intros x. unfold softplus, ln1p. destruct (Rle_dec 0 x) as [H|H].
  - rewrite Rmax_left by exact H. rewrite Rabs_pos_eq by exact H.
    replace (1 + exp x) with (exp x * (1 + exp (- x))).
    + rewrite ln_mult; [rewrite ln_exp; ring|apply exp_pos|pose proof (exp_pos (- x)); lra].
    + rewrite exp_neg_inv. with_exp x. field. lra.
  - rewrite Rmax_right by lra. rewrite Rabs_left by lra. rewrite Ropp_involutive. ring.
Qed.

Theorem softplus_minus_reflection : forall x, softplus x - softplus (- x) = x.
Proof.
  intros x. rewrite !softplus_by_abs. rewrite Rabs_Ropp. unfold Rmax.
  destruct (Rle_dec x 0); destruct (Rle_dec (- x) 0); lra.
Qed.

(* mish *)

Theorem tanh_of_ln : forall y, 0 < y -> tanh (ln y) = (y * y - 1) / (y * y + 1).
Proof. intros y H. rewrite tanh_exp, exp_neg_inv, exp_ln by exact H. field; repeat split; nra. Qed.

Theorem mish_rational : forall x,
  mish x = x * ((exp x * exp x + 2 * exp x) / (exp x * exp x + 2 * exp x + 2)).
Proof.
  intros x. unfold mish, softplus. with_exp x. rewrite tanh_of_ln by lra. field; repeat split; nra.
Qed.

(* For positive x the same form with z = exp (-x), which cannot overflow. *)
Theorem mish_rational_for_positive : forall x,
  mish x = x * ((1 + 2 * exp (- x)) / (1 + 2 * exp (- x) + 2 * (exp (- x) * exp (- x)))).
Proof.
  intros x. rewrite mish_rational, exp_neg_inv. with_exp x. field; repeat split; nra.
Qed.

(* sinh and cosh of r + n ln 2 by those of r, p = 2^n; atanh through ln1p *)

Theorem sinh_by_addition : forall p r, 0 < p ->
  sinh (r + ln p) = / 2 * p * ((1 - / (p * p)) * cosh r + (1 + / (p * p)) * sinh r).
Proof.
  intros p r Hp. unfold sinh, cosh. rewrite !exp_neg_inv, exp_plus, exp_ln by exact Hp. with_exp r. field. lra.
Qed.

Theorem cosh_by_addition : forall p r, 0 < p ->
  cosh (r + ln p) = / 2 * p * ((1 + / (p * p)) * cosh r + (1 - / (p * p)) * sinh r).
Proof.
  intros p r Hp. unfold sinh, cosh. rewrite !exp_neg_inv, exp_plus, exp_ln by exact Hp. with_exp r. field. lra.
Qed.

Theorem atanh_by_ln1p : forall x, -1 < x < 1 -> tanh (/ 2 * ln1p (2 * x / (1 - x))) = x.
Proof.
  intros x H. rewrite tanh_is_sigmoid, sigmoid_left_form.
  replace (2 * (/ 2 * ln1p (2 * x / (1 - x)))) with (ln1p (2 * x / (1 - x))) by field.
  unfold ln1p. replace (1 + 2 * x / (1 - x)) with ((1 + x) / (1 - x)) by (field; lra).
  rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

(* elu: both branches and both one-sided slopes agree at 0 when alpha = 1; the body is x or alpha expm1 x. *)
Theorem elu_range : forall a x, 0 < a -> x < 0 -> - a < a * expm1 x < 0.
Proof.
  intros a x Ha Hx. unfold expm1. assert (exp x < 1) by (rewrite <- exp_0; now apply exp_increasing).
  pose proof (exp_pos x). nra.
Qed.
