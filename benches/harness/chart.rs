//! One SVG: per op and size, our time against the best peer's, on a log scale; 1 is a tie.

use super::Row;
use std::fmt::Write as _;

pub fn ratios(name: &str, rows: &[Row]) -> String {
    let ours: Vec<&Row> =
        rows.iter().filter(|r| r.contender == "fulmen" && r.ratio_to_best_peer.is_finite()).collect();
    let (left, width, line) = (230.0, 560.0, 14.0);
    let height = 60.0 + line * ours.len() as f64;
    // 1/4 … 4 across the plot.
    let x = |r: f64| left + width * (0.5 + r.clamp(0.25, 4.0).log2() / 4.0);
    let mut s = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"18\" font-size=\"13\">{name}: speed of fulmen over the best peer ({}; right of 1 is faster)</text>\n",
        left + width + 70.0,
        super::cpu()
    );
    for tick in [0.25, 0.5, 0.97, 1.5, 2.0, 4.0] {
        let _ = writeln!(
            s,
            "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"34\" y2=\"{1}\" stroke=\"#ccc\"/><text x=\"{0:.1}\" y=\"32\" text-anchor=\"middle\" fill=\"#666\">{tick}</text>",
            x(tick),
            height - 12.0
        );
    }
    for (i, r) in ours.iter().enumerate() {
        let y = 44.0 + line * i as f64;
        let (from, to) = (x(1.0).min(x(r.ratio_to_best_peer)), x(1.0).max(x(r.ratio_to_best_peer)));
        let colour = if r.ratio_to_best_peer >= 0.97 { "#2b8a3e" } else { "#c92a2a" };
        let _ = writeln!(
            s,
            "<text x=\"10\" y=\"{:.1}\">{} {} n={}</text><rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"9\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\">{:.2}</text>",
            y + 8.0,
            r.op,
            r.ty,
            r.n,
            y,
            (to - from).max(1.0),
            left + width + 14.0,
            y + 8.0,
            r.ratio_to_best_peer
        );
    }
    s.push_str("</svg>\n");
    s
}
