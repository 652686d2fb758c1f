//! A table of cases: our time beside the best of the others, from lines of several programs; as CSV, and a chart beside it.

use fulmen_harness::chart;
use std::fmt::Write as _;
use std::path::Path;

/// The first field of a case that several have is the same.
#[derive(Default)]
struct Case {
    name: String,
    ours: Option<f64>,
    rate: String,
    share: String,
    /// Whose time, and µs: the least.
    peer: Option<(String, f64)>,
}

fn cases(text: &str, all: &mut Vec<Case>) {
    for line in text.lines() {
        let mut fields = line.split('|').map(str::trim);
        let (Some(name), Some(who), Some(time)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let Ok(time) = time.trim_end_matches("µs").trim().parse::<f64>() else { continue };
        let at = all.iter().position(|c| c.name == name).unwrap_or_else(|| {
            all.push(Case { name: name.into(), ..Case::default() });
            all.len() - 1
        });
        let Some(case) = all.get_mut(at) else { continue };
        if who == "fulmen" {
            case.ours = Some(time);
            case.rate = fields.next().unwrap_or_default().into();
            case.share = fields.next().unwrap_or_default().into();
        } else if case.peer.as_ref().is_none_or(|(_, best)| time < *best) {
            case.peer = Some((who.into(), time));
        }
    }
}

/// Writes `csv` and a chart beside it; `logs` are files of lines.
pub fn run(csv: &str, logs: impl Iterator<Item = String>) -> Result<(), String> {
    let mut all = Vec::new();
    for log in logs {
        let text = std::fs::read_to_string(&log).map_err(|e| format!("{log}: {e}"))?;
        cases(&text, &mut all);
    }
    let mut out = String::from("case,us,rate,of_limit,peer,peer_us,of_peer\n");
    // A bar for each kind of cases.
    let mut kinds: Vec<(&str, f64, u32)> = Vec::new();
    println!(
        "{:40} {:>12} {:>22} {:>9} {:>14} {:>12} {:>8}",
        "case", "µs", "rate", "of limit", "peer", "µs", "of peer"
    );
    for case in &all {
        let Some(ours) = case.ours else { continue };
        let (peer, time) = case.peer.clone().unwrap_or_default();
        let ratio = if time > 0.0 { format!("{:.2}", time / ours) } else { String::new() };
        let time_of = if time > 0.0 { format!("{time:.2}") } else { String::new() };
        println!(
            "{:40} {ours:12.2} {:>22} {:>9} {peer:>14} {time_of:>12} {ratio:>8}",
            case.name, case.rate, case.share
        );
        let _ = writeln!(
            out,
            "\"{}\",{ours:.2},{},{},{peer},{time_of},{ratio}",
            case.name, case.rate, case.share
        );
        if time > 0.0 {
            let kind = case.name.split(',').next().unwrap_or_default();
            let kind = kind.split(" of ").next().unwrap_or_default();
            let log = (time / ours).ln();
            match kinds.iter_mut().find(|k| k.0 == kind) {
                Some(k) => (k.1, k.2) = (k.1 + log, k.2 + 1),
                None => kinds.push((kind, log, 1)),
            }
        }
    }
    let csv = Path::new(csv);
    std::fs::write(csv, out).map_err(|e| format!("{}: {e}", csv.display()))?;
    let chart = csv.with_extension("svg");
    let title = "Speed over the best of cuBLAS, cuDNN, cuFFT, FlashAttention-2, PyTorch and torch.compile, geometric means";
    let mean = |(kind, log, many): &(&str, f64, u32)| {
        (format!("{kind}, {many} cases"), (log / f64::from(*many)).exp())
    };
    let bars: Vec<_> = kinds.iter().map(mean).collect();
    std::fs::write(&chart, chart::ratios(title, &bars)).map_err(|e| format!("{}: {e}", chart.display()))
}
