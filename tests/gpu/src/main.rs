//! Every op of the list that has a kernel, on the adapter that `FULMEN_ADAPTER` names (any, without it): its worst error
//! beside what its contract allows. Fails where one is neither within the bound nor excused. With `FULMEN_DEVICE=cuda`
//! through NVIDIA's driver, in `f64` too; `FULMEN_PART` runs one part of that.
#![allow(dead_code, reason = "shared with the other tests")]

#[path = "../../common"]
mod shared {
    pub mod blas;
    pub mod call;
    pub mod compared;
    pub mod device;
    #[cfg(feature = "half")]
    pub mod endings;
    pub mod layers;
    pub mod lz4;
    pub mod matrix;
    pub mod nn;
    pub mod seed;
    #[cfg(feature = "half")]
    pub mod stored;
}
#[path = "../../reference"]
mod reference {
    pub use dense::dd;
    pub mod reduce;
    pub mod rows;
    pub mod story;
    pub mod unary;
}
use shared::{blas, call, compared, device, layers, matrix, nn, seed};

/// Rows and columns, and tokens and pairs: past a block's threads and the rows that one block adds.
const SHAPES: [[usize; 2]; 9] =
    [[1, 1], [3, 7], [2, 130], [35, 3], [4, 9], [70, 300], [9, 1], [5, 128], [1, 2052]];
/// Products of 16-bit matrices: whole tiles of cooperative matrices in all layouts, and others.
#[cfg(feature = "half")]
#[cfg(feature = "half")]
const BYTES: [[usize; 3]; 7] =
    [[3, 5, 9], [128, 128, 64], [80, 48, 144], [65, 40, 33], [33, 70, 0], [130, 64, 160], [64, 272, 96]];
#[cfg(feature = "half")]
const HALVES: [[usize; 3]; 12] = [
    [128, 128, 32],
    [128, 256, 96],
    [256, 128, 64],
    [384, 128, 160],
    [3, 5, 9],
    [128, 128, 64],
    [70, 131, 33],
    [2, 3, 0],
    [1, 1, 1],
    [65, 63, 17],
    [5, 70, 9],
    [130, 65, 70],
];
/// Heads, those of keys, elements, queries, keys; whether later keys are hidden, the window. Every third lies as tensor maps
/// read it.
#[cfg(feature = "half")]
const HALF_HEADS: [([usize; 5], bool, Option<usize>); 27] = [
    ([2, 1, 64, 200, 300], true, None),
    ([1, 1, 128, 20, 290], true, None),
    ([4, 2, 128, 300, 700], false, None),
    // Gradients by warp groups too.
    ([2, 2, 64, 256, 256], true, None),
    ([1, 1, 64, 70, 270], true, Some(40)),
    ([1, 1, 128, 4, 2], false, Some(1)),
    ([70, 35, 64, 140, 150], true, None),
    ([5, 1, 64, 130, 16_400], true, Some(40)),
    ([2, 1, 5, 7, 9], true, None),
    ([1, 1, 128, 128, 128], false, None),
    ([2, 2, 64, 3, 5], false, None),
    ([1, 1, 72, 40, 130], false, None),
    // Heads of other widths: rows that tensor maps read, that are copied, and columns in turn.
    ([3, 1, 80, 400, 700], true, None),
    ([2, 2, 96, 193, 500], false, None),
    ([2, 1, 112, 192, 300], true, Some(90)),
    ([2, 1, 160, 300, 400], true, None),
    ([2, 2, 192, 250, 600], false, None),
    ([1, 1, 256, 129, 330], true, Some(140)),
    ([2, 1, 256, 256, 700], true, None),
    ([1, 1, 176, 140, 260], false, None),
    ([2, 2, 240, 70, 300], true, None),
    ([3, 1, 16, 500, 400], true, None),
    ([2, 2, 32, 200, 300], false, None),
    ([1, 1, 48, 385, 300], true, Some(33)),
    ([2, 1, 200, 150, 257], true, None),
    ([2, 1, 33, 150, 280], true, None),
    ([1, 1, 251, 64, 100], false, None),
];
const HEADS: [[usize; 2]; 12] = [
    [3, 5],
    [2, 4],
    [7, 2],
    [1, 1],
    [131, 2],
    [40, 64],
    [150, 16],
    [2, 33],
    [200, 64],
    [195, 128],
    [130, 100],
    [64, 20],
];

/// Transforms past what a block of 16 KiB transforms, by two parts, and of other primes.
const LENGTHS: [usize; 6] = [2048, 4096, 12000, 1 << 16, 1009, 4099];

/// Rows of triangles past those that one block works on.
const FAR: [usize; 2] = [130, 300];

// The program `llm`, whose modules know each other from the root.
macro_rules! program {
    ($($module:ident $path:literal)*) => { $(#[path = $path] mod $module;)* };
}
program! {
    bench "../../../examples/llm/bench.rs"
    chart "../../../examples/common/chart.rs"
    chat "../../../examples/llm/chat.rs"
    cli "../../../examples/llm/cli.rs"
    config "../../../examples/llm/config.rs"
    files "../../../examples/common/files.rs"
    gguf "../../../examples/llm/gguf.rs"
    machine "../../../examples/llm/machine.rs"
    memory "../../../examples/llm/memory.rs"
    model "../../../examples/llm/model.rs"
    program "../../../examples/common/program.rs"
    progress "../../../examples/common/progress.rs"
    tokens "../../../examples/llm/tokens.rs"
    train "../../../examples/llm/train.rs"
    vocabulary "../../../examples/llm/vocabulary.rs"
    weights "../../../examples/llm/weights.rs"
}

#[cfg(feature = "wgpu")]
mod any;
#[cfg(feature = "nccl")]
mod cards;
#[cfg(feature = "cuda")]
mod cuda;
mod llm;
#[cfg(feature = "collective")]
#[path = "../../../examples/llm/ranks.rs"]
mod ranks;

use fulmen::gpu::device::{Launch, Program};
use fulmen::gpu::template::Argument;
use fulmen::gpu::{Builder, U64, Value};
use std::process::ExitCode;

fn main() -> ExitCode {
    let asked = std::env::var("FULMEN_DEVICE").unwrap_or_default();
    let done = match asked.as_str() {
        #[cfg(feature = "wgpu")]
        "" | "wgpu" => any::run(),
        #[cfg(feature = "cuda")]
        "cuda" => match std::env::var(cuda::PART) {
            Ok(part) => cuda::part(&part),
            Err(_) => cuda::run(),
        },
        other => {
            eprintln!("FULMEN_DEVICE={other}: there are wgpu and cuda");
            return ExitCode::FAILURE;
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all are within their bounds. Those that are not come last, where the gate's summary and the end of a log keep them.
fn report(ran: &[device::Worst]) -> bool {
    let line = |w: &device::Worst| {
        format!("{:20} {:8.3} of the bound ({:e}, exactly {:e})", w.op, w.share, w.got, w.want)
    };
    // A share that is NaN is past the bound.
    let (within, past): (Vec<_>, Vec<_>) = ran.iter().partition(|w| w.share <= 1.0);
    within.iter().for_each(|w| println!("{}", line(w)));
    past.iter().for_each(|w| println!("{}  PAST IT", line(w)));
    past.is_empty()
}

fn kernel(name: &str, body: impl for<'b> FnOnce(&'b Builder, Value<'b, U64>)) -> Launch {
    let b = Builder::new(name);
    body(&b, b.param::<U64>());
    let program = Program::new(b.finish().expect("it is a kernel")).into();
    Launch { program, grid: [1; 3], block: [1; 3], arguments: vec![Argument::Buffer(0)] }
}
