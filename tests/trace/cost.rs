//! Measures the time of the hook and of the profiler: `cargo bench -p fulmen-trace-tests`. The bounds are for the minimum of many
//! rounds, as other programs on the machine can only add to it. An empty call that is not inlined and the two clocks are the baselines.

use fulmen::trace::{BrickId, Listener, Profiler, Sink, Span, SpanInfo, SpanState, clock, listen, silence};
use std::hint::black_box;
use std::time::Instant;

const CALLS: u32 = 20_000;
const ROUNDS: usize = 101;

/// The nanoseconds of a call of `f`: the minimum and the median of all rounds.
fn time(mut f: impl FnMut()) -> [f64; 2] {
    let mut all: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            (0..CALLS).for_each(|_| f());
            began.elapsed().as_nanos() as f64 / f64::from(CALLS)
        })
        .collect();
    all.sort_by(f64::total_cmp);
    [all[0], all[ROUNDS / 2]]
}

#[inline(never)]
fn empty() {
    black_box(());
}

#[inline(never)]
fn hooked() {
    let mut state = SpanState::default();
    let _span = Span::open(&mut state, || SpanInfo::new("bench"));
    black_box(());
}

struct NullSink;
impl Sink for NullSink {
    fn end(&self, _: &SpanInfo<'_>, start: u64, stop: u64) {
        black_box(stop - start);
    }
}
static LISTENER: Listener = Listener { clock: clock::fastest, sink: &NullSink };

fn main() {
    let row = |what: &str, [least, median]: [f64; 2]| println!("{least:>7.1} {median:>7.1}  {what}");
    println!("    min  median  ns per call, of {ROUNDS} rounds of {CALLS} calls");
    let base = time(empty);
    row("an empty call", base);
    let clock = time(|| _ = black_box(clock::fastest()));
    row("a read of the fastest clock", clock);
    row("a read of the operating system's clock", time(|| _ = black_box(clock::nanoseconds())));
    let silent = time(hooked);
    row("an empty call with the hook, without a listener", silent);
    listen(&LISTENER);
    row("an empty call with the hook, with a listener that does nothing", time(hooked));
    silence();
    let mut profiler = Profiler::<16>::new();
    let mut next = 0;
    let lap = time(|| {
        // Each call ends another brick, as in a program.
        next = (next + 1) % BrickId::BUILT_IN.len();
        if profiler.lap(BrickId::BUILT_IN[next], clock::fastest()).is_err() {
            black_box(());
        }
    });
    row("a lap of the profiler", lap);
    let pair = time(|| {
        next = (next + 1) % BrickId::BUILT_IN.len();
        let begun = profiler.begin(BrickId::BUILT_IN[next], clock::fastest());
        if begun.and_then(|()| profiler.end(clock::fastest())).is_err() {
            black_box(());
        }
    });
    row("a begin and an end of the profiler", pair);
    black_box(profiler.total());
    let (hook, brick) = (silent[0] - base[0], lap[0]);
    println!("the hook adds {hook:.1} ns (bound 2), a lap takes {brick:.1} ns (bound 25)");
    if hook > 2.0 || brick > 25.0 {
        std::process::exit(1);
    }
}
