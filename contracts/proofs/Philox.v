(* Counter-based random numbers.

   Ops: random_uniform, random_normal and every op that draws from Philox4x32-10 or Threefry4x64.
   Algorithm: Philox round on four 32-bit words with two keys: (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1,
   lo(M0 c0)); ten rounds, keys bumped by W0, W1 between rounds. Threefry4x64-20: mixes (add, rotate, xor) of two pairs a
   round, and the words of the key added before the first and after each four rounds.
   Proved: each is a bijection on words (the inverse is exhibited), so distinct counters give distinct blocks;
   the published known answers, by evaluation. The constants are compared with those of the code by a test. *)
From Coq Require Import ZArith Lia List.
Import ListNotations.
Open Scope Z_scope.

Definition w32 : Z := 2 ^ 32.
Definition word (x : Z) : Prop := 0 <= x < w32.
Definition M0 : Z := 0xD2511F53.
Definition M1 : Z := 0xCD9E8D57.
Definition W0 : Z := 0x9E3779B9.
Definition W1 : Z := 0xBB67AE85.
(* Inverses of the multipliers modulo 2^32. *)
Definition I0 : Z := 0x991A7CDB.
Definition I1 : Z := 0x6D7CAE67.

Lemma I0_inverse : (M0 * I0) mod w32 = 1. Proof. reflexivity. Qed.
Lemma I1_inverse : (M1 * I1) mod w32 = 1. Proof. reflexivity. Qed.

Definition hi (p : Z) : Z := p / w32.
Definition lo (p : Z) : Z := p mod w32.

Record block := B { c0 : Z; c1 : Z; c2 : Z; c3 : Z }.
Definition words (b : block) : Prop := word (c0 b) /\ word (c1 b) /\ word (c2 b) /\ word (c3 b).

Definition round (k0 k1 : Z) (b : block) : block :=
  B (Z.lxor (Z.lxor (hi (M1 * c2 b)) (c1 b)) k0) (lo (M1 * c2 b))
    (Z.lxor (Z.lxor (hi (M0 * c0 b)) (c3 b)) k1) (lo (M0 * c0 b)).

Definition unround (k0 k1 : Z) (b : block) : block :=
  let a0 := lo (I0 * c3 b) in
  let a2 := lo (I1 * c1 b) in
  B a0 (Z.lxor (Z.lxor (hi (M1 * a2)) (c0 b)) k0) a2 (Z.lxor (Z.lxor (hi (M0 * a0)) (c2 b)) k1).

Lemma lxor_cancel : forall h c k, Z.lxor (Z.lxor h (Z.lxor (Z.lxor h c) k)) k = c.
Proof.
  intros h c k. rewrite <- (Z.lxor_assoc h), <- (Z.lxor_assoc h h), Z.lxor_nilpotent, Z.lxor_0_l.
  rewrite Z.lxor_assoc, Z.lxor_nilpotent. apply Z.lxor_0_r.
Qed.

Lemma lxor_range : forall n a b, 0 < n -> 0 <= a < 2 ^ n -> 0 <= b < 2 ^ n -> 0 <= Z.lxor a b < 2 ^ n.
Proof.
  intros n a b Hn Ha Hb. split; [apply Z.lxor_nonneg; lia|].
  destruct (Z.eq_dec (Z.lxor a b) 0) as [->|Z]; [lia|].
  assert (0 <= Z.lxor a b) by (apply Z.lxor_nonneg; lia).
  assert (L : forall x, 0 <= x < 2 ^ n -> Z.log2 x < n).
  { intros x Hx. destruct (Z.eq_dec x 0) as [->|]; [simpl; lia|]. apply Z.log2_lt_pow2; lia. }
  apply Z.log2_lt_pow2; [lia|]. pose proof (Z.log2_lxor a b ltac:(lia) ltac:(lia)).
  pose proof (L a Ha). pose proof (L b Hb). lia.
Qed.

Lemma lo_word : forall p, word (lo p).
Proof. intros p. apply Z.mod_pos_bound. reflexivity. Qed.

Lemma hi_word : forall m c, word m -> word c -> word (hi (m * c)).
Proof.
  unfold word, hi. intros m c Hm Hc. split; [apply Z.div_pos; nia|]. apply Z.div_lt_upper_bound; nia.
Qed.

Lemma mul_inverse : forall m i x, (m * i) mod w32 = 1 -> word x -> lo (i * lo (m * x)) = x.
Proof.
  intros m i x H Hx. unfold lo. rewrite Zmult_mod_idemp_r.
  replace (i * (m * x)) with (m * i * x) by ring. rewrite <- Zmult_mod_idemp_l, H, Z.mul_1_l.
  apply Z.mod_small. exact Hx.
