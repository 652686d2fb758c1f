//! Matrix Market files: what they say, and what is wrong with them.

use fulmen::sparse::market::{Error, Field, Reader, Symmetry, Written, write};
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
    let zeros = of("integer skew-symmetric", "2 2 1\n2 1 0");
    assert!(zeros.iter().all(|(_, _, x)| x.to_bits() == 0), "{zeros:?}");
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
        ("%%MatrixMarket matrix array real general\n1 1\n1 2\n".into(), 3, "more on the line"),
        ("%%MatrixMarket matrix array real symmetric\n1 2\n1\n".into(), 2, "square"),
        ("%%MatrixMarket matrix coordinate complex general\n".into(), 1, "complex"),
        ("%%MatrixMarket matrix coordinate real triangular\n".into(), 1, "general"),
        ("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 -1\n".into(), 3, "negative"),
        ("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 inf\n".into(), 3, "not an integer"),
        ("%%MatrixMarket matrix array real general\n1 1\n1,5\n".into(), 3, "number"),
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
        (format!("{head}18446744073709551616 1 1\n"), 2, "64 bits"),
        (format!("{head}1 1 18446744073709551616\n"), 2, "64 bits"),
        (format!("{head}2.0 1 1\n1 1 1\n"), 2, "three"),
        (format!("{head}2\n2 1\n1 1 1\n"), 2, "three"),
        (format!("{head}2 2 5\n1 1 1\n"), 4, "before its last"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n".into(), 2, "square"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n".into(), 3, "lower"),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n".into(), 3, "diagonal"),
        (format!("{head}2 2 2\n1 1 1\n"), 4, "before its last"),
        (format!("{head}2 2 1\n1 1 1\n\n2 2 1\n"), 5, "more elements"),
        (format!("{head}2 2 1\n3 1 1\n"), 3, "past the sizes"),
        (format!("{head}2 2 1\n1 18446744073709551617 1\n"), 3, "past the sizes"),
        (format!("{head}2 2 1\n4294967297 1 1\n"), 3, "past the sizes"),
        (format!("{head}0 0 1\n1 1 1\n"), 3, "past the sizes"),
        (format!("{head}2 2 1\n1 0 1\n"), 3, "count from 1"),
        (format!("{head}2 2 1\n0 1 1\n"), 3, "count from 1"),
        (format!("{head}2 2 1\n-1 1 1\n"), 3, "not a positive integer"),
        (format!("{head}2 2 1\n1.0 1 1\n"), 3, "not a positive integer"),
        (format!("{head}2 2 1\n1 1e0 1\n"), 3, "not a positive integer"),
        (format!("{head}2 2 1\n1\n"), 3, "column of the element is missing"),
        (format!("{head}2 2 1\n1 1\n"), 3, "number of the element is missing"),
        // A line without an end is read whole.
        (format!("{head}1 1 1\r1 1 5\r"), 2, "three"),
        (format!("{head} % no comment\n1 1 0\n"), 2, "three"),
        (format!(" {head}1 1 0\n"), 1, "%%MatrixMarket"),
        (format!("\n{head}1 1 0\n"), 1, "%%MatrixMarket"),
        (format!("\u{feff}{head}1 1 0\n"), 1, "%%MatrixMarket"),
        (format!("{head}2 2 1\n1 1 x\n"), 3, "number"),
        (format!("{head}2 2 1\n1 1 1 1\n"), 3, "more on the line"),
        (format!("{head}2 2 1\n1 1 1 % no comment\n"), 3, "more on the line"),
        ("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 0.5\n".into(), 3, "not an integer"),
        ("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n".into(), 3, "more on the line"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n".into(), 4, "lower"),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 2 1\n".into(), 3, "lower"),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 0\n".into(), 3, "diagonal"),
        ("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n2\n3\n".into(), 6, "more elements"),
        // Of the definition's table of fields and symmetries.
        ("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n".into(), 1, "complex matrix"),
        ("%%MatrixMarket matrix array integer hermitian\n1 1\n1\n".into(), 1, "complex matrix"),
        ("%%MatrixMarket matrix coordinate pattern hermitian\n1 1 1\n1 1\n".into(), 1, "complex matrix"),
        ("%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n".into(), 1, "skew"),
        ("%%MatrixMarket matrix array unsigned-integer skew-symmetric\n2 2\n1\n".into(), 1, "skew"),
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

