#!/usr/bin/env bash
# Compiles every Coq file of contracts/proofs/ and checks what the theorems of INDEX.txt rest on.
# Usage: proofs.sh          Print Assumptions once per file, over all its theorems together
#        proofs.sh --each   Print Assumptions for each theorem by itself (about two minutes more)
#        proofs.sh --write  writes the fingerprints of what Coq says that the theorems state into INDEX.txt, and new theorems
#        proofs.sh --dir D  the files of the folder D, and its INDEX.txt and assumptions.allow
# Fails closed: no files, an empty index, an unlisted or missing theorem, an open goal or an axiom outside assumptions.allow.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
dir=$root/contracts/proofs
if [[ ${1-} == --dir ]]; then dir=$2; shift 2; fi
index=$dir/INDEX.txt
allow=$dir/assumptions.allow

case ${1-} in "" | --each | --write) ;; *) echo "usage: $0 [--dir DIR] [--each | --write]" >&2; exit 2 ;; esac

die() { echo "proofs: $*" >&2; exit 1; }

if ! command -v coqc >/dev/null || ! command -v coqdep >/dev/null; then
  die "coqc not found; on Debian: apt-get install -y --no-install-recommends coq libcoq-flocq libcoq-coquelicot libcoq-mathcomp-ssreflect libcoq-interval"
fi

