//! Bytes and integers of 16 bits as numbers: the bits of a CPU, from wherever in a word they start.

use super::*;
use fulmen::gpu::backend::{Scalar, View, ViewMut, Word};
use fulmen::gpu::device::Computes;

/// Each of these lengths from each place of a word, to results that start at odd ones, in each number of channels.
fn bits<I: Word + PartialEq + std::fmt::Debug, T: Scalar>(
    of: impl Fn(usize) -> I,
    cpu: impl Fn(&[I], &[T], &[T], &mut [T]) -> Result<(), fulmen::Error>,
    call: impl Fn(
        &Gpu<Host>,
        View<'_, I, Host>,
        [View<'_, T, Host>; 2],
        ViewMut<'_, T, Host>,
    ) -> Result<(), Error>,
) where
    Host: Computes<T>,
{
    let gpu = Gpu::new(Host::default());
    let mark = T::from_f64(-77.0);
    for pixels in [0, 1, 2, 3, 85, 257] {
        for channels in [1, 2, 3, 4, 7] {
            let n = pixels * channels;
            for before in 0..5 {
                let x: Vec<I> = (0..before + n + 3).map(|i| of(i * 37 + pixels)).collect();
                let number = |c: usize, by: f64| T::from_f64(by / (c as f64 + 3.0) - 0.1);
                let scale: Vec<T> = (0..channels).map(|c| number(c, 1.0)).collect();
                let offset: Vec<T> = (0..channels).map(|c| number(c, -9.0)).collect();
                let mut want = vec![mark; n];
                cpu(&x[before..before + n], &scale, &offset, &mut want).unwrap();
                let [on_scale, on_offset] = [&scale, &offset].map(|x| gpu.upload(x).unwrap());
                let (on_x, mut out) = (gpu.upload(&x).unwrap(), gpu.upload(&vec![mark; n + 6]).unwrap());
                let [_, rest] = out.view_mut().split(before + 1).unwrap();
                let [to, _] = rest.split(n).unwrap();
                let from = on_x.view().part(before..before + n).unwrap();
                call(&gpu, from, [on_scale.view(), on_offset.view()], to).unwrap();
                let mut got = vec![mark; n + 6];
                gpu.download(out.view(), &mut got).unwrap();
                let all = [&vec![mark; before + 1][..], &want, &vec![mark; 5 - before]].concat();
                assert!(got == all, "{pixels} pixels of {channels} from {before}: {got:?}, on a CPU {all:?}");
                let mut back = x.clone();
                gpu.download(on_x.view(), &mut back).unwrap();
                assert_eq!(back, x, "the samples changed");
            }
        }
    }
}

#[test]
fn bytes_have_the_bits_of_a_cpu() {
    let of = |i: usize| (i % 256) as u8;
    bits::<_, f32>(of, fulmen::u8_to_float, |gpu, x, [s, o], out| gpu.u8_to_float(x, s, o, out));
    bits::<_, f64>(of, fulmen::u8_to_float, |gpu, x, [s, o], out| gpu.u8_to_float(x, s, o, out));
}

#[test]
fn integers_of_16_bits_have_the_bits_of_a_cpu() {
    let of = |i: usize| (i * 911) as u16 as i16;
    bits::<_, f32>(of, fulmen::i16_to_float, |gpu, x, [s, o], out| gpu.i16_to_float(x, s, o, out));
    bits::<_, f64>(of, fulmen::i16_to_float, |gpu, x, [s, o], out| gpu.i16_to_float(x, s, o, out));
}
