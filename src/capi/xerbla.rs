//! Reports an illegal argument of a BLAS call: to a handler that the program has set, else to the `cblas_xerbla` or
//! `xerbla_` that it defines, else as a line on the standard error output.
//!
//! The two functions are asked for as weak references, which no linker refuses to leave open: in a static library they are
//! resolved with the program, in a shared one by the loader, and are null where nobody defines them. A weak *definition*, which
//! a program could replace, needs `#[linkage]`, which is not stable; a strong one in an archive clashes with the program's. So
//! the library defines neither, and a program that calls `xerbla_` brings its own. Mach-O and COFF have no such
//! references: there the handler is the way.

use super::At;
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicPtr, Ordering};

type Handler = unsafe extern "C" fn(name: *const c_char, position: c_int);

static HANDLER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Sets what is called with the routine's name and the argument's position, or nothing again where it is null.
#[unsafe(no_mangle)]
extern "C" fn fulmen_set_xerbla(handler: Option<Handler>) {
    let handler = handler.map_or(core::ptr::null_mut(), |f| f as *mut ());
    HANDLER.store(handler, Ordering::Release);
}

/// The longest name of a routine, and a zero.
const NAME: usize = 32;

/// A name as C has it, and its length: cut where it is too long, in capitals and without its underscore for Fortran.
fn spelled(name: &str, fortran: bool) -> ([c_char; NAME], usize) {
    let mut to = [0; NAME];
    let name = if fortran { name.trim_end_matches('_') } else { name };
    let len = name.len().min(NAME - 1);
    for (to, byte) in to.iter_mut().zip(name.bytes().take(len)) {
        *to = (if fortran { byte.to_ascii_uppercase() } else { byte }) as c_char;
    }
    (to, len)
}

/// Says what is wrong; `before` arguments of the C function are not there.
#[cold]
#[allow(clippy::disallowed_methods, reason = "xerbla is to print")]
pub(super) fn xerbla(name: &str, At(position): At, before: c_int) {
    use std::io::Write as _;
    let mut to = std::io::stderr();
    if At(position) == At::MEMORY {
        // Nothing can be done where even this fails.
        let _ = to.write_fmt(format_args!("fulmen: no memory for the scratch of {name}\n"));
        return;
    }
    let position = if position > before { position - before } else { position };
    if !handled(name, position) && !linked::handled(name, position) {
        let _ = to.write_fmt(format_args!("fulmen: parameter {position} of {name} has an illegal value\n"));
    }
}

/// Whether a handler was set, which is called then.
fn handled(name: &str, position: c_int) -> bool {
    let handler = HANDLER.load(Ordering::Acquire);
    if handler.is_null() {
        return false;
    }
    // SAFETY: what is stored and not null is a handler.
    let handler = unsafe { core::mem::transmute::<*mut (), Handler>(handler) };
    let (name, _) = spelled(name, false);
    // SAFETY: the program's own function, with a name that ends in a zero.
    unsafe { handler(name.as_ptr(), position) };
    true
}

#[cfg(all(unix, not(target_vendor = "apple")))]
mod linked {
    use super::spelled;
    use core::ffi::{c_char, c_int};
    use core::hint::black_box;

    core::arch::global_asm!(".weak xerbla_", ".weak cblas_xerbla");

    unsafe extern "C" {
        fn xerbla_(name: *const c_char, info: *const c_int, len: usize);
        fn cblas_xerbla(position: c_int, name: *const c_char, form: *const c_char, ...);
    }

    /// Whether the program defines the function for this routine, which is called then. Not inlined, so that the
    /// references stay in the object that says that they are weak.
    #[inline(never)]
    pub(super) fn handled(name: &str, position: c_int) -> bool {
        // The compiler takes it that no function is null: it is not to know what these are.
        if name.starts_with("cblas_") {
            let (name, _) = spelled(name, false);
            let defined = !black_box(cblas_xerbla as *const ()).is_null();
            if defined {
                // SAFETY: there is such a function, of CBLAS's signature; the strings end in zeros.
                unsafe { cblas_xerbla(position, name.as_ptr(), c"".as_ptr()) };
            }
            defined
        } else {
            let (name, len) = spelled(name, true);
            let defined = !black_box(xerbla_ as *const ()).is_null();
            if defined {
                // SAFETY: there is such a function, of the reference's signature, which is passed the length of its text.
                unsafe { xerbla_(name.as_ptr(), &position, len) };
            }
            defined
        }
    }
}

#[cfg(not(all(unix, not(target_vendor = "apple"))))]
mod linked {
    /// Formats other than ELF have no references that may stay open.
    pub(super) fn handled(_name: &str, _position: core::ffi::c_int) -> bool {
        false
    }
}
