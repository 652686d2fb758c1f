//! Collectives of CUDA devices by NCCL: a rank for each card, from 1 KiB to 1 GiB of `f32`. The rate is that of one card's link, as nccl-tests
//! count it: of an all-reduce 2 (N - 1) / N bytes for each that is reduced, of a gather N - 1.

use fulmen::collective::{Collective, Error, Local, Nccl, Reduce, sum_in_order, sum_in_order_workspace};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::cuda::Cuda;
use std::time::{Duration, Instant};

/// The median of seconds of a call on this rank, of calls that are waited for together.
fn timed(gpu: &Gpu<Cuda>, times: usize, mut f: impl FnMut() -> Result<(), Error>) -> f64 {
    let mark = gpu.upload(&[0.0f32]).expect("room");
    let wait = || gpu.download(mark.view(), &mut [0.0]).expect("the work before is done");
    let mut all = Vec::new();
    for _ in 0..8 {
        let start = Instant::now();
        (0..times).for_each(|_| f().expect("it is done"));
        wait();
        all.push(start.elapsed().as_secs_f64() / times as f64);
    }
    // The first makes its connections.
    let mut rest = all.split_off(1);
    rest.sort_by(f64::total_cmp);
    rest[rest.len() / 2]
}

fn rank(local: Local, ranks: usize) {
    let number = local.rank();
    let gpu = Gpu::new(Cuda::open(&number.to_string(), None).expect("a card for each rank"));
    let group = Nccl::join(local, &gpu).expect("NCCL joins them");
    let say = |name: &str, bytes: usize, share: f64, seconds: f64| {
        if number == 0 {
            let rate = bytes as f64 * share / seconds / 1e9;
            println!("{name:40} | fulmen | {:10.2} µs | {rate:6.1} GB/s", seconds * 1e6);
        }
    };
    let barrier = timed(&gpu, 1000, || group.barrier(&gpu));
    say("barrier of the host", 0, 0.0, barrier);
    let of = |n: usize| (ranks - 1) as f64 / n as f64;
    for bits in (10..=30).step_by(4) {
        let n = (1usize << bits) / 4;
        let times = if bits < 26 { 200 } else { 10 };
        let mut x = gpu.alloc::<f32>(n).expect("room");
        let seconds = timed(&gpu, times, || group.all_reduce(&gpu, Reduce::Sum, x.view_mut()));
        say(&format!("all_reduce 2^{bits} bytes"), 4 * n, 2.0 * of(ranks), seconds);
        let mut room = gpu.alloc(sum_in_order_workspace(ranks, n)).expect("room");
        let seconds = timed(&gpu, times, || sum_in_order(&group, &gpu, x.view_mut(), room.view_mut()));
        say(&format!("sum_in_order 2^{bits} bytes"), 4 * n, 2.0 * of(ranks), seconds);
        let mut all = gpu.alloc(ranks * n).expect("room");
        let seconds = timed(&gpu, times, || group.all_gather(&gpu, x.view(), all.view_mut()));
        say(&format!("all_gather 2^{bits} bytes of each"), 4 * n, of(1), seconds);
    }
}

/// With every number of ranks that is a power of two and has cards.
pub fn run() {
    let cards = Cuda::devices().expect("a driver").len();
    for ranks in [2, 4, 8].into_iter().filter(|ranks| *ranks <= cards) {
        println!("{ranks} of {cards} cards");
        std::thread::scope(|scope| {
            for local in Local::group(ranks, Duration::from_secs(120)) {
                scope.spawn(move || rank(local, ranks));
            }
        });
    }
}
