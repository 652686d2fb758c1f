//! The library of NCCL: opened by name at run time, as a table of the functions that are used.

use super::super::Error;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::error::Error as _;
use core::ffi::{CStr, c_char, c_int, c_void};
use libloading::Library;
use std::env;
use std::sync::{Mutex, PoisonError};

/// The first version with all that is used here: 2.18.
const NEEDED: c_int = 21800;
/// The names that the library has in NVIDIA's packages, in the order in which they are tried.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// A communicator of NCCL's.
pub(super) type Comm = *mut c_void;
pub(super) type Stream = *mut c_void;
pub(super) type Code = c_int;
pub(super) const SUCCESS: Code = 0;
pub(super) const IN_PROGRESS: Code = 7;

/// What names a communicator for the ranks that join it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct UniqueId(pub(super) [u8; 128]);

/// How a communicator behaves, as version 2.18 lays it out.
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
    cga_cluster_size: c_int,
    min_ctas: c_int,
    max_ctas: c_int,
    net_name: *const c_char,
    split_share: c_int,
}

impl Config {
    /// Of a communicator whose calls return before they are done.
    pub(super) const fn without_blocking() -> Self {
        const UNDEFINED: c_int = c_int::MIN;
        Self {
            size: size_of::<Self>(),
            magic: 0xcafe_beef,
            version: NEEDED as u32,
            blocking: 0,
            cga_cluster_size: UNDEFINED,
            min_ctas: UNDEFINED,
            max_ctas: UNDEFINED,
            net_name: core::ptr::null(),
            split_share: UNDEFINED,
        }
    }
}

macro_rules! table {
    ($($field:ident: $name:literal = fn($($arg:ty),*) -> $Out:ty,)*) => {
        /// The functions, by their names without `nccl`.
        pub(super) struct Nccl {
            $(pub(super) $field: unsafe extern "C" fn($($arg),*) -> $Out,)*
            // The functions are of it.
            _library: Library,
        }

        impl Nccl {
            fn of(library: Library) -> Result<Self, &'static str> {
                Ok(Self {
                    $($field: {
                        // SAFETY: NCCL's header declares it so since version 2.18, and the caller has seen that the version is as new.
                        let found = unsafe { library.get::<unsafe extern "C" fn($($arg),*) -> $Out>($name) };
                        *found.map_err(|_| stringify!($field))?
                    },)*
                    _library: library,
                })
            }
        }
    };
}
table! {
    get_unique_id: "ncclGetUniqueId" = fn(*mut UniqueId) -> Code,
    comm_init: "ncclCommInitRankConfig" = fn(*mut Comm, c_int, UniqueId, c_int, *mut Config) -> Code,
    comm_finalize: "ncclCommFinalize" = fn(Comm) -> Code,
    comm_destroy: "ncclCommDestroy" = fn(Comm) -> Code,
    comm_abort: "ncclCommAbort" = fn(Comm) -> Code,
    async_error: "ncclCommGetAsyncError" = fn(Comm, *mut Code) -> Code,
    error_string: "ncclGetErrorString" = fn(Code) -> *const c_char,
    last_error: "ncclGetLastError" = fn(Comm) -> *const c_char,
    all_reduce: "ncclAllReduce" = fn(*const c_void, *mut c_void, usize, c_int, c_int, Comm, Stream) -> Code,
    reduce_scatter: "ncclReduceScatter" = fn(*const c_void, *mut c_void, usize, c_int, c_int, Comm, Stream) -> Code,
    all_gather: "ncclAllGather" = fn(*const c_void, *mut c_void, usize, c_int, Comm, Stream) -> Code,
    broadcast: "ncclBroadcast" = fn(*const c_void, *mut c_void, usize, c_int, c_int, Comm, Stream) -> Code,
    send: "ncclSend" = fn(*const c_void, usize, c_int, c_int, Comm, Stream) -> Code,
    recv: "ncclRecv" = fn(*mut c_void, usize, c_int, c_int, Comm, Stream) -> Code,
    group_start: "ncclGroupStart" = fn() -> Code,
    group_end: "ncclGroupEnd" = fn() -> Code,
}

