#!/usr/bin/env bash
# CUDA on a machine with a GPU: every op within its contract, then a table of speed beside cuBLAS, cuDNN, cuFFT and PyTorch.
# Builds nothing: `--build` does, where there is Rust, and the folder may be carried to the GPU.
#
#   scripts/on_gpu.sh --build FOLDER
#   scripts/on_gpu.sh --sanitize FOLDER OUT   every op under compute-sanitizer's four tools; OUT gets what each said
#   scripts/on_gpu.sh FOLDER OUT        OUT gets log.txt, DATE-cuda-CARD.csv and a chart beside it
#
# The peers want Python with PyTorch (python3, or $PYTHON); without it the table has our times alone, and says so.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=(tests/gpu:fulmen-gpu-tests:debug benches/device:fulmen-device:release benches/gpu:fulmen-gpu:release)

if [[ ${1:-} == --build ]]; then
    folder=$(mkdir -p "$2" && cd "$2" && pwd)
    for program in "${programs[@]}"; do
        IFS=: read -r package name profile <<<"$program"
        target=${CARGO_TARGET_DIR:-$PWD/target/on-gpu}/$package
        flags=(--manifest-path "$package/Cargo.toml" --target-dir "$target")
        [[ $profile == release ]] && flags+=(--release)
        [[ $package == tests/gpu ]] && flags+=(--no-default-features --features cuda,half)
        [[ $package == benches/device ]] && flags+=(--no-default-features --features cuda)
        cargo build "${flags[@]}"
        strip -o "$folder/$name" "$target/$profile/$name"
    done
    exit
fi

if [[ ${1:-} == --sanitize && $# == 3 ]]; then
    folder=$(cd "$2" && pwd) out=$(mkdir -p "$3" && cd "$3" && pwd)
    # Compiled once, by the first run; a tool then sees kernels alone.
    # An allocation for each array: within one, no tool sees an access beyond an array.
    FULMEN_CUDA_CACHE=$(mktemp -d) FULMEN_DEVICE=cuda FULMEN_CUDA_WHOLE=1
    export FULMEN_CUDA_CACHE FULMEN_DEVICE FULMEN_CUDA_WHOLE
    trap 'rm -rf "$FULMEN_CUDA_CACHE"' EXIT
    parts=("ops in f32" "layers in f32" "ops in f64" "layers in f64" "transforms in f32" "transforms in f64" blocks halves)
    for part in "${parts[@]}"; do FULMEN_PART=$part "$folder/fulmen-gpu-tests" >/dev/null & done
    wait
    for tool in memcheck racecheck initcheck synccheck; do
        for part in "${parts[@]}"; do
            said=$out/$tool-${part// /-}.txt
            (FULMEN_PART=$part compute-sanitizer --tool "$tool" "$folder/fulmen-gpu-tests" >"$said" 2>&1
            echo "$tool, $part: $? $(grep -h SUMMARY "$said")") &
        done
        wait
    done
    exit
fi

(($# == 2)) || { sed -n '2,9s/^# \?//p' "$0"; exit 2; }
folder=$(cd "$1" && pwd) out=$(mkdir -p "$2" && cd "$2" && pwd)
python=${PYTHON:-python3} missing=0
card=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)
stamp=$(date +%F) short=$(grep -oiE 'h100|h200|a100|b200|rtx ?[0-9]+' <<<"$card" | head -1 | tr -d ' ' | tr '[:upper:]' '[:lower:]')
exec > >(tee "$out/log.txt") 2>&1
echo "# $card, driver $driver, $stamp"

echo "## every op within its contract"
story=0
FULMEN_DEVICE=cuda "$folder/fulmen-gpu-tests" || story=$?
echo "the story ended with $story"

echo "## ours"
"$folder/fulmen-device" cuda lines | tee "$out/ours.txt"
for group in products low_precision transforms blocks cached; do "$folder/fulmen-device" cuda "$group" | tee -a "$out/ours.txt"; done
"$folder/fulmen-device" attention | tee -a "$out/ours.txt"

echo "## others"
: >"$out/peers.txt"
if "$python" -c 'import torch; torch.cuda.init(); print("# torch", torch.__version__, "cuDNN", torch.backends.cudnn.version())'; then
    cublas=$("$python" -c 'import glob, site; print(*[f for p in site.getsitepackages() for f in glob.glob(p + "/nvidia/**/libcublas.so.*", recursive=True)][:1])')
    "$python" benches/pytorch.py --gpu-lines | tee -a "$out/peers.txt" || missing=1
    "$python" benches/pytorch.py --gpu-attention | tee -a "$out/peers.txt" || missing=1
    "$folder/fulmen-gpu" "${cublas:-libcublas.so}" chosen | tee -a "$out/peers.txt" || missing=1
else
    missing=1
fi
((missing)) && echo "some peers are missing: see above"

echo "## the table"
"$folder/fulmen-device" table "$out/$stamp-cuda-${short:-gpu}-table.csv" "$out/ours.txt" "$out/peers.txt"
exit $story
