//! The pool of device memory on a host that has as much memory as a card: what is freed serves what comes next, whatever the sizes.

use super::*;
use common::seed::Seed;
use fulmen::gpu::backend::Array;
use fulmen::gpu::device::{Computes, Readback};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const MIB: u64 = 1 << 20;

fn card(bytes: u64) -> Host {
    let facts = Host::default().facts().clone();
    let limits = Limits { buffer: bytes, binding: bytes, ..facts.limits };
    Host::with(Facts { limits, ..facts }).limited(bytes)
}

/// Arrays that grow, each freed before the next: the sum of all is more than there is, the largest is not.
#[test]
fn freed_memory_serves_larger_arrays() {
    for (live, most) in [(0, 40), (60, 79)] {
        let gpu = Gpu::new(card(140 * MIB));
        let kept = gpu.alloc::<u8>(live << 20).unwrap();
        for i in 1..most {
            let a = gpu.alloc::<f32>(i << 18).unwrap_or_else(|e| panic!("{i} MiB beside {live}: {e}"));
            drop(a);
        }
        drop(kept);
        let held = gpu.memory_use();
        assert_eq!((held.live, held.live + held.cached), (0, gpu.device().allocated()));
        assert_eq!(gpu.trim(), held.cached);
        assert_eq!(gpu.device().allocated(), 0, "all of it is the device's again");
        // All of the memory, after many small ones.
        drop((0..1000).map(|n| gpu.alloc::<f32>(n).unwrap()).collect::<Vec<_>>());
        drop(gpu.alloc::<u8>(140 << 20).unwrap());
        let refused = gpu.alloc::<u8>((140 << 20) + 4).unwrap_err();
        assert!(matches!(refused, Error::Limit { .. }), "{refused}");
    }
}

/// A limit of one's own: what is beyond is refused, what is freed below it is not.
#[test]
fn memory_has_a_limit() {
    for host in [card(140 * MIB), Host::default()] {
        let gpu = Gpu::new(host);
        gpu.limit_memory(20 * MIB);
        let a = gpu.alloc::<u8>(15 << 20).unwrap();
        let refused = gpu.alloc::<u8>(6 << 20).unwrap_err();
        let Error::Limit { what: "bytes of memory", available, .. } = refused else { panic!("{refused}") };
        assert!((4 * MIB..=5 * MIB).contains(&available), "{available}");
        drop(a);
        drop(gpu.alloc::<u8>(6 << 20).unwrap());
        drop(gpu.alloc::<u8>(19 << 20).unwrap());
        assert!(gpu.memory_use().peak <= 20 * MIB);
        assert!(gpu.device().allocated() <= 20 * MIB);
        gpu.limit_memory(u64::MAX);
        gpu.alloc::<u8>(100 << 20).unwrap();
    }
}

/// Buffers of a device that does not divide them: one serves an array of its size, or of a quarter less, and no smaller one; those of
/// every size are given back.
#[test]
fn whole_buffers_serve_what_is_near_their_size() {
    let gpu = Gpu::new(Host::default());
    let held = || (gpu.memory_use().live >> 10, gpu.memory_use().cached >> 10);
    drop(gpu.alloc::<u8>(80 << 10).unwrap());
    assert_eq!(held(), (0, 80));
    let other = gpu.alloc::<u8>(60 << 10).unwrap();
    assert_eq!(held(), (60, 80), "more than a quarter would be left over");
    let near = gpu.alloc::<u8>(64 << 10).unwrap();
    assert_eq!(held(), (140, 0));
    drop((other, near));
    let larger = gpu.alloc::<u8>(96 << 10).unwrap();
    let small = gpu.alloc::<u8>(4 << 10).unwrap();
    assert_eq!(held(), (100, 140));
    drop((larger, small));
    assert_eq!((gpu.trim() >> 10, held()), (240, (0, 0)));
    assert_eq!(gpu.device().allocated(), 0);
}

/// A card that sees where parts lie.
#[derive(Debug)]
struct Watched {
    host: Host,
    /// Parts in use: where they start and end.
    parts: Rc<RefCell<BTreeMap<u64, u64>>>,
}

#[derive(Debug)]
struct Part {
    inner: Buffer,
    start: Option<u64>,
    parts: Rc<RefCell<BTreeMap<u64, u64>>>,
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(start) = self.start {
            assert!(self.parts.borrow_mut().remove(&start).is_some(), "freed twice");
        }
    }
}

fn inner<'a>(b: &Binding<'a, Part>) -> Binding<'a, Buffer> {
    Binding { buffer: &b.buffer.inner, start: b.start, bytes: b.bytes }
}

