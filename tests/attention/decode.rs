//! One query over a cache: edge cases of its contract, and the bits of `attention` whatever the cache is made of.

use common::lanes::*;
use common::nn::attention::{Forward, options};
use common::nn::*;
use common::yaml::contract;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use fulmen::quant::{Block, Q4_K, Q8_0, blocks};
use fulmen::{Attention, Cached, Error, Pages, attention_decode_on, attention_decode_workspace};

use super::{CAP, meets};

const OP: &str = "attention_decode";

/// What was written: `out`, `lse`.
fn call<S: Simd, C: Cached>(
    s: S,
    op: &Attention<f32>,
    [q, out, lse, room]: [usize; 4],
    (x, keys, values): (&[f32], &[C], &[C]),
    pages: Option<Pages<&[u32]>>,
) -> Result<[Vec<f32>; 2], Error> {
    let (mut out, mut lse) = (vec![STALE as f32; out], vec![STALE as f32; lse]);
    let mut room = vec![f32::NAN; room];
    let done = attention_decode_on(s, op, &x[..q], keys, values, pages, &mut out, Some(&mut lse), &mut room);
    if done.is_err() {
        assert!(out.iter().chain(&lse).all(|x| *x == STALE as f32), "wrote, and then refused");
    }
    done.map(|()| [out, lse])
}

#[test]
fn edge_cases() {
    let per = spec(OP).and_then(|s| s.tolerance("f32")).unwrap();
    let mut ran = 0;
    for e in &contract(OP).edge_cases {
        let of = |k: usize| -> Vec<f32> { e.inputs[k].iter().map(|v| v.value("f32") as f32).collect() };
        let [q, keys, values, table] = [0, 1, 2, 3].map(of);
        let table: Vec<u32> = table.into_iter().map(|x| x as u32).collect();
        let p = e.params.iter().flatten().map(|v| v.value("f32") as f32).collect();
        let a = Args { x: vec![], ids: vec![], p, n: Args::<f32>::parse(&e.options) };
        let op = options(&a);
        let pages = a.get("rows").map(|rows| Pages { table: &table[..], rows, len: a.size("len") });
        let room = a.get("workspace").unwrap_or(attention_decode_workspace(op.heads, op.dim));
        let sizes = [q.len(), a.get("out0").unwrap_or(q.len()), a.get("out1").unwrap_or(op.heads), room];
        for_each_lane!(|s| {
            let got = call(s, &op, sizes, (&q, &keys, &values), pages);
            meets("attention_decode", e, per, got);
        });
        ran += 1;
    }
    assert!(ran > 30, "{ran}");
    let named = |pages, keys: &[f32], op: &Attention<f32>| {
        let x = vec![1.0f32; op.heads * op.dim];
        let sizes = [x.len(), x.len(), op.heads, attention_decode_workspace(op.heads, op.dim)];
        format!("{:?}", call(fulmen::lanes::native(), op, sizes, (&x, keys, keys), pages).unwrap_err())
    };
    let op = Attention::new(1, 1, 2, 1.0f32);
    let table = &[0, 7][..];
    assert!(
        named(Some(Pages { table, rows: 1, len: 2 }), &[0.0; 8], &op)
            .contains("\"pages\", index: 7, below: 4")
    );
    assert!(named(Some(Pages { table, rows: usize::MAX, len: 2 }), &[0.0; 8], &op).contains("\"pages\""));
    assert!(named(Some(Pages { table, rows: 1, len: usize::MAX }), &[0.0; 8], &op).contains("\"pages\""));
    assert!(named(None, &[0.0; 7], &op).contains("\"keys\""));
    let wide = Attention { value_dim: Some(3), ..op };
    assert!(named(None, &[0.0; 8], &wide).contains("\"value_dim\""));
    // A head of blocks that are not whole.
    let q8 = blocks::<Q8_0>(&[0; 68]).unwrap();
    let op = Attention::new(1, 1, 33, 1.0f32);
    let sizes = [33, 33, 1, attention_decode_workspace(1, 33)];
    let error = call(fulmen::lanes::native(), &op, sizes, (&[0.0; 33], q8, q8), None).unwrap_err();
    assert_eq!(error, Error::rows("dim", 32, 33));
}

/// Heads, key heads, dim, keys, window: one and several chunks and blocks of keys, groups of one to five heads.
const CASES: [(usize, usize, usize, usize, Option<usize>); 7] = [
    (1, 1, 32, 1, None),
    (4, 2, 32, 15, None),
    (2, 2, 64, 17, Some(3)),
    (3, 3, 32, 128, None),
    (5, 1, 64, 129, Some(1)),
    (4, 2, 96, 300, Some(150)),
    (6, 2, 32, 257, None),
];

