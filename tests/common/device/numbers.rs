//! Comparisons, conversions and choices of `f32` on a device, of operands that lie in buffers: no compiler folds them.

use fulmen::Alu;
use fulmen::gpu::device::{Binding, Blocking, Computes, Error, Launch, Program};
use fulmen::gpu::template::Argument;
use fulmen::gpu::{Builder, Cmp, F32, S32, Space, U32, U64, Value};

/// NaN of both signs and with a payload, what overflows integers of 32 bits and what is next to that, and ordinary numbers.
const NUMBERS: [u32; 27] = [
    0x7fc0_0000,
    0xffc0_0000,
    0x7f80_0001,
    0x7f80_0000,
    0xff80_0000,
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0xbf7f_ffff,
    0x4f00_0000,
    0x4eff_ffff,
    0xcf00_0000,
    0xceff_ffff,
    0xcf00_0001,
    0x4f80_0000,
    0x4f7f_ffff,
    0xcf80_0000,
    0x4f32_d05e,
    0x4f95_02f9,
    0xcf32_d05e,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x42f7_0000,
];
const CMPS: [Cmp; 6] = [Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::Eq, Cmp::Ne];
/// The results that are floats.
const FLOATS: std::ops::Range<usize> = 3 * CMPS.len()..3 * CMPS.len() + 9;
/// The choices, which come before comparisons.
const CHOICES: usize = 28;

/// Whether the comparison holds.
fn holds(cmp: Cmp, x: f32, y: f32) -> bool {
    match cmp {
        Cmp::Lt => x < y,
        Cmp::Le => x <= y,
        Cmp::Gt => x > y,
        Cmp::Ge => x >= y,
        Cmp::Eq => x == y,
        Cmp::Ne => x != y,
    }
}

