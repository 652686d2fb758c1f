//! The one timing loop: contenders take turns in one process, many short samples each, so that what another
//! process takes falls on few and on all alike. And the one table of results.
//!
//! A case takes [`SAMPLES`] of each contender. Only where that would go over the budget does it take fewer, and a
//! contender that is slower than four times ours misses rounds; the table says how many each had.

use crate::{chart, machine};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// What a contender is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ours,
    /// Ours for a size known at compile time: against [`Kind::Special`] too.
    OursFixed,
    Peer,
    /// A peer that makes code for one shape: against ours that does so.
    Special,
    /// A limit of the machine.
    Roof,
    /// Ours in another way: shown, compared with nothing.
    Aside,
}

pub struct Contender<'a> {
    name: String,
    kind: Kind,
    /// Work of one call, when it is not the case's.
    work: Option<f64>,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    pub fn new(kind: Kind, name: impl Into<String>, run: impl FnMut() + 'a) -> Self {
        Self { name: name.into(), kind, work: None, run: Box::new(run) }
    }
    pub fn ours(run: impl FnMut() + 'a) -> Self {
        Self::new(Kind::Ours, "fulmen", run)
    }
    pub fn peer(name: impl Into<String>, run: impl FnMut() + 'a) -> Self {
        Self::new(Kind::Peer, name, run)
    }
    pub fn roof(work: Option<f64>, run: impl FnMut() + 'a) -> Self {
        Self { work, ..Self::new(Kind::Roof, "roof", run) }
    }
    pub fn name(&self) -> &str {
        &self.name
    }
    pub fn run(&mut self) {
        (self.run)();
    }
}

/// What is raced, and how much a call does: `work` in flops or bytes.
pub struct Case<'a> {
    pub op: &'a str,
    pub ty: &'a str,
    pub size: String,
    pub work: f64,
    pub unit: &'a str,
}

struct Row {
    op: String,
    ty: String,
    size: String,
    name: String,
    kind: Kind,
    rate: f64,
    unit: String,
    /// Lower quartile, median and upper quartile of `ns` and of a peer's time over ours.
    spread: [f64; 3],
    ratio: [f64; 3],
    samples: usize,
    share: f64,
}

/// Seconds that this thread has run: what others take of the CPU does not count.
fn thread_time() -> f64 {
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    let mut t = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the signature of POSIX on 64-bit Linux; 3 is CLOCK_THREAD_CPUTIME_ID.
    assert_eq!(unsafe { clock_gettime(3, &mut t) }, 0);
    t.seconds as f64 + t.nanoseconds as f64 / 1e9
}

/// Lower quartile, median and upper quartile.
fn quartiles(v: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut v: Vec<f64> = v.filter(|x| x.is_finite()).collect();
    v.sort_by(f64::total_cmp);
    [1, 2, 3].map(|q| if v.is_empty() { f64::NAN } else { v[(v.len() - 1) * q / 4] })
}

/// Samples of a contender in a case.
const SAMPLES: usize = 100;
/// Of a case that takes long, and of a contender that does.
const FEWEST: usize = 9;
/// A ratio below this is a loss.
const LEVEL: f64 = 0.97;

pub struct Race {
    pub quick: bool,
    pub threads: usize,
    /// Seconds of a case.
    budget: f64,
    start: Instant,
    rows: Vec<Row>,
}

impl Race {
    /// From `--quick`, `--threads=` and `--budget=`, the most seconds that a case may take.
    pub fn new(args: &[String]) -> Self {
        let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
        let quick = args.iter().any(|a| a == "--quick");
        let threads = value("--threads=").map_or(1, |n| n.parse().unwrap());
        let budget = value("--budget=").map_or(if quick { 1.0 } else { 20.0 }, |s| s.parse().unwrap());
        Self { quick, threads, budget, start: Instant::now(), rows: Vec::new() }
    }

    /// The wall's clock where several threads work.
    fn now(&self) -> f64 {
        if self.threads == 1 { thread_time() } else { self.start.elapsed().as_secs_f64() }
    }

    /// Seconds of `reps` calls.
    fn time(&self, x: &mut Contender<'_>, reps: u32) -> f64 {
        // OpenBLAS's threads spin for some 30 ms behind its last call, on the cores of whoever comes next.
        if self.threads > 1 {
            std::thread::sleep(Duration::from_millis(40));
            x.run();
        }
        let t = self.now();
        for _ in 0..reps {
            x.run();
        }
        self.now() - t
    }

