#!/usr/bin/env bash
# NVIDIA's assembler takes `abs(x) >= 0` in f32 as always true, which it is not where x is NaN: at -O1 and above ptxas leaves out the
# comparison of `abs.f32` (also of `ex2.approx` and of the larger of two magnitudes) with 0 or with a negative constant; at -O0
# it is there, and so it is for sqrt, sums, products and f64. An H200 (driver 580.159.04, which assembles PTX itself) gave 1 for NaN.
# Expected: the PTX manual says that setp.ge is false where an operand is NaN. `setp.ltu` with `not` keeps the comparison.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
# The assembler of CUDA 13.0 and 13.5 and the disassembler.
for version in 13.0.88 13.5.37; do
    env/bin/pip download --quiet --disable-pip-version-check --no-deps --dest "$version" nvidia-cuda-nvcc==$version
    (cd "$version" && python3 -m zipfile -e ./*.whl . && find . -name ptxas -exec chmod +x {} +)
done
env/bin/pip download --quiet --disable-pip-version-check --no-deps --dest tool nvidia-cuda-nvdisasm==13.5.37
(cd tool && python3 -m zipfile -e ./*.whl . && find . -name nvdisasm -exec chmod +x {} +)
cat >kernel.ptx <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry magnitude(.param .u64 from, .param .u64 to)
{
    .reg .u64 %a, %b;
    .reg .f32 %x, %y;
    .reg .pred %p;
    .reg .u32 %r;
    ld.param.u64 %a, [from];
    ld.param.u64 %b, [to];
    ld.global.f32 %x, [%a];
    abs.f32 %y, %x;
    setp.ge.f32 %p, %y, 0f00000000;
    selp.u32 %r, 1, 0, %p;
    st.global.u32 [%b], %r;
    ret;
}
PTX
sed 's/setp.ge.f32 %p, %y, 0f00000000;/setp.ltu.f32 %p, %y, 0f00000000; not.pred %p, %p;/' kernel.ptx >opposite.ptx
comparisons() { # version, level, file
    "$(find "$1" -name ptxas)" "-O$2" -arch=sm_90 "$3.ptx" -o out.cubin
    "$(find tool -name nvdisasm)" out.cubin 2>/dev/null | grep -c FSETP || true
}
seen=
for version in 13.0.88 13.5.37; do
    seen+="$(comparisons $version 0 kernel) $(comparisons $version 3 kernel) $(comparisons $version 3 opposite), "
done
echo "ptxas 13.0.88, 13.5.37; comparisons left at -O0, at -O3, at -O3 of the opposite one: ${seen%, }"
[[ $seen == "1 0 1, 1 0 1, " ]]
