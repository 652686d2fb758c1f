//! Bodies of the caller's own on devices: the numbers of a CPU, a kernel each, and the errors of a CPU.

use super::*;
use fulmen::backend::{Bodies, Cpu};
use fulmen::gpu::backend::{Scalar, View};
use fulmen::gpu::device::Computes;
use fulmen::{Alu, Body, Clamp, Formula, Number};

/// `max(a·x + b, y)·z - w`, which is exact for small integers.
struct Four;
#[derive(Clone, Copy)]
struct FourOf<T>(T, T);
impl<T: Number> Body<T, 4> for FourOf<T> {
    fn eval<V: Alu<Elem = T>>(self, [x, y, z, w]: [V; 4]) -> V {
        x.mul_add(x.param(self.0), x.param(self.1)).max(y) * z - w
    }
}
impl Formula<2, 4> for Four {
    const NAME: &'static str = "four";
    fn body<T: Number>([a, b]: [T; 2]) -> impl Body<T, 4> {
        FourOf(a, b)
    }
}
/// Another one of the same name.
struct Twice;
#[derive(Clone, Copy)]
struct Doubled;
impl<T: Number> Body<T, 1> for Doubled {
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x + x
    }
}
impl Formula<0, 1> for Twice {
    const NAME: &'static str = "four";
    fn body<T: Number>([]: [T; 0]) -> impl Body<T, 1> {
        Doubled
    }
}
/// A body that refuses parameters.
struct Clamped;
impl Formula<2, 1> for Clamped {
    const NAME: &'static str = "clamped";
    fn body<T: Number>([low, high]: [T; 2]) -> impl Body<T, 1> {
        Clamp(low, high)
    }
}
/// No name of a kernel.
struct Nameless;
impl Formula<0, 1> for Nameless {
    const NAME: &'static str = "no name";
    fn body<T: Number>([]: [T; 0]) -> impl Body<T, 1> {
        Doubled
    }
}

fn integers<T: Scalar>(n: usize, by: usize) -> Vec<T> {
    (0..n).map(|i| T::from_f64(((i * by + by) % 17) as f64 - 8.0)).collect()
}

/// The first of `parts` that start there, on the CPU and on the device.
fn same<T: Scalar>(gpu: &Gpu<Host>, n: usize, start: usize)
where
    Host: Computes<T>,
{
    let x = [3, 5, 7, 11].map(|by| integers::<T>(n + start, by));
    let (p, cpu) = ([T::from_f64(3.0), T::from_f64(-2.0)], Cpu::native());
    let held = [0, 1, 2, 3].map(|k| gpu.upload(&x[k]).unwrap());
    let part = |k: usize| held[k].view().part(start..start + n).unwrap();
    let mut out = gpu.alloc::<T>(n).unwrap();
    let mut back = vec![T::ZERO; n];
    let mut want = back.clone();
    cpu.map(Four, p, [0, 1, 2, 3].map(|k| &x[k][start..]), &mut want).unwrap();
    Bodies::map(gpu, Four, p, [0, 1, 2, 3].map(part), out.view_mut()).unwrap();
    gpu.download(out.view(), &mut back).unwrap();
    assert_eq!(back, want, "{n} elements from {start}");
    // Over itself: parameters of another value, another kernel of the same name.
    cpu.map_in_place(Clamped, [T::from_f64(-20.0), T::from_f64(9.0)], &mut want).unwrap();
    Bodies::map_in_place(gpu, Clamped, [T::from_f64(-20.0), T::from_f64(9.0)], out.view_mut()).unwrap();
    cpu.map_in_place(Twice, [], &mut want).unwrap();
    Bodies::map_in_place(gpu, Twice, [], out.view_mut()).unwrap();
    gpu.download(out.view(), &mut back).unwrap();
    assert_eq!(back, want, "{n} elements from {start}, in place");
}

#[test]
fn formulas_have_the_numbers_of_a_cpu() {
    // By single elements and by 16 bytes, whatever their sizes and parameters; what starts at the first element goes by 16 bytes,
    // in WGSL where a whole number of fours does.
    for (language, kernels) in [(Language::Ptx, 4), (Language::Wgsl, 6)] {
        let gpu = Gpu::new(host(48 << 10, 8, language));
        for (n, start) in [(0, 0), (1, 0), (7, 0), (64, 0), (1000, 4), (1001, 1), (9000, 0)] {
            same::<f32>(&gpu, n, start);
        }
        assert_eq!(gpu.kernels(), kernels, "{language:?}");
        same::<f64>(&gpu, 300, 0);
    }
}

#[test]
fn bad_arguments_of_formulas_are_those_of_a_cpu() {
    let (gpu, cpu) = (gpu(), Cpu::native());
    let x = [1.0f32, 2.0, 3.0];
    let (whole, short) = (gpu.upload(&x).unwrap(), gpu.upload(&x[..2]).unwrap());
    let mut out = gpu.upload(&[9.0f32; 2]).unwrap();
    let mut host = [9.0f32; 2];
    let call = |e: fulmen::Error| Err(Error::Call(e));
    for wrong in 1..4 {
        let views: [View<'_, f32, Host>; 4] =
            core::array::from_fn(|k| if k == wrong { whole.view() } else { short.view() });
        let slices: [&[f32]; 4] = core::array::from_fn(|k| if k == wrong { &x[..] } else { &x[..2] });
        let cpu = cpu.map(Four, [1.0, 2.0], slices, &mut host);
        let arg = ["a", "b", "c", "x"][wrong];
        assert_eq!(cpu, Err(fulmen::Error::len(arg, 2, 3)));
        assert_eq!(gpu.map(Four, [1.0, 2.0], views, out.view_mut()), call(cpu.unwrap_err()));
    }
    let cpu_said = cpu.map(Clamped, [2.0, 1.0], [&x[..2]], &mut host).unwrap_err();
    assert_eq!(gpu.map(Clamped, [2.0, 1.0], [short.view()], out.view_mut()), call(cpu_said));
    assert_eq!(gpu.map_in_place(Clamped, [2.0, 1.0], out.view_mut()), call(cpu_said));
    let cpu_said = cpu.map(Clamped, [1.0, 2.0], [&x], &mut host).unwrap_err();
    assert_eq!(gpu.map(Clamped, [1.0, 2.0], [whole.view()], out.view_mut()), call(cpu_said));
    let said = gpu.map(Nameless, [], [short.view()], out.view_mut());
    assert!(matches!(&said, Err(Error::Kernel { kernel, .. }) if kernel == "no name"), "{said:?}");
    let facts = Host::default().facts().clone();
    let few = Gpu::new(Host::with(Facts { limits: Limits { bindings: 4, ..facts.limits }, ..facts }));
    let held = few.upload(&x).unwrap();
    let mut to = few.alloc(3).unwrap();
    let said = few.map(Four, [1.0f32, 2.0], [held.view(); 4], to.view_mut());
    assert!(matches!(said, Err(Error::Limit { asked: 5, available: 4, .. })), "{said:?}");
    let mut back = [0.0; 2];
    gpu.download(out.view(), &mut back).unwrap();
    assert_eq!((back, host), ([9.0; 2], [9.0; 2]), "nothing was written");
}
