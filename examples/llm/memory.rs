//! What the program needs of the machine's memory: planned, compared with what is free, then allocated once.

pub use crate::files::Bytes;
pub use crate::files::free;
use core::fmt;
use fulmen::Error;

/// A buffer's name and its elements of four bytes.
pub type Row = (&'static str, usize);

/// Why a run cannot start or go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// More bytes than are free; `None` when they cannot be counted.
    Memory { needed: Option<u128>, free: Option<u64> },
    /// What a kernel refused.
    Kernel(Error),
    /// A model gave logits that are NaN or infinite after so many tokens.
    Odd(usize),
    /// What joins the ranks of a run said.
    #[cfg(feature = "collective")]
    Ranks(fulmen::collective::Error),
    /// What a device said.
    #[cfg(feature = "gpu")]
    Device(fulmen::gpu::device::Error),
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { needed, free } => {
                f.write_str("these sizes need ")?;
                match needed {
                    Some(n) => write!(f, "{} of memory", Bytes(*n))?,
                    None => f.write_str("more memory than there are addresses")?,
                }
                match free {
                    Some(free) => {
                        write!(f, ", {} are free (--plan lists the buffers)", Bytes((*free).into()))
                    }
                    None => f.write_str(", which the system does not give (--plan lists the buffers)"),
                }
            }
            Self::Kernel(e) => write!(f, "{e}"),
            Self::Odd(n) => write!(f, "the model's logits after {n} tokens are not all finite numbers"),
            #[cfg(feature = "collective")]
            Self::Ranks(e) => write!(f, "{e}"),
            #[cfg(feature = "gpu")]
            Self::Device(e) => write!(f, "{e}"),
        }
    }
}

impl From<Error> for Lack {
    fn from(e: Error) -> Self {
        Self::Kernel(e)
    }
}

#[cfg(feature = "gpu")]
impl From<fulmen::gpu::device::Error> for Lack {
    fn from(e: fulmen::gpu::device::Error) -> Self {
        Self::Device(e)
    }
}

/// The bytes of all rows.
pub fn total(rows: &[Row]) -> u128 {
    rows.iter().map(|r| 4 * r.1 as u128).sum()
}

/// Refuses a plan of more bytes than are free.
pub fn check(rows: &[Row]) -> Result<(), Lack> {
    let (needed, free) = (total(rows), free());
    // Without a count of what is free, the allocator has the word.
    let most = free.map_or(isize::MAX as u128, u128::from);
    if needed > most { Err(Lack::Memory { needed: Some(needed), free }) } else { Ok(()) }
}

/// The product, or that there are not so many addresses.
pub fn product(sizes: &[usize]) -> Result<usize, Lack> {
    let most = isize::MAX as usize / 4;
    let n = sizes.iter().try_fold(1usize, |n, &size| n.checked_mul(size)).filter(|&n| n <= most);
    n.ok_or(Lack::Memory { needed: None, free: free() })
}

/// `n` zeros.
pub fn zeros<T: Copy + Default>(n: usize) -> Result<Vec<T>, Lack> {
    let mut x = Vec::new();
    let needed = Some(n as u128 * size_of::<T>() as u128);
    x.try_reserve_exact(n).map_err(|_| Lack::Memory { needed, free: None })?;
    x.resize(n, T::default());
    Ok(x)
}
