(* Index maps of packed panels and of quantised blocks.

   Ops: gemm (pack A, pack B), q4_0, q4_k, q5_k, q6_k quantise and dequantise, gemv on those formats.
   Algorithms: the index formulas of src/blas/gemm/pack.rs and of the GGML block layouts as in
   the reference. Everything is over natural numbers; bytes are numbers below 256. *)
From Coq Require Import NArith Arith Lia List Bool PeanoNat.
Import ListNotations.

(* GEMM panels. Element (i, p) of an A block (i < mc row, p < kc column) lies in panel i / MR, at
   row i mod MR of column p. B panels are the same map with (j, p) and NR. *)

Definition panel_index (mr kc i p : nat) : nat := i / mr * mr * kc + p * mr + i mod mr.
Definition panel_row (mr kc a : nat) : nat := a / (mr * kc) * mr + a mod mr.
Definition panel_col (mr kc a : nat) : nat := a mod (mr * kc) / mr.

Lemma div_mod_place : forall b q r, r < b -> (q * b + r) / b = q /\ (q * b + r) mod b = r.
Proof.
  intros b q r H. split.
  - symmetry. apply Nat.div_unique with r; [exact H|ring].
  - symmetry. apply Nat.mod_unique with q; [exact H|ring].
Qed.

Theorem panel_unpack_pack : forall mr kc i p, 0 < mr -> p < kc ->
  panel_row mr kc (panel_index mr kc i p) = i /\ panel_col mr kc (panel_index mr kc i p) = p.
Proof.
  intros mr kc i p Hm Hp. unfold panel_row, panel_col, panel_index.
  pose proof (Nat.mod_upper_bound i mr ltac:(lia)) as Hr. pose proof (Nat.div_mod i mr ltac:(lia)) as Hi.
  set (q := i / mr) in *. set (r := i mod mr) in *.
  assert (Hs : p * mr + r < mr * kc) by nia.
  replace (q * mr * kc + p * mr + r) with (q * (mr * kc) + (p * mr + r)) by ring.
  destruct (div_mod_place (mr * kc) q (p * mr + r) Hs) as [-> ->].
  replace (q * (mr * kc) + (p * mr + r)) with ((q * kc + p) * mr + r) by ring.
  destruct (div_mod_place mr (q * kc + p) r Hr) as [_ ->].
  destruct (div_mod_place mr p r Hr) as [-> _]. lia.
Qed.

Theorem panel_pack_unpack : forall mr kc a, 0 < mr -> 0 < kc ->
  panel_index mr kc (panel_row mr kc a) (panel_col mr kc a) = a /\ panel_col mr kc a < kc.
Proof.
  intros mr kc a Hm Hk. unfold panel_row, panel_col, panel_index.
  pose proof (Nat.mod_upper_bound a mr ltac:(lia)) as Hr.
  assert (Hmk : mr * kc <> 0) by nia.
  pose proof (Nat.div_mod a (mr * kc) Hmk) as Ha. pose proof (Nat.mod_upper_bound a (mr * kc) Hmk) as Hb.
  set (q := a / (mr * kc)) in *. set (b := a mod (mr * kc)) in *.
  assert (E : a mod mr = b mod mr).
  { rewrite Ha. replace (mr * kc * q + b) with (b + kc * q * mr) by ring. apply Nat.mod_add. lia. }
  pose proof (Nat.div_mod b mr ltac:(lia)) as Hbm.
  destruct (div_mod_place mr q (a mod mr) Hr) as [-> ->]. split.
  - rewrite E. rewrite Ha at 1. rewrite Hbm at 3. ring_simplify. lia.
  - apply Nat.div_lt_upper_bound; lia.
Qed.

(* A whole block: rows padded up to full panels fill exactly panels * mr * kc places. *)
Theorem panel_index_in_buffer : forall mr kc panels i p, 0 < mr -> i < panels * mr -> p < kc ->
  panel_index mr kc i p < panels * mr * kc.
Proof.
  intros mr kc panels i p Hm Hi Hp. unfold panel_index.
  pose proof (Nat.mod_upper_bound i mr ltac:(lia)) as Hr.
  assert (Hq : i / mr < panels) by (apply Nat.div_lt_upper_bound; lia).
  set (q := i / mr) in *. set (r := i mod mr) in *.
  apply Nat.lt_le_trans with (q * mr * kc + kc * mr).
  - assert (p * mr + r < kc * mr) by nia. lia.
  - replace (q * mr * kc + kc * mr) with ((q + 1) * (mr * kc)) by ring.
    replace (panels * mr * kc) with (panels * (mr * kc)) by ring. apply Nat.mul_le_mono_r. lia.
