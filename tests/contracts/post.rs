//! Postconditions: evaluated by the generated checkers on random and special data at every length
//! around the register widths, and the checkers themselves tried on wrong results.

use super::edge::apply;
use common::call::{Form, Out};
use common::lanes::*;
use common::yaml::contract;
use common::yaml::schema::{Contract, Domain, Output, PreCheck, Shape};
use fulmen::Element;
use fulmen::contract::{By, Call, Post, evaluate, spec};
use fulmen::lanes::Simd;

const LENGTHS: [usize; 14] = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 129, 200];

pub fn run(op: &str) {
    let c = contract(op);
    assert!(!spec(op).expect("generated").post.is_empty(), "{op} has no postcondition to try");
    for_each_lane!(|s| {
        all::<_, f32>(s, c, "f32");
        all::<_, f64>(s, c, "f64");
    });
}

/// A fixed stream of bits (splitmix64).
struct Stream(u64);
impl Stream {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In [-4, 4).
    fn moderate(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 50) as f64 - 4.0
    }
    /// Any bit pattern, every eighth a special value.
    fn any<T: Element>(&mut self, ty: &str) -> T {
        let bits = self.next();
        let specials = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -1.0, f64::MAX];
        if bits & 7 == 0 {
            return T::from_f64(specials[(bits >> 3) as usize & 7]);
        }
        let x =
            if ty == "f32" { f64::from(f32::from_bits((bits >> 8) as u32)) } else { f64::from_bits(bits) };
        T::from_f64(x)
    }
}

/// Moderate values, moderate values in order, bit patterns, and one NaN or infinity among moderate ones.
pub fn data<T: Element>(kind: usize, n: usize, seed: usize, ty: &str) -> Vec<T> {
    let mut r = Stream(seed as u64 * 7919 + n as u64);
    if kind == 2 {
        return (0..n).map(|_| r.any(ty)).collect();
    }
    let mut x: Vec<f64> = (0..n).map(|_| r.moderate()).collect();
    if kind == 1 {
        x.sort_by(f64::total_cmp);
    }
    if let Some(special) =
        [None, None, None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY)][kind]
    {
        let at = r.next() as usize % n;
        x[at] = special;
    }
    x.into_iter().map(T::from_f64).collect()
}

fn all<S: Simd, T: Element>(s: S, c: &Contract, ty: &str) {
    let mut ran = 0;
    for n in LENGTHS {
        for kind in 0..6 {
            ran += usize::from(once::<S, T>(s, c, ty, n, kind));
        }
    }
    // Every position of a lone NaN in the widest register's body and tail.
    assert!(ran >= LENGTHS.len() * 2, "{}: only {ran} calls succeeded on {}", c.op, S::NAME);
}

/// False when the data violates a precondition, which the op must then report.
fn once<S: Simd, T: Element>(s: S, c: &Contract, ty: &str, n: usize, kind: usize) -> bool {
    let rows = matches!(c.call.shape, Shape::Rows | Shape::RowsEps | Shape::RowsScale | Shape::RowsAffine);
    // Rows of several lengths; always whole.
    let cols = if rows { [n, n.div_ceil(2), 1][n % 3] } else { 0 };
    let len = if rows { n / cols * cols } else { n };
    let inputs: Vec<Vec<T>> = (0..c.call.inputs.len())
        .map(|i| data(kind, if rows && i > 0 { cols } else { len }, kind + 10 * i, ty))
        .collect();
    let params: Vec<T> = c.call.params.iter().map(|p| T::from_f64(p.sample.value(ty))).collect();
    let results = match c.call.output {
        Output::Scalar => 1,
        Output::Slice => len,
        Output::Index => 0,
        Output::TopK => params.first().map_or(1, |k| k.to_f64() as usize),
    };
    let count = if c.call.output == Output::Index { 1 } else { results };
    let mut y = vec![T::from_f64(-77.0); results];
    let mut index = vec![u32::MAX; count];
    let called = apply(s, c, Form::On, &inputs, &params, cols, &mut Out { y: &mut y, index: &mut index });
    let at = format!("{} {ty} on {}, {len} elements of kind {kind}", c.op, S::NAME);
    let refuses_nan = c.pres().any(|p| p.check == PreCheck::NoNan);
    let nan = inputs.iter().flatten().any(|x| x.to_f64().is_nan());
    if refuses_nan && nan {
        assert!(matches!(called, Some(Err(fulmen::Error::Nan { .. }))), "{at}: NaN was not refused");
        return false;
    }
    called.unwrap_or_else(|| panic!("{at}: no such form")).unwrap_or_else(|e| panic!("{at}: {e}"));
    let slices: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    // What a postcondition says of `y` after `update`, it says with `y` before as an input.
    let params = if rows { Vec::new() } else { params };
    let indices: &[u32] = if matches!(c.call.output, Output::Index | Output::TopK) { &index } else { &[] };
    let finished = Call::new(&slices, &y).params(&params).cols(cols).indices(indices);
    let posts = spec(&c.op).expect("generated").post;
    common::compared::add(1);
    if let Err(v) = evaluate(posts, &finished) {
        panic!("{at}: {v:?}, inputs {inputs:?}, result {y:?} {indices:?}");
    }
    true
}

