//! Instructions beyond arithmetic: what they do in the interpreter, which targets have them, and what is refused.

use super::support::*;
use fulmen::Alu;
use fulmen::gpu::{
    B32, Bf16, Builder, Bytes, Cmp, Error, F16, F32, Group, Hopper, Interpreter, Kernel, Mma, Module, Op,
    Pred, Rmw, Shuffle, Space, Special, Target, TensorMap, Type, U8, U16, U32, U64, Value,
};

/// A kernel over one buffer.
fn kernel(body: impl for<'b> FnOnce(&'b Builder, Value<'b, U64>, Value<'b, U32>)) -> Kernel {
    let b = Builder::new("k");
    let x = b.param::<U64>();
    body(&b, x, b.special(Special::TidX));
    b.finish().unwrap()
}

fn at<'b>(b: &'b Builder, x: Value<'b, U64>, i: Value<'b, U32>) -> Value<'b, U64> {
    x + i.wide(b.int(4))
}

/// Runs a block of `threads` over these words.
fn run(k: &Kernel, threads: u32, words: &[u32]) -> Result<Vec<u32>, Error> {
    let mut d = Interpreter::new();
    let x = d.buffer(Bytes::new(words.iter().flat_map(|w| w.to_le_bytes()).collect()));
    d.launch(k, [1, 1, 1], [threads, 1, 1], &[x])?;
    let bytes = d.get(x).unwrap().bytes();
    Ok(bytes.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect())
}

#[test]
fn atomics_votes_and_shuffles() {
    let k = kernel(|b, x, t| {
        b.atomic(Space::Global, Rmw::Add, x, b.int::<U32>(2));
        b.atomic(Space::Global, Rmw::Max, x + b.int(4), t);
        let old = b.compare_exchange(Space::Global, x + b.int(8), b.int::<U32>(7), t);
        b.when(old.compare(Cmp::Eq, b.int(7)), || {
            b.atomic(Space::Global, Rmw::Add, x + b.int(12), b.int::<U32>(1));
        });
        let odd = (t & b.int(1)).compare(Cmp::Eq, b.int(1));
        b.store(Space::Global, at(b, x, t + b.int(32)), 0, odd.ballot());
        let both = (!odd.all() & odd.any()).ballot();
        let moved = t.shuffle(Shuffle::Down, b.int(3)) + both.popc() * b.int(100);
        b.store(Space::Global, at(b, x, t + b.int(64)), 0, moved);
        let wide = t.to::<U64>().shuffle(Shuffle::Butterfly, b.int(5)).to::<U32>();
        b.store(Space::Global, at(b, x, t + b.int(96)), 0, wide);
    });
    let mut words = vec![0; 128];
    words[2] = 7;
    let got = run(&k, 32, &words).unwrap();
    assert_eq!(got[..4], [64, 31, 0, 1]);
    for t in 0..32 {
        assert_eq!(got[32 + t], 0xaaaa_aaaa);
        assert_eq!(got[64 + t] as usize, 3200 + if t + 3 < 32 { t + 3 } else { t });
        assert_eq!(got[96 + t] as usize, t ^ 5);
    }
}

