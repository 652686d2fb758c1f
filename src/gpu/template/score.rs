//! Cosine similarity of the rows of a matrix with a vector; the negative log-likelihood of target classes, with label
//! smoothing, and its gradient.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::block_reduce::{Meet, Part, PartOf, Threads};
use super::flat::{each, get, named, put};
use super::layer::{each_row, leads};
use super::status::{Index, note};
use crate::alu::Alu;
use crate::lanes::multipass::Folds;
use crate::reduce::{Dot, Sum, angle};

/// The cosine of a vector and each row. Parameters: the vector, the rows, `out`; rows, columns.
pub fn cosine_similarity_rows<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("cosine_similarity_rows");
    b.threads([super::THREADS, 1, 1]);
    let [query, x, out] = b.params::<U64, 3>();
    let [rows, cols] = b.params::<U32, 2>();
    each_row(&b, rows, |r| {
        let x = x + r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let part = Part { b: &b, meet, threads: Threads::BLOCK, x: [query, x], begin: b.int(0), end: cols };
        let cosine = angle(&PartOf::<T, 2>::new(part));
        b.when(leads(&b), || put(out, r, cosine));
    });
    b.finish()
}

/// What a class counts, and the numbers that say so: what the own class has, what each has, the sum of these.
struct Classes<'b, T> {
    weights: Option<Value<'b, U64>>,
    own: Value<'b, T>,
    each: Value<'b, T>,
    smoothing: Value<'b, T>,
}

impl<'b, T: Recorded> Classes<'b, T> {
    /// From the next parameters.
    fn new(b: &'b Builder, weights: Option<Value<'b, U64>>) -> Self {
        let [own, each, smoothing] = b.params::<T, 3>();
        Self { weights, own, each, smoothing }
    }

    /// What target `t` counts, which is a class.
    fn share(&self, t: Value<'b, U32>) -> Value<'b, T> {
        self.weights.map_or(self.own, |w| self.own * get(w, t))
    }
}

fn is_ignored<'b>(t: Value<'b, U32>) -> Value<'b, super::super::types::Pred> {
    t.compare(Cmp::Eq, t.builder().int(i64::from(u32::MAX)))
}

/// The loss of target `t` of row `r` but for what all classes have; that of a target that is no class is NaN.
fn own_loss<'b, T: Recorded>(
    classes: &Classes<'b, T>,
    (x, status): (Value<'b, U64>, Value<'b, U64>),
    [r, t, cols]: [Value<'b, U32>; 3],
) -> Value<'b, T> {
    let (b, zero) = (t.builder(), t.builder().bits::<T>(0));
    let [loss] = b.either(
        t.compare(Cmp::Lt, cols),
        || {
            let share = classes.share(t);
            // Not 0 times an infinity.
            [Value::select(share.eq(zero), zero, -(share * get(x, r * cols + t)))]
        },
        || {
            b.when(!is_ignored(t), || note(status, Index::Nll, t));
            [Value::select(is_ignored(t), zero, zero / zero)]
        },
    );
    loss
}

/// Losses without smoothing, a thread for each. Parameters: `x`, targets, losses, the status words, the weights if `weighted`;
/// rows, columns; the numbers of [`Classes`].
pub fn nll<T: Recorded>(weighted: bool) -> Result<Kernel, Error> {
    let b = named::<T>("nll");
    let [x, targets, losses, status] = b.params::<U64, 4>();
    let weights = weighted.then(|| b.param::<U64>());
    let [rows, cols] = b.params::<U32, 2>();
    let classes = Classes::<T>::new(&b, weights);
    each(&b, rows, |r| {
        let t = get::<U32>(targets, r);
        put(losses, r, own_loss(&classes, (x, status), [r, t, cols]));
    });
    b.finish()
}

/// With smoothing, a block for each row; the parameters are those of [`nll`].
pub fn nll_smooth<T: Recorded>(meet: Meet, weighted: bool) -> Result<Kernel, Error> {
    let b = named::<T>("nll_smooth");
    b.threads([super::THREADS, 1, 1]);
    let [x, targets, losses, status] = b.params::<U64, 4>();
    let weights = weighted.then(|| b.param::<U64>());
    let [rows, cols] = b.params::<U32, 2>();
    let classes = Classes::<T>::new(&b, weights);
    each_row(&b, rows, |r| {
        let row = x + r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let (begin, end, threads) = (b.int(0), cols, Threads::BLOCK);
        let [all] = match weights {
            Some(w) => PartOf::<T, 2>::new(Part { b: &b, meet, threads, x: [w, row], begin, end }).fold(Dot),
            None => PartOf::<T, 1>::new(Part { b: &b, meet, threads, x: [row], begin, end }).fold(Sum),
        };
        b.when(leads(&b), || {
            let t = get::<U32>(targets, r);
            let own = own_loss(&classes, (x, status), [r, t, cols]);
            put(losses, r, Value::select(is_ignored(t), own, own - classes.each * all));
        });
    });
    b.finish()
}

/// The gradient. Parameters: targets, `dx`, the status words, the weights if `weighted`; elements, columns; the numbers of
/// [`Classes`], the scale.
pub fn nll_backward<T: Recorded>(weighted: bool) -> Result<Kernel, Error> {
    let b = named::<T>("nll_backward");
    let [targets, dx, status] = b.params::<U64, 3>();
    let weights = weighted.then(|| b.param::<U64>());
    let [n, cols] = b.params::<U32, 2>();
    let classes = Classes::<T>::new(&b, weights);
    let scale = b.param::<T>();
    each(&b, n, |i| {
        let r = i / cols;
        let (c, t, zero) = (i - r * cols, get::<U32>(targets, r), b.bits::<T>(0));
        let each = -(classes.each * scale);
        let all = weights.map_or(each, |w| get::<T>(w, c) * each);
        let all = Value::select(classes.smoothing.eq(zero), zero, all);
        let [v] = b.either(t.compare(Cmp::Eq, c), || [all - classes.share(t) * scale], || [all]);
        put(dx, i, Value::select(is_ignored(t), zero, v));
        b.when(t.compare(Cmp::Ge, cols) & !is_ignored(t), || note(status, Index::NllGradient, t));
    });
    b.finish()
}
