//! The table of a backend story: the worst errors of each op, as shares of what its contract allows.

use crate::lanes::skipped;
use fulmen::ops::OPS;
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Shares {
    pub columns: Vec<String>,
    cells: BTreeMap<(usize, &'static str), Vec<String>>,
}

impl Shares {
    /// The worst of an op in the last column, `None` when it has no such form.
    pub fn add(&mut self, op: &str, ty: &'static str, worst: Option<f64>) {
        let cell = worst.map_or("serial".into(), |w| format!("{w:.2}"));
        let i = OPS.iter().position(|row| row.name == op).expect("an op of the list");
        self.cells.entry((i, ty)).or_default().push(cell);
    }

    /// Prints the table; all ops of these shapes ran in every column.
    pub fn print(&self, ran: &[&str], shapes: impl Fn(&str) -> bool) {
        show("worst error as a share of what the contract allows; 0.00 is exact");
        let line = |name: String, cells: &[String]| {
            let cells: String = cells.iter().map(|c| format!("{c:>15}")).collect();
            show(&format!("{name:<22}{cells}"));
        };
        line(String::new(), &self.columns);
        for (i, op) in OPS.iter().enumerate().filter(|(_, op)| shapes(op.shape)) {
            for ty in ["f32", "f64"] {
                let cells =
                    self.cells.get(&(i, ty)).unwrap_or_else(|| panic!("{} {ty} did not run", op.name));
                assert_eq!(cells.len(), self.columns.len(), "{} {ty} did not run everywhere", op.name);
                line(format!("{} {ty}", op.name), cells);
            }
        }
        skipped(ran).for_each(|line| show(&line));
        #[cfg(not(feature = "parallel"))]
        show("skipped parallel: the build lacks the feature");
    }
}

/// A line of output; `--show-output` has a passing test show it.
pub fn show(line: &str) {
    #[cfg(target_arch = "wasm32")]
    wasm_bindgen_test::console_log!("{line}");
    #[cfg(not(target_arch = "wasm32"))]
    println!("{line}");
}
