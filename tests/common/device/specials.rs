//! NaN, infinities, the largest and the smallest numbers among what an op takes, on a device as on a CPU.

use super::{On, Worst, call, call_in_place, data};
use crate::call::{self, Args, Form, Out};
use crate::nn::{self, Noise};
use crate::seed::Seed;
use fulmen::Element;
use fulmen::contract::{Mass, Tolerance, agrees, spec};
use fulmen::gpu::backend::{Gpu, Scalar};
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::lanes::native;
use fulmen::ops::{OPS, Op};
use std::cell::{Cell, LazyCell, RefCell};
use std::collections::BTreeSet;

/// What a round puts among the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// NaN and infinities: every device has the CPU's class.
    Classes,
    /// The largest numbers of both signs, and, where the language keeps them, subnormal ones: sums may overflow in one order and not
    /// in another.
    Extremes { subnormal: bool },
}

impl Kind {
    /// Every kind, for a language.
    pub fn of(language: &str) -> [Self; 2] {
        // WGSL leaves it open whether subnormal numbers are kept.
        [Self::Classes, Self::Extremes { subnormal: language != "wgsl" }]
    }

    /// One of the numbers.
    pub fn draw<T: Element>(self, r: &mut Noise) -> T {
        let largest = if T::NAME == "f32" { f64::from(f32::MAX) } else { f64::MAX };
        let least = if T::NAME == "f32" { f64::from(f32::from_bits(3)) } else { 3.0 * f64::from_bits(1) };
        let all = match self {
            Self::Classes => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::NAN],
            Self::Extremes { subnormal: true } => [largest, -largest, least, -least],
            Self::Extremes { subnormal: false } => [largest, -largest, 0.0, -0.0],
        };
        T::from_f64(all[r.within(0..=3)])
    }

    /// Puts some of them at places that `free` allows; where.
    pub fn poke<T: Element>(self, x: &mut [T], r: &mut Noise, free: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut places = Vec::new();
        for _ in 0..r.within(1..=2) {
            if !x.is_empty() {
                let at = r.within(0..=x.len() - 1);
                if free(at) {
                    x[at] = self.draw(r);
                    places.push(at);
                }
            }
        }
        places
    }

    /// Whether a device's result is of the class of a CPU's: NaN, an infinity of a sign, or a finite number. `mass` is the sum of the
    /// magnitudes that the formula adds, of which an order of adding may overflow where another does not.
    pub fn same<T: Element>(self, got: T, want: T, mass: impl Fn() -> f64) -> bool {
        let class = |x: f64| (x.is_nan(), x.is_infinite(), x.is_infinite() && x < 0.0);
        let (g, w) = (got.to_f64(), want.to_f64());
        if class(g) == class(w) {
            return true;
        }
        let largest = if T::NAME == "f32" { f64::from(f32::MAX) } else { f64::MAX };
        // A rounding apart of where numbers end, or on a way that overflows.
        let over = || {
            let mass = mass();
            mass.is_nan() || mass >= largest / 64.0
        };
        self != Self::Classes && (agrees(got, w, 0.0) || over())
    }
}

/// Whether the contract of an op has its bound by the terms of a sum: a scalar may be taken with each term or with the sum.
fn bound_by_terms(op: &str) -> bool {
    spec(op).and_then(|s| s.tolerance("f32")).is_some_and(|t| {
        matches!(
            t,
            Tolerance::Gamma { of: Mass::Terms | Mass::SumAbsProducts, .. } | Tolerance::Compensated { .. }
        )
    })
}

/// Whether an infinite scalar among these leaves it open if a result is infinite or NaN: infinities of both signs come of the terms
/// alone.
pub fn open<T: Element>(op: &str, params: &[T]) -> bool {
    bound_by_terms(op) && params.iter().any(|p| p.to_f64().is_infinite())
}

/// Whether a scalar times an operand's element is more than the largest number, so that a product of three factors may overflow in one
/// order and not in another.
fn overflows<T: Element>(op: &str, params: &[T], x: &[Vec<T>]) -> bool {
    let mut products = params.iter().flat_map(|p| x.iter().flatten().map(move |x| *p * *x));
    let finite = params.iter().chain(x.iter().flatten()).all(|x| x.to_f64().is_finite());
    bound_by_terms(op) && finite && products.any(|x| x.to_f64().is_infinite())
}

