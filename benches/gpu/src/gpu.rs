//! NVIDIA's driver, as far as timed launches need it.

use cudarc::driver::{DriverError, result, sys};
use fulmen::gpu::template::{Argument, GroupLaunch};
use fulmen::gpu::{Module, Target, TensorMap, Type};
use std::ffi::{CString, c_void};

pub struct Gpu {
    device: sys::CUdevice,
    stream: sys::CUstream,
    pub multiprocessors: u32,
}

/// An allocation of the device.
pub struct Memory {
    pub at: u64,
    len: usize,
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: from `malloc_sync`, and whoever used it was waited for.
        let _ = unsafe { result::free_sync(self.at) };
    }
}

/// A module's kernel.
pub struct Ready {
    module: sys::CUmodule,
    function: sys::CUfunction,
}

impl Drop for Ready {
    fn drop(&mut self) {
        // SAFETY: loaded once; whoever used it was waited for.
        let _ = unsafe { result::module::unload(self.module) };
    }
}

/// Arguments on a device; the maps lie in its memory.
pub struct Bound {
    bits: Vec<u64>,
    _maps: Vec<Memory>,
}

/// Launches that were captured, and what they use.
pub struct Graph {
    exec: sys::CUgraphExec,
    _kept: Vec<(Ready, Vec<Bound>)>,
}

impl Graph {
    pub fn keep(mut self, ready: Ready, bound: Vec<Bound>) -> Self {
        self._kept.push((ready, bound));
        self
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: instantiated once; replays are waited for.
        let _ = unsafe { sys::cuGraphExecDestroy(self.exec) };
    }
}

fn said(e: DriverError) -> String {
    format!("{e:?}")
}

impl Gpu {
    pub fn open() -> Result<Self, String> {
        // SAFETY: opens a library by name; then a device that the driver counted, whose context stays.
        unsafe {
            if !sys::is_culib_present() {
                return Err("the library of NVIDIA's driver (libcuda.so) is not there".into());
            }
            result::init().map_err(said)?;
            let device = result::device::get(0).map_err(said)?;
            let context = result::primary_ctx::retain(device).map_err(said)?;
            result::ctx::set_current(context).map_err(said)?;
            let mut stream = std::ptr::null_mut();
            sys::cuStreamCreate(&raw mut stream, 1).result().map_err(said)?;
            let count = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
            let multiprocessors = result::device::get_attribute(device, count).map_err(said)? as u32;
            Ok(Self { device, stream, multiprocessors })
        }
    }

    pub fn name(&self) -> String {
        result::device::get_name(self.device).unwrap_or_else(said)
    }

    pub fn version(&self) -> String {
        let mut v = 0;
        // SAFETY: `v` is valid for a write.
        let _ = unsafe { sys::cuDriverGetVersion(&raw mut v) };
        format!("CUDA {}.{}", v / 1000, v % 1000 / 10)
    }

    pub fn upload(&self, bytes: &[u8]) -> Result<Memory, String> {
        // SAFETY: as long as what is copied.
        unsafe {
            let at = result::malloc_sync(bytes.len().max(1)).map_err(said)?;
            let memory = Memory { at, len: bytes.len() };
            result::memcpy_htod_sync(at, bytes).map_err(said)?;
            Ok(memory)
        }
    }

