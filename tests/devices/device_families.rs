//! The families `Blas` and `Network` of devices on the interpreter: what they refuse, and order where elements tie.

use common::layers::linear::nan_is_largest;
use fulmen::backend::*;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::Host;
use fulmen::random::Stream;
use fulmen::{Complex, Conv1d, Conv2d, Csr, Diagonal, Einsum, EinsumPlan, Pad, Pool, RotM, Side, Triangle};

/// What each call says; `x` has twelve elements, `y` too, and there is memory for six indices.
fn said<B: Backend<f32>>(
    b: &B,
    x: B::Ref<'_, f32>,
    y: B::Mut<'_, f32>,
    mut to: B::Mut<'_, u32>,
) -> Vec<String> {
    let part = |n: usize| B::part(x, 0..n).unwrap_or_else(|e| panic!("{e}"));
    let (v, mat) =
        (|n| B::vector(part(n)), |r, c| B::matrix(part(r * c), r, c).unwrap_or_else(|e| panic!("{e}")));
    let [mut y, mut w] = B::split(y, 9).unwrap_or_else(|e| panic!("{e}"));
    let mut all = Vec::new();
    macro_rules! call {
        ($($f:ident($($arg:expr),*);)*) => {$(
            all.push(match b.$f($($arg),*) {
                Ok(()) => panic!("{} took it", stringify!($f)),
                Err(e) => format!("{}: {e}", stringify!($f)),
            });
        )*};
    }
    macro_rules! w {
        () => {
            B::lend(&mut w)
        };
    }
    // The first elements of `y`, as rows and columns or in a line.
    macro_rules! to {
        ($r:literal, $c:literal) => {{
            let [to, _] = B::split(B::lend(&mut y), $r * $c).unwrap_or_else(|e| panic!("{e}"));
            B::matrix_mut(to, $r, $c).unwrap_or_else(|e| panic!("{e}"))
        }};
        ($n:literal) => {{
            let [to, _] = B::split(B::lend(&mut y), $n).unwrap_or_else(|e| panic!("{e}"));
            to
        }};
    }
    macro_rules! index {
        ($n:literal) => {{
            let [to, _] = B::split(B::lend(&mut to), $n).unwrap_or_else(|e| panic!("{e}"));
            to
        }};
    }
    let (low, non) = (Triangle::Lower, Diagonal::NonUnit);
    let (pool, conv) = (Pool::line(4, 2, 2, 0), Conv1d::new(2, 2, 3, 2));
    let map = Conv2d::new(2, 2, [1, 3], [1, 2]);
    call! {
        ger(1.0, v(2), v(3), to!(3, 3));
        ger(1.0, v(3), v(2), to!(3, 3));
        syr(1.0, v(2), low, to!(2, 4));
        syr(1.0, v(2), low, to!(3, 3));
        syr2(1.0, v(3), v(2), low, to!(3, 3));
        symv(1.0, low, mat(3, 4), v(3), 0.0, B::vector_mut(to!(3)));
        symv(1.0, low, mat(3, 3), v(4), 0.0, B::vector_mut(to!(3)));
        symv(1.0, low, mat(3, 3), v(3), 0.0, B::vector_mut(to!(4)));
        trmv(low, non, mat(3, 4), B::vector_mut(to!(3)));
        trmv(low, non, mat(3, 3), B::vector_mut(to!(4)));
        trsv(low, non, mat(4, 3), B::vector_mut(to!(3)));
        trsv(low, non, mat(3, 3), B::vector_mut(to!(2)));
        symm(Side::Left, 1.0, low, mat(2, 2), mat(3, 2), 0.0, to!(3, 2), B::workspace(w!()));
        symm(Side::Right, 1.0, low, mat(2, 2), mat(3, 2), 0.0, to!(2, 3), B::workspace(w!()));
        syrk(1.0, mat(3, 4), 0.0, low, to!(2, 2), B::workspace(w!()));
        syr2k(1.0, mat(3, 4), mat(3, 2), 0.0, low, to!(3, 3), B::workspace(w!()));
        syr2k(1.0, mat(3, 4), mat(3, 4), 0.0, low, to!(2, 3), B::workspace(w!()));
        trmm(Side::Left, 1.0, low, non, mat(2, 3), to!(3, 2), B::workspace(w!()));
        trmm(Side::Right, 1.0, low, non, mat(2, 3), to!(3, 2), B::workspace(w!()));
        trsm(Side::Right, 1.0, low, non, mat(3, 3), to!(3, 2), B::workspace(w!()));
        swap(B::vector_mut(w!()), B::vector_mut(to!(2)));
        copy(v(3), B::vector_mut(to!(2)));
        axpy_strided(1.0, v(1), B::vector_mut(to!(2)));
        rot(B::vector_mut(w!()), B::vector_mut(to!(4)), 1.0, 0.0);
        rotm(B::vector_mut(w!()), B::vector_mut(to!(4)), &RotM::Identity);
        max_pool(x, Pool { kernel: [1, 0, 1], ..pool }, to!(6));
        max_pool(x, Pool { padding: [0, 0, 2], ..pool }, to!(6));
        max_pool(part(10), pool, to!(6));
        max_pool(x, pool, to!(5));
        max_pool_indices(x, Pool { kernel: [1, 0, 1], ..pool }, to!(6), index!(6));
        max_pool_indices(part(10), pool, to!(6), index!(6));
        max_pool_indices(x, pool, to!(5), index!(6));
        max_pool_indices(x, pool, to!(6), index!(5));
        max_pool_backward(x, part(5), pool, to!(9));
        max_pool_backward(part(8), part(4), pool, to!(9));
        avg_pool(x, Pool { stride: [1, 1, 0], ..pool }, true, to!(6));
        avg_pool(x, pool, false, to!(7));
        avg_pool_backward(part(6), pool, false, to!(9));
        avg_pool_backward(part(5), pool, true, to!(8));
        conv1d(Conv1d { groups: 3, ..conv }, x, part(8), None, to!(8), B::workspace(w!()));
        conv1d(conv, part(11), part(8), None, to!(8), B::workspace(w!()));
        conv1d(conv, x, part(7), None, to!(8), B::workspace(w!()));
        conv1d(conv, x, part(8), None, to!(7), B::workspace(w!()));
        conv1d(conv, x, part(8), Some(part(3)), to!(8), B::workspace(w!()));
        conv1d_backward_input(Conv1d { dilation: 0, ..conv }, part(4), part(8), to!(6), B::workspace(w!()));
        conv1d_backward_input(conv, part(5), part(8), to!(6), B::workspace(w!()));
        conv1d_backward_weights(conv, x, part(8), to!(7), None, B::workspace(w!()));
        conv2d(Conv2d { groups: 3, ..map }, x, part(8), None, to!(8), B::workspace(w!()));
        conv2d(Conv2d { kernel: [2, 2], ..map }, x, part(8), None, to!(8), B::workspace(w!()));
        conv2d(map, part(11), part(8), None, to!(8), B::workspace(w!()));
        conv2d(map, x, part(7), None, to!(8), B::workspace(w!()));
        conv2d(map, x, part(8), None, to!(7), B::workspace(w!()));
        conv2d(map, x, part(8), Some(part(3)), to!(8), B::workspace(w!()));
        conv2d_backward_input(Conv2d { dilation: [1, 0], ..map }, part(4), part(8), to!(6), B::workspace(w!()));
        conv2d_backward_input(map, part(5), part(8), to!(6), B::workspace(w!()));
        conv2d_backward_weights(map, x, part(8), to!(7), None, B::workspace(w!()));
    }
    let [dw, db] = B::split(y, 8).unwrap_or_else(|e| panic!("{e}"));
    call! {
        conv1d_backward_weights(conv, x, part(8), dw, Some(db), B::workspace(w!()));
    }
    all
}

