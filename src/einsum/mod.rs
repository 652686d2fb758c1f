//! Contractions of tensors in Einstein notation, and gathers and padding of tensors.
//!
//! [`Einsum`] is a parsed expression, [`EinsumPlan`] a plan for given shapes, and [`einsum`](crate::einsum()) executes
//! it. Contractions are matrix products on the tensors in place where their strides allow it; a tensor whose indices
//! cannot be merged to rows and columns is first permuted to the workspace, or the result is permuted at the end.
//!
//! ```
//! use fulmen::{Einsum, EinsumPlan, einsum};
//! // Three matrices: the plan finds that the last two come first.
//! let (a, b, c) = ([1.0f32; 6 * 50], [1.0; 50 * 4], [1.0; 4]);
//! let plan = EinsumPlan::new(&Einsum::parse("ij,jk,kl->il")?, &[&[6, 50], &[50, 4], &[4, 1]])?;
//! assert_eq!(plan.path().next(), Some([1, 2]));
//! let (mut y, mut workspace) = ([0.0; 6], vec![0.0; plan.workspace()]);
//! einsum(&plan, &[&a, &b, &c], &mut y, &mut workspace)?;
//! assert_eq!(y, [200.0; 6]);
//! # Ok::<(), fulmen::Error>(())
//! ```

pub(crate) mod contraction;
pub(crate) mod gather;
pub(crate) mod gather_elements;
mod named;
pub(crate) mod pad;
mod parse;
pub(crate) mod path;
mod plan;
pub(crate) mod view;

pub use gather::{gather, gather_on};
pub use gather_elements::{
    gather_elements, gather_elements_on, scatter_add_elements, scatter_add_elements_on,
};
pub use pad::{Pad, pad, pad_on};
pub use parse::{EINSUM_INDICES, EINSUM_OPERANDS, Einsum};
pub use plan::EinsumPlan;

use crate::contract::{Call, Violation, contract};
use crate::error::{Error, enough, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use contraction::{Contraction, rearrange};
use view::Nest;

ops! { $ einsum_ops in crate::einsum;
    /// The sum over all values of the indices that the result has not, of the product of one element of each operand:
    /// `out[i…] = Σ a[…]·b[…]·…`, each axis by its index.
    ///
    /// Shapes: those that the plan is for, in rows, the last axis dense. Operands are multiplied and summed in pairs, in the order of the plan: a
    /// pair as products of matrices with the error of [`gemm`](crate::gemm()); an index of a single operand of a pair
    /// is summed over first. One operand is rearranged, summed, or its diagonal taken. The bits depend on the instruction set and the
    /// plan.
    ///
    /// NaN and ±0: NaN and infinities spread by IEEE 754 to each element that they are a factor of, also through `0·∞`; elements
    /// beside a diagonal are not read. A sum over nothing is `+0`, and the sign of other zeros is not kept.
    ///
    /// Errors: [`Error::Len`] names `operands`, when there are not as many as planned, or one has another number of elements, and `out`;
    /// [`Error::Workspace`]. Nothing is written then. Scratch: [`EinsumPlan::workspace`].
    ///
    /// ```
    /// use fulmen::{Einsum, EinsumPlan, einsum};
    /// let run = |expression: &str, shapes: &[&[usize]], operands: &[&[f32]], out: &mut [f32]| {
    ///     let plan = EinsumPlan::new(&Einsum::parse(expression)?, shapes)?;
    ///     einsum(&plan, operands, out, &mut vec![0.0; plan.workspace()])
    /// };
    /// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [10.0, 100.0]);
    /// let mut y = [0.0; 2];
    /// run("ij,j->i", &[&[2, 2], &[2]], &[&a, &b], &mut y)?;
    /// assert_eq!(y, [210.0, 430.0]);
    /// run("ii->i", &[&[2, 2]], &[&a], &mut y)?;
    /// assert_eq!(y, [1.0, 4.0]);
    /// // Any number of matrices, here one.
    /// run("...ij,...j->...i", &[&[1, 2, 2], &[2]], &[&a, &b], &mut y)?;
    /// assert_eq!(y, [210.0, 430.0]);
    /// run("ii", &[&[2, 2]], &[&a], &mut y[..1])?;
    /// assert_eq!(y[0], 5.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/einsum.rs`.
    ///
    /// Source: the definition, and the notation, of A. Einstein (1916); `einsum` of NumPy 2.4. The path: R. Pfeifer, J. Haegeman and
    /// F. Verstraete, "Faster identification of optimal contraction sequences for tensor networks" (2014). Contract: `contracts/einsum-v1.yaml`.
    #[doc(alias = "contract")]
    #[doc(alias = "tensordot")]
    #[doc(alias = "kron")]
    threads "More workspace than the plan's is used by more threads." einsum, einsum_on, einsum_by
        (plan: by &EinsumPlan, operands: each_in T, out: out T, workspace: scratch T) -> Result<()>;
}

pub(crate) fn einsum_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &EinsumPlan,
    operands: &[&[T]],
    out: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    same_len("operands", plan.operands(), operands.len())?;
    for (i, x) in operands.iter().enumerate() {
        same_len("operands", plan.operand_len(i), x.len())?;
    }
    same_len("out", plan.len(), out.len())?;
    enough(plan.workspace(), workspace.len())?;
    contract!(
        einsum,
        run(j, s, plan, operands, out, workspace),
        each | check | check_nan(plan, operands, out, check)
    )
}

