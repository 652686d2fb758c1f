//! Declares the public matrix products of 16- and 8-bit floats and those on AMX. The declarations are read without the
//! features that compile their kernels.

use crate::forms::ops;

#[cfg(feature = "half")]
use super::half::{gemm_bf16_by, gemm_e4m3_by, gemm_f16_by};
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
use super::{amx_threads::*, split_bf16::AmxPath};

ops! { $ half_ops in crate::blas::gemm::half #[cfg(feature = "half")];
    /// `C = αAB + βC` with A and B in bf16 and C in `f32`.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The bits are those of
    /// [`gemm`](crate::gemm()) on A and B converted to `f32`, so its error bound holds; and products of two bf16 numbers
    /// are exact in `f32`, but for subnormal ones and overflow.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`](crate::Error::Shape) names `b` or `c`; [`Error::Workspace`](crate::Error::Workspace). Nothing is written then.
    ///
    /// Scratch: [`gemm_bf16_workspace`](crate::gemm_bf16_workspace()), in `f32`; what it holds before and after does not matter.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm_bf16, gemm_bf16_workspace};
    /// use half::bf16;
    /// let (a, b) = ([1.0, 2.0, 3.0, 4.0].map(bf16::from_f32), [5.0, 6.0, 7.0, 8.0].map(bf16::from_f32));
    /// let mut c = [0.0f32; 4];
    /// let mut workspace = [0.0; gemm_bf16_workspace(2, 2, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
    /// gemm_bf16(1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    /// assert_eq!(c, [19.0, 22.0, 43.0, 50.0]);
    /// // A bias and an activation follow in registers.
    /// let layer = fulmen::Chain(fulmen::BiasCol(&[-20.0, -23.0]), fulmen::Pointwise(fulmen::Relu));
    /// fulmen::gemm_bf16_with(1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2)?, layer, &mut workspace)?;
    /// assert_eq!(c, [0.0, 0.0, 23.0, 27.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`gemm`](crate::gemm()).
    threads "Scratch: [`gemm_bf16_workspace`](crate::gemm_bf16_workspace()) for each thread."
    gemm_bf16<>, gemm_bf16_on, gemm_bf16_by
        (alpha: by f32, a: mat ::half::bf16, b: mat ::half::bf16, beta: by f32, c: mat_inout f32, workspace: scratch f32) -> Result<()>;

    /// `C = αAB + βC` with A and B in f16 (IEEE 754 binary16) and C in `f32`.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The bits are those of
    /// [`gemm`](crate::gemm()) on A and B converted to `f32`, so its error bound holds; and products of two f16 numbers
    /// are always exact in `f32`.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`](crate::Error::Shape) names `b` or `c`; [`Error::Workspace`](crate::Error::Workspace). Nothing is written then.
    ///
    /// Scratch: [`gemm_f16_workspace`](crate::gemm_f16_workspace()), in `f32`; what it holds before and after does not matter.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm_f16, gemm_f16_workspace};
    /// use half::f16;
    /// let (a, b) = ([1.0, 2.0].map(f16::from_f32), [3.0, 4.0].map(f16::from_f32));
    /// let mut c = [1.0f32];
    /// let mut workspace = [0.0; gemm_f16_workspace(1, 1, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 1, 2)?, MatRef::row_major(&b, 2, 1)?);
    /// gemm_f16(2.0, a, b, 1.0, MatMut::row_major(&mut c, 1, 1)?, &mut workspace)?;
    /// assert_eq!(c, [23.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`gemm`](crate::gemm()).
    threads "Scratch: [`gemm_f16_workspace`](crate::gemm_f16_workspace()) for each thread."
    gemm_f16<>, gemm_f16_on, gemm_f16_by
        (alpha: by f32, a: mat ::half::f16, b: mat ::half::f16, beta: by f32, c: mat_inout f32, workspace: scratch f32) -> Result<()>;

    /// `C = αAB + βC` with A and B in [`E4m3`](crate::E4m3), floats of eight bits, and C in `f32`. What the bytes are multiples of goes
    /// into α.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The bits are those of
    /// [`gemm`](crate::gemm()) on A and B converted to `f32`, so its error bound holds; and products of two of these
    /// numbers are always exact in `f32`.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`](crate::Error::Shape) names `b` or `c`; [`Error::Workspace`](crate::Error::Workspace). Nothing is written then.
    ///
    /// Scratch: [`gemm_e4m3_workspace`](crate::gemm_e4m3_workspace()), in `f32`; what it holds before and after does not matter.
    ///
    /// ```
    /// use fulmen::{E4m3, MatMut, MatRef, gemm_e4m3, gemm_e4m3_workspace};
    /// // A by rows that were divided by 8, B by ones that were divided by 2.
    /// let (a, b) = ([1.5, -20.0].map(E4m3::from_f32), [3.0, 0.25].map(E4m3::from_f32));
    /// let mut c = [1.0f32];
    /// let mut workspace = [0.0; gemm_e4m3_workspace(1, 1, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 1, 2)?, MatRef::row_major(&b, 2, 1)?);
    /// gemm_e4m3(16.0, a, b, 1.0, MatMut::row_major(&mut c, 1, 1)?, &mut workspace)?;
    /// assert_eq!(c, [-7.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`gemm`](crate::gemm()); P. Micikevicius et al.: FP8 Formats for Deep Learning, 2022.
    threads "Scratch: [`gemm_e4m3_workspace`](crate::gemm_e4m3_workspace()) for each thread."
    gemm_e4m3<>, gemm_e4m3_on, gemm_e4m3_by
        (alpha: by f32, a: mat crate::E4m3, b: mat crate::E4m3, beta: by f32, c: mat_inout f32, workspace: scratch f32) -> Result<()>;
}

