//! A GPU, its memory, and functions that run on it.
//!
//! All calls are for the default stream of the GPU: launches run one after the other in the order in which they were made, and
//! copies wait for them.
#![allow(
    unsafe_code,
    reason = "functions of a library that is found at run time, and memory of another processor"
)]

mod driver;

use crate::error::GpuError;
use driver::{Address, Device, Driver, ERROR_LOG, Handle, MULTIPROCESSOR_COUNT, code};
use std::ffi::{CStr, CString, c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

/// The part of the driver's compiler log that an error can have, in bytes.
const LOG_BYTES: usize = 8 << 10;

/// One GPU of this computer.
///
/// It may be used by several threads. Memory and functions that were made with it keep what they need of it.
#[derive(Debug)]
pub struct Gpu {
    context: Arc<Context>,
    name: String,
    memory: u64,
    multiprocessors: u32,
}

/// The context that all users of a GPU in a process share.
#[derive(Debug)]
struct Context {
    driver: Driver,
    device: Device,
    handle: Handle,
}

impl Context {
    fn new(driver: Driver, device: Device) -> Result<Self, GpuError> {
        let mut handle = 0;
        // SAFETY: the driver has been started, and has given the number of the device.
        let result = unsafe { (driver.call.primary_context_retain)(&raw mut handle, device) };
        driver.check(result, || "prepare the GPU".to_owned())?;
        Ok(Self { driver, device, handle })
    }

    /// The driver, ready for calls from this thread.
    fn driver(&self) -> Result<&Driver, GpuError> {
        // SAFETY: the context is retained.
        let result = unsafe { (self.driver.call.context_set_current)(self.handle) };
        self.driver.check(result, || "use the GPU from this thread".to_owned())?;
        Ok(&self.driver)
    }

    fn wait(&self) -> Result<(), GpuError> {
        let driver = self.driver()?;
        // SAFETY: this thread has a context.
        driver.check(unsafe { (driver.call.context_synchronize)() }, || "finish what was launched".to_owned())
    }

    /// The error for memory that cannot be had.
    fn out_of_memory(&self, asked: usize) -> GpuError {
        let (mut free, mut total) = (0, 0);
        // SAFETY: it writes two numbers.
        _ = unsafe { (self.driver.call.mem_get_info)(&raw mut free, &raw mut total) };
        GpuError::OutOfMemory { asked: asked as u64, free: free as u64, total: total as u64 }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it has been retained once; modules and buffers hold it, so none is left.
        _ = unsafe { (self.driver.call.primary_context_release)(self.device) };
    }
}

impl Gpu {
    /// Opens the first GPU that this process may use; the environment variable `CUDA_VISIBLE_DEVICES` says which ones it may.
    ///
    /// The first call of a process takes some tenths of a second.
    ///
    /// # Errors
    /// When there is no driver or no GPU, or when the driver fails.
    pub fn open() -> Result<Self, GpuError> {
        let driver = Driver::find()?;
        // SAFETY: it may be called at any time, with zero.
        driver.check(unsafe { (driver.call.init)(0) }, || "start".to_owned())?;
        let mut device = 0;
        // SAFETY: the driver has been started.
        let result = unsafe { (driver.call.device_get)(&raw mut device, 0) };
        if result == code::INVALID_DEVICE {
            return Err(GpuError::NoDevice);
        }
        driver.check(result, || "find the first GPU".to_owned())?;

        let describe = || "describe the GPU".to_owned();
        let mut name = [0_u8; 256];
        let room = name.len() as c_int;
        // SAFETY: no more than the given number of bytes are written.
        let result = unsafe { (driver.call.device_get_name)(name.as_mut_ptr().cast(), room, device) };
        driver.check(result, describe)?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned();
        let mut memory = 0;
        // SAFETY: it writes one number, as the next one does.
        driver.check(unsafe { (driver.call.device_total_mem)(&raw mut memory, device) }, describe)?;
        let mut multiprocessors = 0;
        let result = unsafe {
            (driver.call.device_get_attribute)(&raw mut multiprocessors, MULTIPROCESSOR_COUNT, device)
        };
        driver.check(result, describe)?;
        let context = Arc::new(Context::new(driver, device)?);
        Ok(Self { context, name, memory: memory as u64, multiprocessors: multiprocessors.unsigned_abs() })
    }

    /// The name of the product, such as "NVIDIA H200".
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The memory of the GPU in bytes, used or not.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The number of multiprocessors: each runs blocks of its own.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// Loads kernels that are given as PTX, which the driver compiles for the GPU, unless its cache has them.
    ///
    /// # Errors
    /// When the PTX is newer than the driver, or cannot be compiled for this GPU; the error has what the compiler says.
    pub fn load(&self, ptx: &str) -> Result<Module, GpuError> {
        let driver = self.context.driver()?;
        let action = || "load the kernels".to_owned();
        let Ok(text) = CString::new(ptx) else {
            return Err(GpuError::Driver {
                action: action(),
                name: "no PTX".to_owned(),
                meaning: "a text without zero bytes is expected".to_owned(),
            });
        };
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options = ERROR_LOG;
        // The size is passed in place of a pointer.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES - 1)];
        let mut handle = 0;
        // SAFETY: the text ends with a zero, the log has the room that its option says, and both outlive the call.
        let result = unsafe {
            let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
            (driver.call.module_load)(&raw mut handle, text.as_ptr().cast(), 2, options, values)
        };
        let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
        match result {
            0 => Ok(Module { loaded: Arc::new(Loaded { context: Arc::clone(&self.context), handle }) }),
            code::UNSUPPORTED_PTX_VERSION => {
                let why =
                    format!("it knows CUDA {}, and the kernels are {}", driver.version(), version_of(ptx));
                Err(GpuError::DriverTooOld { why })
            }
            _ => Err(driver.error(result, action(), log.trim())),
        }
    }

    /// Copies values into new memory of the GPU.
    ///
    /// # Errors
    /// When there is not enough memory, or an earlier launch has failed.
    pub fn upload<T: IntoBytes + Immutable>(&self, values: &[T]) -> Result<Buffer<T>, GpuError> {
        let buffer = self.allocate(values.len())?;
        let bytes = values.as_bytes();
        if !bytes.is_empty() {
            let driver = self.context.driver()?;
            // SAFETY: the buffer was made with room for as many bytes.
            let result =
                unsafe { (driver.call.copy_to_device)(buffer.address, bytes.as_ptr().cast(), bytes.len()) };
            driver.check(result, || format!("copy {} bytes to the GPU", bytes.len()))?;
        }
        Ok(buffer)
    }

    /// Makes memory of the GPU for so many values, all of whose bytes are zero.
    ///
    /// # Errors
    /// When there is not enough memory, or an earlier launch has failed.
    pub fn zeros<T: FromZeros>(&self, count: usize) -> Result<Buffer<T>, GpuError> {
        let buffer = self.allocate(count)?;
        if buffer.bytes() > 0 {
            let driver = self.context.driver()?;
            // SAFETY: the buffer has so many bytes.
            let result = unsafe { (driver.call.mem_set)(buffer.address, 0, buffer.bytes()) };
            driver.check(result, || format!("clear {} bytes of the GPU", buffer.bytes()))?;
        }
        Ok(buffer)
    }

    /// Makes memory whose content is left over from other uses.
    fn allocate<T>(&self, count: usize) -> Result<Buffer<T>, GpuError> {
        let driver = self.context.driver()?;
        let bytes = count.saturating_mul(size_of::<T>());
        let mut address = 0;
        // The driver makes no memory of no bytes.
        if bytes > 0 {
            // SAFETY: it writes one address.
            let result = unsafe { (driver.call.mem_alloc)(&raw mut address, bytes) };
            if result == code::OUT_OF_MEMORY {
                return Err(self.context.out_of_memory(bytes));
            }
            driver.check(result, || format!("make room for {bytes} bytes on the GPU"))?;
        }
        Ok(Buffer { context: Arc::clone(&self.context), address, count, values: PhantomData })
    }

    /// Copies the first values of a buffer from the GPU, all of them if it has fewer, after everything that was launched before is done.
    ///
    /// # Errors
    /// When an earlier launch has failed.
    pub fn download<T: FromBytes>(&self, buffer: &Buffer<T>, count: usize) -> Result<Vec<T>, GpuError> {
        let count = count.min(buffer.count);
        let (mut values, bytes): (Vec<T>, _) = (Vec::with_capacity(count), count * size_of::<T>());
        if bytes > 0 {
            let driver = self.context.driver()?;
            // SAFETY: there is room for so many bytes on both sides.
            let result =
                unsafe { (driver.call.copy_to_host)(values.as_mut_ptr().cast(), buffer.address, bytes) };
            driver.check(result, || format!("copy {bytes} bytes from the GPU"))?;
        }
        // SAFETY: so many values have been written, and any bytes are a value (`FromBytes`).
        unsafe { values.set_len(count) };
        Ok(values)
    }

    /// Copies values to the beginning of a buffer, as many as it has room for.
    ///
    /// # Errors
    /// When an earlier launch has failed.
    pub fn write<T: IntoBytes + Immutable>(&self, buffer: &Buffer<T>, values: &[T]) -> Result<(), GpuError> {
        let bytes = values[..values.len().min(buffer.count)].as_bytes();
        if bytes.is_empty() {
            return Ok(());
        }
        let driver = self.context.driver()?;
        // SAFETY: the buffer has room for so many bytes.
        let result =
            unsafe { (driver.call.copy_to_device)(buffer.address, bytes.as_ptr().cast(), bytes.len()) };
        driver.check(result, || format!("copy {} bytes to the GPU", bytes.len()))
    }

    /// Starts a function on a grid of blocks of threads, each block with so many bytes of shared memory, and does not wait for its end;
    /// each argument is a word of 64 bits.
    ///
    /// # Errors
    /// When the grid or the blocks are too large, or an earlier launch has failed. A mistake of the function itself is an error of
    /// what waits for it.
    ///
    /// # Safety
    /// The function has to take exactly these arguments. Whatever it reads and writes, by addresses among the arguments or in
    /// memory that these lead to, has to lie in buffers of this GPU that are not dropped before the launch. Many GPUs can write
    /// into the memory of the process, too, where a wrong address points there; so a launch is no safer than a call of C.
    pub unsafe fn launch(
        &self,
        function: &Function,
        grid: [u32; 3],
        (block, shared): ([u32; 3], u32),
        arguments: &[u64],
    ) -> Result<(), GpuError> {
        let driver = self.context.driver()?;
        // The driver copies the arguments before it returns, and only reads them.
        let mut pointers: Vec<*mut c_void> =
            arguments.iter().map(|word| ptr::from_ref(word).cast_mut().cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        // SAFETY: the function is loaded; the caller vouches for the arguments.
        let result = unsafe {
            let (arguments, none) = (pointers.as_mut_ptr(), ptr::null_mut());
            (driver.call.launch)(function.handle, gx, gy, gz, bx, by, bz, shared, 0, arguments, none)
        };
        driver.check(result, || format!("launch the kernel {} on {grid:?} x {block:?}", function.name))
    }

    /// Waits until everything that was launched is done.
    ///
    /// # Errors
    /// When a launch has failed; all further calls then fail, too.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.context.wait()
    }
}

/// Values in the memory of a GPU. Where a buffer is dropped, what has been launched before is waited for.
pub struct Buffer<T> {
    context: Arc<Context>,
    /// Zero if there are no bytes.
    address: Address,
    count: usize,
    values: PhantomData<fn() -> T>,
}

impl<T> Buffer<T> {
    /// The address of the first value on the GPU, as arguments of launches have it; zero if there are no values.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn bytes(&self) -> usize {
        self.count.saturating_mul(size_of::<T>())
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = format_args!("{:#x}", self.address);
        f.debug_struct("Buffer")
            .field("address", &address)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.address != 0 && self.context.wait().is_ok() {
            // SAFETY: the driver has given the address, and nothing runs that may use it.
            _ = unsafe { (self.context.driver.call.mem_free)(self.address) };
        }
    }
}

