//! Lines as a picture, drawn by plotters: with a title, names and units of the axes, a legend, the machine and the date.

use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// Colours that the colour-blind tell apart: Okabe and Ito, *Color Universal Design* (2008).
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];
const SIZE: (u32, u32) = (800, 450);
const FONT: &str = "sans-serif";

/// A line of a chart.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Dashed, and without points: a value to compare with.
    pub dashed: bool,
}

/// What a chart shows.
pub struct Chart<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    /// Whether the vertical axis goes by powers of ten.
    pub powers: bool,
}

/// The processor and the date, which a measurement is worth nothing without.
pub fn machine_and_date() -> String {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = known.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let word = if cores == 1 { "core" } else { "cores" };
    format!("{name}, {cores} {word}, {}", jiff::Timestamp::now().strftime("%Y-%m-%d"))
}

impl Chart<'_> {
    /// The chart as SVG. What is not finite, or not above 0 where the axis goes by powers, is left out.
    pub fn svg(&self, lines: &[Line], about: &str) -> Result<String, String> {
        let mut text = String::new();
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        self.draw(&root, lines, about).map_err(|e| e.to_string())?;
        drop(root);
        Ok(text)
    }

    fn draw<'a>(
        &self,
        root: &DrawingArea<SVGBackend<'a>, Shift>,
        lines: &[Line],
        about: &str,
    ) -> Result<(), Box<dyn Error + 'a>> {
        root.fill(&WHITE)?;
        let (above, below) = root.split_vertically(SIZE.1 as i32 - 22);
        let small = (FONT, 12).into_font().color(&RGBColor(70, 70, 70));
        below.draw(&Text::new(about.to_string(), (12, 2), small))?;
        let shown = |y: f64| y.is_finite() && (!self.powers || y > 0.0);
        let all = || lines.iter().flat_map(|l| &l.points).filter(|(_, y)| shown(*y));
        let right = all().fold(1.0f64, |most, (x, _)| most.max(*x));
        let left = all().fold(right, |least, (x, _)| least.min(*x)).min(right - 1.0);
        let high = all().fold(f64::MIN_POSITIVE, |most, (_, y)| most.max(*y));
        let low = all().fold(high, |least, (_, y)| least.min(*y));
        let mut builder = ChartBuilder::on(&above);
        builder
            .caption(self.title, (FONT, 18))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(40)
            .y_label_area_size(64);
        // Two types of axis, and one way to draw on both.
        macro_rules! on {
            ($range:expr, $format:expr) => {{
                let mut chart = builder.build_cartesian_2d(left..right, $range)?;
                chart
                    .configure_mesh()
                    .x_desc(self.x)
                    .y_desc(self.y)
                    .x_labels(10)
                    .x_label_formatter(&|x| format!("{x:.0}"))
                    .y_label_formatter(&$format)
                    .light_line_style(WHITE)
                    .bold_line_style(RGBColor(225, 225, 225))
                    .label_style((FONT, 13))
                    .draw()?;
                for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
                    let points = line.points.iter().copied().filter(|(_, y)| shown(*y));
                    let style = colour.stroke_width(2);
                    let drawn = if line.dashed {
                        chart.draw_series(DashedLineSeries::new(points, 8, 5, style))?
                    } else {
                        chart.draw_series(LineSeries::new(points, style))?
                    };
                    drawn
                        .label(line.name.as_str())
                        .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], style));
                }
                chart
                    .configure_series_labels()
                    .position(if self.powers {
                        SeriesLabelPosition::UpperRight
                    } else {
                        SeriesLabelPosition::LowerLeft
                    })
                    .background_style(WHITE.mix(0.85))
                    .border_style(RGBColor(200, 200, 200))
                    .label_font((FONT, 13))
                    .draw()?;
            }};
        }
        if self.powers {
            let (low, high) = (10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil()));
            on!((low..high.max(10.0 * low)).log_scale(), |y: &f64| format!("{y:.0e}"));
        } else {
            on!(0.0..1.05 * high, |y: &f64| format!("{y:.1}"));
        }
        root.present()?;
        Ok(())
    }
}
