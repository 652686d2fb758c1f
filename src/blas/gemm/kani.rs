//! Proof harnesses for the blocking of a matrix product: Kani proves each for any arguments within its bound (`cargo
//! kani`); the tests try every argument of a smaller bound.

use super::loops::{blocks, run_of, share};

/// Parts of `n`, each made from what is left: none is empty, none larger than `most`, and they are all of it.
fn parts_cover(n: usize, most: usize, part: impl Fn(usize) -> usize) {
    let mut left = n;
    while left > 0 {
        let this = part(left);
        assert!(0 < this && this <= most && this <= left);
        left -= this;
    }
}

/// Loop 1: rows in whole tiles while there are several, the rest in even tiles; a tile that packs is alone.
fn rows_cover(n: usize, mr: usize, one: bool) {
    parts_cover(n, if one { mr } else { usize::MAX }, |left| {
        let rows = run_of(left, mr, one);
        assert!(rows <= mr || rows.is_multiple_of(mr));
        rows
    });
}

/// Loops 5 and 2: whatever the block, the panels start where the panels of the whole start, so a panel that was
/// packed before, in the order of [`super::loops::pack`], lies at `pc·vectors + (jc + jr)·kb` vectors.
fn panels_agree(vectors: usize, most: usize, nv: usize, [pc, kb]: [usize; 2]) {
    let (mut jc, mut at, mut whole) = (0, 0, 0);
    while jc < vectors {
        let block = blocks(vectors - jc, most, nv);
        assert!(0 < block && block <= vectors - jc);
        let mut jr = 0;
        while jr < block {
            let width = share(block - jr, nv);
            assert!(jc + jr == whole && width == share(vectors - whole, nv));
            assert!(pc * vectors + (jc + jr) * kb == pc * vectors + at);
            at += width * kb;
            whole += width;
            jr += width;
        }
        jc += block;
    }
    assert!(whole == vectors && at == vectors * kb);
}

#[cfg(test)]
mod exhaustive {
    #[test]
    fn parts_cover() {
        for most in 1..=16 {
            for n in 0..=600 {
                super::parts_cover(n, most, |left| super::share(left, most));
            }
        }
    }

    #[test]
    fn rows_cover() {
        for mr in 1..=16 {
            for n in 0..=600 {
                super::rows_cover(n, mr, false);
                super::rows_cover(n, mr, true);
            }
        }
    }

    #[test]
    fn panels_agree() {
        for nv in 1..=4 {
            for most in 0..=48 {
                for vectors in 0..=160 {
                    super::panels_agree(vectors, most, nv, [3, 5]);
                }
            }
        }
    }
}

#[cfg(kani)]
mod harness {
    #[kani::proof]
    #[kani::unwind(34)]
    fn parts_cover() {
        let (n, most): (usize, usize) = (kani::any(), kani::any());
        kani::assume(0 < most && n <= 32 * most && most <= 1 << 20);
        super::parts_cover(n, most, |left| super::share(left, most));
    }

    #[kani::proof]
    #[kani::unwind(34)]
    fn rows_cover() {
        let (n, mr, one): (usize, usize, bool) = (kani::any(), kani::any(), kani::any());
        kani::assume(0 < mr && n <= 32 * mr && mr <= 1 << 20);
        super::rows_cover(n, mr, one);
    }

    #[kani::proof]
    #[kani::unwind(26)]
    fn panels_agree() {
        let (vectors, most, nv): (usize, usize, usize) = (kani::any(), kani::any(), kani::any());
        kani::assume(0 < nv && nv <= 4 && vectors <= 24 && most <= 48);
        super::panels_agree(vectors, most, nv, [3, 5]);
    }
}
