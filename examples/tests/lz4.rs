//! The lz4 example: frames of LZ4 itself (`tests/golden/lz4_frames.py` makes them), damaged ones, and the command line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where it fails"
)]

#[path = "../lz4/cli.rs"]
mod cli;
mod common;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for programs that read files as a whole")]
mod files;
#[path = "../lz4/frame.rs"]
mod frame;
#[path = "../common/program.rs"]
#[allow(dead_code, reason = "the program's main has the rest")]
mod program;

use common::Folder;
use std::path::Path;
use twox_hash::XxHash32;

/// What the program says to these arguments, and to what comes from standard input.
fn piped(args: &[&str], mut from: &[u8]) -> (u8, Vec<u8>, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run(args.iter().map(|a| (*a).into()), &mut from, &mut out, &mut err);
    (code, out, String::from_utf8(err).unwrap())
}

fn program(args: &[&str]) -> (u8, String, String) {
    let (code, out, err) = piped(args, &[]);
    (code, String::from_utf8(out).unwrap(), err)
}

fn words(mut seed: u64) -> impl FnMut() -> usize {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    }
}

/// 1500 bytes again and again, of which one changes each time (`data` of `tests/golden/lz4_frames.py`).
fn data(n: usize) -> Vec<u8> {
    let (mut next, mut out) = (words(n as u64), Vec::new());
    let mut base: Vec<u8> = (0..1500).map(|_| next() as u8).collect();
    while out.len() < n {
        let byte = next() as u8;
        base[next() % 1500] = byte;
        out.extend(&base);
    }
    out.truncate(n);
    out
}

fn noise(n: usize) -> Vec<u8> {
    let mut next = words(n as u64 + 7);
    (0..n).map(|_| next() as u8).collect()
}

fn made(x: &[u8], size: Option<u64>) -> Vec<u8> {
    let mut out = Vec::new();
    let [came, went] = frame::write(&mut &*x, size, &mut out).unwrap();
    assert_eq!([came, went], [x.len(), out.len()].map(|n| n as u64));
    out
}

fn back(x: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let [came, went] = frame::read(&mut &*x, &mut out).map_err(|e| e.to_string())?;
    assert_eq!([came, went], [x.len(), out.len()].map(|n| n as u64));
    Ok(out)
}

/// A frame of these flags and blocks. The size of what they stand for is wanted where the flags have it.
fn framed(flags: u8, size: Option<u64>, blocks: &[(bool, &[u8])], whole: &[u8]) -> Vec<u8> {
    let sum = |x: &[u8]| XxHash32::oneshot(0, x);
    let mut head = vec![0x40 | flags, 4 << 4];
    head.extend(size.into_iter().flat_map(u64::to_le_bytes));
    let mut out = [&0x184D_2204u32.to_le_bytes()[..], &head, &[(sum(&head) >> 8) as u8]].concat();
    for (plain, block) in blocks {
        out.extend((block.len() as u32 | u32::from(*plain) << 31).to_le_bytes());
        out.extend(*block);
        if flags & 16 != 0 {
            out.extend(sum(block).to_le_bytes());
        }
    }
    out.extend([0; 4]);
    if flags & 4 != 0 {
        out.extend(sum(whole).to_le_bytes());
    }
    out
}

#[test]
fn frames_of_lz4_itself() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/lz4");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let n = name.rsplit('-').next().unwrap().parse().unwrap();
        let want = if name.starts_with("several") { [data(100), data(70_000)].concat() } else { data(n) };
        assert!(back(&std::fs::read(&path).unwrap()).as_deref() == Ok(&want), "{name}");
        count += 1;
    }
    assert_eq!(count, 13);
}