#[test]
fn bad_arguments_of_families_are_those_of_a_cpu() {
    let (gpu, host) = (Gpu::new(Host::default()), Vec::from_iter((0..12).map(|i| i as f32)));
    let (mut y, mut indices) = ([7.0; 12], [7; 6]);
    let want = said(&Cpu::native(), &host[..], &mut y[..], &mut indices[..]);
    let (x, mut on_y) = (gpu.upload(&host).unwrap(), gpu.upload(&[7.0f32; 12]).unwrap());
    let mut on_indices = gpu.upload(&[7u32; 6]).unwrap();
    assert_eq!(said(&gpu, x.view(), on_y.view_mut(), on_indices.view_mut()), want);
    let (mut back, mut back_indices) = ([0.0; 12], [0; 6]);
    Transfer::download(&gpu, on_y.view(), &mut back).unwrap();
    Transfer::download(&gpu, on_indices.view(), &mut back_indices).unwrap();
    assert_eq!((back, y), ([7.0; 12], [7.0; 12]), "written");
    assert_eq!((back_indices, indices), ([7; 6], [7; 6]), "written");
}

/// A program over `B: Backend<f32>` gives on a device what it gives on a CPU, but for rounding.
#[test]
fn one_program_runs_on_devices() {
    use common::anywhere::{SIZES, agree, story};
    use fulmen::quant::{Q8_0, blocks};
    let (mut x, mut ids, mut z) =
        (vec![0.0; SIZES[0]], vec![0; SIZES[1]], vec![Complex::default(); SIZES[2]]);
    let gpu = Gpu::new(Host::default());
    let (mut on_x, mut on_ids, mut on_z) =
        (gpu.upload(&x).unwrap(), gpu.upload(&ids).unwrap(), gpu.upload(&z).unwrap());
    let mut q = blocks::<Q8_0>(&[0; SIZES[3] * size_of::<Q8_0>()]).unwrap().to_vec();
    let mut on_q = gpu.upload(&q).unwrap();
    let got = story(&gpu, on_x.view_mut(), on_ids.view_mut(), on_z.view_mut(), on_q.view_mut()).unwrap();
    agree(&got, &story(&Cpu::native(), &mut x[..], &mut ids[..], &mut z[..], &mut q[..]).unwrap());
}

