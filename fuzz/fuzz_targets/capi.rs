//! Calls the routines of the C ABI with drawn options, sizes, leading dimensions and increments, each operand in memory of exactly
//! the length that it needs: `make fuzz`, best with an address sanitizer. The first byte picks the routine, the next ones its
//! arguments; where they end, a hash of the input goes on.
//!
//! Whatever the call: what is only read, what lies between the columns and what an illegal call names stay as they are; an illegal
//! argument is named, and no other; a workspace of the length that a query gives is taken, and one that is shorter is not.
#![no_main]

use fulmen as _;
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

struct Argument {
    name: &'static str,
    /// The type in C, without `const` and `*`.
    of: &'static str,
    word: bool,
    pointer: bool,
    constant: bool,
}

struct Routine {
    name: &'static str,
    arguments: &'static [Argument],
    call: fn(&[Value]),
}

include!(concat!(env!("OUT_DIR"), "/routines.rs"));

unsafe extern "C" {
    fn fulmen_set_xerbla(handler: Option<extern "C" fn(*const c_char, c_int)>);
}

/// The position that was named last.
static NAMED: AtomicI32 = AtomicI32::new(0);

extern "C" fn named(_: *const c_char, position: c_int) {
    NAMED.store(position, Ordering::Relaxed);
}

/// An argument: a number, or the memory of an operand, of which the elements that are `used` may be written.
struct Value {
    bytes: Box<[Cell<u8>]>,
    used: Vec<bool>,
}

impl Value {
    fn new(bytes: &[u8], used: Vec<bool>) -> Self {
        Self { bytes: bytes.iter().map(|x| Cell::new(*x)).collect(), used }
    }
    fn of(bytes: &[u8]) -> Self {
        Self::new(bytes, vec![])
    }
    fn now(&self) -> Vec<u8> {
        self.bytes.iter().map(Cell::get).collect()
    }
    fn first<const N: usize>(&self) -> [u8; N] {
        std::array::from_fn(|i| self.bytes[i].get())
    }
    fn int(&self) -> c_int {
        c_int::from_ne_bytes(self.first())
    }
    fn float(&self) -> f32 {
        f32::from_ne_bytes(self.first())
    }
    fn double(&self) -> f64 {
        f64::from_ne_bytes(self.first())
    }
    /// No byte past the last one is of the allocation, which is for any element.
    fn pointer(&self) -> *mut c_void {
        let p = self.bytes.as_ptr().cast_mut();
        assert!(self.bytes.is_empty() || p.cast::<u64>().is_aligned(), "the allocator aligns");
        p.cast()
    }
}

/// The input, and a hash of it behind its end.
struct Bytes<'a>(&'a [u8], u64);

impl Bytes<'_> {
    fn byte(&mut self) -> usize {
        if let Some((first, rest)) = self.0.split_first() {
            self.0 = rest;
            return usize::from(*first);
        }
        (self.bits() >> 40) as usize & 255
    }
    fn bits(&mut self) -> u64 {
        self.1 = self.1.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.1 ^ (self.1 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.byte() % list.len()]
    }
    /// Mostly small, now and then past what is done in one piece.
    fn size(&mut self) -> c_int {
        let x = self.byte() as c_int;
        if x < 240 { x % 14 } else { 16 + (x - 240) * 7 }
    }
    /// A number of the matrix.
    fn number(&mut self, kind: usize) -> f64 {
        let x = (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        match (kind, self.1 % 16) {
            (1, 0) => [f64::NAN, f64::INFINITY, 1e308, -1e-310][self.1 as usize / 16 % 4],
            (2, 0..12) => 0.0,
            (3, _) => (x * 3.0).round(),
            _ => x,
        }
    }
}

/// What an operand is: the places of its elements.
struct Call<'a> {
    routine: &'static Routine,
    /// The name without the type, as `gemm`.
    stem: &'static str,
    values: &'a [(&'static str, i64)],
}

