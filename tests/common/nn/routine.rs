//! An op as a value, and what tries it: see [`Routine`].

use super::{Args, Bounds, Form, Native, Noise, Op, SHAPES, SMALL, STALE, Want, bits};
use crate::compared::{add, made};
use dense::errors::Errors;
use fulmen::contract::{agrees, spec};
use fulmen::lanes::Simd;
use fulmen::{Element, Error};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Elements around each output that must stay as they are.
const PAD: usize = 20;

/// Calls an op: [`Op::call`] on some lanes.
type Entry<T> = dyn Fn(Form, &Args<T>, &mut [&mut [T]], &mut [T]) -> Option<Result<(), Error>> + Send + Sync;

/// An [`Op`] for an element type on some lanes, as a value: what tries it is compiled for each element type, where generic functions would
/// be for each op and lane too.
pub struct Routine<T> {
    pub name: &'static str,
    /// The name of its lanes.
    pub lane: &'static str,
    /// Whether they are the build's own.
    pub native: bool,
    pub ids: Option<usize>,
    pub starts: Option<usize>,
    pub one_nan_is_all: bool,
    pub refuses_nan: bool,
    pub cubed: bool,
    pub line: usize,
    pub unread: fn(&Args<T>, usize, usize) -> bool,
    pub mixes: fn(&Args<T>) -> Option<usize>,
    pub open: fn(&Args<T>, usize, usize) -> bool,
    pub follow: fn(&mut Args<T>),
    pub sample: fn(usize, usize, &mut Noise) -> Args<T>,
    pub before: fn(&Args<T>) -> Vec<Vec<T>>,
    pub workspace: fn(&Args<T>) -> usize,
    pub want: fn(&Args<f64>) -> Vec<Vec<Want>>,
    entry: Box<Entry<T>>,
}

impl<T: Element> Routine<T> {
    pub fn of<O: Op>(s: impl Simd) -> Self {
        fn named<S: Simd>(_: S) -> &'static str {
            S::NAME
        }
        Self {
            name: O::NAME,
            lane: named(s),
            native: named(s) == Native::NAME,
            ids: O::IDS,
            starts: O::STARTS,
            one_nan_is_all: O::ONE_NAN_IS_ALL,
            refuses_nan: O::REFUSES_NAN,
            cubed: O::CUBED,
            line: O::LINE,
            unread: O::unread,
            mixes: O::mixes,
            open: O::open,
            follow: O::follow,
            sample: O::sample,
            before: O::before,
            workspace: O::workspace,
            want: O::want,
            entry: Box::new(move |form, a, out, workspace| O::call(s, form, a, out, workspace)),
        }
    }
    /// On the build's own lanes.
    pub fn native<O: Op>() -> Self {
        Self::of::<O>(fulmen::lanes::native())
    }
    /// `None` when there is no such form.
    pub fn call(
        &self,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        workspace: &mut [T],
    ) -> Option<Result<(), Error>> {
        (self.entry)(form, a, out, workspace)
    }
}

/// By shape, output and element.
type Answers = Vec<Vec<Vec<Want>>>;

impl<T: Element> Routine<T> {
    /// Calls the op. The outputs, and what it returned; panics when something was written outside them, or at all by a call that was
    /// refused.
    pub fn run(&self, form: Form, a: &Args<T>) -> Option<Result<Vec<Vec<T>>, Error>> {
        let mut before = (self.before)(a);
        for (k, out) in before.iter_mut().enumerate() {
            out.resize(a.get(&format!("out{k}")).unwrap_or(out.len()), T::from_f64(STALE));
        }
        let pad = vec![T::from_f64(-123.0); PAD];
        let mut room: Vec<Vec<T>> = before.iter().map(|x| [&pad[..], x, &pad].concat()).collect();
        let mut workspace = vec![T::NAN; a.get("workspace").unwrap_or_else(|| (self.workspace)(a))];
        let done = {
            let mut out: Vec<&mut [T]> = room
                .iter_mut()
                .map(|x| {
                    let n = x.len();
                    &mut x[PAD..n - PAD]
                })
                .collect();
            self.call(form, a, &mut out, &mut workspace)?
        };
        let at = format!("{} {} on {} {form:?}", self.name, T::NAME, self.lane);
        let mut outputs = vec![];
        for (x, before) in room.iter().zip(&before) {
            let (head, rest) = x.split_at(PAD);
            let (out, tail) = rest.split_at(before.len());
            assert!(bits(head) == bits(&pad) && bits(tail) == bits(&pad), "{at}: wrote outside");
            // What a factorisation finds while it runs is reported after it has written, and so is what the contract names: products of
            // finite numbers that overflow in the steps of an iterative solver.
            let late = |arg: &str| {
                let all =
                    spec(self.name).unwrap_or_else(|| panic!("no contract of {}", self.name)).after_writes;
                all.iter().any(|(error, args)| *error == "Domain" && args.contains(&arg))
            };
            let finite = || a.x.iter().flatten().all(|x| *x - *x == T::ZERO);
            let overflowed = matches!(done, Err(Error::Domain { arg, .. }) if late(arg) && finite());
            let after_writes =
                overflowed || matches!(done, Err(Error::Pivot { .. } | Error::Convergence { .. }));
            let refused = done.is_err() && !after_writes;
            assert!(!refused || bits(out) == bits(before), "{at}: wrote, and then refused with {done:?}");
            outputs.push(out.to_vec());
        }
        Some(done.map(|()| outputs))
    }