/// As the test before, of the families behind these.
#[test]
fn bad_arguments_of_other_ops_are_those_of_a_cpu() {
    let gpu = Gpu::new(Host::default());
    let (x, mut y) = (gpu.upload(&[1.0f32; 6]).unwrap(), gpu.upload(&[7.0f32; 6]).unwrap());
    let (mut bits, mut state) = (gpu.upload(&[7u32; 2]).unwrap(), gpu.upload(&[7.0f32; 2]).unwrap());
    let (offsets, columns, values) = ([0, 1, 2], [0, 2], [1.0f32; 2]);
    let a = gpu.csr(Csr::new(2, 3, &offsets, &columns, &values).unwrap()).unwrap();
    let part = |n: usize| x.view().part(0..n).unwrap();
    let m = |r: usize, c: usize| part(r * c).matrix(r, c).unwrap();
    let (stream, ids) = (Stream::new(1), gpu.upload(&[0u32, 1]).unwrap());
    let (bytes, halves) = (gpu.upload(&[1u8; 4]).unwrap(), gpu.upload(&[1i16; 4]).unwrap());
    let plan = EinsumPlan::new(&Einsum::parse("ij,j->i").unwrap(), &[&[2, 3], &[3]]).unwrap();
    let mut all = vec![];
    macro_rules! call {
        ($($f:ident($($arg:expr),*);)*) => {$(all.push(gpu.$f($($arg),*).unwrap_err().to_string());)*};
    }
    macro_rules! y {
        ($n:expr) => {
            y.view_mut().split($n).unwrap().into_iter().next().unwrap()
        };
    }
    call! {
        spmv(1.0, &a, part(2), 0.0, y!(2));
        spmv(1.0, &a, part(3), 0.0, y!(3));
        spmv_transposed(1.0, &a, part(3), 0.0, y!(3));
        spmv_transposed(1.0, &a, part(2), 0.0, y!(2));
        spmm(1.0, &a, m(2, 3), 0.0, y!(6).matrix(2, 3).unwrap());
        spmm(1.0, &a, m(3, 2), 0.0, y!(6).matrix(3, 2).unwrap());
        sddmm(1.0, m(2, 2), m(1, 3), &a, 0.0, y!(2));
        sddmm(1.0, m(2, 2), m(2, 2), &a, 0.0, y!(2));
        sddmm(1.0, m(2, 2), m(2, 3), &a, 0.0, y!(3));
        fir(part(0), 1, state.view_mut(), part(4), y!(4));
        fir(part(3), 0, state.view_mut(), part(4), y!(4));
        fir(part(2), 1, state.view_mut(), part(4), y!(4));
        fir(part(3), 3, state.view_mut(), part(4), y!(4));
        fir(part(3), 2, state.view_mut(), part(4), y!(4));
        top_k(part(2), 3, y!(3), bits.view_mut());
        top_k(part(3), 2, y!(3), bits.view_mut());
        top_k(part(3), 1, y!(1), bits.view_mut());
        bottom_k(part(2), 3, y!(3), bits.view_mut());
        cosine_similarity_rows(part(0), part(4), y!(4));
        cosine_similarity_rows(part(2), part(3), y!(1));
        cosine_similarity_rows(part(2), part(4), y!(1));
        u8_to_float(bytes.view(), part(0), part(0), y!(4));
        u8_to_float(bytes.view(), part(2), part(1), y!(4));
        u8_to_float(bytes.view(), part(3), part(3), y!(4));
        u8_to_float(bytes.view(), part(2), part(2), y!(3));
        i16_to_float(halves.view(), part(0), part(0), y!(4));
        i16_to_float(halves.view(), part(2), part(1), y!(4));
        i16_to_float(halves.view(), part(3), part(3), y!(4));
        i16_to_float(halves.view(), part(2), part(2), y!(3));
        cumsum(part(4), 0, y!(4));
        cumsum(part(4), 3, y!(4));
        cumsum(part(4), 2, y!(3));
        nll(None, 0.5, part(3), ids.view(), 2, y!(2));
        nll(None, 0.5, part(6), ids.view(), 2, y!(3));
        nll(Some(part(3)), 0.0, part(4), ids.view(), 2, y!(2));
        nll(None, 1.5, part(4), ids.view(), 2, y!(2));
        nll(None, f32::NAN, part(4), ids.view(), 2, y!(2));
        nll(None, 0.5, part(4), ids.view(), 2, y!(3));
        nll_backward(None, 0.5, ids.view(), 2, 1.0, y!(3));
        nll_backward(None, 0.5, ids.view(), 3, 1.0, y!(3));
        nll_backward(None, -0.5, ids.view(), 3, 1.0, y!(6));
        pad(part(6), &[2, 3], &[[0, 1]], Pad::Edge, y!(6));
        pad(part(6), &[2, 2], &[[0, 1], [0, 0]], Pad::Edge, y!(6));
        pad(part(6), &[2, 3], &[[0, 1], [0, 0]], Pad::Edge, y!(6));
        pad(part(6), &[2, 3], &[[0, 2], [0, 0]], Pad::Reflect, y!(6));
        pad(part(6), &[2, 3], &[[0, 3], [0, 0]], Pad::Wrap, y!(6));
        gather(part(6), &[2, 3], 2, ids.view(), y!(6));
        gather(part(6), &[2, 2], 1, ids.view(), y!(6));
        gather(part(6), &[2, 3], 1, ids.view(), y!(3));
        gather_elements(part(6), &[2, 3], 2, ids.view(), y!(2));
        gather_elements(part(6), &[2, 2], 1, ids.view(), y!(2));
        gather_elements(part(6), &[2, 3], 0, ids.view(), y!(2));
        gather_elements(part(6), &[2, 3], 1, ids.view(), y!(3));
        scatter_add_elements(part(2), &[2, 3], 2, ids.view(), y!(6));
        scatter_add_elements(part(2), &[2, 2], 1, ids.view(), y!(6));
        scatter_add_elements(part(2), &[2, 3], 0, ids.view(), y!(6));
        scatter_add_elements(part(3), &[2, 3], 1, ids.view(), y!(6));
        einsum(&plan, &[part(6)], y!(2), ());
        einsum(&plan, &[part(6), part(2)], y!(2), ());
        einsum(&plan, &[part(6), part(3)], y!(3), ());
        dot_strided(m(3, 1), m(2, 1), y!(1));
        nrm2(m(3, 1), y!(2));
        asum(m(3, 1), y!(0));
        iamax(m(0, 1), bits.view_mut());
        iamax(m(3, 1), bits.view_mut());
        normal(stream, f32::NAN, 1.0, y!(2));
        normal(stream, 0.0, -1.0, y!(2));
        exponential(stream, f32::INFINITY, y!(2));
        integers(stream, 3u32, 2, bits.view_mut());
        bernoulli(stream, 1.5, bits.view_mut());
    }
    let named = [
        "`x`",
        "`y`",
        "`x`",
        "`y`",
        "`x`",
        "`y`",
        "`y`",
        "`a`",
        "`values`",
        "`taps`",
        "`decimation`",
        "`state`",
        "`x`",
        "`out`",
        "`k`",
        "`values`",
        "`indices`",
        "`k`",
        "`query`",
        "`x`",
        "`out`",
        "`scale`",
        "`offset`",
        "`x`",
        "`out`",
        "`scale`",
        "`offset`",
        "`x`",
        "`out`",
        "`cols`",
        "`x`",
        "`out`",
        "`x`",
        "`targets`",
        "`weights`",
        "`smoothing`",
        "`smoothing`",
        "`losses`",
        "`dx`",
        "`targets`",
        "`smoothing`",
        "`padding`",
        "`x`",
        "`out`",
        "`padding`",
        "`padding`",
        "`axis`",
        "`x`",
        "`out`",
        "`axis`",
        "`x`",
        "`ids`",
        "`out`",
        "`axis`",
        "`out`",
        "`ids`",
        "`x`",
        "`operands`",
        "`operands`",
        "`out`",
        "`y`",
        "`out`",
        "`out`",
        "`x`",
        "`out`",
        "`mean`",
        "`stddev`",
        "`scale`",
        "`high`",
        "`p`",
    ];
    assert_eq!(all.len(), named.len());
    for (said, name) in all.iter().zip(named) {
        assert!(said.contains(name), "{said}, not of {name}");
    }
    let (mut back, mut words) = ([0.0; 6], [0; 2]);
    gpu.download(y.view(), &mut back).unwrap();
    gpu.download(bits.view(), &mut words).unwrap();
    assert_eq!((back, words), ([7.0; 6], [7; 2]), "written");
}

