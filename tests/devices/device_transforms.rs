//! Fourier transforms of devices on the interpreter: past what one block transforms, and what is refused.

use common::device::Worst;
use common::layers::transforms::{lengths, story};
use fulmen::backend::*;
use fulmen::gpu::backend::{Gpu, Scalar};
use fulmen::gpu::device::{Computes, Device, Error, Facts, Host, Limits};
use fulmen::hardware::Language;
use fulmen::{Complex, Conjugate, DctKind, Direction, Extent};

fn keep<T: Scalar>(gpu: &Gpu<Host>, all: &[usize])
where
    Host: Computes<T>,
{
    let mut worst = [Worst { op: "fft", share: 0.0, got: 0.0, want: 0.0 }];
    lengths::<T, _>(gpu, T::NAME, all, &mut worst).unwrap();
    assert!(worst[0].share <= 1.0, "{worst:?}");
}

fn host(shared: u32, threads: u32, language: Language) -> Gpu<Host> {
    let facts = Host::default().facts().clone();
    let limits = Limits { shared, threads, ..facts.limits };
    Gpu::new(Host::with(Facts { limits, language, blocks: 3, ..facts }))
}

/// One block for each line, two parts and three of it, by the shared memory: a length below each step and one past it, with
/// blocks that have more lines than there are, and lengths with other primes in as many parts.
#[test]
fn lengths_past_a_block() {
    let gpu = host(1 << 10, 512, Language::Ptx);
    // Of 120 numbers a line is 127 with what lies between them; of 30 four are 4 · 31.
    let all = [1, 2, 16, 31, 105, 120, 121, 125, 126, 128, 210, 256, 625, 900, 899, 960, 1024, 1001, 2400];
    keep::<f32>(&gpu, &all);
    keep::<f64>(&gpu, &[60, 61, 63, 64, 225, 210, 256]);
}

/// Every op where a line, or half of one of real numbers, or the convolution that it is, fits no block, and where it just does.
#[test]
fn ops_past_a_block() {
    let gpu = host(1 << 10, 512, Language::Ptx);
    let shapes = [[3, 7], [5, 62], [2, 120], [3, 121], [2, 240], [3, 242], [1, 250], [1, 31], [2, 60]];
    for worst in story::<f32, _>(&gpu, "f32", &shapes).unwrap() {
        assert!(worst.share <= 1.0, "{worst:?}");
    }
}

/// Lines of planes that are long and lie apart: fewer of them in a block than there are, and columns that are none of its.
#[test]
fn long_columns() {
    let (m, n) = (4096, 6);
    let gpu = host(200 << 10, 1024, Language::Ptx);
    let mut x = vec![Complex::<f32>::ZERO; m * n];
    for (k, z) in x.iter_mut().enumerate() {
        *z = Complex::new((k * 7 % 13) as f32 - 6.0, (k * 5 % 11) as f32 - 5.0);
    }
    let [down, along] = [m, n].map(|n| Plans::<f32>::fft_plan(&gpu, n, (), ()).unwrap());
    let (from, mut to) = (gpu.upload(&x).unwrap(), gpu.alloc(m * n).unwrap());
    let (view, out) = (from.view().matrix(m, n).unwrap(), to.view_mut().matrix(m, n).unwrap());
    gpu.fft_2d(&down, &along, Direction::Forward, view, out, ()).unwrap();
    let mut got = vec![Complex::<f32>::ZERO; m * n];
    gpu.download(to.view(), &mut got).unwrap();
    // The columns one after the other, each a line.
    let mut rows = gpu.alloc(m * n).unwrap();
    let turned: Vec<_> = (0..m * n).map(|k| x[k % m * n + k / m]).collect();
    gpu.fft(&down, Direction::Forward, gpu.upload(&turned).unwrap().view(), rows.view_mut(), ()).unwrap();
    let mut lines = vec![Complex::<f32>::ZERO; m * n];
    gpu.download(rows.view(), &mut lines).unwrap();
    let turned: Vec<_> = (0..m * n).map(|k| lines[k % n * m + k / n]).collect();
    gpu.fft(&along, Direction::Forward, gpu.upload(&turned).unwrap().view(), rows.view_mut(), ()).unwrap();
    gpu.download(rows.view(), &mut lines).unwrap();
    let size = lines.iter().map(|z| z.norm_sqr()).sum::<f32>().sqrt();
    let off = got.iter().zip(&lines).map(|(a, b)| (*a - *b).norm_sqr()).sum::<f32>().sqrt();
    assert!(off <= 32.0 * f32::EPSILON * size, "{off} of {size}");
}

