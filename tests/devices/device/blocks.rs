//! Quantised blocks on the interpreter.

use super::*;
use fulmen::quant::*;

/// Numbers and products have the bits of a CPU, in every format: lanes that are few, more than one turn of a block's
/// threads, and shuffles or none.
#[test]
fn blocks_have_the_bits_of_a_cpu() {
    // Those of images are in tests of their own.
    let blocks = |op: &&fulmen::ops::Op| op.shape == "quant" && op.family != "image";
    let own = OPS.iter().filter(|op| op.gpu == Form::Template("layer")).filter(blocks).count();
    let gpu = Gpu::new(Host::default());
    let mut r = common::seed::Seed::new("blocks_have_the_bits_of_a_cpu").stream("shapes");
    let drawn = [r.size(9), r.size(140), r.size(9)];
    let more = [[6, 72, 2], [3, 136, 1], [2, 33, 9], [3, 70, 5], drawn];
    let ran = layers::blocks::story(&gpu, &[[1, 1, 1], [5, 40, 3]], &more).unwrap();
    assert!(ran.len() == own && ran.iter().all(|w| w.share <= 1.0), "{ran:?}");
    let gpu = Gpu::new(Host::new(Meet::Memory));
    layers::blocks::story(&gpu, &[], &[]).unwrap();
}

/// The blocks of `tests/golden/quant.py`, which are of an independent implementation.
fn golden<B: Block>(gpu: &Gpu<Host>) {
    let path = format!("{}/tests/golden/quant/{}.bin", common::ROOT, B::NAME);
    let bytes = std::fs::read(path).unwrap();
    let (count, rest) = bytes.split_at(4);
    let count = u32::from_le_bytes(count.try_into().unwrap()) as usize;
    let (x, want) = rest.split_at(count * size_of::<B>());
    let x = gpu.upload(blocks::<B>(x).unwrap()).unwrap();
    let mut to = gpu.alloc(count * B::ELEMENTS).unwrap();
    gpu.dequantize(x.view(), to.view_mut()).unwrap();
    let mut got = vec![0.0f32; count * B::ELEMENTS];
    gpu.download(to.view(), &mut got).unwrap();
    for (i, (got, want)) in got.iter().zip(want.as_chunks::<4>().0).enumerate() {
        let want = f32::from_le_bytes(*want);
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
            "{} {i}: {got:e} {want:e}",
            B::NAME
        );
    }
}

#[test]
fn numbers_are_those_of_the_reference() {
    let gpu = Gpu::new(Host::default());
    macro_rules! each {
        ($($B:ident)*) => { $(golden::<$B>(&gpu);)* };
    }
    each! { Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 IQ4_NL MXFP4 Q2_K Q3_K Q4_K Q5_K Q6_K NF4 }
}

