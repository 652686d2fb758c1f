//! Draws the bars of tables that benches wrote: `cargo run --manifest-path benches/harness/Cargo.toml --bin bars -- CSV …`

use fulmen_harness::chart;
use std::error::Error;
use std::path::Path;

/// The rows that are ours and have a peer, as labels and ratios; the machine and the day of the table.
fn read(table: &str) -> Result<(Vec<(String, f64)>, String), Box<dyn Error>> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let of = |name: &str| names.iter().position(|n| *n == name).ok_or(format!("no column {name}"));
    let label = [of("op")?, of("type")?, of("size")?];
    let (who, ratio, machine, date) =
        (of("contender")?, of("ratio_to_best_peer")?, of("machine")?, of("date")?);
    let (mut bars, mut where_and_when) = (Vec::new(), String::new());
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != names.len() {
            return Err(format!("not {} cells: {line}", names.len()).into());
        }
        where_and_when = format!("{}, {}", cells[machine], cells[date]);
        let (Some(which), Ok(ratio)) = (cells[who].strip_prefix("fulmen"), cells[ratio].parse::<f64>())
        else {
            continue;
        };
        if ratio.is_finite() {
            bars.push((format!("{} {which}", label.map(|l| cells[l]).join(" ")), ratio));
        }
    }
    Ok((bars, where_and_when))
}

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let path = Path::new(&path);
        let (bars, where_and_when) = read(&std::fs::read_to_string(path)?)?;
        let title = format!("speed of fulmen over the best peer (right of 1 is faster); {where_and_when}");
        let to = path.with_extension("svg");
        std::fs::write(&to, chart::ratios(&title, &bars))?;
        println!("{}: {} bars", to.display(), bars.len());
    }
    Ok(())
}