/// Kernels that are loaded.
#[derive(Debug)]
pub struct Module {
    loaded: Arc<Loaded>,
}

#[derive(Debug)]
struct Loaded {
    context: Arc<Context>,
    handle: Handle,
}

impl Module {
    /// Finds a kernel by the name that it has in PTX; `extern "C"` keeps it as it is written.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn function(&self, name: &str) -> Result<Function, GpuError> {
        let driver = self.loaded.context.driver()?;
        let text = CString::new(name).unwrap_or_default();
        let mut handle = 0;
        // SAFETY: the module is loaded, and the name ends with a zero.
        let result =
            unsafe { (driver.call.module_get_function)(&raw mut handle, self.loaded.handle, text.as_ptr()) };
        driver.check(result, || format!("find the kernel {name}"))?;
        Ok(Function { _loaded: Arc::clone(&self.loaded), handle, name: name.to_owned() })
    }

    /// Writes bytes into a variable of the module, from its first one on. What was launched before is done when they are written.
    ///
    /// # Errors
    /// When there is none of this name, or it has no room for so many bytes.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), GpuError> {
        let driver = self.loaded.context.driver()?;
        let text = CString::new(name).unwrap_or_default();
        let (mut address, mut room) = (0, 0);
        // SAFETY: the module is loaded, the name ends with a zero, and two numbers are written.
        let result = unsafe {
            (driver.call.module_get_global)(
                &raw mut address,
                &raw mut room,
                self.loaded.handle,
                text.as_ptr(),
            )
        };
        driver.check(result, || format!("find the variable {name}"))?;
        if bytes.len() > room {
            let meaning = format!("it has {room} bytes, and {} are to be written", bytes.len());
            let action = format!("write the variable {name}");
            return Err(GpuError::Driver { action, name: "no room".to_owned(), meaning });
        }
        // SAFETY: the variable has so many bytes.
        let result = unsafe { (driver.call.copy_to_device)(address, bytes.as_ptr().cast(), bytes.len()) };
        driver.check(result, || format!("write the variable {name}"))
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.context.wait().is_ok() {
            // SAFETY: no function of it is left, and none runs.
            _ = unsafe { (self.context.driver.call.module_unload)(self.handle) };
        }
    }
}

