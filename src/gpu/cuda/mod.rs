//! An NVIDIA GPU through the CUDA driver, as a device. It needs neither a toolkit nor a link step: the driver's library
//! is opened at run time, and the driver compiles the PTX.
//!
//! ```no_run
//! use fulmen::backend::Reductions;
//! use fulmen::gpu::{backend::Gpu, cuda::Cuda};
//! let gpu = Gpu::new(Cuda::open("", None)?);
//! let x = gpu.upload(&[3.0f64, 4.0])?;
//! let mut norm = gpu.alloc(1)?;
//! gpu.norm_l2(x.view(), norm.view_mut())?;
//! # Ok::<(), fulmen::gpu::device::Error>(())
//! ```
//!
//! A device uses the primary context of its card, as other libraries of NVIDIA's do. After a kernel that faults, the driver refuses further work to the process: calls
//! of every device in it return [`Error::Lost`], and opening another device returns the reason. A new process can open
//! the device again.

mod cache;
#[cfg(all(feature = "nccl", target_os = "linux"))]
mod engine;
mod graph;
mod module;
mod pinned;
mod tensor_map;

#[cfg(all(feature = "nccl", target_os = "linux"))]
pub(crate) use engine::{Current, Mark, OnStream};
pub use pinned::Pinned;

use super::device::{
    Binding, Blocking, Computes, Device, Error, Facts, Launch, Limits, Readback, check_behind, choose,
};
use super::interpret::TensorMap;
use super::ptx::Target;
use super::template::{Argument, Meet};
use super::types::Type;
use crate::hardware::Language;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, OnceCell, RefCell};
use core::ffi::CStr;
use core::ptr;
use cudarc::driver::sys;
use graph::{Graphs, Steps};
use pinned::Locked;
use std::path::{Path, PathBuf};
use sys::CUresult as Code;
use tensor_map::Maps;

/// The version of the driver that makes graphs as they are made here.
const GRAPHS: i32 = 12030;
/// Threads of most kernels' blocks.
const THREADS: i32 = 256;

/// A device of NVIDIA's driver.
#[derive(Debug)]
pub struct Cuda {
    facts: Facts,
    target: Target,
    driver: i32,
    cache: Option<PathBuf>,
    /// Whether buffers are divided.
    divides: bool,
    modules: RefCell<BTreeMap<u128, Function>>,
    maps: RefCell<Maps>,
    compiled: Cell<usize>,
    read: Cell<usize>,
    /// Page-locked memory that what is read goes through, if there is some.
    staging: OnceCell<Option<Locked>>,
    // Last: what is above is of it.
    context: Rc<Context>,
}

/// Memory of a device of NVIDIA's.
#[derive(Debug)]
pub struct Buffer {
    at: sys::CUdeviceptr,
    bytes: u64,
    of: Rc<Memory>,
}

/// What the driver gave, of which buffers are parts.
#[derive(Debug)]
struct Memory {
    at: sys::CUdeviceptr,
    context: Rc<Context>,
}

/// The device's primary context, which other libraries of NVIDIA's in the process have, too.
#[derive(Debug)]
struct Context {
    device: sys::CUdevice,
    inner: sys::CUcontext,
    stream: sys::CUstream,
    /// Why it is gone.
    lost: RefCell<Option<String>>,
    /// Launches that wait for the end of their list.
    waiting: RefCell<Steps>,
    /// Lists that are open, one inside the other.
    open: Cell<usize>,
    /// Parts of the open list that were started.
    part: Cell<usize>,
    /// Its own: the primary context may outlive it.
    modules: RefCell<Vec<sys::CUmodule>>,
    graphs: RefCell<Graphs>,
    /// Whether kernels may start before those that they wait for have ended.
    early: bool,
}

/// A loaded kernel. Modules stay as long as their context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Function {
    inner: sys::CUfunction,
    /// What a launch asks for, where it is more than can be declared.
    shared: u32,
}

/// What the driver says of a code.
fn said(code: Code) -> String {
    let mut text = ptr::null();
    // SAFETY: `text` is valid for a write; the driver's texts are constants that end with 0.
    let known =
        unsafe { sys::cuGetErrorString(code, &raw mut text) } == Code::CUDA_SUCCESS && !text.is_null();
    match known {
        // SAFETY: as above.
        true => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
        false => format!("{code:?}"),
    }
}

