//! Constructors of common contractions for tensors of any rank: `permute`, `trace`, `tensordot`, `outer`, `matmul`.

use super::parse::{EINSUM_INDICES, Einsum, Term};
use crate::error::Error;

/// What is made here names no bytes of a text: an error of shapes says the axis, counted through all operands.
impl Einsum {
    /// One operand, whose axis `axes[k]` is axis `k` of the result: `numpy.transpose` of NumPy 2.4.
    ///
    /// Errors: [`Error::Domain`] names `axes` when it has a number twice, or one that is not below their number, 32 at most.
    ///
    /// ```
    /// use fulmen::{Einsum, EinsumPlan, einsum};
    /// let plan = EinsumPlan::new(&Einsum::permute(&[1, 0])?, &[&[2, 3]])?;
    /// let mut y = [0.0f32; 6];
    /// einsum(&plan, &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], &mut y, &mut [])?;
    /// assert_eq!(y, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    pub fn permute(axes: &[usize]) -> Result<Self, Error> {
        let wrong = Err(Error::must_be("axes", "a permutation of the axes"));
        let mut made = Maker::default();
        made.term(0, 0..axes.len());
        for (k, axis) in axes.iter().enumerate() {
            if *axis >= axes.len() || axes.iter().take(k).any(|other| other == axis) {
                return wrong;
            }
            made.result(*axis);
        }
        made.done(1, "axes")
    }

    /// The sum of the elements of one operand of `rank` axes whose places along the axes `pair` are equal: `numpy.trace` of NumPy 2.4.
    ///
    /// Errors: [`Error::Domain`] names `pair` when it is not two axes below `rank`, and `rank` when that is above 32.
    ///
    /// ```
    /// use fulmen::{Einsum, EinsumPlan, einsum};
    /// let plan = EinsumPlan::new(&Einsum::trace(2, [0, 1])?, &[&[2, 2]])?;
    /// let mut y = [0.0f32];
    /// einsum(&plan, &[&[1.0, 2.0, 3.0, 4.0]], &mut y, &mut [])?;
    /// assert_eq!(y, [5.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    pub fn trace(rank: usize, pair: [usize; 2]) -> Result<Self, Error> {
        let [first, second] = pair;
        if first == second || first.max(second) >= rank {
            return Err(Error::must_be("pair", "two different axes below `rank`"));
        }
        few([rank, 0], "rank")?;
        let mut made = Maker::default();
        made.term(0, (0..rank).map(|k| if k == second { first } else { k }));
        (0..rank).filter(|k| !pair.contains(k)).for_each(|k| made.result(k));
        made.done(1, "rank")
    }

    /// Two operands of `ranks` axes, summed over the axes that `pairs` name, of the first and of the second one; the result has the
    /// other axes of the first, then those of the second: `numpy.tensordot` of NumPy 2.4.
    ///
    /// Errors: [`Error::Domain`] names `pairs` when an axis is there twice or is not below the rank, and `ranks` when there are more than
    /// 32 different axes.
    ///
    /// ```
    /// use fulmen::{Einsum, EinsumPlan, einsum};
    /// let plan = EinsumPlan::new(&Einsum::tensordot([2, 2], &[[1, 0]])?, &[&[1, 2], &[2, 1]])?;
    /// let mut y = [0.0f32];
    /// einsum(&plan, &[&[1.0, 2.0], &[3.0, 4.0]], &mut y, &mut vec![0.0; plan.workspace()])?;
    /// assert_eq!(y, [11.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    pub fn tensordot(ranks: [usize; 2], pairs: &[[usize; 2]]) -> Result<Self, Error> {
        let [m, n] = ranks;
        for (i, [a, b]) in pairs.iter().enumerate() {
            let twice = pairs.iter().take(i).any(|[c, d]| c == a || d == b);
            if *a >= m || *b >= n || twice {
                return Err(Error::must_be("pairs", "pairs of axes below the ranks, none of them twice"));
            }
        }
        few(ranks, "ranks")?;
        let mut made = Maker::default();
        let partner = |b: usize| pairs.iter().find(|pair| pair[1] == b).map(|pair| pair[0]);
        // The second one's own indices come behind those of the first, one after the other.
        let own = |b: usize| m + (0..b).filter(|b| partner(*b).is_none()).count();
        made.term(0, 0..m);
        made.term(1, (0..n).map(|b| partner(b).unwrap_or_else(|| own(b))));
        (0..m).filter(|a| pairs.iter().all(|pair| pair[0] != *a)).for_each(|a| made.result(a));
        (0..n).filter(|b| partner(*b).is_none()).for_each(|b| made.result(own(b)));
        made.done(2, "ranks")
    }

    /// The products of all pairs of elements of two operands of `ranks` axes: `numpy.multiply.outer` of NumPy 2.4.
    ///
    /// Errors: [`Error::Domain`] names `ranks` when they are more than 32 axes.
    ///
    /// ```
    /// use fulmen::{Einsum, EinsumPlan, einsum};
    /// let plan = EinsumPlan::new(&Einsum::outer([1, 1])?, &[&[2], &[3]])?;
    /// let mut y = [0.0f32; 6];
    /// einsum(&plan, &[&[1.0, 2.0], &[3.0, 4.0, 5.0]], &mut y, &mut vec![0.0; plan.workspace()])?;
    /// assert_eq!(y, [3.0, 4.0, 5.0, 6.0, 8.0, 10.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    pub fn outer(ranks: [usize; 2]) -> Result<Self, Error> {
        Self::tensordot(ranks, &[])
    }

    /// The products of the matrices in the last two axes of two operands of `ranks` axes, one for each place along the axes before
    /// them, which are matched from the last one on and may be of one element in either: `numpy.matmul` of NumPy 2.4. An operand of one axis is a row before a
    /// product and a column behind it, which the result has not.
    ///
    /// Errors: [`Error::Domain`] names `ranks` when one is 0 or there are more than 32 different axes.
    ///
    /// ```
    /// use fulmen::{Einsum, EinsumPlan, einsum};
    /// // Two matrices times one.
    /// let plan = EinsumPlan::new(&Einsum::matmul([3, 2])?, &[&[2, 1, 2], &[2, 2]])?;
    /// let mut y = [0.0f32; 4];
    /// let x = [1.0, 2.0, 3.0, 4.0];
    /// einsum(&plan, &[&x, &x], &mut y, &mut vec![0.0; plan.workspace()])?;
    /// assert_eq!(y, [7.0, 10.0, 15.0, 22.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    pub fn matmul(ranks: [usize; 2]) -> Result<Self, Error> {
        let [a, b] = ranks;
        if a == 0 || b == 0 {
            return Err(Error::must_be("ranks", "at least 1 each"));
        }
        few(ranks, "ranks")?;
        // Rows, sum and columns, then the axes before them from the last one on.
        const ROWS: usize = 0;
        const SUM: usize = 1;
        const COLS: usize = 2;
        let before = |rank: usize| (0..rank.saturating_sub(2)).rev().map(|k| 3 + k);
        let mut made = Maker::default();
        let (rows, cols) = ((a > 1).then_some(ROWS), (b > 1).then_some(COLS));
        made.term(0, before(a).chain(rows).chain([SUM]));
        made.term(1, before(b).chain([SUM]).chain(cols));
        before(a.max(b)).chain(rows).chain(cols).for_each(|k| made.result(k));
        made.done(2, "ranks")
    }
}