#[test]
fn products_of_four_bytes() {
    let k = kernel(|b, x, t| {
        let read = |by: i64| b.load::<U32>(Space::Global, at(b, x, t + b.int(by)), 0);
        b.store(Space::Global, at(b, x, t + b.int(12)), 0, read(0).dot4(read(4), read(8)));
    });
    let bytes = |x: [i8; 4]| u32::from_le_bytes(x.map(|x| x as u8));
    let a = [[-128; 4], [127, -1, 2, -3], [1, 0, 0, 0], [-128, 127, -128, 127]].map(bytes);
    let y = [[-128; 4], [1, 2, -3, -4], [-1, 9, 9, 9], [127, 127, -128, -128]].map(bytes);
    let c = [0, 5, 0, 0x8000_0000];
    let got = run(&k, 4, &[a, y, c, [0; 4]].concat()).unwrap();
    assert_eq!(
        got[12..],
        [
            65536,
            (127 - 2 - 6 + 12 + 5),
            u32::MAX,
            0x8000_0000u32.wrapping_add_signed(-16256 + 16129 + 16384 - 16256)
        ]
    );
    // What a constant is folded to is what is computed.
    let folded =
        kernel(|b, x, _| b.store(Space::Global, x, 0, b.int::<U32>(0x80).dot4(b.int(0x7f), b.int(3))));
    let mut optimised = folded.clone();
    fulmen::gpu::pass::optimise(&mut optimised);
    assert_eq!(
        [run(&folded, 1, &[0]).unwrap(), run(&optimised, 1, &[0]).unwrap()],
        [[3u32.wrapping_sub(128 * 127)]; 2].map(Vec::from)
    );
    let mut text = String::new();
    Module { kernels: vec![k] }.emit(Target::sm(61), &mut text).unwrap();
    assert!(text.contains("dp4a.s32.s32"), "{text}");
}

#[cfg(feature = "half")]
#[test]
fn halves_convert_as_the_crate_half_does() {
    let b = Builder::new("k");
    let (x, y, out) = (b.param::<U64>(), b.param::<U64>(), b.param::<U64>());
    let i = b.special(Special::CtaidX) * b.int(256) + b.special(Special::TidX);
    let two = x + i.wide(b.int(2));
    let wide = b.load::<F16>(Space::Global, two, 0).to::<F32>();
    let brain = b.load::<Bf16>(Space::Global, two, 0).to::<F32>();
    let f = b.load::<F32>(Space::Global, y + i.wide(b.int(4)), 0);
    let to = out + i.wide(b.int(24));
    b.store_vector(Space::Global, to, 0, [wide, brain]);
    b.store_vector(Space::Global, to, 16, [Group::F16, Group::Bf16].map(|of| b.pack(of, f, -f)));
    b.store(Space::Global, to, 8, f.to::<F16>());
    b.store(Space::Global, to, 10, f.to::<Bf16>());
    b.store(Space::Global, to, 12, f.to::<F16>().fma(b.bits::<F16>(0x3555), f.to::<F16>()).cast::<U16>());
    b.store(Space::Global, to, 14, i.to::<U16>());
    let k = b.finish().unwrap();
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    // Around every half: its neighbours and the ties between.
    let floats: Vec<f32> = (0..65536u32).map(|i| f32::from_bits(i.wrapping_mul(65_537) ^ 0x1000)).collect();
    let mut d = Interpreter::new();
    let args =
        [d.buffer(Bytes::new(all)), d.buffer(Bytes::f32(&floats)), d.buffer(Bytes::uninitialised(24 << 16))];
    d.launch(&k, [256, 1, 1], [256, 1, 1], &args).unwrap();
    let third = f64::from(half::f16::from_bits(0x3555));
    for (i, row) in d.get(args[2]).unwrap().bytes().chunks_exact(24).enumerate() {
        let f = |k: usize| f32::from_le_bytes(row[k..k + 4].try_into().unwrap());
        let h = |k: usize| u16::from_le_bytes(row[k..k + 2].try_into().unwrap());
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        assert!(same(f(0), half::f16::from_bits(i as u16).to_f32()), "{i:#x}");
        assert!(same(f(4), half::bf16::from_bits(i as u16).to_f32()), "{i:#x}");
        let x = floats[i];
        if x.is_nan() {
            continue;
        }
        assert_eq!(h(8), half::f16::from_f32(x).to_bits(), "{x:e}");
        assert_eq!(h(10), half::bf16::from_f32(x).to_bits(), "{x:e}");
        assert_eq!([h(16), h(18)], [x, -x].map(|x| half::f16::from_f32(x).to_bits()), "{x:e}");
        assert_eq!([h(20), h(22)], [x, -x].map(|x| half::bf16::from_f32(x).to_bits()), "{x:e}");
        // The exact sum of the product fits a double, so one rounding remains.
        let x = f64::from(half::f16::from_f32(x));
        if x.is_finite() {
            assert_eq!(h(12), half::f16::from_f64(x * third + x).to_bits(), "{x:e}");
        }
        assert_eq!(usize::from(h(14)), i);
    }
}

