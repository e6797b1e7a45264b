//! Help about weir itself: `weir keys` and `weir schema` about the keys of an experiment, `weir completion` and `weir man` about
//! the command line.

use crate::say::print;
use crate::status::{OrRefused, refused};
use crate::why::{self, WhatIf, WhyArgs};
use anyhow::{Context, Result};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, Error};
use clap_complete::Shell;
use std::ffi::OsStr;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use weir_experiment::keys::pages;

/// A text that begins with a key: shells complete the keys, and whoever reads the text says what is wrong with it.
#[derive(Clone, Copy)]
pub(crate) struct KeyAnd(pub(crate) &'static str);

impl TypedValueParser for KeyAnd {
    type Value = String;

    fn parse_ref(&self, command: &Command, option: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, option, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(pages::keys().into_iter().map(|key| PossibleValue::new(pages::to_set(&key) + self.0))))
    }
}

#[derive(Args)]
pub(crate) struct KeysArgs {
    /// A key, for example packet.route_delay, or only route_delay; without one, all keys are listed
    #[arg(value_parser = KeyAnd(""), hide_possible_values = true)]
    pub(crate) key: Option<String>,
}

/// Prints the meaning of a key, its values and its default, or a list of all keys.
pub(crate) fn keys(key: Option<&str>) -> Result<ExitCode> {
    let Some(key) = key else {
        return print(&pages::keys().into_iter().map(|key| key + "\n").collect::<String>());
    };
    let text = pages::explain(key).map_err(|why| format!("{why}\n\nhint: weir keys lists all keys"));
    print(&text.or_refused()?)
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    key: Option<String>,
    #[command(flatten)]
    what_if: WhatIf,
}

/// The old form of [`keys`] and of [`why::why`].
pub(crate) fn explain(args: ExplainArgs) -> Result<ExitCode> {
    let ExplainArgs { key, what_if } = args;
    if let Some(folder) = key.as_ref().filter(|key| why::results(Path::new(key)).is_some()) {
        eprintln!("note: weir explain FOLDER is weir why FOLDER now");
        return why::why(&WhyArgs { folder: folder.into(), what_if });
    }
    if let Some(option) = what_if.first() {
        let hint = "hint: weir run X --set output.causes=true --out FOLDER makes one";
        return Err(refused(format!("{option} is for a results folder\n\n{hint}")));
    }
    eprintln!("note: weir explain KEY is weir keys KEY now");
    keys(key.as_deref())
}

pub(crate) fn schema() -> Result<ExitCode> {
    print(&format!("{:#}\n", pages::schema()))
}

#[derive(Args)]
pub(crate) struct CompletionArgs {
    /// The shell, as in: weir completion bash > ~/.local/share/bash-completion/completions/weir
    shell: Shell,
}

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

pub(crate) fn man(args: &ManArgs, command: Command) -> Result<ExitCode> {
    let folder = args.folder.display();
    std::fs::create_dir_all(&args.folder).with_context(|| format!("{folder} cannot be made"))?;
    clap_mangen::generate_to(command, &args.folder).with_context(|| format!("{folder} cannot be written"))?;
    Ok(ExitCode::SUCCESS)
}
