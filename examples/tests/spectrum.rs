//! The spectrum example: sounds of every coding, files that are damaged, and the command line without a process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where it fails"
)]

#[path = "../common/chart.rs"]
#[allow(dead_code, reason = "a spectrum has no lines")]
mod chart;
#[path = "../spectrum/cli.rs"]
mod cli;
mod common;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for other programs")]
mod files;
#[path = "../spectrum/picture.rs"]
mod picture;
#[path = "../common/program.rs"]
#[allow(dead_code, reason = "the program's main has the rest")]
mod program;
#[path = "../spectrum/wav.rs"]
mod wav;
#[path = "spectrum_wav.rs"]
mod wav_files;

use common::Folder;

/// What the program says to these arguments.
fn program(args: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run(args.iter().map(|a| (*a).into()), &mut out, &mut err);
    // Which lanes it ran on is said by every run that computed.
    let err = String::from_utf8(err).unwrap();
    let rest: Vec<&str> = err.split_inclusive('\n').filter(|line| !line.starts_with("lanes: ")).collect();
    assert!(code != 0 || args.iter().any(|a| ["--help", "--samples"].contains(a)) || err.contains("lanes: "));
    (code, String::from_utf8(out).unwrap(), rest.concat())
}

fn chunk(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let len = u32::try_from(body.len()).unwrap().to_le_bytes();
    let pad: &[u8] = if body.len() % 2 == 1 { &[0] } else { &[] };
    [&name[..], &len, body, pad].concat()
}

fn riff(chunks: &[Vec<u8>]) -> Vec<u8> {
    let body = [b"WAVE".to_vec(), chunks.concat()].concat();
    chunk(b"RIFF", &body)
}

fn format(tag: u16, channels: u16, rate: u32, bits: u16) -> Vec<u8> {
    let frame = channels * (bits / 8);
    let mut body = [tag.to_le_bytes(), channels.to_le_bytes()].concat();
    body.extend(rate.to_le_bytes());
    body.extend((rate * u32::from(frame)).to_le_bytes());
    body.extend(frame.to_le_bytes());
    body.extend(bits.to_le_bytes());
    body
}

/// A number from -1 to 1 in this coding.
fn coded(tag: u16, bits: u16, x: f64) -> Vec<u8> {
    match (tag, bits) {
        (3, 32) => (x as f32).to_le_bytes().to_vec(),
        (3, _) => x.to_le_bytes().to_vec(),
        (_, 8) => vec![(128.0 + 127.0 * x).round() as u8],
        _ => {
            let whole = (x * f64::from(2).powi(i32::from(bits) - 1) * (1.0 - 1e-4)).round() as i32;
            whole.to_le_bytes()[..usize::from(bits) / 8].to_vec()
        }
    }
}

/// A tone of half of full scale on one channel, with silence on the others.
fn tone(tag: u16, bits: u16, [channels, channel]: [u16; 2], n: usize, hertz: f64) -> Vec<u8> {
    let rate = 8000;
    let at = |i: usize, c: u16| {
        let x = 0.5 * (std::f64::consts::TAU * hertz * i as f64 / f64::from(rate)).sin();
        coded(tag, bits, if c == channel { x } else { 0.0 })
    };
    let data: Vec<u8> = (0..n).flat_map(|i| (0..channels).flat_map(move |c| at(i, c))).collect();
    riff(&[chunk(b"fmt ", &format(tag, channels, rate, bits)), chunk(b"LIST", b"odd"), chunk(b"data", &data)])
}

/// Width, height, and the level of each pixel.
fn pixels(path: &str) -> (usize, usize, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Indexed, png::BitDepth::Eight));
    assert_eq!(reader.info().palette.as_ref().unwrap().len(), 3 * 256);
    (info.width as usize, info.height as usize, bytes)
}

