//! Ops of shape `nn` against naive references in `f64`, on every lane: one module per op, as the contracts
//! name them. Gradients are also compared with central differences.

use common::lanes::*;
use common::nn::*;
use common::seed::Seed;
use fulmen::contract::{Call, Post, evaluate, spec};
use fulmen::{Element, Error};

fn sizes<T: Element>(op: &Routine<T>) {
    assert!(op.worst(Form::On).is_some(), "{} did not run", op.name);
    for [rows, cols] in SHAPES {
        let a = (op.sample)(rows, cols, &mut Noise(7));
        let Some(over) = op.run(Form::InPlace, &a) else { return };
        let (over, out) = (over.unwrap(), op.run(Form::On, &a).unwrap().unwrap());
        let same = over.iter().zip(&out).all(|(x, y)| bits(x) == bits(y));
        assert!(same, "{} {} in place, {rows} × {cols}", op.name, op.lane);
    }
}

/// Where results share a NaN, all of them are made NaN: in what was computed, and in what should be.
fn mixed<T: Element>(out: &mut [T], want: &mut [Want], group: usize, label: &str) {
    for (y, w) in out.chunks_mut(group).zip(want.chunks_mut(group)) {
        let got = y.iter().any(|y| y.to_f64().is_nan());
        assert_eq!(got, w.iter().any(|w| w.value.is_nan()), "{label}");
        if got {
            y.fill(T::NAN);
            w.iter_mut().for_each(|w| w.value = f64::NAN);
        }
    }
}

/// Arguments with a NaN somewhere, and what they should give unless they are refused.
struct Poisoned<T> {
    label: String,
    a: Args<T>,
    want: Option<Vec<Vec<Want>>>,
}

/// NaN at each place of each input: the same on every lane, so worked out once.
fn poisoned<T: Element>(op: &Routine<T>) -> Vec<Poisoned<T>> {
    let mut cases = vec![];
    for [rows, cols] in [[3, 1], [2, 5], [2, 18], [3, 37]] {
        let clean = (op.sample)(rows, cols, &mut Noise(11));
        for k in (0..clean.x.len()).filter(|k| op.ids != Some(*k) && op.starts != Some(*k)) {
            let label = format!("{} {}, NaN in input {k} at", op.name, T::NAME);
            let all = 0..clean.x[k].len();
            for at in all.clone().step_by(1 + clean.x[k].len() / 23).filter(|at| !(op.unread)(&clean, k, *at))
            {
                let mut a = clean.clone();
                a.x[k][at] = T::NAN;
                let want = (!op.refuses_nan).then(|| (op.want)(&a.wide()));
                cases.push(Poisoned { label: format!("{label} {at}"), a, want });
            }
            // What is not read may all be NaN at once.
            let mut a = clean.clone();
            all.filter(|at| (op.unread)(&clean, k, *at)).for_each(|at| a.x[k][at] = T::NAN);
            if op.refuses_nan && a.x[k].iter().any(|x| x.to_f64().is_nan()) {
                let want = Some((op.want)(&a.wide()));
                cases.push(Poisoned { label: format!("{label} all that is not read"), a, want });
            }
        }
    }
    cases
}

/// NaN spreads as the formula says, and no further.
fn poison<T: Element>(op: &Routine<T>, cases: &[Poisoned<T>]) {
    let posts = spec(op.name).unwrap().post;
    assert!(op.refuses_nan || posts.first() == Some(&Post::NanIfNan(&[])), "{}", op.name);
    let (mut seen, mut refused) = ([0; 2], 0);
    // What spreads is the algorithm's: other lanes see some places of each input.
    let (some, few) = if op.native { (1, 10) } else { (3, 0) };
    for Poisoned { label, a, want } in cases.iter().step_by(some) {
        let label = format!("{label} on {}", op.lane);
        let out = op.run(Form::On, a).unwrap();
        let Some(want) = want else {
            assert!(matches!(out, Err(Error::Nan { .. })), "{label}: {out:?}");
            refused += 1;
            continue;
        };
        let (mut out, mut want) = (out.unwrap(), want.clone());
        if let Some(group) = (op.mixes)(a) {
            mixed(&mut out[0], &mut want[0], group, &label);
        }
        op.compare(&label, &out, &want);
        if op.refuses_nan {
            continue;
        }
        for (k, (out, want)) in out.iter().zip(&want).enumerate() {
            // More than that is said of the first output.
            let posts = if k == 0 { posts } else { &posts[..1] };
            for (y, w) in out.iter().zip(want) {
                let x = if w.value.is_nan() { T::NAN } else { T::ZERO };
                assert_eq!(evaluate(posts, &Call::new(&[&[x]], &[*y])), Ok(()), "{label}");
                seen[usize::from(w.value.is_nan())] += 1;
            }
        }
    }
    if op.refuses_nan {
        assert!(refused > few, "{}", op.name);
        return;
    }
    assert!(seen[1] > few && (seen[0] > few) != op.one_nan_is_all, "{}: {seen:?}", op.name);
}

