//! The ops with calls of their own between pages that cannot be touched.

use super::guard::{guarded, lengths};
use common::blas::{self, Options};
use common::matrix;
use common::matrix::{Layout, Matrix};
use common::nn::{Args, Form, Noise, Routine};
use fulmen::lanes::native;
use fulmen::*;
use std::collections::BTreeSet;

/// What the ops with a call of their own take, at each length; where the time is the cube of it, at those around registers and
/// blocks.
fn own(op: &Routine<f32>) {
    let (mut called, mut shapes) = (0, BTreeSet::new());
    let some = |n: &usize| *n > 0 && (!op.cubed || matches!(n, ..35 | 47 | 63..67));
    let sizes: Vec<usize> = lengths().filter(some).collect();
    for (seed, &cols) in sizes.iter().enumerate() {
        // Every number of rows with short ones, in turn with long ones.
        for rows in (1..=3).filter(|rows| cols < 20 || seed % 3 + 1 == *rows) {
            let a = (op.sample)(rows, cols, &mut Noise(seed as u64));
            // What is touched follows from the sizes, which some ops bound or do not take from both; else from indices.
            let shape = (a.n.clone(), a.x.iter().map(Vec::len).collect::<Vec<_>>());
            if !shapes.insert(shape) && op.ids.is_none() && op.starts.is_none() {
                continue;
            }
            let (before, enough) = ((op.before)(&a), (op.workspace)(&a));
            guarded(|| {
                // Copies have the room that they need, and no more.
                let a: Args<f32> = a.clone();
                for form in [Form::On, Form::InPlace] {
                    let (mut room, mut w) = (before.clone(), vec![0.0; enough]);
                    let mut out: Vec<&mut [f32]> = room.iter_mut().map(|x| &mut x[..]).collect();
                    if let Some(done) = op.call(form, &a, &mut out, &mut w) {
                        assert_eq!(done, Ok(()), "{} {:?}", op.name, a.n);
                        called += 1;
                    }
                }
            });
        }
    }
    assert!(called > sizes.len(), "{} was called {called} times", op.name);
}

macro_rules! each_op {
    ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
        #[test]
        fn $name() {
            own(&Routine::native::<$Op>());
        }
    )*};
}
common::for_each_nn_op!(each_op);

/// A matrix's data without what surrounds it.
fn flush(m: &Matrix<f32>) -> Matrix<f32> {
    let data = m.data[matrix::GUARD..m.data.len() - matrix::GUARD].to_vec();
    Matrix { data, offset: m.offset - matrix::GUARD, ..*m }
}

const LEVELS_2_AND_3: [&str; 12] =
    ["gemv", "ger", "syr", "syr2", "symv", "trmv", "trsv", "symm", "syrk", "syr2k", "trmm", "trsm"];

const LAYOUTS: [Layout; 4] = [Layout::Rows, Layout::Cols, Layout::Padded, Layout::Backwards];

/// Rows, columns and inner dimensions: each length in each place, and squares.
fn dimensions() -> impl Iterator<Item = [usize; 3]> {
    let each = lengths().flat_map(|d| [[d, 3, 5], [3, d, 5], [3, 5, d]]);
    each.chain((0..=40).chain([63, 64, 65, 70, 129]).map(|d| [d, d, d]))
}

#[test]
fn levels_2_and_3() {
    for (at, name) in LEVELS_2_AND_3.into_iter().enumerate() {
        for (turn, dims) in dimensions().enumerate() {
            // Two layouts in turn, so that each length meets every one in the ops together.
            // Of the largest, whose numbers take long to make, one: the ops meet all four.
            let layouts = if dims.contains(&1025) { 1 } else { 2 };
            for k in 0..layouts {
                let layout = LAYOUTS[(turn + turn / 4 + 2 * k + at) % LAYOUTS.len()];
                let o = Options::nth(turn + turn / 8 + k);
                let shapes = blas::shapes(name, o, dims);
                let m = blas::inputs::<f32>(name, o, &shapes, &[layout], turn as u64);
                guarded(|| {
                    let mut m: Vec<_> = m.iter().map(flush).collect();
                    assert_eq!(
                        blas::call(native(), name, o, [1.5, 0.5], &mut m, false),
                        Ok(()),
                        "{name} {dims:?}"
                    );
                });
            }
        }
    }
}

