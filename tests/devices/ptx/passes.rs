//! Each pass changes what it should, keeps the meaning, and leaves alone what it must.

use fulmen::gpu::{
    Block, Builder, Bytes, Cmp, Error, F32, Inst, Interpreter, Kernel, Op, Rmw, Space, Special, U32, U64,
    Value, pass,
};

fn count(k: &Kernel, f: impl Fn(&Inst) -> bool + Copy) -> usize {
    fn walk(b: &Block, f: impl Fn(&Inst) -> bool + Copy) -> usize {
        b.insts.iter().map(|i| usize::from(f(i)) + i.blocks.iter().map(|b| walk(b, f)).sum::<usize>()).sum()
    }
    walk(&k.body, f)
}

/// Runs one block of 32 threads over 64 floats that the kernel may change.
fn run(k: &Kernel) -> Result<Vec<f32>, Error> {
    let mut d = Interpreter::new();
    let x: Vec<f32> = (0..64).map(|i| 1.0 + i as f32 / 7.0).collect();
    let x = d.buffer(Bytes::f32(&x));
    d.launch(k, [1, 1, 1], [32, 1, 1], &[x])?;
    Ok(d.get(x).unwrap().to_f32())
}

/// A kernel over `x`, and the address of the thread's element.
fn kernel(body: impl for<'b> FnOnce(&'b Builder, Value<'b, U64>, Value<'b, U32>)) -> Kernel {
    let b = Builder::new("k");
    let x = b.param::<U64>();
    body(&b, x, b.special(Special::TidX));
    b.finish().unwrap()
}

/// The pass applied; the numbers are the same.
fn after(k: &Kernel, pass: fn(&mut Kernel)) -> Kernel {
    let mut o = k.clone();
    pass(&mut o);
    pass::remove_dead(&mut o);
    assert_eq!(run(&o).unwrap(), run(k).unwrap());
    o
}

fn element<'b>(b: &'b Builder, x: Value<'b, U64>, i: Value<'b, U32>) -> Value<'b, U64> {
    x + i.wide(b.int(4))
}

#[test]
fn constants_are_folded_and_common_expressions_computed_once() {
    let k = kernel(|b, x, t| {
        let two = b.int::<U32>(1) + b.int(1);
        let (at, again) = (element(b, x, t), element(b, x, t));
        let v = b.load::<F32>(Space::Global, at, 0) * two.to::<F32>();
        b.when(two.compare(Cmp::Eq, b.int(2)), || b.store(Space::Global, again, 0, v));
    });
    let o = after(&k, pass::fold);
    assert_eq!(count(&o, |i| i.op == Op::MulWide), 1);
    assert_eq!(count(&o, |i| matches!(i.op, Op::If | Op::Convert)), 0);
    assert!(o.instructions() < k.instructions());
}

#[test]
fn products_fuse_only_where_it_is_allowed() {
    for allowed in [false, true] {
        let k = kernel(|b, x, t| {
            let at = element(b, x, t);
            let v = b.load::<F32>(Space::Global, at, 0);
            b.contract(allowed);
            b.store(Space::Global, at, 0, v * v - v);
        });
        let mut o = k.clone();
        pass::fuse(&mut o);
        assert_eq!(count(&o, |i| i.op == Op::Fma), usize::from(allowed));
        let (got, plain) = (run(&o).unwrap(), run(&k).unwrap());
        for (i, (got, plain)) in got.iter().zip(&plain).enumerate().take(32) {
            let v = 1.0 + i as f32 / 7.0;
            let want = if allowed { v.mul_add(v, -v) } else { v * v - v };
            assert_eq!((*got, *plain), (want, v * v - v));
        }
    }
}

#[test]
fn loops_unroll_as_far_as_they_ask() {
    for (unroll, copies) in [(1, 1), (0, 7), (3, 4)] {
        let k = kernel(|b, x, t| {
            let bounds = [0, 7, 1].map(|c| b.int::<U32>(c));
            let s = b.count(bounds, unroll, &[b.f32(0.0)], |i, s| {
                vec![s[0] + b.load::<F32>(Space::Global, element(b, x, t + i), 0)]
            });
            b.barrier();
            b.store(Space::Global, element(b, x, t), 0, s[0]);
        });
        // Every thread reads before any writes: the block is in step only at barriers.
        let o = after(&k, pass::unroll);
        assert_eq!(count(&o, |i| matches!(i.op, Op::Load { .. })), copies, "unroll {unroll}");
        assert_eq!(count(&o, |i| matches!(i.op, Op::For { .. })), usize::from(unroll != 0));
    }
}

