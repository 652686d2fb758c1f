//! The trait of devices, which run kernels. A launch is data; a device allocates, writes, launches a list, reads, and
//! reports its properties.
//!
//! [`Host`] is the interpreter as such a device, so that all code for devices runs without one.

mod error;
mod host;

pub use error::Error;
pub use host::{Buffer, Host};

use super::ir::Kernel;
use super::pass;
use super::template::{Argument, Meet};
use crate::hardware::Language;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Write;

/// A kernel, and a key of its content: devices keep what they compile under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    kernel: Kernel,
    key: u128,
    text: Option<String>,
    own: bool,
}

impl Program {
    /// The kernel as it is.
    #[must_use]
    pub fn new(kernel: Kernel) -> Self {
        let mut hash = Fnv::default();
        // Writing to a hash does not fail.
        let _ = write!(hash, "{kernel:?}");
        Self { kernel, key: hash.0, text: None, own: false }
    }

    /// A text in the device's language, which says more than a kernel can. The kernel has its name, parameters, threads and
    /// shared memory, and does nothing. Buffers are bound in the order of the parameters; the last is written.
    #[must_use]
    pub fn written(kernel: Kernel, text: String) -> Self {
        let mut hash = Fnv::default();
        let _ = write!(hash, "{kernel:?}{text}");
        Self { kernel, key: hash.0, text: Some(text), own: false }
    }

    /// The optimised kernel.
    #[must_use]
    pub fn optimised(mut kernel: Kernel) -> Self {
        pass::optimise(&mut kernel);
        Self::new(kernel)
    }

    /// The kernel.
    #[must_use]
    pub const fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// As one of this crate's: the interpreter runs its kernels with every access checked, so that a device need not.
    #[must_use]
    pub(super) fn own(self) -> Self {
        Self { own: true, ..self }
    }

    /// Whether it is one of this crate's.
    #[cfg(feature = "wgpu")]
    pub(super) const fn is_own(&self) -> bool {
        self.own
    }

    /// The text, of a program that is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Equal for equal kernels, another for all others.
    #[must_use]
    pub const fn key(&self) -> u128 {
        self.key
    }
}

/// FNV-1a of 128 bits.
pub(super) struct Fnv(pub(super) u128);
impl Default for Fnv {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}
impl Fnv {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
        self.0 = bytes.iter().fold(self.0, |h, b| (h ^ u128::from(*b)).wrapping_mul(PRIME));
    }
}
impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

/// A launch of one kernel. The buffers of its arguments are the numbers of bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The kernel.
    pub program: Arc<Program>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// The arguments, as many as the kernel has parameters, in their order.
    pub arguments: Vec<Argument>,
}

/// A part of a buffer.
#[derive(Debug)]
pub struct Binding<'a, B> {
    /// The buffer.
    pub buffer: &'a B,
    /// Where the part starts, in bytes: a multiple of the elements' width.
    pub start: u64,
    /// Bytes from there on that the launches may touch.
    pub bytes: u64,
}

impl<B> Clone for Binding<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B> Copy for Binding<'_, B> {}

/// A part of a buffer, and where it goes on the host.
#[derive(Debug)]
pub struct Readback<'a, B> {
    /// The buffer.
    pub buffer: &'a B,
    /// Where the part starts, in bytes: a multiple of 4.
    pub start: u64,
    /// As many bytes as are read: a multiple of 4.
    pub to: &'a mut [u8],
}

/// What a device refuses beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a buffer.
    pub buffer: u64,
    /// Bytes of a buffer that one kernel reaches.
    pub binding: u64,
    /// Buffers of a kernel.
    pub bindings: u32,
    /// Blocks of a launch.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of memory that a block shares.
    pub shared: u32,
}

/// What a device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its name, as errors tell it.
    pub name: String,
    /// What its kernels are written in.
    pub language: Language,
    /// How threads of its blocks meet.
    pub meet: Meet,
    /// Whether it has the barriers, tensor loads and products of warp groups that Hopper has.
    pub groups: bool,
    /// Whether it has products of matrices of 16 × 16 `f16` that 32 threads share, as wgpu's extension of WGSL says them.
    pub matrices: bool,
    /// Whether what compiles its kernels takes long for long ones: products and attention are then not by large tiles.
    pub short: bool,
    /// Blocks that run at once, about: grids of loops are as large.
    pub blocks: u32,
    /// The limits.
    pub limits: Limits,
}

