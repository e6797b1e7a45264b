//! Sources, tags and instants that receives and looks ask for.

/// Says whether a call first lets time come up to the rank's clock, to see what has come by then, as `MPI_Waitany`,
/// `MPI_Waitsome` and the tests do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub enum PollFirst {
    #[default]
    No,
    Yes,
}

/// From whom a message is taken, and with which tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ReceiveSource {
    /// The rank that sent it; `None`: it is not known who (asked for any source, and not logged), or nobody.
    pub source: Option<u32>,
    /// Its tag; `None`: not known (asked for any tag, and not logged).
    pub tag: Option<i32>,
    /// The wildcards that the program gave.
    pub asked: Wildcards,
}

impl ReceiveSource {
    /// The message of nobody.
    pub const NOBODY: Self = Self { source: None, tag: None, asked: Wildcards::Nobody };

    /// A receive or a probe that asks for these; `None`: for any.
    pub const fn asking(source: Option<u32>, tag: Option<i32>) -> Self {
        Self { source, tag, asked: Wildcards::of(source.is_none(), tag.is_none()) }
    }

    /// These, if they are enough for what was asked; without a source, and without asking for any, the message is nobody's.
    ///
    /// # Errors
    /// When a source or a tag is missing.
    pub fn checked(source: Option<u32>, tag: Option<i32>, asked: Wildcards) -> Result<Self, String> {
        match asked {
            Wildcards::Nobody => Ok(Self::NOBODY),
            Wildcards::Both if source.is_none() => Ok(Self::NOBODY),
            Wildcards::Both | Wildcards::AnySource if tag.is_none() => {
                Err("a receive needs a tag, or any".into())
            }
            Wildcards::AnyTag if source.is_none() => Err("a receive needs a source, or any".into()),
            _ => Ok(Self { source, tag, asked }),
        }
    }
}

/// Source and tag that a receive or a probe asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Wildcards {
    /// This source and this tag.
    Both,
    /// Any source (`MPI_ANY_SOURCE`) with this tag.
    AnySource,
    /// This source with any tag (`MPI_ANY_TAG`).
    AnyTag,
    /// Any source with any tag.
    Anything,
    /// Nothing from nobody (`MPI_PROC_NULL`).
    Nobody,
}

impl Wildcards {
    /// The wildcards of somebody who asks for any source or not, and for any tag or not.
    pub const fn of(any_source: bool, any_tag: bool) -> Self {
        match (any_source, any_tag) {
            (false, false) => Self::Both,
            (true, false) => Self::AnySource,
            (false, true) => Self::AnyTag,
            (true, true) => Self::Anything,
        }
    }

    /// Returns whether any source was asked for.
    pub const fn any_source(self) -> bool {
        matches!(self, Self::AnySource | Self::Anything)
    }

    /// Returns whether any tag was asked for.
    pub const fn any_tag(self) -> bool {
        matches!(self, Self::AnyTag | Self::Anything)
    }
}
