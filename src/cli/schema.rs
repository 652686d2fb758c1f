//! The schema of `contracts/*.yaml` and of `binding.yaml`, version 1. Unknown, missing and duplicate
//! keys are errors of the parser.

#[path = "laws.rs"]
mod laws;
#[path = "number.rs"]
mod number;

pub use laws::Invariant;
pub use number::{Scalar, Word};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The schema version that this program reads.
pub const SCHEMA: u32 = 1;

/// One `<op>-v1.yaml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    pub schema: u32,
    pub op: String,
    pub family: String,
    pub metadata: Metadata,
    pub call: CallShape,
    pub types: Vec<String>,
    pub order: Order,
    pub determinism: Determinism,
    pub tolerance: BTreeMap<String, Tolerance>,
    /// Why the tolerance is more than thirty times the worst error that was seen, where it is.
    #[serde(default)]
    pub reason_for_wide_bound: Option<String>,
    /// What else than each result has a bound: residuals, how far vectors are from orthonormal.
    #[serde(default)]
    pub residuals: Vec<Residual>,
    pub equations: BTreeMap<String, Equation>,
    /// The parameters that act on some elements only, so that not every result is NaN where one of them is.
    #[serde(default)]
    pub partial: Vec<String>,
    /// What may be found after writes, besides pivots and numbers of steps.
    #[serde(default)]
    pub after_writes: Vec<AfterWrites>,
    pub edge_cases: Vec<EdgeCase>,
    pub proof_obligations: Vec<Obligation>,
    pub falsify: Vec<Falsify>,
    pub kani_harnesses: Vec<Kani>,
    pub performance: Performance,
    pub worst_error_measured: Vec<WorstError>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    pub version: String,
    pub created: String,
    pub description: String,
    pub references: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallShape {
    pub shape: Shape,
    pub inputs: Vec<String>,
    pub params: Vec<Param>,
    /// The arguments that are sizes or words, in an op with a call of its own.
    #[serde(default)]
    pub options: Vec<String>,
    /// The slices that are written, where they are more than `out`.
    #[serde(default)]
    pub outputs: Vec<String>,
    /// The slices that are written besides, of which the cases say nothing.
    #[serde(default)]
    pub overwrites: Vec<String>,
    pub output: Output,
    pub in_place: bool,
}

/// How the function is called; the names are those of `src/ops.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    Unary,
    Binary,
    Ternary,
    Update,
    Total,
    Reduce,
    Reduce2,
    Arg,
    Select,
    Rows,
    RowsEps,
    RowsScale,
    RowsAffine,
    Convert,
    Gemm,
    Blas,
    Nn,
    Mixed,
    Quant,
    Random,
}

