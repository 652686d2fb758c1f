//! Types of this crate under the traits of others: bytemuck, num-traits, num-complex and serde.

use bytemuck::{Pod, PodCastError, Zeroable, cast_slice, cast_slice_mut, try_cast_slice};
use fulmen::quant::*;
use fulmen::{Complex, E4m3, Error, c32, c64};

/// The bytes of these are a value each: as bytes and back they are the same ones, and parts of a value are refused.
fn there_and_back<T: Pod>(x: &mut [T]) {
    let each = size_of::<T>();
    let bytes: Vec<u8> = (0..size_of_val(x)).map(|i| (i * 37 + i / 7) as u8).collect();
    cast_slice_mut(x).copy_from_slice(&bytes);
    assert_eq!(cast_slice::<T, u8>(x), bytes);
    let back: &[T] = cast_slice(cast_slice::<T, u8>(x));
    assert_eq!((back.as_ptr(), back.len()), (x.as_ptr(), x.len()));
    if each > align_of::<T>() {
        let cut: Result<&[T], _> = try_cast_slice(&cast_slice::<T, u8>(x)[align_of::<T>()..]);
        assert_eq!(cut.err(), Some(PodCastError::OutputSliceWouldHaveSlop));
    }
    assert!(bytemuck::bytes_of(&T::zeroed()).iter().all(|byte| *byte == 0));
}

#[test]
fn plain_data_is_bytes_and_back() {
    there_and_back(&mut [c32::ZERO; 5]);
    there_and_back(&mut [c64::ZERO; 5]);
    there_and_back(&mut [E4m3::MAX; 256]);
    macro_rules! blocks {
        ($($B:ident)*) => { $(there_and_back(&mut [$B::zeroed(); 3]);)* };
    }
    blocks! { Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1 IQ4_NL MXFP4 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K NF4 NF4_LOW Q8_64 }
}

#[test]
fn complex_numbers_are_pairs() {
    let parts = [1.0f32, 2.0, 3.0, -4.0];
    let z: &[c32] = cast_slice(&parts);
    assert_eq!(z, [c32::new(1.0, 2.0), c32::new(3.0, -4.0)]);
    assert_eq!(z, Complex::of(&parts).unwrap());
    assert_eq!(Complex::parts(z), parts);
    assert_eq!(c32::of(&parts[1..]), Err(Error::rows("parts", 2, 3)));
    let mut more = parts;
    assert_eq!(c32::of_mut(&mut more[..3]).err(), Some(Error::rows("parts", 2, 3)));
    c32::of_mut(&mut more).unwrap()[1] = c32::I;
    assert_eq!(more, [1.0, 2.0, 0.0, 1.0]);
    // In a constant, too.
    const PARTS: &[f64] = Complex::parts(&[c64::new(5.0, 6.0)]);
    assert_eq!(PARTS, [5.0, 6.0]);
}

#[test]
fn blocks_of_bytes() {
    let bytes: Vec<u8> = (0..5 * size_of::<Q5_1>()).map(|i| i as u8).collect();
    // Wherever they begin.
    for start in 0..4 {
        let end = start + 4 * size_of::<Q5_1>();
        assert_eq!(bytes_of(blocks::<Q5_1>(&bytes[start..end]).unwrap()), &bytes[start..end]);
        let got = blocks::<Q5_1>(&bytes[start..end - 1]);
        assert_eq!(got, Err(Error::rows("bytes", 24, 95)));
    }
    for (floats, fit) in [(0, 0), (5, 0), (6, 1), (11, 1), (12, 2)] {
        assert_eq!(blocks_in::<Q5_1>(&mut vec![0.0; floats]).len(), fit);
    }
    // 18 bytes are no multiple of a number's.
    for (floats, fit) in [(4, 0), (5, 1), (8, 1), (9, 2)] {
        assert_eq!(blocks_in::<Q4_0>(&mut vec![0.0; floats]).len(), fit);
    }
}

/// What code that knows numbers by their traits alone computes.
#[cfg(feature = "num-traits")]
mod of_num_traits {
    use super::*;
    use fulmen::lanes::Element;
    use num_traits::{ConstOne, ConstZero, Float, FromPrimitive, Inv, MulAdd, Num, One, ToPrimitive, Zero};

    fn horner<T: Num + Copy>(coefficients: &[T], x: T) -> T {
        coefficients.iter().rev().fold(T::zero(), |sum, c| sum * x + *c)
    }

    #[test]
    fn generic_code_computes_with_complex_numbers() {
        // 1 + x² at i, and at 2.
        let of = |x: c64| horner(&[c64::ONE, c64::ZERO, c64::ONE], x);
        assert_eq!([of(c64::I), of(c64::from(2.0))], [c64::ZERO, c64::from(5.0)]);
        assert!(c32::zero().is_zero() && c32::one().is_one() && !c32::I.is_zero() && !c32::I.is_one());
        assert_eq!((<c32 as ConstZero>::ZERO, <c32 as ConstOne>::ONE), (c32::zero(), c32::one()));
        assert_eq!(c64::new(0.0, 2.0).inv(), c64::new(0.0, -0.5));
        assert_eq!(c64::I.mul_add(c64::I, c64::ONE), c64::ZERO);
        // The quotient 2.2 + 0.4i is cut to 2.
        assert_eq!(c64::new(5.0, 0.0) % c64::new(2.0, -0.0), c64::ONE);
        let mut rest = c64::new(11.0, 2.0);
        rest %= c64::new(3.0, -4.0);
        assert_eq!(rest, c64::ZERO);
    }

