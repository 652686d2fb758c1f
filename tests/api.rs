//! The public items that no family's test calls: composition, the buffer, unchecked tokens, messages of
//! errors, and the explicit-lane forms of `parallel`.

use fulmen::lanes::{Portable, Simd, native};
use fulmen::{Abs, Add, Error, Neg, Relu, Then, WithFirst};

#[test]
fn bodies_compose() {
    let (a, b) = ([1.0f32, -2.0, 3.0], [-4.0f32, 5.0, -6.0]);
    let mut y = [0.0; 3];
    fulmen::map(WithFirst(Add, Abs), [&a, &b], &mut y).unwrap();
    assert_eq!(y, [-3.0, 7.0, -3.0]);
    fulmen::map(Then(WithFirst(Add, Neg), Relu), [&a, &b], &mut y).unwrap();
    assert_eq!(y, [0.0, 7.0, 0.0]);
}

#[test]
fn an_invalid_parameter_of_a_part_is_found() {
    let bad = fulmen::Clamp(1.0f32, -1.0);
    let mut y = [7.0f32; 2];
    for got in [
        fulmen::map(WithFirst(Add, bad), [&[1.0; 2], &[1.0; 2]], &mut y),
        fulmen::map(Then(Add, bad), [&[1.0; 2], &[1.0; 2]], &mut y),
    ] {
        assert!(matches!(got, Err(Error::Domain { .. })), "{got:?}");
    }
    assert_eq!(y, [7.0; 2]);
}

#[cfg(feature = "alloc")]
#[test]
fn buffer_is_aligned_zeroed_and_cloned() {
    for n in [0, 1, 15, 16, 17, 1000] {
        let mut x = fulmen::Buffer::<f64>::new(n);
        assert_eq!((x.len(), x.as_ptr().align_offset(64)), (n, 0));
        assert!(x.iter().all(|x| x.to_bits() == 0));
        x.iter_mut().zip(1..).for_each(|(x, i)| *x = f64::from(i));
        let y = x.clone();
        assert_eq!(*x, *y);
        assert!(n == 0 || x.as_ptr() != y.as_ptr());
        assert_eq!(y.as_ptr().align_offset(64), 0);
    }
}

fn doubles<S: Simd>(s: S) {
    let mut y = [0.0f32; 5];
    fulmen::scale_on(s, &[1.0, 2.0, 3.0, 4.0, 5.0], 2.0, &mut y).unwrap();
    assert_eq!(y, [2.0, 4.0, 6.0, 8.0, 10.0], "{}", S::NAME);
}

#[test]
#[allow(unsafe_code, reason = "what is tested")]
fn unchecked_tokens_work() {
    doubles(Portable::<4>::default());
    #[cfg(target_arch = "x86_64")]
    doubles(fulmen::lanes::Sse2::default());
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if fulmen::lanes::Avx2::detect().is_some() {
        // SAFETY: just detected.
        doubles(unsafe { fulmen::lanes::Avx2::assume() });
    }
    #[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512"))]
    if fulmen::lanes::Avx512::detect().is_some() {
        // SAFETY: just detected.
        doubles(unsafe { fulmen::lanes::Avx512::assume() });
    }
    doubles(native());
}

#[test]
fn errors_name_the_argument() {
    for e in [
        fulmen::add(&[1.0f32], &[1.0, 2.0], &mut [0.0]).unwrap_err(),
        fulmen::max::<f32>(&[]).unwrap_err(),
        fulmen::argmax(&[f32::NAN]).unwrap_err(),
        fulmen::softmax(&[1.0f32; 5], 2, &mut [0.0; 5]).unwrap_err(),
        fulmen::softmax(&[1.0f32; 4], 0, &mut [0.0; 4]).unwrap_err(),
    ] {
        let text = e.to_string();
        assert!(text.contains('`') && text.len() > 10, "{e:?}: {text}");
    }
}

#[cfg(feature = "parallel")]
#[test]
fn parallel_forms_give_the_bits_of_the_serial_ones() {
    use fulmen::parallel;
    let n = 200_003;
    let x: Vec<f32> = (0..n).map(|i| (i % 997) as f32 / 31.0 - 16.0).collect();
    let z: Vec<f32> = x.iter().rev().copied().collect();
    let (mut want, mut got) = (vec![0.0f32; n], vec![1.0f32; n]);
    let same = |want: &[f32], got: &[f32]| want.iter().zip(got).all(|(a, b)| a.to_bits() == b.to_bits());

    fulmen::map(Then(Add, Relu), [&x, &z], &mut want).unwrap();
    parallel::map(Then(Add, Relu), [&x, &z], &mut got).unwrap();
    assert!(same(&want, &got));
    got.fill(1.0);
    parallel::map_on(native(), Then(Add, Relu), [&x, &z], &mut got).unwrap();
    assert!(same(&want, &got));

    fulmen::exp(&x, &mut want).unwrap();
    parallel::exp_on(native(), &x, &mut got).unwrap();
    assert!(same(&want, &got));
    fulmen::mul(&x, &z, &mut want).unwrap();
    parallel::mul_on(native(), &x, &z, &mut got).unwrap();
    assert!(same(&want, &got));

    let x = &x[..200_000];
    fulmen::softmax(x, 100, &mut want[..200_000]).unwrap();
    parallel::softmax_on(native(), x, 100, &mut got[..200_000]).unwrap();
    assert!(same(&want[..200_000], &got[..200_000]));
    fulmen::fma(x, x, x, &mut want[..200_000]).unwrap();
    parallel::fma_on(native(), x, x, x, &mut got[..200_000]).unwrap();
    assert!(same(&want[..200_000], &got[..200_000]));
}

