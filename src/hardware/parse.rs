//! The reader of the facts. It runs in the compiler: every function is `const`, and the table is made from its result.

use super::facts::{Cpu, Device, Gpu, Language, MmaShape, MmaShapes, Scalar, Target};
use crate::lanes::Isa;

/// What is wrong with a text of facts, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong there.
    pub kind: FactErrorKind,
}

/// What can be wrong with a fact.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactErrorKind {
    /// Not a fact of the form `name(target, value).`
    Syntax,
    /// No predicate of this name.
    UnknownPredicate,
    /// The target has no `hardware_target` above.
    UnknownTarget,
    /// The value is of another kind, is zero, or does not fit.
    Value,
    /// The same fact twice.
    Duplicate,
    /// The target lacks a fact that every target of its kind needs.
    Missing(&'static str),
    /// The fact contradicts another of the same target.
    Contradiction(&'static str),
    /// More targets, or more shapes of a target, than there is room for.
    Capacity,
}

impl FactErrorKind {
    /// In words.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Syntax => "expected `name(target, value).`",
            Self::UnknownPredicate => "unknown predicate",
            Self::UnknownTarget => "no hardware_target fact above names this target",
            Self::Value => "the value is of another kind, is zero, or does not fit",
            Self::Duplicate => "the fact is given twice",
            Self::Missing(_) => "the target lacks the fact ",
            Self::Contradiction(_) => "the target's facts contradict ",
            Self::Capacity => "more targets or shapes than there is room for",
        }
    }
    /// The predicate that the message is about.
    #[must_use]
    pub const fn predicate(self) -> &'static str {
        match self {
            Self::Missing(p) | Self::Contradiction(p) => p,
            _ => "",
        }
    }
}

impl core::fmt::Display for FactError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "line {}: {}{}", self.line, self.kind.message(), self.kind.predicate())
    }
}

impl core::error::Error for FactError {}

/// What the value of a predicate is.
#[derive(Clone, Copy)]
enum Kind {
    /// A whole number above zero.
    Whole,
    /// A number above zero with at most three decimals, kept in thousandths.
    Decimal,
    /// One of these atoms; its place is kept.
    Atom(&'static [&'static str]),
}

const BOOL: Kind = Kind::Atom(&["false", "true"]);
const LANGUAGES: Kind = Kind::Atom(&["ptx", "wgsl", "rust"]);
const ISAS: Kind = Kind::Atom(&["portable", "sse2", "avx2", "avx512", "neon", "simd128"]);

/// Names each predicate of two arguments once: the constants index the table of them.
macro_rules! predicates {
    ($($K:ident $name:literal $kind:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "constants that index a table")]
        #[derive(Clone, Copy)]
        enum Key { $($K),* }
        const PREDICATES: [(&str, Kind); [$(Key::$K),*].len()] = [$(($name, $kind)),*];
    };
}

predicates! {
    LANGUAGE "hw_language" LANGUAGES;
    CAPABILITY "hw_compute_capability" Kind::Decimal;
    WARP "hw_warp_size" Kind::Whole;
    THREADS "hw_threads_per_block_max" Kind::Whole;
    THREADS_SM "hw_threads_per_sm_max" Kind::Whole;
    BLOCKS_SM "hw_blocks_per_sm_max" Kind::Whole;
    GRID_X "hw_grid_x_max" Kind::Whole;
    GRID_Y "hw_grid_y_max" Kind::Whole;
    SHARED "hw_shared_memory_per_block_max" Kind::Whole;
    OPTIN "hw_shared_memory_per_block_optin" Kind::Whole;
    SHARED_SM "hw_shared_memory_per_sm" Kind::Whole;
    RESERVED "hw_shared_memory_reserved_per_block" Kind::Whole;
    REGISTERS_SM "hw_registers_per_sm" Kind::Whole;
    REGISTERS "hw_registers_per_thread_max" Kind::Whole;
    UNIT "hw_register_allocation_unit" Kind::Whole;
    PARTS "hw_warp_allocation_unit" Kind::Whole;
    SHARED_UNIT "hw_shared_memory_allocation_unit" Kind::Whole;
    SMS "hw_sm_count" Kind::Whole;
    BANDWIDTH "hw_memory_bandwidth_gb_s" Kind::Decimal;
    FP32 "hw_fp32_flops_tflops" Kind::Decimal;
    FP16 "hw_fp16_flops_tflops" Kind::Decimal;
    TENSOR "hw_supports_tensor_cores" BOOL;
    ISA "hw_isa" ISAS;
    VECTOR "hw_vector_bits" Kind::Whole;
    VECTORS "hw_vector_registers" Kind::Whole;
    FMA "hw_supports_fma" BOOL;
    PIPES "hw_fma_pipes" Kind::Whole;
    LATENCY "hw_fma_latency" Kind::Whole;
    L1 "hw_l1_data_cache" Kind::Whole;
    L2 "hw_l2_cache" Kind::Whole;
    LINE "hw_cache_line" Kind::Whole;
}

