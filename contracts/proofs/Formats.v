(* Where elements of sparse formats stand, and how rows are dealt out to threads.

   Ops: spmv (also of blocks, diagonals and SELL-C-sigma), spmm, coo_to_csr, csr_transpose.
   Algorithms: the places of src/sparse/bsr.rs, dia.rs and sell.rs; the counting sort of src/sparse/convert.rs; `middle` and `divide`
   of src/sparse/spmv.rs, for any amounts of work. *)
From Coq Require Import Arith Lia List PeanoNat Bool.
From Fulmen Require Import Csr.
Import ListNotations.

(* Element (i, j) of the block at place k, of r rows and c columns. *)
Definition bsr_place (r c k j i : nat) : nat := (k * c + j) * r + i.
(* Row i of diagonal d. *)
Definition dia_place (rows d i : nat) : nat := d * rows + i.
(* Element k of position p of the order: chunk p / chunk begins where the chunks before end, widths of chunk rows each. *)
Definition chunks (chunk : nat) (widths : list nat) : list nat := map (fun w => w * chunk) widths.
Definition sell_place_from (from chunk p k : nat) : nat := from + k * chunk + p mod chunk.
Definition sell_place (chunk : nat) (widths : list nat) (p k : nat) : nat :=
  sell_place_from (at_ (row_ptr (chunks chunk widths)) (p / chunk)) chunk p k.

Lemma digits : forall b q r q' r', r < b -> r' < b -> q * b + r = q' * b + r' -> q = q' /\ r = r'.
Proof.
  intros b q r q' r' H H' E.
  assert (Q : forall q r, r < b -> (q * b + r) / b = q).
  { clear. intros q r H. symmetry. apply Nat.div_unique with r; [exact H|ring]. }
  pose proof (Q q r H) as A. rewrite E, Q in A by exact H'. subst. lia.
Qed.

Theorem bsr_places_distinct : forall r c k j i k' j' i', i < r -> j < c -> i' < r -> j' < c ->
  bsr_place r c k j i = bsr_place r c k' j' i' -> k = k' /\ j = j' /\ i = i'.
Proof.
  unfold bsr_place. intros r c k j i k' j' i' Hi Hj Hi' Hj' E.
  destruct (digits r _ _ _ _ Hi Hi' E) as [E1 ->]. destruct (digits c _ _ _ _ Hj Hj' E1) as [-> ->]. auto.
Qed.

Theorem bsr_places_are_all : forall r c n e, 0 < r -> 0 < c -> e < n * (r * c) ->
  exists k j i, k < n /\ j < c /\ i < r /\ bsr_place r c k j i = e.
Proof.
  intros r c n e Hr Hc He. exists (e / r / c), ((e / r) mod c), (e mod r).
  pose proof (Nat.div_mod e r ltac:(lia)). pose proof (Nat.div_mod (e / r) c ltac:(lia)).
  pose proof (Nat.mod_upper_bound e r ltac:(lia)). pose proof (Nat.mod_upper_bound (e / r) c ltac:(lia)).
  split; [|split; [assumption|split; [assumption|unfold bsr_place; lia]]].
  apply Nat.div_lt_upper_bound; [lia|]. apply Nat.div_lt_upper_bound; lia.
Qed.

Theorem bsr_place_in_range : forall r c n k j i, k < n -> j < c -> i < r -> bsr_place r c k j i < n * (r * c).
Proof. intros r c n k j i Hk Hj Hi. unfold bsr_place. assert (k * c + j + 1 <= n * c) by nia. nia. Qed.

Theorem dia_places_distinct : forall rows d i d' i', i < rows -> i' < rows ->
  dia_place rows d i = dia_place rows d' i' -> d = d' /\ i = i'.
Proof. unfold dia_place. intros. eapply digits; eassumption. Qed.

Theorem dia_place_in_range : forall rows n d i, d < n -> i < rows -> dia_place rows d i < rows * n.
Proof. intros. unfold dia_place. nia. Qed.