/// Codes after which a context does nothing more.
const fn ends(code: Code) -> bool {
    matches!(
        code,
        Code::CUDA_ERROR_ILLEGAL_ADDRESS
            | Code::CUDA_ERROR_LAUNCH_FAILED
            | Code::CUDA_ERROR_LAUNCH_TIMEOUT
            | Code::CUDA_ERROR_MISALIGNED_ADDRESS
            | Code::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | Code::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | Code::CUDA_ERROR_INVALID_PC
            | Code::CUDA_ERROR_HARDWARE_STACK_ERROR
            | Code::CUDA_ERROR_ASSERT
            | Code::CUDA_ERROR_ECC_UNCORRECTABLE
            | Code::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | Code::CUDA_ERROR_UNKNOWN
    )
}

/// A call that is made before there is a device.
fn first(code: Code) -> Result<(), Error> {
    match code {
        Code::CUDA_SUCCESS => Ok(()),
        code if ends(code) => {
            Err(none(&format!("{}: a kernel of this process faulted, a new process is needed", said(code))))
        }
        code => Err(none(&said(code))),
    }
}

fn none(reason: &str) -> Error {
    Error::Driver { device: "CUDA".into(), reason: reason.into() }
}

/// Where the driver is, and its devices.
fn devices() -> Result<Vec<(sys::CUdevice, String)>, Error> {
    // SAFETY: opens a library by name, which runs its initialisers only.
    if !unsafe { sys::is_culib_present() } {
        return Err(none("the library of NVIDIA's driver (libcuda.so.1, nvcuda.dll) is not there"));
    }
    // SAFETY: the library is there; no flag is defined.
    first(unsafe { sys::cuInit(0) })?;
    let mut count = 0;
    // SAFETY: `count` is valid for a write.
    first(unsafe { sys::cuDeviceGetCount(&raw mut count) })?;
    (0..count)
        .map(|ordinal| {
            let mut device = 0;
            // SAFETY: `device` is valid for a write.
            first(unsafe { sys::cuDeviceGet(&raw mut device, ordinal) })?;
            let mut name = [0u8; 128];
            // SAFETY: `name` is valid for writes of its length; the driver ends it with 0.
            first(unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as i32, device) })?;
            let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
            Ok((device, name.to_string_lossy().into_owned()))
        })
        .collect()
}

