//! Transforms out of place, forward, of one length at a time, contenders interleaved. The work of a complex transform counts as
//! `5·n·log2 n` flops and that of a real one as half of it, as is usual; FFTW plans with `FFTW_MEASURE`.

mod signals;

use fulmen::{Complex, Direction, Element, Fft, RealFft};
use fulmen_harness::race::{Case, Contender, Race};
use libloading::Library;
use std::ffi::c_void;

const LENGTHS: [usize; 18] = [
    64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072, 262_144, 524_288, 1_048_576,
    1000, 12289, 100_000,
];

/// Libraries with the interface of FFTW 3: for `f32` and for `f64`.
struct Peer(&'static str, [Option<Library>; 2]);

fn peers() -> Vec<Peer> {
    let load = |key: &str, name: &str| {
        let path = std::env::var(key).unwrap_or_else(|_| name.into());
        // SAFETY: the initialisers of FFTW and MKL are safe to run once, before any thread uses them.
        unsafe { Library::new(&path).ok() }
    };
    let fftw = Peer("fftw", [load("FULMEN_FFTWF", "libfftw3f.so.3"), load("FULMEN_FFTW", "libfftw3.so.3")]);
    let mkl = [0, 1].map(|_| load("FULMEN_MKL", "libmkl_rt.so.3"));
    for lib in mkl.iter().flatten() {
        // SAFETY: `MKL_Set_Num_Threads(int)` is MKL's documented signature.
        unsafe {
            if let Ok(f) = lib.get::<unsafe extern "C" fn(i32)>(b"MKL_Set_Num_Threads") {
                f(1);
            }
        }
    }
    [fftw, Peer("mkl", mkl)].into_iter().filter(|p| p.1.iter().any(Option::is_some)).collect()
}

type Execute = unsafe extern "C" fn(*mut c_void);

/// A plan of FFTW's interface and what runs it.
fn planned(
    lib: &Library,
    wide: bool,
    real: bool,
    n: usize,
    x: *mut c_void,
    y: *mut c_void,
) -> Option<(Execute, *mut c_void)> {
    let kind = if real { "r2c" } else { "" };
    let infix = if real { format!("dft_{kind}_1d") } else { "dft_1d".into() };
    let prefix = if wide { "fftw" } else { "fftwf" };
    // SAFETY: the documented signatures; `FFTW_MEASURE` is 0 and the forward sign -1.
    unsafe {
        let name = format!("{prefix}_plan_{infix}");
        let plan = if real {
            let f = lib
                .get::<unsafe extern "C" fn(i32, *mut c_void, *mut c_void, u32) -> *mut c_void>(
                    name.as_bytes(),
                )
                .ok()?;
            f(n as i32, x, y, 0)
        } else {
            type Make = unsafe extern "C" fn(i32, *mut c_void, *mut c_void, i32, u32) -> *mut c_void;
            lib.get::<Make>(name.as_bytes()).ok()?(n as i32, x, y, -1, 0)
        };
        let run = *lib.get::<Execute>(format!("{prefix}_execute").as_bytes()).ok()?;
        (!plan.is_null()).then_some((run, plan))
    }
}

fn numbers<T: Element>(n: usize) -> Vec<T> {
    (0..n).map(|i| T::from_f64((i * 37 % 101) as f64 / 50.0 - 1.0)).collect()
}

fn race_lengths<T: Element + rustfft::FftNum>(
    race: &mut Race,
    lengths: &[usize],
    libs: &[Peer],
    only: Option<&str>,
) {
    let ty = <T as fulmen::Real>::NAME;
    let wide = size_of::<T>() == 8;
    for &n in lengths {
        let work = 5.0 * n as f64 * (n as f64).log2();
        if only.is_none_or(|only| only == "fft") {
            let x = numbers::<T>(2 * n);
            let mut table = numbers::<T>(fulmen::fft_plan_len(n));
            let mut room = vec![Complex::ZERO; fulmen::fft_workspace(n)];
            let plan = Fft::plan(n, &mut table, &mut room).unwrap();
            let mut y = vec![Complex::ZERO; n];
            let theirs = rustfft::FftPlanner::<T>::new().plan_fft_forward(n);
            let mut a: Vec<rustfft::num_complex::Complex<T>> =
                x.chunks(2).map(|z| rustfft::num_complex::Complex::new(z[0], z[1])).collect();
            let mut b = a.clone();
            let mut scratch = vec![a[0]; theirs.get_immutable_scratch_len()];
            let z = Complex::of(&x).unwrap();
            let mut list = vec![
                Contender::ours(|| fulmen::fft(&plan, Direction::Forward, z, &mut y, &mut room).unwrap()),
                Contender::peer("rustfft", || {
                    theirs.process_immutable_with_scratch(&a, &mut b, &mut scratch)
                }),
            ];
            let (mut p, mut q) = (x.clone(), x.clone());
            for Peer(name, lib) in libs {
                let (p, q) = (p.as_mut_ptr().cast(), q.as_mut_ptr().cast());
                let made = lib[usize::from(wide)].as_ref().and_then(|lib| planned(lib, wide, false, n, p, q));
                if let Some((run, plan)) = made {
                    // SAFETY: the plan is of these arrays, which live as long.
                    list.push(Contender::peer(*name, move || unsafe { run(plan) }));
                }
            }
            race.case(&Case { op: "fft", ty, size: n.to_string(), work, unit: "GFLOP/s" }, list);
            a.clear();
        }
        if only.is_none_or(|only| only == "rfft") {
            let x = numbers::<T>(n);
            let mut table = numbers::<T>(fulmen::rfft_plan_len(n));
            let mut room = vec![Complex::ZERO; fulmen::rfft_workspace(n)];
            let plan = RealFft::plan(n, &mut table, &mut room).unwrap();
            let mut y = vec![Complex::ZERO; plan.bins()];
            let theirs = realfft::RealFftPlanner::<T>::new().plan_fft_forward(n);
            // Theirs overwrites its input: what it holds does not change the time.
            let (mut a, mut b, mut scratch) =
                (x.clone(), theirs.make_output_vec(), theirs.make_scratch_vec());
            let mut list = vec![
                Contender::ours(|| fulmen::rfft(&plan, &x, &mut y, &mut room).unwrap()),
                Contender::peer("realfft", || {
                    a.copy_from_slice(&x);
                    theirs.process_with_scratch(&mut a, &mut b, &mut scratch).unwrap();
                }),
            ];
            let (mut p, mut q) = (x.clone(), numbers::<T>(n + 2));
            for Peer(name, lib) in libs {
                let (p, q) = (p.as_mut_ptr().cast(), q.as_mut_ptr().cast());
                let made = lib[usize::from(wide)].as_ref().and_then(|lib| planned(lib, wide, true, n, p, q));
                if let Some((run, plan)) = made {
                    // SAFETY: the plan is of these arrays, which live as long.
                    list.push(Contender::peer(*name, move || unsafe { run(plan) }));
                }
            }
            race.case(&Case { op: "rfft", ty, size: n.to_string(), work: work / 2.0, unit: "GFLOP/s" }, list);
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let lengths: Vec<usize> =
        value("--dims=").map_or(LENGTHS.to_vec(), |d| d.split(',').map(|n| n.parse().unwrap()).collect());
    let libs = peers();
    println!("lanes {:?}; peers found: {:?}", fulmen::NATIVE, libs.iter().map(|p| p.0).collect::<Vec<_>>());
    let mut race = Race::new(&args);
    let ty = |t: &str| value("--type=").is_none_or(|ty| ty == t);
    if args.iter().any(|a| a == "--signals") {
        if ty("f32") {
            signals::race::<f32>(&mut race, &libs, value("--only="));
        }
        if ty("f64") {
            signals::race::<f64>(&mut race, &libs, value("--only="));
        }
    } else if ty("f32") {
        race_lengths::<f32>(&mut race, &lengths, &libs, value("--only="));
    }
    if !args.iter().any(|a| a == "--signals") && ty("f64") {
        race_lengths::<f64>(&mut race, &lengths, &libs, value("--only="));
    }
    if let Some(path) = value("--csv=").map(std::path::Path::new) {
        race.finish(path, "speed of fulmen over the best peer (right of 1 is faster)").unwrap();
    }
}
