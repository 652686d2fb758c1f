//! Border modes: the pixels that a filter reads beyond the edges of an image.

/// What a filter reads beyond the edges of an image of `n` pixels a line, here of `1 2 3 4`.
///
/// | here | read beyond both ends | OpenCV | SciPy | NumPy's `pad` |
/// |---|---|---|---|---|
/// | `Constant(0)` | `0 0 0` `1 2 3 4` `0 0 0` | `BORDER_CONSTANT` | `grid-constant` | `constant` |
/// | `Clamp` | `1 1 1` `1 2 3 4` `4 4 4` | `BORDER_REPLICATE` | `nearest` | `edge` |
/// | `Reflect` | `3 2 1` `1 2 3 4` `4 3 2` | `BORDER_REFLECT` | `reflect`, `grid-mirror` | `symmetric` |
/// | `Reflect101` | `4 3 2` `1 2 3 4` `3 2 1` | `BORDER_REFLECT_101`, its default | `mirror` | `reflect` |
/// | `Wrap` | `2 3 4` `1 2 3 4` `1 2 3` | `BORDER_WRAP` | `grid-wrap` | `wrap` |
///
/// NumPy's `reflect` is `Reflect101` and its `symmetric` is `Reflect`. SciPy's `wrap` has a period of `n - 1` and is none of these.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Border<T> {
    /// This value, in every channel.
    Constant(T),
    /// The pixel at the edge.
    Clamp,
    /// The image mirrored at its edge, so that the pixel there stands twice.
    Reflect,
    /// The image mirrored at the centre of the pixel at its edge, which stands once. A line of one pixel is repeated.
    Reflect101,
    /// The image repeated.
    Wrap,
}

impl<T> Border<T> {
    /// Which of the pixels `0..n` of a line is read at place `i`; none where a constant is, or where there is no pixel.
    ///
    /// ```
    /// use fulmen::image::Border;
    /// assert_eq!(Border::<u8>::Reflect101.index(-1, 4), Some(1));
    /// assert_eq!(Border::Constant(0u8).index(-1, 4), None);
    /// ```
    #[inline]
    pub fn index(&self, i: isize, n: usize) -> Option<usize> {
        let len = isize::try_from(n).ok().filter(|len| *len > 0)?;
        if 0 <= i && i < len {
            return Some(i.unsigned_abs());
        }
        let mirrored = |period: isize, last: isize| {
            let (turn, at) = (i.div_euclid(period), i.rem_euclid(period));
            if turn % 2 == 0 { at } else { last - at }
        };
        let at = match self {
            Self::Constant(_) => return None,
            Self::Clamp => i.clamp(0, len - 1),
            Self::Reflect => mirrored(len, len - 1),
            Self::Reflect101 if n == 1 => 0,
            Self::Reflect101 => mirrored((len - 1).max(1), len - 1),
            Self::Wrap => i.rem_euclid(len),
        };
        Some(at.unsigned_abs())
    }
}

impl<T: Copy + Default> Border<T> {
    /// The constant; for others any number.
    #[inline(always)]
    pub(super) fn value(self) -> T {
        if let Self::Constant(value) = self { value } else { T::default() }
    }
    /// Reads pixels from place `first` on, which may lie beyond the edges, of one of the channels of `line`, of which there is none where
    /// all is a constant.
    #[inline(always)]
    pub(super) fn read(
        self,
        line: Option<&[T]>,
        (channels, channel): (usize, usize),
        first: isize,
        to: &mut [T],
    ) {
        let Some(line) = line else { return to.fill(self.value()) };
        let channels = channels.max(1);
        let width = line.len() / channels;
        let left = first.min(0).unsigned_abs().min(to.len());
        let (before, rest) = to.split_at_mut(left);
        let from = first.max(0).unsigned_abs();
        let (inside, after) = rest.split_at_mut(width.saturating_sub(from).min(rest.len()));
        let beyond = |to: &mut [T], first: isize| {
            for (i, to) in to.iter_mut().enumerate() {
                let at = self.index(first.wrapping_add(i.cast_signed()), width);
                let found = at.and_then(|at| line.get(at * channels + channel));
                *to = found.copied().unwrap_or_else(|| self.value());
            }
        };
        beyond(before, first);
        let pixels = line.get(from * channels + channel..).unwrap_or_default();
        if channels == 1 {
            inside.iter_mut().zip(pixels).for_each(|(to, p)| *to = *p);
        } else {
            inside.iter_mut().zip(pixels.iter().step_by(channels)).for_each(|(to, p)| *to = *p);
        }
        let end = first.wrapping_add((left + inside.len()).cast_signed());
        beyond(after, end);
    }
}