#[test]
fn products_and_transposes() {
    for (turn, [m, n, k]) in dimensions().enumerate() {
        for (at, layout) in LAYOUTS.into_iter().enumerate() {
            let other = LAYOUTS[(at + turn) % LAYOUTS.len()];
            let new = |layout, shape| Matrix::<f32>::new(layout, shape, turn as u64);
            let (a, b, c) = (new(layout, [m, k]), new(other, [k, n]), new(layout, [m, n]));
            let (d, o) = (new(other, [n, m]), [1.5f32, 0.5]);
            guarded(|| {
                let (a, b, mut c, mut d) = (flush(&a), flush(&b), flush(&c), flush(&d));
                let mut w = vec![0.0; gemm_workspace(m, n, k)];
                gemm(o[0], a.view(), b.view(), o[1], c.view_mut(), &mut w).unwrap();
                let mut room = vec![0.0; packed_b_len(k, n)];
                let packed = pack_b(b.view(), &mut room).unwrap();
                gemm_packed(o[0], a.view(), packed, o[1], c.view_mut(), &mut w).unwrap();
                transpose(c.view(), d.view_mut()).unwrap();
                let mut whole = vec![1.0f32; m * n];
                let mut w = vec![0.0; transpose_packed_in_place_workspace(m, n)];
                transpose_packed_in_place(&mut whole, m, n, &mut w).unwrap();
                if m == n {
                    transpose_in_place(c.view_mut()).unwrap();
                }
                let bytes = |x: &Matrix<f32>| x.data.iter().map(|x| *x as i8).collect::<Vec<i8>>();
                let (p, q, mut sums) = (bytes(&a), bytes(&b), vec![1i32; c.data.len()]);
                let of = |x, like: &Matrix<f32>| {
                    let ([r, c], [rs, cs]) = (like.shape, like.strides);
                    MatRef::strided(x, like.offset, r, c, rs, cs).unwrap()
                };
                let mut w = vec![0; gemm_i8_workspace(m, n, k)];
                let to = MatMut::strided(&mut sums, c.offset, m, n, c.strides[0], c.strides[1]).unwrap();
                gemm_i8(2, of(&p, &a), of(&q, &b), 3, to, &mut w).unwrap();
                let unsigned: Vec<u8> = p.iter().map(|x| x.cast_unsigned()).collect();
                let ([r, k], [rs, cs]) = (a.shape, a.strides);
                let p = MatRef::strided(&unsigned, a.offset, r, k, rs, cs).unwrap();
                let to = MatMut::strided(&mut sums, c.offset, m, n, c.strides[0], c.strides[1]).unwrap();
                gemm_u8(2, p, 128, of(&q, &b), 5, 3, to, &mut w).unwrap();
                // Results in bytes, scaled by rows, with a bias for each column.
                let mut bytes = vec![0u8; sums.len()];
                let mut w = vec![0; gemm_i8_with_workspace(m, n, k)];
                let (by_row, by_col) = (vec![0.5; m], vec![1.0; n]);
                let e = Chain(ScaleRow(&by_row), BiasCol(&by_col));
                let to = MatMut::strided(&mut bytes, c.offset, m, n, c.strides[0], c.strides[1]).unwrap();
                gemm_u8_with(0.25, p, 128, of(&q, &b), 5, to, e, &mut w).unwrap();
            });
        }
    }
}

