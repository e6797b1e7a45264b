//! Mistakes of a program.

use crate::FileMistake;
use std::fmt;

/// A mistake in the use of MPI, named by the standard's error class (MPI 5.0, section 9.4).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
#[allow(missing_docs)] // fields are named in their variants
pub enum MpiError {
    /// `MPI_ERR_COUNT`: a negative count.
    Count(i64),
    /// `MPI_ERR_TYPE`: not a datatype, or not one that is allowed here.
    Type(String),
    /// `MPI_ERR_TAG`: a negative tag, or `MPI_ANY_TAG` in a send.
    Tag(i32),
    /// `MPI_ERR_COMM`: not a communicator.
    Communicator,
    /// `MPI_ERR_RANK`: no such rank in a communicator of `size` ranks.
    Rank { rank: i32, size: usize },
    /// `MPI_ERR_REQUEST`: not a request.
    Request,
    /// `MPI_ERR_ROOT`: no such root in a communicator of `size` ranks.
    Root { root: i32, size: usize },
    /// `MPI_ERR_GROUP`: not a group.
    Group,
    /// `MPI_ERR_OP`: not an operation, or not defined for the datatype.
    Operation(String),
    /// `MPI_ERR_ARG`: another argument is wrong.
    Argument(String),
    /// `MPI_ERR_ARG`: a null pointer for the argument of this name, which says where a result goes, or what to read.
    NullPointer(String),
    /// `MPI_ERR_TRUNCATE`: a message is longer than the buffer it is received into; both in bytes.
    Truncate { message: u64, buffer: u64 },
    /// `MPI_ERR_BUFFER`: a null or overlapping buffer.
    Buffer(String),
    /// `MPI_ERR_TOPOLOGY`: the communicator has no topology of this kind.
    Topology(String),
    /// `MPI_ERR_DIMS`: a side of a grid is wrong.
    Dimensions(String),
    /// `MPI_ERR_KEYVAL`: not a key of attributes, or one that only the library may use.
    Keyval(i32),
    /// `MPI_ERR_INFO`: not an info object, or one that cannot be changed.
    Info,
    /// `MPI_ERR_INFO_KEY`: the key is empty or too long.
    InfoKey(usize),
    /// `MPI_ERR_INFO_VALUE`: the value is too long.
    InfoValue(usize),
    /// `MPI_ERR_INFO_NOKEY`: there is no such key.
    InfoNoKey(String),
    /// `MPI_ERR_ERRHANDLER`: not an error handler.
    ErrorHandler,
    /// `MPI_ERR_ABI`: something about the binary interface that is settled.
    Abi(String),
    /// `MPI_ERR_SPAWN`: no further processes can be started.
    Spawn(String),
    /// `MPI_ERR_PORT`: not a port that is open.
    Port(String),
    /// `MPI_ERR_NAME`: no service of this name is published.
    Name(String),
    /// `MPI_ERR_SERVICE`: a service cannot be published or withdrawn.
    Service(String),
    /// `MPI_ERR_SESSION`: not a session.
    Session,
    /// `MPI_ERR_UNSUPPORTED_OPERATION`: not possible here.
    Unsupported(String),
    /// A mistake with a file.
    OfFile { mistake: FileMistake, what: String },
    /// `MPI_ERR_NO_MEM`: there is no memory for so many bytes.
    NoMemory(usize),
    /// `MPI_ERR_WIN`: not a window.
    Window,
    /// `MPI_ERR_BASE`: no memory where a window should be.
    Base(String),
    /// `MPI_ERR_SIZE`: a window of a negative size.
    Size(i64),
    /// `MPI_ERR_DISP`: a displacement or its unit is wrong.
    Displacement(String),
    /// `MPI_ERR_ASSERT`: promises that the call does not know.
    Assertion(i32),
    /// `MPI_ERR_LOCKTYPE`: neither a shared nor an exclusive lock.
    LockType(i32),
    /// `MPI_ERR_RMA_SYNC`: windows are synchronised wrongly.
    RmaSync(String),
    /// `MPI_ERR_RMA_RANGE`: an access to memory that is not of the window.
    RmaRange(String),
    /// `MPI_ERR_RMA_ATTACH`: memory that cannot be attached or detached.
    RmaAttach(String),
    /// `MPI_ERR_RMA_SHARED`: memory that ranks cannot share.
    RmaShared(String),
    /// `MPI_ERR_RMA_FLAVOR`: a window of another kind is needed.
    RmaFlavour(String),
    /// An error code that a callback of the program has returned.
    OfProgram(i32),
    /// `MPI_ERR_OTHER`: anything else.
    Other(String),
}