/// Each gradient is the slope of the loss, by central differences in `f64`.
fn slopes<O: Op>() {
    assert!(!O::GRADIENTS.is_empty(), "{}", O::NAME);
    for [rows, cols] in [[1, 2], [2, 3], [3, 5], [2, 17]] {
        let a = O::sample::<f64>(rows, cols, &mut Noise(13));
        let before = O::before(&a);
        let out = run::<_, f64, O>(fulmen::lanes::native(), Form::On, &a).unwrap().unwrap();
        for &(y, x) in O::GRADIENTS {
            assert_eq!(out[y].len(), O::point(&a).x[x].len(), "{}", O::NAME);
            for i in 0..out[y].len() {
                let at = |h: f64| {
                    let mut a = O::point(&a);
                    a.x[x][i] += h;
                    O::loss(&a)
                };
                // Fourth order: the error is far below that of a wrong term.
                let h = 1e-3;
                let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                let added = if before[y][i] == STALE { 0.0 } else { before[y][i] };
                let got = out[y][i] - added;
                let off = 1e-7 * (1.0 + slope.abs());
                assert!((got - slope).abs() <= off, "{}: output {y} at {i} is {got}, slope {slope}", O::NAME);
            }
        }
    }
}

/// The parallel form has the bits of the serial one, for many rows and for long ones.
#[cfg(feature = "parallel")]
fn same_on_threads<T: Element>(op: &Routine<T>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    // The split is one of rows or of columns whatever the type.
    let mut r = Seed::new(op.name).stream("threads");
    // An odd number of rows, so that the halves differ.
    let odd = 2 * r.within(500..=620) + 1;
    let shapes: &[[usize; 2]] = if size_of::<T>() == 4 { &[[odd, 33], [1, 40_000]] } else { &[[3, 20_001]] };
    for &[rows, cols] in shapes {
        let a = (op.sample)(rows, cols, &mut Noise(17));
        let one = op.run(Form::On, &a).unwrap().unwrap();
        let many = pool.install(|| op.run(Form::Parallel, &a)).unwrap().unwrap();
        assert!(one.iter().zip(&many).all(|(x, y)| bits(x) == bits(y)), "{} {rows} × {cols}", op.name);
    }
}

/// A shape of a seed, in every form: mostly small, now and then of an odd number of rows that threads share, or of long lines.
fn drawn<T: Element>(op: &Routine<T>) {
    let mut r = Seed::new(op.name).stream(op.name);
    let [rows, cols] = match r.within(1..=8) {
        _ if op.cubed => [r.size(40), r.size(40)],
        1 => [2 * r.within(500..=700) + 1, r.within(1..=3)],
        2 => [r.within(1..=2), r.size(op.line)],
        _ => [r.size(40), r.size(300)],
    };
    let a = (op.sample)(rows, cols, &mut r);
    println!("{} {} of {rows} × {cols}", op.name, T::NAME);
    op.check(Form::On, &a).unwrap();
    op.check(Form::InPlace, &a);
    op.check(Form::Parallel, &a);
}

macro_rules! tests {
    ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
        mod $name {
            #[test]
            fn drawn() {
                use super::*;
                drawn(&Routine::<f32>::native::<$Op>());
                drawn(&Routine::<f64>::native::<$Op>());
            }
            #[test]
            fn every_size() {
                use super::*;
                for_each_lane!(|s| {
                    sizes(&Routine::<f32>::of::<$Op>(s));
                    sizes(&Routine::<f64>::of::<$Op>(s));
                });
            }
            #[test]
            fn nan() {
                use super::*;
                let small = poisoned(&Routine::<f32>::native::<$Op>());
                let large = poisoned(&Routine::<f64>::native::<$Op>());
                for_each_lane!(|s| {
                    poison(&Routine::<f32>::of::<$Op>(s), &small);
                    poison(&Routine::<f64>::of::<$Op>(s), &large);
                });
            }
            $(tests!(@$more $Op);)*
        }
    )*};
    (@gradient $Op:path) => {
        #[test]
        fn gradient() {
            super::slopes::<$Op>();
        }
    };
    (@threads $Op:path) => {
        #[cfg(feature = "parallel")]
        #[test]
        fn threads() {
            use super::*;
            same_on_threads(&Routine::<f32>::native::<$Op>());
            same_on_threads(&Routine::<f64>::native::<$Op>());
        }
    };
}
common::for_each_nn_op!(tests);