#[test]
fn a_tone_of_every_coding() {
    let folder = Folder::new("codings");
    for (tag, bits, off) in
        [(1, 8, 1.0), (1, 16, 0.05), (1, 24, 0.05), (1, 32, 0.05), (3, 32, 0.05), (3, 64, 0.05)]
    {
        for (channels, channel, level) in [(1, None, -6.0), (2, None, -12.0), (2, Some(2), -6.0)] {
            // In the middle of bin 13 of 128: 62.5 Hz each.
            let bytes = tone(tag, bits, [channels, channels - 1], 1000, 812.5);
            let sound = folder.file("sound.wav", &bytes);
            let picture = folder.path("picture.png");
            let chosen = channel.map(|c: usize| c.to_string());
            let mut args = vec![sound.as_str(), &picture, "--fft=128", "--hop=50", "--range=80"];
            if let Some(c) = &chosen {
                args.extend(["--channel", c]);
            }
            let (code, out, err) = program(&args);
            assert!(code == 0 && err.is_empty(), "{tag} {bits}: {out} {err}");
            assert!(
                out.starts_with("18 x 65 pixels: 0.125 s, 6.250 ms each; 0 to 4000 Hz, 62.500 Hz each"),
                "{out}"
            );
            assert!(out.contains("the strongest: 812.5 Hz at "), "{out}");
            let said: f64 = out.split("s, ").last().unwrap().split(' ').next().unwrap().parse().unwrap();
            assert!((said - level).abs() < off, "{tag} {bits}, {channels} channels: {out}");
            let (width, height, levels) = pixels(&picture);
            assert_eq!((width, height), (18, 65));
            for f in 0..width {
                let column: Vec<u8> = (0..height).map(|j| levels[(height - 1 - j) * width + f]).collect();
                let want = (255.0 * (1.0 + level / 80.0)) as f32;
                assert!((f32::from(column[13]) - want).abs() < 4.0, "{tag} {bits}: {column:?}");
                // Half of the amplitude on both sides, and little else.
                assert!(
                    (f32::from(column[12]) - (want - 19.2)).abs() < 4.0
                        && column[12].abs_diff(column[14]) < 3
                );
                assert!(
                    column[..11]
                        .iter()
                        .chain(&column[16..])
                        .all(|p| f32::from(*p) < want - 110.0 * (bits > 8) as u8 as f32)
                );
            }
            assert_eq!(folder.names(), ["picture.png", "sound.wav"]);
        }
    }
}

/// Each window's peak is at 0 dB less what the tone is; their length, zeros after them and the hop are as asked.
#[test]
fn windows_and_sizes() {
    let folder = Folder::new("windows");
    let sound = folder.file("sound.wav", tone(3, 32, [1, 0], 4000, 1000.0));
    let picture = folder.path("picture.png");
    for (args, size, resolution) in [
        (&["--fft=1024"][..], "12 x 513 pixels", "1000.0 Hz"),
        (&["--fft=1000", "--window=hamming", "--hop=1000"], "4 x 501 pixels", "1000.0 Hz"),
        (&["--fft=400", "--window=blackman", "--length=200", "--hop=200"], "20 x 201 pixels", "1000.0 Hz"),
        (&["--fft=400", "--window=blackman-harris"], "37 x 201 pixels", "1000.0 Hz"),
        (&["--fft=401", "--window=flat-top", "--hop", "4000"], "1 x 201 pixels", "997.5 Hz"),
        (&["--fft=64", "--window=bartlett", "--hop=64"], "62 x 33 pixels", "1000.0 Hz"),
        (&["--fft=64", "--window=kaiser", "--beta=5", "--hop=640"], "7 x 33 pixels", "1000.0 Hz"),
        (&["--fft=64", "--window=rectangular", "--hop=640"], "7 x 33 pixels", "1000.0 Hz"),
        (&["--fft=2", "--hop=3999"], "1 x 2 pixels", "Hz"),
    ] {
        let (code, out, err) = program(&[&[sound.as_str(), &picture], args].concat());
        assert!(
            code == 0 && err.is_empty() && out.starts_with(size) && out.contains(resolution),
            "{args:?}: {out} {err}"
        );
        let level: f64 = out.split("s, ").last().unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((level + 6.02).abs() < 0.1 || args[0] == "--fft=2", "{args:?}: {out}");
    }
    let silent = folder.file("silent.wav", tone(1, 16, [1, 1], 64, 1000.0));
    let (code, out, err) = program(&[&silent, &picture, "--fft=64"]);
    assert!(code == 0 && err.is_empty() && out.ends_with("\nsilence\n"), "{out} {err}");
    assert!(pixels(&picture).2.iter().all(|p| *p == 0));
}

/// What the program says of the sum of these cosines, of amplitude and bin of `n`, through this window: bin and level of the strongest.
fn strongest(folder: &Folder, window: &str, n: usize, tones: &[(f64, f64)]) -> (f64, f64) {
    let at = |i: usize| {
        tones.iter().map(move |(a, j)| a * (std::f64::consts::TAU * j * i as f64 / n as f64).cos())
    };
    let data: Vec<u8> = (0..3 * n).flat_map(|i| coded(3, 64, at(i).sum())).collect();
    let rate = 10 * n as u32;
    let sound = riff(&[chunk(b"fmt ", &format(3, 1, rate, 64)), chunk(b"data", &data)]);
    let (sound, picture) = (folder.file("sound.wav", &sound), folder.path("picture.png"));
    let (code, out, err) = program(&[&sound, &picture, &format!("--fft={n}"), "--window", window]);
    assert!(code == 0 && err.is_empty(), "{out} {err}");
    let last = out.lines().last().unwrap();
    let said = |from: &str, to: &str| -> f64 {
        last.split(from).nth(1).unwrap().split(to).next().unwrap().parse().unwrap()
    };
    (said("strongest: ", " Hz") / 10.0, said(" s, ", " dB"))
}

