//! Reductions, rows and products in the interpreter, within their contracts.

use super::support::*;
use common::call::Args;
use common::reference::story::answer;
use fulmen::contract::{agrees, spec, ulp};
use fulmen::gpu::template::{
    GemmTile, Meet, Pieces, Reduction, THREADS, Threads, gemm, named, reduction, reduction_by, row_by,
};
use fulmen::gpu::{Bytes, Error, F32, F64, Interpreter, Kernel, Module, Recorded, Target, Type, pass};
use fulmen::lanes::Native;
use fulmen::ops::{Gpu, OPS};
use fulmen::{Alu, Body, Gelu, Number};

/// The ops that the list gives to a template.
pub fn of(template: &str) -> Vec<&'static str> {
    OPS.iter().filter(|op| matches!(op.gpu, Gpu::Template(t) if t == template)).map(|op| op.name).collect()
}

/// Every op has a kernel in both types, or a line that says why it has none; of the shapes that templates run, only
/// these have none.
#[test]
fn every_op_has_a_kernel_or_a_reason() {
    const WITHOUT: [&str; 4] = ["f16_to_f32", "f32_to_f16", "bf16_to_f32", "f32_to_bf16"];
    let mut without = Vec::new();
    let mut kernels = 0;
    for op in OPS {
        let [single, double] = [named::<F32>(op.name), named::<F64>(op.name)].map(|m| m.map(Result::unwrap));
        match op.gpu {
            // The template of products is one of `f32`.
            Gpu::Template("gemm") => assert!(single.is_some() && double.is_none(), "{}", op.name),
            // More than one, or not by the name alone: the backend of devices runs them.
            Gpu::Template("layer" | "low_precision") | Gpu::Cuda(_) => {
                assert!(single.is_none() && double.is_none(), "{}", op.name)
            }
            Gpu::Template(_) => {
                assert!(single.is_some() && double.is_some(), "{}", op.name);
                kernels += 1;
            }
            Gpu::Host(why) => {
                assert!(single.is_none() && double.is_none() && why.len() > 20, "{}", op.name);
                if !["nn", "blas", "mixed", "quant", "random"].contains(&op.shape) {
                    without.push(op.name);
                }
            }
            _ => unreachable!(),
        }
    }
    assert_eq!(without, WITHOUT);
    println!("{kernels} ops of the list have kernels in f32 and f64");
}

/// Runs the stages of a reduction; gives the bytes of the result.
fn reduce_on<T: Moved>(r: &Reduction, x: &[&[T]], n: usize, blocks: u32) -> Vec<u8> {
    let mut d = Interpreter::new();
    let inputs = r.stages[0].parts.params.len() - 2;
    let x: Vec<u64> = x[..inputs].iter().map(|x| d.buffer(T::bytes(x))).collect();
    let width = size_of::<T>();
    let states = d.buffer(Bytes::uninitialised(r.states as usize * width));
    let out = d.buffer(Bytes::uninitialised(if r.index { 4 } else { width }));
    for (k, stage) in r.stages.iter().enumerate() {
        let parts = d.buffer(Bytes::uninitialised((blocks * stage.state) as usize * width));
        let mut args = [&x[..], &[parts, n as u64]].concat();
        let last = k + 1 == r.stages.len();
        let mut merge = vec![parts, if last { out } else { states }, u64::from(blocks), n as u64];
        if k > 0 {
            args.push(states);
            merge.push(states);
        }
        d.launch(&stage.parts, [blocks, 1, 1], [THREADS, 1, 1], &args)
            .unwrap_or_else(|e| panic!("{}: {e}", stage.parts.name));
        d.launch(&stage.merge, [1, 1, 1], [THREADS, 1, 1], &merge)
            .unwrap_or_else(|e| panic!("{}: {e}", stage.merge.name));
    }
    d.get(out).unwrap().bytes().to_vec()
}

