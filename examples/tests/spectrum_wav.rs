//! WAV files of every coding and form, those that were cut or piped, and those that are none.

use super::wav::Wav;
use super::{Folder, chunk, format, program, riff, tone};

/// The chunk `fmt` of the extensible form: `each` bytes for a number of which `valid` bits count, and the last byte of its name's third part.
fn extensible(tag: u16, channels: u16, each: u16, bits: u16, valid: u16, maker: u8) -> Vec<u8> {
    let mut head = format(0xfffe, channels, 8000, 8 * each);
    head.splice(14..16, bits.to_le_bytes());
    head.extend([22, 0]);
    head.extend(valid.to_le_bytes());
    head.extend([0; 4]);
    head.extend(tag.to_le_bytes());
    head.extend([0, 0, 0, 0, 0x10, maker, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]);
    chunk(b"fmt ", &head)
}

/// A plain head with these bits in frames of so many bytes.
fn plain(tag: u16, channels: u16, frame: u16, bits: u16) -> Vec<u8> {
    let mut head = format(tag, channels, 8000, bits);
    head.splice(12..14, frame.to_le_bytes());
    chunk(b"fmt ", &head)
}

/// The numbers of all channels, and what is said of the file.
fn numbers(bytes: &[u8]) -> (Vec<f32>, String) {
    let sound = Wav::of(bytes).unwrap();
    let all = (0..sound.len()).flat_map(|i| (0..sound.channels).map(move |c| (i, c)));
    (all.map(|(i, c)| sound.at(i, c).unwrap()).collect(), sound.notes.join("; "))
}