Qed.

Theorem panel_row_in_block : forall mr kc panels a, 0 < mr -> 0 < kc -> a < panels * mr * kc ->
  panel_row mr kc a < panels * mr.
Proof.
  intros mr kc panels a Hm Hk Ha. unfold panel_row.
  pose proof (Nat.mod_upper_bound a mr ltac:(lia)) as Hr.
  assert (Hq : a / (mr * kc) < panels) by (apply Nat.div_lt_upper_bound; nia). nia.
Qed.

(* Strided views: with row stride rs >= cols, (i, j) -> i * rs + j never meets another element. *)
Theorem strided_view_injective : forall rs cols i j i' j', cols <= rs -> j < cols -> j' < cols ->
  i * rs + j = i' * rs + j' -> i = i' /\ j = j'.
Proof.
  intros rs cols i j i' j' H Hj Hj' E.
  destruct (div_mod_place rs i j ltac:(lia)) as [A B]. destruct (div_mod_place rs i' j' ltac:(lia)) as [C D].
  rewrite E in A, B. split; congruence.
Qed.

(* Checking a statement on all numbers below n by running it. *)
Definition all_below (n : nat) (f : N -> bool) : bool := forallb f (map N.of_nat (seq 0 n)).

Lemma all_below_spec : forall n f, all_below n f = true -> forall x, (x < N.of_nat n)%N -> f x = true.
Proof.
  intros n f H x Hx. unfold all_below in H. rewrite forallb_forall in H. apply H.
  apply in_map_iff. exists (N.to_nat x). split; [apply N2Nat.id|]. apply in_seq. lia.
Qed.

Open Scope N_scope.

Lemma check2 : forall a b f, all_below a (fun x => all_below b (f x)) = true ->
  forall x y, x < N.of_nat a -> y < N.of_nat b -> f x y = true.
Proof.
  intros a b f H x y Hx Hy. pose proof (all_below_spec a _ H x Hx) as G. cbv beta in G.
  exact (all_below_spec b _ G y Hy).
Qed.

(* Q4_K / Q5_K: eight 6-bit scales and eight 6-bit minima in twelve bytes. For i in 0..3, with the
   two six-bit scales s = sc[i], s' = sc[4+i] and minima m = mn[i], m' = mn[4+i]: *)
Definition pack_low (x x' : N) : N := N.lor x (N.shiftl (N.shiftr x' 4) 6).              (* b[i], b[i+4] *)
Definition pack_high (s' m' : N) : N := N.lor (N.land s' 15) (N.shiftl (N.land m' 15) 4). (* b[i+8] *)
Definition unpack_sc (b0 b4 b8 : N) : N * N := (N.land b0 63, N.lor (N.land b8 15) (N.shiftl (N.shiftr b0 6) 4)).
Definition unpack_mn (b0 b4 b8 : N) : N * N := (N.land b4 63, N.lor (N.shiftr b8 4) (N.shiftl (N.shiftr b4 6) 4)).

Lemma low_six : forall x x', x < 64 -> x' < 64 ->
  N.land (pack_low x x') 63 = x /\ N.shiftr (pack_low x x') 6 = N.shiftr x' 4 /\ pack_low x x' < 256.
