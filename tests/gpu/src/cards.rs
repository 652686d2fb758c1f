//! Collective operations between cards by NCCL, and `llm train --ranks` on them: `FULMEN_PART=ranks`, on a machine with two cards or more,
//! where the system finds NCCL's library or `FULMEN_NCCL` names it.

use fulmen::collective::{Collective, Error, Item, Local, Nccl, Reduce, sum_in_order};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::cuda::Cuda;
use std::fmt::Debug;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(60);

/// What `body` gives on each rank, with its card.
fn on_cards<R: Send>(ranks: usize, body: impl Fn(&Gpu<Cuda>, Nccl) -> R + Sync) -> Vec<R> {
    until(DEADLINE, ranks, body)
}

/// [`on_cards`] with another deadline.
fn until<R: Send>(deadline: Duration, ranks: usize, body: impl Fn(&Gpu<Cuda>, Nccl) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = Local::group(ranks, deadline)
            .into_iter()
            .map(|local| {
                let body = &body;
                scope.spawn(move || {
                    let rank = local.rank();
                    let gpu = Gpu::new(Cuda::open(&rank.to_string(), None).expect("a card for each rank"));
                    let group = Nccl::join(local, &gpu).expect("NCCL joins them");
                    body(&gpu, group)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank ends")).collect()
    })
}

fn download<T: Item + fulmen::gpu::backend::Word>(
    gpu: &Gpu<Cuda>,
    x: fulmen::gpu::backend::View<'_, T, Cuda>,
) -> Vec<T> {
    let mut host = vec![T::ZERO; x.len()];
    gpu.download(x, &mut host).expect("it comes back");
    host
}

/// Small whole numbers, whose sums and products are exact in every type.
fn operations<T: Item + fulmen::gpu::backend::Word + PartialEq + Debug>(
    ranks: usize,
    n: usize,
    of: fn(u8) -> T,
) {
    let value = |rank: usize, i: usize| of(((rank * 3 + i * 7) % 5 + 1) as u8);
    let n = n * ranks;
    let all: Vec<Vec<T>> = (0..ranks).map(|rank| (0..n).map(|i| value(rank, i)).collect()).collect();
    for op in [Reduce::Sum, Reduce::Product, Reduce::Max, Reduce::Min] {
        let want: Vec<T> = (0..n)
            .map(|i| {
                let of_all = all.iter().map(|x| x[i].widened());
                T::narrowed(of_all.reduce(|x, y| T::reduced(op, x, y)).expect("a rank"))
            })
            .collect();
        let got = on_cards(ranks, |gpu, group| {
            let mine = &all[group.rank()];
            let mut x = gpu.upload(mine).expect("room");
            let mut part = gpu.alloc::<T>(n / ranks).expect("room");
            group.reduce_scatter(gpu, op, x.view(), part.view_mut()).expect("it is done");
            let mut joined = gpu.alloc::<T>(n * ranks).expect("room");
            group.all_gather(gpu, x.view(), joined.view_mut()).expect("it is done");
            let mut moved = gpu.alloc::<T>(n).expect("room");
            let [to, from] = [1, ranks - 1].map(|by| (group.rank() + by) % ranks);
            group.send_receive(gpu, (to, x.view()), (from, moved.view_mut())).expect("it is done");
            let mut of_last = gpu.upload(mine).expect("room");
            group.broadcast(gpu, ranks - 1, of_last.view_mut()).expect("it is done");
            group.all_reduce(gpu, op, x.view_mut()).expect("it is done");
            group.barrier(gpu).expect("it is done");
            [x.view(), part.view(), joined.view(), moved.view(), of_last.view()].map(|x| download(gpu, x))
        });
        for (rank, [whole, part, joined, moved, of_last]) in got.iter().enumerate() {
            assert_eq!(*whole, want, "{op:?}");
            assert_eq!(part[..], want[rank * n / ranks..(rank + 1) * n / ranks], "{op:?}");
            assert_eq!(*joined, all.concat());
            assert_eq!(*moved, all[(rank + ranks - 1) % ranks]);
            assert_eq!(*of_last, all[ranks - 1]);
        }
    }
}

/// The bits of sums in order are those of the host.
fn in_order(ranks: usize) {
    let value = |rank: usize, i: usize| ((rank * 7919 + i * 104_729) % 1000) as f32 / 7.0 - 60.0;
    let n = 100_003;
    let of = |rank: usize| (0..n).map(|i| value(rank, i)).collect::<Vec<f32>>();
    let got = on_cards(ranks, |gpu, group| {
        let (mut x, mut room) =
            (gpu.upload(&of(group.rank())).expect("room"), gpu.alloc(ranks * 4096).expect("room"));
        sum_in_order(&group, gpu, x.view_mut(), room.view_mut()).expect("it is done");
        download(gpu, x.view())
    });
    let mut all: Vec<Vec<f32>> = (0..ranks).map(of).collect();
    while all.len() > 1 {
        all = all.chunks(2).map(|pair| (0..n).map(|i| pair.iter().map(|x| x[i]).sum()).collect()).collect();
    }
    for x in got {
        assert!(x.iter().zip(&all[0]).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

/// Calls that differ are refused on every rank, and the group goes on.
fn refusals(ranks: usize) {
    let got = on_cards(ranks, |gpu, group| {
        let odd = usize::from(group.rank() == ranks - 1);
        let mut x = gpu.alloc::<f32>(4 + odd).expect("room");
        let e = group.all_reduce(gpu, Reduce::Sum, x.view_mut()).expect_err("another length");
        let other = Gpu::new(Cuda::open("0", None).expect("a card"));
        let mut foreign = other.alloc::<f32>(4).expect("room");
        let f = match odd {
            1 => group.all_reduce(&other, Reduce::Sum, foreign.view_mut()),
            _ => group.all_reduce(gpu, Reduce::Sum, x.view_mut()),
        };
        let mut one = gpu.upload(&[1u32]).expect("room");
        group.all_reduce(gpu, Reduce::Sum, one.view_mut()).expect("it is done");
        assert_eq!(download(gpu, one.view()), [ranks as u32]);
        (e, f.expect_err("memory of another device"))
    });
    for (e, f) in &got {
        assert_eq!(*e, Error::Differs { op: "all_reduce", rank: ranks - 1, what: "length" });
        assert!(matches!(f, Error::Refused { .. } | Error::Backend(_)), "{f}");
    }
}

/// A rank that ends is named to the others.
fn a_rank_that_leaves(ranks: usize) {
    let got = on_cards(ranks, |gpu, group| {
        let mut x = gpu.upload(&[1.0f32]).expect("room");
        group.all_reduce(gpu, Reduce::Sum, x.view_mut()).expect("it is done");
        if group.rank() == ranks - 1 {
            return None;
        }
        group.all_reduce(gpu, Reduce::Sum, x.view_mut()).err()
    });
    for e in &got[..ranks - 1] {
        assert_eq!(*e, Some(Error::Ended { op: "all_reduce", rank: ranks - 1 }));
    }
}

/// Begins so many products, each of which takes a card a tenth of a second or so.
fn occupy(gpu: &Gpu<Cuda>, products: usize) {
    const SIDE: usize = 16384;
    let a = gpu.upload(&vec![0.0f32; SIDE * SIDE]).expect("room");
    let mut c = gpu.alloc::<f32>(SIDE * SIDE).expect("room");
    for _ in 0..products {
        let [p, q] = [(); 2].map(|()| a.view().matrix(SIDE, SIDE).expect("square"));
        gpu.gemm(1.0, p, q, 0.0, c.view_mut().matrix(SIDE, SIDE).expect("square")).expect("it is begun");
    }
}

/// An operation behind work that takes longer than the deadline is not late.
fn busy_cards(ranks: usize) {
    let deadline = Duration::from_secs(1);
    let got = until(deadline, ranks, |gpu, group| {
        let mut x = gpu.upload(&[group.rank() as f32 + 1.0]).expect("room");
        let start = Instant::now();
        occupy(gpu, 40);
        group.all_reduce(gpu, Reduce::Sum, x.view_mut()).expect("it is begun");
        let sum = download(gpu, x.view());
        assert!(start.elapsed() > 2 * deadline, "the card was busy for {:?} only", start.elapsed());
        group.check().expect("it is not late");
        group.barrier(gpu).expect("the group goes on");
        sum
    });
    assert!(got.iter().all(|sum| *sum == [(ranks * (ranks + 1) / 2) as f32]), "{got:?}");
}

/// A card that is busy past the deadline, after the ranks have agreed on an operation, is waited for no longer than that by the others, and
/// all ranks are told. The card itself is not late: the time of its operation has not begun.
fn a_card_that_hangs(ranks: usize) {
    let deadline = Duration::from_secs(3);
    let got = until(deadline, ranks, |gpu, group| {
        let last = group.rank() == ranks - 1;
        let mut x = gpu.upload(&[1.0f32]).expect("room");
        group.all_reduce(gpu, Reduce::Sum, x.view_mut()).expect("it is done");
        assert_eq!(download(gpu, x.view()), [ranks as f32]);
        if last {
            occupy(gpu, 100);
        }
        let start = Instant::now();
        group.all_reduce(gpu, Reduce::Sum, x.view_mut()).expect("it is begun");
        // The copy to the host waits for the operation.
        let _ = download(gpu, x.view());
        let waited = start.elapsed();
        let own = group.check();
        (waited, own, group.barrier(gpu), group.all_reduce(gpu, Reduce::Sum, x.view_mut()))
    });
    let said = Error::Engine { name: "NCCL", reason: "all_reduce had not ended after 3 s".into() };
    for (rank, (waited, own, barrier, next)) in got.iter().enumerate() {
        println!("rank {rank} waited for {waited:.2?}, then: {own:?}");
        assert_eq!([barrier, next], [&Err(said.clone()), &Err(said.clone())], "rank {rank}");
        if rank < ranks - 1 {
            assert!(deadline <= *waited && *waited < deadline + Duration::from_secs(2), "{waited:?}");
            assert_eq!(*own, Err(said.clone()));
        }
    }
    assert!(got[ranks - 1].0 > deadline, "the card was not busy for long enough");
}

pub fn run() -> bool {
    let cards = Cuda::devices().expect("a driver").len();
    println!("{cards} cards");
    for ranks in [1, 2, 4, 8].into_iter().filter(|ranks| *ranks <= cards) {
        for n in [4, 1000, 1 << 20] {
            operations(ranks, n, f32::from);
            operations(ranks, n, f64::from);
            operations(ranks, n, |x| x);
            operations(ranks, n, |x| x as i8);
            operations(ranks, n, i32::from);
            operations(ranks, n, u64::from);
            operations(ranks, n, half::f16::from);
            operations(ranks, n, half::bf16::from);
        }
        in_order(ranks);
        busy_cards(ranks);
        if ranks > 1 {
            refusals(ranks);
            a_rank_that_leaves(ranks);
            a_card_that_hangs(ranks);
            crate::llm::ranks(ranks);
        }
        println!("collectives of {ranks} cards by NCCL are right");
    }
    if cards < 2 {
        println!("collectives between cards: not run, as there is one card");
    }
    cards > 1
}