fn reduces<T: Moved, P: Recorded<Elem = T>>(
    name: &str,
    (meet, wide): (Meet, bool),
    (n, blocks): (usize, u32),
    kind: u8,
) {
    let plain = reduction_by::<P>(name, meet, wide).unwrap().unwrap();
    let raw: [Vec<T>; 3] = [0, 1, 2].map(|j| data(n, 7 * n as u64 + 100 * j + u64::from(kind), kind));
    let x = [&raw[0][..], &raw[1][..], &raw[2][..]];
    let got = reduce_on(&plain, &x, n, blocks);
    let mut best = plain.clone();
    for stage in &mut best.stages {
        pass::optimise(&mut stage.parts);
        pass::optimise(&mut stage.merge);
    }
    assert_eq!(reduce_on(&best, &x, n, blocks), got, "{name}: passes changed the numbers");

    let op = OPS.iter().find(|op| op.name == name).unwrap();
    let args = Args { x, params: &[], cols: n, eps: T::from_f64(1e-3), k: 1 };
    let want = answer::<Native, T>(op, args);
    if plain.index {
        let got = u32::from_le_bytes(got.try_into().unwrap());
        assert_eq!(got, want.index[0], "{name} {} n={n} blocks={blocks}", T::NAME);
        return;
    }
    let (got, mut want) = (T::back(&Bytes::new(got))[0], want.y[0]);
    // Past the type's range the exact result is an infinity of the type.
    let near = T::from_f64(want.value).to_f64();
    want.value = if near.is_infinite() { near } else { want.value };
    let wide = |x: &[T]| -> Vec<f64> { x.iter().map(|x| x.to_f64()).collect() };
    let tolerance = spec(name).and_then(|c| c.tolerance(T::NAME)).unwrap();
    let allowed = tolerance.allowed::<T>(want.value, &[&wide(x[0]), &wide(x[1])], want.terms);
    let allowed = want.bound.unwrap_or(allowed) + want.own * ulp::<f64>(want.value);
    assert!(
        agrees(got, want.value, allowed),
        "{name} {} n={n} blocks={blocks}: {:e}, exactly {:e}, {allowed:e} allowed",
        T::NAME,
        got.to_f64(),
        want.value
    );
}

#[test]
fn reductions_keep_their_contracts() {
    for name in of("reduce") {
        // Fewer elements than blocks, so that some parts are empty, and more.
        for (turn, size) in [(1, 1), (2, 3), (127, 1), (1000, 3)].into_iter().enumerate() {
            for kind in 0..3 {
                // Each kind of data at each size, in one of the types.
                if (turn + usize::from(kind)) % 2 == 0 {
                    reduces::<f32, F32>(name, (Meet::Warps, false), size, kind);
                } else {
                    reduces::<f64, F64>(name, (Meet::Warps, false), size, kind);
                }
            }
        }
        reduces::<f32, F32>(name, (Meet::Memory, false), (300, 2), 0);
        // By 16 bytes: whole turns of a block's threads and a rest, less than a turn, and a part that is empty.
        reduces::<f32, F32>(name, (Meet::Warps, true), (4101, 2), 0);
        reduces::<f64, F64>(name, (Meet::Warps, true), (2051, 2), 1);
        reduces::<f32, F32>(name, (Meet::Memory, true), (36, 4), 0);
    }
}

