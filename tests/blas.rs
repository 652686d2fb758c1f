//! Level 2 and 3 against a naive reference in double-double, on every lane: one module per op, as the contracts
//! name them.

use common::blas::*;
use common::lanes::*;
use common::matrix::*;
use common::reference::dd::Dd;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use fulmen::{Element, Error, MatMut, MatRef, Side, Triangle, VecRef};

const SCALES: [[f64; 2]; 6] = [[1.0, 0.0], [1.0, 1.0], [-0.5, 2.0], [0.0, 0.5], [2.0, 0.0], [0.0, 0.0]];

/// One call, verified: every element within the tolerance, nothing else touched. Gives the result.
fn verify<S: Simd, T: Element>(
    s: S,
    name: &str,
    o: Options,
    dims: [usize; 3],
    layouts: &[Layout],
    scale: [f64; 2],
) -> Matrix<T> {
    let shapes = shapes(name, o, dims);
    let mut m = inputs::<T>(name, o, &shapes, layouts, 1 + dims[1] as u64);
    let params = scale.map(T::from_f64);
    let scales = scales(name, params);
    let old = m.clone();
    let last = m.len() - 1;
    // What β = 0 or α = 0 must not read.
    if scales[1] == 0.0 && (!triangular(name) || scales[0] == 0.0) {
        m[last].data.fill(T::NAN);
    }
    let what = format!("{name} {} {} {dims:?} {o:?} {layouts:?} {scale:?}", S::NAME, T::NAME);
    assert_eq!(call(s, name, o, params, &mut m, false), Ok(()), "{what}");
    let mut errors = common::Errors::of(name, T::NAME, S::NAME);
    let tolerance = spec(name).and_then(|c| c.tolerance(T::NAME)).unwrap();
    let (new, before) = (&m[last], &old[last]);
    let mut inside = vec![false; new.data.len()];
    for i in 0..new.shape[0] {
        for j in 0..new.shape[1] {
            if half(name) && !o.holds(i, j) {
                continue;
            }
            inside[new.index(i, j)] = true;
            let (want, mass, n) = exact(name, o, scales, &old, new, i, j);
            let got = new.at(i, j);
            let apart = if solves(name) { want } else { Dd::from(got) - want };
            let error = apart.value().abs();
            let bound = tolerance.allowed::<T>(want.value(), &[&vec![0.0; n]], mass);
            errors.see(error, bound, n);
            assert!(error <= bound, "{what}: ({i}, {j}) is {got}, off by {error:e}, allowed {bound:e}");
        }
    }
    for (at, inside) in inside.into_iter().enumerate() {
        let (x, y) = (new.data[at].to_f64(), before.data[at].to_f64());
        assert!(inside || x.is_nan() && y.is_nan(), "{what}: element {at} was written");
    }
    m.swap_remove(last)
}

/// Sizes around registers and blocks; layouts, words and scales in turn.
fn sizes<S: Simd, T: Element>(s: S, name: &str) {
    let mut turn = 0;
    for n in (0..=17).chain([24, 31, 33, 49, 65]) {
        for m in [0, 1, 2, 7, 9, 16, 18, 37] {
            turn += 1;
            // Debug builds are slow: a part of them.
            if (n > 18 && turn % 3 != 0) || (cfg!(debug_assertions) && n > 3 && turn % 4 != n % 4) {
                continue;
            }
            let layouts = [OPERANDS[turn % 7], OPERANDS[turn / 7 % 7], RESULTS[turn % 5]];
            verify::<S, T>(s, name, Options::nth(turn), [m, n, (turn * 5) % 21], &layouts, SCALES[turn % 6]);
        }
    }
    // Past the blocks.
    let far: &[[usize; 3]] = match name {
        "gemv" => &[[3, 1, 2060], [2060, 1, 3], [40, 1, 1030]],
        "ger" => &[[3, 130, 1]],
        "symv" => &[[1, 150, 1]],
        "symm" => &[[270, 3, 1], [3, 270, 1]],
        "syr" | "syr2" => &[[1, 70, 1]],
        _ => &[[20, 110, 9], [110, 20, 9]],
    };
    for (i, &dims) in far.iter().enumerate() {
        for (j, layout) in RESULTS.into_iter().enumerate() {
            if cfg!(debug_assertions) && j % 3 != i % 3 {
                continue;
            }
            let o = Options::nth(i + 2 * j);
            verify::<S, T>(s, name, o, dims, &[layout, Rows, layout], SCALES[(i + j) % 3]);
        }
    }
}