impl Call<'_> {
    fn has(&self, name: &str) -> bool {
        self.values.iter().any(|v| v.0 == name)
    }
    fn get(&self, name: &str) -> i64 {
        self.values.iter().find(|v| v.0 == name).unwrap_or_else(|| panic!("{}: {name}", self.routine.name)).1
    }
    fn size(&self, name: &str) -> usize {
        self.get(name).max(0) as usize
    }
    /// Whether the option has one of these letters, or of their numbers in C.
    fn is(&self, name: &str, letters: &str) -> bool {
        let x = self.get(name);
        let numbers = [
            ("R", 101),
            ("N", 111),
            ("T", 112),
            ("C", 113),
            ("U", 121),
            ("L", 122),
            ("N", 131),
            ("U", 132),
            ("L", 141),
            ("R", 142),
        ];
        letters.bytes().any(|c| i64::from(c) == x)
            || numbers.iter().any(|(c, n)| *n == x && letters.contains(c))
    }
    fn by_rows(&self) -> bool {
        self.has("order") && self.is("order", "R")
    }
    /// Rows and columns, and bands below and above the diagonal, of a matrix; `None` for what is none.
    fn shape(&self, name: &str) -> Option<[usize; 2]> {
        let s = |name: &str| self.size(name);
        let flip = |t: &str, [a, b]: [usize; 2]| if self.is(t, "TC") { [b, a] } else { [a, b] };
        let square = |n| Some([n, n]);
        let stem = self.stem;
        match (stem, name) {
            ("spmv" | "spr" | "spr2" | "tpmv" | "tpsv", "a") => None,
            _ if stem.starts_with("rot") => None,
            ("gemm", "a") => Some(flip("transa", [s("m"), s("k")])),
            ("gemm", "b") => Some(flip("transb", [s("k"), s("n")])),
            ("syrk" | "syr2k", "a" | "b") => Some(flip("trans", [s("n"), s("k")])),
            ("syrk" | "syr2k", "c") => square(s("n")),
            ("symm" | "trmm" | "trsm", "a") => square(if self.is("side", "L") { s("m") } else { s("n") }),
            ("ormqr", "a") => Some([if self.is("side", "L") { s("m") } else { s("n") }, s("k")]),
            ("gels", "b") => Some([s("m").max(s("n")), s("nrhs")]),
            ("sygv", "b") => square(s("n")),
            ("geev", "vl" | "vr") => {
                square(if self.is(if name == "vl" { "jobvl" } else { "jobvr" }, "V") { s("n") } else { 0 })
            }
            ("gesvd" | "gesdd", "u" | "vt") => {
                let (m, n) = (s("m"), s("n"));
                let job = match (stem, name) {
                    ("gesvd", "u") => self.get("jobu"),
                    ("gesvd", _) => self.get("jobvt"),
                    _ if self.is("jobz", "O") && (m >= n) == (name == "vt") => i64::from(b'A'),
                    _ => self.get("jobz"),
                } as u8;
                let (own, k) = (if name == "u" { m } else { n }, m.min(n));
                let count = match job {
                    b'A' => own,
                    b'S' => k,
                    _ => return Some([0, 0]),
                };
                Some(if name == "u" { [own, count] } else { [count, own] })
            }
            (_, "a" | "b" | "c") if self.has("m") => Some([s("m"), s("n")]),
            (_, "a") => square(s("n")),
            (_, "b") => Some([s("n"), s("nrhs")]),
            _ => None,
        }
    }
    /// The places of the elements of an operand.
    fn places(&self, name: &str) -> Vec<usize> {
        let s = |name: &str| self.size(name);
        let stem = self.stem;
        if let Some([rows, cols]) = self.shape(name) {
            let ld = self.size(&format!("ld{name}"));
            let band = match stem {
                "gbmv" if name == "a" => Some([s("kl"), s("ku")]),
                "sbmv" | "tbmv" | "tbsv" if name == "a" && self.is("uplo", "U") => Some([0, s("k")]),
                "sbmv" | "tbmv" | "tbsv" if name == "a" => Some([s("k"), 0]),
                _ => None,
            };
            let one = [
                "symv", "syr", "syr2", "trmv", "trsv", "potrf", "potrs", "posv", "sytrf", "sytrs", "sysv",
                "trtrs",
            ];
            let triangle = match name {
                "a" => one.contains(&stem) || ["symm", "trmm", "trsm"].contains(&stem),
                _ => name == "c" && ["syrk", "syr2k"].contains(&stem),
            };
            let upper = triangle && self.is("uplo", "U");
            let mut places = vec![];
            for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
                if triangle && i != j && (i < j) != upper {
                    continue;
                }
                let (line, at) = if self.by_rows() { (i, j) } else { (j, i) };
                match band {
                    Some([low, high]) if i > j + low || j > i + high => {}
                    Some([low, high]) => {
                        let before = if self.by_rows() { low } else { high };
                        places.push(line * ld + before + at - line);
                    }
                    None => places.push(line * ld + at),
                }
            }
            return places;
        }
        let n = match (stem, name) {
            (_, "info" | "result" | "d1" | "d2" | "x1" | "y1") => 1,
            (_, "param") => 5,
            ("rot" | "rotg", "a" | "b" | "c" | "s") => 1,
            (_, "work") => s("lwork").max(1),
            (_, "iwork") if self.has("liwork") => s("liwork").max(1),
            (_, "iwork") => 8 * s("m").min(s("n")).max(1),
            ("spmv" | "spr" | "spr2" | "tpmv" | "tpsv", "a") => s("n") * (s("n") + 1) / 2,
            ("orgqr" | "ormqr", "tau") => s("k"),
            (_, "tau" | "s") => s("m").min(s("n")),
            ("getrf", "ipiv") => s("m").min(s("n")),
            (_, "ipiv" | "w" | "wr" | "wi") => s("n"),
            ("gemv" | "gbmv", "x" | "y") => {
                if self.is("trans", "N") == (name == "x") {
                    s("n")
                } else {
                    s("m")
                }
            }
            ("ger", "x") => s("m"),
            (_, "x" | "y") => s("n"),
            _ => panic!("{}: {name}", self.routine.name),
        };
        let step = if name == "x" || name == "y" {
            self.get(&format!("inc{name}")).unsigned_abs() as usize
        } else {
            1
        };
        (0..n).map(|i| i * step).collect()
    }
}

