//! The command line: a picture, steps, and files for the results.

use crate::apply::apply;
use crate::files::{self, Place, Shown, shown};
use crate::formats::{self, Format};
use crate::machine::{MACHINES, Machine};
use crate::made::made;
use crate::picture::Picture;
use crate::program::{self, Stop};
use crate::sheet::Sheet;
use crate::steps::{self, Step};
use clap::{Parser, value_parser};
use fulmen::backend::Cpu;
#[cfg(feature = "parallel")]
use fulmen::backend::Threads;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What becomes of the picture that the program makes.
const SHOWN: [&str; 5] =
    ["median --size 3", "grey", "equalize", "blur --sigma 1.5", "canny --low 80 --high 200"];

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(args: impl Iterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let done = Request::of(args.collect()).and_then(|r| r.start(out, err));
    program::end("image", done, out, err)
}

#[derive(Debug, Parser)]
#[command(
    name = "image",
    override_usage = "image IN STEP [STEP ...] OUT [--sheet FILE]\n       image IN OUT\n       image [--sheet FILE]",
    args_override_self = true,
    about = "Changes a picture by a chain of steps, which run in the order in which they are written: \
        `image in.png grey blur --sigma 2 out.png`. Reads PNG and JPEG, writes PNG and JPEG.",
    after_help = after()
)]
struct Line {
    /// A PNG or JPEG file; - is standard input [default: a picture that the program makes]
    #[arg(value_name = "IN")]
    input: Option<PathBuf>,
    /// A file whose name ends with .png, .jpg or .jpeg
    #[arg(value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write a PNG with the picture and the result of each step side by side
    #[arg(long, value_name = "FILE")]
    sheet: Option<PathBuf>,
    /// What the steps run on
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    backend: String,
    /// The quality of a JPEG file
    #[arg(long, value_name = "N", default_value = "90", value_parser = value_parser!(u8).range(1..=100))]
    quality: u8,
    /// The seed of the picture that the program makes
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
}

/// The options of a run, which may stand anywhere. All take a value.
const ANYWHERE: [&str; 4] = ["--sheet", "--backend", "--quality", "--seed"];

fn after() -> String {
    format!(
        "{}\n\
        Pixels keep their 8 or 16 bits; a step that has 8 alone refuses 16, until `depth 8`. Palettes become colours. Profiles of colours, \
        comments and the orientation that a camera notes are not read.\n\
        Alpha: crop, flip, rotate and resize move it with its pixels; resize, blur, box and rotate weigh colours by it; grey, threshold --at and \
        depth leave it as it is. The others refuse a picture with transparent pixels, until `flatten`, and leave opaque alpha as it is; canny \
        drops it.\n\
        Beyond the edges a step reads the pixel at the edge. A file whose name is that of a step is ./NAME. Options of the run stand anywhere.\n\
        This build has the backends {}. Without arguments it takes a picture that it makes through some steps to a contact sheet, image.png.\n\n\
        exit status: 0 written, 2 the arguments or a file are of no use",
        steps::help(),
        MACHINES.join(", ")
    )
}

/// What the arguments ask for.
struct Request {
    /// None is the picture that the program makes.
    input: Option<PathBuf>,
    /// Each with the words that ask for it.
    steps: Vec<(String, Step)>,
    output: Option<PathBuf>,
    sheet: Option<PathBuf>,
    backend: String,
    quality: u8,
    seed: u64,
}

/// A step, and its words.
fn step(words: &[OsString]) -> Result<(String, Step), Stop> {
    let text: Vec<Cow<'_, str>> = words.iter().map(|word| word.to_string_lossy()).collect();
    Ok((Shown(text.join(" ")).to_string(), program::parse("image", words.iter().cloned())?))
}

/// The last step, and the file behind it if there is one.
fn last(words: &[OsString]) -> Result<((String, Step), Option<PathBuf>), Stop> {
    let without_file = match step(words) {
        Err(Stop::Usage(why)) => why,
        other => return Ok((other?, None)),
    };
    match words.split_last() {
        Some((file, others)) if !others.is_empty() => match step(others) {
            // What is wrong with the step, unless the last word is rather its own.
            Err(Stop::Usage(_)) if Format::of_name(Path::new(file)).is_err() => {
                Err(Stop::Usage(without_file))
            }
            other => Ok((other?, Some(file.into()))),
        },
        _ => Err(Stop::Usage(without_file)),
    }
}

