//! What passes leave, against plain Rust: neither the folder's arithmetic nor what a pass believes is asked.

use fulmen::gpu::{
    Block, Builder, Bytes, Cmp, F32, Id, Interpreter, Kernel, Op, S32, Space, Special, Type, U32, U64, Value,
    pass,
};

/// A kernel of 32 threads over 64 words.
fn kernel(body: impl for<'b> FnOnce(&'b Builder, Value<'b, U64>, Value<'b, U32>)) -> Kernel {
    let b = Builder::new("k");
    b.threads([32, 1, 1]);
    let x = b.param::<U64>();
    body(&b, x, b.special(Special::TidX));
    b.finish().unwrap()
}

fn word<'b>(b: &'b Builder, x: Value<'b, U64>, i: Value<'b, U32>) -> Value<'b, U64> {
    x + i.wide(b.int(4))
}

/// The 64 words after the kernel, plain and after each pass and all passes, which is to be `want`.
#[track_caller]
fn gives(k: &Kernel, x: &[u32; 64], want: &[u32; 64]) {
    let passes: [(&str, fn(&mut Kernel)); 8] = [
        ("none", |_| ()),
        ("fold", pass::fold),
        ("split", pass::split),
        ("unroll", pass::unroll),
        ("reduce_strength", pass::reduce_strength),
        ("fuse", pass::fuse),
        ("reuse_loads", pass::reuse_loads),
        ("optimise", pass::optimise),
    ];
    for (name, pass) in passes {
        let mut k = k.clone();
        pass(&mut k);
        let mut d = Interpreter::new();
        let at = d.buffer(Bytes::new(x.iter().flat_map(|x| x.to_le_bytes()).collect()));
        d.launch(&k, [1, 1, 1], [32, 1, 1], &[at]).unwrap();
        let got: Vec<u32> =
            d.get(at).unwrap().bytes().chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(got, want, "{name}");
    }
}

/// Words that matter: around zero, the ends and powers of two.
fn words() -> [u32; 64] {
    core::array::from_fn(|i| match i {
        0..16 => i as u32,
        16..32 => (i as u32 - 15).wrapping_neg(),
        32..48 => 0x8000_0000_u32.wrapping_add(i as u32).wrapping_sub(40),
        _ => 0x9e37_79b9_u32.wrapping_mul(i as u32),
    })
}

const fn mask(ty: Type) -> u64 {
    if ty.bytes() == 4 { u32::MAX as u64 } else { u64::MAX }
}

/// The constant that a kernel stores once it is folded.
fn folded(ty: Type, op: Op, args: &[u64]) -> u64 {
    let b = Builder::new("k");
    let at = b.param::<U64>();
    let constant = |bits: &u64| b.raw(Op::Const(*bits & mask(ty)), ty, &[]);
    let args: Vec<Id> = args.iter().map(constant).collect();
    let v = b.raw(op, ty, &args);
    match ty.bytes() {
        4 => b.store(Space::Global, at, 0, b.typed::<U32>(b.raw(Op::Bitcast, Type::U32, &[v]))),
        _ => b.store(Space::Global, at, 0, b.typed::<U64>(b.raw(Op::Bitcast, Type::U64, &[v]))),
    }
    let mut k = b.finish().unwrap();
    pass::optimise(&mut k);
    let stored = |b: &Block| {
        let store = b.insts.iter().find(|i| matches!(i.op, Op::Store { .. })).unwrap();
        let from = b.insts.iter().find(|i| i.dst.contains(&store.args.at(1))).unwrap();
        let Op::Const(bits) = from.op else { panic!("{op:?} of {ty:?} is not folded: {:?}", from.op) };
        bits
    };
    stored(&k.body)
}

macro_rules! folds {
    ($t:ty, $ty:expr, $half:ty, $($x:expr),*) => {
        let x: &[$t] = &[$($x as $t),*];
        for &a in x {
            for &b in x {
                let is = |op, want: $t| {
                    let got = folded($ty, op, &[a as u64, b as u64]);
                    assert_eq!(got, want as u64 & mask($ty), "{op:?} of {a}, {b} as {}", stringify!($t));
                };
                is(Op::Add, a.wrapping_add(b));
                is(Op::Sub, a.wrapping_sub(b));
                is(Op::Mul, a.wrapping_mul(b));
                is(Op::MulHi, ((a as $half).wrapping_mul(b as $half) >> <$t>::BITS) as $t);
                is(Op::Min, a.min(b));
                is(Op::Max, a.max(b));
                is(Op::And, a & b);
                is(Op::Or, a | b);
                is(Op::Xor, a ^ b);
                if b != 0 && a.checked_div(b).is_some() {
                    is(Op::Div, a / b);
                    is(Op::Rem, a % b);
                }
            }
        }
    };
}