Qed.

Lemma mul_inverse' : forall m i x, (m * i) mod w32 = 1 -> word x -> lo (m * lo (i * x)) = x.
Proof. intros m i x H Hx. apply mul_inverse; [now rewrite Z.mul_comm|exact Hx]. Qed.

Theorem philox_unround_round : forall k0 k1 b, words b -> unround k0 k1 (round k0 k1 b) = b.
Proof.
  intros k0 k1 [a0 a1 a2 a3] (H0 & H1 & H2 & H3). unfold unround, round. cbn [c0 c1 c2 c3] in *.
  rewrite (mul_inverse M0 I0) by (auto using I0_inverse). rewrite (mul_inverse M1 I1) by (auto using I1_inverse).
  now rewrite !lxor_cancel.
Qed.

Theorem philox_round_unround : forall k0 k1 b, words b -> round k0 k1 (unround k0 k1 b) = b.
Proof.
  intros k0 k1 [a0 a1 a2 a3] (H0 & H1 & H2 & H3). unfold unround, round. cbn [c0 c1 c2 c3] in *.
  rewrite (mul_inverse' M0 I0) by (auto using I0_inverse). rewrite (mul_inverse' M1 I1) by (auto using I1_inverse).
  now rewrite !lxor_cancel.
Qed.

Lemma word_M0 : word M0. Proof. unfold word; split; [discriminate|reflexivity]. Qed.
Lemma word_M1 : word M1. Proof. unfold word; split; [discriminate|reflexivity]. Qed.

Theorem philox_round_keeps_words : forall k0 k1 b, word k0 -> word k1 -> words b ->
  words (round k0 k1 b) /\ words (unround k0 k1 b).
Proof.
  intros k0 k1 [a0 a1 a2 a3] K0 K1 (H0 & H1 & H2 & H3). cbn [c0 c1 c2 c3] in *.
  assert (X : forall a b, word a -> word b -> word (Z.lxor a b)) by (intros; apply lxor_range; [lia|auto|auto]).
  unfold words, round, unround. cbn [c0 c1 c2 c3]. repeat split;
    try apply lo_word; try (apply X; [apply X|]; auto using hi_word, word_M0, word_M1, lo_word).
Qed.

Fixpoint philox (n : nat) (k0 k1 : Z) (b : block) : block :=
  match n with
  | O => b
  | S n => philox n ((k0 + W0) mod w32) ((k1 + W1) mod w32) (round k0 k1 b)
  end.

Theorem philox_block_injective : forall n k0 k1 b b', word k0 -> word k1 -> words b -> words b' ->
  philox n k0 k1 b = philox n k0 k1 b' -> b = b'.
Proof.
  induction n as [|n IH]; intros k0 k1 b b' K0 K1 Hb Hb' E; [exact E|]. cbn [philox] in E.
  apply IH in E; try apply lo_word; try (now apply philox_round_keeps_words).
  rewrite <- (philox_unround_round k0 k1 b Hb), <- (philox_unround_round k0 k1 b' Hb'). now rewrite E.
Qed.

(* Known answers of Random123 for philox4x32-10. *)
Theorem philox_known_answers :
  philox 10 0 0 (B 0 0 0 0) = B 0x6627e8d5 0xe169c58d 0xbc57ac4c 0x9b00dbd8 /\
  philox 10 0xffffffff 0xffffffff (B 0xffffffff 0xffffffff 0xffffffff 0xffffffff)
    = B 0x408f276d 0x41c83b0e 0xa20bc7c6 0x6d5451fd /\
  philox 10 0xa4093822 0x299f31d0 (B 0x243f6a88 0x85a308d3 0x13198a2e 0x03707344)
    = B 0xd16cfe09 0x94fdcceb 0x5001e420 0x24126ea1.
Proof. vm_compute. auto. Qed.

(* Threefry: rotation and mix on 64-bit words. *)
Definition w64 : Z := 2 ^ 64.
Definition rotl (x r : Z) : Z := (x * 2 ^ r) mod w64 + x / 2 ^ (64 - r).
Definition mix (r : Z) (p : Z * Z) : Z * Z :=
  let y := (fst p + snd p) mod w64 in (y, Z.lxor (rotl (snd p) r) y).