/// The parallel form gives the same bits, on more threads than there is work for.
#[cfg(feature = "parallel")]
fn threads<S: Simd, T: Element>(s: S, name: &str) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    for (i, dims) in [[1100, 60, 250], [60, 160, 30]].into_iter().enumerate() {
        let o = Options::nth(i);
        let shapes = shapes(name, o, dims);
        let m = inputs::<T>(name, o, &shapes, &[RESULTS[i]], 7);
        let [mut a, mut b] = [m.clone(), m];
        let params = [T::from_f64(1.5), T::from_f64(0.5)];
        assert_eq!(call(s, name, o, params, &mut a, false), Ok(()));
        assert_eq!(pool.install(|| call(s, name, o, params, &mut b, true)), Ok(()));
        let bits = |m: &[Matrix<T>]| -> Vec<u64> {
            m[m.len() - 1].data.iter().map(|x| x.to_f64().to_bits()).collect()
        };
        assert!(bits(&a) == bits(&b), "{name} on {}", S::NAME);
    }
}

/// The calls that each precondition refuses: the error, and nothing written.
fn refuse(name: &str) {
    let s = fulmen::lanes::native();
    let o = Options::nth(0);
    let dims = [3, 3, 4];
    let good = shapes(name, o, dims);
    let last = good.len() - 1;
    let len = Error::len;
    let shape = Error::shape;
    // Which operand gets which shape, and the error.
    let cases: Vec<(usize, [usize; 2], Error)> = match name {
        "gemv" => vec![(1, [5, 1], len("x", 4, 5)), (2, [2, 1], len("y", 3, 2))],
        "ger" => vec![(0, [4, 1], len("x", 3, 4)), (1, [2, 1], len("y", 3, 2))],
        "syr" => vec![(1, [3, 4], shape("a", [3, 3], [3, 4])), (0, [2, 1], len("x", 3, 2))],
        "syr2" => vec![
            (2, [4, 3], shape("a", [4, 4], [4, 3])),
            (0, [2, 1], len("x", 3, 2)),
            (1, [4, 1], len("y", 3, 4)),
        ],
        "symv" => vec![
            (0, [3, 4], shape("a", [3, 3], [3, 4])),
            (1, [2, 1], len("x", 3, 2)),
            (2, [4, 1], len("y", 3, 4)),
        ],
        "trmv" | "trsv" => {
            vec![(0, [3, 4], shape("a", [3, 3], [3, 4])), (1, [2, 1], len("x", 3, 2))]
        }
        "symm" => vec![(0, [4, 4], shape("a", [3, 3], [4, 4])), (2, [3, 4], shape("c", [3, 3], [3, 4]))],
        "syrk" => vec![(1, [3, 4], shape("c", [3, 3], [3, 4]))],
        "syr2k" => vec![(1, [3, 5], shape("b", [3, 4], [3, 5])), (2, [4, 4], shape("c", [3, 3], [4, 4]))],
        _ => vec![(0, [3, 4], shape("a", [3, 3], [3, 4])), (0, [4, 4], shape("a", [3, 3], [4, 4]))],
    };
    assert!(!cases.is_empty());
    for (at, wrong, error) in cases {
        let mut shapes = good.clone();
        shapes[at] = wrong;
        let mut m: Vec<Matrix<f32>> = shapes.iter().map(|&s| Matrix::with(Rows, s, |_, _| 7.0)).collect();
        let old = m[last].data.clone();
        assert_eq!(call(s, name, o, [1.0, 0.0], &mut m, false), Err(error), "{name}");
        let same = old.iter().zip(&m[last].data).all(|(x, y)| x.to_bits() == y.to_bits());
        assert!(same, "{name} wrote");
    }
    short_workspace(name);
}

/// One element of workspace too few.
fn short_workspace(name: &str) {
    let x = [1.0f32; 9];
    let mut y = [7.0f32; 9];
    let a = MatRef::row_major(&x, 3, 3).unwrap();
    let (l, t) = (Side::Left, Triangle::Lower);
    let d = fulmen::Diagonal::Unit;
    let c = MatMut::row_major(&mut y, 3, 3).unwrap();
    let mut w = vec![0.0f32; 1 << 16];
    let (r, needed) = match name {
        "symm" => {
            let n = fulmen::symm_workspace(l, 3, 3);
            (fulmen::symm(l, 1.0, t, a, a, 0.0, c, &mut w[..n - 1]), n)
        }
        "syrk" => {
            let n = fulmen::syrk_workspace(3, 3);
            (fulmen::syrk(1.0, a, 0.0, t, c, &mut w[..n - 1]), n)
        }
        "syr2k" => {
            let n = fulmen::syr2k_workspace(3, 3);
            (fulmen::syr2k(1.0, a, a, 0.0, t, c, &mut w[..n - 1]), n)
        }
        "trmm" => {
            let n = fulmen::trmm_workspace(l, 3, 3);
            (fulmen::trmm(l, 1.0, t, d, a, c, &mut w[..n - 1]), n)
        }
        "trsm" => {
            let n = fulmen::trsm_workspace(l, 3, 3);
            (fulmen::trsm(l, 1.0, t, d, a, c, &mut w[..n - 1]), n)
        }
        _ => return,
    };
    assert_eq!(r, Err(Error::workspace(needed, needed - 1)), "{name}");
    assert_eq!(y, [7.0; 9]);
}