const TARGET: &str = "hardware_target";
const SHAPES: &str = "hw_tensor_core_shapes";

/// The facts of one target as they are read; zero stands for a fact that is not there.
#[derive(Clone, Copy)]
struct Raw {
    name: &'static str,
    line: u32,
    /// Value plus one, so that the first atom of a list is not zero.
    values: [u64; PREDICATES.len()],
    shapes: MmaShapes,
}

impl Raw {
    const EMPTY: Self = Self { name: "", line: 0, values: [0; PREDICATES.len()], shapes: MmaShapes::EMPTY };

    const fn get(&self, key: Key) -> Option<u64> {
        match at(&self.values, key as usize) {
            Some(&v) if v > 0 => Some(v - 1),
            _ => None,
        }
    }
    /// A whole number; the reader refused what does not fit 32 bits.
    const fn whole(&self, key: Key) -> Option<u32> {
        match self.get(key) {
            Some(v) => Some(v as u32),
            None => None,
        }
    }
    const fn yes(&self, key: Key) -> bool {
        matches!(self.get(key), Some(1))
    }
    const fn need(&self, key: Key) -> Result<u32, FactError> {
        match self.whole(key) {
            Some(v) => Ok(v),
            None => Err(self.wrong(FactErrorKind::Missing(name_of(key)))),
        }
    }
    const fn wrong(&self, kind: FactErrorKind) -> FactError {
        FactError { line: self.line, kind }
    }
    const fn contradicts(&self, key: Key) -> FactError {
        self.wrong(FactErrorKind::Contradiction(name_of(key)))
    }
}

const fn name_of(key: Key) -> &'static str {
    match at(&PREDICATES, key as usize) {
        Some(p) => p.0,
        None => "",
    }
}

/// `slice[i]` in a `const fn`, without a panic.
pub(super) const fn at<T>(slice: &[T], i: usize) -> Option<&T> {
    match slice.split_at_checked(i) {
        Some((_, rest)) => rest.first(),
        None => None,
    }
}

pub(super) const fn at_mut<T>(slice: &mut [T], i: usize) -> Option<&mut T> {
    match slice.split_at_mut_checked(i) {
        Some((_, rest)) => rest.first_mut(),
        None => None,
    }
}

/// `a == b`, which a `const fn` cannot write.
pub(super) const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    while let (Some((x, more_a)), Some((y, more_b))) = (a.split_first(), b.split_first()) {
        if *x != *y {
            return false;
        }
        (a, b) = (more_a, more_b);
    }
    true
}

