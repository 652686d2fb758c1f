(* Transforms of a prime number of points (Rader).

   Ops: fft, fft_rows, fft_2d, fft_3d, rfft, irfft (primes from 257 on of which one less is a product of 2, 3, 5 and 7).
   Algorithm: src/fft/rader.rs. place q = g^q mod p stands in the plan's table; a[q] = x[place q] is convolved, over m = p - 1 places,
   with the filter of which number (m - q) mod m is w^(place q), and result q, plus x[0], is the transform at place ((m - q) mod m).
   g is a primitive root: no power of it by a proper part of m is 1, of which the code tries m/f for the primes f that divide m. *)
From Coq Require Import Reals Lra Lia PeanoNat ZArith Znumtheory List Permutation.
From Coquelicot Require Import Complex.
From Fulmen Require Import Fft.
Import ListNotations.

Definition place (p g q : nat) : nat := g ^ q mod p.

Section Places.
Open Scope nat_scope.
Variables p g : nat.
Hypothesis more : 1 < p.

Lemma place_add : forall a b, place p g (a + b) = (place p g a * place p g b) mod p.
Proof. intros. unfold place. rewrite Nat.pow_add_r. apply Nat.mul_mod. lia. Qed.
Lemma place_0 : place p g 0 = 1.
Proof. apply Nat.mod_small. exact more. Qed.
Lemma place_below : forall q, place p g q < p.
Proof. intros. apply Nat.mod_upper_bound. lia. Qed.
Lemma place_mul : forall a b, place p g a = 1 -> place p g (a * b) = 1.
Proof.
  intros a b H. induction b as [|b IH]; [rewrite Nat.mul_0_r; apply place_0|].
  rewrite Nat.mul_succ_r, place_add, IH, H. apply Nat.mod_small. exact more.
Qed.
Lemma place_up : forall q, place p g (S q) = (place p g q * g) mod p.
Proof. intros. unfold place. rewrite Nat.mul_mod_idemp_l by lia. f_equal. simpl. ring. Qed.

Variable m : nat.
Hypothesis around : place p g m = 1.
Lemma place_around : forall q, place p g (q + m) = place p g q.
Proof. intros. rewrite place_add, around, Nat.mul_1_r. apply Nat.mod_small, place_below. Qed.
Lemma place_not_0 : forall q, q <= m -> place p g q <> 0.
Proof.
  intros q H E. pose proof around as A. replace m with (q + (m - q)) in A by lia.
  rewrite place_add, E in A. simpl in A. rewrite Nat.mod_small in A by lia. discriminate.
Qed.

(* The test of a generator: it is enough to try m/f for the primes f that divide m. *)
Lemma prime_part : forall n, 1 < n -> exists f, prime (Z.of_nat f) /\ Nat.divide f n.
Proof.
  induction n as [n IH] using (well_founded_induction lt_wf). intros H.
  destruct (prime_dec (Z.of_nat n)) as [P|P]; [exists n; split; [exact P|apply Nat.divide_refl]|].
  destruct (not_prime_divide (Z.of_nat n) ltac:(lia) P) as [d [D1 [c D2]]].
  assert (C : (0 <= c)%Z) by nia.
  destruct (IH (Z.to_nat d)) as [f [F1 F2]]; [lia|lia|]. exists f. split; [exact F1|].
  apply Nat.divide_trans with (Z.to_nat d); [exact F2|]. exists (Z.to_nat c). nia.
Qed.

Lemma place_gcd : forall a, place p g a = 1 -> place p g (Nat.gcd a m) = 1.
Proof.
  intros a H. destruct (Nat.eq_dec a 0) as [->|N]; [exact around|].
  destruct (Nat.gcd_bezout_pos a m ltac:(lia)) as [u [v E]].
  pose proof (place_mul a u H) as U. rewrite (Nat.mul_comm a u), E, place_add in U.
  rewrite (Nat.mul_comm v m), (place_mul m v around), Nat.mul_1_r in U. now rewrite Nat.mod_small in U by apply place_below.