/// `keys` and `values` as they are, and in pages of some rows, shuffled, against `attention` on their numbers.
fn agree<C: Cached>(
    case: (usize, usize, usize, usize, Option<usize>),
    of: impl Fn(&[f32]) -> Vec<C>,
    back: impl Fn(&[C]) -> Vec<f32>,
) {
    let (heads, kv_heads, dim, len, window) = case;
    // Every second case has a cap.
    let mut a = super::with::<f32, Forward>((heads, kv_heads, dim, 1, len, false, window), 3, len % 2 * CAP);
    let [keys, values] = [1, 2].map(|k| of(&a.x[k]));
    (a.x[1], a.x[2]) = (back(&keys), back(&values));
    let op = options(&a);
    let row = keys.len() / len;
    let sizes = [heads * dim, heads * dim, heads, attention_decode_workspace(heads, dim)];
    let (exact, bound) = (Forward::want(&a.wide()), spec(OP).and_then(|c| c.tolerance("f32")).unwrap());
    for_each_lane!(|s| {
        let want = run::<_, f32, Forward>(s, Form::On, &a).unwrap().unwrap();
        let same = |got: Result<[Vec<f32>; 2], Error>, how: &str| {
            let got = got.unwrap();
            assert!(
                got.len() == want.len() && got.iter().zip(&want).all(|(x, y)| bits(x) == bits(y)),
                "{case:?} {how}"
            );
        };
        let first = call(s, &op, sizes, (&a.x[0], &keys, &values), None);
        let mut errors = common::Errors::of(OP, "f32", name_of(s));
        for (y, w) in first.iter().flatten().flatten().zip(exact.iter().flatten()) {
            let allowed = bound.allowed::<f32>(w.value, &[&vec![0.0; w.n]], w.mass);
            errors.see((f64::from(*y) - w.value).abs(), allowed, w.n);
        }
        same(first, "in order");
        for rows in [1, 5, 16, 64] {
            // Page `i` of the text lies at `5·i + 3` of a prime number of pages, the others hold what must not count.
            let held = [7, 29, 67, 311].into_iter().find(|n| *n > len.div_ceil(rows)).unwrap();
            let table: Vec<u32> = (0..len.div_ceil(rows)).map(|i| ((5 * i + 3) % held) as u32).collect();
            let spread = |x: &[C]| {
                let mut to: Vec<C> = x.iter().copied().cycle().take(held * rows * row).collect();
                for (j, x) in x.chunks_exact(row).enumerate() {
                    let at = (table[j / rows] as usize * rows + j % rows) * row;
                    to[at..at + row].copy_from_slice(x);
                }
                to
            };
            let (keys, values) = (spread(&keys), spread(&values));
            let pages = Pages { table: &table[..], rows, len };
            same(call(s, &op, sizes, (&a.x[0], &keys, &values), Some(pages)), "in pages");
        }
    });
}

/// Blocks near `x`, and their numbers.
fn quantised<B: Block>(x: &[f32]) -> Vec<B> {
    let mut to = blocks::<B>(&vec![0; x.len() / B::ELEMENTS * size_of::<B>()]).unwrap().to_vec();
    fulmen::quantize(x, None, &mut to).unwrap();
    to
}
fn numbers<B: Block>(x: &[B]) -> Vec<f32> {
    let mut to = vec![0.0; x.len() * B::ELEMENTS];
    fulmen::dequantize(x, &mut to).unwrap();
    to
}

#[test]
fn the_bits_of_attention() {
    for case in CASES {
        agree(case, <[f32]>::to_vec, <[f32]>::to_vec);
        agree(case, quantised::<Q8_0>, numbers);
        #[cfg(feature = "half")]
        {
            use half::{bf16, f16};
            agree(
                case,
                |x| x.iter().map(|x| f16::from_f32(*x)).collect(),
                |x: &[f16]| x.iter().map(|x| x.to_f32()).collect(),
            );
            agree(
                case,
                |x| x.iter().map(|x| bf16::from_f32(*x)).collect(),
                |x: &[bf16]| x.iter().map(|x| x.to_f32()).collect(),
            );
        }
    }
    // Blocks of a whole head.
    agree((2, 1, 256, 140, None), quantised::<Q4_K>, numbers);
}