const fn place(list: &[&str], name: &str) -> Option<usize> {
    let mut i = 0;
    while let Some(&one) = at(list, i) {
        if same(one, name) {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// `?`, which a `const fn` cannot write.
macro_rules! get {
    ($e:expr) => {
        match $e {
            Ok(v) => v,
            Err(e) => return Err(e),
        }
    };
}

/// What is left of the text.
#[derive(Clone, Copy)]
struct Cursor {
    rest: &'static [u8],
    line: u32,
}

impl Cursor {
    const fn new(text: &'static str) -> Self {
        Self { rest: text.as_bytes(), line: 1 }
    }
    const fn wrong(&self, kind: FactErrorKind) -> FactError {
        FactError { line: self.line, kind }
    }
    const fn step(&mut self) {
        if let Some((&c, rest)) = self.rest.split_first() {
            self.line += (c == b'\n') as u32;
            self.rest = rest;
        }
    }
    const fn peek(&self) -> u8 {
        match self.rest.first() {
            Some(&c) => c,
            None => 0,
        }
    }
    /// Past blanks, comments and directives.
    const fn skip(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' | b'\n' => self.step(),
                b'%' => {
                    while !matches!(self.peek(), b'\n' | 0) {
                        self.step();
                    }
                }
                b':' => {
                    while !matches!(self.peek(), b'.' | 0) {
                        self.step();
                    }
                    self.step();
                }
                _ => return,
            }
        }
    }
    const fn expect(&mut self, c: u8) -> Result<(), FactError> {
        self.skip();
        if self.peek() == c {
            self.step();
            return Ok(());
        }
        Err(self.wrong(FactErrorKind::Syntax))
    }
    /// A small letter, then letters, digits and `_`.
    const fn atom(&mut self) -> Result<&'static str, FactError> {
        self.skip();
        let from = self.rest;
        if !self.peek().is_ascii_lowercase() {
            return Err(self.wrong(FactErrorKind::Syntax));
        }
        while self.peek().is_ascii_alphanumeric() || self.peek() == b'_' {
            self.step();
        }
        if let Some((word, _)) = from.split_at_checked(from.len() - self.rest.len())
            && let Ok(word) = core::str::from_utf8(word)
        {
            return Ok(word);
        }
        Err(self.wrong(FactErrorKind::Syntax))
    }
    /// A number in thousandths.
    const fn number(&mut self) -> Result<u64, FactError> {
        self.skip();
        if !self.peek().is_ascii_digit() {
            return Err(self.wrong(FactErrorKind::Value));
        }
        let mut value = 0u64;
        let mut decimals = 0;
        let mut point = false;
        loop {
            let c = self.peek();
            if c.is_ascii_digit() {
                if point {
                    decimals += 1;
                }
                let digit = (c - b'0') as u64;
                value = match value.checked_mul(10) {
                    Some(v) if v <= u64::MAX - 9 && decimals <= 3 => v + digit,
                    _ => return Err(self.wrong(FactErrorKind::Value)),
                };
            } else if c == b'.' && !point && matches!(self.rest, [_, b'0'..=b'9', ..]) {
                point = true;
            } else {
                break;
            }
            self.step();
        }
        while decimals < 3 {
            value = match value.checked_mul(10) {
                Some(v) => v,
                None => return Err(self.wrong(FactErrorKind::Value)),
            };
            decimals += 1;
        }
        Ok(value)
    }
    const fn whole(&mut self) -> Result<u32, FactError> {
        let v = get!(self.number());
        if v == 0 || v % 1000 != 0 || v / 1000 > u32::MAX as u64 {
            return Err(self.wrong(FactErrorKind::Value));
        }
        Ok((v / 1000) as u32)
    }
    const fn value(&mut self, kind: Kind) -> Result<u64, FactError> {
        match kind {
            Kind::Whole => Ok(get!(self.whole()) as u64),
            Kind::Decimal => {
                let v = get!(self.number());
                if v == 0 { Err(self.wrong(FactErrorKind::Value)) } else { Ok(v) }
            }
            Kind::Atom(list) => match place(list, get!(self.atom())) {
                Some(i) => Ok(i as u64),
                None => Err(self.wrong(FactErrorKind::Value)),
            },
        }
    }
    /// `[mma_shape(M, N, K), …]`, of one type.
    const fn shapes(&mut self, shapes: &mut MmaShapes) -> Result<(), FactError> {
        let name = get!(self.atom());
        let mut i = 0;
        let scalar = loop {
            match at(&Scalar::ALL, i) {
                Some(&s) if same(s.name(), name) => break s,
                Some(_) => i += 1,
                None => return Err(self.wrong(FactErrorKind::Value)),
            }
        };
        if shapes.has(scalar) {
            return Err(self.wrong(FactErrorKind::Duplicate));
        }
        get!(self.expect(b','));
        get!(self.expect(b'['));
        loop {
            if !same(get!(self.atom()), "mma_shape") {
                return Err(self.wrong(FactErrorKind::Syntax));
            }
            get!(self.expect(b'('));
            let m = get!(self.whole());
            get!(self.expect(b','));
            let n = get!(self.whole());
            get!(self.expect(b','));
            let k = get!(self.whole());
            get!(self.expect(b')'));
            if !shapes.push(MmaShape { scalar, m, n, k }) {
                return Err(self.wrong(FactErrorKind::Capacity));
            }
            self.skip();
            if self.peek() != b',' {
                return self.expect(b']');
            }
            self.step();
        }
    }
}

