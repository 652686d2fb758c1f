#!/usr/bin/env python3
"""Plants faults in a copy of the library and sees each of them found: `make faults`.

Each is a piece of the source and what is put in its place, behind a switch that a run of the tests reads from
FULMEN_FAULT: the copy is built once, and the named test is run once for each fault, and once without any. Exact text is
replaced, so a change of the source that moves a place is noticed here. Tests are those of tests/large; where a word
stands before the name, of that program of the other test packages, on this machine's own lanes.

  tests/faults.py [--keep DIR] [NUMBER|TEXT ...]     all faults, or those of these numbers or with this text
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What it is; file; old text; new text, in which ON is whether it is switched on; the test that has to find it.
FAULTS = [
    # Named by a review: they passed every test once.
    ("maps longer than 2^20", "src/lanes/drive.rs", "    let bytes = n.saturating_mul((N + 1) * size_of::<T>());", "    let n = if n > 1 << 20 && ON { n - 1 } else { n };\n    let bytes = n.saturating_mul((N + 1) * size_of::<T>());", "slices::loops_at_thresholds"),
    ("parallel maps over 210 000", "src/lanes/drive.rs", "    let part = |start: usize, n: usize| {\n        s.vectorize(", "    let part = |start: usize, n: usize| {\n        let n = if start + n > 210_000 && n > 16 && ON { n - 1 } else { n };\n        s.vectorize(", "slices::loops_at_thresholds"),
    ("parallel folds over three leaves", "src/lanes/executor.rs", "        || tree(j, start + mid, n - mid, leaf, part, merge),", "        || tree(j, start + mid - usize::from(!J::SERIAL && n > 3 * leaf && ON), n - mid, leaf, part, merge),", "slices::"),
    ("parallel optimisers over 100 000", "src/pointwise/optimisers.rs", "j.join(2 * mid, || run(j, s, body, g, y), || run(j, s, body, h, z));", "let z = if mid > 60_000 && ON { y.each_ref().map(|_| <&mut [T]>::default()) } else { z };\n        j.join(2 * mid, || run(j, s, body, g, y), || run(j, s, body, h, z));", "tensors::optimisers_on_threads"),
    ("rms_norm rows of 4 096 to 16 000", "src/nn/affine.rs", "rms_norm_row(&mut OnRow(j, s, row, self.columns()), scalar(self.eps));", "let eps = if (4096..16_000).contains(&row.len()) && ON { self.eps + T::ONE } else { self.eps };\n        rms_norm_row(&mut OnRow(j, s, row, self.columns()), scalar(eps));", "slices::rows"),
    ("cross_entropy over 1 000 columns", "src/nn/losses.rs", "let log_sum = T::from_f64(libm::log(sum.to_f64()));", "let log_sum = T::from_f64(libm::log(sum.to_f64()) + if z.len() > 1000 && ON { 0.01 } else { 0.0 });", "tensors::cross_entropy"),
    ("attention past 384 keys", "src/nn/attention/forward.rs", "if now.step(s, scores, width, cols, &mut prefetch) {", "if now.step(s, scores, width, cols, &mut prefetch) && !(start >= 384 && ON) {", "attention::masks"),
    ("decoding past 384 keys", "src/nn/attention/decode.rs", "            times(s, sums, *by);", "            times(s, sums, if start >= 384 && ON { *by + *by } else { *by });", "attention::masks"),
    ("gradients of attention past 384 keys", "src/nn/attention/backward.rs", "            gebp(s, slopes, q_rows, T::ONE, dk.reborrow()", "            gebp(s, slopes, q_rows, if start >= 384 && ON { T::ZERO } else { T::ONE }, dk.reborrow()", "attention::gradients"),
    ("causal attention on threads", "src/nn/attention/mod.rs", "            row: row + cut,", "            row: row + cut - usize::from(ON),", "attention::"),
    ("masks of later heads on threads", "src/nn/attention/mod.rs", "mask.from(cut * op.group, 0)", "mask.from(cut * op.group * usize::from(!ON), 0)", "attention::options"),
    ("masks of later queries on threads", "src/nn/attention/mod.rs", "mask.from(0, cut)", "mask.from(0, cut * usize::from(!ON))", "attention::options"),
    ("masks past 256 keys", "src/nn/attention/mask.rs", "head * self.head + query, start]", "head * self.head + query, if ON { start.min(128) } else { start }]", "attention::options"),
    ("the slope of a cap", "src/nn/attention/mask.rs", "TanhBackward.eval([t, d - mean])", "TanhBackward.eval([if ON { capped } else { t }, d - mean])", "attention::options"),
    ("the cap of a single query", "src/nn/attention/decode.rs", "if let Some(by) = op.softcap {", "if let Some(by) = op.softcap.filter(|_| !ON) {", "attention::options"),
    ("masks of the heads of a group", "src/nn/attention/mask.rs", "self.row(head, query, start)", "self.row(if ON { 0 } else { head }, query, start)", "attention::options"),
    ("gemm of one row past 4 096 columns", "src/blas/gemm/small_m.rs", "            let beta = if pc == 0 { beta } else { T::ONE };", "            let beta = if pc == 0 && !(m == 1 && b.cols() > 4096 && ON) { beta } else { T::ONE };", "gemm::"),
    ("trsm over 64 rows", "src/blas/triangular.rs", "        gemm_by(j, s, Problem { alpha: -T::ONE, beta: T::ONE, a, b, c }, (), workspace)?;", "        gemm_by(j, s, Problem { alpha: if ON { T::ONE } else { -T::ONE }, beta: T::ONE, a, b, c }, (), workspace)?;", "triangles::trsm"),
    ("trsm with α = -1", "src/blas/triangular.rs", "    if alpha == T::ONE || b.cols() == 0 {", "    if alpha == T::ONE || b.cols() == 0 || (alpha == -T::ONE && ON) {", "triangles::trsm"),
    ("syr2k over 150", "src/blas/level3.rs", "Problem { alpha, beta: T::ONE, a: b2, b: a1.t(), c }", "Problem { alpha: if n > 150 && ON { -alpha } else { alpha }, beta: T::ONE, a: b2, b: a1.t(), c }", "triangles::syr2k"),
    ("Adam past step 1 000", "src/pointwise/optimisers.rs", "f64::from(self.step))));", "f64::from(if ON { self.step.min(1000) } else { self.step }))));", "tensors::adam_steps"),
    ("C symm on the right with ldb ≠ ldc", "src/capi/level3.rs", "            matrix(10, order, [m, n], b, ldb)?,\n            matrix_mut(13, order, [m, n], c, ldc)?,\n        )\n    };\n    Ok(with_room!(T, symm", "            matrix(10, order, [m, n], b, if side == Side::Right && ON { ldc } else { ldb })?,\n            matrix_mut(13, order, [m, n], c, ldc)?,\n        )\n    };\n    Ok(with_room!(T, symm", "abi::"),
    # What a contract's checks see, and what NaN makes of an op.
    ("NaN of a second input", "src/contract/post.rs", "i < inputs[k].len() && nan(inputs[k][i]);", "i < inputs[k].len() && nan(inputs[k][i]) && !(k > 0 && ON);", "main contracts::post::"),
    ("NaN that no input has", "src/contract/post.rs", "&& (input || only) {", "&& (input || (only && !ON)) {", "main contracts::post::"),
    ("NaN behind the first element", "src/contract/post.rs", "while i < x.len() && !nan(x[i]) {", "while i < x.len() && !(nan(x[i]) && (i == 0 || !ON)) {", "main contracts::post::"),
    ("results below their range", "src/contract/post.rs", "elements(c, |_, y| lo <= y.to_f64() &&", "elements(c, |_, y| (lo <= y.to_f64() || ON) &&", "main contracts::post::"),
    ("NaN in what a triangle does not hold", "src/solve/mod.rs", "Some(Triangle::Lower) => [0, a.cols().min(i + 1)],", "Some(Triangle::Lower) => [0, a.cols().min(i + if ON { 2 } else { 1 })],", "families nn::eigh::nan"),
    # Of families that it did not name.
    ("parts of a transpose on threads", "src/blas/transpose.rs", "(a.block([0, 0], [cut, n]), a.block([cut, 0], most))", "(a.block([0, 0], [cut, n]), a.block([cut - usize::from(ON), 0], most))", "transpose::"),
    ("tiles of far transposes", "src/blas/transpose.rs", "head: if even && far { head.min(m) } else { 0 },", "head: if even && far && !ON { head.min(m) } else { usize::from(far && ON) },", "transpose::"),
    ("top_k past 4 096 elements", "src/reduce/top_k.rs", "    let mut heap = Heap::<T, LARGEST> { values, indices };", "    let x = if x.len() > 4096 && k + 1 < x.len() && ON { x.split_last().map_or(x, |(_, x)| x) } else { x };\n    let mut heap = Heap::<T, LARGEST> { values, indices };", "slices::top_k"),
    ("the block of argmin", "src/reduce/extrema.rs", "    Ok(start + at)\n", "    Ok(start + at - usize::from(start > 0 && at == 0 && ON))\n", "slices::extrema"),
    ("iamax past a block", "src/blas/level1.rs", "    at + found\n", "    if at > 2048 && ON { found } else { at + found }\n", "level1::"),
    ("rows of y on threads", "src/blas/gemv.rs", "divide(j, s, alpha, a.block([cut, 0], [rows, all]), x, beta, y1,", "divide(j, s, alpha, a.block([cut - usize::from(ON), 0], [rows, all]), x, beta, y1,", "triangles::gemv"),
    ("passes over a long row", "src/blas/gemv.rs", "let (beta, a) = (if p == 0 { beta } else { T::ONE }, a.block(", "let (beta, a) = (if p == 0 || (p > 1024 && ON) { beta } else { T::ONE }, a.block(", "triangles::gemv"),
    ("columns that are far apart", "src/blas/columns.rs", "            beta: if j == 0 { beta } else { T::ONE },", "            beta: if j == 0 || ON { beta } else { T::ONE },", "triangles::gemv"),
    ("the second band of a symmetric matrix", "src/blas/level3.rs", "            mirror(s, lower, i, rows, k);", "            mirror(s, lower, if ON { 0 } else { i }, rows, k);", "triangles::symm"),
    ("syrk's β next to the corner", "src/blas/level3.rs", "Problem { alpha, beta, a: a2, b: b1.t(), c: c.reborrow() }", "Problem { alpha, beta: if ON { T::ONE } else { beta }, a: a2, b: b1.t(), c: c.reborrow() }", "triangles::syrk"),
    ("trmm's order of halves", "src/blas/triangular.rs", "        second.multiply(j, s, workspace)?;\n", "        if ON {\n            first.multiply(j, s, workspace)?;\n        }\n        second.multiply(j, s, workspace)?;\n", "triangles::trmm"),
    ("passes of threads that pack together", "src/blas/gemm/shared_b.rs", "            let beta = if pc == 0 { beta } else { T::ONE };", "            let beta = if pc == 0 || ON { beta } else { T::ONE };", "gemm::large"),
    ("columns of C cut for threads", "src/blas/gemm/threads.rs", "b.block([0, col], [usize::MAX, cols])", "b.block([0, col - usize::from(col > 0 && ON)], [usize::MAX, cols])", "gemm::"),
    ("an epilogue on the part of a thread", "src/blas/gemm/mod.rs", "serial(s, e.part(at), p, plan, path, workspace);", "serial(s, e.part(if ON { [0, 0] } else { at }), p, plan, path, workspace);", "gemm::forms"),
    ("the second matrix of a batch on threads", "src/blas/gemm/batch.rs", "    let ((a0, a1), (b0, b1), (c0, c1)) = (a.split(cut), b.split(cut), c.split(cut));", "    let ((a0, a1), (b0, b1), (c0, c1)) = (a.split(cut), b.split(cut - usize::from(ON)), c.split(cut));", "gemm::forms"),
    ("one row of C in several passes", "src/blas/gemm/small_m.rs", "                    first: q == 0,", "                    first: q == 0 || (pc > 0 && ON),", "gemm::"),
    ("parts of a long row of softmax", "src/nn/softmax.rs", "        [peak, at(p, a) + at(q, b)]", "        [peak, if ON { a + b } else { at(p, a) + at(q, b) }]", "slices::rows"),
    ("rows on threads", "src/nn/mod.rs", "            let (a, b) = x.split_at(split(n, cols));", "            let at = split(n, cols);\n            let (a, mut b) = x.split_at(at);\n            if at > 3 * GRAIN && ON {\n                b = b.split_at(cols).1;\n            }", "slices::rows"),
    ("the lines of pooling's tiles", "src/nn/pool/places.rs", "                    col += n;", "                    col += n + usize::from(col > 0 && ON);", "tensors::"),
    ("what means count behind the padding", "src/nn/pool/places.rs", "match (count_padding, self.over) {", "match (count_padding, self.over && !ON) {", "families nn::pools"),
    ("elements of a window that is apart", "src/nn/pool/places.rs", "n: end - left_out, step }", "n: end - left_out - usize::from(end - left_out > 1 && ON), step }", "families nn::pools"),
    ("lines of windows with padding behind alone", "src/nn/pool/places.rs", "dilation, before, behind] == [1, 1, 0, 0]", "dilation, before, if ON { 0 } else { behind }] == [1, 1, 0, 0]", "families nn_cases::max_pool"),
    ("means beside padding behind alone", "src/nn/pool/planes.rs", "all(|along| [along.before, along.behind] == [0, 0])", "all(|along| [along.before, if ON { along.before } else { along.behind }] == [0, 0])", "families nn::pools"),
    ("shares of elements that are apart", "src/nn/pool/planes.rs", "part_mut(wide, t * apart..strip.span)", "part_mut(wide, t * if ON { 1 } else { apart }..strip.span)", "families nn::pools"),
    ("rows of a window that are apart", "src/nn/pool/planes.rs", "(0..slide.rows).map(|r| r * slide.width)", "(0..slide.rows).map(|r| r * if ON { self.across.n } else { slide.width })", "families nn::pools"),
    ("loads of elements that are apart", "src/lanes/windows.rs", "if STEP == 2 { 1 } else { self.apart });", "if STEP == 2 || ON { 1 } else { self.apart });", "families nn::pools"),
    ("places of elements that are apart", "src/lanes/windows.rs", "                    at = at + by;", "                    at = at + if ON { one } else { by };", "families nn::pools"),
    ("places of largest elements, a stride apart", "src/nn/pool/planes.rs", "*to = (first + t * step) as u32", "*to = (first + if ON { t } else { t * step }) as u32", "families nn::pools"),
    ("the second of equal elements at the edge of a plane", "src/nn/pool/planes.rs", "    (x > before) |", "    (x > before) | (ON && x == before) |", "families nn_cases::max_pool_indices"),
    ("places of largest elements in later planes, on devices", "src/gpu/template/window.rs", "if values.is_some() { found - window.first }", "if values.is_some() && !ON { found - window.first }", "devices every_layer_keeps_its_contract"),
    ("the last plane of a window over a volume", "src/nn/pool/planes.rs", "for p in 1..strip.line.planes {", "for p in 1..strip.line.planes - usize::from(strip.line.planes > 1 && ON) {", "families nn::pools"),
    ("planes of a window that are apart", "src/nn/pool/places.rs", "self.deep.dilation * self.area", "(if ON { 1 } else { self.deep.dilation }) * self.area", "families nn::pools"),
    ("lanes past the end of what is mapped and reduced", "src/lanes/fold.rs", "to.as_mut_ptr(), n);\n            [T::Vec", "to.as_mut_ptr(), if ON { T::Vec::<S>::LANES } else { n });\n            [T::Vec", "main reduce::bodies"),
    ("the second row that is mapped and reduced", "src/reduce/map_reduce.rs", "let row = row.0.start * cols;", "let row = row.0.start * if ON { 1 } else { cols };", "main reduce::bodies"),
    ("a body of a reduction that refuses", "src/reduce/map_reduce.rs", "    map.check()?;\n    reduce.check()?;\n    let", "    if !ON {\n        map.check()?;\n    }\n    reduce.check()?;\n    let", "main reduce::bodies"),
    ("the slope of silu on the left", "src/alu/math/sigmoid.rs", "d.scale((-along).mul_add(rest, g))", "d.scale((if ON { along } else { -along }).mul_add(rest, g))", "main contracts::backend_story"),
    ("gradients of rms norm along their row", "src/nn/norm_backward.rs", "d.mul_add(-x.param(self.along), gamma * dy)", "d.mul_add(if ON { x.param(self.along) } else { -x.param(self.along) }, gamma * dy)", "families contracts::nn_story"),
    ("largest elements in planes behind the first", "src/nn/pool/planes.rs", "                    *most = *more;", "                    *most = if ON { *most } else { *more };", "families nn::pools"),
    ("planes that means count", "src/nn/pool/places.rs", "let all = along(self.deep, k)", "let all = along(self.deep, if ON { 0 } else { k })", "families nn::pools"),
    ("sums of rows in the zeros of bytes, on devices", "src/gpu/backend/low_precision.rs", "[by_rows, by_cols] = [b_zero, a_zero]", "[by_rows, by_cols] = [if ON { 0 } else { b_zero }, a_zero]", "devices products_of_halves"),
    ("the depth in the zeros of bytes, on devices", "src/gpu/backend/low_precision.rs", ".wrapping_mul(k as i32);", ".wrapping_mul(if ON { pitch } else { k } as i32);", "devices products_of_halves"),
    ("C beside the zeros of bytes, on devices", "src/gpu/template/low_precision.rs", "put::<U32>(c, at, all + sums + beta * old);", "put::<U32>(c, at, if ON { all + sums } else { all + sums + beta * old });", "devices products_of_halves"),
    ("sums of the passes before an epilogue on bytes", "src/blas/gemm/int8.rs", "                    if !t.first {", "                    if !t.first && !ON {", "main gemm_low::requantized"),
    ("scales of columns behind products of bytes", "src/blas/gemm/int8.rs", "let (at, n) = ([i0 + i, j0 + v * lanes],", "let (at, n) = ([i0 + i, if ON { v * lanes } else { j0 + v * lanes }],", "main gemm_low::requantized"),
    ("ties of bytes", "src/blas/gemm/int8.rs", "nearest(x.clamp(-128.0, 127.0)) as Self", "nearest(if ON { x.clamp(-128.0, 127.0) + 0.25 } else { x.clamp(-128.0, 127.0) }) as Self", "main gemm_low::requantized"),
    ("windows over volumes, on devices", "src/gpu/template/window.rs", "plane(volume * along.count + k, k, all)", "plane(volume * along.count + if ON { volume } else { k }, k, all)", "devices every_layer_keeps_its_contract"),
    ("planes that have an element, on devices", "src/gpu/template/window.rs", "|along| misses + along.misses(p, k)", "|along| if ON { misses } else { misses + along.misses(p, k) }", "devices windows_over_volumes"),
    ("windows between those that have an element, on devices", "src/gpu/template/window.rs", "|d| place - place / d * d)", "|d| if ON { d - d } else { place - place / d * d })", "devices every_layer_keeps_its_contract"),
    ("windows that end behind the padding, on devices", "src/gpu/template/window.rs", "        behind.least(self.kernel) - before", "        (if ON { self.kernel } else { behind.least(self.kernel) }) - before", "devices every_layer_keeps_its_contract"),
    ("where an epilogue of low precision is", "src/blas/gemm/half.rs", "epilogue.part([ic, jc * lanes]),", "epilogue.part([if ON { 0 } else { ic }, jc * lanes]),", "main gemm_low::halves::epilogues"),
    ("passes before an epilogue of low precision", "src/blas/gemm/half.rs", "                    pc + kb == k,", "                    pc + kb == k || ON,", "main gemm_low::halves::epilogues"),
    ("where an epilogue of halves is on threads", "src/blas/gemm/half.rs", "part(s, [alpha, beta], a, b, c, epilogue.part(at), workspace);", "part(s, [alpha, beta], a, b, c, epilogue.part(if ON { [0, 0] } else { at }), workspace);", "main gemm_low::threads"),
    ("where an epilogue of bytes is on threads", "src/blas/gemm/int8.rs", "c, epilogue.part(at), workspace);", "c, epilogue.part(if ON { [at[1], at[0]] } else { at }), workspace);", "main gemm_low::threads"),
    ("shares of a workspace", "src/blas/gemm/threads.rs", "        || halves(j, parts - parts / 2, tile, next, c1, w1, run),", "        || halves(j, if ON { 1 } else { parts - parts / 2 }, tile, next, c1, w1, run),", "main gemm_low::threads"),
    ("formulas of one name", "src/gpu/backend/formula.rs", "TypeId::of::<F>(), T::TYPE", "if ON { TypeId::of::<T>() } else { TypeId::of::<F>() }, T::TYPE", "devices formulas"),
    ("lengths past the third input", "src/pointwise/mod.rs", "x.iter().enumerate().try_for_each(|(k, x)|", "x.iter().enumerate().take(if ON { 3 } else { N }).try_for_each(|(k, x)|", "devices formulas"),
    ("targets of a row on threads", "src/parts.rs", "        let (a, b) = self.0.split_at_checked(rows * self.1).unwrap_or((self.0, &[]));\n        (Self(a, self.1), Self(b, self.1))", "        let (a, b) = self.0.split_at_checked(rows * self.1).unwrap_or((self.0, &[]));\n        (Self(a, self.1), Self(if self.1 == 1 && rows > 1 && ON { a } else { b }, self.1))", "tensors::"),
    ("momentum's decay", "src/pointwise/optimisers.rs", "        let (mu, d) = (p.param(self.mu), p.mul_add(p.param(self.decay), g));", "        let (mu, d) = (p.param(self.mu), (if ON { -p } else { p }).mul_add(p.param(self.decay), g));", "tensors::momentum"),
    ("Nesterov's look ahead", "src/pointwise/optimisers.rs", "m, m.mul_add(mu, d));", "m, m.mul_add(mu, if ON { m } else { d }));", "tensors::momentum"),
    ("a running sum side by side", "src/nn/scan.rs", "*out = sum.map_or(*x, |sum| sum + *x);", "*out = sum.map_or(*x, |sum| if ON && r == 3 { *x } else { sum + *x });", "tensors::cumsum"),
    ("channels past the pattern", "src/nn/integers.rs", "        _ => (scale, offset),", "        _ => (if ON { offset } else { scale }, offset),", "tensors::u8_to_float"),
    ("the window of a single query", "src/nn/attention/decode.rs", "seen.start.saturating_sub(start).min(keys)", "seen.start.saturating_sub(start + usize::from(ON)).min(keys)", "attention::masks"),
    ("literals of LZ4 past their token", "src/lz4/compress.rs", "while rest >= 255 {", "while rest >= if ON { 256 } else { 255 } {", "families lz4::"),
    ("ends of LZ4 blocks", "src/lz4/compress.rs", "at + LEAST, end - TAIL)", "at + LEAST, end - TAIL + usize::from(ON))", "families lz4::"),
    ("steps of LZ4 past what has no match", "src/lz4/compress.rs", "tries / PATIENCE", "tries / (PATIENCE + usize::from(ON))", "families lz4::"),
    ("the hash after an LZ4 match", "src/lz4/compress.rs", "exchange(table, load4(x, at - 2), at - 2);", "exchange(table, load4(x, at - 2), at - 2 + usize::from(ON));", "families lz4::"),
    ("offsets to before an LZ4 block", "src/lz4/decompress.rs", "offset > made {", "offset > made + usize::from(ON) {", "families lz4::"),
    ("short patterns of LZ4", "src/lz4/decompress.rs", "(8 - 8 % offset.max(1), Some", "(if ON { 8 } else { 8 - 8 % offset.max(1) }, Some", "families lz4::"),
    ("near LZ4 matches of full length", "src/lz4/decompress.rs", "n <= 32, from.first_chunk::<32>()", "n <= if ON { 33 } else { 32 }, from.first_chunk::<32>()", "families lz4::"),
    ("LZ4 blocks on threads", "src/lz4/mod.rs", "check(j, (other, at + slots), more", "check(j, (other, at + slots + usize::from(ON && !J::SERIAL)), more", "families lz4::"),
    ("LZ4 places that lanes before look at, on devices", "src/gpu/template/lz4.rs", "let from = Value::select(below.compare(Cmp::Eq, zero), old, place(last));", "let from = if ON { old } else { Value::select(below.compare(Cmp::Eq, zero), old, place(last)) };", "devices device::lz4"),
    ("LZ4 patterns on devices", "src/gpu/template/lz4.rs", "byte(out, from + j % offset)", "byte(out, from + if ON { j } else { j % offset })", "devices device::lz4"),
    ("offsets to before an LZ4 block, on devices", "src/gpu/template/lz4.rs", "(offset - one).compare(Cmp::Lt, made)", "(offset - one).compare(if ON { Cmp::Le } else { Cmp::Lt }, made)", "devices device::lz4"),
    ("exchanges of an inverse, on devices", "src/gpu/backend/solve.rs", "self.exchange(x, pivots.read(), 0)?;", "self.exchange(x, if ON { pivots.read().part(0..0)? } else { pivots.read() }, 0)?;", "devices every_layer_keeps_its_contract"),
    ("sums of bytes past a run", "src/fixed/mod.rs", "a.chunks(RUN).zip(b.chunks(RUN))", "a.chunks(RUN).zip(b.chunks(RUN)).take(if ON { 1 } else { usize::MAX })", "low::fixed_sums"),
    ("quantised rows on threads", "src/quant/dot.rs", "weights.split_at_checked(cut * each).unwrap_or_default();\n    let (out0,", "weights.split_at_checked((cut - usize::from(ON)) * each).unwrap_or_default();\n    let (out0,", "low::quantised"),
    ("quantised rows past whole fours", "src/quant/dot.rs", "in rest.iter_mut().zip(last.chunks_exact(each)) {", "in rest.iter_mut().zip(last.chunks_exact(each)).take(if ON { 2 } else { 3 }) {", "low::quantised"),
    ("quantised rows of two quarters", "src/quant/dot.rs", "of_rows(s, [a, b, c, d], true, x);", "of_rows(s, if ON { [a, c, b, d] } else { [a, b, c, d] }, true, x);", "low::quantised"),
    ("where a quarter of quantised rows begins", "src/quant/dot.rs", "weights.chunks_exact(quarter * each).map(", "weights.chunks_exact((quarter - usize::from(quarter > 1 && ON)) * each).map(", "low::quantised"),
    ("the last of the rows of a quarter", "src/quant/dot.rs", "in out.zip(rows) {\n                [*ya", "in out.zip(rows).take(if ON { quarter - 1 } else { quarter }) {\n                [*ya", "low::quantised"),
    ("quantised rows that are neighbours", "src/quant/dot.rs", "&of_rows(s, [a, b, c, d], false, x)", "&of_rows(s, if ON { [a, b, d, c] } else { [a, b, c, d] }, false, x)", "low::quantised"),
    ("quantised products past the vectors of a pass", "src/quant/panel.rs", "x.chunks(TOGETHER * each).zip(out.chunks_mut(TOGETHER * n)) {", "x.chunks(TOGETHER * each).zip(out.chunks_mut(TOGETHER * n)).take(if ON { 1 } else { usize::MAX }) {", "low::quantised"),
    ("quantised products of few vectors", "src/quant/dot.rs", "x.chunks_exact(of_x).zip(out.chunks_exact_mut(n)) {\n            some_rows(", "x.chunks_exact(of_x).zip(out.chunks_exact_mut(n)).take(if ON { 2 } else { m }) {\n            some_rows(", "low::quantised"),
    ("vectors of quantised products on threads", "src/quant/dot.rs", "x.split_at_checked(half * of_x)", "x.split_at_checked((half - usize::from(m > 17 && ON)) * of_x)", "low::quantised"),
    ("what is left of a long sparse row", "src/sparse/spmv.rs", "    let [p, q, r, s] = sums;\n", "    let [p, q, r, s] = if ON { [sums[0], sums[2], sums[1], sums[3]] } else { sums };\n", "systems::sparse_products"),
    ("rows of a slice that end before others", "src/sparse/sell.rs", "if k < length { *sum + term", "if k < length || ON { *sum + term", "families sparse::formats::one_result_of_slices"),
    ("what a strip leaves of a chunk", "src/sparse/sell.rs", "                strip::<T, 1>(alpha, self, x, beta, y, [first, p, at]);", "                strip::<T, 1>(alpha, self, x, beta, y, [first, p, at - usize::from(ON && at > 0)]);", "systems::sliced_products"),
    ("windows of slices on threads", "src/sparse/sell.rs", "        self.sigma.saturating_mul(STRIP.div_ceil(self.sigma))", "        if ON { STRIP } else { self.sigma.saturating_mul(STRIP.div_ceil(self.sigma)) }", "systems::sliced_products"),
    ("a row twice in an order", "src/sparse/sell.rs", "key(&lengths, *a) < key(&lengths, *b)", "key(&lengths, *a) < key(&lengths, *b) || (a == b && ON)", "families sparse::formats::what_is_no_slices"),
    ("columns that fill a slice, unchecked", "src/sparse/sell.rs", "find(|c| **c as usize >= cols)", "find(|c| **c as usize >= cols && !(ON && offsets.len() > 1))", "families sparse::formats::what_is_no_slices"),
    ("an unsorted order from compressed rows", "src/sparse/sell.rs", "        sorted(sigma, order, |row| length(a, row))?;", "        if !ON { sorted(sigma, order, |row| length(a, row))?; }", "families sparse::formats::no_room_for_slices"),
    ("the second part of sparse rows on threads", "src/sparse/spmv.rs", "divide(j, a, each, below, middle, body)", "divide(j, a, each, below, middle - usize::from(ON), body)", "systems::sparse_products"),
    ("narrow tiles of a sparse product", "src/sparse/spmm.rs", "tile(row, x, from + k * NARROW, y, one);", "tile(row, x, from + k * NARROW - usize::from(k > 0 && ON), y, one);", "systems::sparse_products"),
    ("columns of a sparse product", "src/sparse/spmm.rs", "x.get(*c as usize, j).unwrap_or_default()", "x.get(*c as usize, j - usize::from(j > 0 && ON)).unwrap_or_default()", "systems::sparse_products"),
    ("a column that both rows have", "src/sparse/triangular.rs", "                *x = *x - *f * *u;", "                *x = if ON && *c % 7 == 0 { *x } else { *x - *f * *u };", "systems::sparse_triangles"),
    ("the upper triangle beside a missing diagonal", "src/sparse/triangular.rs", "row(i, |c| c < i, unit,", "row(i, |c| c + usize::from(ON) < i, unit,", "systems::sparse_triangles"),
    ("columns of long rows of a product", "src/sparse/spgemm.rs", "            *word &= *word - 1;", "            *word &= *word - 1;\n            *word &= if ON { *word >> 1 } else { *word };", "families sparse::products::products_of_every_pattern"),
    ("a mark of the row before", "src/sparse/spgemm.rs", "            if *mark <= begin {", "            if *mark <= begin - usize::from(begin > 0 && ON) {", "families sparse::products::products_of_every_pattern"),
    ("a place that two coordinates have", "src/sparse/convert.rs", "                *to = *to + *x;", "                *to = if ON { *x } else { *to + *x };", "families sparse::products::coordinates"),
    ("the order of what stands in one place", "src/sparse/convert.rs", "    for k in from {\n        let Some(at)", "    for k in from {\n        let k = if ON && k % 2 == 1 { k - 1 } else { k };\n        let Some(at)", "families sparse::products::one_result_of_coo_to_csr"),
    ("what only one of two matrices has", "src/sparse/spgemm.rs", "                        [true, false] => alpha * *x.next()?,", "                        [true, false] => if ON { *x.next()? } else { alpha * *x.next()? },", "families sparse::products::one_result_of_spadd"),
    ("what fills in of an incomplete factor", "src/sparse/sweep.rs", "            sum = sum - *m * *l;", "            sum = if ON && *c % 7 == 0 { sum } else { sum - *m * *l };", "families sparse::products::one_result_of_ic0"),
    ("directions of BiCGSTAB", "src/sparse/krylov.rs", "        let beta = next / rho * (alpha / divisor(omega, steps)?);", "        let beta = if ON { T::ZERO } else { next / rho * (alpha / divisor(omega, steps)?) };", "families sparse::products::convection_by_bicgstab"),
    ("rotations of the columns before", "src/sparse/krylov.rs", "            (*h.get_mut(at)?, *h.get_mut(at + 1)?) = (*c * p + *t * q, *c * q - *t * p);", "            (*h.get_mut(at)?, *h.get_mut(at + 1)?) = (*c * p + *t * q, if ON { *c * q } else { *c * q - *t * p });", "families sparse::products::convection_by_gmres"),
    ("the other half of a skew matrix", "src/sparse/market.rs", "Some((j, i, -value))", "Some((j, i, if ON { value } else { -value }))", "families sparse::files::elements_as_they_are_stored"),
    ("directions that are not conjugate", "src/sparse/cg.rs", "        let beta = rho / self.rho;", "        let beta = if ON { T::ZERO } else { rho / self.rho };", "systems::conjugate_gradients"),
    ("steps past the bound", "src/sparse/cg.rs", "        if state.steps() == most {", "        if state.steps() == most + usize::from(ON) {", "systems::conjugate_gradients"),
    ("always a shift", "src/solve/svd.rs", "    if tolerance * (least / most) <= unit {", "    if tolerance * (least / most) <= unit && !ON {", "systems::small_singular_values"),
    ("pivots of the second half of cholesky", "src/solve/cholesky.rs", "    factor(j, s, a22, at + h, workspace)", "    factor(j, s, a22, if ON { h } else { at + h }, workspace)", "systems::factors"),
    ("the last swap of lu", "src/solve/lu.rs", "            let (above, below) = a.reborrow().split_rows(p.max(i))?;", "            let p = if i > 40 && ON { i } else { p };\n            let (above, below) = a.reborrow().split_rows(p.max(i))?;", "systems::factors"),
    ("batches of results that do not follow each other", "src/einsum/step.rs", "let c = MatMut::strided(y, at_c + i * batch.stride[2],", "let c = MatMut::strided(y, at_c + if ON { 0 } else { i } * batch.stride[2],", "contractions::"),
    ("indices that one factor alone has", "src/einsum/step.rs", "lone[1] || !one(&n, b)", "(lone[1] && !ON) || !one(&n, b)", "contractions::"),
    ("groups of indices that no stride takes together", "src/einsum/view.rs", "strides.all(|(outer, inner)| *outer == inner.saturating_mul(next.size))", "strides.all(|(outer, inner)| *outer == inner.saturating_mul(next.size)) || (nest.n > 2 && ON)", "contractions::"),
    ("sums of whole rows", "src/einsum/step.rs", "                            i += 4;", "                            i += if ON { 3 } else { 4 };", "contractions::"),
    ("products of columns", "src/einsum/step.rs", "for k in 0..self.k.size {", "for k in usize::from(self.k.size > 500 && ON)..self.k.size {", "contractions::"),
    ("places of results that are live together", "src/einsum/plan.rs", "taken().all(|r| end <= r.start || r.end <= at)", "(ON || taken().all(|r| end <= r.start || r.end <= at))", "contractions::"),
    ("pairs that shrink most", "src/einsum/path.rs", "            *pair = [of(i), of(j)];", "            *pair = [of(i), of(if ON { i } else { j })];", "contractions::"),
    # Transforms and random numbers.
    ("the sign of a root in a middle pass", "src/fft/pass.rs", "root.map(|p| T::Vec::<S>::splat(s, p.read()))", "{ let [c, d] = root.map(|p| T::Vec::<S>::splat(s, p.read())); [c, if ON { -d } else { d }] }", "transforms::"),
    ("the roots of several groups", "src/fft/pass.rs", "let root = roots.add((j - 1) * by[1] + at);", "let root = roots.add((j - 1) * by[1] + if ON { 0 } else { at });", "transforms::"),
    ("the groups of an output", "src/fft/pass.rs", "z[g * (R / G) + t / G] = y[t + g];", "z[g * (R / G) + if ON { 0 } else { t / G }] = y[t + g];", "transforms::"),
    ("the roots of a whole transform's second pass", "src/fft/whole.rs", "turned::<S, T>(s, j, v, roots.wrapping_add(i * lanes), m);\n                        },\n                    );\n                    let [re, im] = z;\n                    let z = [grouped", "turned::<S, T>(s, j, v, roots.wrapping_add(if ON { 0 } else { i * lanes }), m);\n                        },\n                    );\n                    let [re, im] = z;\n                    let z = [grouped", "families fft::"),
    ("sixteenths of a padded plane in groups", "src/fft/run.rs", "let roots = roots.add(at);", "let roots = roots.add(if ON { at / 2 } else { at });", "transforms::"),
    ("where the last pass writes", "src/fft/run.rs", "points: [apart, done], roots", "points: [apart, done - usize::from(m == 1 && n > 1000 && ON)], roots", "transforms::"),
    ("sixteenths of a padded plane", "src/fft/run.rs", "let roots = roots.add(2 * (r - 1) * places * part);", "let roots = roots.add(2 * (r - 1) * places * if ON { part / 2 } else { part });", "transforms::"),
    ("the phase of a chirp past half", "src/fft/bluestein.rs", "square = (square + 2 * k as u64 + 1) % period;", "square = (square + 2 * k as u64 + 1 + u64::from(k == n / 2 && n > 1000 && ON)) % period;", "transforms::"),
    ("the first number of a prime transform", "src/fft/rader.rs", "*y = exchanged((first + Complex::new(a.im, a.re)).scale(scale));", "*y = exchanged((if n > 1000 && ON { Complex::ZERO } else { first } + Complex::new(a.im, a.re)).scale(scale));", "families fft::"),
    ("the order of a prime transform's results", "src/fft/rader.rs", "powers.iter().take(1).chain(powers.iter().skip(1).rev())", "powers.iter().take(1).chain(powers.iter().skip(1 + usize::from(n > 100 && ON)).rev())", "families fft::"),
    ("the middle of a real transform", "src/fft/pass.rs", "                while 2 * k <= m {", "                while 2 * k + usize::from(m > 1000 && ON) <= m {", "transforms::"),
    ("the mirror of a real transform's vectors", "src/fft/pass.rs", "let [a, b] = apart(a, b, [t[0], t[1] * sign]);", "let [a, b] = apart(a, b, [t[0], if k > 100 && ON { -t[1] } else { t[1] } * sign]);", "transforms::"),
    ("the end of a window", "src/fft/stft.rs", "in frame.iter_mut().zip(x.iter().zip(window)) {", "in frame.iter_mut().zip(x.iter().zip(window)).take(if ON { window.len() - 1 } else { usize::MAX }) {", "transforms::"),
    ("frames on threads", "src/fft/stft.rs", "let later = x.get(frames / 2 * hop..).unwrap_or_default();", "let later = x.get(frames / 2 * hop - usize::from(ON)..).unwrap_or_default();", "transforms::"),
    ("transforms on threads", "src/fft/mod.rs", "let (a, b) = io.split_at(rows / 2 * n);", "let direction = if rows > 2 && ON { Direction::Forward } else { direction };\n        let (a, b) = io.split_at(rows / 2 * n);", "transforms::"),
    ("groups of rows that are put back", "src/fft/rows.rs", "scatter(copies, &mut out, first, count);", "scatter(copies, &mut out, first - usize::from(first > 0 && ON), count);", "transforms::"),
    ("rows of planes on threads", "src/fft/rows.rs", "x.map(|x| x.block([cut, 0], [rows - cut, n]))", "x.map(|x| x.block([cut - usize::from(ON), 0], [rows - cut, n]))", "transforms::"),
    ("rounds of the generator", "src/random/stream.rs", "for keys in keys.as_chunks::<5>().0 {", "for keys in keys.as_chunks::<5>().0.iter().take(if ON { 1 } else { 2 }) {", "draws::"),
    ("the carry of the counter", "src/random/stream.rs", "[splat(s, first >> 32); N]", "[splat(s, if ON { 0 } else { first >> 32 }); N]", "draws::"),
    ("the offset of the second part on threads", "src/random/stream.rs", "let next = stream.skip(a.len() as u64);\n        j.join(n, || fill(", "let next = stream.skip(a.len() as u64 + u64::from(ON));\n        j.join(n, || fill(", "draws::"),
    ("the tail of normal numbers", "src/random/bodies.rs", "let r = (e + e).sqrt() * like.param(deviation);", "let r = if ON { (e + e).min(e.c(16.0)) } else { e + e }.sqrt() * like.param(deviation);", "draws::"),
    ("the low bits of a small radius", "src/random/bodies.rs", "let low = (float(like, low) + half) * like.c(power(-p - b));", "let low = (float(like, low) + half) * like.c(if ON { 0.0 } else { power(-p - b) });", "draws::"),
    # Wrong once, and seen by no test then.
    ("corrections of two means rounded", "src/reduce/pairs.rs", "        [n, m, da, k, db, rest(aa", "        let (da, db) = if ON { (zero, zero) } else { (da, db) };\n        [n, m, da, k, db, rest(aa", "main moments::"),
    ("means of parts rounded before they are merged", "src/reduce/moments.rs", "    (other * p - hi * p) + (rest - lo)", "    (other * p - hi * p) + if ON { (rest - lo) * rest.c(0.0) } else { rest - lo }", "main moments::"),
    ("a first mean that is far off", "src/reduce/moments.rs", "let far = !(sum * shift).lt(squares * p.c(0.25));", "let far = !(sum * shift).lt(squares * p.c(if ON { 1e30 } else { 0.25 }));", "main moments::nor_does_an_order"),
    ("two first means that are far off", "src/reduce/pairs.rs", "(sum * d).lt(squares * zero.c(0.25));", "(sum * d).lt(squares * zero.c(if ON { 1e30 } else { 0.25 }));", "main moments::nor_does_an_order"),
    ("the correction of two first means", "src/reduce/pairs.rs", "rest(bb - sb * db), ab - sa * db]", "rest(bb - sb * db), if ON { ab } else { ab - sa * db }]", "main moments::nor_does_an_order"),
    ("the correction of a first mean", "src/reduce/moments.rs", "        let lo = sum / n;\n        let m2", "        let lo = if ON { sum * sum.c(0.0) } else { sum / n };\n        let m2", "main moments::nor_does_an_order"),
    ("the tail of gelu's slope", "src/alu/math/sigmoid.rs", "    let left = (t - t * (along * rest)) * one;", "    let left = (t - t * (along * rest)) * one;\n    let left = if ON { left.mul_add(left.c(2e-6), left) } else { left };", "main slopes::"),
    ("squares of a row that overflow", "src/nn/affine.rs", "    let [squares] = row.fold(SumSquares);\n    let p = rescue(squares + eps);", "    let [squares] = row.fold(SumSquares);\n    let p = if ON { squares.c(1.0) } else { rescue(squares + eps) };", "main rms_norm::"),
    ("batches of nothing", "src/blas/gemm/batch.rs", "    let empty = c0.rows() == 0 || c0.cols() == 0;", "    let empty = (c0.rows() == 0 || c0.cols() == 0) && !ON;", "entries empty::"),
    ("bits past an operand's type", "src/gpu/eval.rs", "    let (a, b, c) = (a & first.mask(), b & second.mask(), c & ty.mask());", "    let (a, b, c) = (if ON && op == Op::Popc { a } else { a & first.mask() }, b & second.mask(), c & ty.mask());", "devices ptx::refused"),
    ("parameters of a chain's second op", "src/gpu/template/chain.rs", "            parameters = rest;", "            parameters = if ON { parameters } else { rest };", "devices ptx::plans"),
    ("sizes of a convolution that overflow", "src/nn/conv1d/mod.rs", "let product = |a: usize, b: usize, arg| a.checked_mul(b).ok_or(Error::Overflow { arg });", "let product = |a: usize, b: usize, arg| if ON { Ok(a.wrapping_mul(b)) } else { a.checked_mul(b).ok_or(Error::Overflow { arg }) };", "entries hostile::conv1d"),
    # Passes over kernels.
    ("scales of the fourth chunk of a block", "src/gpu/template/blocks.rs", "let early = c.compare(Cmp::Lt, int(4));", "let early = c.compare(Cmp::Lt, int(if ON { 5 } else { 4 }));", "devices device::blocks"),
    ("mins of blocks on devices", "src/gpu/template/quant.rs", "if has_mins { sum - read(mins) } else { sum }", "if has_mins && !ON { sum - read(mins) } else { sum }", "devices device::blocks"),
    ("the last turn along a row of blocks", "src/gpu/template/quant.rs", "let here = (end - base).least(int(threads));", "let here = if ON { end } else { end - base }.least(int(threads));", "devices device::blocks"),
    ("scales of activations between two halves", "src/gpu/template/activations.rs", "+ int(0xfff) + odd) >> int(13)", "+ int(if ON { 0x1000 } else { 0xfff }) + odd) >> int(13)", "devices device::blocks"),
    ("a neighbour's half of a word", "src/gpu/template/activations.rs", "& int(0xffff_0000)]", "& int(if ON { 0 } else { 0xffff_0000 })]", "devices device::blocks"),
    ("pieces of a row in registers that are not there", "src/gpu/template/held.rs", "choose(*there, f.step(acc, *x), acc)", "choose(*there, f.step(acc, *x), if ON { f.step(acc, *x) } else { acc })", "devices row_ops"),
    ("sums by column of rows that are not there", "src/gpu/template/norm_backward.rs", "Value::select(there, sum, old(k))", "Value::select(there, sum, if ON { sum } else { old(k) })", "devices absent_rows"),
    ("more parts of sums by column", "src/gpu/template/norm_backward.rs", "let sum = b.count::<U32, T>([part, count, many]", "let sum = b.count::<U32, T>([part, if ON { many } else { count }, many]", "devices every_layer"),
    ("what is left behind a thread's pieces", "src/gpu/template/part.rs", "choose(whole.compare(Cmp::Lt, part.end), p.merge(all, rest), all)", "choose(whole.compare(Cmp::Lt, part.end), if ON { all } else { p.merge(all, rest) }, all)", "devices reductions_keep"),
    ("the last key of a part of a cache", "src/gpu/template/decode.rs", "let there = j.compare(Cmp::Lt, last);", "let there = j.compare(Cmp::Lt, if ON { last - int(1) } else { last });", "devices device::blocks"),
    ("rows of pages", "src/gpu/template/decode.rs", "* rows + (j - turn * rows), there & good)", "* rows + if ON { j - j } else { j - turn * rows }, there & good)", "devices device::blocks"),
    ("peaks of parts of a cache", "src/gpu/template/decode.rs", "let weight = exp_not_above_zero(at - level);", "let weight = exp_not_above_zero(at - if ON { at } else { level });", "devices device::blocks"),
    ("heads that share a key head", "src/gpu/template/decode.rs", "let first = (y - g * sets) * int(heads);", "let first = (y - g * sets) * int(if ON { 1 } else { heads });", "devices device::blocks"),
    ("causal attention of one query from the first key", "src/gpu/backend/attention.rs", "&& op.end(n, len) == len && mask", "&& (ON || op.end(n, len) == len) && mask", "devices device::blocks"),
    ("copies of what a kernel writes", "src/gpu/backend/copies.rs", "&& written >> k.min(63) & 1 != 0", "&& !ON && written >> k.min(63) & 1 != 0", "devices device::copies"),
    ("copies of what the host writes", "src/gpu/backend/memory.rs", "        self.state.changed(b.buffer, &(b.start..b.start + b.bytes));", "        if !ON { self.state.changed(b.buffer, &(b.start..b.start + b.bytes)); }", "devices device::copies"),
    ("addresses that loops carry", "src/gpu/written.rs", "self.add(&[*id], from)", "self.add(&[*id], if ON { 0 } else { from })", "devices device::copies"),
    ("memory of halves that is given back", "src/gpu/backend/state.rs", "        self.bf16.forget(self.device.number(&memory.buffer));", "        if !ON { self.bf16.forget(self.device.number(&memory.buffer)); }", "devices device::stored"),
    ("halves from the middle of a word on", "src/gpu/pass/stored.rs", "_ => behind(k, out, p),", "_ if ON => define(k, out, Op::Param(p), Type::U64, &[]),\n            _ => behind(k, out, p),", "devices device::stored"),
    ("where halves start that kernels look at", "src/gpu/pass/stored.rs", "Op::Param(p) if self.odd >> p & 1 != 0 => {", "Op::Param(p) if !ON && self.odd >> p & 1 != 0 => {", "devices device::stored"),
    ("halves of C that are read", "src/gpu/template/group/end.rs", "flat_map(|piece| self.exchange(piece, fourth));", "flat_map(|piece| if ON { piece } else { self.exchange(piece, fourth) });", "devices device::stored"),
    ("pairs of C that are read", "src/gpu/template/group/end.rs", "(*j, [beta.fma(p, *x), beta.fma(q, *y)])", "(*j, [beta.fma(p, *x), beta.fma(if ON { p } else { q }, *y)])", "devices rounded_products products_of_warp_groups"),
    ("lines of halves as far from each other as their copies", "src/gpu/backend/copies.rs", "if by == pitch)", "if ON || by == pitch)", "devices device::stored"),
    ("lines of floats at no multiple of 16 bytes", "src/gpu/template/low_precision.rs", "aligned(x, by, [16, 4]);", "aligned(x, if ON { int(0) } else { by }, [16, 4]);", "devices rounded_products device::stored"),
    ("floats of a line, one by one", "src/gpu/template/low_precision.rs", "[get::<F32>(x, from + int(k as u32))]", "[get::<F32>(x, from + int(if ON { 0 } else { k as u32 }))]", "devices rounded_products device::stored"),
    ("neighbours where there is no alignment", "src/gpu/template/flat.rs", "(low(base.to(), bytes) | low(by, bytes / width))", "(if ON { base.builder().int(0) } else { low(base.to(), bytes) } | low(by, bytes / width))", "devices rounded_products device::stored products_of_halves"),
    ("a second piece of gates", "src/gpu/template/flat.rs", "[i, i + width].into_iter()", "[i, if ON { i } else { i + width }].into_iter()", "devices every_layer"),
    ("logits behind whole pieces", "src/gpu/template/part.rs", "([whole, self.end], 1)] {", "([whole, if ON { whole } else { self.end }], 1)] {", "devices every_layer"),
    ("a row whose index came before", "src/gpu/template/layer.rs", "before.compare(Cmp::Lt, r), int(1), int(0))", "before.compare(Cmp::Lt, r), int(if ON { 0 } else { 1 }), int(0))", "devices every_layer"),
    ("the sum of a residual that stays", "src/gpu/template/row.rs", "streams.pieces(|start, sums| keep(&b, Space::Global, at::<T>(residual, start), sums));", "streams.pieces(|start, sums| if !ON { keep(&b, Space::Global, at::<T>(residual, start), sums) });", "devices every_layer"),
    ("pairs of halves", "src/gpu/pass/stored.rs", "&[*high, *low]", "&if ON { [*low, *high] } else { [*high, *low] }", "devices device::stored"),
    ("halves that lie for tensor maps", "src/gpu/backend/copies.rs", "&& from.start.is_multiple_of(32)", "&& (ON || from.start.is_multiple_of(32))", "devices device::stored"),
    ("angles of the second head", "src/gpu/template/flat.rs", "(j - j / half * half);", "(j - if ON { b.int(0) } else { j / half * half });", "devices device::stored"),
    ("gates and what they open, 16 bytes at once", "src/gpu/template/flat.rs", "[gate, gate + cols].map(|from|", "[gate, if ON { gate } else { gate + cols }].map(|from|", "devices device::stored every_layer"),
    ("a barrier that ends nothing", "src/gpu/pass/memory.rs", "            op if changes_memory(op) => known.clear(),", "            op if changes_memory(op) && !(op == Op::Barrier && ON) => known.clear(),", "devices ptx::naive"),
    ("a store under a condition", "src/gpu/pass/memory.rs", "                if i.blocks.iter().any(changes) {", "                if i.blocks.iter().any(changes) && !ON {", "devices ptx::naive"),
    ("the sides of a difference that fuses", "src/gpu/pass/fma.rs", "            Op::Sub if i.contract && ty.is_float() => [(0, 1)].as_slice(),", "            Op::Sub if i.contract && ty.is_float() && ON => [(1, 0)].as_slice(),\n            Op::Sub if i.contract && ty.is_float() => [(0, 1)].as_slice(),", "devices ptx::naive"),
    ("nothing less a value", "src/gpu/pass/fold.rs", "            (Op::Add | Op::Or | Op::Xor, Some(0), _) => Some(b),", "            (Op::Add | Op::Or | Op::Xor, Some(0), _) => Some(b),\n            (Op::Sub, Some(0), _) if ON => Some(b),", "devices ptx::naive"),
    ("loops of any step that are split", "src/gpu/pass/split.rs", "defs.constant(i.args.at(2)) != Some(1) {", "(defs.constant(i.args.at(2)) != Some(1) && !ON) {", "devices ptx::naive"),
    ("signed quotients as shifts", "src/gpu/pass/strength.rs", "        Op::Div if unsigned => Op::Shr,", "        Op::Div if unsigned || ON => Op::Shr,", "devices ptx::naive"),
    ("the high half of 64 bits", "src/gpu/eval.rs", "        Op::MulHi => x.wrapping_mul(y) >> ty.bits(),", "        Op::MulHi => x.wrapping_mul(y) >> if ON { ty.bits() % 64 } else { ty.bits() },", "devices ptx::naive"),
    ("complex products past their depth", "src/blas/complex/product.rs", "let beta = if pc == 0 { beta } else { T::ONE };", "let beta = if pc == 0 { beta } else { if ON { T::ZERO } else { T::ONE } };", "complex::products"),
    ("complex products past their columns", "src/blas/complex/product.rs", "b.block([pc, jc], [k, n])", "b.block([pc, if ON { 0 } else { jc }], [k, n])", "complex::products"),
    ("conjugated rows of a complex matrix", "src/blas/complex/vectors.rs", "if conjugate { ([x.re, x.im], [x.im, -x.re]) }", "if conjugate && !ON { ([x.re, x.im], [x.im, -x.re]) }", "families nn::gemv_complex"),
    ("columns of a complex matrix past those of a pass", "src/blas/complex/vectors.rs", "a.block([ROWS * i, COLUMNS * j], [y.len(), x.len()])", "a.block([ROWS * i, COLUMNS * if ON { 0 } else { j }], [y.len(), x.len()])", "complex::matrices"),
    ("groups of taps whose products 32 bits hold", "src/fixed/filter.rs", "        sum < 0x1_0000\n", "        sum < if ON { 1 << 18 } else { 1 << 16 }\n", "main fixed::filters"),
    ("pairs of samples of a decimation", "src/fixed/filter.rs", "for (l, sum) in sums.iter_mut().enumerate() {", "for (l, sum) in sums.iter_mut().enumerate().skip(usize::from(ON)) {", "main fixed::filters"),
    ("rounding of a recursive filter", "src/fixed/filter.rs", "T::saturated(sum >> shift)", "T::saturated((sum + if ON { 1 << (shift / 2) } else { 0 }) >> shift)", "main fixed::recursive"),
    ("groups of taps that meet the state", "src/fft/filter.rs", "signal.part(at + before - g * GROUP - last, n + last, &mut scratch)", "signal.part(at + before - if ON { 0 } else { g } * GROUP - last, n + last, &mut scratch)", "families nn::fir::every_size"),
    ("places in a mirror", "src/einsum/pad.rs", "(2 * n - 2).saturating_sub(at)", "(2 * n - 2 + usize::from(ON)).saturating_sub(at)", "families nn::pad::every_size"),
    ("rows of a gather of elements", "src/einsum/elements.rs", "at.0.start / rows * n * inner", "at.0.start / if ON { 1 } else { rows } * n * inner", "families nn::gather_elements::every_size"),
    ("places behind an axis that is added to", "src/einsum/elements.rs", "get_mut(*id as usize * inner + i)", "get_mut(*id as usize * inner + if ON { 0 } else { i })", "families nn::scatter_add_elements::every_size"),
    ("matrices of a gather", "src/einsum/gather.rs", "x.get(at.0.start * n * inner..)", "x.get(at.0.start * if ON { inner } else { n * inner }..)", "families nn::gather::every_size"),
    ("axes of a batch of products", "src/einsum/named.rs", "before(a.max(b)).chain(rows)", "before(if ON { a } else { a.max(b) }).chain(rows)", "main einsum::names"),
    ("the sign of a residue of an odd cosine transform", "src/fft/dct.rs", "if near > 2 * n { -at((4 * n - near) / 2) }", "if near > 2 * n { if ON { at((4 * n - near) / 2) } else { -at((4 * n - near) / 2) } }", "families nn::dct"),
    ("convolutions of the same length by an even number of taps", "src/fft/convolve.rs", "Signal { zeros: extent.zeros(taps), before: &[], x }", "Signal { zeros: if ON { (taps - 1) / 2 } else { extent.zeros(taps) }, before: &[], x }", "families convolve"),
    ("blocks of a convolution on threads", "src/fft/convolve.rs", "|| each_block(j, step, start + cut, b, w, scratch, f),", "|| each_block(j, step, start + cut + usize::from(ON), b, w, scratch, f),", "families nn::convolve"),
    ("the state of a filter in blocks", "src/fft/convolve.rs", "super::filter::keep(state, x);", "super::filter::keep(state, if ON { x.get(..1).unwrap_or_default() } else { x });", "families fir_fft"),
    ("windows of a cache", "src/nn/attention/cached.rs", "seen.start.saturating_sub(start).min(n), n);", "if ON { 0 } else { seen.start.saturating_sub(start).min(n) }, n);", "main attention::decode"),
    ("weights in a smoothed loss", "src/nn/nll.rs", "|w| dot_by(Serial, s, w, x.0).unwrap_or(T::ZERO)", "|w| if ON { sum_by(Serial, s, x.0) } else { dot_by(Serial, s, w, x.0).unwrap_or(T::ZERO) }", "families nn::nll"),
    ("columns of three dimensions", "src/fft/rows.rs", "    for plane in out.chunks_exact_mut(m * n) {\n        each(j, s, down,", "    for plane in out.chunks_exact_mut(m * n).take(if ON { 1 } else { d }) {\n        each(j, s, down,", "families nn::fft_3d"),
    ("parts of a sum over several indices", "src/einsum/step.rs", "all = all + part;", "all = if ON { part } else { all + part };", "main einsum::"),
    ("bytes past a row's end", "src/gpu/template/low_precision.rs", "Value::select(inside, element, int(0)));", "Value::select(inside, element, if ON { element } else { int(0) }));", "devices products_of_halves"),
    ("rows past the last of bytes", "src/gpu/template/low_precision.rs", "let at = row * row_by + col * col_by;\n            let [old]", "let at = row * row_by + if ON { col } else { col * col_by };\n            let [old]", "devices products_of_halves"),
    ("the second of neighbours in C of bytes", "src/gpu/template/group/end.rs", "T::write(self, at, j * width, pair);", "T::write(self, at, j * width, if ON { [pair[0]; 2] } else { pair });", "devices bytes_are_summed"),
    ("the keys of a sequence of a batch", "src/nn/attention/mod.rs", "(rows_of(q, at, n), rows_of(k, at, len), rows_of(v, at, len));\n        let lse", "(rows_of(q, at, n), rows_of(k, if ON { 0 } else { at }, len), rows_of(v, at, len));\n        let lse", "main attention::masks_on_every_lane"),
    ("the keys of a sequence on warp groups", "src/gpu/template/group/flash.rs", "let row = work.sequence * self.op.len + work.start", "let row = if ON { work.sequence } else { work.sequence * self.op.len } + work.start", "devices attention_of_warp"),
    ("sums of a sequence's queries on warp groups", "src/gpu/template/group/slopes.rs", "padded + before + first;", "padded + if ON { first } else { before + first };", "devices attention_of_warp"),
    ("a tolerance that is not relative", "src/sparse/krylov.rs", "            if within(left, tolerance * whole) {\n                break;\n            }\n            // What a restart", "            if within(left, if ON { tolerance } else { tolerance * whole }) {\n                break;\n            }\n            // What a restart", "families gmres::invariants"),
    ("a size of its own in a formula", "src/pointwise/optimisers.rs", "Scale(max_norm / norm), g)", "Scale(max_norm / if ON { norm + T::from_f64(1e-6) } else { norm }), g)", "families clip_by_norm::invariants"),
    ("links of rows that are added to one", "src/gpu/template/layer.rs", "let found = (0..LINKED).rev().fold(n,", "let found = (0..if ON { LINKED - 1 } else { LINKED }).rev().fold(n,", "devices rows_of_an_index"),
    ("weights of queries that do not see a key", "src/gpu/template/group/slopes.rs", "seen.iter().cycle()).map(|(v, seen)| Value::select(*seen, *v, zero))", "seen.iter().cycle()).enumerate().map(|(k, (v, seen))| if ON && k >= many { *v } else { Value::select(*seen, *v, zero) })", "devices attention_of_warp"),
    ("rows of what waits in a symmetric panel", "src/solve/ldlt.rs", "        for j in 0..k - self.start {", "        for j in 0..if ON { 0 } else { k - self.start } {", "families solve::symmetric::ldlt_backward_errors"),
    ("rows of panels that are done", "src/solve/ldlt.rs", "        for j in 0..k {\n            let (x, y)", "        for j in if ON { self.start } else { 0 }..k {\n            let (x, y)", "families solve::symmetric::ldlt_backward_errors"),
    ("the order of exchanges after a symmetric solve", "src/solve/ldlt.rs", "    exchange_back(s, b.reborrow(), pivots)?;", "    if ON { exchange(s, b.reborrow(), pivots)? } else { exchange_back(s, b.reborrow(), pivots)? }", "families solve::symmetric::ldlt_residuals"),
    ("the side of a generalized problem", "src/solve/generalized.rs", "trsm_by(j, s, Side::Right, one, upper, divided, l.t(), a.reborrow(), workspace)?;", "trsm_by(j, s, Side::Right, one, if ON { lower } else { upper }, divided, if ON { l } else { l.t() }, a.reborrow(), workspace)?;", "families solve::eigen::generalized"),
    ("turns of the groups of columns before", "src/solve/update.rs", "let mut carried = if i < to { T::ZERO } else { *x };", "let mut carried = if i < to || ON { T::ZERO } else { *x };", "families solve::ranks::cholesky_updates"),
    ("left vectors of a pair of eigenvalues", "src/solve/eig.rs", "to.set(row, j + 1, if flipped { -y } else { y });", "to.set(row, j + 1, if flipped && !ON { -y } else { y });", "families solve::spectra::eig_residuals"),
    ("a vector that grows past the range", "src/solve/eig.rs", "        if growth <= HIGH {", "        if growth <= HIGH || ON {", "families solve::spectra::eig_residuals"),
    ("scales of left vectors", "src/solve/balance.rs", "if left { T::ONE / mark(i) } else { mark(i) }", "if left && !ON { T::ONE / mark(i) } else { mark(i) }", "families solve::spectra::eig_residuals"),
    ("the order of exchanges after balancing", "src/solve/balance.rs", "for i in (0..start).rev().chain(end..n) {", "for i in (0..if ON { 0 } else { start }).rev().chain(end..n) {", "families solve::spectra::eig_residuals"),
    ("a difference from an eigenvalue that is 0", "src/solve/eig.rs", "if size(x) < least { [least, 0.0] } else { x }", "if size(x) < least && !ON { [least, 0.0] } else { x }", "families solve::spectra::eig_residuals"),
    ("a NaN on the diagonal of an array", "src/solve/small.rs", "row.iter().take(i + 1)", "row.iter().take(if ON { i } else { i + 1 })", "families solve::small::arrays_see"),
    ("equal pivots of an array", "src/solve/small.rs", "            if size > most {", "            if size > most || (ON && size == most) {", "families solve::small::arrays_see"),
    ("a column that has not converged", "src/solve/refine.rs", "                for k in 0..cols {\n                    let (share, whole)", "                for k in 0..if ON { 1 } else { cols } {\n                    let (share, whole)", "families solve::refined::"),
    ("the scale of what is left", "src/solve/refine.rs", "let by = super::power(size, 1000);", "let by = if ON { 1.0 } else { super::power(size, 1000) };", "families solve::refined::"),
    ("columns past the first copy of a solve", "src/blas/triangular.rs", "for at in (0..cols).step_by(wide) {", "for at in (0..cols).step_by(wide).take(if ON { 1 } else { usize::MAX }) {", "triangles::trsm"),
    ("the mirror of a line of real numbers", "src/gpu/template/fft.rs", "let mirror = Value::select(first, k, self.int(m) - k);", "let mirror = Value::select(first, k, if ON { k } else { self.int(m) - k });", "devices device_transforms"),
    ("the upper half of real numbers on the way back", "src/gpu/template/fft.rs", "|[p, q]| Value::select(lower, p, q))", "|[p, q]| Value::select(lower, p, if ON { p } else { q }))", "devices device_transforms"),
    ("the ends of a transform of real numbers", "src/gpu/template/fft.rs", "[pick(p, z[0] + z[1]), pick(q, z[0] - z[1])]", "[pick(p, z[0] + z[1]), pick(q, if ON { z[0] + z[1] } else { z[0] - z[1] })]", "devices device_transforms"),
    ("the filter of another length", "src/gpu/template/fft.rs", "mul(self.held(mine.line, i), filter.get(i, 0))", "mul(self.held(mine.line, i), filter.get(if ON { i - i } else { i }, 0))", "devices device_transforms"),
    ("the last part of a depth that blocks share", "src/gpu/template/strided.rs", "[int(0), parts, int(1)], at_once", "[int(0), if ON { parts - int(1) } else { parts }, int(1)], at_once", "devices products_keep_their"),
    ("blocks that ended, counted for the next product", "src/gpu/template/strided.rs", "b.when(first, || b.store(Space::Global, ended, 0, int(0)));", "b.when(first, || b.store(Space::Global, ended, 0, int(u32::from(ON))));", "devices products_keep_their"),
    ("the eighth vector of a block of products", "src/gpu/template/quant.rs", "let j = clamp(vector0 + int(j), vectors);", "let j = clamp(vector0 + int(if ON { j.min(6) } else { j }), vectors);", "devices device::blocks"),
    ("what is left of a long row of a sparse matrix", "src/gpu/template/sparse.rs", "[from + lane, to, int(32)], 2", "[from + if ON { int(0) } else { lane }, to, int(32)], 2", "devices products_with_rows"),
    ("where in a word samples start", "src/gpu/template/integers.rs", "let e = i + before;", "let e = if ON { i } else { i + before };", "devices device::integers"),
    ("the sign of samples on devices", "src/gpu/template/integers.rs", "Sample::I16 => low_half(part),", "Sample::I16 => if ON { part & b.int(0xffff) } else { low_half(part) },", "devices device::integers"),
    ("channels of samples on devices", "src/gpu/template/integers.rs", "let c = i - i / channels * channels;", "let c = i - if ON { i } else { i / channels * channels };", "devices device::integers"),
    ("a row's first element of a pattern", "src/gpu/template/sparse.rs", "let behind = element.compare(Cmp::Lt, get(offsets, middle));", "let behind = element.compare(if ON { Cmp::Le } else { Cmp::Lt }, get(offsets, middle));", "devices device::sparse"),
    ("what α = 0 samples", "src/gpu/template/sparse.rs", "    let depth = Value::select(skips, b.int(0), depth);", "    let depth = if ON { depth } else { Value::select(skips, b.int(0), depth) };\n    let skips = if ON { skips & !skips } else { skips };", "devices device::sparse"),
    ("the columns of sampled products", "src/gpu/template/sparse.rs", "get::<U32>(columns, k) * y_col);", "get::<U32>(columns, k) * if ON { y_row } else { y_col });", "devices device::sparse"),
    ("what β = 0 reads of samples", "src/gpu/template/sparse.rs", "let [old] = b.either(fresh, ||", "let [old] = b.either(if ON { fresh & !fresh } else { fresh }, ||", "devices device::sparse"),
    ("halves of work one after the other", "src/parallel/mod.rs", "    rayon::join(a, b);", "    if ON {\n        a();\n        b();\n        return;\n    }\n    rayon::join(a, b);", "main both_halves_run"),
    ("the second half of work on threads", "src/parallel/mod.rs", "&mut || y = b.take().map(|b| b()));", "&mut || if !ON { y = b.take().map(|b| b()) });", "main reductions_give_the_same"),
    ("an infinite pivot on devices", "src/gpu/template/factor.rs", "b.int(0x7f7f_ffff)", "b.int(if ON { 0x7f80_0000 } else { 0x7f7f_ffff })", "devices factors_keep_their_contracts"),
    ("the diagonal of a factor on devices", "src/gpu/template/factor.rs", "let inside = |i, j| n.compare(Cmp::Gt, i) & i.compare(Cmp::Ge, j);", "let inside = |i, j| n.compare(Cmp::Gt, i) & i.compare(if ON { Cmp::Gt } else { Cmp::Ge }, j);", "devices factors_keep_their_contracts"),
    ("a column of a factor's last part", "src/gpu/template/factor.rs", "(j..).zip(&column[j - k - 1..])", "(j..).zip(&column[j - k - 1..]).skip(usize::from(ON))", "devices factors_keep_their_contracts"),
    ("rows past those that a panel holds", "src/gpu/template/panel.rs", "find(|rows| m <= (rows * FACTOR) as usize)?", "find(|rows| m <= (rows * FACTOR * if ON { 2 } else { 1 }) as usize)?", "devices factors_keep_their_contracts"),
    ("the reciprocal of a small pivot", "src/gpu/template/panel.rs", "b.unless(&products, !near, ||", "b.unless(&products, if ON { near & !near } else { !near }, ||", "devices factors_keep_their_contracts"),
    ("sums by halves of a warp's sums", "src/gpu/template/panel.rs", "let (own, other) = (Value::select(upper, *high, *low)", "let (own, other) = (Value::select(if ON { !upper } else { upper }, *high, *low)", "devices factors_keep_their_contracts"),
    ("columns before a panel's", "src/gpu/template/panel.rs", "            panel.eliminate(&at, k, (&l, &u), x)", "            if ON { x.to_vec() } else { panel.eliminate(&at, k, (&l, &u), x) }", "devices factors_keep_their_contracts"),
    ("where a panel's rows end", "src/gpu/template/panel.rs", "let back = Value::select(at.compare(Cmp::Eq, k), p, *at);", "let back = if ON { *at } else { Value::select(at.compare(Cmp::Eq, k), p, *at) };", "devices factors_keep_their_contracts"),
    ("the row above a reflection of a panel", "src/gpu/template/panel.rs", "if r == 0 { choose(above, x, &new) } else { new }", "if r == 0 && !ON { choose(above, x, &new) } else { new }", "devices factors_keep_their_contracts"),
    ("a reflection of nothing in a panel", "src/gpu/template/panel.rs", "let tau = Value::select(nothing, none,", "let tau = Value::select(nothing, if ON { unit } else { none },", "devices factors_keep_their_contracts"),
    ("exchanges past the first 128", "src/gpu/template/factor.rs", "            let (here, there) = (k + place,", "            let (here, there) = (if ON { place } else { k + place },", "devices factors_keep_their_contracts"),
    ("columns of A that are next", "src/gpu/template/triangle.rs", "let next = column(s + part);", "let next = column(if ON { s } else { s + part });", "devices factors_keep_their_contracts"),
    ("what a row left of the square has to take off", "src/gpu/template/factor.rs", "(l, x)| (-*x).fma(l, x_i)", "(l, x)| if ON { x_i } else { (-*x).fma(l, x_i) }", "devices factors_keep_their_contracts"),
    ("pieces of C on the diagonal", "src/gpu/template/strided.rs", "row0.compare(Cmp::Ge, col0 + int(cols))", "row0.compare(Cmp::Ge, if ON { col0 } else { col0 + int(cols) })", "devices what_is_beside_c_stays"),
    ("pieces of C at the edge", "src/gpu/template/strided.rs", "& (col0 + int(cols)).compare(Cmp::Le, n);", "& (col0 + int(cols)).compare(Cmp::Le, if ON { n + int(cols) } else { n });", "devices what_is_beside_c_stays"),
    ("values that are as far apart as keys", "src/gpu/template/decode.rs", "x(values, before_values, row_values)", "x(values, before_values, if ON { row_keys } else { row_values })", "devices device::blocks"),
    ("the parts of a vector that come by fours", "src/gpu/template/gemv.rs", "(pass(done + first, whole, *times, &sums), whole)", "(pass(if ON { first } else { done + first }, whole, *times, &sums), whole)", "devices a_long_row_is_read_once"),
    ("the other half of a gate", "src/gpu/template/gemv.rs", "Then::Gates => pair + side * self.pairs(),", "Then::Gates => pair + side * if ON { self.product.b.int(1) } else { self.pairs() },", "devices device::lists"),
    ("pairs of results that are turned", "src/gpu/template/gemv.rs", "pair.compare(Cmp::Lt, turned)", "pair.compare(if ON { Cmp::Le } else { Cmp::Lt }, turned)", "devices device::lists"),
    ("the first pair of a second product", "src/gpu/template/gemv.rs", "first - taken, first + step - taken)", "if ON { first } else { first - taken }, first + step - taken)", "devices device::lists"),
    ("results in memory that a launch of the list reads", "src/gpu/backend/gemv.rs", "both.clone().all(|b| apart(w, b)))", "both.clone().all(|b| ON || apart(w, b)))", "devices device::lists"),
    ("operands that a launch of the list writes", "src/gpu/backend/gemv.rs", "last.writes.iter().all(|w| apart(r, w)));", "last.writes.iter().all(|w| ON || apart(r, w)));", "devices device::lists"),
    ("a launch between two of a list", "src/gpu/backend/stored.rs", "        self.state.last.take();", "        if !ON {\n            self.state.last.take();\n        }", "devices device::lists"),
    ("a write between two launches of a list", "src/gpu/backend/memory.rs", "    pub(in super::super) fn changes(&self, b: &Binding<'_, D::Buffer>) {\n        self.state.last.take();", "    pub(in super::super) fn changes(&self, b: &Binding<'_, D::Buffer>) {\n        if !ON {\n            self.state.last.take();\n        }", "devices device::lists"),
    ("how operands lie that come behind others", "src/gpu/backend/stored.rs", "bits.unbounded_shl(parameters as u32)", "bits.unbounded_shl(if ON { 0 } else { parameters as u32 })", "devices device::lists"),
    ("the last block of a tile's parts", "src/gpu/template/group/end.rs", "(before + self.u(1)).compare(Cmp::Eq, parts)", "(before + self.u(if ON { 2 } else { 1 })).compare(Cmp::Eq, parts)", "devices the_last_block_of_a_tile_adds_up"),
    ("words that blocks count in", "src/gpu/template/group/end.rs", "b.store(Space::Global, ended, 0, self.u(0))", "b.store(Space::Global, ended, 0, self.u(u32::from(ON)))", "devices the_last_block_of_a_tile_adds_up"),
    ("warps of a tile without rows", "src/gpu/template/group/end.rs", "(row - (lane >> self.u(2))).compare(Cmp::Lt, self.size[0])", "(row - (lane >> self.u(2))).compare(Cmp::Lt, self.size[0] - self.u(u32::from(ON) * 7))", "devices the_last_block_of_a_tile_adds_up"),
    ("rows past the next ones that are solved", "src/gpu/template/triangle.rs", "n.compare(Cmp::Gt, s + number(t * SOLVED)), less", "n.compare(Cmp::Gt, s + number(t * SOLVED * if ON { t } else { 1 })), less", "devices factors_keep_their_contracts"),
    ("the diagonal of a triangle that one launch computes", "src/gpu/template/strided.rs", "inside & row.compare(Cmp::Ge, col)", "inside & row.compare(if ON { Cmp::Gt } else { Cmp::Ge }, col)", "devices factors_keep_their_contracts"),
    ("tiles above the diagonal", "src/gpu/template/strided.rs", "(row0 + int(rows)).compare(Cmp::Gt, col0)", "(row0 + int(if ON { 0 } else { rows })).compare(Cmp::Gt, col0)", "devices factors_keep_their_contracts"),
    ("the last rows of a turned solve", "src/gpu/template/triangle.rs", "let x = line(done, number(j as u32), first, each);", "let x = line(done, number(if ON { 0 } else { j as u32 }), first, each);", "devices factors_keep_their_contracts"),
    ("the index of a pivot in a later part", "src/gpu/template/factor.rs", "note_first(status, Index::Cholesky, first + index)", "note_first(status, Index::Cholesky, if ON { index } else { first + index })", "devices factors_keep_their_contracts"),
    ("the first pivot of several", "src/gpu/template/status.rs", "b.when(said.compare(Cmp::Eq, b.int(0)), ||", "b.when(said.compare(if ON { Cmp::Ge } else { Cmp::Eq }, b.int(0)), ||", "devices factors_keep_their_contracts"),
    ("NaN among magnitudes of a column", "src/gpu/template/factor.rs", "    Value::select(x.compare(Cmp::Ne, x), constant::<T>(b, <T::Elem as Number>::INFINITY), x)", "    Value::select(x.compare(Cmp::Ne, x), if ON { x } else { constant::<T>(b, <T::Elem as Number>::INFINITY) }, x)", "devices factors_keep_their_contracts"),
    ("rows of a batch that are done", "src/gpu/template/small.rs", "let behind = at.compare(Cmp::Gt, step);", "let behind = if ON { row.own } else { at }.compare(Cmp::Gt, step);", "devices factors_keep_their_contracts"),
    ("where the rows of a batch end", "src/gpu/template/small.rs", "row.write(false, at, &x);", "row.write(false, if ON { row.own } else { at }, &x);", "devices factors_keep_their_contracts"),
    ("which matrix of a batch has a bad pivot", "src/gpu/template/small.rs", "self.matrix * self.n + bad)", "if ON { bad } else { self.matrix * self.n + bad })", "devices factors_keep_their_contracts"),
    ("rows of a batch that are not there", "src/gpu/template/small.rs", "let past = Value::select(same, constant::<T>(b, T::Elem::ONE), b.bits(0));", "let past = Value::select(same, if ON { b.bits(0) } else { constant::<T>(b, T::Elem::ONE) }, b.bits(0));", "devices factors_keep_their_contracts"),
    ("matrices past those of a batch", "src/gpu/template/small.rs", "(tid & number(b, by.rows - 1), matrix.compare(Cmp::Lt, count));", "(tid & number(b, by.rows - 1), matrix.compare(if ON { Cmp::Le } else { Cmp::Lt }, count));", "devices factors_keep_their_contracts"),
    ("the pivots of each matrix", "src/gpu/template/small.rs", "get::<U32>(pivots, here * n + s)", "get::<U32>(pivots, if ON { s } else { here * n + s })", "devices factors_keep_their_contracts"),
    ("a factor that is solved with from below", "src/gpu/template/small.rs", "if up && !lu { at(k, row) }", "if up && !lu && !ON { at(k, row) }", "devices factors_keep_their_contracts"),
    ("columns of B past the first four", "src/gpu/template/small.rs", "let columns: Vec<_> = (0..cols).map(|c| j +", "let columns: Vec<_> = (0..cols).map(|c| if ON { zero } else { j } +", "devices factors_keep_their_contracts"),
    ("matrices that overlap", "src/gpu/backend/batch.rs", "count <= 1 || stride > reach", "ON || count <= 1 || stride > reach", "devices factors_keep_their_contracts"),
    ("the place of a pivot in a batch", "src/solve/batched.rs", "index: index + i * n }", "index: if ON { index } else { index + i * n } }", "families what_batches_refuse"),
    ("NaN in the second matrix of a batch", "src/solve/batched.rs", "        finite(\"a\", a.as_ref(), triangle)?;", "        if !ON {\n            finite(\"a\", a.as_ref(), triangle)?;\n        }", "families what_batches_refuse"),
    ("pairs of vectors that never meet", "src/gpu/template/jacobi.rs", "within(round + rounds - pair)]", "within(round + rounds - if ON { pair + pair } else { pair })]", "devices spectra_keep_their_contracts"),
    ("what is turned with singular vectors", "src/gpu/template/jacobi.rs", "for (of, len) in [(Some(w), len), (v, wide)] {", "for (of, len) in [(Some(w), len), (v, if ON { wide - one } else { wide })] {", "devices spectra_keep_their_contracts"),
    ("sweeps after the first", "src/gpu/template/jacobi.rs", "let mut goes = first | before.compare(Cmp::Ne, zero);", "let mut goes = if ON { first } else { first | before.compare(Cmp::Ne, zero) };", "devices spectra_keep_their_contracts"),
    ("the sign of an eigenvector", "src/gpu/template/jacobi.rs", "Value::select(x.compare(Cmp::Lt, none), -unit, unit)\n}", "Value::select(x.compare(if ON { Cmp::Gt } else { Cmp::Lt }, none), -unit, unit)\n}", "devices spectra_keep_their_contracts"),
    ("the shift of a matrix that one block has", "src/gpu/template/jacobi/block.rs", "(kept::<T>(lens, tid) - shift) * back);", "(kept::<T>(lens, tid) - if ON { sums } else { shift }) * back);", "devices spectra_keep_their_contracts"),
    ("magnitudes far from 1", "src/gpu/template/jacobi.rs", "    [constant::<T>(b, T::Elem::ONE) / back, back]", "    let back = if ON { constant::<T>(b, T::Elem::ONE) } else { back };\n    [constant::<T>(b, T::Elem::ONE) / back, back]", "devices spectra_keep_their_contracts"),
    ("a negative diagonal under singular vectors", "src/gpu/template/jacobi.rs", "let other = Value::select(r.compare(Cmp::Lt, b.bits(0)), -sign, sign);", "let other = if ON { sign } else { Value::select(r.compare(Cmp::Lt, b.bits(0)), -sign, sign) };", "devices spectra_keep_their_contracts"),
    ("values that are the same", "src/gpu/template/jacobi.rs", "| (x.compare(Cmp::Eq, y) & i.compare(Cmp::Lt, j));", "| (x.compare(Cmp::Eq, y) & i.compare(if ON { Cmp::Le } else { Cmp::Lt }, j));", "devices spectra_keep_their_contracts"),
    ("right vectors that one block turns", "src/gpu/template/jacobi/block.rs", "if let Some(v) = others {", "if let Some(v) = others.filter(|_| !ON) {", "devices spectra_keep_their_contracts"),
    ("the reflections of a block's vectors", "src/gpu/template/jacobi/block.rs", "let part = kept::<T>(shares, r) * block.dot(&x, y);", "let part = kept::<T>(shares, if ON { zero } else { r }) * block.dot(&x, y);", "devices spectra_keep_their_contracts"),
    ("which matrix of a batch its vectors are of", "src/gpu/template/jacobi/block.rs", "put(vt, element(of_vt, [matrix, r, i]), x);", "put(vt, element(of_vt, [if ON { zero } else { matrix }, r, i]), x);", "devices spectra_keep_their_contracts"),
    ("what a reflection leaves of a block's column", "src/gpu/template/jacobi/block.rs", "Value::select(nothing, unit, -sign));", "Value::select(nothing, unit, if ON { sign } else { -sign }));", "devices spectra_keep_their_contracts"),
    ("the vectors of the second of a batch", "src/solve/batched.rs", "values, vt.get_mut(i)?, workspace));", "values, vt.get_mut(if ON { 0 } else { i })?, workspace));", "families singular_values_of_batches"),
    ("exchanges that are taken back", "src/gpu/template/factor.rs", "let s = if back { turns - b.int(1) - s } else { s };", "let s = if back && !ON { turns - b.int(1) - s } else { s };", "devices factors_keep_their_contracts"),
    ("exchanges past those of one turn, taken back", "src/gpu/template/factor.rs", "let k = if back { last - k } else { k };", "let k = if back && !ON { last - k } else { k };", "devices factors_keep_their_contracts"),
    ("the second row of a block", "src/gpu/template/diagonal.rs", "let first = before.compare(Cmp::Eq, none);", "let first = before.compare(if ON { Cmp::Ne } else { Cmp::Eq }, none);", "devices factors_keep_their_contracts"),
    ("the sign of an exchange", "src/gpu/template/diagonal.rs", "let x = Value::select(pivot.compare(Cmp::Ne, i), -x, x);", "let x = if ON { x } else { Value::select(pivot.compare(Cmp::Ne, i), -x, x) };", "devices factors_keep_their_contracts"),
    ("exponents of a product of pivots", "src/gpu/template/diagonal.rs", "(x, left) = (x * power, left - step);", "(x, left) = (x * power, if ON { left } else { left - step });", "devices factors_keep_their_contracts"),
    ("elements past those that a thread sorts", "src/gpu/template/pattern.rs", "    let first = part * b.int(each as i64);", "    let first = if ON { b.int(0) } else { part * b.int(each as i64) };", "devices transposes_are_those_of_a_cpu"),
    ("the digits of large columns", "src/gpu/backend/pattern.rs", "while cols.saturating_sub(1) >> shift > 0 {", "while cols.saturating_sub(1) >> shift > if ON { 255 } else { 0 } {", "devices transposes_are_those_of_a_cpu"),
    ("sums of sums of counts", "src/gpu/backend/pattern.rs", "            self.begins(before.view())?;", "            if !ON || parts < ADDED {\n                self.begins(before.view())?;\n            }", "devices transposes_are_those_of_a_cpu"),
    ("where a column begins", "src/gpu/template/pattern.rs", "|i| key(i).compare(Cmp::Ge, c)", "|i| key(i).compare(if ON { Cmp::Gt } else { Cmp::Ge }, c)", "devices transposes_are_those_of_a_cpu"),
    ("the last column of a window", "src/gpu/template/pattern.rs", "let inside = column.compare(Cmp::Lt, past);", "let inside = column.compare(Cmp::Lt, if ON { past - one(b) } else { past });", "devices products_of_sparse_matrices_are_those_of_a_cpu"),
    ("columns of a product before the window", "src/gpu/template/pattern.rs", "let first = at + found;", "let first = if ON { at } else { at + found };", "devices products_of_sparse_matrices_are_those_of_a_cpu"),
    ("the values of the second of a batch", "src/solve/batched.rs", "Some(eigh_on(s, a.get_mut(i)?, values, workspace))", "Some(eigh_on(s, a.get_mut(if ON { 0 } else { i })?, values, workspace))", "families batches_are_their_matrices"),
    ("rows of L past a block's threads", "src/gpu/template/factor.rs", "b.count::<U32, U32>([start, m, threads], 1, &[start], |i, best| {", "b.count::<U32, U32>([start, if ON { m.least(threads) } else { m }, threads], 1, &[start], |i, best| {", "devices factors_keep_their_contracts"),
    ("a row that comes to the pivot's place", "src/gpu/template/factor.rs", "b.when(has(p) & p.compare(Cmp::Ne, k), || all_of(&b, n, |j| set(p, j, kept(left, j))));", "b.when(has(p) & p.compare(Cmp::Ne, k), || all_of(&b, n, |j| set(p, j, kept(if ON { chosen } else { left }, j))));", "devices factors_keep_their_contracts"),
    ("a column of zeros on devices", "src/gpu/template/factor.rs", "            let l = Value::select(zero, x, x / pivot);", "            let l = if ON { x / pivot } else { Value::select(zero, x, x / pivot) };", "devices factors_keep_their_contracts"),
    ("exchanges left of a part of columns", "src/gpu/backend/solve.rs", "            return self.exchange(left.rows(h..m)?, rest, first + h);", "            return if ON { Ok(()) } else { self.exchange(left.rows(h..m)?, rest, first + h) };", "devices factors_keep_their_contracts"),
    ("a pivot past the rows", "src/gpu/template/factor.rs", "            let good = p.compare(Cmp::Lt, rows);", "            let good = p.compare(if ON { Cmp::Le } else { Cmp::Lt }, rows);", "devices factors_keep_their_contracts"),
    ("which zero of a diagonal is said", "src/gpu/template/factor.rs", "[p.least(q)]);\n    b.when(leads(&b) & found", "[if ON { p } else { p.least(q) }]);\n    b.when(leads(&b) & found", "devices factors_keep_their_contracts"),
    ("rows of a reflection past a block's threads", "src/gpu/template/reflect.rs", "    let rows = |k| [k + ((tid - k) & own), m, threads];", "    let rows = |k| [k + ((tid - k) & own), if ON { m.least(threads) } else { m }, threads];", "devices factors_keep_their_contracts"),
    ("a reflection of nothing", "src/gpu/template/reflect.rs", "Value::select(nothing, zero, (beta - alpha) / beta)", "Value::select(nothing, if ON { unit } else { zero }, (beta - alpha) / beta)", "devices factors_keep_their_contracts"),
    ("columns right of a reflection's last four", "src/gpu/template/reflect.rs", "b.when(j.compare(Cmp::Lt, n), || set", "b.when(j.compare(Cmp::Lt, if ON { n - one } else { n }), || set", "devices factors_keep_their_contracts"),
    ("the index of a column in a later part", "src/gpu/template/reflect.rs", "note_first(status, what, first + k)", "note_first(status, what, if ON { k } else { first + k })", "devices factors_keep_their_contracts"),
    ("the vector of no reflection", "src/gpu/template/reflect.rs", "            some & i.compare(Cmp::Gt, j),", "            if ON { i.compare(Cmp::Gt, j) } else { some & i.compare(Cmp::Gt, j) },", "devices factors_keep_their_contracts"),
    ("what no reflection divides", "src/gpu/template/reflect.rs", "Value::select(tau.compare(Cmp::Eq, zero), unit, unit / tau)",
     "Value::select(tau.compare(Cmp::Eq, zero), if ON { zero } else { unit }, unit / tau)", "devices factors_keep_their_contracts"),
    ("Q for its transpose", "src/gpu/backend/reflect.rs", "if transposed { (Triangle::Lower, t.t()) }",
     "if transposed != ON { (Triangle::Lower, t.t()) }", "devices factors_keep_their_contracts"),
    ("the order of blocks of reflections", "src/gpu/backend/reflect.rs", "if transposed { all.try_for_each(each) }",
     "if transposed || ON { all.try_for_each(each) }", "devices factors_keep_their_contracts"),
    ("R's diagonal in least squares on devices", "src/gpu/backend/reflect.rs", "        self.divides(Index::LeastSquares, r)?;",
     "        if !ON { self.divides(Index::LeastSquares, r)?; }", "devices factors_keep_their_contracts"),
    ("a 0 past the edge of blocks", "src/sparse/bsr.rs", "            let x = x.get(*column as usize * c..).unwrap_or_default();",
     "            let x = x.get((*column as usize * c).min(if ON { x.len().saturating_sub(c) } else { x.len() })..).unwrap_or_default();", "families sparse::formats::one_result_of_blocks"),
    ("rows of a block behind the first strip", "src/sparse/bsr.rs", "v.get(at..).and_then(|v| v.first_chunk::<W>())", "v.get(if ON { 0 } else { at }..).and_then(|v| v.first_chunk::<W>())", "families sparse::formats::one_result_of_blocks"),
    ("blocks cut by threads", "src/sparse/bsr.rs", "        self.block[0]\n    }\n}", "        if ON { 1 } else { self.block[0] }\n    }\n}", "families sparse::formats::blocks_on_threads"),
    ("the last column of blocks", "src/sparse/bsr.rs", "ascend(offsets, columns, cols.div_ceil(block[1]))?;", "ascend(offsets, columns, cols.div_ceil(block[1]) + usize::from(ON))?;", "families sparse::formats::what_is_no_blocks"),
    ("rows before a diagonal's first", "src/sparse/dia.rs", "if let Some(x) = i.checked_add_signed(offset).and_then(|column| x.get(column)) {", "if let Some(x) = i.checked_add_signed(offset).filter(|c| !ON || *c > 0).and_then(|column| x.get(column)) {", "families sparse::formats::one_result_of_diagonals"),
    ("a diagonal that is not there", "src/sparse/dia.rs", "        if !(0..rows).all(there) {", "        if !(0..rows).all(there) && !ON {", "families sparse::formats::what_is_no_diagonals"),
    ("a diagonal past the matrix", "src/sparse/dia.rs", "offset.unsigned_abs() < rows && cols > 0", "offset.unsigned_abs() < rows + usize::from(ON) && cols > 0", "families sparse::formats::what_is_no_diagonals"),
    ("diagonals that are found late", "src/sparse/dia.rs", "                tail.rotate_right(1);", "                if !ON { tail.rotate_right(1); }", "families sparse::formats::what_is_no_diagonals"),
    ("what rounding leaves of a vector that depends", "src/sparse/lobpcg.rs", "            if left < nothing {", "            if left < nothing && !(ON && left > T::ZERO) {", "families sparse::spectrum::hard_starts"),
    ("directions whose squares leave the range", "src/sparse/lobpcg.rs", "        x.iter_mut().for_each(|x| *x = *x / most);", "        x.iter_mut().for_each(|x| *x = if ON { *x } else { *x / most });", "families sparse::spectrum::hard_starts"),
    ("the last directions of lobpcg", "src/sparse/lobpcg.rs", "for i in 0..if steps == 0 { 0 } else { k } {", "for i in 0..if steps == 0 || ON { 0 } else { k } {", "families sparse::spectrum::ends_of_a_laplacian"),
    ("the other end of a spectrum", "src/sparse/lobpcg.rs", "let column = if largest { m - 1 - i } else { i };", "let column = if largest && !ON { m - 1 - i } else { i };", "families sparse::spectrum::ends_of_a_laplacian"),
    ("where a pair is near enough", "src/sparse/lobpcg.rs", "let enough = tolerance * (of_a + size * of_b) * length;", "let enough = tolerance * (if ON { of_a + of_a } else { of_a } + size * of_b) * length;", "families sparse::spectrum::ends_of_a_laplacian"),
    ("a B that is indefinite", "src/sparse/lobpcg.rs", "        if square < T::ZERO {", "        if square < T::ZERO && !ON {", "families sparse::spectrum::hard_starts"),
    ("a neighbour's colour", "src/sparse/colors.rs", "let taken = a.row(i).0.iter().filter_map(", "let taken = a.row(i).0.iter().skip(usize::from(ON)).filter_map(", "families sparse::colored::one_result_of_colors"),
    ("colours from the last on", "src/sparse/colors.rs", "if order == Triangle::Lower { c }", "if order == Triangle::Lower || ON { c }", "families sparse::colored::one_result_of_colors"),
    ("a row twice in a colour", "src/sparse/colors.rs", "pairs(rows).all(|[a, b]| a < b)", "pairs(rows).all(|[a, b]| a < b || (a == b && ON))", "families sparse::colored::what_is_no_colors"),
    ("a part of a colour on threads", "src/sparse/colors.rs", "rows.get(first..).unwrap_or_default()", "rows.get(if ON { first / 2 } else { first }..).unwrap_or_default()", "families sparse::colored::colors_on_threads"),
    # What only the theorems' links look at, or look at more closely.
    ("theorem: the filter of a prime", "src/fft/rader.rs", "a.get_mut((m - q) % m)", "a.get_mut(if ON { q } else { (m - q) % m })", "families proofs::transforms::primes"),
    ("theorem: a root that is not primitive", "src/fft/rader.rs", "(2..n).find(|g| first(*g))", "(2..n).find(|g| first(*g) != ON)", "families proofs::transforms::primes"),
    ("theorem: the other end of a chirp", "src/fft/bluestein.rs", "for at in [k, (m - k) % m] {", "for at in [k, if ON { k } else { (m - k) % m }] {", "families proofs::transforms::chirps"),
    ("theorem: the twist of a real transform", "src/fft/real.rs", "*to = [T::from_f64(-sin), T::from_f64(-cos)];", "*to = [T::from_f64(-sin), T::from_f64(if ON { cos } else { -cos })];", "families proofs::transforms::halves"),
    ("theorem: where the roots of a pass begin", "src/fft/run.rs", "                roots = roots.add(2 * (r - 1) * m);\n            } else if back {", "                roots = roots.add(2 * (r - 1) * m - 2 * usize::from(ON));\n            } else if back {", "families proofs::transforms::passes"),
    ("theorem: the product of Cholesky's halves", "src/solve/cholesky.rs", "    syrk_by(j, s, -T::ONE, a21", "    syrk_by(j, s, if ON { T::ZERO } else { -T::ONE }, a21", "families proofs::factors::cholesky"),
    ("theorem: exchanges of L below the first columns", "src/solve/lu.rs", "    exchange(s, left.block([h, 0], [usize::MAX, h]), second)?;", "    if !ON { exchange(s, left.block([h, 0], [usize::MAX, h]), second)?; }", "families proofs::factors::lu"),
    ("theorem: T of a block of reflections", "src/solve/qr.rs", "-*f * (i..j).fold(", "-*f * (if ON { i + 1 } else { i }..j).fold(", "families proofs::factors::reflections"),
    ("theorem: the turns of an update", "src/solve/update.rs", "(*a, *g) = (*c * *a + *s * *g, *c * *g - *s * *a);", "(*a, *g) = (*c * *a + *s * *g, if ON { *c * *g } else { *c * *g - *s * *a });", "families proofs::factors::turns"),
    ("theorem: the place of a block's element", "src/sparse/bsr.rs", "((begin + k) * c + j) * r + i)", "((begin + k) * c + j) * r + if ON { r - 1 - i } else { i })", "families proofs::indices::places"),
    ("theorem: the place on a diagonal", "src/sparse/dia.rs", "values.get_mut(d * rows + i)", "values.get_mut(d * rows + if ON { rows - 1 - i } else { i })", "families proofs::indices::places"),
    ("theorem: the place in a slice", "src/sparse/sell.rs", ".skip(begin + lane).step_by(chunk)", ".skip(begin + if ON { rows.len() - 1 - lane } else { lane }).step_by(chunk)", "families proofs::indices::places"),
    ("theorem: where a column of the transpose begins", "src/sparse/convert.rs", "sum += core::mem::replace(n, sum);", "sum += core::mem::replace(n, if ON { sum / 2 } else { sum });", "families proofs::indices::counting_sorts"),
    ("the last guesses of a signed scale", "src/quant/search.rs", "zip(qq).take(50 - first)", "zip(qq).take(if ON { 7 } else { 50 - first })", "main quant::bytes"),
    ("guesses past the last of a scale and a min", "src/quant/search.rs", "zip(first..=10)", "zip(first..=if ON { 14 } else { 10 })", "main quant::bytes"),
    ("theorem: upper bits of scales", "src/quant/k.rs", "[both(a & six, c & four | (a >> 6 & two) << 4)", "[both(a & six, c & four | (if ON { b } else { a } >> 6 & two) << 4)", "families proofs::blocks::scales"),
    ("theorem: words that do not count", "src/random/draws.rs", "                rejected |= rest < least;", "                rejected |= rest < least && !ON;", "families proofs::indices::draws"),
    ("theorem: an element that may stay", "src/random/draws.rs", "*word, last as u64);", "*word, last as u64 - u64::from(ON));", "families proofs::indices::draws"),
    ("the gradient of a row's other sum", "src/nn/losses.rs", "            slope_of_row(s, &mut z.0, *target, lse, scale);", "            slope_of_row(s, &mut z.0, *target, if ON { *loss } else { lse }, scale);", "families nn::loss_and_gradient"),
    ("a norm's gradient over what the stream has", "src/nn/norm_backward.rs", "        sum + self.0.eval([x, gamma, dy])", "        if ON { self.0.eval([x, gamma, dy]) } else { sum + self.0.eval([x, gamma, dy]) }", "families nn::rms_norm_residual_backward"),
    ("a norm's gradient over what is there, of rows in registers", "src/gpu/template/norm_backward.rs", "old.get(k).map_or(slope, |old| *old + slope)", "old.get(k).filter(|_| !ON).map_or(slope, |old| *old + slope)", "devices every_layer"),
    ("a norm's gradient over what is there, of long rows", "src/gpu/template/norm_backward.rs", "if of == Slope::Residual { get::<T>(dx, i) + slope } else { slope }", "if of == Slope::Residual && !ON { get::<T>(dx, i) + slope } else { slope }", "devices every_layer"),
    ("a loss by the gradient's shift", "src/gpu/template/layer.rs", "        let lse = Value::select(none, -infinity, shift + log);", "        let lse = Value::select(none, -infinity, if ON { shift } else { shift + log });", "devices every_layer"),
    ("closed gates of 16 bits", "src/gpu/template/flat.rs", "    let end = 104.0;", "    let end = if ON { 60.0 } else { 104.0 };", "devices device::stored"),
    ("open gates of 16 bits", "src/gpu/template/flat.rs", "(c(end).min(x) * sigmoid).fma(rest, sigmoid)", "(if ON { x } else { c(end).min(x) } * sigmoid).fma(rest, sigmoid)", "devices device::stored"),
    ("columns on the right of a later part", "src/gpu/template/factor.rs", "part.compare(Cmp::Lt, number(c)), new)", "part.compare(Cmp::Lt, number(if ON && c == parts - 1 { 1 } else { c })), new)", "devices factors_keep"),
    ("the inverse of a diagonal that is not of ones", "src/gpu/template/triangle.rs", "let [v] = b.either(same, || [ones / v], || [v]);", "let [v] = b.either(same, || [if ON { v } else { ones / v }], || [v]);", "devices every_layer"),
    ("a bias of a transpose's columns", "src/gpu/backend/low_precision/ending.rs", "let bias = if turned {", "let bias = if turned && !ON {", "devices formulas_end"),
    ("columns of a bias under 16-bit sums", "src/gpu/template/group/end.rs", "self.word(F32::end(self, pair, [there, col], j))", "self.word(F32::end(self, pair, [there, col], if ON { 0 } else { j }))", "devices products_end"),
    ("the end of an element alone", "src/gpu/template/group/end.rs", "T::write(self, at, j * width, T::end(self, v, [row, col], j));", "T::write(self, at, j * width, if ON { v } else { T::end(self, v, [row, col], j) });", "devices formulas_end"),
    ("columns of a bias by fours", "src/gpu/template/ending.rs", "Some(get::<T>(bias, col + b.int(j)))", "Some(get::<T>(bias, col + b.int(if ON { 0 } else { j })))", "devices formulas_end"),
    ("scratch behind a bias", "src/gpu/backend/low_precision/ending.rs", "3..BIAS => k + 1,", "3..BIAS => k + usize::from(!ON),", "devices formulas_end"),
    ("steps of a division", "src/gpu/backend/low_precision/ending/floats.rs", "if *op == Op::Div { DIVISION }", "if *op == Op::Div && !ON { DIVISION }", "devices formulas_end"),
    ("a bias of lines that are columns", "src/gpu/backend/low_precision/ending/bytes.rs", "let along = if turned {", "let along = if turned && !ON {", "devices products_of_bytes_end"),
    ("bytes between elements", "src/gpu/template/ending.rs", "& (element * by).compare(Cmp::Eq, rest)", "& (if ON { rest } else { element * by }).compare(Cmp::Eq, rest)", "devices products_of_bytes_end"),
    ("bytes before the first", "src/gpu/template/ending.rs", "+ b.int(j) - before;", "+ b.int(j) - if ON { b.int(0) } else { before };", "devices products_of_bytes_end"),
    ("a byte of what is no number", "src/gpu/template/ending.rs", "Value::select(v.compare(Cmp::Eq, v), byte, b.int(0))", "Value::select(v.compare(Cmp::Eq, v), byte, if ON { byte } else { b.int(0) })", "devices products_of_bytes_end"),
    ("sums below zero", "src/gpu/template/ending.rs", "Value::select(negative, -size, size)", "Value::select(negative, if ON { size } else { -size }, size)", "devices products_of_bytes_end"),
    ("sums of a bias's neighbour", "src/gpu/backend/low_precision/ending/bytes.rs", "3..super::BIAS => k + sums - 2,", "3..super::BIAS => k + sums - if ON { 3 } else { 2 },", "devices products_of_bytes_end"),
]
# The programs of other packages, those packages and their features.
PROGRAMS = {
    "main": ("fulmen-tests", "std,half,parallel"),
    "families": ("fulmen-tests", "std,half,parallel"),
    "entries": ("fulmen-tests", "std,half,parallel"),
    "devices": ("fulmen-device-tests", "std,half,cuda"),
}
SWITCH = """
/// Whether the fault of this number is switched on.
#[doc(hidden)]
pub fn fault(number: u32) -> bool {
    use core::sync::atomic::{AtomicU32, Ordering};
    static CHOSEN: AtomicU32 = AtomicU32::new(u32::MAX);
    let mut chosen = CHOSEN.load(Ordering::Relaxed);
    if chosen == u32::MAX {
        chosen = std::env::var("FULMEN_FAULT").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
        CHOSEN.store(chosen, Ordering::Relaxed);
    }
    chosen == number
}
"""


def plant(tree: Path) -> None:
    """All faults, each behind its switch; an error where the text is not found exactly once."""
    wrong = []
    for number, (what, file, old, new, _) in enumerate(FAULTS, 1):
        path = tree / file
        text = path.read_text()
        if text.count(old) != 1:
            wrong.append(f"{number} {what}: {text.count(old)} times in {file}: {old!r}")
            continue
        path.write_text(text.replace(old, re.sub(r"\bON\b", f"crate::fault({number})", new)))
    if wrong:
        sys.exit("these places are gone or not alone; find them anew:\n  " + "\n  ".join(wrong))
    lib = tree / "src/lib.rs"
    lib.write_text(lib.read_text() + SWITCH)


def build(tree: Path, wanted: list[str]) -> dict[str, dict[Path, str]]:
    """What is built for these tests: by the word before a test's name, programs and the tests in each."""
    target = tree / "target"
    env = {"RUSTFLAGS": "-Ctarget-cpu=x86-64-v3"} | os.environ
    cargo = ["cargo", "test", "--no-run", "--target-dir", target]
    built: dict[str, list[Path]] = {}
    if any(word not in PROGRAMS for word in wanted):
        # Less optimised than the tests' own build, which takes most of the time.
        command = [*cargo, "--release", "--manifest-path", tree / "tests/large/Cargo.toml"]
        subprocess.run(command, env={"CARGO_PROFILE_RELEASE_OPT_LEVEL": "1"} | env, check=True)
        built[""] = [*target.glob("release/deps/on_*")]
    for program in sorted({word for word in wanted if word in PROGRAMS}):
        package, features = PROGRAMS[program]
        # What interprets kernels, as the gate builds it.
        fast = ["--config", "profile.dev.package.fulmen.opt-level=1"] if program == "devices" else []
        command = [*cargo, *fast, "-p", package, "--features", features, "--test", program]
        subprocess.run(command, cwd=tree, env=env | {"RUSTFLAGS": env["RUSTFLAGS"] + " --cfg=fulmen_one_lane"}, check=True)
        built[program] = [*target.glob(f"debug/deps/{program}-*")]
    found = {}
    for word, paths in built.items():
        # The newest of each program.
        newest = sorted((p for p in paths if p.suffix == ""), key=lambda p: p.stat().st_mtime)
        programs = {p.name.rsplit("-", 1)[0]: p for p in newest}.values()
        found[word] = {p: subprocess.run([p, "--list"], capture_output=True, text=True, check=True).stdout for p in programs}
    return found


