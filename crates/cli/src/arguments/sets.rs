//! What commands that read an experiment or a machine change in it.

use crate::keys::KeyAnd;
use clap::Args;
use weir_scenario::unset;

/// Keys that are set, and keys that are taken back.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Sets {
    /// Set a key, for example engine.sharing=iterative, in all runs of the command; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = KeyAnd("="), hide_possible_values = true)]
    set: Vec<String>,
    /// Take back a key or a whole table that the experiment or its machine file sets, as if it had not been said; may be given several
    /// times
    #[arg(long, value_name = "KEY", value_parser = KeyAnd(""), hide_possible_values = true)]
    unset: Vec<String>,
}

impl Sets {
    /// As an experiment is read with them.
    pub(crate) fn overrides(&self) -> Vec<String> {
        self.unset.iter().map(|key| unset(key)).chain(self.set.iter().cloned()).collect()
    }
}
