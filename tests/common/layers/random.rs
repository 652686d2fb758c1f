//! Random numbers on a device: the bits of a CPU, or in a language whose square roots are its own, as near as the contract
//! says.

use crate::device::Worst;
use crate::device::specials::{Group, Kind, compare, refusal};
use crate::seed::Seed;
use fulmen::backend::{Random, RandomBits, RandomFlags, RandomIntegers};
use fulmen::contract::spec;
use fulmen::gpu::backend::{Array, Gpu, Scalar, Word};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::random::{Stream, Variate};

/// Room for `n` elements, and one before and behind.
fn room<X: Word, D: Device>(gpu: &Gpu<D>, n: usize, mark: X) -> Result<Array<X, D>, Error> {
    gpu.upload(&vec![mark; n + 2])
}

/// What is in it, when `fill` has written all but the ends.
fn filled<X: Word + PartialEq + std::fmt::Debug, D: Blocking>(
    gpu: &Gpu<D>,
    n: usize,
    mark: X,
    fill: impl FnOnce(fulmen::gpu::backend::ViewMut<'_, X, D>) -> Result<(), Error>,
) -> Result<Vec<X>, Error> {
    let mut room = room(gpu, n, mark)?;
    let [_, rest] = room.view_mut().split(1)?;
    let [inner, _] = rest.split(n)?;
    fill(inner)?;
    let mut back = vec![mark; n + 2];
    gpu.download(room.view(), &mut back)?;
    assert_eq!([back[0], back[n + 1]], [mark; 2], "written past the result");
    Ok(back[1..=n].to_vec())
}

/// Every distribution, from places around the groups of a stream, its halves of 64 bits and its end.
pub fn story<T: Scalar + Variate, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
) -> Result<Vec<Worst>, Error> {
    let mut all = ["random_bits", "uniform", "normal", "exponential", "integers", "bernoulli"]
        .map(|op| Worst { op, share: 0.0, got: 0.0, want: 0.0 });
    let key = 0x1234_5678_9abc_def0;
    let mut r = Seed::running().stream("random");
    let drawn = (r.bits() >> r.within(0..=63), r.size(600));
    for (offset, n) in [(0, 1), (5, 70), (7, 9), ((1 << 34) - 6, 300), (u64::MAX - 3, 9), (1 << 40, 0), drawn]
    {
        let stream = Stream { key, id: 3, offset };
        let [bits, uniform, normal, exponential, integers, bernoulli] = &mut all;
        let mut want = vec![0; n];
        fulmen::random_bits(stream, &mut want);
        let got = filled(gpu, n, 7u32, |out| gpu.random_bits(stream, out))?;
        bits.add(if got == want { 0.0 } else { f64::INFINITY }, 0.0, 0.0);

        let (mean, deviation) = (T::from_f64(0.75), T::from_f64(2.5));
        let mut want = vec![T::ZERO; n];
        let mark = T::from_f64(9.0);
        let near = |worst: &mut Worst, got: &[T], want: &[T]| {
            let tolerance =
                spec(worst.op).and_then(|s| s.tolerance(language).or(s.tolerance(T::NAME))).unwrap();
            for (got, want) in got.iter().zip(want) {
                let (got, want) = (got.to_f64(), want.to_f64());
                let off = (got - want).abs();
                let exact = language != "wgsl" || worst.op == "uniform";
                let bound = if exact { 0.0 } else { 2.5 * tolerance.allowed::<T>(want, &[], want.abs()) };
                worst.add(if off == 0.0 { 0.0 } else { off / bound }, got, want);
            }
        };
        fulmen::uniform(stream, &mut want);
        near(uniform, &filled(gpu, n, mark, |out| gpu.uniform(stream, out))?, &want);
        fulmen::normal(stream, mean, deviation, &mut want).unwrap();
        near(normal, &filled(gpu, n, mark, |out| gpu.normal(stream, mean, deviation, out))?, &want);
        fulmen::exponential(stream, deviation, &mut want).unwrap();
        near(exponential, &filled(gpu, n, mark, |out| gpu.exponential(stream, deviation, out))?, &want);

        // Half of the words are drawn again for the second range; the fourth has all integers.
        for (low, high) in [(-3, 9), (-5, i32::MAX - 2), (4, 4), (i32::MIN, i32::MAX)] {
            let mut want = vec![0; n];
            fulmen::integers(stream, low, high, &mut want).unwrap();
            let got = filled(gpu, n, 7i32, |out| gpu.integers(stream, low, high, out))?;
            integers.add(if got == want { 0.0 } else { f64::INFINITY }, 0.0, 0.0);
        }
        let mut words = vec![0; n];
        fulmen::random_bits(stream, &mut words);
        // Also where a word decides nothing.
        let close = words.first().map_or(0.5, |w| (f64::from(*w) + 0.5) / 4294967296.0);
        for p in [0.0, 0.3, 1.0, close] {
            let mut want = vec![false; n];
            fulmen::bernoulli(stream, p, &mut want).unwrap();
            let want: Vec<u32> = want.into_iter().map(u32::from).collect();
            let got = filled(gpu, n, 7u32, |out| gpu.bernoulli(stream, p, out))?;
            bernoulli.add(if got == want { 0.0 } else { f64::INFINITY }, p, 0.0);
        }
    }
    let [.., normal, exponential, _, bernoulli] = &mut all;
    for _ in 0..6 {
        let stream = Stream { key: r.bits(), id: 1, offset: 0 };
        let (n, special) = (r.within(1..=5), Kind::Classes.draw::<T>(&mut r));
        let [mean, deviation] = if r.one_in(2) { [special, T::ONE] } else { [T::ONE, special] };
        let mark = T::from_f64(9.0);
        let (what, kind) = (format!("{mean:?}, {deviation:?}"), (Kind::Classes, Group::One));
        let mut want = vec![T::ZERO; n];
        let done = fulmen::normal(stream, mean, deviation, &mut want).map(|()| vec![want.clone()]);
        let got = refusal(filled(gpu, n, mark, |out| gpu.normal(stream, mean, deviation, out)))?;
        compare(normal, kind, &what, &got.map(|x| vec![x]), &done, |_, _| 0.0);
        let done = fulmen::exponential(stream, special, &mut want).map(|()| vec![want.clone()]);
        let got = refusal(filled(gpu, n, mark, |out| gpu.exponential(stream, special, out)))?;
        compare(exponential, kind, &what, &got.map(|x| vec![x]), &done, |_, _| 0.0);
        let (p, mut want) = (special.to_f64(), vec![false; n]);
        let number = |x: u32| f64::from(x);
        let done = fulmen::bernoulli(stream, p, &mut want);
        let done = done.map(|()| vec![want.iter().map(|x| number(u32::from(*x))).collect()]);
        let got = refusal(filled(gpu, n, 7u32, |out| gpu.bernoulli(stream, p, out)))?;
        compare(
            bernoulli,
            kind,
            &what,
            &got.map(|x| vec![x.into_iter().map(number).collect()]),
            &done,
            |_, _| 0.0,
        );
    }
    Ok(all.into())
}
