//! Kernels of the passes of separable filters and of resizes.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel};
use super::super::super::types::{F32, S32, U32, U64};
use super::super::flat::get;
use super::window::{Axis, BorderMode, Line};
use super::{Args, PixelType, Position, Together, Walk, Words, anywhere};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The pass of a separable filter or resize: the elements that are weighted, and the rounding of their sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterPass {
    /// Sums of bytes along columns, with weights in fixed point, rounded half up to signed 16-bit numbers.
    ByteColumns,
    /// Sums of the results of [`Self::ByteColumns`] along rows, rounded half up and clipped to bytes.
    ByteRows,
    /// Sums of floats along columns, added in order.
    FloatColumns,
    /// Sums of the results of [`Self::FloatColumns`] along rows, added in order.
    FloatRows,
}

impl FilterPass {
    /// The passes along columns and along rows, for images of this type.
    #[must_use]
    pub const fn both(of: PixelType) -> [Self; 2] {
        if matches!(of, PixelType::U8) {
            [Self::ByteColumns, Self::ByteRows]
        } else {
            [Self::FloatColumns, Self::FloatRows]
        }
    }

    /// The types of the elements that are weighted, and of the results.
    const fn types(self) -> [PixelType; 2] {
        match self {
            Self::ByteColumns => [PixelType::U8, PixelType::U16],
            Self::ByteRows => [PixelType::U16, PixelType::U8],
            Self::FloatColumns | Self::FloatRows => [PixelType::U32; 2],
        }
    }

    /// The elements that a thread computes together.
    const fn together(self) -> usize {
        if self.is_of_bytes() { 4 } else { 1 }
    }

    pub(super) const fn is_of_bytes(self) -> bool {
        matches!(self, Self::ByteColumns | Self::ByteRows)
    }

    /// Whether sums run along rows.
    const fn along(self) -> bool {
        matches!(self, Self::ByteRows | Self::FloatRows)
    }

    /// An element in 32 bits.
    pub(super) fn wide<'b>(self, p: Value<'b, U32>) -> Value<'b, U32> {
        let sixteen = p.builder().int(16);
        if self == Self::ByteRows { ((p << sixteen).cast::<S32>() >> sixteen).cast() } else { p }
    }

    /// `sum + p·weight`.
    pub(super) fn add<'b>(
        self,
        sum: Value<'b, U32>,
        p: Value<'b, U32>,
        weight: Value<'b, U32>,
    ) -> Value<'b, U32> {
        if self.is_of_bytes() {
            sum + p * weight
        } else {
            (sum.cast::<F32>() + p.cast::<F32>() * weight.cast()).cast()
        }
    }

    /// Rounds a sum of fixed-point products to `shift` fewer bits; sums of floats stay.
    pub(super) fn round<'b>(self, sum: Value<'b, U32>, shift: Value<'b, U32>) -> Value<'b, U32> {
        let b = sum.builder();
        let half = (b.int::<U32>(1) << shift) >> b.int(1);
        match self {
            Self::FloatColumns | Self::FloatRows => sum,
            Self::ByteColumns => ((sum + half).cast::<S32>() >> shift).cast(),
            Self::ByteRows => ((sum + half).cast::<S32>() >> shift).most(b.int(0)).least(b.int(255)).cast(),
        }
    }

    /// A rounded sum with the bits of the type of results.
    pub(super) fn stored<'b>(self, sum: Value<'b, U32>) -> Value<'b, U32> {
        if self == Self::ByteColumns { sum & sum.builder().int(0xffff) } else { sum }
    }

    /// The words of rounded sums.
    pub(super) fn words<'b>(self, sums: &[Value<'b, U32>], shift: Value<'b, U32>) -> Vec<Value<'b, U32>> {
        let [_, to] = self.types();
        to.pack(&sums.iter().map(|sum| self.stored(self.round(*sum, shift))).collect::<Vec<_>>())
    }

    /// Adds a product to each of the sums of elements that are in these words.
    fn add_words<'b>(
        self,
        sums: &[Value<'b, U32>],
        words: &[Value<'b, U32>],
        weight: Value<'b, U32>,
    ) -> Vec<Value<'b, U32>> {
        let [from, _] = self.types();
        let elements = from.unpack(words);
        sums.iter().zip(elements).map(|(sum, p)| self.add(*sum, self.wide(p), weight)).collect()
    }
}

