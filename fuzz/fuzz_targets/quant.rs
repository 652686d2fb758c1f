//! Takes the input as blocks of a format, and as numbers that become blocks: `make fuzz`. The build's
//! lanes and one portable lane must give the same bits, of scales that are NaN or infinite, too.
#![no_main]

use fulmen::lanes::{Portable, Simd, native};
use fulmen::quant::*;

/// The bits, but for NaN.
fn bits(x: &[f32]) -> Vec<Option<u32>> {
    x.iter().map(|x| (!x.is_nan()).then(|| x.to_bits())).collect()
}

/// What one lane makes of the input.
fn results<S: Simd, B: Block>(s: S, bytes: &[u8], cols: usize) -> (Vec<Option<u32>>, Vec<u8>) {
    let part = |each: usize| &bytes[..bytes.len() / each * each];
    let a = blocks::<B>(part(size_of::<B>())).unwrap();
    let b = blocks::<B::Partner>(part(size_of::<B::Partner>())).unwrap();
    let n = a.len().min(b.len());
    let mut out = vec![0.0; a.len() * B::ELEMENTS];
    dequantize_on(s, a, &mut out).unwrap();
    out.push(quant_dot_on(s, &a[..n], &b[..n]).unwrap());
    // Rows of two blocks.
    let (rows, cases) = (a.len() / 2, b.len() / 2);
    let mut products = vec![0.0; rows * cases];
    quant_gemm_on(s, &a[..2 * rows], &b[..2 * cases], 2 * B::ELEMENTS, &mut products).unwrap();
    out.extend(products);
    let x: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect();
    let rows = x.len() / cols;
    let mut to = vec![a.first().copied(); rows * cols.div_ceil(B::ELEMENTS)];
    let Some(mut to) = to.drain(..).collect::<Option<Vec<B>>>() else { return (bits(&out), vec![]) };
    let mut made = vec![];
    for importance in [None, Some(&x[..cols.min(x.len())])] {
        if quantize_padded_on(s, &x[..rows * cols], cols, importance, &mut to).is_ok() {
            made.extend_from_slice(bytes_of(&to));
            let mut back = vec![0.0; rows * cols];
            dequantize_padded_on(s, &to, cols, &mut back).unwrap();
            assert!(back.iter().all(|x| x.is_finite()), "{}: {back:?}", B::NAME);
        }
    }
    (bits(&out), made)
}

fn run<B: Block>(bytes: &[u8], cols: usize) {
    assert!(
        results::<_, B>(native(), bytes, cols) == results::<_, B>(Portable::<1>::new(), bytes, cols),
        "{}",
        B::NAME
    );
}

macro_rules! formats {
    ($kind:expr, $bytes:expr, $cols:expr, $($i:literal $B:ident)*) => {
        match $kind {
            $($i => run::<$B>($bytes, $cols),)*
            _ => {}
        }
    };
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let [kind, cols, bytes @ ..] = bytes else { return };
    formats!(kind % 17, bytes, usize::from(*cols) + 1, 0 Q4_0 1 Q4_1 2 Q5_0 3 Q5_1 4 Q8_0 5 Q8_1 6 IQ4_NL 7 MXFP4 8 Q2_K 9 Q3_K
        10 Q4_K 11 Q5_K 12 Q6_K 13 Q8_K 14 NF4 15 NF4_LOW 16 Q8_64);
});