#[test]
fn what_is_written_is_read() {
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {seed}");
    let mut next = words(seed);
    let drawn: Vec<usize> = (0..10).map(|_| next() % 300_000).collect();
    for n in [0, 1, 12, 13, 65_535, 65_536, 65_537, 131_072, (4 << 20) + 1].into_iter().chain(drawn) {
        for x in [data(n), noise(n), vec![0; n], [data(n / 2), noise(n - n / 2)].concat()] {
            for size in [None, Some(n as u64)] {
                let frame = made(&x, size);
                assert!(back(&frame).as_deref() == Ok(&x), "{n}");
                assert!(frame.len() <= n + 4 * n.div_ceil(65_536) + 23, "{n}");
                let head = [frame[4], frame[5]];
                assert_eq!(head, [0x64 | if size.is_some() { 8 } else { 0 }, 0x40]);
            }
        }
    }
    // Blocks of noise are not compressed: their sizes say so.
    assert_eq!(made(&noise(70_000), None)[7..11], (65_536u32 | 1 << 31).to_le_bytes());
    let changed = frame::write(&mut &data(100)[..], Some(101), &mut Vec::new());
    assert!(changed.unwrap_err().to_string().contains("changed while it was read"));
}

/// Matches reach into the blocks before, as far as 65535 bytes, also where a block is not compressed or in pieces.
#[test]
fn linked_blocks_refer_to_those_before() {
    // One literal, nine bytes from `offset` before, five literals.
    let refer = |offset: u16| [&[0x15, b'x'][..], &offset.to_le_bytes(), &[0x50], b"abcde"].concat();
    for len in [1usize, 8, 14, 15, 300, 65_535, 65_536] {
        let first = noise(len);
        for offset in [1, 2, len.min(65_535), (len + 1).min(65_535)] {
            let mut want = [&first[..], b"x"].concat();
            for _ in 0..9 {
                want.push(want[want.len() - offset]);
            }
            want.extend(b"abcde");
            let block = refer(offset as u16);
            let frame = framed(0x14, None, &[(true, &first), (false, &block)], &want);
            assert!(back(&frame).as_deref() == Ok(&want), "{len} {offset}");
            // Independent ones do not.
            let frame = framed(0x34, None, &[(true, &first), (false, &block)], &want);
            assert_eq!(back(&frame).is_ok(), offset == 1, "{len} {offset}");
        }
        if len < 65_535 {
            let frame = framed(0, None, &[(true, &first), (false, &refer(len as u16 + 2))], &[]);
            assert!(back(&frame).unwrap_err().contains("an offset of 0, or to before the block"));
        }
    }
    // Blocks that stand for nothing.
    let frame = framed(0x20, None, &[(false, &[0]), (true, b"x"), (false, &[0])], &[]);
    assert_eq!(back(&frame), Ok(b"x".to_vec()));
}

