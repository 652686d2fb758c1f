(* Compressed sparse rows.

   Ops: coo_to_csr, spmv, spmm, spgemm (row pointers of the result), csr transpose (column counts).
   Algorithm: rowptr[0] = 0, rowptr[r + 1] = rowptr[r] + count[r]; row r owns the entries
   rowptr[r] <= e < rowptr[r + 1]. *)
From Coq Require Import Arith Lia List PeanoNat.
Import ListNotations.

Fixpoint prefix_sums (a : nat) (counts : list nat) : list nat :=
  match counts with [] => [a] | c :: r => a :: prefix_sums (a + c) r end.
Definition row_ptr (counts : list nat) : list nat := prefix_sums 0 counts.
Definition nnz (counts : list nat) : nat := fold_right plus 0 counts.
Definition at_ (p : list nat) (i : nat) : nat := nth i p 0.

Lemma prefix_length : forall l a, length (prefix_sums a l) = S (length l).
Proof. induction l as [|c l IH]; intros a; simpl; [reflexivity|]. now rewrite IH. Qed.
Lemma prefix_first : forall l a, at_ (prefix_sums a l) 0 = a.
Proof. destruct l; reflexivity. Qed.
Lemma prefix_last : forall l a, at_ (prefix_sums a l) (length l) = a + nnz l.
Proof.
  induction l as [|c l IH]; intros a; [unfold at_; simpl; lia|].
  change (at_ (prefix_sums (a + c) l) (length l) = a + (c + nnz l)). rewrite IH. lia.
Qed.
Lemma prefix_step : forall l a r, r < length l ->
  at_ (prefix_sums a l) (S r) = at_ (prefix_sums a l) r + nth r l 0.
Proof.
  induction l as [|c l IH]; intros a r H; [simpl in H; lia|]. destruct r as [|r].
  - change (at_ (prefix_sums (a + c) l) 0 = a + c). apply prefix_first.
  - change (at_ (prefix_sums (a + c) l) (S r) = at_ (prefix_sums (a + c) l) r + nth r l 0).
    apply IH. simpl in H. lia.
Qed.

Theorem row_ptr_length : forall counts, length (row_ptr counts) = S (length counts).
Proof. intros. apply prefix_length. Qed.

Theorem row_ptr_starts_at_0_ends_at_nnz : forall counts,
  at_ (row_ptr counts) 0 = 0 /\ at_ (row_ptr counts) (length counts) = nnz counts.
Proof. intros. split; [apply prefix_first|]. unfold row_ptr. now rewrite prefix_last. Qed.

Theorem row_ptr_row_has_its_count : forall counts r, r < length counts ->
  at_ (row_ptr counts) (S r) - at_ (row_ptr counts) r = nth r counts 0.
Proof. intros counts r H. unfold row_ptr. rewrite prefix_step by exact H. lia. Qed.

Theorem row_ptr_monotone : forall counts r s, r <= s -> s <= length counts ->
  at_ (row_ptr counts) r <= at_ (row_ptr counts) s.
Proof.
  intros counts r s H. unfold row_ptr. induction H as [|s H IH]; intros Hs; [lia|].
  rewrite prefix_step by lia. specialize (IH ltac:(lia)). lia.
Qed.

Theorem row_ptr_entry_has_one_row : forall counts e, e < nnz counts ->
  exists! r, r < length counts /\ at_ (row_ptr counts) r <= e < at_ (row_ptr counts) (S r).
Proof.
  intros counts e He. destruct (row_ptr_starts_at_0_ends_at_nnz counts) as [P0 PN].
  assert (Ex : forall k, k <= length counts -> at_ (row_ptr counts) k > e ->
    exists r, r < k /\ at_ (row_ptr counts) r <= e < at_ (row_ptr counts) (S r)).
  { induction k as [|k IH]; intros Hk Hgt; [lia|].
    destruct (Nat.le_gt_cases (at_ (row_ptr counts) k) e) as [L|L].
    - exists k. lia.
    - destruct (IH ltac:(lia) L) as [r [Hr B]]. exists r. lia. }
  destruct (Ex (length counts) (Nat.le_refl _) ltac:(lia)) as [r [Hr B]].
  exists r. split; [auto|]. intros r' [Hr' B'].
  destruct (Nat.lt_trichotomy r r') as [L|[E|L]]; [|exact E|].
  - pose proof (row_ptr_monotone counts (S r) r' ltac:(lia) ltac:(lia)). lia.
  - pose proof (row_ptr_monotone counts (S r') r ltac:(lia) ltac:(lia)). lia.
Qed.

(* Filling: the k-th entry of row r goes to rowptr[r] + k. Distinct (row, k) get distinct places, inside nnz. *)
Theorem csr_places_injective : forall counts r k r' k',
  r < length counts -> k < nth r counts 0 -> r' < length counts -> k' < nth r' counts 0 ->
  at_ (row_ptr counts) r + k = at_ (row_ptr counts) r' + k' -> r = r' /\ k = k'.
Proof.
  intros counts r k r' k' Hr Hk Hr' Hk' E.
  pose proof (prefix_step counts 0 r Hr) as P. pose proof (prefix_step counts 0 r' Hr') as P'.
  fold (row_ptr counts) in P, P'.
  destruct (Nat.lt_trichotomy r r') as [L|[->|L]].
  - pose proof (row_ptr_monotone counts (S r) r' ltac:(lia) ltac:(lia)). lia.
  - lia.
  - pose proof (row_ptr_monotone counts (S r') r ltac:(lia) ltac:(lia)). lia.
Qed.

Theorem csr_place_in_range : forall counts r k, r < length counts -> k < nth r counts 0 ->
  at_ (row_ptr counts) r + k < nnz counts.
Proof.
  intros counts r k Hr Hk. pose proof (prefix_step counts 0 r Hr) as P. fold (row_ptr counts) in P.
  pose proof (row_ptr_monotone counts (S r) (length counts) ltac:(lia) ltac:(lia)).
  destruct (row_ptr_starts_at_0_ends_at_nnz counts). lia.
Qed.