Qed.

Theorem rader_generator_test : (forall f, prime (Z.of_nat f) -> Nat.divide f m -> place p g (m / f) <> 1) ->
  forall d, 0 < d < m -> place p g d <> 1.
Proof.
  intros T d Hd E. pose proof (place_gcd d E) as G.
  destruct (Nat.gcd_divide_r d m) as [k K]. destruct (Nat.gcd_divide_l d m) as [l L].
  set (e := Nat.gcd d m) in *. assert (1 < k).
  { destruct k as [|[|k]]; [lia| |lia]. destruct l as [|l]; [lia|]. simpl in K, L. nia. }
  destruct (prime_part k ltac:(lia)) as [f [F1 [h F2]]].
  apply (T f F1).
  - exists (h * e). rewrite K, F2. ring.
  - assert (0 < f) by (destruct F1; lia). replace (m / f) with (e * h); [apply place_mul; exact G|].
    apply Nat.div_unique with 0; [lia|]. rewrite K, F2. ring.
Qed.

Hypothesis primitive : forall d, 0 < d < m -> place p g d <> 1.

Lemma place_injective_up : forall a b, a < b -> b < m -> place p g a <> place p g b.
Proof.
  intros a b H Hb E. apply (primitive (b - a) ltac:(lia)).
  rewrite <- place_around. replace (b - a + m) with (b + (m - a)) by lia.
  rewrite place_add, <- E, <- place_add. replace (a + (m - a)) with m by lia. exact around.
Qed.

Theorem rader_places_distinct : forall a b, a < m -> b < m -> place p g a = place p g b -> a = b.
Proof.
  intros a b Ha Hb E. destruct (Nat.lt_trichotomy a b) as [L|[L|L]]; [exfalso|exact L|exfalso].
  - now apply (place_injective_up a b).
  - now apply (place_injective_up b a).
Qed.

Lemma distinct_list : forall (f : nat -> nat) n, (forall a b, a < n -> b < n -> f a = f b -> a = b) -> NoDup (map f (seq 0 n)).
Proof.
  intros f n H. induction n as [|n IH]; [constructor|].
  rewrite seq_S, map_app. cbn [map Nat.add]. apply NoDup_Add with (a := f n) (l := map f (seq 0 n)).
  - pose proof (Add_app (f n) (map f (seq 0 n)) []) as A. now rewrite app_nil_r in A.
  - split; [apply IH; intros; apply H; lia|]. intros I. apply in_map_iff in I. destruct I as [q [E I]].
    apply in_seq in I. specialize (H q n ltac:(lia) ltac:(lia) E). lia.
Qed.

(* They are all the numbers from 1 to p - 1. *)
Theorem rader_places_are_all : m = p - 1 -> Permutation (map (place p g) (seq 0 m)) (seq 1 m).
Proof.
  intros M. apply NoDup_Permutation_bis.
  - apply distinct_list, rader_places_distinct.
  - rewrite map_length, !seq_length. apply Nat.le_refl.
  - intros i H. apply in_map_iff in H. destruct H as [q [<- H]]. apply in_seq in H. apply in_seq.
    pose proof (place_below q). pose proof (place_not_0 q ltac:(lia)). lia.
Qed.
End Places.

Open Scope R_scope.
Open Scope C_scope.

Definition list_sum (l : list C) : C := fold_right Cplus (RtoC 0) l.
Lemma list_sum_app : forall l k, list_sum (l ++ k) = list_sum l + list_sum k.
Proof. unfold list_sum. induction l as [|a l IH]; intros k; cbn [app fold_right]; [|rewrite IH]; ring. Qed.
Lemma csum_list : forall n f, csum n f = list_sum (map f (seq 0 n)).
Proof.
  induction n as [|n IH]; intros f; [reflexivity|].
  rewrite seq_S, map_app, list_sum_app, <- IH. unfold list_sum. cbn. ring.
