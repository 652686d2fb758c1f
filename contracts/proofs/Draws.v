(* Draws of a range, and permutations made of them.

   Ops: integers, shuffle, permutation.
   Algorithms: src/random/integers.rs. A word w of m values times the range r: the upper half is the draw, and the word counts when the
   lower half is at least m mod r (Lemire). Elements are exchanged from the last one down, each with one that is not behind it (Durstenfeld). *)
From Coq Require Import Arith Lia PeanoNat.

(* Every value has the same number of words that count for it, m / r, in a row. *)
Theorem draws_are_uniform : forall m r n, 0 < r <= m -> n < r ->
  exists a, a + m / r <= m /\
  forall w, (w * r / m = n /\ m mod r <= (w * r) mod m) <-> a <= w < a + m / r.
Proof.
  intros m r n Hr Hn. set (q := m / r). set (t := m mod r).
  assert (M : m = r * q + t) by (apply Nat.div_mod; lia).
  assert (T : t < r) by (apply Nat.mod_upper_bound; lia).
  set (a := (n * m + t + (r - 1)) / r). exists a.
  assert (A : r * a <= n * m + t + (r - 1) < r * a + r).
  { pose proof (Nat.div_mod (n * m + t + (r - 1)) r ltac:(lia)) as D. fold a in D.
    pose proof (Nat.mod_upper_bound (n * m + t + (r - 1)) r ltac:(lia)). lia. }
  assert (Q : 0 < q) by (apply Nat.div_str_pos; lia).
  split.
  { assert (r * (a + q) < r * (m + 1)); [|nia]. assert (n * m + m <= r * m) by nia. nia. }
  intros w. pose proof (Nat.div_mod (w * r) m ltac:(lia)) as D. pose proof (Nat.mod_upper_bound (w * r) m ltac:(lia)) as B.
  set (e := w * r / m) in *. set (s := (w * r) mod m) in *. split.
  - intros [-> H]. split; nia.
  - intros [H1 H2].
    assert (L : n * m + t <= w * r) by nia. assert (U : w * r < n * m + m) by nia.
    assert (e = n) by (unfold e; symmetry; apply Nat.div_unique with (w * r - n * m); lia).
    subst n. split; [reflexivity|]. nia.
Qed.

Definition swap {X} (a b : nat) (x : nat -> X) : nat -> X :=
  fun i => x (if Nat.eqb i a then b else if Nat.eqb i b then a else i).
(* Element k, from the last of n down, with element t k. *)
Fixpoint shuffle {X} (n : nat) (t : nat -> nat) (x : nat -> X) : nat -> X :=
  match n with O => x | S k => shuffle k t (swap k (t k) x) end.

Lemma shuffle_behind : forall n t X (x : nat -> X) i, (forall k, k < n -> t k <= k) -> n <= i -> shuffle n t x i = x i.
Proof.
  induction n as [|n IH]; intros t X x i H Hi; [reflexivity|]. cbn [shuffle]. rewrite IH by (try (intros; apply H); lia).
  specialize (H n ltac:(lia)). unfold swap. destruct (Nat.eqb_spec i n); [lia|]. destruct (Nat.eqb_spec i (t n)); [lia|reflexivity].
Qed.

Lemma shuffle_of : forall n t X (x : nat -> X) i, shuffle n t x i = x (shuffle n t (fun i => i) i).
Proof.
  induction n as [|n IH]; intros t X x i; [reflexivity|]. cbn [shuffle].
  rewrite IH, (IH t nat (swap n (t n) (fun i => i))). reflexivity.
Qed.

(* The result has each element once: it is a permutation. *)
Theorem shuffle_keeps_elements : forall n t, (forall k, k < n -> t k <= k) ->
  (forall i, i < n -> shuffle n t (fun i => i) i < n) /\
  forall i j, i < n -> j < n -> shuffle n t (fun i => i) i = shuffle n t (fun i => i) j -> i = j.
Proof.
  induction n as [|n IH]; intros t H; [split; intros; lia|].
  destruct (IH t ltac:(intros; apply H; lia)) as [B I]. specialize (H n ltac:(lia)) as Hn. cbn [shuffle].
  assert (S1 : forall i, i < n -> shuffle n t (fun i => i) i < n) by exact B.
  assert (S2 : shuffle n t (fun i => i) n = n) by (apply shuffle_behind; [intros; apply H; lia|lia]).
  split.
  - intros i Hi. rewrite shuffle_of. assert (shuffle n t (fun i => i) i < S n).
    { destruct (Nat.eq_dec i n) as [->|]; [lia|]. specialize (S1 i ltac:(lia)). lia. }
    unfold swap. destruct (Nat.eqb_spec (shuffle n t (fun i => i) i) n); [lia|].
    destruct (Nat.eqb_spec (shuffle n t (fun i => i) i) (t n)); lia.
  - intros i j Hi Hj E. rewrite shuffle_of, (shuffle_of n t nat (swap n (t n) (fun i => i)) j) in E. unfold swap in E.
    assert (F : shuffle n t (fun i => i) i = shuffle n t (fun i => i) j).
    { revert E. generalize (shuffle n t (fun i => i) i) (shuffle n t (fun i => i) j). intros p q.
      destruct (Nat.eqb_spec p n); destruct (Nat.eqb_spec q n); destruct (Nat.eqb_spec p (t n)); destruct (Nat.eqb_spec q (t n)); lia. }
    destruct (Nat.eq_dec i n) as [->|N]; destruct (Nat.eq_dec j n) as [->|N']; [reflexivity| | |apply I; lia || exact F].
    + rewrite S2 in F. specialize (S1 j ltac:(lia)). lia.
    + rewrite S2 in F. specialize (S1 i ltac:(lia)). lia.
Qed.

(* Draws that differ give permutations that differ: n! of each, so every permutation has one row of draws. *)
Theorem shuffle_draws_distinct : forall n t u X (x : nat -> X), (forall k, k < n -> t k <= k) -> (forall k, k < n -> u k <= k) ->
  (forall i j, i < n -> j < n -> x i = x j -> i = j) ->
  (forall i, i < n -> shuffle n t x i = shuffle n u x i) -> forall k, k < n -> t k = u k.
Proof.
  induction n as [|n IH]; intros t u X x Ht Hu D E k Hk; [lia|]. cbn [shuffle] in E.
  assert (L : t n = u n).
  { specialize (E n ltac:(lia)). rewrite !shuffle_behind in E by (try (intros; (apply Ht || apply Hu)); lia).
    unfold swap in E. rewrite Nat.eqb_refl in E. apply D; [| |exact E]; [specialize (Ht n)|specialize (Hu n)]; lia. }
  destruct (Nat.eq_dec k n) as [->|N]; [exact L|].
  apply (IH t u X (swap n (t n) x)); [intros; apply Ht; lia|intros; apply Hu; lia| | |lia].
  - intros i j Hi Hj F. unfold swap in F. specialize (Ht n ltac:(lia)).
    apply D in F.
    + revert F. destruct (Nat.eqb_spec i n); destruct (Nat.eqb_spec j n); destruct (Nat.eqb_spec i (t n)); destruct (Nat.eqb_spec j (t n)); lia.
    + destruct (Nat.eqb_spec i n); [lia|]. destruct (Nat.eqb_spec i (t n)); lia.
    + destruct (Nat.eqb_spec j n); [lia|]. destruct (Nat.eqb_spec j (t n)); lia.
  - intros i Hi. rewrite L at 2. apply E. lia.
Qed.
