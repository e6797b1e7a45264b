//! Delivers the data of a request that is complete, before the program gets to know.

use crate::calls::Done;
use crate::mpi::datatypes::pieces::Destination;
use crate::mpi::requests::generalised::Generalised;
use crate::rank::context::Context;
use std::rc::Rc;
use weir_message::MpiError;
use weir_message::{Data, Status};

/// Takes the data of a collective, its workspace, to the program.
pub(crate) type Take = Box<dyn FnOnce(&mut Context, &[u8]) -> Done>;

/// Destination of the data of a request.
#[derive(Default)]
pub(crate) enum Delivery {
    /// There are none, or they are where they belong.
    #[default]
    Nothing,
    /// They go to a buffer of the program.
    Buffer(Destination),
    /// A function takes them. It is not called if the request has failed, or where only
    /// lengths are moved; its mistake is that of the request.
    Call(Take),
    /// A function of the program says what the status is.
    Generalised(Rc<Generalised>),
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
            Self::Generalised(request) => {
                status = request.query(context);
                status.error = status.error.or(request.free(context).err().map(Box::new));
            }
        }
        status
    }
}
