(* Factors of dense matrices and what is solved with them, over the reals.

   Ops: cholesky, cholesky_solve, cholesky_update, lu, lu_solve, trsm, trsv, least_squares.
   Algorithms: src/solve/cholesky.rs, lu.rs, update.rs and `solve` of src/blas/triangular.rs: matrices cut in two at any h, a leaf
   whose rows or columns follow each other, pivots as exchanges of row i with row pivots[i] in the order of i.
   Matrices are functions of row and column. *)
From Coq Require Import Reals Lra Lia PeanoNat List.
Import ListNotations.
Open Scope R_scope.

Definition mat := nat -> nat -> R.
Fixpoint sum (n : nat) (f : nat -> R) : R := match n with O => 0 | S k => sum k f + f k end.

Lemma sum_ext : forall n f g, (forall k, (k < n)%nat -> f k = g k) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; intros f g H; simpl; [reflexivity|]. rewrite (IH f g) by (intros; apply H; lia). now rewrite H by lia.
Qed.
Lemma sum_app : forall n m f, sum (n + m) f = sum n f + sum m (fun k => f (n + k)%nat).
Proof.
  intros n m f. induction m as [|m IH]; [simpl; rewrite Nat.add_0_r; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IH. ring.
Qed.
Lemma sum_0 : forall n f, (forall k, (k < n)%nat -> f k = 0) -> sum n f = 0.
Proof. induction n as [|n IH]; intros f H; simpl; [reflexivity|]. rewrite (IH f), (H n) by (intros; try apply H; lia). ring. Qed.
Lemma sum_longer : forall n m f, (n <= m)%nat -> (forall k, (n <= k < m)%nat -> f k = 0) -> sum m f = sum n f.
Proof.
  intros n m f H Z. replace m with (n + (m - n))%nat by lia. rewrite sum_app, (sum_0 (m - n)); [ring|]. intros; apply Z; lia.
Qed.
Lemma sum_plus : forall n f g, sum n (fun k => f k + g k) = sum n f + sum n g.
Proof. induction n as [|n IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma sum_scal : forall n c f, sum n (fun k => c * f k) = c * sum n f.
Proof. induction n as [|n IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma sum_swap : forall n m (f : nat -> nat -> R),
  sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof. induction n as [|n IH]; intros m f; simpl; [now rewrite sum_0|]. rewrite IH. now rewrite <- sum_plus. Qed.
Lemma sum_first : forall n f, sum (S n) f = f 0%nat + sum n (fun k => f (S k)).
Proof. induction n as [|n IH]; intros f; [simpl; ring|]. cbn [sum] in *. rewrite IH. ring. Qed.
Lemma sum_reversed : forall n f, sum n f = sum n (fun k => f (n - 1 - k)%nat).
Proof.
  induction n as [|n IH]; intros f; [reflexivity|]. rewrite sum_first. cbn [sum]. rewrite IH.
  replace (S n - 1 - n)%nat with 0%nat by lia. rewrite Rplus_comm. f_equal. apply sum_ext. intros k H. f_equal. lia.
Qed.

(* Triangular solves *)

Definition lower_solution (n : nat) (l : mat) (x b : nat -> R) : Prop :=
  forall i, (i < n)%nat -> sum i (fun k => l i k * x k) + l i i * x i = b i.
Definition upper_solution (n : nat) (u : mat) (x b : nat -> R) : Prop :=
  forall i, (i < n)%nat -> sum (n - i) (fun k => u i (i + k)%nat * x (i + k)%nat) = b i.

(* The leaf: row after row. *)
Theorem substitution_solves : forall n l x b, (forall i, (i < n)%nat -> l i i <> 0) ->
  (forall i, (i < n)%nat -> x i = (b i - sum i (fun k => l i k * x k)) / l i i) -> lower_solution n l x b.
Proof. intros n l x b D H i Hi. rewrite (H i Hi). field. now apply D. Qed.

(* Cut at h: the upper part is solved, its product taken off, and the lower part solved. *)
Theorem blocked_substitution_solves : forall n h l x b, (h <= n)%nat -> lower_solution h l x b ->
  lower_solution (n - h) (fun i k => l (h + i)%nat (h + k)%nat) (fun i => x (h + i)%nat)
    (fun i => b (h + i)%nat - sum h (fun k => l (h + i)%nat k * x k)) ->
  lower_solution n l x b.
Proof.
  intros n h l x b H U L i Hi. destruct (Nat.lt_ge_cases i h) as [C|C]; [now apply U|].
  specialize (L (i - h)%nat ltac:(lia)). cbn beta in L. replace (h + (i - h))%nat with i in L by lia.
  replace i with (h + (i - h))%nat at 1 by lia. rewrite sum_app. lra.
Qed.

(* An upper triangle is a lower one with rows and columns in the opposite order. *)
Theorem reversed_triangle_solves : forall n u x b,
  lower_solution n (fun i k => u (n - 1 - i)%nat (n - 1 - k)%nat) (fun i => x (n - 1 - i)%nat) (fun i => b (n - 1 - i)%nat) ->
  upper_solution n u x b.
Proof.
  intros n u x b H i Hi. specialize (H (n - 1 - i)%nat ltac:(lia)). cbn beta in H.
  replace (n - 1 - (n - 1 - i))%nat with i in H by lia. rewrite <- H.
  replace (n - i)%nat with (S (n - 1 - i)) by lia. rewrite sum_first. rewrite Nat.add_0_r, Rplus_comm. f_equal.
  rewrite sum_reversed. apply sum_ext. intros k Hk. f_equal; f_equal; lia.
Qed.

(* Cholesky *)

Definition cholesky_of (n : nat) (a l : mat) : Prop :=
  forall i j, (j <= i < n)%nat -> sum j (fun k => l i k * l j k) + l j j * l i j = a i j.

(* Cut at h: L11 is the factor of A11, L21 solves L21 L11^T = A21, and L22 is the factor of A22 - L21 L21^T. *)
Theorem cholesky_recursion : forall n h a l, (h <= n)%nat -> cholesky_of h a l ->
  (forall i, (h <= i < n)%nat -> lower_solution h l (l i) (a i)) ->
  cholesky_of (n - h) (fun i j => a (h + i)%nat (h + j)%nat - sum h (fun k => l (h + i)%nat k * l (h + j)%nat k))
    (fun i j => l (h + i)%nat (h + j)%nat) ->
  cholesky_of n a l.
Proof.
  intros n h a l H C11 S21 C22 i j Hij. destruct (Nat.lt_ge_cases j h) as [J|J].
  - destruct (Nat.lt_ge_cases i h) as [I|I]; [now apply C11|].
    rewrite <- (S21 i ltac:(lia) j J). f_equal. apply sum_ext. intros. ring.
  - specialize (C22 (i - h)%nat (j - h)%nat ltac:(lia)). cbn beta in C22.
    replace (h + (i - h))%nat with i in C22 by lia. replace (h + (j - h))%nat with j in C22 by lia.
    replace j with (h + (j - h))%nat at 1 by lia. rewrite sum_app. lra.
Qed.

(* The leaf, over the transpose: row k is divided by the root of its pivot, and its products are taken off the rows that follow. *)
Definition cholesky_step (k : nat) (m : mat) : mat := fun i j =>
  let u := fun j => m k j / sqrt (m k k) in
  if Nat.ltb i k then m i j
  else if Nat.eqb i k then (if Nat.eqb j k then sqrt (m k k) else u j)
  else m i j - u i * u j.
Fixpoint cholesky_steps (k : nat) (a : mat) : mat :=
  match k with O => a | S k => cholesky_step k (cholesky_steps k a) end.

Theorem cholesky_leaf : forall n a, (forall k, (k < n)%nat -> 0 < cholesky_steps k a k k) ->
  let u := cholesky_steps n a in cholesky_of n (fun i j => a j i) (fun i j => u j i).
Proof.
  intros n a P.
  (* What the rows done and the rest say of A, after k steps. *)
  assert (I : forall k, (k <= n)%nat -> let m := cholesky_steps k a in forall i j, (i <= j)%nat ->
    (if Nat.ltb i k then sum i (fun r => m r i * m r j) + m i i * m i j else sum k (fun r => m r i * m r j) + m i j) = a i j).
  { induction k as [|k IH]; intros Hk m i j Hij; [simpl; unfold m; simpl; ring|].
    specialize (IH ltac:(lia)). cbn zeta in IH. specialize (P k ltac:(lia)).
    set (b := cholesky_steps k a) in *. pose proof (sqrt_sqrt _ (Rlt_le _ _ P)) as Q. pose proof (sqrt_lt_R0 _ P) as R.
    assert (Above : forall r c, (r < k)%nat -> m r c = b r c).
    { intros r c Hr. unfold m. cbn [cholesky_steps]. fold b. unfold cholesky_step.
      destruct (Nat.ltb_spec r k); [reflexivity|lia]. }
    assert (Diagonal : m k k = sqrt (b k k)).
    { unfold m. cbn [cholesky_steps]. fold b. unfold cholesky_step. rewrite Nat.ltb_irrefl, !Nat.eqb_refl. reflexivity. }
    assert (Row : forall c, (k < c)%nat -> m k c = b k c / sqrt (b k k)).
    { intros c Hc. unfold m. cbn [cholesky_steps]. fold b. unfold cholesky_step. rewrite Nat.ltb_irrefl, Nat.eqb_refl.
      destruct (Nat.eqb_spec c k); [lia|reflexivity]. }
    assert (Below : forall r c, (k < r)%nat -> m r c = b r c - b k r / sqrt (b k k) * (b k c / sqrt (b k k))).
    { intros r c Hr. unfold m. cbn [cholesky_steps]. fold b. unfold cholesky_step.
      destruct (Nat.ltb_spec r k); [lia|]. destruct (Nat.eqb_spec r k); [lia|reflexivity]. }
    specialize (IH i j Hij). destruct (Nat.ltb_spec i (S k)) as [L|L].
    - destruct (Nat.ltb_spec i k) as [L'|L'].
      + rewrite <- IH. rewrite !Above by exact L'. f_equal. apply sum_ext. intros r Hr. now rewrite !Above by lia.
      + assert (i = k) by lia. subst i. rewrite <- IH. f_equal.
        * apply sum_ext. intros r Hr. now rewrite !Above by lia.
        * destruct (Nat.eq_dec j k) as [->|D]; [rewrite Diagonal; exact Q|].
          rewrite Diagonal, Row by lia. field. lra.
    - destruct (Nat.ltb_spec i k); [lia|]. rewrite <- IH. cbn [sum]. rewrite !Row, Below by lia.
      rewrite (sum_ext k _ (fun r => b r i * b r j)); [ring|]. intros r Hr. now rewrite !Above by lia. }
  intros u i j Hij. specialize (I n (Nat.le_refl n) j i ltac:(lia)). cbn zeta in I. fold u in I.
  destruct (Nat.ltb_spec j n); [|lia]. rewrite <- I. f_equal. apply sum_ext. intros. ring.
Qed.

(* Ly = b, then L^T x = y. *)
Theorem cholesky_solves : forall n a l x y b, cholesky_of n a l ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> a i j = a j i) ->
  lower_solution n l y b -> upper_solution n (fun i j => l j i) x y ->
  forall i, (i < n)%nat -> sum n (fun j => a i j * x j) = b i.
Proof.
  intros n a l x y b C Sy L U i Hi.
  (* A = L L^T with zeros above the diagonal, in full sums. *)
  pose (z := fun i k => if Nat.leb k i then l i k else 0).
  assert (F : forall i j, (i < n)%nat -> (j < n)%nat -> a i j = sum n (fun k => z i k * z j k)).
  { assert (G : forall i j, (j <= i < n)%nat -> a i j = sum n (fun k => z i k * z j k)).
    { intros p q H. rewrite <- (C p q H). rewrite (sum_longer (S q) n) by
        (try lia; intros k Hk; unfold z; destruct (Nat.leb_spec k q); lia || ring).
      cbn [sum]. f_equal.
      - apply sum_ext. intros k Hk. unfold z. destruct (Nat.leb_spec k p); [|lia]. destruct (Nat.leb_spec k q); [|lia]. ring.
      - unfold z. destruct (Nat.leb_spec q p); [|lia]. rewrite Nat.leb_refl. ring. }
    intros p q Hp Hq. destruct (Nat.le_ge_cases q p) as [H|H]; [now apply G|].
    rewrite Sy, G by lia. apply sum_ext. intros. ring. }
  rewrite (sum_ext n _ (fun j => sum n (fun k => z i k * (z j k * x j)))).
  2:{ intros j Hj. rewrite F by assumption. rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros. ring. }
  rewrite sum_swap. rewrite (sum_ext n _ (fun k => z i k * y k)).
  - rewrite <- (L i Hi). rewrite (sum_longer (S i) n) by
      (try lia; intros k Hk; unfold z; destruct (Nat.leb_spec k i); lia || ring).
    cbn [sum]. f_equal; [apply sum_ext; intros k Hk|]; unfold z; [|now rewrite Nat.leb_refl].
    destruct (Nat.leb_spec k i); [reflexivity|lia].
  - intros k Hk. rewrite sum_scal. f_equal. rewrite <- (U k Hk).
    replace n with (k + (n - k))%nat at 1 by lia. rewrite sum_app, (sum_0 k).
    + rewrite Rplus_0_l. apply sum_ext. intros q Hq. unfold z. destruct (Nat.leb_spec k (k + q)); [reflexivity|lia].
    + intros q Hq. unfold z. destruct (Nat.leb_spec k q); [lia|ring].
Qed.

(* A rank-one change: column k is turned against x. Products of any two rows, with what x still has of them, stay as they are. *)
Theorem update_turn_keeps : forall c s p q f g, c * c + s * s = 1 ->
  (c * p + s * f) * (c * q + s * g) + (c * f - s * p) * (c * g - s * q) = p * q + f * g.
Proof.
  intros c s p q f g H. transitivity ((c * c + s * s) * (p * q + f * g)); [ring|]. rewrite H. ring.
Qed.

Theorem update_turn_clears : forall d g, let r := sqrt (d * d + g * g) in r <> 0 ->
  let c := d / r in let s := g / r in c * d + s * g = r /\ c * g - s * d = 0 /\ c * c + s * s = 1.
Proof.
  intros d g r H c s. unfold c, s. assert (Q : r * r = d * d + g * g) by (apply sqrt_sqrt; nra).
  split; [|split].
  - replace (d / r * d + g / r * g) with ((d * d + g * g) / r) by (field; exact H). rewrite <- Q. field. exact H.
  - field. exact H.
  - replace (d / r * (d / r) + g / r * (g / r)) with ((d * d + g * g) / (r * r)) by (field; exact H). rewrite <- Q. field. exact H.
Qed.

(* All turns, column after column: l and x become the factor of A + x x^T and nothing. *)
Definition update_step (turn : nat -> R * R) (k : nat) (s : mat * (nat -> R)) : mat * (nat -> R) :=
  let (l, x) := s in let (c, d) := turn k in
  (fun i j => if Nat.eqb j k then c * l i k + d * x i else l i j, fun i => c * x i - d * l i k).
Fixpoint update_steps (turn : nat -> R * R) (k : nat) (s : mat * (nat -> R)) : mat * (nat -> R) :=
  match k with O => s | S k => update_step turn k (update_steps turn k s) end.

Theorem update_keeps : forall (turn : nat -> R * R) n l x, (forall k, (k < n)%nat -> let (c, s) := turn k in c * c + s * s = 1) ->
  let (l', x') := update_steps turn n (l, x) in forall i j,
  sum n (fun k => l' i k * l' j k) + x' i * x' j = sum n (fun k => l i k * l j k) + x i * x j.
Proof.
  intros turn n l x H.
  assert (G : forall k, (k <= n)%nat -> let (l', x') := update_steps turn k (l, x) in
    (forall i r, (k <= r)%nat -> l' i r = l i r) /\ forall i j,
    sum k (fun r => l' i r * l' j r) + x' i * x' j = sum k (fun r => l i r * l j r) + x i * x j).
  { induction k as [|k IH]; intros Hk; [cbn; auto|]. specialize (IH ltac:(lia)). specialize (H k ltac:(lia)).
    cbn [update_steps]. destruct (update_steps turn k (l, x)) as [b y]. unfold update_step. destruct (turn k) as [c s].
    destruct IH as [Same IH]. split.
    - intros i r Hr. destruct (Nat.eqb_spec r k); [lia|]. apply Same. lia.
    - intros i j. cbn [sum]. rewrite Nat.eqb_refl.
      rewrite (sum_ext k _ (fun r => b i r * b j r)).
      2:{ intros r Hr. destruct (Nat.eqb_spec r k); [lia|reflexivity]. }
      rewrite Rplus_assoc, update_turn_keeps by exact H. rewrite !Same by lia. specialize (IH i j). lra. }
  specialize (G n (Nat.le_refl n)). destruct (update_steps turn n (l, x)) as [b y]. exact (proj2 G).
Qed.
