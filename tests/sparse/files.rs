//! Matrix Market files: what they say, and what is wrong with them.

use fulmen::sparse::market::{Error, Field, Reader, Symmetry, write};
use fulmen::{Csr, coo_to_csr, coo_to_csr_workspace};

fn all(text: &[u8]) -> Result<Vec<(u32, u32, f64)>, Error> {
    Reader::new(text)?.collect()
}

#[test]
fn elements_as_they_are_stored() {
    let text = "%%MatrixMarket MATRIX coordinate real general\r\n% A comment.\n\n  3 2 3 \n3 2 1e-3\n%\n1 1 -2\n1 1 .5";
    let reader = Reader::new(text.as_bytes()).unwrap();
    assert_eq!((reader.rows(), reader.cols(), reader.stored()), (3, 2, 3));
    assert_eq!((reader.field(), reader.symmetry()), (Field::Real, Symmetry::General));
    let got: Vec<_> = reader.map(Result::unwrap).collect();
    assert_eq!(got, [(2, 1, 1e-3), (0, 0, -2.0), (0, 0, 0.5)]);
    let of = |head: &str, rest: &str| {
        all(format!("%%MatrixMarket matrix coordinate {head}\n{rest}").as_bytes()).unwrap()
    };
    assert_eq!(of("integer general", "1 2 1\n1 2 -7"), [(0, 1, -7.0)]);
    assert_eq!(of("pattern symmetric", "2 2 2\n2 1\n2 2\n"), [(1, 0, 1.0), (0, 1, 1.0), (1, 1, 1.0)]);
    assert_eq!(of("real skew-symmetric", "2 2 1\n2 1 3"), [(1, 0, 3.0), (0, 1, -3.0)]);
    assert_eq!(of("real general", "0 0 0\n"), []);
    assert_eq!(of("real general", "1 1 1\n1 1 inf\n"), [(0, 0, f64::INFINITY)]);
}

#[test]
fn what_is_no_file() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let long = format!("{head}1 1 1\n1 1 {}1\n", " ".repeat(1030));
    for (text, at, why) in [
        (String::new(), 1, "empty"),
        ("matrix\n".into(), 1, "%%MatrixMarket"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n".into(), 1, "coordinates"),
        ("%%MatrixMarket matrix coordinate complex general\n".into(), 1, "real"),
        ("%%MatrixMarket matrix coordinate real hermitian\n".into(), 1, "general"),
        ("%%MatrixMarket matrix coordinate real general more\n".into(), 1, "five"),
        (head.into(), 2, "before its sizes"),
        (format!("{head}1 1\n"), 2, "three"),
        (format!("{head}1 1 -1\n"), 2, "three"),
        (format!("{head}1 1 1 1\n"), 2, "three"),
        (format!("{head}4294967296 1 1\n"), 2, "32 bits"),
        (format!("{head}18446744073709551616 1 1\n"), 2, "three"),
        (format!("{head}2 2 5\n"), 2, "places"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n".into(), 2, "square"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n".into(), 3, "lower"),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n".into(), 3, "diagonal"),
        (format!("{head}2 2 2\n1 1 1\n"), 4, "before its last"),
        (format!("{head}2 2 1\n1 1 1\n\n2 2 1\n"), 5, "more elements"),
        (format!("{head}2 2 1\n3 1 1\n"), 3, "not there"),
        (format!("{head}2 2 1\n1 0 1\n"), 3, "not there"),
        (format!("{head}2 2 1\n1 1\n"), 3, "number"),
        (format!("{head}2 2 1\n1 1 x\n"), 3, "number"),
        (format!("{head}2 2 1\n1 1 1 1\n"), 3, "number"),
        ("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 0.5\n".into(), 3, "number"),
        ("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n".into(), 3, "number"),
        (long, 3, "longer"),
    ] {
        match all(text.as_bytes()) {
            Err(Error::Format { line, why: got }) => {
                assert!(line == at && got.contains(why), "{text:?}: line {line}: {got}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
    assert!(all(b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 \xff\n").is_err());
    // After an error there is nothing.
    let mut reader =
        Reader::new(&b"%%MatrixMarket matrix coordinate real general\n1 1 1\n2 1 1\n1 1 1\n"[..]).unwrap();
    assert!(reader.next().unwrap().is_err() && reader.next().is_none());
    // No count is believed.
    let huge =
        "%%MatrixMarket matrix coordinate real general\n4294967295 4294967295 9999999999999999\n1 1 1\n";
    assert!(all(huge.as_bytes()).is_err());
}

#[test]
fn what_is_written_is_read() {
    let (offsets, columns) = ([0, 2, 2, 3], [0, 3, 1]);
    let values = [0.1, -1e-300, f64::MAX];
    let a = Csr::new(3, 4, &offsets, &columns, &values).unwrap();
    let mut text = vec![];
    write(a, &mut text).unwrap();
    assert_eq!(all(&text).unwrap(), [(0, 0, 0.1), (0, 3, -1e-300), (2, 1, f64::MAX)]);
    let small = [0.1f32, 1e-45, f32::MAX];
    let mut text = vec![];
    write(Csr::new(3, 4, &offsets, &columns, &small).unwrap(), &mut text).unwrap();
    assert!(text.windows(8).any(|w| w == b"1 1 0.1\n"), "as few digits as it has");
    let back: Vec<f32> = all(&text).unwrap().iter().map(|e| e.2 as f32).collect();
    assert_eq!(back, small);
    let (i, j): (Vec<u32>, Vec<u32>) = all(&text).unwrap().iter().map(|e| (e.0, e.1)).unzip();
    let (mut to, mut index, mut of) = ([9; 4], [9; 3], [0.0; 3]);
    let mut room = [0; coo_to_csr_workspace(3, 4, 3)];
    coo_to_csr(3, 4, &i, &j, &back, &mut to, &mut index, &mut of, &mut room).unwrap();
    assert_eq!((to, index, of), (offsets, columns, small));
}

/// Any bytes: an end, and no element outside the shape.
#[test]
fn any_bytes() {
    let good = b"%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4.0\n2 1 -1.5\n3 3 1e3\n3 2 7\n";
    let r = &mut common::nn::Noise(5);
    for _ in 0..20_000 {
        let mut text = good.to_vec();
        for _ in 0..1 + r.bits() % 3 {
            let (at, n) = (r.bits() as usize % text.len(), r.bits());
            match n % 4 {
                0 => text[at] = (n >> 8) as u8,
                1 => text.truncate(at.max(1)),
                2 => text[at] = b"0123456789 -.e%\n"[(n >> 8) as usize % 16],
                _ => text.insert(at, b"0123456789 -.e%\n"[(n >> 8) as usize % 16]),
            }
        }
        if let Ok(reader) = Reader::new(&text[..]) {
            let (rows, cols) = (reader.rows(), reader.cols());
            let inside = |e: (u32, u32, f64)| (e.0 as usize) < rows && (e.1 as usize) < cols;
            assert!(reader.flatten().all(inside));
        }
    }
}
