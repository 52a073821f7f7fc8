//! Files that are written by name appear whole: in a temporary file beside their place, which is renamed when all is written. A
//! full disk, an error or a killed process leaves what was there before.
//!
//! Links are followed, permissions (and, where the system lets us, the owner) of a file that is replaced are kept. What is no
//! plain file (a terminal, a pipe, a device, `/dev/stdout`) is written in place, and so is a file whose directory cannot be
//! written. Nothing waits for the disk itself: this is about processes that end, not about machines that lose power.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Links that are followed one after the other.
const MOST_LINKS: usize = 40;
/// File names longer than this do not become part of the temporary name.
const LONG_NAME: usize = 180;

/// Temporary files of this process that are not in place yet.
static PARTIAL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes a whole file by name.
///
/// # Errors
/// What the system says; the file is what it was then, if it is a plain one in a directory that may be written.
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut whole = Whole::create(path)?;
    whole.write_all(bytes.as_ref())?;
    whole.finish()
}

/// The file that a name leads to, to tell whether two names mean one file.
pub fn place_of(path: &Path) -> Option<PathBuf> {
    match follow(path).ok()? {
        Place::Descriptor(_, path) => Some(path),
        Place::Path(path) => {
            let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(directory.canonicalize().ok()?.join(path.file_name()?))
        }
    }
}

/// Removes the temporary files of this process: for who ends it at once.
pub fn discard_all() {
    // Whoever holds the list is a thread that ends with the process.
    if let Ok(mut partial) = PARTIAL.try_lock() {
        for path in partial.drain(..) {
            let _gone = fs::remove_file(path);
        }
    }
}

/// A file that is being written. Dropped before [`Whole::finish`], it leaves its place as it was.
#[derive(Debug)]
pub struct Whole {
    to: To,
}

#[derive(Debug)]
enum To {
    Stdout,
    Stderr,
    /// In place.
    Plain(File),
    Beside {
        file: File,
        partial: PathBuf,
        place: PathBuf,
    },
}

impl Whole {
    /// Begins a file.
    ///
    /// # Errors
    /// A directory that is not there or may not be written, a file that may not be written, a name that is a directory.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Whole> {
        let place = match follow(path.as_ref())? {
            Place::Descriptor(1, _) => return Ok(Whole { to: To::Stdout }),
            Place::Descriptor(2, _) => return Ok(Whole { to: To::Stderr }),
            Place::Descriptor(_, path) => {
                return Ok(Whole { to: To::Plain(File::options().append(true).open(path)?) });
            }
            Place::Path(path) => path,
        };
        let old = match fs::metadata(&place) {
            Ok(found) => Some(found),
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        if let Some(found) = &old {
            // Asks for the right to write the file itself, which the rename would not need.
            let file = File::options().write(true).open(&place)?;
            if !found.is_file() {
                return Ok(Whole { to: To::Plain(file) });
            }
        }
        match beside(&place, old.as_ref()) {
            Err(e) if e.kind() == ErrorKind::PermissionDenied && old.is_some() => {
                Ok(Whole { to: To::Plain(File::options().write(true).truncate(true).open(&place)?) })
            }
            other => other,
        }
    }

    /// Writes so many zeros, which cost nothing in a plain file.
    ///
    /// # Errors
    /// As those of writing.
    pub fn zeros(&mut self, n: u64) -> io::Result<()> {
        match &mut self.to {
            To::Plain(file) | To::Beside { file, .. } if file.metadata()?.is_file() => {
                let at = file.seek(SeekFrom::Current(i64::try_from(n).unwrap_or(i64::MAX)))?;
                if file.metadata()?.len() < at { file.set_len(at) } else { Ok(()) }
            }
            _ => io::copy(&mut io::repeat(0).take(n), self).map(|_| ()),
        }
    }

    /// Puts what was written so far in place; what follows is written there.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn publish(&mut self) -> io::Result<()> {
        self.flush()?;
        let To::Beside { file, partial, place } = &self.to else { return Ok(()) };
        fs::rename(partial, place)?;
        forget(partial);
        let file = file.try_clone()?;
        self.to = To::Plain(file);
        Ok(())
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// The last bytes cannot be written, or the file cannot be renamed.
    pub fn finish(mut self) -> io::Result<()> {
        self.publish()
    }
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        crate::inject::write()?;
        match &mut self.to {
            To::Stdout => io::stdout().write(bytes),
            To::Stderr => io::stderr().write(bytes),
            To::Plain(file) | To::Beside { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout => io::stdout().flush(),
            To::Stderr => io::stderr().flush(),
            To::Plain(file) | To::Beside { file, .. } => file.flush(),
        }
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let To::Beside { partial, .. } = &self.to {
            // Left over at worst, under a name of its own.
            let _gone = fs::remove_file(partial);
            forget(partial);
        }
    }
}