ops! { $ amx_ops in crate::blas::gemm::amx_threads #[cfg(all(target_arch = "x86_64", feature = "avx512"))];
    /// [`gemm_i8`](crate::gemm_i8()) on the tiles of AMX: the same bits.
    ///
    /// Errors and scratch: as [`gemm_i8`](crate::gemm_i8()).
    unit "Scratch: [`gemm_i8_workspace`](crate::gemm_i8_workspace()) for each thread."
    gemm_i8_amx<>, none, gemm_i8_amx_by
        (amx: by crate::lanes::Amx, alpha: by i32, a: mat i8, b: mat i8, beta: by i32, c: mat_inout i32, workspace: scratch i32) -> Result<()>;

    /// `C = αAB + βC` in `f32`, by six products of bf16 matrices on AMX.
    ///
    /// Shapes: as [`gemm`](crate::gemm()). Each element is split into three parts of eight bits, `x = x₀ + x₁ + x₂`, which is exact;
    /// `x₀y₀`, `x₀y₁`, `x₁y₀`, `x₁y₁`, `x₀y₂` and `x₂y₀` are exact too and added up in `f32`, and what is left out is at
    /// most `2⁻²⁴(1 + 2⁻⁹)|xy|`, so that the error is within the bound of [`gemm`](crate::gemm()). The bits depend on α, β, the row of A
    /// and the column of B, and on the path below.
    ///
    /// The tiles know no subnormal numbers, and an infinity cannot be split. They are used ([`AmxPath::Tiles`](crate::AmxPath::Tiles)) when every
    /// element of A and B is 0 or between 2⁻⁹⁶ and 2¹²⁷ in magnitude, no product of one of A and one of B can be
    /// below 2⁻⁹⁶ unless it is 0, and no sum of `k` of them can reach 2¹²⁶; else the call is one of
    /// [`gemm_on`](crate::gemm_on) with AVX-512 ([`AmxPath::Lanes`](crate::AmxPath::Lanes)). To see which, A and B are read once more.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`](crate::Error::Shape) names `b` or `c`; [`Error::Workspace`](crate::Error::Workspace). Nothing is written then.
    ///
    /// Scratch: [`gemm_f32_amx_workspace`](crate::gemm_f32_amx_workspace()).
    ///
    /// ```
    /// # #[cfg(feature = "std")]
    /// if let Some(amx) = fulmen::lanes::Amx::detect() {
    ///     use fulmen::{AmxPath, MatMut, MatRef, gemm_f32_amx, gemm_f32_amx_workspace};
    ///     let (a, b) = ([1.0f32, 2.0, 3.0, 4.0], [5.0f32, 6.0, 7.0, 0.1]);
    ///     let mut c = [0.0f32; 4];
    ///     let mut workspace = [0.0; gemm_f32_amx_workspace(2, 2, 2)];
    ///     let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
    ///     let path = gemm_f32_amx(amx, 1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    ///     assert_eq!((path, c[0], c[2]), (AmxPath::Tiles, 19.0, 43.0));
    /// }
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: G. Henry, P. T. P. Tang and A. Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For
    /// Higher-Precision Computations" (2019).
    unit "Scratch: [`gemm_f32_amx_workspace`](crate::gemm_f32_amx_workspace()) for each thread."
    gemm_f32_amx<>, none, gemm_f32_amx_by
        (amx: by crate::lanes::Amx, alpha: by f32, a: mat f32, b: mat f32, beta: by f32, c: mat_inout f32, workspace: scratch f32) -> Result<AmxPath>;

    /// [`gemm_f32_amx`](crate::gemm_f32_amx()) by three products, `x₁y₀ + x₀y₀ + x₀y₁`: twice as fast, and for data of some 15 bits.
    ///
    /// What is left out is at most `2⁻¹⁵(1 + 2⁻⁹)|xy|` of each product, beside the rounding of the sums: the
    /// error is within `(2⁻¹⁵(1 + 2⁻⁹) + γ_(k + 4))·|α||A||B| + γ₄|β||C|`. All else is as for [`gemm_f32_amx`](crate::gemm_f32_amx()), also the choice of
    /// the path.
    unit "Scratch: [`gemm_f32_amx_workspace`](crate::gemm_f32_amx_workspace()) for each thread."
    gemm_f32_amx3<>, none, gemm_f32_amx3_by
        (amx: by crate::lanes::Amx, alpha: by f32, a: mat f32, b: mat f32, beta: by f32, c: mat_inout f32, workspace: scratch f32) -> Result<AmxPath>;
}

