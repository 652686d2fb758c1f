//! Model files: those of the `gguf` package (`tests/golden/model_file.py`), our own, and those that someone bent.

use fulmen::gguf::*;

/// A file of the reference.
fn small() -> Vec<u8> {
    std::fs::read(format!("{}/tests/golden/gguf/small.gguf", common::ROOT)).unwrap()
}

/// A file by our writer, whose tensors have the bytes that are given.
fn file_of(values: &[(&'static str, Value<'static>)], tensors: &[(Info<'static>, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    let infos: Vec<Info<'_>> = tensors.iter().map(|t| t.0).collect();
    write(
        values,
        &infos,
        |bytes| {
            file.extend_from_slice(bytes);
            Ok::<(), Error<'_>>(())
        },
        // In pieces.
        |i, put| tensors[i].1.chunks(7).try_for_each(put),
    )
    .unwrap();
    file
}

fn floats(x: &[f32]) -> Vec<u8> {
    x.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A matrix of 2 × 3, a vector, and 64 elements of `q4_0`.
fn ours() -> Vec<u8> {
    let matrix = (Info::new("m", &[2, 3], 0).unwrap(), floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let line = (Info::new("line", &[5], 24).unwrap(), vec![1, 2, 3, 4, 5]);
    let blocks = (Info::new("q", &[2, 32], 2).unwrap(), (0..36).collect());
    let texts = Array::new(8, 2, &[1, 0, 0, 0, 0, 0, 0, 0, b'x', 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let values = [
        ("general.architecture", Value::Text("llama")),
        ("sizes", Value::Array(Array::new(4, 2, &[1, 0, 0, 0, 2, 0, 0, 0]).unwrap())),
        ("texts", Value::Array(texts)),
        ("on", Value::Bool(true)),
        ("base", Value::F32(10000.0)),
        ("heads", Value::U32(4)),
    ];
    file_of(&values, &[matrix, line, blocks])
}

#[test]
fn files_of_the_reference_are_read() {
    let bytes = small();
    let file = Gguf::read(&bytes).unwrap();
    assert_eq!((file.version(), file.alignment()), (3, 64));
    for (key, value) in [
        ("general.architecture", Value::Text("small")),
        ("n.u8", Value::U8(200)),
        ("n.i8", Value::I8(-100)),
        ("n.u16", Value::U16(60000)),
        ("n.i16", Value::I16(-30000)),
        ("n.u32", Value::U32(4_000_000_000)),
        ("n.i32", Value::I32(-2_000_000_000)),
        ("n.u64", Value::U64(1 << 63)),
        ("n.i64", Value::I64(-1 << 62)),
        ("n.f32", Value::F32(0.1)),
        ("n.f64", Value::F64(0.1)),
        ("n.bool", Value::Bool(true)),
        ("text", Value::Text("naïve ☃")),
    ] {
        assert_eq!(file.value(key), Some(value), "{key}");
    }
    let array = |key| file.value(key).unwrap().array().unwrap().iter().collect::<Vec<_>>();
    assert_eq!(array("texts"), ["a", "", "日本"].map(Value::Text));
    assert_eq!(array("whole"), [1, -2, 3].map(Value::I32));
    assert_eq!(array("real"), [0.5, -1.5].map(Value::F32));
    assert_eq!(array("bools"), [true, false].map(Value::Bool));
    assert_eq!(file.value("absent"), None);

    let shapes: Vec<_> =
        file.tensors().map(|t| (t.info.name(), t.info.shape().to_vec(), t.info.kind())).collect();
    assert_eq!(
        shapes,
        [
            ("matrix", vec![3, 4], 0),
            ("four", vec![1, 2, 3, 4], 1),
            ("blocks", vec![2, 64], 8),
            ("line", vec![1], 26)
        ]
    );
    // Element (1, 2) of three rows of four.
    let matrix = file.tensor("matrix").unwrap().bytes;
    assert_eq!(matrix[4 * 6..][..4], 6.0f32.to_le_bytes());
    assert_eq!(file.tensor("line").unwrap().bytes, 7i32.to_le_bytes());
    let blocks = file.tensor("blocks").unwrap().bytes;
    let mut x = [0.0; 128];
    fulmen::dequantize(fulmen::quant::blocks::<fulmen::quant::Q8_0>(blocks).unwrap(), &mut x).unwrap();
    assert!(x.iter().enumerate().all(|(i, x)| (x - (i as f32 / 63.5 - 1.0)).abs() < 0.005), "{x:?}");
    // Version 2 has the same form.
    let mut second = bytes.clone();
    second[4] = 2;
    assert!(Gguf::read(&second).unwrap().tensors().eq(file.tensors()));
}

#[test]
fn files_come_back() {
    let bytes = ours();
    let file = Gguf::read(&bytes).unwrap();
    assert_eq!((file.version(), file.alignment()), (3, ALIGNMENT));
    assert_eq!(file.value("heads").unwrap().number(), Some(4));
    assert_eq!(file.value("base").unwrap().real(), Some(10000.0));
    assert_eq!(file.value("general.architecture").unwrap().text(), Some("llama"));
    let texts = file.value("texts").unwrap().array().unwrap();
    assert_eq!((texts.of(), texts.len(), texts.is_empty()), (8, 2, false));
    assert_eq!(texts.iter().collect::<Vec<_>>(), [Value::Text("x"), Value::Text("")]);
    // What was read is written as it was.
    let values: Vec<_> = file.values().collect();
    let infos: Vec<_> = file.tensors().map(|t| t.info).collect();
    let mut again = Vec::new();
    write(
        &values,
        &infos,
        |bytes| std::io::Write::write_all(&mut again, bytes),
        |i, put| put(file.tensor(infos[i].name()).unwrap().bytes),
    )
    .unwrap();
    assert_eq!(again, bytes);
    // The last one is filled up, too.
    let last = infos.last().unwrap().bytes();
    assert!(
        !last.is_multiple_of(ALIGNMENT) && bytes.len().is_multiple_of(ALIGNMENT),
        "{last} of {}",
        bytes.len()
    );
    assert_eq!(file.tensor("q").unwrap().bytes, (0..36).collect::<Vec<u8>>());
    // Each starts on the alignment.
    for t in file.tensors() {
        assert_eq!((t.bytes.as_ptr() as usize - bytes.as_ptr() as usize) % ALIGNMENT, 0);
    }
    let none = file_of(&[], &[]);
    assert_eq!(Gguf::read(&none).unwrap().tensors().count(), 0);
}

/// All that a file yields, to be sure that nothing panics.
fn walk(bytes: &[u8]) -> bool {
    let Ok(file) = Gguf::read(bytes) else { return false };
    let held: usize = file.tensors().map(|t| t.bytes.len()).sum();
    assert!(held <= bytes.len());
    for (_, v) in file.values() {
        if let Some(a) = v.array() {
            assert_eq!(a.iter().count(), a.len());
        }
    }
    true
}

#[test]
fn truncated_files_are_refused() {
    for bytes in [small(), ours()] {
        // The last tensor's padding is no part of it.
        let end = Gguf::read(&bytes).unwrap().tensors().last().unwrap().bytes.as_ptr_range().end;
        let needed = end as usize - bytes.as_ptr() as usize;
        for n in 0..bytes.len() {
            assert_eq!(walk(&bytes[..n]), n >= needed, "{n} of {} bytes", bytes.len());
        }
    }
}

#[test]
fn bent_files_are_errors_and_never_panics() {
    let (mut read, mut refused) = (0, 0);
    for bytes in [small(), ours()] {
        for i in 0..bytes.len() {
            for flip in [1, 0x10, 0x80, 0xff] {
                let mut bad = bytes.clone();
                bad[i] ^= flip;
                *if walk(&bad) { &mut read } else { &mut refused } += 1;
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}

/// A file whose header is `parts`, up to the data.
fn raw(tensors: u64, keys: u64, parts: &[&[u8]]) -> Vec<u8> {
    [b"GGUF", &3u32.to_le_bytes()[..], &tensors.to_le_bytes(), &keys.to_le_bytes(), &parts.concat()].concat()
}

fn text(s: &str) -> Vec<u8> {
    [&(s.len() as u64).to_le_bytes(), s.as_bytes()].concat()
}

fn entry(name: &str, dims: &[u64], kind: u32, at: u64) -> Vec<u8> {
    let dims: Vec<u8> = [dims.len() as u32]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .chain(dims.iter().flat_map(|d| d.to_le_bytes()))
        .collect();
    [text(name), dims, kind.to_le_bytes().to_vec(), at.to_le_bytes().to_vec()].concat()
}

/// With room for data behind.
fn with_tensors(entries: &[Vec<u8>]) -> Vec<u8> {
    let all: Vec<&[u8]> = entries.iter().map(|e| &e[..]).collect();
    [raw(entries.len() as u64, 0, &all), vec![0; 512]].concat()
}

#[test]
fn what_is_wrong_is_named() {
    let error = |bytes: &[u8]| Gguf::read(bytes).unwrap_err().to_string();
    let is = |bytes: Vec<u8>, want: Error<'_>| assert_eq!(error(&bytes), want.to_string());
    is(b"PK\x03\x04....".to_vec(), Error::Magic);
    is(vec![], Error::Magic);
    is(b"GGUF\x01\0\0\0........".to_vec(), Error::Version(1));
    is(b"GGUF\x04\0\0\0........".to_vec(), Error::Version(4));
    // Counts: more than the bytes hold; all that fit into a u64; more than are read.
    is(raw(u64::MAX, 0, &[]), Error::Count("tensors"));
    is(raw(0, u64::MAX, &[]), Error::Count("keys"));
    is(raw(0, 2, &[&text("k")]), Error::Count("keys"));
    is(raw(20_000, 0, &[&vec![0; 24 * 20_000]]), Error::Count("tensors"));
    is(
        raw(0, 1, &[&text("k"), &[9, 0, 0, 0, 4, 0, 0, 0], &u64::MAX.to_le_bytes()]),
        Error::Count("elements"),
    );
    // As many as bytes are left, which are four each: the count is wrong, not the end of the file.
    is(
        raw(0, 1, &[&text("k"), &[9, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0], &[0; 8]]),
        Error::Count("elements"),
    );
    is(raw(0, 1, &[&u64::MAX.to_le_bytes(), &[0; 32]]), Error::Truncated("the name of a key"));
    is(raw(0, 1, &[&text("k"), &[8, 0, 0, 0], &u64::MAX.to_le_bytes()]), Error::Truncated("a value"));
    // Types, among them arrays of arrays.
    is(raw(0, 1, &[&text("k"), &[77, 0, 0, 0, 0]]), Error::Type("k", 77));
    is(raw(0, 1, &[&text("k"), &[9, 0, 0, 0, 9, 0, 0, 0], &[0; 16]]), Error::Type("k", 9));
    is(raw(0, 1, &[&text("k"), &[7, 0, 0, 0, 2]]), Error::Type("k", 7));
    is(raw(0, 1, &[&text("k"), &[9, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]]), Error::Type("k", 7));
    // Text in Latin-1: as a name, as a value, as an element.
    let latin = [4, 0, 0, 0, 0, 0, 0, 0, b'c', b'a', b'f', 0xe9];
    is(raw(0, 1, &[&latin, &[0; 8]]), Error::Name("the name of a key"));
    is(raw(0, 1, &[&text("k"), &[8, 0, 0, 0], &latin]), Error::Text("k"));
    is(raw(0, 1, &[&text("k"), &[9, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], &latin]), Error::Text("k"));
    is(
        with_tensors(&[[&latin[..], &entry("", &[4], 0, 0)[8..]].concat()]),
        Error::Name("the name of a tensor"),
    );
    let long = "k".repeat(MAX_NAME);
    assert!(walk(&raw(0, 1, &[&text(&long), &[0, 0, 0, 0, 7]])));
    is(raw(0, 1, &[&text(&(long + "k")), &[0, 0, 0, 0, 7]]), Error::Count("bytes of a name"));
    let key = |name: &str, n: u32| [text(name), vec![4, 0, 0, 0], n.to_le_bytes().to_vec()].concat();
    is(raw(0, 3, &[&key("a", 1), &key("b", 1), &key("a", 2)]), Error::Duplicate("a"));
    for n in [0, 1, 4, 24, 33] {
        is(raw(0, 1, &[&key("general.alignment", n)]), Error::Alignment(n.into()));
    }
    assert_eq!(Gguf::read(&raw(0, 1, &[&key("general.alignment", 8)])).unwrap().alignment(), 8);

    is(
        with_tensors(&[entry("t", &[4], 0, 0), entry("u", &[4], 0, 32), entry("t", &[4], 0, 64)]),
        Error::Duplicate("t"),
    );
    is(with_tensors(&[entry("t", &[4], 5, 0)]), Error::Format("t", 5));
    is(with_tensors(&[entry("t", &[1; 5], 0, 0)]), Error::Shape("t"));
    // No whole blocks in a row, though in all; products past the integers; bytes past them.
    is(with_tensors(&[entry("t", &[16, 2], 2, 0)]), Error::Shape("t"));
    is(with_tensors(&[entry("t", &[1 << 32, 1 << 32], 0, 0)]), Error::Shape("t"));
    is(with_tensors(&[entry("t", &[1 << 62], 0, 0)]), Error::Shape("t"));
    is(with_tensors(&[entry("t", &[4], 0, 8)]), Error::Offset("t"));
    is(with_tensors(&[entry("t", &[4], 0, 512)]), Error::Offset("t"));
    is(with_tensors(&[entry("t", &[4], 0, u64::MAX - 31)]), Error::Offset("t"));
    is(with_tensors(&[entry("t", &[200], 0, 0)]), Error::Offset("t"));
    is(with_tensors(&[entry("t", &[16], 0, 0), entry("u", &[4], 0, 32)]), Error::Overlap("u"));
    is(
        with_tensors(&[entry("t", &[9], 0, 32), entry("v", &[4], 0, 96), entry("u", &[9], 0, 0)]),
        Error::Overlap("t"),
    );
    is(with_tensors(&[entry("t", &[4], 0, 64), entry("u", &[4], 0, 64)]), Error::Overlap("u"));
    assert!(walk(&with_tensors(&[entry("t", &[16], 0, 0), entry("u", &[0], 0, 64), entry("v", &[], 0, 64)])));
}

#[test]
fn data_in_another_order_are_read() {
    let (n, each) = (40, 64);
    for seed in 0..20 {
        // Entry `i` at the place that a step of an odd number gives.
        let places: Vec<usize> = (0..n).map(|i| (i * (2 * seed + 3) + seed) % n).collect();
        let distinct: std::collections::BTreeSet<_> = places.iter().collect();
        if distinct.len() < n {
            continue;
        }
        let names: Vec<String> = (0..n).map(|i| format!("t{i}")).collect();
        let entries: Vec<_> =
            places.iter().zip(&names).map(|(at, name)| entry(name, &[16], 0, (at * each) as u64)).collect();
        let all: Vec<&[u8]> = entries.iter().map(|e| &e[..]).collect();
        let mut bytes = raw(n as u64, 0, &all);
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        (0..n).for_each(|at| bytes.extend_from_slice(&[at as u8; 64]));
        let file = Gguf::read(&bytes).unwrap();
        for (at, name) in places.iter().zip(&names) {
            assert_eq!(file.tensor(name).unwrap().bytes, [*at as u8; 64], "{name}");
        }
    }
}

/// A file of `n` keys and `n` tensors, none of which has elements.
fn of_names(n: usize, name: impl Fn(usize) -> String) -> Vec<u8> {
    let names: Vec<String> = (0..n).map(name).collect();
    let mut parts: Vec<Vec<u8>> = names.iter().map(|k| [text(k), vec![0, 0, 0, 0, 7]].concat()).collect();
    parts.extend(names.iter().map(|k| entry(k, &[0], 0, 0)));
    let parts: Vec<&[u8]> = parts.iter().map(|p| &p[..]).collect();
    [raw(n as u64, n as u64, &parts), vec![0; 64]].concat()
}

#[test]
fn many_names_are_told_apart() {
    // Around the number that a small frame has room for, and the most.
    for n in [2, 511, 512, 513, 3000, MAX_NAMES] {
        let name = |i: usize| format!("blk.{}.weight", i * 11 % n);
        assert!(walk(&of_names(n, name)), "{n}");
        for (a, b) in [(0, n - 1), (n / 2, n / 2 - 1), (n - 2, n - 1)] {
            let bytes = of_names(n, |i| name(if i == b { a } else { i }));
            assert_eq!(Gguf::read(&bytes).unwrap_err(), Error::Duplicate(&name(a)), "{n} {a} {b}");
        }
    }
    let entries: Vec<_> = ["a", "b", "a"].iter().map(|n| entry(n, &[0], 0, 0)).collect();
    assert_eq!(Gguf::read(&with_tensors(&entries)).unwrap_err(), Error::Duplicate("a"));
}

/// The least time of some runs.
fn least(mut run: impl FnMut()) -> f64 {
    let mut one = || {
        let started = std::time::Instant::now();
        run();
        started.elapsed().as_secs_f64()
    };
    (0..5).map(|_| one()).fold(f64::INFINITY, f64::min)
}

#[test]
fn time_does_not_grow_as_the_square_of_the_names() {
    // Eight times as many: eight times the time, and a little for the sorting; 64 times where each is compared with each.
    let time = |n: usize| {
        let bytes =
            of_names(n, |i| format!("{i:05} a name of some length that begins with what is different"));
        let file = Gguf::read(&bytes).unwrap();
        let names: Vec<&str> = file.tensors().map(|t| t.info.name()).collect();
        let needs: Vec<_> = names.iter().map(|name| Need::Tensor(name, &[0])).collect();
        let values: Vec<_> = file.values().collect();
        let infos: Vec<_> = file.tensors().map(|t| t.info).collect();
        [
            least(|| assert!(Gguf::read(&bytes).is_ok())),
            least(|| assert_eq!(validate_model_load(&file, &needs), Ok(()))),
            least(|| write(&values, &infos, |_| Ok::<(), Error<'_>>(()), |_, _| Ok(())).unwrap()),
        ]
    };
    // What else the machine does can only make one measurement longer; the square of the names would be there each time.
    let mut ratios = [f64::INFINITY; 3];
    for _ in 0..3 {
        for ((few, many), ratio) in time(MAX_NAMES / 8).into_iter().zip(time(MAX_NAMES)).zip(&mut ratios) {
            *ratio = ratio.min(many / few);
        }
        if ratios.iter().all(|r| *r < 28.0) {
            return;
        }
    }
    panic!("the time of read, needs and write grows {ratios:?} times for eight times the names");
}

#[test]
fn the_writer_refuses_before_it_writes() {
    let t = |name| Info::new(name, &[2], 0).unwrap();
    let say = |values: &[(&'static str, Value<'static>)], tensors: &[Info<'static>], bytes: usize| {
        let mut written = 0;
        let done = write(
            values,
            tensors,
            |b| {
                written += b.len();
                Ok::<(), Error<'_>>(())
            },
            |_, put| put(&vec![0; bytes]),
        );
        (done.unwrap_err(), written)
    };
    let one = Value::U32(1);
    assert_eq!(say(&[("a", one), ("a", one)], &[], 8), (Error::Duplicate("a"), 0));
    assert_eq!(say(&[("general.alignment", one)], &[], 8), (Error::Unfit("general.alignment"), 0));
    assert_eq!(say(&[], &[t("x"), t("x")], 8), (Error::Duplicate("x"), 0));
    for got in [7, 9] {
        let (error, written) = say(&[], &[t("x")], got);
        assert_eq!(error, Error::Bytes { name: "x", expected: 8, got });
        // No byte past the last one is written.
        assert!(written <= say(&[], &[t("x")], 0).1 + 8, "{written} of {got}");
    }
    assert_eq!(Info::new("x", &[1; 5], 0), Err(Error::Shape("x")));
    assert_eq!(Info::new("x", &[1, 16], 2), Err(Error::Shape("x")));
    assert_eq!(Info::new("x", &[1], 4), Err(Error::Format("x", 4)));
    assert_eq!(Array::new(4, 1, &[0; 5]), Err(Error::Count("bytes")));
    assert_eq!(Array::new(4, 2, &[0; 5]), Err(Error::Truncated("an array")));
    assert_eq!(Array::new(9, 0, &[]), Err(Error::Type("", 9)));
}

#[test]
fn weights_and_models_are_checked_by_name() {
    let bytes = [0; 2 * 18];
    assert_eq!(validate_weight_buffer("w", &bytes, 2, 32, 2), Ok(()));
    assert_eq!(
        validate_weight_buffer("w", &bytes, 3, 32, 2),
        Err(Error::Bytes { name: "w", expected: 54, got: 36 })
    );
    // Rows and columns exchanged.
    assert_eq!(validate_weight_buffer("w", &bytes, 32, 2, 2), Err(Error::Shape("w")));
    assert_eq!(validate_weight_buffer("w", &bytes, 2, 32, 99), Err(Error::Format("w", 99)));
    for x in
        [Value::I8(-1), Value::I16(-1), Value::I32(-1), Value::I64(-1), Value::I64(i64::MIN), Value::F32(1.0)]
    {
        assert_eq!(x.number(), None, "{x:?}");
    }
    assert_eq!([Value::I8(7), Value::I64(7)].map(Value::number), [Some(7); 2]);
    let bytes = ours();
    let file = Gguf::read(&bytes).unwrap();
    let has = [
        Need::Number("heads"),
        Need::Real("base"),
        Need::Text("general.architecture"),
        Need::Array("sizes", 4),
        Need::Tensor("m", &[2, 3]),
        Need::Tensor("line", &[5]),
    ];
    assert_eq!(validate_model_load(&file, &has), Ok(()));
    for (need, want) in [
        (Need::Number("layers"), Error::Missing("layers")),
        (Need::Number("base"), Error::Unfit("base")),
        (Need::Real("heads"), Error::Unfit("heads")),
        (Need::Text("heads"), Error::Unfit("heads")),
        (Need::Array("sizes", 6), Error::Unfit("sizes")),
        (Need::Tensor("n", &[2, 3]), Error::Missing("n")),
        (Need::Tensor("m", &[3, 2]), Error::Unfit("m")),
        (Need::Tensor("m", &[6]), Error::Unfit("m")),
    ] {
        assert_eq!(validate_model_load(&file, &[has[0], need]), Err(want));
    }
}

#[test]
fn formats_have_the_sizes_of_the_reference() {
    // Elements and bytes of a block, as the `gguf` package lists them.
    for (kind, name, elements, bytes) in [
        (0, "f32", 1, 4),
        (1, "f16", 1, 2),
        (2, "q4_0", 32, 18),
        (8, "q8_0", 32, 34),
        (10, "q2_k", 256, 84),
        (11, "q3_k", 256, 110),
        (12, "q4_k", 256, 144),
        (13, "q5_k", 256, 176),
        (14, "q6_k", 256, 210),
        (15, "q8_k", 256, 292),
        (20, "iq4_nl", 32, 18),
        (30, "bf16", 1, 2),
        (39, "mxfp4", 32, 17),
        (3, "q4_1", 32, 20),
        (6, "q5_0", 32, 22),
        (7, "q5_1", 32, 24),
        // The package 0.19 says 40 bytes, as of two single-precision numbers; ggml's block has two halves.
        (9, "q8_1", 32, 36),
        (16, "iq2_xxs", 256, 66),
        (17, "iq2_xs", 256, 74),
        (18, "iq3_xxs", 256, 98),
        (19, "iq1_s", 256, 50),
        (21, "iq3_s", 256, 110),
        (22, "iq2_s", 256, 82),
        (23, "iq4_xs", 256, 136),
        (24, "i8", 1, 1),
        (25, "i16", 1, 2),
        (26, "i32", 1, 4),
        (27, "i64", 1, 8),
        (28, "f64", 1, 8),
        (29, "iq1_m", 256, 56),
        (34, "tq1_0", 256, 54),
        (35, "tq2_0", 256, 66),
        (40, "nvfp4", 64, 36),
        (41, "q1_0", 128, 18),
    ] {
        assert_eq!(format(kind), Some(Format { name, elements, bytes }));
    }
    assert_eq!(format(4), None);
}
