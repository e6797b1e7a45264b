//! What weir says of itself: `weir explain` and `weir schema` of the keys of an experiment, `weir completion` and `weir man` of
//! the command line.

use crate::why::{self, WhatIf};
use anyhow::{Context, Result};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use std::ffi::OsStr;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use weir_scenario::keys::pages;

/// A text that begins with a key: shells complete the keys, and whoever reads the text says what is wrong with it.
#[derive(Clone, Copy)]
pub(crate) struct KeyAnd(pub(crate) &'static str);

impl TypedValueParser for KeyAnd {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, option, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(pages::keys().into_iter().map(|key| PossibleValue::new(pages::to_set(&key) + self.0))))
    }
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// A key, for example packet.route_delay, or only route_delay; or the results folder of a run with output.causes = true: where its
    /// time went; without one, all keys are listed
    #[arg(value_parser = KeyAnd(""), hide_possible_values = true)]
    key: Option<String>,
    #[command(flatten)]
    what_if: WhatIf,
}

/// What a key means, what may stand behind it, and what holds where it is absent.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode> {
    let results = args.key.as_deref().and_then(why::results);
    if let Some(results) = results {
        return why::explain(&results, args.what_if);
    }
    if let Some(option) = args.what_if.first() {
        eprintln!(
            "error: {option} is for a results folder\n\nhint: weir run X --set output.causes=true --out FOLDER makes one"
        );
        return Ok(ExitCode::from(2));
    }
    let Some(key) = &args.key else {
        for key in pages::keys() {
            writeln!(stdout(), "{key}")?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    match pages::explain(key) {
        Ok(text) => write!(stdout(), "{text}")?,
        Err(why) => {
            eprintln!("error: {why}\n\nhint: weir explain lists all keys");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A JSON Schema of experiments, for editors.
pub(crate) fn schema() -> Result<ExitCode> {
    writeln!(stdout(), "{:#}", pages::schema())?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Args)]
pub(crate) struct CompletionArgs {
    /// The shell, as in: weir completion bash > ~/.local/share/bash-completion/completions/weir
    shell: Shell,
}

/// What a shell reads to complete commands and options.
pub(crate) fn completion(args: &CompletionArgs, mut command: Command) -> Result<ExitCode> {
    // Written whole: the generator panics where the reader has gone.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "weir", &mut text);
    stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Args)]
pub(crate) struct ManArgs {
    /// The folder, as in: weir man ~/.local/share/man/man1
    folder: PathBuf,
}

/// A manual page for each command.
pub(crate) fn man(args: &ManArgs, command: Command) -> Result<ExitCode> {
    let folder = args.folder.display();
    std::fs::create_dir_all(&args.folder).with_context(|| format!("{folder} cannot be made"))?;
    clap_mangen::generate_to(command, &args.folder).with_context(|| format!("{folder} cannot be written"))?;
    Ok(ExitCode::SUCCESS)
}