ops! { $ half_amx_ops in crate::blas::gemm::amx_threads #[cfg(all(target_arch = "x86_64", feature = "avx512", feature = "half"))];
    /// [`gemm_bf16`](crate::gemm_bf16()) on the tiles of AMX.
    ///
    /// Sums run over pairs of products, sixteen pairs at a time, with one rounding for each product and each sum; no
    /// intermediate result is wider than `f32`. The error is within the bound of [`gemm`](crate::gemm()) as long as nothing is
    /// subnormal: **the tiles take a subnormal element of A or B for 0, and a sum below 2⁻¹²⁶ becomes 0.** The bits
    /// depend on α, β, the row of A and the column of B.
    ///
    /// NaN, infinities, ±0 and errors: as [`gemm`](crate::gemm()). Scratch: [`gemm_bf16_workspace`](crate::gemm_bf16_workspace()).
    ///
    /// ```
    /// # #[cfg(feature = "std")]
    /// if let Some(amx) = fulmen::lanes::Amx::detect() {
    ///     use fulmen::{MatMut, MatRef, gemm_bf16_amx, gemm_bf16_workspace};
    ///     let (a, b) = ([1.0, 2.0].map(half::bf16::from_f32), [3.0, 4.0].map(half::bf16::from_f32));
    ///     let (mut c, mut workspace) = ([0.0f32], [0.0; gemm_bf16_workspace(1, 1, 2)]);
    ///     let (a, b) = (MatRef::row_major(&a, 1, 2)?, MatRef::row_major(&b, 2, 1)?);
    ///     gemm_bf16_amx(amx, 1.0, a, b, 0.0, MatMut::row_major(&mut c, 1, 1)?, &mut workspace)?;
    ///     assert_eq!(c, [11.0]);
    /// }
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, TDPBF16PS.
    unit "Scratch: [`gemm_bf16_workspace`](crate::gemm_bf16_workspace()) for each thread."
    gemm_bf16_amx<>, none, gemm_bf16_amx_by
        (amx: by crate::lanes::Amx, alpha: by f32, a: mat ::half::bf16, b: mat ::half::bf16, beta: by f32, c: mat_inout f32, workspace: scratch f32) -> Result<()>;
}
