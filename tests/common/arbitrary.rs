//! Turns bytes into one call of one op and checks what must hold whatever the arguments.

use crate::call::{Args, Form, Out, call};
use fulmen::Element;
use fulmen::lanes::native;

const CANARY: f64 = -123.456;

/// The first bytes pick op, form, type and lengths; the rest is data, bit patterns as they come.
pub fn run(bytes: &[u8]) {
    let [op, shape, form, data @ ..] = bytes else { return };
    let op = &fulmen::ops::OPS[usize::from(*op) % fulmen::ops::OPS.len()];
    let form_of = [Form::Native, Form::On, Form::InPlace][usize::from(*form) % 3];
    if form & 4 == 0 {
        one::<f32>(
            op.name,
            *shape,
            form_of,
            data.chunks_exact(4)
                .map(|c| f32::from_bits(u32::from_le_bytes([c[0], c[1], c[2], c[3]])))
                .collect(),
        );
    } else {
        one::<f64>(
            op.name,
            *shape,
            form_of,
            data.chunks_exact(8)
                .map(|c| f64::from_bits(u64::from_le_bytes([c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]])))
                .collect(),
        );
    }
}

fn one<T: Element>(name: &str, shape: u8, form: Form, data: Vec<T>) {
    let n = data.len();
    // Mostly equal lengths; now and then one argument is shorter.
    let shorter =
        |bit: u8| if shape & 0x30 == bit << 4 { n.saturating_sub(1 + usize::from(shape & 3)) } else { n };
    let (nb, nc, ny) = (shorter(1), shorter(2), shorter(3));
    let cols = if shape & 8 == 0 { n } else { usize::from(shape & 7) };
    let eps = data.first().copied().unwrap_or(T::ZERO);
    let canary = T::from_f64(CANARY);
    let pad = 40;
    let mut room = vec![canary; n + 2 * pad];
    let mut index = vec![u32::MAX; n + 2];
    let before: Vec<T> = if form == Form::InPlace {
        room[pad..pad + ny].copy_from_slice(&data[..ny]);
        data[..ny].to_vec()
    } else {
        vec![canary; ny]
    };
    let args =
        Args { x: [&data, &data[..nb], &data[..nc]], cols, eps, k: usize::from(shape >> 3), params: &[] };
    let called = {
        let (y, index) = (&mut room[pad..pad + ny], &mut index[1..1 + n]);
        call(native(), name, form, args, &mut Out { y, index })
    };
    let bits = |x: T| x.to_f64().to_bits();
    let clean = |part: &[T]| part.iter().all(|&x| bits(x) == bits(canary));
    assert!(clean(&room[..pad]) && clean(&room[pad + ny..]), "{name} wrote outside its output");
    assert!(index[0] == u32::MAX && index[n + 1] == u32::MAX, "{name} wrote outside its indices");
    if let Some(Err(e)) = called {
        // `update` copies its first input into `y` before the call, which is the test's own doing.
        if name != "axpy" {
            let same = room[pad..pad + ny].iter().zip(&before).all(|(&a, &b)| bits(a) == bits(b));
            assert!(same, "{name} wrote before it failed with {e}");
        }
        assert!(!e.to_string().is_empty());
    }
}

/// One op of a call of its own, as the first bytes say, with arguments that the others choose.
pub fn nn(bytes: &[u8]) {
    let [op, seed @ ..] = bytes else { return };
    let seed = seed.iter().fold(0u64, |h, &c| (h ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3));
    let mut calls: Vec<fn(u64) -> usize> = Vec::new();
    macro_rules! list {
        ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
            calls.push(|seed| crate::nn::Routine::<f32>::native::<$Op>().twisted(seed));
            calls.push(|seed| crate::nn::Routine::<f64>::native::<$Op>().twisted(seed));
        )*};
    }
    crate::for_each_nn_op!(list);
    calls[usize::from(*op) % calls.len()](seed);
}
