//! What is said on standard error, whether or not anybody reads it.

/// A line on standard error. Where that is closed there is nowhere to report to: a run goes on without.
macro_rules! eprintln {
    ($($what:tt)*) => {{
        use std::io::Write as _;
        _ = writeln!(std::io::stderr(), $($what)*);
    }};
}

/// The same without the end of a line.
macro_rules! eprint {
    ($($what:tt)*) => {{
        use std::io::Write as _;
        _ = write!(std::io::stderr(), $($what)*);
    }};
}
