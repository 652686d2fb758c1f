//! `--signals`: what is made of transforms (cosine transforms, convolutions, frames), filters, and ops on complex numbers, beside MKL, FFTW, rustdct,
//! the crate `gemm`, CMSIS-DSP and plain loops. Bytes count what an op must read and write.

use crate::Peer;
use fulmen::*;
use fulmen_harness::race::{Case, Contender, Race};
use libloading::Library;
use std::ffi::c_void;
use std::ptr::{from_ref, null_mut};

/// One of two element types: the letters of BLAS, VML and VSL.
pub trait Number: Element + rustdct::DctNum + 'static {
    const REAL: char;
    const COMPLEX: char;
    /// The prefix of FFTW's names.
    const FFTW: &'static str;
}
impl Number for f32 {
    const REAL: char = 's';
    const COMPLEX: char = 'c';
    const FFTW: &'static str = "fftwf";
}
impl Number for f64 {
    const REAL: char = 'd';
    const COMPLEX: char = 'z';
    const FFTW: &'static str = "fftw";
}

fn symbol<F: Copy>(lib: Option<&Library>, name: &str) -> Option<F> {
    // SAFETY: callers ask for the type that the library documents.
    unsafe { lib?.get::<F>(name.as_bytes()).ok().map(|f| *f) }
}

fn real<T: Element>(n: usize) -> Vec<T> {
    (0..n).map(|i| <T as Real>::from_f64((i * 37 % 101) as f64 / 50.0 - 1.0)).collect()
}

fn complex<T: Element>(n: usize) -> Vec<Complex<T>> {
    let x = real::<T>(2 * n);
    x.chunks(2).map(|z| Complex::new(z[0], z[1])).collect()
}

type Pointer = *const c_void;
fn of<X>(x: &[X]) -> Pointer {
    x.as_ptr().cast()
}

/// The lengths of vectors: in the first cache, in the second or third, in memory.
const VECTORS: [usize; 3] = [1000, 100_000, 4_000_000];

fn pointwise<T: Number>(race: &mut Race, mkl: Option<&Library>) {
    let ty = <T as Real>::NAME;
    let bytes = size_of::<T>() as f64;
    for n in VECTORS {
        let (x, y, mut z, mut w) = (complex::<T>(n), complex::<T>(n), complex::<T>(n), real::<T>(n));
        let (mut p, mut q) = (z.clone(), w.clone());
        let upper = T::COMPLEX;
        let case = |op, numbers: f64| Case {
            op,
            ty,
            size: n.to_string(),
            work: bytes * numbers * n as f64,
            unit: "GB/s",
        };
        type Two = unsafe extern "C" fn(i32, Pointer, Pointer, *mut c_void, i64);
        type One = unsafe extern "C" fn(i32, Pointer, *mut c_void, i64);
        let accurate = 2;
        let mut list = vec![
            Contender::ours(|| mul_complex(false, &x, &y, &mut z).unwrap()),
            Contender::peer("loop", || {
                p.iter_mut().zip(x.iter().zip(&y)).for_each(|(z, (x, y))| *z = *x * *y)
            }),
        ];
        let mut to = complex::<T>(n);
        let to = to.as_mut_ptr();
        let (at_x, at_y) = (of(&x), of(&y));
        if let Some(f) = symbol::<Two>(mkl, &format!("vm{upper}Mul")) {
            // SAFETY: vectors of `n` numbers.
            list.push(Contender::peer("MKL", move || unsafe {
                f(n as i32, at_x, at_y, to.cast(), accurate)
            }));
        }
        race.case(&case("mul_complex", 6.0), list);
        type Unary<T> = fn(&[Complex<T>], &mut [T]) -> Result<(), Error>;
        let ops: [(&str, Unary<T>, &str, fn(Complex<T>) -> T); 2] = [
            ("abs_complex", abs_complex, "Abs", |z| {
                <T as Real>::from_f64(Real::to_f64(z.re).hypot(Real::to_f64(z.im)))
            }),
            ("arg_complex", arg_complex, "Arg", |z| {
                <T as Real>::from_f64(Real::to_f64(z.im).atan2(Real::to_f64(z.re)))
            }),
        ];
        for (op, run, theirs, plain) in ops {
            let mut list = vec![
                Contender::ours(|| run(&x, &mut w).unwrap()),
                Contender::peer("loop", || q.iter_mut().zip(&x).for_each(|(y, x)| *y = plain(*x))),
            ];
            if let Some(f) = symbol::<One>(mkl, &format!("vm{upper}{theirs}")) {
                // SAFETY: vectors of `n` numbers.
                list.push(Contender::peer("MKL", move || unsafe { f(n as i32, at_x, to.cast(), accurate) }));
            }
            race.case(&case(op, 3.0), list);
        }
        type Dot = unsafe extern "C" fn(i32, Pointer, i32, Pointer, i32, *mut c_void);
        let mut list = vec![
            Contender::ours(|| {
                std::hint::black_box(dot_complex(true, (&x[..]).into(), (&y[..]).into()).unwrap());
            }),
            Contender::peer("loop", || {
                let sum = x.iter().zip(&y).fold(Complex::ZERO, |sum, (x, y)| sum + x.conj() * *y);
                std::hint::black_box(sum);
            }),
        ];
        if let Some(f) = symbol::<Dot>(mkl, &format!("cblas_{upper}dotc_sub")) {
            // SAFETY: vectors of `n` numbers, and one result.
            list.push(Contender::peer("MKL", move || unsafe { f(n as i32, at_x, 1, at_y, 1, to.cast()) }));
        }
        race.case(&case("dot_complex", 4.0), list);
        type Axpy = unsafe extern "C" fn(i32, Pointer, Pointer, i32, *mut c_void, i32);
        let alpha: Complex<T> = Complex::new(<T as Real>::from_f64(0.6), <T as Real>::from_f64(0.8));
        let (mut a, mut b) = (y.clone(), y.clone());
        let mut list = vec![
            Contender::ours(|| axpy_complex(alpha, (&x[..]).into(), (&mut a[..]).into()).unwrap()),
            Contender::peer("loop", || b.iter_mut().zip(&x).for_each(|(y, x)| *y = *y + alpha * *x)),
        ];
        if let Some(f) = symbol::<Axpy>(mkl, &format!("cblas_{upper}axpy")) {
            // SAFETY: vectors of `n` numbers.
            list.push(Contender::peer("MKL", move || unsafe {
                f(n as i32, from_ref(&alpha).cast(), at_x, 1, to.cast(), 1);
            }));
        }
        race.case(&case("axpy_complex", 6.0), list);
    }
}

