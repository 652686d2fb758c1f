//! Results without elements: there is nothing to do, however large the other sizes are.

use common::blas::{self, Options};
use common::matrix::Matrix;
use fulmen::*;
use std::time::{Duration, Instant};

/// More steps than a test can wait for, in a size that arithmetic can still double.
const MANY: usize = if usize::BITS == 64 { 1 << 40 } else { 1 << 29 };

/// How long a call may take that has nothing to do.
const SOON: Duration = Duration::from_secs(20);

/// Runs `f`, which must end at once.
fn soon(what: &str, f: impl FnOnce() + Send + 'static) {
    let (done, wait) = std::sync::mpsc::channel();
    let start = Instant::now();
    let runs = std::thread::spawn(move || {
        f();
        let _ = done.send(());
    });
    if let Err(std::sync::mpsc::RecvTimeoutError::Timeout) = wait.recv_timeout(SOON) {
        panic!("{what} has not ended after {:?}", start.elapsed());
    }
    assert!(runs.join().is_ok(), "{what}");
}

/// A matrix of one element that is all of its elements; none if it is empty.
fn of<T: Element>(shape: [usize; 2]) -> Matrix<T> {
    Matrix { data: vec![T::ONE], offset: 0, shape, strides: [0, 0] }
}

#[test]
fn blas_of_nothing() {
    let names =
        ["gemv", "ger", "syr", "syr2", "symv", "trmv", "trsv", "symm", "syrk", "syr2k", "trmm", "trsm"];
    for name in names {
        soon(name, move || {
            for i in 0..8 {
                let o = Options::nth(i);
                for dims in [[MANY, 0, MANY], [0, MANY, MANY], [0, 0, MANY], [MANY, 0, 0], [0, MANY, 0]] {
                    let shapes = blas::shapes(name, o, dims);
                    let out = shapes[shapes.len() - 1];
                    if out[0] > 0 && out[1] > 0 {
                        continue;
                    }
                    let mut m: Vec<Matrix<f32>> = shapes.iter().map(|s| of(*s)).collect();
                    let done = blas::call(lanes::native(), name, o, [2.0, 3.0], &mut m, false);
                    assert_eq!(done, Ok(()), "{name} {dims:?} {o:?}");
                    #[cfg(feature = "parallel")]
                    assert_eq!(blas::call(lanes::native(), name, o, [2.0, 3.0], &mut m, true), Ok(()));
                }
            }
        });
    }
}

#[test]
fn products_and_transposes_of_nothing() {
    soon("gemm", || {
        for [m, n, k] in [[MANY, 0, MANY], [0, MANY, MANY], [MANY, 0, 0], [0, MANY, 0]] {
            let (a, b, mut c) = (of::<f32>([m, k]), of::<f32>([k, n]), of::<f32>([m, n]));
            gemm(2.0, a.view(), b.view(), 3.0, c.view_mut(), &mut []).unwrap();
            gemm_backward_a(b.view().t(), a.view(), 1.0, c.view_mut().t(), &mut []).unwrap();
            gemm_backward_b(a.view().t(), b.view(), 1.0, c.view_mut(), &mut []).unwrap();
            gemm_batched(1.0, &[a.view()], &[b.view()], 0.0, &mut [c.view_mut()], &mut []).unwrap();
        }
    });
    soon("gemm_i8", || {
        for [m, n, k] in [[MANY, 0, MANY], [0, MANY, MANY], [MANY, 0, 0], [0, MANY, 0]] {
            let view = |r, c| MatRef::strided(&[1i8], 0, r, c, 0, 0).unwrap();
            let c = MatMut::row_major(&mut [], m, n).unwrap();
            gemm_i8(2, view(m, k), view(k, n), 3, c, &mut []).unwrap();
            let (a, c) =
                (MatRef::strided(&[1u8], 0, m, k, 0, 0).unwrap(), MatMut::row_major(&mut [], m, n).unwrap());
            gemm_u8(2, a, 9, view(k, n), 9, 3, c, &mut []).unwrap();
        }
    });
    #[cfg(feature = "half")]
    soon("gemm_bf16", || {
        for [m, n, k] in [[MANY, 0, MANY], [0, MANY, MANY], [MANY, 0, 0], [0, MANY, 0]] {
            let (one, two) = ([half::bf16::ONE], [half::f16::ONE]);
            let view = |r, c| MatRef::strided(&one, 0, r, c, 0, 0).unwrap();
            let other = |r, c| MatRef::strided(&two, 0, r, c, 0, 0).unwrap();
            let (mut none, mut nothing) = ([], []);
            gemm_bf16(2.0, view(m, k), view(k, n), 3.0, MatMut::row_major(&mut none, m, n).unwrap(), &mut [])
                .unwrap();
            gemm_f16(
                2.0,
                other(m, k),
                other(k, n),
                3.0,
                MatMut::row_major(&mut nothing, m, n).unwrap(),
                &mut [],
            )
            .unwrap();
            let third = |r, c| MatRef::strided(&[E4m3::MAX], 0, r, c, 0, 0).unwrap();
            let c = MatMut::row_major(&mut nothing, m, n).unwrap();
            gemm_e4m3(2.0, third(m, k), third(k, n), 3.0, c, &mut []).unwrap();
        }
    });
    soon("pack_b", || {
        for [k, n] in [[MANY, 0], [0, MANY]] {
            let (b, mut room) = (of::<f32>([k, n]), vec![0.0; packed_b_len(k, n)]);
            let b = pack_b(b.view(), &mut room).unwrap();
            let (a, mut c) = (of::<f32>([0, k]), of::<f32>([0, n]));
            gemm_packed(1.0, a.view(), b, 0.0, c.view_mut(), &mut []).unwrap();
        }
    });
    soon("transpose", || {
        for [m, n] in [[MANY, 0], [0, MANY]] {
            let (a, mut b) = (of::<f32>([m, n]), of::<f32>([n, m]));
            transpose(a.view(), b.view_mut()).unwrap();
            transpose_packed_in_place::<f32>(&mut [], m, n, &mut []).unwrap();
            #[cfg(feature = "parallel")]
            parallel::transpose(a.view(), b.view_mut()).unwrap();
        }
    });
}

