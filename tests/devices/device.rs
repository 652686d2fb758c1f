//! The backend of devices on the interpreter: every op that has a kernel, bad arguments, plans, memory.

mod batches;
mod blocks;
mod copies;
#[cfg(feature = "half")]
mod endings;
mod formulas;
mod halves;
mod images;
mod integers;
mod kept;
mod limits;
mod lists;
mod lz4;
mod pool;
mod products;
mod scans;
mod selections;
mod sparse;
mod stored;
#[cfg(feature = "half")]
mod widths;

use common::device::specials::all_took_part;
use common::device::{data, products, story};
use common::layers;
use common::seed::Seed;
use fulmen::backend::*;
use fulmen::gpu::backend::{Gpu, Planner, Product};
use fulmen::gpu::device::{Binding, Blocking, Buffer, Device, Error, Facts, Host, Launch, Limits, Program};
use fulmen::gpu::template::{Argument, Meet};
use fulmen::gpu::{Builder, F32, Space, Special, U32, U64};
use fulmen::hardware::Language;
use fulmen::ops::{Gpu as Form, OPS};

/// Every op that the list gives to a template is a method, and keeps its contract on the interpreter.
#[test]
fn every_op_keeps_its_contract() {
    let products = [[1, 1, 9], [3, 65, 10], [66, 2, 3], [3, 2, 5], [2, 3, 0]];
    let templates = OPS.iter().filter(|op| matches!(op.gpu, Form::Template(_) | Form::Cuda(_))).count();
    common::device::numbers(&Host::default()).unwrap();
    let gpu = Gpu::new(Host::new(Meet::Memory));
    let mut r = Seed::new("every_op_keeps_its_contract").stream("shapes");
    let sizes = [(3, 37), (1, 1), (9, 257), (r.size(9), r.size(100))];
    let (ran, _) = story::<f32, _>(&gpu, "f32", true, &sizes, &products).unwrap();
    all_took_part(&ran);
    let gpu = Gpu::new(Host::default());
    let (doubles, _) = story::<f64, _>(&gpu, "f64", true, &[(2, 70)], &products[3..]).unwrap();
    for w in ran.iter().chain(&doubles) {
        assert!(w.share <= 1.0, "{w:?}");
    }
    let own =
        |op: &&fulmen::ops::Op| matches!(op.gpu, Form::Template("layer" | "low_precision") | Form::Cuda(_));
    let own = OPS.iter().filter(own).count();
    assert_eq!([ran.len() + own, doubles.len() + own], [templates; 2]);
    println!("{templates} ops on the interpreter keep their contracts");
}

/// As above, of the ops that have kernels of their own.
#[test]
fn every_layer_keeps_its_contract() {
    let own = OPS.iter().filter(|op| op.gpu == Form::Template("layer") && op.shape != "quant").count();
    // Past a block's threads, and past the rows that one block adds. Devices take more, and tiles of keys past the first. Rows
    // of whole pieces of 16 bytes have results that start at a multiple of so many (the first two of four), and others.
    let shapes = [[1, 1], [5, 124], [2, 130], [35, 3], [1, 4100], [3, 7], [3, 132]];
    let mut r = Seed::new("every_layer_keeps_its_contract").stream("shapes");
    let shapes = [&shapes[..], &[[r.size(20), r.size(140)]]].concat();
    let heads = [[3, 5], [2, 4], [7, 2], [1, 1]];
    let gpu = Gpu::new(Host::new(Meet::Memory));
    let ran = layers::story::<f32, _>(&gpu, "f32", &shapes, &heads, &[130]).unwrap();
    all_took_part(&ran);
    let gpu = Gpu::new(Host::default());
    let doubles = layers::story::<f64, _>(&gpu, "f64", &shapes[2..4], &heads[..2], &[130, 129]).unwrap();
    for w in ran.iter().chain(&doubles) {
        assert!(w.share <= 1.0, "{w:?}");
    }
    assert_eq!([ran.len(), doubles.len()], [own; 2]);
    println!("{own} layers on the interpreter keep their contracts");
}

/// A host with so much shared memory and so many blocks at once.
fn host(shared: u32, blocks: u32, language: Language) -> Host {
    let facts = Host::default().facts().clone();
    Host::with(Facts { limits: Limits { shared, ..facts.limits }, blocks, language, ..facts })
}