fn products<T: Number>(race: &mut Race, mkl: Option<&Library>) {
    let ty = <T as Real>::NAME;
    let (one, zero) = (Complex::new(T::ONE, T::ZERO), Complex::<T>::ZERO);
    let letter = T::COMPLEX;
    type Gemm = unsafe extern "C" fn(
        i32,
        i32,
        i32,
        i32,
        i32,
        i32,
        Pointer,
        Pointer,
        i32,
        Pointer,
        i32,
        Pointer,
        *mut c_void,
        i32,
    );
    type Gemv = unsafe extern "C" fn(
        i32,
        i32,
        i32,
        i32,
        Pointer,
        Pointer,
        i32,
        Pointer,
        i32,
        Pointer,
        *mut c_void,
        i32,
    );
    for n in [8usize, 16, 32, 64, 128, 256, 512, 1024] {
        let (a, b, mut c) = (complex::<T>(n * n), complex::<T>(n * n), complex::<T>(n * n));
        let (mut p, mut q) = (c.clone(), c.clone());
        let mut room = vec![T::ZERO; gemm_complex_workspace(n, n, n)];
        let [x, y] = [&a, &b].map(|x| MatRef::row_major(x, n, n).unwrap());
        let mut list = vec![
            Contender::ours(|| {
                let c = MatMut::row_major(&mut c, n, n).unwrap();
                gemm_complex(one, x, y, Conjugate::default(), zero, c, &mut room).unwrap();
            }),
            Contender::peer("gemm", || {
                let s = n as isize;
                let (to, a, b) = (p.as_mut_ptr(), a.as_ptr(), b.as_ptr());
                // SAFETY: row-major matrices of `n` by `n`; the numbers are pairs in both crates.
                unsafe { multiply::<T>(n, to.cast(), a.cast(), b.cast(), s) }
            }),
        ];
        if let Some(f) = symbol::<Gemm>(mkl, &format!("cblas_{letter}gemm")) {
            let to = q.as_mut_ptr().cast();
            let (n, a, b) = (n as i32, of(&a), of(&b));
            // SAFETY: row-major matrices of `n` by `n`.
            list.push(Contender::peer("MKL", move || unsafe {
                let (one, zero) = (from_ref(&one).cast(), from_ref(&zero).cast());
                f(101, 111, 111, n, n, n, one, a, n, b, n, zero, to, n);
            }));
        }
        let work = 8.0 * (n as f64).powi(3);
        race.case(
            &Case { op: "gemm_complex", ty, size: format!("{n}x{n}x{n}"), work, unit: "GFLOP/s" },
            list,
        );
    }
    for n in [16usize, 64, 256, 1024] {
        let (a, x, mut y) = (complex::<T>(n * n), complex::<T>(n), complex::<T>(n));
        let mut q = y.clone();
        let m = MatRef::row_major(&a, n, n).unwrap();
        let mut list = vec![Contender::ours(|| {
            gemv_complex(one, m, false, (&x[..]).into(), zero, (&mut y[..]).into()).unwrap()
        })];
        if let Some(f) = symbol::<Gemv>(mkl, &format!("cblas_{letter}gemv")) {
            let to = q.as_mut_ptr().cast();
            let (n, a, x) = (n as i32, of(&a), of(&x));
            // SAFETY: a row-major matrix of `n` by `n` and vectors of `n`.
            list.push(Contender::peer("MKL", move || unsafe {
                let (one, zero) = (from_ref(&one).cast(), from_ref(&zero).cast());
                f(101, 111, n, n, one, a, n, x, 1, zero, to, 1);
            }));
        }
        let work = 8.0 * (n as f64).powi(2);
        race.case(&Case { op: "gemv_complex", ty, size: format!("{n}x{n}"), work, unit: "GFLOP/s" }, list);
    }
}

