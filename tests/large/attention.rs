//! Attention past its blocks of keys and panels of queries, with masks, on threads.

use crate::nn::attention::{Backward, Forward, Naive, with_forward};
use crate::nn::{Args, Form, Noise, Op, Want, run};
use crate::sizes::{POOLS, Stream, around, same, threshold, tiles};
use crate::tensors::compare;
use fulmen::Element;
use fulmen::lanes::native;

/// Sizes: heads, heads of keys, elements of a head, queries, keys; then the words.
fn sizes(n: [usize; 5], causal: bool, window: Option<usize>) -> Vec<(&'static str, usize)> {
    let mut all: Vec<_> = ["heads", "kv_heads", "dim", "n", "len"].into_iter().zip(n).collect();
    all.extend(causal.then_some(("causal", 1)));
    all.extend(window.map(|w| ("window", w)));
    all
}

/// Queries, keys, values and a mask, as the words say; a third of the mask hides.
fn inputs<T: Element>(
    [heads, kv_heads, dim, n, len]: [usize; 5],
    words: &[(&str, usize)],
    r: &mut Noise,
) -> Vec<Vec<T>> {
    let word = |name| words.iter().find(|(word, _)| *word == name).map(|(_, n)| *n);
    let (values, mask) = (word("value_dim").unwrap_or(dim), word("mask_rows").unwrap_or(0) * len);
    let mut x =
        [n * heads * dim, len * kv_heads * dim, len * kv_heads * values, mask].map(|n| r.slice(n, 2.0));
    x[3].iter_mut().step_by(3).for_each(|x| *x = -T::INFINITY);
    x.into()
}

fn scale<T: Element>(dim: usize) -> T {
    T::from_f64(1.0 / (dim as f64).sqrt())
}

/// One call on one thread and on several: some queries against the reference.
fn forward<T: Element>(n: [usize; 5], causal: bool, window: Option<usize>) {
    forward_of::<T>(n, &sizes(n, causal, window));
}

fn forward_of<T: Element>(n: [usize; 5], words: &[(&str, usize)]) {
    let x = inputs::<T>(n, words, &mut Noise(n[4] as u64));
    let a = Args::new::<Forward>(x, vec![scale(n[2])], words);
    let what = format!("attention {} {:?}", T::NAME, a.n);
    let one = run::<_, T, Forward>(native(), Form::On, &a).unwrap().unwrap();
    for pool in &*POOLS {
        let many = pool.install(|| run::<_, T, Forward>(native(), Form::Parallel, &a)).unwrap().unwrap();
        one.iter().zip(&many).for_each(|(one, many)| same(&what, one, many));
    }
    let wide = a.wide();
    let naive = Naive::of(&wide);
    let [heads, _, dim, queries, _] = n;
    let values = a.get("value_dim").unwrap_or(dim);
    let mut r = Stream::new(queries as u64);
    let mut some: Vec<usize> = (0..queries.min(2)).chain(queries.saturating_sub(2)..queries).collect();
    some.extend((0..9).map(|_| r.below(queries)));
    for i in some {
        for h in 0..heads {
            let (results, sum) = naive.results(i, h);
            let (want, at) = ([results, vec![sum]], i * heads + h);
            let got = [one[0][at * values..][..values].to_vec(), vec![one[1][at]]];
            compare("attention", &format!("{what} query {i} head {h}"), &got, &want);
        }
    }
}

fn backward<T: Element>(n: [usize; 5], causal: bool, window: Option<usize>) {
    backward_of::<T>(n, &sizes(n, causal, window));
}

fn backward_of<T: Element>(n: [usize; 5], words: &[(&str, usize)]) {
    let mut r = Noise(n[4] as u64);
    let x = inputs::<T>(n, words, &mut r);
    let dout = r.slice(x[2].len() / n[4] / n[1] * n[0] * n[3], 2.0);
    let a = Args::new::<Backward>(with_forward(x, dout, words, scale(n[2])), vec![scale(n[2])], words);
    crate::tensors::verify::<T, Backward>(&a);
}