/// A generator from the clock, whose seed is printed where a test fails.
struct Draws(u64);
impl Draws {
    fn new() -> Self {
        let seed =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
        println!("seed {seed}");
        Self(seed)
    }
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Integers of 1 to 64 bits, in as many bytes as they need or more, by both heads, and from both ends.
#[test]
fn integers_of_every_size() {
    let mut draws = Draws::new();
    for bits in 1..=64u16 {
        for spare in 0..3 {
            let each = (bits.div_ceil(8) + spare).min(8);
            let (channels, frames) = (1 + draws.below(3) as u16, draws.below(9) as usize);
            let n = frames * usize::from(channels);
            // The upper bits of 64 count, as the form has them; the first ones are the extremes.
            let drawn = |i: usize, x: u64| {
                if i < 2 { [i64::MIN, i64::MAX][i] as u64 } else { x }
            };
            let whole: Vec<i64> = (0..n)
                .map(|i| {
                    let x = (draws.below(1 << 31) << 33) | (draws.below(1 << 31) << 2) | draws.below(4);
                    (drawn(i, x) >> (64 - bits) << (64 - bits)) as i64
                })
                .collect();
            let want: Vec<f32> = whole.iter().map(|x| (*x as f64 / 2f64.powi(63)) as f32).collect();
            let stored = |x: &i64| {
                // A byte has no sign.
                let x = if each == 1 { *x ^ i64::MIN } else { *x };
                x.to_le_bytes()[8 - usize::from(each)..].to_vec()
            };
            let data: Vec<u8> = whole.iter().flat_map(stored).collect();
            for head in [
                extensible(1, channels, each, 8 * each, bits, 0),
                extensible(1, channels, each, bits, bits, 0),
                plain(1, channels, each * channels, bits),
            ] {
                let plain = head[8] == 1;
                let bytes =
                    riff(&[chunk(b"JUNK", &[7; 5]), head, chunk(b"fact", &[0; 4]), chunk(b"data", &data)]);
                let (got, notes) = numbers(&bytes);
                assert_eq!(got, want, "{bits} bits in {each} bytes");
                assert_eq!(!notes.is_empty(), plain && each > bits.div_ceil(8), "{notes}");
            }
            // The same, every number with its highest byte first.
            let turned = |bytes: &[u8], sizes: &[usize]| -> Vec<u8> {
                let mut at = 0;
                let parts = sizes.iter().flat_map(|n| {
                    at += n;
                    bytes[at - n..at].iter().rev().copied().collect::<Vec<_>>()
                });
                parts.collect()
            };
            let data = turned(&data, &vec![usize::from(each); n]);
            let sized = |name: &[u8], body: &[u8]| [name, &(body.len() as u32).to_be_bytes(), body].concat();
            let sizes = [2, 2, 4, 4, 2, 2, 2, 2, 4, 4, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1];
            for (head, sizes) in [
                (extensible(1, channels, each, 8 * each, bits, 0), &sizes[..]),
                (plain(1, channels, each * channels, bits), &sizes[..6]),
            ] {
                let head = turned(&head[8..], sizes);
                let parts = [b"WAVE".to_vec(), sized(b"fmt ", &head), sized(b"data", &data)];
                let (got, notes) = numbers(&sized(b"RIFX", &parts.concat()));
                assert_eq!(got, want, "{bits} bits in {each} bytes, highest first");
                assert_eq!(!notes.is_empty(), sizes.len() == 6 && each > bits.div_ceil(8), "{notes}");
            }
        }
    }
}

/// 24 bits in the lower bytes of 4, as some programs write them under a plain head: -96, 23052 and the largest.
#[test]
fn integers_in_lower_bytes() {
    let data = [0xa0, 0xff, 0xff, 0, 0x0c, 0x5a, 0, 0, 0xff, 0xff, 0x7f, 0];
    let (got, notes) = numbers(&riff(&[plain(1, 1, 4, 24), chunk(b"data", &data)]));
    assert_eq!(got, [-96, 23052, 8_388_607].map(|x| x as f32 / 8_388_608.0));
    assert_eq!(notes, "numbers of 3 bytes have 4: they are taken from the lower ones");
}

#[test]
fn floats_of_both_sizes() {
    let x = [0.0f64, -1.0, 0.1, 1e-40, 3.25, -1e17];
    for form in [false, true] {
        for bits in [32u16, 64] {
            let data = x.iter().flat_map(|x| {
                if bits == 32 { (*x as f32).to_le_bytes().to_vec() } else { x.to_le_bytes().to_vec() }
            });
            let head =
                if form { extensible(3, 2, bits / 8, bits, bits, 0) } else { plain(3, 2, bits / 4, bits) };
            let bytes = riff(&[head, chunk(b"LIST", b"odd"), chunk(b"data", &data.collect::<Vec<_>>())]);
            assert_eq!(numbers(&bytes), (x.map(|x| x as f32).to_vec(), String::new()));
        }
    }
}

/// Both codes, from the steps of their segments: each has 16, twice as large as those before.
#[test]
fn codes_of_telephones() {
    let (mut mu, mut a) = (Vec::new(), Vec::new());
    for segment in 0..8i32 {
        for k in 0..16 {
            // In the middle of a step; µ-law is 33 off a power of two, and A-law's first two segments have one step.
            mu.push((33 + 2 * k) * (1 << segment) - 33);
            a.push(if segment == 0 { 2 * k + 1 } else { (33 + 2 * k) << (segment - 1) });
        }
    }
    let all: Vec<u8> = (0..=255).collect();
    let read = |tag| numbers(&riff(&[plain(tag, 1, 1, 8), chunk(b"data", &all)])).0;
    let (got_mu, got_a) = (read(7), read(6));
    for code in 0..256usize {
        let (sign, size) = (if code < 128 { -1.0 } else { 1.0 }, code % 128);
        assert_eq!(got_mu[code], sign * mu[127 - size] as f32 / 8192.0, "{code}");
        assert_eq!(got_a[code], sign * a[size ^ 0x55] as f32 / 4096.0, "{code}");
    }
    assert_eq!((got_mu[0], got_mu[255], got_a[0xaa]), (-32124.0 / 32768.0, 0.0, 32256.0 / 32768.0));
    // A frame of any channels; only 8 bits.
    assert_eq!(
        numbers(&riff(&[extensible(7, 2, 1, 8, 8, 0), chunk(b"data", &[0, 255])])).0,
        [got_mu[0], 0.0]
    );
}

/// Pipes, recordings that were cut or never closed, RF64 and BW64: the numbers that are there, and a note where sizes are not so.
#[test]
fn sizes_that_are_not_so() {
    let data: Vec<u8> = (0..40).collect();
    let file = |name: &[u8; 4], riff_size: u32, more: &[u8], data_size: u32, data: &[u8]| {
        let head = [&b"WAVE"[..], more, &plain(1, 2, 4, 16), b"data", &data_size.to_le_bytes()].concat();
        [&name[..], &riff_size.to_le_bytes(), &head, data].concat()
    };
    let want = |n: usize| -> Vec<f32> {
        data[..n].chunks_exact(2).map(|x| f32::from(i16::from_le_bytes([x[0], x[1]])) / 32768.0).collect()
    };
    let past = |said: u32, n| {
        format!("the chunk \"data\" says {said} bytes, and {n} are in the file: they are read up to its end")
    };
    for (riff_size, said) in [
        (u32::MAX, u32::MAX),
        (0, u32::MAX),
        (u32::MAX - 1, 0x7fff_f000),
        (76, 41),
        (0, 0),
        (36, 0),
        (u32::MAX, 0),
    ] {
        let got = numbers(&file(b"RIFF", riff_size, &[], said, &data));
        assert_eq!(got, (want(40), past(said, 40)), "{riff_size} {said}");
        // Cut within a frame.
        for n in 36..40 {
            let (got, notes) = numbers(&file(b"RIFF", riff_size, &[], said, &data[..n]));
            let mut all = past(said, n);
            if n > 36 {
                all += &format!("; {} bytes after the last whole frame are left out", n - 36);
            }
            assert_eq!((got, notes), (want(36), all));
        }
    }
    // An empty sound with a chunk behind it has no numbers, and nothing is wrong with it.
    let empty = riff(&[plain(1, 2, 4, 16), chunk(b"data", &[]), chunk(b"LIST", b"text")]);
    assert_eq!(numbers(&empty), (vec![], String::new()));
    let long =
        |bytes: u64| chunk(b"ds64", &[0u64.to_le_bytes(), bytes.to_le_bytes(), 0u64.to_le_bytes()].concat());
    for name in [b"RF64", b"BW64"] {
        let trailing = [&data[..], b"LIST\x04\0\0\0text"].concat();
        assert_eq!(numbers(&file(name, u32::MAX, &long(40), u32::MAX, &trailing)), (want(40), String::new()));
        assert_eq!(numbers(&file(name, u32::MAX, &long(20), 40, &trailing)), (want(40), String::new()));
        let (got, notes) = numbers(&file(name, u32::MAX, &long(1 << 40), u32::MAX, &data));
        assert_eq!((got, notes), (want(40), past(0, 40).replace("says 0", "says 1099511627776")));
        assert_eq!(numbers(&file(name, u32::MAX, &[], u32::MAX, &data)), (want(40), past(u32::MAX, 40)));
    }
    // Frames that are not as many bytes as channels have.
    let (got, notes) = numbers(&riff(&[plain(1, 2, 3, 16), chunk(b"data", &data)]));
    assert_eq!((got, &*notes), (want(40), "a frame is said to have 3 bytes: it has 2 numbers of 2"));
}

#[test]
fn numbers_are_printed() {
    let folder = Folder::new("samples");
    let data = [0.5f32, -1.0, 0.1, 3.0, 7.0].map(f32::to_le_bytes).concat();
    let sound = folder.file("x.wav", riff(&[plain(3, 2, 8, 32), chunk(b"data", &data)]));
    let (code, out, err) = program(&[&sound, "--samples"]);
    assert_eq!((code, &*out), (0, "8000 Hz, 2 channels\n0.5 -1\n0.1 3\n"));
    assert_eq!(err, format!("spectrum: note: {sound}: 4 bytes after the last whole frame are left out\n"));
    assert_eq!(folder.names(), ["x.wav"]);
}

#[test]
fn damaged_files_are_refused_by_name() {
    let good = tone(1, 16, [2, 0], 100, 1000.0);
    let head = |tag, channels, rate, bits| chunk(b"fmt ", &format(tag, channels, rate, bits));
    let patched = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let float = |x: f32| riff(&[head(3, 1, 8000, 32), chunk(b"data", &[[0; 4], x.to_le_bytes()].concat())]);
    for (bytes, why) in [
        (vec![], "byte 0: a WAV file begins with RIFF"),
        (b"hello, this is no sound".to_vec(), "byte 0: a WAV file begins with RIFF"),
        (patched(8, b"AVI "), "byte 0: a WAV file begins with RIFF"),
        (good[..12].to_vec(), "byte 12: the file ends before its chunk \"fmt\""),
        (patched(16, &u32::MAX.to_le_bytes()), "byte 12: the chunk \"fmt \" has 4294967295 bytes"),
        (patched(48, b"d\x1bta"), "byte 456: the file ends before its chunk \"data\""),
        (patched(12, b"fmtx"), "byte 48: the chunk \"data\" comes before \"fmt\""),
        (riff(&[head(1, 1, 8000, 16), head(1, 1, 8000, 16)]), "byte 36: there are two chunks \"fmt\""),
        (riff(&[chunk(b"fmt ", &[1, 0, 1, 0])]), "byte 20: the chunk \"fmt\" has 4 bytes"),
        (riff(&[head(1, 0, 8000, 16)]), "byte 22: it has no channels"),
        (riff(&[head(1, 1, 0, 16)]), "byte 24: its rate is 0"),
        (riff(&[head(1, 1, 8000, 0)]), "byte 34: coding 1 of 0 bits is not read"),
        (riff(&[head(1, 1, 8000, 65)]), "byte 34: coding 1 of 65 bits is not read"),
        (riff(&[head(3, 1, 8000, 16)]), "byte 34: coding 3 of 16 bits is not read"),
        (riff(&[head(7, 1, 8000, 16)]), "byte 34: coding 7 of 16 bits is not read"),
        (
            riff(&[extensible(1, 1, 2, 16, 16, 9)]),
            "byte 48: the extensible \"fmt\" names a coding of another maker",
        ),
        (
            riff(&[chunk(b"fmt ", &extensible(1, 1, 2, 16, 16, 0)[8..28])]),
            "byte 20: the extensible \"fmt\" is too short",
        ),
        (riff(&[head(85, 1, 8000, 16)]), "byte 20: coding 85 is not read"),
        (float(f32::NAN), "byte 48: number 1 of channel 1 is NaN"),
        (float(f32::NEG_INFINITY), "byte 48: number 1 of channel 1 is -inf"),
        (float(1e30), "byte 48: number 1 of channel 1 is 1"),
    ] {
        let got = Wav::of(&bytes).and_then(|w| w.samples(None)).unwrap_err().to_string();
        assert!(got.starts_with(why), "{why}: {got}");
    }
    // Cut before its numbers, it is refused; with any byte changed, it is read or refused.
    for n in 0..good.len() {
        match Wav::of(&good[..n]) {
            Ok(w) => assert!(n >= 56 && w.len() == (n - 56) / 4 && !w.notes.is_empty(), "{n}"),
            Err(_) => assert!(n < 56, "{n}"),
        }
        for byte in [0, 1, 0x7f, 0xff] {
            let file = patched(n, &[byte]);
            _ = Wav::of(&file).map(|w| (w.len(), w.samples(Some(0)), w.samples(None)));
        }
    }
}
