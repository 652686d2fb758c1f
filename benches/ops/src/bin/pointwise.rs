//! Pointwise ops, reductions and row ops against `ndarray`, plain Rust loops built with the same
//! flags, and MKL where it is found. `make bench` runs it; the manifest has the command.
//!
//! `loop` is the loop a careful user would write, over slices of equal length. Every contender
//! writes to a preallocated output.

use fulmen::{Add, Clamp, Relu, Scale, Then, WithFirst};
use fulmen_ops::hand;
use fulmen_ops::mkl::{Mkl, Mode};
use fulmen_ops::{Bench, Contender, Data, Streams};
use ndarray::{ArrayView1, ArrayViewMut1, Zip};

type List<'a> = Vec<Contender<'a, f32>>;

fn contender<'a>(name: &'static str, run: impl FnMut(&mut Data<f32>) + 'a) -> Contender<'a, f32> {
    Contender { name, run: Box::new(run) }
}

/// out = f(a), as a case's contender.
fn unary<'a>(name: &'static str, mut f: impl FnMut(&[f32], &mut [f32]) + 'a) -> Contender<'a, f32> {
    contender(name, move |d| {
        let (a, _, _, out) = d.split();
        f(a, out);
    })
}

/// out = f(a, b).
fn binary<'a>(name: &'static str, mut f: impl FnMut(&[f32], &[f32], &mut [f32]) + 'a) -> Contender<'a, f32> {
    contender(name, move |d| {
        let (a, b, _, out) = d.split();
        f(a, b, out);
    })
}

/// value = f(a, b).
fn reduce<'a>(name: &'static str, mut f: impl FnMut(&[f32], &[f32]) -> f32 + 'a) -> Contender<'a, f32> {
    contender(name, move |d| {
        let v = {
            let (a, b, _, _) = d.split();
            f(a, b)
        };
        d.value = v;
    })
}

fn each(x: &[f32], out: &mut [f32], f: impl Fn(f32) -> f32) {
    for (o, &x) in out.iter_mut().zip(x) {
        *o = f(x);
    }
}

fn each2(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *o = f(a, b);
    }
}

fn nd1(x: &[f32], out: &mut [f32], f: impl Fn(f32) -> f32) {
    Zip::from(ArrayViewMut1::from(out)).and(ArrayView1::from(x)).for_each(|o, &x| *o = f(x));
}

fn nd2(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    Zip::from(ArrayViewMut1::from(out))
        .and(ArrayView1::from(a))
        .and(ArrayView1::from(b))
        .for_each(|o, &a, &b| *o = f(a, b));
}

const R1W1: Streams = Streams { reads: 1, writes: 1 };
const R2W1: Streams = Streams { reads: 2, writes: 1 };

