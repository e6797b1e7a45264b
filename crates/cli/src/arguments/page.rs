//! The options of the page that follows a run.

use clap::Args;

/// The page that follows a run.
#[derive(Args, Default)]
pub(crate) struct Page {
    /// Follow the run on a page of this computer, and stop it there if need be; at this port, or at any that is free
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(crate) live: Option<u16>,
}
