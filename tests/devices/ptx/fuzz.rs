//! Random programs: optimised and not, they give the same bits; and both assemble.

use super::support::*;
use fulmen::gpu::{
    Builder, Bytes, Cmp, F32, Id, Interpreter, Kernel, Module, Op, S32, Shuffle, Space, Special, Target,
    Type, U32, U64, Value, pass,
};

const THREADS: u32 = 32;

struct Gen<'b> {
    b: &'b Builder,
    state: u64,
    data: Value<'b, U64>,
    // The thread's own word of shared memory.
    own: Value<'b, U32>,
    tid: Value<'b, U32>,
}

type Pool = Vec<(Type, Id)>;

impl Gen<'_> {
    fn next(&mut self, below: usize) -> usize {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) as usize % below
    }

    fn pick(&mut self, pool: &Pool, ty: Type) -> Id {
        let of: Vec<Id> = pool.iter().filter(|(t, _)| *t == ty).map(|(_, id)| *id).collect();
        of[self.next(of.len())]
    }

    fn number(&mut self) -> Type {
        [Type::U32, Type::S32, Type::F32, Type::U64, Type::F64][self.next(5)]
    }

    /// One more value.
    fn arithmetic(&mut self, pool: &mut Pool) {
        let ty = self.number();
        let (x, y, z) = (self.pick(pool, ty), self.pick(pool, ty), self.pick(pool, ty));
        let float = matches!(ty, Type::F32 | Type::F64);
        let (p, by) = (self.pick(pool, Type::Pred), self.pick(pool, Type::U32));
        let common = [Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max, Op::Div, Op::Fma, Op::Neg];
        let integer = [Op::And, Op::Or, Op::Xor, Op::Shl, Op::Shr, Op::Rem, Op::Not, Op::MulHi];
        let op = match self.next(4) {
            0 if !float => integer[self.next(8)],
            1 => {
                let cmp = [Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::Eq, Cmp::Ne][self.next(6)];
                return pool.push((Type::Pred, self.b.raw(Op::Compare(cmp), Type::Pred, &[x, y])));
            }
            2 => return pool.push((ty, self.b.raw(Op::Select, ty, &[p, x, y]))),
            3 if self.next(2) == 0 => {
                let to = self.number();
                let op = if matches!((ty, to), (Type::U32, Type::S32) | (Type::S32, Type::U32)) || ty == to {
                    Op::Bitcast
                } else {
                    Op::Convert
                };
                return pool.push((to, self.b.raw(op, to, &[x])));
            }
            _ => common[self.next(8)],
        };
        let id = match op {
            Op::Neg | Op::Not => self.b.raw(op, ty, &[x]),
            Op::Shl | Op::Shr => self.b.raw(op, ty, &[x, by]),
            Op::Fma => self.b.raw(op, ty, &[x, y, z]),
            _ => self.b.raw(op, ty, &[x, y]),
        };
        pool.push((ty, id));
    }

    fn memory(&mut self, pool: &mut Pool) {
        let b = self.b;
        let own = self.own;
        match self.next(4) {
            0 => {
                let i = b.typed::<U32>(self.pick(pool, Type::U32)) & b.int(31);
                let at = self.data + i.wide(b.int(4));
                pool.push((Type::F32, b.load::<F32>(Space::Global, at, 0).id()));
            }
            // Each thread has a word of its own.
            1 => b.store(Space::Shared, own, 0, b.typed::<U32>(self.pick(pool, Type::U32))),
            2 => pool.push((Type::U32, b.load::<U32>(Space::Shared, own, 0).id())),
            _ => b.barrier(),
        }
    }

    /// `uniform`: all threads are here, so a barrier may be.
    fn block(&mut self, pool: &mut Pool, size: usize, depth: u32, uniform: bool) {
        for _ in 0..size {
            match self.next(12) {
                0 if depth > 0 => {
                    let p = self.b.typed(self.pick(pool, Type::Pred));
                    let (mut one, mut two, b) = (pool.clone(), pool.clone(), self.b);
                    let seed = self.next(1 << 30) as u64;
                    let (data, own, tid) = (self.data, self.own, self.tid);
                    let arm = |pool: &mut Pool, state| {
                        let mut g = Gen { b, state, data, own, tid };
                        g.block(pool, 4, depth - 1, false);
                        [b.typed::<F32>(g.pick(pool, Type::F32))]
                    };
                    let [v] = b.either(p, || arm(&mut one, seed), || arm(&mut two, seed + 7));
                    pool.push((Type::F32, v.id()));
                }
                1 if depth > 0 => {
                    let b = self.b;
                    let (start, turns, unroll) =
                        (self.next(3) as i64, self.next(6) as i64, self.next(4) as u8);
                    let bound = self.next(6) as i64;
                    let init = [0, 1].map(|_| b.typed::<U32>(self.pick(pool, Type::U32)));
                    let bounds = [start, start + turns, 1].map(|c| b.int::<U32>(c));
                    let end = b.int::<U32>(bound);
                    let out = b.count::<U32, U32>(bounds, unroll, &init, |i, carried| {
                        let mut inner = pool.clone();
                        inner.extend(carried.iter().map(|c| (Type::U32, c.id())));
                        inner.push((Type::U32, i.id()));
                        let four = b.int::<U32>(4);
                        let at = self.data + (i * four).to::<U64>();
                        inner.push((Type::F32, b.load::<F32>(Space::Global, at, 0).id()));
                        let [v] = b.either(i.compare(Cmp::Lt, end), || [i + i], || [carried[0]]);
                        inner.push((Type::U32, v.id()));
                        self.block(&mut inner, 4, depth - 1, uniform);
                        // A swap of the carried values is among what may happen.
                        let next = self.pick(&inner, Type::U32);
                        vec![carried[1], b.typed(next)]
                    });
                    pool.extend(out.iter().map(|v| (Type::U32, v.id())));
                }
                2 if uniform => {
                    let v = b_shuffle(self, pool);
                    pool.push((Type::U32, v));
                }
                3 | 4 => {
                    if uniform || self.next(4) > 0 {
                        let before = self.state;
                        if uniform {
                            self.memory(pool);
                        } else {
                            self.state = before ^ 1;
                            self.arithmetic(pool);
                        }
                    }
                }
                _ => self.arithmetic(pool),
            }
        }
    }
}