Proof.
  intros x x' Hx Hx'.
  pose proof (check2 64 64 (fun x x' => (N.land (pack_low x x') 63 =? x)
     && (N.shiftr (pack_low x x') 6 =? N.shiftr x' 4) && (pack_low x x' <? 256)) ltac:(vm_compute; reflexivity)
     x x' Hx Hx') as H. cbv beta in H.
  apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [A B].
  apply N.eqb_eq in A, B. apply N.ltb_lt in C. auto.
Qed.

Lemma high_four : forall s m, s < 64 -> m < 64 ->
  N.lor (N.land (pack_high s m) 15) (N.shiftl (N.shiftr s 4) 4) = s /\
  N.lor (N.shiftr (pack_high s m) 4) (N.shiftl (N.shiftr m 4) 4) = m /\ pack_high s m < 256.
Proof.
  intros s m Hs Hm.
  pose proof (check2 64 64 (fun s m => (N.lor (N.land (pack_high s m) 15) (N.shiftl (N.shiftr s 4) 4) =? s)
     && (N.lor (N.shiftr (pack_high s m) 4) (N.shiftl (N.shiftr m 4) 4) =? m) && (pack_high s m <? 256))
     ltac:(vm_compute; reflexivity) s m Hs Hm) as H. cbv beta in H.
  apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [A B].
  apply N.eqb_eq in A, B. apply N.ltb_lt in C. auto.
Qed.

Theorem k_scales_unpack_pack : forall s s' m m', s < 64 -> s' < 64 -> m < 64 -> m' < 64 ->
  let b0 := pack_low s s' in let b4 := pack_low m m' in let b8 := pack_high s' m' in
  unpack_sc b0 b4 b8 = (s, s') /\ unpack_mn b0 b4 b8 = (m, m') /\ b0 < 256 /\ b4 < 256 /\ b8 < 256.
Proof.
  intros s s' m m' Hs Hs' Hm Hm'. cbv zeta. unfold unpack_sc, unpack_mn.
  destruct (low_six s s' Hs Hs') as (A & B & C). destruct (low_six m m' Hm Hm') as (D & E & F).
  destruct (high_four s' m' Hs' Hm') as (G & H & I). rewrite A, B, D, E, G, H. auto.
Qed.

(* The other way: packing what was unpacked gives the same three bytes, so the map is a bijection
   between 96 bits and 96 bits. *)
Lemma repack_low : forall b b8, b < 256 -> b8 < 16 ->
  pack_low (N.land b 63) (N.lor b8 (N.shiftl (N.shiftr b 6) 4)) = b /\
  N.land (N.lor b8 (N.shiftl (N.shiftr b 6) 4)) 15 = b8 /\ N.lor b8 (N.shiftl (N.shiftr b 6) 4) < 64.
Proof.
  intros b b8 Hb H8.
  pose proof (check2 256 16 (fun b b8 => (pack_low (N.land b 63) (N.lor b8 (N.shiftl (N.shiftr b 6) 4)) =? b)
     && (N.land (N.lor b8 (N.shiftl (N.shiftr b 6) 4)) 15 =? b8)
     && (N.lor b8 (N.shiftl (N.shiftr b 6) 4) <? 64)) ltac:(vm_compute; reflexivity) b b8 Hb H8) as H.
  cbv beta in H. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [A B].
  apply N.eqb_eq in A, B. apply N.ltb_lt in C. auto.
Qed.

Lemma nibbles : forall b, b < 256 ->
  N.land b 15 < 16 /\ N.shiftr b 4 < 16 /\ N.lor (N.land b 15) (N.shiftl (N.shiftr b 4) 4) = b.
Proof.
  intros b Hb. pose proof (all_below_spec 256 (fun b => (N.land b 15 <? 16) && (N.shiftr b 4 <? 16)
    && (N.lor (N.land b 15) (N.shiftl (N.shiftr b 4) 4) =? b)) ltac:(vm_compute; reflexivity) b Hb) as H.
  cbv beta in H. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [A B].
  apply N.eqb_eq in C. apply N.ltb_lt in A, B. auto.
Qed.

Theorem k_scales_pack_unpack : forall b0 b4 b8, b0 < 256 -> b4 < 256 -> b8 < 256 ->
  let (s, s') := unpack_sc b0 b4 b8 in let (m, m') := unpack_mn b0 b4 b8 in
  pack_low s s' = b0 /\ pack_low m m' = b4 /\ pack_high s' m' = b8.
Proof.
  intros b0 b4 b8 H0 H4 H8. unfold unpack_sc, unpack_mn, pack_high.
  destruct (nibbles b8 H8) as (A & B & C).
  destruct (repack_low b0 _ H0 A) as (D & E & _). destruct (repack_low b4 _ H4 B) as (F & G & _).
  rewrite D, E, F, G. auto.
Qed.

(* Nibbles of a byte: pack and unpack are inverse (Q4_0, Q4_1, Q4_K, NF4). *)
Theorem nibble_unpack_pack : forall lo hi, lo < 16 -> hi < 16 ->
  let b := N.lor lo (N.shiftl hi 4) in N.land b 15 = lo /\ N.shiftr b 4 = hi /\ b < 256.
Proof.
  intros lo hi Hl Hh. cbv zeta. pose proof (check2 16 16 (fun lo hi =>
    (N.land (N.lor lo (N.shiftl hi 4)) 15 =? lo) && (N.shiftr (N.lor lo (N.shiftl hi 4)) 4 =? hi)
    && (N.lor lo (N.shiftl hi 4) <? 256)) ltac:(vm_compute; reflexivity) lo hi Hl Hh) as H.
  cbv beta in H. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [A B].
  apply N.eqb_eq in A, B. apply N.ltb_lt in C. auto.
Qed.

(* Where an element's bits lie: (byte, first bit). A map is a bijection onto n places when all n
   images differ and lie in range. *)
Close Scope N_scope.

Definition images (n : nat) (f : nat -> nat) : list nat := map f (seq 0 n).
Definition is_permutation (n : nat) (f : nat -> nat) : bool :=
  let im := images n f in
  forallb (fun a => existsb (fun b => b =? a) im) (seq 0 n) && forallb (fun b => b <? n) im.

Lemma is_permutation_spec : forall n f, is_permutation n f = true ->
  (forall e, e < n -> f e < n) /\ (forall a, a < n -> exists e, e < n /\ f e = a) /\
  (forall e e', e < n -> e' < n -> f e = f e' -> e = e').
Proof.
  intros n f H. unfold is_permutation in H. cbv zeta in H. apply andb_prop in H. destruct H as [S I].
  rewrite forallb_forall in S, I.
  assert (Hin : forall e, e < n -> f e < n).
  { intros e He. apply Nat.ltb_lt. apply I. unfold images. apply in_map. apply in_seq. lia. }
  assert (Hsur : forall a, a < n -> exists e, e < n /\ f e = a).
  { intros a Ha. specialize (S a ltac:(apply in_seq; lia)). apply existsb_exists in S.
    destruct S as [b [Hb E]]. apply Nat.eqb_eq in E. subst b. unfold images in Hb.
    apply in_map_iff in Hb. destruct Hb as [e [E He]]. apply in_seq in He. exists e. split; [lia|exact E]. }
  split; [exact Hin|]. split; [exact Hsur|].
  assert (ND : NoDup (images n f)).
  { apply NoDup_incl_NoDup with (l := seq 0 n).
    - apply seq_NoDup.
    - unfold images. rewrite map_length. lia.
    - intros a Ha. apply in_seq in Ha. destruct (Hsur a ltac:(lia)) as [e [He E]].
      unfold images. apply in_map_iff. exists e. split; [exact E|apply in_seq; lia]. }
  intros e e' He He' E. unfold images in ND.
  assert (L : length (map f (seq 0 n)) = n) by now rewrite map_length, seq_length.
  apply (proj1 (NoDup_nth (map f (seq 0 n)) (f 0)) ND); rewrite ?L; auto.
  rewrite !map_nth, !seq_nth by assumption. exact E.
Qed.

(* Q4_0, Q4_1, Q5_0, Q5_1: element e of 32 lies in byte e mod 16, low nibble first; place = 2 byte + half. *)
Definition q4_0_place (e : nat) : nat := 2 * (e mod 16) + e / 16.
(* Q4_K, Q5_K: element e of 256: chunk c = e / 64, byte 32 c + e mod 32, half e / 32 mod 2. *)
Definition q4_k_place (e : nat) : nat := 2 * (32 * (e / 64) + e mod 32) + e / 32 mod 2.
(* Q5_K fifth bit: bit j = e / 32 of byte qh[e mod 32]; place = 8 byte + bit. *)
Definition q5_k_bit_place (e : nat) : nat := 8 * (e mod 32) + e / 32.
(* Q6_K: half h = e / 128, quarter k = e / 32 mod 4, l = e mod 32: ql byte 64 h + l + 32 (k mod 2), nibble k / 2;
   qh byte 32 h + l, bits 2k and 2k+1 (place = 4 byte + k); scale 8 h + l / 16 + 2 k. *)
Definition q6_k_low_place (e : nat) : nat :=
  2 * (64 * (e / 128) + e mod 32 + 32 * (e / 32 mod 2)) + e / 64 mod 2.
Definition q6_k_high_place (e : nat) : nat := 4 * (32 * (e / 128) + e mod 32) + e / 32 mod 4.
Definition q6_k_scale (e : nat) : nat := 8 * (e / 128) + e mod 32 / 16 + 2 * (e / 32 mod 4).

Definition bijective_below (n : nat) (f : nat -> nat) : Prop :=
  (forall e, e < n -> f e < n) /\ (forall a, a < n -> exists e, e < n /\ f e = a) /\
  (forall e e', e < n -> e' < n -> f e = f e' -> e = e').

Theorem q4_0_places_bijective : bijective_below 32 q4_0_place.
Proof. apply is_permutation_spec. vm_compute. reflexivity. Qed.
Theorem q4_k_places_bijective : bijective_below 256 q4_k_place.
Proof. apply is_permutation_spec. vm_compute. reflexivity. Qed.
Theorem q5_k_bit_places_bijective : bijective_below 256 q5_k_bit_place.
Proof. apply is_permutation_spec. vm_compute. reflexivity. Qed.
Theorem q6_k_low_places_bijective : bijective_below 256 q6_k_low_place.
Proof. apply is_permutation_spec. vm_compute. reflexivity. Qed.
Theorem q6_k_high_places_bijective : bijective_below 256 q6_k_high_place.
Proof. apply is_permutation_spec. vm_compute. reflexivity. Qed.

(* Sixteen consecutive elements share one of the sixteen Q6_K scales, and the scale is e / 16. *)
Theorem q6_k_scale_is_run_of_16 : forall e, e < 256 -> q6_k_scale e = e / 16.
Proof.
  intros e He. assert (H : forallb (fun e => q6_k_scale e =? e / 16) (seq 0 256) = true) by (vm_compute; reflexivity).
  rewrite forallb_forall in H. apply Nat.eqb_eq. apply H. apply in_seq. lia.
Qed.

(* Q6_K values: four 6-bit values per (ql[l], ql[l+32], qh[l]); the reference's q1..q4. *)
Open Scope N_scope.
Definition q6_pack (q1 q2 q3 q4 : N) : N * N * N :=
  (N.lor (N.land q1 15) (N.shiftl (N.land q3 15) 4), N.lor (N.land q2 15) (N.shiftl (N.land q4 15) 4),
   N.lor (N.lor (N.shiftr q1 4) (N.shiftl (N.shiftr q2 4) 2))
         (N.lor (N.shiftl (N.shiftr q3 4) 4) (N.shiftl (N.shiftr q4 4) 6))).
Definition q6_unpack (a b h : N) : N * N * N * N :=
  (N.lor (N.land a 15) (N.shiftl (N.land h 3) 4),
   N.lor (N.land b 15) (N.shiftl (N.land (N.shiftr h 2) 3) 4),
   N.lor (N.shiftr a 4) (N.shiftl (N.land (N.shiftr h 4) 3) 4),
   N.lor (N.shiftr b 4) (N.shiftl (N.shiftr h 6) 4)).

Lemma q6_high : forall h1 h2 h3 h4, h1 < 4 -> h2 < 4 -> h3 < 4 -> h4 < 4 ->
  let h := N.lor (N.lor h1 (N.shiftl h2 2)) (N.lor (N.shiftl h3 4) (N.shiftl h4 6)) in
  N.land h 3 = h1 /\ N.land (N.shiftr h 2) 3 = h2 /\ N.land (N.shiftr h 4) 3 = h3 /\ N.shiftr h 6 = h4.
Proof.
  intros h1 h2 h3 h4 H1 H2 H3 H4.
  assert (C : forall h, h < 4 -> h = 0 \/ h = 1 \/ h = 2 \/ h = 3) by lia.
  destruct (C _ H1) as [-> | [-> | [-> | ->]]]; destruct (C _ H2) as [-> | [-> | [-> | ->]]];
  destruct (C _ H3) as [-> | [-> | [-> | ->]]]; destruct (C _ H4) as [-> | [-> | [-> | ->]]]; vm_compute; auto.
Qed.

Theorem q6_unpack_pack : forall q1 q2 q3 q4, q1 < 64 -> q2 < 64 -> q3 < 64 -> q4 < 64 ->
  let '(a, b, h) := q6_pack q1 q2 q3 q4 in q6_unpack a b h = (q1, q2, q3, q4).
Proof.
  intros q1 q2 q3 q4 H1 H2 H3 H4. unfold q6_pack, q6_unpack.
  assert (Sx : forall q, q < 64 -> N.land q 15 < 16 /\ N.shiftr q 4 < 4 /\
    N.lor (N.land q 15) (N.shiftl (N.shiftr q 4) 4) = q).
  { intros q Hq. pose proof (all_below_spec 64 (fun q => (N.land q 15 <? 16) && (N.shiftr q 4 <? 4)
      && (N.lor (N.land q 15) (N.shiftl (N.shiftr q 4) 4) =? q)) ltac:(vm_compute; reflexivity) q Hq) as H.
    cbv beta in H. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [A B].
    apply N.eqb_eq in C. apply N.ltb_lt in A, B. auto. }
  destruct (Sx _ H1) as (A1 & B1 & C1). destruct (Sx _ H2) as (A2 & B2 & C2).
  destruct (Sx _ H3) as (A3 & B3 & C3). destruct (Sx _ H4) as (A4 & B4 & C4).
  destruct (nibble_unpack_pack _ _ A1 A3) as (D1 & E1 & _). destruct (nibble_unpack_pack _ _ A2 A4) as (D2 & E2 & _).
  destruct (q6_high _ _ _ _ B1 B2 B3 B4) as (F1 & F2 & F3 & F4).
  rewrite D1, E1, D2, E2, F1, F2, F3, F4, C1, C2, C3, C4. reflexivity.
Qed.
