//! Attention where the generic tests do not go: masks and windows, strides, hidden rows, several blocks, bits.

use common::lanes::*;
use common::nn::attention::{Backward, Forward, with_forward};
use common::nn::*;
use common::yaml::schema::EdgeCase;
use fulmen::contract::{Tolerance, agrees};
use fulmen::lanes::Simd;
use fulmen::{Element, Error, MatMut, MatRef};

mod decode;
#[cfg(feature = "half")]
mod halves;

/// Holds `out` and `lse` of a call, or its error, against an edge case of a contract.
fn meets<const N: usize>(op: &str, e: &EdgeCase, per: Tolerance, got: Result<[Vec<f32>; N], Error>) {
    let out = match &e.error {
        Some(error) => {
            let named = got.as_ref().err().is_some_and(|e| format!("{e:?}").starts_with(error.as_str()));
            assert!(named, "`{}`: {got:?}, expected {error}", e.name);
            return;
        }
        None => &e.out,
    };
    let got = got.unwrap_or_else(|error| panic!("`{}`: {error}", e.name)).concat();
    let want: Vec<f64> = out.iter().flatten().map(|v| v.value("f32")).collect();
    assert_eq!(got.len(), want.len(), "`{}`", e.name);
    let mut errors = common::Errors::of(op, "f32", "all");
    for (got, want) in got.iter().zip(want) {
        let allowed = per.allowed::<f32>(want, &[&[0.0; 2]], 10.0 * want.abs());
        errors.see((f64::from(*got) - want).abs(), allowed, 2);
        let zero = f64::from(*got) == want && want == 0.0 && got.is_sign_negative();
        assert!(agrees(*got, want, allowed) && !zero, "`{}`: {got:e}, expected {want:e}", e.name);
    }
}

/// Heads, key heads, dim, queries, keys, causal, window.
type Case = (usize, usize, usize, usize, usize, bool, Option<usize>);

const CASES: [Case; 18] = [
    (1, 1, 1, 1, 1, true, None),
    (2, 1, 3, 5, 5, true, None),
    (4, 2, 16, 9, 9, true, None),
    (3, 1, 17, 30, 41, true, None),
    (2, 2, 8, 1, 300, true, None),
    (6, 2, 8, 1, 131, true, Some(40)),
    (5, 1, 8, 1, 140, false, None),
    (1, 1, 5, 70, 150, true, Some(3)),
    (2, 2, 4, 140, 270, true, Some(100)),
    (1, 1, 4, 20, 9, false, None),
    (2, 1, 4, 9, 5, false, Some(2)),
    (1, 1, 2, 3, 3, true, Some(0)),
    (8, 1, 6, 30, 30, true, None),
    (1, 1, 70, 2, 2, true, None),
    // More queries than keys: the first stand before all of them.
    (2, 1, 5, 140, 60, true, None),
    (4, 2, 3, 300, 131, true, Some(40)),
    (1, 1, 4, 20, 9, true, Some(3)),
    (2, 2, 8, 9, 1, true, None),
];

/// What else is asked for, by the bits of a number: a cap, the first query at the first key, values of another width, a mask
/// for all heads, or one for each.
const CAP: usize = 1;
const WIDTH: usize = 4;
const MASK: usize = 8;
/// Of each head; and several sequences.
const BATCH: usize = 32;

fn args<T: Element, O: Op>(case: Case, seed: u64) -> Args<T> {
    with::<T, O>(case, seed, 0)
}

