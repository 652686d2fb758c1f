//! SVG charts: bars of speed over the best peer, and lines of a rate over a size.

use std::fmt::Write as _;

/// A bar per label: our time against the best peer's, on a log scale; 1 is a tie.
pub fn ratios(title: &str, bars: &[(String, f64)]) -> String {
    let (left, width, line) = (230.0, 560.0, 14.0);
    let height = 60.0 + line * bars.len() as f64;
    // 1/4 … 4 across the plot.
    let x = |r: f64| left + width * (0.5 + r.clamp(0.25, 4.0).log2() / 4.0);
    let mut s = start(left + width + 70.0, height, title);
    for tick in [0.25, 0.5, 0.97, 1.5, 2.0, 4.0] {
        let _ = writeln!(
            s,
            "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"34\" y2=\"{1}\" stroke=\"#ccc\"/><text x=\"{0:.1}\" y=\"32\" text-anchor=\"middle\" fill=\"#666\">{tick}</text>",
            x(tick),
            height - 12.0
        );
    }
    for (i, (label, ratio)) in bars.iter().enumerate() {
        let y = 44.0 + line * i as f64;
        let (from, to) = (x(1.0).min(x(*ratio)), x(1.0).max(x(*ratio)));
        let colour = if *ratio >= 0.97 { "#2b8a3e" } else { "#c92a2a" };
        let _ = writeln!(
            s,
            "<text x=\"10\" y=\"{:.1}\">{label}</text><rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"9\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\">{ratio:.2}</text>",
            y + 8.0,
            y,
            (to - from).max(1.0),
            left + width + 14.0,
            y + 8.0,
        );
    }
    s.push_str("</svg>\n");
    s
}

/// A line per name through its points, sizes on a log scale.
pub fn lines(title: &str, unit: &str, series: &[(&str, Vec<(f64, f64)>)]) -> String {
    const COLOURS: [&str; 12] = [
        "#c92a2a", "#862e9c", "#1864ab", "#0b7285", "#2b8a3e", "#e67700", "#5f3dc4", "#d6336c", "#495057",
        "#74b816", "#15aabf", "#868e96",
    ];
    let (left, top, width, height) = (60.0, 40.0, 640.0, 380.0);
    let points = || series.iter().flat_map(|(_, p)| p.iter().copied());
    let least = points().map(|p| p.0).fold(f64::INFINITY, f64::min).log2();
    let most = points().map(|p| p.0).fold(1.0, f64::max).log2().max(least + 1.0);
    let step = 20.0;
    let high = (points().map(|p| p.1).fold(1.0, f64::max) / step).ceil() * step;
    let at = |(n, rate): (f64, f64)| {
        (left + width * (n.log2() - least) / (most - least), top + height * (1.0 - rate / high))
    };
    let mut s = start(left + width + 150.0, top + height + 40.0, title);
    for i in 0..=(high / step) as usize {
        let rate = i as f64 * step;
        let y = at((1.0, rate)).1;
        let _ = writeln!(
            s,
            "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#666\">{rate}</text>",
            left + width,
            left - 6.0,
            y + 4.0
        );
    }
    for power in least.ceil() as i32..=most as i32 {
        let n = f64::from(power).exp2();
        let (x, y) = at((n, 0.0));
        let _ = writeln!(
            s,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\">{n}</text>",
            y + 16.0
        );
    }
    let _ =
        writeln!(s, "<text x=\"{left}\" y=\"{:.1}\" fill=\"#666\">{unit} over n</text>", top + height + 32.0);
    for (i, (name, points)) in series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let path: Vec<String> =
            points.iter().map(|p| at(*p)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let wide = if *name == "fulmen" { 3.0 } else { 1.3 };
        let dash = if *name == "roof" { " stroke-dasharray=\"4 3\"" } else { "" };
        let y = top + 10.0 + 16.0 * i as f64;
        let _ = writeln!(
            s,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{wide}\"{dash}/><text x=\"{:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{name}</text>",
            path.join(" "),
            left + width + 12.0,
        );
    }
    s.push_str("</svg>\n");
    s
}

fn start(width: f64, height: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"18\" font-size=\"13\">{title}</text>\n"
    )
}
