//! Files of pictures, and the command line.

use super::*;
use std::path::Path;

/// What is in a JPEG file, by the decoder alone.
fn decoded(bytes: &[u8], channels: usize) -> Raw {
    let mut decoder = jpeg_decoder::Decoder::new(bytes);
    let data = decoder.decode().unwrap();
    let info = decoder.info().unwrap();
    Raw::of_bytes([usize::from(info.width), usize::from(info.height)], channels, &data)
}

/// A picture without noise, which a JPEG file keeps nearly.
fn smooth(size: [usize; 2], channels: usize) -> Raw {
    let at = |i: usize| {
        let (pixel, c) = (i / channels, i % channels);
        let (x, y) = ((pixel % size[0]) as f64, (pixel / size[0]) as f64);
        (128.0 + 60.0 * (0.07 * x + c as f64).sin() + 60.0 * (0.09 * y).cos()) as u8
    };
    let data: Vec<u8> = (0..size[0] * size[1] * channels).map(at).collect();
    Raw::of_bytes(size, channels, &data)
}

#[test]
fn png_and_jpeg_round_trips() {
    let folder = Folder::new("trips");
    let mut draw = Draw::new();
    let (jpg, png) = (folder.path("a.jpg"), folder.path("a.png"));
    for size in [[1, 1], [1, 9], [17, 1], [draw.between(2, 70), draw.between(2, 70)]] {
        for channels in [1, 2, 3, 4] {
            let p = draw.bytes(size, channels);
            assert!(chain(&folder, &p, "") == p, "{size:?}, {channels} channels");
        }
        for channels in [1, 3] {
            let p = smooth(size, channels);
            let from = folder.file("in.png", p.png());
            let (code, _, err) = program(&[&from, &jpg, "--quality", "95"]);
            assert!(code == 0 && err.is_empty(), "{err}");
            let bytes = std::fs::read(&jpg).unwrap();
            let got = decoded(&bytes, channels);
            assert_eq!((got.size, got.channels), (p.size, p.channels));
            let far = got.data.iter().zip(&p.data).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
            assert!(far <= 24, "{size:?}, {channels} channels: off by {far}");
            // What is read is what the decoder alone reads, and opaque alpha is left out of a file without alpha.
            let (code, _, err) = program(&[&jpg, &png]);
            assert!(code == 0 && err.is_empty(), "{err}");
            assert!(Raw::read(&png) == got);
            let from = folder.file("in.png", p.with(|_| 255).png());
            assert_eq!(program(&[&from, &jpg, "--quality=95"]).0, 0);
            assert!(decoded(&std::fs::read(&jpg).unwrap(), channels) == got);
            // The quality is the one that is asked for.
            for (args, quality) in [(&["--quality", "95"][..], 95), (&["--quality=20"], 20), (&[], 90)] {
                assert_eq!(program(&[&[from.as_str(), &jpg], args].concat()).0, 0);
                let mut want = Vec::new();
                let mut encoder = jpeg_encoder::Encoder::new(&mut want, quality);
                encoder.set_optimized_huffman_tables(true);
                let [width, height] = size.map(|n| n as u16);
                let colour =
                    if channels == 1 { jpeg_encoder::ColorType::Luma } else { jpeg_encoder::ColorType::Rgb };
                encoder.encode(&p.bytes(), width, height, colour).unwrap();
                assert!(std::fs::read(&jpg).unwrap() == want, "{args:?}");
            }
        }
    }
    // Progressive files, too.
    let p = smooth([50, 40], 3);
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 90);
    encoder.set_progressive(true);
    encoder.encode(&p.bytes(), 50, 40, jpeg_encoder::ColorType::Rgb).unwrap();
    let from = folder.file("progressive.jpg", &bytes);
    assert_eq!(program(&[&from, &png]).0, 0);
    assert!(Raw::read(&png) == decoded(&bytes, 3));
}

