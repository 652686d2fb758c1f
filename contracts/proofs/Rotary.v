(* Rotary position embedding: a pair of elements turns by an angle. *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

Definition pair := (R * R)%type.
Definition turn (c s : R) (x : pair) : pair := (fst x * c - snd x * s, snd x * c + fst x * s).
Definition back (c s : R) (x : pair) : pair := turn c (- s) x.
Definition dot (x y : pair) : R := fst x * fst y + snd x * snd y.

Theorem rotation_keeps_norm : forall c s x, c * c + s * s = 1 -> dot (turn c s x) (turn c s x) = dot x x.
Proof.
  intros c s [a b] H. unfold dot, turn. simpl.
  replace ((a * c - b * s) * (a * c - b * s) + (b * c + a * s) * (b * c + a * s))
    with ((a * a + b * b) * (c * c + s * s)) by ring.
  rewrite H. ring.
Qed.

Theorem opposite_undoes : forall c s x, c * c + s * s = 1 -> back c s (turn c s x) = x.
Proof.
  intros c s [a b] H. unfold back, turn. simpl. f_equal.
  - replace ((a * c - b * s) * c - (b * c + a * s) * - s) with (a * (c * c + s * s)) by ring. rewrite H. ring.
  - replace ((b * c + a * s) * c + (a * c - b * s) * - s) with (b * (c * c + s * s)) by ring. rewrite H. ring.
Qed.

Theorem opposite_is_transpose : forall c s x y, dot (turn c s x) y = dot x (back c s y).
Proof. intros c s [a b] [d e]. unfold dot, back, turn. simpl. ring. Qed.

Theorem scores_are_relative : forall m n q k,
  dot (turn (cos m) (sin m) q) (turn (cos n) (sin n) k) = dot (turn (cos (m - n)) (sin (m - n)) q) k.
Proof.
  intros m n [a b] [d e]. unfold dot, turn. simpl. rewrite cos_minus, sin_minus. ring.
Qed.