/// NaN in each parameter: one of every result, but for those that the contract excuses, and they are excused for a reason.
#[test]
fn nan_of_a_parameter() {
    let takes = |c: &Contract| matches!(c.call.shape, Shape::Unary | Shape::Binary | Shape::Update);
    let mut seen = [0; 2];
    for (_, c) in common::yaml::get().contracts().filter(|(_, c)| c.nan_of_parameters() && takes(c)) {
        for (k, param) in c.call.params.iter().enumerate().filter(|(_, p)| p.domain == Domain::Any) {
            let inputs: Vec<Vec<f64>> = vec![vec![-2.0, -0.0, 0.25, 3.0]; c.call.inputs.len()];
            let mut params: Vec<f64> = c.call.params.iter().map(|p| p.sample.value("f64")).collect();
            params[k] = f64::NAN;
            let mut y = vec![-77.0; 4];
            let mut out = Out { y: &mut y, index: &mut [] };
            let called = apply(fulmen::lanes::native(), c, Form::On, &inputs, &params, 0, &mut out);
            if called == Some(Err(fulmen::Error::domain("lo"))) {
                continue;
            }
            assert_eq!(called, Some(Ok(())), "{} of {}", c.op, param.name);
            let slices: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
            let kept = evaluate(spec(&c.op).unwrap().post, &Call::new(&slices, &y).params(&params));
            assert_eq!(kept, Ok(()), "{}: {} is NaN: {y:?}", c.op, param.name);
            let partial = c.partial.contains(&param.name);
            assert_eq!(y.iter().all(|y| y.is_nan()), !partial, "{}: {}: {y:?}", c.op, param.name);
            seen[usize::from(partial)] += 1;
            common::compared::add(1);
        }
    }
    assert!(seen[0] >= 3 && seen[1] >= 5, "{seen:?}");
}

