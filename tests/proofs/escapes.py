#!/usr/bin/env python3
"""Ways around scripts/proofs.sh, tried on a folder with one small file of proofs: each must stop it, with its reason.

  tests/proofs/escapes.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''Definition half (n : nat) := Nat.div n 2.
Inductive kind := Even | Odd.
Definition of (n : nat) := if Nat.eqb (half n + half n) n then Even else Odd.
Lemma zero : half 0 = 0.
Proof. reflexivity. Qed.
Definition step := 2.
Theorem of_zero : of 0 = Even.
Proof. reflexivity. Qed.
Theorem of_step : of step = Even.
Proof. reflexivity. Qed.
'''
INDEX = "# file theorem  sentence  ops  fingerprint\nSmall of_zero  zero is even  -  0\nSmall of_step  a step is even  -  0\n"
# What is done to the text, and what is said then; `None` where nothing is to be.
ESCAPES = [
    ("a proof by other tactics", [("Proof. reflexivity. Qed.\nTheorem of_step", "Proof. now simpl. Qed.\nTheorem of_step")], None),
    ("a blank before the full stop that ends a proof, alone", [("Qed.\nDefinition step", "Qed .\nDefinition step")], None),
    ("a definition behind such a blank", [("Qed.\nDefinition step := 2", "Qed .\nDefinition step := 4")], "Small.of_step has the fingerprint"),
    ("a definition behind a transparent proof", [("Qed.\nDefinition step := 2", "Defined.\nDefinition step := 4")], "Small.of_step has the fingerprint"),
    ("a definition that stands in a proof", [("Definition step := 2.\n", ""), ("Proof. reflexivity. Qed.\nTheorem of_zero", "Proof. Definition step := 4. reflexivity. Qed.\nTheorem of_zero")], "Small.of_step has the fingerprint"),
    ("a definition behind a string that looks like a comment", [("Definition step := 2", 'Fail Check "(*".\nDefinition step := 4')], "Small.of_step has the fingerprint"),
    ("a transparent value that is chosen by tactics", [("Definition step := 2.", "Definition step : nat. Proof. exact 4. Defined.")], "Small.of_step has the fingerprint"),
    ("a definition two steps below a statement", [("Nat.div n 2", "Nat.div (n + 0) 2")], "Small.of_step has the fingerprint"),
    ("another meaning of a constructor", [("Even | Odd", "Even | Odd | None")], "Small.of_zero has the fingerprint"),
    ("a notation that changes a statement", [("Theorem of_zero", "Local Notation \"'of' x\" := Even (at level 10).\nTheorem of_zero")], "Small.of_zero has the fingerprint"),
    ("a weaker statement", [("of step = Even", "of step = of step")], "Small.of_step has the fingerprint"),
    ("an axiom", [("Theorem of_zero", "Axiom absurd : False.\nTheorem of_zero")], "the word above is not allowed"),
    ("an axiom by another name", [("Theorem of_zero", "Variable absurd : False.\nTheorem of_zero")], "outside a section"),
    ("an axiom that a section hides", [("Theorem of_zero", "Section S. Variable absurd : False.\nTheorem of_zero"), ("of 0 = Even.\nProof. reflexivity.", "of 0 = Even.\nProof. destruct absurd.")], "does not compile"),
    ("an admitted theorem", [("Theorem of_zero : of 0 = Even.\nProof. reflexivity. Qed.", "Theorem of_zero : of 0 = Odd.\nProof. Admitted .")], "the word above is not allowed"),
    ("a theorem that is not listed", [("Theorem of_zero", "Theorem more : True.\nProof. exact I. Qed.\nTheorem of_zero")], "stated but not listed"),
    ("a theorem that is gone", [("Theorem of_zero", "Lemma of_zero")], "listed but not stated"),
    ("a comment that does not end", [("Theorem of_step", "(* Theorem of_step")], "does not end"),
]


def proofs(folder: Path, *more: str) -> tuple[int, str]:
    done = subprocess.run([ROOT / "scripts/proofs.sh", "--dir", folder, *more], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "assumptions.allow").write_text("# none\n")
        (folder / "INDEX.txt").write_text(INDEX)
        (folder / "Small.v").write_text(SOURCE)
        for arguments in (("--write",), ()):
            code, said = proofs(folder, *arguments)
            if code:
                sys.exit(f"escapes of proofs: the text as it is does not pass: {said}")
        for what, edits, want in ESCAPES:
            text = SOURCE
            for old, new in edits:
                if old not in text:
                    sys.exit(f"escapes of proofs: {what}: there is no `{old}`")
                text = text.replace(old, new, 1)
            (folder / "Small.v").write_text(text)
            code, said = proofs(folder)
            if (code != 0) != (want is not None) or (want or "") not in said:
                wrong.append(f"{what}: exit status {code}, and it said {said[-400:]!r}")
    for line in wrong:
        print(f"escapes of proofs: {line}")
    print(f"escapes of proofs: {len(ESCAPES)} tried, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