fn with<T: Element, O: Op>(case: Case, seed: u64, options: usize) -> Args<T> {
    let (heads, kv_heads, dim, n, len, causal, window) = case;
    let r = &mut Noise(seed);
    let [cap, left, width, mask, each, many] = [0, 1, 2, 3, 4, 5].map(|bit| options >> bit & 1 == 1);
    let batch = if many { 3 } else { 1 };
    let values = if width { 2 * dim + 1 } else { dim };
    let mut sizes = vec![("heads", heads), ("kv_heads", kv_heads), ("dim", dim), ("n", n), ("len", len)];
    if causal {
        sizes.push(("causal", 1));
    }
    if let Some(w) = window {
        sizes.push(("window", w));
    }
    let rows = n * if each { heads } else { 1 };
    let words = [
        (cap, "softcap", 3),
        (left, "top_left", 1),
        (width, "value_dim", values),
        (mask, "mask_rows", rows),
        (many, "batch", batch),
    ];
    sizes.extend(words.into_iter().filter(|w| w.0).map(|(_, name, n)| (name, n)));
    let scale = T::from_f64(0.7);
    let mut x = vec![
        r.slice(batch * n * heads * dim, 2.0),
        r.slice(batch * len * kv_heads * dim, 2.0),
        r.slice(batch * len * kv_heads * values, 2.0),
        if mask { r.slice(rows * len, 2.0) } else { vec![] },
    ];
    x[3].iter_mut().skip(2).step_by(3).for_each(|x| *x = -T::INFINITY);
    if O::NAME == Backward::NAME {
        let dout = r.slice(batch * n * heads * values, 1.0);
        x = with_forward(x, dout, &sizes, scale);
    }
    Args::new::<O>(x, vec![scale], &sizes)
}

fn masks<S: Simd, T: Element, O: Op>(s: S) {
    for (turn, case) in CASES.into_iter().enumerate() {
        check::<S, T, O>(s, Form::On, &args::<T, O>(case, 3)).unwrap();
        // All of them, others in turn, and several sequences of those that are short.
        let many = if case.3 * case.4 <= 2000 { BATCH } else { 0 };
        for options in [31, CAP + MASK + turn % 32, many + turn * 5 % 32] {
            check::<S, T, O>(s, Form::On, &with::<T, O>(case, 3, options)).unwrap();
        }
    }
}

#[test]
fn masks_on_every_lane() {
    for_each_lane!(|s| {
        masks::<_, f32, Forward>(s);
        masks::<_, f64, Forward>(s);
    });
}

#[test]
fn masks_on_every_lane_backward() {
    for_each_lane!(|s| {
        masks::<_, f32, Backward>(s);
        masks::<_, f64, Backward>(s);
    });
}

/// Results of one call on packed operands.
fn forward<S: Simd, T: Element>(s: S, a: &Args<T>) -> [Vec<T>; 2] {
    run::<S, T, Forward>(s, Form::On, a).unwrap().unwrap().try_into().unwrap()
}

fn alone<S: Simd, T: Element>(s: S) {
    for case in CASES.into_iter().filter(|c| c.5 && c.3 > 1) {
        let (heads, kv_heads, dim, n, len, ..) = case;
        let whole = with::<T, Forward>(case, 5, if case.2 > 4 { CAP + WIDTH } else { 0 });
        let values = whole.get("value_dim").unwrap_or(dim);
        let [out, lse] = forward(s, &whole);
        // One by one, as decoding does, and in chunks of 7.
        for chunk in [1, 7] {
            for first in (0..n).step_by(chunk) {
                let rows = chunk.min(n - first);
                let upto = (len + first + rows).saturating_sub(n);
                let mut part = whole.clone();
                part.x[0] = part.x[0][first * heads * dim..][..rows * heads * dim].to_vec();
                part.x[1].truncate(upto * kv_heads * dim);
                part.x[2].truncate(upto * kv_heads * values);
                for (name, size) in &mut part.n {
                    match name.as_str() {
                        "n" => *size = rows,
                        "len" => *size = upto,
                        _ => {}
                    }
                }
                let [o, l] = forward(s, &part);
                let same = bits(&o) == bits(&out[first * heads * values..][..o.len()])
                    && bits(&l) == bits(&lse[first * heads..][..l.len()]);
                assert!(same, "{} {} {case:?}: queries {first} to {}", S::NAME, T::NAME, first + rows);
            }
        }
    }
}

#[test]
fn a_query_alone_has_the_bits_of_the_whole() {
    for_each_lane!(|s| {
        alone::<_, f32>(s);
        alone::<_, f64>(s);
    });
}

/// A matrix in a larger slice, in one of the layouts: within wider rows, transposed, or last row first.
struct Spread<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
    layout: usize,
}