/// Whether no operand has more axes than there are indices.
fn few(ranks: [usize; 2], arg: &'static str) -> Result<(), Error> {
    if ranks.iter().all(|n| *n <= EINSUM_INDICES) {
        Ok(())
    } else {
        Err(Error::must_be(arg, "at most 32 axes"))
    }
}

/// An expression of indices by number.
struct Maker {
    terms: [Term; 2],
    out: Term,
    /// The number of each index, in the order in which they come.
    known: [usize; EINSUM_INDICES],
    n: usize,
    axes: usize,
    fits: bool,
}

impl Default for Maker {
    fn default() -> Self {
        Self {
            terms: [Term::SCALAR; 2],
            out: Term::SCALAR,
            known: [0; EINSUM_INDICES],
            n: 0,
            axes: 0,
            fits: true,
        }
    }
}

impl Maker {
    fn index(&mut self, of: usize) -> Option<usize> {
        let known = self.known.iter().take(self.n).position(|k| *k == of);
        if known.is_some() {
            return known;
        }
        *self.known.get_mut(self.n)? = of;
        self.n += 1;
        Some(self.n - 1)
    }
    fn term(&mut self, i: usize, axes: impl Iterator<Item = usize>) {
        let mut term = Term { start: self.axes as u16, ..Term::SCALAR };
        for of in axes {
            match self.index(of) {
                Some(index) if (term.rank as usize) < EINSUM_INDICES => term.push(index, self.axes),
                _ => {
                    self.fits = false;
                    return;
                }
            }
            self.axes += 1;
        }
        if let Some(to) = self.terms.get_mut(i) {
            *to = term;
        }
    }
    fn result(&mut self, of: usize) {
        match self.index(of) {
            Some(index) if (self.out.rank as usize) < EINSUM_INDICES => self.out.push(index, self.axes),
            _ => self.fits = false,
        }
    }
    fn done(self, operands: u8, arg: &'static str) -> Result<Einsum, Error> {
        if self.fits {
            Ok(Einsum::of(self.terms, self.out, operands))
        } else {
            Err(Error::must_be(arg, "at most 32 axes"))
        }
    }
}
