(* Orthogonal transforms of the dense solvers, over the reals.

   Ops: qr (Householder), svd and symmetric_eigen (Jacobi rotations), least squares.
   Algorithm: H x = x - 2 (v.x / v.v) v with v = x0 - alpha e1, alpha^2 = x0.x0; a Jacobi or Givens rotation
   (c, s) on two coordinates. Vectors are functions of the index, of length n. *)
From Coq Require Import Reals Lra Lia PeanoNat.
Open Scope R_scope.

Definition vec := nat -> R.
Fixpoint dot (n : nat) (x y : vec) : R := match n with O => 0 | S k => dot k x y + x k * y k end.
Definition reflect (n : nat) (v x : vec) : vec := fun i => x i - 2 * (dot n v x / dot n v v) * v i.
Definition unit_vec (j : nat) : vec := fun i => if Nat.eq_dec i j then 1 else 0.
(* The entry (i, j) of the matrix I - 2 v v^T / (v^T v). *)
Definition reflector (n : nat) (v : vec) (i j : nat) : R := unit_vec j i - 2 * (v i * v j) / dot n v v.

Lemma dot_sym : forall n x y, dot n x y = dot n y x.
Proof. induction n as [|n IH]; intros; simpl; [reflexivity|]. rewrite IH. ring. Qed.
Lemma dot_ext : forall n x y x' y', (forall i, (i < n)%nat -> x i = x' i /\ y i = y' i) -> dot n x y = dot n x' y'.
Proof.
  induction n as [|n IH]; intros x y x' y' H; simpl; [reflexivity|].
  rewrite (IH x y x' y') by (intros; apply H; lia). destruct (H n ltac:(lia)) as [-> ->]. reflexivity.