/// What a CPU refuses, with its words, and nothing written; an index past the table is said by the next read.
#[test]
fn bad_blocks_are_refused() {
    let gpu = Gpu::new(Host::default());
    let zeros = [0; 34 * 4];
    let w = blocks::<Q8_0>(&zeros).unwrap();
    let (on, ids) = (gpu.upload(w).unwrap(), gpu.upload(&[0u32, 4]).unwrap());
    let mut out = gpu.upload(&[7.0f32; 64]).unwrap();
    let mut to = gpu.upload(w).unwrap();
    let mut host = [7.0; 64];
    let part = |n: usize| on.view().part(0..n).unwrap();
    macro_rules! out {
        ($n:expr) => {
            out.view_mut().split($n).unwrap().into_iter().next().unwrap()
        };
    }
    macro_rules! same {
        ($($f:ident($($gpu:expr),*), ($($cpu:expr),*);)*) => {$(
            let want = fulmen::$f($($cpu),*).map(|_| ()).unwrap_err();
            assert_eq!(gpu.$f($($gpu),*), Err(Error::Call(want)), stringify!($f));
        )*};
    }
    same! {
        dequantize(part(2), out!(63)), (&w[..2], &mut host[..63]);
        dequantize_padded(part(2), 0, out!(40)), (&w[..2], 0, &mut host[..40]);
        dequantize_padded(part(2), 33, out!(40)), (&w[..2], 33, &mut host[..40]);
        dequantize_padded(part(3), 20, out!(40)), (&w[..3], 20, &mut host[..40]);
        quant_rows(part(4), 0, ids.view(), out!(64)), (w, 0, &[0, 4], &mut host);
        quant_rows(part(4), 31, ids.view(), out!(64)), (w, 31, &[0, 4], &mut host);
        quant_rows(part(3), 64, ids.view(), out!(64)), (&w[..3], 64, &[0, 4], &mut host);
        quant_rows(part(4), 32, ids.view(), out!(63)), (w, 32, &[0, 4], &mut host[..63]);
        quant_gemv(part(3), part(2), out!(2)), (&w[..3], &w[..2], &mut host[..2]);
        quant_dot(part(3), part(2), out!(1)), (&w[..3], &w[..2]);
        quant_gemm(part(4), part(2), 0, out!(8)), (w, &w[..2], 0, &mut host[..8]);
        quant_gemm(part(4), part(2), 33, out!(8)), (w, &w[..2], 33, &mut host[..8]);
        quant_gemm(part(3), part(2), 64, out!(8)), (&w[..3], &w[..2], 64, &mut host[..8]);
        quant_gemm(part(4), part(3), 64, out!(8)), (w, &w[..3], 64, &mut host[..8]);
        quant_gemm(part(4), part(2), 32, out!(7)), (w, &w[..2], 32, &mut host[..7]);
    }
    let two = gpu.upload(&[1.0f32; 64]).unwrap();
    let said = gpu.quantize(two.view(), to.view_mut());
    assert_eq!(said, Err(Error::Call(fulmen::Error::len("x", 128, 64))));
    let [_, odd] = to.view_mut().split(1).unwrap();
    let [odd, _] = odd.split(2).unwrap();
    let said = gpu.quantize(two.view(), odd);
    assert_eq!(said, Err(Error::Call(fulmen::Error::domain("out"))));
    gpu.download(out.view(), &mut host).unwrap();
    assert_eq!(host, [7.0; 64], "written");
    // Nothing is nothing.
    gpu.quant_gemv(part(0), part(0), out!(2)).unwrap();
    gpu.quant_gemm(part(0), part(2), 32, out!(0)).unwrap();
    gpu.dequantize(part(0), out!(0)).unwrap();
    gpu.download(out.view(), &mut host).unwrap();
    assert_eq!(host[..3], [0.0, 0.0, 7.0]);
    gpu.quant_rows(part(4), 32, ids.view(), out.view_mut()).unwrap();
    let said = gpu.download(out.view(), &mut host);
    assert_eq!(said, Err(Error::Index { op: "quant_rows", arg: "ids", index: 4 }));
    gpu.download(out.view(), &mut host).unwrap();
    assert_eq!(host, [0.0; 64]);
    // Blocks beside those that are written stay, whichever byte of a word they start at.
    let of = |b: u8| [b; 17];
    let all: Vec<u8> = (0..7).flat_map(of).collect();
    let mut on = gpu.upload(blocks::<MXFP4>(&all).unwrap()).unwrap();
    for (from, many) in [(1, 1), (2, 3), (3, 2), (6, 1)] {
        let new = vec![9; many * 17];
        let [_, rest] = on.view_mut().split(from).unwrap();
        let [to, _] = rest.split(many).unwrap();
        gpu.write(blocks::<MXFP4>(&new).unwrap(), to).unwrap();
        let mut got = blocks::<MXFP4>(&all).unwrap().to_vec();
        gpu.download(on.view(), &mut got).unwrap();
        let want = (0..7).flat_map(|k| of(if (from..from + many).contains(&k) { 9 } else { k as u8 }));
        assert_eq!(bytes_of(&got), want.collect::<Vec<_>>(), "{from} {many}");
        gpu.write(blocks::<MXFP4>(&all).unwrap(), on.view_mut()).unwrap();
    }
}

/// Elements that are no whole words, into memory that nothing has written: all of it, and parts of it, beside others.
#[test]
fn memory_that_nothing_has_written_is_written_in_parts() {
    fn quantized<A: Activation>(r: &mut common::nn::Noise) {
        let (many, rest) = (r.within(1..=9), r.within(0..=2));
        let x = r.slice(many * A::ELEMENTS, 2.0);
        let zeros = vec![0; many * size_of::<A>()];
        let (mut want, mut got) =
            (blocks::<A>(&zeros).unwrap().to_vec(), blocks::<A>(&zeros).unwrap().to_vec());
        fulmen::quantize(&x, None, &mut want).unwrap();
        let gpu = Gpu::new(Host::default());
        let (x, mut to) = (gpu.upload(&x).unwrap(), gpu.alloc::<A>(many + rest).unwrap());
        let [first, _] = to.view_mut().split(many).unwrap();
        gpu.quantize(x.view(), first).unwrap();
        gpu.download(to.view().part(0..many).unwrap(), &mut got).unwrap();
        assert_eq!(bytes_of(&got), bytes_of(&want), "{many} of {} blocks of {}", many + rest, A::NAME);
    }
    fn written<T: fulmen::gpu::backend::Word + Copy + PartialEq + std::fmt::Debug>(
        r: &mut common::nn::Noise,
        of: fn(u8) -> T,
    ) {
        let (n, before) = (r.within(1..=9), r.within(0..=5));
        let all: Vec<T> = (0..n).map(|_| of(r.bits() as u8)).collect();
        let gpu = Gpu::new(Host::default());
        let mut to = gpu.alloc::<T>(before + n + r.within(0..=3)).unwrap();
        let [_, rest] = to.view_mut().split(before).unwrap();
        let [part, _] = rest.split(n).unwrap();
        gpu.write(&all, part).unwrap();
        let mut got = vec![of(0); n];
        gpu.download(to.view().part(before..before + n).unwrap(), &mut got).unwrap();
        assert_eq!(got, all, "{n} after {before}");
    }
    let r = &mut common::seed::Seed::new("memory_that_nothing_has_written_is_written_in_parts").stream("");
    for _ in 0..8 {
        quantized::<Q8_0>(r);
        quantized::<Q8_1>(r);
        quantized::<Q8_K>(r);
        quantized::<Q8_64>(r);
        written(r, |x| x);
        written(r, |x| i16::from_le_bytes([x, 1]));
    }
}
