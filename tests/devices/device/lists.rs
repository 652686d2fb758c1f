//! Launches of a list that become one: products with a vector, the rotations of their results and the gates they are of.

use super::*;
use fulmen::RopeStyle;
use fulmen::backend::{Layers, Memory, Products};
use fulmen::gpu::backend::{Array, Scalar, View, ViewMut};
use fulmen::gpu::device::Computes;

type On<T> = Array<T, Host>;

/// `y ← A·x`, A of as many rows as `y` has elements.
fn times<T: Scalar>(
    gpu: &Gpu<Host>,
    a: &On<T>,
    x: View<'_, T, Host>,
    y: ViewMut<'_, T, Host>,
) -> Result<(), Error>
where
    Host: Computes<T>,
{
    let (a, x) = (a.view().matrix(y.len(), x.len())?, <Gpu<Host> as Memory>::vector(x));
    Products::gemv(gpu, T::ONE, a, x, T::ZERO, <Gpu<Host> as Memory>::vector_mut(y))
}

/// Turns all elements, heads of six.
fn turn<T: Scalar>(
    gpu: &Gpu<Host>,
    x: ViewMut<'_, T, Host>,
    angles: &On<T>,
    style: RopeStyle,
) -> Result<(), Error>
where
    Host: Computes<T>,
{
    let (cos, sin, n) = (angles.view().part(0..3)?, angles.view().part(3..6)?, x.len());
    gpu.rope_view(x.matrix(1, n)?, 6, cos, sin, style, false)
}

const Q: usize = 18;
const KV: usize = 14;
const GATES: usize = 11;

/// Products of rows of `cols` with one vector, as a block of a model has them, with keys and values behind two others in `cache`.
struct Token<T> {
    weights: [On<T>; 3],
    x: On<T>,
    angles: On<T>,
    q: On<T>,
    cache: On<T>,
    gate_up: On<T>,
    hidden: On<T>,
}

impl<T: Scalar> Token<T>
where
    Host: Computes<T>,
{
    fn new(gpu: &Gpu<Host>, cols: usize, cache: On<T>) -> Result<Self, Error> {
        let upload = |n, seed| gpu.upload(&data::<T>(n, seed, 0));
        Ok(Self {
            weights: [upload(Q * cols, 5)?, upload(KV * cols, 6)?, upload(2 * GATES * cols, 7)?],
            x: upload(cols, 8)?,
            angles: upload(6, 9)?,
            q: upload(Q, 3)?,
            cache,
            gate_up: upload(2 * GATES, 3)?,
            hidden: upload(GATES, 3)?,
        })
    }

    fn follow(&mut self, gpu: &Gpu<Host>) -> Result<(), Error> {
        let [w_q, w_kv, w_gates] = &self.weights;
        times(gpu, w_q, self.x.view(), self.q.view_mut())?;
        turn(gpu, self.q.view_mut(), &self.angles, RopeStyle::Interleaved)?;
        let [_, mut kv] = self.cache.view_mut().split(2)?;
        times(gpu, w_kv, self.x.view(), kv.lend())?;
        // Keys alone.
        let [keys, _] = kv.split(6)?;
        turn(gpu, keys, &self.angles, RopeStyle::Interleaved)?;
        times(gpu, w_gates, self.x.view(), self.gate_up.view_mut())?;
        gpu.swiglu_packed(self.gate_up.view(), GATES, self.hidden.view_mut())
    }

    fn all(&self, gpu: &Gpu<Host>) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        for array in [&self.q, &self.cache, &self.gate_up, &self.hidden] {
            let mut back = vec![T::ZERO; array.len()];
            gpu.download(array.view(), &mut back)?;
            all.extend(back);
        }
        Ok(all)
    }
}