impl Request {
    fn of(args: Vec<OsString>) -> Result<Self, Stop> {
        let names = Step::names();
        let is_step = |word: &OsString| names.iter().any(|name| word == name.as_str());
        let (mut options, mut words) = (Vec::new(), Vec::new());
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            if ANYWHERE.iter().any(|name| arg == *name) {
                options.push(arg);
                options.extend(args.next());
            } else if arg
                .to_str()
                .is_some_and(|arg| ANYWHERE.iter().any(|name| arg.starts_with(&format!("{name}="))))
            {
                options.push(arg);
            } else {
                words.push(arg);
            }
        }
        let first = words.iter().position(is_step).unwrap_or(words.len());
        let chain = words.split_off(first);
        let is_file = |word: &&OsString| !word.as_encoded_bytes().starts_with(b"-") || *word == "-";
        // The first file is IN. What follows is a step, or OUT as the last word of all.
        if let Some(second) = words.iter().filter(is_file).nth(1)
            && (!chain.is_empty() || words.last() != Some(second))
        {
            let name = second.to_string_lossy();
            return Err(Stop::Usage(format!(
                "there is no step {}; there are {}",
                Shown(&name),
                names.join(", ")
            )));
        }
        // An option that lacks its value is the last word.
        words.extend(options);
        let mut steps: Vec<(String, Step)> = Vec::new();
        let mut output = None;
        let mut rest: &[OsString] = &chain;
        while !rest.is_empty() {
            let end = rest.iter().skip(1).position(is_step).map_or(rest.len(), |at| at + 1);
            let (words, others) = rest.split_at(end);
            rest = others;
            if rest.is_empty() {
                let (step, file) = last(words)?;
                steps.push(step);
                output = file;
            } else {
                steps.push(step(words)?);
            }
        }
        let line: Line = program::parse("image", words.into_iter())?;
        let mut r = Self {
            input: line.input,
            steps,
            output: output.or(line.output),
            sheet: line.sheet,
            backend: line.backend,
            quality: line.quality,
            seed: line.seed,
        };
        match (&r.input, r.steps.is_empty()) {
            (None, true) => {
                let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
                r.steps = SHOWN.iter().map(|text| step(&words(text))).collect::<Result<_, _>>()?;
                r.sheet.get_or_insert_with(|| "image.png".into());
            }
            (None, false) => {
                return Err(Stop::Usage("a picture is needed before the steps: IN.png or IN.jpg".into()));
            }
            _ if r.output.is_none() && r.sheet.is_none() => {
                return Err(Stop::Usage(
                    "a file is needed for the result, as the last word: OUT.png or OUT.jpg".into(),
                ));
            }
            _ => {}
        }
        Ok(r)
    }

    /// Runs on the machine that was asked for.
    fn start(&self, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Stop> {
        match self.backend.as_str() {
            "cpu" => fulmen::dispatch!(|s| self.answer(&Cpu(s), out, err)),
            #[cfg(feature = "parallel")]
            "threads" => fulmen::dispatch!(|s| self.answer(&Threads(s), out, err)),
            #[cfg(feature = "gpu")]
            "interpreter" => {
                let host = fulmen::gpu::device::Host::default();
                self.answer(&fulmen::gpu::backend::Gpu::new(host), out, err)
            }
            #[cfg(feature = "wgpu")]
            "wgpu" => {
                let device = fulmen::gpu::wgpu::Wgpu::from_env().map_err(crate::machine::failed)?;
                self.answer(&fulmen::gpu::backend::Gpu::new(device), out, err)
            }
            #[cfg(feature = "cuda")]
            "cuda" => {
                let device = fulmen::gpu::cuda::Cuda::from_env().map_err(crate::machine::failed)?;
                self.answer(&fulmen::gpu::backend::Gpu::new(device), out, err)
            }
            other => Err(Stop::Usage(format!(
                "there is no backend {} in this build, but {}",
                Shown(other),
                MACHINES.join(", ")
            ))),
        }
    }

    /// The picture, and the notes on it.
    fn picture(&self, err: &mut dyn Write) -> Result<Picture, Stop> {
        let Some(path) = &self.input else { return Ok(made(self.seed)) };
        let bytes = files::read(path).map_err(|e| Stop::Useless(format!("{}: {e}", shown(path))))?;
        let (picture, note) = formats::read(&bytes).map_err(|e| behind(e, &shown(path).to_string()))?;
        if let Some(note) = note {
            // When standard error is closed, the work goes on.
            _ = writeln!(err, "image: note: {}: {note}", shown(path));
        }
        Ok(picture)
    }

    /// Reads, runs the steps, writes, and says what took how long.
    fn answer<M: Machine>(&self, m: &M, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Stop> {
        for (i, (words, step)) in self.steps.iter().enumerate() {
            step.check().map_err(|why| Stop::Useless(format!("step {}, {words}: {why}", i + 1)))?;
        }
        let format = self.output.as_deref().map(Format::of_name).transpose()?;
        if let (Some(output), Some(sheet)) = (&self.output, &self.sheet)
            && (output == sheet || files::same(output, sheet))
        {
            return Err(Stop::Useless(format!("{}: it is to be the result and the sheet", shown(sheet))));
        }
        let inputs: Vec<&Path> = self.input.iter().map(PathBuf::as_path).collect();
        let claim =
            |path: &Option<PathBuf>| path.as_deref().map(|path| Place::claim(path, &inputs)).transpose();
        let (place, sheet_place) = (claim(&self.output)?, claim(&self.sheet)?);
        let mut picture = self.picture(err)?;
        let name = self
            .input
            .as_deref()
            .map_or("a picture that the program made".into(), |path| shown(path).to_string());
        writeln!(out, "{name}: {picture}")?;
        let mut sheet = sheet_place.as_ref().map(|_| Sheet::default());
        if let Some(sheet) = &mut sheet {
            sheet.add(&picture, "before")?;
        }
        for (i, (words, step)) in self.steps.iter().enumerate() {
            let of_step = |e| behind(e, &format!("step {}, {words}", i + 1));
            let pixels = picture.width as f64 * picture.height as f64;
            let started = Instant::now();
            picture = apply(m, step, picture).map_err(of_step)?;
            let took = started.elapsed().as_secs_f64().max(1e-9);
            writeln!(out, "{words}: {picture}; {:.3} ms, {:.1} Mpx/s", 1e3 * took, 1e-6 * pixels / took)?;
            if let Some(sheet) = &mut sheet {
                sheet.add(&picture, words)?;
            }
        }
        // All is encoded before anything is written.
        let result = match (&self.output, format) {
            (Some(path), Some(format)) => {
                let bytes = formats::write(&picture, format, self.quality);
                Some(bytes.map_err(|e| behind(e, &shown(path).to_string()))?)
            }
            _ => None,
        };
        let drawn = match &sheet {
            Some(sheet) => Some(formats::write(&sheet.drawn()?, Format::Png, self.quality)?),
            None => None,
        };
        let what =
            [(&self.output, place, result, "the result"), (&self.sheet, sheet_place, drawn, "the sheet")];
        for (path, place, bytes, what) in what {
            if let (Some(path), Some(place), Some(bytes)) = (path, place, bytes) {
                place.write(|to| to.write_all(&bytes))?;
                writeln!(out, "{}: {what}", shown(path))?;
            }
        }
        let name = m.name();
        let lanes = if ["cpu", "threads"].contains(&self.backend.as_str()) {
            program::lanes(&name)
        } else {
            format!("lanes: {}, {}", self.backend, Shown(&name))
        };
        // When standard error is closed, the picture is there all the same.
        _ = writeln!(err, "{lanes}");
        Ok(())
    }
}

/// The error behind the name of what it is of.
fn behind(e: Stop, name: &str) -> Stop {
    match e {
        Stop::Useless(why) => Stop::Useless(format!("{name}: {}", Shown(why))),
        other => other,
    }
}
