//! Attention of bf16: edge cases of its contract, refusals, and the bits of `f32`.

use super::{BATCH, CAP, CASES, WIDTH, args, meets, with};
use common::lanes::*;
use common::nn::attention::{Backward, Forward, options, shapes};
use common::nn::*;
use common::yaml::contract;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use fulmen::{
    Error, MatMut, MatRef, attention_bf16_backward_on, attention_bf16_backward_workspace, attention_bf16_on,
    attention_bf16_workspace,
};
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
    let mut lse = vec![STALE as f32; a.get("out1").unwrap_or(rows * op.heads)];
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
                meets(OP, e, per, got);
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
    assert_eq!(refused("batch", 0), "Empty { op: \"attention_bf16\", arg: \"batch\" }");
    // 4 queries of two sequences, but 5 keys.
    assert!(refused("batch", 2).contains("\"k\""));
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
        let mut a = with::<f32, Forward>(case, 3, [CAP + WIDTH, 0, BATCH][turn % 3]);
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

/// The gradients from inputs of these shapes, row by row, or each column by column: `dq`, `dk`, `dv`.
fn backward<S: Simd>(
    s: S,
    a: &Args<f32>,
    shapes: [[usize; 2]; 6],
    transposed: bool,
) -> Result<[Vec<f32>; 3], Error> {
    let op = options(a);
    let turn = |x: &[f32], [r, c]: [usize; 2]| -> Vec<f32> {
        (0..r * c).map(|e| if transposed { x[e % r * c + e / r] } else { x[e] }).collect()
    };
    let turned: Vec<Vec<f32>> = (a.x.iter().zip(shapes).enumerate())
        .map(|(k, (x, of))| if k == 4 { x.clone() } else { turn(x, of) })
        .collect();
    let halves: Vec<Vec<bf16>> =
        turned.iter().map(|x| x.iter().map(|x| bf16::from_f32(*x)).collect()).collect();
    fn view<T>(x: &[T], [r, c]: [usize; 2], transposed: bool) -> MatRef<'_, T> {
        if transposed { MatRef::col_major(x, r, c) } else { MatRef::row_major(x, r, c) }.unwrap()
    }
    let half = |k: usize| view(&halves[k], shapes[k], transposed);
    let values = op.value_dim.unwrap_or(op.dim);
    let room = attention_bf16_backward_workspace(
        op.heads,
        op.kv_heads,
        values.max(op.dim),
        shapes[0][0],
        shapes[1][0],
    );
    let mut room = vec![f32::NAN; a.get("workspace").unwrap_or(room)];
    let mut out = ["out0", "out1", "out2"]
        .into_iter()
        .zip(shapes)
        .map(|(name, [r, c])| vec![STALE as f32; a.get(name).unwrap_or(r * c)])
        .collect::<Vec<_>>();
    let [dq, dk, dv] = out.get_disjoint_mut([0, 1, 2]).unwrap();
    let to = [dq, dk, dv].into_iter().zip(shapes).map(|(x, [r, c])| {
        let (rows, cols) = if transposed { (c, r) } else { (r, x.len().checked_div(r).unwrap_or(c)) };
        let to = MatMut::row_major(x, rows, cols).unwrap();
        if transposed { to.t() } else { to }
    });
    let [dq, dk, dv] = to.collect::<Vec<_>>().try_into().ok().unwrap();
    let results = view(&turned[3], shapes[3], transposed);
    let (q, k, v, dout) = (half(0), half(1), half(2), half(5));
    let done = attention_bf16_backward_on(s, &op, q, k, v, results, &a.x[4], dout, dq, dk, dv, &mut room);
    if done.is_err() {
        assert!(out.iter().flatten().all(|x| *x == STALE as f32), "wrote, and then refused");
    }
    // Row by row again.
    let back = out.iter().zip(shapes).map(|(x, [r, c])| if transposed { turn(x, [c, r]) } else { x.clone() });
    done.map(|()| back.collect::<Vec<_>>().try_into().unwrap())
}

