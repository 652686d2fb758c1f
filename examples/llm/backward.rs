//! The model backward: the gradient of its losses.

use super::*;

fn gradients<'a, B: Backend<f32>>(
    c: &Config,
    all: Out<'a, B>,
    l: usize,
) -> Result<Weights<Out<'a, B>>, B::Error> {
    let at = c.block();
    let [_, block] = B::split(all, c.block_at(l).start)?;
    let [norm_1, block] = B::split(block, at.norm_1.len())?;
    let [q, block] = B::split(block, at.q.len())?;
    let [kv, block] = B::split(block, at.kv.len())?;
    let [o, block] = B::split(block, at.o.len())?;
    let [norm_2, block] = B::split(block, at.norm_2.len())?;
    let [gate_up, block] = B::split(block, at.gate_up.len())?;
    let [down, _] = B::split(block, at.down.len())?;
    Ok(Weights { biases: [const { None }; 5], norm_1, q, kv, o, norm_2, gate_up, down })
}

/// Backward of [`linear`]: `dx = dy·w + keep·dx`, `dw += dyᵀ·x`.
#[allow(clippy::too_many_arguments, reason = "the operands of two products")]
fn linear_backward<B: Backend<f32>>(
    b: &B,
    [m, n]: [usize; 2],
    x: In<'_, B>,
    w: In<'_, B>,
    dy: In<'_, B>,
    keep: f32,
    dx: Out<'_, B>,
    dw: Out<'_, B>,
    mut workspace: Out<'_, B>,
) -> Result<(), B::Error> {
    let rows = B::len(x) / n;
    let (x, w, dy) = (B::matrix(x, rows, n)?, B::matrix(w, m, n)?, B::matrix(dy, rows, m)?);
    b.gemm(1.0, dy, w, keep, B::matrix_mut(dx, rows, n)?, B::workspace(B::lend(&mut workspace)))?;
    b.gemm(1.0, B::t(dy), x, 1.0, B::matrix_mut(dw, m, n)?, B::workspace(workspace))
}

/// Backward of [`block`] with `past = 0`: over `dh`, the gradient of `h_out`, comes that of `h_in`; the weights' are added to.
#[allow(clippy::too_many_arguments, reason = "a block's operands")]
fn block_backward<B: Backend<f32>>(
    b: &B,
    c: &Config,
    span: Span,
    w: &Weights<In<'_, B>>,
    angles: &Angles<'_, B>,
    h_in: In<'_, B>,
    kv: In<'_, B>,
    kept: &Kept<'_, B>,
    dw: Weights<Out<'_, B>>,
    dh: &mut Out<'_, B>,
    room: Out<'_, B>,
    mut workspace: Out<'_, B>,
) -> Result<(), B::Error> {
    let (d, qd, width, f, hd) = (c.dim, c.q_width(), c.kv_width(), c.hidden, c.head_dim());
    let rows = span.rows();
    let [mut dx, room] = B::split(room, rows * d)?;
    let [mut wide, room] = B::split(room, rows * 2 * f)?;
    let [mut narrow, room] = B::split(room, rows * f)?;
    let [mut dq, room] = B::split(room, rows * qd)?;
    let [mut d_attended, room] = B::split(room, rows * qd)?;
    let [mut dkv, _] = B::split(room, rows * width)?;

    linear_backward(
        b,
        [d, f],
        B::read(&kept.hidden),
        w.down,
        B::read(dh),
        0.0,
        B::lend(&mut narrow),
        dw.down,
        B::lend(&mut workspace),
    )?;
    b.swiglu_packed_backward(B::read(&kept.gate_up), B::read(&narrow), f, B::lend(&mut wide))?;
    linear_backward(
        b,
        [2 * f, d],
        B::read(&kept.x2),
        w.gate_up,
        B::read(&wide),
        0.0,
        B::lend(&mut dx),
        dw.gate_up,
        B::lend(&mut workspace),
    )?;
    b.rms_norm_residual_backward(B::read(&kept.h), w.norm_2, B::read(&dx), c.eps, B::lend(dh), dw.norm_2)?;

    linear_backward(
        b,
        [d, qd],
        B::read(&kept.attended),
        w.o,
        B::read(dh),
        0.0,
        B::lend(&mut d_attended),
        dw.o,
        B::lend(&mut workspace),
    )?;
    let (cos, sin) = angles.of(span, hd / 2)?;
    let of = |x| B::matrix(x, rows, qd);
    let [keys, values] = keys_values::<B>(c, span, kv)?;
    let [dk, dv] = B::split_cols(B::matrix_mut(B::lend(&mut dkv), rows, width)?, width / 2)?;
    b.attention_backward(
        &attention(c, span),
        of(B::read(&kept.q))?,
        keys,
        values,
        None,
        of(B::read(&kept.attended))?,
        B::read(&kept.lse),
        of(B::read(&d_attended))?,
        B::matrix_mut(B::lend(&mut dq), rows, qd)?,
        dk,
        dv,
        B::workspace(B::lend(&mut workspace)),
    )?;
    b.rope_view(B::matrix_mut(B::lend(&mut dq), rows, qd)?, hd, cos, sin, c.rope.style, true)?;
    let [dk, _] = B::split_cols(B::matrix_mut(B::lend(&mut dkv), rows, width)?, width / 2)?;
    b.rope_view(dk, hd, cos, sin, c.rope.style, true)?;
    let x1 = B::read(&kept.x1);
    linear_backward(b, [qd, d], x1, w.q, B::read(&dq), 0.0, B::lend(&mut dx), dw.q, B::lend(&mut workspace))?;
    linear_backward(b, [width, d], x1, w.kv, B::read(&dkv), 1.0, B::lend(&mut dx), dw.kv, workspace)?;
    b.rms_norm_residual_backward(h_in, w.norm_1, B::read(&dx), c.eps, B::lend(dh), dw.norm_1)
}