/// A host that wants short kernels.
fn short() -> Host {
    Host::with(Facts { short: true, ..Host::default().facts().clone() })
}

/// A host with the warp groups of Hopper, on so many multiprocessors.
fn hopper(multiprocessors: u32) -> Gpu<Host> {
    Gpu::new(hopper_host(multiprocessors))
}

fn hopper_host(multiprocessors: u32) -> Host {
    let facts = host(227 << 10, 8 * multiprocessors, Language::Ptx).facts().clone();
    let limits = Limits { threads: 1024, ..facts.limits };
    Host::with(Facts { groups: true, limits, ..facts })
}

fn gpu() -> Gpu<Host> {
    Gpu::new(Host::default())
}

/// Rows of one index are found however far apart they lie: at the last of what the threads of a row look at together,
/// however many these are.
#[test]
fn rows_of_an_index_lie_apart() {
    use fulmen::backend::Layers;
    let gpu = gpu();
    for gap in [1, 7, 8, 16, 32, 64, 128, 255, 256, 257, 512] {
        let n = 2 * gap + 3;
        let x: Vec<f32> = (0..n).map(|r| 1.0 + r as f32).collect();
        let ids: Vec<u32> = (0..n).map(|r| (r % gap) as u32).collect();
        let mut out = gpu.upload(&vec![0.5f32; gap]).unwrap();
        let (on_x, on_ids) = (gpu.upload(&x).unwrap(), gpu.upload(&ids).unwrap());
        gpu.scatter_add(on_x.view(), 1, on_ids.view(), out.view_mut()).unwrap();
        let (mut got, mut want) = (vec![0.0; gap], vec![0.5; gap]);
        gpu.download(out.view(), &mut got).unwrap();
        fulmen::scatter_add(&x, 1, &ids, &mut want).unwrap();
        assert_eq!(got, want, "{gap} rows apart");
    }
}

/// What only a kernel sees is said by the next download, once; what is right beside it is done.
#[test]
fn an_index_past_its_table_is_said() {
    use fulmen::backend::Layers;
    let gpu = gpu();
    let table = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let ids = gpu.upload(&[1u32, 2, 0]).unwrap();
    let mut out = gpu.upload(&[9.0f32; 6]).unwrap();
    gpu.embedding(table.view(), 2, ids.view(), out.view_mut()).unwrap();
    let mut back = [0.0; 6];
    let said = gpu.download(out.view(), &mut back);
    assert_eq!(said, Err(Error::Index { op: "embedding", arg: "ids", index: 2 }));
    assert!(said.unwrap_err().to_string().contains("`ids` is 2"));
    assert_eq!(back, [3.0, 4.0, 0.0, 0.0, 1.0, 2.0]);
    gpu.download(out.view(), &mut back).unwrap();

    let mut chosen = gpu.upload(&[9.0f32; 6]).unwrap();
    gpu.gather(table.view(), &[2, 2], 1, ids.view(), chosen.view_mut()).unwrap();
    let said = gpu.download(chosen.view(), &mut back);
    assert_eq!(said, Err(Error::Index { op: "gather", arg: "ids", index: 2 }));
    assert_eq!(back, [2.0, 0.0, 1.0, 4.0, 0.0, 3.0]);

    let (six, some) = (gpu.upload(&[1.0f32; 6]).unwrap(), gpu.upload(&[1u32, 2, 0, 0, 0, 1]).unwrap());
    gpu.gather_elements(table.view(), &[2, 2], 1, some.view(), chosen.view_mut()).unwrap();
    let said = gpu.download(chosen.view(), &mut back);
    assert_eq!(said, Err(Error::Index { op: "gather_elements", arg: "ids", index: 2 }));
    assert_eq!(back, [2.0, 0.0, 1.0, 3.0, 3.0, 4.0]);
    let mut added = gpu.upload(&[1.0f32; 4]).unwrap();
    gpu.scatter_add_elements(six.view(), &[2, 2], 1, some.view(), added.view_mut()).unwrap();
    let mut back = [0.0; 4];
    let said = gpu.download(added.view(), &mut back);
    assert_eq!(said, Err(Error::Index { op: "scatter_add_elements", arg: "ids", index: 2 }));
    assert_eq!(back, [2.0, 2.0, 3.0, 2.0]);

    let mut sums = gpu.upload(&[1.0f32; 4]).unwrap();
    let far = gpu.upload(&[0u32, u32::MAX, 0]).unwrap();
    for (op, run) in [("scatter_add", true), ("scatter", false)] {
        let call = if run { Gpu::scatter_add } else { Gpu::scatter };
        call(&gpu, out.view(), 2, far.view(), sums.view_mut()).unwrap();
        let mut back = [0.0; 4];
        let said = gpu.download(sums.view(), &mut back);
        // The largest index stands for itself and the one below.
        assert_eq!(said, Err(Error::Index { op, arg: "ids", index: u32::MAX - 1 }));
        assert_eq!(back, if run { [5.0, 7.0, 1.0, 1.0] } else { [1.0, 2.0, 1.0, 1.0] });
    }
    let targets = gpu.upload(&[2u32, u32::MAX]).unwrap();
    let (mut losses, mut lse) = (gpu.upload(&[9.0f32; 2]).unwrap(), gpu.upload(&[9.0f32; 2]).unwrap());
    gpu.cross_entropy(table.view(), targets.view(), 2, losses.view_mut(), lse.view_mut()).unwrap();
    let mut back = [0.0; 2];
    let said = gpu.download(losses.view(), &mut back);
    assert_eq!(said, Err(Error::Index { op: "cross_entropy", arg: "targets", index: 2 }));
    assert!(back[0].is_nan() && back[1] == 0.0, "{back:?}");
    for smoothing in [0.0, 0.5] {
        gpu.nll(None, smoothing, table.view(), targets.view(), 2, losses.view_mut()).unwrap();
        let said = gpu.download(losses.view(), &mut back);
        assert_eq!(said, Err(Error::Index { op: "nll", arg: "targets", index: 2 }));
        assert!(back[0].is_nan() && back[1] == 0.0, "{back:?}");
    }
    gpu.nll_backward(None, 0.0, targets.view(), 2, 1.0, sums.view_mut()).unwrap();
    let said = gpu.download(losses.view(), &mut back);
    assert_eq!(said, Err(Error::Index { op: "nll_backward", arg: "targets", index: 2 }));
}