Qed.
Lemma dot_lin : forall n z x v c, dot n z (fun i => x i - c * v i) = dot n z x - c * dot n z v.
Proof. induction n as [|n IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma dot_unit : forall n z j, (j < n)%nat -> dot n z (unit_vec j) = z j.
Proof.
  intros n z j H.
  assert (Z : forall m, (m <= j)%nat -> dot m z (unit_vec j) = 0).
  { induction m as [|m IH]; intros Hm; simpl; [reflexivity|]. rewrite IH by lia. unfold unit_vec.
    destruct (Nat.eq_dec m j); [lia|ring]. }
  induction n as [|n IH]; [lia|]. simpl. destruct (Nat.eq_dec n j) as [->|D].
  - rewrite Z by lia. unfold unit_vec. destruct (Nat.eq_dec j j); [ring|lia].
  - rewrite IH by lia. unfold unit_vec. destruct (Nat.eq_dec n j); [lia|ring].
Qed.

Theorem householder_preserves_dot : forall n v x y, dot n v v <> 0 ->
  dot n (reflect n v x) (reflect n v y) = dot n x y.
Proof.
  intros n v x y H. unfold reflect at 2. rewrite dot_lin.
  assert (L : forall z, dot n (reflect n v x) z = dot n x z - 2 * (dot n v x / dot n v v) * dot n v z).
  { intros z. rewrite (dot_sym n _ z). unfold reflect. rewrite dot_lin. now rewrite (dot_sym n z x), (dot_sym n z v). }
  rewrite !L. rewrite (dot_sym n x v). field. exact H.
Qed.

Theorem householder_is_involution : forall n v x i, dot n v v <> 0 -> reflect n v (reflect n v x) i = x i.
Proof.
  intros n v x i H. unfold reflect at 1.
  assert (E : dot n v (reflect n v x) = - dot n v x) by (unfold reflect; rewrite dot_lin; field; exact H).
  rewrite E. unfold reflect. field. exact H.
Qed.

(* The matrix is H: its columns are the images of the unit vectors, it is symmetric, and H^T H = I. *)
Theorem reflector_columns : forall n v i j, (j < n)%nat -> reflect n v (unit_vec j) i = reflector n v i j.
Proof. intros n v i j H. unfold reflect, reflector. rewrite dot_unit by exact H. unfold Rdiv. ring. Qed.

Theorem reflector_symmetric : forall n v i j, reflector n v i j = reflector n v j i.
Proof.
  intros n v i j. unfold reflector, unit_vec. destruct (Nat.eq_dec i j); destruct (Nat.eq_dec j i); try lia; unfold Rdiv; ring.
Qed.

Theorem reflector_orthogonal : forall n v j k, dot n v v <> 0 -> (j < n)%nat -> (k < n)%nat ->
  dot n (fun i => reflector n v i j) (fun i => reflector n v i k) = if Nat.eq_dec j k then 1 else 0.
Proof.
  intros n v j k H Hj Hk.
  rewrite (dot_ext n _ _ (reflect n v (unit_vec j)) (reflect n v (unit_vec k))).
  - rewrite householder_preserves_dot by exact H. rewrite dot_unit by exact Hk. unfold unit_vec.
    destruct (Nat.eq_dec k j); destruct (Nat.eq_dec j k); try lia; reflexivity.
  - intros i _. now rewrite !reflector_columns.
Qed.

(* What the QR step wants: the column becomes alpha e1. *)
Theorem householder_annihilates : forall n x alpha i, (0 < n)%nat -> alpha * alpha = dot n x x ->
  let v := fun i => x i - alpha * unit_vec 0 i in
  dot n v v <> 0 -> reflect n v x i = alpha * unit_vec 0 i.
Proof.
  intros n x alpha i Hn Ha v Hv.
  assert (E1 : dot n v x = dot n x x - alpha * x O).
  { rewrite dot_sym. unfold v. rewrite dot_lin, dot_unit by exact Hn. reflexivity. }
  assert (E2 : dot n v v = 2 * dot n v x).
  { unfold v at 2. rewrite dot_lin, dot_unit by exact Hn. rewrite E1.
    unfold v. unfold unit_vec. destruct (Nat.eq_dec 0 0); [|lia]. rewrite <- Ha. ring. }
  unfold reflect. replace (2 * (dot n v x / dot n v v)) with 1.
  - unfold v. ring.
  - rewrite E2. field. lra.
Qed.

(* Taking alpha = - sign(x0) |x| keeps v away from zero: no cancellation, v.v >= x.x. *)
Theorem householder_sign_choice : forall n x alpha, (0 < n)%nat -> alpha * alpha = dot n x x -> alpha * x O <= 0 ->
  let v := fun i => x i - alpha * unit_vec 0 i in dot n x x <= dot n v v.
Proof.
  intros n x alpha Hn Ha Hs v.
  assert (E : dot n v v = 2 * dot n x x - 2 * (alpha * x O)).
  { unfold v at 2. rewrite dot_lin, dot_unit by exact Hn. rewrite dot_sym. unfold v at 1. rewrite dot_lin, dot_unit by exact Hn.
    unfold v, unit_vec. destruct (Nat.eq_dec 0 0); [|lia]. rewrite <- Ha. ring. }
  assert (0 <= dot n x x) by (clear; induction n as [|n IH]; simpl; [lra|]; nra). lra.
Qed.

(* Plane rotation *)
Theorem rotation_preserves_norm : forall c s a b, c * c + s * s = 1 ->
  (c * a - s * b) * (c * a - s * b) + (s * a + c * b) * (s * a + c * b) = a * a + b * b.
Proof.
  intros c s a b H.
  replace ((c * a - s * b) * (c * a - s * b) + (s * a + c * b) * (s * a + c * b))
    with ((c * c + s * s) * (a * a + b * b)) by ring. rewrite H. ring.
Qed.

(* Jacobi: t = tan solves t^2 + 2 theta t - 1 = 0 with theta = (aqq - app) / (2 apq); then the
   off-diagonal entry of J^T A J is zero. c = 1 / sqrt (1 + t^2), s = t c. *)
Theorem jacobi_rotation_annihilates : forall app aqq apq t c, apq <> 0 ->
  t * t + 2 * ((aqq - app) / (2 * apq)) * t - 1 = 0 ->
  let s := t * c in (c * c - s * s) * apq + c * s * (app - aqq) = 0.
Proof.
  intros app aqq apq t c H Ht s. unfold s.
  replace ((c * c - t * c * (t * c)) * apq + c * (t * c) * (app - aqq))
    with (- (c * c * apq) * (t * t + 2 * ((aqq - app) / (2 * apq)) * t - 1)) by (field; exact H).
  rewrite Ht. ring.
Qed.
