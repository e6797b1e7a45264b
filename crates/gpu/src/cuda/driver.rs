//! The library of the CUDA driver, loaded when it is asked for, and those of its functions that are used here.
//!
//! Declarations and numbers are from `cuda.h` of CUDA 13.0. All of these functions are there since CUDA 11.0.

use crate::error::GpuError;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::error::Error as _;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};
use std::fmt::{self, Write};
use std::mem::ManuallyDrop;
use std::ptr;

/// The names of the library: as drivers install it, and as links for developers have it.
const NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// A context, a module, a function or a stream: a pointer that only the driver follows.
pub(super) type Handle = usize;
/// An address in the memory of a GPU.
pub(super) type Address = u64;
/// The number of a GPU.
pub(super) type Device = c_int;

macro_rules! functions {
    ($($name:ident: $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions by short names; all return zero or the number of an error.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            /// Finds all of them; the name of one that is not there if any is missing.
            fn load(library: &Library) -> Result<Self, &'static str> {
                // SAFETY: `cuda.h` declares them so.
                Ok(unsafe { Self { $($name: *library.get($symbol).map_err(|_| $symbol)?,)* } })
            }
        }
    };
}

functions! {
    init: "cuInit" (c_uint);
    driver_get_version: "cuDriverGetVersion" (*mut c_int);
    get_error_name: "cuGetErrorName" (c_int, *mut *const c_char);
    get_error_string: "cuGetErrorString" (c_int, *mut *const c_char);
    device_get: "cuDeviceGet" (*mut Device, c_int);
    device_get_name: "cuDeviceGetName" (*mut c_char, c_int, Device);
    device_total_mem: "cuDeviceTotalMem_v2" (*mut usize, Device);
    device_get_attribute: "cuDeviceGetAttribute" (*mut c_int, c_int, Device);
    primary_context_retain: "cuDevicePrimaryCtxRetain" (*mut Handle, Device);
    primary_context_release: "cuDevicePrimaryCtxRelease_v2" (Device);
    context_set_current: "cuCtxSetCurrent" (Handle);
    context_synchronize: "cuCtxSynchronize" ();
    module_load: "cuModuleLoadDataEx" (*mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    module_unload: "cuModuleUnload" (Handle);
    module_get_function: "cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    module_get_global: "cuModuleGetGlobal_v2" (*mut Address, *mut usize, Handle, *const c_char);
    mem_get_info: "cuMemGetInfo_v2" (*mut usize, *mut usize);
    mem_alloc: "cuMemAlloc_v2" (*mut Address, usize);
    mem_free: "cuMemFree_v2" (Address);
    mem_set: "cuMemsetD8_v2" (Address, c_uchar, usize);
    copy_to_device: "cuMemcpyHtoD_v2" (Address, *const c_void, usize);
    copy_to_host: "cuMemcpyDtoH_v2" (*mut c_void, Address, usize);
    launch: "cuLaunchKernel" (
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void
    );
}

/// Numbers of `CUresult`. It is no enum of Rust: drivers to come may return numbers that no header of today has.
pub(super) mod code {
    use std::ffi::c_int;

    pub(in super::super) const OUT_OF_MEMORY: c_int = 2;
    pub(in super::super) const NO_DEVICE: c_int = 100;
    pub(in super::super) const INVALID_DEVICE: c_int = 101;
    pub(in super::super) const UNSUPPORTED_PTX_VERSION: c_int = 222;
}

/// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`
pub(super) const MULTIPROCESSOR_COUNT: c_int = 16;
/// `CU_JIT_ERROR_LOG_BUFFER` and `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`: where the driver's compiler writes what is wrong.
pub(super) const ERROR_LOG: [c_int; 2] = [5, 6];

/// The loaded library. It stays loaded: it has threads, and work for the end of the process.
pub(super) struct Driver {
    pub(super) call: Functions,
    _library: ManuallyDrop<Library>,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

impl Driver {
    /// Loads the library by the first name by which it is found.
    pub(super) fn find() -> Result<Self, GpuError> {
        let mut looked_for = String::new();
        for name in NAMES {
            // SAFETY: the driver's library does nothing when it is loaded but prepare itself.
            match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) } {
                Ok(library) => return Self::of(ManuallyDrop::new(library)),
                Err(error) => {
                    let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                    // The loader begins with the name, too.
                    let why = why.strip_prefix(&format!("{name}: ")).unwrap_or(&why);
                    // Writing into a text cannot fail.
                    _ = write!(looked_for, "\n  {name}: {why}");
                }
            }
        }
        Err(GpuError::NoDriver { looked_for: looked_for.trim_start_matches('\n').to_owned() })
    }

    fn of(library: ManuallyDrop<Library>) -> Result<Self, GpuError> {
        match Functions::load(&library) {
            Ok(call) => Ok(Self { call, _library: library }),
            Err(symbol) => Err(GpuError::DriverTooOld { why: format!("it has no function {symbol}") }),
        }
    }

    /// The result of a function of the driver; `action` says what it was called for, in words that follow "cannot".
    pub(super) fn check(&self, result: c_int, action: impl FnOnce() -> String) -> Result<(), GpuError> {
        match result {
            0 => Ok(()),
            code::NO_DEVICE => Err(GpuError::NoDevice),
            _ => Err(self.error(result, action(), "")),
        }
    }

    /// An error by the driver's name for it; `log` is what its compiler has written, if it has compiled anything.
    pub(super) fn error(&self, result: c_int, action: String, log: &str) -> GpuError {
        let text = |function: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int| {
            let mut text: *const c_char = ptr::null();
            // SAFETY: it writes null, or the address of a text that ends with a zero and is never freed.
            unsafe {
                _ = function(result, &raw mut text);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        let name = text(self.call.get_error_name).unwrap_or_else(|| format!("error {result}"));
        let mut meaning =
            text(self.call.get_error_string).unwrap_or_else(|| "it has no words for it".to_owned());
        if !log.is_empty() {
            _ = write!(meaning, "; its compiler says: {log}");
        }
        GpuError::Driver { action, name, meaning }
    }

    /// The newest version of CUDA that the driver knows, as "13.0".
    pub(super) fn version(&self) -> String {
        let mut version = 0;
        // SAFETY: it writes one number.
        _ = unsafe { (self.call.driver_get_version)(&raw mut version) };
        format!("{}.{}", version / 1000, version % 1000 / 10)
    }
}
