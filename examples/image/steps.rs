//! The steps and their arguments.

use clap::{ArgGroup, CommandFactory, Parser, ValueEnum};
use fulmen::image::{Flip, Interpolation, Luma, Norm, Sampler, ThresholdKind};

/// How a resize makes a pixel of those near it.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum Kernel {
    Nearest,
    NearestFloor,
    Bilinear,
    Bicubic,
    BicubicSharp,
    Lanczos3,
    Area,
}

impl Kernel {
    pub const fn of(self) -> Interpolation {
        match self {
            Self::Nearest => Interpolation::Nearest,
            Self::NearestFloor => Interpolation::NearestFloor,
            Self::Bilinear => Interpolation::Bilinear,
            Self::Bicubic => Interpolation::Bicubic,
            Self::BicubicSharp => Interpolation::BicubicSharp,
            Self::Lanczos3 => Interpolation::Lanczos3,
            Self::Area => Interpolation::Area,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum Sampling {
    Nearest,
    Bilinear,
}

impl Sampling {
    pub const fn of(self) -> Sampler {
        match self {
            Self::Nearest => Sampler::Nearest,
            Self::Bilinear => Sampler::Bilinear,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum Weights {
    Bt601,
    Bt709,
}

impl Weights {
    pub const fn of(self) -> Luma {
        match self {
            Self::Bt601 => Luma::Bt601,
            Self::Bt709 => Luma::Bt709,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum Measure {
    L1,
    L2,
}

impl Measure {
    pub const fn of(self) -> Norm {
        match self {
            Self::L1 => Norm::L1,
            Self::L2 => Norm::L2,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum Kind {
    Binary,
    BinaryInverse,
    Truncate,
    ToZero,
    ToZeroInverse,
}

impl Kind {
    pub const fn of(self) -> ThresholdKind {
        match self {
            Self::Binary => ThresholdKind::Binary,
            Self::BinaryInverse => ThresholdKind::BinaryInverse,
            Self::Truncate => ThresholdKind::Truncate,
            Self::ToZero => ThresholdKind::ToZero,
            Self::ToZeroInverse => ThresholdKind::ToZeroInverse,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum Way {
    Horizontal,
    Vertical,
    Both,
}

impl Way {
    pub const fn of(self) -> Flip {
        match self {
            Self::Horizontal => Flip::Horizontal,
            Self::Vertical => Flip::Vertical,
            Self::Both => Flip::Both,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum Depth {
    #[value(name = "8")]
    Eight,
    #[value(name = "16")]
    Sixteen,
}

/// Columns and rows, of which one may follow from the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted(pub Option<usize>, pub Option<usize>);

fn wanted(text: &str) -> Result<Wanted, String> {
    let why = "it must be WIDTHxHEIGHT, WIDTHx or xHEIGHT, in whole numbers";
    let (width, height) = text.split_once('x').ok_or(why)?;
    let side = |text: &str| match text {
        "" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| why.to_string()),
    };
    match (side(width)?, side(height)?) {
        (None, None) => Err(why.into()),
        (width, height) => Ok(Wanted(width, height)),
    }
}

/// Columns and rows of a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window(pub [usize; 2]);

fn window(text: &str) -> Result<Window, String> {
    let side =
        |text: &str| text.parse::<usize>().map_err(|_| "it must be N or WIDTHxHEIGHT, in whole numbers");
    let (width, height) = text.split_once('x').unwrap_or((text, text));
    Ok(Window([side(width)?, side(height)?]))
}

/// A rectangle: columns and rows, and its first column and row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub size: [usize; 2],
    pub at: [usize; 2],
}

fn area(text: &str) -> Result<Area, String> {
    let why = "it must be WIDTHxHEIGHT+X+Y, in whole numbers";
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<usize>().ok()).ok_or(why);
    let mut parts = text.split('+');
    let (width, height) = parts.next().and_then(|size| size.split_once('x')).ok_or(why)?;
    let size = [number(Some(width))?, number(Some(height))?];
    let at = [number(parts.next())?, number(parts.next())?];
    if parts.next().is_some() { Err(why.into()) } else { Ok(Area { size, at }) }
}

/// Red, green and blue.
fn colour(text: &str) -> Result<[u8; 3], String> {
    match text {
        "white" => return Ok([255; 3]),
        "black" => return Ok([0; 3]),
        _ => {}
    }
    let hex = text.len() == 6 && text.bytes().all(|c| c.is_ascii_hexdigit());
    let number = u32::from_str_radix(text, 16).ok().filter(|_| hex);
    let [_, rgb @ ..] =
        number.ok_or("it must be white, black or RRGGBB in hexadecimal digits")?.to_be_bytes();
    Ok(rgb)
}

/// One step. What is read beyond the edges is the pixel at the edge, except for `rotate`.
#[derive(Debug, Clone, PartialEq, Parser)]
#[command(
    name = "image",
    about = "One step of the program image.",
    disable_help_subcommand = true,
    args_override_self = true
)]
pub enum Step {
    /// Make the picture larger or smaller
    Resize {
        /// WIDTHxHEIGHT; WIDTHx and xHEIGHT keep the ratio
        #[arg(value_parser = wanted)]
        size: Wanted,
        /// The interpolation
        #[arg(long, value_name = "KERNEL", default_value = "bicubic")]
        by: Kernel,
        /// Do not widen the kernel where the picture becomes smaller, as OpenCV does not
        #[arg(long)]
        no_antialias: bool,
    },
    /// Keep a rectangle
    Crop {
        /// WIDTHxHEIGHT+X+Y, from column X and row Y on
        #[arg(value_parser = area)]
        area: Area,
    },
    /// Make the luma of colours the only one (8 bits)
    Grey {
        /// The weights of red, green and blue
        #[arg(long, value_name = "WEIGHTS", default_value = "bt601")]
        luma: Weights,
    },
    /// Blur with a Gaussian
    Blur {
        /// The standard deviation, in pixels, up to 255.75
        #[arg(long)]
        sigma: f64,
        /// The number of weights in a direction, odd [default: as many as reach four times sigma]
        #[arg(long, value_name = "N")]
        size: Option<usize>,
    },
    /// Take the mean of a window, up to 2047 columns and rows where there is alpha or 16 bits
    Box {
        /// N or WIDTHxHEIGHT
        #[arg(long, value_parser = window)]
        size: Window,
    },
    /// Take the median of a window (8 bits)
    Median {
        /// Columns and rows, odd, up to 255
        #[arg(long, value_name = "N")]
        size: usize,
    },
    /// Take a quarter of the magnitude of the gradient of each channel: 255 for a step from black to white
    Sobel,
    /// Draw the edges of the luma in white (8 bits); blur before it where there is noise
    Canny {
        /// Gradients above it are edges beside an edge
        #[arg(long, value_name = "N")]
        low: u32,
        /// Gradients above it are edges
        #[arg(long, value_name = "N")]
        high: u32,
        /// How gradients are measured: |dx| + |dy|, or the length
        #[arg(long, default_value = "l1")]
        norm: Measure,
    },
    /// Take the minimum of a window (8 bits)
    Erode {
        /// N or WIDTHxHEIGHT, odd
        #[arg(long, value_parser = window)]
        size: Window,
    },
    /// Take the maximum of a window (8 bits)
    Dilate {
        /// N or WIDTHxHEIGHT, odd
        #[arg(long, value_parser = window)]
        size: Window,
    },
    /// Spread the levels of each channel over 0 to 255 (8 bits)
    Equalize,
    /// Compare the luma with a level (8 bits)
    #[command(group = ArgGroup::new("level").required(true).args(["at", "otsu"]))]
    Threshold {
        /// The level, from 0 to 255
        #[arg(long, value_name = "N")]
        at: Option<u8>,
        /// The level that divides the picture best, by Otsu's method
        #[arg(long)]
        otsu: bool,
        /// What becomes of pixels above it, and of the others
        #[arg(long, default_value = "binary")]
        kind: Kind,
    },
    /// Mirror the picture: left and right, top and bottom, or both
    Flip { way: Way },
    /// Turn the picture clockwise, exactly by multiples of 90; otherwise it becomes larger, and its corners are transparent, or black without alpha
    Rotate {
        #[arg(allow_negative_numbers = true)]
        degrees: f64,
        /// How pixels are read between others
        #[arg(long, value_name = "SAMPLER", default_value = "bilinear")]
        by: Sampling,
    },
    /// Put a picture with alpha on a colour
    Flatten {
        /// white, black or RRGGBB
        #[arg(long, value_name = "COLOUR", default_value = "white", value_parser = colour)]
        onto: [u8; 3],
    },
    /// Change the bits of each number, rounded to the nearest
    Depth { bits: Depth },
}

impl Step {
    /// The names of all steps.
    pub fn names() -> Vec<String> {
        Self::command().get_subcommands().map(|step| step.get_name().to_string()).collect()
    }

    /// What no picture makes right.
    pub fn check(&self) -> Result<(), String> {
        let odd = |size: usize, most: usize| match size {
            n if n % 2 == 1 && n <= most => Ok(()),
            n if most == usize::MAX => Err(format!("--size {n} is not odd")),
            n => Err(format!("--size {n} is not odd and at most {most}")),
        };
        let zero = |sides: &[usize]| match sides.contains(&0) {
            true => Err("a size of 0 leaves no picture".into()),
            false => Ok(()),
        };
        match self {
            Self::Resize { size: Wanted(width, height), .. } => {
                let sides: Vec<usize> = [*width, *height].into_iter().flatten().collect();
                match sides.iter().find(|n| u32::try_from(**n).is_err()) {
                    Some(n) => Err(format!("{n} is more than 4294967295, the most columns and rows")),
                    None => zero(&sides),
                }
            }
            Self::Crop { area } => zero(&area.size),
            Self::Blur { sigma, size } => {
                if !(*sigma > 0.0 && *sigma <= 255.75) {
                    return Err(format!("--sigma {sigma} is not above 0 and at most 255.75"));
                }
                size.map_or(Ok(()), |n| odd(n, 2047))
            }
            Self::Box { size: Window(sides) } => {
                let pixels = sides[0].checked_mul(sides[1]).filter(|n| (1..=1 << 24).contains(n));
                pixels
                    .map(|_| ())
                    .ok_or_else(|| format!("--size {}x{} is not 1 to 2^24 pixels", sides[0], sides[1]))
            }
            Self::Median { size } => odd(*size, 255),
            Self::Erode { size } | Self::Dilate { size } => {
                size.0.iter().try_for_each(|n| odd(*n, usize::MAX))
            }
            Self::Canny { low, high, .. } if low > high => Err(format!("--low {low} is above --high {high}")),
            Self::Rotate { degrees, .. } if !degrees.is_finite() => Err(format!("{degrees} is no angle")),
            _ => Ok(()),
        }
    }
}

/// What `--help` says of the steps: the arguments that each takes, and what they mean.
pub fn help() -> String {
    let mut text = String::from("Steps:\n");
    for step in Step::command().get_subcommands() {
        let mut line = format!("  {}", step.get_name());
        let mut rows = Vec::new();
        for arg in step.get_arguments().filter(|arg| arg.get_id() != "help") {
            let value = arg.get_value_names().and_then(|names| names.first()).map(|name| format!("<{name}>"));
            let takes = arg.get_action().takes_values();
            let name = match arg.get_long() {
                Some(long) if takes => format!("--{long} {}", value.unwrap_or_default()),
                Some(long) => format!("--{long}"),
                None => value.unwrap_or_default(),
            };
            let one_of =
                step.get_groups().any(|g| g.is_required_set() && g.get_args().any(|id| id == arg.get_id()));
            let needed = arg.is_required_set() || one_of;
            line += &if needed { format!(" {name}") } else { format!(" [{name}]") };
            let mut about = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let values = arg.get_possible_values();
            if takes && !values.is_empty() {
                let values: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
                about += &format!("{}{}", if about.is_empty() { "" } else { ": " }, values.join(", "));
            }
            if let Some(default) = arg.get_default_values().first().filter(|_| takes) {
                about += &format!(" [default: {}]", default.to_string_lossy());
            }
            if !about.is_empty() {
                rows.push(format!("      {name}  {about}\n"));
            }
        }
        let line = line.replace("--at <N> --otsu", "--at <N> | --otsu");
        text += &format!("{line}\n      {}\n", step.get_about().map(ToString::to_string).unwrap_or_default());
        text += &rows.concat();
    }
    text
}