Definition unmix (r : Z) (p : Z * Z) : Z * Z :=
  let x1 := rotl (Z.lxor (snd p) (fst p)) (64 - r) in ((fst p - x1) mod w64, x1).

Lemma rotl_parts : forall x r, 0 < r < 64 -> 0 <= x < w64 ->
  rotl x r = (x mod 2 ^ (64 - r)) * 2 ^ r + x / 2 ^ (64 - r).
Proof.
  intros x r Hr Hx. unfold rotl. f_equal. unfold w64.
  replace (2 ^ 64) with (2 ^ (64 - r) * 2 ^ r) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  rewrite Z.mul_mod_distr_r; [reflexivity| |]; apply Z.pow_nonzero; lia.
Qed.

Theorem rotl_inverse : forall x r, 0 < r < 64 -> 0 <= x < w64 -> rotl (rotl x r) (64 - r) = x.
Proof.
  intros x r Hr Hx. pose proof (rotl_parts x r Hr Hx) as P.
  set (a := 2 ^ (64 - r)) in *. set (b := 2 ^ r) in *.
  assert (Ha : 0 < a) by (apply Z.pow_pos_nonneg; lia). assert (Hb : 0 < b) by (apply Z.pow_pos_nonneg; lia).
  assert (W : w64 = a * b) by (unfold a, b, w64; rewrite <- Z.pow_add_r by lia; f_equal; lia).
  pose proof (Z.mod_pos_bound x a Ha) as Hm. pose proof (Z.div_mod x a ltac:(lia)) as D.
  assert (Hq : 0 <= x / a < b) by (split; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; lia]).
  set (q := x / a) in *. set (s := x mod a) in *.
  rewrite rotl_parts; [|lia|rewrite P, W; nia].
  replace (64 - (64 - r)) with r by lia. fold a b. rewrite P.
  replace (s * b + q) with (q + s * b) by ring.
  rewrite Z.div_add, Z.mod_add by lia. rewrite (Z.mod_small q), (Z.div_small q) by lia. lia.
Qed.

Lemma rotl_range : forall x r, 0 < r < 64 -> 0 <= x < w64 -> 0 <= rotl x r < w64.
Proof.
  intros x r Hr Hx. rewrite (rotl_parts x r Hr Hx).
  set (a := 2 ^ (64 - r)) in *. set (b := 2 ^ r) in *.
  assert (Ha : 0 < a) by (apply Z.pow_pos_nonneg; lia). assert (Hb : 0 < b) by (apply Z.pow_pos_nonneg; lia).
  assert (W : w64 = a * b) by (unfold a, b, w64; rewrite <- Z.pow_add_r by lia; f_equal; lia).
  pose proof (Z.mod_pos_bound x a Ha) as Hm.
  assert (Hq : 0 <= x / a < b) by (split; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; lia]).
  nia.
Qed.

Theorem threefry_unmix_mix : forall r x0 x1, 0 < r < 64 -> 0 <= x0 < w64 -> 0 <= x1 < w64 ->
  unmix r (mix r (x0, x1)) = (x0, x1).
Proof.
  intros r x0 x1 Hr H0 H1. unfold unmix, mix. cbn [fst snd].
  rewrite Z.lxor_assoc, Z.lxor_nilpotent, Z.lxor_0_r. rewrite rotl_inverse by assumption. f_equal.
  rewrite Zminus_mod_idemp_l. replace (x0 + x1 - x1) with x0 by ring. apply Z.mod_small. exact H0.
Qed.

Theorem threefry_mix_unmix : forall r y0 y1, 0 < r < 64 -> 0 <= y0 < w64 -> 0 <= y1 < w64 ->
  mix r (unmix r (y0, y1)) = (y0, y1).
Proof.
  intros r y0 y1 Hr H0 H1. unfold unmix, mix. cbn [fst snd].
  assert (X : 0 <= Z.lxor y1 y0 < w64) by (apply (lxor_range 64); auto; lia).
  replace r with (64 - (64 - r)) at 4 by lia. rewrite (rotl_inverse _ (64 - r)) by (auto; lia).
  set (x1 := rotl (Z.lxor y1 y0) (64 - r)).
  rewrite Zplus_mod_idemp_l. replace (y0 - x1 + x1) with y0 by ring. rewrite (Z.mod_small y0) by exact H0.
  now rewrite Z.lxor_assoc, Z.lxor_nilpotent, Z.lxor_0_r.
Qed.

