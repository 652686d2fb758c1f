//! Chooses the tile that the performance model prefers, among those that fit the machine.

use super::cpu;
use super::error::{Limit, PlanError};
use super::machine::{Device, Gpu, Scalar, Target};
use super::tiling::{Choice, Form, Tile, evaluate};

/// Rows and columns of a product's tile that are tried.
const SIDES: [u32; 4] = [32, 64, 128, 256];
/// Steps of the inner dimension that are tried.
const STEPS: [u32; 4] = [8, 16, 32, 64];
/// Rows and columns of a thread that are tried.
const SHARES: [[u32; 2]; 4] = [[4, 4], [4, 8], [8, 4], [8, 8]];
/// Threads of a block of the other forms, the usual ones first.
const BLOCKS: [u32; 6] = [256, 128, 512, 64, 1024, 32];
/// Warps that keep the four schedulers of an SM busy, two each.
const ENOUGH_WARPS: u32 = 8;

/// The tile that our model prefers.
///
/// For a product on a GPU: of all tiles that fit, one with, in this order, eight warps on an SM; the most operations
/// per byte, up to twice the balance of the machine; the most products per operand in registers; two stages; 64 bytes
/// of each row per step; sixteen warps; the least shared memory. For the other forms: the block that fills an SM best,
/// 16 bytes a thread. For a CPU: the register tile.
///
/// # Errors
/// `NoTile` when none fits.
///
/// ```
/// use fulmen::hardware::{Form, Scalar, optimal_tile, target};
/// let choice = optimal_tile(target("sm_80").unwrap(), Form::Gemm, Scalar::F32)?;
/// assert_eq!([choice.tile.m, choice.tile.n], [128, 128]);
/// # Ok::<(), fulmen::hardware::PlanError>(())
/// ```
pub fn optimal_tile(target: &Target, form: Form, scalar: Scalar) -> Result<Choice, PlanError> {
    match &target.device {
        Device::Cpu(cpu) => cpu::choice(cpu, form, scalar),
        Device::Gpu(gpu) if matches!(form, Form::Gemm) => product_tile(gpu, scalar),
        Device::Gpu(gpu) => block_tile(gpu, form, scalar),
    }
}

/// The order of the model: larger is better.
fn merit(choice: &Choice) -> [u64; 7] {
    let warps = choice.occupancy.map_or(0, |o| o.warps);
    let [rows, cols] = choice.tile.per_thread.map(u64::from);
    let most = choice.balance.map_or(u64::MAX, |b| b.saturating_mul(2));
    [
        warps.min(ENOUGH_WARPS).into(),
        choice.intensity.min(most),
        1000 * rows * cols / (rows + cols),
        choice.tile.stages.into(),
        u64::from(choice.tile.k * choice.scalar.bytes()).min(64),
        warps.min(2 * ENOUGH_WARPS).into(),
        u64::from(u32::MAX - choice.shared_bytes),
    ]
}

fn product_tile(gpu: &Gpu, scalar: Scalar) -> Result<Choice, PlanError> {
    let mut best: Option<([u64; 7], Choice)> = None;
    for m in SIDES {
        for n in SIDES {
            for k in STEPS {
                for per_thread in SHARES {
                    for stages in [1, 2] {
                        let tile = Tile { m, n, k, per_thread, stages };
                        let Ok(choice) = evaluate(gpu, Form::Gemm, scalar, tile) else { continue };
                        let merit = merit(&choice);
                        if best.is_none_or(|(most, _)| merit > most) {
                            best = Some((merit, choice));
                        }
                    }
                }
            }
        }
    }
    best.map(|(_, choice)| choice).ok_or(PlanError::NoTile { limit: Limit::SharedMemory })
}

fn block_tile(gpu: &Gpu, form: Form, scalar: Scalar) -> Result<Choice, PlanError> {
    let each = 16 / scalar.bytes();
    let mut best: Option<(u32, Choice)> = None;
    for threads in BLOCKS {
        let tile = Tile { m: 1, n: threads * each, k: 1, per_thread: [1, each], stages: 1 };
        let Ok(choice) = evaluate(gpu, form, scalar, tile) else { continue };
        let warps = choice.occupancy.map_or(0, |o| o.warps);
        if best.is_none_or(|(most, _)| warps > most) {
            best = Some((warps, choice));
        }
    }
    best.map(|(_, choice)| choice).ok_or(PlanError::NoTile { limit: Limit::Threads })
}
