//! Reads the input as the length and the numbers of a Fourier transform, then as an expression of tensors and their shapes, then as
//! filters of Q15 and a signal in blocks: `cargo +nightly fuzz run signals`. What is taken agrees with sums by the definition.
#![no_main]

use common::nn::contractions::contraction;
use common::nn::transforms::dft;
use common::nn::{Noise, Want, allowed};
use fulmen::{
    Biquad, Complex, Direction, Einsum, EinsumPlan, Fft, einsum, fft, fft_in_place, fft_plan_len,
    fft_workspace, fixed_biquad, fixed_fir,
};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(([low, high, way, axes], rest)) = bytes.split_first_chunk() else { return };
    transform(usize::from(u16::from_le_bytes([*low, *high])) % 1500, *way, rest);
    filters(usize::from(*low), usize::from(*way % 20), usize::from(*axes) + 1, rest);
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

/// Filters of Q15 in blocks of `block` results: sums by the definition, in 128 bits.
fn filters(taps: usize, decimation: usize, block: usize, bytes: &[u8]) {
    let numbers: Vec<i16> = bytes.as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b)).collect();
    let (h, rest) = numbers.split_at(taps.min(numbers.len()));
    let x = &rest[..rest.len() - rest.len() % decimation.max(1)];
    let end = |sum: i128, shift: u32| (sum >> shift).clamp(-32768, 32767) as i16;
    let (mut state, mut y) = (vec![0; h.len().saturating_sub(1)], vec![7; x.len() / decimation.max(1)]);
    if h.is_empty() || decimation == 0 {
        assert!(fixed_fir(h, decimation, &mut state, x, &mut y).is_err());
        return;
    }
    for (x, y) in x.chunks(block * decimation).zip(y.chunks_mut(block)) {
        fixed_fir(h, decimation, &mut state, x, y).unwrap();
    }
    for (l, y) in y.iter().enumerate() {
        let seen = x[..=l * decimation].iter().rev();
        let sum = h.iter().zip(seen).map(|(h, x)| i128::from(*h) * i128::from(*x)).sum();
        assert_eq!(*y, end(sum, 15), "{taps} {decimation} {block}: {l}");
    }
    let sections: Vec<_> =
        h.as_chunks::<5>().0.iter().map(|[b, c, d, e, f]| Biquad { b: [*b, *c, *d], a: [*e, *f] }).collect();
    let (shift, mut state, mut y) = (decimation as u32 % 16, vec![0; 4 * sections.len()], vec![7; x.len()]);
    for (x, y) in x.chunks(block).zip(y.chunks_mut(block)) {
        fixed_biquad(&sections, shift, &mut state, x, y).unwrap();
    }
    let mut want = x.to_vec();
    for Biquad { b, a } in &sections {
        let mut kept = [0i16; 4];
        for x in &mut want {
            let six = [*x, kept[0], kept[1], kept[2], kept[3]].map(i128::from);
            let c = [b[0], b[1], b[2], a[0], a[1]].map(i128::from);
            let sum = c[0] * six[0] + c[1] * six[1] + c[2] * six[2] - c[3] * six[3] - c[4] * six[4];
            let y = end(sum, 15 - shift);
            kept = [*x, kept[0], y, kept[2]];
            *x = y;
        }
    }
    assert_eq!(y, want, "{} sections, {block}", sections.len());
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