    /// Races all of `list`; prints a line and keeps the rows. A ratio is the median over rounds of a peer's time over ours,
    /// for the peer where it is least.
    pub fn case(&mut self, case: &Case<'_>, mut list: Vec<Contender<'_>>) {
        // Threads that have gone to sleep take a while to wake: longer samples where there are several.
        let target = Duration::from_micros(if self.threads == 1 { 500 } else { 20_000 }).as_secs_f64();
        let reps: Vec<u32> = list
            .iter_mut()
            .map(|x| {
                // The first call of all may load or map memory: counted, it would make a short one look long.
                x.run();
                let mut reps = 1u32;
                loop {
                    let took = self.time(x, reps);
                    if took >= target / 4.0 || reps > 1 << 24 {
                        break ((f64::from(reps) * target / took) as u32).max(1);
                    }
                    reps *= 2;
                }
            })
            .collect();
        // Long calls get fewer rounds, and calls much longer than ours fewer yet.
        let once: Vec<f64> = list.iter_mut().zip(&reps).map(|(x, r)| self.time(x, *r)).collect();
        let most = if self.quick { 40 } else { SAMPLES };
        let every: Vec<usize> =
            once.iter().map(|t| ((t / (4.0 * once[0])) as usize).clamp(1, most / FEWEST)).collect();
        let round: f64 = once.iter().zip(&every).map(|(t, e)| t / *e as f64).sum();
        let rounds = ((self.budget / (2.0 * round)) as usize).clamp(FEWEST, most);
        let mut times = vec![vec![f64::NAN; rounds]; list.len()];
        for round in 0..rounds {
            // The order rotates, so that nobody always follows the same neighbour.
            for i in 0..list.len() {
                let i = (i + round) % list.len();
                if round % every[i].min(rounds / FEWEST) != 0 {
                    continue;
                }
                let x = &mut list[i];
                // The operands are in the caches that they fit.
                if reps[i] < 1000 {
                    x.run();
                }
                times[i][round] = self.time(x, reps[i]) / f64::from(reps[i]);
            }
        }
        let spread: Vec<[f64; 3]> = times.iter().map(|t| quartiles(t.iter().map(|t| t * 1e9))).collect();
        let rate = |i: usize| list[i].work.unwrap_or(case.work) / spread[i][1];
        let roof = (0..list.len()).find(|i| list[*i].kind == Kind::Roof).map(rate);
        print!("{:>17} {} {:>15} |", case.op, case.ty, case.size);
        for (i, x) in list.iter().enumerate() {
            let rival = |j: usize| match (x.kind, list[j].kind) {
                (Kind::Ours | Kind::OursFixed, Kind::Peer) | (Kind::OursFixed, Kind::Special) => true,
                _ => false,
            };
            let ratio = |j: usize| quartiles(times[j].iter().zip(&times[i]).map(|(p, o)| p / o));
            let ratio = (0..list.len()).filter(|j| rival(*j)).map(ratio).min_by(|a, b| a[1].total_cmp(&b[1]));
            let ratio = ratio.unwrap_or([f64::NAN; 3]);
            let share = roof.map_or(f64::NAN, |r| rate(i) / r);
            print!(" {} {:.1}", x.name, rate(i));
            if ratio[1].is_finite() {
                let loss = if ratio[1] < LEVEL { " LOSS" } else { "" };
                print!(" ({:.2} of the best peer, {:.2} to {:.2}{loss})", ratio[1], ratio[0], ratio[2]);
            }
            self.rows.push(Row {
                op: case.op.into(),
                ty: case.ty.into(),
                size: case.size.clone(),
                name: x.name.clone(),
                kind: x.kind,
                rate: rate(i),
                unit: case.unit.into(),
                spread: spread[i],
                ratio,
                samples: times[i].iter().filter(|t| t.is_finite()).count(),
                share,
            });
        }
        println!(" {}, {rounds} rounds", case.unit);
    }

    /// Writes the table, and the bars beside it; prints how many cases were won and which were lost.
    pub fn finish(&self, csv: &std::path::Path, title: &str) -> std::io::Result<()> {
        if let Some(folder) = csv.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(csv, self.csv())?;
        std::fs::write(csv.with_extension("svg"), self.bars(title))?;
        let ours: Vec<&Row> = self.rows.iter().filter(|r| r.ratio[1].is_finite()).collect();
        let lost: Vec<&&Row> = ours.iter().filter(|r| r.ratio[1] < LEVEL).collect();
        println!("{} of {} cases at 97 % of the best peer or better", ours.len() - lost.len(), ours.len());
        for r in lost {
            println!("  behind: {} {} {} {} at {:.2}", r.op, r.ty, r.size, r.name, r.ratio[1]);
        }
        println!("wrote {}", csv.display());
        Ok(())
    }

    pub fn csv(&self) -> String {
        let (machine, date) = (machine::cpu(), machine::today());
        let mut s = String::from(
            "op,type,size,contender,ns,ns_low,ns_high,samples,rate,unit,ratio_to_best_peer,ratio_low,ratio_high,share_of_roof,machine,date\n",
        );
        for r in &self.rows {
            let ([low, ns, high], [ratio_low, ratio, ratio_high]) = (r.spread, r.ratio);
            let _ = writeln!(
                s,
                "{},{},{},{},{ns:.2},{low:.2},{high:.2},{},{:.2},{},{ratio:.3},{ratio_low:.3},{ratio_high:.3},{:.3},{machine},{date}",
                r.op, r.ty, r.size, r.name, r.samples, r.rate, r.unit, r.share
            );
        }
        s
    }

    /// Ours over the best peer, a bar a case.
    pub fn bars(&self, title: &str) -> String {
        let bars = self.rows.iter().filter(|r| matches!(r.kind, Kind::Ours | Kind::OursFixed));
        let bars = bars.map(|r| {
            let which = r.name.strip_prefix("fulmen").unwrap_or_default();
            (format!("{} {} {} {which}", r.op, r.ty, r.size), r.ratio[1])
        });
        chart::ratios(title, &bars.filter(|b| b.1.is_finite()).collect::<Vec<_>>())
    }

    /// Rates over `n`, a line a contender, of the square shapes of one type.
    pub fn lines(&self, title: &str, ty: &str) -> String {
        let mut names: Vec<&str> = Vec::new();
        for r in self.rows.iter().filter(|r| r.ty == ty) {
            if !names.contains(&r.name.as_str()) {
                names.push(&r.name);
            }
        }
        let side = |size: &str| {
            let mut d = size.split('x').map(|d| d.parse::<f64>().ok());
            let n = d.next()??;
            d.all(|d| d == Some(n)).then_some(n)
        };
        let series: Vec<_> = names
            .into_iter()
            .map(|name| {
                let mine = self.rows.iter().filter(|r| r.ty == ty && r.name == name);
                (name, mine.filter_map(|r| Some((side(&r.size)?, r.rate))).collect::<Vec<_>>())
            })
            .collect();
        chart::lines(title, "GFLOP/s", &series)
    }
}