/// The rounded sum of the weighted elements of the window around one element, which may go beyond the image: element by element.
pub(super) fn line_sum<'b>(
    line: &Line<'_, 'b>,
    of: FilterPass,
    mode: BorderMode,
    (weights, shift, value): (Value<'b, U64>, Value<'b, U32>, Value<'b, U32>),
    at: Position<'b>,
) -> Value<'b, U32> {
    let b = value.builder();
    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
    let first = line.first(at);
    // Along columns, the products before and behind the image have sums of their own, as on a CPU, so that the bits agree.
    let separate = mode == BorderMode::Constant && !of.along();
    let none = [zero; 3];
    let parts = if separate { &none[..] } else { &none[..1] };
    let sums = b.count::<U32, U32>([zero, line.size, one], 1, parts, |k, sums| {
        let weight = get::<U32>(weights, k);
        let (inside, place) = line.axis.place(mode, first + k);
        let load = || of.wide(line.element(at, place));
        let p = match inside {
            Some(inside) => {
                let [p] = b.either(inside, || [load()], || [value]);
                p
            }
            None => load(),
        };
        match (sums, inside) {
            ([within, before, behind], Some(inside)) => {
                let left = (first + k).compare(Cmp::Lt, line.axis.half);
                let [new_within, new_before, new_behind] =
                    [within, before, behind].map(|sum| of.add(*sum, p, weight));
                vec![
                    Value::select(inside, new_within, *within),
                    Value::select(left, new_before, *before),
                    Value::select(!inside & !left, new_behind, *behind),
                ]
            }
            _ => sums.iter().map(|sum| of.add(*sum, p, weight)).collect(),
        }
    });
    match sums[..] {
        [within, before, behind] if of == FilterPass::FloatColumns => {
            let beyond = before.cast::<F32>() + behind.cast::<F32>();
            let all = within.cast::<F32>() + beyond;
            let last = first + line.size - one;
            let inside =
                first.compare(Cmp::Ge, line.axis.half) & last.compare(Cmp::Lt, line.axis.half + line.axis.n);
            Value::select(inside, within, all.cast())
        }
        [within, before, behind] => {
            let [within, before, behind] =
                [within, before, behind].map(|sum| of.round(sum, shift).cast::<S32>());
            let [least, most] = [-32768, 32767].map(|n| b.int::<S32>(n));
            let beyond = (before + behind).most(least).least(most);
            (within + beyond).most(least).least(most).cast()
        }
        [sum, ..] => of.round(sum, shift),
        [] => zero,
    }
}

/// One pass of a separable filter (`mode` is its border) or of a resize (`mode` is `None`). Buffers: the source, the weights as words of
/// 32 bits, for a resize the spans, the result. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), the bits that rounding removes. A filter
/// adds an axis ([`AXIS_PARAMS`](super::AXIS_PARAMS)), the number of weights, and the constant of the border; a resize adds the first span,
/// the first weight, and the stride from the weights of one result to those of the next.
pub fn weighted_sum(walk: Walk, of: FilterPass, mode: Option<BorderMode>) -> Result<Kernel, Error> {
    let reads = mode.map_or_else(|| String::from("Spans"), |mode| format!("{mode:?}"));
    let b = Builder::new(&walk.name(&format!("image_weighted_{of:?}_{reads}")));
    let [from, to] = of.types();
    let x = b.param::<U64>();
    let weights = b.param::<U64>();
    let Some(mode) = mode else {
        let spans = b.param::<U64>();
        resized(&Args::after_buffers(&b, walk, (x, from)), of, [weights, spans]);
        return b.finish();
    };
    let args = Args::after_buffers(&b, walk, (x, from));
    let shift = b.param::<U32>();
    let axis = Axis::new(&b);
    let [size, value] = b.params::<U32, 2>();
    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
    let line = Line { args: &args, along: of.along(), axis, size };
    args.write(
        to,
        &|at| of.stored(line_sum(&line, of, mode, (weights, shift, value), at)),
        Some(Together {
            elements: of.together(),
            rows: 1,
            inside: &|unit| line.inside(unit, of.together()),
            words: Words::OfUnit(&|unit| {
                let sums = vec![zero; of.together()];
                let sums = b.count::<U32, U32>([zero, size, one], 1, &sums, |k, sums| {
                    of.add_words(sums, &line.words(unit, k, of.together()), get(weights, k))
                });
                of.words(&sums, shift)
            }),
        }),
    );
    b.finish()
}

/// A pass of a resize. Along columns, the elements of a row have the same span and weights.
fn resized<'b>(args: &Args<'b>, of: FilterPass, [weights, spans]: [Value<'b, U64>; 2]) {
    let (b, x) = (args.b, args.x);
    let [shift, first_span, first_weight, weight_stride] = b.params::<U32, 4>();
    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
    // The first element of a result's span, the number of them, and the first weight.
    let span = |place: Value<'b, U32>| {
        let at = (first_span + place) << one;
        [get::<U32>(spans, at), get::<U32>(spans, at + one), first_weight + place * weight_stride]
    };
    let [from, to] = of.types();
    let together = Together {
        elements: of.together(),
        rows: 1,
        inside: &anywhere,
        words: Words::OfUnit(&|unit| {
            let [first, count, start] = span(unit.y);
            let sums = vec![zero; of.together()];
            let sums = b.count::<U32, U32>([zero, count, one], 1, &sums, |k, sums| {
                let row = (first + k) * x.stride;
                let words = x.words(row, unit.e, of.together() / from.per_word(), true);
                of.add_words(sums, &words, get(weights, start + k))
            });
            of.words(&sums, shift)
        }),
    };
    args.write(
        to,
        &|at| {
            let [first, count, start] = span(if of.along() { at.x } else { at.y });
            let sum = b.count::<U32, U32>([zero, count, one], 1, &[zero], |k, sum| {
                let place = first + k;
                let (y, column) = if of.along() { (at.y, place) } else { (place, at.x) };
                let p = of.wide(x.get(y * x.stride + column * args.channels + at.c));
                sum.iter().map(|sum| of.add(*sum, p, get(weights, start + k))).collect()
            });
            of.stored(of.round(sum.first().copied().unwrap_or(zero), shift))
        },
        (!of.along()).then_some(together),
    );
}