#[test]
fn batches_of_nothing() {
    for [r, c] in [[0, 0], [0, 3], [3, 0], [0, MANY], [MANY, 0]] {
        soon("gemm_strided_batched", move || {
            let (one, mut none) = ([1.0f32], []);
            let view = |r, c| BatchRef::strided(&one, 0, [MANY, r, c], [0, 0, 0]).unwrap();
            let to = BatchMut::strided(&mut none, 0, [MANY, r, c], [1, c as isize, 1]).unwrap();
            gemm_strided_batched(1.0, view(r, 7), view(7, c), 0.0, to, &mut []).unwrap();
            let to = BatchMut::strided(&mut none, 0, [MANY, c, r], [1, r as isize, 1]).unwrap();
            transpose_batched(view(r, c), to).unwrap();
            // What one of them refuses is refused.
            let to = BatchMut::strided(&mut none, 0, [MANY, 0, 5], [1, 5, 1]).unwrap();
            assert!(transpose_batched(view(r, c), to).is_err() || [r, c] == [5, 0]);
        });
    }
}

#[test]
fn heads_and_rows_of_nothing() {
    for (heads, kv_heads, dim) in [(MANY, MANY, 1), (MANY, 1, 1), (1, 1, MANY), (4, 2, MANY / 4)] {
        soon("attention", move || {
            let op = Attention::new(heads, kv_heads, dim, 1.0);
            // What it needs is more than there is, or it ends.
            let mut room = vec![0.0f32; attention_workspace(heads, dim).min(1 << 22)];
            let (q, k) = (of::<f32>([0, heads * dim]), of::<f32>([0, kv_heads * dim]));
            let (mut out, mut dq) = (of::<f32>([0, heads * dim]), of::<f32>([0, heads * dim]));
            let (mut dk, mut dv) = (of::<f32>([0, kv_heads * dim]), of::<f32>([0, kv_heads * dim]));
            let refused = attention(&op, q.view(), k.view(), k.view(), None, out.view_mut(), None, &mut room);
            assert!(matches!(refused, Ok(()) | Err(Error::Workspace { .. })), "{refused:?}");
            let mut room = vec![0.0f32; attention_backward_workspace(dim).min(1 << 22)];
            let done = attention_backward(
                &op,
                q.view(),
                k.view(),
                k.view(),
                None,
                q.view(),
                &[],
                q.view(),
                dq.view_mut(),
                dk.view_mut(),
                dv.view_mut(),
                &mut room,
            );
            assert!(matches!(done, Ok(()) | Err(Error::Workspace { .. })), "{done:?}");
            assert!(dim > 1 || done == Ok(()));
        });
    }
    soon("rows", || {
        let none: &[f32] = &[];
        softmax(none, MANY, &mut []).unwrap();
        layer_norm_simple(none, MANY, 1e-5, &mut []).unwrap();
        normalize(none, MANY, &mut []).unwrap();
        embedding(none, MANY, &[], &mut []).unwrap();
        scatter_add(none, MANY, &[], &mut []).unwrap();
        swiglu_packed(none, MANY, &mut []).unwrap();
        let planes = Pool::line(MANY, 2, 1, 0);
        max_pool(none, planes, &mut []).unwrap();
        let indices = |n| max_pool_indices(none, Pool::line(n, 2, 1, 0), &mut [], &mut []);
        let most = u32::MAX as usize;
        indices(most).unwrap();
        #[cfg(target_pointer_width = "64")]
        assert_eq!((indices(most + 1), indices(most + 2)), (Ok(()), Err(Error::overflow("input"))));
        avg_pool(none, planes, true, &mut []).unwrap();
        let x = MatMut::row_major(&mut [], 0, MANY).unwrap();
        rope_view::<f32>(x, 2, &[], &[], RopeStyle::Neox, false).unwrap();
        conv1d(Conv1d::new(1, 1, MANY, 1), none, &[1.0], None, &mut [], &mut []).unwrap();
        conv2d(Conv2d::new(1, 1, [1, MANY], [1, 1]), none, &[1.0], None, &mut [], &mut []).unwrap();
    });
}
