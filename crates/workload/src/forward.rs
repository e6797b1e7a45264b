//! Patterns that are made of another one.

/// Writes methods of [`Order`](crate::Order) and [`Counted`](crate::Counted) that are those of the pattern within.
macro_rules! forward {
    ($this:ident, $inner:expr;) => {};
    ($this:ident, $inner:expr; order $($rest:ident)*) => {
        forward!($this, $inner; entry gap period ranks awaits only_sends $($rest)*);
    };
    ($this:ident, $inner:expr; counted $($rest:ident)*) => {
        forward!($this, $inner; messages bytes_total bytes_at_most $($rest)*);
    };
    ($this:ident, $inner:expr; entry $($rest:ident)*) => {
        fn entry(&$this, rank: weir_units::Rank, index: u64) -> Option<crate::Entry> {
            $inner.entry(rank, index)
        }
        forward!($this, $inner; $($rest)*);
    };
    ($this:ident, $inner:expr; gap $($rest:ident)*) => {
        fn gap(&$this, rank: weir_units::Rank, index: u64) -> Option<crate::Gap> {
            $inner.gap(rank, index)
        }
        forward!($this, $inner; $($rest)*);
    };
    ($this:ident, $inner:expr; period $($rest:ident)*) => {
        fn period(&$this, rank: weir_units::Rank) -> Option<crate::Period> {
            $inner.period(rank)
        }
        forward!($this, $inner; $($rest)*);
    };
    ($this:ident, $inner:expr; ranks $($rest:ident)*) => {
        forward!(@ $this, $inner; ranks usize; $($rest)*);
    };
    ($this:ident, $inner:expr; awaits $($rest:ident)*) => {
        forward!(@ $this, $inner; awaits bool; $($rest)*);
    };
    ($this:ident, $inner:expr; only_sends $($rest:ident)*) => {
        forward!(@ $this, $inner; only_sends bool; $($rest)*);
    };
    ($this:ident, $inner:expr; messages $($rest:ident)*) => {
        forward!(@ $this, $inner; messages u64; $($rest)*);
    };
    ($this:ident, $inner:expr; bytes_total $($rest:ident)*) => {
        forward!(@ $this, $inner; bytes_total weir_units::Bytes; $($rest)*);
    };
    ($this:ident, $inner:expr; bytes_at_most $($rest:ident)*) => {
        forward!(@ $this, $inner; bytes_at_most weir_units::Bytes; $($rest)*);
    };
    ($this:ident, $inner:expr; uniform $($rest:ident)*) => {
        forward!(@ $this, $inner; uniform Option<crate::Uniform>; $($rest)*);
    };
    (@ $this:ident, $inner:expr; $method:ident $returned:ty; $($rest:ident)*) => {
        fn $method(&$this) -> $returned {
            $inner.$method()
        }
        forward!($this, $inner; $($rest)*);
    };
}

pub(crate) use forward;
