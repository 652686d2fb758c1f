(* PA = LU with partial pivoting, over the reals.

   Ops: lu, lu_solve.
   Algorithm: src/solve/lu.rs. Pivots are exchanges of row i with row pivots[i] in the order of i; a leaf takes column after column;
   else the left half of the columns is factored, its exchanges made on the right one, the upper part of that solved for, the product taken
   off the lower part, that factored, and its exchanges made on the rows of L below the left half. L has ones on its diagonal. *)
From Coq Require Import Reals Lra Lia PeanoNat List.
From Fulmen Require Import Factor.
Import ListNotations.
Open Scope R_scope.

(* Row k and row p, exchanged; and a list of exchanges from row k on. *)
Definition exchange {X} (k p : nat) (f : nat -> X) : nat -> X :=
  fun i => f (if Nat.eqb i k then p else if Nat.eqb i p then k else i).
Fixpoint exchanges {X} (k : nat) (ps : list nat) (f : nat -> X) : nat -> X :=
  match ps with [] => f | p :: rest => exchanges (S k) rest (exchange k p f) end.

Definition lower (m : mat) (i r : nat) : R := if Nat.ltb r i then m i r else if Nat.eqb r i then 1 else 0.
Definition upper (m : mat) (r j : nat) : R := if Nat.leb r j then m r j else 0.

(* m holds L and U of the rows by cols matrix a with these exchanges. *)
Definition lu_of (rows cols : nat) (a m : mat) (ps : list nat) : Prop :=
  length ps = cols /\ (forall p, In p ps -> (p < rows)%nat) /\
  forall i j, (i < rows)%nat -> (j < cols)%nat ->
  exchanges 0 ps a i j = sum cols (fun r => lower m i r * upper m r j).

(* Exchanges are a map of rows, whatever stands in them. *)
Definition row_of (k : nat) (ps : list nat) : nat -> nat := exchanges k ps (fun i => i).

Lemma exchanges_row : forall ps X k (f : nat -> X) i, exchanges k ps f i = f (row_of k ps i).
Proof.
  induction ps as [|p ps IH]; intros X k f i; [reflexivity|]. unfold row_of. cbn [exchanges]. rewrite !IH. reflexivity.
Qed.

Lemma row_below : forall ps n k i, (forall p, In p ps -> (p < n)%nat) -> (k + length ps <= n)%nat -> (i < n)%nat ->
  (row_of k ps i < n)%nat.
Proof.
  induction ps as [|p ps IH]; intros n k i Hp Hk Hi; [exact Hi|]. unfold row_of. cbn [exchanges length] in *.
  rewrite exchanges_row. assert (B : (row_of (S k) ps i < n)%nat).
  { apply IH; [intros q Q; apply Hp; now right|lia|exact Hi]. }
  pose proof (Hp p (or_introl eq_refl)). unfold exchange.
  destruct (Nat.eqb _ k); [assumption|]. destruct (Nat.eqb _ p); [lia|exact B].
Qed.

(* Two columns that are equal after exchanges were equal before. *)
Theorem exchanges_lose_no_row : forall ps X n k (f g : nat -> X), (forall p, In p ps -> (p < n)%nat) -> (k + length ps <= n)%nat ->
  (forall i, (i < n)%nat -> exchanges k ps f i = exchanges k ps g i) -> forall i, (i < n)%nat -> f i = g i.
