(* The one-pass (online) softmax and the attention built on it, over the reals.

   Ops: softmax (long rows), logsumexp, attention (online softmax per query row), and their
   parallel forms that merge partial states.
   Algorithm: a state (m, s, o) of a part of the row stands for m = max x, s = sum exp (x - m),
   o = sum exp (x - m) v. Two states are merged by rescaling both to the larger m. The state of
   no element is None (the code's m = -inf, s = 0, o = 0). *)
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Record state := St { m_of : R; s_of : R; o_of : R }.

Definition merge_some (a b : state) : state :=
  let m := Rmax (m_of a) (m_of b) in
  St m (s_of a * exp (m_of a - m) + s_of b * exp (m_of b - m))
       (o_of a * exp (m_of a - m) + o_of b * exp (m_of b - m)).

Definition merge (a b : option state) : option state :=
  match a, b with
  | None, _ => b
  | _, None => a
  | Some a, Some b => Some (merge_some a b)
  end.

(* One element: score x, value v. *)
Definition unit_state (p : R * R) : option state := Some (St (fst p) 1 (snd p)).

Lemma state_eq : forall a b, m_of a = m_of b -> s_of a = s_of b -> o_of a = o_of b -> a = b.
Proof. intros [] []; simpl; intros; subst; reflexivity. Qed.

Lemma exp_chain : forall a b c, exp (a - b) * exp (b - c) = exp (a - c).
Proof. intros. rewrite <- exp_plus. f_equal. ring. Qed.

Theorem online_merge_associative : forall a b c, merge a (merge b c) = merge (merge a b) c.
Proof.
  intros [a|] [b|] [c|]; simpl; try reflexivity. f_equal. unfold merge_some. simpl.
  apply state_eq; simpl; [apply Rmax_assoc| |]; rewrite <- Rmax_assoc;
    set (m := Rmax (m_of a) (Rmax (m_of b) (m_of c)));
    rewrite !Rmult_plus_distr_r, !Rmult_assoc, !exp_chain; ring.
Qed.

Theorem online_merge_commutative : forall a b, merge a b = merge b a.
Proof.
  intros [a|] [b|]; simpl; try reflexivity. f_equal. unfold merge_some. apply state_eq; simpl.
  - apply Rmax_comm.
  - rewrite (Rmax_comm (m_of b)). ring.
  - rewrite (Rmax_comm (m_of b)). ring.
Qed.

(* The two-pass result. *)
Fixpoint total (l : list R) : R := match l with [] => 0 | x :: r => x + total r end.
Fixpoint row_max (x : R) (l : list (R * R)) : R :=
  match l with [] => x | p :: r => Rmax x (row_max (fst p) r) end.
Definition weight (m : R) (l : list (R * R)) : R := total (map (fun p => exp (fst p - m)) l).
Definition weighted (m : R) (l : list (R * R)) : R := total (map (fun p => exp (fst p - m) * snd p) l).

Definition two_pass (l : list (R * R)) : option state :=
  match l with
  | [] => None
  | p :: r => let m := row_max (fst p) r in Some (St m (weight m l) (weighted m l))
  end.

Lemma total_app : forall a b, total (a ++ b) = total a + total b.
Proof. induction a as [|x a IH]; intros b; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma weight_rescale : forall m n l, weight m l * exp (m - n) = weight n l.
Proof.
  intros m n l. unfold weight. induction l as [|p l IH]; simpl; [ring|].
  rewrite Rmult_plus_distr_r, IH, exp_chain. reflexivity.
Qed.

Lemma weighted_rescale : forall m n l, weighted m l * exp (m - n) = weighted n l.
Proof.
  intros m n l. unfold weighted. induction l as [|p l IH]; simpl; [ring|].
  rewrite Rmult_plus_distr_r, IH. rewrite <- (exp_chain (fst p) m n). ring.
Qed.

Lemma row_max_app : forall l x q r, row_max x (l ++ q :: r) = Rmax (row_max x l) (row_max (fst q) r).
Proof.
  induction l as [|p l IH]; intros x q r; simpl; [reflexivity|]. rewrite IH. now rewrite Rmax_assoc.
Qed.

Theorem online_merge_is_two_pass : forall a b, merge (two_pass a) (two_pass b) = two_pass (a ++ b).
Proof.
  intros [|p a] [|q b]; simpl; try reflexivity.
  - now rewrite app_nil_r.
  - f_equal. unfold merge_some. simpl. rewrite row_max_app.
    set (ma := row_max (fst p) a). set (mb := row_max (fst q) b). set (m := Rmax ma mb).
    apply state_eq; simpl; [reflexivity| |].
    + rewrite !weight_rescale. rewrite app_comm_cons. unfold weight. rewrite map_app, total_app. reflexivity.
    + rewrite !weighted_rescale. rewrite app_comm_cons. unfold weighted. rewrite map_app, total_app. reflexivity.
Qed.

(* Left to right, one element at a time. *)
Theorem online_left_to_right_is_two_pass : forall l,
  fold_left (fun st p => merge st (unit_state p)) l None = two_pass l.
Proof.
  intros l. assert (U : forall p, unit_state p = two_pass [p]).
  { intros [x v]. unfold unit_state, two_pass, weight, weighted. simpl. rewrite Rminus_diag_eq by reflexivity.
    rewrite exp_0. f_equal. apply state_eq; simpl; ring. }
  assert (G : forall k, fold_left (fun st p => merge st (unit_state p)) l (two_pass k) = two_pass (k ++ l)).
  { induction l as [|p l IH]; intros k; simpl; [now rewrite app_nil_r|].
    rewrite U, online_merge_is_two_pass, IH, <- app_assoc. reflexivity. }
  exact (G []).
Qed.

(* Any tree of merges over consecutive pieces (blocks of keys, threads, lanes) gives the two-pass state. *)
Inductive pieces := Piece (l : list (R * R)) | Join (a b : pieces).
Fixpoint elements (t : pieces) : list (R * R) :=
  match t with Piece l => l | Join a b => elements a ++ elements b end.
Fixpoint run (t : pieces) : option state :=
  match t with Piece l => two_pass l | Join a b => merge (run a) (run b) end.

Theorem online_tree_is_two_pass : forall t, run t = two_pass (elements t).
Proof.
  induction t as [l|a IHa b IHb]; simpl; [reflexivity|]. rewrite IHa, IHb. apply online_merge_is_two_pass.
Qed.

Lemma weight_pos : forall m p l, 0 < weight m (p :: l).
Proof.
  intros m p l. revert p. induction l as [|q l IH]; intros p; unfold weight in *; simpl in *.
  - pose proof (exp_pos (fst p - m)). lra.
  - specialize (IH q). pose proof (exp_pos (fst p - m)). lra.
Qed.

(* Attention: o / s is the softmax-weighted mean of the values, whatever the order of the pieces. *)
Theorem online_attention_is_softmax_average : forall t st, run t = Some st ->
  o_of st / s_of st
    = total (map (fun p => exp (fst p) / total (map (fun q => exp (fst q)) (elements t)) * snd p) (elements t)).
Proof.
  intros t st H. rewrite online_tree_is_two_pass in H. set (l := elements t) in *. clearbody l.
  destruct l as [|p l]; [discriminate|]. cbv beta iota zeta delta [two_pass] in H.
  injection H as <-. cbn [o_of s_of].
  set (m := row_max (fst p) l). set (k := p :: l).
  assert (W0 : weight 0 k = total (map (fun q => exp (fst q)) k)).
  { unfold weight. f_equal. apply map_ext. intros q. f_equal. ring. }
  rewrite <- W0. rewrite <- (weight_rescale m 0 k).
  assert (V : total (map (fun q => exp (fst q) / (weight m k * exp (m - 0)) * snd q) k)
              = weighted 0 k / (weight m k * exp (m - 0))).
  { clear. generalize (weight m k * exp (m - 0)). intros d. unfold weighted.
    induction k as [|q k IH]; simpl; [unfold Rdiv; ring|]. rewrite IH.
    rewrite (Rminus_0_r (fst q)). unfold Rdiv. ring. }
  rewrite V. rewrite <- (weighted_rescale m 0 k).
  pose proof (weight_pos m p l). fold k in H. pose proof (exp_pos (m - 0)). field. split; lra.
Qed.