/// Keys around the blocks: at one to four of them.
fn keys() -> Vec<usize> {
    let block = threshold("nn::attention::BLOCK");
    [1, 2, 3, 4].into_iter().flat_map(|k| [k * block - 1, k * block, k * block + 1]).collect()
}

const MASKS: [(bool, Option<usize>); 5] =
    [(false, None), (true, None), (true, Some(37)), (true, Some(200)), (false, Some(129))];

fn every_forward<T: Element>() {
    for (turn, len) in keys().into_iter().chain([900, 2085]).enumerate() {
        for (causal, window) in MASKS {
            // One query, few of them, and as many as keys.
            forward::<T>([4, 2, 32, 1, len], causal, window);
            forward::<T>([8, 8, 20, 1, len], causal, window);
            forward::<T>([3, 1, 17 + turn, 5, len], causal, window);
            let [heads, kv_heads] = [[1, 1], [2, 1], [4, 4]][turn % 3];
            forward::<T>([heads, kv_heads, 24, len.min(600), len], causal, window);
        }
    }
}

/// Around the panels of queries.
fn panels<T: Element>() {
    let tile = tiles::<T>()[1];
    for panels in
        [threshold("nn::attention::forward::PANELS"), threshold("nn::attention::backward::PANELS"), 1]
    {
        for n in [panels * tile - 1, panels * tile, panels * tile + 1] {
            forward::<T>([1, 1, 8, n, n + 3], true, None);
            forward::<T>([1, 1, 8, n, 140], false, None);
        }
    }
    for n in [2 * tile - 1, 4 * tile, 4 * tile + 1] {
        backward::<T>([1, 1, 8, n, 300], true, None);
    }
}

/// Elements of a head around the thresholds.
fn dims<T: Element>() {
    for dim in around::<T>(300) {
        forward::<T>([2, 1, dim, 3, 130], true, None);
        forward::<T>([2, 2, dim, 1, 390], false, None);
        if dim <= 160 {
            backward::<T>([2, 1, dim, 3, 130], true, None);
        }
    }
}

fn every_backward<T: Element>() {
    for (turn, len) in keys().into_iter().enumerate() {
        for (k, (causal, window)) in MASKS.into_iter().enumerate() {
            if (turn + k) % 2 == 0 {
                backward::<T>([2, 1, 12, 60, len], causal, window);
                backward::<T>([2, 2, 9, 1, len], causal, window);
            }
        }
    }
    backward::<T>([1, 1, 8, 390, 390], true, None);
    backward::<T>([4, 2, 16, 129, 385], true, Some(150));
}

/// Caps, masks and values of another width, past the blocks, with heads and with queries on threads.
fn every_option<T: Element>() {
    for (turn, n) in [[4, 2, 32, 1, 385], [1, 1, 16, 150, 390], [4, 4, 24, 129, 257], [3, 1, 40, 300, 150]]
        .into_iter()
        .enumerate()
    {
        let all = [
            ("softcap", 3),
            ("value_dim", [9, 70][turn % 2]),
            ("mask_rows", n[3] * if turn > 1 { n[0] } else { 1 }),
        ];
        let words = [&sizes(n, turn % 3 == 1, None)[..], &all, &[("top_left", 1)][..turn % 2]].concat();
        forward_of::<T>(n, &words);
        backward_of::<T>(n, &words);
    }
}

macro_rules! tests {
    ($($name:ident $f:ident;)*) => {$(
        mod $name {
            #[test]
            fn f32() {
                super::$f::<f32>();
            }
            #[test]
            fn f64() {
                super::$f::<f64>();
            }
        }
    )*};
}
tests! {
    masks every_forward;
    queries panels;
    heads dims;
    gradients every_backward;
    options every_option;
}