(* Two elements of a sliced matrix, neither of which only fills. *)
Theorem sell_places_distinct : forall chunk widths p k p' k', 0 < chunk ->
  p / chunk < length widths -> k < nth (p / chunk) widths 0 -> p' / chunk < length widths -> k' < nth (p' / chunk) widths 0 ->
  sell_place chunk widths p k = sell_place chunk widths p' k' -> p = p' /\ k = k'.
Proof.
  intros chunk widths p k p' k' H Hp Hk Hp' Hk' E. unfold sell_place, sell_place_from in E. rewrite <- !Nat.add_assoc in E.
  pose proof (Nat.mod_upper_bound p chunk ltac:(lia)) as M. pose proof (Nat.mod_upper_bound p' chunk ltac:(lia)) as M'.
  assert (N : forall c, c < length widths -> nth c (chunks chunk widths) 0 = nth c widths 0 * chunk).
  { intros c Hc. unfold chunks. rewrite (nth_indep _ 0 (0 * chunk)) by (now rewrite map_length).
    apply (map_nth (fun w => w * chunk)). }
  apply csr_places_injective in E; try (unfold chunks; rewrite map_length; assumption); try (rewrite N by assumption; nia).
  destruct E as [E1 E2]. destruct (digits chunk _ _ _ _ M M' E2) as [-> E3]. split; [|reflexivity].
  rewrite (Nat.div_mod p chunk), (Nat.div_mod p' chunk) by lia. now rewrite E1, E3.
Qed.

Theorem sell_place_in_range : forall chunk widths p k, 0 < chunk -> p / chunk < length widths -> k < nth (p / chunk) widths 0 ->
  sell_place chunk widths p k < nnz (chunks chunk widths).
Proof.
  intros chunk widths p k H Hp Hk. unfold sell_place, sell_place_from. rewrite <- Nat.add_assoc.
  pose proof (Nat.mod_upper_bound p chunk ltac:(lia)).
  apply csr_place_in_range; [unfold chunks; now rewrite map_length|].
  unfold chunks. rewrite (nth_indep _ 0 (0 * chunk)) by (now rewrite map_length). rewrite (map_nth (fun w => w * chunk)). nia.
Qed.

(* A counting sort: the elements of a key begin where those of smaller keys end, and keep their order. *)
Definition counts (n : nat) (keys : list nat) : list nat := map (fun c => count_occ Nat.eq_dec keys c) (seq 0 n).
Definition sorted_place (n : nat) (keys : list nat) (e : nat) : nat :=
  let c := nth e keys 0 in at_ (row_ptr (counts n keys)) c + count_occ Nat.eq_dec (firstn e keys) c.

Lemma count_app : forall l k c, count_occ Nat.eq_dec (l ++ k) c = count_occ Nat.eq_dec l c + count_occ Nat.eq_dec k c.
Proof. induction l as [|a l IH]; intros k c; simpl; [reflexivity|]. destruct (Nat.eq_dec a c); rewrite IH; lia. Qed.
Lemma counts_length : forall n keys, length (counts n keys) = n.
Proof. intros. unfold counts. now rewrite map_length, seq_length. Qed.
Lemma counts_nth : forall n keys c, c < n -> nth c (counts n keys) 0 = count_occ Nat.eq_dec keys c.
Proof.
  intros n keys c H. unfold counts. rewrite (nth_indep _ 0 (count_occ Nat.eq_dec keys 0)) by (now rewrite map_length, seq_length).
  rewrite (map_nth (fun c => count_occ Nat.eq_dec keys c)). now rewrite seq_nth.
Qed.
(* Of the elements up to e, one more has its key. *)
Lemma count_grows : forall keys e e', e < e' -> e' <= length keys ->
  count_occ Nat.eq_dec (firstn e keys) (nth e keys 0) < count_occ Nat.eq_dec (firstn e' keys) (nth e keys 0).
Proof.
  intros keys e e' H L. set (c := nth e keys 0).
  assert (E : nth_error keys e = Some c) by (apply nth_error_nth'; lia).
  apply nth_error_split in E. destruct E as [l [k [E N]]]. rewrite E, !firstn_app, !count_app, N.
  rewrite (firstn_all2 (n := e') l) by lia. replace (e - e) with 0 by lia.
  rewrite (firstn_all2 (n := e) l) by lia. replace (e' - e) with (S (e' - e - 1)) by lia.
  cbn [firstn count_occ]. destruct (Nat.eq_dec c c); [lia|contradiction].
Qed.

Theorem counting_sort_place_in_range : forall n keys e, (forall c, In c keys -> c < n) -> e < length keys ->
  let c := nth e keys 0 in
  at_ (row_ptr (counts n keys)) c <= sorted_place n keys e < at_ (row_ptr (counts n keys)) (S c).
Proof.
  intros n keys e H He c. assert (C : c < n) by (apply H, nth_In, He). unfold sorted_place. fold c.
  pose proof (prefix_step (counts n keys) 0 c ltac:(rewrite counts_length; exact C)) as P. fold (row_ptr (counts n keys)) in P.
  rewrite counts_nth in P by exact C. pose proof (count_grows keys e (length keys) He ltac:(lia)) as G. fold c in G.
  rewrite firstn_all in G. lia.
Qed.

Theorem counting_sort_orders : forall n keys e e', (forall c, In c keys -> c < n) -> e < length keys -> e' < length keys ->
  nth e keys 0 < nth e' keys 0 \/ (nth e keys 0 = nth e' keys 0 /\ e < e') ->
  sorted_place n keys e < sorted_place n keys e'.
Proof.
  intros n keys e e' H He He' [L|[E L]].
  - pose proof (counting_sort_place_in_range n keys e H He) as A. pose proof (counting_sort_place_in_range n keys e' H He') as B.
    cbn zeta in A, B. assert (nth e' keys 0 < n) by (apply H, nth_In, He').
    pose proof (row_ptr_monotone (counts n keys) (S (nth e keys 0)) (nth e' keys 0) ltac:(lia)
      ltac:(rewrite counts_length; lia)). lia.
  - unfold sorted_place. rewrite <- E. pose proof (count_grows keys e e' L ltac:(lia)). lia.
Qed.

Theorem counting_sort_places_distinct : forall n keys e e', (forall c, In c keys -> c < n) -> e < length keys -> e' < length keys ->
  sorted_place n keys e = sorted_place n keys e' -> e = e'.
Proof.
  intros n keys e e' H He He' E.
  assert (O : forall a b, a < length keys -> b < length keys -> a < b -> sorted_place n keys a <> sorted_place n keys b).
  { intros a b Ha Hb L. destruct (Nat.lt_trichotomy (nth a keys 0) (nth b keys 0)) as [C|[C|C]].
    - pose proof (counting_sort_orders n keys a b H Ha Hb (or_introl C)). lia.
    - pose proof (counting_sort_orders n keys a b H Ha Hb (or_intror (conj C L))). lia.
    - pose proof (counting_sort_orders n keys b a H Hb Ha (or_introl C)). lia. }
  destruct (Nat.lt_trichotomy e e') as [L|[L|L]]; [exfalso; now apply (O e e')|exact L|exfalso; now apply (O e' e)].
Qed.

(* Rows dealt out to threads *)

(* The search for the row before which half of the work is, in steps; [less] says whether that before a row is less. *)
Fixpoint bisect (fuel : nat) (less : nat -> bool) (low high : nat) : nat :=
  match fuel with
  | O => low
  | S fuel =>
    if low <? high then
      let mid := low + (high - low) / 2 in
      if less mid then bisect fuel less (mid + 1) high else bisect fuel less low mid
    else low
  end.
Definition middle (step : nat) (work : nat -> nat) (from to : nat) : nat :=
  let half := work from / 2 + work to / 2 in
  let high := (to + step - 1) / step in
  Nat.min (bisect high (fun mid => work (mid * step) <? half) (from / step) high * step) to.
(* Parts as rows from and to; [small] says which are not worth two threads. *)
Fixpoint divide (fuel step : nat) (work : nat -> nat) (small : nat -> nat -> bool) (from to : nat) : list (nat * nat) :=
  match fuel with
  | O => [(from, to)]
  | S fuel =>
    let mid := if small from to then from else middle step work from to in
    if (mid =? from) || (mid =? to) then [(from, to)]
    else divide fuel step work small from mid ++ divide fuel step work small mid to
  end.
Definition rows_of (parts : list (nat * nat)) : list nat := flat_map (fun p => seq (fst p) (snd p - fst p)) parts.

Lemma bisect_between : forall fuel less low high, low <= high -> low <= bisect fuel less low high <= high.
Proof.
  induction fuel as [|fuel IH]; intros less low high H; cbn [bisect]; [lia|].
  destruct (Nat.ltb_spec low high) as [L|L]; [|lia].
  pose proof (Nat.div_lt_upper_bound (high - low) 2 (high - low) ltac:(lia) ltac:(lia)).
  assert (M : low <= low + (high - low) / 2 < high) by lia. revert M. generalize (low + (high - low) / 2). intros mid M.
  destruct (less mid).
  - specialize (IH less (mid + 1) high ltac:(lia)). lia.
  - specialize (IH less low mid ltac:(lia)). lia.
Qed.

Lemma middle_between : forall step work from to, 0 < step -> from mod step = 0 -> from <= to ->
  from <= middle step work from to <= to /\ (middle step work from to mod step = 0 \/ middle step work from to = to).
Proof.
  intros step work from to Hs Hf H. unfold middle. set (high := (to + step - 1) / step).
  pose proof (Nat.div_mod from step ltac:(lia)) as D.
  assert (L : from / step <= high).
  { unfold high. apply Nat.div_le_lower_bound; [lia|]. lia. }
  set (b := bisect high _ _ _). pose proof (bisect_between high (fun mid => work (mid * step) <? work from / 2 + work to / 2) (from / step) high L) as B.
  fold b in B. rewrite Hf, Nat.add_0_r in D.
  assert (from <= b * step) by (rewrite D, Nat.mul_comm; apply Nat.mul_le_mono_r; lia).
  destruct (Nat.min_spec (b * step) to) as [[M ->]|[M ->]]; [split; [lia|left; apply Nat.mod_mul; lia]|lia].
Qed.

Lemma seq_parts : forall a b c, a <= b -> b <= c -> seq a (b - a) ++ seq b (c - b) = seq a (c - a).
Proof. intros a b c H H'. replace (c - a) with ((b - a) + (c - b)) by lia. rewrite seq_app. do 2 f_equal. lia. Qed.

(* Each row is in one part, in order, whatever the work of rows is. *)
Theorem divided_rows_are_all : forall fuel step work small from to, 0 < step -> from mod step = 0 -> from <= to ->
  rows_of (divide fuel step work small from to) = seq from (to - from).
Proof.
  induction fuel as [|fuel IH]; intros step work small from to Hs Hf H; [unfold rows_of; simpl; apply app_nil_r|].
  cbn [divide]. set (mid := if small from to then from else middle step work from to).
  destruct (middle_between step work from to Hs Hf H) as [B M].
  destruct (Nat.eqb_spec mid from) as [E|E]; [unfold rows_of; simpl; apply app_nil_r|].
  destruct (Nat.eqb_spec mid to) as [E'|E']; [unfold rows_of; simpl; apply app_nil_r|]. cbn [orb].
  assert (C : mid = middle step work from to) by (unfold mid in *; destruct (small from to); [contradiction|reflexivity]).
  unfold rows_of. rewrite flat_map_app. fold (rows_of (divide fuel step work small from mid)).
  fold (rows_of (divide fuel step work small mid to)). 
  assert (Z : mid mod step = 0) by (rewrite C; destruct M as [M|M]; [exact M|congruence]).
  rewrite (IH step work small from mid Hs Hf), (IH step work small mid to Hs Z) by lia. apply seq_parts; lia.
Qed.

(* Parts begin at whole steps, so that rows of a block or a window stay together. *)
Theorem divided_parts_begin_at_steps : forall fuel step work small from to p, 0 < step -> from mod step = 0 -> from <= to ->
  In p (divide fuel step work small from to) -> fst p mod step = 0 /\ (snd p mod step = 0 \/ snd p = to).
Proof.
  induction fuel as [|fuel IH]; intros step work small from to p Hs Hf H I; [destruct I as [<-|[]]; cbn; auto|].
  cbn [divide] in I. set (mid := if small from to then from else middle step work from to) in *.
  destruct (middle_between step work from to Hs Hf H) as [B M].
  destruct (Nat.eqb_spec mid from) as [E|E]; [destruct I as [<-|[]]; cbn; auto|].
  destruct (Nat.eqb_spec mid to) as [E'|E']; [destruct I as [<-|[]]; cbn; auto|]. cbn [orb] in I.
  assert (C : mid = middle step work from to) by (unfold mid in *; destruct (small from to); [contradiction|reflexivity]).
  rewrite <- C in *. destruct M as [M|M]; [|contradiction].
  apply in_app_iff in I. destruct I as [I|I].
  - destruct (IH step work small from mid p Hs Hf ltac:(lia) I) as [P [Q|Q]]; [auto|]. split; [exact P|left; now rewrite Q].
  - exact (IH step work small mid to p Hs M ltac:(lia) I).
Qed.
