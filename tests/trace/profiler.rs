//! Tests of the profiler: it loses no tick and counts none twice, and the errors of quantiles are within the documented bound.

use fulmen::Error;
use fulmen::trace::{BrickId, Profiler, Stats};

/// A linear congruential generator.
struct Lcg(u64);
impl Lcg {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn total<const N: usize, const B: usize>(p: &Profiler<N, B>, id: BrickId) -> u64 {
    p.stats(id).map_or(0, |s| s.total)
}

#[test]
fn a_lap_begins_at_the_end_of_the_last() {
    let mut p = Profiler::<10>::new();
    p.start(1000);
    for (k, id) in BrickId::BUILT_IN.iter().enumerate() {
        p.lap(*id, 1000 + (1..=k as u64 + 1).sum::<u64>()).unwrap();
    }
    for (k, id) in BrickId::BUILT_IN.iter().enumerate() {
        let stats = p.stats(*id).unwrap();
        assert_eq!((stats.count, stats.total), (1, k as u64 + 1), "{:?}", id.name());
        assert_eq!((stats.min(), stats.max()), (Some(k as u64 + 1), Some(k as u64 + 1)));
    }
    assert_eq!(p.total(), 55);
    // The time between the last lap and a new start belongs to no brick.
    p.start(5000);
    p.lap(BrickId::QKV, 5001).unwrap();
    assert_eq!(p.total(), 56);
}

#[test]
fn self_time_excludes_nested_bricks() {
    let [outer, inner] = [0, 1].map(|k| BrickId::own(k).unwrap());
    let mut p = Profiler::<12>::new();
    p.start(0);
    p.begin(outer, 10).unwrap();
    p.begin(inner, 13).unwrap();
    p.lap(BrickId::ROPE, 18).unwrap();
    p.end(20).unwrap();
    p.begin(outer, 21).unwrap();
    p.end(25).unwrap();
    p.end(40).unwrap();
    assert_eq!([outer, inner, BrickId::ROPE].map(|id| total(&p, id)), [4 + 3 + 1 + 15, 2, 5]);
    assert_eq!(p.total(), 30);
    assert_eq!(p.stats(outer).unwrap().count, 2);
    assert_eq!(p.end(41), Err(Error::empty("open")));
}

/// Random begins, ends and laps on four threads, merged in two orders: the total is the sum of the ticks of all threads.
#[test]
fn merged_profilers_count_every_tick_once() {
    let of_thread = |seed: u64| {
        let (mut p, mut random) = (Profiler::<8, 64>::new(), Lcg(seed));
        let (mut now, mut depth) = (random.below(1000), 0);
        p.start(now);
        let id = |random: &mut Lcg| BrickId::BUILT_IN[random.below(8) as usize];
        // One brick encloses all others, so that no tick is outside of a brick.
        p.begin(BrickId::RMS_NORM, now).unwrap();
        let first = now;
        for _ in 0..5000 {
            now += random.below(100);
            match random.below(3) {
                0 if depth < 10 => {
                    p.begin(id(&mut random), now).unwrap();
                    depth += 1;
                }
                1 if depth > 0 => {
                    p.end(now).unwrap();
                    depth -= 1;
                }
                _ => p.lap(id(&mut random), now).unwrap(),
            }
        }
        for _ in 0..=depth {
            p.end(now).unwrap();
        }
        (p, now - first)
    };
    let threads: Vec<_> = (1..=4).map(|seed| std::thread::spawn(move || of_thread(seed))).collect();
    let all: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    let (mut forward, mut backward) = (Profiler::<8, 64>::new(), Profiler::<8, 64>::new());
    all.iter().for_each(|(p, _)| forward.merge(p));
    all.iter().rev().for_each(|(p, _)| backward.merge(p));
    assert_eq!(forward.total(), all.iter().map(|(_, ticks)| ticks).sum::<u64>());
    assert!(forward.total() > 0);
    for id in &BrickId::BUILT_IN[..8] {
        assert_eq!(forward.stats(*id), backward.stats(*id));
        assert_eq!(
            forward.stats(*id).unwrap().count,
            all.iter().map(|(p, _)| p.stats(*id).unwrap().count).sum()
        );
    }
}

#[test]
fn ids_and_depths_beyond_the_limits_are_errors() {
    let mut p = Profiler::<10>::new();
    let mine = BrickId::own(0).unwrap();
    p.start(0);
    assert_eq!(p.lap(mine, 5), Err(Error::index("id", 10, 10)));
    assert_eq!(p.begin(mine, 5), Err(Error::index("id", 10, 10)));
    // The next lap has the time of the refused ones.
    p.lap(BrickId::DOWN, 7).unwrap();
    assert_eq!(p.total(), 7);
    assert_eq!(BrickId::own(65_525).unwrap().index(), 65_535);
    assert_eq!(BrickId::own(65_526), Err(Error::index("k", 65_526, 65_526)));
    for _ in 0..16 {
        p.begin(BrickId::QKV, 7).unwrap();
    }
    assert_eq!(p.begin(BrickId::QKV, 9), Err(Error::index("depth", 16, 16)));
    for _ in 0..16 {
        p.end(10).unwrap();
    }
    assert_eq!(p.total(), 10);
}

fn stats(times: &[u64]) -> Stats<320> {
    let mut p = Profiler::<10>::new();
    let mut now = 0;
    p.start(0);
    for time in times {
        now += time;
        p.lap(BrickId::HEAD, now).unwrap();
    }
    *p.stats(BrickId::HEAD).unwrap()
}

#[test]
fn quantiles_are_within_a_sixteenth() {
    let mut random = Lcg(7);
    for magnitude in 0..40 {
        let mut times: Vec<u64> =
            (0..999).map(|_| random.below(1 << magnitude.min(30)) << (magnitude.max(30) - 30)).collect();
        let stats = stats(&times);
        times.sort_unstable();
        for (q, at) in [(0.0, 0), (0.5, 499), (0.9, 899), (0.99, 989), (1.0, 998)] {
            let (want, got) = (times[at], stats.quantile(q).unwrap());
            assert!(
                want.abs_diff(got) * 16 <= want,
                "quantile {q} of times below 2^{magnitude}: {got}, not {want}"
            );
        }
        assert_eq!((stats.min(), stats.max()), (Some(times[0]), Some(times[998])));
    }
    // Times beyond the last bucket: the quantile is the longest time, and the total is exact.
    let long = stats(&[1 << 50, 1 << 51]);
    assert_eq!((long.quantile(0.5), long.total, long.count), (Some(1 << 51), 3 << 50, 2));
}

#[test]
fn an_empty_profile_has_no_statistics() {
    let p = Profiler::<10>::new();
    let none = p.stats(BrickId::QKV).unwrap();
    assert_eq!((none.count, none.min(), none.max(), none.quantile(0.5)), (0, None, None, None));
    assert_eq!((p.bricks().count(), p.total(), p.stats(BrickId::own(0).unwrap())), (0, 0, None));
    assert_eq!(stats(&[1]).quantile(f64::NAN), None);
    assert_eq!(stats(&[1]).quantile(1.5), None);
}
