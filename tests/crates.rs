//! Types of this crate under the traits of others: bytemuck.

use bytemuck::{Pod, PodCastError, Zeroable, cast_slice, cast_slice_mut, try_cast_slice};
use fulmen::quant::*;
use fulmen::{Complex, E4m3, Error, c32, c64};

/// The bytes of these are a value each: as bytes and back they are the same ones, and parts of a value are refused.
fn there_and_back<T: Pod>(x: &mut [T]) {
    let each = size_of::<T>();
    let bytes: Vec<u8> = (0..x.len() * each).map(|i| (i * 37 + i / 7) as u8).collect();
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
