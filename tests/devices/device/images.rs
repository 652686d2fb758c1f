//! Images on the interpreter.

use super::*;
use fulmen::image::{Border, Flip};

#[test]
fn images_have_the_bits_of_a_cpu() {
    let own = OPS.iter().filter(|op| op.family == "image" && matches!(op.gpu, Form::Template(_))).count();
    for gpu in [Gpu::new(Host::default()), Gpu::new(Host::new(Meet::Memory))] {
        let ran = layers::images::story(&gpu, "f32", 24, 3).unwrap();
        assert_eq!(ran.len(), own);
    }
}

#[test]
fn what_a_cpu_refuses_is_refused() {
    let gpu = Gpu::new(Host::default());
    let (x, mut y) = (gpu.upload(&[1u8; 24]).unwrap(), gpu.upload(&[7u8; 24]).unwrap());
    let call = |e: fulmen::Error| Err(Error::Call(e));
    let from = x.view().image(4, 2, 3).unwrap();
    macro_rules! out {
        ($w:expr, $h:expr, $c:expr) => {
            y.view_mut().split($w * $h * $c).unwrap().into_iter().next().unwrap().image($w, $h, $c).unwrap()
        };
    }
    let shape = fulmen::Error::shape("dst", [2, 4], [2, 2]);
    assert_eq!(gpu.flip(from, Flip::Both, out!(2, 2, 3)), call(shape));
    let channels = fulmen::Error::len("dst", 3, 1);
    assert_eq!(gpu.flip(from, Flip::Both, out!(4, 2, 1)), call(channels));
    let even = fulmen::Error::must_be("size", "odd");
    assert_eq!(gpu.erode(from, [2, 3], Border::Wrap, out!(4, 2, 3), ()), call(even));
    let most = fulmen::Error::must_be("size", "odd and at most 255");
    assert_eq!(gpu.median(from, 257, Border::Wrap, out!(4, 2, 3), ()), call(most));
    assert!(x.view().image(5, 2, 3).is_err() && x.view().image_strided(4, 2, 3, 11).is_err());
    let mut back = [0; 24];
    gpu.download(y.view(), &mut back).unwrap();
    assert_eq!(back, [7; 24], "nothing was written");
}
