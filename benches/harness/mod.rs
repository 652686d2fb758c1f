//! Paired measurement: contenders run interleaved (ours, theirs, ours, theirs, …) in one process on
//! the same buffers, medians are compared, and losses are printed as losses.

pub mod chart;
pub mod hand;
pub mod limits;
pub mod mkl;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// 64-byte-aligned buffers that all contenders of a case share.
pub struct Data<T> {
    pub a: Vec<T>,
    pub b: Vec<T>,
    pub c: Vec<T>,
    pub out: Vec<T>,
    /// What a reduction returned.
    pub value: T,
    offset: [usize; 4],
    pub n: usize,
}

impl<T: Copy + Default> Data<T> {
    /// `n` elements of each buffer, made by `f(buffer, index)`.
    pub fn new(n: usize, f: impl Fn(usize, usize) -> T) -> Self {
        let pad = 64 / size_of::<T>();
        let make = |k: usize| {
            let mut v = vec![T::default(); n + pad];
            let skip = v.as_ptr().align_offset(64).min(pad);
            for (i, x) in v.iter_mut().skip(skip).take(n).enumerate() {
                *x = f(k, i);
            }
            (v, skip)
        };
        let [(a, oa), (b, ob), (c, oc), (out, oo)] = [0, 1, 2, 3].map(make);
        Self { a, b, c, out, value: T::default(), offset: [oa, ob, oc, oo], n }
    }
    /// Inputs `a`, `b`, `c` and the output.
    pub fn split(&mut self) -> (&[T], &[T], &[T], &mut [T]) {
        let [oa, ob, oc, oo] = self.offset;
        let n = self.n;
        (&self.a[oa..oa + n], &self.b[ob..ob + n], &self.c[oc..oc + n], &mut self.out[oo..oo + n])
    }
}

/// One way to do the job of a case.
pub struct Contender<'a, T> {
    pub name: &'static str,
    pub run: Box<dyn FnMut(&mut Data<T>) + 'a>,
}

/// Reads and writes of whole streams that the job cannot avoid: selects the bandwidth limit.
#[derive(Clone, Copy)]
pub struct Streams {
    pub reads: usize,
    pub writes: usize,
}

pub struct Row {
    pub op: &'static str,
    pub ty: &'static str,
    pub n: usize,
    pub contender: String,
    pub ns: f64,
    pub ratio_to_best_peer: f64,
    pub share_of_limit: f64,
}

pub struct Bench {
    pub quick: bool,
    filter: Option<String>,
    pub rows: Vec<Row>,
}

impl Bench {
    /// Reads `--quick` and an optional filter on the op's name from the command line.
    pub fn from_args() -> Self {
        let mut quick = false;
        let mut filter = None;
        for a in std::env::args().skip(1) {
            match a.as_str() {
                "--quick" => quick = true,
                "--bench" => {}
                _ => filter = Some(a),
            }
        }
        println!("fulmen {} on {}", <fulmen::lanes::Native as fulmen::lanes::Simd>::NAME, cpu());
        println!(
            "{:<18} {:>4} {:>9}  {:<14} {:>12} {:>9} {:>8} {:>7}",
            "op", "type", "n", "contender", "ns", "GB/s", "ours/it", "limit"
        );
        Self { quick, filter, rows: Vec::new() }
    }