impl Device for Watched {
    type Buffer = Part;
    fn facts(&self) -> &Facts {
        self.host.facts()
    }
    fn allocate(&self, bytes: u64) -> Result<Part, Error> {
        let parts = Rc::clone(&self.parts);
        Ok(Part { inner: self.host.allocate(bytes)?, start: None, parts })
    }
    fn divides(&self) -> bool {
        true
    }
    fn part(&self, of: &Part, start: u64, bytes: u64) -> Option<Part> {
        let inner = self.host.part(&of.inner, start, bytes)?;
        let at = self.host.number(&inner);
        assert!(start.is_multiple_of(256) && bytes > 0);
        let mut parts = self.parts.borrow_mut();
        let before = parts.range(..at + bytes).next_back();
        assert!(before.is_none_or(|(_, end)| *end <= at), "{at}..{} lies on {before:?}", at + bytes);
        parts.insert(at, at + bytes);
        Some(Part { inner, start: Some(at), parts: Rc::clone(&self.parts) })
    }
    fn number(&self, buffer: &Part) -> u64 {
        self.host.number(&buffer.inner)
    }
    fn write(&self, to: &Part, start: u64, bytes: &[u8]) -> Result<(), Error> {
        self.host.write(&to.inner, start, bytes)
    }
    unsafe fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Part>]) -> Result<(), Error> {
        // SAFETY: the caller's.
        unsafe { self.host.launch(list, &bindings.iter().map(inner).collect::<Vec<_>>()) }
    }
    async fn read(&self, parts: &mut [Readback<'_, Part>]) -> Result<(), Error> {
        let each = parts.iter_mut();
        let mut parts: Vec<_> =
            each.map(|p| Readback { buffer: &p.buffer.inner, start: p.start, to: &mut *p.to }).collect();
        self.host.read(&mut parts).await
    }
}
impl Blocking for Watched {}
impl Computes<f32> for Watched {}

/// Any order of allocations and frees: no two arrays overlap, each holds what was written to it, the statistics are the truth, what
/// is held stays near what was in use, and nothing is lost.
#[test]
fn random_allocations_keep_apart() {
    let seed = Seed::new("random_allocations_keep_apart");
    let memory = 600 * MIB;
    for turn in 0..4 {
        let r = &mut seed.stream(&turn.to_string());
        let gpu = Gpu::new(Watched { host: card(memory), parts: Rc::default() });
        let mut live: Vec<(Array<u32, Watched>, u32)> = Vec::new();
        let (mut bytes, mut refused) = (0u64, 0);
        for step in 0..1500u32 {
            let frees = r.bits() % 100 < if bytes > memory / 3 { 70 } else { 40 };
            if frees && !live.is_empty() {
                let (array, mark) = live.swap_remove(r.bits() as usize % live.len());
                let (mut first, mut last) = ([0], [0]);
                gpu.download(array.view().part(0..1).unwrap(), &mut first).unwrap();
                gpu.download(array.view().part(array.len() - 1..array.len()).unwrap(), &mut last).unwrap();
                assert_eq!((first, last), ([mark], [mark]), "turn {turn}, step {step}");
                bytes -= 4 * array.len() as u64;
            } else {
                // Of each class, and around the sizes between them.
                let most = [1 << 8, 1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 23][r.bits() as usize % 6];
                let words = 1 + r.bits() as usize % most;
                match gpu.alloc::<u32>(words) {
                    Ok(mut array) => {
                        for at in [0, words - 1] {
                            let [_, end] = array.view_mut().split(at).unwrap();
                            let [word, _] = end.split(1).unwrap();
                            gpu.write(&[step], word).unwrap();
                        }
                        bytes += 4 * words as u64;
                        live.push((array, step));
                    }
                    Err(e) => {
                        refused += 1;
                        assert!(matches!(e, Error::Limit { .. }), "{e}");
                        // Never while less than a half of the memory is in use.
                        assert!(
                            bytes > memory / 2,
                            "turn {turn}, step {step}: {bytes} in use, {words} words refused"
                        );
                    }
                }
            }
            let held = gpu.memory_use();
            let parts: u64 = gpu.device().parts.borrow().iter().map(|(start, end)| end - start).sum();
            assert_eq!(held.live, parts, "turn {turn}, step {step}");
            assert!((bytes..bytes + 256 * live.len() as u64 + 1).contains(&held.live));
            assert_eq!(held.live + held.cached, gpu.device().host.allocated());
            // Without fragments a quarter more and what blocks have to spare.
            let most = 2 * held.peak + 64 * MIB;
            assert!(held.live + held.cached <= most, "turn {turn}, step {step}: {held:?}");
        }
        println!("turn {turn}: {:?}, {refused} refused", gpu.memory_use());
        drop(live);
        assert_eq!(gpu.memory_use().live, 0);
        gpu.trim();
        assert_eq!((gpu.memory_use().cached, gpu.device().host.allocated()), (0, 0));
        assert!(gpu.device().parts.borrow().is_empty());
    }
}

/// Ops on parts are those on buffers of their own, also where an array begins inside of a block; and a steady state neither allocates
/// nor moves.
#[test]
fn ops_run_on_parts() {
    let (whole, parts) = (gpu(), Gpu::new(card(64 * MIB)));
    let x: Vec<f32> = (0..3000).map(|i| (i as f32 * 0.37).sin()).collect();
    let mut held = Vec::new();
    for turn in 0..4 {
        let [want, got] = [&whole, &parts].map(|gpu| {
            let (x, mut out, mut back) = (gpu.upload(&x).unwrap(), gpu.alloc(3000).unwrap(), vec![0.0; 3000]);
            gpu.softmax(x.view(), 300, out.view_mut()).unwrap();
            gpu.download(out.view(), &mut back).unwrap();
            back
        });
        assert_eq!(got, want);
        held.push((turn, parts.device().allocated()));
    }
    assert!(held.iter().all(|(_, bytes)| *bytes == held[0].1), "{held:?}");
}