/// How many targets a text names: the length of the table that [`parse`] makes of it.
#[must_use]
pub const fn count(text: &'static str) -> usize {
    let mut cursor = Cursor::new(text);
    let mut n = 0;
    loop {
        cursor.skip();
        match cursor.atom() {
            Ok(word) => n += same(word, TARGET) as usize,
            // Whatever it is, `parse` meets it too and says what is wrong.
            Err(_) => return n,
        }
        while !matches!(cursor.peek(), b')' | 0) {
            cursor.step();
        }
        // The end of a fact is its full stop; brackets may close before.
        while !matches!(cursor.peek(), b'.' | 0) {
            cursor.step();
        }
        cursor.step();
    }
}

/// Reads `N` targets from facts; [`count`] gives `N`.
///
/// # Errors
/// The first fact that is malformed, unknown, given twice, or contradicts others; the first target that lacks one.
pub const fn parse<const N: usize>(text: &'static str) -> Result<[Target; N], FactError> {
    let mut raws = [Raw::EMPTY; N];
    let mut len = 0;
    let mut cursor = Cursor::new(text);
    loop {
        cursor.skip();
        if cursor.rest.is_empty() {
            break;
        }
        get!(fact(&mut cursor, &mut raws, &mut len));
    }
    if len != N {
        return Err(cursor.wrong(FactErrorKind::Capacity));
    }
    let mut targets = [Target::EMPTY; N];
    let mut i = 0;
    while let (Some(raw), Some(target)) = (at(&raws, i), at_mut(&mut targets, i)) {
        *target = get!(typed(raw));
        i += 1;
    }
    Ok(targets)
}

/// One fact, from its name to its full stop.
const fn fact(cursor: &mut Cursor, raws: &mut [Raw], len: &mut usize) -> Result<(), FactError> {
    let line = cursor.line;
    let predicate = get!(cursor.atom());
    get!(cursor.expect(b'('));
    let name = get!(cursor.atom());
    let mut known = 0;
    while let Some(raw) = at(raws, known) {
        if known >= *len || same(raw.name, name) {
            break;
        }
        known += 1;
    }
    if same(predicate, TARGET) {
        if known < *len {
            return Err(FactError { line, kind: FactErrorKind::Duplicate });
        }
        match at_mut(raws, *len) {
            Some(raw) => (raw.name, raw.line) = (name, line),
            None => return Err(FactError { line, kind: FactErrorKind::Capacity }),
        }
        *len += 1;
    } else {
        let raw = match at_mut(raws, known) {
            Some(raw) if known < *len => raw,
            _ => return Err(FactError { line, kind: FactErrorKind::UnknownTarget }),
        };
        get!(cursor.expect(b','));
        if same(predicate, SHAPES) {
            get!(cursor.shapes(&mut raw.shapes));
        } else {
            let mut key = 0;
            let kind = loop {
                match at(&PREDICATES, key) {
                    Some(p) if same(p.0, predicate) => break p.1,
                    Some(_) => key += 1,
                    None => return Err(FactError { line, kind: FactErrorKind::UnknownPredicate }),
                }
            };
            let value = get!(cursor.value(kind));
            match at_mut(&mut raw.values, key) {
                Some(place) if *place == 0 => *place = value + 1,
                _ => return Err(FactError { line, kind: FactErrorKind::Duplicate }),
            }
        }
    }
    get!(cursor.expect(b')'));
    // On the same line, so that the error names the fact that lacks it.
    if cursor.peek() != b'.' {
        return Err(cursor.wrong(FactErrorKind::Syntax));
    }
    cursor.step();
    Ok(())
}

const fn typed(raw: &Raw) -> Result<Target, FactError> {
    let language = match get!(raw.need(Key::LANGUAGE)) {
        0 => Language::Ptx,
        1 => Language::Wgsl,
        _ => Language::Rust,
    };
    let device = if matches!(language, Language::Rust) {
        Device::Cpu(get!(cpu(raw)))
    } else {
        Device::Gpu(get!(gpu(raw, language)))
    };
    Ok(Target { name: raw.name, language, device })
}