/// The product of the crate `gemm`.
///
/// # Safety
/// Row-major matrices of `n` by `n` complex numbers.
unsafe fn multiply<T: Number>(n: usize, c: *mut c_void, a: Pointer, b: Pointer, s: isize) {
    macro_rules! go {
        ($T:ty) => {{
            let (zero, one) = (<$T>::new(0.0, 0.0), <$T>::new(1.0, 0.0));
            // SAFETY: the caller's promise.
            unsafe {
                ::gemm::gemm(
                    n,
                    n,
                    n,
                    c.cast::<$T>(),
                    1,
                    s,
                    false,
                    a.cast(),
                    1,
                    s,
                    b.cast(),
                    1,
                    s,
                    zero,
                    one,
                    false,
                    false,
                    false,
                    ::gemm::Parallelism::None,
                );
            }
        }};
    }
    if T::REAL == 's' { go!(::gemm::c32) } else { go!(::gemm::c64) }
}

fn cosine<T: Number>(race: &mut Race, fftw: Option<&Library>) {
    let ty = <T as Real>::NAME;
    for n in [64usize, 256, 1024, 1000, 4096, 65536] {
        // FFTW's numbers of REDFT10, REDFT01 and REDFT11.
        for (op, kind, theirs) in
            [("dct II", DctKind::II, 5), ("dct III", DctKind::III, 4), ("dct IV", DctKind::IV, 6)]
        {
            let mut table = real::<T>(dct_plan_len(kind, n));
            let mut room = vec![Complex::ZERO; dct_workspace(n)];
            let plan = Dct::plan(kind, n, &mut table, &mut room).unwrap();
            let (x, mut y) = (real::<T>(n), real::<T>(n));
            let mut planner = rustdct::DctPlanner::<T>::new();
            let (mut a, mut p) = (x.clone(), x.clone());
            let (second, fourth) = (planner.plan_dct2(n), planner.plan_dct4(n));
            let mut scratch = vec![T::ZERO; second.get_scratch_len().max(fourth.get_scratch_len())];
            let mut list = vec![
                Contender::ours(|| dct(&plan, &x, &mut y, &mut room).unwrap()),
                // Over its input, which is copied so that numbers do not grow.
                Contender::peer("rustdct", || {
                    a.copy_from_slice(&x);
                    match kind {
                        DctKind::II => second.process_dct2_with_scratch(&mut a, &mut scratch),
                        DctKind::III => second.process_dct3_with_scratch(&mut a, &mut scratch),
                        DctKind::IV => fourth.process_dct4_with_scratch(&mut a, &mut scratch),
                    }
                }),
            ];
            type Plan = unsafe extern "C" fn(i32, *mut c_void, *mut c_void, u32, u32) -> *mut c_void;
            type Execute = unsafe extern "C" fn(*mut c_void);
            let make = symbol::<Plan>(fftw, &format!("{}_plan_r2r_1d", T::FFTW));
            let run = symbol::<Execute>(fftw, &format!("{}_execute", T::FFTW));
            let mut q = x.clone();
            if let (Some(make), Some(run)) = (make, run) {
                // SAFETY: FFTW's documented signatures; 0 is `FFTW_MEASURE`, and the arrays live as long as the plan.
                let made = unsafe { make(n as i32, p.as_mut_ptr().cast(), q.as_mut_ptr().cast(), theirs, 0) };
                if !made.is_null() {
                    // SAFETY: as above.
                    list.push(Contender::peer("fftw", move || unsafe { run(made) }));
                }
            }
            let work = 2.5 * n as f64 * (n as f64).log2();
            race.case(&Case { op, ty, size: n.to_string(), work, unit: "GFLOP/s" }, list);
        }
    }
}

