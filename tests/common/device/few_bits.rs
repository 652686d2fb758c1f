//! NaN and infinities among operands of 16 and 8 bits, in the scalars of such products, and among queries and caches: what a device
//! makes of them is of the class that a CPU's is.

use super::specials::{Group, Kind, compare};
use super::{Gpu, Worst};
use crate::seed::Seed;
use fulmen::backend::Caches;
use fulmen::gpu::backend::{DeviceCached, Word};
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::{Attention, attention_decode, attention_decode_workspace};

/// Draws of an op, of the six forms in turn from one that is drawn too: they take long where kernels are interpreted.
const DRAWS: usize = 3;

fn same(op: &'static str, what: &str, got: Vec<Vec<f32>>, want: Vec<Vec<f32>>) {
    let mut worst = Worst { op, share: 0.0, got: 0.0, want: 0.0 };
    compare(&mut worst, (Kind::Classes, Group::One), what, &Ok(got), &Ok(want), |_, _| 0.0);
    assert!(worst.share == 0.0, "{worst:?}");
}

/// `attention_decode` of a cache of such elements.
pub fn caches<C: DeviceCached + Word, D: Computes<f32> + Blocking + 'static>(
    gpu: &Gpu<D>,
    round: impl Fn(f32) -> C,
) -> Result<(), Error> {
    let mut r = Seed::running().stream("attention_decode of special values");
    // A value that no query sees may reach the results: windows stand where a key is no number.
    for turn in (r.within(0..=5)..).take(DRAWS) {
        let [heads, dim, len] = [2, r.within(1..=9), [5, 70][turn % 2]];
        let op = Attention { window: (turn % 3 == 1).then_some(3), ..Attention::new(heads, 1, dim, 0.4f32) };
        let mut x = [heads * dim, len * dim, len * dim].map(|n| r.slice::<f32>(n, 2.0));
        Kind::Classes.poke(&mut x[turn % 3], &mut r, |_| true);
        let [keys, values] = [1, 2].map(|k| x[k].iter().map(|x| round(*x)).collect::<Vec<C>>());
        let (on_q, on_k, on_v) = (gpu.upload(&x[0])?, gpu.upload(&keys)?, gpu.upload(&values)?);
        let (mut out, mut lse) = (gpu.upload(&vec![7.0f32; heads * dim])?, gpu.upload(&vec![7.0f32; heads])?);
        let sums = Some(lse.view_mut());
        gpu.attention_decode(&op, on_q.view(), on_k.view(), on_v.view(), None, out.view_mut(), sums, ())?;
        let mut got = vec![vec![0.0f32; heads * dim], vec![0.0f32; heads]];
        gpu.download(out.view(), &mut got[0])?;
        gpu.download(lse.view(), &mut got[1])?;
        let (mut want, mut sums) = (vec![0.0f32; heads * dim], vec![0.0f32; heads]);
        let mut room = vec![0.0; attention_decode_workspace(heads, dim)];
        attention_decode(&op, &x[0], &keys, &values, None, &mut want, Some(&mut sums), &mut room).unwrap();
        let what = format!("{op:?} over {len} keys, {x:?}");
        same("attention_decode", &what, got, vec![want, sums]);
    }
    Ok(())
}

/// Operands of 16 and 8 bits.
#[cfg(feature = "half")]
pub mod halves {
    use super::{DRAWS, same};
    use crate::device::specials::Kind;
    use crate::seed::Seed;
    use fulmen::backend::Halves;
    use fulmen::gpu::backend::{Gpu, Mat, MatMut, Word};
    use fulmen::gpu::device::{Blocking, Computes, Error};
    use fulmen::{Attention, E4m3, MatMut as CpuMut, MatRef};
    use half::{bf16, f16};