/// Of equal magnitudes the first; NaN before all, in every block of threads and between them.
#[test]
fn the_first_of_the_largest_is_found() {
    assert_eq!(nan_is_largest(&Gpu::new(Host::default())).unwrap(), [2049, 70, 2051]);
}

/// Windows over volumes: padded, apart in every direction, rounded up.
#[test]
fn windows_over_volumes_are_those_of_a_cpu() {
    let gpu = Gpu::new(Host::default());
    let numbers =
        |n: usize, by: usize| -> Vec<f32> { (0..n).map(|i| ((i * by) % 23) as f32 - 11.0).collect() };
    for case in 0..8 {
        let dilation = [[1, 1, 1], [3, 1, 2], [2, 3, 1], [4, 2, 3]][case % 4];
        let whole = Pool::volume([9, 8, 10], [2, 3, 2], [1 + case % 3, 2, 3], [1, 0, 1]);
        let pool = Pool { dilation, padding_end: [0, 2, 1], ceil: case > 3, ..whole };
        let cells = 2 * pool.output().unwrap().iter().product::<usize>();
        let (x, dy) = (numbers(2 * 720, 7), numbers(cells, 5));
        let [on_x, on_dy] = [&x, &dy].map(|x| gpu.upload(x).unwrap());
        let mut most = gpu.upload(&vec![9u32; cells]).unwrap();
        macro_rules! same {
            ($n:expr, $f:ident($($x:ident, $on:ident),+; $($arg:expr),*)) => {{
                let (mut want, mut got) = (vec![0.0f32; $n], vec![0.0f32; $n]);
                let mut y = gpu.upload(&got).unwrap();
                gpu.$f($($on.view(),)+ $($arg,)* y.view_mut()).unwrap();
                gpu.download(y.view(), &mut got).unwrap();
                fulmen::$f($(&$x,)+ $($arg,)* &mut want).unwrap();
                let far = got.iter().zip(&want).any(|(x, y)| (x - y).abs() > 1e-5);
                assert!(!far, "{}, {pool:?}: {got:?} {want:?}", stringify!($f));
            }};
        }
        same!(cells, max_pool(x, on_x; pool));
        same!(2 * 720, max_pool_backward(x, on_x, dy, on_dy; pool));
        for count_padding in [false, true] {
            same!(cells, avg_pool(x, on_x; pool, count_padding));
            same!(2 * 720, avg_pool_backward(dy, on_dy; pool, count_padding));
        }
        let (mut want, mut places, mut got) = (vec![0.0; cells], vec![0; cells], vec![0; cells]);
        let mut y = gpu.upload(&want).unwrap();
        gpu.max_pool_indices(on_x.view(), pool, y.view_mut(), most.view_mut()).unwrap();
        gpu.download(most.view(), &mut got).unwrap();
        fulmen::max_pool_indices(&x, pool, &mut want, &mut places).unwrap();
        assert_eq!(got, places, "{pool:?}");
    }
}
