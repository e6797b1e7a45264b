//! `begun.json`: what is known of a run when it begins. It is there as long as there is no `summary.json`.

use crate::error::{RecordError, Result};
use crate::files::write_soon;
use crate::json::SCHEMA_VERSION;
use crate::run_folder::{BEGUN, RunFolder};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Write;

/// A run that has begun: those fields of the [summary](crate::Summary) that are known then, with the same meanings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Begun {
    /// Title of the experiment.
    pub title: String,
    /// Name of the engine.
    pub engine: &'static str,
    /// Nodes of the machine.
    pub nodes: usize,
    /// Routers of the machine.
    pub routers: usize,
    /// One-way links of the machine, those between node and router included.
    pub links: usize,
    /// Ranks of the workload.
    pub ranks: usize,
    /// The whole experiment with every default filled in.
    pub experiment: Value,
    /// The defaults on which the result hangs, and which the input did not say.
    pub assumed: Vec<Assumed>,
}

#[derive(Serialize)]
struct BegunRun<'a> {
    schema_version: u32,
    weir_version: &'static str,
    run: &'a str,
    #[serde(flatten)]
    begun: &'a Begun,
}

impl Begun {
    /// Writes `begun.json` into a folder that has been begun; `summary.json` takes its place when it is written.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, folder: &RunFolder) -> Result<()> {
        let run = BegunRun {
            schema_version: SCHEMA_VERSION,
            weir_version: env!("CARGO_PKG_VERSION"),
            run: folder.run(),
            begun: self,
        };
        let path = folder.path().join(BEGUN);
        let written = write_soon(&path, |out| writeln!(out, "{:#}", json!(run)));
        written.map_err(|source| RecordError::File { path, source })
    }
}

/// A default on which the result hangs, and which the input did not say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumed {
    /// The key with its table, as in `node.interface`.
    pub key: String,
    /// Its value, as it would be written; in words where it follows from something else.
    pub value: Value,
    /// One sentence that says what the default means, and when another value is right.
    pub why: &'static str,
}

impl Assumed {
    /// The value for people: a text without its quotes.
    pub fn value_in_words(&self) -> String {
        self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned)
    }
}
