//! LZ4 blocks on the interpreter.

use super::*;

#[test]
fn blocks_are_those_of_a_cpu() {
    let gpu = Gpu::new(Host::default());
    let sizes = [[0, 4], [1, 1], [12, 12], [13, 13], [70, 65536], [333, 50], [2100, 700], [5000, 65536]];
    let ran = layers::lz4::story(&gpu, &sizes).unwrap();
    let cuda = OPS.iter().filter(|op| matches!(op.gpu, Form::Cuda(_))).count();
    assert_eq!(ran.len(), cuda);
}

#[test]
fn what_a_cpu_refuses_is_refused() {
    let gpu = Gpu::new(Host::default());
    let x = gpu.upload(&[1u8; 60]).unwrap();
    let (mut out, mut sizes) = (gpu.upload(&[7u8; 60]).unwrap(), gpu.upload(&[7u32; 3]).unwrap());
    let len = |arg, expected, got| Err(fulmen::Error::len(arg, expected, got).into());
    for block in [0, 65537] {
        let said = gpu.lz4_compress(x.view(), block, out.view_mut(), sizes.view_mut());
        assert_eq!(said, Err(fulmen::Error::domain("block").into()));
    }
    assert_eq!(gpu.lz4_compress(x.view(), 60, out.view_mut(), sizes.view_mut()), len("sizes", 1, 3));
    assert_eq!(gpu.lz4_compress(x.view(), 20, out.view_mut(), sizes.view_mut()), len("out", 108, 60));
    let mut to = gpu.upload(&[7u8; 9]).unwrap();
    assert_eq!(gpu.lz4_decompress(x.view(), sizes.view(), 3, to.view_mut()), len("data", 57, 60));
    let part = x.view().part(0..39).unwrap();
    assert_eq!(gpu.lz4_decompress(part, sizes.view(), 4, to.view_mut()), len("data", 60, 39));
    let mut back = [0; 9];
    gpu.download(to.view(), &mut back).unwrap();
    assert_eq!(back, [7; 9]);
}
