//! The binary interfaces of MPI that there are: what handles look like in each, and where a status has its parts.
//!
//! Numbers are from these headers:
//! - of the standard: MPI 5.0, chapter 20 and appendix A; `mpi_abi.h` of MPICH 5.0
//! - of MPICH, which Intel MPI, MVAPICH and Cray MPICH share (the MPICH ABI compatibility initiative): `mpi.h` of MPICH 5.0
//! - of Open MPI: `mpi.h` of Open MPI 4.1.4 and 5.0.11, which say the same

use std::ffi::{c_int, c_void};

/// A handle as all interfaces pass it: in a register of the machine. MPICH's have 32 bits, which are the lower ones.
pub(super) type Handle = usize;

/// A handle in the table: what it is, or the name of a variable of the library whose address it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant {
    Number(Handle),
    AddressOf(&'static str),
}

/// The constants of a binary interface that are used here.
#[derive(Debug)]
pub(super) struct Flavour {
    /// `MPI_COMM_WORLD`
    pub(super) world: Constant,
    /// `MPI_ERRORS_RETURN`
    pub(super) errors_return: Constant,
    /// `MPI_BYTE`
    pub(super) byte: Constant,
    /// `MPI_UINT64_T`
    pub(super) word: Constant,
    /// `MPI_MIN`
    pub(super) least: Constant,
    /// `MPI_ANY_SOURCE`
    pub(super) any_source: c_int,
    /// `MPI_THREAD_FUNNELED`
    pub(super) funneled: c_int,
    /// Where `MPI_SOURCE` is in a status, in numbers of 32 bits.
    pub(super) source: usize,
}

/// The standard's.
pub(super) static STANDARD: Flavour = Flavour {
    world: Constant::Number(0x101),
    errors_return: Constant::Number(0x143),
    byte: Constant::Number(0x247),
    word: Constant::Number(0x259),
    least: Constant::Number(0x22),
    any_source: -1,
    funneled: 1024,
    source: 0,
};

/// MPICH's own.
pub(super) static MPICH: Flavour = Flavour {
    world: Constant::Number(0x4400_0000),
    errors_return: Constant::Number(0x5400_0001),
    byte: Constant::Number(0x4c00_010d),
    word: Constant::Number(0x4c00_083e),
    least: Constant::Number(0x5800_0002),
    any_source: -2,
    funneled: 1,
    source: 2,
};

/// Open MPI's.
pub(super) static OPEN_MPI: Flavour = Flavour {
    world: Constant::AddressOf("ompi_mpi_comm_world"),
    errors_return: Constant::AddressOf("ompi_mpi_errors_return"),
    byte: Constant::AddressOf("ompi_mpi_byte"),
    word: Constant::AddressOf("ompi_mpi_uint64_t"),
    least: Constant::AddressOf("ompi_mpi_op_min"),
    any_source: -1,
    funneled: 1,
    source: 0,
};

/// The largest status has 32 bytes, in the standard's interface. There is room for larger ones.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(super) struct Status(pub(super) [c_int; 16]);

impl Status {
    pub(super) fn pointer(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}
