//! NVIDIA's driver, as far as one launch after the other needs it. The library is looked for at run time.

use super::{Arg, Launch, Script};
use cudarc::driver::{DriverError, result, sys};
use fulmen::gpu::Target;
use std::ffi::{CString, c_void};

/// The first GPU of the machine, its context current in this thread.
pub struct Gpu {
    device: sys::CUdevice,
    version: i32,
    capability: [i32; 2],
}

fn said(e: DriverError) -> String {
    let text = e.error_string().ok().map(|s| s.to_string_lossy().into_owned());
    text.unwrap_or_else(|| format!("{e:?}"))
}

impl Gpu {
    pub fn open() -> Result<Self, String> {
        // SAFETY: opens a library by name, which runs its initialisers only.
        if !unsafe { sys::is_culib_present() } {
            return Err("the library of NVIDIA's driver (libcuda.so) is not there".into());
        }
        result::init().map_err(said)?;
        if result::device::get_count().map_err(said)? == 0 {
            return Err("the driver knows no device".into());
        }
        let device = result::device::get(0).map_err(said)?;
        let mut version = 0;
        // SAFETY: `version` is valid for a write.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(said)?;
        use sys::CUdevice_attribute::{
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        };
        let attribute = |which| {
            // SAFETY: `device` came from `get`.
            unsafe { result::device::get_attribute(device, which) }.map_err(said)
        };
        let capability = [
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ];
        // SAFETY: `device` came from `get`; the context is kept until this value goes.
        unsafe {
            let context = result::primary_ctx::retain(device).map_err(said)?;
            result::ctx::set_current(context).map_err(said)?;
        }
        Ok(Self { device, version, capability })
    }

    pub fn name(&self) -> String {
        result::device::get_name(self.device).unwrap_or_else(said)
    }

    pub fn version(&self) -> String {
        format!("{}.{}", self.version / 1000, self.version % 1000 / 10)
    }

    /// The last target that this device runs.
    pub fn target(&self) -> Target {
        let [major, minor] = self.capability;
        let here = u16::try_from(10 * major + minor).map_or(Target::sm(61), Target::sm);
        let all = Target::ALL.into_iter().filter(|t| !t.specific && here.has(*t));
        all.max().unwrap_or(here)
    }

    /// The bytes of the script's result.
    pub fn run(&self, script: &Script, text: &str) -> Result<Vec<u8>, String> {
        let image = CString::new(text).map_err(|e| e.to_string())?;
        // SAFETY: `image` ends with 0 and lives until the module is loaded.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) }.map_err(said)?;
        let mut memory = Memory(Vec::new());
        let result = self.launch_all(script, module, &mut memory);
        // SAFETY: no kernel of the module runs: `launch_all` waits for each.
        unsafe { result::module::unload(module) }.map_err(said)?;
        result
    }

    fn launch_all(
        &self,
        script: &Script,
        module: sys::CUmodule,
        memory: &mut Memory,
    ) -> Result<Vec<u8>, String> {
        for bytes in &script.buffers {
            // SAFETY: a new allocation as long as what is copied into it.
            unsafe {
                let at = result::malloc_sync(bytes.len().max(1)).map_err(said)?;
                memory.0.push(at);
                result::memcpy_htod_sync(at, bytes).map_err(said)?;
            }
        }
        for Launch { kernel, grid: [gx, gy, gz], threads: [x, y, z], args } in &script.launches {
            if args.len() != kernel.params.len() {
                return Err("the arguments are not those of the kernel".into());
            }
            let bits = |a: &Arg| match *a {
                Arg::Buffer(k) => memory.0.get(k).copied().unwrap_or(0),
                Arg::Bits(bits) => bits,
            };
            let mut args: Vec<u64> = args.iter().map(bits).collect();
            // A parameter of four bytes reads the lower half, which comes first.
            let mut args: Vec<*mut c_void> = args.iter_mut().map(|a| (&raw mut *a).cast()).collect();
            let name = CString::new(kernel.name.as_str()).map_err(|e| e.to_string())?;
            // SAFETY: the module is loaded; the arguments are as many as the parameters and outlive the launch, which
            // is waited for; the interpreter has run the same kernel on buffers of the same length.
            unsafe {
                let function = result::module::get_function(module, name).map_err(said)?;
                let stream = result::stream::null();
                result::launch_kernel(function, (*gx, *gy, *gz), (*x, *y, *z), 0, stream, &mut args)
                    .map_err(said)?;
            }
            result::ctx::synchronize().map_err(said)?;
        }
        let mut bytes = script.buffers.get(script.result).cloned().unwrap_or_default();
        let from = memory.0.get(script.result).copied().unwrap_or(0);
        // SAFETY: the allocation is as long as the buffer.
        unsafe { result::memcpy_dtoh_sync(&mut bytes, from) }.map_err(said)?;
        Ok(bytes)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: `open` retained it once. There is nobody to tell of an error.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// Allocations of a device.
struct Memory(Vec<sys::CUdeviceptr>);

impl Drop for Memory {
    fn drop(&mut self) {
        for at in self.0.drain(..) {
            // SAFETY: allocated by `malloc_sync`, and no kernel runs. There is nobody to tell of an error.
            let _ = unsafe { result::free_sync(at) };
        }
    }
}
