//! Typed indices: 32 bits each, counted from zero.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a table with one entry per id.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id with this index.
            ///
            /// # Panics
            /// When the index does not fit 32 bits: no machine of this size can be described.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("an id fits 32 bits"))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A process of the simulated program, counted as in `MPI_COMM_WORLD`.
    Rank
}
id! {
    /// A computer of the simulated machine; hosts ranks.
    NodeId
}
id! {
    /// A switching element of the simulated machine.
    RouterId
}
id! {
    /// A one-way wire between two ports; a cable is two links.
    LinkId
}
