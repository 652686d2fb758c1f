//! Scales are searched in one order: the bytes of blocks are the same on every target, and stay what they are.

use super::*;

/// FNV-1a of the bytes of each format, without weights and with.
const KNOWN: [(&str, [u64; 2]); 17] = [
    ("q4_0", [0x763f_09c6_378e_2f56, 0x518e_4e3b_d44f_5262]),
    ("q4_1", [0x80f8_1204_575d_030c, 0xdfc8_60bc_16eb_ef81]),
    ("q5_0", [0xe976_56cd_3587_b98e, 0xc2e2_6a13_6d0e_ad95]),
    ("q5_1", [0xcef7_d559_40ef_419c, 0xdebe_911b_276e_e95a]),
    ("q8_0", [0xdea4_3d15_f35b_947d, 0xdea4_3d15_f35b_947d]),
    ("q8_1", [0x5902_6945_8547_29cc, 0x5902_6945_8547_29cc]),
    ("iq4_nl", [0xb164_5466_966d_0226, 0xac70_455e_05b1_0f5a]),
    ("mxfp4", [0xd21b_2b68_98b5_e67d, 0xb675_2326_9481_e5e0]),
    ("q2_k", [0x3383_8368_f600_9862, 0xd434_146e_f30e_b26a]),
    ("q3_k", [0xb6b8_d8fa_5961_af8c, 0xa14d_84d0_4cf7_8389]),
    ("q4_k", [0x22f7_4b2c_e9bb_e89d, 0x7171_26ea_b201_03c9]),
    ("q5_k", [0xbe64_0c77_9d90_b711, 0x5098_bcf9_6b39_8f8d]),
    ("q6_k", [0xfcdd_db2a_cbfe_c6c7, 0xd909_d1fa_73a1_bff6]),
    ("q8_k", [0x491a_d426_81ae_b1d7, 0x491a_d426_81ae_b1d7]),
    ("nf4", [0xcf17_74fd_a09b_e641, 0x2723_9056_fe89_9035]),
    ("nf4_low", [0x53f1_2c5d_f3f6_2497, 0x3879_c52d_e73d_1833]),
    ("q8_64", [0xe330_5ab1_4bfa_4ced, 0xe330_5ab1_4bfa_4ced]),
];

/// Rows of bell-shaped numbers of exact arithmetic: of one size, of sizes that vary, around a positive offset, mostly zeros.
fn rows(cols: usize) -> Vec<f32> {
    let mut rng = Rng(11);
    let mut one = |i: usize| {
        let four: i32 = (0..4).map(|_| (rng.next() >> 44) as i32 - (1 << 19)).sum();
        let x = four as f32 / (1 << 20) as f32;
        match i / cols {
            0 => x,
            1 => x / (1 << (i / 32 % 12)) as f32,
            2 => x / 8.0 + 3.0,
            _ if rng.next() & 3 > 0 => 0.0,
            _ => x,
        }
    };
    (0..4 * cols).map(&mut one).collect()
}

fn bytes<B: Block>() {
    let x = rows(1024);
    let mut rng = Rng(12);
    let weights: Vec<f32> = (0..1024).map(|_| (rng.next() >> 60) as f32).collect();
    let hash = [None, Some(&weights[..])].map(|importance| {
        let mut to = zeros::<B>(x.len() / B::ELEMENTS);
        quantize(&x, importance, &mut to).unwrap();
        bytes_of(&to).iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    });
    let known = KNOWN.iter().find(|(name, _)| *name == B::NAME).map(|(_, hash)| *hash);
    assert!(known == Some(hash), "(\"{}\", [{:#018x}, {:#018x}]),", B::NAME, hash[0], hash[1]);
}

#[test]
fn bytes_stay_what_they_are() {
    each_format!(bytes());
}
