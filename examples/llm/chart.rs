//! The losses of a run as a picture.

use core::fmt::Write;

/// Losses by step as SVG, in nats per byte, with the entropy of byte pairs as a line to compare with.
pub fn svg(losses: &[f32], bigram: f32) -> String {
    const SIZE: [f32; 2] = [720.0, 360.0];
    const MARGIN: f32 = 48.0;
    let [w, h] = SIZE.map(|s| s - 2.0 * MARGIN);
    let top = losses.iter().copied().chain([bigram]).filter(|x| x.is_finite()).fold(0.1f32, f32::max);
    let steps = losses.len().max(2) - 1;
    let x = |i: usize| MARGIN + w * i as f32 / steps as f32;
    let y = |loss: f32| MARGIN + h * (1.0 - loss.clamp(0.0, top) / top);
    let mut s = String::new();
    let mut line = |text: core::fmt::Arguments<'_>| _ = s.write_fmt(text);
    line(format_args!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" ", SIZE[0], SIZE[1]));
    line(format_args!(
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    ));
    line(format_args!(
        "<text x=\"{MARGIN}\" y=\"24\">loss in nats per byte; dashed: entropy of byte pairs, {bigram:.3}</text>\n"
    ));
    for i in 0..=4 {
        let loss = top * i as f32 / 4.0;
        let at = y(loss);
        line(format_args!("<path d=\"M{MARGIN} {at:.1}h{w}\" stroke=\"#ddd\"/>\n"));
        line(format_args!(
            "<text x=\"{:.1}\" y=\"{at:.1}\" text-anchor=\"end\">{loss:.2}</text>\n",
            MARGIN - 6.0
        ));
        let step = steps * i / 4;
        line(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{step}</text>\n",
            x(step),
            MARGIN + h + 18.0
        ));
    }
    line(format_args!(
        "<path d=\"M{MARGIN} {:.1}h{w}\" stroke=\"#c33\" stroke-dasharray=\"6 4\"/>\n<path d=\"",
        y(bigram)
    ));
    for (i, &loss) in losses.iter().enumerate().filter(|(_, loss)| loss.is_finite()) {
        line(format_args!("{}{:.1} {:.1}", if i == 0 { 'M' } else { 'L' }, x(i), y(loss)));
    }
    line(format_args!("\" fill=\"none\" stroke=\"#247\" stroke-width=\"1.5\"/>\n</svg>\n"));
    s
}