/// As [`bad_arguments_are_those_of_a_cpu`], of the ops that have kernels of their own.
#[test]
fn bad_arguments_of_layers_are_those_of_a_cpu() {
    use fulmen::backend::{Backend, Cpu, Transfer};
    /// What each call says; `x` has twelve elements, `ids` two, `y` five.
    fn said<B: Backend<f32>>(
        b: &B,
        x: B::Ref<'_, f32>,
        ids: B::Ref<'_, u32>,
        y: B::Mut<'_, f32>,
    ) -> Vec<String> {
        let mut y = y;
        let part = |n: usize| B::part(x, 0..n).unwrap_or_else(|e| panic!("{e}"));
        let mut all = Vec::new();
        macro_rules! call {
            ($($f:ident($($arg:expr),*);)*) => {$(
                all.push(match b.$f($($arg),*) {
                    Ok(()) => panic!("{} took it", stringify!($f)),
                    Err(e) => format!("{}: {e}", stringify!($f)),
                });
            )*};
        }
        macro_rules! y {
            () => {
                B::lend(&mut y)
            };
        }
        let with = fulmen::Adam { beta1: 1.0, ..Default::default() };
        let op = fulmen::Attention { causal: true, ..fulmen::Attention::new(2, 1, 2, 1.0) };
        let [two, three] =
            [2, 3].map(|rows| B::matrix(part(12), rows, 12 / rows).unwrap_or_else(|e| panic!("{e}")));
        let style = fulmen::RopeStyle::Neox;
        call! {
            swiglu_packed(x, 0, y!());
            swiglu_packed(x, 5, y!());
            swiglu_packed(x, 3, y!());
            softmax_backward(x, x, 0, y!());
            softmax_backward(x, part(6), 3, y!());
            log_softmax_backward(x, x, 3, y!());
            masked_softmax(part(4), part(3), 2, y!());
            embedding(x, 5, ids, y!());
            embedding(x, 3, ids, y!());
            scatter(x, 2, ids, y!());
            scatter_add(part(9), 5, ids, y!());
            sgd(0.1, 0.0, x, y!());
            rope(x, 3, x, x, style, y!());
            rope(x, 4, part(3), x, style, y!());
            rope_backward(x, 4, part(4), part(4), style, y!());
        }
        let [mut m, rest] = B::split(y, 2).unwrap_or_else(|e| panic!("{e}"));
        let [mut v, mut p] = B::split(rest, 1).unwrap_or_else(|e| panic!("{e}"));
        call! {
            adam(with, part(2), B::lend(&mut m), B::lend(&mut v), B::lend(&mut p));
            clip_by_norm(-1.0, B::lend(&mut m), B::lend(&mut v));
            clip_by_norm(1.0, B::lend(&mut v), B::lend(&mut m));
            rms_norm_backward(part(4), part(2), part(4), -1.0, B::lend(&mut m), B::lend(&mut p));
            rms_norm_backward(part(2), part(2), part(2), 0.0, B::lend(&mut m), B::lend(&mut v));
            cross_entropy(part(4), ids, 2, B::lend(&mut m), B::lend(&mut v));
            cross_entropy_backward(part(4), ids, part(1), 2, 1.0, B::lend(&mut m));
            gemv(1.0, two, B::vector(part(5)), 0.0, B::vector_mut(B::lend(&mut m)));
            gemv(1.0, two, B::vector(part(6)), 0.0, B::vector_mut(B::lend(&mut v)));
            attention(&op, three, two, two, None, B::matrix_mut(B::lend(&mut m), 1, 2).unwrap_or_else(|e| panic!("{e}")), None, B::workspace(B::lend(&mut p)));
        }
        let op = fulmen::Attention { causal: false, ..op };
        let capped = fulmen::Attention { softcap: Some(-1.0), ..op };
        for (op, mask) in [(&capped, None), (&op, Some(three))] {
            let to = B::matrix_mut(B::lend(&mut m), 1, 2).unwrap_or_else(|e| panic!("{e}"));
            call! { attention(op, two, two, two, mask, to, None, B::workspace(B::lend(&mut p))); }
        }
        all
    }
    let (gpu, host) = (gpu(), Vec::from_iter((0..12).map(|i| i as f32)));
    let (mut y, ids) = ([7.0; 5], [0u32, 1]);
    let want = said(&Cpu::native(), &host[..], &ids[..], &mut y[..]);
    let (x, on_ids, mut on_y) =
        (gpu.upload(&host).unwrap(), gpu.upload(&ids).unwrap(), gpu.upload(&[7.0f32; 5]).unwrap());
    assert_eq!(said(&gpu, x.view(), on_ids.view(), on_y.view_mut()), want);
    let mut back = [0.0; 5];
    Transfer::download(&gpu, on_y.view(), &mut back).unwrap();
    assert_eq!((back, y), ([7.0; 5], [7.0; 5]), "written");
}

