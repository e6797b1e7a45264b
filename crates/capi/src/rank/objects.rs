//! What few programs make: attributes, info objects, errors and algorithms of their own, requests that are kept, attached
//! buffers. It all lies behind one pointer, so a rank that makes none of it pays for that pointer alone.

use crate::mpi::attributes::Attributes;
use crate::mpi::collectives::OwnAlgorithms;
use crate::mpi::dynamic::Ports;
use crate::mpi::error_handlers::UserErrors;
use crate::mpi::files::Files;
use crate::mpi::info::Infos;
use crate::mpi::point_to_point::send_buffers::SendBuffers;
use crate::mpi::requests::persistent::KeptRequests;
use crate::mpi::sessions::Sessions;
use crate::mpi::tools::Tools;
use crate::mpi::windows::Windows;

/// Objects of one rank. They stay where they are: programs hold pointers to the values of predefined attributes.
#[derive(Default)]
pub(crate) struct Objects {
    pub(crate) attributes: Attributes,
    pub(crate) infos: Infos,
    pub(crate) errors: UserErrors,
    pub(crate) files: Files,
    pub(crate) kept: KeptRequests,
    pub(crate) windows: Windows,
    pub(crate) send_buffers: SendBuffers,
    pub(crate) ports: Ports,
    pub(crate) sessions: Sessions,
    pub(crate) own_algorithms: OwnAlgorithms,
    pub(crate) tools: Tools,
}