    /// Compares outputs with what they should be; the largest error as a share of what is allowed.
    pub fn compare(&self, at: &str, out: &[Vec<T>], want: &[Vec<Want>]) -> f64 {
        assert_eq!(out.len(), want.len(), "{at}");
        let mut worst = Errors::of(self.name, T::NAME, self.lane);
        let bounds = Bounds::of::<T>(self.name);
        for (k, (out, want)) in out.iter().zip(want).enumerate() {
            assert_eq!(out.len(), want.len(), "{at}: output {k}");
            for (i, (y, w)) in out.iter().zip(want).enumerate() {
                let most = bounds.allowed::<T>(w);
                let error = (y.to_f64() - w.value).abs();
                assert!(
                    agrees(*y, w.value, most),
                    "{at}: output {k} at {i} is {:e}, exactly {:e}, off by {error:e} where {most:e} is allowed",
                    y.to_f64(),
                    w.value
                );
                worst.see(error, most, w.n);
            }
        }
        worst.share()
    }

    /// One call against the reference; `None` when there is no such form.
    pub fn check(&self, form: Form, a: &Args<T>) -> Option<f64> {
        self.against(form, a, &(self.want)(&a.wide()))
    }

    fn against(&self, form: Form, a: &Args<T>, want: &[Vec<Want>]) -> Option<f64> {
        let at = format!("{} {} on {} {form:?} {:?}", self.name, T::NAME, self.lane, a.n);
        let out = self.run(form, a)?.unwrap_or_else(|e| panic!("{at}: {e}"));
        Some(self.compare(&at, &out, want))
    }

    /// What the arguments of every shape give: the same on every lane and in every form, so computed once.
    fn answers(&self) -> Arc<Answers> {
        static KNOWN: Mutex<BTreeMap<[&str; 2], Arc<Answers>>> = Mutex::new(BTreeMap::new());
        let key = [T::NAME, self.name];
        if let Some(known) = KNOWN.lock().unwrap().get(&key) {
            return known.clone();
        }
        let answer = |turn| (self.want)(&self.sample_of(turn).wide());
        // Registers hold half as many `f64`, so that shorter rows pass the same loops.
        let few = (self.cubed || T::NAME == "f64") && cfg!(fulmen_emulated);
        let shapes = if few { SMALL } else { SHAPES.len() };
        let answers = Arc::new((0..shapes).map(answer).collect());
        KNOWN.lock().unwrap().insert(key, Arc::clone(&answers));
        answers
    }

    fn sample_of(&self, turn: usize) -> Args<T> {
        let [rows, cols] = SHAPES[turn];
        (self.sample)(rows, cols, &mut Noise(turn as u64))
    }

    /// The op at every shape; the largest error as a share of what is allowed. Worked out once in a program: an op's own
    /// tests ask, and the story of all ops.
    pub fn worst(&self, form: Form) -> Option<f64> {
        // And how much was compared for it, which counts for each that asks.
        type Worst = (Option<f64>, u64);
        static KNOWN: Mutex<BTreeMap<([&str; 3], Form), Worst>> = Mutex::new(BTreeMap::new());
        let key = ([self.lane, T::NAME, self.name], form);
        if let Some((known, made)) = KNOWN.lock().unwrap().get(&key) {
            add(*made);
            return *known;
        }
        let before = made();
        let all = || {
            let mut worst = 0.0f64;
            let shapes = if self.cubed && !self.native { SMALL } else { SHAPES.len() };
            for (turn, want) in self.answers().iter().take(shapes).enumerate() {
                worst = worst.max(self.against(form, &self.sample_of(turn), want)?);
            }
            Some(worst)
        };
        let worst = all();
        KNOWN.lock().unwrap().insert(key, (worst, made() - before));
        worst
    }

    /// A call with any bits among the numbers, and one wrong length, size or index, as `seed` chooses: [`Self::run`] sees what is
    /// written. How many of its forms were refused.
    pub fn twisted(&self, seed: u64) -> usize {
        let mut r = Noise(seed);
        let shapes = &SHAPES[..if self.cubed { SMALL } else { SHAPES.len() }];
        let [rows, cols] = shapes[r.bits() as usize % shapes.len()];
        let mut a = (self.sample)(rows, cols, &mut r);
        for x in a.x.iter_mut().enumerate().filter(|(k, _)| self.ids != Some(*k)).flat_map(|(_, x)| x) {
            if r.bits().is_multiple_of(8) {
                *x = T::from_f64(f64::from_bits(r.bits()));
            }
        }
        for p in &mut a.p {
            if r.bits().is_multiple_of(8) {
                *p = T::from_f64(f64::from_bits(r.bits()));
            }
        }
        let wrong = [0, 1, 2, 3, 50, usize::MAX][r.bits() as usize % 6];
        let k = r.bits() as usize;
        let inputs = a.x.len().max(1);
        match r.bits() % 4 {
            0 => a.x[k % inputs].truncate(wrong),
            1 if !a.n.is_empty() => {
                let n = k % a.n.len();
                // As many iterations as are asked for are made where none succeeds.
                a.n[n].1 = if a.n[n].0 == "most" { wrong.min(50) } else { wrong };
            }
            2 => {
                if let Some(id) = self.ids.and_then(|i| a.x[i].first_mut()) {
                    *id = T::from_usize(wrong);
                }
            }
            _ => a.n.push((format!("out{}", k % 3), wrong.min(50))),
        }
        let a = a.with_ids_of(self.ids);
        let refused = |form| matches!(self.run(form, &a), Some(Err(_)));
        [Form::On, Form::InPlace].into_iter().filter(|&form| refused(form)).count()
    }
}