#[test]
fn loops_split_at_a_bound() {
    for bound in [0, 3, 5, 9] {
        let k = kernel(|b, x, t| {
            let bounds = [2, 7, 1].map(|c| b.int::<U32>(c));
            let end = b.int::<U32>(bound);
            let s = b.count(bounds, 1, &[b.f32(0.0)], |i, s| {
                let v = i.to::<F32>();
                let [v] = b.either(i.compare(Cmp::Lt, end), || [v], || [v * v]);
                vec![s[0] + v]
            });
            b.store(Space::Global, element(b, x, t), 0, s[0]);
        });
        let mut o = after(&k, pass::split);
        assert_eq!(count(&o, |i| matches!(i.op, Op::For { .. })), 2);
        pass::fold(&mut o);
        assert_eq!(count(&o, |i| i.op == Op::If), 0, "no turn asks any more");
        assert_eq!(run(&o).unwrap(), run(&k).unwrap());
    }
}

#[test]
fn addresses_become_sums_and_shifts() {
    let k = kernel(|b, x, t| {
        let bounds = [t, b.int(64), b.int(32)];
        b.count::<U32, F32>(bounds, 1, &[], |i, _| {
            let at = element(b, x, i);
            let v = b.load::<F32>(Space::Global, at, 0);
            b.store(Space::Global, at, 0, v + v);
            Vec::new()
        });
        let at = element(b, x, t * b.int(2) / b.int(4) % b.int(8)) + b.int(128);
        b.store(Space::Global, at, 4, b.f32(1.0));
    });
    let o = after(&k, pass::reduce_strength);
    let inside = |k: &Kernel| {
        let all = k.body.insts.iter().find(|i| matches!(i.op, Op::For { .. })).unwrap();
        all.blocks[0].insts.iter().filter(|i| i.op == Op::MulWide).count()
    };
    assert_eq!((inside(&k), inside(&o)), (1, 0), "the product of the counter is carried");
    assert_eq!(count(&o, |i| matches!(i.op, Op::Div | Op::Rem | Op::Mul | Op::MulWide)), 0);
    assert_eq!(count(&o, |i| matches!(i.op, Op::Store { offset: 132, .. })), 1);
}

/// Two shared variables; `needed`: the second phase reads what the first wrote.
fn phases(needed: bool) -> Kernel {
    kernel(|b, x, t| {
        let (p, q) = (b.shared(128, 4), b.shared(128, 4));
        let four = b.int::<U32>(4);
        let v = b.load::<F32>(Space::Global, element(b, x, t), 0);
        b.store(Space::Shared, p + t * four, 0, v);
        b.barrier();
        let other = (t + b.int(1)) & b.int(31);
        b.store(Space::Shared, q + t * four, 0, v);
        if needed {
            let w = b.load::<F32>(Space::Shared, p + other * four, 0);
            b.store(Space::Global, element(b, x, t), 0, w);
        }
        b.barrier();
        b.barrier();
    })
}

#[test]
fn barriers_that_order_nothing_go_and_the_others_stay() {
    let barriers = |k: &Kernel| count(k, |i| i.op == Op::Barrier);
    for (needed, left) in [(true, 1), (false, 0)] {
        let k = phases(needed);
        let o = after(&k, pass::remove_barriers);
        assert_eq!((barriers(&k), barriers(&o)), (3, left));
    }
    // The interpreter would notice a barrier that is missing.
    let mut k = phases(true);
    k.body.insts.retain(|i| i.op != Op::Barrier);
    assert!(matches!(run(&k), Err(Error::Race { .. })), "{:?}", run(&k));
}

