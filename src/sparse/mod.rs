//! Sparse matrices over slices of the caller, validated once: formats, products, solvers and preconditioners.
//!
//! ```
//! use fulmen::{Csr, spmv};
//! // [4 0 1]
//! // [0 2 0]
//! let (offsets, columns, values) = ([0, 2, 3], [0, 2, 1], [4.0f32, 1.0, 2.0]);
//! let a = Csr::new(2, 3, &offsets, &columns, &values)?;
//! let mut y = [0.0; 2];
//! spmv(1.0, a, &[1.0, 10.0, 100.0], 0.0, &mut y)?;
//! assert_eq!(y, [104.0, 20.0]);
//! # Ok::<(), fulmen::Error>(())
//! ```

pub(crate) mod bsr;
pub(crate) mod cg;
pub(crate) mod colors;
pub(crate) mod convert;
pub(crate) mod csr;
pub(crate) mod dia;
pub(crate) mod krylov;
pub(crate) mod lobpcg;
#[cfg(feature = "std")]
pub mod market;
pub(crate) mod preconditioners;
mod residual;
pub(crate) mod sddmm;
pub(crate) mod sell;
pub(crate) mod spgemm;
pub(crate) mod spmm;
pub(crate) mod spmv;
pub(crate) mod triangular;

pub use bsr::{Bsr, spmv_bsr, spmv_bsr_on};
pub use cg::{Cg, cg, cg_on, cg_workspace};
pub use colors::{Colors, gauss_seidel_colored, gauss_seidel_colored_on};
pub use convert::{coo_to_csr, coo_to_csr_on, coo_to_csr_workspace, csr_transpose, csr_transpose_on};
pub use csr::Csr;
pub use dia::{Dia, spmv_dia, spmv_dia_on};
pub use krylov::{bicgstab, bicgstab_on, bicgstab_workspace, gmres, gmres_on, gmres_workspace};
pub use lobpcg::{lobpcg, lobpcg_on, lobpcg_workspace};
pub use preconditioners::{gauss_seidel, gauss_seidel_on, ic0, ic0_on};
pub use sddmm::{sddmm, sddmm_on};
pub use sell::{Sell, spmv_sell, spmv_sell_on};
pub use spgemm::{spadd, spadd_on, spgemm, spgemm_on, spgemm_workspace};
pub use spmm::{spmm, spmm_on};
pub use spmv::{spmv, spmv_on, spmv_transposed, spmv_transposed_on};
pub use triangular::{ilu0, ilu0_on, spsv, spsv_on};
