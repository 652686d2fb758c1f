//! Rotations and attention.

use super::*;
use core::ops::Range;
use fulmen::lanes::Simd;
use fulmen::{Align, Attention, Element, Error, MatMut, MatRef, RopeStyle};

#[macro_export]
macro_rules! for_each_attention_op {
    ($cb:ident) => {
        $cb! {
            rope $crate::nn::attention::Rope, threads;
            rope_backward $crate::nn::attention::RopeBackward, threads;
            rope_view $crate::nn::attention::RopeView;
            attention $crate::nn::attention::Forward, threads;
            attention_backward $crate::nn::attention::Backward, gradient, threads;
        }
    };
}

/// The options of a call.
pub fn options<T: Element>(a: &Args<T>) -> Attention<T> {
    Attention {
        causal: a.get("causal").is_some(),
        window: a.get("window"),
        align: if a.get("top_left").is_some() { Align::TopLeft } else { Align::BottomRight },
        softcap: a.get("softcap").map(T::from_usize),
        value_dim: a.get("value_dim"),
        batch: a.get("batch").unwrap_or(1),
        ..Attention::new(a.size("heads"), a.size("kv_heads"), a.size("dim"), a.p[0])
    }
}

/// Elements of a head's values.
fn values<T>(op: &Attention<T>) -> usize {
    op.value_dim.unwrap_or(op.dim)
}

/// The shapes of queries, keys and values.
pub fn shapes<T: Element>(a: &Args<T>) -> [[usize; 2]; 3] {
    let op = options(a);
    let [n, len] = ["n", "len"].map(|rows| a.size(rows).saturating_mul(op.batch));
    [
        [n, op.heads.saturating_mul(op.dim)],
        [len, op.kv_heads.saturating_mul(op.dim)],
        [len, op.kv_heads.saturating_mul(values(&op))],
    ]
}

/// The shape of the mask, input `k`, if there is one.
pub fn mask<T: Element>(a: &Args<T>, k: usize) -> Option<[usize; 2]> {
    let (rows, cols) = (a.get("mask_rows")?, a.x[k].len());
    Some([rows, cols.checked_div(rows).unwrap_or(0)])
}

/// So many rows; without any, of as many columns as fit.
fn shape(n: usize, rows: usize, cols: usize) -> [usize; 2] {
    if rows == 0 { [0, cols.min(1 << 20)] } else { [rows.min(1 << 20), n / rows] }
}
fn view<T>(x: &[T], [rows, cols]: [usize; 2]) -> MatRef<'_, T> {
    let [rows, cols] = shape(x.len(), rows, cols);
    MatRef::row_major(&x[..rows * cols], rows, cols).unwrap()
}
fn view_mut<T>(x: &mut [T], [rows, cols]: [usize; 2]) -> MatMut<'_, T> {
    let [rows, cols] = shape(x.len(), rows, cols);
    MatMut::row_major(&mut x[..rows * cols], rows, cols).unwrap()
}

