(* Fast Fourier transform over the complex numbers.

   Ops: fft, fft_rows, fft_2d, fft_3d, rfft, irfft, convolve, fir_fft.
   Algorithms: decimation in time, X[k] = E[k] + w^k O[k], X[k+n] = E[k] - w^k O[k]; decimation in
   frequency (the Stockham stages, of any radix, and all of them after each other as src/fft/plan.rs, execute.rs and small.rs have
   them); the unnormalised inverse with the conjugate root; cyclic convolution by transforms; Bluestein's chirp product and its
   convolution. w is any root of unity; the one the code uses, cos - i sin of 2 pi / N, is shown to be one, and a primitive one. *)
From Coq Require Import Reals Lra Lia PeanoNat ZArith List.
Import ListNotations.
From Coquelicot Require Import Complex.
Open Scope R_scope.
Open Scope C_scope.

Fixpoint csum (n : nat) (f : nat -> C) : C := match n with O => 0 | S k => csum k f + f k end.
Fixpoint cpow (z : C) (n : nat) : C := match n with O => 1 | S k => z * cpow z k end.
Definition dft (n : nat) (w : C) (x : nat -> C) (k : nat) : C := csum n (fun j => x j * cpow w (j * k)).

Lemma csum_ext : forall n f g, (forall j, (j < n)%nat -> f j = g j) -> csum n f = csum n g.
Proof.
  induction n as [|n IH]; intros f g H; simpl; [reflexivity|].
  rewrite (IH f g) by (intros; apply H; lia). now rewrite H by lia.
