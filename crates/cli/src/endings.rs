//! Ends of commands: by signals, by closed pipes, and the output at the end.

use crate::Command;
use crate::arguments::{MpirunArgs, ReplayArgs, ResumeArgs, RunArgs};
use crate::mistake;
use crate::progress::{Display, Shower};
use std::process::ExitCode;

impl Command {
    /// Returns whether several processes may carry it out together: `--processes=1` is for this one alone, whoever has started it.
    pub(crate) fn runs_together(&self) -> bool {
        let (Self::Run(RunArgs { processes, .. })
        | Self::Mpirun(MpirunArgs { processes, .. })
        | Self::Replay(ReplayArgs { processes, .. })
        | Self::Resume(ResumeArgs { processes, .. })) = self
        else {
            return false;
        };
        *processes != Some(1)
    }

    /// Returns whether a signal ends it as a limit does, with the results up to there.
    pub(crate) fn ends_by_signals(&self) -> bool {
        matches!(
            self,
            Self::Run(_)
                | Self::Mpirun(_)
                | Self::Log(_)
                | Self::Replay(_)
                | Self::Resume(_)
                | Self::Skeleton(_)
                | Self::Sweep(_)
                | Self::Calibrate(_)
                | Self::Collectives(_)
                | Self::Papers(_)
                | Self::ServeRun
        )
    }
}

/// Returns whether standard output is a pipe whose reader has gone: it has seen enough, as `head` does.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind)
    };
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}

/// Runs one point of a command that runs many; only such a command knows what to say to it.
pub(crate) fn serve() -> anyhow::Result<ExitCode> {
    let mut shower = Shower::begin(Display::fitting());
    let served = weir_scenario::serve(mistake::happens_in, &mut |progress| shower.show(progress));
    shower.end();
    Ok(if served { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Something was written to standard output, or its reader has gone.
pub(crate) fn unless_closed(written: std::io::Result<()>) -> std::io::Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