const fn gpu(raw: &Raw, language: Language) -> Result<Gpu, FactError> {
    let compute_capability = match raw.get(Key::CAPABILITY) {
        // One decimal: 8.6 is major 8, minor 6.
        Some(v) if v % 100 == 0 && v < 100_000 => Some([(v / 1000) as u32, (v % 1000 / 100) as u32]),
        Some(_) => return Err(raw.contradicts(Key::CAPABILITY)),
        None if matches!(language, Language::Ptx) => {
            return Err(raw.wrong(FactErrorKind::Missing(name_of(Key::CAPABILITY))));
        }
        None => None,
    };
    let gpu = Gpu {
        compute_capability,
        warp_size: get!(raw.need(Key::WARP)),
        threads_per_block_max: get!(raw.need(Key::THREADS)),
        threads_per_sm_max: raw.whole(Key::THREADS_SM),
        blocks_per_sm_max: raw.whole(Key::BLOCKS_SM),
        grid_max: [get!(raw.need(Key::GRID_X)), get!(raw.need(Key::GRID_Y))],
        shared_memory_per_block_max: get!(raw.need(Key::SHARED)),
        shared_memory_per_block_optin: raw.whole(Key::OPTIN),
        shared_memory_per_sm: raw.whole(Key::SHARED_SM),
        shared_memory_reserved_per_block: match raw.whole(Key::RESERVED) {
            Some(v) => v,
            None => 0,
        },
        registers_per_sm: raw.whole(Key::REGISTERS_SM),
        registers_per_thread_max: raw.whole(Key::REGISTERS),
        register_allocation_unit: raw.whole(Key::UNIT),
        warp_allocation_unit: raw.whole(Key::PARTS),
        shared_memory_allocation_unit: raw.whole(Key::SHARED_UNIT),
        sm_count: raw.whole(Key::SMS),
        memory_mb_s: raw.get(Key::BANDWIDTH),
        fp32_gflops: raw.get(Key::FP32),
        fp16_gflops: raw.get(Key::FP16),
        tensor_cores: get!(raw.need(Key::TENSOR)) == 1,
        shapes: raw.shapes,
    };
    // Facts that contradict each other would give tiles that do not fit.
    if !gpu.threads_per_block_max.is_multiple_of(gpu.warp_size) {
        return Err(raw.contradicts(Key::THREADS));
    }
    if let Some(sm) = gpu.threads_per_sm_max
        && (sm < gpu.threads_per_block_max || !sm.is_multiple_of(gpu.warp_size))
    {
        return Err(raw.contradicts(Key::THREADS_SM));
    }
    if let Some(optin) = gpu.shared_memory_per_block_optin
        && optin < gpu.shared_memory_per_block_max
    {
        return Err(raw.contradicts(Key::OPTIN));
    }
    if let Some(sm) = gpu.shared_memory_per_sm
        && (sm as u64) < gpu.shared_memory() as u64 + gpu.shared_memory_reserved_per_block as u64
    {
        return Err(raw.contradicts(Key::SHARED_SM));
    }
    if gpu.tensor_cores == gpu.shapes.is_empty() {
        return Err(raw.contradicts(Key::TENSOR));
    }
    if raw.get(Key::ISA).is_some() {
        return Err(raw.contradicts(Key::ISA));
    }
    Ok(gpu)
}

const fn cpu(raw: &Raw) -> Result<Cpu, FactError> {
    let cpu = Cpu {
        isa: match get!(raw.need(Key::ISA)) {
            0 => Isa::Portable,
            1 => Isa::Sse2,
            2 => Isa::Avx2,
            3 => Isa::Avx512,
            4 => Isa::Neon,
            _ => Isa::Simd128,
        },
        vector_bits: get!(raw.need(Key::VECTOR)),
        vector_registers: get!(raw.need(Key::VECTORS)),
        fma: match raw.get(Key::FMA) {
            Some(_) => raw.yes(Key::FMA),
            None => return Err(raw.wrong(FactErrorKind::Missing(name_of(Key::FMA)))),
        },
        fma_pipes: raw.whole(Key::PIPES),
        fma_latency: raw.whole(Key::LATENCY),
        l1_data_cache: raw.whole(Key::L1),
        l2_cache: raw.whole(Key::L2),
        cache_line: raw.whole(Key::LINE),
    };
    if !cpu.vector_bits.is_multiple_of(32) {
        return Err(raw.contradicts(Key::VECTOR));
    }
    if raw.get(Key::WARP).is_some() {
        return Err(raw.contradicts(Key::WARP));
    }
    Ok(cpu)
}
