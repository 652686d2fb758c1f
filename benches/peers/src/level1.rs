//! Level 1 and the transpose against every library at hand, interleaved, with a copy of the same bytes between them.

use crate::{buffer, libs};
use fulmen::{MatMut, MatRef, RotM, VecMut, VecRef};
use fulmen_harness::race::{Case, Contender, Kind, Race};
use std::hint::black_box;

/// One precision.
macro_rules! precision {
    ($name:ident, $t:ident, $level1:ident) => {
        mod $name {
            use super::*;

            #[allow(clippy::too_many_lines, reason = "one table")]
            pub fn level1(race: &mut Race, libs: &[libs::Blas], n: usize, inc: usize, only: Option<&str>) {
                let len = n * inc;
                let (x, y) = (buffer::<$t>(len, 1), buffer::<$t>(len, 2));
                let (mut u, mut v) = (x.clone(), y.clone());
                let (pu, pv) = (u.as_mut_ptr(), v.as_mut_ptr());
                let (px, py) = (x.as_ptr(), y.as_ptr());
                let stride = inc as isize;
                // SAFETY: of all views below one at a time is used, in the race.
                let write = |p: *mut $t| {
                    let data = unsafe { std::slice::from_raw_parts_mut(p, len) };
                    if stride == 1 {
                        VecMut::from(data)
                    } else {
                        VecMut::strided(data, 0, n, stride).unwrap()
                    }
                };
                let read = |x: &'static [$t]| {
                    if stride == 1 { VecRef::from(x) } else { VecRef::strided(x, 0, n, stride).unwrap() }
                };
                // SAFETY: the buffers outlive the race.
                let (x, y): (&'static [$t], &'static [$t]) =
                    unsafe { (std::slice::from_raw_parts(px, len), std::slice::from_raw_parts(py, len)) };
                let (c, s): ($t, $t) = (0.6, 0.8);
                let h = RotM::Full { h11: 0.6, h21: -0.8, h12: 0.8, h22: 0.6 };
                let param = h.param();
                let (count, step) = (n as i32, inc as i32);
                let size = format!("{n}x{inc}");
                let width = size_of::<$t>() as f64;
                macro_rules! case {
                    ($op:ident, $vectors:literal, $ours:expr, |$f:ident| $theirs:expr) => {
                        if only.is_none_or(|o| o.split(',').any(|o| o == stringify!($op))) {
                            let mut list = vec![Contender::ours(|| {
                                let _ = black_box($ours);
                            })];
                            for lib in libs {
                                if let Some($f) = lib.$level1().$op {
                                    // SAFETY: vectors of this length and stride.
                                    list.push(Contender::peer(lib.name.clone(), move || {
                                        black_box(unsafe { $theirs });
                                    }));
                                }
                            }
                            let (op, ty, unit) = (stringify!($op), stringify!($t), "GB/s");
                            let work = $vectors * width * n as f64;
                            race.case(&Case { op, ty, size: size.clone(), work, unit }, list);
                        }
                    };
                }
                case!(swap, 4.0, fulmen::swap(write(pu), write(pv)), |f| f(count, pu, step, pv, step));
                case!(copy, 2.0, fulmen::copy(read(x), write(pv)), |f| f(count, px, step, pv, step));
                case!(scal, 2.0, fulmen::scal(-1.0, write(pu)), |f| f(count, -1.0, pu, step));
                case!(axpy, 3.0, fulmen::axpy_strided(1e-9, read(x), write(pv)), |f| f(
                    count, 1e-9, px, step, pv, step
                ));
                case!(dot, 2.0, fulmen::dot_strided(read(x), read(y)), |f| f(count, px, step, py, step));
                case!(nrm2, 1.0, fulmen::nrm2(read(x)), |f| f(count, px, step));
                case!(asum, 1.0, fulmen::asum(read(x)), |f| f(count, px, step));
                case!(iamax, 1.0, fulmen::iamax(read(x)), |f| f(count, px, step));
                case!(rot, 4.0, fulmen::rot(write(pu), write(pv), c, s), |f| f(
                    count, pu, step, pv, step, c, s
                ));
                case!(rotm, 4.0, fulmen::rotm(write(pu), write(pv), &h), |f| f(
                    count,
                    pu,
                    step,
                    pv,
                    step,
                    param.as_ptr()
                ));
            }

            pub fn transpose(race: &mut Race, libs: &[libs::Blas], n: usize) {
                let (a, mut b) = (buffer::<$t>(n * n, 1), buffer::<$t>(n * n, 2));
                let (pa, pb) = (a.as_ptr(), b.as_mut_ptr());
                // SAFETY: of all views below one at a time is used, in the race; the buffers outlive it.
                let out = || unsafe { std::slice::from_raw_parts_mut(pb, n * n) };
                // SAFETY: as above.
                let a = unsafe { std::slice::from_raw_parts(pa, n * n) };
                let mut list = vec![Contender::ours(|| {
                    let a = MatRef::row_major(black_box(a), n, n).unwrap();
                    fulmen::transpose(a, MatMut::row_major(out(), n, n).unwrap()).unwrap();
                })];
                for lib in libs {
                    let f = lib.$level1();
                    let k = n as i32;
                    if let Some(f) = f.mkl_omatcopy {
                        // SAFETY: row-major matrices of this shape.
                        let run = move || unsafe { f(b'R' as i8, b'T' as i8, n, n, 1.0, pa, n, pb, n) };
                        list.push(Contender::peer(lib.name.clone(), run));
                    } else if let Some(f) = f.omatcopy {
                        // SAFETY: as above.
                        let run = move || unsafe { f(101, 112, k, k, 1.0, pa, k, pb, k) };
                        list.push(Contender::peer(lib.name.clone(), run));
                    }
                }
                list.push(Contender::peer("ndarray", || {
                    let a = ndarray::ArrayView2::from_shape((n, n), black_box(a)).unwrap();
                    ndarray::ArrayViewMut2::from_shape((n, n), out()).unwrap().assign(&a.t());
                }));
                list.push(Contender::peer("squares", || {
                    let (a, b) = (black_box(a), out());
                    for i0 in (0..n).step_by(16) {
                        for j0 in (0..n).step_by(16) {
                            for j in j0..n.min(j0 + 16) {
                                for i in i0..n.min(i0 + 16) {
                                    b[j * n + i] = a[i * n + j];
                                }
                            }
                        }
                    }
                }));
                // All must agree.
                for x in &mut list {
                    out().fill(0.0);
                    x.run();
                    let right = (0..n * n).all(|k| out()[k] == a[k % n * n + k / n]);
                    assert!(right, "{} disagrees at {n}", x.name());
                }
                list.push(Contender::roof(None, || out().copy_from_slice(black_box(a))));
                let work = 2.0 * (n * n * size_of::<$t>()) as f64;
                let (op, ty, unit) = ("transpose", stringify!($t), "GB/s");
                race.case(&Case { op, ty, size: n.to_string(), work, unit }, list);
            }

            /// `m` by `n` over itself, there and back, so that each call does the same.
            pub fn over(race: &mut Race, libs: &[libs::Blas], [m, n]: [usize; 2]) {
                let (mut a, mut b) = (buffer::<$t>(m * n, 1), buffer::<$t>(m * n, 1));
                let mut ws = buffer::<$t>(fulmen::transpose_packed_in_place_workspace(m, n), 3);
                let mut copy = buffer::<$t>(m * n, 3);
                let pb = b.as_mut_ptr();
                let ours = |a: &mut [$t], ws: &mut [$t]| {
                    fulmen::transpose_packed_in_place(a, m, n, ws).unwrap();
                    fulmen::transpose_packed_in_place(a, n, m, ws).unwrap();
                };
                let mut c = a.clone();
                let mut list = vec![
                    Contender::ours(|| ours(&mut a, &mut ws)),
                    Contender::new(Kind::OursFixed, "fulmen-copy", || ours(&mut c, &mut copy)),
                ];
                for lib in libs {
                    let f = lib.$level1();
                    let (r, c) = (m as i32, n as i32);
                    if let Some(f) = f.mkl_imatcopy {
                        // SAFETY: row-major matrices of these shapes.
                        let run = move || unsafe {
                            f(b'R' as i8, b'T' as i8, m, n, 1.0, pb, n, m);
                            f(b'R' as i8, b'T' as i8, n, m, 1.0, pb, m, n);
                        };
                        list.push(Contender::peer(lib.name.clone(), run));
                    } else if let Some(f) = f.imatcopy {
                        // SAFETY: as above.
                        let run = move || unsafe {
                            f(101, 112, r, c, 1.0, pb, c, r);
                            f(101, 112, c, r, 1.0, pb, r, c);
                        };
                        list.push(Contender::peer(lib.name.clone(), run));
                    }
                }
                let work = 4.0 * (m * n * size_of::<$t>()) as f64;
                let (op, ty, unit) = ("in-place", stringify!($t), "GB/s");
                race.case(&Case { op, ty, size: format!("{m}x{n}"), work, unit }, list);
            }
        }
    };
}
precision!(single, f32, s1);
precision!(double, f64, d1);

