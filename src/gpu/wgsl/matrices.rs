//! The matrix product `C ← α·A·B + β·C` of `f16` with sums in `f32` by cooperative matrices, an extension of WGSL in
//! wgpu, where an adapter has it. A block of threads computes a tile through workgroup memory, and each 32 of its
//! threads compute a part of it in matrices of 16 × 16. The next pieces of A and B are loaded while the current ones
//! are multiplied.

use alloc::format;
use alloc::string::String;

/// How a product is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matrices {
    /// Rows and columns that a block computes.
    pub tile: [u32; 2],
    /// Depth that is in workgroup memory at a time.
    pub depth: u32,
    /// Rows and columns that 32 threads compute.
    pub part: [u32; 2],
}

/// Neighbours that are moved at once, 16 bytes of them: what pitches and the starts of operands are multiples of.
pub const NEIGHBOURS: u32 = 8;
/// Rows of tiles that are worked on together, so that their columns of B stay in the cache.
const BAND: u32 = 8;

impl Matrices {
    /// For products of many tiles. Two pieces at once, parts of 64 × 32 and larger tiles were slower on an H100.
    pub const LARGE: Self = Self { tile: [128, 128], depth: 32, part: [64, 64] };

    /// Threads of a block.
    #[must_use]
    pub const fn threads(self) -> u32 {
        let ([m, n], [rows, cols]) = (self.tile, self.part);
        (m / rows) * (n / cols) * 32
    }

    /// Lines of a side in workgroup memory, and neighbours of a line: `along` says whether these go along the depth.
    const fn lines(self, side: usize, along: bool) -> [u32; 2] {
        let span = if side == 0 { self.tile[0] } else { self.tile[1] };
        if along { [span, self.depth / NEIGHBOURS] } else { [self.depth, span / NEIGHBOURS] }
    }

    /// Bytes of workgroup memory that any form takes.
    #[must_use]
    pub const fn shared(self) -> u32 {
        let mut all = 0;
        let mut side = 0;
        while side < 2 {
            let [deep, flat] = [self.lines(side, true), self.lines(side, false)];
            let [deep, flat] = [deep[0] * (deep[1] + 1), flat[0] * (flat[1] + 1)];
            all += if deep > flat { deep } else { flat };
            side += 1;
        }
        all * 16
    }
}

/// One operand while it is copied to workgroup memory: what is different between A and B, and between rows and columns that are contiguous.
struct Side {
    name: char,
    role: char,
    lines: u32,
    /// Groups of neighbours in a line, and from one line of workgroup memory to the next: one more, so that lines start in
    /// different banks.
    groups: u32,
    pitch: u32,
    /// Whether lines are rows of the matrix.
    rows: bool,
    along: bool,
    pieces: u32,
    threads: u32,
}

impl Side {
    fn new(of: Matrices, side: usize, along: bool) -> Self {
        let [lines, groups] = of.lines(side, along);
        let (name, role) = if side == 0 { ('a', 'A') } else { ('b', 'B') };
        let pieces = lines * groups / of.threads();
        Self {
            name,
            role,
            lines,
            groups,
            pitch: groups + 1,
            rows: along == (side == 0),
            along,
            pieces,
            threads: of.threads(),
        }
    }

    /// Lines from one piece of a thread to its next.
    fn step(&self) -> u32 {
        self.threads / self.groups
    }

    /// Where this thread's first piece is; `first` is the block's first row or column.
    fn start(&self, first: &str, word: u32) -> String {
        let Self { name, groups, .. } = self;
        let at = match self.along {
            true => format!("({first} + line_{name}) * pitch_{name} + group_{name}"),
            false => format!("line_{name} * pitch_{name} + {first} / 8u + group_{name}"),
        };
        format!(
            "  let pitch_{name} = {} / 8u;\n  let line_{name} = tid / {groups}u;\n  let group_{name} = tid % {groups}u;\n  \
             var at_{name} = {} / 4u + {at};\n",
            params(if self.role == 'A' { 1 } else { 2 }),
            params(word),
        )
    }

    fn read(&self, declare: &str) -> String {
        let Self { name, .. } = self;
        (0..self.pieces)
            .map(|k| {
                format!(
                    "    {declare}{name}{k} = b{name}[at_{name} + {}u * pitch_{name}];\n",
                    k * self.step()
                )
            })
            .collect()
    }

    fn write(&self) -> String {
        let Self { name, pitch, .. } = self;
        let place = |k| format!("(line_{name} + {}u) * {pitch}u + group_{name}", k * self.step());
        (0..self.pieces).map(|k| format!("    tile_{name}[{}] = {name}{k};\n", place(k))).collect()
    }

    /// To the next piece of the depth.
    fn next(&self, depth: u32) -> String {
        let Self { name, .. } = self;
        match self.along {
            true => format!("at_{name} += {}u;", depth / NEIGHBOURS),
            false => format!("at_{name} += {depth}u * pitch_{name};"),
        }
    }