    fn product<E: Word, D: Computes<f32> + Blocking>(
        gpu: &Gpu<D>,
        op: &'static str,
        round: impl Fn(f32) -> E,
        device: impl Fn(f32, Mat<'_, E, D>, Mat<'_, E, D>, f32, MatMut<'_, f32, D>) -> Result<(), Error>,
        cpu: impl Fn(
            f32,
            MatRef<'_, E>,
            MatRef<'_, E>,
            f32,
            CpuMut<'_, f32>,
            &mut [f32],
        ) -> Result<(), fulmen::Error>,
    ) -> Result<(), Error> {
        let mut r = Seed::running().stream(op);
        for turn in (r.within(0..=5)..).take(DRAWS) {
            let [m, n, k] = if turn % 2 == 0 { [9; 3].map(|most| r.within(1..=most)) } else { [16, 24, 32] };
            let mut x = [m * k, k * n, m * n].map(|n| r.slice::<f32>(n, 2.0));
            let mut factors = [[1.5, 0.0][turn % 5 / 4], [0.0, 1.0, -2.0][turn % 3]];
            match r.within(0..=3) {
                3 => factors[r.within(0..=1)] = f32::NAN,
                of => drop(Kind::Classes.poke(&mut x[of], &mut r, |_| true)),
            }
            let [a, b] = [0, 1].map(|k| x[k].iter().map(|x| round(*x)).collect::<Vec<E>>());
            let (on_a, on_b, mut on_c) = (gpu.upload(&a)?, gpu.upload(&b)?, gpu.upload(&x[2])?);
            let [alpha, beta] = factors;
            let c = on_c.view_mut().matrix(m, n)?;
            device(alpha, on_a.view().matrix(m, k)?, on_b.view().matrix(k, n)?, beta, c)?;
            let (mut got, mut want) = (vec![0.0; m * n], x[2].clone());
            gpu.download(on_c.view(), &mut got)?;
            let (a, b) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
            let c = CpuMut::row_major(&mut want, m, n).unwrap();
            cpu(alpha, a, b, beta, c, &mut vec![0.0; 1 << 16]).unwrap();
            same(op, &format!("{m} x {n} x {k}, {factors:?}, {x:?}"), vec![got], vec![want]);
        }
        Ok(())
    }

    /// Products of `bf16`, `f16` and `E4m3`.
    pub fn products<D: Computes<f32> + Blocking>(gpu: &Gpu<D>) -> Result<(), Error> {
        let device = |alpha, a: Mat<'_, bf16, D>, b: Mat<'_, bf16, D>, beta, c: MatMut<'_, f32, D>| {
            gpu.gemm_bf16(alpha, a, b, beta, c, ())
        };
        product(gpu, "gemm_bf16", bf16::from_f32, device, |alpha, a, b, beta, c, room| {
            fulmen::gemm_bf16(alpha, a, b, beta, c, room)
        })?;
        let device = |alpha, a: Mat<'_, f16, D>, b: Mat<'_, f16, D>, beta, c: MatMut<'_, f32, D>| {
            gpu.gemm_f16(alpha, a, b, beta, c, ())
        };
        product(gpu, "gemm_f16", f16::from_f32, device, |alpha, a, b, beta, c, room| {
            fulmen::gemm_f16(alpha, a, b, beta, c, room)
        })?;
        let device = |alpha, a: Mat<'_, E4m3, D>, b: Mat<'_, E4m3, D>, beta, c: MatMut<'_, f32, D>| {
            gpu.gemm_e4m3(alpha, a, b, beta, c, ())
        };
        product(gpu, "gemm_e4m3", E4m3::from_f32, device, |alpha, a, b, beta, c, room| {
            fulmen::gemm_e4m3(alpha, a, b, beta, c, room)
        })
    }

    /// `attention_bf16`.
    pub fn attention<D: Computes<f32> + Blocking>(gpu: &Gpu<D>) -> Result<(), Error> {
        let mut r = Seed::running().stream("attention_bf16 of special values");
        for turn in (r.within(0..=5)..).take(DRAWS) {
            let [n, len, dim] = [r.within(1..=5), r.within(1..=9), [r.within(1..=9), 64][turn % 2]];
            let op = Attention { causal: turn % 3 == 1, ..Attention::new(2, 1, dim, 0.4f32) };
            let shapes = [[n, 2 * dim], [len, dim], [len, dim]];
            let mut x = shapes.map(|[r_of, c]| r.slice::<f32>(r_of * c, 2.0));
            Kind::Classes.poke(&mut x[turn % 3], &mut r, |_| true);
            let all = [0, 1, 2].map(|k| x[k].iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>());
            let on = [gpu.upload(&all[0])?, gpu.upload(&all[1])?, gpu.upload(&all[2])?];
            let [q, k, v] = [0, 1, 2].map(|k| on[k].view().matrix(shapes[k][0], shapes[k][1]));
            let (mut out, mut lse) =
                (gpu.upload(&vec![7.0f32; n * 2 * dim])?, gpu.upload(&vec![7.0f32; 2 * n])?);
            let to = out.view_mut().matrix(n, 2 * dim)?;
            gpu.attention_bf16(&op, q?, k?, v?, to, Some(lse.view_mut()), ())?;
            let mut got = vec![vec![0.0f32; n * 2 * dim], vec![0.0f32; 2 * n]];
            gpu.download(out.view(), &mut got[0])?;
            gpu.download(lse.view(), &mut got[1])?;
            let (mut want, mut sums) = (vec![0.0f32; n * 2 * dim], vec![0.0f32; 2 * n]);
            let [q, k, v] =
                [0, 1, 2].map(|k| MatRef::row_major(&all[k], shapes[k][0], shapes[k][1]).unwrap());
            let to = CpuMut::row_major(&mut want, n, 2 * dim).unwrap();
            fulmen::attention_bf16(&op, q, k, v, to, Some(&mut sums), &mut vec![0.0; 1 << 18]).unwrap();
            same("attention_bf16", &format!("{op:?}, {n} over {len}, {x:?}"), got, vec![want, sums]);
        }
        Ok(())
    }
}