/// MKL's convolution with a kernel that it has seen before.
type NewTask = unsafe extern "C" fn(*mut *mut c_void, i32, i32, i32, i32, Pointer, i32) -> i32;
type Execute = unsafe extern "C" fn(*mut c_void, Pointer, i32, *mut c_void, i32) -> i32;

fn convolutions<T: Number>(race: &mut Race, mkl: Option<&Library>) {
    let ty = <T as Real>::NAME;
    let n = 1 << 16;
    let x = real::<T>(n);
    for taps in [16usize, 32, 64, 128, 256, 512, 1024, 4096] {
        let kernel = real::<T>(taps);
        let block = convolve_block(taps, n);
        let mut table = real::<T>(convolve_plan_len(block));
        let mut room = vec![Complex::ZERO; convolve_workspace(block)];
        let plan = Convolver::plan(&kernel, block, &mut table, &mut room).unwrap();
        let len = convolve_len(Extent::Full, n, taps);
        let (mut y, mut p) = (real::<T>(len), real::<T>(len));
        let mut list =
            vec![Contender::ours(|| convolve(&plan, Extent::Full, &x, &mut y, &mut room).unwrap())];
        let of_type = if T::REAL == 's' { "vsls" } else { "vsld" };
        let new = symbol::<NewTask>(mkl, &format!("{of_type}ConvNewTaskX1D"));
        let run = symbol::<Execute>(mkl, &format!("{of_type}ConvExecX1D"));
        if let (Some(new), Some(run)) = (new, run) {
            let mut task = null_mut();
            // SAFETY: MKL's documented signatures; mode 0 lets MKL choose between sums and transforms.
            let made = unsafe { new(&mut task, 0, taps as i32, n as i32, len as i32, of(&kernel), 1) };
            let to = p.as_mut_ptr().cast();
            if made == 0 {
                let x = of(&x);
                // SAFETY: as above.
                list.push(Contender::peer("MKL VSL", move || unsafe {
                    assert_eq!(run(task, x, 1, to, 1), 0);
                }));
            }
        }
        let work = n as f64;
        race.case(&Case { op: "convolve", ty, size: taps.to_string(), work, unit: "numbers/ns" }, list);
        // The same signal in blocks of 4096, by sums and by transforms.
        let (mut state, mut other, mut third) =
            (vec![T::ZERO; taps - 1], vec![T::ZERO; taps - 1], vec![T::ZERO; taps - 1 + 4096]);
        let (mut u, mut v, mut w) = (real::<T>(n), real::<T>(n), real::<T>(n));
        let list = vec![
            Contender::ours(|| {
                for (x, y) in x.chunks(4096).zip(u.chunks_mut(4096)) {
                    fir(&kernel, 1, &mut state, x, y).unwrap();
                }
            }),
            Contender::peer("loop", || {
                for (x, y) in x.chunks(4096).zip(w.chunks_mut(4096)) {
                    third[taps - 1..].copy_from_slice(x);
                    for (y, x) in y.iter_mut().zip(third.windows(taps)) {
                        *y = x.iter().rev().zip(&kernel).fold(T::ZERO, |sum, (x, h)| sum + *x * *h);
                    }
                    third.copy_within(4096.., 0);
                }
            }),
            Contender::peer("fir_fft", || {
                for (x, y) in x.chunks(4096).zip(v.chunks_mut(4096)) {
                    fir_fft(&plan, &mut other, x, y, &mut room).unwrap();
                }
            }),
        ];
        race.case(&Case { op: "fir", ty, size: taps.to_string(), work, unit: "numbers/ns" }, list);
    }
    for (n, hop) in [(512usize, 128), (1024, 256), (2048, 512)] {
        let mut table = real::<T>(rfft_plan_len(n));
        let mut room = vec![Complex::ZERO; stft_workspace(n)];
        let plan = RealFft::plan(n, &mut table, &mut room).unwrap();
        let mut window = vec![T::ZERO; n];
        Window::Hann.periodic(&mut window).unwrap();
        let frames = stft_frames(x.len(), n, hop);
        let mut out = vec![Complex::ZERO; frames * plan.bins()];
        let theirs = realfft::RealFftPlanner::<T>::new().plan_fft_forward(n);
        let (mut frame, mut scratch) = (theirs.make_input_vec(), theirs.make_scratch_vec());
        let mut bins = vec![theirs.make_output_vec(); frames];
        let list = vec![
            Contender::ours(|| stft(&plan, &window, hop, &x, &mut out, &mut room).unwrap()),
            Contender::peer("loop+realfft", || {
                for (x, bins) in x.windows(n).step_by(hop).zip(&mut bins) {
                    frame.iter_mut().zip(x.iter().zip(&window)).for_each(|(y, (x, w))| *y = *x * *w);
                    theirs.process_with_scratch(&mut frame, bins, &mut scratch).unwrap();
                }
            }),
        ];
        let work = 2.5 * (frames * n) as f64 * (n as f64).log2();
        race.case(&Case { op: "stft", ty, size: format!("{n}/{hop}"), work, unit: "GFLOP/s" }, list);
    }
}