macro_rules! ops {
    ($($name:ident $($threads:ident)?;)*) => {$(
        mod $name {
            #[test]
            fn every_size_and_layout() {
                use super::*;
                for_each_lane!(|s| {
                    sizes::<_, f32>(s, stringify!($name));
                    sizes::<_, f64>(s, stringify!($name));
                });
            }
            #[test]
            fn refusals() {
                super::refuse(stringify!($name));
            }
            $(
                #[cfg(feature = "parallel")]
                #[test]
                fn threads() {
                    let s = fulmen::lanes::native();
                    super::$threads::<_, f32>(s, stringify!($name));
                    super::$threads::<_, f64>(s, stringify!($name));
                }
            )?
        }
    )*};
}
ops! {
    gemv threads;
    ger;
    syr;
    syr2;
    symv;
    trmv;
    trsv;
    symm threads;
    syrk threads;
    syr2k threads;
    trmm threads;
    trsm threads;
}

/// The bits of `gemv` don't depend on the strides of the vectors, nor on how many rows there are.
#[test]
fn gemv_bits() {
    for_each_lane!(|s| {
        let a = Matrix::<f32>::new(Rows, [21, 1500], 1);
        let x = Matrix::<f32>::new(Rows, [1500, 1], 2);
        let whole = {
            let mut m = [a.clone(), x.clone(), Matrix::new(Rows, [21, 1], 3)];
            call(s, "gemv", Options::nth(0), [1.5, 0.0], &mut m, false).unwrap();
            m[2].clone()
        };
        for i in 0..21 {
            let far = Matrix::<f32>::with(Apart, [1500, 1], |r, _| x.at(r, 0) as f32);
            let one = Matrix::<f32>::with(Rows, [1, 1500], |_, c| a.at(i, c) as f32);
            let mut m = [one, far, Matrix::new(Backwards, [1, 1], 3)];
            call(s, "gemv", Options::nth(0), [1.5, 0.0], &mut m, false).unwrap();
            assert_eq!(m[2].at(0, 0), whole.at(i, 0), "row {i}");
        }
    });
}

/// Vectors: what they hold, where they end, and what is refused.
#[test]
fn vectors_are_checked() {
    let x = [1.0f32, 2.0, 3.0, 4.0, 5.0];
    let v = VecRef::strided(&x, 4, 3, -2).unwrap();
    assert_eq!((v.len(), v.stride(), v.get(2), v.get(3), v.as_slice()), (3, -2, Some(1.0), None, None));
    assert_eq!(VecRef::from(&x[1..]).as_slice(), Some(&x[1..]));
    assert_eq!(VecRef::strided(&x, 2, 1, 9).unwrap().as_slice(), Some(&x[2..3]));
    assert_eq!(VecRef::strided(&x, 0, 0, 9).unwrap().as_slice(), Some(&[][..]));
    assert_eq!(VecRef::strided(&x, 0, 4, 2).err(), Some(Error::out_of_bounds("data", 5)));
    assert_eq!(VecRef::strided(&x, 0, 3, isize::MAX).err(), Some(Error::overflow("data")));
    let a = MatRef::row_major(&x[..4], 2, 2).unwrap();
    assert_eq!(a.row(2).err(), Some(Error::out_of_bounds("i", 2)));
    assert_eq!(a.col(2).err(), Some(Error::out_of_bounds("j", 2)));
    assert_eq!((a.row(1).unwrap().get(0), a.col(1).unwrap().get(0)), (Some(3.0), Some(2.0)));
    let mut y = x;
    let mut w = fulmen::VecMut::strided(&mut y, 0, 3, 2).unwrap();
    assert!(w.as_mut_slice().is_none() && w.set(2, 9.0) && !w.set(3, 9.0));
    let (first, mut second) = w.split_at(1).unwrap();
    assert_eq!((first.len(), second.get(1), second.as_ref().len()), (1, Some(9.0), 2));
    assert!(second.set(0, 8.0));
    assert_eq!(second.split_at(3).err(), Some(Error::out_of_bounds("i", 2)));
    assert_eq!(y, [1.0, 2.0, 8.0, 4.0, 9.0]);
    fulmen::VecMut::from(&mut y[..]).as_mut_slice().unwrap().fill(0.0);
    assert_eq!(y, [0.0; 5]);
}
