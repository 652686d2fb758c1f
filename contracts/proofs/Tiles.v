(* The index maps of a tile: threads along a row first, each with rows x cols neighbouring results.

   Ops: gemm (the tiles of blocks of threads).
   Algorithm: Tile::element and Tile::owner of src/hardware/tiling.rs, over natural numbers. *)
From Coq Require Import Arith Lia PeanoNat.

(* Result i of a thread, in a tile that is [across] threads wide. *)
Definition tile_row (across rows cols thread i : nat) : nat := thread / across * rows + i / cols.
Definition tile_col (across cols thread i : nat) : nat := thread mod across * cols + i mod cols.

(* The thread and the result of an element. *)
Definition tile_thread (across rows cols row col : nat) : nat := row / rows * across + col / cols.
Definition tile_result (rows cols row col : nat) : nat := row mod rows * cols + col mod cols.

Lemma place : forall b q r, r < b -> (q * b + r) / b = q /\ (q * b + r) mod b = r.
Proof.
  intros b q r H. split.
  - symmetry. apply Nat.div_unique with r; [exact H|ring].
  - symmetry. apply Nat.mod_unique with q; [exact H|ring].
Qed.

Theorem tile_owner_of_element : forall across rows cols thread i,
  0 < across -> 0 < cols -> i < rows * cols ->
  tile_thread across rows cols (tile_row across rows cols thread i) (tile_col across cols thread i) = thread /\
  tile_result rows cols (tile_row across rows cols thread i) (tile_col across cols thread i) = i.
Proof.
  intros across rows cols thread i Ha Hc Hi. unfold tile_thread, tile_result, tile_row, tile_col.
  assert (Hy : i / cols < rows) by (apply Nat.div_lt_upper_bound; lia).
  pose proof (Nat.mod_upper_bound i cols ltac:(lia)) as Hx.
  pose proof (Nat.div_mod i cols ltac:(lia)) as Ei.
  pose proof (Nat.div_mod thread across ltac:(lia)) as Et.
  destruct (place rows (thread / across) (i / cols) Hy) as [-> ->].
  destruct (place cols (thread mod across) (i mod cols) Hx) as [-> ->]. lia.
Qed.

Theorem tile_element_of_owner : forall across rows cols row col,
  0 < rows -> 0 < cols -> col < across * cols ->
  tile_row across rows cols (tile_thread across rows cols row col) (tile_result rows cols row col) = row /\
  tile_col across cols (tile_thread across rows cols row col) (tile_result rows cols row col) = col.
Proof.
  intros across rows cols row col Hr Hc Hcol. unfold tile_thread, tile_result, tile_row, tile_col.
  assert (Hx : col / cols < across) by (apply Nat.div_lt_upper_bound; lia).
  pose proof (Nat.mod_upper_bound col cols ltac:(lia)) as Hm.
  pose proof (Nat.div_mod row rows ltac:(lia)) as Er.
  pose proof (Nat.div_mod col cols ltac:(lia)) as Ec.
  destruct (place across (row / rows) (col / cols) Hx) as [-> ->].
  destruct (place cols (row mod rows) (col mod cols) Hm) as [-> ->]. lia.
Qed.

(* Every result of a thread of the tile lies inside it. *)
Theorem tile_element_inside : forall across down rows cols thread i,
  0 < across -> 0 < cols -> thread < down * across -> i < rows * cols ->
  tile_row across rows cols thread i < down * rows /\ tile_col across cols thread i < across * cols.
Proof.
  intros across down rows cols thread i Ha Hc Ht Hi. unfold tile_row, tile_col.
  assert (Hy : i / cols < rows) by (apply Nat.div_lt_upper_bound; lia).
  assert (Hd : thread / across < down) by (apply Nat.div_lt_upper_bound; lia).
  pose proof (Nat.mod_upper_bound i cols ltac:(lia)) as Hx.
  pose proof (Nat.mod_upper_bound thread across ltac:(lia)) as Hm.
  split; nia.
Qed.
