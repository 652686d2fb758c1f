//! Collective operations among threads, over CPUs and devices on the interpreter.

use common::device::data;
use common::nn::Noise;
use common::seed::Seed;
use fulmen::backend::{Backend, Blocking, Cpu, Transfer};
use fulmen::collective::{
    Collective, Error, Item, Local, Reduce, share, sum_in_order, sum_in_order_workspace,
};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::Host;
use std::fmt::Debug;
use std::thread;
use std::time::{Duration, Instant};

const OPS: [Reduce; 4] = [Reduce::Sum, Reduce::Product, Reduce::Max, Reduce::Min];
const LONG: Duration = Duration::from_secs(120);

/// What `body` gives on each rank of a group.
fn on_ranks<R: Send>(ranks: usize, deadline: Duration, body: impl Fn(Local) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let threads: Vec<_> = Local::group(ranks, deadline)
            .into_iter()
            .map(|local| {
                let body = &body;
                scope.spawn(move || body(local))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// An element that tests draw, with reductions of their own.
trait Drawn: Item + PartialEq + Debug {
    fn drawn(noise: &mut Noise) -> Self;
    fn two(op: Reduce, x: Self::Wide, y: Self::Wide) -> Self::Wide;
}
macro_rules! drawn {
    ($([$($T:ty, $from:expr;)*] by $Wide:ty, $x:ident, $y:ident: $sum:expr, $product:expr;)*) => { $($(
        impl Drawn for $T {
            fn drawn(noise: &mut Noise) -> Self {
                $from(noise)
            }
            fn two(op: Reduce, $x: $Wide, $y: $Wide) -> $Wide {
                match op {
                    Reduce::Sum => $sum,
                    Reduce::Product => $product,
                    Reduce::Max => $x.max($y),
                    Reduce::Min => $x.min($y),
                }
            }
        }
    )*)* };
}
fn unit(noise: &mut Noise) -> f64 {
    (noise.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
drawn! {
    [
        f32, |n: &mut Noise| unit(n) as f32;
        half::bf16, |n: &mut Noise| half::bf16::from_f64(unit(n));
        half::f16, |n: &mut Noise| half::f16::from_f64(unit(n));
    ] by f32, x, y: x + y, x * y;
    [f64, unit;] by f64, x, y: x + y, x * y;
    // Modulo powers of two, by wider numbers.
    [i8, |n: &mut Noise| (n.bits() >> 20) as i8;] by i8, x, y: (i32::from(x) + i32::from(y)) as i8, (i32::from(x) * i32::from(y)) as i8;
    [u8, |n: &mut Noise| (n.bits() >> 20) as u8;] by u8, x, y: (u32::from(x) + u32::from(y)) as u8, (u32::from(x) * u32::from(y)) as u8;
    [i32, |n: &mut Noise| (n.bits() >> 20) as i32;] by i32, x, y: (i64::from(x) + i64::from(y)) as i32, (i64::from(x) * i64::from(y)) as i32;
    [u32, |n: &mut Noise| (n.bits() >> 20) as u32;] by u32, x, y: (u64::from(x) + u64::from(y)) as u32, (u64::from(x) * u64::from(y)) as u32;
    [i64, |n: &mut Noise| n.bits() as i64;] by i64, x, y: (i128::from(x) + i128::from(y)) as i64, (i128::from(x) * i128::from(y)) as i64;
    [u64, |n: &mut Noise| n.bits();] by u64, x, y: (u128::from(x) + u128::from(y)) as u64, (u128::from(x) * u128::from(y)) as u64;
}

/// Neighbours first, by rounds.
fn reduced<T: Drawn>(op: Reduce, all: &[Vec<T>], i: usize) -> T {
    let mut x: Vec<T::Wide> = all.iter().map(|x| x[i].widened()).collect();
    while x.len() > 1 {
        x = x.chunks(2).map(|pair| if let [a, b] = *pair { T::two(op, a, b) } else { pair[0] }).collect();
    }
    T::narrowed(x[0])
}

/// Every operation, with elements of a type that are drawn, on backends that `make` makes.
fn all_operations<T: Drawn, B: Transfer<T> + Blocking>(
    noise: &mut Noise,
    make: impl Fn() -> B + Sync,
    array: impl Fn(&B, &[T], &mut dyn FnMut(B::Mut<'_, T>)) -> Vec<T> + Sync,
) {
    let (ranks, n) = (noise.within(1..=6), noise.size(70));
    let op = OPS[noise.within(0..=3)];
    let (root, apart) = (noise.within(0..=ranks - 1), noise.within(0..=ranks - 1));
    let draw = |noise: &mut Noise, n| (0..n).map(|_| T::drawn(noise)).collect::<Vec<T>>();
    let all: Vec<Vec<T>> = (0..ranks).map(|_| draw(noise, ranks * n)).collect();
    let got = on_ranks(ranks, LONG, |group| {
        let b = make();
        let mine = &all[group.rank()];
        let rank = group.rank();
        assert_eq!(group.ranks(), ranks);
        let whole = array(&b, mine, &mut |x| group.all_reduce(&b, op, x).unwrap());
        let zeros = vec![T::ZERO; ranks * n];
        let with_mine = |out: &[T], then: &mut dyn FnMut(B::Ref<'_, T>, B::Mut<'_, T>)| {
            let mut result = Vec::new();
            array(&b, mine, &mut |x| {
                let x = B::read(&x);
                result = array(&b, out, &mut |out| then(x, out));
            });
            result
        };
        let part = with_mine(&zeros[..n], &mut |x, out| group.reduce_scatter(&b, op, x, out).unwrap());
        let joined = with_mine(&vec![T::ZERO; ranks * ranks * n], &mut |x, out| {
            group.all_gather(&b, x, out).unwrap();
        });
        let of_root = array(&b, mine, &mut |x| group.broadcast(&b, root, x).unwrap());
        let moved = with_mine(&zeros, &mut |x, out| {
            let [to, from] = [rank + apart, rank + ranks - apart].map(|rank| rank % ranks);
            group.send_receive(&b, (to, x), (from, out)).unwrap();
        });
        group.barrier(&b).unwrap();
        (whole, part, joined, of_root, moved)
    });
    let want: Vec<T> = (0..ranks * n).map(|i| reduced(op, &all, i)).collect();
    for (rank, (whole, part, joined, of_root, moved)) in got.iter().enumerate() {
        assert_eq!(*whole, want, "all_reduce, {op:?} of {ranks} ranks");
        assert_eq!(part[..], want[rank * n..(rank + 1) * n], "reduce_scatter, {op:?} of {ranks} ranks");
        assert_eq!(*joined, all.concat(), "all_gather of {ranks} ranks");
        assert_eq!(*of_root, all[root], "broadcast from {root} of {ranks}");
        assert_eq!(*moved, all[(rank + ranks - apart) % ranks], "send_receive, {apart} ranks apart");
    }
}

#[test]
fn operations_of_drawn_ranks() {
    let seed = Seed::new("operations_of_drawn_ranks");
    macro_rules! on_cpus {
        ($($T:ty)*) => { $(
            let mut noise = seed.stream(stringify!($T));
            for _ in 0..20 {
                all_operations::<$T, _>(&mut noise, Cpu::native, |_, x, then| {
                    let mut x = x.to_vec();
                    then(&mut x);
                    x
                });
            }
        )* };
    }
    on_cpus!(f32 f64 half::bf16 half::f16 i8 u8 i32 u32 i64 u64);
    macro_rules! on_devices {
        ($($T:ty)*) => { $(
            let mut noise = seed.stream(concat!(stringify!($T), " on devices"));
            for _ in 0..3 {
                all_operations::<$T, _>(&mut noise, || Gpu::new(Host::default()), |gpu, x, then| {
                    let mut on_device = gpu.upload(x).unwrap();
                    then(on_device.view_mut());
                    let mut x = x.to_vec();
                    gpu.download(on_device.view(), &mut x).unwrap();
                    x
                });
            }
        )* };
    }
    on_devices!(f32 half::bf16 u8 i64);
}

/// The gradient of `n` elements that `parts` parts in all have, on so many ranks: each adds its own pairwise first.
fn by_parts(all: &[Vec<f32>], ranks: usize, room: usize, on_device: bool) -> Vec<Vec<f32>> {
    fn sum<B: Backend<f32> + Blocking>(group: &Local, b: &B, x: B::Mut<'_, f32>, room: B::Mut<'_, f32>) {
        sum_in_order(group, b, x, room).unwrap();
    }
    let n = all[0].len();
    on_ranks(ranks, LONG, |group| {
        let own = share(all.len(), group.rank(), ranks);
        let mut own: Vec<Vec<f32>> = all[own].to_vec();
        while own.len() > 1 {
            own =
                own.chunks(2).map(|pair| (0..n).map(|i| pair.iter().map(|x| x[i]).sum()).collect()).collect();
        }
        let mut x = own.remove(0);
        if on_device {
            let gpu = Gpu::new(Host::default());
            let (mut there, mut room) = (gpu.upload(&x).unwrap(), gpu.alloc(room).unwrap());
            sum(&group, &gpu, there.view_mut(), room.view_mut());
            gpu.download(there.view(), &mut x).unwrap();
        } else {
            sum(&group, &Cpu::native(), &mut x[..], &mut vec![0.0; room][..]);
        }
        x
    })
}

#[test]
fn sums_in_order_do_not_depend_on_the_ranks() {
    let mut noise = Seed::new("sums_in_order_do_not_depend_on_the_ranks").stream("parts");
    for _ in 0..6 {
        let n = noise.size(300);
        let all: Vec<Vec<f32>> = (0..8).map(|_| data::<f32>(n, noise.bits(), 0)).collect();
        let one = by_parts(&all, 1, sum_in_order_workspace(1, n), false).remove(0);
        for ranks in [2, 4, 8] {
            for room in [ranks, noise.within(ranks..=ranks * n + 3), sum_in_order_workspace(ranks, n)] {
                for (rank, got) in by_parts(&all, ranks, room, false).iter().enumerate() {
                    let differs = got.iter().zip(&one).position(|(a, b)| a.to_bits() != b.to_bits());
                    assert_eq!(differs, None, "{n} elements, rank {rank} of {ranks}, a workspace of {room}");
                }
            }
        }
        assert_eq!(by_parts(&all, 4, sum_in_order_workspace(4, n), true)[3], one);
    }
    let none =
        on_ranks(2, LONG, |group| sum_in_order(&group, &Cpu::native(), &mut [1.0f32][..], &mut [0.0][..]));
    for e in none {
        let e = e.unwrap_err().to_string();
        assert!(e.starts_with("sum_in_order: the workspace has 1 elements, 2 needed"), "{e}");
    }
}

/// One rank calls with something else: the error of each rank.
fn refused(call: impl Fn(&Local, bool) -> Result<(), Error> + Sync) -> Vec<Error> {
    on_ranks(3, LONG, |group| {
        let e = call(&group, group.rank() == 2).unwrap_err();
        // The group goes on.
        let mut x = [1u32];
        group.all_reduce(&Cpu::native(), Reduce::Sum, &mut x[..]).unwrap();
        assert_eq!(x, [3]);
        e
    })
}

#[test]
fn a_call_that_differs_is_refused_on_every_rank() {
    let cpu = Cpu::native;
    let differs = |op, what| vec![Error::Differs { op, rank: 2, what }; 3];
    let length =
        refused(|g, odd| g.all_reduce(&cpu(), Reduce::Sum, &mut vec![0.0f32; 3 + usize::from(odd)][..]));
    assert_eq!(length, differs("all_reduce", "length"));
    let op = refused(|g, odd| {
        let op = if odd { Reduce::Max } else { Reduce::Sum };
        g.all_reduce(&cpu(), op, &mut [0.0f32][..])
    });
    assert_eq!(op, differs("all_reduce", "reduction"));
    let kind = refused(|g, odd| match odd {
        true => g.all_reduce(&cpu(), Reduce::Sum, &mut [0u32][..]),
        false => g.all_reduce(&cpu(), Reduce::Sum, &mut [0i32][..]),
    });
    assert_eq!(kind, differs("all_reduce", "element type"));
    let root = refused(|g, odd| g.broadcast(&cpu(), usize::from(odd), &mut [0i8][..]));
    assert_eq!(root, differs("broadcast", "root"));
    let other = refused(|g, odd| match odd {
        true => g.barrier(&cpu()),
        false => g.all_gather(&cpu(), &[0u8][..], &mut [0; 3][..]),
    });
    let names = ["all_gather", "all_gather", "barrier"];
    let named = names.map(|op| Error::Differs { op, rank: 2, what: "operation" });
    assert_eq!(other, named);
    let out = refused(|g, odd| g.all_gather(&cpu(), &[0u8, 1][..], &mut vec![0; 6 - usize::from(odd)][..]));
    let reason = "`out` has 5 elements, 6 expected";
    assert_eq!(out[2].to_string(), format!("all_gather: {reason}"));
    assert_eq!(out[0].to_string(), format!("all_gather: rank 2 refused: all_gather: {reason}"));
    assert_eq!(out[1], out[0]);
    let x = refused(|g, odd| {
        g.reduce_scatter(&cpu(), Reduce::Sum, &vec![0i64; 6 + usize::from(odd)][..], &mut [0; 2][..])
    });
    assert_eq!(x[2].to_string(), "reduce_scatter: `x` has 7 elements, 6 expected");
    let root = refused(|g, _| g.broadcast(&cpu(), 3, &mut [0i8][..]));
    assert!(
        root.iter().all(|e| e.to_string() == "broadcast: `root` contains 3, all must be below 3"),
        "{root:?}"
    );
}

#[test]
fn what_is_sent_fits_what_is_received() {
    let all = on_ranks(2, LONG, |group| {
        let (b, rank) = (Cpu::native(), group.rank());
        let mut out = vec![0.0f32; 2 + rank];
        group.send_receive(&b, (1 - rank, &[1.0f32, 2.0][..]), (1 - rank, &mut out[..])).map(|()| out)
    });
    assert_eq!(all[0], Ok(vec![1.0, 2.0]));
    assert_eq!(all[1], Err(Error::Differs { op: "send_receive", rank: 0, what: "length" }));
    let far = on_ranks(1, LONG, |group| {
        group.send_receive(&Cpu::native(), (1, &[0u8][..]), (0, &mut [0u8][..])).unwrap_err().to_string()
    });
    assert_eq!(far, ["send_receive: `to` contains 1, all must be below 1"]);
}

#[test]
fn shares_are_all_of_it() {
    let mut noise = Seed::new("shares_are_all_of_it").stream("shares");
    for _ in 0..100 {
        let (n, ranks) = (noise.size(1000), noise.within(1..=9));
        let all: Vec<_> = (0..ranks).map(|rank| share(n, rank, ranks)).collect();
        assert!(
            all[0].start == 0 && all[ranks - 1].end == n && all.windows(2).all(|w| w[0].end == w[1].start)
        );
        assert!(all.iter().all(|x| x.len() == n / ranks || x.len() == n / ranks + 1), "{all:?}");
        assert!(share(n, ranks, ranks).is_empty() && share(n, 0, 0).is_empty());
    }
}

#[test]
fn groups_split_by_color() {
    let mut noise = Seed::new("groups_split_by_color").stream("colors");
    for _ in 0..10 {
        let ranks = noise.within(1..=7);
        let of: Vec<[usize; 2]> = (0..ranks).map(|_| [noise.within(0..=2), noise.within(0..=2)]).collect();
        let got = on_ranks(ranks, LONG, |group| {
            let [color, key] = of[group.rank()];
            let part = group.split(color, key).unwrap();
            let (b, n) = (Cpu::native(), part.ranks());
            let mut all = vec![0u32; n];
            let mine = group.rank() as u32;
            part.all_gather(&b, &[mine][..], &mut all[..]).unwrap();
            (part.rank(), all)
        });
        for (rank, (at, all)) in got.iter().enumerate() {
            let mut want: Vec<usize> = (0..ranks).filter(|r| of[*r][0] == of[rank][0]).collect();
            want.sort_by_key(|r| of[*r][1]);
            assert_eq!(all.iter().map(|r| *r as usize).collect::<Vec<_>>(), want, "{of:?}");
            assert_eq!(want[*at], rank);
        }
    }
}

/// A rank whose thread ends is noticed at once, one that does not come at the deadline; both by every rank that waits, and for good.
#[test]
fn a_rank_that_is_missing_has_a_name() {
    let began = Instant::now();
    let sum = |group: &Local| group.all_reduce(&Cpu::native(), Reduce::Sum, &mut [1.0f32][..]);
    let ended = on_ranks(4, LONG, |group| {
        sum(&group).unwrap();
        if group.rank() == 1 {
            return [None, None];
        }
        [sum(&group).err(), sum(&group).err()]
    });
    let want = Some(Error::Ended { op: "all_reduce", rank: 1 });
    for rank in [0, 2, 3] {
        assert_eq!(ended[rank], [want.clone(), want.clone()]);
    }
    assert!(began.elapsed() < LONG / 2);
    let deadline = Duration::from_secs(1);
    let missing = on_ranks(4, deadline, |group| {
        if group.rank() % 2 == 1 {
            thread::sleep(3 * deadline);
        }
        sum(&group).unwrap_err()
    });
    for e in missing {
        assert_eq!(e.to_string(), "all_reduce: after 1 s no call came from rank 1, 3");
    }
}

/// An extremum of which an operand is NaN is NaN, on whichever rank and side.
#[test]
fn nan_is_reduced_to_nan() {
    for op in OPS {
        for rank in 0..3 {
            let got = on_ranks(3, LONG, |group| {
                let mut x = [[1.0f32, f32::NEG_INFINITY, f32::INFINITY][group.rank()], 2.0];
                if group.rank() == rank {
                    x[0] = f32::NAN;
                }
                group.all_reduce(&Cpu::native(), op, &mut x[..]).unwrap();
                x
            });
            assert!(
                got.iter().all(|x| x[0].is_nan() && !x[1].is_nan()),
                "{op:?}: NaN of rank {rank} gave {got:?}"
            );
        }
    }
}