/// Every text that is no number of its field, and what it is refused for; what is next to it is read.
#[test]
fn words_that_are_no_numbers() {
    let read = |field: &str, word: &str| {
        all(format!("%%MatrixMarket matrix coordinate {field} general\n1 1 1\n1 1 {word}\n").as_bytes())
    };
    let refused = |field: &str, word: &str, wanted: &str| match read(field, word) {
        Err(Error::Format { line: 3, why }) => assert!(why.contains(wanted), "{field} {word}: {why}"),
        other => panic!("{field} {word}: {other:?}"),
    };
    let taken = |field: &str, word: &str, wanted: f64| {
        let got = read(field, word).unwrap_or_else(|e| panic!("{field} {word}: {e}"))[0].2;
        assert_eq!(got.to_bits(), wanted.to_bits(), "{field} {word}: {got}");
    };
    for word in [
        "1,5", "0x1p3", "0x10", "1.5x", "1f", "1.5f", "1_000", "1e", "1e+", "1.5E", "1e5.0", "e5", "d5",
        "+d5", "-", "+", ".", "+.", ".e5", ".d5", "++1", "+-1", "1-", "1+", "1e5-3", "1e5d3", "1d3e5",
        "inf-3", "nan+1", "infd0", "NaN(1)", "nan(ind)", "1.#INF", "(1,2)", "1%c", "1\u{a0}", "1\0", "1q3",
        "\u{661}",
    ] {
        for field in ["real", "integer", "unsigned-integer"] {
            refused(field, word, "a number is expected");
        }
    }
    // Beyond the largest number: an infinity is nowhere in the file.
    for word in ["1e309", "1.8e308", "-1e999", "1d+400", "1+400"] {
        refused("real", word, "largest");
        refused("integer", word, "largest");
    }
    refused("real", &"9".repeat(310), "largest");
    taken("real", "1.7976931348623158e308", f64::MAX);
    // Nearest to 0.
    taken("real", "1e-400", 0.0);
    taken("real", "-1e-400", -0.0);
    taken("real", "5e-324", 5e-324);
    for (word, wanted) in [
        ("inf", f64::INFINITY),
        ("+Inf", f64::INFINITY),
        ("-INF", f64::NEG_INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
        ("+1.5", 1.5),
        ("+.5", 0.5),
        ("1.5D+3", 1500.0),
        ("1d3", 1000.0),
        ("-0.0", -0.0),
        ("9007199254740993", 9_007_199_254_740_992.0),
    ] {
        taken("real", word, wanted);
    }
    for word in ["nan", "NaN", "+NAN", "-nan"] {
        assert!(read("real", word).unwrap()[0].2.is_nan(), "{word}");
        refused("integer", word, "not an integer");
    }
    // By its digits, not by the nearest `f64`, which is whole.
    for word in [
        "1.5",
        "1e-1",
        "15e-1",
        "1.25e1",
        "0.1d0",
        "9007199254740992.5",
        "4503599627370497.5",
        "0.99999999999999999999",
        "1.00000000000000000001",
        "1e-400",
        "100e-3",
        "1e-99999999999999999999",
        "inf",
        "-infinity",
    ] {
        refused("integer", word, "not an integer");
        refused("unsigned-integer", word, "not an integer");
    }
    for (word, wanted) in [
        ("+3", 3.0),
        ("3.", 3.0),
        ("3.000", 3.0),
        ("1.2e1", 12.0),
        ("1.50d1", 15.0),
        ("100e-2", 1.0),
        ("1.5+001", 15.0),
        ("0e-9", 0.0),
        ("0.0e-99999999999999999999", 0.0),
        ("-0", 0.0),
        ("9223372036854775807", 9_223_372_036_854_775_807.0),
        ("9223372036854775809", 9_223_372_036_854_775_808.0),
        ("18446744073709551616", 18_446_744_073_709_551_616.0),
        ("1e300", 1e300),
    ] {
        taken("integer", word, wanted);
        taken("unsigned-integer", word, wanted);
    }
    taken("integer", "-9223372036854775808", -9_223_372_036_854_775_808.0);
    refused("unsigned-integer", "-9223372036854775808", "negative");
    // Both parts of a complex number.
    for (parts, wanted) in [
        ("5", "missing"),
        ("5 6 7", "more on"),
        ("(5,6)", "a number is expected"),
        ("5 6i", "a number is expected"),
        ("5 1e999", "largest"),
    ] {
        let text = format!("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 {parts}\n");
        match complex(text.as_bytes()) {
            Err(Error::Format { line: 3, why }) => assert!(why.contains(wanted), "{parts}: {why}"),
            other => panic!("{parts}: {other:?}"),
        }
    }
}

/// The bits of what is written and read as another type.
fn through<T: Written>(values: &[T]) -> Vec<f64> {
    let columns: Vec<u32> = (0..values.len() as u32).collect();
    let mut text = vec![];
    write(Csr::new(1, values.len(), &[0, values.len()], &columns, values).unwrap(), &mut text).unwrap();
    let got = all(&text).unwrap();
    assert!(got.len() == values.len() && got.iter().zip(&columns).all(|(e, c)| (e.0, e.1) == (0, *c)));
    got.iter().map(|e| e.2).collect()
}

/// In every bit, but those of NaN, which text has not: every number of 16 bits, and of the wider ones both ends and many between.
#[test]
fn values_come_back_in_every_bit() {
    let r = &mut common::nn::Noise(11);
    let ends =
        [0, 1, (1 << 52) - 1, 1 << 52, 0x7fef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0x3fb9_9999_9999_999a];
    let mut wide: Vec<f64> = ends.iter().flat_map(|b| [*b, *b | 1 << 63]).map(f64::from_bits).collect();
    wide.extend((0..20_000).map(|_| f64::from_bits(r.bits() << 32 ^ r.bits())));
    for (x, y) in wide.iter().zip(through(&wide)) {
        assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{x:e} {y:e}");
    }
    let ends = [0, 1, (1 << 23) - 1, 1 << 23, 0x7f7f_ffff, 0x7f80_0000, 0x3dcc_cccd, 0x15ae_43fd];
    // The last has digits whose nearest `f64` lies half between two `f32`: they are not written.
    let mut single: Vec<f32> = ends.iter().flat_map(|b| [*b, *b | 1 << 31]).map(f32::from_bits).collect();
    single.extend((0..50_000).map(|_| f32::from_bits(r.bits() as u32)));
    for (x, y) in single.iter().zip(through(&single)) {
        let y = y as f32;
        assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{x:e} {y:e}");
    }
    #[cfg(feature = "half")]
    {
        let half: Vec<_> = (0..=u16::MAX).map(half::f16::from_bits).collect();
        for (x, y) in half.iter().zip(through(&half)) {
            let y = half::f16::from_f64(y);
            assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{x:e} {y:e}");
        }
        let brain: Vec<_> = (0..=u16::MAX).map(half::bf16::from_bits).collect();
        for (x, y) in brain.iter().zip(through(&brain)) {
            let y = half::bf16::from_f64(y);
            assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{x:e} {y:e}");
        }
    }
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
    // The whole of an array by columns, of a symmetric one what is on and below the diagonal; blank lines and comments between.
    let array = of("array real general", "2 3\n1\n\n% a comment\n2\n3\r\n 4\t\n5\n6\n\n");
    assert_eq!(array, [(0, 0, 1.0), (1, 0, 2.0), (0, 1, 3.0), (1, 1, 4.0), (0, 2, 5.0), (1, 2, 6.0)]);
    let array = of("array integer symmetric", "2 2\n1\n2\n3\n");
    assert_eq!(array, [(0, 0, 1.0), (1, 0, 2.0), (0, 1, 2.0), (1, 1, 3.0)]);
    assert_eq!(of("array real skew-symmetric", "1 1\n"), []);
    assert_eq!(of("COORDINATE Double General", "+1 +1 +1\r\n01 +1 5\r\n"), [(0, 0, 5.0)]);
    // A comment is of any bytes.
    let latin = b"%%MatrixMarket matrix coordinate real general\n% M\xfcller\n1 1 1\n1 1 5\n%\xff";
    assert_eq!(all(latin).unwrap(), [(0, 0, 5.0)]);
    // The imaginary part of what is not complex is 0, also opposite to it.
    let real = complex(b"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n").unwrap();
    assert_eq!(real.iter().map(|e| (e.2.re, e.2.im.to_bits())).collect::<Vec<_>>(), [(5.0, 0), (-5.0, 0)]);
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