fn memory_bound(bench: &mut Bench, mkl: Option<&Mkl>, n: usize) {
    // Small whole numbers: sums and products stay exact, so contenders can be compared tightly.
    let data = &mut Data::new(n, |k, i| ((i * 7 + k * 3) % 17) as f32 - 8.0);
    bench.case(
        "add",
        "f32",
        data,
        R2W1,
        0.0,
        vec![
            binary("fulmen", |a, b, o| fulmen::add(a, b, o).unwrap()),
            binary("loop", |a, b, o| each2(a, b, o, |a, b| a + b)),
            binary("ndarray", |a, b, o| nd2(a, b, o, |a, b| a + b)),
        ],
    );
    bench.case(
        "relu",
        "f32",
        data,
        R1W1,
        0.0,
        vec![
            unary("fulmen", |a, o| fulmen::relu(a, o).unwrap()),
            unary("loop", |a, o| each(a, o, |x| if x < 0.0 { 0.0 } else { x })),
            unary("ndarray", |a, o| nd1(a, o, |x| if x < 0.0 { 0.0 } else { x })),
        ],
    );
    bench.case(
        "scale",
        "f32",
        data,
        R1W1,
        0.0,
        vec![
            unary("fulmen", |a, o| fulmen::scale(a, 1.5, o).unwrap()),
            unary("loop", |a, o| each(a, o, |x| x * 1.5)),
            unary("ndarray", |a, o| nd1(a, o, |x| x * 1.5)),
        ],
    );
    let mut list: List<'_> = vec![
        // α = 0 keeps y bounded over millions of repeats.
        binary("fulmen", |a, _, o| fulmen::axpy(0.0, a, o).unwrap()),
        binary("loop", |a, _, o| {
            for (o, &a) in o.iter_mut().zip(a) {
                *o += 0.0 * a;
            }
        }),
        binary("ndarray", |a, _, o| ArrayViewMut1::from(o).scaled_add(0.0, &ArrayView1::from(a))),
    ];
    list.extend(mkl.and_then(Mkl::axpy).map(|f| binary("mkl", move |a, _, o| f(1e-30, a, o))));
    bench.case("axpy", "f32", data, R2W1, 1e-6, list);

    let mut list = vec![
        reduce("fulmen", |a, b| fulmen::dot(a, b).unwrap()),
        reduce("loop", loop_dot),
        reduce("ndarray", |a, b| ArrayView1::from(a).dot(&ArrayView1::from(b))),
    ];
    list.extend(mkl.and_then(Mkl::dot).map(|f| reduce("mkl", f)));
    list.extend(hand::DOT.map(|dot| reduce("intrinsics", dot)));
    bench.case("dot", "f32", data, Streams { reads: 2, writes: 0 }, 1e-5, list);
    bench.case(
        "sum",
        "f32",
        data,
        Streams { reads: 1, writes: 0 },
        1e-5,
        vec![
            reduce("fulmen", |a, _| fulmen::sum(a)),
            reduce("loop", |a, _| loop_sum(a)),
            reduce("ndarray", |a, _| ArrayView1::from(a).sum()),
        ],
    );
}

