//! Mistakes of a program, also with files.

use std::fmt;
use std::io::{self, ErrorKind};

/// A function of MPI gives this, or the mistake of the program.
pub type Result<T, E = MpiError> = std::result::Result<T, E>;

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

macro_rules! file_mistakes {
    ($($(#[$doc:meta])* $name:ident $class:literal,)+) => {
        /// An error class of files (MPI 5.0, section 9.4, table 9.1).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub enum FileMistake {
            $($(#[$doc])* $name,)+
        }

        impl FileMistake {
            /// The name of the class in `mpi.h`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $class,)+
                }
            }
        }
    };
}

file_mistakes! {
    /// Not an open file.
    Handle "MPI_ERR_FILE",
    /// The ranks do not say the same where they have to.
    NotSame "MPI_ERR_NOT_SAME",
    /// The access mode makes no sense.
    AccessMode "MPI_ERR_AMODE",
    /// No such data representation.
    Representation "MPI_ERR_UNSUPPORTED_DATAREP",
    /// Not with a file opened like this.
    Operation "MPI_ERR_UNSUPPORTED_OPERATION",
    /// It is not there.
    NoSuchFile "MPI_ERR_NO_SUCH_FILE",
    /// It is there already.
    Exists "MPI_ERR_FILE_EXISTS",
    /// The name cannot be that of a file.
    Name "MPI_ERR_BAD_FILE",
    /// Permission is denied.
    Access "MPI_ERR_ACCESS",
    /// The disk is full.
    NoSpace "MPI_ERR_NO_SPACE",
    /// The user's share of the disk is full.
    Quota "MPI_ERR_QUOTA",
    /// It can only be read.
    ReadOnly "MPI_ERR_READ_ONLY",
    /// It is in use.
    InUse "MPI_ERR_FILE_IN_USE",
    /// There is a data representation of this name.
    KnownRepresentation "MPI_ERR_DUP_DATAREP",
    /// Data cannot be converted.
    Conversion "MPI_ERR_CONVERSION",
    /// Anything else.
    Io "MPI_ERR_IO",
}

impl FileMistake {
    /// The class of an error of the host's file system.
    pub fn of_host(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NoSuchFile,
            ErrorKind::AlreadyExists => Self::Exists,
            ErrorKind::PermissionDenied => Self::Access,
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            ErrorKind::StorageFull => Self::NoSpace,
            ErrorKind::QuotaExceeded => Self::Quota,
            ErrorKind::IsADirectory | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => Self::Name,
            ErrorKind::ExecutableFileBusy | ErrorKind::ResourceBusy => Self::InUse,
            _ => Self::Io,
        }
    }
}

impl fmt::Display for FileMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_host_have_classes() {
        let class = |number| FileMistake::of_host(&io::Error::from_raw_os_error(number));
        // Numbers of Linux: ENOENT, EACCES, EEXIST, ENOTDIR, EISDIR, ETXTBSY, ENOSPC, EROFS, ENAMETOOLONG, EDQUOT, EIO.
        let expected = [
            (2, FileMistake::NoSuchFile),
            (13, FileMistake::Access),
            (17, FileMistake::Exists),
            (20, FileMistake::Name),
            (21, FileMistake::Name),
            (26, FileMistake::InUse),
            (28, FileMistake::NoSpace),
            (30, FileMistake::ReadOnly),
            (36, FileMistake::Name),
            (122, FileMistake::Quota),
            (5, FileMistake::Io),
        ];
        for (number, mistake) in expected {
            assert_eq!(class(number), mistake, "errno {number}");
        }
    }
}
