//! Find the vectors most similar to a query: cosine similarity of rows, then the largest.

use fulmen::random::Stream;
use fulmen::{cosine_similarity_rows, owned};

pub fn main() -> Result<(), fulmen::Error> {
    let (count, dim) = (1000, 64);
    let vectors = owned::normal(Stream::new(42), 0.0f32, 1.0, count * dim)?;
    // Vector 123, with noise.
    let noise = owned::normal(Stream::new(43), 0.0f32, 0.2, dim)?;
    let query = owned::map(fulmen::Add, [&vectors[123 * dim..124 * dim], &noise])?;
    let mut scores = vec![0.0; count];
    cosine_similarity_rows(&query, &vectors, &mut scores)?;
    let (best, at) = owned::top_k(&scores, 3)?;
    for (score, at) in best.iter().zip(&at) {
        println!("vector {at}: {score:.3}");
    }
    assert!(at[0] == 123 && best[0] > 0.9);
    Ok(())
}