/// Queries, keys and values, and the shape of the results.
fn views<T: Element>(a: &Args<T>) -> ([MatRef<'_, T>; 3], [usize; 2]) {
    let ([q, k, v], op) = (shapes(a), options(a));
    ([view(&a.x[0], q), view(&a.x[1], k), view(&a.x[2], v)], [q[0], op.heads.saturating_mul(values(&op))])
}
/// Elements of the results, also of a call that is refused.
fn results<T: Element>(a: &Args<T>) -> usize {
    let rows = a.x[0].len() / a.size("dim").max(1);
    a.get("value_dim").map_or(a.x[0].len(), |n| n.min(2000) * rows)
}
fn widest<T: Element>(a: &Args<T>) -> usize {
    a.size("dim").max(a.get("value_dim").unwrap_or(0)).min(2000)
}

/// Where the operands of a head of a query lie.
struct Place {
    sequence: usize,
    row: usize,
    head: usize,
    /// Heads, those of keys, elements of each, queries and keys of a sequence.
    sizes: [usize; 5],
}

impl Place {
    fn of<T: Element>(a: &Args<T>, row: usize, head: usize) -> Self {
        let sizes = ["heads", "kv_heads", "dim", "n", "len"].map(|name| a.size(name));
        Self { sequence: row / sizes[3], row, head, sizes }
    }
    fn query<'a, T>(&self, x: &'a [T]) -> &'a [T] {
        let [heads, _, dim, ..] = self.sizes;
        &x[(self.row * heads + self.head) * dim..][..dim]
    }
    /// The rows of the heads that share its keys, of `width` elements, of its sequence.
    fn queries<'a, T>(&self, x: &'a [T], width: usize) -> Vec<&'a [T]> {
        let [heads, kv_heads, _, n, _] = self.sizes;
        let group = heads / kv_heads;
        let first = self.head / group * group;
        let row = |i: usize| &x[((self.sequence * n + i) * heads + first) * width..][..group * width];
        (0..n).map(row).collect()
    }
    /// The rows of its keys or values, of `width` elements, of its sequence.
    fn keys<'a, T>(&self, x: &'a [T], width: usize) -> Vec<&'a [T]> {
        let [heads, kv_heads, _, _, len] = self.sizes;
        let head = self.head * kv_heads / heads;
        let row = |j: usize| &x[((self.sequence * len + j) * kv_heads + head) * width..][..width];
        (0..len).map(row).collect()
    }
}

/// What query `i` makes of key `j`, in `f64`.
pub struct Naive<'a> {
    pub op: Attention<f64>,
    /// Queries and keys of each sequence.
    pub n: usize,
    pub len: usize,
    pub q: &'a [f64],
    pub k: &'a [f64],
    pub v: &'a [f64],
    /// Of all heads, or head after head; none if empty.
    pub mask: &'a [f64],
}

