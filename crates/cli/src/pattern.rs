//! `weir pattern`

use crate::arguments::PatternArgs;
use crate::load;
use crate::status::refused;
use anyhow::Context;
use std::process::ExitCode;
use weir_scenario::PatternError;

pub(crate) fn write(args: PatternArgs) -> anyhow::Result<ExitCode> {
    let source = load::source(args.experiment, args.sets.overrides());
    let scenario = load::scenario(&source)?;
    load::spares(&[source.files(), scenario.files()].concat(), [args.out.as_path()])?;
    let to_stdout = args.out.as_os_str() == "-";
    let written = if to_stdout {
        scenario.write_pattern_text(std::io::stdout())
    } else {
        scenario.write_pattern(&args.out)
    };
    match written {
        Ok(written) => {
            if !scenario.is_its_pattern() {
                eprintln!(
                    "note: ranks wait for no send here, as those of a collective or a profile may: the run of this pattern can take another time"
                );
            }
            if !to_stdout {
                let (entries, messages) = (written.entries, written.messages);
                eprintln!("{}: {entries} entries, {messages} of them messages", args.out.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(PatternError::Write(error)) => Err(error).with_context(|| {
            if to_stdout { "standard output".into() } else { args.out.display().to_string() }
        }),
        Err(error) => Err(refused(error)),
    }
}