/// The results as a kernel computes them: comparisons as such, negated and as branches; the smaller and the larger as bodies choose
/// them, in both orders; products with 0 and differences with itself, which find what is not finite; whether each is NaN;
/// conversions.
fn on_device<'b>(b: &'b Builder, [x, y]: [Value<'b, F32>; 2]) -> Vec<Value<'b, U32>> {
    let word = |p| Value::select(p, b.int::<U32>(1), b.int(0));
    let mut all = Vec::new();
    for cmp in CMPS {
        let p = x.compare(cmp, y);
        all.extend([word(p), word(!p)]);
        let [taken] = b.either(p, || [b.int::<U32>(1)], || [b.int::<U32>(0)]);
        all.push(taken);
    }
    let zero = b.f32(0.0);
    all.extend([x.min(y), x.max(y), y.min(x), y.max(x)].map(|v| v.cast::<U32>()));
    all.extend([x * zero, x - x, x / x, x.fma(zero, y), zero * -x].map(|v| v.cast::<U32>()));
    all.extend([word(x.is_nan()), word(y.is_nan())]);
    all.extend([x.to::<U32>(), x.to::<S32>().cast()]);
    all
}

fn on_host([x, y]: [f32; 2]) -> Vec<u32> {
    let mut all = Vec::new();
    for cmp in CMPS {
        let p = holds(cmp, x, y);
        all.extend([p, !p, p].map(u32::from));
    }
    let chosen = |p: bool, [a, b]: [f32; 2]| if p { a } else { b };
    let of = [chosen(x < y, [x, y]), chosen(x > y, [x, y]), chosen(y < x, [y, x]), chosen(y > x, [y, x])];
    all.extend(of.map(f32::to_bits));
    all.extend([x * 0.0, x - x, x / x, x.mul_add(0.0, y), 0.0 * -x].map(f32::to_bits));
    all.extend([x.is_nan(), y.is_nan()].map(u32::from));
    all.extend([x as u32, (x as i32) as u32]);
    all
}

/// Choices and comparisons as bodies have them, in a kernel of their own. A compiler that assumes that there is no NaN makes `min` and
/// `max` of such choices, one comparison of two, and a constant of whether a magnitude or a square is below 0. First the choices: in
/// both orders, by negated comparisons, by branches, with constants, between bounds, of several values; then the comparisons.
fn choices_on_device<'b>(b: &'b Builder, [x, y]: [Value<'b, F32>; 2]) -> Vec<Value<'b, U32>> {
    let [zero, one, c] = [0.0, 1.0, 9.5].map(|c| b.f32(c));
    let select = Value::<F32>::select;
    let mut all = vec![x.min(y), x.max(y), y.min(x), y.max(x)];
    all.extend([
        select(x.le(y), x, y),
        select(x.le(y), y, x),
        select(!x.lt(y), x, y),
        select(!x.le(y), x, y),
    ]);
    all.extend(b.either(x.lt(y), || [x], || [y]));
    all.extend(b.either(y.le(x), || [x], || [y]));
    all.extend([
        c.min(x),
        x.min(c),
        c.max(x),
        x.max(c),
        c.min(x.abs()),
        x.abs().min(c),
        zero.max(x),
        x.max(zero),
    ]);
    all.extend([x.max(zero).min(one), one.min(zero.max(x)), zero.max(one.min(x)), (-c).max(c.min(x))]);
    all.extend([
        x.min(y).min(c),
        c.max(x.max(y)),
        -(-x).max(-y),
        x.abs().max(y.abs()),
        (x - y).min(c),
        select(x.lt(y), one, zero) * y,
    ]);
    let mut all: Vec<_> = all.into_iter().map(Value::cast).collect();
    assert_eq!(all.len(), CHOICES);
    let (magnitude, square) = (x.abs(), x * x);
    let compared = [
        x.min(y).lt(zero),
        zero.lt(x.max(y)),
        x.min(y).le(x.max(y)),
        zero.lt(magnitude),
        magnitude.lt(zero),
        zero.le(magnitude),
        zero.le(-magnitude),
        zero.le(square),
        square.lt(zero),
        (-x).lt(-y),
        (-x).lt(c),
        !zero.le(square),
        !(-x).lt(y),
        x.lt(c) & y.lt(c),
        c.lt(x) & c.lt(y),
        x.lt(c) | y.lt(c),
        x.le(y) & x.le(c),
        !(c.le(x) | c.le(y)),
    ];
    all.extend(compared.map(|p| Value::select(p, b.int::<U32>(1), b.int(0))));
    all
}

#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::nonminimal_bool, reason = "NaN is on neither side")]
fn choices_on_host([x, y]: [f32; 2]) -> Vec<u32> {
    let choose = |p: bool, a: f32, b: f32| if p { a } else { b };
    let min = |a: f32, b: f32| choose(a < b, a, b);
    let max = |a: f32, b: f32| choose(a > b, a, b);
    let c = 9.5;
    let mut all = vec![min(x, y), max(x, y), min(y, x), max(y, x)];
    all.extend([choose(x <= y, x, y), choose(x <= y, y, x), choose(!(x < y), x, y), choose(!(x <= y), x, y)]);
    all.extend([choose(x < y, x, y), choose(y <= x, x, y)]);
    all.extend([
        min(c, x),
        min(x, c),
        max(c, x),
        max(x, c),
        min(c, x.abs()),
        min(x.abs(), c),
        max(0.0, x),
        max(x, 0.0),
    ]);
    all.extend([min(max(x, 0.0), 1.0), min(1.0, max(0.0, x)), max(0.0, min(1.0, x)), max(-c, min(c, x))]);
    all.extend([
        min(min(x, y), c),
        max(c, max(x, y)),
        -max(-x, -y),
        max(x.abs(), y.abs()),
        min(x - y, c),
        choose(x < y, 1.0, 0.0) * y,
    ]);
    let (magnitude, square) = (x.abs(), x * x);
    let compared = [
        min(x, y) < 0.0,
        0.0 < max(x, y),
        min(x, y) <= max(x, y),
        0.0 < magnitude,
        magnitude < 0.0,
        0.0 <= magnitude,
        0.0 <= -magnitude,
        0.0 <= square,
        square < 0.0,
        -x < -y,
        -x < c,
        !(0.0 <= square),
        !(-x < y),
        x < c && y < c,
        c < x && c < y,
        x < c || y < c,
        x <= y && x <= c,
        !(c <= x || c <= y),
    ];
    all.into_iter().map(f32::to_bits).chain(compared.map(u32::from)).collect()
}

/// All pairs of numbers, each result compared with a CPU's; bits of a NaN are any NaN's.
pub fn numbers<D: Computes<f32> + Blocking>(device: &D) -> Result<(), Error> {
    pairs(device, on_device, on_host, FLOATS)?;
    pairs(device, choices_on_device, choices_on_host, 0..CHOICES)
}

/// What a kernel makes of a pair.
type OnDevice = for<'b> fn(&'b Builder, [Value<'b, F32>; 2]) -> Vec<Value<'b, U32>>;

/// Each result of each pair; `floats` are those that may be NaN.
fn pairs<D: Computes<f32> + Blocking>(
    device: &D,
    on_device: OnDevice,
    on_host: fn([f32; 2]) -> Vec<u32>,
    floats: std::ops::Range<usize>,
) -> Result<(), Error> {
    let each = on_host([0.0; 2]).len();
    let pairs: Vec<[f32; 2]> =
        NUMBERS.iter().flat_map(|x| NUMBERS.map(|y| [*x, y].map(f32::from_bits))).collect();
    let b = Builder::new("numbers");
    let (from, to) = (b.param::<U64>(), b.param::<U64>());
    b.count::<U32, U32>([b.int(0), b.int(pairs.len() as i64), b.int(1)], 1, &[], |i, _| {
        let at = from + i.wide(b.int(8));
        let out = to + i.wide(b.int(4 * each as i64));
        let pair = [0, 4].map(|k| b.load::<F32>(Space::Global, at, k));
        for (k, v) in (0..).step_by(4).zip(on_device(&b, pair)) {
            b.store(Space::Global, out, k, v);
        }
        Vec::new()
    });
    let program = Program::new(b.finish().expect("it is a kernel")).into();
    let arguments = vec![Argument::Buffer(0), Argument::Buffer(1)];
    let launch = Launch { program, grid: [1; 3], block: [1; 3], arguments };
    let bytes: Vec<u8> = pairs.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let mut back = vec![0; 4 * each * pairs.len()];
    let (source, target) = (device.allocate(bytes.len() as u64)?, device.allocate(back.len() as u64)?);
    device.write(&source, 0, &bytes)?;
    let bound = [(&source, bytes.len()), (&target, back.len())];
    let bound = bound.map(|(buffer, n)| Binding { buffer, start: 0, bytes: n as u64 });
    // SAFETY: the one thread of the kernel reads every pair of the first buffer and writes `each` words of each to the second one; both have
    // just been allocated with that many bytes, and nothing else has them.
    unsafe { device.launch(&[launch], &bound)? };
    device.read_now(&target, 0, &mut back)?;
    let words: Vec<u32> = back.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let mut wrong = Vec::new();
    for (pair, got) in pairs.iter().zip(words.chunks(each)) {
        for (k, (got, want)) in got.iter().zip(on_host(*pair)).enumerate() {
            let both_nan =
                floats.contains(&k) && f32::from_bits(*got).is_nan() && f32::from_bits(want).is_nan();
            if *got != want && !both_nan {
                wrong.push(format!("{pair:?}: result {k} is {got:#x}, not {want:#x}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    println!("numbers: {} pairs of floats are compared, chosen and converted as on a CPU", pairs.len());
    Ok(())
}