impl<'a> Naive<'a> {
    pub fn of(a: &'a Args<f64>) -> Self {
        let (n, len) = (a.size("n"), a.size("len"));
        Self { op: options(a), n, len, q: &a.x[0], k: &a.x[1], v: &a.x[2], mask: &a.x[3] }
    }
    fn row(x: &[f64], heads: usize, dim: usize, i: usize, h: usize) -> &[f64] {
        &x[(i * heads + h) * dim..][..dim]
    }
    pub fn head<'b>(&self, x: &'b [f64], i: usize, h: usize) -> &'b [f64] {
        Self::row(x, self.op.heads, self.op.dim, i, h)
    }
    pub fn kv_head<'b>(&self, x: &'b [f64], j: usize, h: usize) -> &'b [f64] {
        Self::row(x, self.op.kv_heads, self.op.dim, j, h * self.op.kv_heads / self.op.heads)
    }
    /// Of results and their gradients.
    pub fn result<'b>(&self, x: &'b [f64], i: usize, h: usize) -> &'b [f64] {
        Self::row(x, self.op.heads, values(&self.op), i, h)
    }
    pub fn value(&self, j: usize, h: usize) -> &'a [f64] {
        let (op, head) = (&self.op, h * self.op.kv_heads / self.op.heads);
        &self.v[(j * op.kv_heads + head) * values(op)..][..values(op)]
    }
    /// The keys that query `i`, of all sequences, sees.
    pub fn seen(&self, i: usize) -> Range<usize> {
        let (before, i) = (i / self.n * self.len, i % self.n);
        let end = if self.op.align == Align::TopLeft { self.n } else { self.len };
        let at = end as i64 - self.n as i64 + i as i64;
        let inside = |j: i64| j.clamp(0, self.len as i64) as usize;
        let last = if self.op.causal { inside(at + 1) } else { self.len };
        let first = self
            .op
            .window
            .map_or(0, |w| inside((at + 1).saturating_sub(i64::try_from(w).unwrap_or(i64::MAX))));
        before + first.min(last)..before + last
    }
    /// The score, the sum of its terms' magnitudes, and its slope from that of the product.
    pub fn score(&self, i: usize, j: usize, h: usize) -> [f64; 3] {
        let (q, k) = (self.head(self.q, i, h), self.kv_head(self.k, j, h));
        let [product, magnitudes] = dense::dot(q, k);
        let (product, magnitudes) = (self.op.scale * product, self.op.scale.abs() * magnitudes);
        let (capped, slope) = match self.op.softcap {
            Some(c) => (c * (product / c).tanh(), (product / c).cosh().powi(-2)),
            None => (product, 1.0),
        };
        let rows = self.mask.len() / self.len.max(1);
        let i = i % self.n;
        let at = if rows == self.n { i } else { h * self.n + i };
        let more = self.mask.get(at * self.len + j % self.len).copied().unwrap_or(0.0);
        let hidden = more == f64::NEG_INFINITY;
        [capped + more, magnitudes + if hidden { 0.0 } else { more.abs() }, slope]
    }
    /// Of one query: weights of the keys that it sees, the log-sum-exp, and the largest sum of magnitudes.
    fn weights(&self, i: usize, h: usize) -> (Vec<f64>, f64, f64) {
        let scores: Vec<[f64; 3]> = self.seen(i).map(|j| self.score(i, j, h)).collect();
        let peak = scores.iter().map(|s| s[0]).fold(f64::NEG_INFINITY, f64::max);
        // Not by the peak, which a NaN does not change.
        if scores.iter().all(|s| s[0] == f64::NEG_INFINITY) {
            return (vec![0.0; scores.len()], peak, 0.0);
        }
        let mut w: Vec<f64> = scores.iter().map(|s| (s[0] - peak).exp()).collect();
        let sum: f64 = w.iter().sum();
        w.iter_mut().for_each(|w| *w /= sum);
        (w, peak + sum.ln(), scores.iter().map(|s| s[1]).fold(0.0, f64::max))
    }
    /// The results of one query and their log-sum-exp.
    pub fn results(&self, i: usize, h: usize) -> (Vec<Want>, Want) {
        let (w, l, most) = self.weights(i, h);
        let n = self.op.dim + self.len;
        let mut sums = vec![[0.0; 2]; values(&self.op)];
        for (j, w) in self.seen(i).zip(w) {
            dense::add([w; 2], self.value(j, h), &mut sums);
        }
        let want = |[value, mass]: [f64; 2]| Want { value, mass: (1.0 + 4.0 * most) * mass, n };
        (sums.into_iter().map(want).collect(), Want { value: l, mass: 1.0 + 4.0 * most + l.abs(), n })
    }
    /// `out` and `lse`.
    pub fn forward(&self) -> [Vec<Want>; 2] {
        let (mut out, mut lse) = (vec![], vec![]);
        let all = self.n * self.op.batch;
        for (i, h) in (0..all).flat_map(|i| (0..self.op.heads).map(move |h| (i, h))) {
            let (results, sum) = self.results(i, h);
            out.extend(results);
            lse.push(sum);
        }
        [out, lse]
    }
}

/// Sizes from a test's rows and columns: heads in groups, and more keys than queries.
fn sample_sizes(rows: usize, cols: usize, r: &mut Noise) -> Vec<(&'static str, usize)> {
    let (kv_heads, group) = (1 + r.bits() as usize % 2, 1 + r.bits() as usize % 3);
    let (n, dim) = if cols > 1000 { (rows * 9, 20) } else { (rows.min(200), cols) };
    let batch = if n < 100 { [1, 2, 1, 1, 3][(rows + cols) % 5] } else { 1 };
    let len = n + r.bits() as usize % 9;
    let mut all =
        vec![("heads", kv_heads * group), ("kv_heads", kv_heads), ("dim", dim), ("n", n), ("len", len)];
    all.extend((batch > 1).then_some(("batch", batch)));
    let [capped, other, left, masked] = [3, 3, 2, 3].map(|n| r.bits().is_multiple_of(n));
    all.extend(capped.then_some(("softcap", 2)));
    all.extend(other.then_some(("value_dim", 1 + (3 * dim) / 2 % 71)));
    all.extend(left.then_some(("top_left", 1)));
    // That of all heads, or of each.
    all.extend(masked.then_some(("mask_rows", if left { n } else { n * kv_heads * group })));
    all
}

