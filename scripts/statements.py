#!/usr/bin/env python3
"""What the theorems of contracts/proofs state, as Coq itself prints it: proofs.sh runs this in a folder of compiled files.

  statements.py DIR INDEX             compares the fingerprints of an INDEX.txt with those of the compiled theorems
  statements.py DIR INDEX --write     writes it anew: it keeps the sentence and the ops of a theorem that is listed, and gives a
                                      theorem that is not its own type as the sentence, and `-` for the ops

A fingerprint covers the type of the theorem and, in turn, every definition and inductive type of these files that stands
in it or in one of those. All are printed with `Set Printing All`, so that no notation and no text between proofs hides
what is meant. Run it with the version of Coq that CI has: another one may print another text.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

FLAGS = ["-q", "-w", "none", "-Q", ".", "Fulmen"]
STATED = re.compile(r"^\s*(?:#\[[^]]*\]\s*)?(?:(?:Local|Global|Polymorphic)\s+)*(?:Theorem|Corollary|Proposition|Fact|Remark)\s+([\w']+)", re.M)
# A line of the index: file and theorem, sentence, ops, fingerprint, two or more blanks between them.
LINE = re.compile(r"(\w+) ([\w']+)  +(\S.*?)  +(\S+)  +([0-9a-f]+)$")


def printed(folder: Path, commands: dict[str, str]) -> dict[str, str]:
    """What Coq prints for each command, by its key."""
    files = sorted(p.stem for p in folder.glob("*.vo") if p.stem != "Asked")
    text = [*(f"From Fulmen Require {f}." for f in files), "Set Printing All.", "Set Printing Width 200.", "Set Printing Depth 100000."]
    for key, command in commands.items():
        text += [f'Goal True. idtac "ASKED {key}". Abort.', command]
    (folder / "Asked.v").write_text("\n".join(text) + "\n")
    done = subprocess.run(["coqc", *FLAGS, "Asked.v"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"statements: Coq prints no statements: {done.stderr[:2000]}")
    parts = re.split(r"^ASKED (\S+)$", done.stdout, flags=re.M)[1:]
    found = {key: " ".join(said.split()) for key, said in zip(parts[::2], parts[1::2])}
    if found.keys() != commands.keys() or not all(found.values()):
        sys.exit(f"statements: Coq said nothing of {sorted(k for k in commands if not found.get(k))[:9]}")
    return found


def theorems(folder: Path) -> list[tuple[str, str]]:
    """Every theorem by its file, in the order of the text. That each is one, Coq says when it is asked."""
    bare = {p.name.removesuffix(".bare").removesuffix(".v"): p.read_text() for p in sorted(folder.glob("*.bare"))}
    return [(file, name) for file, text in bare.items() for name in STATED.findall(text)]


def fingerprints(folder: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """Of each theorem its fingerprint and its type."""
    stated = theorems(folder)
    files = "|".join(sorted(p.stem for p in folder.glob("*.vo")))
    names = re.compile(rf"\b(?:{files})\.[A-Za-z_][\w'.]*[\w']")
    said = printed(folder, {f"{f}.{t}": f"Check @{f}.{t}." for f, t in stated})
    known, new = dict(said), set(said)
    while new:
        asked = {name for key in new for name in names.findall(known[key])} - known.keys()
        if not asked:
            break
        found = printed(folder, {name: f"Print {name}." for name in sorted(asked)})
        known |= found
        new = asked
    out = {}
    for file, theorem in stated:
        under, todo = {}, [f"{file}.{theorem}"]
        while todo:
            name = todo.pop()
            if name not in under:
                under[name] = known[name]
                todo += names.findall(known[name])
        text = "\n".join(f"{name}: {under[name]}" for name in sorted(under))
        out[file, theorem] = hashlib.sha256(text.encode()).hexdigest()[:16], said[f"{file}.{theorem}"]
    return out


def main() -> int:
    folder, index, write = Path(sys.argv[1]), Path(sys.argv[2]), "--write" in sys.argv
    found, lines, wrong, listed = fingerprints(folder), [], [], set()
    if not found:
        sys.exit("statements: no theorem was found")
    for line in index.read_text().splitlines():
        if line.startswith("#") or not line.strip():
            lines.append(line)
            continue
        if not (match := LINE.fullmatch(line)):
            sys.exit(f"statements: want file theorem  statement  ops  fingerprint: {line}")
        file, theorem, sentence, ops, old = match.groups()
        listed.add((file, theorem))
        new = found.get((file, theorem), (None,))[0]
        if new:
            lines.append(f"{file} {theorem}  {sentence}  {ops}  {new}")
        if new != old:
            wrong.append(f"{file}.{theorem} " + ("is no theorem" if new is None else f"has the fingerprint {new}, and {old} in INDEX.txt"))
    for file, theorem in found.keys() - listed:
        wrong.append(f"{file}.{theorem} is not in INDEX.txt")
        # The type follows the theorem's name and a colon.
        sentence = found[file, theorem][1].partition(" : ")[2]
        lines.append(f"{file} {theorem}  {sentence}  -  {found[file, theorem][0]}")
    if write:
        index.write_text("\n".join(lines) + "\n")
        print(f"statements: {len(found)} theorems written, {len(wrong)} lines changed")
        return 0
    for line in wrong:
        print(f"statements: {line}; where that is meant: scripts/proofs.sh --write, then `fulmen contract lock`", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