pub(super) fn engine(reason: impl Into<String>) -> Error {
    Error::Engine { name: "NCCL", reason: reason.into() }
}

/// A version, as NCCL counts.
fn version(code: c_int) -> String {
    format!("{}.{}.{}", code / 10000, code % 10000 / 100, code % 100)
}

impl Nccl {
    /// The library, opened once for the process: the file that `FULMEN_NCCL` names, or by its names where the system looks for libraries.
    pub(super) fn open() -> Result<Arc<Self>, Error> {
        static OPEN: Mutex<Option<Arc<Nccl>>> = Mutex::new(None);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = &*open {
            return Ok(Arc::clone(library));
        }
        let path = env::var("FULMEN_NCCL").ok().filter(|path| !path.is_empty());
        let library = Arc::new(match &path {
            Some(path) => Self::named(&[path])?,
            None => Self::named(&NAMES)?,
        });
        *open = Some(Arc::clone(&library));
        Ok(library)
    }

    fn named(names: &[&str]) -> Result<Self, Error> {
        let mut reason = String::new();
        for name in names {
            // SAFETY: opening NCCL runs its initialisers only; the name is NVIDIA's, or one that the user gave for that library.
            match unsafe { Library::new(*name) } {
                Ok(library) => return Self::checked(library, name),
                // The loader's own words are behind those of libloading.
                Err(e) if reason.is_empty() => reason = e.source().map_or(e.to_string(), ToString::to_string),
                Err(_) => {}
            }
        }
        Err(engine(format!(
            "its library is not there: {reason} ({} was looked for; FULMEN_NCCL can name the file)",
            names.join(" or ")
        )))
    }

    /// With its version looked at first.
    fn checked(library: Library, name: &str) -> Result<Self, Error> {
        let mut found = 0;
        {
            // SAFETY: NCCL's header declares it so in every version.
            let get = unsafe { library.get::<unsafe extern "C" fn(*mut c_int) -> Code>("ncclGetVersion") };
            let get =
                get.map_err(|_| engine(format!("{name} has no ncclGetVersion: it is another library")))?;
            // SAFETY: valid for a write.
            unsafe { get(&raw mut found) };
        }
        if found < NEEDED {
            return Err(engine(format!(
                "{name} is of version {}, {} or newer is needed",
                version(found),
                version(NEEDED)
            )));
        }
        Self::of(library)
            .map_err(|lacks| engine(format!("{name} of version {} lacks {lacks}", version(found))))
    }

    /// What NCCL says of a code.
    pub(super) fn said(&self, code: Code, comm: Comm) -> Error {
        // SAFETY: it takes any code; the communicator may be null. Both texts end with 0 and live until the next call in this thread.
        let texts = unsafe { [(self.error_string)(code), (self.last_error)(comm)] };
        let [what, why] = texts.map(|text| match text.is_null() {
            true => String::new(),
            // SAFETY: as above.
            false => unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_string(),
        });
        engine(if why.is_empty() { what } else { format!("{what} ({why})") })
    }

    /// The error of a code, if it is one.
    pub(super) fn check(&self, code: Code, comm: Comm) -> Result<(), Error> {
        if code == SUCCESS || code == IN_PROGRESS { Ok(()) } else { Err(self.said(code, comm)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(names: &[&str]) -> String {
        match Nccl::named(names) {
            Err(Error::Engine { name: "NCCL", reason }) => reason,
            _ => panic!("{names:?} is no NCCL"),
        }
    }

    #[test]
    fn what_is_no_nccl_is_said() {
        let missing = reason(&["libfulmen-has-none.so", "libfulmen-has-none.so.2"]);
        assert!(
            missing.contains("libfulmen-has-none.so or libfulmen-has-none.so.2 was looked for"),
            "{missing}"
        );
        assert!(missing.contains("cannot open shared object file"), "{missing}");
        assert_eq!(reason(&["libc.so.6"]), "libc.so.6 has no ncclGetVersion: it is another library");
        assert_eq!([version(21602), version(NEEDED)], ["2.16.2", "2.18.0"]);
    }
}