/// A PNG file of a palette, of two bits, or of a transparent colour becomes one of whole bytes.
#[test]
fn palettes_and_few_bits() {
    let folder = Folder::new("palettes");
    let file = |set: &dyn Fn(&mut png::Encoder<'_, &mut Vec<u8>>), data: &[u8]| {
        let mut to = Vec::new();
        let mut encoder = png::Encoder::new(&mut to, 4, 1);
        set(&mut encoder);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        to
    };
    let to = folder.path("out.png");
    let of = |bytes: Vec<u8>| {
        let (code, _, err) = program(&[&folder.file("in.png", bytes), &to]);
        assert_eq!(code, 0, "{err}");
        Raw::read(&to)
    };
    let palette = |alpha: bool| {
        move |e: &mut png::Encoder<'_, &mut Vec<u8>>| {
            e.set_color(png::ColorType::Indexed);
            e.set_depth(png::BitDepth::Two);
            e.set_palette(vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
            if alpha {
                e.set_trns(vec![0, 128]);
            }
        }
    };
    let colours = [10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3];
    assert!(of(file(&palette(false), &[0b1110_0100])) == Raw::of_bytes([4, 1], 3, &colours));
    let with_alpha = of(file(&palette(true), &[0b1110_0100]));
    assert_eq!(
        (with_alpha.part(false).bytes(), with_alpha.part(true).bytes()),
        (colours.to_vec(), vec![255, 255, 128, 0])
    );
    let grey = |e: &mut png::Encoder<'_, &mut Vec<u8>>| e.set_depth(png::BitDepth::Two);
    assert!(of(file(&grey, &[0b1110_0100])) == Raw::of_bytes([4, 1], 1, &[255, 170, 85, 0]));
}