/// In a list they are two launches, of which the last forms are kernels of their own; the bits are those of six.
#[test]
fn products_become_one_with_what_follows_them() -> Result<(), Error> {
    fn both<T: Scalar>(make: impl Fn() -> Gpu<Host>, cols: usize) -> Result<(), Error>
    where
        Host: Computes<T>,
    {
        let [mut got, mut kernels] = [Vec::new(), Vec::new()];
        for list in [false, true] {
            let gpu = make();
            let mut token = Token::<T>::new(&gpu, cols, gpu.upload(&data::<T>(2 + KV, 4, 0))?)?;
            for _ in 0..2 {
                if list { gpu.together(|| token.follow(&gpu))? } else { token.follow(&gpu)? }
            }
            got.push(token.all(&gpu)?.into_iter().map(|x| x.to_f64().to_bits()).collect());
            kernels.push(vec![gpu.kernels() as u64]);
        }
        assert_eq!(got[0], got[1], "{cols}");
        // A product, a rotation and a gate; the product, and it with a rotation, another product, its rotation, and with a gate.
        assert_eq!(kernels, [[3], [5]]);
        Ok(())
    }
    let plain = || Gpu::new(host(48 << 10, 8, Language::Ptx));
    both::<f32>(plain, 20)?;
    both::<f32>(|| hopper(1), 516)?;
    both::<f64>(plain, 18)
}

/// Results that lie as `bf16` are turned before they are rounded.
#[test]
fn products_that_are_rounded_are_turned_first() -> Result<(), Error> {
    let gpu = hopper(1);
    let mut got = Vec::new();
    for halves in [false, true] {
        let mut cache = if halves { gpu.alloc_halves(2 + KV)? } else { gpu.alloc(2 + KV)? };
        gpu.write(&data::<f32>(2 + KV, 2, 2), cache.view_mut())?;
        let mut token = Token::new(&gpu, 20, cache)?;
        gpu.together(|| token.follow(&gpu))?;
        got.push(token.all(&gpu)?);
    }
    for (at, (exact, rounded)) in got[0].iter().zip(&got[1]).enumerate() {
        let want = if (Q..Q + 2 + KV).contains(&at) { half::bf16::from_f32(*exact).to_f32() } else { *exact };
        assert_eq!(want, *rounded, "{at}");
    }
    Ok(())
}

