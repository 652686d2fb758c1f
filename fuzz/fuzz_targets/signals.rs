//! Reads the input as the length and the numbers of a Fourier transform, then as an expression of tensors and their shapes:
//! `cargo +nightly fuzz run signals`. What is taken agrees with sums by the definition.
#![no_main]

use common::nn::contractions::contraction;
use common::nn::transforms::dft;
use common::nn::{Noise, Want, allowed};
use fulmen::{
    Complex, Direction, Einsum, EinsumPlan, Fft, einsum, fft, fft_in_place, fft_plan_len, fft_workspace,
};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(([low, high, way, axes], rest)) = bytes.split_first_chunk() else { return };
    transform(usize::from(u16::from_le_bytes([*low, *high])) % 1500, *way, rest);
    let (shapes, text) = rest.split_at(usize::from(*axes % 33).min(rest.len()));
    if let Ok(text) = std::str::from_utf8(text) {
        contract(text, shapes);
    }
});

/// A length of 0 is refused; any other one, there and in place, is the sum by its definition.
fn transform(n: usize, way: u8, bytes: &[u8]) {
    let (mut table, mut work) = (vec![0.0f64; fft_plan_len(n)], vec![Complex::ZERO; fft_workspace(n)]);
    let plan = match Fft::plan(n, &mut table, &mut work) {
        Ok(plan) => plan,
        Err(_) => return assert_eq!(n, 0),
    };
    let byte = |k: usize| f64::from(bytes.get(k % bytes.len().max(1)).copied().unwrap_or(1)) - 100.0;
    let x: Vec<Complex<f64>> = (0..n).map(|k| Complex::new(byte(2 * k), byte(2 * k + 1))).collect();
    let direction = if way % 2 == 0 { Direction::Forward } else { Direction::Inverse };
    let mut y = vec![Complex::ZERO; n];
    fft(&plan, direction, &x, &mut y, &mut work).unwrap();
    let mut z = x.clone();
    fft_in_place(&plan, direction, &mut z, &mut work).unwrap();
    assert!(y == z, "{n} in place");
    let want = dft(Complex::parts(&x), way % 2 == 1);
    let scale = if way % 2 == 1 { n as f64 } else { 1.0 };
    let mass = (n as f64 * x.iter().map(|z| z.norm_sqr()).sum::<f64>()).sqrt() / scale;
    for (y, want) in Complex::parts(&y).iter().zip(want) {
        let bound = allowed::<f64>("fft", &Want { value: want, mass, n });
        assert!((y - want).abs() <= bound, "{n}: {y}, not {want}");
    }
}

/// An expression that is read has axes for shapes, and what it says is what loops over all indices come to.
fn contract(text: &str, sizes: &[u8]) {
    let Ok(expression) = Einsum::parse(text) else { return };
    let terms = text.split("->").next().unwrap_or_default().split(',');
    let mut sizes = sizes.iter().chain(std::iter::repeat(&2)).map(|n| usize::from(n % 4));
    // Letters have sizes of their own, so that most shapes fit.
    let mut letters = [None; 128];
    let mut size = |c: char| *letters[c as usize % 128].get_or_insert_with(|| sizes.next().unwrap_or(1));
    let shapes: Vec<Vec<usize>> =
        terms.map(|term| term.chars().filter(|c| *c != ' ').map(&mut size).collect()).collect();
    let list: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let Ok(plan) = EinsumPlan::new(&expression, &list) else { return };
    let all = letters.iter().flatten().fold(1usize, |n, size| n.saturating_mul((*size).max(1)));
    if all > 1 << 14 || plan.workspace() > 1 << 22 {
        return;
    }
    let mut noise = Noise(all as u64);
    let x: Vec<Vec<f64>> = shapes.iter().map(|s| noise.slice(s.iter().product(), 2.0)).collect();
    let operands: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
    let (mut y, mut work) = (vec![f64::NAN; plan.len()], vec![f64::NAN; plan.workspace()]);
    einsum(&plan, &operands, &mut y, &mut work).unwrap();
    let want = contraction(text, &shapes, &x);
    assert_eq!(y.len(), want.len(), "{text}");
    for (y, want) in y.iter().zip(&want) {
        assert!((y - want.value).abs() <= allowed::<f64>("einsum", want), "{text} {shapes:?}: {y}");
    }
}
