//! Pre- and post-processing of cosine transforms and of convolutions by overlap-save.

use super::super::builder::Value;
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::fft::pairs;
use super::flat::{each, get, named, put};
use crate::fft::butterfly::mul;

/// The even places of lines, then the odd ones from the end, or, `back`, the other way. Parameters: `x`, `out`; elements, those of
/// a line; what each is multiplied with.
pub fn unfolded<T: Recorded>(back: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if back { "dct_folded" } else { "dct_unfolded" });
    let [x, out] = b.params::<U64, 2>();
    let [all, n] = b.params::<U32, 2>();
    let by = b.param::<T>();
    let one = b.int::<U32>(1);
    each(&b, all, |i| {
        let start = i / n * n;
        let k = i - start;
        let odd = (k & one).compare(Cmp::Ne, b.int(0));
        let half = k >> one;
        let place = start + Value::select(odd, n - one - half, half);
        let [from, to] = if back { [place, i] } else { [i, place] };
        put(out, to, get::<T>(x, from) * by);
    });
    b.finish()
}

/// The second cosine transform of lines from their bins. Parameters: the bins, roots, `out`; elements of `out`, of a line, bins of
/// one.
pub fn second<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("dct_second");
    let [z, roots] = [(); 2].map(|()| pairs(&b));
    let out = b.param::<U64>();
    let [all, n, bins] = b.params::<U32, 3>();
    each(&b, all, |i| {
        let r = i / n;
        let k = i - r * n;
        let low = k.compare(Cmp::Lt, bins);
        let bin = Value::select(low, k, n - k);
        let [re, im] = mul(z.get::<T>(r * bins + bin, 0), roots.get(bin, 0));
        put(out, i, Value::select(low, re, -im));
    });
    b.finish()
}

/// The bins of which the third cosine transform is made. Parameters: `x`, roots, the bins; bins of all lines, elements of a line,
/// bins of one.
pub fn third<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("dct_third");
    let (x, roots, out) = (b.param::<U64>(), pairs(&b), pairs(&b));
    let [all, n, bins] = b.params::<U32, 3>();
    each(&b, all, |i| {
        let r = i / bins;
        let k = i - r * bins;
        let start = r * n;
        let z = b.either(
            k.compare(Cmp::Eq, b.int(0)),
            || [get::<T>(x, start), b.bits(0)],
            || {
                let [cos, sin] = roots.get::<T>(k, 0);
                mul([get::<T>(x, start + k), -get(x, start + n - k)], [cos, -sin])
            },
        );
        out.put(i, z);
    });
    b.finish()
}

/// Before the fourth cosine transform of an even length: elements from both ends in pairs, turned. Parameters: `x`, roots, the
/// pairs; pairs of all lines, of one.
pub fn ends<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("dct_ends");
    let (x, roots, out) = (b.param::<U64>(), pairs(&b), pairs(&b));
    let [all, m] = b.params::<U32, 2>();
    each(&b, all, |i| {
        let r = i / m;
        let j = i - r * m;
        let (first, last) = ((i + r * m + j), (r + b.int(1)) * m * b.int(2) - b.int(1) - j - j);
        out.put(i, mul([get::<T>(x, first), get(x, last)], roots.get(j, 0)));
    });
    b.finish()
}

/// After it. Parameters: the pairs, roots, `out`; pairs of all lines, of one.
pub fn ended<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("dct_ended");
    let [z, roots] = [(); 2].map(|()| pairs(&b));
    let out = b.param::<U64>();
    let [all, m] = b.params::<U32, 2>();
    each(&b, all, |i| {
        let r = i / m;
        let j = i - r * m;
        let [re, im] = mul(z.get::<T>(i, 0), roots.get(j, 0));
        put(out, i + r * m + j, re);
        put(out, (r + b.int(1)) * m * b.int(2) - b.int(1) - j - j, -im);
    });
    b.finish()
}

/// Before the fourth cosine transform of an odd length `n`: the elements whose cosines are of `8b + 1` eighths, with the signs
/// that bring them there. Parameters: `x`, `out`; elements, those of a line.
pub fn eighths<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("dct_eighths");
    let [x, out] = b.params::<U64, 2>();
    let [all, n] = b.params::<U32, 2>();
    let int = |c: i64| b.int::<U32>(c);
    each(&b, all, |i| {
        let start = i / n * n;
        let m = (i - start) * int(8) + int(1);
        // A cosine is the same on both sides of 0, and past a quarter of a turn the negative of what it was before.
        let near = m.least(n * int(8) - m);
        let far = near.compare(Cmp::Gt, n * int(2));
        let v = get::<T>(x, start + Value::select(far, n * int(4) - near, near) / int(2));
        put(out, i, Value::select(far, -v, v));
    });
    b.finish()
}