/// For [`Kind::same`], of a sum whose terms are not known: whether one of them may be next to the largest number.
pub fn mass<'a, T: Element>(all: impl IntoIterator<Item = &'a T>) -> f64 {
    let vast = all.into_iter().map(|x| x.to_f64().abs()).any(|x| x > f64::from(f32::MAX) / 1024.0);
    if vast { f64::INFINITY } else { 0.0 }
}

/// Whether an op takes steps whose results are no sums of its operands' products, so that numbers next to the largest may
/// overflow on the way, whatever the result is.
fn steps(op: &str) -> bool {
    ["solve", "contraction"].contains(&family(op))
}

fn family(op: &str) -> &'static str {
    OPS.iter().find(|row| row.name == op).map_or("", |row| row.family)
}

/// What a call gave: its results, or why its arguments are refused.
pub type Gave<R> = Result<R, fulmen::Error>;

/// A device's refusal of arguments, of which it says some with the next download, as a CPU's; other errors end the test.
pub fn refusal<R>(done: Result<R, Error>) -> Result<Gave<R>, Error> {
    match done {
        Ok(r) => Ok(Ok(r)),
        Err(Error::Call(why)) => Ok(Err(why)),
        Err(Error::Pivot { arg, index, .. }) => Ok(Err(fulmen::Error::pivot(arg, index as usize))),
        Err(other) => Err(other),
    }
}

/// Whether a device's refusal says what a CPU's does: what a CPU finds in a matrix before its first write, or when it gives up, a
/// device says as a pivot of that matrix.
fn alike(got: fulmen::Error, want: fulmen::Error) -> bool {
    use fulmen::Error::{Convergence, Domain, Nan, Pivot};
    match (got, want) {
        (Pivot { arg: got, .. }, Nan { arg, .. } | Domain { arg, .. } | Convergence { arg, .. }) => {
            got == arg
        }
        // A pivot that a kernel found is told with the next download, without a call.
        (Pivot { .. }, _) => got == want,
        _ => got == want && got.op() == want.op(),
    }
}

/// Whether a device need not see what a CPU refuses, as the method's documentation says: it looks at the columns that have a pivot
/// or a reflection, and at no right-hand side. What is not finite there is in its results.
fn passes<T: Element>(op: &str, got: &[Vec<T>], want: fulmen::Error) -> bool {
    use fulmen::Error::{Domain, Nan};
    let (Nan { arg, .. } | Domain { arg, .. }) = want else { return false };
    let unseen = matches!((op, arg), ("lu" | "qr", "a") | ("qr_apply", _) | ("least_squares", "b"));
    // The diagonal of `factors` is that of R, which no reflection reads.
    let whole = (op, arg) != ("qr_apply", "factors");
    unseen && (!whole || got.iter().flatten().any(|x| !x.to_f64().is_finite()))
}

thread_local! {
    /// The ops that this thread compared.
    static SEEN: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// Ops that take no floating-point numbers.
const WITHOUT: [&str; 3] = ["random_bits", "uniform", "integers"];

/// Counts an op whose special values are compared elsewhere than in [`compare`].
pub fn took_part(op: &'static str) {
    SEEN.with_borrow_mut(|seen| seen.insert(op));
}

/// Each of these ops was compared by this thread, with special values among what it takes.
pub fn all_took_part(ran: &[Worst]) {
    let missing = SEEN.with_borrow(|seen| {
        let missing = |op: &&str| !seen.contains(op) && !WITHOUT.contains(op);
        ran.iter().map(|w| w.op).filter(missing).collect::<Vec<_>>()
    });
    assert!(missing.is_empty(), "no NaN, infinity or extreme number was tried on {missing:?}");
}

/// Which results may differ in class as long as none of them is finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// None.
    One,
    /// Those of one transform, see [`nn::Op::mixes`].
    Of(usize),
    /// Each: an infinite factor leaves it open, see [`open`].
    Each,
}

