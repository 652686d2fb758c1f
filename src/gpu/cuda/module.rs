//! Loads kernels as CUDA modules: each is compiled once and stored in the file cache.

use super::super::device::{Error, Program};
use super::super::ir::Module;
use super::{Code, Cuda, Function, cache, said, sys};
use alloc::ffi::CString;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::{CStr, c_void};
use core::ptr;

/// Bytes of what the compiler says.
const LOG: usize = 4096;

impl Cuda {
    /// The device's code of `text`, by the driver's compiler. That of warp groups stays text, which the driver compiles as
    /// it loads it and keeps itself: its linker makes parts of programs, where registers cannot move from warp to warp.
    fn compiled(&self, text: &str) -> Result<Vec<u8>, String> {
        use sys::CUjit_option as Option_;
        let image = CString::new(text).map_err(|e| e.to_string())?;
        if text.contains("setmaxnreg") {
            return Ok(image.into_bytes_with_nul());
        }
        let mut log = vec![0u8; LOG];
        let mut options = [Option_::CU_JIT_ERROR_LOG_BUFFER, Option_::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG)];
        let mut state = ptr::null_mut();
        // SAFETY: as many values as options; the log outlives the linker.
        let code =
            unsafe { sys::cuLinkCreate_v2(2, options.as_mut_ptr(), values.as_mut_ptr(), &raw mut state) };
        if code != Code::CUDA_SUCCESS {
            return Err(said(code));
        }
        let (mut cubin, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the image ends with 0 and its length counts that; the linker's result lives until the linker goes.
        let code = unsafe {
            let bytes = image.as_bytes_with_nul();
            let kind = sys::CUjitInputType_enum::CU_JIT_INPUT_PTX;
            let from = bytes.as_ptr().cast_mut().cast();
            let nothing = (ptr::null_mut(), ptr::null_mut());
            match sys::cuLinkAddData_v2(state, kind, from, bytes.len(), ptr::null(), 0, nothing.0, nothing.1)
            {
                Code::CUDA_SUCCESS => sys::cuLinkComplete(state, &raw mut cubin, &raw mut size),
                bad => bad,
            }
        };
        let made = if code == Code::CUDA_SUCCESS {
            // SAFETY: the linker's result, of this length.
            Ok(unsafe { core::slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec())
        } else {
            let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
            Err(match code {
                Code::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => self.too_old(text),
                code => format!("{}: {}", said(code), log.trim()),
            })
        };
        // SAFETY: made above.
        let _ = unsafe { sys::cuLinkDestroy(state) };
        made
    }

    /// What is said of a text that the driver does not know.
    fn too_old(&self, text: &str) -> String {
        let isa = text.lines().next().and_then(|l| l.strip_prefix(".version ")).unwrap_or("");
        format!("the driver, of CUDA {}, is too old for PTX {isa}", self.driver())
    }

    /// Loads the kernel `name` of what [`Cuda::compiled`] gave.
    fn loaded(&self, image: &[u8], name: &str) -> Result<sys::CUfunction, String> {
        let name = CString::new(name).map_err(|e| e.to_string())?;
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the driver checks the image. Code ends where its own headers say, as it is the driver's own, unchanged; a text
        // ends with 0.
        let mut code = unsafe { sys::cuModuleLoadData(&raw mut module, image.as_ptr().cast()) };
        if code == Code::CUDA_SUCCESS {
            self.context.modules.borrow_mut().push(module);
            // SAFETY: the module was loaded, the name ends with 0.
            code = unsafe { sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()) };
        }
        match code {
            Code::CUDA_SUCCESS => Ok(function),
            Code::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => Err(self.too_old(&String::from_utf8_lossy(image))),
            code => Err(said(code)),
        }
    }

    /// The loaded kernel of a program: from the cache's folder, or by the driver's compiler.
    pub(super) fn function(&self, program: &Program) -> Result<Function, Error> {
        if let Some(function) = self.modules.borrow().get(&program.key()) {
            return Ok(*function);
        }
        let kernel = program.kernel();
        let refused = |reason: String| Error::Refused {
            device: self.facts.name.clone(),
            kernel: kernel.name.clone(),
            reason,
        };
        let mut text = String::new();
        let module = Module { kernels: vec![kernel.clone()] };
        module.emit(self.target, &mut text).map_err(|e| refused(e.to_string()))?;
        let path =
            self.cache.as_ref().map(|c| c.join(cache::name(&text, &self.target.to_string(), self.driver)));
        let kept =
            path.as_deref().and_then(cache::read).and_then(|image| self.loaded(&image, &kernel.name).ok());
        let inner = match kept {
            Some(inner) => {
                self.read.set(self.read.get() + 1);
                inner
            }
            None => {
                let image = self.compiled(&text).map_err(refused)?;
                if let Some(path) = path {
                    // A folder that cannot be written costs the next start its time, and nothing else.
                    let _ = cache::write(&path, &image);
                }
                self.compiled.set(self.compiled.get() + 1);
                self.loaded(&image, &kernel.name).map_err(refused)?
            }
        };
        let bytes = kernel.shared_bytes();
        let shared = if bytes > self.target.shared_memory() { bytes } else { 0 };
        if shared > 0 {
            let most = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function was loaded; `check` has held the size against the device's.
            self.told(unsafe { sys::cuFuncSetAttribute(inner, most, shared as i32) })?;
        }
        let function = Function { inner, shared };
        self.modules.borrow_mut().insert(program.key(), function);
        Ok(function)
    }
}