/// The shapes of the inputs of gradients without a mask.
fn backward_shapes(a: &Args<f32>) -> [[usize; 2]; 6] {
    let [q, k, v] = shapes(a);
    let op = options(a);
    let results = [q[0], op.heads * op.value_dim.unwrap_or(op.dim)];
    [q, k, v, results, [q[0], op.heads], results]
}

/// Without the mask, which is empty, and all but the log-sum-exps rounded.
fn unmasked(mut a: Args<f32>) -> Args<f32> {
    assert!(a.x.remove(3).is_empty());
    for k in [0, 1, 2, 5] {
        a.x[k].iter_mut().for_each(|x| *x = bf16::from_f32(*x).to_f32());
    }
    a
}

#[test]
fn edge_cases_backward() {
    let op = "attention_bf16_backward";
    let per = spec(op).and_then(|s| s.tolerance("f32")).unwrap();
    let mut ran = 0;
    for e in &contract(op).edge_cases {
        let inputs = e.inputs.iter().map(|x| x.iter().map(|v| v.value("f32") as f32).collect()).collect();
        let p = e.params.iter().flatten().map(|v| v.value("f32") as f32).collect();
        let a = Args { x: inputs, ids: vec![], p, n: Args::<f32>::parse(&e.options) };
        let stated = e.shapes.clone().unwrap().try_into().unwrap();
        for_each_lane!(|s| {
            for transposed in [false, true] {
                // A gradient's rows are told by its length.
                if !transposed || e.error.is_none() {
                    meets(op, e, per, backward(s, &a, stated, transposed));
                }
            }
        });
        ran += 1;
    }
    assert!(ran > 25, "{ran}");
}

/// Each argument in turn, by its name, and nothing is written.
#[test]
fn refusals_backward() {
    let base = unmasked(args::<f32, Backward>((2, 1, 3, 4, 5, true, None), 1));
    let (s, of) = (fulmen::lanes::native(), backward_shapes(&base));
    let refused = |name: &str, n: usize| {
        let mut a = base.clone();
        a.n.retain(|(known, _)| known != name);
        a.n.push((name.into(), n));
        format!("{:?}", backward(s, &a, of, false).unwrap_err())
    };
    assert!(refused("heads", 0).starts_with("Empty"));
    assert!(refused("kv_heads", 3).starts_with("Domain"));
    for (name, n, arg) in [("out0", 20, "dq"), ("out1", 10, "dk"), ("out2", 10, "dv")] {
        assert!(refused(name, n).contains(&format!("\"{arg}\"")), "{name}");
    }
    assert!(refused("workspace", 9).starts_with("Workspace"));
    for (k, name) in ["q", "k", "v", "out", "lse", "dout"].into_iter().enumerate().filter(|(k, _)| *k != 4) {
        let mut of = of;
        of[k][1] -= 1;
        let said = format!("{:?}", backward(s, &base, of, false).unwrap_err());
        assert!(said.contains(&format!("\"{name}\"")), "{said}");
    }
    let mut short = base.clone();
    short.x[4].pop();
    assert!(format!("{:?}", backward(s, &short, of, false).unwrap_err()).contains("\"lse\""));
}

#[test]
fn bf16_has_the_bits_of_f32_backward() {
    for (turn, case) in CASES.into_iter().enumerate() {
        let mut a = with::<f32, Backward>(case, 3, if turn % 2 == 0 { CAP + WIDTH } else { 0 });
        let half = unmasked(a.clone());
        // The log-sum-exps and results of other operands: what is compared is the same.
        (0..3).for_each(|k| a.x[k].clone_from(&half.x[k]));
        a.x[6].clone_from(&half.x[5]);
        for_each_lane!(|s| {
            let want = run::<_, f32, Backward>(s, Form::On, &a).unwrap().unwrap();
            for transposed in [false, true] {
                let got = backward(s, &half, backward_shapes(&half), transposed).unwrap();
                assert!(got.iter().zip(&want).all(|(x, y)| bits(x) == bits(y)), "{case:?} {transposed}");
            }
        });
    }
}
