(* Transforms of real numbers by a complex transform of half the length.

   Ops: rfft, irfft, stft, dct.
   Algorithm: src/fft/real.rs and `apart` of src/fft/pass.rs. Numbers 2j and 2j + 1 are the parts of number j of a complex
   transform of m; its results k and m - k are taken apart by t = -i w^k, those of an irfft put together by the conjugate of t.
   w is any number of magnitude 1 with w^m = -1. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Complex.
From Fulmen Require Import Fft.
Open Scope R_scope.
Open Scope C_scope.

Definition conj (z : C) : C := (fst z, (- snd z)%R).
(* The parts of both results, as the code adds and multiplies them. *)
Definition even_part (a b : C) : C := (((fst a + fst b) * (1 / 2))%R, ((snd a - snd b) * (1 / 2))%R).
Definition odd_part (a b : C) : C := (((fst a - fst b) * (1 / 2))%R, ((snd a + snd b) * (1 / 2))%R).
Definition apart_low (a b t : C) : C := even_part a b + odd_part a b * t.
Definition apart_high (a b t : C) : C := conj (even_part a b - odd_part a b * t).
Definition twist (w : C) (k : nat) : C := (0, -1)%R * cpow w k.
Definition pairs (x : nat -> R) (j : nat) : C := (x (2 * j)%nat, x (2 * j + 1)%nat).
Definition real (x : nat -> R) (j : nat) : C := (x j, 0%R).

Ltac parts := apply injective_projections; unfold Cminus; unfold Cplus, Cmult, Copp, conj; cbn [fst snd]; try field.

Lemma conj_conj : forall a, conj (conj a) = a.
Proof. intros [a b]. unfold conj. cbn [fst snd]. now rewrite Ropp_involutive. Qed.
Lemma conj_plus : forall a b, conj (a + b) = conj a + conj b.
Proof. intros. parts; ring. Qed.
Lemma conj_mult : forall a b, conj (a * b) = conj a * conj b.
Proof. intros. parts; ring. Qed.
Lemma conj_pow : forall a n, conj (cpow a n) = cpow (conj a) n.
Proof.
  induction n as [|n IH]; simpl; [|now rewrite conj_mult, IH].
  unfold conj. apply injective_projections; cbn [fst snd RtoC]; ring.
Qed.
Lemma conj_sum : forall n f, conj (csum n f) = csum n (fun j => conj (f j)).
Proof.
  induction n as [|n IH]; intros f; simpl; [|now rewrite conj_plus, IH].
  unfold conj. apply injective_projections; cbn [fst snd RtoC]; ring.
Qed.
Lemma even_is : forall a b, even_part a b = RtoC (1 / 2) * (a + conj b).
Proof. intros. unfold even_part, RtoC. parts. Qed.
Lemma odd_is : forall a b, odd_part a b = RtoC (1 / 2) * (a - conj b).
Proof. intros. unfold odd_part, RtoC. parts. Qed.

(* The transform of real numbers at n - k is the conjugate of that at k. *)
Lemma dft_of_real : forall n w x k, (k <= n)%nat -> w * conj w = 1 -> cpow w n = 1 ->
  conj (dft n w (real x) (n - k)) = dft n w (real x) k.
Proof.
  intros n w x k Hk Hw Hn. unfold dft. rewrite conj_sum. apply csum_ext. intros j _. rewrite conj_mult, conj_pow.
  assert (Cn : cpow (conj w) n = 1) by (apply (inverse_root n w); assumption).
  assert (R : conj (real x j) = real x j) by (unfold conj, real; cbn [fst snd]; now rewrite Ropp_0).
  rewrite R. f_equal.
  transitivity (cpow (conj w) (j * (n - k)) * (cpow w (k * j) * cpow (conj w) (k * j))).
  { rewrite inverse_power by exact Hw. ring. }
  transitivity (cpow (conj w) (j * (n - k) + k * j) * cpow w (k * j)); [rewrite cpow_add; ring|].
  replace (j * (n - k) + k * j)%nat with (n * j)%nat by nia. rewrite cpow_mul, Cn, cpow_1.
  rewrite (Nat.mul_comm k j). ring.
Qed.

Definition evens (x : nat -> R) (j : nat) : R := x (2 * j)%nat.
Definition odds (x : nat -> R) (j : nat) : R := x (2 * j + 1)%nat.

Lemma pairs_transform : forall m w x k,
  dft m w (pairs x) k = dft m w (real (evens x)) k + (0, 1)%R * dft m w (real (odds x)) k.
Proof.
  intros m w x k. unfold dft. rewrite <- csum_scal, <- csum_plus. apply csum_ext. intros j _.
  unfold pairs, real, evens, odds. set (c := cpow w (j * k)). destruct c as [p q]. parts; ring.
Qed.

Lemma square_unit : forall w, w * conj w = 1 -> (w * w) * conj (w * w) = 1.
Proof. intros w H. rewrite conj_mult. transitivity ((w * conj w) * (w * conj w)); [ring|]. rewrite H. ring. Qed.

Section Halves.
Variables (m : nat) (w : C) (x : nat -> R).
Hypothesis unit : w * conj w = 1.
Hypothesis half : cpow w m = -(1).
Let z := dft m (w * w) (pairs x).
Let E := dft m (w * w) (real (evens x)).
Let O := dft m (w * w) (real (odds x)).

Lemma square_root : cpow (w * w) m = 1.
Proof. rewrite cpow_sqr. now apply root_period. Qed.
Lemma mirrored : forall k, (k <= m)%nat -> conj (z (m - k)) = E k - (0, 1)%R * O k.
Proof.
  intros k Hk. unfold z. rewrite pairs_transform, conj_plus, conj_mult.
  rewrite !(dft_of_real m (w * w)) by (auto using square_unit, square_root).
  fold (E k) (O k). replace (conj (0, 1)%R) with (- (0, 1)%R) by (unfold conj, Copp; cbn [fst snd]; f_equal; ring). ring.
Qed.
Lemma even_part_is : forall k, (k <= m)%nat -> even_part (z k) (z (m - k)) = E k.
Proof.
  intros k Hk. rewrite even_is, mirrored by exact Hk. unfold z. rewrite pairs_transform. fold (E k) (O k).
  destruct (E k), (O k). unfold RtoC. parts.
Qed.
Lemma odd_part_is : forall k, (k <= m)%nat -> odd_part (z k) (z (m - k)) = (0, 1)%R * O k.
Proof.
  intros k Hk. rewrite odd_is, mirrored by exact Hk. unfold z. rewrite pairs_transform. fold (E k) (O k).
  destruct (E k), (O k). unfold RtoC. parts.
Qed.
Lemma turned : forall k, (0, 1)%R * O k * twist w k = cpow w k * O k.
Proof.
  intros k. unfold twist. transitivity (((0, 1)%R * (0, -1)%R) * (cpow w k * O k)); [ring|].
  replace ((0, 1)%R * (0, -1)%R) with (RtoC 1) by (unfold RtoC; parts; ring). ring.
Qed.
Lemma evens_and_odds : forall k, dft (2 * m) w (real x) k = E k + cpow w k * O k.
Proof. intros k. apply dit_low. Qed.

(* Both results of one pair. *)
Theorem rfft_low : forall k, (k <= m)%nat -> apart_low (z k) (z (m - k)) (twist w k) = dft (2 * m) w (real x) k.
Proof.
  intros k Hk. unfold apart_low. rewrite even_part_is, odd_part_is, turned by exact Hk. symmetry. apply evens_and_odds.
Qed.

Theorem rfft_high : forall k, (k <= m)%nat -> apart_high (z k) (z (m - k)) (twist w k) = dft (2 * m) w (real x) (m - k).
Proof.
  intros k Hk. unfold apart_high. rewrite even_part_is, odd_part_is, turned by exact Hk.
  rewrite <- (dft_of_real (2 * m) w x (m - k)) by (try lia; auto using root_period). f_equal.
  replace (2 * m - (m - k))%nat with (k + m)%nat by lia. symmetry. now apply dit_high.
Qed.

(* The first and the last result are the sum and the difference of the parts of z[0]. *)
Theorem rfft_ends : dft (2 * m) w (real x) 0 = ((fst (z 0%nat) + snd (z 0%nat))%R, 0%R) /\
  dft (2 * m) w (real x) m = ((fst (z 0%nat) - snd (z 0%nat))%R, 0%R).
Proof.
  assert (H0 : dft (2 * m) w (real x) 0 = E 0%nat + O 0%nat).
  { rewrite evens_and_odds. cbn [cpow]. ring. }
  assert (Hm : dft (2 * m) w (real x) m = E 0%nat - O 0%nat).
  { etransitivity; [exact (dit_high m w (real x) 0 half)|]. change (E 0%nat - 1 * O 0%nat = E 0%nat - O 0%nat). ring. }
  unfold z. rewrite pairs_transform. fold (E 0%nat) (O 0%nat).
  assert (R : forall y, snd (dft m (w * w) (real y) 0) = 0%R).
  { intros y. pose proof (dft_of_real m (w * w) y 0 ltac:(lia) (square_unit w unit) square_root) as D.
    replace (m - 0)%nat with m in D by lia.
    assert (P : dft m (w * w) (real y) m = dft m (w * w) (real y) 0).
    { unfold dft. apply csum_ext. intros j _. f_equal. rewrite Nat.mul_0_r, (Nat.mul_comm j m), cpow_mul, square_root, cpow_1.
      reflexivity. }
    rewrite P in D. apply (f_equal snd) in D. unfold conj in D. cbn [snd] in D. lra. }
  pose proof (R (evens x)) as RE. pose proof (R (odds x)) as RO. fold (E 0%nat) in RE. fold (O 0%nat) in RO.
  rewrite H0, Hm. destruct (E 0%nat) as [e e'], (O 0%nat) as [o o']. cbn [snd] in RE, RO. subst.
  split; unfold RtoC; parts; ring.
Qed.
End Halves.

(* Backwards: with the conjugate of t the same step gives back what it was made from, so irfft meets z again. *)
Theorem irfft_undoes_apart : forall a b t, t * conj t = 1 ->
  apart_low (apart_low a b t) (apart_high a b t) (conj t) = a /\
  apart_high (apart_low a b t) (apart_high a b t) (conj t) = b.
Proof.
  intros a b t Ht. unfold apart_low, apart_high.
  set (e := even_part a b). set (o := odd_part a b).
  assert (E1 : even_part (e + o * t) (conj (e - o * t)) = e).
  { rewrite even_is, conj_conj. replace (e + o * t + (e - o * t)) with ((1 + 1) * e) by ring.
    unfold RtoC. parts. }
  assert (O1 : odd_part (e + o * t) (conj (e - o * t)) = o * t).
  { rewrite odd_is, conj_conj. replace (e + o * t - (e - o * t)) with ((1 + 1) * (o * t)) by ring.
    set (y := o * t). unfold RtoC. parts. }
  rewrite E1, O1. assert (T : o * t * conj t = o) by (transitivity (o * (t * conj t)); [ring|rewrite Ht; ring]).
  rewrite T. split; [unfold e, o; rewrite even_is, odd_is|unfold e, o; rewrite even_is, odd_is];
    destruct a, b; unfold RtoC; parts.
Qed.

Lemma unit_pow : forall w k, w * conj w = 1 -> cpow w k * conj (cpow w k) = 1.
Proof. intros w k H. rewrite conj_pow, <- cpow_prod, H. apply cpow_1. Qed.

Theorem twist_has_length_1 : forall w k, w * conj w = 1 -> twist w k * conj (twist w k) = 1.
Proof.
  intros w k H. unfold twist. rewrite conj_mult. pose proof (unit_pow w k H) as U.
  transitivity (((0, -1)%R * conj (0, -1)%R) * (cpow w k * conj (cpow w k))); [ring|]. rewrite U.
  unfold RtoC. parts; ring.
Qed.

(* The code's root is such a w. *)
Theorem unit_root_has_length_1 : forall t, unit_root t * conj (unit_root t) = 1.
Proof.
  intros t. unfold unit_root, RtoC. pose proof (sin2_cos2 t) as H. unfold Rsqr in H. parts; nra.
Qed.

(* Backwards is forwards between two exchanges of real and imaginary parts: the transform with the conjugate root. *)
Definition exchanged (z : C) : C := (snd z, fst z).
Theorem exchanged_parts_invert : forall n w x k,
  exchanged (dft n w (fun j => exchanged (x j)) k) = dft n (conj w) x k.
Proof.
  intros n w x k. unfold dft.
  assert (E : forall z, exchanged z = (0, 1)%R * conj z) by (intros; unfold exchanged; parts; ring).
  rewrite E, conj_sum, <- csum_scal. apply csum_ext. intros j _. rewrite conj_mult, conj_pow, E, conj_mult, conj_conj.
  replace (conj (0, 1)%R) with (- (0, 1)%R) by (unfold conj, Copp; cbn [fst snd]; f_equal; ring).
  transitivity (- ((0, 1)%R * (0, 1)%R) * (x j * cpow (conj w) (j * k))); [ring|].
  replace (- ((0, 1)%R * (0, 1)%R)) with (RtoC 1) by (unfold RtoC; parts; ring). ring.
Qed.
