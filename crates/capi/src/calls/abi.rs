//! Numbers of the standard ABI (MPI 5.0, chapter 20), and how handles of our own are distinguished from predefined ones.

use crate::calls::{Done, Result};
pub(crate) use crate::headers::constants::*;
use std::ffi::{c_int, c_void};
use weir_message::{CommunicatorId, MpiError, RequestId, Status};

/// A handle: predefined ones are small numbers, ours begin at [`OWN`].
pub(crate) type Handle = *mut c_void;

/// Handles of our own are this and an index. The standard keeps the numbers below for predefined ones.
pub(crate) const OWN: usize = 0x1_0000;

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

/// `MPI_Comm_errhandler_function`
pub(crate) type HandlerFunction = unsafe extern "C" fn(*mut Handle, *mut c_int, ...);
/// `MPI_Comm_delete_attr_function`
pub(crate) type DeleteFunction = unsafe extern "C" fn(Handle, c_int, *mut c_void, *mut c_void) -> c_int;
/// `MPI_Grequest_query_function`
pub(crate) type Query = unsafe extern "C" fn(*mut c_void, *mut CStatus) -> c_int;
/// `MPI_Grequest_free_function`
pub(crate) type Free = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `MPI_Grequest_cancel_function`
pub(crate) type Cancel = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
/// `MPI_Datarep_extent_function`
pub(crate) type ExtentFunction = unsafe extern "C" fn(Handle, *mut isize, *mut c_void) -> c_int;
/// `MPI_User_function`, whose length is an `int`, or `MPI_User_function_c`, whose length is an `MPI_Count`.
pub(crate) type UserFunction<Count> = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut Count, *mut Handle);

/// The number of our own behind a handle, if it is one of ours.
pub(crate) fn own_index(handle: Handle) -> Option<usize> {
    (handle as usize).checked_sub(OWN)
}

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

/// The error code of a mistake: the class with whose name its description begins, or what a callback of the program has returned.
pub(crate) fn error_code(error: &MpiError) -> c_int {
    if let MpiError::OfProgram(code) = error {
        return *code;
    }
    let description = error.to_string();
    let name = description.split(':').next();
    let known = ERROR_CLASSES.iter().find(|(_, text)| text.split(':').next() == name);
    known.map_or(MPI_ERR_OTHER, |(class, _)| *class)
}

/// The result of a function of the program that has returned this code.
pub(crate) fn returned(code: c_int) -> Done {
    if code == MPI_SUCCESS { Ok(()) } else { Err(MpiError::OfProgram(code)) }
}

pub(crate) fn error_text(class: c_int) -> Option<&'static str> {
    ERROR_CLASSES.iter().find(|(known, _)| *known == class).map(|(_, text)| *text)
}