#[cfg(feature = "half")]
#[test]
fn halves() {
    use half::{bf16, f16};
    for (turn, [m, n, k]) in dimensions().enumerate() {
        macro_rules! product {
            ($H:ident $gemm:ident $workspace:ident) => {
                guarded(|| {
                    let (a, b, mut c) =
                        (vec![$H::from_f32(1.0); m * k], vec![$H::from_f32(1.0); k * n], vec![1.0f32; m * n]);
                    let mut w = vec![0.0; $workspace(m, n, k)];
                    let a =
                        if turn % 2 == 0 { MatRef::row_major(&a, m, k) } else { MatRef::col_major(&a, m, k) };
                    let b =
                        if turn % 3 == 0 { MatRef::row_major(&b, k, n) } else { MatRef::col_major(&b, k, n) };
                    let to = MatMut::row_major(&mut c, m, n).unwrap();
                    let (by_row, by_col) = (vec![0.5; m], vec![1.0; n]);
                    let e = Chain(ScaleRow(&by_row), BiasCol(&by_col));
                    $gemm(2.0, a.unwrap(), b.unwrap(), 3.0, to, e, &mut w).unwrap();
                })
            };
        }
        product!(bf16 gemm_bf16_with gemm_bf16_workspace);
        product!(f16 gemm_f16_with gemm_f16_workspace);
        product!(E4m3 gemm_e4m3_with gemm_e4m3_workspace);
    }
    for (n, len) in lengths().flat_map(|n| [(n.min(50), n), (3, n), (1, n)]) {
        guarded(|| {
            let op = Attention { causal: n <= len, window: Some(n), ..Attention::new(2, 1, 5, 0.5) };
            let (q, k, v) = (vec![bf16::ONE; n * 10], vec![bf16::ONE; len * 5], vec![bf16::ONE; len * 5]);
            let (mut out, mut lse) = (vec![0.0; n * 10], vec![0.0; n * 2]);
            let mut w = vec![0.0; attention_bf16_workspace(2, 1, 5, n, len)];
            let [k, v] = [&k, &v].map(|x| MatRef::row_major(x, len, 5).unwrap());
            let (q, to) =
                (MatRef::row_major(&q, n, 10).unwrap(), MatMut::row_major(&mut out, n, 10).unwrap());
            attention_bf16(&op, q, k, v, to, Some(&mut lse), &mut w).unwrap();
            let [mut dq, mut dk, mut dv] = [n * 10, len * 5, len * 5].map(|many| vec![0.0; many]);
            let results = MatRef::row_major(&out, n, 10).unwrap();
            let [dk, dv] = [&mut dk, &mut dv].map(|x| MatMut::row_major(x, len, 5).unwrap());
            let dq = MatMut::row_major(&mut dq, n, 10).unwrap();
            let mut w = vec![0.0; attention_bf16_backward_workspace(2, 1, 5, n, len)];
            attention_bf16_backward(&op, q, k, v, results, &lse, q, dq, dk, dv, &mut w).unwrap();
        });
    }
    for len in lengths() {
        guarded(|| {
            let op = Attention { window: Some(100), softcap: Some(3.0), ..Attention::new(6, 3, 5, 0.5) };
            let (q, keys, mut out) = (vec![0.5; 30], vec![f16::ONE; len * 15], vec![0.0; 30]);
            let (mut lse, mut w) = (vec![0.0; 6], vec![0.0; attention_decode_workspace(6, 5)]);
            let table: Vec<u32> = (0..len as u32).rev().collect();
            for pages in [None, Some(Pages { table: &table[..], rows: 1, len })] {
                attention_decode(&op, &q, &keys, &keys, pages, &mut out, Some(&mut lse), &mut w).unwrap();
            }
        });
    }
    for n in lengths() {
        guarded(|| {
            let (mut x, mut y, mut z) = (vec![1.0f32; n], vec![f16::ONE; n], vec![bf16::ONE; n]);
            f32_to_f16(&x, &mut y).unwrap();
            f16_to_f32(&y, &mut x).unwrap();
            f32_to_bf16(&x, &mut z).unwrap();
            bf16_to_f32(&z, &mut x).unwrap();
        });
    }
}

#[test]
fn no_op_is_left_out() {
    let mut known = LEVELS_2_AND_3.to_vec();
    macro_rules! add {
        ($($name:ident $Op:path $(, $more:ident)*;)*) => { known.extend([$(stringify!($name)),*]); };
    }
    common::for_each_nn_op!(add);
    known.extend(["gemm", "gemm_bf16", "gemm_f16", "gemm_e4m3", "gemm_i8", "gemm_u8", "transpose"]);
    known.extend([
        "swap",
        "copy",
        "scal",
        "axpy_strided",
        "dot_strided",
        "nrm2",
        "asum",
        "iamax",
        "rot",
        "rotm",
    ]);
    known.extend(["f16_to_f32", "f32_to_f16", "bf16_to_f32", "f32_to_bf16"]);
    // Numbers, no slices; and units of which `gemm_low` tests the edges.
    known.extend(["rotg", "rotmg", "gemm_bf16_amx", "gemm_f32_amx3"]);
    let own = ["nn", "gemm", "blas", "mixed", "convert"];
    for op in fulmen::ops::OPS.iter().filter(|op| own.contains(&op.shape)) {
        assert!(known.contains(&op.name), "{} is not called between guard pages", op.name);
    }
}
