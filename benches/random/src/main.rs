//! Slices of random numbers, contenders interleaved: fulmen's streams, generators of rand, and MKL's Philox where MKL is found.

use fulmen::random::{Stream, Variate};
use fulmen_harness::race::{Case, Contender, Race};
use libloading::{Library, Symbol};
use rand::distr::{Bernoulli, Distribution, StandardUniform, Uniform};
use rand::seq::SliceRandom;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

const LENGTHS: [usize; 3] = [1_000, 100_000, 10_000_000];

/// Philox4x32-10 and the methods of Intel's MKL, as its headers number them.
const PHILOX: i32 = 16 << 20;
const STANDARD: i32 = 0;
const BOX_MULLER_2: i32 = 1;
const INVERSION: i32 = 2;

/// A stream of MKL, never given back: the program ends with it.
struct Mkl<'a> {
    lib: &'a Library,
    stream: *mut std::ffi::c_void,
}

impl<'a> Mkl<'a> {
    fn new(lib: &'a Library) -> Option<Self> {
        let mut stream = std::ptr::null_mut();
        // SAFETY: the documented signature of `vslNewStream`.
        let done = unsafe {
            let new: Symbol<'_, unsafe extern "C" fn(*mut *mut std::ffi::c_void, i32, u32) -> i32> =
                lib.get(b"vslNewStream").ok()?;
            new(&mut stream, PHILOX, 42)
        };
        (done == 0).then_some(Self { lib, stream })
    }
    /// A distribution with two parameters.
    fn fill<T: Copy>(&self, name: &str, method: i32, out: &mut [T], a: T, b: T) {
        // SAFETY: the documented signature of `v?RngUniform`, `v?RngGaussian` and `v?RngExponential`.
        unsafe {
            type Fill<T> = unsafe extern "C" fn(i32, *mut std::ffi::c_void, i32, *mut T, T, T) -> i32;
            let fill: Symbol<'_, Fill<T>> = self.lib.get(name.as_bytes()).unwrap();
            assert_eq!(fill(method, self.stream, out.len() as i32, out.as_mut_ptr(), a, b), 0, "{name}");
        }
    }
}

