//! Every size at which an op selects another loop, block size, store or number of threads. The tests of large sizes run
//! each kernel one below, at and one above each of them; `scripts/source.py` finds thresholds that are not listed.

use crate::lanes::{Element, Simd, vector::Vector};

/// What a threshold counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Elements, rows, columns or steps.
    Elements,
    /// Bytes of one or several operands.
    Bytes,
    /// Registers full of elements.
    Vectors,
    /// Multiplications.
    Products,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// The module that holds the constant, from the root of the crate, and its name.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// What it counts.
    pub unit: Unit,
}

macro_rules! thresholds {
    ($(#[$at:meta])* $list:ident $($first:ident$(::$part:ident)+ $unit:ident;)*) => {
        $(#[$at])*
        pub const $list: &[Threshold] = &[$(Threshold {
            name: concat!(stringify!($first) $(, "::", stringify!($part))+),
            value: crate::$first$(::$part)+,
            unit: Unit::$unit,
        }),*];
    };
}
thresholds! {
    /// Those of every build.
    ALL
    lanes::planes::BLOCK Elements;
    image::distance::AROUND Elements;
    image::distance::BLOCK Elements;
    image::distance::REACH Elements;
    image::distance::ROOTS Elements;
    image::distance::STEPS Elements;
    image::distance::WORK Bytes;
    image::rank::GROUP Elements;
    image::rank::STRIPE Elements;
    image::turn::TILE Elements;
    image::rank::BLOCK Elements;
    image::rank::BESIDE Elements;
    image::rank::SORTED Elements;
    image::rank::COLUMNS Elements;
    image::resize::passes::PAST Elements;
    image::resize::passes::STRIP Bytes;
    image::warp::lines::BLOCK Elements;
    lanes::taps::BLOCK Elements;
    lanes::taps::LINES Elements;
    lanes::taps::read::HELD Elements;
    blas::gemv_columns::COLUMNS Elements;
    blas::gemv_columns::NEAR_BYTES Bytes;
    blas::gemv_columns::CHUNK Elements;
    blas::gemv_columns::SMALL_CHUNK Elements;
    blas::complex::elements::APART Elements;
    blas::complex::product::COLUMNS Elements;
    blas::complex::product::DEPTH Elements;
    blas::complex::product::LINES Elements;
    blas::complex::product::ROWS Elements;
    blas::complex::vectors::TOGETHER Elements;
    blas::complex::vectors::COLUMNS Elements;
    blas::complex::vectors::ROWS Elements;
    blas::gemm::gebp::MOST_TILE_COLS Elements;
    blas::gemm::gebp::COLUMNS Elements;
    blas::gemm::pack::STEPS Elements;
    blas::gemm::small_m::GROUP Elements;
    blas::gemm::tune::MOST_LANES Elements;
    blas::gemm::tune::LEAST_DEPTH Elements;
    blas::gemm::tune::MOST_DEPTH Elements;
    blas::gemm::tune::MOST_BAND Elements;
    blas::gemm::tune::MOST_BLOCK Elements;
    blas::gemm::tune::DIRECT_STRIDE Bytes;
    blas::gemm::tune::DIRECT_BYTES Bytes;
    blas::gemm::tune::FEW Elements;
    blas::gemm::tune::FEW_SIDE Elements;
    blas::gemm::tune::LONG Elements;
    blas::gemm::tune::LINES Elements;
    blas::gemm::tune::NEAR_BYTES Bytes;
    blas::gemm::tune::SUMS Bytes;
    blas::gemm::tune::STREAM_BYTES Bytes;
    blas::gemm::tune::GRAIN Products;
    blas::gemm::tune::TOGETHER Products;
    blas::gemm::tune::TURNS Elements;
    blas::gemm::tune::ALONG Elements;
    blas::gemv::GRAIN Products;
    blas::gemv::PASS Elements;
    blas::gemv::SMALL_PASS Elements;
    blas::level1::BLOCK Elements;
    blas::level1::GATHERED Elements;
    blas::level2::BASE Elements;
    blas::level2::NEAR Elements;
    blas::level3::BAND Elements;
    blas::triangular_kernel::COPY Elements;
    blas::triangular_kernel::MOST Elements;
    blas::rank_update::ROWS Elements;
    blas::transpose_in_place::STRIP Elements;
    blas::transpose::TALL Elements;
    blas::transpose::ACROSS Bytes;
    blas::transpose::WIDE Bytes;
    blas::transpose::FAR_BYTES Bytes;
    blas::transpose::LINE Bytes;
    blas::transpose::PAGE Bytes;
    blas::transpose::GRAIN Elements;
    lanes::drive::GRAIN Elements;
    lanes::drive::STREAM_BYTES Bytes;
    lanes::drive::CLAIM_BYTES Bytes;
    lanes::drive::FAR_BYTES Bytes;
    lanes::drive::AHEAD_BYTES Bytes;
    lanes::fold::LEAF_VECTORS Vectors;
    lanes::multipass::SAMPLE Elements;
    nn::attention::BLOCK Elements;
    nn::attention::WAIT Elements;
    nn::attention::backward::PANELS Elements;
    nn::attention::decode::TOGETHER Elements;
    nn::attention::decode::AHEAD Elements;
    nn::attention::forward::PANELS Elements;
    nn::attention::panel::TURN Elements;
    nn::attention::panel::MOST_LINES Elements;
    fixed::RUN Elements;
    fixed::filter::BLOCK Elements;
    fixed::filter::GROUP Elements;
    fixed::filter::NEAR Elements;
    fixed::filter::SPAN Elements;
    fixed::filter::WORDS Elements;
    quant::absmax::GROUP Elements;
    quant::ops::APART Elements;
    quant::ops::FEW Elements;
    quant::ops::MOST Elements;
    quant::panel::LANES Elements;
    quant::panel::STEP Elements;
    quant::panel::SUBS Elements;
    quant::panel::TOGETHER Elements;
    quant::tile::AHEAD Bytes;
    quant::tile::NEAR_BYTES Bytes;
    einsum::path::OPTIMAL Elements;
    fft::GRAIN Elements;
    fft::convolve::GRAIN Elements;
    fft::filter::BLOCK Elements;
    fft::filter::GROUP Elements;
    fft::filter::HEAD Elements;
    fft::plan::PADDED Elements;
    fft::plan::SPREAD Elements;
    fft::rader::LEAST Elements;
    fft::rader::PAST Elements;
    fft::real::GRAIN Elements;
    fft::rows::APART Elements;
    fft::rows::COLUMNS Elements;
    fft::rows::TOGETHER Elements;
    fft::small::VECTORS Vectors;
    nn::conv1d::im2col::FAR_BYTES Bytes;
    nn::conv1d::im2col::FEW_CHANNELS Elements;
    nn::conv1d::im2col::CELLS Elements;
    nn::conv1d::im2col::FEW Elements;
    nn::conv1d::im2col::COPIED Elements;
    nn::conv1d::im2col::FILTERS Elements;
    nn::conv1d::im2col::LONG Elements;
    nn::conv1d::im2col::UNFOLDED Elements;
    nn::conv1d::depthwise::TILE Elements;
    nn::conv2d::columns::COPIED Elements;
    nn::conv2d::columns::FEW Elements;
    nn::conv2d::depthwise::FILTERS Elements;
    nn::GRAIN Elements;
    parts::GRAIN Elements;
    parts::LINE Elements;
    nn::int_to_float::PATTERN Elements;
    nn::pool::geometry::STRIP Elements;
    nn::rope::NEAR Bytes;
    nn::scan::SIDE_BY_SIDE Elements;
    nn::softmax::LONG_ROW Bytes;
    nn::softmax::BLOCK Elements;
    random::stream::BLOCKS Elements;
    random::stream::GRAIN Elements;
    solve::cholesky::LEAF Elements;
    solve::divide_conquer::LEAF Elements;
    solve::divide_conquer::VECTORS Elements;
    solve::eigh::BLOCK Elements;
    solve::eigh::LEAST Elements;
    solve::ldlt::PANEL Elements;
    solve::lu::LEAF Elements;
    solve::qr::BLOCK Elements;
    solve::rotations::LONGEST Elements;
    solve::rotations::STRIP Bytes;
    solve::rotations::SWEEPS Elements;
    solve::svd::BLOCK Elements;
    solve::update::GROUP Elements;
    sparse::sddmm::PARTS Elements;
    sparse::sell::FEW Elements;
    sparse::sell::STRIP Elements;
    sparse::spgemm::SHORT Elements;
    sparse::spmm::NARROW Elements;
    sparse::spmm::WIDE Elements;
    sparse::spmv::GRAIN Elements;
    sparse::spmv::LONG Elements;
    sparse::spmv::SUMS Elements;
    reduce::extrema::BLOCK Elements;
    reduce::moments::BLOCK Elements;
    reduce::select::COUNTED Elements;
    reduce::select::DIGITS Elements;
    reduce::select::FEW Elements;
    reduce::select::LOOKED Elements;
    reduce::select::PART Elements;
    reduce::select::RADIX Elements;
    reduce::select::SAMPLES Elements;
    reduce::top_k::STRIDE Elements;
}
thresholds! {
    /// Those of products on tiles.
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    TILES
    blas::gemm::amx::GRAIN Products;
    blas::gemm::amx::SIDE Elements;
    blas::gemm::split_bf16::GRAIN Elements;
}

/// Elements of a register.
pub const fn lanes<S: Simd, T: Element>() -> usize {
    T::Vec::<S>::LANES
}

/// Of the product of matrices on these lanes: rows and columns of a register tile, steps of a pass, columns of a block
/// and rows of a band, in this order.
pub const fn tiles<S: Simd, T: Element>() -> [usize; 5] {
    use crate::blas::gemm::tune;
    let (isa, lanes) = (S::ISA, lanes::<S, T>());
    let (rows, depth) = (tune::rows(isa), tune::depth(isa));
    [
        rows,
        tune::vectors(isa) * lanes,
        depth,
        tune::block(isa) / depth * lanes,
        tune::band(isa) / depth * rows,
    ]
}