/// A spectrum has one side: what is at bin 0, and at bin n/2 of an even n, is there whole; half of a tone is at each other bin.
#[test]
fn bins_without_a_partner_have_their_level() {
    let folder = Folder::new("one-sided");
    let every =
        ["hann", "hamming", "blackman", "blackman-harris", "flat-top", "bartlett", "kaiser", "rectangular"];
    let decibels = |a: f64| 20.0 * a.log10();
    for window in every {
        for n in [64usize, 63, 250, 251] {
            let (middle, last) = (n / 4, (n / 2) as f64);
            let near = |got: (f64, f64), bin: f64, a: f64, what: &str| {
                assert!(
                    got.0 == bin && (got.1 - decibels(a)).abs() < 0.06,
                    "{window} {n} {what}: {got:?}, {bin} {}",
                    decibels(a)
                );
            };
            near(strongest(&folder, window, n, &[(0.3, 0.0)]), 0.0, 0.3, "a constant");
            near(
                strongest(&folder, window, n, &[(0.3, 0.0), (0.4, middle as f64)]),
                middle as f64,
                0.4,
                "a tone on a constant",
            );
            near(
                strongest(&folder, window, n, &[(0.5, 0.0), (0.4, middle as f64)]),
                0.0,
                0.5,
                "a constant under a tone",
            );
            if n % 2 == 0 {
                near(strongest(&folder, window, n, &[(0.3, last)]), last, 0.3, "the last bin");
                near(
                    strongest(&folder, window, n, &[(0.3, last), (0.4, middle as f64)]),
                    middle as f64,
                    0.4,
                    "a tone beside the last bin",
                );
            }
        }
        // The last bin of an odd n has a partner, and lies beside it: only without a lobe is the level that of the tone.
        if window == "rectangular" {
            assert_eq!(strongest(&folder, window, 63, &[(0.3, 31.0)]), (31.0, -10.5));
        }
    }
    // A tone of 1000 Hz on a constant, as a recorder with an offset writes it; in the picture, the constant is 10.5 dB below full scale.
    let of = |i: usize| 0.3 + 0.4 * (std::f64::consts::TAU * 1000.0 * i as f64 / 8000.0).sin();
    let data: Vec<u8> = (0..8000).flat_map(|i| coded(1, 16, of(i))).collect();
    let sound = riff(&[chunk(b"fmt ", &format(1, 1, 8000, 16)), chunk(b"data", &data)]);
    let (sound, picture) = (folder.file("sound.wav", &sound), folder.path("picture.png"));
    let (code, out, _) = program(&[&sound, &picture]);
    assert!(
        code == 0 && out.contains("the strongest: 1000.0 Hz at ") && out.ends_with(", -8.0 dB\n"),
        "{out}"
    );
    let (width, height, levels) = pixels(&picture);
    let (zero, tone) = (levels[(height - 1) * width], levels[(height - 1 - 128) * width]);
    assert_eq!((zero, tone), ((255.0 * (1.0 - 0.10458)) as u8, (255.0f64 * (1.0 - 0.07959)).round() as u8));
}

