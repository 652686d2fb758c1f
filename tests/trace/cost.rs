//! What the hook and the profiler take: `cargo bench -p fulmen-trace-tests`. Each number is the least of many rounds, as what
//! else runs on the machine can only add to it; a call that is not inlined and the two clocks are there to compare with.

use fulmen::trace::{About, BrickId, Listener, Profiler, Room, Sink, Span, clock, listen, silence};
use std::hint::black_box;
use std::time::Instant;

const CALLS: u32 = 20_000;
const ROUNDS: usize = 101;

/// Nanoseconds of a call of `f`: the least of all rounds, and their median.
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
    let mut room = Room::default();
    let _span = Span::open(&mut room, || About::new("bench"));
    black_box(());
}

struct Nobody;
impl Sink for Nobody {
    fn end(&self, _: &About<'_>, start: u64, stop: u64) {
        black_box(stop - start);
    }
}
static LISTENER: Listener = Listener { clock: clock::fastest, sink: &Nobody };

fn main() {
    let row = |what: &str, [least, median]: [f64; 2]| println!("{least:>7.1} {median:>7.1}  {what}");
    println!("  least  median  ns of a call, of {ROUNDS} rounds of {CALLS}");
    let base = time(empty);
    row("an empty call", base);
    let clock = time(|| _ = black_box(clock::fastest()));
    row("the fastest clock", clock);
    row("the clock of the operating system", time(|| _ = black_box(clock::nanoseconds())));
    let silent = time(hooked);
    row("an empty call with the hook, nobody listens", silent);
    listen(&LISTENER);
    row("the same with a listener that does nothing", time(hooked));
    silence();
    let mut profiler = Profiler::<16>::new();
    let mut next = 0;
    let lap = time(|| {
        // Another brick each time, as in a program.
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
    row("begin and end of the profiler", pair);
    black_box(profiler.total());
    let (hook, brick) = (silent[0] - base[0], lap[0]);
    println!("the hook adds {hook:.1} ns (bound 2), a brick is {brick:.1} ns (bound 25)");
    if hook > 2.0 || brick > 25.0 {
        std::process::exit(1);
    }
}