/// Sums of squares that overflow or underflow are taken again, NaN has no place in an order.
#[test]
fn reductions_of_special_values() {
    let run = |name: &str, x: &[f32], y: &[f32]| {
        let r = reduction::<F32>(name).unwrap().unwrap();
        let bytes: [u8; 4] = reduce_on(&r, &[x, y], x.len(), 2).try_into().unwrap();
        (f32::from_le_bytes(bytes), u32::from_le_bytes(bytes))
    };
    let (large, tiny) = ([3e38f32; 5], [3e-42f32; 5]);
    assert_eq!(run("norm_l2", &[3e30, 4e30], &[]).0, 5e30);
    assert_eq!(run("norm_l2", &tiny, &[]).0, fulmen::norm_l2(&tiny));
    assert_eq!(run("euclidean_distance", &[3e38, 0.0], &[0.0, 1e38]).0, 3.1622776e38);
    assert_eq!(run("cosine_similarity", &large, &tiny).0, 1.0);
    assert_eq!(run("correlation", &[1.0, 1.0], &[2.0, 3.0]).0, 0.0);
    assert_eq!(run("variance", &[7.0; 9], &[]).0, 0.0);
    // Far from zero, the second block around another mean than the first.
    let far = [1e7f32, 1e7 + 1.0, 1e7, 1e7 + 1.0, 1e7 + 6.0, 1e7 + 7.0, 1e7 + 6.0, 1e7 + 7.0];
    assert_eq!(run("variance", &far, &[]).0, 9.25);
    assert_eq!(run("covariance", &far, &far).0, 9.25);
    assert_eq!(run("correlation", &far, &far).0, 1.0);
    assert_eq!(run("correlation", &far[..2], &[1e7, 1e7 + 3.0]).0, 1.0);
    assert_eq!(run("stddev", &[2e19, -2e19, 2e19, -2e19], &[]).0, 2e19);
    assert_eq!(run("stddev", &[3e-42, -3e-42], &[]).0, 3e-42);
    assert_eq!(run("variance", &large, &[]).0, 0.0);
    for name in ["argmax", "argmin"] {
        assert_eq!(run(name, &[1.0, f32::NAN, 2.0], &[]).1, u32::MAX);
        assert_eq!(run(name, &[0.0, -0.0, 0.0], &[]).1, 0);
    }
    for name in ["argmax_last", "argmin_last"] {
        assert_eq!(run(name, &[1.0, f32::NAN, 2.0], &[]).1, u32::MAX);
        assert_eq!(run(name, &[0.0, -0.0, 0.0], &[]).1, 2);
    }
    // Neither overflows on the way, and zeros and infinities keep their meaning.
    let power = |e: i32| 2f32.powi(e);
    assert_eq!(
        run("prod", &[power(100), power(-100), power(100), power(-90), power(100)], &[]).0,
        power(110)
    );
    // 2⁻¹⁴⁰, which `powi` makes 0.
    assert_eq!(run("prod", &[f32::from_bits(1 << 9), power(100), -power(40)], &[]).0, -1.0);
    assert_eq!(run("prod", &[1e30, 1e30, -0.0, 1e30], &[]).0.to_bits(), (-0.0f32).to_bits());
    assert!(run("prod", &[f32::INFINITY, 1.0, 0.0], &[]).0.is_nan());
    assert_eq!(run("logsumexp", &[f32::INFINITY, -1.0, f32::NEG_INFINITY], &[]).0, f32::INFINITY);
    assert_eq!(run("logsumexp", &[f32::NEG_INFINITY; 3], &[]).0, f32::NEG_INFINITY);
    assert!(run("logsumexp", &[f32::INFINITY, f32::NAN], &[]).0.is_nan());
}

fn row_op<T: Moved, P: Recorded<Elem = T>>(
    name: &str,
    meet: Meet,
    (threads, held): (Threads, Pieces),
    (count, cols): (usize, usize),
    kind: u8,
) {
    let k = row_by::<P>(name, meet, threads, held).unwrap().unwrap();
    let x: Vec<T> = data(count * cols, cols as u64 + u64::from(kind), kind);
    let (gamma, beta): (Vec<T>, Vec<T>) = (data(cols, 77, 0), data(cols, 78, 0));
    let eps = T::from_f64(1e-3);
    let run = |k: &Kernel| {
        let mut d = Interpreter::new();
        let from = d.buffer(T::bytes(&x));
        let out = d.buffer(Bytes::uninitialised(count * cols * size_of::<T>()));
        let mut args = vec![from, out, count as u64, cols as u64];
        let mut columns = [&gamma, &beta].into_iter();
        for of in &k.params[4..] {
            args.push(match of {
                Type::U64 => d.buffer(T::bytes(columns.next().unwrap())),
                _ => P::bits(eps),
            });
        }
        d.launch(k, [2, 1, 1], [threads.block, 1, 1], &args).unwrap_or_else(|e| panic!("{name}: {e}"));
        T::back(d.get(out).unwrap())
    };
    let got = run(&k);
    let mut best = k.clone();
    pass::optimise(&mut best);
    assert!(run(&best).iter().zip(&got).all(|(a, b)| T::same(*a, *b)), "{name}: passes changed the numbers");
    let op = OPS.iter().find(|op| op.name == name).unwrap();
    let whole = |column: &[T]| {
        let mut column = column.to_vec();
        column.resize(count * cols, T::ZERO);
        column
    };
    let (gamma, beta) = (whole(&gamma), whole(&beta));
    let want = answer::<Native, T>(op, Args { x: [&x, &gamma, &beta], params: &[], cols, eps, k: 1 });
    for (i, (got, w)) in got.iter().zip(&want.y).enumerate() {
        let allowed = w.bound.unwrap() + w.own * ulp::<f64>(w.value);
        assert!(
            agrees(*got, w.value, allowed),
            "{name} {} {count}x{cols} at {i}: {:e}, exactly {:e}, {allowed:e} allowed",
            T::NAME,
            got.to_f64(),
            w.value
        );
    }
}

