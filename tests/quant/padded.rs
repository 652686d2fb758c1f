//! Rows that are not whole blocks.

use super::edge_cases::{each, half, of, option};
use super::*;

/// Rows of `cols` elements: blocks by the op, and those of each row with zeros behind it.
fn any_length<B: Block>() {
    let e = B::ELEMENTS;
    let mut rng = Rng(31);
    for cols in [1, e - 1, e, e + 1, 2 * e, 3 * e - 5] {
        let (rows, each) = (3, cols.div_ceil(e));
        let x = rng.row(rows * cols, true);
        let w: Vec<f32> = (0..cols).map(|i| if i % 3 == 0 { 9.0 } else { 0.5 }).collect();
        for w in [None, Some(&w[..])] {
            let mut got = zeros::<B>(rows * each);
            quantize_padded(&x, cols, w, &mut got).unwrap();
            for (x, got) in x.chunks(cols).zip(got.chunks(each)) {
                let (whole, rest) = x.split_at(cols / e * e);
                let mut want = zeros::<B>(each);
                let (a, b) = want.split_at_mut(cols / e);
                for (i, (x, to)) in whole.chunks(e).zip(a).enumerate() {
                    let w = w.map(|w| &w[i * e..][..e]);
                    quantize(x, w, std::slice::from_mut(to)).unwrap();
                }
                if let [last] = b {
                    let mut all = rest.to_vec();
                    all.resize(e, 0.0);
                    let weigh =
                        |i: usize| if i < rest.len() { w.map_or(1.0, |w| w[cols / e * e + i]) } else { 0.0 };
                    let w: Vec<f32> = (0..e).map(weigh).collect();
                    quantize(&all, Some(&w), std::slice::from_mut(last)).unwrap();
                }
                assert_eq!(bytes_of(got), bytes_of(&want), "{} {cols}", B::NAME);
            }
            for_each_lane!(|s| {
                let mut out = vec![7.0; rows * cols];
                dequantize_padded_on(s, &got, cols, &mut out).unwrap();
                for (out, got) in out.chunks(cols).zip(got.chunks(each)) {
                    same(out, &numbers(got)[..cols], B::NAME);
                }
            });
        }
    }
    // What is behind a row changes no product with activations that are padded.
    let (cols, step) = (e + 3, e / B::Partner::ELEMENTS);
    let (x, y) = (rng.row(cols, false), rng.row(cols, false));
    let (mut a, mut b) = (zeros::<B>(2), zeros::<B::Partner>(2 * step));
    quantize_padded(&x, cols, None, &mut a).unwrap();
    let mut all = y.clone();
    all.resize(2 * e, 0.0);
    quantize(&all, None, &mut b).unwrap();
    let want: f64 =
        numbers(&a)[..cols].iter().zip(numbers(&b)).map(|(a, b)| f64::from(*a) * f64::from(b)).sum();
    let mass: f64 = numbers(&a)[..cols].iter().zip(&y).map(|(a, b)| f64::from(a * b).abs()).sum();
    let got = f64::from(quant_dot(&a, &b).unwrap());
    assert!((got - want).abs() <= 2e-2 * mass, "{}: {got} {want}", B::NAME);
}

#[test]
fn rows_of_any_length() {
    each_format!(any_length());
}

fn refused<B: Block>() {
    let (e, mut to, mut out) = (B::ELEMENTS, zeros::<B>(2), vec![7.0f32; 6]);
    let len = |arg, expected, got| Err(Error::len(arg, expected, got));
    let x = [1.0; 6];
    assert_eq!(quantize_padded(&x, 0, None, &mut to), Err(Error::empty("cols")));
    assert_eq!(quantize_padded(&x, 4, None, &mut to), Err(Error::rows("x", 4, 6)));
    assert_eq!(quantize_padded(&x, 2, None, &mut to), len("out", 3, 2));
    assert_eq!(quantize_padded(&x, 3, Some(&x[..2]), &mut to), len("importance", 3, 2));
    assert_eq!(quantize_padded(&[1.0, f32::NAN], 1, None, &mut to), Err(Error::domain("x")));
    assert_eq!(quantize_padded(&x, 3, Some(&[1.0, -1.0, 0.0]), &mut to), Err(Error::domain("importance")));
    assert_eq!(dequantize_padded(&to, 0, &mut out), Err(Error::empty("cols")));
    assert_eq!(dequantize_padded(&to, 4, &mut out), Err(Error::rows("out", 4, 6)));
    assert_eq!(dequantize_padded(&to, 2, &mut out), len("x", 3, 2));
    assert_eq!(dequantize_padded(&to, 6, &mut out), len("x", 1, 2));
    assert!(bytes_of(&to).iter().all(|x| *x == 0) && out.iter().all(|x| *x == 7.0), "{e}");
    assert_eq!(quantize_padded::<B>(&[], 3, None, &mut []), Ok(()));
    assert_eq!(dequantize_padded::<B>(&[], 3, &mut []), Ok(()));
}

#[test]
fn refusals() {
    each_format!(refused());
}

#[test]
fn edge_cases() {
    assert_eq!(half(0.5), [0, 0x38]);
    for_each_lane!(|s| {
        each(
            "dequantize_padded",
            |_| 0,
            |e| {
                let x = of(e, 0);
                let mut out = vec![7.0; option(e, "cols") * x.len()];
                dequantize_padded_on(s, &x, option(e, "cols"), &mut out).map(|()| out)
            },
        );
        each(
            "quantize_padded",
            |_| 0,
            |e| {
                let x: Vec<f32> = e.inputs[0].iter().map(|x| x.value("f32") as f32).collect();
                let cols = option(e, "cols");
                let mut to = zeros::<Q8_0>(x.len().checked_div(cols).unwrap_or(0) * cols.div_ceil(32));
                quantize_padded_on(s, &x, cols, None, &mut to)?;
                let mut out = vec![7.0; x.len()];
                dequantize_padded(&to, cols, &mut out).map(|()| out)
            },
        );
    });
}

#[cfg(feature = "parallel")]
fn threads<B: Block>() {
    let (rows, cols) = (300, B::ELEMENTS + 7);
    let x = Rng(5).row(rows * cols, false);
    let (mut a, mut b) = (zeros::<B>(2 * rows), zeros::<B>(2 * rows));
    quantize_padded(&x, cols, None, &mut a).unwrap();
    parallel::quantize_padded(&x, cols, None, &mut b).unwrap();
    assert_eq!(bytes_of(&a), bytes_of(&b));
    let (mut y, mut z) = (vec![7.0; rows * cols], vec![8.0; rows * cols]);
    dequantize_padded(&a, cols, &mut y).unwrap();
    parallel::dequantize_padded(&b, cols, &mut z).unwrap();
    same(&y, &z, B::NAME);
}

/// Formats of either size: what goes to threads is rows.
#[cfg(feature = "parallel")]
#[test]
fn threads_give_the_same_bits() {
    threads::<Q8_0>();
    threads::<NF4>();
    threads::<Q8_K>();
}
