//! The side condition of barrier elimination, for every program of up to five steps over two shared variables, straight and
//! with a loop around some of the steps.

use fulmen::gpu::{Block, Builder, F32, Kernel, Op, Space, Special, U32, pass};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Barrier,
    Access { variable: i32, write: bool },
}

const STEPS: [Step; 5] = [
    Step::Barrier,
    Step::Access { variable: 0, write: false },
    Step::Access { variable: 0, write: true },
    Step::Access { variable: 4, write: false },
    Step::Access { variable: 4, write: true },
];

/// The steps; those from `from` on, `turns` of them, are a loop's. The offset tells the variables apart.
fn program(steps: &[Step], from: usize, turns: usize) -> Kernel {
    let b = Builder::new("k");
    let (n, t) = (b.param::<U32>(), b.special(Special::TidX) * b.int(8));
    let at = [b.shared(1024, 8) + t, b.shared(1024, 8) + t];
    let emit = |steps: &[Step]| {
        for step in steps {
            match *step {
                Step::Barrier => b.barrier(),
                Step::Access { variable, write } => {
                    let at = at[usize::from(variable != 0)];
                    if write {
                        b.store(Space::Shared, at, variable, b.int::<U32>(1));
                    } else {
                        b.load::<F32>(Space::Shared, at, variable);
                    }
                }
            }
        }
    };
    let (before, rest) = steps.split_at(from);
    let (inside, behind) = rest.split_at(turns);
    emit(before);
    if !inside.is_empty() {
        b.count::<U32, F32>([b.int(0), n, b.int(1)], 1, &[], |_, _| {
            emit(inside);
            Vec::new()
        });
    }
    emit(behind);
    b.finish().unwrap()
}

/// What runs, with two turns of a loop.
fn trace(b: &Block, out: &mut Vec<Step>) {
    for i in &b.insts {
        match i.op {
            Op::Barrier => out.push(Step::Barrier),
            Op::Load { space: Space::Shared, offset } => {
                out.push(Step::Access { variable: offset, write: false });
            }
            Op::Store { space: Space::Shared, offset } => {
                out.push(Step::Access { variable: offset, write: true });
            }
            Op::For { .. } => (0..2).for_each(|_| i.blocks.iter().for_each(|b| trace(b, out))),
            _ => {}
        }
    }
}

/// The accesses, each with the number of barriers before it.
fn accesses(k: &Kernel) -> Vec<((i32, bool), usize)> {
    let (mut steps, mut barriers, mut all) = (Vec::new(), 0, Vec::new());
    trace(&k.body, &mut steps);
    for step in steps {
        match step {
            Step::Barrier => barriers += 1,
            Step::Access { variable, write } => all.push(((variable, write), barriers)),
        }
    }
    all
}

fn conflict(a: (i32, bool), b: (i32, bool)) -> bool {
    a.0 == b.0 && (a.1 || b.1)
}

fn barriers(b: &Block) -> usize {
    b.insts
        .iter()
        .map(|i| usize::from(i.op == Op::Barrier) + i.blocks.iter().map(barriers).sum::<usize>())
        .sum()
}

/// Accesses of different threads to one variable, a write among them, stay apart if they were. Returns the barriers that went.
fn holds(steps: &[Step], from: usize, turns: usize) -> usize {
    let k = program(steps, from, turns);
    let mut thin = k.clone();
    pass::remove_barriers(&mut thin);
    let (old, new) = (accesses(&k), accesses(&thin));
    assert!(old.iter().map(|x| x.0).eq(new.iter().map(|x| x.0)), "only barriers go: {steps:?}");
    for (j, (b, after)) in old.iter().zip(&new).enumerate() {
        for (a, before) in old.iter().zip(&new).take(j) {
            let apart = !conflict(a.0, b.0) || a.1 == b.1 || before.1 != after.1;
            assert!(apart, "{steps:?}, {turns} in a loop from {from}");
        }
    }
    // Without a loop, each barrier that is left has something to order.
    for kept in (0..barriers(&thin.body)).filter(|_| turns == 0) {
        let pairs = new.iter().filter(|x| x.1 == kept).flat_map(|a| new.iter().map(move |b| (a, b)));
        assert!(pairs.into_iter().any(|(a, b)| b.1 == kept + 1 && conflict(a.0, b.0)), "{steps:?}");
    }
    barriers(&k.body) - barriers(&thin.body)
}

#[test]
fn what_barriers_order_stays_ordered() {
    let (mut programs, mut gone) = (0, 0);
    for length in 1..=5u32 {
        for code in 0..STEPS.len().pow(length) {
            let steps: Vec<Step> =
                (0..length).map(|i| STEPS[code / STEPS.len().pow(i) % STEPS.len()]).collect();
            if !steps.contains(&Step::Barrier) {
                continue;
            }
            gone += holds(&steps, 0, 0);
            programs += 1;
            for turns in 1..=steps.len() {
                for from in 0..=steps.len() - turns {
                    gone += holds(&steps, from, turns);
                    programs += 1;
                }
            }
        }
    }
    println!("{programs} programs, {gone} barriers removed");
    assert!(programs > 10_000 && gone > 5_000, "{programs} {gone}");
}
