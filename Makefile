# `make test` is what CI runs. Targets install nothing, except those that say so.
.PHONY: test check full quick lint exhaustive bench bench-compare compile-times sizes wasm-demo web proofs deny coverage mutants faults fuzz

test:
	python3 scripts/gate.py test

# Before each commit: what needs no long build, in half a minute.
check:
	python3 scripts/gate.py check

# The library's tests on this CPU's own lanes: four minutes of two cores and 1.1 GB of memory.
quick:
	RUSTFLAGS="-Ctarget-cpu=native --cfg=fulmen_one_lane" cargo test -p fulmen -p fulmen-tests --tests --features std,half,parallel

# What the contracts and pages say was measured, measured again, every planted fault, and the files of other projects' tests, from PyPI and
# crates.io: hours. Beside the gate, which CI runs.
full: bench-compare exhaustive faults
	python3 scripts/measured.py target/exhaustive.csv --check
	python3 scripts/measured.py target/bench/pointwise.csv --check
	python3 scripts/measured.py target/bench/nn.csv --check
	scripts/proofs.sh --each
	python3 scripts/sizes.py
	python3 scripts/panics.py
	python3 scripts/vocabularies.py
	python3 scripts/sounds.py

lint:
	python3 scripts/gate.py lint

# How long the library takes to compile, beside what docs/performance.md says.
compile-times:
	python3 scripts/compile_times.py

# Every op in SIZES.md and the README's table, measured again.
sizes:
	python3 scripts/sizes.py --write

wasm-demo:
	python3 scripts/wasm_demo.py

# The page of examples/web on http://127.0.0.1:8000/, for this machine alone. Needs wasm-bindgen of the version in its Cargo.lock.
web:
	python3 scripts/web.py serve

proofs:
	scripts/proofs.sh

# All 2^32 inputs of every one-input op, on every lane of this CPU: hours on a small machine.
exhaustive:
	cargo run --release --features std,avx512 --example exhaustive -- --csv target/exhaustive.csv

# The packages under benches/, built as a user builds for such a server. Tables come to target/bench.
SERVER = RUSTFLAGS="-Ctarget-cpu=x86-64-v4" cargo run --release --manifest-path
bench:
	$(SERVER) benches/ops/Cargo.toml --bin pointwise -- --csv=target/bench/pointwise.csv
	$(SERVER) benches/ops/Cargo.toml --bin nn -- --csv=target/bench/nn.csv
	$(SERVER) benches/ops/Cargo.toml --bin shapes -- --csv=target/bench/shapes.csv
	$(SERVER) benches/peers/Cargo.toml -- --csv=target/bench/gemm.csv
	$(SERVER) benches/fft/Cargo.toml -- --csv=target/bench/fft.csv
	$(SERVER) benches/fft/Cargo.toml -- --signals --csv=target/bench/signals.csv
	$(SERVER) benches/random/Cargo.toml -- --csv=target/bench/random.csv
	$(SERVER) benches/image/Cargo.toml -- --csv=target/bench/image.csv
	$(SERVER) benches/lz4/Cargo.toml -- --csv=target/bench/lz4.csv
	$(SERVER) benches/solve/Cargo.toml -- --csv=target/bench/solve.csv

# Fails where a case of today's tables is slower, against its best peer, than in the newest ones of benches/results, by more than both spreads.
bench-compare: bench
	python3 scripts/bench_compare.py target/bench/pointwise.csv target/bench/nn.csv target/bench/gemm.csv

# Installs cargo-deny when it is missing, without optimisation: that takes a third of the time, and it runs for a second.
deny:
	command -v cargo-deny >/dev/null || cargo install --debug --locked cargo-deny --version 0.20.2
	cargo deny check

# Installs cargo-llvm-cov when it is missing; needs llvm-22.
coverage:
	command -v cargo-llvm-cov >/dev/null || cargo install --locked cargo-llvm-cov --version 0.9.1
	python3 scripts/gate.py coverage

# Mutation score of an area, one of tests/mutants, killed by the tests that its file names, on the build's own lanes. Installs
# cargo-mutants when it is missing. `make mutants AREA=blas SHARD=0/50` does a fiftieth: sharded, a week sees all of an area;
# `DIFF=FILE` what a diff changes.
AREA ?= slices
mutants:
	command -v cargo-mutants >/dev/null || cargo install --locked cargo-mutants
	RUSTFLAGS="--cfg=fulmen_one_lane" cargo mutants --config tests/mutants/$(AREA).toml --no-shuffle --sharding round-robin -o target \
		$(if $(SHARD),--shard $(SHARD)) $(if $(DIFF),--in-diff $(DIFF))

# Plants some four hundred faults in a copy of the library, one at a time, and sees a named test find each: half an hour.
faults:
	tests/faults.py

# Each fuzz target for ten minutes, on stable: libFuzzer, which a C++ compiler builds, over the coverage that rustc's LLVM counts.
# What it finds is left in target/fuzz/corpus. FUZZ_SECONDS=60 is a shorter look.
FUZZ_SECONDS ?= 600
HOST = $(shell rustc -vV | sed -n 's/host: //p')
COUNT = --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares
fuzz:
	CARGO_TARGET_DIR=target/fuzz RUSTFLAGS="$(COUNT) -Cdebug-assertions=yes -Coverflow-checks=yes -Ccodegen-units=16" cargo build --release --manifest-path fuzz/Cargo.toml --target $(HOST)
	python3 fuzz/seeds.py target/fuzz/corpus/wav
	for t in capi quant gguf lz4 lz4_frame op plan signals sparse tokens wav; do \
		mkdir -p target/fuzz/corpus/$$t && \
		target/fuzz/$(HOST)/release/$$t -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=20 -print_final_stats=1 -artifact_prefix=target/fuzz/corpus/$$t- target/fuzz/corpus/$$t || exit 1; \
	done