(* Threefry4x64: rounds of two mixes, and after each four of them the key once more. *)
Definition PARITY : Z := 0x1BD11BDAA9FC1A22.
Definition ROTATIONS : list (Z * Z) :=
  [(14, 16); (52, 57); (23, 40); (5, 37); (25, 33); (46, 12); (58, 22); (32, 32)].

Definition word64 (x : Z) : Prop := 0 <= x < w64.
Definition words64 (b : block) : Prop := word64 (c0 b) /\ word64 (c1 b) /\ word64 (c2 b) /\ word64 (c3 b).
Definition add64 (x k : Z) : Z := (x + k) mod w64.

(* Even rounds mix (0, 1) and (2, 3), odd ones (0, 3) and (2, 1). *)
Definition threefry_round (i : nat) (b : block) : block :=
  let (r, s) := nth (i mod 8) ROTATIONS (1, 1) in
  if Nat.even i then
    let (x0, x1) := mix r (c0 b, c1 b) in let (x2, x3) := mix s (c2 b, c3 b) in B x0 x1 x2 x3
  else
    let (x0, x3) := mix r (c0 b, c3 b) in let (x2, x1) := mix s (c2 b, c1 b) in B x0 x1 x2 x3.

(* The words of the key and, as the fifth, their sum by xor with the parity. *)
Definition key_word (k : block) (i : nat) : Z :=
  nth (i mod 5) [c0 k; c1 k; c2 k; c3 k; Z.lxor (Z.lxor (Z.lxor (Z.lxor PARITY (c0 k)) (c1 k)) (c2 k)) (c3 k)] 0.
Definition inject (k : block) (s : nat) (b : block) : block :=
  B (add64 (c0 b) (key_word k s)) (add64 (c1 b) (key_word k (s + 1))) (add64 (c2 b) (key_word k (s + 2)))
    (add64 (add64 (c3 b) (key_word k (s + 3))) (Z.of_nat s)).

Fixpoint threefry (n : nat) (k b : block) : block :=
  match n with
  | O => inject k 0 b
  | S m =>
    let y := threefry_round m (threefry m k b) in
    if (S m mod 4 =? 0)%nat then inject k (S m / 4) y else y
  end.

Lemma add64_word : forall x k, word64 (add64 x k).
Proof. intros. apply Z.mod_pos_bound. reflexivity. Qed.

Lemma add64_injective : forall x y k, word64 x -> word64 y -> add64 x k = add64 y k -> x = y.
Proof.
  unfold add64, word64. intros x y k Hx Hy E.
  assert (U : forall z, 0 <= z < w64 -> ((z + k) mod w64 - k) mod w64 = z).
  { intros z Hz. rewrite Zminus_mod_idemp_l. replace (z + k - k) with z by ring. now apply Z.mod_small. }
  rewrite <- (U x Hx), <- (U y Hy). now rewrite E.
Qed.

Lemma rotations_in_range : forall i, let (r, s) := nth (i mod 8) ROTATIONS (1, 1) in 0 < r < 64 /\ 0 < s < 64.
Proof.
  intros i. assert (H : (i mod 8 < 8)%nat) by (apply Nat.mod_upper_bound; lia).
  remember (i mod 8)%nat as j eqn:E. clear E. do 8 (destruct j as [|j]; [cbn; lia|]). lia.
Qed.

Lemma mix_words : forall r x y, 0 < r < 64 -> word64 x -> word64 y ->
  word64 (fst (mix r (x, y))) /\ word64 (snd (mix r (x, y))).
Proof.
  intros r x y Hr Hx Hy. unfold mix, word64. cbn [fst snd]. pose proof (Z.mod_pos_bound (x + y) w64 eq_refl) as Hm.
  split; [exact Hm|]. apply (lxor_range 64); [lia|now apply rotl_range|exact Hm].
Qed.

Lemma mix_injective : forall r x y x' y', 0 < r < 64 -> word64 x -> word64 y -> word64 x' -> word64 y' ->
  mix r (x, y) = mix r (x', y') -> x = x' /\ y = y'.
Proof.
  intros r x y x' y' Hr Hx Hy Hx' Hy' E.
  pose proof (threefry_unmix_mix r x y Hr Hx Hy) as P. pose proof (threefry_unmix_mix r x' y' Hr Hx' Hy') as Q.
  rewrite E, Q in P. injection P. auto.
Qed.

