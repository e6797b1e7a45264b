//! `weir record`: runs a program under its own MPI, and writes what it does as a profile.

use crate::arguments::RecordArgs;
use crate::load;
use crate::say::unless_closed;
use crate::status::{OrRefused, refused};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use weir_formats::profile::{Format, UNKNOWN_FORMAT};
use weir_profiler::{FileError, Joined, Launcher, Mpi, join};

/// Lines of what a profile does not hold that are shown.
const MOST_LINES: usize = 20;

pub(crate) fn record(args: RecordArgs) -> Result<ExitCode> {
    let RecordArgs { profile, sites, mpicc, folder, env, join, command } = args;
    let recorder = |command: &[OsString]| {
        let mpi = mpicc.as_ref().map_or_else(|| Mpi::of(command), |mpicc| Mpi::Of(mpicc.clone()));
        mpi.recorder().or_refused()
    };
    if env {
        let variables = variables(&recorder(&command)?, &new_folder(&folder.unwrap_or_default())?);
        let mut text = String::new();
        for (name, value) in variables {
            text += &format!("export {name}='{}'\n", value.to_string_lossy().replace('\'', r"'\''"));
        }
        unless_closed(write!(std::io::stdout(), "{text}")).context("standard output")?;
        return Ok(ExitCode::SUCCESS);
    }
    let profile = profile.unwrap_or_default();
    let Some(format) = Format::of_profile(&profile) else {
        return Err(refused(format!("{}: {UNKNOWN_FORMAT}", profile.display())));
    };
    load::spares(&[], [profile.as_path()].into_iter().chain(sites.as_deref()))?;
    let out = Out { profile: &profile, sites: sites.as_deref(), format };
    if let Some(folder) = join {
        let title = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        out.write(&folder, &title)?;
        return Ok(ExitCode::SUCCESS);
    }
    let library = recorder(&command)?;
    let stays = folder.is_some();
    let folder = folder.unwrap_or_else(|| {
        let mut name = profile.as_os_str().to_owned();
        name.push(".ranks");
        name.into()
    });
    let folder = new_folder(&folder)?;
    let status = Launcher::of(&command).with(&command, &variables(&library, &folder)).status();
    let status = status.map_err(|error| refused(format!("{}: {error}", command[0].to_string_lossy())))?;
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let written = out.write(&folder, &words.join(" "));
    if !stays && written.is_ok() || fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_none()) {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    } else if written.is_err() {
        eprintln!("what the ranks have written stays in {}", folder.display());
    }
    written.map(|()| exit_code(status))
}

/// A folder that is empty.
fn new_folder(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    if fs::read_dir(folder).with_context(|| folder.display().to_string())?.next().is_some() {
        return Err(refused(format!(
            "{}: there are files in it: ranks write into an empty folder\n\nhint: weir record --join makes a profile of what \
             an earlier run has left",
            folder.display()
        )));
    }
    folder.canonicalize().with_context(|| folder.display().to_string())
}

/// The environment in which a program is recorded.
fn variables(library: &Path, folder: &Path) -> [(&'static str, OsString); 2] {
    let mut first = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        first.push(":");
        first.push(others);
    }
    [("WEIR_RECORD_DIR", folder.into()), ("LD_PRELOAD", first)]
}

/// The exit status of a command: that of the program, or 128 and the signal that it died by.
fn exit_code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Where a profile goes.
struct Out<'a> {
    profile: &'a Path,
    sites: Option<&'a Path>,
    format: Format,
}

impl Out<'_> {
    fn write(&self, folder: &Path, title: &str) -> Result<()> {
        let create = |path: &Path| File::create(path).with_context(|| path.display().to_string());
        let mut sites = self.sites.map(create).transpose()?.map(BufWriter::new);
        let joined: Result<Joined, FileError> = weir_record::write_whole(self.profile, |out| {
            let sites = sites.as_mut().map(|sites| sites as &mut dyn Write);
            join(folder, title, self.format, out, sites)
        });
        let joined = joined.or_refused()?;
        if let (Some(sites), Some(path)) = (&mut sites, self.sites) {
            sites.flush().with_context(|| path.display().to_string())?;
        }
        self.say(&joined);
        Ok(())
    }

    fn say(&self, joined: &Joined) {
        let Joined { ranks, events, lost, unfinished, missing, clock_error } = joined;
        eprintln!("{}: {events} events of {ranks} ranks", self.profile.display());
        if let Some(error) = clock_error {
            eprintln!("clocks of different computers are aligned to within {error}");
        }
        for what in unfinished.iter().take(MOST_LINES) {
            eprintln!("warning: {what}: the profile has what it did until then");
        }
        if unfinished.len() > MOST_LINES {
            eprintln!("warning: {} more ranks have not come to their end", unfinished.len() - MOST_LINES);
        }
        if let Some(first) = missing.first() {
            let count = missing.len();
            eprintln!(
                "warning: {count} ranks have written nothing, rank {first} among them: they do nothing in the profile"
            );
        }
        for (what, count) in lost {
            eprintln!("warning: not in the profile: {count} {what}");
        }
    }
}