/// C = A·B of one warp: A and B go by `cp.async` and `ldmatrix` into fragments.
fn tensor(wait: bool) -> Kernel {
    kernel(|b, x, t| {
        // 16 × 16 of A and 8 × 16 of B (columns first) as f16, then C.
        let room = b.shared(16 * 16 * 2 + 8 * 16 * 2, 16);
        let sixteen = b.int::<U32>(16);
        b.copy_async(room + t * sixteen, x + t.wide(sixteen), 16);
        b.when(t.compare(Cmp::Lt, sixteen), || {
            b.copy_async(room + t * sixteen + b.int(512), x + t.wide(sixteen) + b.int(512), 16);
        });
        b.copy_commit();
        if wait {
            b.copy_wait(0);
        }
        b.barrier();
        // Lane 8k + r names row r of matrix k: the upper and lower half, then right of them.
        let row = (t & b.int(15)) * b.int(32) + (t >> b.int::<U32>(4)) * sixteen;
        let a = b.ldmatrix::<4>(room + row, false);
        let col = (t & b.int(7)) * b.int(32) + ((t >> b.int::<U32>(3)) & b.int(1)) * sixteen;
        let bm = b.ldmatrix::<2>(room + col + b.int(512), false);
        let c = b.mma(Mma::F16, a, bm, [b.f32(0.5); 4]);
        let (g, l) = (t >> b.int::<U32>(2), t & b.int(3));
        for (k, c) in c.into_iter().enumerate() {
            let row = g + b.int(if k < 2 { 0 } else { 8 });
            let place = row * b.int(8) + l * b.int(2) + b.int(k as i64 % 2);
            b.store(Space::Global, at(b, x, place + b.int(192)), 0, c);
        }
    })
}

#[test]
fn tensor_cores_multiply_matrices() {
    let half = |v: i32| -> u16 {
        // Small whole numbers as binary16.
        let f = (v as f32).to_bits();
        if v == 0 {
            0
        } else {
            ((f >> 16 & 0x8000) | ((f >> 23 & 255) - 112) << 10 | (f >> 13 & 1023)) as u16
        }
    };
    let (a, b) = (|i: i32, k: i32| (3 * i + 5 * k) % 11 - 5, |k: i32, j: i32| (7 * k + 2 * j) % 9 - 4);
    let mut halves: Vec<u16> = (0..256).map(|e| half(a(e / 16, e % 16))).collect();
    halves.extend((0..128).map(|e| half(b(e % 16, e / 16))));
    let mut words: Vec<u32> = halves.chunks(2).map(|h| u32::from(h[0]) | u32::from(h[1]) << 16).collect();
    words.resize(192 + 128, 0);
    let got = run(&tensor(true), 32, &words).unwrap();
    for i in 0..16 {
        for j in 0..8 {
            let want: i32 = (0..16).map(|k| a(i, k) * b(k, j)).sum();
            assert_eq!(f32::from_bits(got[(192 + 8 * i + j) as usize]), want as f32 + 0.5, "{i},{j}");
        }
    }
    // Without the wait the tile is not there yet.
    assert!(matches!(run(&tensor(false), 32, &words), Err(Error::Uninitialised { .. })));
}