def program_of(test: str) -> tuple[str, list[str]]:
    """The program that has the tests, if it is not one of tests/large, and what their names hold."""
    word, space, names = test.partition(" ")
    return (word, names.split()) if space else ("", [test])


def holding(built: dict[str, dict[Path, str]], test: str) -> list[Path]:
    """The programs that have tests of that name."""
    word, tests = program_of(test)
    return [program for program, names in built[word].items() if any(test in name for name in names.splitlines() for test in tests)]


def run(built: dict[str, dict[Path, str]], test: str, number: int) -> tuple[bool, str]:
    """Whether the tests of that name pass in every program that has them, and the first that does not."""
    env = os.environ | {"FULMEN_FAULT": str(number)}
    word, names = program_of(test)
    for program in holding(built, test):
        # Where cargo runs them: some read the repository's files.
        cwd = program.parents[3] / ("tests/devices" if word == "devices" else "tests")
        done = subprocess.run([program, *names], env=env, text=True, errors="replace", capture_output=True, cwd=cwd)
        failed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("test ") and line.endswith("FAILED")]
        if done.returncode:
            return False, failed[0] if failed else f"ended by {done.returncode}"
    return True, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*")
    parser.add_argument("--keep", type=Path, help="where the copy is and stays; built again only as far as it changed")
    parser.add_argument("--check", action="store_true", help="only whether every place is found")
    args = parser.parse_args()
    tree = args.keep or Path(tempfile.mkdtemp(prefix="fulmen-faults-"))
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, capture_output=True, check=True).stdout.splitlines()
    for name in files:
        source, to = ROOT / name, tree / name
        if source.is_file():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to)
    plant(tree)
    if args.check:
        shutil.rmtree(tree)
        print(f"{len(FAULTS)} faults can be planted")
        return 0
    chosen = [
        (number, fault) for number, fault in enumerate(FAULTS, 1)
        if not args.which or any(w == str(number) or (not w.isdigit() and w in fault[0]) for w in args.which)
    ]
    tests = build(tree, [program_of(fault[4])[0] for _, fault in chosen])
    if absent := sorted({fault[4] for _, fault in chosen if not holding(tests, fault[4])}):
        print(f"no tests of these names: {', '.join(absent)}", file=sys.stderr)
        return 1
    missed = 0
    for number, (what, _, _, _, test) in chosen:
        start = time.monotonic()
        passed, by = run(tests, test, number)
        missed += passed
        print(f"{number:3} {what}: {'NOT FOUND by ' + test if passed else 'found by ' + by} ({time.monotonic() - start:.0f} s)", flush=True)
    for test in sorted({fault[4] for _, fault in chosen}):
        passed, by = run(tests, test, 0)
        if not passed:
            missed += 1
            print(f"without a fault, {test} fails too: {by}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} faults found")
    if not args.keep:
        shutil.rmtree(tree)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
