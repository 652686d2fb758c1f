//! A whole training step and a whole decode step of the `llm` example, on threads, under an allocator that counts.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

#[path = "../llm/config.rs"]
mod config;
#[path = "../common/files.rs"]
mod files;
#[path = "../llm/gguf.rs"]
mod gguf;
#[path = "../llm/machine.rs"]
mod machine;
#[path = "../llm/memory.rs"]
mod memory;
#[path = "../llm/model.rs"]
mod model;
#[path = "../llm/tokens.rs"]
mod tokens;
#[path = "../llm/train.rs"]
mod train;
#[path = "../llm/vocabulary.rs"]
mod vocabulary;

use config::Config;
use fulmen::backend::Cpu;
use machine::{Follower, Training, Weights};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use train::{Rank, Recipe, Trainer, first_parameters};

static WATCHED: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: forwards to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if WATCHED.load(Ordering::Relaxed) {
            ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocations of all threads while `f` runs. The only test of this program, so nothing else runs.
fn allocations(f: impl FnOnce()) -> usize {
    ALLOCATIONS.store(0, Ordering::SeqCst);
    WATCHED.store(true, Ordering::SeqCst);
    f();
    WATCHED.store(false, Ordering::SeqCst);
    ALLOCATIONS.load(Ordering::SeqCst)
}

#[test]
fn steps_allocate_nothing() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1u8; 100]))) > 0);
    let c = Config {
        dim: 32,
        heads: 4,
        kv_heads: 2,
        hidden: 64,
        context: 40,
        layers: 2,
        vocab: 256,
        ..Config::default()
    };
    let c = c.checked().unwrap();
    let recipe = Recipe { batch: 6, length: 24, groups: 3, ..Recipe::default() };
    let text: Vec<u32> = (0..500).map(|i| i * 31 % 256).collect();
    let trainer =
        Trainer::new(Cpu::native(), c, recipe, first_parameters(&c, 1).unwrap(), Rank::ALONE).unwrap();
    trainer.with_threads(None, 2, &text, |one| {
        // The first wait on a lock or a barrier may set up the thread.
        one(0).unwrap();
        assert_eq!(allocations(|| assert!(one(1).unwrap().is_finite() && one(2).unwrap().is_finite())), 0);
    });
    let numbers = gguf::Stored::of(&c, first_parameters(&c, 1).unwrap());
    let mut blocks = numbers.clone();
    for place in blocks.places.iter_mut().filter(|place| place.rows > 1) {
        let from = blocks.blocks.len();
        for row in numbers.numbers[place.range.clone()].chunks(place.range.len() / place.rows) {
            blocks.blocks.extend(gguf::encoded(8, row).unwrap());
        }
        *place = config::Place { kind: 8, range: from..blocks.blocks.len(), ..*place };
    }
    for stored in [numbers, blocks] {
        let weights = Weights::new(&Cpu::native(), stored).unwrap();
        let mut follower = Follower::new(Cpu::native(), c, &weights, 16).unwrap();
        assert_eq!(
            allocations(|| {
                follower.feed(&text[..20]).unwrap();
                for id in &text[20..30] {
                    follower.feed(&[*id]).unwrap();
                }
            }),
            0
        );
    }
}
