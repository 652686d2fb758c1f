//! Attention of two heads, each token seeing those before it.

use fulmen::random::Stream;
use fulmen::{Attention, MatMut, MatRef, attention, attention_workspace, owned};

pub fn main() -> Result<(), fulmen::Error> {
    let (tokens, heads, dim) = (5, 2, 8);
    let wide = heads * dim;
    let [q, k, v] = [1, 2, 3].map(|key| owned::normal(Stream::new(key), 0.0f32, 1.0, tokens * wide));
    let (q, k, v) = (q?, k?, v?);
    let op = Attention { causal: true, ..Attention::new(heads, heads, dim, 1.0 / (dim as f32).sqrt()) };
    let (mut out, mut workspace) = (vec![0.0; tokens * wide], vec![0.0; attention_workspace(heads, dim)]);
    let view = |x| MatRef::row_major(x, tokens, wide);
    let to = MatMut::row_major(&mut out, tokens, wide)?;
    attention(&op, view(&q)?, view(&k)?, view(&v)?, None, to, None, &mut workspace)?;
    // The first token sees itself alone.
    let off = fulmen::euclidean_distance(&out[..wide], &v[..wide])?;
    println!("first token: off from its value by {off:.1e}");
    assert!(off < 1e-5);
    Ok(())
}