impl fmt::Display for MpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "MPI_ERR_COUNT: the count {count} is negative"),
            Self::Type(what) => write!(f, "MPI_ERR_TYPE: {what}"),
            Self::Tag(tag) => {
                write!(f, "MPI_ERR_TAG: the tag {tag} is not in 0..={TAG}", TAG = crate::TAG_UPPER_BOUND)
            }
            Self::Communicator => write!(f, "MPI_ERR_COMM: not a communicator"),
            Self::Rank { rank, size } => {
                write!(f, "MPI_ERR_RANK: rank {rank} is not in a communicator of {size} ranks")
            }
            Self::Request => write!(f, "MPI_ERR_REQUEST: not a request"),
            Self::Root { root, size } => {
                write!(f, "MPI_ERR_ROOT: root {root} is not in a communicator of {size} ranks")
            }
            Self::Group => write!(f, "MPI_ERR_GROUP: not a group"),
            Self::Operation(what) => write!(f, "MPI_ERR_OP: {what}"),
            Self::Argument(what) => write!(f, "MPI_ERR_ARG: {what}"),
            Self::NullPointer(name) => write!(f, "MPI_ERR_ARG: a null pointer for the argument {name}"),
            Self::Truncate { message, buffer } => {
                write!(
                    f,
                    "MPI_ERR_TRUNCATE: a message of {message} bytes came for a buffer of {buffer} bytes"
                )
            }
            Self::Buffer(what) => write!(f, "MPI_ERR_BUFFER: {what}"),
            Self::Topology(what) => write!(f, "MPI_ERR_TOPOLOGY: {what}"),
            Self::Dimensions(what) => write!(f, "MPI_ERR_DIMS: {what}"),
            Self::Keyval(key) => write!(f, "MPI_ERR_KEYVAL: {key} is not a key that the program has made"),
            Self::Info => write!(f, "MPI_ERR_INFO: not an info object of the program"),
            Self::InfoKey(length) => {
                write!(f, "MPI_ERR_INFO_KEY: a key of {length} bytes; 1 to 255 are allowed")
            }
            Self::InfoValue(length) => {
                write!(f, "MPI_ERR_INFO_VALUE: a value of {length} bytes; at most 1023 are allowed")
            }
            Self::InfoNoKey(key) => write!(f, "MPI_ERR_INFO_NOKEY: there is no key {key}"),
            Self::ErrorHandler => write!(f, "MPI_ERR_ERRHANDLER: not an error handler"),
            Self::Abi(what) => write!(f, "MPI_ERR_ABI: {what}"),
            Self::Spawn(what) => write!(f, "MPI_ERR_SPAWN: {what}"),
            Self::Port(what) => write!(f, "MPI_ERR_PORT: {what}"),
            Self::Name(what) => write!(f, "MPI_ERR_NAME: {what}"),
            Self::Service(what) => write!(f, "MPI_ERR_SERVICE: {what}"),
            Self::Session => write!(f, "MPI_ERR_SESSION: not a session"),
            Self::Unsupported(what) => write!(f, "MPI_ERR_UNSUPPORTED_OPERATION: {what}"),
            Self::OfFile { mistake, what } => write!(f, "{mistake}: {what}"),
            Self::NoMemory(bytes) => write!(f, "MPI_ERR_NO_MEM: there is no memory for {bytes} bytes"),
            Self::Window => write!(f, "MPI_ERR_WIN: not a window"),
            Self::Base(what) => write!(f, "MPI_ERR_BASE: {what}"),
            Self::Size(size) => write!(f, "MPI_ERR_SIZE: the size {size} is negative"),
            Self::Displacement(what) => write!(f, "MPI_ERR_DISP: {what}"),
            Self::Assertion(given) => {
                write!(f, "MPI_ERR_ASSERT: {given} is no sum of promises that may be given here")
            }
            Self::LockType(given) => write!(f, "MPI_ERR_LOCKTYPE: {given} is no kind of lock"),
            Self::RmaSync(what) => write!(f, "MPI_ERR_RMA_SYNC: {what}"),
            Self::RmaRange(what) => write!(f, "MPI_ERR_RMA_RANGE: {what}"),
            Self::RmaAttach(what) => write!(f, "MPI_ERR_RMA_ATTACH: {what}"),
            Self::RmaShared(what) => write!(f, "MPI_ERR_RMA_SHARED: {what}"),
            Self::RmaFlavour(what) => write!(f, "MPI_ERR_RMA_FLAVOR: {what}"),
            Self::OfProgram(code) => write!(f, "a callback of the program returned error code {code}"),
            Self::Other(what) => write!(f, "MPI_ERR_OTHER: {what}"),
        }
    }
}

impl std::error::Error for MpiError {}