/// A kernel: a function that runs on the GPU.
#[derive(Debug)]
pub struct Function {
    _loaded: Arc<Loaded>,
    handle: Handle,
    name: String,
}

/// The version of PTX that a text says it is of.
fn version_of(ptx: &str) -> String {
    let version = ptx.lines().find_map(|line| line.trim().strip_prefix(".version "));
    version.map_or_else(|| "of no version".to_owned(), |version| format!("PTX {}", version.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_opened_or_the_error_is_a_sentence_with_a_hint() {
        match Gpu::open() {
            Ok(gpu) => {
                assert!(!gpu.name().is_empty());
                assert!(gpu.memory() > 1 << 30 && gpu.multiprocessors() > 0, "{gpu:?}");
            }
            Err(GpuError::NoDriver { looked_for }) => {
                let message = GpuError::NoDriver { looked_for: looked_for.clone() }.to_string();
                let begin =
                    "no driver for a GPU of NVIDIA is found on this computer; looked for:\n  libcuda.so.1: ";
                assert!(message.starts_with(begin), "{message}");
                assert!(message.contains("\n\nhint: install the driver"), "{message}");
                assert_eq!(looked_for.lines().count(), 2, "{looked_for}");
            }
            // A driver on a computer whose GPU is not for us.
            Err(error) => assert_eq!(error, GpuError::NoDevice),
        }
    }

    #[test]
    fn the_version_of_ptx_is_found() {
        assert_eq!(version_of("// a comment\n.version 9.0\n.target sm_80\n"), "PTX 9.0");
        assert_eq!(version_of(""), "of no version");
    }
}