/// A parameter is an argument of the kernel: one kernel for all values.
#[test]
fn one_kernel_serves_every_parameter_and_size() {
    let gpu = gpu();
    for (n, alpha) in [(1usize, 2.0f32), (70, -0.5), (3000, 0.0)] {
        let x = gpu.upload(&vec![3.0f32; n]).unwrap();
        let mut out = gpu.alloc(n).unwrap();
        gpu.scale(x.view(), alpha, out.view_mut()).unwrap();
        let mut back = vec![0.0; n];
        gpu.download(out.view(), &mut back).unwrap();
        assert!(back.iter().all(|y| *y == 3.0 * alpha), "{n}");
    }
    assert_eq!(gpu.kernels(), 1);
}

/// Dropped memory is used again.
#[test]
fn memory_is_pooled() {
    let gpu = gpu();
    let plain = |x: fulmen::gpu::backend::View<'_, f32, Host>| {
        let mut back = [0.0];
        gpu.download(x, &mut back).map(|()| back[0])
    };
    let first = gpu.upload(&[5.0f32]).unwrap();
    drop(first);
    let again = gpu.alloc::<f32>(1).unwrap();
    assert_eq!(plain(again.view()), Ok(5.0), "the memory of the one before");
}

/// A method that stands by itself names its op in what it refuses; those of regular rows are made so.
#[test]
fn each_method_names_its_op() {
    let mut text = String::new();
    let mut folders = vec![std::path::Path::new(common::ROOT).join("src/gpu/backend")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                text += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    let regular = ["unary", "binary", "ternary", "update", "total", "reduce", "reduce2", "arg"];
    let mut own = 0;
    for op in fulmen::ops::OPS {
        let made = regular.contains(&op.shape) || op.shape.starts_with("rows");
        if made || matches!(op.gpu, fulmen::ops::Gpu::Host(_)) {
            continue;
        }
        assert!(text.contains(&format!("called!({}, {{", op.name)), "{} is not named by its method", op.name);
        own += 1;
    }
    assert!(own > 100, "{own}");
}

/// The errors are those of a CPU, and nothing is written.
#[test]
fn bad_arguments_are_those_of_a_cpu() {
    let gpu = gpu();
    let (x, y) = (gpu.upload(&[1.0f32, 2.0, 3.0]).unwrap(), gpu.upload(&[1.0f32, 2.0]).unwrap());
    let none = gpu.alloc::<f32>(0).unwrap();
    let mut out = gpu.upload(&[9.0f32, 9.0]).unwrap();
    let mut one = gpu.upload(&[9.0f32]).unwrap();
    let mut index = gpu.upload(&[9u32]).unwrap();
    let host = [1.0f32, 2.0, 3.0];
    let mut short = [9.0f32; 2];
    let call = |e: fulmen::Error| Err(Error::Call(e));
    let same = |got: Result<(), Error>, cpu: Result<(), fulmen::Error>| {
        let cpu = cpu.unwrap_err();
        assert_eq!(got, call(cpu));
        let Err(Error::Call(got)) = got else { panic!("{got:?}") };
        // With the sentence, the op.
        assert_eq!(got.to_string(), cpu.to_string());
    };
    same(gpu.exp(x.view(), out.view_mut()), fulmen::exp(&host, &mut short));
    same(gpu.add(x.view(), y.view(), out.view_mut()), fulmen::add(&host, &host[..2], &mut short));
    same(gpu.add_in_place(out.view_mut(), x.view()), fulmen::add_in_place(&mut short, &host));
    same(gpu.clamp(y.view(), 2.0, 1.0, out.view_mut()), fulmen::clamp(&host[..2], 2.0, 1.0, &mut short));
    same(gpu.axpy(1.0, x.view(), out.view_mut()), fulmen::axpy(1.0, &host, &mut short));
    same(gpu.softmax(x.view(), 2, out.view_mut()), fulmen::softmax(&host, 2, &mut short));
    same(gpu.softmax(x.view(), 0, out.view_mut()), fulmen::softmax(&host, 0, &mut short));
    same(gpu.softmax(y.view(), 0, out.view_mut()), fulmen::softmax(&host[..2], 0, &mut short));
    same(gpu.softmax(x.view(), 3, out.view_mut()), fulmen::softmax(&host, 3, &mut short));
    let eps = |e: f32, s: &mut [f32]| fulmen::rms_norm(&host[..2], &host[..2], e, s);
    same(gpu.rms_norm(y.view(), y.view(), -1.0, out.view_mut()), eps(-1.0, &mut short));
    same(gpu.rms_norm(y.view(), y.view(), f32::NAN, out.view_mut()), eps(f32::NAN, &mut short));
    same(
        gpu.rms_norm(y.view(), none.view(), 0.0, out.view_mut()),
        fulmen::rms_norm(&host[..2], &[], 0.0, &mut short),
    );
    same(
        gpu.layer_norm(y.view(), y.view(), x.view(), 0.0, out.view_mut()),
        fulmen::layer_norm(&host[..2], &host[..2], &host, 0.0, &mut short),
    );
    same(gpu.max(none.view(), one.view_mut()), fulmen::max::<f32>(&[]).map(|_| ()));
    same(gpu.mean(none.view(), one.view_mut()), fulmen::mean::<f32>(&[]).map(|_| ()));
    same(gpu.argmin(none.view(), index.view_mut()), fulmen::argmin::<f32>(&[]).map(|_| ()));
    same(gpu.dot(x.view(), y.view(), one.view_mut()), fulmen::dot(&host, &host[..2]).map(|_| ()));
    same(
        gpu.covariance(none.view(), none.view(), one.view_mut()),
        fulmen::covariance::<f32>(&[], &[]).map(|_| ()),
    );
    // Ops whose kernels are their own, and one that is made of another.
    same(gpu.cumsum(x.view(), 2, out.view_mut()), fulmen::cumsum(&host, 2, &mut short));
    same(gpu.swiglu_packed(x.view(), 1, out.view_mut()), fulmen::swiglu_packed(&host, 1, &mut short));
    let [p, q] = [&x, &y].map(|x| <Gpu<Host> as Memory>::vector(x.view()));
    same(
        gpu.dot_strided(p, q, one.view_mut()),
        fulmen::dot_strided(host[..].into(), host[..2].into()).map(|_| ()),
    );
    assert_eq!(gpu.sum(x.view(), out.view_mut()), call(fulmen::Error::len("out", 1, 2)));
    assert!(matches!(x.view().part(2..4), Err(Error::Call(fulmen::Error::OutOfBounds { .. }))));
    assert!(matches!(x.view().matrix(2, 2), Err(Error::Call(fulmen::Error::Len { .. }))));
    let wide = x.view().matrix(1, 3).unwrap();
    let shape = gpu.gemm(1.0, wide, wide, 0.0, one.view_mut().matrix(1, 1).unwrap());
    assert!(matches!(shape, Err(Error::Call(fulmen::Error::Shape { .. }))), "{shape:?}");
    let mut back = [0.0; 2];
    gpu.download(out.view(), &mut back).unwrap();
    assert_eq!((back, short), ([9.0; 2], [9.0; 2]), "nothing was written");
    // What has a value for nothing.
    gpu.sum(none.view(), one.view_mut()).unwrap();
    gpu.download(one.view(), &mut back[..1]).unwrap();
    assert_eq!(back[0], 0.0);
    // NaN has no place in an order.
    let nan = gpu.upload(&[1.0, f32::NAN]).unwrap();
    gpu.argmax(nan.view(), index.view_mut()).unwrap();
    let mut at = [0];
    gpu.download(index.view(), &mut at).unwrap();
    assert_eq!(at, [u32::MAX]);
}

/// Memory of another device, more than a buffer holds, more than a kernel reaches.
#[test]
fn limits_are_named() {
    let limits =
        Limits { buffer: 4096, binding: 1024, bindings: 4, grid: [65535; 3], threads: 256, shared: 16384 };
    let facts = Facts {
        name: "small".into(),
        language: Language::Rust,
        meet: Meet::Memory,
        groups: false,
        short: false,
        matrices: false,
        blocks: 2,
        limits,
    };
    let gpu = Gpu::new(Host::with(facts));
    let said = gpu.alloc::<f32>(1025).unwrap_err();
    assert_eq!(
        said,
        Error::Limit { device: "small".into(), what: "bytes of a buffer", asked: 4100, available: 4096 }
    );
    assert_eq!(said.to_string(), "small: 4100 bytes of a buffer asked for, the limit is 4096");
    let x = gpu.upload(&data::<f32>(1024, 1, 0)).unwrap();
    let mut y = gpu.upload(&data::<f32>(1024, 2, 0)).unwrap();
    let [one, _] = y.view_mut().split(1).unwrap();
    let far = gpu.sum(x.view(), one);
    assert!(matches!(far, Err(Error::Limit { what: "bytes of a binding", asked: 4096, .. })), "{far:?}");
    let far = gpu.alloc::<f64>(usize::MAX / 4).unwrap_err();
    assert!(matches!(far, Error::Call(fulmen::Error::Overflow { .. })), "{far:?}");
    let other = self::gpu();
    let mut mine = other.alloc::<f32>(1024).unwrap();
    assert_eq!(other.exp(x.view(), mine.view_mut()), Err(Error::Foreign));
    assert_eq!(gpu.exp(x.view(), mine.view_mut()).unwrap_err(), Error::Foreign);
}

/// Plans are data: the same for the same sizes, and none for sizes that kernels do not count.
#[test]
fn plans_count_what_they_can() {
    let planner = Planner::new(Host::default().facts());
    let a = planner.reduction::<F32>("variance", 1, 100_000, true).unwrap();
    assert_eq!(a, planner.reduction::<F32>("variance", 1, 100_000, true).unwrap());
    assert_eq!((a.launches.len(), a.scratch.len()), (4, 2));
    assert!(a.launches.iter().all(|l| l.grid[0] >= 1 && l.grid[0] <= 8));
    assert!(planner.pointwise::<F32>("exp", &[0, 1], 0, &[], true).unwrap().launches.is_empty());
    let overflow = |r: Result<_, Error>| matches!(r, Err(Error::Call(fulmen::Error::Overflow { .. })));
    let limit = |r: Result<_, Error>| matches!(r, Err(Error::Limit { .. }));
    assert!(overflow(planner.pointwise::<F32>("exp", &[0, 1], (1 << 31) + 1, &[], true)));
    assert!(limit(planner.pointwise::<F32>("exp", &[0, 1], 1 << 31, &[], false)));
    assert!(overflow(planner.rows::<F32>("softmax", [usize::MAX, 2], 1, 0, None, true)));
    let product = |sizes, strides| planner.product::<F32>(&Product::new(sizes, strides, [1.0f32, 0.0]));
    assert!(overflow(product([1 << 20, 1 << 20, 1], [[1, 1], [1 << 20, 1], [1 << 20, 1]])));
    assert!(overflow(product([2, 2, 2], [[usize::MAX, 1], [2, 1], [2, 1]])));
    assert!(product([0, 5, 5], [[5, 1]; 3]).unwrap().launches.is_empty());
    let none = planner.pointwise::<F32>("softmax", &[0, 1], 5, &[], true).unwrap_err();
    assert!(matches!(none, Error::Kernel { .. }), "{none}");
    // All of a binding, and not an element more.
    let facts = Host::default().facts().clone();
    let planner = Planner::new(&Facts { limits: Limits { binding: 1024, ..facts.limits }, ..facts });
    for wide in [false, true] {
        let of = |n| planner.pointwise::<F32>("exp", &[0, 1], n, &[], wide);
        assert!(of(256).is_ok());
        let refused = of(257).unwrap_err();
        let exact =
            matches!(refused, Error::Limit { what: "bytes of a binding", asked: 1028, available: 1024, .. });
        assert!(exact, "{refused}");
    }
}

/// On the interpreter, which checks every access.
fn launched(host: &Host, list: &[Launch], bindings: &[Binding<'_, Buffer>]) -> Result<(), Error> {
    // SAFETY: the interpreter stops at an access beyond a buffer.
    unsafe { host.launch(list, bindings) }
}

/// A list of launches is refused whole.
#[test]
fn launches_are_checked_before_one_runs() {
    let host = Host::default();
    let b = Builder::new("ones");
    let (out, n) = (b.param::<U64>(), b.param::<U32>());
    let at = b.special(Special::TidX);
    b.when(at.compare(fulmen::gpu::Cmp::Lt, n), || {
        b.store(Space::Global, out + at.wide(b.int(4)), 0, b.f32(1.0));
    });
    let program = std::sync::Arc::new(Program::new(b.finish().unwrap()));
    assert_eq!(program.key(), Program::new(program.kernel().clone()).key());
    let buffer = host.allocate(16).unwrap();
    host.write(&buffer, 0, &[0; 16]).unwrap();
    let bindings = [Binding { buffer: &buffer, start: 0, bytes: 16 }];
    let good = Launch {
        program,
        grid: [1; 3],
        block: [4, 1, 1],
        arguments: vec![Argument::Buffer(0), Argument::Bits(4)],
    };
    for (bad, named) in [
        (Launch { grid: [1 << 16, 1, 1], ..good.clone() }, "blocks along x"),
        (Launch { block: [512, 1, 1], ..good.clone() }, "threads of a block"),
        (Launch { arguments: vec![Argument::Buffer(0)], ..good.clone() }, "arguments of `ones`"),
        (
            Launch { arguments: vec![Argument::Buffer(1), Argument::Bits(4)], ..good.clone() },
            "arguments of `ones`",
        ),
        (Launch { block: [0, 1, 1], ..good.clone() }, "arguments of `ones`"),
    ] {
        let said = launched(&host, &[good.clone(), bad], &bindings).unwrap_err();
        assert!(said.to_string().contains(named), "{said}");
    }
    let mut back = [7; 16];
    host.read_now(&buffer, 0, &mut back).unwrap();
    assert_eq!(back, [0; 16], "nothing ran");
    let past =
        launched(&host, std::slice::from_ref(&good), &[Binding { buffer: &buffer, start: 4, bytes: 16 }])
            .unwrap_err();
    assert!(matches!(past, Error::Range { start: 4, bytes: 16, available: 16, .. }), "{past}");
    assert!(matches!(host.read_now(&buffer, 2, &mut back[..4]), Err(Error::Range { .. })));
    assert!(matches!(host.write(&buffer, 16, &[0; 4]), Err(Error::Range { .. })));
    launched(&host, &[good], &bindings).unwrap();
    host.read_now(&buffer, 0, &mut back).unwrap();
    assert_eq!(back[..4], 1.0f32.to_le_bytes());
}

/// Factors and solutions alone, as tests of planted faults run them; with shuffles, which `f32` has not above.
#[test]
fn factors_keep_their_contracts() {
    // Panels in registers, and through memory.
    for gpu in [gpu(), Gpu::new(short())] {
        for w in layers::solvers::story::<f32, _>(&gpu, "f32", &[]).unwrap() {
            assert!(w.share <= 1.0, "{w:?}");
        }
    }
}

/// Solutions of one column and of several have kernels of their own, each of which serves all.
#[test]
fn batches_of_one_column_have_a_kernel_of_their_own() {
    use fulmen::gpu::backend::{Batch, BatchMut};
    let (gpu, n) = (gpu(), 2);
    let l = gpu.upload(&[2.0f32, 0.0, 1.0, 4.0]).unwrap();
    for (cols, kernels) in [(1, 1), (3, 2), (1, 2), (9, 2)] {
        let x: Vec<f32> = (0..n * cols).map(|i| i as f32 - 3.0).collect();
        let (mut on, mut back) = (gpu.upload(&x).unwrap(), x.clone());
        let a = Batch::strided(l.view(), [1, n, n], [4, 2, 1]).unwrap();
        let b = BatchMut::strided(on.view_mut(), [1, n, cols], [n * cols, cols, 1]).unwrap();
        gpu.cholesky_solve_batched(a, b).unwrap();
        gpu.download(on.view(), &mut back).unwrap();
        for j in 0..cols {
            // `LLᵀ` is 4, 2; 2, 17.
            let [p, q] = [back[j], back[cols + j]];
            assert_eq!([4.0 * p + 2.0 * q, 2.0 * p + 17.0 * q], [x[j], x[cols + j]], "{j} of {cols}");
        }
        assert_eq!(gpu.kernels(), kernels, "{cols} columns");
    }
}

/// Eigenvalues and singular values alone, for the same reason; by a launch for each round, and with threads that meet in memory.
#[test]
fn spectra_keep_their_contracts() {
    for gpu in [gpu(), Gpu::new(short()), Gpu::new(Host::new(Meet::Memory))] {
        for w in layers::eigen::story::<f32, _>(&gpu, "f32").unwrap() {
            assert!(w.share <= 1.0, "{w:?}");
        }
    }
}

/// A step of Newton and Schulz leaves eigenvectors orthogonal to about a rounding error, which all the rotations do not.
#[test]
fn eigenvectors_are_orthogonal_to_a_rounding() {
    let (n, gpu) = (10, Gpu::new(short()));
    let x: Vec<f32> =
        (0..n * n).map(|k| ((k / n + 1) * (k % n + 1) * 37 % 101) as f32 / 50.0 - 1.0).collect();
    let (mut a, mut values) = (gpu.upload(&x).unwrap(), gpu.alloc::<f32>(n).unwrap());
    gpu.eigh(a.view_mut().matrix(n, n).unwrap(), values.view_mut(), ()).unwrap();
    let mut v = vec![0.0; n * n];
    gpu.download(a.view(), &mut v).unwrap();
    let dot =
        |i: usize, j: usize| (0..n).map(|k| f64::from(v[k * n + i]) * f64::from(v[k * n + j])).sum::<f64>();
    let off = |j: usize| (0..n).map(|i| (dot(i, j) - f64::from(u8::from(i == j))).abs()).sum::<f64>();
    let off = (0..n).map(off).fold(0.0, f64::max) / (n as f64 * f64::powi(2.0, -24));
    assert!(off <= 0.7, "{off} n u");
}