/// Where one needs the other to have ended they stay two launches: results, and what is read, in memory of the last launch.
#[test]
fn launches_that_need_each_other_stay_apart() -> Result<(), Error> {
    const COLS: usize = 20;
    let mut got = [Vec::new(), Vec::new()];
    let mut kernels = [Vec::<usize>::new(), Vec::new()];
    for list in [false, true] {
        for case in 0..6 {
            let gpu = hopper(1);
            let mut t = Token::<f32>::new(&gpu, COLS, gpu.upload(&[1.0])?)?;
            let mut other = gpu.upload(&data::<f32>(COLS, 11, 0))?;
            let mut work = || -> Result<(), Error> {
                let [w_q, w_kv, w_gates] = &mut t.weights;
                match case {
                    // Gates over the vector.
                    0 => {
                        times(&gpu, w_gates, t.x.view(), t.gate_up.view_mut())?;
                        let [to, _] = t.x.view_mut().split(GATES)?;
                        gpu.swiglu_packed(t.gate_up.view(), GATES, to)
                    }
                    // Results over the first matrix.
                    1 => {
                        times(&gpu, w_q, t.x.view(), t.q.view_mut())?;
                        let [to, _] = w_q.view_mut().split(KV)?;
                        times(&gpu, w_kv, t.x.view(), to)
                    }
                    // Results as a matrix.
                    2 => {
                        let [to, _] = w_kv.view_mut().split(2 * GATES)?;
                        times(&gpu, w_gates, t.x.view(), to)?;
                        times(&gpu, w_kv, t.x.view(), other.view_mut().split(KV)?.into_iter().next().unwrap())
                    }
                    // Results over the first results, in part.
                    3 => {
                        times(&gpu, w_q, t.x.view(), other.view_mut().split(Q)?.into_iter().next().unwrap())?;
                        let [_, to] = other.view_mut().split(COLS - KV)?;
                        times(&gpu, w_kv, t.x.view(), to)
                    }
                    // Angles that are results.
                    4 => {
                        let [to, _] = t.angles.view_mut().split(6)?;
                        let w = w_q.view().part(0..6 * COLS)?.matrix(6, COLS)?;
                        let x = <Gpu<Host> as Memory>::vector(t.x.view());
                        Products::gemv(&gpu, 1.0, w, x, 0.0, <Gpu<Host> as Memory>::vector_mut(to))?;
                        times(
                            &gpu,
                            w_kv,
                            t.x.view(),
                            other.view_mut().split(KV)?.into_iter().next().unwrap(),
                        )?;
                        let [keys, _] = other.view_mut().split(6)?;
                        turn(&gpu, keys, &t.angles, RopeStyle::Interleaved)
                    }
                    // Another vector, then pairs that are not neighbours, and what was turned already.
                    _ => {
                        times(&gpu, w_q, t.x.view(), t.q.view_mut())?;
                        turn(&gpu, t.q.view_mut(), &t.angles, RopeStyle::Neox)?;
                        times(
                            &gpu,
                            w_kv,
                            other.view(),
                            t.hidden.view_mut().split(0)?.into_iter().nth(1).unwrap(),
                        )
                        .or_else(|_| times(&gpu, w_q, other.view(), t.q.view_mut()))?;
                        turn(&gpu, t.q.view_mut(), &t.angles, RopeStyle::Interleaved)?;
                        turn(&gpu, t.q.view_mut(), &t.angles, RopeStyle::Interleaved)
                    }
                }
            };
            if list {
                gpu.together(work)?
            } else {
                work()?
            }
            kernels[usize::from(list)].push(gpu.kernels());
            for array in t.weights.iter().chain([&t.x, &t.angles, &t.q, &t.gate_up, &other]) {
                let mut back = vec![0.0f32; array.len()];
                gpu.download(array.view(), &mut back)?;
                got[usize::from(list)].extend(back.into_iter().map(|x| (case, x.to_bits())));
            }
        }
    }
    assert_eq!(got[0], got[1]);
    // The two products of the angles' case are one, what follows them in it is not.
    assert_eq!(kernels[0][..4], kernels[1][..4]);
    assert_eq!(kernels[0][4] + 1, kernels[1][4]);
    Ok(())
}

/// A write, or another launch, comes between.
#[test]
fn what_comes_between_is_not_lost() -> Result<(), Error> {
    let gpu = hopper(1);
    let mut t = Token::<f32>::new(&gpu, 20, gpu.upload(&[1.0])?)?;
    let ones = [1.0f32; Q];
    let mut want = [0.0f32; Q];
    let mut halves = gpu.alloc_halves(Q)?;
    for (list, case) in [(false, 0), (true, 0), (false, 1), (true, 1), (false, 2), (true, 2)] {
        if case == 2 {
            // A word of two elements, by a kernel.
            core::mem::swap(&mut t.q, &mut halves);
        }
        let mut work = || -> Result<(), Error> {
            times(&gpu, &t.weights[0], t.x.view(), t.q.view_mut())?;
            match case {
                0 => gpu.write(&ones, t.q.view_mut())?,
                2 => gpu.write(
                    &ones[..1],
                    t.q.view_mut()
                        .split(5)?
                        .into_iter()
                        .nth(1)
                        .unwrap()
                        .split(1)?
                        .into_iter()
                        .next()
                        .unwrap(),
                )?,
                _ => gpu.scale_in_place(t.q.view_mut(), 0.5)?,
            }
            turn(&gpu, t.q.view_mut(), &t.angles, RopeStyle::Interleaved)
        };
        if list {
            gpu.together(work)?
        } else {
            work()?
        }
        let mut back = [0.0f32; Q];
        gpu.download(t.q.view(), &mut back)?;
        if case == 2 {
            core::mem::swap(&mut t.q, &mut halves);
        }
        if list {
            assert_eq!(back, want, "{case}");
        }
        want = back;
    }
    Ok(())
}