/// A mask for these sizes, if they ask for one, with hidden keys.
fn sample_mask<T: Element>(sizes: &[(&str, usize)], r: &mut Noise) -> Vec<T> {
    let Some((_, rows)) = sizes.iter().find(|(name, _)| *name == "mask_rows") else { return vec![] };
    let mut x: Vec<T> = r.slice(rows * sizes[4].1, 2.0);
    x.iter_mut().skip(1).step_by(5).for_each(|x| *x = -T::INFINITY);
    x
}

fn sample_qkv<T: Element>(sizes: &[(&str, usize)], r: &mut Noise) -> Vec<Vec<T>> {
    let [heads, kv_heads, dim, n, len] = [0, 1, 2, 3, 4].map(|i| sizes[i].1);
    let values = named(sizes, "value_dim").unwrap_or(dim);
    let [n, len] = [n, len].map(|rows| rows * named(sizes, "batch").unwrap_or(1));
    vec![
        r.slice(n * heads * dim, 2.0),
        r.slice(len * kv_heads * dim, 2.0),
        r.slice(len * kv_heads * values, 2.0),
        sample_mask(sizes, r),
    ]
}

fn named(sizes: &[(&str, usize)], name: &str) -> Option<usize> {
    sizes.iter().find(|(n, _)| *n == name).map(|(_, n)| *n)
}

fn scale<T: Element>(dim: usize) -> T {
    T::from_f64(1.0 / (dim as f64).sqrt())
}

