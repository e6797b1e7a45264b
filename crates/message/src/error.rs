//! Mistakes of a program.

use crate::FileMistake;

/// A mistake in the use of MPI, named by the standard's error class (MPI 5.0, section 9.4).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // their texts explain them
pub enum MpiError {
    #[error("MPI_ERR_COUNT: the count {0} is negative")]
    Count(i64),
    /// `MPI_ERR_TYPE`: not a datatype, or not one that is allowed here.
    #[error("MPI_ERR_TYPE: {0}")]
    Type(String),
    #[error("MPI_ERR_TAG: the tag {0} is not in 0..={tag}", tag = crate::TAG_UPPER_BOUND)]
    Tag(i32),
    #[error("MPI_ERR_COMM: not a communicator")]
    Communicator,
    #[error("MPI_ERR_RANK: rank {rank} is not in a communicator of {size} ranks")]
    Rank { rank: i32, size: usize },
    #[error("MPI_ERR_REQUEST: not a request")]
    Request,
    #[error("MPI_ERR_ROOT: root {root} is not in a communicator of {size} ranks")]
    Root { root: i32, size: usize },
    #[error("MPI_ERR_GROUP: not a group")]
    Group,
    /// `MPI_ERR_OP`: not an operation, or not defined for the datatype.
    #[error("MPI_ERR_OP: {0}")]
    Operation(String),
    /// `MPI_ERR_ARG`: another argument is wrong.
    #[error("MPI_ERR_ARG: {0}")]
    Argument(String),
    #[error("MPI_ERR_ARG: a null pointer for the argument {0}")]
    NullPointer(String),
    #[error("MPI_ERR_TRUNCATE: a message of {message} bytes came for a buffer of {buffer} bytes")]
    Truncate { message: u64, buffer: u64 },
    /// `MPI_ERR_BUFFER`: a null or overlapping buffer.
    #[error("MPI_ERR_BUFFER: {0}")]
    Buffer(String),
    /// `MPI_ERR_TOPOLOGY`: the communicator has no topology of this kind.
    #[error("MPI_ERR_TOPOLOGY: {0}")]
    Topology(String),
    /// `MPI_ERR_DIMS`: a side of a grid is wrong.
    #[error("MPI_ERR_DIMS: {0}")]
    Dimensions(String),
    #[error("MPI_ERR_KEYVAL: {0} is not a key that the program has made")]
    Keyval(i32),
    #[error("MPI_ERR_INFO: not an info object of the program")]
    Info,
    #[error("MPI_ERR_INFO_KEY: a key of {0} bytes; 1 to 255 are allowed")]
    InfoKey(usize),
    #[error("MPI_ERR_INFO_VALUE: a value of {0} bytes; at most 1023 are allowed")]
    InfoValue(usize),
    #[error("MPI_ERR_INFO_NOKEY: there is no key {0}")]
    InfoNoKey(String),
    #[error("MPI_ERR_ERRHANDLER: not an error handler")]
    ErrorHandler,
    /// `MPI_ERR_ABI`: something about the binary interface that is settled.
    #[error("MPI_ERR_ABI: {0}")]
    Abi(String),
    /// `MPI_ERR_SPAWN`: no further processes can be started.
    #[error("MPI_ERR_SPAWN: {0}")]
    Spawn(String),
    /// `MPI_ERR_PORT`: not a port that is open.
    #[error("MPI_ERR_PORT: {0}")]
    Port(String),
    /// `MPI_ERR_NAME`: no service of this name is published.
    #[error("MPI_ERR_NAME: {0}")]
    Name(String),
    /// `MPI_ERR_SERVICE`: a service cannot be published or withdrawn.
    #[error("MPI_ERR_SERVICE: {0}")]
    Service(String),
    #[error("MPI_ERR_SESSION: not a session")]
    Session,
    /// `MPI_ERR_UNSUPPORTED_OPERATION`: not possible here.
    #[error("MPI_ERR_UNSUPPORTED_OPERATION: {0}")]
    Unsupported(String),
    /// A mistake with a file.
    #[error("{mistake}: {what}")]
    OfFile { mistake: FileMistake, what: String },
    #[error("MPI_ERR_NO_MEM: there is no memory for {0} bytes")]
    NoMemory(usize),
    #[error("MPI_ERR_WIN: not a window")]
    Window,
    /// `MPI_ERR_BASE`: no memory where a window should be.
    #[error("MPI_ERR_BASE: {0}")]
    Base(String),
    #[error("MPI_ERR_SIZE: the size {0} is negative")]
    Size(i64),
    /// `MPI_ERR_DISP`: a displacement or its unit is wrong.
    #[error("MPI_ERR_DISP: {0}")]
    Displacement(String),
    #[error("MPI_ERR_ASSERT: {0} is no sum of promises that may be given here")]
    Assertion(i32),
    #[error("MPI_ERR_LOCKTYPE: {0} is no kind of lock")]
    LockType(i32),
    /// `MPI_ERR_RMA_SYNC`: windows are synchronised wrongly.
    #[error("MPI_ERR_RMA_SYNC: {0}")]
    RmaSync(String),
    /// `MPI_ERR_RMA_RANGE`: an access to memory that is not of the window.
    #[error("MPI_ERR_RMA_RANGE: {0}")]
    RmaRange(String),
    /// `MPI_ERR_RMA_ATTACH`: memory that cannot be attached or detached.
    #[error("MPI_ERR_RMA_ATTACH: {0}")]
    RmaAttach(String),
    /// `MPI_ERR_RMA_SHARED`: memory that ranks cannot share.
    #[error("MPI_ERR_RMA_SHARED: {0}")]
    RmaShared(String),
    /// `MPI_ERR_RMA_FLAVOR`: a window of another kind is needed.
    #[error("MPI_ERR_RMA_FLAVOR: {0}")]
    RmaFlavour(String),
    #[error("a callback of the program returned error code {0}")]
    OfProgram(i32),
    /// `MPI_ERR_OTHER`: anything else.
    #[error("MPI_ERR_OTHER: {0}")]
    Other(String),
}