#[test]
fn row_ops_keep_their_contracts() {
    for name in of("row_reduce") {
        // A block for a row, with a rest behind what is read four times at once; rows of warps, of which the last block
        // has one; long rows.
        let (block, short) = (Threads::BLOCK, Threads::of_rows(300, 1024));
        assert_eq!([short.rows(), Threads::of_rows(2049, 1024).row], [4, 512]);
        let holding =
            |cols, few| Threads::holding(cols, 4, 1024, few).map(|(t, by)| [t.block, t.row, by.each]);
        assert_eq!(holding(128, false), Some([128, 32, 1]));
        assert_eq!(holding(132, false), Some([128, 32, 4]));
        assert_eq!([holding(516, false), holding(516, true)], [Some([64, 64, 4]), Some([256, 256, 1])]);
        assert_eq!([holding(16_388, false), holding(32_768, true)], [Some([1024, 1024, 8]); 2]);
        assert_eq!([holding(32_772, false), holding(130, false)], [None; 2]);
        for (threads, shape) in [(block, (1, 1)), (block, (2, 600)), (short, (5, 5)), (short, (9, 300))] {
            for kind in [0, 2] {
                row_op::<f32, F32>(name, Meet::Warps, (threads, Pieces::NONE), shape, kind);
                row_op::<f64, F64>(name, Meet::Warps, (threads, Pieces::NONE), shape, kind);
            }
        }
        row_op::<f32, F32>(name, Meet::Warps, (Threads::of_rows(2100, 1024), Pieces::NONE), (2, 2100), 0);
        row_op::<f32, F32>(name, Meet::Memory, (block, Pieces::NONE), (3, 40), 0);
        row_op::<f32, F32>(name, Meet::Memory, (short, Pieces::NONE), (5, 140), 0);
        // In registers: a warp for a row, two rows of several warps, a block; some pieces are not there.
        for (shape, few) in
            [((9, 100), false), ((5, 4), false), ((3, 1540), false), ((2, 2000), true), ((1, 4200), false)]
        {
            for kind in [0, 2] {
                row_op::<f32, F32>(
                    name,
                    Meet::Warps,
                    Threads::holding(shape.1, 4, 1024, few).unwrap(),
                    shape,
                    kind,
                );
                row_op::<f64, F64>(
                    name,
                    Meet::Warps,
                    Threads::holding(shape.1, 2, 1024, few).unwrap(),
                    shape,
                    kind,
                );
            }
        }
        let (threads, by) = Threads::holding(1100, 4, 256, false).unwrap();
        row_op::<f32, F32>(name, Meet::Memory, (threads, Pieces { branches: false, ..by }), (3, 1100), 0);
        row_op::<f32, F32>(name, Meet::Memory, (short, Pieces { each: 1, branches: false }), (6, 120), 2);
    }
}

/// `gelu(acc + bias) + residual`: three ops on one accumulator.
#[derive(Debug, Clone, Copy)]
pub struct Epilogue;
impl<T: Number> Body<T, 3> for Epilogue {
    fn eval<V: Alu<Elem = T>>(self, [acc, bias, residual]: [V; 3]) -> V {
        Gelu.eval([acc + bias]) + residual
    }
}

/// Tiles for every target: small, square, wide.
pub const TILES: [GemmTile; 3] = [
    GemmTile { m: 32, n: 32, k: 8, tm: 4, tn: 4, stages: 1 },
    GemmTile { m: 64, n: 64, k: 8, tm: 4, tn: 8, stages: 1 },
    GemmTile { m: 128, n: 128, k: 8, tm: 8, tn: 8, stages: 1 },
];

pub fn product(tile: GemmTile) -> Kernel {
    let name = format!("gemm_{}x{}x{}", tile.m, tile.n, tile.k);
    gemm(&name, tile, Target::sm(61).shared_memory(), |[]| Epilogue).unwrap()
}

