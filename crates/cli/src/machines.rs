//! `weir machines`

use crate::arguments::MachinesArgs;
use crate::status::INPUT;
use crate::text::aligned;
use anyhow::Context;
use std::io::Write;
use std::process::ExitCode;
use weir_scenario::MACHINES;

/// Lists the machine files that ship with weir, or writes one.
pub(crate) fn machines(args: &MachinesArgs) -> anyhow::Result<ExitCode> {
    let Some(name) = &args.name else {
        let rows = MACHINES.iter().map(|machine| vec![machine.name.to_owned(), machine.about()]);
        write!(std::io::stdout(), "{}", aligned(&rows.collect::<Vec<_>>())).context("standard output")?;
        return Ok(ExitCode::SUCCESS);
    };
    let Some(machine) = MACHINES.iter().find(|machine| machine.name == name) else {
        let names: Vec<&str> = MACHINES.iter().map(|machine| machine.name).collect();
        eprintln!("error: no machine {name:?} ships with weir\n\nhint: there are {}", names.join(", "));
        return Ok(ExitCode::from(INPUT));
    };
    write!(std::io::stdout(), "{}", machine.text).context("standard output")?;
    Ok(ExitCode::SUCCESS)
}
