# `make test` is what CI runs. Targets install nothing, except those that say so.
.PHONY: test lint exhaustive bench sizes wasm-demo proofs deny coverage mutants

test:
	python3 scripts/gate.py test

lint:
	python3 scripts/gate.py lint

# Every op in SIZES.md and the README's table, measured again.
sizes:
	python3 scripts/sizes.py --write

wasm-demo:
	python3 scripts/wasm_demo.py

proofs:
	scripts/proofs.sh

# All 2^32 inputs of every one-input op, on every lane of this CPU: hours on a small machine.
exhaustive:
	cargo run --release --features std,avx512 --example exhaustive -- --csv target/exhaustive.csv

bench:
	cargo bench --bench pointwise
	cargo bench --bench nn

# Installs cargo-deny when it is missing (some minutes).
deny:
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny --version 0.20.2
	cargo deny check bans licenses sources

# Installs cargo-llvm-cov when it is missing; needs llvm-22.
coverage:
	command -v cargo-llvm-cov >/dev/null || cargo install --locked cargo-llvm-cov --version 0.9.1
	python3 scripts/gate.py coverage

# Mutation score of the element-wise ops and the reductions, killed by the story, the contracts and the reduction tests
# on the build's own lanes. Installs cargo-mutants when it is missing. `SHARD=0/8` does an eighth; `DIFF=FILE` what a diff changes.
mutants:
	command -v cargo-mutants >/dev/null || cargo install --locked cargo-mutants
	RUSTFLAGS="--cfg=fulmen_one_lane" cargo mutants --no-shuffle --sharding round-robin -o target -f 'src/pointwise/**' -f 'src/reduce/**' \
		$(if $(SHARD),--shard $(SHARD)) $(if $(DIFF),--in-diff $(DIFF))