/// Elements of room that [`train`] needs for `rows` tokens: for what products read and write, for which 16 bits are enough, and
/// for what is added up: the streams of activations and of their gradient, and the log-sum-exps.
pub fn training_room(c: &Config, rows: usize) -> [usize; 2] {
    let [kept, exact] = kept_len(c);
    let head = c.dim + c.vocab;
    let backward = c.dim + 2 * c.q_width() + 3 * c.hidden + c.kv_width();
    let streams = (c.layers + 2) * c.dim;
    [c.layers * (kept + c.kv_width()) + head + backward, streams + c.layers * exact].map(|n| rows * n)
}

/// The losses of `targets` given the tokens before each; adds the gradient of `scale` times their sum to `gradient`.
#[allow(clippy::too_many_arguments, reason = "what a pass reads and writes")]
pub fn train<B: Blocked>(
    b: &B,
    c: &Config,
    span: Span,
    all: In<'_, B>,
    angles: &Angles<'_, B>,
    [ids, targets]: [Ids<'_, B>; 2],
    scale: f32,
    mut gradient: Out<'_, B>,
    losses: Out<'_, B>,
    [room, exact]: [Out<'_, B>; 2],
    mut workspace: Out<'_, B>,
) -> Result<(), B::Error> {
    profile!(pass(span, span.rows()));
    let (d, rows) = (c.dim, span.rows());
    let [keep, keep_exact] = kept_len(c).map(|n| rows * n);
    let [mut h, exact] = B::split(exact, (c.layers + 1) * rows * d)?;
    let [mut kept_exact, exact] = B::split(exact, c.layers * keep_exact)?;
    let [mut dh, _] = B::split(exact, rows * d)?;
    let [mut kept, room] = B::split(room, c.layers * keep)?;
    let [mut kv, room] = B::split(room, c.layers * rows * c.kv_width())?;
    let [mut x, room] = B::split(room, rows * d)?;
    let [mut logits, mut room] = B::split(room, rows * c.vocab)?;
    let (stream, pairs) = (rows * d, rows * c.kv_width());
    let of_layer = |l: usize, n: usize| l * n..(l + 1) * n;

    let embedding = B::part(all, c.embedding())?;
    b.embedding(embedding, d, ids, part_mut::<B>(&mut h, 0..stream)?)?;
    profile!(EMBEDDING);
    for l in 0..c.layers {
        let [_, at] = B::split(B::lend(&mut h), l * stream)?;
        let [h_in, at] = B::split(at, stream)?;
        let [added, _] = B::split(at, stream)?;
        let kv = part_mut::<B>(&mut kv, l * pairs..(l + 1) * pairs)?;
        let [past, exact] = B::split(B::lend(&mut kept_exact), l * keep_exact)?;
        let before = last_stream::<B>(&past, stream, l)?;
        let [exact, _] = B::split(exact, keep_exact)?;
        let mut kept = Kept::<B>::new(c, rows, [part_mut::<B>(&mut kept, of_layer(l, keep))?, exact])?;
        let w = matrices::<B>(&weights::<B>(c, all, l)?);
        block(b, c, span, &w, angles, before, h_in, kv, &mut kept, added, B::lend(&mut workspace))?;
    }
    let norm = B::part(all, c.last_norm())?;
    let before = last_stream::<B>(&kept_exact, stream, c.layers)?;
    let last = part_mut::<B>(&mut h, c.layers * stream..(c.layers + 1) * stream)?;
    super::stream(b, c.eps, before, last, norm, B::lend(&mut x))?;
    profile!(RMS_NORM);
    let last = B::part(B::read(&h), c.layers * stream..(c.layers + 1) * stream)?;
    let output = Part::<B>::Numbers(embedding);
    times(b, [c.vocab, d], B::read(&x), output, B::lend(&mut logits), B::lend(&mut workspace))?;
    profile!(HEAD);
    b.cross_entropy_with_gradient(B::lend(&mut logits), targets, c.vocab, scale, losses)?;
    profile!(LOSS);

    let [mut dx, _] = B::split(B::lend(&mut room), rows * d)?;
    let d_embedding = part_mut::<B>(&mut gradient, c.embedding())?;
    linear_backward(
        b,
        [c.vocab, d],
        B::read(&x),
        embedding,
        B::read(&logits),
        0.0,
        B::lend(&mut dx),
        d_embedding,
        B::lend(&mut workspace),
    )?;
    let d_norm = part_mut::<B>(&mut gradient, c.last_norm())?;
    b.rms_norm_backward(last, norm, B::read(&dx), c.eps, B::lend(&mut dh), d_norm)?;
    drop(dx);
    for l in (0..c.layers).rev() {
        let h_in = B::part(B::read(&h), l * stream..(l + 1) * stream)?;
        let kv = B::part(B::read(&kv), l * pairs..(l + 1) * pairs)?;
        let exact = part_mut::<B>(&mut kept_exact, of_layer(l, keep_exact))?;
        let kept = Kept::<B>::new(c, rows, [part_mut::<B>(&mut kept, of_layer(l, keep))?, exact])?;
        let w = weights::<B>(c, all, l)?;
        let dw = gradients::<B>(c, B::lend(&mut gradient), l)?;
        let (room, workspace) = (B::lend(&mut room), B::lend(&mut workspace));
        block_backward(b, c, span, &w, angles, h_in, kv, &kept, dw, &mut dh, room, workspace)?;
    }
    b.scatter_add(B::read(&dh), d, ids, part_mut::<B>(&mut gradient, c.embedding())?)?;
    profile!(BACKWARD);
    Ok(())
}
