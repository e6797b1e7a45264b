//! Changes that commands make in an experiment or a machine that they read.

use crate::keys::KeyAnd;
use crate::values;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::ops::Deref;
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
    /// Assignments with which an experiment is read.
    pub(crate) fn overrides(&self) -> Vec<String> {
        self.unset.iter().map(|key| unset(key)).chain(self.set.iter().cloned()).collect()
    }
}

/// Options that are short for `--set` of a key.
pub(crate) trait Short: Args {
    /// Name, key and value of each option, if it is given.
    fn said(self) -> Vec<(&'static str, &'static str, Option<String>)>;
}

/// The engine of all runs.
#[derive(Args)]
pub(crate) struct Engine {
    /// The engine: ideal, flow or packet (short for --set engine.kind=...)
    #[arg(long, value_name = "KIND")]
    engine: Option<String>,
}

impl Short for Engine {
    fn said(self) -> Vec<(&'static str, &'static str, Option<String>)> {
        vec![("--engine", "engine.kind", self.engine)]
    }
}

/// The threads of a run.
#[derive(Args)]
pub(crate) struct Threads {
    /// Number of threads that the engine uses (short for --set engine.threads=...)
    #[arg(long, value_name = "N", value_parser = values::threads)]
    threads: Option<NonZeroUsize>,
}

impl Short for Threads {
    fn said(self) -> Vec<(&'static str, &'static str, Option<String>)> {
        vec![("--threads", "engine.threads", self.threads.map(|threads| threads.to_string()))]
    }
}

/// Both.
#[derive(Args)]
pub(crate) struct EngineAndThreads {
    #[command(flatten)]
    engine: Engine,
    #[command(flatten)]
    threads: Threads,
}

impl Short for EngineAndThreads {
    fn said(self) -> Vec<(&'static str, &'static str, Option<String>)> {
        [self.engine.said(), self.threads.said()].concat()
    }
}

/// [`Sets`] with options that are short for some of them. Two that say different things are refused.
pub(crate) struct SetsAnd<S> {
    sets: Sets,
    short: PhantomData<S>,
}

impl<S> Default for SetsAnd<S> {
    fn default() -> Self {
        Self { sets: Sets::default(), short: PhantomData }
    }
}

impl<S> Deref for SetsAnd<S> {
    type Target = Sets;

    fn deref(&self) -> &Sets {
        &self.sets
    }
}

impl<S: Short> FromArgMatches for SetsAnd<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut sets = Sets::from_arg_matches(matches)?;
        for (option, key, value) in S::from_arg_matches(matches)?.said() {
            let Some(value) = value else { continue };
            let of_key = |set: &&String| set.split_once('=').is_some_and(|(name, _)| name.trim() == key);
            let same = |set: &&String| {
                set.split_once('=').is_some_and(|(_, other)| other.trim().trim_matches(['"', '\'']) == value)
            };
            if let Some(other) = sets.set.iter().filter(of_key).find(|set| !same(set)) {
                let what = format!(
                    "{option} {value} and --set {other} say different things: leave one of them out\n"
                );
                return Err(Error::raw(ErrorKind::ArgumentConflict, what));
            }
            sets.set.push(format!("{key}={value}"));
        }
        Ok(Self { sets, short: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<S: Short> Args for SetsAnd<S> {
    fn augment_args(command: Command) -> Command {
        S::augment_args(Sets::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        S::augment_args_for_update(Sets::augment_args_for_update(command))
    }
}