/// Folded integers are Rust's, the high half of 64-bit products among them.
#[test]
fn folded_integers_are_those_of_rust() {
    folds!(u32, Type::U32, u64, 0, 1, 3, 8, 0x7fff_ffff, 0x8000_0001u32, u32::MAX, 0x9e37_79b9u32);
    folds!(i32, Type::S32, i64, 0, 1, -1, 4, -4, 7, -7, i32::MAX, i32::MIN);
    folds!(u64, Type::U64, u128, 0, 1, 3, 1u64 << 32, u64::MAX, 0x9e37_79b9_7f4a_7c15u64, 1u64 << 63);
    folds!(i64, Type::S64, i128, 0, 1, -1, 8, -8, i64::MAX, i64::MIN, -0x1e37_79b9_7f4a_7c15i64);
}

/// Operations with a neutral or powerful constant on one side, on words that the folder does not know.
#[test]
fn identities_hold_on_the_right_side_only() {
    type Step = (&'static str, for<'b> fn(&'b Builder, Value<'b, U32>) -> Value<'b, U32>, fn(u32) -> u32);
    let steps: [Step; 12] = [
        ("0 - x", |b, x| b.int::<U32>(0) - x, |x| 0u32.wrapping_sub(x)),
        ("x - 0", |b, x| x - b.int(0), |x| x),
        ("0 + x", |b, x| b.int::<U32>(0) + x, |x| x),
        ("1 * x", |b, x| b.int::<U32>(1) * x, |x| x),
        ("x / 1", |b, x| x / b.int(1), |x| x),
        ("1 / x", |b, x| b.int::<U32>(1) / (x | b.int(1)), |x| 1 / (x | 1)),
        ("0 << x", |b, x| b.int::<U32>(0) << (x & b.int(31)), |_| 0),
        ("1 << x", |b, x| b.int::<U32>(1) << (x & b.int(31)), |x| 1 << (x & 31)),
        ("x / 8", |b, x| x / b.int(8), |x| x / 8),
        ("8 / x", |b, x| b.int::<U32>(8) / (x | b.int(1)), |x| 8 / (x | 1)),
        ("x % 16", |b, x| x % b.int(16), |x| x % 16),
        ("0 ^ x", |b, x| b.int::<U32>(0) ^ x, |x| x),
    ];
    for (name, step, want) in steps {
        println!("{name}");
        let k = kernel(|b, x, t| {
            for at in [word(b, x, t), word(b, x, t + b.int(32))] {
                b.store(Space::Global, at, 0, step(b, b.load::<U32>(Space::Global, at, 0)));
            }
        });
        gives(&k, &words(), &words().map(want));
    }
}

/// A quotient of negative numbers rounds towards zero, which a shift does not.
#[test]
fn signed_quotients_by_powers_of_two_round_to_zero() {
    let k = kernel(|b, x, t| {
        let (low, high) = (word(b, x, t), word(b, x, t + b.int(32)));
        let [p, q] = [low, high].map(|at| b.load::<S32>(Space::Global, at, 0));
        b.store(Space::Global, low, 0, p / b.int(4));
        b.store(Space::Global, high, 0, q % b.int(4));
    });
    let x = words();
    let want = core::array::from_fn(|i| {
        let x = x[i] as i32;
        (if i < 32 { x / 4 } else { x % 4 }) as u32
    });
    gives(&k, &x, &want);
}

/// `c - a·b` and `a·b - c` where both may be rounded once: small whole numbers are exact either way.
#[test]
fn differences_keep_their_sides_when_they_fuse() {
    let k = kernel(|b, x, t| {
        let (low, high) = (word(b, x, t), word(b, x, t + b.int(32)));
        let [p, q] = [low, high].map(|at| b.load::<F32>(Space::Global, at, 0));
        b.contract(true);
        b.store(Space::Global, low, 0, p - q * q);
        b.store(Space::Global, high, 0, q * q - p);
    });
    let x: [f32; 64] = core::array::from_fn(|i| i as f32 - 20.0);
    let want: [f32; 64] = core::array::from_fn(|i| {
        let (p, q) = (x[i % 32], x[i % 32 + 32]);
        if i < 32 { p - q * q } else { q * q - p }
    });
    gives(&k, &x.map(f32::to_bits), &want.map(f32::to_bits));
}

/// A loop that asks whether its counter is below a bound, by steps of one and more.
#[test]
fn loops_of_any_step_ask_as_before() {
    for step in 1..5u32 {
        for bound in [0, 3, 4, 5, 9, 20] {
            let k = kernel(|b, x, t| {
                let range = [b.int::<U32>(2), b.int(11), b.int(i64::from(step))];
                let s = b.count::<U32, U32>(range, 1, &[b.int(0), b.int(0)], |i, s| {
                    let below = i.compare(Cmp::Lt, b.int(i64::from(bound)));
                    let [v] = b.either(below, || [i], || [i * b.int(100)]);
                    vec![s[0] * b.int(3) + v, s[1] + b.int(1)]
                });
                b.store(Space::Global, word(b, x, t), 0, s[0]);
                b.store(Space::Global, word(b, x, t + b.int(32)), 0, s[1]);
            });
            let (mut sum, mut turns) = (0u32, 0);
            for i in (2..11).step_by(step as usize) {
                sum = sum.wrapping_mul(3).wrapping_add(if i < bound { i } else { 100 * i });
                turns += 1;
            }
            let want = core::array::from_fn(|i| if i < 32 { sum } else { turns });
            gives(&k, &words(), &want);
        }
    }
}

/// What another warp wrote is seen behind the barrier, even if the same word was read before it.
#[test]
fn a_barrier_ends_what_is_known_of_memory() {
    let b = Builder::new("k");
    b.threads([64, 1, 1]);
    let (x, t) = (b.param::<U64>(), b.special(Special::TidX));
    let other = word(&b, x, (t + b.int(32)) & b.int(63));
    b.store(Space::Global, word(&b, x, t), 0, t + b.int(1000));
    // The first warp may read before the second has written.
    let _ = b.load::<U32>(Space::Global, other, 0);
    b.barrier();
    let seen = b.load::<U32>(Space::Global, other, 0);
    b.store(Space::Global, word(&b, x, t + b.int(64)), 0, seen);
    let k = b.finish().unwrap();
    let passes: [fn(&mut Kernel); 3] = [|_| (), pass::reuse_loads, pass::optimise];
    for pass in passes {
        let mut k = k.clone();
        pass(&mut k);
        // The read behind the barrier is there, whatever the order of the warps.
        let behind = k.body.insts.iter().skip_while(|i| i.op != Op::Barrier);
        assert_eq!(behind.filter(|i| matches!(i.op, Op::Load { .. })).count(), 1);
        let mut d = Interpreter::new();
        let at = d.buffer(Bytes::new(vec![0; 4 * 128]));
        d.launch(&k, [1, 1, 1], [64, 1, 1], &[at]).unwrap();
        for (i, word) in d.get(at).unwrap().bytes().chunks(4).enumerate().skip(64) {
            assert_eq!(u32::from_le_bytes(word.try_into().unwrap()) as usize, 1000 + (i + 32) % 64, "{i}");
        }
    }
}

/// What some threads write under a condition is seen by the read behind it.
#[test]
fn a_store_under_a_condition_ends_what_is_known_of_memory() {
    let k = kernel(|b, x, t| {
        let at = word(b, x, t);
        let v = b.load::<U32>(Space::Global, at, 0);
        b.when(t.compare(Cmp::Lt, b.int(7)), || b.store(Space::Global, at, 0, v + b.int(5)));
        let w = b.load::<U32>(Space::Global, at, 0);
        b.store(Space::Global, word(b, x, t + b.int(32)), 0, w * b.int(2));
    });
    let x = words();
    let now = |i: usize| if i < 7 { x[i].wrapping_add(5) } else { x[i] };
    gives(&k, &x, &core::array::from_fn(|i| if i < 32 { now(i) } else { now(i - 32).wrapping_mul(2) }));
}
