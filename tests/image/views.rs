//! Views and borders.

use super::*;

#[test]
fn views_are_checked() {
    let mut data = [0u8; 24];
    let len = |expected, got| Some(Error::len("data", expected, got));
    let (domain, empty) = (|arg| Some(Error::domain(arg)), |arg| Some(Error::empty(arg)));
    let large = Some(Error::overflow("data"));
    let outside = |arg, got| Some(Error::out_of_bounds(arg, got));
    assert_eq!(Image::new(&data, 0, 2, 1).err(), empty("width"));
    assert_eq!(Image::new(&data, 2, 0, 1).err(), empty("height"));
    for channels in [0, 5, usize::MAX] {
        assert_eq!(Image::new(&data, 2, 2, channels).err(), domain("channels"));
        assert_eq!(ImageMut::new(&mut data, 2, 2, channels).err(), domain("channels"));
    }
    assert_eq!(Image::new(&data, 4, 2, 4).err(), len(32, 24));
    assert_eq!(Image::new(&data, 4, 1, 4).err(), len(16, 24));
    assert_eq!(Image::new(&data, usize::MAX, 1, 2).err(), large);
    assert_eq!(Image::new(&data, usize::MAX / 2, 3, 2).err(), large);
    assert_eq!(Image::strided(&data, 4, 2, 3, 11).err(), domain("stride"));
    assert_eq!(Image::strided(&data, 4, 2, 3, 13).err(), outside("data", 24));
    assert_eq!(Image::strided(&data, 4, usize::MAX, 3, usize::MAX).err(), large);
    assert_eq!(ImageMut::strided(&mut data, 4, 2, 3, 13).err(), outside("data", 24));
    // The last row needs no gap behind it.
    let x = Image::strided(&data, 3, 3, 2, 9).unwrap();
    assert_eq!((x.width(), x.height(), x.channels(), x.stride()), (3, 3, 2, 9));
    assert_eq!(x.region(1, 1, 3, 1).err(), outside("width", 3));
    assert_eq!(x.region(usize::MAX, 1, 2, 1).err(), outside("width", 3));
    assert_eq!(x.region(1, 2, 2, 2).err(), outside("height", 3));
    assert_eq!(x.region(1, 1, 0, 1).err(), empty("width"));
    assert_eq!(x.region(1, 1, 1, 0).err(), empty("height"));
    let mut y = ImageMut::strided(&mut data, 3, 3, 2, 9).unwrap();
    for (i, at) in [(0, 5), (1, 0), (2, 3)] {
        y.row_mut(i)[at] = 1 + i as u8;
    }
    assert!(y.row(3).is_empty() && y.row_mut(3).is_empty() && y.row(usize::MAX).is_empty());
    assert_eq!(y.as_image().get(2, 0, 1), Some(1));
    assert_eq!([y.get(3, 0, 0), y.get(0, 3, 0), y.get(0, 0, 2)], [None; 3]);
    let inner = y.reborrow().region(1, 1, 2, 2).unwrap();
    assert_eq!((inner.row(0), inner.row(1)), (&[0, 0, 0, 0][..], &[0, 3, 0, 0][..]));
    assert_eq!(inner.row(2).len(), 0);
    assert_eq!(
        data.iter().enumerate().filter(|(_, x)| **x != 0).map(|(i, _)| i).collect::<Vec<_>>(),
        [5, 9, 21]
    );
}

#[test]
fn borders_are_the_table() {
    let line = [1, 2, 3, 4];
    let read = |border: Border<u8>, n: usize| -> Vec<u8> {
        let of = |i: isize| border.index(i - 3, n).map_or(0, |at| line[at]);
        (0..n as isize + 6).map(of).collect()
    };
    assert_eq!(read(Border::Constant(0), 4), [0, 0, 0, 1, 2, 3, 4, 0, 0, 0]);
    assert_eq!(read(Border::Clamp, 4), [1, 1, 1, 1, 2, 3, 4, 4, 4, 4]);
    assert_eq!(read(Border::Reflect, 4), [3, 2, 1, 1, 2, 3, 4, 4, 3, 2]);
    assert_eq!(read(Border::Reflect101, 4), [4, 3, 2, 1, 2, 3, 4, 3, 2, 1]);
    assert_eq!(read(Border::Wrap, 4), [2, 3, 4, 1, 2, 3, 4, 1, 2, 3]);
    // Further away than the line is long.
    assert_eq!(read(Border::Reflect, 2), [2, 2, 1, 1, 2, 2, 1, 1]);
    assert_eq!(read(Border::Reflect101, 2), [2, 1, 2, 1, 2, 1, 2, 1]);
    assert_eq!(read(Border::Wrap, 2), [2, 1, 2, 1, 2, 1, 2, 1]);
    for border in [Border::Clamp, Border::Reflect, Border::Reflect101, Border::Wrap] {
        assert_eq!(read(border, 1), [1; 7], "{border:?}");
        assert_eq!(border.index(0, 0), None);
        for i in [isize::MIN, isize::MAX] {
            for n in [1, 2, 3, isize::MAX.unsigned_abs()] {
                assert!(border.index(i, n).unwrap() < n);
            }
        }
    }
}