Qed.
Lemma list_sum_permutation : forall l k, Permutation l k -> list_sum l = list_sum k.
Proof. induction 1; unfold list_sum in *; cbn; [reflexivity|now rewrite IHPermutation|ring|congruence]. Qed.

Theorem rader_identity : forall p g w v u x t, let m := (p - 1)%nat in let at_ := place p g in
  (1 < p)%nat -> cpow w p = 1 -> at_ m = 1%nat -> (forall d, (0 < d < m)%nat -> at_ d <> 1%nat) ->
  v * u = 1 -> cpow v m = 1 -> (forall d, (0 < d < m)%nat -> cpow v d <> 1) -> (t < m)%nat ->
  let a := fun q => x (at_ q) in
  let filter := fun q => cpow w (at_ ((m - q) mod m)%nat) in
  nat_c m * dft p w x (at_ ((m - t) mod m)%nat)
    = nat_c m * x 0%nat + dft m u (fun k => dft m v a k * dft m v filter k) t.
Proof.
  intros p g w v u x t m at_ Hp Hw Hm Hg Hv Hv1 Hv2 Ht a filter.
  rewrite convolution_by_dft by (auto; lia). rewrite <- Cmult_plus_distr_l. f_equal.
  unfold dft. set (k := at_ ((m - t) mod m)%nat).
  replace p with (1 + m)%nat at 1 by lia. rewrite csum_app. f_equal.
  - cbn. ring.
  - transitivity (list_sum (map (fun j => x j * cpow w (j * k)) (seq 1 m))).
    { rewrite csum_list. rewrite <- seq_shift, map_map. f_equal. }
    rewrite <- (list_sum_permutation _ _ (Permutation_map _ (rader_places_are_all p g Hp m Hm Hg eq_refl))).
    rewrite map_map, csum_list. f_equal. apply map_ext_in. intros s Hs. apply in_seq in Hs. unfold a, filter. f_equal.
    (* g^s g^-t = g^(s - t), and powers of w may be reduced modulo p. *)
    assert (P0 : p <> O) by lia. unfold k.
    rewrite <- (chirp_exponent_reduces w p (place p g s * at_ ((m - t) mod m)%nat) P0 Hw). fold at_.
    unfold at_ at 1 2. rewrite <- (place_add p g Hp). fold at_. f_equal.
    assert (A : forall q c, at_ (q + c * m)%nat = at_ q).
    { intros q c. induction c as [|c IH]; [now rewrite Nat.add_0_r|].
      replace (q + S c * m)%nat with (q + c * m + m)%nat by ring. unfold at_. rewrite place_around by auto. exact IH. }
    assert (R : forall q, at_ (q mod m)%nat = at_ q).
    { intros q. rewrite (Nat.div_mod q m) at 2 by lia. rewrite Nat.add_comm, (Nat.mul_comm m). symmetry. apply A. }
    rewrite R. assert (B : forall q q', (exists c, q = q' + c * m)%nat -> at_ q = at_ q') by (intros q q' [c ->]; apply A).
    transitivity (at_ (s + (m - t))%nat).
    + unfold at_. rewrite !(place_add p g Hp). fold at_. rewrite R. reflexivity.
    + destruct (Nat.le_gt_cases s t) as [L|L].
      * replace ((t + (m - s)) mod m)%nat with (if Nat.eq_dec s t then 0 else t - s)%nat.
        -- destruct (Nat.eq_dec s t) as [->|D].
           ++ apply B. exists 0%nat. lia.
           ++ apply B. exists 0%nat. lia.
        -- destruct (Nat.eq_dec s t) as [->|D].
           ++ apply Nat.mod_unique with 1%nat; lia.
           ++ destruct (Nat.eq_dec s 0); apply Nat.mod_unique with 1%nat; lia.
      * rewrite (Nat.mod_small (t + (m - s))) by lia. apply B. exists 1%nat. lia.
Qed.