impl Facts {
    /// Refuses more than there is of something.
    pub(super) fn limit(&self, what: &'static str, asked: u64, available: u64) -> Result<(), Error> {
        if asked <= available {
            return Ok(());
        }
        Err(Error::Limit { device: self.name.clone(), what, asked, available })
    }

    /// Refuses a part of a buffer of `available` bytes that is not in it, or starts or ends inside a word.
    pub(super) fn range(&self, start: u64, bytes: u64, available: u64) -> Result<(), Error> {
        let inside = start.checked_add(bytes).is_some_and(|end| end <= available);
        if inside && start.is_multiple_of(4) && bytes.is_multiple_of(4) {
            return Ok(());
        }
        Err(Error::Range { device: self.name.clone(), start, bytes, available })
    }
}

/// Which of these names is wanted: the one with this index, or the first with this in it (of any case), or the first for
/// nothing.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
#[allow(dead_code, reason = "devices are for some targets")]
pub(super) fn choose(wanted: &str, names: Vec<String>) -> Result<usize, Error> {
    let wanted = wanted.trim();
    let name = wanted.to_lowercase();
    let at = match name.parse::<usize>() {
        Ok(index) => (index < names.len()).then_some(index),
        Err(_) => names.iter().position(|f| f.to_lowercase().contains(&name)),
    };
    at.ok_or_else(|| Error::NoAdapter { wanted: wanted.into(), found: names })
}