fn forget(path: &Path) {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner).retain(|p| p != path);
}

/// Where a name leads.
enum Place {
    /// A file descriptor of the process: its number, and a name for it.
    Descriptor(u32, PathBuf),
    Path(PathBuf),
}

/// Follows links at the end of a name: the rename is to replace what they lead to, which need not be there yet.
fn follow(path: &Path) -> io::Result<Place> {
    let mut at = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let Some(n) = descriptor(&at) {
            return Ok(Place::Descriptor(n, at));
        }
        match fs::read_link(&at) {
            Ok(to) => at = at.parent().unwrap_or(Path::new("")).join(to),
            // No link, or nothing there.
            Err(_) => return Ok(Place::Path(at)),
        }
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "too many links"))
}

/// The number of the descriptor that `/dev/fd/3`, `/dev/stdout` or `/proc/self/fd/1` stands for.
fn descriptor(path: &Path) -> Option<u32> {
    let text = path.to_str()?;
    let own = format!("/proc/{}/fd/", std::process::id());
    match text {
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        _ => ["/dev/fd/", "/proc/self/fd/", &own].iter().find_map(|p| text.strip_prefix(p)?.parse().ok()),
    }
}

/// A temporary file in the same directory.
fn beside(place: &Path, old: Option<&Metadata>) -> io::Result<Whole> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = place.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "this names no file"))?;
    let name = name.to_string_lossy();
    let name = if name.len() > LONG_NAME { "quadra" } else { &name };
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let partial = place.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
        let file = match File::options().write(true).create_new(true).open(&partial) {
            Ok(file) => file,
            // A process of this number was killed here.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(e),
        };
        PARTIAL.lock().unwrap_or_else(PoisonError::into_inner).push(partial.clone());
        let whole = Whole { to: To::Beside { file, partial, place: place.to_path_buf() } };
        if let (Some(old), To::Beside { file, .. }) = (old, &whole.to) {
            take_after(file, old)?;
        }
        return Ok(whole);
    }
}

/// Gives a file the owner and the permissions of the one that it will replace.
fn take_after(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only root may give files away; all others keep what they write.
            let _own = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::names_in;

    #[test]
    fn a_file_is_old_until_it_is_finished() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a.txt");
        write(&path, "old").expect("writable");
        let mut new = Whole::create(&path).expect("writable");
        new.write_all(b"new").expect("writable");
        assert_eq!(fs::read(&path).expect("readable"), b"old");
        drop(new);
        assert_eq!((fs::read(&path).expect("readable"), names_in(dir.path())), (b"old".to_vec(), vec!["a.txt".into()]));
        let mut new = Whole::create(&path).expect("writable");
        new.write_all(b"new").expect("writable");
        new.publish().expect("can be renamed");
        assert_eq!(fs::read(&path).expect("readable"), b"new");
        new.write_all(b"er").expect("writable");
        new.finish().expect("can be renamed");
        assert_eq!(
            (fs::read(&path).expect("readable"), names_in(dir.path())),
            (b"newer".to_vec(), vec!["a.txt".into()])
        );
        assert!(write(dir.path().join("none/a"), "x").is_err() && write(dir.path(), "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (real, link, new) = (dir.path().join("real"), dir.path().join("link"), dir.path().join("later"));
        write(&real, "old").expect("writable");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("own file");
        symlink("real", &link).expect("links are known");
        write(&link, "new").expect("writable");
        assert_eq!(fs::read(&real).expect("readable"), b"new");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(fs::metadata(&real).expect("it is there").permissions().mode() & 0o777, 0o640);
        let dangling = dir.path().join("dangling");
        symlink("later", &dangling).expect("links are known");
        write(&dangling, "made").expect("writable");
        assert_eq!(fs::read(&new).expect("readable"), b"made");
        let round = dir.path().join("round");
        symlink("round", &round).expect("links are known");
        assert!(write(&round, "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_plain_file_is_written_in_place() {
        write("/dev/null", "x").expect("it takes anything");
        if Path::new("/dev/full").exists() {
            assert!(write("/dev/full", "x").is_err());
        }
        assert_eq!(descriptor(Path::new("/dev/stdout")), Some(1));
        assert_eq!(descriptor(Path::new("/proc/self/fd/2")), Some(2));
        assert_eq!(descriptor(Path::new("/dev/fd/x")), None);
    }
}