/// What CMSIS-DSP's filters are told. `arm_fir_instance_q15` and `arm_fir_decimate_instance_q15` begin alike enough to be made by
/// their own functions; this is room for either.
type Instance = [u64; 8];

fn fixed(race: &mut Race) {
    let lib = std::env::var("FULMEN_CMSIS").ok();
    // SAFETY: the initialisers of a module of Python's run no code of Python's.
    let lib =
        lib.and_then(|path| unsafe { Library::new(path) }.map_err(|e| println!("no CMSIS-DSP: {e}")).ok());
    let n = 4096;
    let x: Vec<i16> = (0..n).map(|i| ((i * 7919) % 65536) as u16 as i16).collect();
    for taps in [8usize, 16, 32, 64, 128, 256] {
        // A low pass: magnitudes sum to about one.
        let h: Vec<i16> = (0..taps).map(|k| (32768 / taps as i32 - (k as i32 % 3)) as i16).collect();
        let back: Vec<i16> = h.iter().rev().copied().collect();
        for decimation in [1usize, 2, 4] {
            let (mut state, mut y) = (vec![0; taps - 1], vec![0; n / decimation]);
            let (mut before, mut z) = (vec![0i16; taps - 1 + n], vec![0i16; n / decimation]);
            let (mut room, mut w) = (vec![0i16; taps + n], vec![0i16; n / decimation]);
            let mut list = vec![
                Contender::ours(|| fixed_fir(&h, decimation, &mut state, &x, &mut y).unwrap()),
                Contender::peer("loop", || {
                    before[taps - 1..].copy_from_slice(&x);
                    for (y, x) in z.iter_mut().zip(before.windows(taps).step_by(decimation)) {
                        let sum: i64 =
                            x.iter().zip(&back).map(|(x, h)| i64::from(i32::from(*x) * i32::from(*h))).sum();
                        *y = (sum >> 15).clamp(-32768, 32767) as i16;
                    }
                    before.copy_within(n.., 0);
                }),
            ];
            let mut fir: Instance = [0; 8];
            let at = fir.as_mut_ptr().cast::<c_void>();
            type Init = unsafe extern "C" fn(*mut c_void, u16, *const i16, *mut i16, u32) -> i32;
            type InitDecimate = unsafe extern "C" fn(*mut c_void, u16, u8, *const i16, *mut i16, u32) -> i32;
            type Run = unsafe extern "C" fn(Pointer, *const i16, *mut i16, u32);
            // SAFETY: CMSIS-DSP's documented signatures, an instance with room, and arrays of the lengths they ask for.
            let made = unsafe {
                if decimation == 1 {
                    symbol::<Init>(lib.as_ref(), "arm_fir_init_q15")
                        .map(|f| f(at, taps as u16, back.as_ptr(), room.as_mut_ptr(), n as u32))
                } else {
                    symbol::<InitDecimate>(lib.as_ref(), "arm_fir_decimate_init_q15").map(|f| {
                        f(at, taps as u16, decimation as u8, back.as_ptr(), room.as_mut_ptr(), n as u32)
                    })
                }
            };
            let name = if decimation == 1 { "arm_fir_q15" } else { "arm_fir_decimate_q15" };
            if let (Some(0), Some(run)) = (made, symbol::<Run>(lib.as_ref(), name)) {
                let mut check = (vec![0; taps - 1], vec![0; n / decimation]);
                fixed_fir(&h, decimation, &mut check.0, &x, &mut check.1).unwrap();
                // SAFETY: as above.
                unsafe { run(at, x.as_ptr(), w.as_mut_ptr(), n as u32) };
                assert_eq!(w, check.1, "CMSIS-DSP has other bits");
                let (x, w) = (x.as_ptr(), w.as_mut_ptr());
                // SAFETY: as above.
                list.push(Contender::peer("CMSIS-DSP", move || unsafe { run(at, x, w, n as u32) }));
            }
            let (op, work) = ("fixed_fir", (taps * n / decimation) as f64);
            let size = if decimation == 1 { taps.to_string() } else { format!("{taps}/{decimation}") };
            race.case(&Case { op, ty: "i16", size, work, unit: "products/ns" }, list);
        }
    }
    for count in [1usize, 2, 4, 8] {
        let sections = vec![Biquad { b: [4000i16, 8000, 4000], a: [-20000, 9000] }; count];
        let theirs: Vec<i16> =
            sections.iter().flat_map(|s| [s.b[0], 0, s.b[1], s.b[2], -s.a[0], -s.a[1]]).collect();
        let (mut state, mut before, mut y, mut w) =
            (vec![0; 4 * count], vec![0i16; 4 * count], vec![0; n], vec![0i16; n]);
        let mut list = vec![Contender::ours(|| fixed_biquad(&sections, 1, &mut state, &x, &mut y).unwrap())];
        let mut of: Instance = [0; 8];
        let at = of.as_mut_ptr().cast::<c_void>();
        type Init = unsafe extern "C" fn(*mut c_void, u8, *const i16, *mut i16, i8);
        type Run = unsafe extern "C" fn(Pointer, *const i16, *mut i16, u32);
        let init = symbol::<Init>(lib.as_ref(), "arm_biquad_cascade_df1_init_q15");
        if let (Some(init), Some(run)) = (init, symbol::<Run>(lib.as_ref(), "arm_biquad_cascade_df1_q15")) {
            let mut check = (vec![0; 4 * count], vec![0; n]);
            fixed_biquad(&sections, 1, &mut check.0, &x, &mut check.1).unwrap();
            // SAFETY: CMSIS-DSP's documented signatures, an instance with room, and arrays of the lengths they ask for.
            unsafe {
                init(at, count as u8, theirs.as_ptr(), before.as_mut_ptr(), 1);
                run(at, x.as_ptr(), w.as_mut_ptr(), n as u32);
            }
            assert_eq!(w, check.1, "CMSIS-DSP has other bits");
            let (x, w) = (x.as_ptr(), w.as_mut_ptr());
            // SAFETY: as above.
            list.push(Contender::peer("CMSIS-DSP", move || unsafe { run(at, x, w, n as u32) }));
        }
        let work = (count * n) as f64;
        race.case(
            &Case { op: "fixed_biquad", ty: "i16", size: count.to_string(), work, unit: "sections/ns" },
            list,
        );
    }
}

pub fn race<T: Number>(race: &mut Race, libs: &[Peer], only: Option<&str>) {
    let wide = usize::from(T::REAL == 'd');
    let lib = |name: &str| libs.iter().find(|p| p.0 == name).and_then(|p| p.1[wide].as_ref());
    let has = |part: &str| only.is_none_or(|only| only == part);
    if has("pointwise") {
        pointwise::<T>(race, lib("mkl"));
    }
    if has("products") {
        products::<T>(race, lib("mkl"));
    }
    if has("dct") {
        cosine::<T>(race, lib("fftw"));
    }
    if has("filters") {
        convolutions::<T>(race, lib("mkl"));
    }
    if !(has("fixed") && wide == 0) {
        return;
    }
    fixed(race);
}