/// 64 independent sums, so that the compiler can use vectors.
fn loop_sum(a: &[f32]) -> f32 {
    let mut acc = [0.0f32; 64];
    let (chunks, rest) = a.as_chunks::<64>();
    for c in chunks {
        for (s, &x) in acc.iter_mut().zip(c) {
            *s += x;
        }
    }
    acc.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

fn loop_dot(a: &[f32], b: &[f32]) -> f32 {
    let mut acc = [0.0f32; 64];
    let ((ca, ra), (cb, rb)) = (a.as_chunks::<64>(), b.as_chunks::<64>());
    for (a, b) in ca.iter().zip(cb) {
        for ((s, &a), &b) in acc.iter_mut().zip(a).zip(b) {
            *s += a * b;
        }
    }
    acc.iter().sum::<f32>() + ra.iter().zip(rb).map(|(a, b)| a * b).sum::<f32>()
}

/// Fused forms against the calls they replace.
fn fused(bench: &mut Bench, n: usize) {
    let data = &mut Data::new(n, |k, i| ((i * 7 + k * 3) % 17) as f32 - 8.0);
    bench.case(
        "add+relu",
        "f32",
        data,
        R2W1,
        0.0,
        vec![
            binary("fulmen", |a, b, o| fulmen::map(Then(Add, Relu), [a, b], o).unwrap()),
            binary("loop", |a, b, o| each2(a, b, o, |a, b| if a + b < 0.0 { 0.0 } else { a + b })),
            binary("ndarray", |a, b, o| nd2(a, b, o, |a, b| if a + b < 0.0 { 0.0 } else { a + b })),
            binary("fulmen-2-calls", |a, b, o| {
                fulmen::add(a, b, o).unwrap();
                fulmen::relu_in_place(o).unwrap();
            }),
        ],
    );
    let body = Then(WithFirst(Add, Clamp(-4.0f32, 4.0)), Scale(0.5));
    bench.case(
        "clamp+add+scale",
        "f32",
        data,
        R2W1,
        0.0,
        vec![
            binary("fulmen", move |a, b, o| fulmen::map(body, [a, b], o).unwrap()),
            binary("loop", |a, b, o| each2(a, b, o, |a, b| (a.clamp(-4.0, 4.0) + b) * 0.5)),
            binary("ndarray", |a, b, o| nd2(a, b, o, |a, b| (a.clamp(-4.0, 4.0) + b) * 0.5)),
            binary("fulmen-3-calls", |a, b, o| {
                fulmen::clamp(a, -4.0, 4.0, o).unwrap();
                fulmen::add_in_place(o, b).unwrap();
                fulmen::scale_in_place(o, 0.5).unwrap();
            }),
        ],
    );
}

type Slices = fn(&[f32], &mut [f32]) -> Result<(), fulmen::Error>;

fn transcendental(bench: &mut Bench, mkl: Option<&Mkl>, n: usize) {
    // −8 … 8 in no particular order.
    let data = &mut Data::new(n, |_, i| ((i * 2_654_435_761) % 16_001) as f32 * 1e-3 - 8.0);
    let vml = |name: &'static str, f: &'static str, mode| {
        mkl.and_then(|m| m.unary(f, mode)).map(|f| unary(name, f))
    };
    let table: [(&'static str, Slices, Slices, fn(f32) -> f32, &'static str); 2] = [
        ("exp", fulmen::exp, fulmen::approx_exp, f32::exp, "vmsExp"),
        ("tanh", fulmen::tanh, fulmen::approx_tanh, f32::tanh, "vmsTanh"),
    ];
    for (op, ours, approx, scalar, vms) in table {
        let mut list = vec![
            unary("fulmen", move |a, o| ours(a, o).unwrap()),
            unary("loop", move |a, o| each(a, o, scalar)),
            unary("ndarray", move |a, o| nd1(a, o, scalar)),
        ];
        list.extend(vml("mkl-vml-ha", vms, Mode::Ha));
        list.extend(vml("mkl-vml-la", vms, Mode::La));
        bench.case(op, "f32", data, R1W1, 1e-5, list);
        let mut list = vec![unary("fulmen", move |a, o| approx(a, o).unwrap())];
        list.extend(vml("mkl-vml-ep", vms, Mode::Ep));
        let name = if op == "exp" { "approx_exp" } else { "approx_tanh" };
        bench.case(name, "f32", data, R1W1, 2e-3, list);
    }
    // Sigmoid and GELU as a user composes them from MKL calls and loops.
    let u = |x: f32| 0.797_884_6 * (x + 0.044_715 * x * x * x);
    let exact: &[(Mode, &str)] = &[(Mode::Ha, "mkl-vml-ha"), (Mode::La, "mkl-vml-la")];
    let coarse: &[(Mode, &str)] = &[(Mode::Ep, "mkl-vml-ep")];
    for (modes, sigmoid, gelu, names) in [
        (exact, fulmen::sigmoid as Slices, fulmen::gelu as Slices, ["sigmoid", "gelu"]),
        (coarse, fulmen::approx_sigmoid, fulmen::approx_gelu, ["approx_sigmoid", "approx_gelu"]),
    ] {
        let mut list = vec![unary("fulmen", move |a, o| sigmoid(a, o).unwrap())];
        list.push(unary("loop", |a, o| each(a, o, |x| 1.0 / (1.0 + (-x).exp()))));
        for &(mode, name) in modes {
            list.extend(mkl.and_then(|m| m.unary("vmsExp", mode)).map(|f| {
                let mut tmp = vec![0.0; n];
                unary(name, move |a, o| {
                    each(a, &mut tmp, |x| -x);
                    f(&tmp, o);
                    for o in o {
                        *o = 1.0 / (1.0 + *o);
                    }
                })
            }));
        }
        bench.case(names[0], "f32", data, R1W1, 4e-3, list);
        let mut list = vec![unary("fulmen", move |a, o| gelu(a, o).unwrap())];
        list.push(unary("loop", move |a, o| each(a, o, |x| 0.5 * x * (1.0 + u(x).tanh()))));
        for &(mode, name) in modes {
            list.extend(mkl.and_then(|m| m.unary("vmsTanh", mode)).map(|f| {
                let mut tmp = vec![0.0; n];
                unary(name, move |a, o| {
                    each(a, &mut tmp, u);
                    f(&tmp, o);
                    for (o, &x) in o.iter_mut().zip(a) {
                        *o = 0.5 * x * (1.0 + *o);
                    }
                })
            }));
        }
        bench.case(names[1], "f32", data, R1W1, 1e-2, list);
    }
    for (op, ours, scalar, vms) in [
        ("ln", fulmen::ln as Slices, f32::ln as fn(f32) -> f32, "vmsLn"),
        ("sin", fulmen::sin, f32::sin, "vmsSin"),
    ] {
        let data = &mut Data::new(n, |_, i| ((i * 2_654_435_761) % 16_001) as f32 * 1e-3 + 1e-3);
        let mut list = vec![
            unary("fulmen", move |a, o| ours(a, o).unwrap()),
            unary("loop", move |a, o| each(a, o, scalar)),
        ];
        list.extend(vml("mkl-vml-ha", vms, Mode::Ha));
        list.extend(vml("mkl-vml-la", vms, Mode::La));
        bench.case(op, "f32", data, R1W1, 1e-3, list);
    }
}

fn loop_softmax(x: &[f32], out: &mut [f32], exp: impl Fn(&[f32], &mut [f32]), shifted: &mut [f32]) {
    let mut m = [f32::NEG_INFINITY; 32];
    let (chunks, rest) = x.as_chunks::<32>();
    for c in chunks {
        for (m, &x) in m.iter_mut().zip(c) {
            *m = if x > *m { x } else { *m };
        }
    }
    let m = m.iter().chain(rest).fold(f32::NEG_INFINITY, |m, &x| m.max(x));
    each(x, shifted, |x| x - m);
    exp(shifted, out);
    let r = 1.0 / loop_sum(out);
    for o in out {
        *o *= r;
    }
}

fn rows(bench: &mut Bench, mkl: Option<&Mkl>, n: usize) {
    let data = &mut Data::new(n, |k, i| ((i * 2_654_435_761 + k) % 16_001) as f32 * 1e-3 - 8.0);
    let mut tmp = vec![0.0; n];
    let mut list = vec![
        unary("fulmen", move |a, o| fulmen::softmax(a, n, o).unwrap()),
        unary("loop", move |a, o| loop_softmax(a, o, |x, o| each(x, o, f32::exp), &mut tmp)),
        unary("ndarray", |a, o| {
            let a = ArrayView1::from(a);
            let m = a.fold(f32::NEG_INFINITY, |m, &x| m.max(x));
            let mut o = ArrayViewMut1::from(o);
            Zip::from(&mut o).and(&a).for_each(|o, &x| *o = (x - m).exp());
            let s = o.sum();
            o /= s;
        }),
    ];
    for (name, mode) in [("mkl-ha+loops", Mode::Ha), ("mkl-la+loops", Mode::La)] {
        let mut tmp = vec![0.0; n];
        list.extend(
            mkl.and_then(|m| m.unary("vmsExp", mode))
                .map(|f| unary(name, move |a, o| loop_softmax(a, o, &f, &mut tmp))),
        );
    }
    bench.case("softmax", "f32", data, R1W1, 1e-3, list);

    let naive_mean = |a: &[f32]| loop_sum(a) / a.len() as f32;
    bench.case(
        "layer_norm",
        "f32",
        data,
        Streams { reads: 3, writes: 1 },
        // Naive f32 sums of the peers: at ten million elements their mean is far off.
        0.5,
        vec![
            contender("fulmen", |d| {
                let (a, b, c, o) = d.split();
                fulmen::layer_norm(a, b, c, 1e-5, o).unwrap();
            }),
            contender("loop", move |d| {
                let (a, g, b, o) = d.split();
                let mean = naive_mean(a);
                each(a, o, |x| (x - mean) * (x - mean));
                let r = 1.0 / (loop_sum(o) / a.len() as f32 + 1e-5).sqrt();
                for (((o, &x), &g), &b) in o.iter_mut().zip(a).zip(g).zip(b) {
                    *o = (x - mean) * r * g + b;
                }
            }),
            contender("ndarray", |d| {
                let (a, g, b, o) = d.split();
                let a = ArrayView1::from(a);
                let mean = a.sum() / a.len() as f32;
                let var = a.fold(0.0, |s, &x| s + (x - mean) * (x - mean)) / a.len() as f32;
                let r = 1.0 / (var + 1e-5).sqrt();
                Zip::from(ArrayViewMut1::from(o))
                    .and(&a)
                    .and(ArrayView1::from(g))
                    .and(ArrayView1::from(b))
                    .for_each(|o, &x, &g, &b| *o = (x - mean) * r * g + b);
            }),
        ],
    );
    bench.case(
        "rms_norm",
        "f32",
        data,
        R2W1,
        0.5,
        vec![
            binary("fulmen", |a, g, o| fulmen::rms_norm(a, g, 1e-5, o).unwrap()),
            binary("loop", |a, g, o| {
                let r = 1.0 / (loop_dot(a, a) / a.len() as f32 + 1e-5).sqrt();
                each2(a, g, o, |x, g| x * r * g);
            }),
            binary("ndarray", |a, g, o| {
                let v = ArrayView1::from(a);
                let r = 1.0 / (v.dot(&v) / a.len() as f32 + 1e-5).sqrt();
                nd2(a, g, o, |x, g| x * r * g);
            }),
        ],
    );
}

/// Many short rows: where per-row overhead shows.
fn short_rows(bench: &mut Bench, mkl: Option<&Mkl>, count: usize, cols: usize) {
    let n = count * cols;
    let data = &mut Data::new(n, |k, i| ((i * 2_654_435_761 + k) % 16_001) as f32 * 1e-3 - 8.0);
    let mut tmp = vec![0.0; cols];
    let mut list = vec![
        unary("fulmen", move |a, o| fulmen::softmax(a, cols, o).unwrap()),
        unary("loop", move |a, o| {
            for (a, o) in a.chunks_exact(cols).zip(o.chunks_exact_mut(cols)) {
                loop_softmax(a, o, |x, o| each(x, o, f32::exp), &mut tmp);
            }
        }),
    ];
    let mut tmp = vec![0.0; cols];
    list.extend(mkl.and_then(|m| m.unary("vmsExp", Mode::La)).map(|f| {
        unary("mkl-la+loops", move |a, o| {
            for (a, o) in a.chunks_exact(cols).zip(o.chunks_exact_mut(cols)) {
                loop_softmax(a, o, &f, &mut tmp);
            }
        })
    }));
    let name = match cols {
        64 => "softmax-64-cols",
        512 => "softmax-512-cols",
        _ => "softmax-4096-cols",
    };
    bench.case(name, "f32", data, R1W1, 1e-3, list);
}

fn main() -> std::io::Result<()> {
    let mkl = Mkl::load();
    let mkl = mkl.as_ref();
    let mut bench = Bench::from_args();
    for n in bench.sizes() {
        memory_bound(&mut bench, mkl, n);
        fused(&mut bench, n);
        transcendental(&mut bench, mkl, n);
        rows(&mut bench, mkl, n);
    }
    for cols in [64, 512, 4096] {
        let count = if bench.quick { 16 } else { 1024 };
        short_rows(&mut bench, mkl, count, cols);
    }
    bench.finish("pointwise")
}
