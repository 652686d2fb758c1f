//! What every device refuses before it does anything: more than its limits, and parts of buffers that are no whole words.

use super::*;
use fulmen::gpu::TensorMap;
use fulmen::gpu::backend::BatchMut;
use fulmen::gpu::device::Readback;
use fulmen::gpu::template::Argument::{Bits, Map};
use std::sync::Arc;

/// A kernel that uses so many bytes of shared memory, one thread for each of `threads`.
fn uses(shared: u32) -> Launch {
    let b = Builder::new("shares");
    {
        let out = b.param::<U64>();
        let room = b.shared(shared, 4);
        // One of them, whatever their shape.
        let [x, y, z] = [Special::TidX, Special::TidY, Special::TidZ].map(|at| b.special(at));
        b.when((x | y | z).compare(fulmen::gpu::Cmp::Eq, b.int(0)), || {
            b.store(Space::Shared, room, 0, b.f32(3.0));
            b.store(Space::Global, out, 0, b.load::<F32>(Space::Shared, room, 0));
        });
    }
    let program = Arc::new(Program::new(b.finish().unwrap()));
    Launch { program, grid: [1; 3], block: [4, 1, 1], arguments: vec![Argument::Buffer(0)] }
}

/// All of the shared memory, and not four bytes more; all threads, and not one more; along each axis.
#[test]
fn limits_of_a_launch_are_exact() {
    let host = Host::default();
    let limits = host.facts().limits;
    let buffer = host.allocate(16).unwrap();
    let bindings = [Binding { buffer: &buffer, start: 0, bytes: 16 }];
    for (more, refused) in [(0, false), (4, true), (1 << 20, true)] {
        let said = launched(&host, &[uses(limits.shared + more)], &bindings);
        let limit = matches!(
            &said,
            Err(Error::Limit { what: "bytes of shared memory", asked, available, .. })
                if *asked == u64::from(limits.shared + more) && *available == u64::from(limits.shared)
        );
        assert!(if refused { limit } else { said.is_ok() }, "{more} more: {said:?}");
    }
    let good = uses(64);
    for at in 0..3 {
        for (more, refused) in [(0, false), (1, true)] {
            let mut block = [1; 3];
            block[at] = limits.threads + more;
            let said = launched(&host, &[Launch { block, ..good.clone() }], &bindings);
            let limit = matches!(said, Err(Error::Limit { what: "threads of a block", .. }));
            assert!(if refused { limit } else { said.is_ok() }, "{block:?}: {said:?}");
        }
        let mut grid = [1; 3];
        grid[at] = limits.grid[at] + 1;
        let said = launched(&host, &[Launch { grid, ..good.clone() }], &bindings);
        let axis = ["blocks along x", "blocks along y", "blocks along z"][at];
        assert!(matches!(&said, Err(Error::Limit { what, .. }) if *what == axis), "{grid:?}: {said:?}");
    }
}

/// Buffers of a launch, of which numbers are none: as many as a kernel may have, and not one more; and the block that a kernel is for.
#[test]
fn buffers_and_blocks_of_a_launch_are_exact() {
    let facts = Host::default().facts().clone();
    let facts = Facts { limits: Limits { bindings: 3, ..facts.limits }, ..facts };
    let said = |buffers: usize, numbers: usize, block: [u32; 3]| {
        let b = Builder::new("takes");
        b.threads([4, 2, 1]);
        (0..buffers).for_each(|_| _ = b.param::<U64>());
        (0..numbers).for_each(|_| _ = b.param::<U32>());
        let program = Arc::new(Program::new(b.finish().unwrap()));
        let arguments = (0..buffers).map(Argument::Buffer).chain((0..numbers).map(|_| Bits(7))).collect();
        let launch = Launch { program, grid: [1; 3], block, arguments };
        fulmen::gpu::device::check(&facts, &launch, buffers)
    };
    for (buffers, numbers) in [(0, 0), (1, 9), (3, 0), (3, 1), (3, 20)] {
        assert_eq!(said(buffers, numbers, [4, 2, 1]), Ok(()), "{buffers} and {numbers}");
    }
    for numbers in [0, 5] {
        let refused = said(4, numbers, [4, 2, 1]);
        let exact =
            matches!(refused, Err(Error::Limit { what: "buffers of a kernel", asked: 4, available: 3, .. }));
        assert!(exact, "{numbers}: {refused:?}");
    }
    for block in [[8, 1, 1], [4, 1, 1], [2, 4, 1], [4, 2, 2], [1; 3]] {
        let refused = said(1, 1, block);
        assert!(matches!(refused, Err(Error::Arguments { .. })), "{block:?}: {refused:?}");
    }
}

/// Starts and lengths that are no multiple of four, wherever a part of a buffer is named; and what lies past its end.
#[test]
fn parts_of_buffers_are_whole_words() {
    for host in [Host::default(), Host::default().limited(1 << 20)] {
        let buffer = host.allocate(16).unwrap();
        host.write(&buffer, 0, &[5; 16]).unwrap();
        let far = u64::MAX - 3;
        for (start, bytes) in [
            (0, 1),
            (0, 2),
            (0, 3),
            (0, 6),
            (8, 7),
            (1, 4),
            (2, 4),
            (3, 1),
            (2, 2),
            (16, 4),
            (12, 8),
            (0, 20),
            (far, 8),
        ] {
            let said = [
                host.write(&buffer, start, &vec![7; bytes]),
                host.read_now(&buffer, start, &mut vec![7; bytes]),
                launched(&host, &[uses(64)], &[Binding { buffer: &buffer, start, bytes: bytes as u64 }]),
            ];
            for said in said {
                assert!(
                    matches!(said, Err(Error::Range { available: 16, .. })),
                    "{bytes} bytes from {start}: {said:?}"
                );
            }
        }
        // One bad part of a read: nothing of the others is written.
        let (mut first, mut second) = ([0; 4], [0; 6]);
        let mut parts = [
            Readback { buffer: &buffer, start: 0, to: &mut first },
            Readback { buffer: &buffer, start: 4, to: &mut second },
        ];
        assert!(matches!(host.wait(host.read(&mut parts)), Err(Error::Range { .. })));
        assert_eq!(first, [0; 4]);
        let mut back = [0; 16];
        host.read_now(&buffer, 0, &mut back).unwrap();
        assert_eq!(back, [5; 16], "nothing was written");
        host.write(&buffer, 16, &[]).unwrap();
    }
}