/// Each predicate accepts a right result and refuses a wrong one, in this build as in any other.
#[test]
fn every_predicate_can_fail() {
    const NAN: f64 = f64::NAN;
    type Case<'a> = (Post, Call<'a, f64>, Call<'a, f64>);
    let cases: &[Case<'_>] = &[
        (Post::Range(0.0, 1.0), Call::new(&[&[2.0]], &[1.0]), Call::new(&[&[2.0]], &[1.0000001])),
        (
            Post::NanIffNan(&[]),
            Call::new(&[&[NAN, 1.0]], &[NAN, 1.0]),
            Call::new(&[&[1.0, 1.0]], &[NAN, 1.0]),
        ),
        (Post::NanIfNan(&[]), Call::new(&[&[1.0, 1.0]], &[NAN, 1.0]), Call::new(&[&[NAN, 1.0]], &[1.0, 1.0])),
        (Post::NanIfNan(&[]), Call::new(&[&[NAN, 1.0]], &[NAN]), Call::new(&[&[1.0, NAN]], &[1.0])),
        (
            Post::NanIfNan(&[]),
            Call::new(&[&[1.0, 1.0], &[1.0, NAN]], &[1.0, NAN]),
            Call::new(&[&[1.0, 1.0], &[1.0, NAN]], &[NAN, 1.0]),
        ),
        (
            Post::NanIffNan(&[]),
            Call::new(&[&[1.0, 1.0, 1.0, 1.0], &[1.0, NAN]], &[1.0, NAN, 1.0, NAN]).cols(2),
            Call::new(&[&[1.0, 1.0, 1.0, 1.0], &[1.0, NAN]], &[1.0, NAN, 1.0, 1.0]).cols(2),
        ),
        (
            Post::NanIfNan(&[]),
            Call::new(&[&[1.0, 1.0]], &[NAN, NAN]).params(&[1.0, NAN]),
            Call::new(&[&[NAN, 1.0]], &[NAN, 1.0]).params(&[1.0, NAN]),
        ),
        (
            Post::NanIffNan(&[0]),
            Call::new(&[&[1.0, 1.0, 1.0, 1.0]], &[NAN; 4]).params(&[1.0, NAN]).cols(2),
            Call::new(&[&[1.0, 1.0, 1.0, 1.0]], &[NAN, NAN, NAN, 1.0]).params(&[1.0, NAN]).cols(2),
        ),
        (
            Post::NanIffNan(&[1]),
            // Of `x < 0 ? alpha·x : x` one element has the NaN of a parameter, another has not.
            Call::new(&[&[-1.0, 1.0]], &[NAN, 1.0]).params(&[1.0, NAN]),
            Call::new(&[&[NAN, 1.0]], &[1.0, NAN]).params(&[1.0, NAN]),
        ),
        (
            Post::NanIffNan(&[1]),
            Call::new(&[&[0.0, 1.0]], &[NAN, 1.0]).params(&[1.0, f64::INFINITY]),
            Call::new(&[&[0.0, 1.0]], &[NAN, 1.0]).params(&[f64::INFINITY, 1.0]),
        ),
        (
            Post::Range(0.0, 1.0),
            Call::new(&[&[1.0, 1.0]], &[0.0, 1.0]),
            Call::new(&[&[1.0, 1.0]], &[0.0, -0.1]),
        ),
        (Post::Integral, Call::new(&[&[1.5]], &[2.0]), Call::new(&[&[1.5]], &[1.5])),
        (Post::SameSign, Call::new(&[&[-0.0]], &[-0.0]), Call::new(&[&[-0.0]], &[0.0])),
        (Post::SignOfSecond, Call::new(&[&[1.0], &[-1.0]], &[-1.0]), Call::new(&[&[1.0], &[-1.0]], &[1.0])),
        (Post::SameMagnitude, Call::new(&[&[-2.0]], &[2.0]), Call::new(&[&[-2.0]], &[3.0])),
        (Post::Selects, Call::new(&[&[1.0, 2.0]], &[2.0]), Call::new(&[&[1.0, 2.0]], &[1.5])),
        (
            Post::Selects,
            Call::new(&[&[1.0, 2.0], &[3.0, 0.0]], &[3.0, 0.0]),
            Call::new(&[&[1.0, 2.0], &[3.0, 0.0]], &[0.0, 0.0]),
        ),
        (Post::Monotone(0.0), Call::new(&[&[1.0, 2.0]], &[1.0, 1.0]), Call::new(&[&[1.0, 2.0]], &[1.1, 1.0])),
        (
            Post::Monotone(2.0),
            Call::new(&[&[1.0, 2.0]], &[1.0 + f64::EPSILON, 1.0]),
            Call::new(&[&[2.0, 1.0]], &[1.0, 1.1]),
        ),
        (
            Post::WithinParams(0, 1),
            Call::new(&[&[5.0]], &[1.0]).params(&[0.0, 1.0]),
            Call::new(&[&[5.0]], &[5.0]).params(&[0.0, 1.0]),
        ),
        (
            Post::NonNegativeWhereFirstIs,
            Call::new(&[&[1.0, -1.0]], &[0.0, -1.0]),
            Call::new(&[&[1.0]], &[-1.0]),
        ),
        (
            Post::Bounded(By::Sum, 1.0),
            Call::new(&[&[1.0], &[-2.0]], &[-3.0]),
            Call::new(&[&[1.0], &[-2.0]], &[3.1]),
        ),
        (
            Post::Bounded(By::Product, 1.0),
            Call::new(&[&[2.0], &[3.0]], &[6.0]),
            Call::new(&[&[2.0], &[3.0]], &[-6.1]),
        ),
        (
            Post::Bounded(By::Quotient, 1.0),
            Call::new(&[&[2.0], &[4.0]], &[0.5]),
            Call::new(&[&[2.0], &[4.0]], &[0.6]),
        ),
        (
            Post::Bounded(By::MulAdd, 1.0),
            Call::new(&[&[2.0], &[3.0], &[1.0]], &[7.0]),
            Call::new(&[&[2.0], &[3.0], &[1.0]], &[7.1]),
        ),
        (
            Post::Bounded(By::Second, 1.5),
            Call::new(&[&[9.0], &[2.0]], &[3.0]),
            Call::new(&[&[9.0], &[2.0]], &[3.1]),
        ),
        (
            Post::Bounded(By::Scaled, 1.0),
            Call::new(&[&[9.0]], &[-18.0]).params(&[-2.0]),
            Call::new(&[&[9.0]], &[f64::INFINITY]).params(&[-2.0]),
        ),
        (
            Post::Bounded(By::Lerp, 1.0),
            Call::new(&[&[2.0], &[4.0]], &[3.0]).params(&[0.5]),
            Call::new(&[&[2.0], &[4.0]], &[3.1]).params(&[0.5]),
        ),
        (
            Post::Bounded(By::SumAbs, 1.0),
            Call::new(&[&[1.0, -2.0]], &[3.0]),
            Call::new(&[&[1.0, -2.0]], &[3.1]),
        ),
        (
            Post::Bounded(By::MeanAbs, 1.0),
            Call::new(&[&[1.0, -2.0]], &[1.5]),
            Call::new(&[&[1.0, -2.0]], &[1.6]),
        ),
        (
            Post::Bounded(By::MeanAbs, 1.0),
            Call::new(&[&[1.0e308, 1.0e308]], &[f64::INFINITY]),
            Call::new(&[&[1.0e307, 1.0e307]], &[f64::INFINITY]),
        ),
        (
            Post::Bounded(By::SumAbsProducts, 1.0),
            Call::new(&[&[1.0, 2.0], &[3.0, -4.0]], &[11.0]),
            Call::new(&[&[1.0, 2.0], &[3.0, -4.0]], &[11.1]),
        ),
        (
            Post::Bounded(By::Spreads, 1.0),
            Call::new(&[&[3.0, 4.0], &[3.0, -4.0]], &[12.5]),
            Call::new(&[&[3.0, 4.0], &[3.0, -4.0]], &[12.6]),
        ),
        (
            Post::Bounded(By::Row, 1.0),
            Call::new(
                &[&[0.0; 8], &[1.0, 2.0, 1.0, 1.0], &[0.0, 1.0, 0.0, 0.0]],
                &[0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0],
            )
            .cols(4),
            Call::new(
                &[&[0.0; 8], &[1.0, 2.0, 1.0, 1.0], &[0.0, 1.0, 0.0, 0.0]],
                &[0.0, 0.0, 0.0, 0.0, 0.0, 5.1, 0.0, 0.0],
            )
            .cols(4),
        ),
        (Post::DominatesMax, Call::new(&[&[1.0, 2.0]], &[2.0]), Call::new(&[&[1.0, 2.0]], &[1.0])),
        (Post::DominatesMin, Call::new(&[&[1.0, 2.0]], &[1.0]), Call::new(&[&[1.0, 2.0]], &[2.0])),
        (
            Post::RowSum(1.0, 4.0),
            Call::new(&[&[0.0, 0.0]], &[0.5, 0.5]).cols(2),
            Call::new(&[&[0.0, 0.0]], &[0.5, 0.5001]).cols(2),
        ),
        (
            Post::RowExpSum(1.0, 4.0),
            Call::new(&[&[0.0]], &[0.0]).cols(1),
            Call::new(&[&[0.0]], &[0.1]).cols(1),
        ),
        (
            Post::RowSumSquares(0.0, 4.0),
            Call::new(&[&[0.0, 1.0]], &[1.0, -1.0]).cols(2),
            Call::new(&[&[0.0, 1.0]], &[1.0, -1.1]).cols(2),
        ),
        (
            Post::IndexInRange,
            Call::new(&[&[1.0]], &[]).indices(&[0]),
            Call::new(&[&[1.0]], &[]).indices(&[1]),
        ),
        (
            Post::IndexSelects,
            Call::new(&[&[1.0, 1.0]], &[1.0, 1.0]).indices(&[0, 1]),
            Call::new(&[&[1.0, 1.0]], &[1.0, 1.0]).indices(&[1, 0]),
        ),
        (
            Post::IndexSelects,
            Call::new(&[&[1.0, 2.0]], &[2.0]).indices(&[1]),
            Call::new(&[&[1.0, 2.0]], &[2.0]).indices(&[0]),
        ),
        (
            Post::IndexOfMax,
            Call::new(&[&[1.0, 2.0, 2.0]], &[]).indices(&[1]),
            Call::new(&[&[1.0, 2.0, 2.0]], &[]).indices(&[2]),
        ),
        (
            Post::IndexOfMin,
            Call::new(&[&[1.0, 0.0, 0.0]], &[]).indices(&[1]),
            Call::new(&[&[1.0, 0.0]], &[]).indices(&[0]),
        ),
        (
            Post::IndexOfLastMax,
            Call::new(&[&[1.0, 2.0, 2.0]], &[]).indices(&[2]),
            Call::new(&[&[1.0, 2.0, 2.0]], &[]).indices(&[1]),
        ),
        (
            Post::IndexOfLastMin,
            Call::new(&[&[1.0, 0.0, 0.0]], &[]).indices(&[2]),
            Call::new(&[&[1.0, 0.0, 0.0]], &[]).indices(&[1]),
        ),
        (Post::Ascending, Call::new(&[&[1.0]], &[1.0, 2.0]), Call::new(&[&[1.0]], &[2.0, 1.0])),
        (Post::Descending, Call::new(&[&[1.0]], &[2.0, 1.0]), Call::new(&[&[1.0]], &[1.0, 2.0])),
    ];
    for (post, right, wrong) in cases {
        assert_eq!(evaluate(&[*post], right), Ok(()), "{post:?} refuses a right result");
        assert_eq!(
            evaluate(&[*post], wrong).map_err(|v| v.post),
            Err(*post),
            "{post:?} accepts a wrong result"
        );
    }
}