pub struct Forward;
impl Op for Forward {
    const NAME: &'static str = "attention";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let sizes = sample_sizes(rows, cols, r);
        let x = sample_qkv(&sizes, r);
        Args::new::<Self>(x, vec![scale(sizes[2].1)], &sizes)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let rows = shapes(a)[0][0].min(5000);
        vec![stale(results(a)), stale(rows * a.size("heads").min(100))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        4 * fulmen::attention_workspace(a.size("heads").min(100), widest(a))
    }
    fn open<T: Element>(a: &Args<T>, output: usize, at: usize) -> bool {
        let (op, finite) = (options(a), |x: &T| x.to_f64().is_finite());
        let row = at / if output == 0 { op.heads * values(&op) } else { op.heads };
        let width = if output == 0 { values(&op) } else { 1 };
        let (head, col) = (at / width % op.heads, at % width);
        let place = Place::of(a, row, head);
        let mut column = place.keys(&a.x[2], values(&op)).into_iter().flat_map(|row| row.get(col));
        // Vast scores overflow, in an order of multiplying or another.
        let scores = place.query(&a.x[0]).iter().chain(place.keys(&a.x[1], op.dim).into_iter().flatten());
        let over = scores.chain(&a.p).chain(&a.x[3]).any(|x| finite(x) && vast(*x));
        over || a.p[0].to_f64().is_infinite() || output == 0 && !column.all(finite)
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        workspace: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [out, lse] = out else { return None };
        let op = options(a);
        let ([q, k, v], out_of) = views(a);
        let mask = mask(a, 3).map(|[rows, cols]| view(&a.x[3], [rows, cols]));
        let (out, lse) = (view_mut(out, out_of), Some(&mut **lse));
        match form {
            Form::On => Some(fulmen::attention_on(s, &op, q, k, v, mask, out, lse, workspace)),
            #[cfg(feature = "parallel")]
            Form::Parallel => {
                Some(fulmen::parallel::attention_on(s, &op, q, k, v, mask, out, lse, workspace))
            }
            _ => None,
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        Naive::of(a).forward().into()
    }
}

pub struct Backward;
impl Op for Backward {
    const NAME: &'static str = "attention_backward";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0), (1, 1), (2, 2)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let sizes = sample_sizes(rows, cols, r);
        let x = sample_qkv(&sizes, r);
        let values = named(&sizes, "value_dim").unwrap_or(sizes[2].1);
        let dout = r.slice(sizes[3].1 * named(&sizes, "batch").unwrap_or(1) * sizes[0].1 * values, 2.0);
        Args::new::<Self>(with_forward(x, dout, &sizes, scale(sizes[2].1)), vec![scale(sizes[2].1)], &sizes)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len()), stale(a.x[1].len()), stale(a.x[2].len())]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        4 * fulmen::attention_backward_workspace(widest(a))
    }
    fn open<T: Element>(a: &Args<T>, output: usize, at: usize) -> bool {
        let op = options(a);
        let [dim, wide] = [op.dim, values(&op)];
        let (width, heads) = [(dim, op.heads), (dim, op.kv_heads), (wide, op.kv_heads)][output];
        let (row, head) = (at / (width * heads), at / width % heads);
        let rows = if output == 0 { a.size("n") } else { a.size("len") };
        let group = op.heads / op.kv_heads;
        let place =
            Place { sequence: row / rows, ..Place::of(a, 0, if output == 0 { head } else { head * group }) };
        let results = [(0, dim), (6, wide)].map(|(k, width)| place.queries(&a.x[k], width));
        let keys = [(1, dim), (2, wide)].map(|(k, width)| place.keys(&a.x[k], width));
        let mut all = results.iter().chain(&keys).flatten().flat_map(|x| x.iter()).chain(&a.p);
        let plain = |x: &T| x.to_f64().is_finite() && !vast(*x);
        // A mask of -∞ hides, in every order.
        !all.all(plain) || a.x[3].iter().any(|x| !plain(x) && *x != -T::INFINITY)
    }
    fn follow<T: Element>(a: &mut Args<T>) {
        let mut of = a.clone();
        let dout = of.x.split_off(4).remove(2);
        let sizes: Vec<(&str, usize)> = a.n.iter().map(|(name, n)| (&name[..], *n)).collect();
        let forward = Args::new::<Forward>(of.x, of.p, &sizes);
        let [out, lse] = forward_results(&forward);
        a.x.splice(4.., [out, lse, dout]);
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        workspace: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [dq, dk, dv] = out else { return None };
        let op = options(a);
        let ([q, k, v], out_of) = views(a);
        let mask = mask(a, 3).map(|[rows, cols]| view(&a.x[3], [rows, cols]));
        let (o, dout) = (view(&a.x[4], out_of), view(&a.x[6], out_of));
        let [q_of, k_of, v_of] = shapes(a);
        let (dq, dk, dv) = (view_mut(dq, q_of), view_mut(dk, k_of), view_mut(dv, v_of));
        let lse = &a.x[5];
        match form {
            Form::On => Some(fulmen::attention_backward_on(
                s, &op, q, k, v, mask, o, lse, dout, dq, dk, dv, workspace,
            )),
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(fulmen::parallel::attention_backward_on(
                s, &op, q, k, v, mask, o, lse, dout, dq, dk, dv, workspace,
            )),
            _ => None,
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        gradients(&Naive::of(a), [4, 5, 6].map(|k| &a.x[k][..]), 2.0, 0.0)
    }
    fn loss(a: &Args<f64>) -> f64 {
        let [out, _] = Naive::of(a).forward();
        out.iter().zip(&a.x[6]).map(|(o, d)| o.value * d).sum()
    }
}

