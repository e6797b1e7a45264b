//! Numbers of the standard ABI (MPI 5.0, chapter 20), and how handles of our own are distinguished from predefined ones.

use crate::calls::{Done, Result};
pub(crate) use crate::headers::constants::*;
use std::ffi::{c_int, c_void};
use weir_message::{CommunicatorId, MpiError, RequestId, Status};

/// A handle: predefined ones are small numbers, ours begin at [`OWN`].
pub(crate) type Handle = *mut c_void;

/// Handles of our own are this and an index. The standard keeps the numbers below for predefined ones.
pub(crate) const OWN: usize = 0x1_0000;

/// Operations that only windows have.
pub(crate) const OP_REPLACE: u32 = 0x3c;
pub(crate) const OP_NO_OP: u32 = 0x3d;

/// `MPI_Status`, 32 bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct CStatus {
    pub(crate) source: c_int,
    pub(crate) tag: c_int,
    pub(crate) error: c_int,
    /// Bytes received (two words), cancelled or not.
    internal: [c_int; 5],
}

impl CStatus {
    pub(crate) fn new(status: &Status) -> Self {
        let mut new = Self { source: 0, tag: 0, error: MPI_SUCCESS, internal: [0; 5] };
        new.set(status);
        new
    }

    /// Returns everything but the error.
    pub(crate) fn get(&self) -> Status {
        let Self { source, tag, .. } = *self;
        Status { source, tag, bytes: self.bytes(), cancelled: self.cancelled(), error: None }
    }

    /// Fills in everything but `error`, which only calls for several requests set.
    pub(crate) fn set(&mut self, status: &Status) {
        self.source = status.source;
        self.tag = status.tag;
        self.set_bytes(status.bytes);
        self.set_cancelled(status.cancelled);
    }

    /// Fills in everything, as calls for several requests do.
    pub(crate) fn set_with_error(&mut self, status: &Status) {
        self.set(status);
        self.error = status.error.as_deref().map_or(MPI_SUCCESS, error_code);
    }

    pub(crate) fn set_bytes(&mut self, bytes: u64) {
        self.internal[0] = bytes as u32 as c_int;
        self.internal[1] = (bytes >> 32) as c_int;
    }

    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.internal[0] as u32) | u64::from(self.internal[1] as u32) << 32
    }

    pub(crate) fn set_cancelled(&mut self, cancelled: bool) {
        self.internal[2] = c_int::from(cancelled);
    }

    pub(crate) fn cancelled(&self) -> bool {
        self.internal[2] != 0
    }
}

/// The number of our own behind a handle, if it is one of ours.
pub(crate) fn own_index(handle: Handle) -> Option<usize> {
    (handle as usize).checked_sub(OWN)
}

/// The handle for a number of our own.
pub(crate) fn own_handle(index: usize) -> Handle {
    (OWN + index) as Handle
}

pub(crate) fn predefined(value: usize) -> Handle {
    value as Handle
}

pub(crate) fn communicator(handle: Handle) -> Result<CommunicatorId> {
    match handle as usize {
        MPI_COMM_WORLD => Ok(CommunicatorId::WORLD),
        MPI_COMM_SELF => Ok(CommunicatorId::SELF),
        _ => match own_index(handle) {
            Some(index) => u32::try_from(index).map(CommunicatorId).map_err(|_| MpiError::Communicator),
            None => Err(MpiError::Communicator),
        },
    }
}

pub(crate) fn communicator_handle(id: Option<CommunicatorId>) -> Handle {
    match id {
        None => predefined(MPI_COMM_NULL),
        Some(CommunicatorId::WORLD) => predefined(MPI_COMM_WORLD),
        Some(CommunicatorId::SELF) => predefined(MPI_COMM_SELF),
        Some(id) => own_handle(id.0 as usize),
    }
}

/// The ordinary request behind a handle; `None` if it is null.
pub(crate) fn request(handle: Handle) -> Result<Option<RequestId>> {
    if handle as usize == MPI_REQUEST_NULL {
        return Ok(None);
    }
    let number = own_index(handle).and_then(|index| u32::try_from(index).ok());
    number.map(|number| Some(RequestId(number))).ok_or(MpiError::Request)
}

pub(crate) fn request_handle(id: RequestId) -> Handle {
    own_handle(id.0 as usize)
}

