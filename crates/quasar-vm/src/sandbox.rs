//! Which files a program may reach: all that the process may, or those of one directory.
//!
//! A name is followed through every link and `..` to the file that it stands for, and that file is what is opened. Hard links and
//! links that somebody else exchanges in the moment between are not seen; programs can make neither.

use super::fault::{Fault, Res};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Links at the end of a name that lead to nothing yet, one after the other.
const MOST_LINKS: usize = 40;

/// The directory that a program may reach.
#[derive(Clone, Debug, Default)]
pub struct Sandbox {
    /// Without links; all files if there is none.
    root: Option<PathBuf>,
}

impl Sandbox {
    /// All files, or those of a directory.
    ///
    /// # Errors
    /// What is not there, or is no directory.
    pub fn new(directory: Option<&Path>) -> io::Result<Sandbox> {
        let Some(directory) = directory else { return Ok(Sandbox::default()) };
        let root = directory.canonicalize()?;
        if !root.is_dir() {
            return Err(io::Error::new(ErrorKind::NotADirectory, "it is no directory"));
        }
        Ok(Sandbox { root: Some(root) })
    }

    /// A sandbox that holds nothing.
    pub fn empty() -> Sandbox {
        // No path without links begins like this.
        Sandbox { root: Some(PathBuf::from("..")) }
    }

    /// The path to open for a name; nothing if it leads outside.
    pub fn path(&self, name: impl AsRef<Path>) -> Option<PathBuf> {
        let name = name.as_ref();
        let Some(root) = &self.root else { return Some(name.to_path_buf()) };
        resolve(name).filter(|path| path.starts_with(root))
    }

    /// The path to open for a name that a program uses.
    ///
    /// # Errors
    /// The name leads outside.
    pub fn reach(&self, name: &str, who: &str) -> Res<PathBuf> {
        self.path(name).ok_or_else(|| {
            let root = self.root.as_deref().unwrap_or(Path::new("")).display();
            Fault::new("Q0418", format!("{who}: '{name}' lies outside the sandbox")).help(format!(
                "the program may reach the files of '{root}': use a name there, or run without --sandbox"
            ))
        })
    }
}

/// The file that a name stands for, without links, whether it is there or not; nothing if that cannot be told.
fn resolve(name: &Path) -> Option<PathBuf> {
    let mut at = std::env::current_dir().ok()?.join(name);
    for _ in 0..MOST_LINKS {
        match at.canonicalize() {
            Ok(path) => return Some(path),
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(_) => return None,
        }
        match std::fs::read_link(&at) {
            Ok(to) => at = at.parent()?.join(to),
            Err(_) => return new_file(&at),
        }
    }
    None
}

/// The same for what is not there: its nearest ancestor that is, and the names below it.
fn new_file(path: &Path) -> Option<PathBuf> {
    let mut below: Vec<&std::ffi::OsStr> = Vec::new();
    let mut rest = path.components();
    loop {
        match rest.next_back()? {
            Component::Normal(name) => below.push(name),
            Component::CurDir => {}
            // Behind what is not there, or at the root.
            _ => return None,
        }
        match rest.as_path().canonicalize() {
            Ok(start) => return Some(below.iter().rev().fold(start, |path, name| path.join(name))),
            // A link that leads to nothing would be followed when the file is made.
            Err(_) if std::fs::read_link(rest.as_path()).is_ok() => return None,
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(_) => return None,
        }
    }
}