shopt -s nullglob
sources=("$dir"/*.v)
(( ${#sources[@]} > 0 )) || die "no .v file in $dir"
[[ -s $index ]] || die "$index is missing or empty"
[[ -s $allow ]] || die "$allow is missing or empty"

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp "${sources[@]}" "$build"
cd "$build"

# A file without its comments (they nest) and without its strings.
strip() {
  awk '{
    line = $0 "\n"; out = ""
    for (i = 1; i <= length(line); i++) {
      two = substr(line, i, 2); c = substr(line, i, 1)
      if (str) { if (c == "\"") str = 0 }
      else if (two == "(*" && substr(line, i, 3) != "(*)") { depth++; i++ }
      else if (two == "*)" && depth) { depth--; i++ }
      else if (depth) { if (c == "\n") out = out c }
      else if (c == "\"") str = 1
      else out = out c
    }
    printf "%s", out
  }
  END { if (depth || str) exit 1 }' "$1"
}

: > stated
for f in *.v; do
  strip "$f" > "$f.bare" || die "$f: a comment or a string does not end"
  forbidden='Admitted|admit|Admit Obligations|give_up|Abort|Axiom|Axioms|Parameter|Parameters|Conjecture|Conjectures|Primitive|bypass_check|Declare Module|Declare ML Module|Load|Extract Constant|Unset (Guard|Positivity|Universe) Checking'
  if grep -nwE "$forbidden" "$f.bare" >&2; then die "$f: the word above is not allowed"; fi
  # Hypotheses live inside a section only, where they become premises of the theorems.
  awk -v f="$f" '
    /^[ \t]*Section[ \t]/ { open++ }
    /^[ \t]*End[ \t]/ { open-- }
    /^[ \t]*(#\[[^]]*\][ \t]*)?(Local[ \t]+|Global[ \t]+)?(Hypothesis|Hypotheses|Variable|Variables|Context)([ \t(]|$)/ && open <= 0 {
      print f ": " FNR ": outside a section: " $0 > "/dev/stderr"; bad = 1 }
    END { exit bad }' "$f.bare" || die "$f: a hypothesis outside a section is an axiom"
  awk -v f="${f%.v}" '
    { for (i = 1; i < NF; i++) if ($i ~ /^(Theorem|Corollary|Proposition|Fact|Remark)$/) { n = $(i + 1); sub(/[:({].*$/, "", n); print f, n } }
  ' "$f.bare" >> stated
done
compile() {
  local order
  order=$(coqdep -Q . Fulmen -sort ./*.v) || die "coqdep failed"
  for f in $order; do
    coqc "${flags[@]}" "$f" || die "$f does not compile"
  done
  for f in *.v; do [[ -s ${f%.v}.vo ]] || die "$f was not compiled"; done
}
flags=(-q -w -ambiguous-paths -w -notation-overridden -Q . Fulmen)
if [[ ${1-} == --write ]]; then
  compile
  exec python3 "$root/scripts/statements.py" "$build" "$index" --write
fi
sort -o stated stated
dup=$(uniq -d stated)
[[ -z $dup ]] || die "stated twice in one file: $dup"

# Index lines: file theorem, two or more blanks, statement, two or more blanks, ops.
awk -F'  +' '/^#/ || /^[ \t]*$/ { next }
  { if (NF != 4 || split($1, a, " ") != 2 || $2 == "" || $3 !~ /^(-|[a-z0-9_]+(,[a-z0-9_]+)*)$/ || $4 !~ /^[0-9a-f]+$/) {
      print "INDEX.txt:" FNR ": want: file theorem  statement  op,op  fingerprint" > "/dev/stderr"; exit 1 }
    print a[1], a[2] }' "$index" | sort > listed || die "INDEX.txt is malformed"
[[ -s listed ]] || die "INDEX.txt lists no theorem"
dup=$(uniq -d listed)
[[ -z $dup ]] || die "listed twice: $dup"
missing=$(comm -13 stated listed)
[[ -z $missing ]] || die "listed but not stated: ${missing//$'\n'/, }"
unlisted=$(comm -23 stated listed)
[[ -z $unlisted ]] || die "stated but not listed: ${unlisted//$'\n'/, }"

compile
python3 "$root/scripts/statements.py" "$build" "$index" || die "the theorems state what INDEX.txt does not say"

# What is asked about: one theorem, or the tuple of all theorems of a file, whose assumptions are the union of theirs.
if [[ ${1-} == --each ]]; then
  awk '{ print $1 "." $2, "@" $1 "." $2 }' listed > asked
else
  awk '{ n[$1]++; all[$1] = all[$1] (all[$1] == "" ? "" : ", ") "@" $1 "." $2 }
    END { for (f in n) print f "(" n[f] "_theorems)", all[f] }' listed | sort > asked
fi
{
  cut -d' ' -f1 listed | sort -u | sed 's/.*/From Fulmen Require &./'
  n=0
  while read -r name terms; do
    n=$((n + 1))
    printf 'Goal True. idtac "ABOUT %s". Abort.\nDefinition about_%d := (%s).\nPrint Assumptions about_%d.\n' "$name" "$n" "$terms" "$n"
  done < asked
} > Assumptions_of_all.v
coqc "${flags[@]}" Assumptions_of_all.v > report || die "Print Assumptions failed"
cat report

[[ $(grep -c '^ABOUT ' report) == $(wc -l < asked) ]] || die "the report does not name everything that was asked"
verdicts=$(grep -cE '^(Closed under the global context|Axioms:)$' report || true)
[[ $verdicts == $(wc -l < asked) ]] || die "the report has $verdicts verdicts for $(wc -l < asked) questions"

# An assumption starts at the left margin, with its type on the same line or indented below.
grep -vE '^(ABOUT |Closed under the global context$|Axioms:$|[ \t]|$)' report | awk '{ print $1 }' | sort -u > assumed || true
awk '!/^#/ && NF { print $1 }' "$allow" | sort -u > allowed
extra=$(comm -23 assumed allowed)
[[ -z $extra ]] || die "assumptions outside assumptions.allow: ${extra//$'\n'/, }"
stale=$(comm -13 assumed allowed)
[[ -z $stale ]] || die "assumptions.allow names what nothing uses: ${stale//$'\n'/, }"

echo "proofs: $(wc -l < listed) theorems in ${#sources[@]} files checked, $(wc -l < assumed) assumptions, all allowed"