fn b_shuffle(g: &mut Gen<'_>, pool: &Pool) -> Id {
    let v = g.b.typed::<U32>(g.pick(pool, Type::U32));
    let by = g.b.int::<U32>(1 << g.next(5));
    v.shuffle([Shuffle::Butterfly, Shuffle::Up, Shuffle::Down, Shuffle::Index][g.next(4)], by).id()
}

fn program(seed: u64) -> Kernel {
    let b = Builder::new("random");
    let (data, out) = (b.param::<U64>(), b.param::<U64>());
    let scratch = b.shared(4 * THREADS, 4);
    let tid = b.special(Special::TidX);
    let own = scratch + tid * b.int(4);
    b.store(Space::Shared, own, 0, tid);
    let mut pool: Pool = vec![
        (Type::U32, tid.id()),
        (Type::U32, b.int::<U32>(3).id()),
        (Type::S32, b.int::<S32>(-5).id()),
        (Type::S32, tid.cast::<S32>().id()),
        (Type::U64, tid.to::<U64>().id()),
        (Type::U64, b.int::<U64>(1 << 40).id()),
        (Type::F32, b.load::<F32>(Space::Global, data + tid.wide(b.int(4)), 0).id()),
        (Type::F32, b.f32(0.5).id()),
        (Type::F64, b.f64(-1.75).id()),
        (Type::F64, tid.to::<fulmen::gpu::F64>().id()),
        (Type::Pred, tid.compare(Cmp::Lt, b.int(9)).id()),
    ];
    let mut g = Gen { b: &b, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, data, own, tid };
    g.block(&mut pool, 25, 2, true);
    // Everything that was computed last is seen.
    let last: Vec<_> = pool.iter().rev().filter(|(t, _)| *t != Type::Pred).take(8).collect();
    for (k, (ty, id)) in last.into_iter().enumerate() {
        let at = out + (tid + b.int(i64::from(THREADS) * k as i64)).wide(b.int(8));
        match ty {
            Type::U64 | Type::F64 => {
                b.store(Space::Global, at, 0, b.typed::<U64>(b.raw(Op::Bitcast, Type::U64, &[*id])))
            }
            _ => {
                let v = b.typed::<U32>(b.raw(Op::Bitcast, Type::U32, &[*id]));
                b.store(Space::Global, at, 0, v.to::<U64>());
            }
        }
    }
    b.finish().unwrap_or_else(|e| panic!("program {seed}: {e}"))
}

fn result(k: &Kernel, what: &str) -> Vec<u8> {
    let mut d = Interpreter::new();
    let data = d.buffer(Bytes::f32(&data::<f32>(32, 5, 0)));
    let out = d.buffer(Bytes::new(vec![0; 8 * 8 * THREADS as usize]));
    d.launch(k, [1, 1, 1], [THREADS, 1, 1], &[data, out]).unwrap_or_else(|e| panic!("{what}: {e}"));
    d.get(out).unwrap().bytes().to_vec()
}

const PASSES: [(&str, fn(&mut Kernel)); 10] = [
    ("fold", pass::fold),
    ("remove_dead", pass::remove_dead),
    ("split", pass::split),
    ("unroll", pass::unroll),
    ("reduce_strength", pass::reduce_strength),
    ("fuse", pass::fuse),
    ("remove_barriers", pass::remove_barriers),
    ("reuse_loads", pass::reuse_loads),
    ("optimise", pass::optimise),
    ("optimise twice", |k| {
        pass::optimise(k);
        pass::optimise(k);
    }),
];

#[test]
fn random_programs_keep_their_meaning() {
    let mut changed = [0; PASSES.len()];
    let (mut before, mut after) = (0, 0);
    let mut m = Module::new();
    for seed in 0..150 {
        let k = program(seed);
        let want = result(&k, "unchanged");
        for ((name, pass), changed) in PASSES.iter().zip(&mut changed) {
            let mut o = k.clone();
            pass(&mut o);
            *changed += u32::from(o != k);
            assert_eq!(result(&o, name), want, "program {seed} after {name}");
            if *name == "optimise" {
                before += k.instructions();
                after += o.instructions();
                if seed < 40 {
                    m.kernels.push(Kernel { name: format!("random{seed}"), ..k.clone() });
                    m.kernels.push(Kernel { name: format!("optimised{seed}"), ..o });
                }
            }
        }
    }
    for ((name, _), changed) in PASSES.iter().zip(changed) {
        println!("{name}: changed {changed} of 150 programs");
        // Random programs allow no contraction.
        assert!((changed > 20) == (*name != "fuse"), "{name} changed {changed} programs");
    }
    println!("{before} instructions, {after} after optimisation");
    assert!(after < before);
    let Some(ptxas) = ptxas() else { return };
    let mut text = String::new();
    m.emit(Target::sm(80), &mut text).unwrap();
    assemble(&ptxas, &text, Target::sm(80)).unwrap_or_else(|e| panic!("{e}"));
}
