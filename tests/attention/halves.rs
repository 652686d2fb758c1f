//! Attention of bf16: edge cases of its contract, refusals, and the bits of `f32`.

use super::{CAP, CASES, WIDTH, args, meets, with};
use common::lanes::*;
use common::nn::attention::{Forward, options, shapes};
use common::nn::*;
use common::yaml::contract;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use fulmen::{Error, MatMut, MatRef, attention_bf16_on, attention_bf16_workspace};
use half::bf16;

const OP: &str = "attention_bf16";

/// The results of a call on operands of these shapes, row by row, or each column by column: `out`, `lse`.
fn call<S: Simd>(
    s: S,
    a: &Args<f32>,
    shapes: [[usize; 2]; 3],
    transposed: bool,
) -> Result<[Vec<f32>; 2], Error> {
    let op = options(a);
    let (n, len) = (a.size("n"), a.size("len"));
    let turned: Vec<Vec<bf16>> = (a.x.iter().zip(shapes))
        .map(|(x, [r, c])| {
            let at = |e: usize| if transposed { x[e % r * c + e / r] } else { x[e] };
            (0..r * c).map(|e| bf16::from_f32(at(e))).collect()
        })
        .collect();
    let view = |k: usize| {
        let [r, c] = shapes[k];
        if transposed { MatRef::col_major(&turned[k], r, c) } else { MatRef::row_major(&turned[k], r, c) }
            .unwrap()
    };
    let values = op.value_dim.unwrap_or(op.dim);
    let [rows, cols] = [shapes[0][0], op.heads * values];
    let mut out = vec![STALE as f32; a.get("out0").unwrap_or(rows * cols)];
    let mut lse = vec![STALE as f32; a.get("out1").unwrap_or(n * op.heads)];
    let room = attention_bf16_workspace(op.heads, op.kv_heads, values.max(op.dim), n, len);
    let mut room = vec![f32::NAN; a.get("workspace").unwrap_or(room)];
    let width = out.len().checked_div(rows).unwrap_or(cols);
    let to = MatMut::row_major(&mut out, rows, width).unwrap();
    let done = attention_bf16_on(s, &op, view(0), view(1), view(2), to, Some(&mut lse), &mut room);
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
        let inputs = e.inputs.iter().map(|x| x.iter().map(|v| v.value("f32") as f32).collect()).collect();
        let p = e.params.iter().flatten().map(|v| v.value("f32") as f32).collect();
        let a = Args { x: inputs, ids: vec![], p, n: Args::<f32>::parse(&e.options) };
        let stated = e.shapes.clone().unwrap().try_into().unwrap();
        for_each_lane!(|s| {
            for transposed in [false, true] {
                let got = call(s, &a, stated, transposed);
                meets(e, per, got);
            }
        });
        ran += 1;
    }
    assert!(ran > 25, "{ran}");
}

/// Each argument in turn, by its name, and nothing is written.
#[test]
fn refusals() {
    let base = args::<f32, Forward>((2, 1, 3, 4, 5, true, None), 1);
    let (s, of) = (fulmen::lanes::native(), shapes(&base));
    let refused = |name: &str, n: usize| {
        let mut a = base.clone();
        a.n.retain(|(known, _)| known != name);
        a.n.push((name.into(), n));
        format!("{:?}", call(s, &a, of, false).unwrap_err())
    };
    assert!(refused("heads", 0).starts_with("Empty"));
    assert!(refused("kv_heads", 3).starts_with("Domain"));
    assert!(refused("out0", 20).contains("\"out\""));
    assert!(refused("out1", 7).contains("\"lse\""));
    assert!(refused("workspace", 9).starts_with("Workspace"));
    for (k, name) in ["q", "k", "v"].into_iter().enumerate() {
        let mut of = of;
        of[k][1] -= 1;
        let said = format!("{:?}", call(s, &base, of, false).unwrap_err());
        assert!(said.contains(&format!("\"{name}\"")), "{said}");
    }
}

#[test]
fn bf16_has_the_bits_of_f32() {
    for (turn, case) in CASES.into_iter().enumerate() {
        let mut a = with::<f32, Forward>(case, 3, if turn % 2 == 0 { CAP + WIDTH } else { 0 });
        for x in a.x.iter_mut().flatten() {
            *x = bf16::from_f32(*x).to_f32();
        }
        for_each_lane!(|s| {
            let want = run::<_, f32, Forward>(s, Form::On, &a).unwrap().unwrap();
            for transposed in [false, true] {
                let got = call(s, &a, shapes(&a), transposed).unwrap();
                assert!(got.iter().zip(&want).all(|(x, y)| bits(x) == bits(y)), "{case:?} {transposed}");
            }
        });
    }
}
