//! Mistakes of weir itself: what is said of a panic, and what is kept of it.

use std::backtrace::Backtrace;
use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use weir_capi::stdio;
use weir_experiment::Scenario;

const STATUS: i32 = 101;

/// The experiment that was read last, resolved.
static EXPERIMENT: Mutex<Option<String>> = Mutex::new(None);

thread_local! {
    /// The one that this thread has read last: several threads may run one each.
    static OWN: Cell<Option<String>> = const { Cell::new(None) };
}

/// From now on a mistake that is found is said to happen in this experiment.
pub(crate) fn happens_in(scenario: &Scenario) {
    let resolved = format!("{:#}", scenario.resolved());
    OWN.set(Some(resolved.clone()));
    *EXPERIMENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(resolved);
}

/// From now on a panic of any thread is one paragraph, and ends the command: other threads would wait for the one that is
/// gone.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        static IS_FIRST: AtomicBool = AtomicBool::new(true);
        if IS_FIRST.swap(false, Ordering::AcqRel) {
            report(panic);
            stdio::end_at_once(STATUS);
        }
        // The first one ends the command.
        std::thread::sleep(std::time::Duration::from_secs(60));
    }));
}

fn report(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let message = text.or_else(|| payload.downcast_ref().copied()).unwrap_or("a panic without a message");
    let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let last = || EXPERIMENT.try_lock().ok().and_then(|mut experiment| experiment.take());
    let experiment = OWN.take().or_else(last);
    let command: Vec<String> = std::env::args().collect();
    let head = format!(
        "weir {} has made a mistake.\n\nwhat: {message}\nwhere: {place}\ncommand: {}\n\nexperiment:\n{}\n",
        env!("CARGO_PKG_VERSION"),
        command.join(" "),
        experiment.unwrap_or_else(|| "none was running".to_owned()),
    );
    let written = keep(&head);
    let with = match &written {
        Ok((_, path)) => format!("this file, which holds the experiment and the place: {}", path.display()),
        Err(error) => format!("the experiment (a file for it cannot be written: {error})"),
    };
    eprintln!(
        "error: weir has made a mistake: {message} ({place}). Nothing is wrong with your input. Please report it with {with}"
    );
    // Last: the stack of a rank may be too small for it.
    if let Ok((mut file, _)) = written {
        _ = file.write_all(format!("\nstack:\n{}\n", Backtrace::force_capture()).as_bytes());
    }
}

/// Writes a text into a file that is new, of a name that cannot be guessed, and for its owner alone: others write into the folder, too.
fn keep(text: &str) -> std::io::Result<(File, PathBuf)> {
    let mut file =
        tempfile::Builder::new().prefix("weir-mistake-").suffix(".txt").rand_bytes(12).tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file.keep()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    const VARIABLE: &str = "WEIR_TEST_PANICS";

    /// This executable once more, in which a thread panics while another one waits for it.
    #[test]
    fn a_panic_is_one_paragraph_and_a_file() {
        if std::env::var_os(VARIABLE).is_some() {
            report_panics();
            let thread = std::thread::spawn(|| panic!("the {} is wrong", "wheel"));
            _ = thread.join();
            unreachable!("the first panic has ended this process");
        }
        let folder = tempfile::tempdir().unwrap();
        let name = "mistake::tests::a_panic_is_one_paragraph_and_a_file";
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([name, "--exact", "--nocapture"]).env(VARIABLE, "1").env("TMPDIR", folder.path());
        let ended = command.output().unwrap();
        assert_eq!(ended.status.code(), Some(STATUS));
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(said.starts_with("error: weir has made a mistake: the wheel is wrong ("), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let path = said.trim_end().rsplit(' ').next().unwrap();
        let kept = std::fs::read_to_string(path).unwrap();
        // Others write into the folder: the name cannot be guessed, and the file is for its owner alone.
        let name = path.rsplit_once("weir-mistake-").unwrap().1.strip_suffix(".txt").unwrap();
        assert!(name.len() == 12 && name.contains(|letter: char| !letter.is_ascii_digit()), "{name}");
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        for part in ["what: the wheel is wrong\n", "where: ", "mistake.rs:", "experiment:\n", "\nstack:\n"] {
            assert!(kept.contains(part), "{part}: {kept}");
        }
    }
}