    pub fn sizes(&self) -> &'static [usize] {
        if self.quick { &[1_000, 100_000] } else { &[1_000, 10_000, 100_000, 1_000_000, 10_000_000] }
    }

    /// Runs one case. The first contender is ours; results of the others are compared with its own
    /// by `same` before anything is timed.
    pub fn case<T: Copy + Default + Into<f64> + limits::Streamable>(
        &mut self,
        op: &'static str,
        ty: &'static str,
        data: &mut Data<T>,
        streams: Streams,
        tolerance: f64,
        mut contenders: Vec<Contender<'_, T>>,
    ) {
        if self.filter.as_ref().is_some_and(|f| !op.contains(f.as_str())) {
            return;
        }
        let n = data.n;
        check(op, data, tolerance, &mut contenders);
        contenders.push(limits::contender(streams));
        let rounds = if self.quick { 5 } else { 15 };
        let target = Duration::from_micros(if self.quick { 1_000 } else { 4_000 });
        let reps: Vec<u32> = contenders.iter_mut().map(|c| calibrate(c, data, target)).collect();
        let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
        for round in 0..rounds {
            for k in 0..contenders.len() {
                // Rotate the order, so that nobody always follows the same neighbour.
                let k = (k + round) % contenders.len();
                let c = &mut contenders[k];
                (c.run)(data);
                let t = Instant::now();
                for _ in 0..reps[k] {
                    (c.run)(black_box(data));
                }
                times[k].push(t.elapsed().as_nanos() as f64 / f64::from(reps[k]));
            }
        }
        let medians: Vec<f64> = times
            .into_iter()
            .map(|mut t| {
                t.sort_by(f64::total_cmp);
                t[t.len() / 2]
            })
            .collect();
        let limit = *medians.last().unwrap_or(&f64::NAN);
        let peers = || {
            contenders
                .iter()
                .zip(&medians)
                .filter(|(c, _)| !c.name.starts_with("fulmen") && c.name != "limit")
        };
        let best = peers().map(|(_, &ns)| ns).fold(f64::INFINITY, f64::min);
        let bytes = (n * size_of::<T>() * (streams.reads + streams.writes)) as f64;
        let ours = medians[0];
        for (c, &ns) in contenders.iter().zip(&medians) {
            let mark = if c.name == "fulmen" && best < ours * 0.97 { " LOSS" } else { "" };
            println!(
                "{op:<18} {ty:>4} {n:>9}  {:<14} {ns:>12.1} {:>9.2} {:>8.3} {:>6.0}%{mark}",
                c.name,
                bytes / ns,
                ns / ours,
                100.0 * limit / ns
            );
            self.rows.push(Row {
                op,
                ty,
                n,
                contender: c.name.into(),
                ns,
                ratio_to_best_peer: best / ns,
                share_of_limit: limit / ns,
            });
        }
    }

    /// Writes `target/bench/<name>.csv` and `.svg`, and prints the summary of wins and losses.
    pub fn finish(self, name: &str) -> std::io::Result<()> {
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench");
        std::fs::create_dir_all(&dir)?;
        let mut csv = String::from("op,type,n,contender,ns,ratio_to_best_peer,share_of_limit\n");
        for r in &self.rows {
            let _ = writeln!(
                csv,
                "{},{},{},{},{:.2},{:.4},{:.4}",
                r.op, r.ty, r.n, r.contender, r.ns, r.ratio_to_best_peer, r.share_of_limit
            );
        }
        std::fs::write(dir.join(format!("{name}.csv")), csv)?;
        let title = format!("{name}: speed of fulmen over the best peer ({}; right of 1 is faster)", cpu());
        let mine = self.rows.iter().filter(|r| r.contender == "fulmen" && r.ratio_to_best_peer.is_finite());
        let bars: Vec<_> =
            mine.map(|r| (format!("{} {} n={}", r.op, r.ty, r.n), r.ratio_to_best_peer)).collect();
        std::fs::write(dir.join(format!("{name}.svg")), chart::ratios(&title, &bars))?;
        let ours: Vec<&Row> = self
            .rows
            .iter()
            .filter(|r| r.contender == "fulmen" && r.ratio_to_best_peer.is_finite())
            .collect();
        let lost: Vec<&&Row> = ours.iter().filter(|r| r.ratio_to_best_peer < 0.97).collect();
        println!("\n{} of {} cases at 97 % of the best peer or better", ours.len() - lost.len(), ours.len());
        for r in lost {
            println!("  behind: {} {} n={} at {:.2}", r.op, r.ty, r.n, r.ratio_to_best_peer);
        }
        println!("wrote {}", dir.join(format!("{name}.{{csv,svg}}")).display());
        Ok(())
    }
}

/// Every contender must compute what ours does.
fn check<T: Copy + Default + Into<f64>>(
    op: &str,
    data: &mut Data<T>,
    tolerance: f64,
    contenders: &mut [Contender<'_, T>],
) {
    let mut want: Option<(Vec<f64>, f64)> = None;
    for c in contenders {
        data.value = T::default();
        data.split().3.fill(T::default());
        (c.run)(data);
        let value: f64 = data.value.into();
        let got: Vec<f64> = data.split().3.iter().map(|&x| x.into()).collect();
        let Some((want, want_value)) = &want else {
            want = Some((got, value));
            continue;
        };
        let close = |a: f64, b: f64| (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0) || a == b;
        let bad = want.iter().zip(&got).position(|(&a, &b)| !close(a, b));
        assert!(
            bad.is_none() && close(value, *want_value),
            "{op}: {} disagrees at {bad:?}: {value} against {want_value}",
            c.name
        );
    }
}

fn calibrate<T>(c: &mut Contender<'_, T>, data: &mut Data<T>, target: Duration) -> u32 {
    let mut reps = 1u32;
    loop {
        let t = Instant::now();
        for _ in 0..reps {
            (c.run)(black_box(data));
        }
        let took = t.elapsed();
        if took >= target / 4 || reps >= 1 << 24 {
            let scale = target.as_secs_f64() / took.as_secs_f64().max(1e-9);
            return ((f64::from(reps) * scale) as u32).max(1);
        }
        reps *= 4;
    }
}

/// The name of the CPU.
pub fn cpu() -> String {
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|s| {
            s.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split(": ").nth(1)).map(Into::into)
        })
        .unwrap_or_else(|| std::env::consts::ARCH.into())
}