/// `--transpose` (`--over`: rectangles over themselves) or `--level1`, with `--dims=` lengths and `--inc=` a stride.
pub fn run(race: &mut Race, libs: &[libs::Blas], args: &[String]) {
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let numbers = |text: &str| text.split(',').map(|x| x.parse().unwrap()).collect::<Vec<usize>>();
    let ty = |t: &str| value("--type=").is_none_or(|ty| ty == t);
    if args.iter().any(|a| a == "--transpose") {
        let sizes =
            value("--dims=").map_or(vec![16, 37, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096], numbers);
        if args.iter().any(|a| a == "--over") {
            for shape in [[30, 50], [100, 300], [512, 768], [1000, 1001], [64, 4096], [2000, 3000]] {
                if ty("f32") {
                    single::over(race, libs, shape);
                }
                if ty("f64") {
                    double::over(race, libs, shape);
                }
            }
            return;
        }
        for n in sizes {
            if ty("f32") {
                single::transpose(race, libs, n);
            }
            if ty("f64") {
                double::transpose(race, libs, n);
            }
        }
        return;
    }
    let inc = value("--inc=").map_or(1, |n| n.parse().unwrap());
    for n in value("--dims=").map_or(vec![100, 1000, 10_000, 100_000, 1_000_000, 10_000_000], numbers) {
        if ty("f32") {
            single::level1(race, libs, n, inc, value("--only="));
        }
        if ty("f64") {
            double::level1(race, libs, n, inc, value("--only="));
        }
    }
}
