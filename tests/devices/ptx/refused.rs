//! Inputs that a kernel of the builder never has: the interpreter and the passes answer with an error, not a panic.

use fulmen::gpu::{
    B32, Block, Builder, Bytes, Error, Hopper, Id, Ids, Inst, Interpreter, Kernel, Module, Op, Space,
    Special, Target, Type, U32, U64, Variable, pass,
};

/// `out[0] ← op(x)` with x an argument of this type.
fn unary(op: Op, ty: Type) -> Kernel {
    let b = Builder::new("k");
    let out = b.param::<U64>();
    let mut k = {
        b.store(Space::Global, out, 0, b.int::<U32>(0));
        b.finish().unwrap()
    };
    k.params.push(ty);
    k.types = vec![Type::U64, ty, Type::U32];
    let id = |n: u32| -> Ids { [Id(n)].into_iter().collect() };
    let inst = |op, dst, args| Inst { op, contract: false, dst, args, blocks: Vec::new() };
    k.body.insts = vec![
        inst(Op::Param(0), id(0), Ids::NONE),
        inst(Op::Param(1), id(1), Ids::NONE),
        inst(op, id(2), id(1)),
        inst(Op::Store { space: Space::Global, offset: 0 }, Ids::NONE, [Id(0), Id(2)].into_iter().collect()),
    ];
    k
}

fn word(k: &Kernel, arg: u64) -> u32 {
    let mut d = Interpreter::new();
    let out = d.buffer(Bytes::uninitialised(4));
    d.launch(k, [1; 3], [1; 3], &[out, arg]).unwrap();
    u32::from_le_bytes(d.get(out).unwrap().bytes().try_into().unwrap())
}

/// What lies above a 32-bit argument or constant is not there.
#[test]
fn arguments_and_constants_have_the_width_of_their_type() {
    for (op, all, one) in [(Op::Popc, 32, 1), (Op::Clz, 0, 31)] {
        let mut k = unary(op, Type::U32);
        assert_eq!(word(&k, u64::MAX), all, "{op:?}");
        assert_eq!(word(&k, 0xffff_ffff_0000_0001), one, "{op:?}");
        assert_eq!(word(&unary(op, Type::U64), u64::MAX), 2 * all, "{op:?}");
        if let Some(x) = k.body.insts.get_mut(1) {
            x.op = Op::Const(0xffff_ffff_0000_0001);
        }
        assert_eq!(word(&k, 0), one, "{op:?}");
        pass::optimise(&mut k);
        assert_eq!(word(&k, 0), one, "{op:?} folded");
    }
}

#[test]
fn launches_of_impossible_shape() {
    let k = unary(Op::Popc, Type::U32);
    let mut d = Interpreter::new();
    let out = d.buffer(Bytes::uninitialised(4));
    let max = u32::MAX;
    for threads in [[max; 3], [max, 1, 1], [1 << 16, 1 << 16, 1], [0, 1, 1], [1025, 1, 1], [max, max, 2]] {
        assert_eq!(d.launch(&k, [1; 3], threads, &[out, 1]), Err(Error::Arguments), "{threads:?}");
    }
    for grid in [[max; 3], [max, 1, 1], [1 << 16, 1 << 16, 1]] {
        assert_eq!(d.launch(&k, grid, [1; 3], &[out, 1]), Err(Error::Arguments), "{grid:?}");
    }
    for bytes in [[max, 8], [max, max], [1 << 20, 1]] {
        let mut k = k.clone();
        k.shared = bytes.map(|bytes| Variable { bytes, align: 8 }).to_vec();
        assert!(matches!(d.launch(&k, [1; 3], [1; 3], &[out, 1]), Err(Error::SharedMemory { .. })));
        assert!(Module { kernels: vec![k.clone()] }.emit(Target::SM_90A, &mut String::new()).is_err());
        k.local = core::mem::take(&mut k.shared);
        assert!(matches!(d.launch(&k, [1; 3], [1; 3], &[out, 1]), Err(Error::SharedMemory { .. })));
    }
}

