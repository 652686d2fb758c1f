//! Contractions on a device: by products of matrices, with and without copies, and by a thread for each element.

use super::transforms::{Within, check};
use crate::device::{Worst, specials};
use crate::nn::contractions::{self, Contraction, contraction};
use crate::nn::{Noise, Routine};
use fulmen::backend::*;
use fulmen::gpu::backend::{Array, Gpu, Scalar};
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::{Einsum, EinsumPlan};

/// Expressions and shapes. The first four are worth products: in a batch, with a copy of a factor, of the result, and of what
/// has an index alone.
const CASES: [(&str, &[&[usize]]); 16] = [
    ("bij,bjk->bik", &[&[2, 33, 40], &[2, 40, 25]]),
    ("aib,bja->ij", &[&[5, 30, 9], &[9, 25, 5]]),
    ("abk,kc->acb", &[&[7, 5, 33], &[33, 30]]),
    ("ijx,kj->ki", &[&[33, 40, 3], &[25, 40]]),
    ("ij,jk,kl->il", &[&[6, 50], &[50, 4], &[4, 2]]),
    ("ij,ij->i", &[&[5, 130], &[5, 130]]),
    ("ijk->kj", &[&[4, 3, 9]]),
    ("i,j->ij", &[&[3], &[300]]),
    ("iij,j->ji", &[&[4, 4, 5], &[5]]),
    ("ij,ji->", &[&[7, 9], &[9, 7]]),
    ("ii->", &[&[40, 40]]),
    ("ij,k->", &[&[3, 4], &[5]]),
    ("abcd,dcba->adb", &[&[2, 3, 4, 5], &[5, 4, 3, 2]]),
    ("ij,jk->ik", &[&[3, 1], &[7, 4]]),
    ("ij,jk->ik", &[&[3, 0], &[0, 4]]),
    ("ij,jk->ik", &[&[0, 3], &[3, 4]]),
];

pub fn story<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>, language: &str) -> Result<Worst, Error> {
    let mut worst = Worst { op: "einsum", share: 0.0, got: 0.0, want: 0.0 };
    let mut noise = Noise(41);
    for (case, (expression, shapes)) in CASES.into_iter().enumerate() {
        let plan = EinsumPlan::new(&Einsum::parse(expression)?, shapes)?;
        let x: Vec<Vec<T>> = shapes.iter().map(|s| noise.slice(s.iter().product(), 2.0)).collect();
        let wide: Vec<Vec<f64>> = x.iter().map(|x| x.iter().map(|x| x.to_f64()).collect()).collect();
        let shapes: Vec<Vec<usize>> = shapes.iter().map(|s| s.to_vec()).collect();
        let mark = T::from_f64(7.0);
        let on = |x: &Vec<T>| Within::new(gpu, x, mark, 3 + case % 2);
        let operands = x.iter().map(on).collect::<Result<Vec<_>, Error>>()?;
        let mut out = on(&vec![mark; plan.len()])?;
        let views: Vec<_> = operands.iter().map(Within::view).collect();
        gpu.einsum(&plan, &views, out.view_mut(), ())?;
        check(&mut worst, language, &out.back(gpu)?, &contraction(expression, &shapes, &wide));
    }
    specials::op(&Routine::native::<Contraction>(), language, &[], &mut worst, &|a| {
        let plan = contractions::plan(a)?;
        let operands = a.x.iter().map(|x| gpu.upload(x)).collect::<Result<Vec<_>, Error>>()?;
        let views: Vec<_> = operands.iter().map(Array::view).collect();
        let mut out = Within::new(gpu, &vec![T::ONE; plan.len()], T::ONE, 3)?;
        gpu.einsum(&plan, &views, out.view_mut(), ())?;
        Ok(vec![out.back(gpu)?])
    })?;
    Ok(worst)
}
