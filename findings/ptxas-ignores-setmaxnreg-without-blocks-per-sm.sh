#!/usr/bin/env bash
# NVIDIA's assembler drops `setmaxnreg` from a kernel that states its number of threads alone (`.reqntid 384`): it says C7508, "unable
# to determine register count at entry", exits with 0, and the warp groups that asked for 232 registers spill. With
# `.minnctapersm 1` beside it the same text keeps `setmaxnreg` and spills nothing; both report 168 registers at entry.
# Expected: 65 536 registers of an SM by 384 threads are 168 whichever directive says so. Write `.minnctapersm` beside `.reqntid`.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
for version in 13.0.88 13.5.37; do
    env/bin/pip download --quiet --disable-pip-version-check --no-deps --dest "$version" nvidia-cuda-nvcc==$version
    (cd "$version" && python3 -m zipfile -e ./*.whl . && find . -name ptxas -exec chmod +x {} +)
done
# 128 threads give registers back; 256 keep 200 numbers between two barriers.
kernel() { # a further directive
    echo ".version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to)
.reqntid 384, 1, 1
$1
{
    .reg .u64 %a, %b;
    .reg .f32 %f<200>;
    .reg .u32 %t;
    .reg .pred %p;
    ld.param.u64 %a, [from];
    ld.param.u64 %b, [to];
    mov.u32 %t, %tid.x;
    setp.lt.u32 %p, %t, 128;
    @%p bra \$few;
    setmaxnreg.inc.sync.aligned.u32 232;"
    for i in {0..199}; do echo "    ld.global.f32 %f$i, [%a+$((4 * i))];"; done
    echo "    bar.sync 0;"
    for i in {0..399}; do
        to=$((i % 200))
        echo "    fma.rn.f32 %f$to, %f$(((to * 7 + 1) % 200)), %f$(((to * 5 + 3) % 200)), %f$to;"
    done
    echo "    bar.sync 0;"
    for i in {0..199}; do echo "    st.global.f32 [%b+$((4 * i))], %f$i;"; done
    echo "    ret;
\$few:
    setmaxnreg.dec.sync.aligned.u32 40;
    st.global.u32 [%b], %t;
    ret;
}"
}
kernel "" >threads.ptx
kernel ".minnctapersm 1" >blocks.ptx
seen=
for version in 13.0.88 13.5.37; do
    for text in threads blocks; do
        said=$("$(find $version -name ptxas)" -v -arch=sm_90a $text.ptx -o out.cubin 2>&1)
        ignored=$(grep -c C7508 <<<"$said" || true)
        spilled=$(sed -n 's/.* \([0-9]*\) bytes spill stores.*/\1/p' <<<"$said")
        seen+="$version $text: C7508 $ignored times, $((spilled > 0)); "
    done
done
echo "setmaxnreg and 200 live numbers; whether the assembler warns, and whether it spills: $seen"
want=
for version in 13.0.88 13.5.37; do
    want+="$version threads: C7508 1 times, 1; $version blocks: C7508 0 times, 0; "
done
[[ $seen == "$want" ]]