impl Group {
    /// Whether these results, of a device and of a CPU, may differ so.
    fn open<T: Element>(self, got: &[T], want: &[T]) -> bool {
        let infinite = |x: &[T]| x.iter().any(|x| !x.to_f64().is_finite());
        self != Self::One && infinite(got) && infinite(want)
    }
}

/// Compares what a device gave with what a CPU gave; results that differ make `worst` infinite, and are printed.
pub fn compare<T: Element>(
    worst: &mut Worst,
    (kind, group): (Kind, Group),
    what: &str,
    got: &Gave<Vec<Vec<T>>>,
    want: &Gave<Vec<Vec<T>>>,
    mass: impl Fn(usize, usize) -> f64,
) {
    took_part(worst.op);
    let mut printed = false;
    let op = worst.op;
    let mut differ = |why: String, [got, want]: [f64; 2]| {
        if !printed {
            println!("{} in {}, {kind:?}: {why}; of {what}", worst.op, T::NAME);
        }
        printed = true;
        worst.add(f64::INFINITY, got, want);
    };
    match (got, want) {
        (Ok(got), Ok(want)) => {
            for (k, (got, want)) in got.iter().zip(want).enumerate() {
                let many = match group {
                    Group::Of(many) if k == 0 => many,
                    _ => 1,
                };
                for (n, (g, w)) in got.chunks(many).zip(want.chunks(many)).enumerate() {
                    if group.open(g, w) {
                        continue;
                    }
                    for (i, (g, w)) in (n * many..).zip(g.iter().zip(w)) {
                        if !kind.same(*g, *w, || mass(k, i)) {
                            let both = [g.to_f64(), w.to_f64()];
                            differ(format!("output {k} at {i} is {g:?}, on a CPU {w:?}"), both);
                        }
                    }
                }
            }
        }
        (Err(got), Err(want)) if alike(*got, *want) => {}
        (Ok(got), Err(want)) if passes(op, got, *want) => {}
        // What overflows on the way of one order is refused there.
        (Err(fulmen::Error::Pivot { .. }), Ok(_)) | (Ok(_), Err(fulmen::Error::Pivot { .. }))
            if kind != Kind::Classes && mass(0, 0).is_infinite() => {}
        (got, want) => {
            let of = |x: &Gave<Vec<Vec<T>>>| x.as_ref().map(|_| ()).map_err(|e| *e);
            differ(format!("{:?}, on a CPU {:?}", of(got), of(want)), [f64::NAN; 2]);
        }
    }
    crate::compared::add(1);
}

macro_rules! parameters {
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// The parameters of an op's row.
        fn parameters(op: &str) -> Vec<f64> {
            match op {
                $(stringify!($name) => vec![$($p),*],)*
                _ => Vec::new(),
            }
        }
    };
}
fulmen::for_each_op!(parameters);

/// Rounds of each kind for an op: a scalar is poked, then `eps`, then operands, where there are such.
const ROUNDS: usize = 3;

