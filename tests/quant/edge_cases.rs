//! The cases of the contracts.

use super::*;
use common::yaml::contract;
use common::yaml::schema::EdgeCase as Edge;

/// A number that a half holds, as one: the pattern whose value it is.
pub(super) fn half(x: f64) -> [u8; 2] {
    let value = |b: u16| {
        let (sign, exponent, rest) = (b >> 15, i32::from(b >> 10 & 31), f64::from(b & 1023));
        let size = match exponent {
            0 => rest * 2f64.powi(-24),
            31 if rest == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            e => (1024.0 + rest) * 2f64.powi(e - 25),
        };
        if sign == 1 { -size } else { size }
    };
    let same = |b: &u16| value(*b).to_bits() == x.to_bits() || (value(*b).is_nan() && x.is_nan());
    (0..=u16::MAX).find(same).expect("a half holds it").to_le_bytes()
}
/// A block for each row of an input: the scale, and the codes repeated.
pub(super) fn of(e: &Edge, i: usize) -> Vec<Q8_0> {
    let cols = e.shapes.as_ref().unwrap()[i][1];
    let numbers: Vec<f64> = e.inputs[i].iter().map(|x| x.value("f32")).collect();
    let block = |row: &[f64]| {
        let codes = row[1..].iter().cycle().take(32).map(|x| *x as i8 as u8);
        [half(row[0]).to_vec(), codes.collect()].concat()
    };
    let bytes: Vec<u8> = numbers.chunks(cols).flat_map(block).collect();
    blocks(&bytes).unwrap().to_vec()
}
pub(super) fn option(e: &Edge, name: &str) -> usize {
    let all = e.options.iter().filter_map(|o| o.split_once('='));
    all.filter(|(k, _)| *k == name).map(|(_, v)| v.parse().unwrap()).next().unwrap()
}
/// Runs `f` on each case; `period` is how many results stand for a block of 32, 0 for all of them.
pub(super) fn each(op: &str, period: impl Fn(&Edge) -> usize, f: impl Fn(&Edge) -> Result<Vec<f32>, Error>) {
    let c = contract(op);
    assert!(c.edge_cases.len() >= 5, "{op}");
    for e in &c.edge_cases {
        let got = f(e);
        if let Some(error) = &e.error {
            let got = format!("{:?}", got.unwrap_err());
            assert!(got.starts_with(error.as_str()), "{op} {}: {got}", e.name);
            continue;
        }
        let (got, p) = (got.unwrap(), period(e));
        let want: Vec<f32> = e.out.as_ref().unwrap().iter().map(|x| x.value("f32") as f32).collect();
        let want = if p == 0 {
            want
        } else {
            want.chunks(p).flat_map(|w| w.iter().cycle().take(32)).copied().collect()
        };
        same(&got, &want, &format!("{op} {}", e.name));
    }
}
fn cols(e: &Edge) -> usize {
    e.shapes.as_ref().unwrap()[0][1] - 1
}

#[test]
fn dequantize() {
    for_each_lane!(|s| each("dequantize", cols, |e| {
        let x = of(e, 0);
        let mut out = vec![7.0; 32 * x.len()];
        dequantize_on(s, &x, &mut out).map(|()| out)
    }));
}
#[test]
fn quantize() {
    for_each_lane!(|s| each(
        "quantize",
        |e| cols(e) + 1,
        |e| {
            let x: Vec<f32> = e.inputs[0].iter().map(|x| x.value("f32") as f32).collect();
            let n = if x.is_empty() { 0 } else { 32 };
            let x: Vec<f32> = x.iter().cycle().take(n).copied().collect();
            let mut out = zeros::<Q8_0>(n / 32);
            quantize_on(s, &x, None, &mut out).map(|()| numbers(&out))
        }
    ));
}
#[test]
fn quant_dot() {
    for_each_lane!(|s| each("quant_dot", |_| 0, |e| quant_dot_on(s, &of(e, 0), &of(e, 1)).map(|y| vec![y])));
}
#[test]
fn quant_gemv() {
    for_each_lane!(|s| each(
        "quant_gemv",
        |_| 0,
        |e| {
            let mut out = vec![7.0; option(e, "rows")];
            quant_gemv_on(s, &of(e, 0), &of(e, 1), &mut out).map(|()| out)
        }
    ));
}
#[test]
fn quant_gemm() {
    for_each_lane!(|s| each(
        "quant_gemm",
        |_| 0,
        |e| {
            let x = of(e, 1);
            let mut out = vec![7.0; option(e, "rows") * x.len()];
            quant_gemm_on(s, &of(e, 0), &x, option(e, "cols"), &mut out).map(|()| out)
        }
    ));
}
#[test]
fn quant_rows() {
    for_each_lane!(|s| each("quant_rows", cols, |e| {
        let ids: Vec<u32> = e.inputs[1].iter().map(|x| x.value("f32") as u32).collect();
        let mut out = vec![7.0; 32 * ids.len()];
        quant_rows_on(s, &of(e, 0), option(e, "cols"), &ids, &mut out).map(|()| out)
    }));
}