/// `cblas_sgemm`, `sgemm_`, `idamax_`, `cblas_scnrm2`, `cblas_zdotu_sub`.
fn stem(name: &'static str) -> &'static str {
    let name = name.strip_prefix("cblas_").unwrap_or(name).trim_end_matches('_');
    if name.len() > 1 { &name[1..] } else { name }
}

fn letters(routine: &Routine, stem: &str, name: &str) -> &'static [u8] {
    let c = routine.name.starts_with("cblas_");
    match name {
        "order" => &[101, 102],
        "trans" | "transa" | "transb" if c => &[111, 112, 113],
        "uplo" if c => &[121, 122],
        "diag" if c => &[131, 132],
        "side" if c => &[141, 142],
        "trans" if ["ormqr", "gels"].contains(&stem) => b"NT",
        "trans" | "transa" | "transb" => b"NTC",
        "uplo" => b"UL",
        "diag" => b"NU",
        "side" => b"LR",
        "jobz" if stem == "gesdd" => b"ASON",
        "jobu" | "jobvt" => b"ASON",
        "jobz" | "jobvl" | "jobvr" => b"NV",
        _ => panic!("{}: {name}", routine.name),
    }
}

/// Arguments by their names, all legal, but for the lengths of workspaces.
fn drawn(routine: &'static Routine, stem: &'static str, r: &mut Bytes<'_>) -> Vec<(&'static str, i64)> {
    let mut values: Vec<(&'static str, i64)> = vec![];
    for a in routine.arguments.iter().filter(|a| a.word) {
        values.push((a.name, i64::from(r.of(letters(routine, stem, a.name)))));
    }
    if stem == "gesvd" && values.iter().all(|v| v.1 == i64::from(b'O')) {
        values[0].1 = i64::from(b'N');
    }
    let integer = |a: &&Argument| is_integer(routine, a);
    for a in routine.arguments.iter().filter(integer) {
        let x = match a.name {
            "m" | "n" | "k" | "nrhs" => r.size(),
            "kl" | "ku" => r.size() % 6,
            "itype" => r.of(&[1, 2, 3]),
            _ if a.name.starts_with("inc") && !refuses(routine) => r.of(&[1, 1, 2, 3, 7, -1, -2, -5, 0]),
            _ if a.name.starts_with("inc") => r.of(&[1, 1, 1, 2, 3, 7, -1, -2, -5]),
            _ => continue,
        };
        values.push((a.name, i64::from(x)));
    }
    // Solvers take cubes of these.
    let at = |values: &[(&str, i64)], name| values.iter().position(|v| v.0 == name);
    if ["geev", "gesvd", "gesdd", "syev", "syevd", "sygv"].contains(&stem) {
        values.iter_mut().filter(|v| ["m", "n"].contains(&v.0)).for_each(|v| v.1 %= 40);
    }
    if let (true, Some(m), Some(n), Some(k)) =
        (stem == "orgqr", at(&values, "m"), at(&values, "n"), at(&values, "k"))
    {
        values[n].1 = values[n].1.min(values[m].1);
        values[k].1 = values[k].1.min(values[n].1);
    }
    if let (true, Some(k)) = (stem == "ormqr", at(&values, "k")) {
        let call = Call { routine, stem, values: &values };
        values[k].1 = values[k].1.min(call.shape("a").unwrap()[0] as i64);
    }
    for a in routine.arguments.iter().filter(integer).filter(|a| a.name.starts_with("ld")) {
        let least = least(&Call { routine, stem, values: &values }, a.name);
        values.push((a.name, least + i64::from(r.of(&[0, 0, 0, 1, 3, 16]))));
    }
    values
}

/// The least leading dimension.
fn least(call: &Call<'_>, name: &str) -> i64 {
    let shape = call.shape(&name[2..]).unwrap();
    let line = match call.stem {
        "gbmv" => call.size("kl") + call.size("ku") + 1,
        "sbmv" | "tbmv" | "tbsv" => call.size("k") + 1,
        _ => shape[usize::from(call.by_rows())],
    };
    line.max(1) as i64
}

fn is_integer(routine: &Routine, a: &Argument) -> bool {
    let fortran = !routine.name.starts_with("cblas_");
    !a.word && a.of == "int" && (!a.pointer || fortran && a.constant && a.name != "ipiv")
}

/// Whether an argument may be illegal, which of vectors with vectors none is but a flag of `rotm`.
fn refuses(routine: &Routine) -> bool {
    routine.arguments.iter().any(|a| a.word || a.name.starts_with("ld"))
}

fn is_scalar(routine: &Routine, a: &Argument) -> bool {
    let fortran = !routine.name.starts_with("cblas_");
    let one = ["alpha", "beta"].contains(&a.name)
        || fortran
            && a.constant
            && ["c", "s", "y1"].contains(&a.name)
            && stem(routine.name).starts_with("rot");
    !is_integer(routine, a) && !a.word && (!a.pointer || one)
}

/// Bytes of an element.
fn width(routine: &Routine, a: &Argument) -> usize {
    let complex_of_f64 = routine.name.trim_start_matches("cblas_").starts_with(['z', 'd']);
    match a.of {
        "double" => 8,
        "void" if complex_of_f64 => 16,
        "void" => 8,
        _ => 4,
    }
}

fn fill(routine: &Routine, a: &Argument, bytes: &mut [u8], kind: usize, r: &mut Bytes<'_>) {
    let double = a.of == "double" || a.of == "void" && width(routine, a) == 16;
    for part in bytes.chunks_mut(if double { 8 } else { 4 }) {
        let x = r.number(kind);
        if double {
            part.copy_from_slice(&x.to_ne_bytes())
        } else {
            part.copy_from_slice(&(x as f32).to_ne_bytes())
        }
    }
}

/// Memory for all arguments; the operands of a call that is refused have none.
fn memory(call: &Call<'_>, refused: bool, r: &mut Bytes<'_>) -> Vec<Value> {
    let routine = call.routine;
    let kind = r.byte() % 5;
    let mut all = vec![];
    for a in routine.arguments {
        if a.word {
            let x = call.get(a.name);
            all.push(if a.of == "char" {
                // Letters of either case are one.
                Value::of(&[if r.byte() & 1 == 0 { x as u8 } else { (x as u8).to_ascii_lowercase() }])
            } else {
                Value::of(&(x as c_int).to_ne_bytes())
            });
            continue;
        }
        if is_integer(routine, a) {
            all.push(Value::of(&(call.get(a.name) as c_int).to_ne_bytes()));
            continue;
        }
        let width = width(routine, a);
        if is_scalar(routine, a) {
            let mut bytes = vec![0; width];
            if !r.byte().is_multiple_of(4) {
                fill(routine, a, &mut bytes, kind, r);
            }
            all.push(Value::of(&bytes));
            continue;
        }
        let written = ["info", "work", "iwork"].contains(&a.name);
        let places = if refused && !written { vec![] } else { call.places(a.name) };
        let len = places.iter().max().map_or(0, |last| last + 1);
        let mut used = vec![false; len];
        places.iter().for_each(|i| used[*i] = true);
        let mut bytes = vec![0; len * width];
        if a.name == "ipiv" {
            for (i, p) in bytes.chunks_mut(4).enumerate() {
                let (n, odd) = (call.size("n") as c_int, r.byte());
                let p_ = match odd {
                    0 => r.of(&[c_int::MIN, -n - 1, 0, n + 1, c_int::MAX]),
                    1..16 => -(1 + r.byte() as c_int % n),
                    _ => (i as c_int + 1 + r.byte() as c_int % n).min(n),
                };
                p.copy_from_slice(&p_.to_ne_bytes());
            }
        } else if a.of != "int" {
            fill(routine, a, &mut bytes, kind, r);
        }
        if a.name == "param" {
            let flag: f64 = r.of(&[-2.0, -1.0, 0.0, 1.0, 0.5]);
            match width {
                8 => bytes[..8].copy_from_slice(&flag.to_ne_bytes()),
                _ => bytes[..4].copy_from_slice(&(flag as f32).to_ne_bytes()),
            }
        }
        all.push(Value::new(&bytes, used));
    }
    all
}

/// The call, which writes nothing that it is not to write; what was named.
fn checked(call: &Call<'_>, values: &[Value], refused: bool) -> c_int {
    let routine = call.routine;
    let before: Vec<Vec<u8>> = values.iter().map(Value::now).collect();
    NAMED.store(0, Ordering::Relaxed);
    (routine.call)(values);
    for ((a, v), old) in routine.arguments.iter().zip(values).zip(&before) {
        let (width, fixed) = (width(routine, a), a.constant || v.used.is_empty() || is_scalar(routine, a));
        let free = ["info", "work", "iwork"].contains(&a.name);
        for (i, (new, old)) in v.now().chunks(width).zip(old.chunks(width)).enumerate() {
            let may = free || !refused && !fixed && v.used[i];
            assert!(may || new == old, "{}: {} at {i} was written", shown(call), a.name);
        }
    }
    NAMED.load(Ordering::Relaxed)
}

fn shown(call: &Call<'_>) -> String {
    format!("{} {:?}", call.routine.name, call.values)
}

/// The position, from 1, of an argument, and an illegal value of it.
fn illegal(call: &Call<'_>, r: &mut Bytes<'_>) -> Option<(usize, i64)> {
    let routine = call.routine;
    if !refuses(routine) {
        return None;
    }
    let names: Vec<usize> = (0..routine.arguments.len())
        .filter(|i| routine.arguments[*i].word || is_integer(routine, &routine.arguments[*i]))
        .collect();
    let at = r.of(&names);
    let a = &routine.arguments[at];
    let negative = r.of(&[-1, -2, i64::from(c_int::MIN)]);
    let x = match a.name {
        _ if a.word => r.of(&[0, 1, i64::from(b'X'), i64::from(b'4'), 200]),
        "itype" => r.of(&[0, 4, negative]),
        "lwork" | "liwork" => r.of(&[call.get(a.name) - 1, -2, i64::from(c_int::MIN)]),
        _ if a.name.starts_with("ld") => r.of(&[least(call, a.name) - 1, 0, negative]),
        _ if a.name.starts_with("inc") => 0,
        _ => negative,
    };
    Some((at + 1, x))
}

fn one(bytes: &[u8]) {
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h: u64, c| (h ^ u64::from(*c)).wrapping_mul(0x0100_0000_01b3));
    let r = &mut Bytes(bytes, hash);
    let routine = &ROUTINES[r.byte() % ROUTINES.len()];
    let stem = stem(routine.name);
    let is = |name: &str| routine.arguments.iter().any(|a| a.name == name);
    let mut values = drawn(routine, stem, r);
    let at = |values: &[(&str, i64)], name: &str| values.iter().position(|v| v.0 == name).unwrap();
    if is("lwork") {
        values.push(("lwork", -1));
        if is("liwork") {
            values.push(("liwork", r.of(&[-1, 1])));
        }
        let call = Call { routine, stem, values: &values };
        let held = memory(&call, true, r);
        assert_eq!(checked(&call, &held, true), 0, "{}: a query is refused", shown(&call));
        let of = |name: &str| {
            routine.arguments.iter().position(|a| a.name == name).map(|i| (&routine.arguments[i], &held[i]))
        };
        let length = |(a, v): (&Argument, &Value)| match a.of {
            "int" => i64::from(v.int()),
            "float" => v.float() as i64,
            _ => v.double() as i64,
        };
        let lengths = [of("work").map(length), of("iwork").filter(|_| is("liwork")).map(length)];
        assert!(lengths.iter().flatten().all(|n| (1..1 << 24).contains(n)), "{}: {lengths:?}", shown(&call));
        for (name, length) in ["lwork", "liwork"].into_iter().zip(lengths) {
            if let Some(length) = length {
                let i = at(&values, name);
                values[i].1 = length;
            }
        }
    }
    let call = Call { routine, stem, values: &values };
    let wrong = if r.byte().is_multiple_of(4) { illegal(&call, r) } else { None };
    if let Some((position, x)) = wrong {
        let i = at(&values, routine.arguments[position - 1].name);
        values[i].1 = x;
        let call = Call { routine, stem, values: &values };
        let held = memory(&call, true, r);
        let named = checked(&call, &held, true);
        assert!((1..=position as c_int).contains(&named), "{}: {named} was named", shown(&call));
        if let Some(i) = routine.arguments.iter().position(|a| a.name == "info") {
            assert_eq!(held[i].int(), -named, "{}", shown(&call));
        }
        return;
    }
    let held = memory(&call, false, r);
    let named = checked(&call, &held, false);
    let odd = |a: &Argument| a.constant && ["ipiv", "param"].contains(&a.name);
    let ipiv = routine.arguments.iter().position(odd).map_or(0, |i| i as c_int + 1);
    assert!(named == 0 || named == ipiv, "{}: {named} was named", shown(&call));
    if let Some(i) = routine.arguments.iter().position(|a| a.name == "info") {
        let info = held[i].int();
        assert!(
            info >= 0 || -info == ipiv && named == ipiv || stem == "gesdd" && info == -4,
            "{}: {info}",
            shown(&call)
        );
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    unsafe { fulmen_set_xerbla(Some(named)) };
    one(bytes);
});
