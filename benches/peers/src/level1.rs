//! Level 1 and the transpose against every library at hand, interleaved, with a copy of the same bytes between them.

use crate::{buffer, libs};
use fulmen::{MatMut, MatRef, RotM, VecMut, VecRef};
use std::hint::black_box;
use std::time::{Duration, Instant};

type Run<'a> = Box<dyn FnMut() + 'a>;

/// Nanoseconds a call: the best tenth of many short samples each, taken in turn.
fn race(list: &mut [(String, Run<'_>)], rounds: usize) -> Vec<f64> {
    let target = Duration::from_micros(500);
    let reps: Vec<u32> = list
        .iter_mut()
        .map(|(_, run)| {
            let mut reps = 1u32;
            loop {
                let t = Instant::now();
                (0..reps).for_each(|_| run());
                let took = t.elapsed();
                if took >= target / 4 || reps > 1 << 22 {
                    break ((f64::from(reps) * target.as_secs_f64() / took.as_secs_f64()) as u32).max(1);
                }
                reps *= 2;
            }
        })
        .collect();
    let mut times = vec![Vec::new(); list.len()];
    for _ in 0..rounds {
        for (i, (_, run)) in list.iter_mut().enumerate() {
            run();
            let t = Instant::now();
            (0..reps[i]).for_each(|_| run());
            times[i].push(t.elapsed().as_secs_f64() * 1e9 / f64::from(reps[i]));
        }
    }
    times
        .iter_mut()
        .map(|t| {
            t.sort_by(f64::total_cmp);
            t[t.len() / 10]
        })
        .collect()
}

fn show(what: &str, ty: &str, size: &str, bytes: f64, list: &mut [(String, Run<'_>)], quick: bool) -> String {
    let times = race(list, if quick { 25 } else { 80 });
    let best = list.iter().zip(&times).skip(1).filter(|((n, _), _)| !n.starts_with("roof")).map(|(_, t)| *t);
    let best = best.fold(f64::INFINITY, f64::min);
    print!("{what:>9} {ty} {size:>12} |");
    let mut csv = String::new();
    for ((name, _), t) in list.iter().zip(&times) {
        print!(" {name} {:6.1}", bytes / t);
        csv += &format!("{what},{ty},{size},{name},{t:.1},{:.2}\n", bytes / t);
    }
    println!(" GB/s | {:.3} of best", best / times[0]);
    csv
}

/// One precision.
macro_rules! precision {
    ($name:ident, $t:ident, $level1:ident) => {
        mod $name {
            use super::*;

            #[allow(clippy::too_many_lines, reason = "one table")]
            pub fn level1(
                libs: &[libs::Blas],
                n: usize,
                inc: usize,
                quick: bool,
                only: Option<&str>,
            ) -> String {
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
                let mut csv = String::new();
                let size = format!("{n}x{inc}");
                let width = size_of::<$t>() as f64;
                macro_rules! case {
                    ($op:ident, $vectors:literal, $ours:expr, |$f:ident| $theirs:expr) => {
                        if only.is_none_or(|o| o.split(',').any(|o| o == stringify!($op))) {
                            let mut list: Vec<(String, Run<'_>)> = vec![(
                                "fulmen".into(),
                                Box::new(|| {
                                    black_box($ours);
                                }),
                            )];
                            for lib in libs {
                                if let Some($f) = lib.$level1().$op {
                                    // SAFETY: vectors of this length and stride.
                                    list.push((
                                        lib.name.clone(),
                                        Box::new(move || {
                                            black_box(unsafe { $theirs });
                                        }),
                                    ));
                                }
                            }
                            csv += &show(
                                stringify!($op),
                                stringify!($t),
                                &size,
                                $vectors * width * n as f64,
                                &mut list,
                                quick,
                            );
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
                csv
            }

            pub fn transpose(libs: &[libs::Blas], n: usize, quick: bool) -> String {
                let (a, mut b) = (buffer::<$t>(n * n, 1), buffer::<$t>(n * n, 2));
                let (pa, pb) = (a.as_ptr(), b.as_mut_ptr());
                // SAFETY: of all views below one at a time is used, in the race; the buffers outlive it.
                let out = || unsafe { std::slice::from_raw_parts_mut(pb, n * n) };
                // SAFETY: as above.
                let a = unsafe { std::slice::from_raw_parts(pa, n * n) };
                let mut list: Vec<(String, Run<'_>)> = vec![(
                    "fulmen".into(),
                    Box::new(|| {
                        let a = MatRef::row_major(black_box(a), n, n).unwrap();
                        fulmen::transpose(a, MatMut::row_major(out(), n, n).unwrap()).unwrap();
                    }),
                )];
                for lib in libs {
                    let f = lib.$level1();
                    let k = n as i32;
                    if let Some(f) = f.mkl_omatcopy {
                        // SAFETY: row-major matrices of this shape.
                        let run = move || unsafe { f(b'R' as i8, b'T' as i8, n, n, 1.0, pa, n, pb, n) };
                        list.push((lib.name.clone(), Box::new(run)));
                    } else if let Some(f) = f.omatcopy {
                        // SAFETY: as above.
                        list.push((
                            lib.name.clone(),
                            Box::new(move || unsafe { f(101, 112, k, k, 1.0, pa, k, pb, k) }),
                        ));
                    }
                }
                list.push((
                    "ndarray".into(),
                    Box::new(|| {
                        let a = ndarray::ArrayView2::from_shape((n, n), black_box(a)).unwrap();
                        ndarray::ArrayViewMut2::from_shape((n, n), out()).unwrap().assign(&a.t());
                    }),
                ));
                list.push((
                    "squares".into(),
                    Box::new(|| {
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
                    }),
                ));
                list.push(("roof-copy".into(), Box::new(|| out().copy_from_slice(black_box(a)))));
                // All must agree.
                for (name, run) in &mut list {
                    out().fill(0.0);
                    run();
                    let right = (0..n * n).all(|k| out()[k] == a[k % n * n + k / n]);
                    assert!(right || name.starts_with("roof"), "{name} disagrees at {n}");
                }
                show(
                    "transpose",
                    stringify!($t),
                    &n.to_string(),
                    2.0 * (n * n * size_of::<$t>()) as f64,
                    &mut list,
                    quick,
                )
            }
        }
    };
}
precision!(single, f32, s1);
precision!(double, f64, d1);

/// `--transpose` or `--level1`, with `--dims=` lengths and `--inc=` a stride.
pub fn run(libs: &[libs::Blas], args: &[String], quick: bool) -> String {
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let numbers = |text: &str| text.split(',').map(|x| x.parse().unwrap()).collect::<Vec<usize>>();
    let ty = |t: &str| value("--type=").is_none_or(|ty| ty == t);
    let mut csv = String::new();
    if args.iter().any(|a| a == "--transpose") {
        let sizes =
            value("--dims=").map_or(vec![16, 37, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096], numbers);
        for n in sizes {
            if ty("f32") {
                csv += &single::transpose(libs, n, quick);
            }
            if ty("f64") {
                csv += &double::transpose(libs, n, quick);
            }
        }
        return csv;
    }
    let inc = value("--inc=").map_or(1, |n| n.parse().unwrap());
    for n in value("--dims=").map_or(vec![100, 1000, 10_000, 100_000, 1_000_000, 10_000_000], numbers) {
        if ty("f32") {
            csv += &single::level1(libs, n, inc, quick, value("--only="));
        }
        if ty("f64") {
            csv += &double::level1(libs, n, inc, quick, value("--only="));
        }
    }
    csv
}