/// An op of the list, all of its forms.
pub fn list<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    op: &Op,
    worst: &mut Worst,
) -> Result<(), Error> {
    let mut r = Seed::running().stream(op.name);
    for round in 0..2 * ROUNDS {
        let kind = Kind::of(language)[round % 2];
        let (rows, cols) = (r.within(1..=3), r.within(1..=9));
        let n = rows * cols;
        let mut raw: [Vec<T>; 3] = [1, 2, 3].map(|j| data(n, j + r.bits() % 1000, 0));
        let mut params: Vec<T> = parameters(op.name).iter().map(|p| T::from_f64(*p)).collect();
        let mut eps = T::from_f64(1e-3);
        match round / 2 % 3 {
            0 if !params.is_empty() => drop(kind.poke(&mut params, &mut r, |_| true)),
            1 if op.shape.contains('_') => eps = kind.draw(&mut r),
            _ => {
                for _ in 0..2 {
                    let k = r.within(0..=2);
                    kind.poke(&mut raw[k], &mut r, |_| true);
                }
            }
        }
        let on: Vec<_> = raw.iter().map(|x| gpu.upload(x)).collect::<Result<_, Error>>()?;
        let x = [on[0].view(), on[1].view(), on[2].view()];
        let on = On { gpu, x, cols, eps, params: &params, used: Cell::new(0) };
        let args = Args { x: [&raw[0], &raw[1], &raw[2]], params: &params, cols, eps, k: 1 };
        let what = format!("{rows} x {cols}, {raw:?}, {params:?}, {eps:?}");
        for form in [Form::Native, Form::InPlace] {
            let (mut out, mut index) = (gpu.upload(&raw[0])?, gpu.upload(&[7u32])?);
            let ran = match form {
                Form::Native => call(op.name, &on, out.view_mut(), index.view_mut()),
                _ => call_in_place(op.name, &on, out.view_mut()),
            };
            let ran = refusal(ran)?;
            if ran == Ok(false) {
                continue;
            }
            let (mut y, mut at) = (raw[0].clone(), [7]);
            let Some(want) =
                call::call(native(), op.name, form, args, &mut Out { y: &mut y, index: &mut at })
            else {
                continue;
            };
            let (mut got, mut place) = (vec![T::ZERO; n], [0]);
            gpu.download(out.view(), &mut got)?;
            gpu.download(index.view(), &mut place)?;
            let whole = ["total", "reduce", "reduce2"].contains(&op.shape);
            let mut want = want;
            if whole {
                got.truncate(1);
                y.truncate(1);
                // Where a CPU has no value, the device's is NaN.
                if want.is_err() && ran.is_ok() {
                    (want, y[0]) = (Ok(()), T::NAN);
                }
            }
            if op.shape == "arg" {
                if matches!(want, Err(fulmen::Error::Nan { .. })) {
                    (want, at[0]) = (Ok(()), u32::MAX);
                }
                (got, y) = (vec![T::from_usize(place[0] as usize)], vec![T::from_usize(at[0] as usize)]);
            }
            let (got, want) = (ran.map(|_| vec![got]), want.map(|()| vec![y]));
            let sums = whole || op.shape.starts_with("rows");
            let most = if sums { mass(raw.iter().flatten().chain(&params).chain([&eps])) } else { 0.0 };
            compare(worst, (kind, Group::One), &what, &got, &want, |_, _| most);
        }
    }
    // WGSL leaves the sign of a zero open.
    if language != "wgsl" && ["unary", "binary", "ternary", "update"].contains(&op.shape) {
        zeros(gpu, op, worst)?;
    }
    Ok(())
}

/// Zeros of both signs, and -1 beside them: what is 0 on a CPU is a zero of its sign on a device.
fn zeros<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &Op,
    worst: &mut Worst,
) -> Result<(), Error> {
    let n = 27;
    let raw: [Vec<T>; 3] =
        [1, 3, 9].map(|by| (0..n).map(|i| T::from_f64([-0.0, 0.0, -1.0][i / by % 3])).collect());
    let params: Vec<T> = parameters(op.name).iter().map(|p| T::from_f64(*p)).collect();
    let on = [gpu.upload(&raw[0])?, gpu.upload(&raw[1])?, gpu.upload(&raw[2])?];
    let x = [on[0].view(), on[1].view(), on[2].view()];
    let on = On { gpu, x, cols: n, eps: T::ONE, params: &params, used: Cell::new(0) };
    let args = Args { x: [&raw[0], &raw[1], &raw[2]], params: &params, cols: n, eps: T::ONE, k: 1 };
    for form in [Form::Native, Form::InPlace] {
        let (mut out, mut index) = (gpu.upload(&raw[0])?, gpu.upload(&[7u32])?);
        let ran = match form {
            Form::Native => call(op.name, &on, out.view_mut(), index.view_mut())?,
            _ => call_in_place(op.name, &on, out.view_mut())?,
        };
        let (mut want, mut at) = (raw[0].clone(), [7]);
        let done = call::call(native(), op.name, form, args, &mut Out { y: &mut want, index: &mut at });
        if !ran || done.is_none() {
            continue;
        }
        let mut got = vec![T::ONE; n];
        gpu.download(out.view(), &mut got)?;
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let (got, want) = (got.to_f64(), want.to_f64());
            if want == 0.0 && (got != 0.0 || got.is_sign_negative() != want.is_sign_negative()) {
                let of = raw.each_ref().map(|x| x[i]);
                println!("{} in {} of {of:?}: {got:?}, on a CPU {want:?}", op.name, T::NAME);
                worst.add(f64::INFINITY, got, want);
            }
        }
    }
    crate::compared::add(1);
    Ok(())
}

