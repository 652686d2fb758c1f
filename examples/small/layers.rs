//! A convolution of a signal as networks have it: filters over channels, with stride and padding.

use fulmen::{Conv1d, owned};

pub fn main() -> Result<(), fulmen::Error> {
    // One channel of 8 numbers; two filters of 3: a difference and a mean.
    let conv = Conv1d { padding: 1, stride: 2, ..Conv1d::new(1, 2, 8, 3) };
    let x = [0.0f32, 0.0, 0.0, 3.0, 3.0, 3.0, 0.0, 0.0];
    let filters = [-1.0, 0.0, 1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];
    let y = owned::conv1d(conv, &x, &filters, None)?;
    let (edges, means) = y.split_at(conv.output()?);
    println!("edges {edges:?}, means {means:.2?}");
    assert_eq!(edges, [0.0, 3.0, 0.0, -3.0]);
    Ok(())
}