#[test]
fn complex_numbers() {
    use common::nn::Noise;
    use fulmen::{c32, c64};
    let mut r: Noise = common::seed::Seed::new("complex_numbers").stream("parts");
    let part = |r: &mut Noise| libm::ldexp(r.slice::<f64>(1, 2.0)[0], r.within(0..=1000) as i32 - 500);
    for _ in 0..1000 {
        let (a, b) = (c64::new(part(&mut r), part(&mut r)), c64::new(part(&mut r), part(&mut r)));
        let q = a / b;
        // a/b·b, with what overflows or vanishes on the way brought next to 1.
        let [large, small] = [q.abs(), b.abs()].map(|x| libm::ldexp(1.0, -libm::frexp(x).1));
        let (back, want) = (q * large * (b * small), a * large * small);
        assert!((back - want).abs() <= 2e-15 * want.abs(), "{a} / {b} = {q}");
        assert!((a.abs() / libm::hypot(a.re, a.im) - 1.0).abs() < 1e-15);
        let round = c64::from_polar(a.abs(), a.arg());
        assert!((round - a).abs() <= 2e-15 * a.abs(), "{a}: {round}");
    }
    assert_eq!(c32::new(1e30, 1e30) / c32::new(1e30, -1e30), c32::I);
    assert_eq!(c32::new(2.0, 4.0) / 2.0, c32::from([1.0, 2.0]));
    let mut z = c32::new(0.0, 2.0);
    z /= c32::I;
    assert_eq!(z, c32::from(2.0));
    assert!((c64::ONE / c64::ZERO).re.is_nan() && c64::ZERO.arg() == 0.0);
    assert_eq!([c64::I; 3].into_iter().sum::<c64>(), c64::new(0.0, 3.0));
    assert_eq!([c64::I; 3].iter().product::<c64>(), -c64::I);
    assert_eq!(c64::from((1.0, f64::NAN)).to_string(), "1+NaNi");
    assert_eq!(format!("{} {:.1}", c32::new(0.0, -0.0), c32::new(1.25, 0.75)), "0-0i 1.2+0.8i");
}

#[test]
fn views_are_indexed_and_written() {
    use fulmen::{MatMut, MatRef, VecMut, VecRef};
    let x: Vec<f64> = (0..400).map(f64::from).collect();
    // Every other column, the last row first.
    let a = MatRef::strided(&x, 40, 3, 4, -20, 2).unwrap();
    assert_eq!((a[(0, 0)], a[(2, 3)], a.t()[(3, 2)]), (40.0, 6.0, 6.0));
    assert_eq!(a.to_string(), "[40 42 44 46]\n[20 22 24 26]\n[ 0  2  4  6]");
    let mut y = [0.0f32; 12];
    let mut c = MatMut::strided(&mut y, 1, 2, 3, 6, 2).unwrap();
    c[(1, 2)] = -0.5;
    c[(0, 1)] += 100.25;
    assert_eq!((c[(1, 2)], c.get(0, 1)), (-0.5, Some(100.25)));
    assert_eq!(format!("{c:.1}"), "[0.0 100.2  0.0]\n[0.0   0.0 -0.5]");
    let mut v = VecMut::strided(&mut y, 11, 3, -4).unwrap();
    v[2] += 2.0;
    assert_eq!((v[0], v[2], v.to_string()), (-0.5, 102.25, "[-0.5 0 102.25]".into()));
    let v = VecRef::from(&x[..]);
    assert_eq!(v[399], 399.0);
    // An index outside panics as that of a slice does. A panic of WebAssembly ends the program.
    #[cfg(not(target_arch = "wasm32"))]
    {
        let panics = |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
        for (i, j) in [(3, 0), (0, 4), (usize::MAX, 0), (0, usize::MAX)] {
            assert!(panics(&|| assert!(a[(i, j)].is_finite())), "{i}, {j}");
        }
        assert!(panics(&|| assert!(v[400].is_finite())));
    }
    // Long ones are cut, unless all is wanted.
    let m = MatRef::row_major(&x, 20, 20).unwrap();
    let text = m.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (11, "[  0   1   2   3   4 …  15  16  17  18  19]"));
    assert_eq!(lines[5], "[  …   …   …   …   … …   …   …   …   …   …]");
    assert_eq!(lines[10], "[380 381 382 383 384 … 395 396 397 398 399]");
    let all = format!("{m:#}");
    assert_eq!((all.lines().count(), all.contains('…')), (20, false));
    assert!(
        all.ends_with("[380 381 382 383 384 385 386 387 388 389 390 391 392 393 394 395 396 397 398 399]")
    );
    let complex = [fulmen::c32::new(1.0, -2.0), fulmen::c32::new(10.5, 0.0)];
    assert_eq!(VecRef::from(&complex).to_string(), "[1-2i 10.5+0i]");
    let none = MatRef::row_major(&x[..0], 0, 3).unwrap();
    assert_eq!((none.to_string(), none.t().to_string()), (String::new(), "[]\n[]\n[]".into()));
    assert_eq!(VecRef::<f32>::from(&[]).to_string(), "[]");
}