/// An op's outputs on a device.
pub type OnDevice<'a, T> = dyn Fn(&nn::Args<T>) -> Result<Vec<Vec<T>>, Error> + 'a;

/// An op with a call of its own, which `on_device` makes of the arguments, with `words` among their sizes.
pub fn op<T: Scalar>(
    op: &nn::Routine<T>,
    language: &str,
    words: &[(&str, usize)],
    worst: &mut Worst,
    on_device: &OnDevice<'_, T>,
) -> Result<(), Error> {
    let mut r = Seed::running().stream(op.name);
    // Factorisations take the time of hundreds of other ops, where kernels are interpreted.
    let rounds = if family(op.name) == "solve" { 1 } else { ROUNDS };
    for _ in 0..rounds {
        let [rows, cols] = [r.within(1..=4), r.within(1..=9)];
        let mut a: nn::Args<T> = (op.sample)(rows, cols, &mut r);
        a.n.extend(words.iter().map(|(name, n)| (String::from(*name), *n)));
        poked(op, language, &a, worst, on_device)?;
    }
    Ok(())
}

/// The op with numbers of each kind among a copy of the arguments: among its scalars or among its operands.
pub fn poked<T: Scalar>(
    op: &nn::Routine<T>,
    language: &str,
    clean: &nn::Args<T>,
    worst: &mut Worst,
    on_device: &OnDevice<'_, T>,
) -> Result<(), Error> {
    let first = clean.x.iter().flatten().map(|x| x.to_f64().to_bits()).fold(0u64, u64::wrapping_add);
    let mut r = Seed::running().stream(&format!("{} {first}", op.name));
    for kind in Kind::of(language) {
        let mut a = clean.clone();
        let mut poked = Vec::new();
        let mut group = (op.mixes)(&a).map_or(Group::One, Group::Of);
        // A draw may come upon places only that are not read.
        for _ in 0..20 {
            if r.one_in(3) && !a.p.is_empty() {
                poked = kind.poke(&mut a.p, &mut r, |_| true);
                if open(op.name, &a.p) {
                    group = Group::Each;
                }
            } else {
                for _ in 0..2 {
                    let k = r.within(0..=a.x.len() - 1);
                    if op.ids != Some(k) && op.starts != Some(k) {
                        poked.extend(kind.poke(&mut a.x[k], &mut r, |at| !(op.unread)(clean, k, at)));
                    }
                }
            }
            if !poked.is_empty() {
                break;
            }
        }
        if poked.is_empty() {
            continue;
        }
        (op.follow)(&mut a);
        let mut got = refusal(on_device(&a))?;
        let Some(want) = op.run(nn::Form::On, &a) else { continue };
        if let (Ok(got), Ok(want)) = (&mut got, &want) {
            for (k, (got, want)) in got.iter_mut().zip(want).enumerate() {
                for i in (0..got.len()).filter(|i| (op.open)(&a, k, *i)) {
                    got[i] = want[i];
                }
            }
        }
        let what = format!("{:?}, {:?}, {:?}", a.n, a.x, a.p);
        // So do reciprocals of subnormal numbers.
        let least = if T::NAME == "f32" { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
        let tiny = a.x.iter().flatten().map(|x| x.to_f64().abs()).any(|x| x > 0.0 && x < least);
        let on_the_way = steps(op.name) && (tiny || mass(a.x.iter().flatten()) > 0.0);
        let open = overflows(op.name, &a.p, &a.x) || on_the_way;
        // Only where classes differ.
        let exact = LazyCell::new(|| (op.want)(&a.wide()));
        let mass = |k: usize, i: usize| if open { f64::INFINITY } else { exact[k][i].mass };
        compare(worst, (kind, group), &what, &got, &want, mass);
    }
    Ok(())
}