Qed.
Lemma csum_plus : forall n f g, csum n (fun j => f j + g j) = csum n f + csum n g.
Proof. induction n as [|n IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma csum_scal : forall n c f, csum n (fun j => c * f j) = c * csum n f.
Proof. induction n as [|n IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma csum_0 : forall n, csum n (fun _ => 0) = 0.
Proof. induction n as [|n IH]; simpl; [reflexivity|]. rewrite IH. ring. Qed.
Lemma csum_app : forall n m f, csum (n + m) f = csum n f + csum m (fun j => f (n + j)%nat).
Proof.
  intros n m f. induction m as [|m IH]; simpl; [rewrite Nat.add_0_r; ring|].
  rewrite Nat.add_succ_r. simpl. rewrite IH. ring.
Qed.
Lemma csum_even_odd : forall n f,
  csum (2 * n) f = csum n (fun j => f (2 * j)%nat) + csum n (fun j => f (2 * j + 1)%nat).
Proof.
  induction n as [|n IH]; intros f; [simpl; ring|].
  replace (2 * S n)%nat with (S (S (2 * n))) by lia. cbn [csum]. rewrite IH.
  replace (2 * n + 1)%nat with (S (2 * n)) by lia. ring.
Qed.
Lemma csum_swap : forall n m (f : nat -> nat -> C),
  csum n (fun i => csum m (fun j => f i j)) = csum m (fun j => csum n (fun i => f i j)).
Proof.
  induction n as [|n IH]; intros m f; simpl; [now rewrite csum_0|]. rewrite IH. now rewrite <- csum_plus.
Qed.

Lemma cpow_add : forall z a b, cpow z (a + b) = cpow z a * cpow z b.
Proof. induction a as [|a IH]; intros b; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma cpow_1 : forall n, cpow 1 n = 1.
Proof. induction n as [|n IH]; simpl; [reflexivity|]. rewrite IH. ring. Qed.
Lemma cpow_prod : forall y z n, cpow (y * z) n = cpow y n * cpow z n.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma cpow_mul : forall z a b, cpow z (a * b) = cpow (cpow z a) b.
Proof.
  intros z a b. induction b as [|b IH]; simpl; [now rewrite Nat.mul_0_r|].
  rewrite <- IH. rewrite Nat.mul_succ_r, Nat.add_comm. apply cpow_add.
Qed.
Lemma cpow_sqr : forall w e, cpow (w * w) e = cpow w (2 * e).
Proof. intros w e. rewrite cpow_mul. f_equal. simpl. ring. Qed.

Lemma root_period : forall w n, cpow w n = -(1) -> cpow w (2 * n) = 1.
Proof. intros w n H. rewrite Nat.mul_comm, cpow_mul, H. simpl. ring. Qed.

Lemma root_period_mul : forall w n j, cpow w n = -(1) -> cpow w (2 * n * j) = 1.
Proof. intros w n j H. rewrite cpow_mul, (root_period w n H). apply cpow_1. Qed.

(* Decimation in time *)

Theorem dit_low : forall n w x k,
  dft (2 * n) w x k
    = dft n (w * w) (fun j => x (2 * j)%nat) k + cpow w k * dft n (w * w) (fun j => x (2 * j + 1)%nat) k.
Proof.
  intros n w x k. unfold dft. rewrite csum_even_odd, <- csum_scal. f_equal; apply csum_ext; intros j _.
  - rewrite cpow_sqr. do 2 f_equal. lia.
  - rewrite cpow_sqr. replace ((2 * j + 1) * k)%nat with (k + 2 * (j * k))%nat by lia. rewrite cpow_add. ring.
Qed.

Theorem dit_high : forall n w x k, cpow w n = -(1) ->
  dft (2 * n) w x (k + n)
    = dft n (w * w) (fun j => x (2 * j)%nat) k - cpow w k * dft n (w * w) (fun j => x (2 * j + 1)%nat) k.
Proof.
  intros n w x k H. rewrite dit_low.
  assert (P : forall y, dft n (w * w) y (k + n) = dft n (w * w) y k).
  { intros y. unfold dft. apply csum_ext. intros j _. f_equal. rewrite !cpow_sqr.
    replace (2 * (j * (k + n)))%nat with (2 * (j * k) + (2 * n) * j)%nat by lia.
    rewrite cpow_add, (root_period_mul w n _ H). ring. }
  rewrite !P, cpow_add, H. ring.
Qed.

(* A stage of any radix r, as the passes have it: the butterfly of a place p takes the points p + q m, and its output j meets
   the root w^(j p) before the transforms of m points that follow. *)

Lemma csum_grid : forall r m f, csum (r * m) f = csum m (fun p => csum r (fun q => f (p + q * m)%nat)).
Proof.
  intros r m f. induction r as [|r IH]; [simpl; now rewrite csum_0|].
  replace (S r * m)%nat with (r * m + m)%nat by lia. rewrite csum_app, IH, <- csum_plus. apply csum_ext. intros p _.
  simpl. do 2 f_equal. lia.
Qed.

Theorem dif_any_radix : forall r m w x j k, cpow w (r * m) = 1 ->
  dft (r * m) w x (r * k + j)
    = dft m (cpow w r) (fun p => cpow w (j * p) * csum r (fun q => x (p + q * m)%nat * cpow (cpow w m) (j * q))) k.
Proof.
  intros r m w x j k H. unfold dft. rewrite csum_grid. apply csum_ext. intros p _.
  rewrite <- (cpow_mul w r).
  replace (cpow w (j * p) * csum r (fun q => x (p + q * m)%nat * cpow (cpow w m) (j * q)) * cpow w (r * (p * k)))
    with ((cpow w (j * p) * cpow w (r * (p * k))) * csum r (fun q => x (p + q * m)%nat * cpow (cpow w m) (j * q)))
    by ring.
  rewrite <- csum_scal. apply csum_ext. intros q _. rewrite <- (cpow_mul w m).
  replace ((p + q * m) * (r * k + j))%nat with ((r * m) * (q * k) + (j * p + (r * (p * k) + m * (j * q))))%nat by lia.
  rewrite !cpow_add, (cpow_mul w (r * m)), H, cpow_1. ring.
Qed.

(* All passes, by a list of radices: w is the root of as many points as are left, d the numbers that lie side by side, which is
   the product of the radices done. Butterfly (p, s) takes z[(p + q m) d + s] and leaves its output j at (p r + j) d + s. *)

Fixpoint product (rs : list nat) : nat := match rs with [] => 1 | r :: rest => r * product rest end%nat.
Fixpoint passes (rs : list nat) (w : C) (d : nat) (z : nat -> C) : nat -> C :=
  match rs with
  | [] => z
  | r :: rest =>
    let m := product rest in
    passes rest (cpow w r) (d * r)%nat (fun i =>
      let s := (i mod d)%nat in let p := (i / d / r)%nat in let j := ((i / d) mod r)%nat in
      cpow w (j * p) * csum r (fun q => z ((p + q * m) * d + s)%nat * cpow (cpow w m) (j * q)))
  end.

Lemma index : forall d r p j s, (s < d)%nat -> (j < r)%nat ->
  let i := ((p * r + j) * d + s)%nat in (i mod d = s /\ i / d / r = p /\ (i / d) mod r = j)%nat.
Proof.
  intros d r p j s Hs Hj i.
  assert (E : (i / d = p * r + j)%nat) by (symmetry; apply Nat.div_unique with s; [exact Hs|unfold i; ring]).
  split; [symmetry; apply Nat.mod_unique with (p * r + j)%nat; [exact Hs|unfold i; ring]|]. rewrite E. split.
  - symmetry. apply Nat.div_unique with j; [exact Hj|ring].
  - symmetry. apply Nat.mod_unique with p; [exact Hj|ring].
Qed.

Lemma passes_of_side_by_side : forall rs w d z s k, (forall r, In r rs -> (0 < r)%nat) -> cpow w (product rs) = 1 ->
  (s < d)%nat -> (k < product rs)%nat ->
  passes rs w d z (s + d * k)%nat = dft (product rs) w (fun p => z (p * d + s)%nat) k.
Proof.
  induction rs as [|r rest IH]; intros w d z s k Hr Hw Hs Hk; cbn [product passes] in *.
  - replace k with O by lia. unfold dft. cbn [csum cpow]. rewrite Nat.mul_0_r, Nat.add_0_r, Nat.mul_0_l. cbn [cpow Nat.mul Nat.add]. ring.
  - set (m := product rest) in *. assert (R : (0 < r)%nat) by (apply Hr; now left).
    pose proof (Nat.div_mod k r ltac:(lia)) as E. pose proof (Nat.mod_upper_bound k r ltac:(lia)) as J.
    set (j := (k mod r)%nat) in *. set (k' := (k / r)%nat) in *.
    replace (s + d * k)%nat with ((s + d * j) + (d * r) * k')%nat by (rewrite E; ring).
    rewrite IH.
    + rewrite E, dif_any_radix by exact Hw. unfold dft. apply csum_ext. intros p _. f_equal.
      replace (p * (d * r) + (s + d * j))%nat with ((p * r + j) * d + s)%nat by ring.
      destruct (index d r p j s Hs J) as [-> [-> ->]]. reflexivity.
    + intros r' H. apply Hr. now right.
    + rewrite <- cpow_mul. exact Hw.
    + nia.
    + fold m. apply Nat.div_lt_upper_bound; lia.
Qed.

Theorem passes_are_dft : forall rs w x k, (forall r, In r rs -> (0 < r)%nat) -> cpow w (product rs) = 1 ->
  (k < product rs)%nat -> passes rs w 1 x k = dft (product rs) w x k.
Proof.
  intros rs w x k Hr Hw Hk. replace k with (0 + 1 * k)%nat at 1 by lia.
  rewrite passes_of_side_by_side by (auto; lia). unfold dft. apply csum_ext. intros j _. do 2 f_equal. lia.
Qed.

(* Inverse: the transform with the inverse root v, divided by N, undoes the transform. *)

Lemma geometric : forall z n, (z - 1) * csum n (fun k => cpow z k) = cpow z n - 1.
Proof.
  intros z n. induction n as [|n IH]; simpl; [ring|]. rewrite Cmult_plus_distr_l, IH. ring.
Qed.

Lemma roots_sum_to_zero : forall z n, cpow z n = 1 -> z <> 1 -> csum n (fun k => cpow z k) = 0.
Proof.
  intros z n Hn Hz. pose proof (geometric z n) as G. rewrite Hn in G.
  assert (Z : z - 1 <> 0). { intros E. apply Hz. replace z with ((z - 1) + 1) by ring. rewrite E. ring. }
  replace (csum n (fun k => cpow z k)) with (/ (z - 1) * ((z - 1) * csum n (fun k => cpow z k))) by (field; exact Z).
  rewrite G. ring.
Qed.

Fixpoint nat_c (n : nat) : C := match n with O => 0 | S k => nat_c k + 1 end.

Lemma csum_one_term : forall n l c (f : nat -> C), (l < n)%nat -> (forall j, (j < n)%nat -> j <> l -> f j = 0) ->
  f l = c -> csum n f = c.
Proof.
  induction n as [|n IH]; intros l c f Hl H0 Hc; [lia|]. simpl. destruct (Nat.eq_dec l n) as [->|D].
  - rewrite (csum_ext n f (fun _ => 0)), csum_0, Hc; [ring|]. intros j Hj. apply H0; lia.
  - rewrite (IH l c f), (H0 n); [ring|lia|lia|lia|intros; apply H0; lia|exact Hc].
Qed.

Theorem inverse_dft_of_dft : forall n w v x l, (0 < n)%nat -> w * v = 1 -> cpow w n = 1 ->
  (forall d, (0 < d < n)%nat -> cpow w d <> 1) -> (l < n)%nat ->
  dft n v (dft n w x) l = nat_c n * x l.
Proof.
  intros n w v x l Hn Hv Hw Hd Hl. unfold dft.
  assert (Vn : cpow v n = 1).
  { pose proof (cpow_prod w v n) as E. rewrite Hv, Hw, cpow_1 in E. rewrite E. ring. }
  rewrite (csum_ext n _ (fun k => csum n (fun j => x j * (cpow w (j * k) * cpow v (k * l))))).
  2:{ intros k _. rewrite Cmult_comm, <- csum_scal. apply csum_ext. intros. ring. }
  rewrite csum_swap.
  apply (csum_one_term n l); [exact Hl| |].
  - intros j Hj D. rewrite csum_scal.
    rewrite (csum_ext n _ (fun k => cpow (cpow w j * cpow v l) k)).
    2:{ intros k _. rewrite cpow_prod, <- !cpow_mul. do 2 f_equal. lia. }
    rewrite roots_sum_to_zero; [ring| |].
    + rewrite cpow_prod, <- !cpow_mul. rewrite !(Nat.mul_comm _ n), !cpow_mul, Hw, Vn, !cpow_1. ring.
    + intros E.
      assert (WV : forall a, cpow w a * cpow v a = 1) by (intros; rewrite <- cpow_prod, Hv; apply cpow_1).
      destruct (Nat.lt_ge_cases j l) as [L|L].
      * apply (Hd (l - j)%nat ltac:(lia)).
        transitivity (cpow w (l - j) * (cpow w j * cpow v l)); [rewrite E; ring|].
        rewrite Cmult_assoc, <- cpow_add. replace (l - j + j)%nat with l by lia. apply WV.
      * apply (Hd (j - l)%nat ltac:(lia)). rewrite <- E.
        replace j with ((j - l) + l)%nat at 2 by lia. rewrite cpow_add, <- Cmult_assoc, WV. ring.
  - rewrite csum_scal.
    rewrite (csum_ext n _ (fun _ => 1)).
    2:{ intros k _. rewrite (Nat.mul_comm k l), <- cpow_prod, Hv. apply cpow_1. }
    assert (Cn : forall m, csum m (fun _ => 1) = nat_c m) by (induction m as [|m IH]; simpl; [reflexivity|now rewrite IH]).
    rewrite Cn. ring.
Qed.

(* Cyclic convolution: the inverse transform of the product of two transforms. *)

Lemma inverse_power : forall w v s a, w * v = 1 -> cpow w (s * a) * cpow v (s * a) = 1.
Proof. intros w v s a H. rewrite <- cpow_prod, H. apply cpow_1. Qed.

Lemma inverse_root : forall n w v, w * v = 1 -> cpow w n = 1 -> cpow v n = 1.
Proof. intros n w v H Hn. pose proof (cpow_prod w v n) as E. rewrite H, Hn, cpow_1 in E. rewrite E. ring. Qed.

Lemma dft_period : forall n w x k, n <> O -> cpow w n = 1 -> dft n w x (k mod n) = dft n w x k.
Proof.
  intros n w x k Hn Hw. unfold dft. apply csum_ext. intros j _. f_equal.
  rewrite (Nat.div_mod k n Hn) at 2.
  replace (j * (n * (k / n) + k mod n))%nat with (n * (j * (k / n)) + j * (k mod n))%nat by ring.
  rewrite cpow_add, (cpow_mul w n), Hw, cpow_1. ring.
Qed.

Theorem convolution_by_dft : forall n w v a b l, (0 < n)%nat -> w * v = 1 -> cpow w n = 1 ->
  (forall d, (0 < d < n)%nat -> cpow w d <> 1) -> (l < n)%nat ->
  dft n v (fun k => dft n w a k * dft n w b k) l = nat_c n * csum n (fun s => a s * b ((l + (n - s)) mod n)%nat).
Proof.
  intros n w v a b l Hn Hv Hw Hd Hl. pose proof (inverse_root n w v Hv Hw) as Vn.
  rewrite <- csum_scal.
  transitivity (csum n (fun s => a s * dft n v (dft n w b) ((l + (n - s)) mod n)%nat)).
  - unfold dft at 1. rewrite (csum_ext n _ (fun k => csum n (fun s => a s * (dft n w b k * cpow v (k * (l + (n - s))))))).
    2:{ intros k _. unfold dft at 1. rewrite Cmult_comm, (Cmult_comm (csum n _)), <- !csum_scal. apply csum_ext. intros s Hs.
        replace (k * (l + (n - s)))%nat with (k * l + k * (n - s))%nat by ring. rewrite cpow_add.
        assert (E : cpow w (s * k) = cpow v (k * (n - s))).
        { transitivity (cpow w (s * k) * cpow v (n * k)); [rewrite cpow_mul with (a := n), Vn, cpow_1; ring|].
          replace (n * k)%nat with (s * k + k * (n - s))%nat by nia. rewrite cpow_add.
          transitivity (cpow w (s * k) * cpow v (s * k) * cpow v (k * (n - s))); [ring|]. rewrite inverse_power by exact Hv. ring. }
        rewrite E. ring. }
    rewrite csum_swap. apply csum_ext. intros s _. rewrite csum_scal. f_equal.
    rewrite dft_period by (auto; lia). reflexivity.
  - apply csum_ext. intros s Hs. rewrite inverse_dft_of_dft with (w := w); auto; [ring|]. apply Nat.mod_upper_bound. lia.
Qed.

(* Bluestein: with c a square root of w and d its inverse, the transform is a convolution with a chirp. *)
Theorem bluestein_identity : forall n w c d x k, c * c = w -> c * d = 1 ->
  dft n w x k = cpow c (k * k) * csum n (fun j => (x j * cpow c (j * j)) * cpow d ((k - j + (j - k)) * (k - j + (j - k)))).
Proof.
  intros n w c d x k Hc Hd. unfold dft. rewrite <- csum_scal. apply csum_ext. intros j _.
  set (a := (k - j + (j - k))%nat). rewrite <- Hc, cpow_sqr.
  assert (E : (k * k + j * j = 2 * (j * k) + a * a)%nat).
  { unfold a. destruct (Nat.le_ge_cases j k) as [L|L].
    - replace (k - j + (j - k))%nat with (k - j)%nat by lia. destruct (Nat.le_exists_sub j k L) as [t [-> _]].
      replace (t + j - j)%nat with t by lia. ring.
    - replace (k - j + (j - k))%nat with (j - k)%nat by lia. destruct (Nat.le_exists_sub k j L) as [t [-> _]].
      replace (t + k - k)%nat with t by lia. ring. }
  transitivity (x j * (cpow c (k * k + j * j) * cpow d (a * a))); [|rewrite cpow_add; ring].
  rewrite E, cpow_add, <- Cmult_assoc, <- cpow_prod, Hd, cpow_1. ring.
Qed.

(* As the code has it: over m >= 2n - 1 places, a number beyond n is 0, and the filter has the inverse chirp at both its ends. *)
Definition chirp_filter (n m : nat) (d : C) (q : nat) : C :=
  if (q <? n)%nat then cpow d (q * q) else if (m - q <? n)%nat then cpow d ((m - q) * (m - q)) else 0.

Theorem bluestein_by_convolution : forall n m w c d v u x k, (2 * n - 1 <= m)%nat -> (k < n)%nat -> c * c = w -> c * d = 1 ->
  v * u = 1 -> cpow v m = 1 -> (forall e, (0 < e < m)%nat -> cpow v e <> 1) ->
  let a := fun j => if (j <? n)%nat then x j * cpow c (j * j) else 0 in
  nat_c m * dft n w x k = cpow c (k * k) * dft m u (fun q => dft m v a q * dft m v (chirp_filter n m d) q) k.
Proof.
  intros n m w c d v u x k Hm Hk Hc Hd Hv Hv1 Hv2 a. rewrite convolution_by_dft by (auto; lia).
  rewrite (bluestein_identity n w c d x k Hc Hd).
  assert (E : csum m (fun s => a s * chirp_filter n m d ((k + (m - s)) mod m)%nat)
    = csum n (fun j => (x j * cpow c (j * j)) * cpow d ((k - j + (j - k)) * (k - j + (j - k))))).
  { replace m with (n + (m - n))%nat at 1 by lia. rewrite csum_app.
    rewrite (csum_ext (m - n) _ (fun _ => 0)).
    2:{ intros j _. unfold a. destruct (Nat.ltb_spec (n + j) n); [lia|ring]. }
    rewrite csum_0, Cplus_0_r. apply csum_ext. intros j Hj. unfold a. destruct (Nat.ltb_spec j n); [|lia]. f_equal.
    unfold chirp_filter. destruct (Nat.le_gt_cases j k) as [L|L].
    - replace ((k + (m - j)) mod m)%nat with (k - j)%nat by (apply Nat.mod_unique with 1%nat; lia).
      destruct (Nat.ltb_spec (k - j) n); [|lia]. do 2 f_equal; lia.
    - rewrite Nat.mod_small by lia. destruct (Nat.ltb_spec (k + (m - j)) n); [lia|].
      replace (m - (k + (m - j)))%nat with (j - k)%nat by lia. destruct (Nat.ltb_spec (j - k) n); [|lia]. do 2 f_equal; lia. }
  rewrite E. ring.
Qed.

(* The chirp's exponent may be reduced modulo its period 2N before the angle is formed. *)
Theorem chirp_exponent_reduces : forall c p e, p <> O -> cpow c p = 1 -> cpow c (e mod p) = cpow c e.
Proof.
  intros c p e Hp H. rewrite (Nat.div_mod e p Hp) at 2. rewrite cpow_add, cpow_mul, H, cpow_1. ring.
Qed.

(* The root the code uses *)
Definition unit_root (t : R) : C := (cos t, (- sin t)%R).

Lemma unit_root_pow : forall t k, cpow (unit_root t) k = unit_root (INR k * t).
Proof.
  intros t k. induction k as [|k IH].
  - unfold unit_root. change (INR 0) with 0%R. rewrite Rmult_0_l, cos_0, sin_0, Ropp_0. reflexivity.
  - cbn [cpow]. rewrite IH. unfold unit_root, Cmult. cbn [fst snd]. rewrite S_INR.
    replace ((INR k + 1) * t)%R with (t + INR k * t)%R by ring. rewrite cos_plus, sin_plus.
    apply injective_projections; cbn [fst snd]; ring.
Qed.

Theorem unit_root_half : forall n, (0 < n)%nat -> cpow (unit_root (2 * PI / INR (2 * n))) n = -(1).
Proof.
  intros n Hn. rewrite unit_root_pow. assert (INR n <> 0)%R by (apply not_0_INR; lia).
  rewrite mult_INR. change (INR 2) with 2%R.
  replace (INR n * (2 * PI / (2 * INR n)))%R with PI by (field; exact H).
  unfold unit_root. rewrite cos_PI, sin_PI. unfold Copp. simpl. f_equal.
Qed.

Theorem unit_root_primitive : forall n d, (0 < d < n)%nat -> cpow (unit_root (2 * PI / INR n)) d <> 1.
Proof.
  intros n d [H0 H1] E. rewrite unit_root_pow in E. unfold unit_root in E.
  apply (f_equal fst) in E. cbn [fst] in E. change (fst (RtoC 1)) with 1%R in E.
  apply lt_INR in H1. apply lt_INR in H0. change (INR 0) with 0%R in H0.
  replace (INR d * (2 * PI / INR n))%R with (2 * (INR d * PI / INR n))%R in E by (field; lra).
  set (a := (INR d * PI / INR n)%R) in *. pose proof PI_RGT_0 as P.
  assert (A : (0 < a < PI)%R).
  { unfold a. split.
    - apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra].
    - apply (Rmult_lt_reg_r (INR n)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      rewrite Rmult_1_r, (Rmult_comm PI). apply Rmult_lt_compat_r; lra. }
  pose proof (sin_gt_0 a (proj1 A) (proj2 A)). rewrite cos_2a_sin in E. nra.
Qed.

Theorem unit_root_closes : forall n, (0 < n)%nat -> cpow (unit_root (2 * PI / INR n)) n = 1.
Proof.
  intros n Hn. rewrite unit_root_pow. assert (INR n <> 0)%R by (apply not_0_INR; lia).
  replace (INR n * (2 * PI / INR n))%R with (2 * PI)%R by (field; exact H).
  unfold unit_root. rewrite cos_2PI, sin_2PI, Ropp_0. reflexivity.
Qed.

(* What the passes compute with that root is the definition. *)
Theorem passes_are_the_definition : forall rs x k, (forall r, In r rs -> (0 < r)%nat) -> (k < product rs)%nat ->
  let n := product rs in
  passes rs (unit_root (2 * PI / INR n)) 1 x k = csum n (fun j => x j * unit_root (INR (j * k) * (2 * PI / INR n))).
Proof.
  intros rs x k Hr Hk n. rewrite passes_are_dft by (auto; apply unit_root_closes; lia). unfold dft. apply csum_ext.
  intros j _. now rewrite unit_root_pow.
Qed.