    pub fn download(&self, m: &Memory) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; m.len];
        // SAFETY: as long as the memory.
        unsafe { result::memcpy_dtoh_sync(&mut bytes, m.at) }.map_err(said)?;
        Ok(bytes)
    }

    pub fn fill(&self, m: &Memory, byte: u8) -> Result<(), String> {
        // SAFETY: as long as the memory.
        unsafe { result::memset_d8_sync(m.at, byte, m.len) }.map_err(said)
    }

    /// Assembles and loads a kernel.
    pub fn load(&self, launch: &GroupLaunch) -> Result<Ready, String> {
        let mut text = String::new();
        let kernels = vec![launch.kernel.clone()];
        Module { kernels }.emit(Target::SM_90A, &mut text).map_err(|e| e.to_string())?;
        let image = CString::new(text).map_err(|e| e.to_string())?;
        let name = CString::new(launch.kernel.name.as_str()).map_err(|e| e.to_string())?;
        // SAFETY: the text ends with 0; the kernel is of the module.
        unsafe {
            let module = result::module::load_data(image.as_ptr().cast()).map_err(said)?;
            let function = result::module::get_function(module, name).map_err(said)?;
            let most = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            sys::cuFuncSetAttribute(function, most, launch.shared as i32).result().map_err(said)?;
            Ok(Ready { module, function })
        }
    }

    fn map(&self, base: u64, map: &TensorMap) -> Result<Memory, String> {
        use sys::CUtensorMapDataType_enum as Element;
        let element = match map.element {
            Type::F16 => Element::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            Type::Bf16 => Element::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            Type::F32 => Element::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
            _ => Element::CU_TENSOR_MAP_DATA_TYPE_UINT8,
        };
        let size = [u64::from(map.size[1]), u64::from(map.size[0])];
        let part = [map.part[1], map.part[0]];
        #[repr(C, align(128))]
        struct Aligned(sys::CUtensorMap);
        // SAFETY: numbers only.
        let mut made = Aligned(unsafe { std::mem::zeroed() });
        // SAFETY: every list has as many entries as the rank asks for.
        unsafe {
            sys::cuTensorMapEncodeTiled(
                &raw mut made.0,
                element,
                2,
                (base + map.at) as *mut c_void,
                size.as_ptr(),
                [map.stride].as_ptr(),
                part.as_ptr(),
                [1, 1].as_ptr(),
                sys::CUtensorMapInterleave_enum::CU_TENSOR_MAP_INTERLEAVE_NONE,
                sys::CUtensorMapSwizzle_enum::CU_TENSOR_MAP_SWIZZLE_128B,
                sys::CUtensorMapL2promotion_enum::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                sys::CUtensorMapFloatOOBfill_enum::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            )
            .result()
            .map_err(said)?;
            let bytes =
                std::slice::from_raw_parts((&raw const made.0).cast::<u8>(), size_of::<sys::CUtensorMap>());
            self.upload(bytes)
        }
    }

    /// The arguments of a launch on these buffers.
    pub fn bind(&self, launch: &GroupLaunch, buffers: &[u64]) -> Result<Bound, String> {
        let (mut bits, mut maps) = (Vec::new(), Vec::new());
        for a in &launch.args {
            bits.push(match a {
                Argument::Buffer(k) => buffers[*k],
                Argument::Bits(b) => *b,
                Argument::Map(k, map) => {
                    let memory = self.map(buffers[*k], map)?;
                    let at = memory.at;
                    maps.push(memory);
                    at
                }
            });
        }
        Ok(Bound { bits, _maps: maps })
    }

    pub fn launch(
        &self,
        ready: &Ready,
        launch: &GroupLaunch,
        bound: &Bound,
        stream: sys::CUstream,
    ) -> Result<(), String> {
        let mut bits = bound.bits.clone();
        let mut args: Vec<*mut c_void> = bits.iter_mut().map(|a| (&raw mut *a).cast()).collect();
        let ([gx, gy, gz], [x, y, z]) = (launch.grid, launch.threads);
        // As the device of the library launches: early, as the kernel itself waits for those before.
        let mut early = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let config = sys::CUlaunchConfig {
            gridDimX: gx,
            gridDimY: gy,
            gridDimZ: gz,
            blockDimX: x,
            blockDimY: y,
            blockDimZ: z,
            sharedMemBytes: launch.shared,
            hStream: stream,
            attrs: &raw mut early,
            numAttrs: 1,
        };
        // SAFETY: as many arguments as parameters, copied at the call; the interpreter has run the kernel.
        unsafe {
            sys::cuLaunchKernelEx(&raw const config, ready.function, args.as_mut_ptr(), std::ptr::null_mut())
        }
        .result()
        .map_err(said)
    }

    /// What `work` launches, as a graph.
    pub fn graph(&self, work: impl FnOnce(sys::CUstream) -> Result<(), String>) -> Result<Graph, String> {
        let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is this value's; the graph is instantiated once.
        unsafe {
            sys::cuStreamBeginCapture_v2(self.stream, mode).result().map_err(said)?;
            let worked = work(self.stream);
            let mut graph = std::ptr::null_mut();
            sys::cuStreamEndCapture(self.stream, &raw mut graph).result().map_err(said)?;
            worked?;
            let mut exec = std::ptr::null_mut();
            sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0).result().map_err(said)?;
            let _ = sys::cuGraphDestroy(graph);
            Ok(Graph { exec, _kept: Vec::new() })
        }
    }

    /// Microseconds of a replay.
    pub fn time(&self, graph: &Graph) -> Result<f64, String> {
        // SAFETY: events and stream are of the current context, and waited for.
        unsafe {
            let [mut from, mut to] = [std::ptr::null_mut(); 2];
            for e in [&raw mut from, &raw mut to] {
                sys::cuEventCreate(e, 0).result().map_err(said)?;
            }
            sys::cuEventRecord(from, self.stream).result().map_err(said)?;
            sys::cuGraphLaunch(graph.exec, self.stream).result().map_err(said)?;
            sys::cuEventRecord(to, self.stream).result().map_err(said)?;
            sys::cuEventSynchronize(to).result().map_err(said)?;
            let mut ms = 0f32;
            let took = sys::cuEventElapsedTime_v2(&raw mut ms, from, to).result().map_err(said);
            for e in [from, to] {
                let _ = sys::cuEventDestroy_v2(e);
            }
            took?;
            Ok(f64::from(ms) * 1e3)
        }
    }
}
