//! The way in which a process knows its run: by an environment variable, and files that it inherits.

use crate::Error;
use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};

pub(super) const VARIABLE: &str = "WEIR_PROCESS";

/// The content: "1 4 321 3 5 6 7 8" is process 1 of 4, which process 321 of the system has started; 3 and those after it
/// are the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invitation {
    /// The number of the process, and how many there are.
    pub(super) process: usize,
    pub(super) processes: usize,
    /// The number that the system gives to process 0.
    pub(super) parent: u32,
    /// The files: the control block, then of each process the outboxes of both parities.
    pub(super) files: Vec<RawFd>,
}

impl Invitation {
    /// For the environment.
    pub(super) fn text(&self) -> String {
        let Self { process, processes, parent, files } = self;
        let files: Vec<String> = files.iter().map(RawFd::to_string).collect();
        format!("{process} {processes} {parent} {}", files.join(" "))
    }

    /// From the environment.
    pub(super) fn read(text: &OsStr) -> Option<Self> {
        let mut numbers = text.to_str()?.split(' ').map(str::parse::<u32>);
        let mut number = || numbers.next()?.ok();
        let (process, processes, parent) = (number()? as usize, number()? as usize, number()?);
        let files: Vec<RawFd> =
            numbers.map(|number| RawFd::try_from(number.ok()?).ok()).collect::<Option<_>>()?;
        let mut sorted = files.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let well_formed = (1..processes).contains(&process)
            && files.len() == 1 + 2 * processes
            && sorted.len() == files.len()
            && sorted[0] > 2;
        well_formed.then_some(Self { process, processes, parent, files })
    }

    /// Takes the files. Other processes that this one starts do not inherit them.
    pub(super) fn take_files(&self) -> Result<Vec<File>, Error> {
        let refused = || Error::Invitation(self.text());
        for &file in &self.files {
            // SAFETY: whether it is open is what is asked; it is not closed meanwhile, as nothing else knows it.
            let file = unsafe { BorrowedFd::borrow_raw(file) };
            let flags = fcntl_getfd(file).map_err(|_| refused())?;
            // Who has taken them has set the flag: a second time they are not there for the taking.
            if flags.contains(FdFlags::CLOEXEC) {
                return Err(refused());
            }
        }
        let take = |&file: &RawFd| {
            // SAFETY: as above.
            fcntl_setfd(unsafe { BorrowedFd::borrow_raw(file) }, FdFlags::CLOEXEC).map_err(|_| refused())?;
            // SAFETY: it is open, was inherited for this use, and its flag shows that it has not been taken yet.
            Ok(File::from(unsafe { OwnedFd::from_raw_fd(file) }))
        };
        self.files.iter().map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_read_as_it_is_written() {
        let invitation = Invitation { process: 1, processes: 2, parent: 321, files: vec![3, 5, 9, 4, 11] };
        assert_eq!(invitation.text(), "1 2 321 3 5 9 4 11");
        assert_eq!(Invitation::read(invitation.text().as_ref()), Some(invitation));
        for wrong in [
            "",
            "1",
            "0 2 321 3 4 5 6 7",
            "2 2 321 3 4 5 6 7",
            "1 2 321 3 4 5 6",
            "1 2 321 3 4 5 6 6",
            "1 2 321 0 4 5 6 7",
            "1 2 321 3 4 5 6 x",
        ] {
            assert_eq!(Invitation::read(wrong.as_ref()), None, "{wrong}");
        }
    }
}
