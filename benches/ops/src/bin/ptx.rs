//! Times to make PTX: describing a kernel, optimising it, writing the text. No GPU takes part.
//!
//! `cargo run --release --manifest-path benches/ops/Cargo.toml --features cuda --bin ptx`

use fulmen::gpu::{Builder, F32, Kernel, Module, Space, Special, Target, U32, U64, pass, template};
use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds of one call: the best of 30 rounds, each long enough for the clock.
fn time<R>(mut f: impl FnMut() -> R) -> f64 {
    let once = Instant::now();
    black_box(f());
    let calls = (2_000_000 / once.elapsed().as_nanos().max(50)).max(1) as u32;
    let mut round = || {
        let start = Instant::now();
        (0..calls).for_each(|_| drop(black_box(f())));
        start.elapsed().as_nanos() as f64 / f64::from(calls)
    };
    (0..30).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// `x[i] += y[i]` in one block.
fn add() -> Kernel {
    let b = Builder::new("add");
    let (x, y) = (b.param::<U64>(), b.param::<U64>());
    let offset = b.special(Special::TidX).wide(b.int::<U32>(4));
    let v = b.load::<F32>(Space::Global, x + offset, 0) + b.load::<F32>(Space::Global, y + offset, 0);
    b.store(Space::Global, x + offset, 0, v);
    b.finish().expect("the kernel is well formed")
}

fn text(m: &Module, out: &mut String) -> usize {
    out.clear();
    m.emit(Target::sm(80), out).expect("sm_80 has all of it");
    out.len()
}

fn main() {
    let out = &mut String::with_capacity(1 << 16);
    let one = Module { kernels: vec![add()] };
    let exp = template::named::<F32>("exp").and_then(Result::ok).expect("exp has a template");
    let gemm = template::named::<F32>("gemm").and_then(Result::ok).expect("gemm has a template");
    let rows: [(&str, f64, &str); 8] = [
        ("an empty kernel, described and checked", time(|| Builder::new("empty").finish()), "84 (kernel)"),
        (
            "a module of one empty kernel, as text",
            {
                let m = Module { kernels: vec![Builder::new("empty").finish().expect("it is empty")] };
                time(|| text(&m, out))
            },
            "272 (module)",
        ),
        ("x += y, described and checked", time(add), ""),
        ("x += y, as text", time(|| text(&one, out)), ""),
        ("exp, optimised from its body", time(|| template::named::<F32>("exp")), ""),
        ("exp, as text", time(|| text(&exp, out)), ""),
        ("gemm 128 x 128 x 8, as text", time(|| text(&gemm, out)), ""),
        (
            "exp, optimised again",
            time(|| {
                let mut k = exp.kernels.first().cloned();
                k.iter_mut().for_each(pass::optimise);
                k
            }),
            "",
        ),
    ];
    println!("{:42} {:>12}  reference ns", "what", "ns");
    for (what, ns, reference) in rows {
        println!("{what:42} {ns:>12.0}  {reference}");
    }
}
