//! Compress bytes as LZ4 and back.

use fulmen::{lz4_bound, lz4_compress, lz4_decompress};

pub fn main() -> Result<(), fulmen::Error> {
    let data = b"the rain in Spain stays mainly in the plain; ".repeat(20);
    let (mut packed, mut sizes) = (vec![0; lz4_bound(data.len())], [0]);
    lz4_compress(&data, data.len(), &mut packed, &mut sizes)?;
    packed.truncate(sizes[0] as usize);
    println!("{} bytes in {}", data.len(), packed.len());
    let mut back = vec![0; data.len()];
    lz4_decompress(&packed, &sizes, data.len(), &mut back)?;
    assert!(back == data && packed.len() < 100);
    Ok(())
}