pub fn multiply(k: &Kernel, tile: GemmTile, [m, n, depth]: [usize; 3]) {
    let (a, b) = (data::<f32>(m * depth, 1, 0), data::<f32>(depth * n, 2, 0));
    let (bias, residual) = (data::<f32>(n, 3, 0), data::<f32>(m * n, 4, 0));
    let mut d = Interpreter::new();
    let [a_at, b_at] = [&a, &b].map(|x| d.buffer(Bytes::f32(x)));
    let out = d.buffer(Bytes::uninitialised(4 * m * n));
    let [bias_at, residual_at] = [&bias, &residual].map(|x| d.buffer(Bytes::f32(x)));
    let args = [a_at, b_at, out, bias_at, residual_at, m as u64, n as u64, depth as u64];
    let grid = [(n as u32).div_ceil(tile.n), (m as u32).div_ceil(tile.m), 1];
    d.launch(k, grid, [tile.threads(), 1, 1], &args).unwrap_or_else(|e| panic!("{tile:?}: {e}"));
    let c = d.get(out).unwrap();
    assert!(c.complete() || m * n == 0, "an element was not written");
    let c = c.to_f32();
    let per = spec("gemm").and_then(|s| s.tolerance("f32")).unwrap();
    for i in 0..m {
        for j in 0..n {
            let row: Vec<f64> = (0..depth).map(|p| f64::from(a[i * depth + p])).collect();
            let col: Vec<f64> = (0..depth).map(|p| f64::from(b[p * n + j])).collect();
            let sum: f64 = row.iter().zip(&col).map(|(x, y)| x * y).sum();
            let terms: f64 = row.iter().zip(&col).map(|(x, y)| (x * y).abs()).sum();
            let x = sum + f64::from(bias[j]);
            let gelu = 0.5 * x * (1.0 + (0.7978845608028654 * (x + 0.044715 * x * x * x)).tanh());
            let want = gelu + f64::from(residual[i * n + j]);
            // The derivative of gelu is at most 1.13; then 2 ulp of gelu, and the rounding of each sum.
            let product = per.allowed::<f32>(sum, &[&row, &col], terms);
            let allowed = 1.13 * (product + ulp::<f32>(x)) + 2.0 * ulp::<f32>(gelu) + ulp::<f32>(want);
            let got = c[i * n + j];
            assert!(agrees(got, want, allowed), "{tile:?} {m}x{n}x{depth} at {i},{j}: {got}, exactly {want}");
        }
    }
}

#[test]
fn products_with_an_epilogue_of_three_ops() {
    for (tile, shapes) in TILES.iter().zip([
        &[[1, 1, 1], [32, 32, 8], [33, 31, 9], [5, 70, 0]][..],
        &[[65, 63, 17]],
        &[[129, 7, 11]],
    ]) {
        let plain = product(*tile);
        let mut best = plain.clone();
        pass::optimise(&mut best);
        assert!(best.instructions() < plain.instructions());
        for shape in shapes {
            multiply(&plain, *tile, *shape);
            multiply(&best, *tile, *shape);
        }
    }
}

#[test]
fn tiles_that_cannot_run_are_refused() {
    let good = TILES[0];
    for (tile, rule) in [
        (GemmTile { m: 0, ..good }, "every size"),
        (GemmTile { tm: 2, ..good }, "multiples of 4"),
        (GemmTile { m: 36, tm: 8, ..good }, "cover"),
        (GemmTile { m: 16, n: 16, ..good }, "whole warps"),
        (GemmTile { k: 3, ..good }, "as many elements"),
        (GemmTile { m: 128, n: 128, tm: 16, tn: 16, ..good }, "255 registers"),
    ] {
        let said = tile.check(48 << 10).unwrap_err();
        assert!(matches!(said, Error::Tile { .. }) && said.to_string().contains(rule), "{tile:?}: {said}");
    }
    let large = GemmTile { m: 128, n: 128, k: 64, tm: 8, tn: 8, stages: 1 };
    assert_eq!(large.check(48 << 10), Err(Error::SharedMemory { needed: 65536, available: 49152 }));
    assert_eq!(large.check(100 << 10), Ok(()));
    assert!(GemmTile { stages: 3, ..good }.check(48 << 10).unwrap_err().to_string().contains("stages"));
    // The target decides again.
    let k = gemm("large", large, 100 << 10, |[]| Epilogue).unwrap();
    let refused = Module { kernels: vec![k] }.emit(Target::sm(61), &mut String::new());
    assert_eq!(refused, Err(Error::SharedMemory { needed: 65536, available: 49152 }));
}