    #[test]
    fn generic_code_computes_with_elements() {
        /// Bounds of both crates at once.
        fn mean_of_roots<T: Element + Float>(x: &[T], scratch: &mut [T]) -> T {
            fulmen::sqrt(x, scratch).unwrap();
            let largest = scratch.iter().copied().fold(T::neg_infinity(), Float::max);
            fulmen::sum(scratch) / num_traits::cast::<_, T>(x.len()).unwrap() + largest - largest
        }
        assert_eq!(mean_of_roots(&[1.0f32, 4.0, 9.0, 16.0], &mut [0.0; 4]), 2.5);
        assert_eq!(mean_of_roots(&[1.0f64, 4.0, 9.0, 16.0], &mut [0.0; 4]), 2.5);
    }

    #[test]
    fn conversions_keep_what_is_real() {
        assert_eq!(c64::from_i32(-3), Some(c64::from(-3.0)));
        assert_eq!(c64::from_u64(1 << 53), Some(c64::from(9_007_199_254_740_992.0)));
        assert_eq!(c32::from_f64(0.5), Some(c32::from(0.5)));
        assert_eq!((c64::from(7.5).to_i64(), c64::from(7.5).to_f32()), (Some(7), Some(7.5)));
        assert_eq!(
            (c64::from(3.0).to_u64(), c64::I.to_f64(), c64::from(-1.0).to_u64()),
            (Some(3), None, None)
        );
        assert_eq!(num_traits::cast(2.5f32), Some(c64::from(2.5)));
    }

    #[test]
    fn text_is_read_as_it_is_written() {
        let read = |text: &str| c64::from_str_radix(text, 10);
        for z in [(1.5, -2.0), (-1e-300, 2.5e300), (0.0, 1.0), (-0.0, -0.0), (3.0, f64::INFINITY)] {
            let z = c64::from(z);
            assert_eq!(read(&z.to_string()), Ok(z));
            assert_eq!(read(&format!("{:e}{:+}i", z.re, z.im)), Ok(z));
        }
        for (text, z) in [
            ("2", (2.0, 0.0)),
            ("-2.5i", (0.0, -2.5)),
            ("i", (0.0, 1.0)),
            ("1-i", (1.0, -1.0)),
            ("+i", (0.0, 1.0)),
            ("1+2j", (1.0, 2.0)),
        ] {
            assert_eq!(read(text), Ok(c64::from(z)), "{text}");
        }
        assert_eq!(c64::from_str_radix("101+11i", 2), Ok(c64::new(5.0, 3.0)));
        for text in ["", "+", "1+2", "1+2i+", "1++2i", "i1", "1 + 2i", "1+2ii", "é", "1+éi"] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
        for radix in [0, 1, 19, 37, u32::MAX] {
            assert!(c64::from_str_radix("1", radix).is_err());
        }
    }
}

#[cfg(feature = "num-complex")]
mod of_num_complex {
    use super::*;
    use num_complex::Complex as Theirs;

    #[test]
    fn numbers_and_slices_convert_both_ways() {
        let theirs = [Theirs::new(1.0f32, -2.0), Theirs::i()];
        let ours = [c32::new(1.0, -2.0), c32::I];
        assert_eq!(theirs.map(c32::from), ours);
        assert_eq!(ours.map(Theirs::<f32>::from), theirs);
        assert_eq!(cast_slice::<Theirs<f32>, c32>(&theirs), ours);
        assert_eq!(cast_slice::<c32, Theirs<f32>>(&ours), theirs);
        // What both compute and write is the same.
        let (a, b): (Theirs<f32>, Theirs<f32>) = (ours[0].into(), c32::new(3.0, 0.5).into());
        assert_eq!(c32::from(a * b), ours[0] * c32::new(3.0, 0.5));
        assert_eq!(a.to_string(), ours[0].to_string());
    }
}

#[cfg(feature = "serde")]
mod of_serde {
    use super::*;
    use core::fmt::Debug;
    use fulmen::owned::CsrBuffer;
    use serde::{Serialize, de::DeserializeOwned};

