//! Matrix Market files: what they say, and what is wrong with them.

use fulmen::sparse::market::{Error, Field, Reader, Symmetry, write};
use fulmen::{Csr, c64, coo_to_csr, coo_to_csr_workspace};

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
        ("%%MatrixMarket vector array real general\n1\n1\n".into(), 1, "matrix"),
        ("%%MatrixMarket matrix elements real general\n1 1\n1\n".into(), 1, "coordinates"),
        ("%%MatrixMarket matrix array pattern general\n1 1\n1\n".into(), 1, "by coordinates, a pattern"),
        ("%%MatrixMarket matrix array real general\n1 1 1\n1\n".into(), 2, "two"),
        ("%%MatrixMarket matrix array real general\n1 2\n1\n".into(), 4, "before its last"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n2\n".into(), 4, "more elements"),
        ("%%MatrixMarket matrix array real general\n1 1\n1 2\n".into(), 3, "number"),
        ("%%MatrixMarket matrix array real symmetric\n1 2\n1\n".into(), 2, "square"),
        ("%%MatrixMarket matrix coordinate complex general\n".into(), 1, "complex"),
        ("%%MatrixMarket matrix coordinate real triangular\n".into(), 1, "general"),
        ("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 -1\n".into(), 3, "number"),
        ("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 inf\n".into(), 3, "number"),
        (format!("{head}1 1 1\n1 1 1D\n"), 3, "number"),
        (format!("{head}1 1 1\n1 1 1D+2D+2\n"), 3, "number"),
        (format!("{head}1 1 1\n1 1 1+2+3\n"), 3, "number"),
        (format!("{head}1 1 1\n1 1 infd2\n"), 3, "number"),
        ("%%MatrixMarket matrix coordinate real general more\n".into(), 1, "five"),
        (head.into(), 2, "before its sizes"),
        (format!("{head}1 1\n"), 2, "three"),
        (format!("{head}1 1 -1\n"), 2, "three"),
        (format!("{head}1 1 1 1\n"), 2, "three"),
        (format!("{head}4294967296 1 1\n"), 2, "32 bits"),
        (format!("{head}1 4294967296 1\n"), 2, "32 bits"),
        (format!("{head}18446744073709551616 1 1\n"), 2, "three"),
        (format!("{head}2 2 5\n1 1 1\n"), 4, "before its last"),
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
    // The longest line of an element, with either end, and a byte more.
    for (n, end) in [(1019, "\n"), (1019, "\r\n"), (1019, ""), (1020, "\n"), (1020, "\r\n"), (1020, "")] {
        let got = all(format!("{head}1 1 1\n1 1 {}1{end}", " ".repeat(n)).as_bytes());
        assert_eq!(got.is_ok(), n == 1019, "{n} {end:?}: {got:?}");
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

fn complex(text: &[u8]) -> Result<Vec<(u32, u32, c64)>, Error> {
    Reader::complex(text)?.collect()
}

/// Numbers as C, Fortran and SciPy write them, in every field; places that come several times; comments of any length.
#[test]
fn numbers_of_other_programs() {
    let of =
        |head: &str, rest: &str| all(format!("%%MatrixMarket matrix {head}\n{rest}").as_bytes()).unwrap();
    for (word, want) in [
        ("4.0D+00", 4.0),
        ("4.0d0", 4.0),
        ("-.25D-1", -0.025),
        ("0.1000000000000000-100", 1e-101),
        ("-1.+300", -1e300),
        ("+1.5E+02", 1.5e2),
        ("1.E2", 1e2),
        ("-1.5-300", -1.5e-300),
        ("Infinity", f64::INFINITY),
    ] {
        assert_eq!(of("coordinate real general", &format!("1 1 1\n1 1 {word}\n")), [(0, 0, want)], "{word}");
    }
    assert_eq!(
        of("coordinate integer general", "1 2 2\n1 1 4.0\n1 2 -1.2D1\n"),
        [(0, 0, 4.0), (0, 1, -12.0)]
    );
    assert_eq!(
        of("coordinate unsigned-integer general", "1 1 1\n1 1 18446744073709551615"),
        [(0, 0, 18_446_744_073_709_551_615.0)]
    );
    let six = of("coordinate integer general", "2 2 6\n1 1 1\n1 1 2\n1 2 3\n2 2 4\n2 2 5\n2 2 -9\n");
    let sum = |i, j| six.iter().filter(|e| (e.0, e.1) == (i, j)).map(|e| e.2).sum::<f64>();
    assert_eq!([six.len() as f64, sum(0, 0), sum(0, 1), sum(1, 0), sum(1, 1)], [6.0, 3.0, 3.0, 0.0, 0.0]);
    // Longer than a buffer, at every place where a comment may stand; a CR is no end.
    for n in [1000usize, 1023, 1024, 1025, 1026, 1027, 8191, 8192, 8193, 100_000] {
        let long = "%x\r ".repeat(n.div_ceil(4));
        let text = format!("{}\n1 1 1\n{}\n1 1 2\n{}", &long[..n], &long[..n], &long[..n]);
        assert_eq!(of("coordinate real general", &text), [(0, 0, 2.0)], "{n}");
    }
    let reader =
        Reader::new(&b"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"[..]).unwrap();
    assert_eq!(
        (reader.stored(), reader.symmetry(), reader.field()),
        (3, Symmetry::SkewSymmetric, Field::Real)
    );
    let got: Vec<_> = reader.map(Result::unwrap).collect();
    assert_eq!(got, [(1, 0, 1.0), (0, 1, -1.0), (2, 0, 2.0), (0, 2, -2.0), (2, 1, 3.0), (1, 2, -3.0)]);
    let one = |re, im| c64 { re, im };
    let head = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n2 1 1d0 -2\n";
    let got = complex(format!("{head}2 2 3 0\n").as_bytes()).unwrap();
    assert_eq!(got, [(1, 0, one(1.0, -2.0)), (0, 1, one(1.0, 2.0)), (1, 1, one(3.0, 0.0))]);
    for bad in ["2 2 3 1\n", "2 2 3\n", "2 2 3 0 0\n"] {
        assert!(complex(format!("{head}{bad}").as_bytes()).is_err(), "{bad}");
    }
    // What is not complex is read as complex, too.
    let real = complex(b"%%MatrixMarket matrix array integer symmetric\n1 1\n-7\n").unwrap();
    assert_eq!(real, [(0, 0, one(-7.0, 0.0))]);
}

/// Every field and symmetry that SciPy writes, and what Fortran programs write: `tests/golden/market.py`.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn files_of_other_programs() {
    use std::collections::BTreeMap;
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/market");
    let mut wanted: BTreeMap<String, BTreeMap<(u32, u32), [f64; 2]>> = BTreeMap::new();
    for line in std::fs::read_to_string(dir.join("expected.txt")).unwrap().lines() {
        let w: Vec<&str> = line.split(' ').collect();
        let of = wanted.entry(w[0].into()).or_default();
        of.insert((w[1].parse().unwrap(), w[2].parse().unwrap()), [w[3], w[4]].map(|x| x.parse().unwrap()));
    }
    assert!(wanted.len() >= 37, "{}", wanted.len());
    for (name, want) in wanted {
        let text = std::fs::read(dir.join(&name)).unwrap();
        let mut got: BTreeMap<(u32, u32), [f64; 2]> = BTreeMap::new();
        for (i, j, x) in complex(&text).unwrap_or_else(|e| panic!("{name}: {e}")) {
            let to = got.entry((i, j)).or_insert([0.0; 2]);
            *to = [to[0] + x.re, to[1] + x.im];
        }
        got.retain(|_, x| *x != [0.0; 2]);
        assert_eq!(got, want, "{name}");
        let real = all(&text).is_ok();
        assert_eq!(real, !name.contains("complex"), "{name}");
    }
}

/// Any bytes: an end, and no element outside the shape.
#[test]
fn any_bytes() {
    let good: [&[u8]; 3] = [
        b"%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4.0\n2 1 -1.5\n3 3 1e3\n3 2 7\n",
        b"%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3.0\n4\n5D0\n6\n",
        b"%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 -1\n3 0\n",
    ];
    let r = &mut common::nn::Noise(5);
    for turn in 0..20_000 {
        let mut text = good[turn % 3].to_vec();
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
        if let Ok(reader) = Reader::complex(&text[..]) {
            let (rows, cols) = (reader.rows(), reader.cols());
            assert!(reader.flatten().all(|e| (e.0 as usize) < rows && (e.1 as usize) < cols));
        }
    }
}