/// C = A·Bᵀ of a warp group: one thread loads both by tensor maps, all wait for the barrier's phase.
fn hopper(swizzle: u64) -> Kernel {
    let b = Builder::new("hopper");
    let [a_map, b_map, out] = [0; 3].map(|_| b.param::<U64>());
    let (room, bar) = (b.shared(2048 + 256, 128), b.shared(8, 8));
    let t = b.special(Special::TidX);
    let one = t.compare(Cmp::Eq, b.int(0));
    b.when(one, || b.hopper(Hopper::BarrierInit, &[bar.into(), b.int::<U32>(1).into()]));
    b.barrier();
    b.when(one, || {
        b.hopper(Hopper::BarrierExpect, &[bar.into(), b.int::<U32>(2048 + 256).into()]);
        for (k, (map, to)) in
            [(a_map, 0), (a_map, 1024), (b_map, 2048), (b_map, 2176)].into_iter().enumerate()
        {
            let [x, y] = [8 * (k as i64 % 2), 0].map(|c| b.int::<U32>(c));
            let to = room + b.int(to);
            b.hopper(Hopper::TensorLoad, &[to.into(), map.into(), x.into(), y.into(), bar.into()]);
        }
    });
    b.repeat([t], |[v]| (!b.try_wait(bar, b.int(0)), [v]));
    // Pieces of 8 rows are 128 bytes apart, those along the depth as far as a column of pieces is long.
    let descriptor = |at: i64, deep: i64| {
        let start = ((room + b.int(at)) >> b.int::<U32>(4)).to::<U64>();
        start | b.int((deep / 16) << 16 | 8 << 32) | b.bits(swizzle << 62)
    };
    b.hopper(Hopper::MaxRegisters { more: false, count: 40 }, &[]);
    b.hopper(Hopper::GroupFence, &[]);
    let c =
        b.wgmma(Group::F16, 8, [descriptor(0, 1024), descriptor(2048, 128)], [false; 2], &[b.f32(0.25); 4]);
    b.hopper(Hopper::GroupCommit, &[]);
    b.hopper(Hopper::GroupWait(0), &[]);
    let (warp, lane) = (t >> b.int::<U32>(5), t & b.int(31));
    for (r, c) in c.into_iter().enumerate() {
        let row = warp * b.int(16) + (lane >> b.int::<U32>(2)) + b.int(8 * (r as i64 / 2));
        let place = row * b.int(8) + (lane & b.int(3)) * b.int(2) + b.int(r as i64 % 2);
        b.store(Space::Global, out + place.wide(b.int(4)), 0, c);
    }
    b.finish().unwrap()
}

