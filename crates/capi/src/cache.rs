//! Folders in the user's cache that stay from run to run, named by a hash of their contents.

use std::fs::{DirBuilder, Permissions, symlink_metadata};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The folder of all that weir keeps.
pub fn folder() -> PathBuf {
    let set = std::env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user =
        || std::env::home_dir().filter(|home| !home.as_os_str().is_empty()).map(|home| home.join(".cache"));
    set.or_else(of_user).map_or_else(|| own_folder(&std::env::temp_dir()), |cache| cache.join("weir"))
}

/// For a user without a home: a folder among those of others, from which programs are linked. It is the user's own, or a new one.
fn own_folder(among: &Path) -> PathBuf {
    // SAFETY: it reads a number of the process.
    let user = unsafe { libc::geteuid() };
    let folder = among.join(format!("weir-{user}"));
    // If it is there already, what it is decides.
    _ = DirBuilder::new().mode(0o700).create(&folder);
    let is_own = symlink_metadata(&folder)
        .is_ok_and(|there| there.is_dir() && there.uid() == user && there.mode() & 0o022 == 0);
    let mut new = tempfile::Builder::new();
    new.prefix("weir-").permissions(Permissions::from_mode(0o700));
    if is_own { folder } else { new.tempdir_in(among).map_or(folder, tempfile::TempDir::keep) }
}

/// FNV-1a, 64 bits: names a folder, protects nothing.
pub fn fingerprint<'t>(texts: impl Iterator<Item = &'t str>) -> u64 {
    let bytes = texts.flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Where others write, too, the folder is for its owner alone, and the same the next time; what somebody has put into its place is not used.
    #[test]
    fn a_folder_among_those_of_others() {
        let among = tempfile::tempdir().unwrap();
        let folder = own_folder(among.path());
        assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o700);
        assert_eq!(own_folder(among.path()), folder);
        let is_another = || {
            let other = own_folder(among.path());
            other != folder && other.metadata().unwrap().mode() & 0o777 == 0o700
        };
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        assert!(is_another(), "others could write into it");
        fs::remove_dir(&folder).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), &folder).unwrap();
        assert!(is_another(), "it leads elsewhere");
        fs::remove_file(&folder).unwrap();
        fs::write(&folder, "").unwrap();
        assert!(is_another(), "it is a file");
    }

    /// The published numbers of FNV-1a begin with that of no bytes; a zero ends each text.
    #[test]
    fn names_of_folders_are_fingerprints() {
        let of = |texts: &[&'static str]| fingerprint(texts.iter().copied());
        assert_eq!(of(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(of(&["a"]), 0x089b_e207_b544_f1e4);
        assert_eq!(of(&["foo", "bar"]), 0x5863_d945_8c10_38de);
        assert_ne!(of(&["foo", "bar"]), of(&["foob", "ar"]));
    }
}