/// The gradients of queries, keys and values from results, log-sum-exps and the results' gradients; a weight's mass grows `by`
/// times the magnitudes that are in its score, and is at least `least`.
pub fn gradients(x: &Naive<'_>, [out, lse, dout]: [&[f64]; 3], by: f64, least: f64) -> Vec<Vec<Want>> {
    let (dim, heads) = (x.op.dim, x.op.heads);
    let mut dq = vec![[0.0; 2]; x.q.len()];
    let mut dk = vec![[0.0; 2]; x.k.len()];
    let mut dv = vec![[0.0; 2]; x.v.len()];
    for i in 0..x.n * x.op.batch {
        for h in 0..heads {
            let lse = lse[i * heads + h];
            if lse == f64::NEG_INFINITY {
                continue;
            }
            let d = x.result(dout, i, h);
            let [mean, mean_abs] = dense::dot(x.result(out, i, h), d);
            for j in x.seen(i) {
                let [score, terms, slope] = x.score(i, j, h);
                let w = (score - lse).exp();
                // A mask of -∞ hides exactly.
                let off = if w == 0.0 { 1.0 } else { 1.0 + by * (terms + (score - lse).abs()) };
                let mass = if w * off < least { least } else { w * off };
                let [g, g_abs] = dense::dot(d, x.value(j, h));
                // A slope is off by roundings of 1.
                let ds = [w * (g - mean) * slope, mass * (g_abs + mean_abs)].map(|d| x.op.scale * d);
                let head = j * x.op.kv_heads + h * x.op.kv_heads / heads;
                dense::add(ds, x.kv_head(x.k, j, h), &mut dq[(i * heads + h) * dim..][..dim]);
                dense::add(ds, x.head(x.q, i, h), &mut dk[head * dim..][..dim]);
                dense::add([w, mass], d, &mut dv[head * d.len()..][..d.len()]);
            }
        }
    }
    let wide = dim.max(values(&x.op));
    let of_keys = wide + x.n * heads / x.op.kv_heads;
    [(dq, wide + x.len), (dk, of_keys), (dv, of_keys)]
        .map(|(sums, n)| sums.into_iter().map(|[value, mass]| Want { value, mass, n }).collect())
        .into()
}

/// What the forward pass of this crate gives.
fn forward_results<T: Element>(a: &Args<T>) -> [Vec<T>; 2] {
    let mut out = [stale(results(a)), stale(shapes(a)[0][0] * a.size("heads"))];
    let mut workspace = vec![T::ZERO; Forward::workspace(a)];
    let [o, l] = &mut out;
    let s = fulmen::lanes::native();
    Forward::call(s, Form::On, a, &mut [o, l], &mut workspace).unwrap().unwrap();
    out
}

/// The inputs of the backward pass: with the forward pass's results, rounded.
pub fn with_forward<T: Element>(
    x: Vec<Vec<T>>,
    dout: Vec<T>,
    sizes: &[(&str, usize)],
    scale: T,
) -> Vec<Vec<T>> {
    let mut a = Args::new::<Forward>(x, vec![scale], sizes);
    // The reference would take minutes.
    let [out, lse] = if a.size("n") > 100 {
        forward_results(&a)
    } else {
        Naive::of(&a.wide()).forward().map(|x| x.iter().map(|w| T::from_f64(w.value)).collect())
    };
    a.x.extend([out, lse, dout]);
    a.x
}

fn style<T: Element>(a: &Args<T>) -> RopeStyle {
    if a.get("interleaved").is_some() { RopeStyle::Interleaved } else { RopeStyle::Neox }
}

/// Heads of tokens, and their angles; the pairs follow from the number of columns.
fn sample_rope<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
    let (dim, heads, back) = (2 * cols, 1 + r.bits() as usize % 3, r.bits().is_multiple_of(2));
    let mut sizes = vec![("dim", dim), ("tokens", rows)];
    if r.bits().is_multiple_of(2) {
        sizes.push(("interleaved", 1));
    }
    if O::NAME == RopeView::NAME && back {
        sizes.push(("back", 1));
    }
    let x = vec![r.slice(rows * heads * dim, 4.0), r.slice(rows * cols, 1.0), r.slice(rows * cols, 1.0)];
    Args::new::<O>(x, vec![], &sizes)
}