#[test]
fn warp_groups_multiply_what_tensor_maps_load() {
    let a = |i: usize, k: usize| (3 * i + 5 * k) % 11;
    let bt = |j: usize, k: usize| (7 * k + 2 * j) % 9;
    // 60 rows are there: the last four of the box read as zero. Small whole numbers as binary16.
    let half = |v: usize| -> u16 {
        let f = (v as f32).to_bits();
        if v == 0 { 0 } else { (((f >> 23 & 255) - 112) << 10 | (f >> 13 & 1023)) as u16 }
    };
    let matrix = |rows: usize, f: &dyn Fn(usize, usize) -> usize| -> Vec<u8> {
        (0..16 * rows).flat_map(|e| half(f(e / 16, e % 16)).to_le_bytes()).collect()
    };
    let run = |k: &Kernel| -> Result<Vec<f32>, Error> {
        let mut d = Interpreter::new();
        let mut map = |rows: u32, part: u32, bytes: Vec<u8>| {
            let at = d.buffer(Bytes::new(bytes));
            let map = TensorMap {
                at,
                element: Type::F16,
                size: [rows, 16],
                stride: 32,
                part: [part, 8],
                swizzle: false,
                outer: None,
            };
            d.tensor(map)
        };
        let maps = [map(60, 64, matrix(60, &a)), map(8, 8, matrix(8, &bt))];
        let out = d.buffer(Bytes::uninitialised(4 * 64 * 8));
        d.launch(k, [1, 1, 1], [128, 1, 1], &[maps[0], maps[1], out])?;
        Ok(d.get(out).unwrap().to_f32())
    };
    for (e, got) in run(&hopper(0)).unwrap().into_iter().enumerate() {
        let (i, j) = (e / 8, e % 8);
        let want: usize = if i < 60 { (0..16).map(|k| a(i, k) * bt(j, k)).sum() } else { 0 };
        assert_eq!(got, want as f32 + 0.25, "{i},{j}");
    }
    // A layout that the interpreter does not know.
    assert_eq!(run(&hopper(2)), Err(Error::NotInterpreted { instruction: "wgmma.mma_async" }));
    let m = Module { kernels: vec![hopper(0)] };
    let mut text = String::new();
    m.emit(Target::SM_90A, &mut text).unwrap();
    if let Some(ptxas) = ptxas() {
        assemble(&ptxas, &text, Target::SM_90A).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}

/// NVIDIA's assembler takes a magnitude as no less than 0 also where it is NaN: such a comparison is written as the opposite of its
/// opposite, wherever the constant lies; others are written as they are.
#[test]
fn comparisons_with_constants_below_keep_nan() {
    type Compared = for<'b> fn(&'b Builder, Value<'b, F32>) -> Value<'b, Pred>;
    let compared: [(&str, &str, Compared); 9] = [
        ("ltu", "not.pred", |b, x| x.abs().compare(Cmp::Ge, b.f32(0.0))),
        ("ltu", "not.pred", |b, x| x.abs().compare(Cmp::Ge, b.f32(-0.0))),
        ("gtu", "not.pred", |b, x| b.f32(0.0).compare(Cmp::Le, x.abs())),
        ("leu", "not.pred", |b, x| x.abs().compare(Cmp::Gt, b.f32(-1.0))),
        ("geu", "not.pred", |b, x| b.f32(-1.5).compare(Cmp::Lt, x.abs())),
        ("ge", "", |b, x| x.abs().compare(Cmp::Ge, b.f32(1.0))),
        ("le", "", |b, x| x.compare(Cmp::Le, b.f32(0.0))),
        ("lt", "", |b, x| x.compare(Cmp::Lt, b.f32(-1.0))),
        ("neu", "", |b, x| x.compare(Cmp::Ne, b.f32(0.0))),
    ];
    for (word, not, compare) in compared {
        let k = kernel(|b, x, t| {
            let place = at(b, x, t);
            let p = compare(b, b.load::<F32>(Space::Global, place, 0));
            b.store(Space::Global, place, 0, Value::select(p, b.int::<U32>(1), b.int(0)));
        });
        let mut text = String::new();
        Module { kernels: vec![k] }.emit(Target::sm(75), &mut text).unwrap();
        assert!(text.contains(&format!("setp.{word}.f32")), "{word}:\n{text}");
        assert_eq!(text.contains("not.pred"), !not.is_empty(), "{word}:\n{text}");
    }
}

#[test]
fn what_a_gpu_leaves_unchecked_is_an_error() {
    type Wrong = for<'b> fn(&'b Builder, Value<'b, U64>, Value<'b, U32>);
    let wrong: [(&str, Wrong); 8] = [
        ("OutOfBounds", |b, x, t| b.store(Space::Global, at(b, x, t + b.int(1)), 0, t)),
        ("Misaligned", |b, x, t| b.store(Space::Global, x + t.to::<U64>(), 0, t)),
        ("Uninitialised", |b, x, t| {
            let s = b.shared(128, 4);
            b.store(Space::Global, at(b, x, t), 0, b.load::<U32>(Space::Shared, s + t * b.int(4), 0));
        }),
        ("Race", |b, x, t| {
            let s = b.shared(4, 4);
            b.store(Space::Shared, s, 0, t);
            b.store(Space::Global, at(b, x, t), 0, b.load::<U32>(Space::Shared, s, 0));
        }),
        ("Divergent", |b, x, t| {
            b.when(t.compare(Cmp::Lt, b.int(9)), || {
                b.store(Space::Global, at(b, x, t), 0, t.shuffle(Shuffle::Butterfly, b.int(1)));
            });
        }),
        ("Overflow", |b, _, t| {
            let near = t + b.int(-10);
            b.count::<U32, F32>([near, b.int(-1), b.int(16)], 1, &[], |_, _| Vec::new());
        }),
        ("Endless", |b, _, t| {
            b.repeat([t], |[v]| (v.compare(Cmp::Eq, v), [v]));
        }),
        // No such barrier was made; nobody arrives.
        ("Uninitialised", |b, _, t| {
            let s = b.shared(8, 8);
            b.repeat([t], |[v]| (!b.try_wait(s, b.int(0)), [v]));
        }),
    ];
    for (name, body) in wrong {
        let said = run(&kernel(body), 32, &[0; 32]).unwrap_err();
        assert!(format!("{said:?}").starts_with(name), "{name}: {said:?}");
        assert!(said.to_string().len() > 10);
    }
    let k = kernel(|_, _, _| {});
    assert_eq!(Interpreter::new().launch(&k, [1, 1, 1], [32, 1, 1], &[]), Err(Error::Arguments));
    assert_eq!(Interpreter::new().launch(&k, [1, 1, 1], [2048, 1, 1], &[0]), Err(Error::Arguments));
}

