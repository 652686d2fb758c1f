//! Operands that a rounding device keeps until they change: each product is that of the same numbers on a new device, bit for
//! bit, and what is rounded is counted.

use super::*;
use core::cell::Cell;
use fulmen::backend::Layers;
use fulmen::gpu::backend::{Array, Mat};
use fulmen::gpu::device::{Computes, Readback};
use std::rc::Rc;

/// A host that counts launches that round, and may have no memory left.
#[derive(Debug)]
struct Counting {
    host: Host,
    rounded: Rc<Cell<usize>>,
    out: Rc<Cell<bool>>,
}

impl Device for Counting {
    type Buffer = Buffer;
    fn facts(&self) -> &Facts {
        self.host.facts()
    }
    fn allocate(&self, bytes: u64) -> Result<Buffer, Error> {
        if self.out.take() {
            // As if what a refusal frees came back: the second time there is enough.
            let what = "bytes of free memory";
            return Err(Error::Limit { device: "counting".into(), what, asked: bytes, available: 0 });
        }
        self.host.allocate(bytes)
    }
    fn number(&self, buffer: &Buffer) -> u64 {
        self.host.number(buffer)
    }
    fn write(&self, to: &Buffer, start: u64, bytes: &[u8]) -> Result<(), Error> {
        self.host.write(to, start, bytes)
    }
    unsafe fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Buffer>]) -> Result<(), Error> {
        let rounds = |l: &&Launch| l.program.kernel().name.starts_with("round_");
        self.rounded.set(self.rounded.get() + list.iter().filter(rounds).count());
        // SAFETY: the caller's.
        unsafe { self.host.launch(list, bindings) }
    }
    async fn read(&self, parts: &mut [Readback<'_, Buffer>]) -> Result<(), Error> {
        self.host.read(parts).await
    }
}
impl Blocking for Counting {}
impl Computes<f32> for Counting {}

fn counting() -> (Gpu<Counting>, Rc<Cell<usize>>) {
    let device = Counting { host: hopper_host(2), rounded: Rc::default(), out: Rc::default() };
    let rounded = Rc::clone(&device.rounded);
    (Gpu::rounding(device).unwrap(), rounded)
}

const N: usize = 136;