    /// As text and back; a field that is not known is refused, and one that is missing, unless it is an `Option`.
    fn round<T: Serialize + DeserializeOwned + PartialEq + Debug>(x: T) {
        let text = serde_json::to_string(&x).unwrap();
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), x, "{text}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let serde_json::Value::Object(fields) = &value else { return };
        for name in fields.keys() {
            let mut fields = fields.clone();
            let old = fields.remove(name).unwrap();
            let optional = ["window", "softcap", "value_dim"].contains(&name.as_str());
            let less = serde_json::from_value::<T>(fields.clone().into());
            assert_eq!(less.is_ok(), optional, "{text} without {name}");
            fields.insert(format!("{name}_"), old);
            assert!(serde_json::from_value::<T>(fields.into()).is_err(), "{text} with {name}_");
        }
    }

    #[test]
    fn settings_are_read_as_they_were_written() {
        let attention = fulmen::Attention {
            causal: true,
            window: Some(7),
            softcap: Some(30.0),
            ..fulmen::Attention::new(4, 2, 64, 0.125f32)
        };
        round(attention);
        round(fulmen::Attention::new(1, 1, 8, 0.1f64));
        round([fulmen::Align::TopLeft, fulmen::Align::BottomRight]);
        round(fulmen::Conv1d {
            channels_in: 2,
            channels_out: 4,
            length: 9,
            kernel: 3,
            stride: 2,
            padding: 1,
            dilation: 1,
            groups: 2,
        });
        round(fulmen::Conv2d {
            channels_in: 2,
            channels_out: 4,
            height: 9,
            width: 8,
            kernel: [3, 2],
            stride: [2, 1],
            padding: [[1, 0], [2, 3]],
            dilation: [1, 4],
            groups: 2,
        });
        round(fulmen::Pool {
            input: [1, 5, 6],
            kernel: [1, 2, 3],
            stride: [1; 3],
            dilation: [1; 3],
            padding: [0; 3],
            padding_end: [0, 1, 0],
            ceil: true,
        });
        round([fulmen::RopeStyle::Neox, fulmen::RopeStyle::Interleaved]);
        round(fulmen::RopeScaling::Ntk { factor: 4.0f32 });
        round(fulmen::RopeScaling::<f64>::None);
        round(fulmen::Sampling { temperature: 0.7f32, top_k: 40, top_p: 0.95 });
        round(fulmen::Adam {
            lr: 1e-3f64,
            beta1: 0.9,
            beta2: 0.999,
            eps: 1e-8,
            weight_decay: 0.01,
            step: 12,
        });
        round(fulmen::Momentum { lr: 0.1f32, mu: 0.9, dampening: 0.0, weight_decay: 0.0, nesterov: true });
        round(fulmen::Adagrad { lr: 0.1f32, eps: 1e-10, weight_decay: 0.0 });
        round(fulmen::Biquad { b: [0.25f64, 0.5, 0.25], a: [-0.1, 0.2] });
        round([fulmen::Window::Hann, fulmen::Window::Kaiser { beta: 8.6 }]);
        round((fulmen::Extent::Same, fulmen::DctKind::IV, fulmen::Direction::Inverse));
        round([fulmen::image::Border::Constant(3u8), fulmen::image::Border::Reflect101]);
        let by = fulmen::image::Interpolation::Lanczos3;
        round(fulmen::image::Resize { from: [4, 6], to: [2, 3], by, antialias: true });
        round(fulmen::image::Norm::L2);
        round(fulmen::random::Stream { key: u64::MAX, id: 3, offset: 1 << 60 });
        use fulmen::blas::{Diagonal, Side, Triangle};
        round((Triangle::Lower, Diagonal::Unit, Side::Right));
        round(fulmen::blas::Conjugate { a: true, b: false });
        round([fulmen::Pad::Constant(2.5f32), fulmen::Pad::Wrap]);
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        round([c32::new(0.1, -2e-30), c32::I]);
        round(vec![c64::new(0.1, 1e300)]);
        assert_eq!(serde_json::to_string(&c64::new(1.5, -2.0)).unwrap(), "[1.5,-2.0]");
        let all: Vec<E4m3> = (0..=255).map(E4m3::from_bits).collect();
        let back: Vec<E4m3> = serde_json::from_str(&serde_json::to_string(&all).unwrap()).unwrap();
        assert_eq!(back.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), (0..=255).collect::<Vec<_>>());
    }

    #[test]
    fn a_sparse_matrix_is_checked_as_it_is_read() {
        let a =
            fulmen::owned::coo_to_csr(3, 4, &[0, 1, 1, 2], &[3, 0, 2, 1], &[1.0f32, -2.5, 3.0, 4.0]).unwrap();
        let text = serde_json::to_string(&a).unwrap();
        // A view is written in the same way.
        assert_eq!(serde_json::to_string(&a.view().unwrap()).unwrap(), text);
        round(a);
        round(CsrBuffer { cols: 0, offsets: vec![0], columns: vec![], values: Vec::<f64>::new() });
        for (from, to) in [
            ("\"cols\":4", "\"cols\":3"),
            ("[0,1,3,4]", "[0,3,1,4]"),
            ("[0,1,3,4]", "[]"),
            ("[3,0,2,1]", "[3,2,0,1]"),
            (",4.0]", "]"),
            ("\"cols\":4", "\"cols\":-1"),
        ] {
            let wrong = text.replace(from, to);
            assert_ne!(wrong, text, "{from}");
            assert!(serde_json::from_str::<CsrBuffer<f32>>(&wrong).is_err(), "{wrong}");
        }
        let outside = serde_json::from_str::<CsrBuffer<f32>>(&text.replace("\"cols\":4", "\"cols\":3"));
        assert!(outside.unwrap_err().to_string().contains("columns"));
    }
}