/// What runs kernels. Work is done in the order in which it is given, some time later; [`Device::read`] is ready after it.
pub trait Device: core::fmt::Debug + 'static {
    /// Memory of the device.
    type Buffer: core::fmt::Debug;

    /// What it is.
    fn facts(&self) -> &Facts;

    /// Memory, with anything in it.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than a buffer holds or the device has, [`Error::Lost`].
    fn allocate(&self, bytes: u64) -> Result<Self::Buffer, Error>;

    /// Whether [`Device::part`] cuts buffers.
    fn divides(&self) -> bool {
        false
    }

    /// Memory that lies in a buffer of [`Device::allocate`], which stays as long as its parts do: bytes `start..start + bytes` of it,
    /// where `start` is a multiple of 256. Nothing where they are not all there or buffers are not divided.
    fn part(&self, _of: &Self::Buffer, _start: u64, _bytes: u64) -> Option<Self::Buffer> {
        None
    }

    /// A number that no other buffer of the device has at the same time.
    fn number(&self, buffer: &Self::Buffer) -> u64;

    /// So many bytes at the start of this memory get elements that are no whole words. Kernels read a word and write a part of it,
    /// also where nothing has written the rest: what tells apart whether memory was written takes these bytes for written.
    fn shares_words(&self, _buffer: &Self::Buffer, _bytes: u64) {}

    /// From the host, which may change `bytes` at once. Start and length are multiples of 4.
    ///
    /// # Errors
    /// [`Error::Range`], [`Error::Lost`].
    fn write(&self, to: &Self::Buffer, start: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Runs kernels one after the other; each sees what those before it wrote. Nothing runs if one is refused.
    ///
    /// Numbers, limits and the number of arguments are checked; what the kernel does with them is not, but by the interpreter. The
    /// methods of [`Gpu`](super::backend::Gpu) are safe, as their launches are those of this crate's kernels with counts of the views
    /// that they were given. A program of one's own says that it knows what its kernel touches:
    /// ```compile_fail,E0133
    /// use fulmen::gpu::device::{Binding, Device, Error, Launch};
    /// fn safely<D: Device>(device: &D, list: &[Launch], bindings: &[Binding<'_, D::Buffer>]) -> Result<(), Error> {
    ///     device.launch(list, bindings)
    /// }
    /// ```
    ///
    /// # Safety
    /// With these arguments no kernel of the list reads or writes memory outside of the bindings that its arguments name, in any
    /// address space: [`Argument::Bits`] are no addresses, and counts among them are not beyond the bindings. So page-locked memory of
    /// the host, which is handed out as a slice, is not touched. A program in the device's language
    /// ([`Program::written`]) is what it says that it is. Threads of a block do not race, loops end.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::Refused`], [`Error::Kernel`], [`Error::Arguments`], [`Error::Range`], [`Error::Lost`].
    unsafe fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Self::Buffer>]) -> Result<(), Error>;

    /// Takes the last launch of the list that is open back, if that has not started, and puts one of this program and grid in
    /// its place, whose arguments are those that it had and then these. Says whether it did.
    ///
    /// # Safety
    /// That of [`Device::launch`], for all arguments.
    ///
    /// # Errors
    /// Those of [`Device::launch`].
    unsafe fn amend(&self, _launch: &Launch, _bindings: &[Binding<'_, Self::Buffer>]) -> Result<bool, Error> {
        Ok(false)
    }

    /// What is launched until [`Device::end`] may wait for that, and start as one. Nothing else waits: a write or a read
    /// starts what was launched before it. May be nested.
    fn begin(&self) {}

    /// Starts what waits. Once for each [`Device::begin`].
    ///
    /// # Errors
    /// [`Error::Lost`].
    fn end(&self) -> Result<(), Error> {
        Ok(())
    }

    /// To the host, after all work given before, which is waited for once. Nothing is written but all of it.
    ///
    /// # Errors
    /// [`Error::Range`], [`Error::Lost`], and what went wrong in the work before.
    fn read(&self, parts: &mut [Readback<'_, Self::Buffer>]) -> impl Future<Output = Result<(), Error>>;
}

/// A device that a thread may wait for: all but those of a browser.
pub trait Blocking: Device {
    /// Lets the device's work go on, for a while at most, until something may have ended: between two polls of
    /// [`Device::read`] that is not ready. A device that reads at once has nothing to do here.
    fn turn(&self) {}

    /// As [`Device::read`] of one part; this thread waits.
    ///
    /// # Errors
    /// Those of [`Device::read`].
    fn read_now(&self, buffer: &Self::Buffer, start: u64, to: &mut [u8]) -> Result<(), Error> {
        self.wait(self.read(&mut [Readback { buffer, start, to }]))
    }

    /// What the future of a read comes to.
    fn wait<F: Future>(&self, f: F) -> F::Output {
        crate::backend::wait(f, || self.turn())
    }
}

/// A device that has arithmetic of this element type. A program that asks another for it does not compile.
pub trait Computes<T>: Device {}

/// Refuses a launch that the limits do not admit or whose arguments are not those of its kernel.
///
/// # Errors
/// [`Error::Limit`], [`Error::Arguments`].
pub fn check(facts: &Facts, launch: &Launch, bindings: usize) -> Result<(), Error> {
    check_behind(facts, launch, bindings, 0)
}

/// [`check`] of a launch whose arguments come behind so many.
pub(super) fn check_behind(
    facts: &Facts,
    launch: &Launch,
    bindings: usize,
    before: usize,
) -> Result<(), Error> {
    let limits = &facts.limits;
    let kernel = launch.program.kernel();
    for (what, asked, available) in [
        ("blocks along x", launch.grid[0], limits.grid[0]),
        ("blocks along y", launch.grid[1], limits.grid[1]),
        ("blocks along z", launch.grid[2], limits.grid[2]),
        ("bytes of shared memory", kernel.shared_bytes(), limits.shared),
    ] {
        facts.limit(what, u64::from(asked), u64::from(available))?;
    }
    let threads = launch.block.iter().fold(1u64, |n, t| n.saturating_mul(u64::from(*t)));
    facts.limit("threads of a block", threads, u64::from(limits.threads))?;
    let buffers = launch.arguments.iter().filter(|a| !matches!(a, Argument::Bits(_))).count();
    facts.limit("buffers of a kernel", buffers as u64, u64::from(limits.bindings))?;
    let known = launch.arguments.iter().all(|a| match a {
        Argument::Buffer(k) => *k < bindings,
        // No driver makes a map of nothing.
        Argument::Map(k, map) => {
            let outer = map.outer.unwrap_or([(1, 0); 2]);
            *k < bindings && !map.size.contains(&0) && outer.iter().all(|(many, _)| *many > 0)
        }
        Argument::Bits(_) => true,
    });
    let block = kernel.threads.is_none_or(|t| t == launch.block);
    if known && block && before + launch.arguments.len() == kernel.params.len() && threads > 0 {
        Ok(())
    } else {
        Err(Error::Arguments { kernel: kernel.name.clone() })
    }
}
