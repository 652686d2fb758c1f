(* Orthogonal transforms of the dense solvers, over the reals.

   Ops: qr, qr_apply, qr_pivoted, least_squares, svd, eigh (reflections and the rotations of implicit QR).
   Algorithm: H x = x - 2 (v.x / v.v) v with v = x0 - alpha e1, alpha^2 = x0.x0; the same as `reflection` of src/solve/qr.rs
   scales it; a block of them as I - V T V^T, T as `triangle` builds it; a rotation (c, s) of two coordinates as `rotation` of
   src/solve/rotations.rs makes it. Vectors are functions of the index, of length n. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Fulmen Require Import Factor.
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

(* The rotation [c s; -s c] that makes of (f, g) (r, 0). *)
Theorem rotation_clears : forall f g, let r := sqrt (f * f + g * g) in r <> 0 ->
  let c := f / r in let s := g / r in c * f + s * g = r /\ c * g - s * f = 0 /\ c * c + s * s = 1.
Proof. intros f g r H. exact (update_turn_clears f g H). Qed.

(* The reflection as the code has it: beta of the other sign than x0, tau = (beta - x0) / beta, v = (1, x / (x0 - beta)). *)
Lemma dot_scal : forall n z c v, dot n z (fun i => c * v i) = c * dot n z v.
Proof. induction n as [|n IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.

Section Reflection.
Variables (n : nat) (x : vec) (beta : R).
Hypothesis some : (0 < n)%nat.
Hypothesis length : beta * beta = dot n x x.
Hypothesis apart : x 0%nat <> beta.
Hypothesis nonzero : beta <> 0.
Let tau := (beta - x 0%nat) / beta.
Let v : vec := fun i => if Nat.eq_dec i 0 then 1 else x i / (x 0%nat - beta).

Lemma scaled : forall i, v i = / (x 0%nat - beta) * (x i - beta * unit_vec 0 i).
Proof.
  intros i. unfold v, unit_vec. destruct (Nat.eq_dec i 0) as [->|D]; field; intros E; apply apart; lra.
Qed.
Lemma dot_v : forall z, dot n z v = / (x 0%nat - beta) * (dot n z x - beta * z 0%nat).
Proof.
  intros z. rewrite (dot_ext n z v z (fun i => / (x 0%nat - beta) * (x i - beta * unit_vec 0 i))) by
    (intros; split; [reflexivity|apply scaled]).
  rewrite dot_scal, dot_lin, dot_unit by exact some. reflexivity.
Qed.

Theorem reflection_leaves_first : forall i, x i - tau * dot n v x * v i = beta * unit_vec 0 i.
Proof.
  intros i. rewrite (dot_sym n v x), dot_v, <- length, scaled. unfold tau.
  assert (x 0%nat - beta <> 0) by (intros E; apply apart; lra). field. split; assumption.
Qed.

Theorem reflection_factor : tau * dot n v v = 2.
Proof.
  rewrite dot_v, (dot_sym n v x), dot_v, <- length. unfold v at 1. destruct (Nat.eq_dec 0 0); [|lia]. unfold tau.
  assert (x 0%nat - beta <> 0) by (intros E; apply apart; lra). field. split; assumption.
Qed.
End Reflection.

(* A block of reflections *)

Section Block.
Variables (n : nat) (v : nat -> vec) (tau : nat -> R) (t : mat).
Definition reflected (k : nat) (c : vec) : vec := fun i => c i - tau k * dot n (v k) c * v k i.
(* H0 H1 ... c, and the transpose of that product: ... H1 H0 c. *)
Fixpoint forward (b : nat) (c : vec) : vec := match b with O => c | S k => forward k (reflected k c) end.
Fixpoint backward (b : nat) (c : vec) : vec := match b with O => c | S k => reflected k (backward k c) end.

Lemma dot_combination : forall b z c (s : nat -> R),
  dot n z (fun i => c i - sum b (fun p => v p i * s p)) = dot n z c - sum b (fun p => dot n z (v p) * s p).
Proof.
  induction b as [|b IH]; intros z c s; simpl.
  - rewrite Rminus_0_r. apply dot_ext. intros. split; [reflexivity|ring].
  - rewrite (dot_ext n z _ z (fun i => (c i - sum b (fun p => v p i * s p)) - s b * v b i)) by
      (intros; split; [reflexivity|ring]).
    rewrite dot_lin, IH. ring.
Qed.

Lemma block_step : forall b, (forall j, (j < b)%nat -> t j j = tau j) -> (forall i j, (j < i < b)%nat -> t i j = 0) ->
  (forall i j, (i < j < b)%nat -> t i j = - tau j * sum (j - i) (fun p => t i (i + p)%nat * dot n (v (i + p)%nat) (v j))) ->
  forall i j, (i < j < b)%nat -> t i j = - tau j * sum j (fun p => t i p * dot n (v p) (v j)).
Proof.
  intros b _ Below Above i j Hij. rewrite Above by exact Hij. f_equal.
  transitivity (sum (i + (j - i)) (fun p => t i p * dot n (v p) (v j))); [|f_equal; lia]. rewrite sum_app, (sum_0 i); [ring|].
  intros p Hp. rewrite Below by lia. ring.
Qed.

Section Triangle.
Variable b : nat.
Hypothesis diagonal : forall j, (j < b)%nat -> t j j = tau j.
Hypothesis below : forall i j, (j < i < b)%nat -> t i j = 0.
Hypothesis above : forall i j, (i < j < b)%nat ->
  t i j = - tau j * sum (j - i) (fun p => t i (i + p)%nat * dot n (v (i + p)%nat) (v j)).

Theorem block_is_product : forall k c i, (k <= b)%nat ->
  forward k c i = c i - sum k (fun p => v p i * sum k (fun q => t p q * dot n (v q) c)).
Proof.
  induction k as [|k IH]; intros c i Hk; [simpl; ring|]. cbn [forward]. rewrite IH by lia. cbn [sum].
  rewrite (sum_0 k (fun q => t k q * dot n (v q) c)) by (intros; rewrite below by lia; ring).
  rewrite (diagonal k) by lia. unfold reflected at 1.
  assert (E : sum k (fun p => v p i * sum k (fun q => t p q * dot n (v q) (reflected k c)))
    = sum k (fun p => v p i * (sum k (fun q => t p q * dot n (v q) c) + t p k * dot n (v k) c))).
  { apply sum_ext. intros p Hp. f_equal. rewrite (block_step b diagonal below above p k) by lia.
    rewrite (sum_ext k _ (fun q => t p q * dot n (v q) c + - (tau k * dot n (v k) c) * (t p q * dot n (v q) (v k)))).
    - rewrite sum_plus, sum_scal. ring.
    - intros q Hq. unfold reflected. rewrite dot_lin. ring. }
  rewrite E. ring.
Qed.

Theorem block_is_product_transposed : forall k c i, (k <= b)%nat ->
  backward k c i = c i - sum k (fun p => v p i * sum k (fun q => t q p * dot n (v q) c)).
Proof.
  induction k as [|k IH]; intros c i Hk; [simpl; ring|]. cbn [backward]. unfold reflected.
  rewrite IH by lia.
  rewrite (dot_ext n (v k) (backward k c) (v k) (fun i => c i - sum k (fun p => v p i * sum k (fun q => t q p * dot n (v q) c)))) by
    (intros; split; [reflexivity|apply IH; lia]).
  rewrite dot_combination. cbn [sum]. rewrite (diagonal k) by lia.
  rewrite (sum_ext k (fun p => v p i * (sum k (fun q => t q p * dot n (v q) c) + t k p * dot n (v k) c))
    (fun p => v p i * sum k (fun q => t q p * dot n (v q) c))) by (intros; rewrite below by lia; ring).
  assert (E : sum k (fun q => t q k * dot n (v q) c)
    = - tau k * sum k (fun p => dot n (v k) (v p) * sum k (fun q => t q p * dot n (v q) c))).
  { rewrite (sum_ext k (fun p => dot n (v k) (v p) * _) (fun p => sum k (fun q => dot n (v q) c * (t q p * dot n (v p) (v k))))).
    2:{ intros p Hp. rewrite <- sum_scal. apply sum_ext. intros q Hq. rewrite (dot_sym n (v k) (v p)). ring. }
    rewrite sum_swap, <- sum_scal. apply sum_ext. intros q Hq. rewrite (block_step b diagonal below above q k) by lia.
    rewrite sum_scal. ring. }
  rewrite E. ring.
Qed.
End Triangle.
End Block.