mod hard;
mod planes;
mod pointwise;
mod pools;

/// Strides past 256 places.
#[test]
fn far_strides_of_conv1d() {
    fn of<O: Op>(r: &mut Noise) {
        let mut far = 0;
        // A quarter of the lines that are drawn has one.
        while far < 3 {
            let a = O::sample::<f32>(r.within(1..=3), r.within(601..=2500), r);
            check::<_, f32, O>(fulmen::lanes::native(), Form::On, &a).unwrap();
            far += usize::from(a.size("stride") > 256);
        }
    }
    let r = &mut Seed::new("far_strides_of_conv1d").stream("conv1d");
    of::<common::nn::conv1d::Forward>(r);
    of::<common::nn::conv1d::BackwardInput>(r);
    of::<common::nn::conv1d::BackwardWeights>(r);
}

/// `nll_backward` is the slope of `nll`, which is linear.
#[test]
fn the_slope_of_nll() {
    use common::nn::indexed::{NegativeLog, class_weights};
    for (rows, cols) in [(2, 3), (3, 4), (1, 4), (2, 5), (3, 6)] {
        let mut a = NegativeLog::sample::<f64>(rows, cols, &mut Noise(5));
        let mut dx = vec![0.0; rows * cols];
        fulmen::nll_backward(class_weights(&a, &a.x[2]), a.p[0], &a.ids, cols, 1.0, &mut dx).unwrap();
        for (i, dx) in dx.iter().enumerate() {
            let loss = |a: &Args<f64>| NegativeLog::want(a)[0].iter().map(|w| w.value).sum::<f64>();
            let at = a.x[0][i];
            a.x[0][i] = at + 0.5;
            let above = loss(&a);
            a.x[0][i] = at - 0.5;
            assert!((above - loss(&a) - dx).abs() < 1e-12, "{rows} × {cols} at {i}");
            a.x[0][i] = at;
        }
    }
}

/// Long lines are copied part by part on one thread, and not on several: both have the same bits, with a bias too.
#[test]
#[cfg(feature = "parallel")]
fn lines_that_are_copied_have_the_same_bits() {
    use fulmen::{Conv1d, parallel};
    let base = Conv1d::new(3, 5, 40_001, 3);
    for conv in [
        Conv1d { padding: 1, ..base },
        Conv1d { stride: 2, padding: 3, dilation: 2, ..base },
        Conv1d { channels_in: 12, channels_out: 4, length: 30_000, kernel: 4, groups: 2, padding: 2, ..base },
        Conv1d { channels_in: 200, channels_out: 90, length: 1500, ..base },
        Conv1d { channels_in: 1, channels_out: 48, length: 9000, kernel: 10, stride: 5, ..base },
        Conv1d { channels_in: 96, channels_out: 32, length: 3000, stride: 2, padding: 1, ..base },
    ] {
        let n = conv.output().unwrap();
        let data = |n: usize, step: usize| -> Vec<f32> {
            (0..n).map(|i| (i * step % 1009) as f32 * 0.002 - 1.0).collect()
        };
        let (x, dy) = (data(conv.channels_in * conv.length, 37), data(conv.channels_out * n, 101));
        let w = data(conv.channels_out * conv.channels_in / conv.groups * conv.kernel, 71);
        let bias = data(conv.channels_out, 13);
        let mut room = vec![f32::NAN; fulmen::conv1d_workspace(conv)];
        let [mut y, mut y2] = [(); 2].map(|()| vec![f32::NAN; dy.len()]);
        fulmen::conv1d(conv, &x, &w, Some(&bias), &mut y, &mut room).unwrap();
        parallel::conv1d(conv, &x, &w, Some(&bias), &mut y2, &mut room).unwrap();
        assert!(y.iter().zip(&y2).all(|(a, b)| a.to_bits() == b.to_bits()), "{conv:?}");
        let [mut dx, mut dx2] = [(); 2].map(|()| vec![f32::NAN; x.len()]);
        fulmen::conv1d_backward_input(conv, &dy, &w, &mut dx, &mut room).unwrap();
        parallel::conv1d_backward_input(conv, &dy, &w, &mut dx2, &mut room).unwrap();
        assert!(dx.iter().zip(&dx2).all(|(a, b)| a.to_bits() == b.to_bits()), "{conv:?}");
        assert!(y.iter().chain(&dx).all(|x| x.is_finite()), "{conv:?}");
    }
}