/// An offset that leaves the address space wraps in it, and is out of bounds.
#[test]
fn addresses_wrap_in_their_width() {
    for offset in [-4, i32::MIN, i32::MAX - 3] {
        let b = Builder::new("k");
        let room = b.shared(64, 4);
        let v = b.load::<B32>(Space::Shared, room, offset);
        b.store(Space::Shared, room, offset, v);
        let k = b.finish().unwrap();
        let got = Interpreter::new().launch(&k, [1; 3], [1; 3], &[]);
        assert!(
            matches!(got, Err(Error::OutOfBounds { .. } | Error::Misaligned { .. })),
            "{offset}: {got:?}"
        );
    }
}

/// Blocks inside each other as deep as this, around nothing.
fn nested(depth: usize) -> Kernel {
    let b = Builder::new("k");
    let p = b.special(Special::TidX).compare(fulmen::gpu::Cmp::Eq, b.int(0));
    b.when(p, || ());
    let mut k = b.finish().unwrap();
    let one = k.body.insts.pop().unwrap();
    let mut inner = Block { params: Ids::NONE, insts: Vec::new(), yields: Ids::NONE };
    for _ in 0..depth {
        let empty = Block { params: Ids::NONE, insts: Vec::new(), yields: Ids::NONE };
        let inst = Inst { blocks: vec![inner, empty], ..one.clone() };
        inner = Block { params: Ids::NONE, insts: vec![inst], yields: Ids::NONE };
    }
    k.body.insts.append(&mut inner.insts);
    k
}

#[test]
fn deep_nesting_is_refused_before_anything_walks_it() {
    let mut k = nested(100);
    pass::optimise(&mut k);
    Interpreter::new().launch(&nested(100), [1; 3], [32, 1, 1], &[]).unwrap();
    Module { kernels: vec![nested(100)] }.emit(Target::sm(80), &mut String::new()).unwrap();
    let mut k = nested(20_000);
    let refused = Err(Error::Overflow { what: "the depth of nested blocks" });
    assert_eq!(Interpreter::new().launch(&k, [1; 3], [1; 3], &[]), refused);
    pass::optimise(&mut k);
    let mut text = String::new();
    let module = Module { kernels: vec![k] };
    assert_eq!(module.emit(Target::sm(80), &mut text), refused);
    // Taken apart level by level: dropped at once it would use the stack for each.
    let mut insts: Vec<Inst> = module.kernels.into_iter().flat_map(|k| k.body.insts).collect();
    while let Some(mut i) = insts.pop() {
        insts.extend(i.blocks.drain(..).flat_map(|b| b.insts));
    }
}

/// Warps wait for each other wherever they are, and what nobody ends is an error.
#[test]
fn warps_that_wait_for_each_other() {
    let ring = |arrives: bool| {
        let b = Builder::new("k");
        let out = b.param::<U64>();
        let (bar, room) = (b.shared(8, 8), b.shared(4, 4));
        let t = b.special(Special::TidX);
        let one = b.int::<U32>(1);
        b.when(t.compare(fulmen::gpu::Cmp::Eq, b.int(0)), || {
            b.hopper(Hopper::BarrierInit, &[bar.into(), one.into()]);
        });
        b.barrier();
        let first = (t >> b.int::<U32>(5)).compare(fulmen::gpu::Cmp::Eq, b.int(0));
        // The first warp waits for what the second does after it in the text.
        b.either::<U32, 0>(
            first,
            || {
                b.repeat([t], |[v]| (!b.try_wait(bar, b.int(0)), [v]));
                b.store(Space::Global, out + t.wide(b.int(4)), 0, b.load::<U32>(Space::Shared, room, 0));
                []
            },
            || {
                b.when(t.compare(fulmen::gpu::Cmp::Eq, b.int(32)), || {
                    b.store(Space::Shared, room, 0, b.int::<U32>(7));
                    if arrives {
                        b.hopper(Hopper::BarrierArrive, &[bar.into()]);
                    }
                });
                []
            },
        );
        let mut d = Interpreter::new();
        let out = d.buffer(Bytes::uninitialised(128));
        d.launch(&b.finish().unwrap(), [1; 3], [64, 1, 1], &[out])
            .map(|()| d.get(out).unwrap().bytes().to_vec())
    };
    assert_eq!(ring(true), Ok([7, 0, 0, 0].repeat(32)));
    assert_eq!(ring(false), Err(Error::Endless));
}