fn reals<T: Variate>(race: &mut Race, n: usize, mkl: Option<&Mkl<'_>>, only: Option<&str>)
where
    StandardUniform: Distribution<T>,
    StandardNormal: Distribution<T>,
    Exp1: Distribution<T>,
{
    let letter = if size_of::<T>() == 4 { "s" } else { "d" };
    let (s, zero, one) = (Stream::new(42), T::ZERO, T::ONE);
    for op in ["uniform", "normal", "exponential"] {
        if only.is_some_and(|only| only != op) {
            continue;
        }
        let mut rows: Vec<Vec<T>> = vec![vec![T::ZERO; n]; 5];
        let [a, b, c, d, e] = &mut rows[..] else { unreachable!() };
        let (mut chacha, mut xoshiro) =
            (ChaCha8Rng::seed_from_u64(42), Xoshiro256PlusPlus::seed_from_u64(42));
        fn theirs<T>(op: &str, rng: &mut impl RngCore, out: &mut [T])
        where
            StandardUniform: Distribution<T>,
            StandardNormal: Distribution<T>,
            Exp1: Distribution<T>,
        {
            match op {
                "uniform" => out.iter_mut().for_each(|x| *x = StandardUniform.sample(rng)),
                "normal" => out.iter_mut().for_each(|x| *x = StandardNormal.sample(rng)),
                _ => out.iter_mut().for_each(|x| *x = Exp1.sample(rng)),
            }
        }
        let mut list = vec![
            Contender::ours(|| match op {
                "uniform" => fulmen::uniform(s, a),
                "normal" => fulmen::normal(s, T::ZERO, T::ONE, a).unwrap(),
                _ => fulmen::exponential(s, T::ONE, a).unwrap(),
            }),
            Contender::peer("rand-chacha8", || theirs(op, &mut chacha, b)),
            Contender::peer("rand-xoshiro256++", || theirs(op, &mut xoshiro, c)),
        ];
        if let Some(mkl) = mkl {
            match op {
                "uniform" => list.push(Contender::peer("mkl-philox", || {
                    mkl.fill(&format!("v{letter}RngUniform"), STANDARD, d, zero, one)
                })),
                "normal" => {
                    let name = format!("v{letter}RngGaussian");
                    let other = name.clone();
                    list.push(Contender::peer("mkl-philox-box-muller", move || {
                        mkl.fill(&name, BOX_MULLER_2, d, zero, one)
                    }));
                    list.push(Contender::peer("mkl-philox-inversion", move || {
                        mkl.fill(&other, INVERSION, e, zero, one)
                    }));
                }
                _ => list.push(Contender::peer("mkl-philox", || {
                    mkl.fill(&format!("v{letter}RngExponential"), STANDARD, d, zero, one)
                })),
            }
        }
        race.case(&Case { op, ty: T::NAME, size: n.to_string(), work: n as f64, unit: "Gelem/s" }, list);
    }
}

fn draws(race: &mut Race, n: usize, only: Option<&str>) {
    let s = Stream::new(42);
    let wanted = |op: &str| only.is_none_or(|only| only == op);
    let case = |op: &'static str, ty: &'static str| Case {
        op,
        ty,
        size: n.to_string(),
        work: n as f64,
        unit: "Gelem/s",
    };
    let (mut chacha, mut xoshiro) = (ChaCha8Rng::seed_from_u64(42), Xoshiro256PlusPlus::seed_from_u64(42));
    let (mut a, mut b, mut c) = (vec![0u32; n], vec![0u32; n], vec![0u32; n]);
    if wanted("random_bits") {
        let list = vec![
            Contender::ours(|| fulmen::random_bits(s, &mut a)),
            Contender::peer("rand-chacha8", || b.iter_mut().for_each(|x| *x = chacha.next_u32())),
            Contender::peer("rand-xoshiro256++", || c.iter_mut().for_each(|x| *x = xoshiro.next_u32())),
        ];
        race.case(&case("random_bits", "u32"), list);
    }
    if wanted("integers") {
        let range = Uniform::new_inclusive(0u32, 99).unwrap();
        let list = vec![
            Contender::ours(|| fulmen::integers(s, 0, 99, &mut a).unwrap()),
            Contender::peer("rand-chacha8", || b.iter_mut().for_each(|x| *x = range.sample(&mut chacha))),
            Contender::peer("rand-xoshiro256++", || {
                c.iter_mut().for_each(|x| *x = range.sample(&mut xoshiro))
            }),
        ];
        race.case(&case("integers", "u32"), list);
    }
    if wanted("bernoulli") {
        let (mut a, mut b, mut c) = (vec![false; n], vec![false; n], vec![false; n]);
        let p = Bernoulli::new(0.3).unwrap();
        let list = vec![
            Contender::ours(|| fulmen::bernoulli(s, 0.3, &mut a).unwrap()),
            Contender::peer("rand-chacha8", || b.iter_mut().for_each(|x| *x = p.sample(&mut chacha))),
            Contender::peer("rand-xoshiro256++", || c.iter_mut().for_each(|x| *x = p.sample(&mut xoshiro))),
        ];
        race.case(&case("bernoulli", "bool"), list);
    }
    if wanted("shuffle") {
        let list = vec![
            Contender::ours(|| fulmen::shuffle(s, &mut a)),
            Contender::peer("rand-chacha8", || b.shuffle(&mut chacha)),
            Contender::peer("rand-xoshiro256++", || c.shuffle(&mut xoshiro)),
        ];
        race.case(&case("shuffle", "u32"), list);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let lengths: Vec<usize> =
        value("--dims=").map_or(LENGTHS.to_vec(), |d| d.split(',').map(|n| n.parse().unwrap()).collect());
    // SAFETY: MKL's initialisers are safe to run once, before any thread uses them.
    let lib = unsafe { Library::new(std::env::var("FULMEN_MKL").unwrap_or("libmkl_rt.so.2".into())) }.ok();
    let mkl = lib.as_ref().and_then(Mkl::new);
    println!("lanes {:?}; MKL {}", fulmen::NATIVE, if mkl.is_some() { "found" } else { "not found" });
    let mut race = Race::new(&args);
    for n in lengths {
        reals::<f32>(&mut race, n, mkl.as_ref(), value("--only="));
        reals::<f64>(&mut race, n, mkl.as_ref(), value("--only="));
        draws(&mut race, n, value("--only="));
    }
    if let Some(path) = value("--csv=").map(std::path::Path::new) {
        race.finish(path, "speed of fulmen over the best peer (right of 1 is faster)").unwrap();
    }
}