/// Every thread has its own number of turns, and what the others do in theirs is not seen in its results.
#[test]
fn lanes_leave_loops_one_by_one() {
    let k = kernel(|b, x, t| {
        let turns = [b.int(0), t, b.int(1)];
        let sums = b.count::<U32, U32>(turns, 1, &[b.int(0)], |i, v| vec![v[0] + i + b.int(1)]);
        let [more] = b.repeat([sums[0]], |[v]| (v.compare(Cmp::Lt, b.int(300)), [v + b.int(1)]));
        b.store(Space::Global, at(b, x, t), 0, more);
    });
    let want: Vec<u32> = (0..40).map(|t| 301.max(t * (t + 1) / 2 + 1)).collect();
    assert_eq!(run(&k, 40, &[0; 40]).unwrap(), want);
}

#[test]
fn programs_that_make_no_sense_are_refused() {
    let b = Builder::new("k");
    let (x, y) = (b.int::<U32>(1).id(), b.f32(1.0).id());
    b.raw(Op::Add, Type::F32, &[x, y]);
    assert_eq!(b.finish(), Err(Error::Operand { instruction: "add" }));

    // A value of one branch is not there after it.
    let b = Builder::new("k");
    let mut inside = None;
    b.when(b.bits::<Pred>(1), || inside = Some(b.int::<U32>(1).id()));
    let v = b.typed::<U32>(inside.unwrap());
    let _ = v + v;
    assert!(matches!(b.finish(), Err(Error::Undefined { .. })));

    for name in ["", "1k", "a b", "a;exit"] {
        assert_eq!(Builder::new(name).finish(), Err(Error::Name), "{name}");
    }
}

fn module(body: impl for<'b> FnOnce(&'b Builder, Value<'b, U64>, Value<'b, U32>)) -> Module {
    Module { kernels: vec![kernel(body)] }
}

