(* The sums that fold evaluates, each as one tree, and their error bounds.

   Ops: sum, mean (eight accumulators), sum_kahan (four, as its state is a pair).
   Algorithm (src/lanes/fold.rs), W = 2^h lanes: in a leaf of at most LEAF elements every accumulator of W lanes
   starts from the identity 0. wide: blocks of 8 W elements go to accumulators 0..7, then 4 W to 0..3; else blocks of
   4 W go to 4..7. Then 2 W to 4 and 5, W to 6, the tail, filled with 0, to 7. Merged ((4+5)+(6+7)), when wide
   ((0+1)+(2+3)) before that. Lane j is merged with lane j + W/2, and so on by halves. Leaves are merged
   by chunk_tree of Drive.v.
   Proved: the leaves of the tree sum to x0 + ... + x(n-1), each once, the depth is at most LEAF/(8W) + 4 + k + h
   when wide, LEAF/(4W) + 4 + k + h else, for n <= 2^k LEAF, so the error is at most ((1+u)^that - 1) sum |x|. *)
From Coq Require Import Reals Lra Lia ZArith List PeanoNat.
From Flocq Require Import Core.
From Fulmen Require Import Summation Compensated Drive.
Import ListNotations.
Open Scope R_scope.

Fixpoint tval (g : R -> R) (t : tree) : R :=
  match t with Leaf x => g x | Node l r => tval g l + tval g r end.
Fixpoint rsum (n : nat) (f : nat -> R) : R := match n with O => 0 | S k => rsum k f + f k end.
Fixpoint lsum (f : nat -> R) (l : list nat) : R := match l with [] => 0 | s :: r => f s + lsum f r end.

Lemma exact_tval : forall t, exact t = tval (fun x => x) t.
Proof. induction t; simpl; congruence. Qed.
Lemma mag_tval : forall t, mag t = tval Rabs t.
Proof. induction t; simpl; congruence. Qed.

Lemma rsum_app : forall a b f, rsum (a + b) f = rsum a f + rsum b (fun i => f (a + i)%nat).
Proof.
  intros a b f. induction b as [|b IH]; [rewrite Nat.add_0_r; simpl; ring|].
  rewrite Nat.add_succ_r. simpl. rewrite IH. ring.
Qed.
Lemma rsum_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> rsum n f = rsum n g.
Proof.
  induction n as [|n IH]; intros f g H; simpl; [reflexivity|].
  rewrite (IH f g) by (intros; apply H; lia). now rewrite H by lia.
