//! The bandwidth limit of a case: the same number of streams, and nothing done with them that could
//! cost time. Plain loops over whole cache lines, which the compiler turns into vector moves.

use super::{Contender, Data, Streams};

pub trait Streamable: Copy {
    fn mix(self, o: Self) -> Self;
}
impl Streamable for f32 {
    #[inline(always)]
    fn mix(self, o: Self) -> Self {
        Self::from_bits(self.to_bits() | o.to_bits())
    }
}
impl Streamable for f64 {
    #[inline(always)]
    fn mix(self, o: Self) -> Self {
        Self::from_bits(self.to_bits() | o.to_bits())
    }
}

/// Elements handled at once: enough registers in flight to hide the latency of loads.
const BLOCK: usize = 64;

#[inline(never)]
fn read<T: Streamable + Default>(x: [&[T]; 3], reads: usize) -> T {
    let mut acc = [T::default(); BLOCK];
    for x in x.into_iter().take(reads) {
        for c in x.as_chunks::<BLOCK>().0 {
            for (a, &c) in acc.iter_mut().zip(c) {
                *a = a.mix(c);
            }
        }
    }
    acc.into_iter().fold(T::default(), T::mix)
}

#[inline(never)]
fn write2<T: Streamable>(a: &[T], b: &[T], out: &mut [T]) {
    for ((&a, &b), o) in a.iter().zip(b).zip(out) {
        *o = a.mix(b);
    }
}

#[inline(never)]
fn write3<T: Streamable>(a: &[T], b: &[T], c: &[T], out: &mut [T]) {
    for (((&a, &b), &c), o) in a.iter().zip(b).zip(c).zip(out) {
        *o = a.mix(b).mix(c);
    }
}

pub fn contender<'a, T: Streamable + Default>(s: Streams) -> Contender<'a, T> {
    Contender {
        name: "limit",
        run: Box::new(move |d: &mut Data<T>| {
            let value = {
                let (a, b, c, out) = d.split();
                // Streams that are read and written in their turn.
                for _ in 1..s.writes {
                    out.copy_from_slice(b);
                }
                match (s.reads - s.writes.saturating_sub(1), s.writes) {
                    (_, 0) => Some(read([a, b, c], s.reads)),
                    (1, _) => {
                        out.copy_from_slice(a);
                        None
                    }
                    (2, _) => {
                        write2(a, b, out);
                        None
                    }
                    _ => {
                        write3(a, b, c, out);
                        None
                    }
                }
            };
            if let Some(v) = value {
                d.value = v;
            }
        }),
    }
}