impl Shape {
    pub const ALL: [(Self, &'static str); 20] = [
        (Self::Unary, "unary"),
        (Self::Binary, "binary"),
        (Self::Ternary, "ternary"),
        (Self::Update, "update"),
        (Self::Total, "total"),
        (Self::Reduce, "reduce"),
        (Self::Reduce2, "reduce2"),
        (Self::Arg, "arg"),
        (Self::Select, "select"),
        (Self::Rows, "rows"),
        (Self::RowsEps, "rows_eps"),
        (Self::RowsScale, "rows_scale"),
        (Self::RowsAffine, "rows_affine"),
        (Self::Convert, "convert"),
        (Self::Gemm, "gemm"),
        (Self::Blas, "blas"),
        (Self::Nn, "nn"),
        (Self::Mixed, "mixed"),
        (Self::Quant, "quant"),
        (Self::Random, "random"),
    ];

    /// Whether each op has a call of its own, whose edge cases state shapes and options.
    pub fn own_call(self) -> bool {
        matches!(self, Self::Blas | Self::Nn | Self::Quant | Self::Random)
    }

    /// Whether the function has its own element types, so that no generic check can be made for it.
    pub fn own_types(self) -> bool {
        matches!(self, Self::Convert | Self::Mixed | Self::Quant | Self::Random)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(s, _)| *s == self).map_or("", |(_, n)| n)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    pub name: String,
    pub domain: Domain,
    pub sample: Scalar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    Any,
    Finite,
    NonNegative,
    Positive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    Slice,
    Scalar,
    Index,
    TopK,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Elementwise,
    Tree,
    Sequential,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Determinism {
    Exact,
    Stable,
    Bounded,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Tolerance {
    Exact,
    Ulp(f64),
    Rel(f64),
    Abs(f64),
    RelAbs {
        rel: f64,
        abs: f64,
    },
    Gamma {
        times: f64,
        per: Per,
        plus: f64,
        of: Mass,
        #[serde(default)]
        flush: bool,
    },
    Compensated {
        of: Mass,
    },
}

/// `error <= γ_k · of` with `k = times·per + plus`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residual {
    pub name: String,
    /// What is off, in words of the formula.
    pub error: String,
    /// What the bound is relative to.
    pub of: String,
    pub times: f64,
    pub per: Per,
    pub plus: f64,
    /// As that of the contract, for this bound.
    #[serde(default)]
    pub reason_for_wide_bound: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    One,
    Root,
    N,
    Log,
    Tree,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mass {
    Value,
    Terms,
    SumAbs,
    SumAbsProducts,
    MeanAbs,
    Variance,
    Stddev,
    Covariance,
    Correlation,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equation {
    pub formula: String,
    pub domain: String,
    pub codomain: String,
    pub preconditions: Vec<Pre>,
    pub postconditions: Vec<Post>,
    pub invariants: Vec<Invariant>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pre {
    pub check: PreCheck,
    pub args: Vec<String>,
    pub error: String,
}

/// An error, and the arguments that it names, which may come after writes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AfterWrites {
    pub error: String,
    pub args: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreCheck {
    SameLen,
    NotEmpty,
    WholeRows,
    ParamDomain,
    NoNan,
    Ordered,
    KInRange,
    InRange,
    Shapes,
    Pivots,
    Workspace,
}

/// A postcondition; the library's `Post` has the same variants.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "check", rename_all = "snake_case", deny_unknown_fields)]
pub enum Post {
    Range {
        lo: Scalar,
        hi: Scalar,
    },
    NanIffNan {},
    NanIfNan {},
    Integral {},
    SameSign {},
    SignOfSecond {},
    SameMagnitude {},
    Selects {},
    Monotone {
        #[serde(default)]
        ulps: f64,
    },
    WithinParams {
        lo: String,
        hi: String,
    },
    Bounded {
        by: By,
        times: f64,
    },
    NonNegativeWhereFirstIs {},
    DominatesMax {},
    DominatesMin {},
    RowSum {
        value: f64,
        ulps_per_n: f64,
    },
    RowExpSum {
        value: f64,
        ulps_per_n: f64,
    },
    RowSumSquares {
        at_most: f64,
        ulps_per_n: f64,
    },
    IndexInRange {},
    IndexSelects {},
    IndexOfMax {},
    IndexOfMin {},
    IndexOfLastMax {},
    IndexOfLastMin {},
    Descending {},
    Ascending {},
}

/// What the magnitude of a result is compared with; the library's `By` has the same variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    Sum,
    Product,
    Quotient,
    MulAdd,
    Second,
    Scaled,
    Lerp,
    SumAbs,
    MeanAbs,
    SumAbsProducts,
    Spreads,
    Row,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeCase {
    pub name: String,
    #[serde(rename = "in")]
    pub inputs: Vec<Vec<Scalar>>,
    #[serde(default)]
    pub params: Option<Vec<Scalar>>,
    #[serde(default)]
    pub cols: Option<usize>,
    /// Rows and columns of each input, in an op with a call of its own.
    #[serde(default)]
    pub shapes: Option<Vec<[usize; 2]>>,
    /// The arguments that are words, such as `lower` and `unit`, and sizes, such as `cols=2`.
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub types: Option<Vec<String>>,
    #[serde(default)]
    pub out: Option<Vec<Scalar>>,
    #[serde(default)]
    pub indices: Option<Vec<u32>>,
    #[serde(default)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obligation {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ObligationKind,
    pub property: String,
    pub formal: String,
    pub level: Level,
    pub proven_by: ProvenBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObligationKind {
    Invariant,
    Equivalence,
    Bound,
    Ordering,
    Determinism,
    Precondition,
    Postcondition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Level {
    L0,
    L1,
    L2,
    L3,
    L4,
    L5,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProvenBy {
    Review(String),
    Types(String),
    Test(String),
    Kani(String),
    Theorem(String),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Falsify {
    pub id: String,
    pub prediction: String,
    pub test: String,
    pub if_fails: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kani {
    pub id: String,
    pub property: String,
    pub bound: String,
    /// The function under `#[cfg(kani)]`.
    pub harness: String,
    /// The test that covers the same bound exhaustively where Kani does not run.
    pub discharged_by: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Performance {
    pub bytes_per_element: BTreeMap<String, f64>,
    pub flops_per_element: f64,
    pub baseline: String,
    pub measured: Vec<Measured>,
    pub regression_threshold: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    pub ratio: f64,
    pub machine: String,
    pub date: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorstError {
    #[serde(rename = "type")]
    pub ty: String,
    pub lane: String,
    /// In units in the last place of the exact result, or
    pub ulp: Option<f64>,
    /// relative to it, where the tolerance is.
    pub rel: Option<f64>,
    pub at: Scalar,
    pub inputs: String,
    pub date: String,
}

/// `binding.yaml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindingFile {
    pub schema: u32,
    pub target_crate: String,
    pub bindings: Vec<Binding>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    pub op: String,
    pub equation: String,
    pub functions: Vec<Function>,
    pub status: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    pub path: String,
    pub signature: String,
    /// The Cargo features that the function needs, separated by commas.
    #[serde(default)]
    pub feature: Option<String>,
    /// The only `target_arch` that has the function.
    #[serde(default)]
    pub arch: Option<String>,
}

impl Contract {
    /// All postconditions, over the equations.
    pub fn posts(&self) -> impl Iterator<Item = &Post> {
        self.equations.values().flat_map(|e| &e.postconditions)
    }
    /// Whether a NaN among the parameters is one of every result, but for [`Self::partial`] ones: the ops of other shapes do not give
    /// their parameters to the check.
    pub fn nan_of_parameters(&self) -> bool {
        !matches!(self.call.shape, Shape::Nn | Shape::Quant | Shape::Random)
            && self.posts().any(|p| matches!(p, Post::NanIfNan {} | Post::NanIffNan {}))
    }
    /// All preconditions, over the equations.
    pub fn pres(&self) -> impl Iterator<Item = &Pre> {
        self.equations.values().flat_map(|e| &e.preconditions)
    }
}
