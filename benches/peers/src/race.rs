//! The one timing loop: contenders take turns in one process, many short samples each, so that what another
//! process takes falls on few and on all alike. And the one table of results.

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
    ns: f64,
    rate: f64,
    unit: String,
    ratio: f64,
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

fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v[v.len() / 2]
}

pub struct Race {
    pub quick: bool,
    pub threads: usize,
    start: Instant,
    rows: Vec<Row>,
}

impl Race {
    pub fn new(quick: bool, threads: usize) -> Self {
        Self { quick, threads, start: Instant::now(), rows: Vec::new() }
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
        // Long calls get fewer rounds.
        let round: f64 = list.iter_mut().zip(&reps).map(|(x, r)| self.time(x, *r)).sum();
        let (budget, most) = if self.quick { (1.0, 40) } else { (5.0, 150) };
        let rounds = ((budget / round) as usize).clamp(9, most);
        let mut times = vec![Vec::with_capacity(rounds); list.len()];
        for _ in 0..rounds {
            for (i, x) in list.iter_mut().enumerate() {
                // The operands are in the caches that they fit.
                if reps[i] < 1000 {
                    x.run();
                }
                times[i].push(self.time(x, reps[i]) / f64::from(reps[i]));
            }
        }
        let work = |i: usize| list[i].work.unwrap_or(case.work);
        let rate = |i: usize| work(i) / median(times[i].clone()) / 1e9;
        let roof = (0..list.len()).find(|i| list[*i].kind == Kind::Roof).map(rate);
        print!("{:>9} {} {:>15} |", case.op, case.ty, case.size);
        for (i, x) in list.iter().enumerate() {
            let rival = |j: usize| match (x.kind, list[j].kind) {
                (Kind::Ours | Kind::OursFixed, Kind::Peer) | (Kind::OursFixed, Kind::Special) => true,
                _ => false,
            };
            let ratio = |j: usize| median(times[j].iter().zip(&times[i]).map(|(p, o)| p / o).collect());
            let ratio = (0..list.len()).filter(|j| rival(*j)).map(ratio).fold(f64::NAN, f64::min);
            let share = roof.map_or(f64::NAN, |r| rate(i) / r);
            print!(" {} {:.1}", x.name, rate(i));
            if ratio.is_finite() {
                print!(" ({ratio:.2} of the best peer)");
            }
            self.rows.push(Row {
                op: case.op.into(),
                ty: case.ty.into(),
                size: case.size.clone(),
                name: x.name.clone(),
                kind: x.kind,
                ns: median(times[i].clone()) * 1e9,
                rate: rate(i),
                unit: case.unit.into(),
                ratio,
                share,
            });
        }
        println!(" {}", case.unit);
    }

    pub fn csv(&self) -> String {
        let mut s = String::from("op,type,size,contender,ns,rate,unit,ratio_to_best_peer,share_of_roof\n");
        for r in &self.rows {
            let _ = writeln!(
                s,
                "{},{},{},{},{:.1},{:.2},{},{:.3},{:.3}",
                r.op, r.ty, r.size, r.name, r.ns, r.rate, r.unit, r.ratio, r.share
            );
        }
        s
    }

    /// Ours over the best peer, a bar a case.
    pub fn bars(&self, title: &str) -> String {
        let bars = self.rows.iter().filter(|r| matches!(r.kind, Kind::Ours | Kind::OursFixed));
        let bars = bars.map(|r| {
            let which = r.name.strip_prefix("fulmen").unwrap_or_default();
            (format!("{} {} {} {which}", r.op, r.ty, r.size), r.ratio)
        });
        crate::chart::ratios(title, &bars.filter(|b| b.1.is_finite()).collect::<Vec<_>>())
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
        crate::chart::lines(title, "GFLOP/s", &series)
    }
}