fn run<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &EinsumPlan,
    operands: &[&[T]],
    out: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    if plan.nothing() {
        out.fill(T::ZERO);
        return Ok(());
    }
    if let [x] = operands {
        rearrange(j, s, plan.sizes(), (&plan.view(0), x), (&plan.out(), out));
        return Ok(());
    }
    let got = workspace.len();
    for (step, [a, b]) in plan.path().enumerate() {
        let c = EINSUM_OPERANDS + step;
        let ranges = [plan.range(a), plan.range(b), plan.range(c), plan.scratch(step)..got];
        let Ok([x, z, y, scratch]) = workspace.get_disjoint_mut(ranges) else {
            return Err(Error::workspace(plan.workspace(), got));
        };
        let x = operands.get(a).copied().unwrap_or(x);
        let z = operands.get(b).copied().unwrap_or(z);
        let y = if step + 2 == plan.operands() { &mut *out } else { y };
        if let Some(products) = plan.products(step) {
            products.run(j, s, [0; 3], x, z, y, scratch)?;
            continue;
        }
        let (a, b, c) = (plan.view(a), plan.view(b), plan.view(c));
        let Some(pair) = Contraction::new(plan.sizes(), &a, &b, &c) else { continue };
        pair.run(j, s, plan.sizes(), (&a, x), (&b, z), (&c, y), scratch)?;
    }
    Ok(())
}

/// Applies `check` to each NaN that is read and each element of the result that it is a factor of.
fn check_nan<T: Element>(
    plan: &EinsumPlan,
    operands: &[&[T]],
    out: &[T],
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    if plan.nothing() {
        return Ok(());
    }
    let result = plan.out();
    let mut found = Ok(());
    for (i, x) in operands.iter().enumerate() {
        let view = plan.view(i);
        let own = Nest::new(plan.sizes(), &view.order, [&view, &result, &result]);
        let others = result.order.pick(!view.mask);
        let others = Nest::new(plan.sizes(), &others, [&result; 3]);
        own.each(|[from, to, _]| {
            if let Some(x) = x.get(from).filter(|x| x.to_f64().is_nan()) {
                others.each(|[at, ..]| {
                    if let (Ok(()), Some(y)) = (&found, out.get(to + at)) {
                        found = check(&Call::new(&[&[*x]], &[*y]));
                    }
                });
            }
        });
    }
    found
}