/// A product, and how many operands were rounded for it.
fn product(
    gpu: &Gpu<Counting>,
    rounded: &Cell<usize>,
    [a, b]: [Mat<'_, f32, Counting>; 2],
) -> (Vec<f32>, usize) {
    let before = rounded.get();
    let mut c = gpu.upload(&vec![f32::NAN; N * N]).unwrap();
    gpu.gemm(1.0, a, b, 0.0, c.view_mut().matrix(N, N).unwrap()).unwrap();
    let mut got = vec![0.0; N * N];
    gpu.download(c.view(), &mut got).unwrap();
    (got, rounded.get() - before)
}

/// The product of these numbers on a device that has seen no others.
fn anew(a: &[f32], b: &[f32], turned: bool) -> Vec<f32> {
    let (gpu, rounded) = counting();
    let [a, b] = [a, b].map(|x| gpu.upload(x).unwrap());
    let [a, b] = [&a, &b].map(|x| x.view().matrix(N, N).unwrap());
    product(&gpu, &rounded, [if turned { a.t() } else { a }, b]).0
}

#[test]
fn an_operand_is_rounded_once_until_it_changes() {
    let (gpu, rounded) = counting();
    let (host_a, host_b) = (data::<f32>(N * N, 1, 0), data::<f32>(N * N, 2, 0));
    let [mut a, b, ones] = [&host_a, &host_b, &vec![1.0; N / 2]].map(|x| gpu.upload(x).unwrap());
    let mut now = host_a.clone();
    macro_rules! check {
        ($turned:expr, $expected:expr, $what:literal) => {{
            let [x, y] = [&a, &b].map(|x| x.view().matrix(N, N).unwrap());
            let (got, times) = product(&gpu, &rounded, [if $turned { x.t() } else { x }, y]);
            assert_eq!(times, $expected, $what);
            assert!(got == anew(&now, &host_b, $turned), $what);
        }};
    }
    check!(false, 2, "both, for the first time");
    check!(false, 0, "neither again");
    check!(true, 0, "its transpose is the same numbers");
    // Changes: in place, a part from the host, everywhere, a product's result, an update, pairs that are turned.
    gpu.scale_in_place(a.view_mut(), 2.0).unwrap();
    now.iter_mut().for_each(|x| *x *= 2.0);
    check!(false, 1, "after a map in place");
    let [part, _] = a.view_mut().split(5).unwrap();
    gpu.write(&[9.0; 5], part).unwrap();
    now[..5].fill(9.0);
    check!(true, 1, "after a write");
    gpu.axpy(3.0, b.view(), a.view_mut()).unwrap();
    gpu.download(a.view(), &mut now).unwrap();
    check!(false, 1, "after an update");
    let [_, rest] = a.view_mut().split(7 * N).unwrap();
    let [row, _] = rest.split(N).unwrap();
    gpu.rope_view(row.matrix(1, N).unwrap(), N, ones.view(), ones.view(), fulmen::RopeStyle::Neox, false)
        .unwrap();
    gpu.download(a.view(), &mut now).unwrap();
    check!(false, 1, "after pairs were turned");
    {
        let [x, y] = [&b, &b].map(|x| x.view().matrix(N, N).unwrap());
        gpu.gemm(1.0, x, y, 0.5, a.view_mut().matrix(N, N).unwrap()).unwrap();
    }
    gpu.download(a.view(), &mut now).unwrap();
    check!(false, 1, "after a product");
    gpu.fill(0.25, a.view_mut()).unwrap();
    now.fill(0.25);
    check!(false, 1, "after a fill");
    // Another of the same memory.
    drop(a);
    now = data::<f32>(N * N, 5, 0);
    let mut again = gpu.alloc::<f32>(N * N).unwrap();
    let old = rounded.get();
    gpu.write(&now, again.view_mut()).unwrap();
    a = again;
    assert_eq!(rounded.get(), old);
    check!(false, 1, "after its memory was given back");
    check!(false, 0, "and neither again");
}

/// Neighbours in one array, of which only one changes; a part is not the whole, and its rows may start anywhere.
#[test]
fn parts_are_kept_apart() {
    let (gpu, rounded) = counting();
    let host = data::<f32>(2 * N * N + 3, 1, 0);
    let mut all = gpu.upload(&host).unwrap();
    let of = |all: &fulmen::gpu::backend::Array<f32, Counting>| {
        let [x, y] = [0, N * N + 3].map(|at| all.view().part(at..at + N * N).unwrap().matrix(N, N).unwrap());
        product(&gpu, &rounded, [x, y])
    };
    let (first, times) = of(&all);
    assert_eq!(times, 2);
    assert!(first == anew(&host[..N * N], &host[N * N + 3..], false));
    // Between both, then the last of the first, then the first of the last.
    for (at, expected) in [(N * N + 1, 0), (N * N - 1, 1), (N * N + 3, 1)] {
        let [_, rest] = all.view_mut().split(at).unwrap();
        let [one, _] = rest.split(1).unwrap();
        gpu.scale_in_place(one, 64.0).unwrap();
        let (got, times) = of(&all);
        assert_eq!(times, expected, "{at}");
        let mut now = vec![0.0; host.len()];
        gpu.download(all.view(), &mut now).unwrap();
        assert!(got == anew(&now[..N * N], &now[N * N + 3..], false), "{at}");
        assert_eq!(got == first, expected == 0);
    }
    // Columns of a wider matrix, whose rows are no multiple of 16 bytes apart.
    let wide = data::<f32>(N * (N + 7), 3, 0);
    let on = gpu.upload(&wide).unwrap();
    let x = on.view().matrix(N, N + 7).unwrap().cols(2..N + 2).unwrap();
    let narrow: Vec<f32> = wide.chunks(N + 7).flat_map(|row| row[2..N + 2].to_vec()).collect();
    for turned in [false, true] {
        let both = if turned { [x.t(), x] } else { [x, x.t()] };
        let mut other = vec![0.0; N * N];
        (0..N * N).for_each(|i| other[i] = narrow[i % N * N + i / N]);
        let want = if turned { anew(&other, &narrow, false) } else { anew(&narrow, &other, false) };
        assert!(product(&gpu, &rounded, both).0 == want, "{turned}");
    }
}

/// Where memory is out, copies are given up for it, and made again.
#[test]
fn copies_give_way() {
    let (gpu, rounded) = counting();
    let out = Rc::clone(&gpu.device().out);
    let (host_a, host_b) = (data::<f32>(N * N, 1, 0), data::<f32>(N * N, 2, 0));
    let [a, b] = [&host_a, &host_b].map(|x| gpu.upload(x).unwrap());
    let [x, y] = [&a, &b].map(|x| x.view().matrix(N, N).unwrap());
    let want = anew(&host_a, &host_b, false);
    assert!(product(&gpu, &rounded, [x, y]) == (want.clone(), 2));
    assert!(product(&gpu, &rounded, [x, y]) == (want.clone(), 0));
    out.set(true);
    let large = gpu.alloc::<f32>(64 * N * N).unwrap();
    assert_eq!(large.len(), 64 * N * N);
    assert!(product(&gpu, &rounded, [x, y]) == (want, 2));
    // Without copies there is nothing to give up.
    let (gpu, _) = counting();
    gpu.device().out.set(true);
    assert!(matches!(gpu.alloc::<f32>(N), Err(Error::Limit { .. })));
}

/// One array as matrices of two shapes: the copy of one is not that of the other.
#[test]
fn an_operand_of_two_shapes() {
    let x: Vec<f32> = (0..N * N).map(|i| (i * i % 23) as f32 - 11.0).collect();
    let shared = Gpu::rounding(hopper_host(2)).unwrap();
    let on_x = shared.upload(&x).unwrap();
    for [m, k] in [[N, N], [2 * N, N / 2]] {
        let of = |gpu: &Gpu<Host>, x: &Array<f32, Host>| {
            let mut c = gpu.upload(&vec![f32::NAN; m * m]).unwrap();
            let [a, b] = [[m, k], [k, m]].map(|[rows, cols]| x.view().matrix(rows, cols).unwrap());
            gpu.gemm(1.0, a, b, 0.0, c.view_mut().matrix(m, m).unwrap()).unwrap();
            let mut got = vec![0.0; m * m];
            gpu.download(c.view(), &mut got).unwrap();
            got
        };
        let anew = Gpu::rounding(hopper_host(2)).unwrap();
        let on_anew = anew.upload(&x).unwrap();
        assert!(of(&shared, &on_x) == of(&anew, &on_anew), "{m} by {k}");
    }
}
