//! Train a classifier: a linear layer, cross-entropy and Adam.

use fulmen::random::Stream;
use fulmen::{Adam, adam, cross_entropy_with_gradient, owned};

pub fn main() -> Result<(), fulmen::Error> {
    let (count, dim, classes) = (200, 2, 2);
    // Class 1 lies above the line x + y = 0.
    let x = owned::normal(Stream::new(3), 0.0f32, 1.0, count * dim)?;
    let targets: Vec<u32> = x.chunks_exact(dim).map(|p| u32::from(p[0] + p[1] > 0.0)).collect();
    let mut w = vec![0.0f32; dim * classes];
    let (mut m, mut v) = (w.clone(), w.clone());
    let (mut losses, xt) = (vec![0.0; count], owned::transpose(&x, dim)?);
    for step in 1..=200 {
        let mut logits = owned::matmul(&x, dim, &w)?;
        // Over the logits: their gradient, of the mean of the losses.
        cross_entropy_with_gradient(&mut logits, &targets, classes, 1.0 / count as f32, &mut losses)?;
        let gradient = owned::matmul(&xt, count, &logits)?;
        adam(Adam { lr: 0.1, step, ..Default::default() }, &gradient, &mut m, &mut v, &mut w)?;
    }
    let loss = fulmen::mean(&losses)?;
    println!("loss {loss:.3}, weights {w:.2?}");
    assert!(loss < 0.1);
    Ok(())
}