Proof.
  induction ps as [|p ps IH]; intros X n k f g Hp Hk E i Hi; [now apply E|]. cbn [exchanges length] in *.
  pose proof (Hp p (or_introl eq_refl)) as P.
  assert (F : forall q, (q < n)%nat -> exchange k p f q = exchange k p g q).
  { apply (IH X n (S k)); [intros; apply Hp; now right|lia|exact E]. }
  unfold exchange in F. destruct (Nat.eq_dec i k) as [->|D].
  - specialize (F p P). destruct (Nat.eqb_spec p k) as [->|N]; [exact F|]. now rewrite Nat.eqb_refl in F.
  - destruct (Nat.eq_dec i p) as [->|D'].
    + specialize (F k ltac:(lia)). now rewrite Nat.eqb_refl in F.
    + specialize (F i Hi). destruct (Nat.eqb_spec i k); [lia|]. destruct (Nat.eqb_spec i p); [lia|exact F].
Qed.

Lemma exchanges_app : forall ps qs X k (f : nat -> X),
  exchanges k (ps ++ qs) f = exchanges (k + length ps) qs (exchanges k ps f).
Proof.
  induction ps as [|p ps IH]; intros qs X k f; cbn [app exchanges length]; [now rewrite Nat.add_0_r|].
  rewrite IH. f_equal. lia.
Qed.

(* Exchanges of the rows from h on, as those of the rows below. *)
Lemma exchanges_shifted : forall ps X h k (f : nat -> X) i,
  exchanges (h + k) (map (Nat.add h) ps) f i =
  if Nat.ltb i h then f i else exchanges k ps (fun i => f (h + i)%nat) (i - h).
Proof.
  induction ps as [|p ps IH]; intros X h k f i; cbn [map exchanges].
  - destruct (Nat.ltb_spec i h); [reflexivity|]. f_equal. lia.
  - rewrite <- Nat.add_succ_r, IH. destruct (Nat.ltb_spec i h) as [L|L].
    + unfold exchange. destruct (Nat.eqb_spec i (h + k)); [lia|]. destruct (Nat.eqb_spec i (h + p)); [lia|reflexivity].
    + rewrite !exchanges_row. unfold exchange. set (r := row_of (S k) ps (i - h)).
      destruct (Nat.eqb_spec (h + r) (h + k)); destruct (Nat.eqb_spec r k); try lia; [reflexivity|].
      destruct (Nat.eqb_spec (h + r) (h + p)); destruct (Nat.eqb_spec r p); try lia; reflexivity.
Qed.

(* The recursion *)

Theorem lu_recursion : forall rows cols h a m1 ps1 u12 m22 ps2, (h <= cols)%nat -> (cols <= rows)%nat ->
  lu_of rows h a m1 ps1 ->
  let b := exchanges 0 ps1 a in
  (forall i j, (i < h)%nat -> (h <= j < cols)%nat -> sum i (fun k => m1 i k * u12 k j) + u12 i j = b i j) ->
  lu_of (rows - h) (cols - h)
    (fun i j => b (h + i)%nat (h + j)%nat - sum h (fun k => m1 (h + i)%nat k * u12 k (h + j)%nat)) m22 ps2 ->
  let l21 := exchanges 0 ps2 (fun i => m1 (h + i)%nat) in
  lu_of rows cols a
    (fun i j => if Nat.ltb i h then (if Nat.ltb j h then m1 i j else u12 i j)
                else if Nat.ltb j h then l21 (i - h)%nat j else m22 (i - h)%nat (j - h)%nat)
    (ps1 ++ map (Nat.add h) ps2).
Proof.
  intros rows cols h a m1 ps1 u12 m22 ps2 Hh Hr [N1 [P1 F1]] b U [N2 [P2 F2]] l21.
  split; [rewrite app_length, map_length; lia|]. split.
  { intros p Hp. apply in_app_iff in Hp. destruct Hp as [Hp|Hp]; [now apply P1|].
    apply in_map_iff in Hp. destruct Hp as [q [<- Hq]]. apply P2 in Hq. lia. }
  intros i j Hi Hj. set (m := fun _ _ => _).
  rewrite exchanges_app. fold b. cbn [Nat.add]. rewrite N1.
  pose proof (exchanges_shifted ps2 (nat -> R) h 0 b i) as X. rewrite Nat.add_0_r in X. rewrite X. clear X.
  destruct (Nat.ltb_spec i h) as [I|I].
  - (* Rows above *)
    rewrite (sum_longer h cols); [|exact Hh|].
    2:{ intros k Hk. unfold lower. destruct (Nat.ltb_spec k i); [lia|]. destruct (Nat.eqb_spec k i); [lia|ring]. }
    destruct (Nat.lt_ge_cases j h) as [J|J].
    + unfold b. rewrite F1 by lia. apply sum_ext. intros k Hk. unfold lower, upper, m.
      destruct (Nat.ltb_spec i h); [|lia]. destruct (Nat.ltb_spec k h); [|lia]. destruct (Nat.ltb_spec j h); [|lia]. reflexivity.
    + rewrite <- (U i j I ltac:(lia)). rewrite (sum_longer (S i) h); [|lia|].
      2:{ intros k Hk. unfold lower. destruct (Nat.ltb_spec k i); [lia|]. destruct (Nat.eqb_spec k i); [lia|ring]. }
      cbn [sum]. f_equal.
      * apply sum_ext. intros k Hk. unfold lower, upper, m. destruct (Nat.ltb_spec k i); [|lia].
        destruct (Nat.leb_spec k j); [|lia]. destruct (Nat.ltb_spec i h); [|lia]. destruct (Nat.ltb_spec k h); [|lia].
        destruct (Nat.ltb_spec j h); [lia|reflexivity].
      * unfold lower, upper, m. rewrite Nat.ltb_irrefl, Nat.eqb_refl. destruct (Nat.leb_spec i j); [|lia].
        destruct (Nat.ltb_spec i h); [|lia]. destruct (Nat.ltb_spec j h); [lia|ring].
  - (* Rows below *)
    set (q := (i - h)%nat). rewrite exchanges_row. set (t := row_of 0 ps2 q).
    assert (T : (t < rows - h)%nat) by (apply row_below; [exact P2|lia|unfold q; lia]).
    assert (L : forall k, (k < h)%nat -> lower m i k = m1 (h + t)%nat k).
    { intros k Hk. unfold lower, m. destruct (Nat.ltb_spec k i); [|lia]. destruct (Nat.ltb_spec i h); [lia|].
      destruct (Nat.ltb_spec k h); [|lia]. unfold l21. rewrite exchanges_row. reflexivity. }
    replace cols with (h + (cols - h))%nat by lia. rewrite sum_app.
    destruct (Nat.lt_ge_cases j h) as [J|J].
    + rewrite (sum_0 (cols - h)).
      2:{ intros k Hk. unfold upper. destruct (Nat.leb_spec (h + k) j); [lia|ring]. }
      unfold b. rewrite F1, Rplus_0_r by lia. apply sum_ext. intros k Hk. rewrite L by exact Hk.
      unfold lower, upper, m. destruct (Nat.ltb_spec k (h + t)); [|lia]. destruct (Nat.leb_spec k j); [|ring].
      destruct (Nat.ltb_spec k h); [|lia]. destruct (Nat.ltb_spec j h); [reflexivity|lia].
    + specialize (F2 q (j - h)%nat ltac:(unfold q; lia) ltac:(lia)). rewrite exchanges_row in F2. fold t in F2.
      replace (h + (j - h))%nat with j in F2 by lia.
      rewrite (sum_ext h _ (fun k => m1 (h + t)%nat k * u12 k j)).
      2:{ intros k Hk. rewrite L by exact Hk. f_equal. unfold upper, m. destruct (Nat.leb_spec k j); [|lia].
          destruct (Nat.ltb_spec k h); [|lia]. destruct (Nat.ltb_spec j h); [lia|reflexivity]. }
      rewrite (sum_ext (cols - h) _ (fun r => lower m22 q r * upper m22 r (j - h)%nat)); [lra|].
      intros k Hk. f_equal.
      * unfold lower, m, q. destruct (Nat.ltb_spec (h + k) i); destruct (Nat.ltb_spec k (i - h)); try lia.
        -- destruct (Nat.ltb_spec i h); [lia|]. destruct (Nat.ltb_spec (h + k) h); [lia|]. f_equal. lia.
        -- destruct (Nat.eqb_spec (h + k) i); destruct (Nat.eqb_spec k (i - h)); try lia; reflexivity.
      * unfold upper, m. destruct (Nat.leb_spec (h + k) j); destruct (Nat.leb_spec k (j - h)); try lia; [|reflexivity].
        destruct (Nat.ltb_spec (h + k) h); [lia|]. destruct (Nat.ltb_spec j h); [lia|]. f_equal. lia.
Qed.

(* The leaf: rows k and p are exchanged, column k below is divided by the pivot, and its products are taken off what follows. A pivot
   of 0, the largest of its column, leaves a column of zeros, which is one of L. *)
Definition lu_step (k p : nat) (m : mat) : mat :=
  let b := exchange k p m in
  fun i j => if Nat.ltb k i then
      (if Nat.ltb j k then b i j
       else let l := if Req_EM_T (b k k) 0 then b i k else b i k / b k k in if Nat.eqb j k then l else b i j - l * b k j)
    else b i j.
Fixpoint lu_steps (k : nat) (ps : list nat) (m : mat) : mat :=
  match ps with [] => m | p :: rest => lu_steps (S k) rest (lu_step k p m) end.
(* Each pivot is one of the rows left, and the largest of its column there. *)
Fixpoint largest_pivots (rows k : nat) (ps : list nat) (m : mat) : Prop :=
  match ps with
  | [] => True
  | p :: rest => (k <= p < rows)%nat /\ (forall i, (k <= i < rows)%nat -> Rabs (m i k) <= Rabs (m p k)) /\
                 largest_pivots rows (S k) rest (lu_step k p m)
  end.

(* What L and U of the columns done, and the rest, say of a. *)
Definition partly (rows k : nat) (a m : mat) : Prop :=
  forall i j, (i < rows)%nat ->
  a i j = sum k (fun r => lower m i r * upper m r j) + (if Nat.leb k i then if Nat.leb k j then m i j else 0 else 0).

Lemma exchange_row_below : forall rows k p i, (k <= p < rows)%nat -> (i < rows)%nat ->
  let r := if Nat.eqb i k then p else if Nat.eqb i p then k else i in (r < rows)%nat /\ ((i < k)%nat -> r = i) /\ ((k <= i)%nat -> (k <= r)%nat).
Proof.
  intros rows k p i Hp Hi. cbn zeta. destruct (Nat.eqb_spec i k); [lia|]. destruct (Nat.eqb_spec i p); lia.
Qed.

Lemma partly_exchanged : forall rows k p a m, (k <= p < rows)%nat -> partly rows k a m ->
  partly rows k (exchange k p a) (exchange k p m).
Proof.
  intros rows k p a m Hp H i j Hi. destruct (exchange_row_below rows k p i Hp Hi) as [R [A B]].
  unfold exchange at 1. set (r := if Nat.eqb i k then p else if Nat.eqb i p then k else i) in *.
  rewrite (H r j R). f_equal.
  - apply sum_ext. intros c Hc. f_equal.
    + unfold lower, exchange. fold r. destruct (Nat.lt_ge_cases i k) as [L|L]; [now rewrite (A L)|].
      specialize (B L). destruct (Nat.ltb_spec c r); [|lia]. destruct (Nat.ltb_spec c i); [reflexivity|lia].
    + unfold upper, exchange. destruct (Nat.leb_spec c j); [|reflexivity]. destruct (Nat.eqb_spec c k); [lia|].
      destruct (Nat.eqb_spec c p); [lia|reflexivity].
  - unfold exchange. fold r. destruct (Nat.lt_ge_cases i k) as [L|L]; [now rewrite (A L)|]. specialize (B L).
    destruct (Nat.leb_spec k r); [|lia]. destruct (Nat.leb_spec k i); [reflexivity|lia].
Qed.

Lemma partly_step : forall rows k p a m, (k <= p < rows)%nat ->
  (forall i, (k <= i < rows)%nat -> Rabs (m i k) <= Rabs (m p k)) -> partly rows k a m ->
  partly rows (S k) (exchange k p a) (lu_step k p m).
Proof.
  intros rows k p a m Hp Big H i j Hi. pose proof (partly_exchanged rows k p a m Hp H i j Hi) as E. rewrite E. clear E.
  assert (Zero : exchange k p m k k = 0 -> (k < i)%nat -> exchange k p m i k = 0).
  { intros Z L. unfold exchange in Z. rewrite Nat.eqb_refl in Z.
    destruct (exchange_row_below rows k p i Hp Hi) as [R [_ B]]. specialize (Big _ (conj (B ltac:(lia)) R)).
    rewrite Z, Rabs_R0 in Big. unfold exchange. pose proof (Rabs_pos (m (if Nat.eqb i k then p else if Nat.eqb i p then k else i) k)).
    destruct (Req_dec (m (if Nat.eqb i k then p else if Nat.eqb i p then k else i) k) 0) as [Y|Y]; [exact Y|].
    apply Rabs_pos_lt in Y. lra. }
  set (b := exchange k p m) in *.
  cbn [sum].
  rewrite (sum_ext k (fun r => lower (lu_step k p m) i r * upper (lu_step k p m) r j) (fun r => lower b i r * upper b r j)).
  2:{ intros r Hr. f_equal.
      - unfold lower, lu_step. fold b. destruct (Nat.ltb_spec r i); [|reflexivity]. destruct (Nat.ltb k i); [|reflexivity].
        destruct (Nat.ltb_spec r k); [reflexivity|lia].
      - unfold upper, lu_step. fold b. destruct (Nat.leb_spec r j); [|reflexivity]. destruct (Nat.ltb_spec k r); [lia|reflexivity]. }
  assert (UK : forall c, lu_step k p m k c = b k c) by (intros; unfold lu_step; fold b; now rewrite Nat.ltb_irrefl).
  rewrite Rplus_assoc. f_equal. unfold upper at 1. rewrite UK. unfold lower.
  destruct (Nat.lt_trichotomy i k) as [L|[->|L]].
  - destruct (Nat.ltb_spec k i); [lia|]. destruct (Nat.eqb_spec k i); [lia|]. destruct (Nat.leb_spec k i); [lia|].
    destruct (Nat.leb_spec (S k) i); [lia|]. ring.
  - rewrite Nat.ltb_irrefl, Nat.eqb_refl, Nat.leb_refl. destruct (Nat.leb_spec (S k) k); [lia|].
    destruct (Nat.leb_spec k j); ring.
  - destruct (Nat.ltb_spec k i); [|lia]. destruct (Nat.leb_spec k i); [|lia]. destruct (Nat.leb_spec (S k) i); [|lia].
    unfold lu_step. fold b. destruct (Nat.ltb_spec k i); [|lia]. rewrite Nat.ltb_irrefl, Nat.eqb_refl.
    destruct (Nat.lt_trichotomy j k) as [M|[->|M]].
    + destruct (Nat.leb_spec k j); [lia|]. destruct (Nat.leb_spec (S k) j); [lia|]. ring.
    + rewrite Nat.leb_refl. destruct (Nat.leb_spec (S k) k); [lia|]. destruct (Req_EM_T (b k k) 0) as [Z|Z].
      * rewrite (Zero Z L). ring.
      * field. exact Z.
    + destruct (Nat.leb_spec k j); [|lia]. destruct (Nat.leb_spec (S k) j); [|lia]. destruct (Nat.ltb_spec j k); [lia|].
      destruct (Nat.eqb_spec j k); [lia|]. destruct (Req_EM_T (b k k) 0); ring.
Qed.

Theorem lu_leaf : forall rows cols a ps, length ps = cols -> (cols <= rows)%nat -> largest_pivots rows 0 ps a ->
  lu_of rows cols a (lu_steps 0 ps a) ps.
Proof.
  intros rows cols a ps N Hr P.
  assert (G : forall ps k a m, largest_pivots rows k ps m -> partly rows k a m ->
    (forall p, In p ps -> (p < rows)%nat) /\ partly rows (k + length ps) (exchanges k ps a) (lu_steps k ps m)).
  { clear. induction ps as [|p ps IH]; intros k a m P H; cbn [length exchanges lu_steps largest_pivots] in *.
    - rewrite Nat.add_0_r. split; [intros q []|exact H].
    - destruct P as [Hp [Big P]]. destruct (IH (S k) (exchange k p a) (lu_step k p m) P) as [I F].
      + now apply partly_step.
      + split; [intros q [<-|Q]; [lia|now apply I]|]. now replace (k + S (length ps))%nat with (S k + length ps)%nat by lia. }
  destruct (G ps 0%nat a a P) as [I F].
  { intros i j Hi. cbn [sum Nat.leb]. ring. }
  split; [exact N|]. split; [exact I|]. intros i j Hi Hj. rewrite (F i j Hi). cbn [Nat.add]. rewrite N.
  destruct (Nat.leb_spec cols i); [|ring]. destruct (Nat.leb_spec cols j); [lia|ring].
Qed.

(* Exchanges of b, Ly = Pb, Ux = y. *)
Theorem lu_solves : forall n a m ps x y b, lu_of n n a m ps ->
  lower_solution n (lower m) y (exchanges 0 ps b) -> upper_solution n m x y ->
  forall i, (i < n)%nat -> sum n (fun j => a i j * x j) = b i.
Proof.
  intros n a m ps x y b [N [P F]] L U.
  apply (exchanges_lose_no_row ps R n 0 (fun i => sum n (fun j => a i j * x j)) b P); [lia|].
  intros i Hi. rewrite <- (L i Hi). rewrite exchanges_row.
  rewrite (sum_ext n _ (fun j => sum n (fun r => lower m i r * (upper m r j * x j)))).
  2:{ intros j Hj. pose proof (F i j Hi Hj) as E. rewrite exchanges_row in E. rewrite E, Rmult_comm, <- sum_scal.
      apply sum_ext. intros. ring. }
  rewrite sum_swap. rewrite (sum_ext n _ (fun r => lower m i r * y r)).
  - rewrite (sum_longer (S i) n); [reflexivity|lia|]. intros k Hk. unfold lower.
    destruct (Nat.ltb_spec k i); [lia|]. destruct (Nat.eqb_spec k i); [lia|ring].
  - intros r Hr. rewrite sum_scal. f_equal. rewrite <- (U r Hr).
    replace n with (r + (n - r))%nat at 1 by lia. rewrite sum_app, (sum_0 r).
    + rewrite Rplus_0_l. apply sum_ext. intros k Hk. unfold upper. destruct (Nat.leb_spec r (r + k)); [reflexivity|lia].
    + intros k Hk. unfold upper. destruct (Nat.leb_spec r k); [lia|ring].
Qed.