/// A frame of before 2013 has no end of its own: another frame of any kind ends it, one that readers pass over, too.
#[test]
fn frames_behind_an_old_one() {
    let old = |x: &[u8]| [&[2, 0x21, 0x4C, 0x18, 5, 0, 0, 0, 0x40][..], x].concat();
    let new = framed(0x24, None, &[(true, b"new")], b"new");
    for number in 0..16 {
        let passed = [&[0x50 | number, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"xyz"].concat();
        for (parts, want) in [
            (&[old(b"1234"), passed.clone(), old(b"5678")][..], &b"12345678"[..]),
            (&[passed.clone(), old(b"1234"), passed.clone(), new.clone(), passed.clone()], b"1234new"),
            (&[old(b"1234"), new.clone(), old(b"5678"), passed.clone()], b"1234new5678"),
        ] {
            assert_eq!(back(&parts.concat()).as_deref(), Ok(want), "{number}");
        }
    }
}

#[test]
fn damaged_frames_are_refused_in_a_line() {
    let whole = data(4000);
    let good = made(&whole, Some(4000));
    let patched = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let head = |bytes: &[u8]| {
        [&0x184D_2204u32.to_le_bytes()[..], bytes, &[(XxHash32::oneshot(0, bytes) >> 8) as u8]].concat()
    };
    let small = framed(0x20, None, &[(true, b"abc")], b"abc");
    let end = format!("byte {}: ", good.len() - 4);
    for (bytes, why) in [
        (vec![], "byte 0: it is empty"),
        (b"hello, world".to_vec(), "byte 0: it does not begin as an LZ4 frame"),
        (vec![4, 0x22], "byte 2: the file ends within a frame"),
        (head(&[0x80, 0x40]), "byte 4: frames of version 2 are not read"),
        (head(&[0x42, 0x40]), "byte 4: bits of the frame's head are set that have no meaning"),
        (head(&[0x40, 0x41]), "byte 4: bits of the frame's head"),
        (head(&[0x40, 0xC0]), "byte 4: bits of the frame's head"),
        (head(&[0x40, 0x30]), "byte 4: bits of the frame's head"),
        (head(&[0x41, 0x40, 7, 0, 0, 0]), "byte 4: the frame needs the dictionary 7"),
        (patched(6, &[1]), "byte 14: the check of the frame's head differs"),
        (patched(15, &[0, 0, 2, 0]), "byte 15: a block of 131072 bytes is larger than the 65536"),
        (
            patched(good.len() - 1, &[good[good.len() - 1] ^ 1]),
            &format!("{end}the checksum of the frame differs"),
        ),
        (framed(0x20, None, &[(false, &[0x10])], &[]), "byte 7: the block ends within a sequence"),
        (framed(0x20, None, &[(false, &[])], &[]), "byte 11: "),
        (
            framed(0x20, None, &[(false, &[0x1f, 7, 1, 0, 255])], &[]),
            "byte 7: the block ends within a sequence",
        ),
        (
            framed(0x20, None, &[(false, &[0x15, b'x', 0, 0, 0x50, 1, 2, 3, 4, 5])], &[]),
            "byte 7: an offset of 0",
        ),
        (framed(0x28, Some(4), &[(true, b"abc")], b"abc"), "byte 26: the frame has 3 bytes, and says 4"),
        ([&small[..], b"next"].concat(), &format!("byte {}: no LZ4 frame follows", small.len())),
        ([&small[..], b"nex"].concat(), &format!("byte {}: the file ends within", small.len() + 3)),
        (
            [&0x184D_2A50u32.to_le_bytes()[..], &[9, 0, 0, 0], b"short"].concat(),
            "byte 13: the file ends within",
        ),
        (
            [&0x184C_2102u32.to_le_bytes()[..], &[0, 0, 0, 1], b"old"].concat(),
            "byte 4: a block of 16777216 bytes is larger",
        ),
        (
            [&0x184C_2102u32.to_le_bytes()[..], &[9, 0, 0, 0], b"old"].concat(),
            "byte 11: the file ends within",
        ),
    ] {
        let (code, out, err) = piped(&["-d", "-"], &bytes);
        assert!(code == 2 && err.lines().count() == 1, "{why}: {code} {err}");
        if !why.starts_with("byte 11: ") || !err.contains("no meaning") {
            assert!(err.starts_with(&format!("lz4: standard input: {why}")), "{why}: {err}");
        }
        assert!(out.len() <= 4000);
    }
    // A block of more than its frame's blocks may have: zeros, in a few bytes.
    let many = [&[0x1f, 0, 1, 0][..], &[255; 257], &[0, 0x50, 0, 0, 0, 0, 0]].concat();
    let err = back(&framed(0x20, None, &[(false, &many)], &[])).unwrap_err();
    assert_eq!(err, "byte 7: the block has 65560 bytes, more than the 65536 of this frame's");
    // Sums of blocks.
    let mut sums = framed(0x30, None, &[(true, b"abc")], b"abc");
    sums[11] ^= 1;
    assert_eq!(back(&sums).unwrap_err(), "byte 7: the checksum of the block differs: it is damaged");
    // Cut anywhere it is refused, and with any bit changed, unless it stands for the same bytes: all of them are in a sum.
    let folder = Folder::new("damaged");
    for n in 0..good.len() {
        assert!(back(&good[..n]).is_err(), "{n}");
        for bit in [1, 16, 128] {
            assert!(back(&patched(n, &[good[n] ^ bit])).map_or(true, |x| x == whole), "{n} {bit}");
        }
    }
    let damaged = folder.file("x.lz4", &good[..good.len() - 5]);
    let (code, out, err) = program(&["-d", &damaged]);
    assert!(code == 2 && out.is_empty() && err.contains("x.lz4: byte ") && err.lines().count() == 1, "{err}");
    assert_eq!(folder.names(), ["x.lz4"]);
}

#[test]
fn files_and_pipes() {
    let folder = Folder::new("files");
    let whole = data(100_000);
    let file = folder.file("a.txt", &whole);
    let (code, out, err) = program(&[&file]);
    assert!(
        code == 0 && out.is_empty() && err.contains("a.txt.lz4: ") && err.ends_with(" bytes, from 100000\n"),
        "{err}"
    );
    let packed = std::fs::read(folder.path("a.txt.lz4")).unwrap();
    assert!(packed == made(&whole, Some(100_000)));
    // What is there stays, unless it is named.
    for args in [&[&file[..]][..], &["-d", &folder.path("a.txt.lz4")]] {
        let (code, _, err) = program(args);
        assert!(code == 2 && err.ends_with(": it is there; -o replaces it\n"), "{err}");
    }
    let other = folder.file("b.txt", b"old");
    assert_eq!(program(&["-d", &folder.path("a.txt.lz4"), "-o", &other]).0, 0);
    assert!(std::fs::read(&other).unwrap() == whole);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(program(&["--decompress", &folder.path("a.txt.lz4")]).0, 0);
    assert!(std::fs::read(&file).unwrap() == whole);
    let (code, out, err) = piped(&["-"], &whole);
    assert!(code == 0 && err.is_empty() && out == made(&whole, None));
    assert!(piped(&["-d", "-"], &out) == (0, whole.clone(), String::new()));
    assert!(piped(&[&file, "-o", "-"], &[]) == (0, packed.clone(), String::new()));
    assert_eq!(piped(&["-d", "-", "--out", &other], &packed).0, 0);
    assert!(std::fs::read(&other).unwrap() == whole);
    assert_eq!(folder.names(), ["a.txt", "a.txt.lz4", "b.txt"]);
    for (args, why) in [
        (&[][..], "<FILE>"),
        (&["a", "b"], "unexpected argument"),
        (&["-x", "a"], "unexpected argument '-x'"),
        (&["-d", "a.gz"], "a.gz does not end with .lz4"),
        (&["a", "-o"], "a value is required"),
    ] {
        let (code, out, err) = program(args);
        assert!(code == 2 && out.is_empty() && err.contains(why) && err.lines().count() < 6, "{err}");
    }
    for (args, why) in [
        (&["/no/such"][..], "/no/such"),
        (&[&folder.path("")[..], "-o", "-"], "directory"),
        (&["-d", &file, "-o", "-"], "a.txt: byte 0: it does not begin as an LZ4 frame"),
    ] {
        let (code, _, err) = program(args);
        assert!(code == 2 && err.contains(why) && err.lines().count() == 1, "{err}");
    }
    let (code, out, _) = program(&["--help"]);
    assert!(code == 0 && out.contains("Usage: lz4"));
}

#[cfg(unix)]
#[test]
fn files_are_whole_or_not_there() {
    common::disk::inside(program);
    let folder = Folder::new("whole");
    let file = folder.file("a", noise(5000));
    let packed = folder.file("a.lz4", made(&noise(5000), None));
    let out = folder.file("out", b"old");
    std::fs::hard_link(&file, folder.path("hard")).unwrap();
    std::os::unix::fs::symlink(&packed, folder.path("soft")).unwrap();
    for args in [
        &[&file[..], "-o", &folder.path("hard")][..],
        &[&file, "-o", &file],
        &["-d", &packed, "-o", &folder.path("soft")],
    ] {
        let (code, _, err) = program(args);
        assert!(code == 2 && err.contains("which is read and would be written over"), "{err}");
    }
    for args in [&[&file[..], "-o", &out][..], &["-d", &packed, "-o", &out]] {
        assert!(common::disk::full("files_are_whole_or_not_there", args).starts_with("lz4: "));
        let _other = files::Place::claim(out.as_ref(), &[]).unwrap();
        let (code, _, err) = program(args);
        assert!(code == 2 && err.contains("out: another run is writing to it"), "{err}");
    }
    assert_eq!(std::fs::read(&out).unwrap(), b"old");
    assert_eq!(folder.names(), ["a", "a.lz4", "hard", "out", "soft"]);
}
