//! Reasons for which a GPU cannot be used.

/// The reason for which a GPU cannot be opened, or cannot do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no library of the CUDA driver.
    #[error(
        "no driver for a GPU of NVIDIA is found on this computer; looked for:\n{looked_for}\n\nhint: install the driver (version 580 or newer), or run on a computer that has one; everything runs on the CPU, too"
    )]
    NoDriver {
        /// A line for each name, with what the loader says.
        looked_for: String,
    },
    /// There is a driver, but no GPU that this process may use.
    #[error(
        "the CUDA driver is there, but it finds no GPU that this process may use\n\nhint: look at what nvidia-smi lists, and whether the environment variable CUDA_VISIBLE_DEVICES hides it"
    )]
    NoDevice,
    /// The driver does not know a function or a version of kernels that is needed.
    #[error("the CUDA driver is too old: {why}\n\nhint: install version 580 or newer of the driver")]
    DriverTooOld {
        /// The function or the version of PTX that it lacks.
        why: String,
    },
    /// The memory of the GPU does not suffice.
    #[error(
        "the GPU has too little memory: {asked} bytes are asked for, {free} of its {total} bytes are free\n\nhint: simulate a smaller machine or fewer at once, or end other programs that use the GPU"
    )]
    OutOfMemory {
        /// The size of the buffer that could not be made, in bytes.
        asked: u64,
        /// The memory that no program has at this time, in bytes.
        free: u64,
        /// The memory of the GPU, in bytes.
        total: u64,
    },
    /// A function of the driver fails for another reason.
    #[error("the CUDA driver cannot {action}: {name} ({meaning})")]
    Driver {
        /// The action that was asked for, as words that follow "cannot".
        action: String,
        /// The name of the driver's error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// The driver's own words for it, with those of its compiler where it has compiled kernels.
        meaning: String,
    },
}