/// Whatever two phases do to the same shared memory, a barrier between them stays if one of them writes, and goes if both only read; and
/// where they touch different memory it goes.
#[test]
fn barriers_stay_around_every_access() {
    type Access = for<'b> fn(&'b Builder, Value<'b, U32>, Value<'b, U32>) -> Value<'b, U32>;
    // Each gives a number that is used, so that nothing of it is dead.
    let accesses: [(&str, bool, Access); 6] = [
        ("load", false, |b, room, t| b.load(Space::Shared, room + t * b.int(4), 0)),
        ("ldmatrix", false, |b, room, t| {
            let [x] = b.ldmatrix::<1>(room + (t & b.int(7)) * b.int(16), false);
            x.cast()
        }),
        ("ldmatrix of four", false, |b, room, t| {
            let [x, _, _, y] = b.ldmatrix::<4>(room + t * b.int(16), true);
            x.cast::<U32>() ^ y.cast()
        }),
        ("store", true, |b, room, t| {
            b.store(Space::Shared, room + t * b.int(4), 0, t);
            t
        }),
        ("atomic", true, |b, room, t| b.atomic(Space::Shared, Rmw::Add, room, t)),
        ("exchange", true, |b, room, t| b.compare_exchange(Space::Shared, room, t, t)),
    ];
    let barriers = |k: &Kernel| count(k, |i| i.op == Op::Barrier);
    for (first, writes, one) in accesses {
        for (second, also, other) in accesses {
            for same in [true, false] {
                let k = kernel(|b, x, t| {
                    let (p, q) = (b.shared(512, 16), b.shared(512, 16));
                    let before = one(b, p, t);
                    b.barrier();
                    let after = other(b, if same { p } else { q }, t);
                    b.store(Space::Global, element(b, x, t), 0, before ^ after);
                });
                let mut o = k.clone();
                pass::remove_barriers(&mut o);
                let needed = same && (writes || also);
                let what = if same { "the same memory" } else { "other memory" };
                assert_eq!(barriers(&o), usize::from(needed), "{first}, then {second} of {what}");
            }
        }
    }
}

#[test]
fn a_read_with_a_known_token_is_not_done_again() {
    let k = kernel(|b, x, t| {
        let (at, next) = (element(b, x, t), element(b, x, t + b.int(32)));
        let v = b.load::<F32>(Space::Global, at, 0);
        let w = b.load::<F32>(Space::Global, at, 0);
        b.store(Space::Global, next, 0, v + w);
        // May be what was just written.
        let again = b.load::<F32>(Space::Global, at, 0);
        b.store(Space::Global, at, 0, again);
        b.store(Space::Global, next, 0, b.load::<F32>(Space::Global, at, 0));
    });
    let loads = |k: &Kernel| count(k, |i| matches!(i.op, Op::Load { .. }));
    let o = after(&k, pass::reuse_loads);
    assert_eq!((loads(&k), loads(&o)), (4, 2));
}

#[test]
fn pressure_counts_what_is_live() {
    let sum = |n: i64| {
        kernel(|b, x, t| {
            let at = element(b, x, t);
            let v: Vec<_> = (0..n).map(|i| b.load::<F32>(Space::Global, x, 4 * i as i32)).collect();
            let s = v.into_iter().reduce(|a, b| a + b).unwrap();
            b.store(Space::Global, at, 0, s);
        })
    };
    // The address takes two, and each value that waits to be added one.
    let (few, many) = (pass::pressure(&sum(4)), pass::pressure(&sum(16)));
    assert_eq!(many - few, 12);
    assert!((6..=8).contains(&few), "{few}");
}

#[test]
fn a_barrier_that_a_thread_may_miss_is_refused() {
    type Wrong = for<'b> fn(&'b Builder, Value<'b, U32>);
    let wrong: [(&str, Wrong); 4] = [
        ("exit", |b, t| {
            b.when(t.compare(Cmp::Lt, b.int(3)), || b.exit());
            b.barrier();
        }),
        ("condition", |b, t| b.when(t.compare(Cmp::Lt, b.int(3)), || b.barrier())),
        ("loop", |b, t| {
            b.count::<U32, F32>([b.int(0), t, b.int(1)], 1, &[], |_, _| {
                b.barrier();
                Vec::new()
            });
        }),
        ("exit in a loop", |b, t| {
            b.count::<U32, F32>([b.int(0), b.int(4), b.int(1)], 1, &[], |_, _| {
                b.barrier();
                b.when(t.compare(Cmp::Lt, b.int(3)), || b.exit());
                Vec::new()
            });
        }),
    ];
    for (name, body) in wrong {
        let b = Builder::new("k");
        body(&b, b.special(Special::TidX));
        assert!(matches!(b.finish(), Err(Error::Barrier { .. })), "{name}");
    }
    // The same for all threads is fine.
    let b = Builder::new("k");
    let n = b.param::<U32>();
    b.count::<U32, F32>([b.int(0), n, b.int(1)], 1, &[], |i, _| {
        b.when(i.compare(Cmp::Lt, b.special(Special::CtaidX)), || b.barrier());
        Vec::new()
    });
    b.when(b.special(Special::TidX).compare(Cmp::Lt, b.int(3)), || b.exit());
    assert!(b.finish().is_ok());
}