/// Threads with twice as many points past 8192, and as many threads as a language has.
#[test]
fn long_lines_of_a_block() {
    for (threads, language) in [(512, Language::Ptx), (512, Language::Wgsl)] {
        let gpu = host(200 << 10, threads, language);
        keep::<f32>(&gpu, &[4095, 4096, 4116]);
        let one = host(200 << 10, threads, language);
        keep::<f32>(&one, &[8400]);
        assert_eq!(one.kernels(), if language == Language::Ptx { 1 } else { 2 }, "{language:?}");
    }
}

/// What a CPU refuses, and what no shared memory holds.
#[test]
fn bad_arguments_are_those_of_a_cpu() {
    let gpu = host(1 << 10, 256, Language::Rust);
    let x = gpu.upload(&[Complex::<f32>::ONE; 12]).unwrap();
    let mut y = gpu.upload(&[Complex::<f32>::I; 12]).unwrap();
    let reals = gpu.upload(&[1.0f32; 12]).unwrap();
    let mut to = gpu.upload(&[7.0f32; 12]).unwrap();
    let [one, three] = [1, 3].map(|n| gpu.fft_plan(n, (), ()).unwrap());
    let real = gpu.rfft_plan(4, (), ()).unwrap();
    let cosines = gpu.dct_plan(DctKind::II, 4, (), ()).unwrap();
    let (filter, turns) = (
        gpu.convolve_plan(&[1.0f32; 2], 4, (), ()).unwrap(),
        gpu.convolve_complex_plan(&[Complex::I], 4, (), ()).unwrap(),
    );
    let mut state = gpu.upload(&[7.0f32]).unwrap();
    let part = |n: usize| x.view().part(0..n).unwrap();
    let line = |n: usize| reals.view().part(0..n).unwrap();
    let m = |r: usize, c: usize| part(r * c).matrix(r, c).unwrap();
    let d = Direction::Forward;
    macro_rules! y {
        ($n:expr) => {
            y.view_mut().split($n).unwrap().into_iter().next().unwrap()
        };
    }
    macro_rules! to {
        ($n:expr) => {
            to.view_mut().split($n).unwrap().into_iter().next().unwrap()
        };
    }
    let mut said: Vec<(Result<(), Error>, &str)> = vec![];
    macro_rules! call {
        ($($call:expr, $name:literal;)*) => {$(said.push(($call, $name));)*};
    }
    call! {
        Plans::<f32>::fft_plan(&gpu, 0, (), ()).map(drop), "`n`";
        Plans::<f32>::rfft_plan(&gpu, 0, (), ()).map(drop), "`n`";
        Plans::<f32>::fft_plan(&gpu, usize::MAX, (), ()).map(drop), "`n`";
        Plans::<f32>::fft_plan(&gpu, 1 << 20, (), ()).map(drop), "shared memory";
        gpu.fft(&three, d, part(4), y!(4), ()), "`x`";
        gpu.fft(&three, d, part(6), y!(3), ()), "`out`";
        gpu.fft_in_place(&three, d, y!(4), ()), "`x`";
        gpu.fft_rows(&three, d, m(3, 4), y!(12).matrix(3, 4).unwrap(), ()), "`x`";
        gpu.fft_rows(&three, d, m(4, 3), y!(9).matrix(3, 3).unwrap(), ()), "`out`";
        gpu.fft_2d(&three, &three, d, m(4, 3), y!(9).matrix(3, 3).unwrap(), ()), "`x`";
        gpu.fft_2d(&three, &three, d, m(3, 3), y!(12).matrix(4, 3).unwrap(), ()), "`out`";
        gpu.fft_3d([&three; 3], d, part(9), y!(9), ()), "`x`";
        gpu.fft_3d([&three, &one, &three], d, part(9), y!(12), ()), "`out`";
        gpu.rfft(&real, line(6), y!(6), ()), "`x`";
        gpu.rfft(&real, line(8), y!(5), ()), "`out`";
        gpu.irfft(&real, part(5), to!(8), ()), "`x`";
        gpu.irfft(&real, part(6), to!(6), ()), "`out`";
        gpu.stft(&real, line(0), 1, line(8), y!(3), ()), "`window`";
        gpu.stft(&real, line(3), 0, line(8), y!(3), ()), "`hop`";
        gpu.stft(&real, line(5), 1, line(8), y!(3), ()), "`window`";
        gpu.stft(&real, line(3), 2, line(8), y!(3), ()), "`out`";
        Plans::<f32>::dct_plan(&gpu, DctKind::II, 0, (), ()).map(drop), "`n`";
        gpu.dct(&cosines, line(6), to!(6), ()), "`x`";
        gpu.dct(&cosines, line(8), to!(4), ()), "`out`";
        Plans::<f32>::convolve_plan(&gpu, &[], 4, (), ()).map(drop), "`kernel`";
        gpu.correlate_plan(&[1.0f32; 5], 4, (), ()).map(drop), "`n`";
        gpu.convolve_complex_plan(&[Complex::<f32>::ONE; 5], 4, (), ()).map(drop), "`n`";
        gpu.convolve(&filter, Extent::Full, line(4), to!(4), ()), "`out`";
        gpu.convolve(&filter, Extent::Valid, line(4), to!(4), ()), "`out`";
        gpu.convolve_complex(&turns, Extent::Same, part(4), y!(3), ()), "`out`";
        gpu.fir_fft(&filter, state.view_mut(), line(4), to!(3), ()), "`out`";
        gpu.fir_fft(&filter, to!(2), line(4), state.view_mut(), ()), "`state`";
    }
    for (k, (said, name)) in said.iter().enumerate() {
        let Err(said) = said else { panic!("call {k} was taken, not refused for {name}") };
        let said = said.to_string();
        assert!(said.contains(name), "{said}, not of {name}");
    }
    // No lines, no launch.
    gpu.fft(&three, d, part(0), y!(0), ()).unwrap();
    gpu.rfft(&real, line(0), y!(0), ()).unwrap();
    gpu.stft(&real, line(4), 1, line(3), y!(0), ()).unwrap();
    gpu.dct(&cosines, line(0), to!(0), ()).unwrap();
    gpu.convolve(&filter, Extent::Same, line(0), to!(0), ()).unwrap();
    gpu.convolve_complex(&turns, Extent::Full, part(0), y!(0), ()).unwrap();
    gpu.fir_fft(&filter, state.view_mut(), line(0), to!(0), ()).unwrap();
    let mut kept = [0.0];
    gpu.download(state.view(), &mut kept).unwrap();
    assert_eq!(kept, [7.0], "a state without news");
    let (mut back, mut numbers) = ([Complex::ZERO; 12], [0.0; 12]);
    gpu.download(y.view(), &mut back).unwrap();
    gpu.download(to.view(), &mut numbers).unwrap();
    assert_eq!((back, numbers), ([Complex::I; 12], [7.0; 12]), "written");
}