    /// The matrix at `k` rows or columns past the part's first, at depth `p`.
    fn load(&self, k: u32, p: u32) -> String {
        let Self { name, role, pitch, .. } = self;
        let at = match self.along {
            true => format!("(first_{name} + {k}u) * {pitch}u + {}u", p / NEIGHBOURS),
            false => format!("{p}u * {pitch}u + first_{name} / 8u + {}u", k / NEIGHBOURS),
        };
        let turn = if self.rows { "T" } else { "" };
        format!(
            "    let {name}_{p}_{k} = coopLoad{turn}<coop_mat16x16<f16, {role}>>(&tile_{name}[{at}].low, {}u);\n",
            2 * pitch
        )
    }
}

fn params(word: u32) -> String {
    format!("params[{}][{}]", word / 4, word % 4)
}

/// The text. `along` says of A and of B whether their depth is contiguous; else it is the rows of A, the columns of B.
///
/// Bindings: A, B, C, then the words: the depth, elements from one line of A, B and C to the next, α, β, the words at which
/// A, B and C start. C is row by row. Rows and columns are multiples of the tile's, the depth of the piece's, the lines of A
/// and B of eight elements. C is not read where β is 0. Launch `columns / tile` × `rows / tile` blocks.
#[must_use]
pub fn matrices(of: Matrices, along: [bool; 2]) -> String {
    let [m, n] = of.tile;
    let [rows, cols] = of.part;
    let (threads, depth, across) = (of.threads(), of.depth, n / cols);
    let [a, b] = [Side::new(of, 0, along[0]), Side::new(of, 1, along[1])];
    let sides = [&a, &b];
    let both = |f: &dyn Fn(&Side) -> String| -> String { sides.into_iter().map(f).collect() };
    let places = || (0..rows).step_by(16).flat_map(|i| (0..cols).step_by(16).map(move |j| (i, j)));
    let sums: String =
        places().map(|(i, j)| format!("  var sum_{i}_{j}: coop_mat16x16<f32, C>;\n")).collect();
    let mut products = String::new();
    for p in (0..depth).step_by(16) {
        products.extend((0..rows).step_by(16).map(|i| a.load(i, p)));
        products.extend((0..cols).step_by(16).map(|j| b.load(j, p)));
        products.extend(places().map(|(i, j)| {
            format!("    sum_{i}_{j} = coopMultiplyAdd(a_{p}_{i}, b_{p}_{j}, sum_{i}_{j});\n")
        }));
    }
    let store = |(i, j): (u32, u32), value: &str| format!("coopStoreT({value}, &bc[to_{i}_{j}], pitch_c);\n");
    let to = |(i, j): (u32, u32)| format!("    let to_{i}_{j} = to + {i}u * pitch_c + {j}u;\n    ");
    let plain: String =
        places().map(|at @ (i, j)| to(at) + &store(at, &format!("sum_{i}_{j} * alpha"))).collect();
    let added: String = places()
        .map(|at @ (i, j)| {
            to(at)
                + &format!(
                    "let old_{i}_{j} = coopLoadT<coop_mat16x16<f32, C>>(&bc[to_{i}_{j}], pitch_c);\n    "
                )
                + &store(at, &format!("sum_{i}_{j} * alpha + old_{i}_{j} * beta"))
        })
        .collect();
    format!(
        "enable f16;
enable wgpu_cooperative_matrix;
struct Eight {{ low: vec4<f16>, high: vec4<f16> }}
@group(0) @binding(0) var<storage, read> ba: array<Eight>;
@group(0) @binding(1) var<storage, read> bb: array<Eight>;
@group(0) @binding(2) var<storage, read_write> bc: array<f32>;
@group(0) @binding(3) var<uniform> params: array<vec4<u32>, 3>;
var<workgroup> tile_a: array<Eight, {all_a}>;
var<workgroup> tile_b: array<Eight, {all_b}>;
@compute @workgroup_size({threads})
fn main(@builtin(local_invocation_index) tid: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  let block = group.y * groups.x + group.x;
  let band = block / ({BAND}u * groups.x);
  let within = block % ({BAND}u * groups.x);
  let high = min(groups.y - band * {BAND}u, {BAND}u);
  let row = (band * {BAND}u + within % high) * {m}u;
  let col = within / high * {n}u;
  let warp = tid / 32u;
  let first_a = warp / {across}u * {rows}u;
  let first_b = warp % {across}u * {cols}u;
{starts}{sums}{first}{put}  workgroupBarrier();
  let turns = {depths} / {depth}u;
  for (var turn = 0u; turn < turns; turn++) {{
    if turn + 1u < turns {{ {next} }}
{read}{products}    workgroupBarrier();
{put}    workgroupBarrier();
  }}
  let pitch_c = {pitch_c};
  let to = {start_c} + (row + first_a) * pitch_c + col + first_b;
  let alpha = bitcast<f32>({alpha});
  let beta = bitcast<f32>({beta});
  if beta == 0.0f {{
{plain}  }} else {{
{added}  }}
}}
",
        all_a = a.lines * a.pitch,
        all_b = b.lines * b.pitch,
        starts = a.start("row", 6) + &b.start("col", 7),
        first = both(&|s| s.read("var ")),
        put = both(&Side::write),
        next = both(&|s| s.next(depth) + " "),
        read = both(&|s| s.read("")),
        depths = params(0),
        pitch_c = params(3),
        alpha = params(4),
        beta = params(5),
        start_c = params(8),
    )
}
