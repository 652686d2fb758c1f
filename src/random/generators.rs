//! The counter-based generators Philox and Threefry: a block of random words is a function of its counter and its key
//! alone.

macro_rules! generator {
    ($(#[$doc:meta])* $name:ident($key:pat_param, [$k:ty; $keys:literal], $counter:pat_param, [$t:ty; $n:literal]) $block:block) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;
        impl $name {
            /// The numbers at `counter` of the sequence of `key`; counters next to each other are as good as any others.
            #[inline]
            #[must_use]
            #[allow(clippy::indexing_slicing, reason = "all indices are of loops below the lengths")]
            pub const fn generate_at($key: [$k; $keys], $counter: [$t; $n]) -> [$t; $n] $block
        }
    };
}

macro_rules! philox2 {
    ($name:ident, $t:ty, $wide:ty, $m:literal, $w:literal, $doc:literal) => {
        generator! {
            #[doc = $doc]
            $name([mut k], [$t; 1], [mut a, mut b], [$t; 2]) {
                    let mut round = 0;
                    while round < 10 {
                        let p = (a as $wide) * ($m as $wide);
                        (a, b) = ((p >> <$t>::BITS) as $t ^ k ^ b, p as $t);
                        k = k.wrapping_add($w);
                        round += 1;
                    }
                    [a, b]
            }
        }
    };
}

macro_rules! philox4 {
    ($name:ident, $t:ty, $wide:ty, $m:literal $n:literal, $v:literal $w:literal, $doc:literal) => {
        generator! {
            #[doc = $doc]
            $name([mut k, mut l], [$t; 2], [mut a, mut b, mut c, mut d], [$t; 4]) {
                    let mut round = 0;
                    while round < 10 {
                        let (p, q) = ((a as $wide) * ($m as $wide), (c as $wide) * ($n as $wide));
                        (a, c) = ((q >> <$t>::BITS) as $t ^ b ^ k, (p >> <$t>::BITS) as $t ^ d ^ l);
                        (b, d) = (q as $t, p as $t);
                        (k, l) = (k.wrapping_add($v), l.wrapping_add($w));
                        round += 1;
                    }
                    [a, b, c, d]
            }
        }
    };
}

macro_rules! threefry {
    ($name:ident, $t:ty, $n:literal, $parity:literal, $rotations:expr, $doc:literal) => {
        generator! {
            #[doc = $doc]
            $name(key, [$t; $n], mut x, [$t; $n]) {
                    const ROTATIONS: [[u32; $n / 2]; 8] = $rotations;
                    let mut keys: [$t; $n + 1] = [$parity; $n + 1];
                    let mut i = 0;
                    while i < $n {
                        keys[i] = key[i];
                        keys[$n] ^= key[i];
                        x[i] = x[i].wrapping_add(key[i]);
                        i += 1;
                    }
                    let mut round = 0;
                    while round < 20 {
                        let mut pair = 0;
                        while pair < $n / 2 {
                            // Of four words, odd rounds mix (0, 3) and (2, 1); of two always (0, 1).
                            let (i, j) =
                                if round % 2 == 0 { (2 * pair, 2 * pair + 1) } else { (2 * pair, $n - 1 - 2 * pair) };
                            x[i] = x[i].wrapping_add(x[j]);
                            x[j] = x[j].rotate_left(ROTATIONS[round % 8][pair]) ^ x[i];
                            pair += 1;
                        }
                        round += 1;
                        if round % 4 == 0 {
                            let (step, mut i) = (round / 4, 0);
                            while i < $n {
                                x[i] = x[i].wrapping_add(keys[(step + i) % ($n + 1)]);
                                i += 1;
                            }
                            x[$n - 1] = x[$n - 1].wrapping_add(step as $t);
                        }
                    }
                    x
            }
        }
    };
}

philox2!(
    Philox2x32,
    u32,
    u64,
    0xD256_D193,
    0x9E37_79B9,
    "Philox2x32-10: two words of 32 bits from a key of one."
);
philox2!(
    Philox2x64,
    u64,
    u128,
    0xD2B7_4407_B1CE_6E93,
    0x9E37_79B9_7F4A_7C15,
    "Philox2x64-10: two words of 64 bits from a key of one."
);
philox4!(
    Philox4x32, u32, u64, 0xD251_1F53 0xCD9E_8D57, 0x9E37_79B9 0xBB67_AE85,
    "Philox4x32-10: four words of 32 bits from a key of two. What a [`Stream`](super::Stream) is made of."
);
philox4!(
    Philox4x64, u64, u128, 0xD2E7_470E_E14C_6C93 0xCA5A_8263_9512_1157, 0x9E37_79B9_7F4A_7C15 0xBB67_AE85_84CA_A73B,
    "Philox4x64-10: four words of 64 bits from a key of two."
);
threefry!(
    Threefry2x32,
    u32,
    2,
    0x1BD1_1BDA,
    [[13], [15], [26], [6], [17], [29], [16], [24]],
    "Threefry2x32-20: two words of 32 bits from a key of two, without a multiplication."
);
threefry!(
    Threefry4x32,
    u32,
    4,
    0x1BD1_1BDA,
    [[10, 26], [11, 21], [13, 27], [23, 5], [6, 20], [17, 11], [25, 10], [18, 20]],
    "Threefry4x32-20: four words of 32 bits from a key of four."
);
threefry!(
    Threefry2x64,
    u64,
    2,
    0x1BD1_1BDA_A9FC_1A22,
    [[16], [42], [12], [31], [16], [32], [24], [21]],
    "Threefry2x64-20: two words of 64 bits from a key of two."
);
threefry!(
    Threefry4x64,
    u64,
    4,
    0x1BD1_1BDA_A9FC_1A22,
    [[14, 16], [52, 57], [23, 40], [5, 37], [25, 33], [46, 12], [58, 22], [32, 32]],
    "Threefry4x64-20: four words of 64 bits from a key of four."
);