impl<T: Element> Spread<T> {
    fn new(x: &[T], rows: usize, layout: usize) -> Self {
        let cols = x.len() / rows;
        let mut new = Self { data: vec![T::from_f64(-9.0); (rows + 2) * (cols + 5)], rows, cols, layout };
        for i in 0..rows {
            for j in 0..cols {
                let at = new.at(i, j);
                new.data[at] = x[i * cols + j];
            }
        }
        new
    }
    fn strides(&self) -> (usize, isize, isize) {
        let (r, c) = (self.rows as isize, self.cols as isize);
        match self.layout {
            0 => (3, c + 4, 1),
            1 => (2, 1, r + 1),
            _ => ((self.rows - 1) * (self.cols + 2) + 1, -(c + 2), 1),
        }
    }
    fn at(&self, i: usize, j: usize) -> usize {
        let (first, rs, cs) = self.strides();
        (first as isize + i as isize * rs + j as isize * cs) as usize
    }
    fn view(&self) -> MatRef<'_, T> {
        let (first, rs, cs) = self.strides();
        MatRef::strided(&self.data, first, self.rows, self.cols, rs, cs).unwrap()
    }
    fn view_mut(&mut self) -> MatMut<'_, T> {
        let (first, rs, cs) = self.strides();
        MatMut::strided(&mut self.data, first, self.rows, self.cols, rs, cs).unwrap()
    }
    fn same(&self, want: &[T]) -> bool {
        bits(&self.data) == bits(&Self::new(want, self.rows, self.layout).data)
    }
}

const STRIDED: [Case; 4] = [
    (4, 2, 17, 9, 9, true, None),
    (2, 2, 8, 1, 140, true, None),
    (3, 1, 5, 40, 150, true, Some(100)),
    (1, 1, 64, 3, 4, false, None),
];

fn strides<S: Simd, T: Element>(s: S, backward: bool) {
    for case in STRIDED {
        let (_, _, _, n, len, ..) = case;
        let a = with::<T, Backward>(case, 7, WIDTH + MASK);
        let op = common::nn::attention::options(&a);
        let [out, _] = forward(s, &a_forward(&a));
        let grads = run::<S, T, Backward>(s, Form::On, &a).unwrap().unwrap();
        for layout in 0..3 {
            let on = |k: usize, rows: usize, turn: usize| Spread::new(&a.x[k], rows, (layout + turn) % 3);
            let (q, k, v, mask) = (on(0, n, 0), on(1, len, 1), on(2, len, 2), on(3, n, 1));
            let mask = Some(mask.view());
            let old = |x: &[T], rows| Spread::new(&vec![T::ONE; x.len()], rows, layout);
            if !backward {
                let mut to = old(&out, n);
                let mut workspace = vec![T::NAN; fulmen::attention_workspace(op.heads, 2 * op.dim + 1)];
                let (q, k, v) = (q.view(), k.view(), v.view());
                fulmen::attention_on(s, &op, q, k, v, mask, to.view_mut(), None, &mut workspace).unwrap();
                assert!(to.same(&out), "{} {case:?} layout {layout}", S::NAME);
                continue;
            }
            let (o, dout) = (on(4, n, 1), on(6, n, 2));
            let (mut dq, mut dk, mut dv) = (old(&grads[0], n), old(&grads[1], len), old(&grads[2], len));
            let mut workspace = vec![T::NAN; fulmen::attention_backward_workspace(2 * op.dim + 1)];
            fulmen::attention_backward_on(
                s,
                &op,
                q.view(),
                k.view(),
                v.view(),
                mask,
                o.view(),
                &a.x[5],
                dout.view(),
                dq.view_mut(),
                dk.view_mut(),
                dv.view_mut(),
                &mut workspace,
            )
            .unwrap();
            let same = dq.same(&grads[0]) && dk.same(&grads[1]) && dv.same(&grads[2]);
            assert!(same, "{} {case:?} layout {layout} backward", S::NAME);
        }
    }
}

/// The same call forward.
fn a_forward<T: Element>(a: &Args<T>) -> Args<T> {
    let mut a = a.clone();
    a.x.truncate(4);
    a
}

#[test]
fn strides_give_the_same_bits() {
    for_each_lane!(|s| {
        strides::<_, f32>(s, false);
        strides::<_, f64>(s, false);
    });
}

#[test]
fn strides_give_the_same_bits_backward() {
    for_each_lane!(|s| {
        strides::<_, f32>(s, true);
        strides::<_, f64>(s, true);
    });
}
