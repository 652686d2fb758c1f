//! Edge cases and postconditions of the ops on views.

use common::blas::*;
use common::cases::{params, values};
use common::lanes::*;
use common::matrix::*;
use common::yaml::contract;
use common::yaml::schema::EdgeCase;
use fulmen::Element;
use fulmen::contract::{Call, Violation, agrees, spec};
use fulmen::lanes::Simd;

/// α and β of a case, or of the contract; 1 and 0 where the op has none.
fn scalars<T: Element>(name: &str, e: &EdgeCase) -> [T; 2] {
    let mut all = params::<T>(contract(name), e, T::NAME);
    all.extend([T::ONE, T::ZERO].into_iter().skip(all.len()));
    [all[0], all[1]]
}

/// A case as it stands, in several layouts.
fn edge<S: Simd, T: Element>(s: S, name: &str, e: &EdgeCase) {
    let o = Options::parse(&e.options);
    let shapes = e.shapes.as_ref().unwrap();
    let want: Vec<T> = values(e.out.as_ref().unwrap(), T::NAME, 1);
    let tolerance = spec(name).and_then(|c| c.tolerance(T::NAME)).unwrap();
    for layout in RESULTS {
        let mut m: Vec<Matrix<T>> = e
            .inputs
            .iter()
            .zip(shapes)
            .map(|(x, &shape)| {
                let x = values::<T>(x, T::NAME, 1);
                Matrix::with(layout, shape, |r, c| x[r * shape[1] + c])
            })
            .collect();
        assert_eq!(call(s, name, o, scalars(name, e), &mut m, false), Ok(()), "{name}: {}", e.name);
        let out = m.last().unwrap();
        assert_eq!(want.len(), out.shape[0] * out.shape[1], "{name}: {}", e.name);
        for (at, want) in want.iter().enumerate() {
            let got = out.at(at / out.shape[1], at % out.shape[1]);
            let want = want.to_f64();
            let allowed = tolerance.allowed::<T>(want, &[&[0.0; 4]], want.abs());
            let sign = want != 0.0 || got != 0.0 || want.is_sign_negative() == got.is_sign_negative();
            assert!(
                sign && agrees(T::from_f64(got), want, allowed),
                "{name}: `{}` {} on {}, {layout:?}: element {at} is {got:e}, expected {want:e}",
                e.name,
                T::NAME,
                S::NAME,
            );
        }
    }
}

fn edges(name: &str) {
    let cases = &contract(name).edge_cases;
    assert!(cases.len() >= 9, "{name}");
    for e in cases {
        for_each_lane!(|s| {
            edge::<_, f32>(s, name, e);
            edge::<_, f64>(s, name, e);
        });
    }
}

/// Whether an input of element `(i, j)` is NaN.
fn spoilt<T: Element>(name: &str, o: Options, scales: [f64; 2], m: &[Matrix<T>], i: usize, j: usize) -> bool {
    let last = &m[m.len() - 1];
    let of_products = scales[0] != 0.0
        && products(name, o, m, i, j).iter().any(|&(x, y)| {
            // What is solved for is not there yet.
            x.is_nan() || (y.is_nan() && !solves(name))
        });
    let added = scales[1] != 0.0 || (solves(name) && scales[0] != 0.0);
    of_products || (added && last.at(i, j).is_nan())
}

fn spread<S: Simd, T: Element>(
    s: S,
    name: &str,
    check: fn(&Call<'_, T>) -> Result<(), Violation>,
    seen: &mut [usize; 2],
) {
    for turn in 0..24 {
        let o = Options::nth(turn);
        let shapes = shapes(name, o, [[9, 20, 5], [20, 9, 3], [1, 33, 17]][turn % 3]);
        let mut m = inputs::<T>(name, o, &shapes, &[RESULTS[turn % 5]], turn as u64);
        for (k, x) in m.iter_mut().enumerate() {
            // One NaN in each operand.
            let (rows, cols) = (x.shape[0], x.shape[1]);
            let at = x.index((turn + k) % rows, (turn * 3 + k) % cols);
            x.data[at] = T::NAN;
        }
        let params = [[1.0, 0.0], [0.5, 1.5], [0.0, 2.0]][turn / 8].map(T::from_f64);
        let scales = scales(name, params);
        let old = m.clone();
        assert_eq!(call(s, name, o, params, &mut m, false), Ok(()));
        let out = m.last().unwrap();
        for i in 0..out.shape[0] {
            for j in 0..out.shape[1] {
                if half(name) && !o.holds(i, j) {
                    continue;
                }
                let x = if spoilt(name, o, scales, &old, i, j) { T::NAN } else { T::ZERO };
                let y = out.data[out.index(i, j)];
                assert_eq!(check(&Call::new(&[&[x]], &[y])), Ok(()), "{name} {o:?} {params:?}: ({i}, {j})");
                seen[usize::from(x.to_f64().is_nan())] += 1;
            }
        }
    }
}

/// The invariants; how many elements were compared.
fn scaled<S: Simd, T: Element>(s: S, name: &str) -> usize {
    let c = contract(name);
    let one = |turn: usize| {
        let o = Options::nth(turn);
        let shapes = shapes(name, o, [[9, 20, 5], [20, 9, 3], [1, 33, 17]][turn % 3]);
        let m = inputs::<T>(name, o, &shapes, &[RESULTS[turn % 5]], turn as u64);
        common::scaling::holds(c, |factor| {
            let times = |(m, name): (&Matrix<T>, &String)| {
                let mut m = m.clone();
                m.data.iter_mut().for_each(|x| *x = *x * factor(name));
                m
            };
            let mut m: Vec<Matrix<T>> = m.iter().zip(&c.call.inputs).map(times).collect();
            let params = [("alpha", 0.5), ("beta", 1.5)].map(|(name, x)| T::from_f64(x) * factor(name));
            assert_eq!(call(s, name, o, params, &mut m, false), Ok(()));
            let out = m.last().unwrap();
            let (rows, cols) = (out.shape[0], out.shape[1]);
            vec![(0..rows * cols).map(|k| out.data[out.index(k / cols, k % cols)]).collect()]
        })
    };
    (0..24).map(one).sum()
}

macro_rules! ops {
    ($($name:ident)*) => {$(
        mod $name {
            #[test]
            fn edge_cases() {
                super::edges(stringify!($name));
            }
            #[test]
            fn postconditions() {
                use super::*;
                let mut seen = [0; 2];
                for_each_lane!(|s| {
                    spread::<_, f32>(s, stringify!($name), fulmen::contract::check::$name, &mut seen);
                    spread::<_, f64>(s, stringify!($name), fulmen::contract::check::$name, &mut seen);
                });
                assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
            }
            #[test]
            fn invariants() {
                use super::*;
                let s = fulmen::lanes::native();
                let compared = scaled::<_, f32>(s, stringify!($name)) + scaled::<_, f64>(s, stringify!($name));
                assert!(compared > 500, "{compared} elements compared");
            }
        }
    )*};
}
ops! { gemv ger syr syr2 symv trmv trsv symm syrk syr2k trmm trsm }
