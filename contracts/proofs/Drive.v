(* The loops of src/lanes/drive.rs and the tree of src/lanes/executor.rs.

   Ops: every pointwise op (map), every reduction (fold), their parallel forms.
   Algorithms: map runs blocks of four vectors, then single vectors, then once more the last whole vector, which
   was read before anything was written; below one vector, one masked vector. tree splits a range of more than
   a leaf's elements at the largest power of two of leaves below their count, and merges the parts in that tree. *)
From Coq Require Import Arith Bool Lia List PeanoNat.
Import ListNotations.

Lemma seq_split : forall a m n, m <= n -> seq a n = seq a m ++ seq (a + m) (n - m).
Proof. intros a m n H. rewrite <- seq_app. f_equal. lia. Qed.

(* while n - i >= s { visit i .. i + s; i += s }: the indices visited and the final i. *)
Fixpoint loop (fuel s n i : nat) : list nat * nat :=
  match fuel with
  | O => ([], i)
  | S f => if s <=? n - i then let (l, k) := loop f s n (i + s) in (seq i s ++ l, k) else ([], i)
  end.

Lemma loop_spec : forall fuel s n i, 0 < s -> i <= n -> n - i <= fuel ->
  let (l, k) := loop fuel s n i in l = seq i (k - i) /\ i <= k <= n /\ n - k < s.
Proof.
  induction fuel as [|f IH]; intros s n i Hs Hi Hf; cbn [loop].
  - rewrite Nat.sub_diag. simpl. repeat split; lia.
  - destruct (Nat.leb_spec s (n - i)) as [L|L].
    + specialize (IH s n (i + s) Hs ltac:(lia) ltac:(lia)). destruct (loop f s n (i + s)) as [l k].
      destruct IH as (E & B & T). subst l. repeat split; try lia.
      rewrite (seq_split i s (k - i)) by lia. do 2 f_equal. lia.
    + rewrite Nat.sub_diag. simpl. repeat split; lia.
Qed.

(* A loop with a masked tail: blocks of four vectors, vectors, then the elements left. *)
Definition full_part (lanes n : nat) : list nat * nat :=
  let (l4, i4) := loop n (4 * lanes) n 0 in
  let (l1, i1) := loop n lanes n i4 in (l4 ++ l1, i1).
Definition visited (lanes n : nat) : list nat :=
  let (l, i) := full_part lanes n in l ++ (if i <? n then seq i (n - i) else []).

Theorem vectors_and_tail_visit_each_index_once : forall lanes n, 0 < lanes -> visited lanes n = seq 0 n.
Proof.
  intros lanes n H. unfold visited, full_part.
  pose proof (loop_spec n (4 * lanes) n 0 ltac:(lia) ltac:(lia) ltac:(lia)) as A.
  destruct (loop n (4 * lanes) n 0) as [l4 i4]. destruct A as (-> & B4 & _).
  pose proof (loop_spec n lanes n i4 H ltac:(lia) ltac:(lia)) as A.
  destruct (loop n lanes n i4) as [l1 i1]. destruct A as (-> & B1 & _).
  rewrite Nat.sub_0_r. rewrite <- (Nat.add_0_l i4) at 2. rewrite <- seq_app.
  replace (i4 + (i1 - i4)) with i1 by lia.
  destruct (Nat.ltb_spec i1 n) as [L|L].
  - rewrite (seq_split 0 i1 n) by lia. reflexivity.
  - rewrite app_nil_r. f_equal. lia.
Qed.

Theorem masked_tail_is_shorter_than_a_vector : forall lanes n, 0 < lanes ->
  let i := snd (full_part lanes n) in i <= n /\ n - i = n mod lanes /\ i = n / lanes * lanes.
Proof.
  intros lanes n H. unfold full_part.
  assert (M : forall fuel s m i, 0 < s -> i <= m -> m - i <= fuel -> Nat.divide lanes s -> Nat.divide lanes i ->
    Nat.divide lanes (snd (loop fuel s m i))).
  { induction fuel as [|f IH]; intros s m i Hs Hi Hf Ds Di; cbn [loop]; [exact Di|].
    destruct (Nat.leb_spec s (m - i)) as [L|L]; [|exact Di].
    specialize (IH s m (i + s) Hs ltac:(lia) ltac:(lia) Ds (Nat.divide_add_r _ _ _ Di Ds)).
    destruct (loop f s m (i + s)). exact IH. }
  pose proof (M n (4 * lanes) n 0 ltac:(lia) ltac:(lia) ltac:(lia) ltac:(exists 4; lia) ltac:(exists 0; lia)) as D4.
  pose proof (loop_spec n (4 * lanes) n 0 ltac:(lia) ltac:(lia) ltac:(lia)) as A.
  destruct (loop n (4 * lanes) n 0) as [l4 i4]. destruct A as (_ & B4 & _). cbn [snd] in D4.
  pose proof (M n lanes n i4 H ltac:(lia) ltac:(lia) ltac:(exists 1; lia) D4) as D1.
  pose proof (loop_spec n lanes n i4 H ltac:(lia) ltac:(lia)) as A.
  destruct (loop n lanes n i4) as [l1 i1]. destruct A as (_ & B1 & T). cbn [snd] in *.
  destruct D1 as [q Q]. assert (E : n = lanes * q + (n - i1)) by lia.
  pose proof (Nat.div_unique n lanes q (n - i1) T E) as Dv. pose proof (Nat.mod_unique n lanes q (n - i1) T E) as Md.
  repeat split; [lia|exact Md|]. rewrite <- Dv. lia.
Qed.

(* map_raw on memory. src is what a load reads: the destination itself when in place, else x. *)
Section Map.
Context {V : Type}.
Variable body : V -> V.

Definition store (dst src : nat -> V) (a s : nat) : nat -> V :=
  fun p => if (a <=? p) && (p <? a + s) then body (src p) else dst p.

Fixpoint map_loop (in_place : bool) (x : nat -> V) (fuel s n i : nat) (m : nat -> V) : (nat -> V) * nat :=
  match fuel with
  | O => (m, i)
  | S f => if s <=? n - i
           then map_loop in_place x f s n (i + s) (store m (if in_place then m else x) i s)
           else (m, i)
  end.

Definition map_raw (in_place : bool) (lanes n : nat) (x y : nat -> V) : nat -> V :=
  if n <? lanes then store y x 0 n
  else
    let (m4, i4) := map_loop in_place x n (4 * lanes) n 0 y in
    let (m1, i1) := map_loop in_place x n lanes n i4 m4 in
    if i1 <? n then store m1 x (n - lanes) lanes else m1.

Definition done (x y : nat -> V) (i p : nat) : V := if p <? i then body (x p) else y p.

Lemma map_loop_spec : forall in_place x y, (in_place = true -> forall p, y p = x p) ->
  forall fuel s n i m, 0 < s -> i <= n -> n - i <= fuel -> (forall p, m p = done x y i p) ->
  let (m', k) := map_loop in_place x fuel s n i m in (forall p, m' p = done x y k p) /\ i <= k <= n /\ n - k < s.
Proof.
  intros in_place x y Hxy. induction fuel as [|f IH]; intros s n i m Hs Hi Hf Hm; cbn [map_loop].
  - repeat split; auto; lia.
  - destruct (Nat.leb_spec s (n - i)) as [L|L]; [|repeat split; auto; lia].
    specialize (IH s n (i + s) (store m (if in_place then m else x) i s) Hs ltac:(lia) ltac:(lia)).
    assert (Hm' : forall p, store m (if in_place then m else x) i s p = done x y (i + s) p).
    { intros p. unfold store, done. pose proof (Hm p) as E. unfold done in E.
      destruct (Nat.leb_spec i p); destruct (Nat.ltb_spec p (i + s)); destruct (Nat.ltb_spec p i); cbn [andb]; try lia;
        try exact E.
      destruct in_place; [|reflexivity]. rewrite E, (Hxy eq_refl). reflexivity. }
    specialize (IH Hm'). destruct (map_loop in_place x f s n (i + s) _) as [m' k].
    destruct IH as (A & B & C). repeat split; auto; lia.
Qed.

(* Each of the n elements becomes body (x), the rest of the memory stays, in place or not, any lane width;
   the overlap of the last two vectors does no harm. *)
Theorem map_writes_body_of_each_element : forall in_place lanes n x y, 0 < lanes ->
  (in_place = true -> forall p, y p = x p) ->
  forall p, map_raw in_place lanes n x y p = if p <? n then body (x p) else y p.
Proof.
  intros in_place lanes n x y H Hxy p. unfold map_raw.
  destruct (Nat.ltb_spec n lanes) as [S|S].
  - unfold store. reflexivity.
  - pose proof (map_loop_spec in_place x y Hxy n (4 * lanes) n 0 y ltac:(lia) ltac:(lia) ltac:(lia)
      (fun p => eq_refl)) as A.
    destruct (map_loop in_place x n (4 * lanes) n 0 y) as [m4 i4]. destruct A as (A & B & _).
    pose proof (map_loop_spec in_place x y Hxy n lanes n i4 m4 H ltac:(lia) ltac:(lia) A) as A1.
    destruct (map_loop in_place x n lanes n i4 m4) as [m1 i1]. destruct A1 as (A1 & B1 & C1).
    destruct (Nat.ltb_spec i1 n) as [L|L].
    + unfold store. rewrite A1. unfold done.
      destruct (Nat.leb_spec (n - lanes) p); destruct (Nat.ltb_spec p (n - lanes + lanes));
        destruct (Nat.ltb_spec p i1); destruct (Nat.ltb_spec p n); cbn [andb]; try reflexivity; lia.
    + rewrite A1. unfold done. replace i1 with n by lia. reflexivity.
Qed.
End Map.

(* The tree of leaves *)

Definition ceil_div (a b : nat) : nat := (a + b - 1) / b.
Definition next_power_of_two (a : nat) : nat := 2 ^ Nat.log2_up a.
Definition split (leaf n : nat) : nat := next_power_of_two (ceil_div (ceil_div n leaf) 2) * leaf.

Lemma ceil_div_spec : forall a b, 0 < b -> a <= ceil_div a b * b < a + b.
Proof.
  intros a b H. unfold ceil_div. pose proof (Nat.div_mod (a + b - 1) b ltac:(lia)) as E.
  pose proof (Nat.mod_upper_bound (a + b - 1) b ltac:(lia)). nia.
Qed.

Theorem split_is_largest_power_of_two_below : forall leaf n, 0 < leaf -> leaf < n ->
  exists k, split leaf n = 2 ^ k * leaf /\ 2 ^ k < ceil_div n leaf <= 2 * 2 ^ k.
Proof.
  intros leaf n Hl Hn. set (m := ceil_div n leaf). set (h := ceil_div m 2).
  pose proof (ceil_div_spec n leaf Hl) as A. fold m in A.
  pose proof (ceil_div_spec m 2 ltac:(lia)) as B. fold h in B.
  assert (Hm : 2 <= m) by nia. exists (Nat.log2_up h). split; [reflexivity|].
  destruct (Nat.eq_dec h 1) as [E|E].
  - rewrite E. change (Nat.log2_up 1) with 0. simpl. lia.
  - pose proof (Nat.log2_up_spec h ltac:(lia)) as [L U].
    assert (P : 2 ^ Nat.log2_up h = 2 * 2 ^ Nat.pred (Nat.log2_up h)).
    { pose proof (Nat.log2_up_pos h ltac:(lia)). destruct (Nat.log2_up h); [lia|]. simpl. lia. }
    lia.
Qed.

Theorem split_is_inside : forall leaf n, 0 < leaf -> leaf < n -> 0 < split leaf n < n.
Proof.
  intros leaf n Hl Hn. destruct (split_is_largest_power_of_two_below leaf n Hl Hn) as (k & -> & A & B).
  pose proof (ceil_div_spec n leaf Hl). pose proof (Nat.pow_nonzero 2 k ltac:(lia)).
  assert (2 ^ k * leaf + leaf <= ceil_div n leaf * leaf) by nia. nia.
Qed.

Inductive chunks := Chunk (start size : nat) | Fork (l r : chunks).

(* tree over base .. base + n; fuel n is enough because the parts are shorter. *)
Fixpoint chunk_tree (fuel leaf base n : nat) : chunks :=
  match fuel with
  | O => Chunk base n
  | S f => if n <=? leaf then Chunk base n
           else Fork (chunk_tree f leaf base (split leaf n))
                     (chunk_tree f leaf (base + split leaf n) (n - split leaf n))
  end.

Fixpoint covered (t : chunks) : list nat :=
  match t with Chunk a n => seq a n | Fork l r => covered l ++ covered r end.
Fixpoint chunks_ok (leaf : nat) (base : nat) (t : chunks) : Prop :=
  match t with Chunk a n => n <= leaf /\ Nat.divide leaf (a - base) /\ base <= a
  | Fork l r => chunks_ok leaf base l /\ chunks_ok leaf base r end.
Fixpoint height (t : chunks) : nat := match t with Chunk _ _ => 0 | Fork l r => S (max (height l) (height r)) end.

Theorem chunk_tree_covers_in_order : forall fuel leaf base n, 0 < leaf ->
  covered (chunk_tree fuel leaf base n) = seq base n.
Proof.
  induction fuel as [|f IH]; intros leaf base n H; cbn [chunk_tree]; [reflexivity|].
  destruct (Nat.leb_spec n leaf) as [L|L]; [reflexivity|]. cbn [covered]. rewrite !IH by exact H.
  pose proof (split_is_inside leaf n H L). symmetry. apply seq_split. lia.
Qed.

Theorem chunk_tree_leaves_are_aligned : forall fuel leaf base n, 0 < leaf -> n <= fuel ->
  chunks_ok leaf base (chunk_tree fuel leaf base n).
Proof.
  assert (G : forall fuel leaf base b n, 0 < leaf -> n <= fuel -> base <= b -> Nat.divide leaf (b - base) ->
    chunks_ok leaf base (chunk_tree fuel leaf b n)).
  { induction fuel as [|f IH]; intros leaf base b n H Hf Hb D; cbn [chunk_tree].
    - cbn [chunks_ok]. repeat split; [lia|exact D|exact Hb].
    - destruct (Nat.leb_spec n leaf) as [L|L]; [cbn [chunks_ok]; auto|].
      pose proof (split_is_inside leaf n H L) as I.
      destruct (split_is_largest_power_of_two_below leaf n H L) as (k & E & _).
      cbn [chunks_ok]. split; apply IH; auto; try lia.
      replace (b + split leaf n - base) with ((b - base) + split leaf n) by lia.
      apply Nat.divide_add_r; [exact D|]. exists (2 ^ k). exact E. }
  intros fuel leaf base n H Hf. apply G; auto. rewrite Nat.sub_diag. apply Nat.divide_0_r.
Qed.

(* At most k levels for up to 2^k leaves. *)
Theorem chunk_tree_height : forall k fuel leaf base n, 0 < leaf -> n <= 2 ^ k * leaf ->
  height (chunk_tree fuel leaf base n) <= k.
Proof.
  induction k as [|k IH]; intros fuel leaf base n H Hn.
  - destruct fuel as [|f]; cbn [chunk_tree height]; [lia|]. simpl in Hn.
    destruct (Nat.leb_spec n leaf); cbn [height]; lia.
  - destruct fuel as [|f]; cbn [chunk_tree height]; [lia|].
    destruct (Nat.leb_spec n leaf) as [L|L]; cbn [height]; [lia|].
    destruct (split_is_largest_power_of_two_below leaf n H L) as (j & E & A & B).
    pose proof (ceil_div_spec n leaf H) as C.
    assert (J : 2 ^ j <= 2 ^ k).
    { assert (2 ^ j < 2 ^ S k).
      { assert (ceil_div n leaf * leaf < (2 ^ S k + 1) * leaf) by nia. nia. }
      apply Nat.pow_le_mono_r; [lia|]. apply Nat.pow_lt_mono_r_iff in H0; lia. }
    assert (split leaf n <= 2 ^ k * leaf) by (rewrite E; nia).
    assert (n - split leaf n <= 2 ^ k * leaf).
    { rewrite E. assert (n <= 2 * 2 ^ j * leaf) by nia. nia. }
    pose proof (IH f leaf base (split leaf n) H H0).
    pose proof (IH f leaf (base + split leaf n) (n - split leaf n) H H1). lia.
Qed.

(* Any schedule: leaves are evaluated and finished parts merged in any order, by any thread; a step
   rewrites one place of the tree. Every run that ends in a value ends in the serial fold's value. *)
Section Schedule.
Context {V : Type}.
Variables (leaf_value : nat -> nat -> V) (merge : V -> V -> V).

Fixpoint serial (t : chunks) : V :=
  match t with Chunk a n => leaf_value a n | Fork l r => merge (serial l) (serial r) end.

Inductive work := Todo (t : chunks) | Join (a b : work) | Done (v : V).
Inductive step : work -> work -> Prop :=
  | run_leaf : forall a n, step (Todo (Chunk a n)) (Done (leaf_value a n))
  | run_serially : forall t, step (Todo t) (Done (serial t))
  | spawn : forall l r, step (Todo (Fork l r)) (Join (Todo l) (Todo r))
  | join : forall v w, step (Join (Done v) (Done w)) (Done (merge v w))
  | on_left : forall a a' b, step a a' -> step (Join a b) (Join a' b)
  | on_right : forall a b b', step b b' -> step (Join a b) (Join a b').
Inductive steps : work -> work -> Prop :=
  | stay : forall w, steps w w
  | more : forall a b c, step a b -> steps b c -> steps a c.

Fixpoint meaning (w : work) : V :=
  match w with Todo t => serial t | Join a b => merge (meaning a) (meaning b) | Done v => v end.

Lemma step_keeps_meaning : forall a b, step a b -> meaning a = meaning b.
Proof. intros a b H. induction H; cbn; try reflexivity; now rewrite IHstep. Qed.

Theorem any_schedule_gives_the_serial_result : forall t v, steps (Todo t) (Done v) -> v = serial t.
Proof.
  assert (G : forall a b, steps a b -> meaning a = meaning b).
  { intros a b H. induction H as [w|a b c S _ IH]; [reflexivity|]. rewrite (step_keeps_meaning _ _ S). exact IH. }
  intros t v H. apply G in H. cbn in H. congruence.
Qed.

(* No schedule gets stuck before it has a value. *)
Theorem a_schedule_can_always_go_on : forall w, (exists v, w = Done v) \/ exists w', step w w'.
Proof.
  induction w as [t|a [[v ->]|[a' Ha]] b [[x ->]|[b' Hb]]|v]; eauto using step.
Qed.
End Schedule.
