//! How the cache on disk is, and how to empty it: for commands that look after it.

use super::{MAGIC, Trouble, is_own, open_new, open_old, refused};
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files of the cache, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub files: u64,
    pub bytes: u64,
}

/// Why nothing is kept in this directory, which is made if need be.
pub fn trouble(directory: &Path) -> Option<Trouble> {
    if let Some(trouble) = refused(directory) {
        return Some(trouble);
    }
    let trial = directory.join(format!("trial.{}", std::process::id()));
    match open_new(&trial) {
        Ok(file) => {
            drop(file);
            fs::remove_file(&trial).err().map(Trouble::NotWritable)
        }
        Err(e) => Some(Trouble::NotWritable(e)),
    }
}

/// What the cache in a directory takes.
///
/// # Errors
/// The directory is there and cannot be read.
pub fn size(directory: &Path) -> io::Result<Size> {
    let files = entries(directory)?;
    Ok(Size { files: files.len() as u64, bytes: files.iter().map(|f| f.1.len()).sum() })
}

/// Removes all entries, and nothing that the cache did not write. What it removed.
///
/// # Errors
/// The directory cannot be read, or a file of the cache not be removed; the others are gone.
pub fn clear(directory: &Path) -> io::Result<Size> {
    let (mut freed, mut failed) = (Size::default(), None);
    for (path, metadata) in entries(directory)? {
        match fs::remove_file(&path) {
            Ok(()) => freed = Size { files: freed.files + 1, bytes: freed.bytes + metadata.len() },
            // Another process was faster.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => failed = Some(e),
        }
    }
    failed.map_or(Ok(freed), Err)
}

/// The cache's own files: regular ones of this user with the name and the beginning of an entry.
fn entries(directory: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let found = match fs::read_dir(directory) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let of_entry = |e: fs::DirEntry| {
        let metadata = e.metadata().ok().filter(|m| m.is_file() && is_own(m))?;
        let path = e.path();
        (is_name(e.file_name().to_str()?) && begins_as_entry(&path)?).then_some((path, metadata))
    };
    Ok(found.flatten().filter_map(of_entry).collect())
}

/// 32 hexadecimal digits; of a file that is being written, the process and a number behind them.
fn is_name(name: &str) -> bool {
    let (digits, partial) = name.split_once('.').map_or((name, None), |(digits, rest)| (digits, Some(rest)));
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.len() == 32
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
        && partial.is_none_or(|rest| rest.split_once('-').is_some_and(|(process, n)| number(process) && number(n)))
}

/// Whether a file begins as entries do. One that was cut before that may be anybody's.
fn begins_as_entry(path: &Path) -> Option<bool> {
    let mut head = [0; MAGIC.len()];
    Some(open_old(path).ok()?.read_exact(&mut head).is_ok() && head == *MAGIC)
}

#[cfg(test)]
mod tests {
    use super::super::Cache;
    use super::*;

    #[test]
    fn only_the_caches_own_files_are_counted_and_removed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = |name: &str| directory.path().join(name);
        let cache = Cache::at(directory.path()).expect("own directory");
        cache.put(b"a", &[1; 100]);
        cache.put(b"b", b"");
        let digits = "0123456789abcdef".repeat(2);
        // A process that wrote an entry was killed.
        fs::write(at(&format!("{digits}.77-3")), [&MAGIC[..], b"half"].concat()).expect("own directory");
        let foreign = [
            ("letter.txt", &b"dear"[..]),
            (&*digits, b"no entry by its beginning"),
            (&*format!("{digits}.bak"), MAGIC),
            ("abc", MAGIC),
        ];
        for (name, text) in foreign {
            fs::write(at(name), text).expect("own directory");
        }
        let before = size(directory.path()).expect("readable");
        assert!(before.files == 3 && before.bytes > 100, "{before:?}");
        assert_eq!(clear(directory.path()).expect("removable"), before);
        assert_eq!(size(directory.path()).expect("readable"), Size::default());
        assert!(foreign.iter().all(|f| at(f.0).is_file()));
        assert_eq!(cache.get(b"a"), None);
        assert_eq!(clear(&at("absent")).expect("nothing to do"), Size::default());
        assert!(size(&at("letter.txt")).is_err(), "no directory");
    }

    #[test]
    fn a_directory_says_why_it_is_of_no_use() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = |name: &str| directory.path().join(name);
        assert!(trouble(&at("new")).is_none() && at("new").is_dir());
        fs::write(at("file"), b"").expect("own directory");
        assert!(matches!(trouble(&at("file")), Some(Trouble::NotADirectory)));
        assert!(matches!(trouble(&at("file/below")), Some(Trouble::NotWritable(_))));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(at("new"), fs::Permissions::from_mode(0o777)).expect("own directory");
            assert!(matches!(trouble(&at("new")), Some(Trouble::NotOwn)));
        }
        assert_eq!(fs::read_dir(at("new")).expect("readable").count(), 0, "the trial is gone");
    }
}