Qed.
Lemma rsum_plus : forall n f g, rsum n (fun i => f i + g i) = rsum n f + rsum n g.
Proof. induction n as [|n IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma rsum_0 : forall n f, (forall i, (i < n)%nat -> f i = 0) -> rsum n f = 0.
Proof.
  induction n as [|n IH]; intros f H; simpl; [reflexivity|]. rewrite IH by (intros; apply H; lia). rewrite H by lia. ring.
Qed.
Lemma lsum_app : forall f a b, lsum f (a ++ b) = lsum f a + lsum f b.
Proof. induction a as [|s a IH]; intros b; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma rsum_lsum : forall n (f : nat -> nat -> R) l,
  rsum n (fun j => lsum (f j) l) = lsum (fun s => rsum n (fun j => f j s)) l.
Proof. induction l as [|s l IH]; simpl; [apply rsum_0; auto|]. rewrite rsum_plus, IH. reflexivity. Qed.

(* One lane of one accumulator: from 0, the vectors that start at the given places. *)
Definition lane_acc (v : nat -> R) (starts : list nat) (j : nat) : tree :=
  fold_left (fun t x => Node t (Leaf x)) (map (fun s => v (s + j)%nat) starts) (Leaf 0).

(* The four places after the unrolled loop: of the 4 W, the 2 W, the W and the tail step, and the end. *)
Definition unroll (wide : bool) : nat := if wide then 8 else 4.
Definition blocks (wide : bool) (w n : nat) : nat := n / (unroll wide * w).
Definition p4 (wide : bool) (w n : nat) : nat := blocks wide w n * (unroll wide * w).
Definition p2 (wide : bool) (w n : nat) : nat :=
  p4 wide w n + (if (wide && (4 * w <=? n - p4 wide w n))%bool then 4 * w else 0).
Definition p1 (wide : bool) (w n : nat) : nat :=
  p2 wide w n + (if (2 * w <=? n - p2 wide w n) then 2 * w else 0).
Definition p0 (wide : bool) (w n : nat) : nat :=
  p1 wide w n + (if (w <=? n - p1 wide w n) then w else 0).

Definition one (c : bool) (s : nat) : list nat := if c then [s] else [].

(* Where the vectors of accumulator k start. *)
Definition starts (wide : bool) (w n k : nat) : list nat :=
  let in_loop first := map (fun b => (b * (unroll wide * w) + (k - first) * w)%nat) (seq 0 (blocks wide w n)) in
  match k with
  | 4 | 5 => in_loop (if wide then 0 else 4) ++ one (2 * w <=? n - p2 wide w n) (p2 wide w n + (k - 4) * w)
  | 6 => in_loop (if wide then 0 else 4) ++ one (w <=? n - p1 wide w n) (p1 wide w n)
  | 7 => in_loop (if wide then 0 else 4) ++ one (p0 wide w n <? n) (p0 wide w n)
  | _ => if wide then in_loop 0 ++ one (4 * w <=? n - p4 wide w n) (p4 wide w n + k * w) else []
  end%nat.

(* Elements past the end read 0. *)
Definition filled (x : nat -> R) (n i : nat) : R := if (i <? n)%nat then x i else 0.

Definition leaf_lane (wide : bool) (w : nat) (x : nat -> R) (n j : nat) : tree :=
  let c k := lane_acc (filled x n) (starts wide w n k) j in
  let b := Node (Node (c 4%nat) (c 5%nat)) (Node (c 6%nat) (c 7%nat)) in
  if wide then Node (Node (Node (c 0%nat) (c 1%nat)) (Node (c 2%nat) (c 3%nat))) b else b.

(* Merging lanes by halves: 2^h lanes. *)
Fixpoint halves (h : nat) (f : nat -> tree) : tree :=
  match h with O => f O | S h' => halves h' (fun j => Node (f j) (f (j + 2 ^ h')%nat)) end.

Fixpoint fold_tree (wide : bool) (h : nat) (x : nat -> R) (t : chunks) : tree :=
  match t with
  | Chunk base n => halves h (leaf_lane wide (2 ^ h) (fun i => x (base + i)%nat) n)
  | Fork l r => Node (fold_tree wide h x l) (fold_tree wide h x r)
  end.

Definition drive_tree (wide : bool) (leaf h : nat) (x : nat -> R) (n : nat) : tree :=
  fold_tree wide h x (chunk_tree n leaf 0 n).

(* What the tree sums *)

Section Value.
Variable g : R -> R.
Hypothesis g0 : g 0 = 0.

Lemma tval_lane_acc : forall v l j, tval g (lane_acc v l j) = lsum (fun s => g (v (s + j)%nat)) l.
Proof.
  intros v l j. unfold lane_acc.
  assert (G : forall l t, tval g (fold_left (fun t x => Node t (Leaf x)) (map (fun s => v (s + j)%nat) l) t)
                          = tval g t + lsum (fun s => g (v (s + j)%nat)) l).
  { clear. induction l as [|s l IH]; intros t; simpl; [ring|]. rewrite IH. simpl. ring. }
  rewrite G. simpl. rewrite g0. ring.
Qed.

Lemma lsum_map : forall f (a : nat -> nat) m, lsum f (map a (seq 0 m)) = rsum m (fun b => f (a b)).
Proof.
  intros f a m. assert (G : forall m k, lsum f (map a (seq k m)) = rsum m (fun b => f (a (k + b)%nat))).
  { clear. induction m as [|m IH]; intros k; [reflexivity|]. rewrite seq_S, map_app, lsum_app, IH. simpl. ring. }
  rewrite G. reflexivity.
Qed.

(* q vectors of w elements, one after the other. *)
Lemma rsum_vectors : forall q w f, rsum (q * w) f = rsum q (fun b => rsum w (fun j => f (b * w + j)%nat)).
Proof.
  induction q as [|q IH]; intros w f; [reflexivity|].
  replace (S q * w)%nat with (q * w + w)%nat by lia. rewrite rsum_app, IH. reflexivity.
Qed.

Lemma leaf_value : forall wide w x n, (0 < w)%nat ->
  rsum w (fun j => tval g (leaf_lane wide w x n j)) = rsum n (fun i => g (x i)).
Proof.
  intros wide w x n Hw. set (G := fun i => g (filled x n i)).
  set (F := fun s => rsum w (fun j => G (s + j)%nat)).
  assert (Acc : forall k, rsum w (fun j => tval g (lane_acc (filled x n) (starts wide w n k) j))
                          = lsum F (starts wide w n k)).
  { intros k. unfold F. rewrite <- rsum_lsum. apply rsum_ext. intros j _. apply tval_lane_acc. }
  assert (Hu : (unroll wide <> 0)%nat) by (destruct wide; discriminate).
  pose proof (Nat.div_mod n (unroll wide * w) ltac:(nia)) as D.
  pose proof (Nat.mod_upper_bound n (unroll wide * w) ltac:(nia)) as U.
  fold (blocks wide w n) in D. set (q := blocks wide w n) in *.
  assert (D4 : (p4 wide w n <= n)%nat /\ (n - p4 wide w n < unroll wide * w)%nat).
  { unfold p4. fold q. lia. }
  (* A run of m whole vectors from p, summed vector by vector. *)
  assert (Run : forall m p, rsum (m * w) (fun i => G (p + i)%nat) = rsum m (fun b => F (p + b * w)%nat)).
  { intros m p. rewrite rsum_vectors. apply rsum_ext. intros b _. unfold F. apply rsum_ext. intros. f_equal. lia. }
  assert (E : rsum n (fun i => g (x i)) = rsum n G).
  { apply rsum_ext. intros i Hi. unfold G, filled. destruct (Nat.ltb_spec i n); [reflexivity|lia]. }
  (* The unrolled loop. *)
  assert (Loop : rsum (p4 wide w n) G
     = rsum q (fun b => rsum (unroll wide) (fun k => F (b * (unroll wide * w) + k * w)%nat))).
  { unfold p4. fold q. rewrite rsum_vectors. apply rsum_ext. intros b _.
    apply (Run (unroll wide) (b * (unroll wide * w))%nat). }
  (* The steps after it. *)
  assert (S4 : rsum (p2 wide w n) G = rsum (p4 wide w n) G
     + (if (wide && (4 * w <=? n - p4 wide w n)%nat)%bool then rsum 4 (fun k => F (p4 wide w n + k * w)%nat) else 0)).
  { unfold p2. destruct (wide && (4 * w <=? n - p4 wide w n)%nat)%bool; rewrite rsum_app; [|simpl; ring].
    now rewrite (Run 4%nat). }
  assert (S2 : rsum (p1 wide w n) G = rsum (p2 wide w n) G
     + (if (2 * w <=? n - p2 wide w n)%nat then rsum 2 (fun k => F (p2 wide w n + k * w)%nat) else 0)).
  { unfold p1. destruct (2 * w <=? n - p2 wide w n)%nat; rewrite rsum_app; [|simpl; ring]. now rewrite (Run 2%nat). }
  assert (S1 : rsum (p0 wide w n) G = rsum (p1 wide w n) G
     + (if (w <=? n - p1 wide w n)%nat then F (p1 wide w n) else 0)).
  { unfold p0. destruct (w <=? n - p1 wide w n)%nat; rewrite rsum_app; [reflexivity|simpl; ring]. }
  assert (D2 : (p2 wide w n <= n)%nat /\ (n - p2 wide w n < 4 * w)%nat).
  { unfold p2. destruct wide; cbn [andb unroll] in *; [|lia]. destruct (Nat.leb_spec (4 * w) (n - p4 true w n)); lia. }
  assert (D1 : (p1 wide w n <= n)%nat /\ (n - p1 wide w n < 2 * w)%nat).
  { unfold p1. destruct (Nat.leb_spec (2 * w) (n - p2 wide w n)); lia. }
  assert (D0 : (p0 wide w n <= n)%nat /\ (n - p0 wide w n < w)%nat).
  { unfold p0. destruct (Nat.leb_spec w (n - p1 wide w n)); lia. }
  assert (S0 : rsum n G = rsum (p0 wide w n) G + (if (p0 wide w n <? n)%nat then F (p0 wide w n) else 0)).
  { set (tl := p0 wide w n) in *.
    replace (rsum n G) with (rsum (tl + (n - tl)) G) by (f_equal; lia). rewrite rsum_app. f_equal.
    destruct (Nat.ltb_spec tl n) as [L|L].
    - unfold F. replace w with ((n - tl) + (w - (n - tl)))%nat at 1 by lia. rewrite rsum_app.
      rewrite (rsum_0 (w - (n - tl))); [ring|]. intros i Hi. unfold G, filled.
      destruct (Nat.ltb_spec (tl + (n - tl + i)) n); [lia|exact g0].
    - replace (n - tl)%nat with O by lia. reflexivity. }
  rewrite E, S0, S1, S2, S4, Loop. clear - Acc. unfold leaf_lane.
  assert (One : forall c s, lsum F (one c s) = if c then F s else 0) by (intros [|] s; simpl; ring).
  destruct wide; cbn [tval]; rewrite !rsum_plus, !Acc; unfold starts; rewrite ?lsum_app, ?lsum_map, ?One;
    fold q; cbn [andb unroll rsum]; rewrite ?rsum_plus.
  - rewrite (rsum_0 q (fun _ => 0)) by reflexivity.
    change (0 * w)%nat with 0%nat. change (4 - 4)%nat with 0%nat. change (5 - 4)%nat with 1%nat.
    rewrite !Nat.sub_0_r. change (0 * w)%nat with 0%nat. rewrite ?Nat.add_0_r.
    destruct (4 * w <=? n - p4 true w n)%nat; destruct (2 * w <=? n - p2 true w n)%nat; ring.
  - rewrite (rsum_0 q (fun _ => 0)) by reflexivity.
    change (4 - 4)%nat with 0%nat. change (5 - 4)%nat with 1%nat. change (6 - 4)%nat with 2%nat.
    change (7 - 4)%nat with 3%nat. change (0 * w)%nat with 0%nat. rewrite ?Nat.add_0_r. cbn [lsum].
    destruct (2 * w <=? n - p2 false w n)%nat; ring.
Qed.

Lemma halves_value : forall h f, tval g (halves h f) = rsum (2 ^ h) (fun j => tval g (f j)).
Proof.
  induction h as [|h IH]; intros f; cbn [halves]; [simpl; ring|]. rewrite IH. cbn [tval]. rewrite rsum_plus.
  replace (2 ^ S h)%nat with (2 ^ h + 2 ^ h)%nat by (simpl; lia). rewrite rsum_app. f_equal.
  apply rsum_ext. intros i _. now rewrite Nat.add_comm.
Qed.

Lemma fold_tree_value : forall t wide h x, tval g (fold_tree wide h x t) = lsum (fun i => g (x i)) (covered t).
Proof.
  induction t as [base n|l IHl r IHr]; intros wide h x; cbn [fold_tree covered].
  - rewrite halves_value, leaf_value by (pose proof (Nat.pow_nonzero 2 h ltac:(lia)); lia).
    assert (G : forall m k, lsum (fun i => g (x i)) (seq k m) = rsum m (fun i => g (x (k + i)%nat))).
    { clear. induction m as [|m IH]; intros k; [reflexivity|]. rewrite seq_S, lsum_app, IH. simpl. ring. }
    now rewrite G.
  - cbn [tval]. rewrite IHl, IHr. now rewrite lsum_app.
Qed.

Theorem drive_tree_value : forall wide leaf h x n, (0 < leaf)%nat ->
  tval g (drive_tree wide leaf h x n) = rsum n (fun i => g (x i)).
Proof.
  intros wide leaf h x n Hl. unfold drive_tree. rewrite fold_tree_value.
  rewrite chunk_tree_covers_in_order by exact Hl. rewrite <- (map_id (seq 0 n)). now rewrite lsum_map.
Qed.
End Value.

(* How deep it is *)

Lemma lane_acc_depth : forall v l j, depth (lane_acc v l j) = length l.
Proof.
  intros v l j. unfold lane_acc.
  destruct (comb_facts (fun x => x) (fun _ => True) (map (fun s => v (s + j)%nat) l) (Leaf 0)) as (_ & B & _).
  cbv zeta in B. rewrite B, map_length. simpl. lia.
Qed.

Lemma starts_length : forall wide w n k, (length (starts wide w n k) <= blocks wide w n + 1)%nat.
Proof.
  intros wide w n k. unfold starts.
  assert (O : forall c s, (length (one c s) <= 1)%nat) by (intros [|] s; simpl; lia).
  do 8 (destruct k as [|k];
    [destruct wide; rewrite ?app_length, ?map_length, ?seq_length; try (apply Nat.add_le_mono_l; apply O); simpl; lia|]).
  destruct wide; rewrite ?app_length, ?map_length, ?seq_length; try (apply Nat.add_le_mono_l; apply O); simpl; lia.
Qed.

Lemma leaf_depth : forall wide w x n j, (depth (leaf_lane wide w x n j) <= blocks wide w n + 4)%nat.
Proof.
  intros wide w x n j. unfold leaf_lane.
  pose proof (starts_length wide w n) as L.
  assert (A : forall k, (depth (lane_acc (filled x n) (starts wide w n k) j) <= blocks wide w n + 1)%nat)
    by (intros; rewrite lane_acc_depth; apply L).
  pose proof (A 0%nat). pose proof (A 1%nat). pose proof (A 2%nat). pose proof (A 3%nat).
  pose proof (A 4%nat). pose proof (A 5%nat). pose proof (A 6%nat). pose proof (A 7%nat).
  destruct wide; cbn [depth]; lia.
Qed.

Lemma halves_depth : forall h f d, (forall j, depth (f j) <= d)%nat -> (depth (halves h f) <= d + h)%nat.
Proof.
  induction h as [|h IH]; intros f d H; cbn [halves]; [specialize (H O); lia|].
  replace (d + S h)%nat with (S d + h)%nat by lia. apply IH. intros j. cbn [depth].
  pose proof (H j). pose proof (H (j + 2 ^ h)%nat). lia.
Qed.

Lemma fold_tree_depth : forall t wide leaf h x base, chunks_ok leaf base t ->
  (depth (fold_tree wide h x t) <= blocks wide (2 ^ h) leaf + 4 + h + height t)%nat.
Proof.
  induction t as [b n|l IHl r IHr]; intros wide leaf h x base H; cbn [fold_tree height chunks_ok depth] in *.
  - destruct H as [Hn _].
    pose proof (halves_depth h (leaf_lane wide (2 ^ h) (fun i => x (b + i)%nat) n) (blocks wide (2 ^ h) n + 4)
      (leaf_depth wide (2 ^ h)%nat (fun i => x (b + i)%nat) n)).
    assert (blocks wide (2 ^ h) n <= blocks wide (2 ^ h) leaf)%nat.
    { unfold blocks. apply Nat.div_le_mono; [|exact Hn]. pose proof (Nat.pow_nonzero 2 h ltac:(lia)).
      destruct wide; simpl unroll; lia. }
    lia.
  - destruct H as [Hl Hr]. pose proof (IHl wide leaf h x base Hl). pose proof (IHr wide leaf h x base Hr). lia.
Qed.

Theorem drive_tree_depth : forall wide leaf h k x n, (0 < leaf)%nat -> (n <= 2 ^ k * leaf)%nat ->
  (depth (drive_tree wide leaf h x n) <= leaf / (unroll wide * 2 ^ h) + 4 + h + k)%nat.
Proof.
  intros wide leaf h k x n Hl Hn. unfold drive_tree.
  pose proof (fold_tree_depth _ wide leaf h x 0%nat (chunk_tree_leaves_are_aligned n leaf 0 n Hl (Nat.le_refl n))) as D.
  unfold blocks in D. pose proof (chunk_tree_height k n leaf 0 n Hl Hn). lia.
Qed.

(* All its leaves are floats *)

Section Floats.
Variable F : R -> Prop.
Hypothesis F0 : F 0.

Lemma lane_acc_inputs : forall v l j, (forall i, F (v i)) -> inputs F (lane_acc v l j).
Proof.
  intros v l j H. unfold lane_acc.
  destruct (comb_facts (fun x => x) F (map (fun s => v (s + j)%nat) l) (Leaf 0)) as (_ & _ & _ & _ & E).
  apply E; [|exact F0]. intros y Hy. apply in_map_iff in Hy. destruct Hy as [s [<- _]]. apply H.
Qed.

Lemma drive_tree_inputs : forall wide leaf h x n, (forall i, F (x i)) -> inputs F (drive_tree wide leaf h x n).
Proof.
  intros wide leaf h x n H. unfold drive_tree.
  assert (G : forall h f, (forall j, inputs F (f j)) -> inputs F (halves h f)).
  { clear. induction h as [|h IH]; intros f Hf; cbn [halves]; [apply Hf|]. apply IH. intros j. split; apply Hf. }
  assert (C : forall t, inputs F (fold_tree wide h x t)); [|apply C].
  induction t as [b m|l IHl r IHr]; cbn [fold_tree]; [|split; auto]. apply G. intros j.
  assert (L : forall k, inputs F (lane_acc (filled (fun i => x (b + i)%nat) m) (starts wide (2 ^ h) m k) j)).
  { intros k. apply lane_acc_inputs. intros i. unfold filled. destruct (i <? m)%nat; auto. }
  unfold leaf_lane. destruct wide; cbn [inputs]; auto 8.
Qed.
End Floats.

Theorem drive_sum_error : forall prec emin (pos : Prec_gt_0 prec) wide leaf h k x n,
  (0 < leaf)%nat -> (n <= 2 ^ k * leaf)%nat -> (forall i, float_flt prec emin (x i)) ->
  Rabs (fsum (rne_flt prec emin) (drive_tree wide leaf h x n) - rsum n x)
    <= ((1 + u_of prec) ^ (leaf / (unroll wide * 2 ^ h) + 4 + h + k) - 1) * rsum n (fun i => Rabs (x i)).
Proof.
  intros prec emin pos wide leaf h k x n Hl Hn Hx.
  pose proof (drive_tree_inputs (float_flt prec emin) (generic_format_0 _ _) wide leaf h x n Hx) as I.
  pose proof (binary_tree_sum_error prec emin _ I) as B.
  pose proof (drive_tree_value (fun y => y) eq_refl wide leaf h x n Hl) as V. rewrite <- exact_tval in V.
  pose proof (drive_tree_value Rabs Rabs_R0 wide leaf h x n Hl) as M. rewrite <- mag_tval in M.
  cbv beta in V. change (rsum n (fun i => x i)) with (rsum n x) in V.
  rewrite <- M, <- V. apply (weaken (u_of prec) (u_of_ge0 prec)) with (depth (drive_tree wide leaf h x n)).
  - apply mag_ge0.
  - now apply drive_tree_depth.
  - exact B.
Qed.

Lemma leaf_pos : (0 < 2 ^ 16)%nat.
Proof. apply Nat.neq_0_lt_0. apply Nat.pow_nonzero. discriminate. Qed.

Lemma leaf_div : forall a, (a <= 16)%nat -> (2 ^ 16 / 2 ^ a = 2 ^ (16 - a))%nat.
Proof.
  intros a Ha. replace (2 ^ 16)%nat with (2 ^ (16 - a) * 2 ^ a)%nat.
  - apply Nat.div_mul. apply Nat.pow_nonzero. discriminate.
  - rewrite <- Nat.pow_add_r. f_equal. lia.
Qed.

(* binary32 on 8 lanes with leaves of 65536: at most 1031 + k roundings on any path for n <= 2^k 65536. *)
Theorem drive_sum_error_f32_8_lanes : forall k x n, (n <= 2 ^ k * (2 ^ 16))%nat ->
  (forall i, float_flt 24 (-149) (x i)) ->
  Rabs (fsum (rne_flt 24 (-149)) (drive_tree true (2 ^ 16) 3 x n) - rsum n x)
    <= ((1 + bpow radix2 (-24)) ^ (1031 + k) - 1) * rsum n (fun i => Rabs (x i)).
Proof.
  intros k x n Hn Hx. rewrite <- u_24.
  pose proof (drive_sum_error 24 (-149) prec_24 true (2 ^ 16) 3 k x n leaf_pos Hn Hx) as H.
  change (unroll true * 2 ^ 3)%nat with (2 ^ 6)%nat in H. rewrite leaf_div in H by lia.
  replace (2 ^ (16 - 6) + 4 + 3 + k)%nat with (1031 + k)%nat in H by (simpl; lia). exact H.
Qed.

(* The compensated sum over the tree of four accumulators: one rounding of the result plus a term of second order. *)
Theorem drive_compensated_sum_error_f32_8_lanes : forall k x n, (n <= 2 ^ k * (2 ^ 16))%nat -> (k <= 64)%nat ->
  (forall i, float_flt 24 (-149) (x i)) ->
  Rabs (compensated_sum (rne_flt 24 (-149)) (two_sum_err 24 (-149)) (drive_tree false (2 ^ 16) 3 x n) - rsum n x)
    <= bpow radix2 (-24) * Rabs (rsum n x)
       + 4 * ((2055 + INR k) * (2055 + INR k)) * (bpow radix2 (-24) * bpow radix2 (-24)) * rsum n (fun i => Rabs (x i)).
Proof.
  intros k x n Hn Hk Hx.
  pose proof (drive_tree_inputs (float_flt 24 (-149)) (generic_format_0 _ _) false (2 ^ 16) 3 x n Hx) as I.
  pose proof (drive_tree_value (fun y => y) eq_refl false (2 ^ 16) 3 x n leaf_pos) as V. rewrite <- exact_tval in V.
  pose proof (drive_tree_value Rabs Rabs_R0 false (2 ^ 16) 3 x n leaf_pos) as M. rewrite <- mag_tval in M.
  pose proof (drive_tree_depth false (2 ^ 16) 3 k x n leaf_pos Hn) as D.
  change (unroll false * 2 ^ 3)%nat with (2 ^ 5)%nat in D. rewrite leaf_div in D by lia.
  change (2 ^ (16 - 5))%nat with 2048%nat in D.
  cbv beta in V. change (rsum n (fun i => x i)) with (rsum n x) in V. rewrite <- M, <- V.
  set (t := drive_tree false (2 ^ 16) 3 x n) in *. clearbody t.
  assert (P : (4096 <= 2 ^ 21)%nat) by (change 4096%nat with (2 ^ 12)%nat; apply Nat.pow_le_mono_r; lia).
  eapply Rle_trans; [apply (f32_compensated_sum_error t I); lia|]. apply Rplus_le_compat_l.
  apply Rmult_le_compat_r; [apply mag_ge0|].
  assert (B : INR (depth t) <= 2055 + INR k).
  { replace (2055 + INR k) with (INR (2055 + k)); [apply le_INR; lia|]. rewrite plus_INR. f_equal. simpl. lra. }
  pose proof (pos_INR (depth t)). pose proof (bpow_gt_0 radix2 (-24)).
  apply Rmult_le_compat_r; [nra|]. nra.
Qed.
