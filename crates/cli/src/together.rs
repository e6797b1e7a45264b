//! The processes that carry out a command together: those of `--processes`, or those that a launcher of MPI has started.

use crate::arguments::Common;
use crate::live::Live;
use crate::load;
use crate::run::Run;
use crate::status::{INPUT, OrRefused, of_error, of_report};
use anyhow::Context as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use weir_capi::stdio::{self, ToStandardError};
use weir_experiment::{Problems, Scenario};
use weir_network::interrupted_by;
use weir_record::RunFolder;
use weir_run::{Report, Resume, RunError, RunOptions, run_with};
use weir_transport::{HostProcesses, MpiProcesses, OneProcess, Transport};

/// This process among those of a command.
pub(crate) enum Together {
    One(OneProcess),
    Host(HostProcesses),
    Mpi(Box<MpiProcesses>),
}

impl Together {
    /// The processes that this one belongs to already. To be called before there is a second thread.
    pub(crate) fn joined() -> anyhow::Result<Self> {
        if let Some(host) = HostProcesses::join()? {
            return Ok(Self::Host(host));
        }
        Ok(match MpiProcesses::join()? {
            Some(mpi) => Self::Mpi(Box::new(mpi)),
            None => Self::One(OneProcess),
        })
    }

    pub(crate) fn alone() -> Self {
        Self::One(OneProcess)
    }

    /// Starts so many processes in all, of which each is given the same command line. If a launcher of MPI has started some already,
    /// that is refused: `None`.
    ///
    /// # Errors
    /// When they cannot be started.
    fn with(mut self, processes: Option<u16>) -> anyhow::Result<Option<Self>> {
        match (&self, processes) {
            (Self::One(_), Some(processes)) if processes > 1 => {
                let executable = std::env::current_exe()?;
                let command = |_| {
                    let mut command = Command::new(&executable);
                    command.args(std::env::args_os().skip(1)).stdin(Stdio::null());
                    command
                };
                let started = HostProcesses::start(processes.into(), command)?;
                Ok(Some(Self::Host(started.forwarding(interrupted_by))))
            }
            (Self::Mpi(_), Some(_)) => {
                if self.is_first() {
                    eprintln!(
                        "error: --processes starts processes, and a launcher of MPI has started some already\n\n\
                         hint: leave one of the two out"
                    );
                }
                self.finish()?;
                Ok(None)
            }
            _ => Ok(Some(self)),
        }
    }

    fn transport(&mut self) -> &mut dyn Transport {
        match self {
            Self::One(one) => one,
            Self::Host(host) => host,
            Self::Mpi(mpi) => &mut **mpi,
        }
    }

    /// Returns whether this is the process that shows and writes results.
    fn is_first(&mut self) -> bool {
        self.transport().process() == 0
    }

    /// Returns whether all processes can begin, of which this one can or cannot. What keeps only others than the first one is theirs to
    /// say: `says` is called where this process cannot and the first one can.
    ///
    /// `None` when a process has been lost, which has been said then.
    fn all_begin(&mut self, can: bool, says: impl FnOnce()) -> Option<bool> {
        let is_first = self.is_first();
        let transport = self.transport();
        let mut words = [u64::from(can), u64::from(can || !is_first)];
        let mut letters = vec![Vec::new(); transport.processes()];
        let met = transport.meet(&mut words, &mut letters, &mut |_, _| ());
        if let Err(lost) = met {
            if is_first {
                eprintln!("error: {}", lost.in_words(transport.processes()));
            }
            return None;
        }
        if !can && words[1] == 1 {
            says();
        }
        Some(words[0] == 1)
    }

    /// Ends this process's share of a run that all have ended: after that no other one counts it as lost.
    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::One(_) => {}
            Self::Host(host) => drop(host.finish()?),
            Self::Mpi(mpi) => mpi.finish()?,
        }
        Ok(())
    }
}

/// Loads an experiment and runs it with all processes, so many if that is said. The first one shows what there is to see;
/// `spares` says whether what it writes leaves alone what is read.
pub(crate) fn carry_out(
    (together, processes): (Together, Option<u16>),
    load: impl FnOnce(bool) -> Result<Scenario, Problems>,
    spares: impl FnOnce(&Scenario) -> anyhow::Result<()>,
    common: &Common,
    options: RunOptions,
    cycles: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let Some(mut together) = together.with(processes)? else { return Ok(ExitCode::from(INPUT)) };
    let is_first = together.is_first();
    let loaded = load(common.quiet || !is_first);
    let scenario = match loaded {
        loaded if is_first => {
            load::accepted(loaded).and_then(|scenario| spares(&scenario).map(|()| scenario))
        }
        loaded => loaded.or_refused(),
    };
    let say = || {
        if let Err(error) = &scenario {
            of_error(error);
        }
    };
    if is_first {
        say();
    }
    let Some(all) = together.all_begin(scenario.is_ok(), say) else { return Ok(ExitCode::from(1)) };
    let (Ok(scenario), true) = (scenario, all) else {
        together.finish()?;
        return Ok(ExitCode::from(INPUT));
    };
    if !is_first {
        // What its ranks print the first process shows.
        let _redirected = common.json.then(ToStandardError::begin).transpose().context("standard output")?;
        return stand_by(together, &scenario, &options);
    }
    if !common.quiet {
        load::note_shipped(&scenario.shipped);
    }
    if let Some(folder) = scenario.output.dir.as_deref().filter(|folder| RunFolder::has_results(folder))
        && !common.quiet
        && options.resume == Resume::No
    {
        eprintln!("note: {}: the results of an earlier run are replaced", folder.display());
    }
    let live = Live::asked_for(common.page.live, &scenario)?;
    let options = RunOptions { follow: live.as_ref().map(Live::follower), ..options };
    let run = Run::begin(&scenario, common, live)?;
    let result = run.watched(|watch| run_with(&scenario, &options, together.transport(), watch));
    stdio::flush();
    let all_end = all_end(&result);
    let status = run.end(result, cycles).unwrap_or_else(|error| of_error(&error));
    if all_end {
        together.finish()?;
    }
    Ok(status)
}

/// Carries out the share of another process than the first one, which shows and writes nothing.
fn stand_by(mut together: Together, scenario: &Scenario, options: &RunOptions) -> anyhow::Result<ExitCode> {
    let result = run_with(scenario, options, together.transport(), &mut |_| ());
    stdio::flush();
    if all_end(&result) {
        together.finish()?;
    }
    Ok(match &result {
        Ok(report) => of_report(report),
        // The first process says it.
        Err(RunError::Options(_) | RunError::Budget(_)) => ExitCode::from(INPUT),
        Err(RunError::Process(_)) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if matches!(error, RunError::Results(_)) { 1 } else { INPUT })
        }
    })
}

/// Returns whether a run comes to this end in all processes: what is wrong with the options, or takes too much, is
/// wrong in all alike.
fn all_end(result: &Result<Report, RunError>) -> bool {
    matches!(result, Ok(_) | Err(RunError::Options(_) | RunError::Budget(_)))
}
