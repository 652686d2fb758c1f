//! The tables of the fixed-point logistic function and tanh at the sixteenths from −8 to 8, as CMSIS-NN tabulates them.
//! The index of an entry is the low byte of the argument, so the entries of negative arguments come last. The compiler
//! computes the tables.

/// `exp(−1/16)`, by its series.
const STEP: f64 = {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1);
    while k < 16 {
        term *= -1.0 / 16.0 / k as f64;
        sum += term;
        k += 1;
    }
    sum
};

/// The numbers times `unit`, rounded to the nearest and saturated below it.
#[allow(clippy::indexing_slicing, reason = "computed when this is compiled, where a wrong index is an error")]
const fn table(tanh: bool, unit: f64) -> [i32; 256] {
    let (mut to, mut i, mut exp) = ([0; 256], 0, 1.0);
    while i <= 128 {
        // exp is exp(−i/16), or for tanh of twice as much.
        let x = if tanh { (1.0 - exp) / (1.0 + exp) } else { 1.0 / (1.0 + exp) };
        let left = if tanh { -x } else { exp / (1.0 + exp) };
        if i < 128 {
            let near = (x * unit + 0.5) as i32;
            to[i] = if near < unit as i32 { near } else { unit as i32 - 1 };
        }
        if i > 0 {
            to[256 - i] = if left < 0.0 { (left * unit - 0.5) as i32 } else { (left * unit + 0.5) as i32 };
        }
        exp *= if tanh { STEP * STEP } else { STEP };
        i += 1;
    }
    to
}

macro_rules! tables {
    ($($name:ident $T:ty, $tanh:literal, $unit:literal;)*) => {$(
        #[allow(clippy::indexing_slicing, reason = "computed when this is compiled, where a wrong index is an error")]
        pub(crate) const $name: [$T; 256] = {
            let (wide, mut to, mut i) = (table($tanh, $unit), [0; 256], 0);
            while i < 256 {
                to[i] = wide[i] as $T;
                i += 1;
            }
            to
        };
    )*};
}
tables! {
    SIGMOID_Q7 i8, false, 128.0;
    TANH_Q7 i8, true, 128.0;
    SIGMOID_Q15 i16, false, 32768.0;
    TANH_Q15 i16, true, 32768.0;
}
