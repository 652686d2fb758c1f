//! What a contract says that an op reads and writes, against the kinds of its row.

use super::Sink;
use crate::corpus::File;
use crate::schema::{Contract, Shape};
use fulmen::ops::{Argument, signatures};

/// Operands of which the cases say what they hold before, though nothing reads it.
const OVERWRITTEN: [(&str, &str); 2] = [("copy", "y"), ("transpose", "b")];
/// Ops whose tests take results in another order than the arguments have, or optional weights after the other inputs.
const ORDER: [&str; 7] = ["sddmm", "fir", "fir_fft", "biquad", "lz4_compress", "nll", "nll_backward"];

/// Kinds of arguments that are no memory: values, plans, sparse matrices and tables of pages.
const VALUES: [&str; 9] =
    ["by", "fft", "ffts", "rfft", "dct", "convolver", "complex_convolver", "csr", "opt_pages"];

/// Each argument that is memory is read, and written, where the contract says so.
pub(super) fn signature(s: &mut Sink<'_>, f: &File, c: &Contract) {
    let Some(row) = signatures().find(|row| row.op == c.op) else { return };
    let call = &c.call;
    let has = |names: &[String], a: &Argument| names.iter().any(|name| name == a.name);
    let memory = || row.arguments.iter().filter(|a| !VALUES.contains(&a.kind.name));
    let mut wrong = |a: &Argument, what: &str| {
        s.on("FUL-REV-010", f, format!("`{}: {} {}` of the row {what}", a.name, a.kind.name, a.ty));
    };
    // The parts of a sparse matrix, which is one argument, have the names of those of the result.
    let parts = row.arguments.iter().any(|a| a.ty.starts_with("Csr"));
    let one_written = memory().filter(|a| a.kind.written).count() == 1;
    for a in memory() {
        let overwritten = OVERWRITTEN.contains(&(row.op, a.name));
        let sized = has(&call.options, a) || call.params.iter().any(|p| p.name == a.name);
        // Operands of any number have names of their own.
        let operand = has(&call.inputs, a) || sized || a.kind.name == "each_in" && !call.inputs.is_empty();
        if a.kind.read && !operand && c.call.shape != Shape::Random {
            wrong(a, "is read, and no input of the contract");
        }
        if !a.kind.read && has(&call.inputs, a) && !overwritten && !parts {
            wrong(a, "is not read, and an input of the contract");
        }
        let result =
            has(&call.outputs, a) || has(&call.overwrites, a) || call.outputs.is_empty() && one_written;
        let row_shape = !call.shape.own_call();
        if a.kind.written && !result && !row_shape {
            wrong(a, "is written, and no output of the contract");
        }
        if !a.kind.written && (has(&call.outputs, a) || has(&call.overwrites, a)) {
            wrong(a, "is not written, and an output of the contract");
        }
    }
    let in_order = |names: &[String], of: fn(&Argument) -> bool| {
        let of_row = memory().filter(|a| of(a) && has(names, a)).map(|a| a.name);
        let is_of_row = |name: &&str| memory().any(|a| of(a) && a.name == *name);
        of_row.eq(names.iter().map(String::as_str).filter(is_of_row))
    };
    let ordered = in_order(&call.inputs, |a| a.kind.read) && in_order(&call.outputs, |a| a.kind.written);
    if !ordered && !ORDER.contains(&row.op) {
        let names: Vec<&str> = memory().map(|a| a.name).collect();
        s.on("FUL-REV-010", f, format!("the row has the arguments in the order {}", names.join(", ")));
    }
}