/// The lowest target of each instruction: one below is refused by name, and `ptxas` takes it there.
#[test]
fn instructions_need_their_targets() {
    let keep = |b: &Builder, x: Value<'_, U64>, v: Value<'_, F32>| {
        b.store(Space::Global, b.typed::<U64>(x.id()), 0, b.typed::<F32>(v.id()));
    };
    let cases: Vec<(&str, Target, &str, Module)> = vec![
        (
            "tanh.approx",
            Target::sm(75),
            "7.0",
            module(|b, x, _| {
                keep(b, x, b.load::<F32>(Space::Global, x, 0).approx(fulmen::gpu::Approx::Tanh));
            }),
        ),
        (
            "ldmatrix",
            Target::sm(75),
            "6.5",
            module(|b, x, t| {
                let s = b.shared(512, 16);
                let [v] = b.ldmatrix::<1>(s + t * b.int(16), true);
                b.store(Space::Global, x, 0, v);
            }),
        ),
        (
            "mma.sync",
            Target::sm(80),
            "7.0",
            module(|b, x, t| {
                let a: Value<'_, B32> = t.cast();
                for kind in [Mma::F16, Mma::Bf16, Mma::Tf32] {
                    keep(b, x, b.mma(kind, [a; 4], [a; 2], [b.f32(0.0); 4])[3]);
                }
            }),
        ),
        (
            "cp.async",
            Target::sm(80),
            "7.0",
            module(|b, x, t| {
                let s = b.shared(512, 16);
                for bytes in [4, 8, 16] {
                    b.copy_async(s + t * b.int(16), x, bytes);
                }
                b.copy_commit();
                b.copy_wait(1);
            }),
        ),
        (
            "cvt",
            Target::sm(80),
            "7.0",
            module(|b, x, _| {
                b.store(Space::Global, x, 0, b.load::<F32>(Space::Global, x, 0).to::<Bf16>());
            }),
        ),
        (
            "mbarrier.init",
            Target::sm(80),
            "7.0",
            module(|b, _, _| {
                b.hopper(Hopper::BarrierInit, &[b.shared(8, 8).into(), b.int::<U32>(1).into()]);
            }),
        ),
        (
            "mbarrier.arrive.expect_tx",
            Target::sm(90),
            "8.0",
            module(|b, _, _| {
                b.hopper(Hopper::BarrierExpect, &[b.shared(8, 8).into(), b.int::<U32>(1024).into()]);
            }),
        ),
        (
            "mbarrier.try_wait",
            Target::sm(90),
            "7.8",
            module(|b, _, t| {
                let s = b.shared(8, 8);
                b.repeat([t], |[v]| (!b.try_wait(s, b.int(0)), [v]));
            }),
        ),
        (
            "cp.async.bulk.tensor",
            Target::sm(90),
            "8.0",
            module(|b, x, t| {
                let (s, bar) = (b.shared(1024, 128), b.shared(8, 8));
                b.hopper(Hopper::TensorLoad, &[s.into(), x.into(), t.into(), t.into(), bar.into()]);
            }),
        ),
        (
            "setmaxnreg",
            Target::SM_90A,
            "8.0",
            module(|b, _, _| {
                b.hopper(Hopper::MaxRegisters { more: false, count: 40 }, &[]);
            }),
        ),
        (
            "wgmma.fence",
            Target::SM_90A,
            "8.0",
            module(|b, x, _| {
                let (da, db) = (b.int::<U64>(1 << 16), b.int::<U64>(1 << 17));
                let c: Vec<_> = (0..32).map(|_| b.f32(0.0)).collect();
                b.hopper(Hopper::GroupFence, &[]);
                let c = b.wgmma(Group::F16, 64, [da, db], [false; 2], &c);
                b.hopper(Hopper::GroupCommit, &[]);
                b.hopper(Hopper::GroupWait(0), &[]);
                keep(b, x, c[31]);
            }),
        ),
        (
            "bytes",
            Target::sm(61),
            "5.0",
            module(|b, x, t| {
                let v = b.load::<U8>(Space::Global, x, 0).to::<U32>();
                let l = b.local(8, 4);
                b.store(Space::Local, l, 0, v.brev() + v.clz() + v.high(t));
                b.fence();
                b.store(Space::Global, x, 4, b.load::<U32>(Space::Local, l, 0));
                b.store(Space::Global, x, 1, (v + t).to::<U8>());
            }),
        ),
    ];
    let ptxas = ptxas();
    for (name, lowest, version, m) in &cases {
        for target in Target::ALL {
            let mut text = String::new();
            match m.emit(target, &mut text) {
                Ok(()) => assert!(target.has(*lowest), "{name} on {target}"),
                Err(Error::Lacks { instruction, needs, target: said }) => {
                    assert!(!target.has(*lowest), "{name} on {target}");
                    assert_eq!((instruction, needs, said), (*name, *lowest, target));
                    assert!(text.is_empty(), "nothing half-written");
                }
                Err(e) => panic!("{name} on {target}: {e}"),
            }
        }
        let mut text = String::new();
        m.emit(*lowest, &mut text).unwrap();
        assert!(text.starts_with(&format!(".version {version}\n")), "{name}: {text}");
        if let Some(ptxas) = &ptxas {
            assemble(ptxas, &text, *lowest).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        }
    }
}