fn rotated(a: &Args<f64>, back: bool) -> Vec<Vec<Want>> {
    let (dim, x) = (a.size("dim"), &a.x[0]);
    let half = dim / 2;
    let rows = a.x[1].len() / half;
    let cols = x.len().checked_div(rows).unwrap_or(dim).max(1);
    let mut out = vec![Want { value: 0.0, mass: 0.0, n: 1 }; x.len()];
    for (at, _) in x.iter().enumerate() {
        let (row, p) = (at / cols, at % cols % dim);
        let (i, second) = match style(a) {
            RopeStyle::Interleaved => (p / 2, p % 2 == 1),
            RopeStyle::Neox => (p % half, p >= half),
        };
        let apart = if style(a) == RopeStyle::Interleaved { 1 } else { half };
        let (c, s) = (a.x[1][row * half + i], a.x[2][row * half + i]);
        let s = if back { -s } else { s };
        let [u, v] = if second { [x[at] * c, x[at - apart] * s] } else { [x[at] * c, -x[at + apart] * s] };
        out[at] = Want { value: u + v, mass: u.abs() + v.abs(), n: 1 };
    }
    vec![out]
}

macro_rules! rope_op {
    ($Op:ident $name:ident $on:ident $in_place:ident $back:literal) => {
        pub struct $Op;
        impl Op for $Op {
            const NAME: &'static str = stringify!($name);
            fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
                sample_rope::<T, Self>(rows, cols, r)
            }
            fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
                vec![stale(a.x[0].len())]
            }
            fn call<S: Simd, T: Element>(
                s: S,
                form: Form,
                a: &Args<T>,
                out: &mut [&mut [T]],
                _: &mut [T],
            ) -> Option<Result<(), Error>> {
                let [out] = out else { return None };
                let [x, cos, sin] = &a.x[..] else { return None };
                match form {
                    Form::On => Some(fulmen::$on(s, x, a.size("dim"), cos, sin, style(a), out)),
                    Form::InPlace => {
                        // Only a call that is refused has another length.
                        if out.len() != x.len() {
                            return None;
                        }
                        out.copy_from_slice(x);
                        let done = fulmen::$in_place(s, out, a.size("dim"), cos, sin, style(a));
                        if done.is_err() {
                            assert_eq!(bits(out), bits(x), "written");
                            out.fill(T::from_f64(STALE));
                        }
                        Some(done)
                    }
                    #[cfg(feature = "parallel")]
                    Form::Parallel => {
                        let mut over = x.clone();
                        let (dim, style) = (a.size("dim"), style(a));
                        let done = fulmen::parallel::$on(s, x, dim, cos, sin, style, out);
                        let again = fulmen::parallel::$in_place(s, &mut over, dim, cos, sin, style);
                        let same = done.is_ok() && bits(out) == bits(&over);
                        assert!(same || done.is_err(), "in place: {again:?}");
                        Some(done)
                    }
                    #[cfg(not(feature = "parallel"))]
                    Form::Parallel => None,
                }
            }
            fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
                rotated(a, $back)
            }
        }
    };
}
rope_op!(Rope rope rope_on rope_in_place_on false);
rope_op!(RopeBackward rope_backward rope_backward_on rope_backward_in_place_on true);

pub struct RopeView;
impl Op for RopeView {
    const NAME: &'static str = "rope_view";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        sample_rope::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone()]
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        _: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [x] = out else { return None };
        let dim = a.size("dim");
        let x = view_mut(x, [a.size("tokens"), dim]);
        let back = a.get("back").is_some();
        (form == Form::On).then(|| fulmen::rope_view_on(s, x, dim, &a.x[1], &a.x[2], style(a), back))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        rotated(a, a.get("back").is_some())
    }
}
