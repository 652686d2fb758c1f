//! What the interpreter knows of each byte: who touched it since the last barrier, whether it was written, and that
//! nothing of that is left for the next block.

use fulmen::gpu::{
    Builder, Bytes, Cmp, Error, Hopper, Interpreter, Pred, Rmw, Space, Special, U8, U32, U64, Value,
};

type Body = for<'b> fn(&'b Builder, Value<'b, U64>, Value<'b, U32>);

/// Runs two blocks of 32 threads over 64 words; the body gets the words' address and the thread.
fn run(body: Body) -> Result<(), Error> {
    let b = Builder::new("k");
    let x = b.param::<U64>();
    body(&b, x, b.special(Special::TidX));
    let mut d = Interpreter::new();
    let x = d.buffer(Bytes::new(vec![0; 256]));
    d.launch(&b.finish().unwrap(), [2, 1, 1], [32, 1, 1], &[x])
}

fn is<'b>(b: &'b Builder, x: Value<'b, U32>, n: i64) -> Value<'b, Pred> {
    x.compare(Cmp::Eq, b.int(n))
}

/// Whether the block is the first.
fn early(b: &Builder) -> Value<'_, Pred> {
    is(b, b.special(Special::CtaidX), 0)
}

fn word<'b>(b: &'b Builder, space: Space, at: Value<'b, U32>) {
    b.load::<U32>(space, at, 0);
}

#[test]
fn accesses_of_several_threads() {
    let all: [(&str, Body); 9] = [
        ("Race", |b, _, t| {
            let s = b.shared(4, 4);
            b.store(Space::Shared, s, 0, t);
        }),
        // The same thread may, and the others after a barrier.
        ("", |b, _, t| {
            let s = b.shared(4, 4);
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 0, t));
            b.when(is(b, t, 5), || word(b, Space::Shared, s));
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 0, t));
            b.barrier();
            word(b, Space::Shared, s);
            b.barrier();
            b.when(is(b, t, 9), || b.store(Space::Shared, s, 0, t));
        }),
        // One has read, and another writes.
        ("Race", |b, _, t| {
            let s = b.shared(4, 4);
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 0, t));
            b.barrier();
            b.when(is(b, t, 6), || word(b, Space::Shared, s));
            b.when(is(b, t, 7), || b.store(Space::Shared, s, 0, t));
        }),
        // Two have read, and the last of them writes.
        ("Race", |b, _, t| {
            let s = b.shared(4, 4);
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 0, t));
            b.barrier();
            b.when(t.compare(Cmp::Lt, b.int(2)), || word(b, Space::Shared, s));
            b.when(is(b, t, 1), || b.store(Space::Shared, s, 0, t));
        }),
        // Only the last byte of the word is another's.
        ("Race", |b, x, t| {
            let s = b.shared(4, 4);
            let byte = b.load::<U8>(Space::Global, x, 0);
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 3, byte));
            b.when(is(b, t, 6), || b.store(Space::Shared, s, 0, t));
        }),
        ("", |b, _, t| {
            let s = b.shared(4, 4);
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 0, t));
            b.barrier();
            b.atomic(Space::Shared, Rmw::Add, s, t);
        }),
        ("Race", |b, _, t| {
            let s = b.shared(4, 4);
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 0, t));
            b.when(is(b, t, 6), || _ = b.atomic(Space::Shared, Rmw::Add, s, t));
        }),
        ("Race", |b, _, t| {
            let s = b.shared(4, 4);
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 0, t));
            b.barrier();
            b.when(is(b, t, 6), || _ = b.atomic(Space::Shared, Rmw::Add, s, t));
            b.when(is(b, t, 7), || b.store(Space::Shared, s, 0, t));
        }),
        ("Race", |b, _, t| {
            let s = b.shared(4, 4);
            b.when(is(b, t, 5), || b.store(Space::Shared, s, 0, t));
            b.barrier();
            b.when(is(b, t, 6), || _ = b.atomic(Space::Shared, Rmw::Add, s, t));
            b.when(is(b, t, 7), || word(b, Space::Shared, s));
        }),
    ];
    said(&all);
}

fn said(all: &[(&str, Body)]) {
    for (k, (name, body)) in all.iter().enumerate() {
        match run(*body) {
            Ok(()) => assert!(name.is_empty(), "{k}: no {name}"),
            Err(e) => assert!(!name.is_empty() && format!("{e:?}").starts_with(name), "{k}: {name}: {e:?}"),
        }
    }
}

#[test]
fn words_that_lie_or_were_written_in_part() {
    let all: [(&str, Body); 5] = [
        ("Misaligned", |b, x, t| b.store(Space::Global, x + b.int(2), 0, t)),
        ("Misaligned", |b, x, t| b.store_vector(Space::Global, x + b.int(4), 0, [t, t])),
        ("", |b, x, t| b.store_vector(Space::Global, x + b.int(8), 0, [t, t])),
        ("Uninitialised", |b, x, _| {
            let s = b.local(4, 4);
            let byte = b.load::<U8>(Space::Global, x, 0);
            (0..3).for_each(|k| b.store(Space::Local, s, k, byte));
            word(b, Space::Local, s);
        }),
        ("", |b, x, _| {
            let s = b.local(4, 4);
            let byte = b.load::<U8>(Space::Global, x, 0);
            (0..4).for_each(|k| b.store(Space::Local, s, k, byte));
            word(b, Space::Local, s);
        }),
    ];
    said(&all);
}

/// The second block reads what only the first has written, or has waited for.
#[test]
fn nothing_is_left_of_the_block_before() {
    let all: [(&str, Body); 5] = [
        ("Uninitialised", |b, _, t| {
            let s = b.shared(128, 4) + t * b.int(4);
            b.when(early(b), || b.store(Space::Shared, s, 0, t));
            word(b, Space::Shared, s);
        }),
        ("Uninitialised", |b, _, t| {
            let s = b.local(4, 4);
            b.when(early(b), || b.store(Space::Local, s, 0, t));
            word(b, Space::Local, s);
        }),
        ("Uninitialised", |b, x, t| {
            let s = b.shared(128, 4) + t * b.int(4);
            b.when(early(b), || {
                b.store(Space::Shared, s, 0, t);
                b.copy_async(s, x, 4);
                b.copy_commit();
            });
            b.when(!early(b), || b.copy_wait(0));
            word(b, Space::Shared, s);
        }),
        ("Uninitialised", |b, _, t| {
            let bar = b.shared(8, 8);
            let first = is(b, t, 0);
            b.when(early(b), || {
                b.when(first, || b.hopper(Hopper::BarrierInit, &[bar.into(), b.int::<U32>(1).into()]));
            });
            b.when(first, || b.hopper(Hopper::BarrierArrive, &[bar.into()]));
        }),
        // The first block's thread 1 and the second's thread 2 write the same word.
        ("", |b, _, t| {
            let s = b.shared(4, 4);
            let one = b.special(Special::CtaidX) + b.int(1);
            b.when(t.compare(Cmp::Eq, one), || b.store(Space::Shared, s, 0, t));
        }),
    ];
    said(&all);
}