/// Imaginary parts that a real signal does not have are not read into it.
#[test]
fn unused_parts_are_not_used() {
    let gpu = host(1 << 10, 256, Language::Rust);
    for n in [5, 6] {
        let mut x = vec![Complex::new(1.0f32, 0.5); n / 2 + 1];
        x[0].im = f32::NAN;
        if n % 2 == 0 {
            x[n / 2].im = f32::NAN;
        }
        let (x, mut out) = (gpu.upload(&x).unwrap(), gpu.upload(&vec![0.0f32; n]).unwrap());
        gpu.irfft(&gpu.rfft_plan(n, (), ()).unwrap(), x.view(), out.view_mut(), ()).unwrap();
        let mut y = vec![f32::NAN; n];
        gpu.download(out.view(), &mut y).unwrap();
        assert!(y.iter().all(|y| y.is_finite()), "{n}: {y:?}");
    }
}

/// What a CPU refuses of complex numbers.
#[test]
fn bad_complex_arguments_are_those_of_a_cpu() {
    let gpu = host(48 << 10, 256, Language::Rust);
    let x = gpu.upload(&[Complex::<f32>::ONE; 12]).unwrap();
    let mut y = gpu.upload(&[Complex::<f32>::I; 12]).unwrap();
    let (mut to, reals) = (gpu.upload(&[7.0f32; 12]).unwrap(), gpu.upload(&[1.0f32; 12]).unwrap());
    let one = Complex::<f32>::ONE;
    let m = |r: usize, c: usize| x.view().part(0..r * c).unwrap().matrix(r, c).unwrap();
    let part = |n: usize| x.view().part(0..n).unwrap();
    macro_rules! some {
        ($all:ident $n:expr) => {
            $all.view_mut().split($n).unwrap().into_iter().next().unwrap()
        };
        ($all:ident $r:expr, $c:expr) => {
            some!($all $r * $c).matrix($r, $c).unwrap()
        };
    }
    let none = Conjugate::NONE;
    let mut said: Vec<(Result<(), Error>, &str)> = vec![];
    macro_rules! call {
        ($($call:expr, $name:literal;)*) => {$(said.push(($call, $name));)*};
    }
    call! {
        gpu.gemm_complex(one, m(2, 3), m(2, 3), none, one, some!(y 2, 3), ()), "`b`";
        gpu.gemm_complex(one, m(2, 3), m(3, 2), none, one, some!(y 2, 3), ()), "`c`";
        gpu.gemv_complex(one, m(2, 3), false, m(2, 1), one, some!(y 2, 1)), "`x`";
        gpu.gemv_complex(one, m(2, 3), true, m(3, 1), one, some!(y 3, 1)), "`y`";
        gpu.dot_complex(false, m(2, 1), m(3, 1), some!(y 1)), "`y`";
        gpu.dot_complex(false, m(2, 1), m(2, 1), some!(y 2)), "`out`";
        gpu.axpy_complex(one, m(2, 1), some!(y 3, 1)), "`y`";
        gpu.nrm2_complex(m(2, 1), some!(to 2)), "`out`";
        gpu.asum_complex(m(2, 1), some!(to 0)), "`out`";
        gpu.mul_complex(false, part(2), part(3), some!(y 2)), "`y`";
        gpu.mul_complex(false, part(2), part(2), some!(y 3)), "`out`";
        gpu.abs_complex(part(2), some!(to 3)), "`out`";
        gpu.arg_complex(part(2), some!(to 1)), "`out`";
        gpu.interleave(reals.view(), reals.view().part(0..3).unwrap(), some!(y 12)), "`im`";
        gpu.interleave(reals.view(), reals.view(), some!(y 11)), "`out`";
    }
    for (k, (said, name)) in said.iter().enumerate() {
        let Err(said) = said else { panic!("call {k} was taken, not refused for {name}") };
        assert!(said.to_string().contains(name), "{said}, not of {name}");
    }
    let [re, im] = to.view_mut().split(3).unwrap();
    assert!(gpu.deinterleave(part(3), re, im).unwrap_err().to_string().contains("`im`"));
    let [re, im] = to.view_mut().split(4).unwrap();
    assert!(gpu.deinterleave(part(8), re, im).unwrap_err().to_string().contains("`re`"));
    // Nothing to do.
    gpu.gemm_complex(one, m(0, 3), m(3, 2), none, one, some!(y 0, 2), ()).unwrap();
    gpu.axpy_complex(one, m(0, 1), some!(y 0, 1)).unwrap();
    gpu.scal_complex(one, some!(y 0, 1)).unwrap();
    gpu.abs_complex(part(0), some!(to 0)).unwrap();
    let (mut back, mut numbers) = ([Complex::ZERO; 12], [0.0; 12]);
    gpu.download(y.view(), &mut back).unwrap();
    gpu.download(to.view(), &mut numbers).unwrap();
    assert_eq!((back, numbers), ([Complex::I; 12], [7.0; 12]), "written");
    // The sum of nothing, and an empty depth.
    gpu.dot_complex(true, m(0, 1), m(0, 1), some!(y 1)).unwrap();
    gpu.nrm2_complex(m(0, 1), some!(to 1)).unwrap();
    gpu.download(y.view(), &mut back).unwrap();
    gpu.download(to.view(), &mut numbers).unwrap();
    assert_eq!((back[0], numbers[0]), (Complex::ZERO, 0.0));
    let half = Complex::new(0.5, 0.0);
    gpu.gemm_complex(one, m(2, 0), m(0, 2), none, half, some!(y 2, 2), ()).unwrap();
    gpu.download(y.view(), &mut back).unwrap();
    assert_eq!(back[1..4], [Complex::new(0.0, 0.5); 3]);
}
