//! Level 2 and 3 against every library at hand, interleaved: `--level2`, `--level3`, with `--dims=` sizes.

use crate::{buffer, libs};
use fulmen::{Diagonal, MatMut, MatRef, Side, Triangle, VecMut, VecRef};
use fulmen_harness::race::{Case, Contender, Race};

/// Row-major, no transpose, lower, not unit, left: as CBLAS numbers them.
const ROWS: i32 = 101;
const PLAIN: i32 = 111;
const TRANSPOSED: i32 = 112;
const LOWER: i32 = 122;
const NON_UNIT: i32 = 131;
const LEFT: i32 = 141;

macro_rules! precision {
    ($name:ident, $t:ident, $functions:ident) => {
        mod $name {
            use super::*;

            /// A contender per library that has the function.
            fn peers<'a, F: Copy + 'a>(
                list: &mut Vec<Contender<'a>>,
                libs: &[libs::Blas],
                pick: impl Fn(&libs::Blas) -> Option<F>,
                call: impl Fn(F) + Copy + 'a,
            ) {
                for lib in libs {
                    if let Some(f) = pick(lib) {
                        list.push(Contender::peer(lib.name.clone(), move || call(f)));
                    }
                }
            }

            pub fn run(race: &mut Race, libs: &[libs::Blas], n: usize, level: u32, only: Option<&str>) {
                let (mut a, x) = (buffer::<$t>(n * n, 1), buffer::<$t>(n * n, 2));
                for i in 0..n {
                    for j in 0..n {
                        // Solutions don't grow.
                        a[i * n + j] = if i == j { 2.0 } else { a[i * n + j] / n as $t };
                    }
                }
                let (mut b, mut y) = (buffer::<$t>(n * n, 3), buffer::<$t>(n, 4));
                let mut ws = fulmen::Buffer::<$t>::new(
                    fulmen::symm_workspace(Side::Left, n, n)
                        .max(fulmen::syr2k_workspace(n, n))
                        .max(fulmen::trsm_workspace(Side::Left, n, n)),
                );
                let (pa, px, pb, py, pw) =
                    (a.as_ptr(), x.as_ptr(), b.as_mut_ptr(), y.as_mut_ptr(), ws.as_mut_ptr());
                let (k, room) = (n as i32, ws.len());
                // SAFETY: of all views below one at a time is used, in the race; the buffers outlive it.
                let mat = move |p: *const $t| {
                    MatRef::row_major(unsafe { std::slice::from_raw_parts(p, n * n) }, n, n).unwrap()
                };
                // SAFETY: as above.
                let out = move || {
                    MatMut::row_major(unsafe { std::slice::from_raw_parts_mut(pb, n * n) }, n, n).unwrap()
                };
                // SAFETY: as above.
                let vec = move || VecRef::from(unsafe { std::slice::from_raw_parts(px, n) });
                // SAFETY: as above.
                let vec_mut = move || VecMut::from(unsafe { std::slice::from_raw_parts_mut(py, n) });
                // SAFETY: as above.
                let ws = move || unsafe { std::slice::from_raw_parts_mut(pw, room) };
                let (lower, non_unit) = (Triangle::Lower, Diagonal::NonUnit);
                macro_rules! case {
                    ($label:literal, $op:ident, $work:expr, $ours:expr, |$f:ident| $theirs:expr) => {
                        if only.is_none_or(|o| o.split(',').any(|o| o == $label)) {
                            let mut list = vec![Contender::ours(move || $ours.unwrap())];
                            // SAFETY: row-major matrices of order `n`, vectors of `n` elements.
                            peers(&mut list, libs, |l| l.$functions().$op, move |$f| unsafe { $theirs });
                            let unit = if level == 2 { "GB/s" } else { "GFLOP/s" };
                            if level == 3 {
                                list.push(Contender::roof(Some(crate::roof::FLOPS.$t), crate::roof::$t));
                            }
                            let (op, ty) = ($label, stringify!($t));
                            race.case(&Case { op, ty, size: n.to_string(), work: $work, unit }, list);
                        }
                    };
                }
                let (nf, bytes) = (n as f64, size_of::<$t>() as f64);
                if level == 2 {
                    let whole = nf * nf * bytes;
                    case!("gemv", gemv, whole, fulmen::gemv(1.0, mat(pa), vec(), 0.0, vec_mut()), |f| f(
                        ROWS, PLAIN, k, k, 1.0, pa, k, px, 1, 0.0, py, 1
                    ));
                    case!(
                        "gemv-t",
                        gemv,
                        whole,
                        fulmen::gemv(1.0, mat(pa).t(), vec(), 0.0, vec_mut()),
                        |f| f(ROWS, TRANSPOSED, k, k, 1.0, pa, k, px, 1, 0.0, py, 1)
                    );
                    case!("ger", ger, 2.0 * whole, fulmen::ger(1e-9, vec(), vec(), out()), |f| f(
                        ROWS, k, k, 1e-9, px, 1, px, 1, pb, k
                    ));
                    case!("syr", syr, whole, fulmen::syr(1e-9, vec(), lower, out()), |f| f(
                        ROWS, LOWER, k, 1e-9, px, 1, pb, k
                    ));
                    case!("syr2", syr2, whole, fulmen::syr2(1e-9, vec(), vec(), lower, out()), |f| f(
                        ROWS, LOWER, k, 1e-9, px, 1, px, 1, pb, k
                    ));
                    case!(
                        "symv",
                        symv,
                        whole / 2.0,
                        fulmen::symv(1.0, lower, mat(pa), vec(), 0.0, vec_mut()),
                        |f| f(ROWS, LOWER, k, 1.0, pa, k, px, 1, 0.0, py, 1)
                    );
                    // Over and over on the same vector: its values settle.
                    case!(
                        "trsv",
                        trsv,
                        whole / 2.0,
                        fulmen::trsv(lower, non_unit, mat(pa), vec_mut()),
                        |f| f(ROWS, LOWER, PLAIN, NON_UNIT, k, pa, k, py, 1)
                    );
                } else {
                    let cube = nf * nf * nf;
                    case!(
                        "symm",
                        symm,
                        2.0 * cube,
                        fulmen::symm(Side::Left, 1.0, lower, mat(pa), mat(px), 0.0, out(), ws()),
                        |f| f(ROWS, LEFT, LOWER, k, k, 1.0, pa, k, px, k, 0.0, pb, k)
                    );
                    case!("syrk", syrk, cube, fulmen::syrk(1.0, mat(pa), 0.0, lower, out(), ws()), |f| f(
                        ROWS, LOWER, PLAIN, k, k, 1.0, pa, k, 0.0, pb, k
                    ));
                    case!(
                        "syr2k",
                        syr2k,
                        2.0 * cube,
                        fulmen::syr2k(1.0, mat(pa), mat(px), 0.0, lower, out(), ws()),
                        |f| f(ROWS, LOWER, PLAIN, k, k, 1.0, pa, k, px, k, 0.0, pb, k)
                    );
                    case!(
                        "trsm",
                        trsm,
                        cube,
                        fulmen::trsm(Side::Left, 1.0, lower, non_unit, mat(pa), out(), ws()),
                        |f| f(ROWS, LEFT, LOWER, PLAIN, NON_UNIT, k, k, 1.0, pa, k, pb, k)
                    );
                    // Half the triangle each time, so that the values settle.
                    case!(
                        "trmm",
                        trmm,
                        cube,
                        fulmen::trmm(Side::Left, 0.5, lower, non_unit, mat(pa), out(), ws()),
                        |f| f(ROWS, LEFT, LOWER, PLAIN, NON_UNIT, k, k, 0.5, pa, k, pb, k)
                    );
                }
            }
        }
    };
}
precision!(single, f32, s23);
precision!(double, f64, d23);

/// `--level2` or `--level3`.
pub fn run(race: &mut Race, libs: &[libs::Blas], args: &[String]) {
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let level = if args.iter().any(|a| a == "--level2") { 2 } else { 3 };
    let all = if level == 2 { "16,64,128,256,512,1000,1024,2048,4096" } else { "16,32,64,128,256,512,1024" };
    for n in value("--dims=").unwrap_or(all).split(',').map(|x| x.parse().unwrap()) {
        if value("--type=").is_none_or(|t| t == "f32") {
            single::run(race, libs, n, level, value("--only="));
        }
        if value("--type=").is_none_or(|t| t == "f64") {
            double::run(race, libs, n, level, value("--only="));
        }
    }
}