Theorem threefry_round_keeps_words : forall i b, words64 b -> words64 (threefry_round i b).
Proof.
  intros i [a0 a1 a2 a3] (H0 & H1 & H2 & H3). unfold threefry_round. cbn [c0 c1 c2 c3] in *.
  pose proof (rotations_in_range i) as R. destruct (nth (i mod 8) ROTATIONS (1, 1)) as [r s]. destruct R as [Hr Hs].
  destruct (Nat.even i).
  - generalize (mix_words r a0 a1 Hr H0 H1), (mix_words s a2 a3 Hs H2 H3).
    destruct (mix r (a0, a1)), (mix s (a2, a3)). cbn [fst snd]. intros [? ?] [? ?]. unfold words64. cbn [c0 c1 c2 c3]. auto.
  - generalize (mix_words r a0 a3 Hr H0 H3), (mix_words s a2 a1 Hs H2 H1).
    destruct (mix r (a0, a3)), (mix s (a2, a1)). cbn [fst snd]. intros [? ?] [? ?]. unfold words64. cbn [c0 c1 c2 c3]. auto.
Qed.

Theorem threefry_round_injective : forall i b b', words64 b -> words64 b' ->
  threefry_round i b = threefry_round i b' -> b = b'.
Proof.
  intros i [a0 a1 a2 a3] [d0 d1 d2 d3] (H0 & H1 & H2 & H3) (K0 & K1 & K2 & K3). unfold threefry_round.
  cbn [c0 c1 c2 c3] in *.
  pose proof (rotations_in_range i) as R. destruct (nth (i mod 8) ROTATIONS (1, 1)) as [r s]. destruct R as [Hr Hs].
  destruct (Nat.even i).
  - generalize (mix_injective r a0 a1 d0 d1 Hr H0 H1 K0 K1), (mix_injective s a2 a3 d2 d3 Hs H2 H3 K2 K3).
    destruct (mix r (a0, a1)), (mix r (d0, d1)), (mix s (a2, a3)), (mix s (d2, d3)). 
    intros P Q E. injection E. intros. subst. destruct (P eq_refl), (Q eq_refl). now subst.
  - generalize (mix_injective r a0 a3 d0 d3 Hr H0 H3 K0 K3), (mix_injective s a2 a1 d2 d1 Hs H2 H1 K2 K1).
    destruct (mix r (a0, a3)), (mix r (d0, d3)), (mix s (a2, a1)), (mix s (d2, d1)). 
    intros P Q E. injection E. intros. subst. destruct (P eq_refl), (Q eq_refl). now subst.
Qed.

Lemma inject_words : forall k s b, words64 (inject k s b).
Proof. intros. repeat split; apply add64_word. Qed.

Lemma inject_injective : forall k s b b', words64 b -> words64 b' -> inject k s b = inject k s b' -> b = b'.
Proof.
  intros k s [a0 a1 a2 a3] [d0 d1 d2 d3] (H0 & H1 & H2 & H3) (K0 & K1 & K2 & K3) E. unfold inject in E.
  cbn [c0 c1 c2 c3] in *. injection E. intros E3 E2 E1 E0.
  apply add64_injective in E0, E1, E2; auto. apply add64_injective in E3; try apply add64_word.
  apply add64_injective in E3; auto. now subst.
Qed.

Lemma threefry_words : forall n k b, words64 (threefry n k b).
Proof.
  induction n as [|n IH]; intros k b; cbn [threefry]; [apply inject_words|].
  destruct (S n mod 4 =? 0)%nat; [apply inject_words|apply threefry_round_keeps_words, IH].
Qed.

Theorem threefry_block_injective : forall n k b b', words64 b -> words64 b' ->
  threefry n k b = threefry n k b' -> b = b'.
Proof.
  induction n as [|n IH]; intros k b b' H H' E; cbn [threefry] in E; [now apply inject_injective in E|].
  apply (IH k); [exact H|exact H'|]. destruct (S n mod 4 =? 0)%nat.
  - apply inject_injective in E; try (apply threefry_round_keeps_words, threefry_words).
    now apply threefry_round_injective in E; try apply threefry_words.
  - now apply threefry_round_injective in E; try apply threefry_words.
Qed.

(* Known answers of Random123 for threefry4x64-20. *)
Theorem threefry_known_answers :
  threefry 20 (B 0 0 0 0) (B 0 0 0 0)
    = B 0x09218ebde6c85537 0x55941f5266d86105 0x4bd25e16282434dc 0xee29ec846bd2e40b /\
  threefry 20 (B 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff)
    (B 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff)
    = B 0x29c24097942bba1b 0x0371bbfb0f6f4e11 0x3c231ffa33f83a1c 0xcd29113fde32d168.
Proof. vm_compute. auto. Qed.
