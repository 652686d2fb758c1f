//! Cases over shared buffers: contenders run in turn on the same data, and must agree before anything is timed.

pub mod hand;
pub mod limits;
pub mod mkl;

use fulmen_harness::machine;
use fulmen_harness::race::{Case, Kind, Race};
use std::hint::black_box;
use std::path::Path;

/// 64-byte-aligned buffers that all contenders of a case share.
pub struct Data<T> {
    a: Vec<T>,
    b: Vec<T>,
    c: Vec<T>,
    out: Vec<T>,
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

/// One way to do the job of a case. `fulmen` is ours; `fulmen-…` are other ways of ours.
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

pub struct Bench {
    pub quick: bool,
    filter: Option<String>,
    sizes: Vec<usize>,
    args: Vec<String>,
    race: Race,
}

impl Bench {
    /// From the command line: `--quick`, `--sizes=`, `--budget=` seconds of a case, `--csv=FILE`, and a part of the ops' names.
    pub fn from_args() -> Self {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let quick = args.iter().any(|a| a == "--quick");
        let sizes = args.iter().find_map(|a| a.strip_prefix("--sizes=")).map_or_else(
            || if quick { vec![1_000, 100_000] } else { [3, 4, 5, 6, 7].map(|p| 10usize.pow(p)).to_vec() },
            |s| s.split(',').map(|n| n.parse().unwrap()).collect(),
        );
        println!("fulmen {} on {}", <fulmen::lanes::Native as fulmen::lanes::Simd>::NAME, machine::cpu());
        let filter = args.iter().find(|a| !a.starts_with("--")).cloned();
        Self { quick, filter, sizes, race: Race::new(&args), args }
    }

    pub fn sizes(&self) -> Vec<usize> {
        self.sizes.clone()
    }

    /// Runs one case. The first contender is ours; results of the others are compared with its own
    /// before anything is timed.
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
        check(op, data, tolerance, &mut contenders);
        contenders.push(limits::contender(streams));
        let work = (data.n * size_of::<T>() * (streams.reads + streams.writes)) as f64;
        let (size, data) = (data.n.to_string(), &raw mut *data);
        let list = contenders.into_iter().map(|mut c| {
            let kind = match c.name {
                "fulmen" => Kind::Ours,
                "limit" => Kind::Roof,
                name if name.starts_with("fulmen-") => Kind::Aside,
                _ => Kind::Peer,
            };
            // SAFETY: one contender at a time runs, and the data outlive the race.
            fulmen_harness::race::Contender::new(kind, c.name, move || {
                (c.run)(unsafe { &mut *black_box(data) })
            })
        });
        self.race.case(&Case { op, ty, size, work, unit: "GB/s" }, list.collect());
    }

    /// Writes the table and its chart, to `target/bench/<name>.csv` if `--csv=` names nothing else.
    pub fn finish(self, name: &str) -> std::io::Result<()> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../target/bench/{name}.csv"));
        let csv = self.args.iter().find_map(|a| a.strip_prefix("--csv="));
        let title =
            format!("{name}: speed of fulmen over the best peer ({}; right of 1 is faster)", machine::cpu());
        self.race.finish(csv.map_or(own.as_path(), Path::new), &title)
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