/// Ranges of an array's elements: up to its end, none of them too, and not one element more, also of a part.
#[test]
fn parts_of_arrays_are_inside() {
    let gpu = Gpu::new(Host::default());
    let mut array = gpu.upload(&[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let out = |got: usize| Some(Error::Call(fulmen::Error::out_of_bounds("x", got)));
    let inner = array.view().part(2..6).unwrap();
    for start in 0..6 {
        for end in 0..6 {
            let part = inner.part(start..end);
            let good = start <= end && end <= 4;
            assert_eq!(part.as_ref().err().cloned(), if good { None } else { out(4) }, "{start}..{end}");
            let Ok(part) = part else { continue };
            let mut back = vec![9.0; end - start];
            gpu.download(part, &mut back).unwrap();
            assert!(
                back.iter().zip(start + 2..end + 2).all(|(x, i)| *x == i as f32),
                "{start}..{end}: {back:?}"
            );
        }
    }
    assert_eq!(array.view().part(0..8).err(), out(7));
    assert_eq!(array.view_mut().split(8).err(), out(7));
    let [all, none] = array.view_mut().split(7).unwrap();
    assert_eq!((all.len(), none.len()), (7, 0));
}

/// Matrices that are written have no element in common: neither two of them nor two places of one. What has is refused as that, unless
/// it ends past the array.
#[test]
fn matrices_of_a_batch_lie_apart() {
    let gpu = Gpu::new(Host::default());
    let mut array = gpu.upload(&[0.0f32; 24]).unwrap();
    let r = &mut common::seed::Seed::new("matrices_of_a_batch_lie_apart").stream("");
    let mut seen = [0; 3];
    let fixed =
        [([1, 2, 3], [6, 2, 1]), ([1, 2, 3], [6, 3, 1]), ([2, 2, 2], [3, 2, 1]), ([1, 3, 2], [9, 1, 2])];
    let drawn = (0..2000).map(|_| ([0; 3].map(|_| r.within(0..=3)), [0; 3].map(|_| r.within(0..=7))));
    for (sizes, strides) in fixed.into_iter().chain(drawn) {
        let [count, rows, cols] = sizes;
        let [stride, row, col] = strides;
        let places = (0..count * rows * cols)
            .map(|k| k / (rows * cols) * stride + k / cols % rows * row + k % cols * col);
        let mut places: Vec<usize> = places.collect();
        places.sort_unstable();
        let distinct = places.windows(2).all(|x| x[0] < x[1]);
        let inside = places.last().is_none_or(|last| *last < 24);
        let at = format!("{sizes:?} by {strides:?}");
        match BatchMut::strided(array.view_mut(), sizes, strides) {
            Ok(_) => assert!(distinct && inside, "{at}"),
            Err(Error::Call(fulmen::Error::OutOfBounds { .. })) => assert!(!inside, "{at}"),
            Err(Error::Call(fulmen::Error::Overlap { arg: "data", .. })) => {
                // One after the other, and rows of one piece, are always taken.
                let plain = stride >= rows * row && row >= cols && col == 1 && cols > 0;
                assert!(inside && !plain, "{at}");
                seen[2] += usize::from(!distinct);
            }
            Err(e) => panic!("{at}: {e}"),
        }
        seen[usize::from(distinct)] += 1;
    }
    assert!(seen.iter().all(|n| *n > 100), "{seen:?}");
}

/// A tensor map without rows or columns, which no driver makes.
#[test]
fn tensor_maps_have_elements() {
    let facts = Host::default().facts().clone();
    let b = Builder::new("maps");
    b.param::<U64>();
    b.param::<U64>();
    let program = Arc::new(Program::new(b.finish().unwrap()));
    for (size, good) in [([1, 8], true), ([0, 8], false), ([1, 0], false)] {
        let map = TensorMap {
            at: 0,
            element: fulmen::gpu::Type::Bf16,
            size,
            stride: 16,
            part: [1, 8],
            swizzle: false,
            outer: None,
        };
        let arguments = vec![Map(0, map), Bits(0)];
        let launch = Launch { program: Arc::clone(&program), grid: [1; 3], block: [1; 3], arguments };
        let said = fulmen::gpu::device::check(&facts, &launch, 1);
        assert!(if good { said.is_ok() } else { matches!(said, Err(Error::Arguments { .. })) }, "{said:?}");
    }
}

/// A machine without NVIDIA's driver, or without a card, is an error that says so.
#[cfg(all(feature = "cuda", feature = "std"))]
#[test]
fn cuda_without_a_card_says_why() {
    match fulmen::gpu::cuda::Cuda::open("", None) {
        Err(Error::Driver { device, reason }) => {
            assert!(device == "CUDA" && !reason.is_empty(), "{device}: {reason}")
        }
        Err(Error::NoAdapter { .. }) => println!("CUDA: the driver knows no device"),
        Ok(device) => println!("CUDA: {}", device.facts().name),
        Err(other) => panic!("{other}"),
    }
}