/// The classes of errors in `mpi.h`, with their names and what they mean.
const CLASSES: [(c_int, &str); 63] = [
    (0, "MPI_SUCCESS: no error"),
    (1, "MPI_ERR_BUFFER: invalid buffer"),
    (2, "MPI_ERR_COUNT: invalid count"),
    (3, "MPI_ERR_TYPE: invalid datatype"),
    (4, "MPI_ERR_TAG: invalid tag"),
    (5, "MPI_ERR_COMM: invalid communicator"),
    (6, "MPI_ERR_RANK: invalid rank"),
    (7, "MPI_ERR_REQUEST: invalid request"),
    (8, "MPI_ERR_ROOT: invalid root"),
    (9, "MPI_ERR_GROUP: invalid group"),
    (10, "MPI_ERR_OP: invalid reduction operation"),
    (11, "MPI_ERR_TOPOLOGY: invalid virtual topology"),
    (12, "MPI_ERR_DIMS: invalid sides of a grid"),
    (13, "MPI_ERR_ARG: invalid argument"),
    (14, "MPI_ERR_UNKNOWN: unknown error"),
    (15, "MPI_ERR_TRUNCATE: message longer than the buffer"),
    (16, "MPI_ERR_OTHER: another error"),
    (17, "MPI_ERR_INTERN: internal error"),
    (18, "MPI_ERR_PENDING: request not complete"),
    (19, "MPI_ERR_IN_STATUS: see the error fields of the statuses"),
    (20, "MPI_ERR_ACCESS: permission denied"),
    (21, "MPI_ERR_AMODE: invalid access mode of a file"),
    (22, "MPI_ERR_ASSERT: invalid assertion"),
    (23, "MPI_ERR_BAD_FILE: invalid name of a file"),
    (24, "MPI_ERR_BASE: invalid base of a window"),
    (25, "MPI_ERR_CONVERSION: data that cannot be converted"),
    (26, "MPI_ERR_DISP: invalid displacement"),
    (27, "MPI_ERR_DUP_DATAREP: a data representation of this name is known"),
    (28, "MPI_ERR_FILE_EXISTS: the file exists"),
    (29, "MPI_ERR_FILE_IN_USE: the file is in use"),
    (30, "MPI_ERR_FILE: invalid file"),
    (31, "MPI_ERR_INFO_KEY: invalid key of an info object"),
    (32, "MPI_ERR_INFO_NOKEY: no such key in the info object"),
    (33, "MPI_ERR_INFO_VALUE: invalid value of an info object"),
    (34, "MPI_ERR_INFO: invalid info object"),
    (35, "MPI_ERR_IO: another error of a file"),
    (36, "MPI_ERR_KEYVAL: invalid key of attributes"),
    (37, "MPI_ERR_LOCKTYPE: invalid type of lock"),
    (38, "MPI_ERR_NAME: no service of this name"),
    (39, "MPI_ERR_NO_MEM: no memory"),
    (40, "MPI_ERR_NOT_SAME: an argument is not the same on all ranks"),
    (41, "MPI_ERR_NO_SPACE: no space on the disk"),
    (42, "MPI_ERR_NO_SUCH_FILE: no such file"),
    (43, "MPI_ERR_PORT: invalid port"),
    (44, "MPI_ERR_QUOTA: the quota on the disk is exceeded"),
    (45, "MPI_ERR_READ_ONLY: the file can only be read"),
    (46, "MPI_ERR_RMA_ATTACH: memory cannot be attached"),
    (47, "MPI_ERR_RMA_CONFLICT: conflicting accesses to a window"),
    (48, "MPI_ERR_RMA_RANGE: access beyond a window"),
    (49, "MPI_ERR_RMA_SHARED: memory cannot be shared"),
    (50, "MPI_ERR_RMA_SYNC: windows are synchronised wrongly"),
    (51, "MPI_ERR_SERVICE: invalid service"),
    (52, "MPI_ERR_SIZE: invalid size"),
    (53, "MPI_ERR_SPAWN: no processes can be started"),
    (54, "MPI_ERR_UNSUPPORTED_DATAREP: unknown data representation"),
    (55, "MPI_ERR_UNSUPPORTED_OPERATION: not possible here"),
    (56, "MPI_ERR_WIN: invalid window"),
    (57, "MPI_ERR_RMA_FLAVOR: the window is of another kind"),
    (58, "MPI_ERR_PROC_ABORTED: a process has aborted"),
    (59, "MPI_ERR_VALUE_TOO_LARGE: the value does not fit"),
    (60, "MPI_ERR_SESSION: invalid session"),
    (61, "MPI_ERR_ERRHANDLER: invalid error handler"),
    (62, "MPI_ERR_ABI: not possible with this binary interface"),
];

/// The error code of a mistake: the class (MPI 5.0, section 9.4) with whose name its description begins, or what a callback of the
/// program has returned.
pub(crate) fn error_code(error: &MpiError) -> c_int {
    if let MpiError::OfProgram(code) = error {
        return *code;
    }
    let description = error.to_string();
    let name = description.split(':').next();
    let known = CLASSES.iter().find(|(_, text)| text.split(':').next() == name);
    known.map_or(MPI_ERR_OTHER, |(class, _)| *class)
}

/// The result of a function of the program that has returned this code.
pub(crate) fn returned(code: c_int) -> Done {
    if code == MPI_SUCCESS { Ok(()) } else { Err(MpiError::OfProgram(code)) }
}

pub(crate) fn error_text(class: c_int) -> Option<&'static str> {
    CLASSES.iter().find(|(known, _)| *known == class).map(|(_, text)| *text)
}