impl Context {
    /// Of this device, with a stream.
    fn new(device: sys::CUdevice, early: bool) -> Result<Self, Error> {
        let (mut inner, mut stream) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: valid for a write; the device is one of the driver's. `drop` gives it back.
        first(unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut inner, device) })?;
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context was retained; valid for a write, which is made when that context is current in this thread.
        let code = unsafe {
            match sys::cuCtxSetCurrent(inner) {
                Code::CUDA_SUCCESS => sys::cuStreamCreate(&raw mut stream, flags),
                code => code,
            }
        };
        let made = Self {
            device,
            inner,
            stream,
            lost: RefCell::default(),
            waiting: RefCell::default(),
            open: Cell::default(),
            part: Cell::default(),
            modules: RefCell::default(),
            graphs: RefCell::default(),
            early,
        };
        first(code).map(|()| made)
    }

    /// Starts what waits: what comes next is to come after it.
    fn start(&self) -> Code {
        let mut waiting = self.waiting.borrow_mut();
        if waiting.is_empty() {
            return Code::CUDA_SUCCESS;
        }
        // SAFETY: every call enters the context first; `launch` takes steps with the arguments of their kernels.
        unsafe { waiting.start(self.stream, self.early) }
    }

    /// Makes it this thread's.
    fn enter(&self) -> Code {
        // SAFETY: the context lives as long as this value.
        unsafe { sys::cuCtxSetCurrent(self.inner) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let _ = self.enter();
        self.graphs.get_mut().clear();
        // SAFETY: the stream and the context are those of `new`, the modules were loaded in that context, and everything that uses them
        // holds this value; the driver waits for work on the stream. There is nobody to tell of an error.
        unsafe {
            if !self.stream.is_null() {
                let _ = sys::cuStreamSynchronize(self.stream);
                let _ = sys::cuStreamDestroy_v2(self.stream);
            }
            for module in self.modules.get_mut().drain(..) {
                let _ = sys::cuModuleUnload(module);
            }
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let _ = self.context.enter();
        let _ = self.context.start();
        // SAFETY: allocated in this context, once. The driver waits for kernels that use it. There is nobody to tell of
        // an error.
        let _ = unsafe { sys::cuMemFree_v2(self.at) };
    }
}

impl Cuda {
    /// The names of the devices, in the order of their indices.
    ///
    /// # Errors
    /// [`Error::Driver`] without a driver.
    pub fn devices() -> Result<Vec<String>, Error> {
        Ok(devices()?.into_iter().map(|(_, name)| name).collect())
    }

    /// The device with this index, or the first with this in its name (of any case), or the first for nothing. What is
    /// compiled is kept in the folder `cache`, under what it was made of, for what device and by what driver; without
    /// one it is compiled again in each process. What is there runs on the device: a folder that another user owns or may write is
    /// refused, and a file of that kind is made again. A folder that is not there is made with mode 0700.
    ///
    /// # Errors
    /// [`Error::Driver`] without a driver, with one too old for the device, or for such a folder; [`Error::NoAdapter`].
    pub fn open(wanted: &str, cache: Option<&Path>) -> Result<Self, Error> {
        if let Some(folder) = cache {
            cache::folder(folder).map_err(|e| none(&format!("the folder {}: {e}", folder.display())))?;
        }
        let all = devices()?;
        let at = choose(wanted, all.iter().map(|(_, name)| name.clone()).collect())?;
        let (device, name) = all.get(at).ok_or_else(|| none("the driver knows no device"))?;
        Self::on(*device, name, cache)
    }

    /// The device that the environment variable `FULMEN_ADAPTER` names, any without it; `FULMEN_CUDA_CACHE` names the
    /// folder of what is compiled. With `FULMEN_CUDA_WHOLE` each array is an allocation of the driver's, so that compute-sanitizer
    /// sees an access beyond it.
    ///
    /// # Errors
    /// Those of [`Cuda::open`].
    pub fn from_env() -> Result<Self, Error> {
        let cache = std::env::var_os("FULMEN_CUDA_CACHE").filter(|c| !c.is_empty());
        let wanted = std::env::var("FULMEN_ADAPTER").unwrap_or_default();
        let opened = Self::open(&wanted, cache.as_ref().map(Path::new))?;
        Ok(Self { divides: std::env::var_os("FULMEN_CUDA_WHOLE").is_none(), ..opened })
    }

    fn on(device: sys::CUdevice, name: &str, cache: Option<&Path>) -> Result<Self, Error> {
        use sys::CUdevice_attribute as Which;
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: valid for a write; the device is one of the driver's.
            first(unsafe { sys::cuDeviceGetAttribute(&raw mut value, which, device) }).map(|()| value)
        };
        let mut driver = 0;
        // SAFETY: valid for a write.
        first(unsafe { sys::cuDriverGetVersion(&raw mut driver) })?;
        let sm = 10 * attribute(Which::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
            + attribute(Which::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let here = u16::try_from(sm).unwrap_or(0);
        let fits = |t: &Target| if t.specific { t.sm == here } else { t.sm <= here };
        let Some(target) = Target::ALL.into_iter().filter(fits).max() else {
            let reason = format!("its compute capability is {}.{}, 6.1 is needed", sm / 10, sm % 10);
            return Err(Error::Driver { device: name.into(), reason });
        };
        let mut memory = 0;
        // SAFETY: valid for a write; the device is one of the driver's.
        first(unsafe { sys::cuDeviceTotalMem_v2(&raw mut memory, device) })?;
        let number = |which| attribute(which).map(|n| n.max(0) as u32);
        let per = attribute(Which::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)? / THREADS;
        let multiprocessors = attribute(Which::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let facts = Facts {
            name: name.into(),
            language: Language::Ptx,
            meet: Meet::Warps,
            groups: target == Target::SM_90A,
            matrices: false,
            short: false,
            blocks: (per * multiprocessors).max(1) as u32,
            limits: Limits {
                buffer: memory as u64,
                binding: memory as u64,
                bindings: u32::MAX,
                grid: [
                    number(Which::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                    number(Which::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                    number(Which::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
                ],
                threads: number(Which::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
                shared: number(Which::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            },
        };
        Ok(Self {
            facts,
            target,
            driver,
            cache: cache.map(Path::to_path_buf),
            divides: true,
            modules: RefCell::default(),
            maps: RefCell::default(),
            compiled: Cell::default(),
            read: Cell::default(),
            staging: OnceCell::new(),
            context: Rc::new(Context::new(device, target.starts_early())?),
        })
    }

    /// What its kernels are compiled for.
    #[must_use]
    pub const fn target(&self) -> Target {
        self.target
    }

    /// The version of the driver, as CUDA counts: 12.9, say.
    #[must_use]
    pub fn driver(&self) -> String {
        format!("{}.{}", self.driver / 1000, self.driver % 1000 / 10)
    }

    /// Kernels that the driver compiled so far, and those that were read from the folder. Neither grows in a steady state.
    #[must_use]
    pub fn modules(&self) -> [usize; 2] {
        [self.compiled.get(), self.read.get()]
    }

    /// Graphs that are kept of lists of launches. Their number does not grow in a steady state.
    #[must_use]
    pub fn graphs(&self) -> usize {
        self.context.graphs.borrow().len()
    }

    /// The error of a code, if it is one.
    fn told(&self, code: Code) -> Result<(), Error> {
        if code == Code::CUDA_SUCCESS {
            return Ok(());
        }
        let (device, reason) = (self.facts.name.clone(), said(code));
        if ends(code) {
            self.context.lost.borrow_mut().get_or_insert_with(|| reason.clone());
            return Err(Error::Lost { device, reason });
        }
        Err(Error::Driver { device, reason })
    }

    /// Makes the context this thread's, if it still does something.
    fn enter(&self) -> Result<(), Error> {
        match &*self.context.lost.borrow() {
            Some(reason) => Err(Error::Lost { device: self.facts.name.clone(), reason: reason.clone() }),
            None => self.told(self.context.enter()),
        }
    }

    fn range(&self, of: &Buffer, start: u64, bytes: u64) -> Result<sys::CUdeviceptr, Error> {
        if !Rc::ptr_eq(&of.of.context, &self.context) {
            return Err(Error::Foreign);
        }
        self.facts.range(start, bytes, of.bytes).map(|()| of.at + start)
    }

    /// From the host, after what was started.
    fn copy(&self, to: sys::CUdeviceptr, bytes: &[u8]) -> Result<(), Error> {
        // SAFETY: the callers' ranges; the driver has copied memory of the host that it does not know before it returns.
        self.told(unsafe {
            sys::cuMemcpyHtoDAsync_v2(to, bytes.as_ptr().cast(), bytes.len(), self.context.stream)
        })
    }

    /// Where a tensor map is, whose matrix begins `base` bytes further.
    fn map(&self, map: &TensorMap, base: u64) -> Result<u64, Error> {
        let mut maps = self.maps.borrow_mut();
        maps.at(
            map,
            base,
            |code| self.told(code),
            |bytes| self.allocate(bytes),
            |slab, start, bytes| self.copy(slab.at + start, bytes),
        )
    }

    /// Adds a launch to those that wait, so many arguments of which are there.
    fn step(
        &self,
        l: &Launch,
        bindings: &[Binding<'_, Buffer>],
        before: usize,
        to: &mut Steps,
    ) -> Result<(), Error> {
        check_behind(&self.facts, l, bindings.len(), before)?;
        let kernel = l.program.kernel();
        let wrong = || Error::Arguments { kernel: kernel.name.clone() };
        let at = |k: usize| bindings.get(k).map(|b| b.buffer.at + b.start).ok_or_else(wrong);
        for (a, ty) in l.arguments.iter().zip(kernel.params.iter().skip(before)) {
            to.argument(match (a, ty) {
                (Argument::Buffer(k), Type::U64) => at(*k)?,
                (Argument::Bits(bits), _) => *bits,
                (Argument::Map(k, map), Type::U64) => self.map(map, at(*k)?)?,
                _ => return Err(wrong()),
            });
        }
        to.push(self.function(&l.program)?, l.grid, l.block);
        Ok(())
    }

    /// Starts what waits as the next part of the list; the context was entered.
    fn part(&self) -> Result<(), Error> {
        if self.driver < GRAPHS {
            return self.told(self.context.start());
        }
        let part = self.context.part.replace(self.context.part.get() + 1);
        let mut waiting = self.context.waiting.borrow_mut();
        let mut graphs = self.context.graphs.borrow_mut();
        // SAFETY: the context was entered; `launch` takes steps with the arguments of their kernels.
        self.told(unsafe { graphs.start(&mut waiting, part, self.context.stream, self.context.early) })
    }
}

impl Device for Cuda {
    type Buffer = Buffer;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn allocate(&self, bytes: u64) -> Result<Buffer, Error> {
        self.enter()?;
        let limit =
            |what, available| Error::Limit { device: self.facts.name.clone(), what, asked: bytes, available };
        let available = self.facts.limits.buffer;
        let size = usize::try_from(bytes.max(4)).ok().filter(|_| bytes <= available);
        let size = size.ok_or_else(|| limit("bytes of a buffer", available))?;
        let mut at = 0;
        // SAFETY: valid for a write.
        match unsafe { sys::cuMemAlloc_v2(&raw mut at, size) } {
            Code::CUDA_ERROR_OUT_OF_MEMORY => {
                let (mut free, mut all) = (0, 0);
                // SAFETY: valid for writes.
                self.told(unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut all) })?;
                Err(limit("bytes of free memory", free as u64))
            }
            code => {
                self.told(code)?;
                let of = Rc::new(Memory { at, context: Rc::clone(&self.context) });
                Ok(Buffer { at, bytes: size as u64, of })
            }
        }
    }

    fn divides(&self) -> bool {
        self.divides
    }

    fn part(&self, of: &Buffer, start: u64, bytes: u64) -> Option<Buffer> {
        let there = start.checked_add(bytes).is_some_and(|end| end <= of.bytes);
        there.then(|| Buffer { at: of.at + start, bytes, of: Rc::clone(&of.of) })
    }

    fn number(&self, buffer: &Buffer) -> u64 {
        buffer.at
    }

    fn write(&self, to: &Buffer, start: u64, bytes: &[u8]) -> Result<(), Error> {
        let at = self.range(to, start, bytes.len() as u64)?;
        self.enter()?;
        self.told(self.context.start())?;
        self.copy(at, bytes)
    }

    unsafe fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Buffer>]) -> Result<(), Error> {
        self.enter()?;
        bindings.iter().try_for_each(|b| self.range(b.buffer, b.start, b.bytes).map(|_| ()))?;
        let open = self.context.open.get() > 0;
        // The last launch waits for what may become one with it.
        if open && self.context.waiting.borrow().is_part(self.context.part.get()) {
            self.part()?;
        }
        let mut waiting = self.context.waiting.borrow_mut();
        let before = waiting.mark();
        if let Err(refused) = list.iter().try_for_each(|l| self.step(l, bindings, 0, &mut waiting)) {
            waiting.back(before);
            return Err(refused);
        }
        drop(waiting);
        if open { Ok(()) } else { self.told(self.context.start()) }
    }

    unsafe fn amend(&self, launch: &Launch, bindings: &[Binding<'_, Buffer>]) -> Result<bool, Error> {
        self.enter()?;
        bindings.iter().try_for_each(|b| self.range(b.buffer, b.start, b.bytes).map(|_| ()))?;
        let mut waiting = self.context.waiting.borrow_mut();
        let Some((step, before)) = waiting.reopen() else { return Ok(false) };
        let done = self.step(launch, bindings, before, &mut waiting);
        if done.is_err() {
            waiting.close(step);
        }
        done.map(|()| true)
    }

    fn begin(&self) {
        let open = self.context.open.get();
        if open == 0 {
            self.context.part.set(0);
        }
        self.context.open.set(open + 1);
    }

    fn end(&self) -> Result<(), Error> {
        let open = self.context.open.get().saturating_sub(1);
        self.context.open.set(open);
        if open > 0 || self.context.waiting.borrow().is_empty() {
            return Ok(());
        }
        self.enter()?;
        self.part()
    }

    async fn read(&self, parts: &mut [Readback<'_, Buffer>]) -> Result<(), Error> {
        let at = |p: &Readback<'_, Buffer>| self.range(p.buffer, p.start, p.to.len() as u64);
        parts.iter().try_for_each(|p| at(p).map(drop))?;
        self.enter()?;
        self.told(self.context.start())?;
        if self.read_staged(parts)? {
            return Ok(());
        }
        // Before anything is copied: a fault of the work before leaves the caller's memory as it is.
        // SAFETY: the stream is of this context.
        self.told(unsafe { sys::cuStreamSynchronize(self.context.stream) })?;
        parts.iter_mut().try_for_each(|p| {
            let at = at(p)?;
            // SAFETY: the range was checked; the copy is waited for.
            self.told(unsafe { sys::cuMemcpyDtoH_v2(p.to.as_mut_ptr().cast(), at, p.to.len()) })
        })
    }
}

impl Blocking for Cuda {}
impl Computes<f32> for Cuda {}
impl Computes<f64> for Cuda {}
impl Computes<u8> for Cuda {}
