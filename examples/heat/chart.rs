//! The residuals of a solution as a picture.

use core::fmt::Write;

/// Residuals by step as SVG, by powers of ten.
pub fn svg(residuals: &[f64], title: &str) -> String {
    const SIZE: [f64; 2] = [720.0, 360.0];
    const MARGIN: f64 = 48.0;
    let [w, h] = SIZE.map(|s| s - 2.0 * MARGIN);
    let power = |r: f64| if r > 0.0 { r.log10().max(-320.0) } else { -320.0 };
    let powers = residuals.iter().filter(|r| r.is_finite() && **r > 0.0).map(|r| power(*r));
    let (low, high) =
        powers.fold((-1.0f64, 0.0f64), |(low, high), p| (low.min(p.floor()), high.max(p.ceil())));
    let steps = residuals.len().max(2) - 1;
    let x = |i: usize| MARGIN + w * i as f64 / steps as f64;
    let y = |p: f64| MARGIN + h * (high - p.max(low)) / (high - low);
    let mut s = String::new();
    let mut line = |text: core::fmt::Arguments<'_>| _ = s.write_fmt(text);
    line(format_args!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" ", SIZE[0], SIZE[1]));
    line(format_args!(
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    ));
    line(format_args!("<text x=\"{MARGIN}\" y=\"24\">{title}</text>\n"));
    let every = ((high - low) / 8.0).ceil().max(1.0);
    let mut p = high;
    while p >= low {
        let at = y(p);
        line(format_args!("<path d=\"M{MARGIN} {at:.1}h{w}\" stroke=\"#ddd\"/>\n"));
        line(format_args!(
            "<text x=\"{:.1}\" y=\"{at:.1}\" text-anchor=\"end\">1e{p}</text>\n",
            MARGIN - 6.0
        ));
        p -= every;
    }
    for i in 0..=4 {
        let step = steps * i / 4;
        let at = (x(step), MARGIN + h + 18.0);
        line(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{step}</text>\n",
            at.0, at.1
        ));
    }
    line(format_args!("<path d=\""));
    for (i, &r) in residuals.iter().enumerate().filter(|(_, r)| r.is_finite()) {
        line(format_args!("{}{:.1} {:.1}", if i == 0 { 'M' } else { 'L' }, x(i), y(power(r))));
    }
    line(format_args!("\" fill=\"none\" stroke=\"#247\" stroke-width=\"1.5\"/>\n</svg>\n"));
    s
}
