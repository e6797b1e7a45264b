//! Delivers the data of a request that is complete, before the program gets to know.

use crate::calls::Done;
use crate::calls::abi::{self, CStatus, Cancel, Free, Query};
use crate::mpi::datatypes::pieces::Destination;
use crate::rank::context::Context;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use weir_message::{Data, MpiError, Status};

/// Takes the data of a collective, its workspace, to the program.
pub(crate) type Take = Box<dyn FnOnce(&mut Context, &[u8]) -> Done>;

#[derive(Default)]
pub(crate) enum Delivery {
    /// There are none, or they are where they belong.
    #[default]
    Nothing,
    Buffer(Destination),
    /// A function takes them. It is not called if the request has failed, or where only
    /// lengths are moved; its mistake is that of the request.
    Call(Take),
    /// A function of the program says what the status is.
    Generalized(Rc<Generalized>),
}

/// The data end within a basic element: the types of the message and of the buffer do not match.
#[cold]
fn cut_off(bytes: u64) -> MpiError {
    MpiError::Type(format!(
        "a message of {bytes} bytes ends within a basic element of the receive's datatype"
    ))
}

impl Delivery {
    /// Takes the data where they belong; the status as the program sees it.
    ///
    /// # Safety
    /// The program's memory is there, with as much room as the request has.
    #[inline]
    pub(crate) unsafe fn carry_out(self, context: &mut Context, mut status: Status, data: &Data) -> Status {
        match self {
            Self::Nothing => {}
            Self::Buffer(destination) => {
                // SAFETY: the caller's promise.
                unsafe { destination.write(data.bytes()) };
                if destination.is_cut_off(data.bytes().len()) {
                    status.error = status.error.or_else(|| Some(Box::new(cut_off(data.length()))));
                }
            }
            Self::Call(take) if status.error.is_none() => {
                if let Data::Bytes(data) = data {
                    status.error = take(context, data).err().map(Box::new);
                }
            }
            Self::Call(_) => {}
            Self::Generalized(request) => {
                status = request.query(context);
                status.error = status.error.or(request.free(context).err().map(Box::new));
            }
        }
        status
    }
}

/// A generalized request: the program says when it is complete, and its functions what its status is (MPI 5.0, section 13.2).
pub(crate) struct Generalized {
    pub(super) query: Query,
    pub(super) free: Free,
    pub(super) cancel: Cancel,
    pub(super) extra: *mut c_void,
}

impl Generalized {
    pub(crate) fn query(&self, context: &mut Context) -> Status {
        let mut status = CStatus::new(&Status::empty());
        // SAFETY: the program's function, with what the standard says it gets.
        let code = context.callback(|| unsafe { (self.query)(self.extra, &raw mut status) });
        Status { error: abi::returned(code).err().map(Box::new), ..status.get() }
    }

    pub(crate) fn free(&self, context: &mut Context) -> Done {
        // SAFETY: as above.
        abi::returned(context.callback(|| unsafe { (self.free)(self.extra) }))
    }

    /// The program cancels the request, which is complete or not.
    pub(crate) fn cancel(&self, context: &mut Context, complete: bool) -> Done {
        // SAFETY: as above.
        abi::returned(context.callback(|| unsafe { (self.cancel)(self.extra, c_int::from(complete)) }))
    }
}
