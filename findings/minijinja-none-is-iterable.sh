#!/usr/bin/env bash
# In minijinja 3 the test "none is iterable" is true, and {% for x in none %} loops over nothing: Jinja 3.1 says that it
# is not iterable and raises an error in the loop. Chat templates of models test "content is iterable" to tell a list of
# parts from a text, with a null content for calls of tools: the two engines take different branches.
# Expected: False and an error, as in Jinja; "none is sequence" is False in both.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cat >"$work/Cargo.toml" <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
minijinja = "=3.1.0"
TOML
cat >"$work/src/main.rs" <<'RUST'
fn main() {
    let env = minijinja::Environment::new();
    let got = env.render_str("{{ none is iterable }} {{ none is sequence }} <{% for x in none %}x{% endfor %}>", ());
    println!("minijinja 3.1.0: none is iterable, is sequence, <loop over none>: {got:?}");
    assert_eq!(got.unwrap(), "True False <>", "the behaviour has changed");
}
RUST
CARGO_TARGET_DIR="$work/target" cargo run --quiet --manifest-path "$work/Cargo.toml"
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check jinja2==3.1.6
"$work/env/bin/python" - <<'PYTHON'
import sys

import jinja2

env = jinja2.Environment()
got = env.from_string("{{ none is iterable }}").render()
try:
    loop = env.from_string("{% for x in none %}x{% endfor %}").render()
except TypeError as refused:
    loop = str(refused)
print(f"jinja2 {jinja2.__version__}: {got}; loop: {loop}")
sys.exit(not (got == "False" and "not iterable" in loop))
PYTHON
