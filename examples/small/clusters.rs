//! Group points around their means (k-means).

use fulmen::random::Stream;
use fulmen::{argmin, euclidean_distance, owned};

pub fn main() -> Result<(), fulmen::Error> {
    // Points around (-5, 0) and around (5, 0), in turn.
    let noise = owned::normal(Stream::new(9), 0.0f64, 1.0, 400)?;
    let points: Vec<f64> = noise.iter().enumerate().map(|(k, x)| x + [-5.0, 0.0, 5.0, 0.0][k % 4]).collect();
    let mut centres = vec![[-1.0, 1.0], [1.0, -1.0]];
    for _ in 0..10 {
        let mut sums = [[0.0f64; 3]; 2];
        for p in points.chunks_exact(2) {
            let off = [euclidean_distance(p, &centres[0])?, euclidean_distance(p, &centres[1])?];
            let sum = &mut sums[argmin(&off)?];
            *sum = [sum[0] + p[0], sum[1] + p[1], sum[2] + 1.0];
        }
        centres = sums.iter().map(|[x, y, n]| [x / n.max(1.0), y / n.max(1.0)]).collect();
    }
    println!("centres: {centres:.2?}");
    assert!((centres[0][0] + 5.0).abs() < 0.5 && (centres[1][0] - 5.0).abs() < 0.5);
    Ok(())
}