/// After it. Parameters: the bins, roots, `out`; elements of `out`, of a line, bins of one.
pub fn fourth<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("dct_fourth");
    let [z, roots] = [(); 2].map(|()| pairs(&b));
    let out = b.param::<U64>();
    let [all, n, bins] = b.params::<U32, 3>();
    each(&b, all, |i| {
        let r = i / n;
        let k = i - r * n;
        // Modulo `n`, of which it is less than twice.
        let at = k + k + b.int(1);
        let at = Value::select(at.compare(Cmp::Lt, n), at, at - n);
        let low = at.compare(Cmp::Lt, bins);
        let [re, im] = z.get::<T>(r * bins + Value::select(low, at, n - at), 0);
        let [y, _] = mul([re, Value::select(low, im, -im)], roots.get(k, 0));
        put(out, i, y);
    });
    b.finish()
}

/// Blocks of a signal: zeros, what came before, `x`, then zeros. Parameters: what came before, `x`, `out`; elements of all
/// blocks, of one, from one block to the next; zeros, elements before, elements of `x`.
pub fn blocks<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("convolve_blocks");
    let [before, x, out] = b.params::<U64, 3>();
    let [all, n, step, zeros, old, len] = b.params::<U32, 6>();
    each(&b, all, |i| {
        let r = i / n;
        let at = r * step + (i - r * n);
        // Where it is before the zeros' end, past the end of everything.
        let at = Value::select(at.compare(Cmp::Lt, zeros), old + len, at - zeros);
        let [v] = b.either(
            at.compare(Cmp::Lt, old),
            || [get::<T>(before, at)],
            || b.either((at - old).compare(Cmp::Lt, len), || [get::<T>(x, at - old)], || [b.bits(0)]),
        );
        put(out, i, v);
    });
    b.finish()
}

/// What blocks have behind their first `skip` elements, one after the other. Parameters: the blocks, `out`; elements of `out`,
/// those of a block, how many of it are results, `skip`.
pub fn kept<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("convolve_kept");
    let [v, out] = b.params::<U64, 2>();
    let [all, n, step, skip] = b.params::<U32, 4>();
    each(&b, all, |i| {
        let r = i / step;
        put(out, i, get::<T>(v, r * n + skip + i - r * step));
    });
    b.finish()
}

/// Real numbers as complex ones. Parameters: `x`, `out`; how many.
pub fn to_complex<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_to_complex");
    let (x, out, n) = (b.param::<U64>(), pairs(&b), b.param::<U32>());
    each(&b, n, |i| out.put(i, [get::<T>(x, i), b.bits(0)]));
    b.finish()
}

/// The first `bins` of lines of `n`. Parameters: `z`, `out`; lines, `n`, `bins`.
pub fn halved<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_halved");
    let [z, out] = [(); 2].map(|()| pairs(&b));
    let [rows, n, bins] = b.params::<U32, 3>();
    each(&b, rows * bins, |i| {
        let r = i / bins;
        out.put(i, z.get::<T>(r * n + (i - r * bins), 0));
    });
    b.finish()
}

/// Lines of an odd `n` from their first `bins`: the others are conjugates. Parameters: `x`, `out`; lines, `n`, `bins`.
pub fn mirrored<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_mirrored");
    let [x, out] = [(); 2].map(|()| pairs(&b));
    let [rows, n, bins] = b.params::<U32, 3>();
    each(&b, rows * n, |i| {
        let r = i / n;
        let k = i - r * n;
        let low = k.compare(Cmp::Lt, bins);
        let [re, im] = x.get::<T>(r * bins + Value::select(low, k, n - k), 0);
        let im = Value::select(low, im, -im);
        out.put(i, [re, Value::select(k.compare(Cmp::Eq, b.int(0)), b.bits(0), im)]);
    });
    b.finish()
}

/// The real parts. Parameters: `z`, `out`; how many.
pub fn real_parts<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_real_parts");
    let (z, out, n) = (pairs(&b), b.param::<U64>(), b.param::<U32>());
    each(&b, n, |i| {
        let [re, _] = z.get::<T>(i, 0);
        put(out, i, re);
    });
    b.finish()
}

/// Pieces of a signal times a window, and zeros up to `n`. Parameters: the signal, the window, `out`; pieces, `n`, the
/// window's length, from one piece to the next.
pub fn framed<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("stft_framed");
    let [x, window, out] = b.params::<U64, 3>();
    let [rows, n, len, hop] = b.params::<U32, 4>();
    each(&b, rows * n, |i| {
        let r = i / n;
        let k = i - r * n;
        let inside = k.compare(Cmp::Lt, len);
        let [v] = b.either(inside, || [get::<T>(x, r * hop + k) * get(window, k)], || [b.bits(0)]);
        put(out, i, v);
    });
    b.finish()
}