/// First layers and strided lines are products with windows of the input: drawn places of results and gradients are sums.
#[test]
fn windows_of_lines_are_multiplied() {
    use fulmen::Conv1d;
    let r = &mut Seed::new("windows_of_lines_are_multiplied").stream("conv1d");
    // One channel that makes many; more windows than are copied at a time; several groups.
    for (ci, co, kernel, stride, length, groups) in [
        (1, 64, 10, 5, 3000, 1),
        (1, 70, 9, 1, 700, 1),
        (600, 8, 5, 2, 1000, 1),
        (18, 16, 3, 3, 400, 2),
        (3, 96, 4, 2, 90, 3),
    ] {
        let (padding, dilation) = (r.within(0..=kernel), r.within(1..=2));
        let conv = Conv1d {
            stride,
            padding,
            dilation,
            groups,
            ..Conv1d::new(ci, co, length + r.within(0..=99), kernel)
        };
        let (n, per) = (conv.output().unwrap(), ci / groups);
        let [x, w, dy] = [ci * conv.length, co * per * kernel, co * n].map(|n| r.slice::<f32>(n, 1.0));
        let mut room = vec![f32::NAN; fulmen::conv1d_workspace(conv)];
        let (mut y, mut dw) = (vec![f32::NAN; co * n], vec![0.0; w.len()]);
        fulmen::conv1d(conv, &x, &w, None, &mut y, &mut room).unwrap();
        fulmen::conv1d_backward_weights(conv, &x, &dy, &mut dw, None, &mut room).unwrap();
        let input = |o: usize, c: usize, k: usize, l: usize| {
            let at = (l * stride + k * dilation).checked_sub(padding).filter(|at| *at < conv.length);
            at.map_or(0.0, |at| f64::from(x[(o / (co / groups) * per + c) * conv.length + at]))
        };
        let close = |got: f32, terms: &mut dyn Iterator<Item = f64>| {
            let (sum, mass) = terms.fold((0.0, 1e-9), |(s, m), t| (s + t, m + t.abs()));
            assert!((f64::from(got) - sum).abs() <= 1e-5 * mass, "{conv:?}: {got}, not {sum}");
        };
        for _ in 0..200 {
            let (o, c, k, l) =
                (r.within(0..=co - 1), r.within(0..=per - 1), r.within(0..=kernel - 1), r.within(0..=n - 1));
            let taps = (0..per * kernel)
                .map(|t| f64::from(w[o * per * kernel + t]) * input(o, t / kernel, t % kernel, l));
            close(y[o * n + l], &mut { taps });
            let places = (0..n).map(|l| f64::from(dy[o * n + l]) * input(o, c, k, l));
            close(dw[(o * per + c) * kernel + k], &mut { places });
        }
    }
}

/// `cross_entropy_with_gradient` has the bits of `cross_entropy` and `cross_entropy_backward`.
#[test]
fn loss_and_gradient_are_those_of_two_ops() {
    use common::nn::indexed::CrossEntropyWithGradient as Both;
    for [rows, cols] in [[1, 1], [3, 2], [12, 33], [5, 1000], [2, 20_001]] {
        let a = Both::sample::<f32>(rows, cols, &mut Noise(3));
        let (mut losses, mut lse) = (vec![STALE as f32; rows], vec![STALE as f32; rows]);
        let mut slopes = vec![STALE as f32; rows * cols];
        fulmen::cross_entropy(&a.x[0], &a.ids, cols, &mut losses, &mut lse).unwrap();
        fulmen::cross_entropy_backward(&a.x[0], &a.ids, &lse, cols, a.p[0], &mut slopes).unwrap();
        let got = run::<_, f32, Both>(fulmen::lanes::native(), Form::On, &a).unwrap().unwrap();
        let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(bits(&got[0]) == bits(&slopes) && bits(&got[1]) == bits(&losses), "{rows} x {cols}");
    }
}