#[test]
fn what_is_of_no_use_writes_nothing() {
    let folder = Folder::new("refused");
    let sound = folder.file("sound.wav", tone(1, 16, [2, 0], 300, 1000.0));
    let picture = folder.file("picture.png", b"old");
    let damaged = folder.file("damaged.wav", &tone(1, 16, [2, 0], 300, 1000.0)[..40]);
    let (sound, picture, damaged) = (sound.as_str(), picture.as_str(), damaged.as_str());
    for (args, why) in [
        (&[damaged, picture][..], "damaged.wav: byte 40: the file ends before its chunk \"data\""),
        (&[sound, sound], "which is read and would be written over"),
        (&[sound, picture], "sound.wav: 300 numbers are less than one window of 1024"),
        (&[sound, picture, "--fft=16", "--channel=3"], "sound.wav: there is no channel 3, only 2"),
        (&["/no/such/sound", picture], "/no/such/sound: "),
        (&[sound, "/no/such/folder/x.png", "--fft=16"], "/no/such/folder/x.png: "),
        (&[sound, folder.0.to_str().unwrap(), "--fft=16"], "it is no regular file"),
    ] {
        let (code, out, err) = program(args);
        assert!(
            code == 2 && out.is_empty() && err.starts_with("spectrum: ") && err.contains(why),
            "{args:?}: {err}"
        );
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    for (args, why) in [
        (&["a"][..], "a picture is needed"),
        (&["a", "b", "c"], "unexpected argument"),
        (&["a", "b", "--samples"], "cannot be used with"),
        (&["--samples"], "<SOUND.wav>"),
        (&["--fft=1"], "1 is not in 2..=65536"),
        (&["--fft=x\u{1b}"], "'x\\u{1b}'"),
        (&["--fft"], "a value is required"),
        (&["--hop=0"], "0 is not in 1..="),
        (&["--hop=-1"], "'-1'"),
        (&["--range=0"], "it must be from 1 to 400"),
        (&["--range=nan"], "it must be from 1 to 400"),
        (&["--channel=0"], "0 is not in 1..=65535"),
        (&["--length=1"], "1 is not in 2..=65536"),
        (&["a", "b", "--length=100", "--fft=64"], "--length 100 is more than the 64 of --fft"),
        (&["--window=square\n"], "'square\\n'"),
        (&["--beta=501"], "it must be from 0 to 500"),
        (&["--beta=2"], "--beta is for --window kaiser"),
        (&["--unknown"], "unexpected argument '--unknown'"),
    ] {
        let (code, out, err) = program(args);
        assert!(
            code == 2 && out.is_empty() && err.starts_with("spectrum: ") && err.contains(why),
            "{args:?}: {err}"
        );
        assert!(err.lines().count() < 7, "{err}");
    }
    assert_eq!(folder.names(), ["damaged.wav", "picture.png", "sound.wav"]);
    assert_eq!(std::fs::read(picture).unwrap(), b"old");
    let (code, out, err) = program(&["--help"]);
    assert!(code == 0 && out.contains("Usage: spectrum") && err.is_empty());
}

/// The picture with axes says what it shows.
#[test]
fn a_picture_with_axes() {
    let folder = Folder::new("axes");
    let sound = folder.file("sound.wav", tone(1, 16, [1, 0], 30_000, 1000.0));
    let (code, _, err) = program(&[&sound, &folder.path("a.svg")]);
    assert_eq!(code, 0, "{err}");
    let drawn = std::fs::read_to_string(folder.path("a.svg")).unwrap();
    for word in
        ["Spectrum of ", "time, s", "frequency, kHz", "-100 dB", "0 dB", "core", "data:image/png;base64,"]
    {
        assert!(drawn.contains(word), "{word}");
    }
}

/// A picture of too many pixels is refused before anything is computed.
#[test]
fn too_large_a_picture() {
    let folder = Folder::new("large");
    let sound = folder
        .file("sound.wav", riff(&[chunk(b"fmt ", &format(1, 1, 8000, 8)), chunk(b"data", &[128; 80_000])]));
    let (code, _, err) = program(&[&sound, &folder.path("x.png"), "--fft=65536", "--hop=1"]);
    assert!(
        code == 2 && err.contains("14465 frames of 32769 bins are too large a picture: --hop 1 is too small"),
        "{err}"
    );
}

#[cfg(unix)]
#[test]
fn the_picture_is_whole_or_not_there() {
    common::disk::inside(program);
    let folder = Folder::new("whole");
    let sound = folder.file("sound.wav", tone(1, 16, [1, 0], 30_000, 1000.0));
    let picture = folder.file("picture.png", b"old");
    std::fs::hard_link(&sound, folder.path("hard")).unwrap();
    std::os::unix::fs::symlink(&sound, folder.path("soft")).unwrap();
    for out in ["sound.wav", "hard", "soft"] {
        let (code, _, err) = program(&[&sound, &folder.path(out)]);
        assert!(code == 2 && err.contains("which is read and would be written over"), "{err}");
    }
    assert!(
        common::disk::full("the_picture_is_whole_or_not_there", &[&sound, &picture])
            .starts_with("spectrum: ")
    );
    {
        let _other = files::Place::claim(picture.as_ref(), &[]).unwrap();
        let (code, _, err) = program(&[&sound, &picture]);
        assert!(code == 2 && err.contains("picture.png: another run is writing to it"), "{err}");
    }
    assert_eq!(std::fs::read(&picture).unwrap(), b"old");
    assert_eq!(folder.names(), ["hard", "picture.png", "soft", "sound.wav"]);
}