#[test]
fn what_is_of_no_use_writes_nothing() {
    let folder = Folder::new("refused");
    let p = smooth([40, 30], 3);
    let good = p.png();
    let png = folder.file("in.png", &good);
    let mut jpeg = Vec::new();
    jpeg_encoder::Encoder::new(&mut jpeg, 90)
        .encode(&p.bytes(), 40, 30, jpeg_encoder::ColorType::Rgb)
        .unwrap();
    let jpg = folder.file("in.jpg", &jpeg);
    let out = folder.file("out.png", "old");
    let mut broken = good.clone();
    broken[60] ^= 0x40;
    let broken = folder.file("broken.png", &broken);
    let mut empty = good.clone();
    empty[16..20].fill(0);
    let empty = folder.file("empty.png", &empty);
    let halves =
        [folder.file("half.png", &good[..good.len() / 2]), folder.file("half.jpg", &jpeg[..jpeg.len() / 2])];
    let endless = folder.file("end.png", &good[..good.len() - 6]);
    let mut header = jpeg.clone();
    let frame = header.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
    header[frame + 5..frame + 9].fill(0);
    let header = folder.file("zero.jpg", &header);
    let text = folder.file("text.png", "no picture");
    let names = folder.names();
    let lines = |args: &[&str], why: &str| {
        let (code, said, err) = program(args);
        assert!(code == 2 && err.starts_with("image: ") && err.contains(why), "{args:?}: {said}{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        assert_eq!(folder.names(), names, "{args:?}");
        assert_eq!(std::fs::read(&out).unwrap(), b"old", "{args:?}");
        assert_eq!(std::fs::read(&png).unwrap(), good, "{args:?}");
    };
    // Files.
    lines(&[&broken, &out], "broken.png: PNG: ");
    lines(&[&empty, &out], "empty.png: PNG: ");
    lines(&[&endless, &out], "end.png: PNG: ");
    lines(&[&halves[0], "grey", &out], "half.png: PNG: ");
    lines(&[&halves[1], "grey", &out], "half.jpg: JPEG: ");
    lines(&[&header, &out], "zero.jpg: JPEG: ");
    lines(&[&text, &out], "text.png: it is neither a PNG nor a JPEG file");
    lines(&["/no/such/in.png", &out], "/no/such/in.png: ");
    lines(&[&png, "/no/such/folder/x.png"], "/no/such/folder/x.png: ");
    lines(&[&png, "grey", &folder.path("out.gif")], "out.gif: pictures are written to .png, .jpg or .jpeg");
    lines(&[&png, "grey", &png], "which is read and would be written over");
    lines(&[&png, "grey", &out, "--sheet", &png], "which is read and would be written over");
    lines(&[&png, "grey", &out, "--sheet", &out], "it is to be the result and the sheet");
    // Steps.
    let step = |words: &str, why: &str| {
        let args: Vec<&str> = [&*png, "grey"].into_iter().chain(words.split(' ')).chain([&*out]).collect();
        lines(&args, &format!("step 2, {words}: {why}"));
    };
    step("resize 0x10", "a size of 0 leaves no picture");
    step("resize 10x0", "a size of 0 leaves no picture");
    step("crop 0x1+0+0", "a size of 0 leaves no picture");
    step("crop 10x10+35+0", "10x10+35+0 reaches beyond the picture of 40 x 30");
    step("crop 1x18446744073709551615+0+1", "1x18446744073709551615+0+1 reaches beyond");
    step(
        "resize 4294967295x4294967295",
        "4294967295 x 4294967295 x 1 numbers are more than memory has addresses",
    );
    step("resize 4294967296x1", "4294967296 is more than 4294967295, the most columns and rows");
    step("resize 3000000x3000000", "there is not enough memory for this size");
    step("blur --sigma 0", "--sigma 0 is not above 0 and at most 255.75");
    step("blur --sigma nan", "--sigma NaN is not above 0 and at most 255.75");
    step("blur --sigma 300", "--sigma 300 is not above 0 and at most 255.75");
    step("blur --sigma 1 --size 4", "--size 4 is not odd and at most 2047");
    step("blur --sigma 1 --size 0", "--size 0 is not odd and at most 2047");
    step("box --size 0", "--size 0x0 is not 1 to 2^24 pixels");
    step("box --size 4294967296x4294967296", "--size 4294967296x4294967296 is not 1 to 2^24 pixels");
    step("median --size 4", "--size 4 is not odd and at most 255");
    step("median --size 257", "--size 257 is not odd and at most 255");
    step("erode --size 3x2", "--size 2 is not odd");
    step("dilate --size 0", "--size 0 is not odd");
    step("dilate --size 3x9223372036854775807", "there is not enough memory for this size: ");
    step("canny --low 150 --high 50", "--low 150 is above --high 50");
    step("rotate inf", "inf is no angle");
    lines(
        &[&jpg, "resize", "70000x1", &folder.path("big.jpg")],
        "big.jpg: JPEG has at most 65535 columns and rows",
    );
    // Words that are no arguments.
    for (args, why) in [
        (&[&*png][..], "a file is needed for the result"),
        (&[&png, "grey"], "a file is needed for the result"),
        (&["grey", &out], "a picture is needed before the steps"),
        (&[&png, "gray", &out], "there is no step gray; there are resize, crop, grey, "),
        (&[&png, "bluur", "--sigma", "2", &out], "there is no step bluur"),
        (&[&png, "x\u{1b}", "grey", &out], "there is no step x\\u{1b}"),
        (&[&png, "canny", "--low", "50", &out], "--high <N>"),
        (&[&png, "canny", "--low", "50"], "--high <N>"),
        (&[&png, "canny", "--low=-1", "--high=3", &out], "'-1'"),
        (&[&png, "resize", "10y10", &out], "it must be WIDTHxHEIGHT, WIDTHx or xHEIGHT"),
        (&[&png, "resize", "x", &out], "it must be WIDTHxHEIGHT, WIDTHx or xHEIGHT"),
        (&[&png, "resize", "9999999999999999999999x1", &out], "it must be WIDTHxHEIGHT, WIDTHx or xHEIGHT"),
        (&[&png, "resize", "8x8", "--by", "magic", &out], "lanczos3"),
        (&[&png, "crop", "8x8", &out], "it must be WIDTHxHEIGHT+X+Y"),
        (&[&png, "flip", &out], "<WAY>"),
        (&[&png, "threshold", &out], "--at <N>|--otsu"),
        (&[&png, "threshold", "--at", "256", &out], "256"),
        (&[&png, "threshold", "--at", "25", "--otsu", &out], "cannot be used with"),
        (&[&png, "flatten", "--onto", "mauve", &out], "it must be white, black or RRGGBB"),
        (&[&png, "depth", "12", &out], "[possible values: 8, 16]"),
        (&[&png, "grey", &out, "--quality", "0"], "0 is not in 1..=100"),
        (&[&png, "grey", &out, "--sheet"], "a value is required"),
        (&[&png, "grey", "extra", &out], "unexpected argument"),
    ] {
        let (code, said, err) = program(args);
        assert!(
            code == 2 && said.is_empty() && err.starts_with("image: ") && err.contains(why),
            "{args:?}: {err}"
        );
        assert!(err.lines().count() < 9, "{err}");
    }
    assert_eq!(folder.names(), names);
}

/// Damage anywhere in a file gives an error or a picture, and no panic.
#[test]
fn damaged_files() {
    let mut draw = Draw::new();
    let p = draw.bytes([23, 17], 3);
    let [baseline, progressive] = [false, true].map(|progressive| {
        let mut jpeg = Vec::new();
        let mut encoder = jpeg_encoder::Encoder::new(&mut jpeg, 80);
        encoder.set_progressive(progressive);
        encoder.encode(&p.bytes(), 23, 17, jpeg_encoder::ColorType::Rgb).unwrap();
        jpeg
    });
    for good in [p.png(), baseline, progressive] {
        assert!(formats::read(&good).is_ok());
        let mut read = 0;
        for _ in 0..400 {
            let mut bytes = good.clone();
            for _ in 0..draw.between(1, 3) {
                let at = draw.between(2, bytes.len() - 1);
                bytes[at] = draw.next() as u8;
            }
            bytes.truncate(draw.between(bytes.len() / 2, bytes.len() + bytes.len() / 2));
            if let Ok((got, _)) = formats::read(&bytes) {
                let n = got.width * got.height * got.channels;
                assert!(picture::with_samples!(&got.samples, |data| data.len() == n));
                read += 1;
            }
        }
        println!("{read} of 400 were read");
        // Without its last bytes no file is whole.
        for end in 0..good.len() - 3 {
            assert!(formats::read(&good[..end]).is_err(), "{end} of {} bytes", good.len());
        }
    }
}

/// The orientation that a camera notes is said to be ignored, and only one that matters.
#[test]
fn orientation_is_noted() {
    let folder = Folder::new("exif");
    let p = smooth([16, 8], 3);
    for (order, word, big) in [(b"MM\0*", 6u16, true), (b"II*\0", 3, false), (b"II*\0", 1, false)] {
        let bytes = |x: u16| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let long = |x: u32| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let entry = [&bytes(0x112)[..], &bytes(3), &long(1), &bytes(word), &[0, 0]].concat();
        let exif = [&order[..], &long(8), &bytes(1), &entry, &long(0)].concat();
        let mut jpeg = Vec::new();
        let mut encoder = jpeg_encoder::Encoder::new(&mut jpeg, 90);
        encoder.add_exif_metadata(&exif).unwrap();
        encoder.encode(&p.bytes(), 16, 8, jpeg_encoder::ColorType::Rgb).unwrap();
        let (code, _, err) = program(&[&folder.file("in.jpg", &jpeg), &folder.path("out.png")]);
        assert_eq!(code, 0);
        assert_eq!(
            err.contains("note: ") && err.contains("turned or mirrored is ignored"),
            word != 1,
            "{err}"
        );
    }
}

/// The sheet has the picture and the result of each step, whole where they are small.
#[test]
fn sheets() {
    let folder = Folder::new("sheet");
    let mut draw = Draw::new();
    let p = draw.bytes([50, 40], 3);
    let (from, out, sheet) =
        (folder.file("in.png", p.png()), folder.path("out.png"), folder.path("sheet.png"));
    let steps = ["flip", "vertical", "grey", "rotate", "90", "depth", "16", "depth", "8"];
    let args: Vec<&str> = ["--sheet", &sheet, &from].into_iter().chain(steps).chain([&*out]).collect();
    let (code, said, err) = program(&args);
    assert!(code == 0 && err.is_empty(), "{err}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 8, "{said}");
    assert!(
        lines[0].ends_with("in.png: 50 x 40, RGB, 8 bits")
            && lines[2].starts_with("grey: 50 x 40, grey, 8 bits; "),
        "{said}"
    );
    assert!(
        lines[3].starts_with("rotate 90: 40 x 50, grey, 8 bits; ")
            && lines[3].contains(" ms, ")
            && lines[3].ends_with(" Mpx/s"),
        "{said}"
    );
    assert!(
        lines[6].ends_with("out.png: the result") && lines[7].ends_with("sheet.png: the sheet"),
        "{said}"
    );
    let drawn = Raw::read(&sheet);
    assert_eq!((drawn.size[0], drawn.channels), (12 + 3 * 172, 3));
    // The picture is at the first place, its mirror image at the second one, the greys at the third one.
    let at = |x: usize, y: usize, c: usize| drawn.data[(y * drawn.size[0] + x) * 3 + c];
    let luma = grey(&p, Luma::Bt601);
    for i in 0..50 * 40 * 3 {
        let (x, y, c) = (i / 3 % 50, i / 150, i % 3);
        assert_eq!(at(12 + x, 12 + y, c), p.data[i]);
        assert_eq!(at(184 + x, 12 + 39 - y, c), p.data[i]);
        assert_eq!(at(356 + x, 12 + 39 - y, c), luma.data[i / 3]);
    }
    // Without a file for the result the sheet is enough, and without a picture the program makes one, of the seed alone.
    let (code, said, _) = program(&["--sheet", &sheet, "--seed", "5"]);
    assert!(
        code == 0 && said.starts_with("a picture that the program made: 640 x 480, RGB, 8 bits\n"),
        "{said}"
    );
    assert!(made::made(5) == made::made(5) && made::made(5) != made::made(6));
    assert_eq!(program(&[&from, "grey", "--sheet", &sheet]).0, 0);
    assert_eq!(folder.names(), ["in.png", "out.png", "sheet.png"]);
}

#[test]
fn help_explains_each_step() {
    let (code, out, err) = program(&["--help"]);
    assert!(code == 0 && err.is_empty() && out.contains("Usage: image IN STEP"));
    for name in steps::Step::names() {
        assert!(out.contains(&format!("\n  {name}")), "{name}: {out}");
        let (code, out, _) = program(&["in.png", &name, "--help"]);
        assert!(code == 0 && out.contains(&format!("Usage: image {name}")), "{out}");
    }
    for words in [
        "<SIZE> [--by <KERNEL>]",
        "--low <N> --high <N> [--norm <NORM>]",
        "--at <N> | --otsu [--kind <KIND>]",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
}

#[cfg(unix)]
#[test]
fn the_picture_is_whole_or_not_there() {
    common::disk::inside(program);
    let folder = Folder::new("whole");
    let mut draw = Draw::new();
    let from = folder.file("in.png", draw.bytes([60, 50], 3).png());
    let out = folder.file("out.png", b"old");
    std::fs::hard_link(&from, folder.path("hard.png")).unwrap();
    std::os::unix::fs::symlink(&from, folder.path("soft.png")).unwrap();
    for out in ["in.png", "hard.png", "soft.png"] {
        let (code, _, err) = program(&[&from, "grey", &folder.path(out)]);
        assert!(code == 2 && err.contains("which is read and would be written over"), "{err}");
    }
    let name = "image_files::the_picture_is_whole_or_not_there";
    assert!(common::disk::full(name, &[&from, "flip", "both", &out]).starts_with("image: "));
    {
        let _other = files::Place::claim(Path::new(&out), &[]).unwrap();
        let (code, _, err) = program(&[&from, "grey", &out]);
        assert!(code == 2 && err.contains("out.png: another run is writing to it"), "{err}");
    }
    assert_eq!(std::fs::read(&out).unwrap(), b"old");
    assert_eq!(folder.names(), ["hard.png", "in.png", "out.png", "soft.png"]);
}
