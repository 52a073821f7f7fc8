//! Text files that a program has open.
//!
//! What is written anew appears when the file is closed, when the program reads it, and when the program ends, by an error, too.
//! A file of which a part could not be written is given up: what was there before stays.

use super::fault::{Fault, Res, fault};
use quadra_base::file::{Whole, place_of};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// Files that a program has open, by handle; slot 0 is handle 1.
#[derive(Default)]
pub struct Files(pub Vec<Option<Open>>);

/// An open file and its name.
pub struct Open {
    pub path: String,
    pub stream: Stream,
}

/// What a file was opened for.
pub enum Stream {
    Read(BufReader<File>),
    Write(BufWriter<Whole>),
    Append(BufWriter<File>),
    /// What was written is lost, as the program has been told.
    Failed,
}

impl Files {
    /// Hands over what was written to a file, before somebody reads it.
    pub fn settle(&mut self, path: &Path) {
        if self.0.iter().flatten().any(Open::writes) {
            let place = place_of(path);
            for open in self.0.iter_mut().flatten().filter(|o| o.writes()) {
                if place_of(Path::new(&open.path)) == place {
                    // Who closes the file is told.
                    let _told_later = open.publish();
                }
            }
        }
    }

    /// Hands over what was written to all files.
    pub fn settle_all(&mut self) -> Vec<Box<Fault>> {
        self.0.iter_mut().flatten().filter_map(|open| open.publish().err()).collect()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.settle_all();
    }
}

impl Open {
    fn writes(&self) -> bool {
        matches!(self.stream, Stream::Write(_) | Stream::Append(_))
    }

    /// Puts what was written into its place.
    ///
    /// # Errors
    /// A part of it could not be written.
    pub fn publish(&mut self) -> Res<()> {
        let result = match &mut self.stream {
            Stream::Write(w) => w.flush().and_then(|()| w.get_mut().publish()),
            Stream::Append(w) => w.flush(),
            Stream::Read(_) | Stream::Failed => Ok(()),
        };
        self.done(result)
    }

    /// Adds text behind what was written.
    ///
    /// # Errors
    /// The file is open for reading, or could not be written now or before.
    pub fn write(&mut self, text: &str) -> Res<()> {
        let result = match &mut self.stream {
            Stream::Write(w) => w.write_all(text.as_bytes()),
            Stream::Append(w) => quadra_base::inject::write().and_then(|()| w.write_all(text.as_bytes())),
            Stream::Read(_) => {
                fault!("Q0417", "fprintf: '{}' is open for reading", self.path; "open it with mode \"w\" or \"a\"")
            }
            Stream::Failed => {
                fault!("Q0417", "fprintf: '{}' could not be written before", self.path; "close it")
            }
        };
        self.done(result)
    }

    /// Gives the file up if that was an error.
    fn done(&mut self, result: std::io::Result<()>) -> Res<()> {
        let Err(e) = result else { return Ok(()) };
        match std::mem::replace(&mut self.stream, Stream::Failed) {
            // What is pending would be tried again.
            Stream::Write(w) => drop(w.into_parts()),
            Stream::Append(w) => drop(w.into_parts()),
            _ => {}
        }
        Err(failed(&self.path, "cannot write", e))
    }
}

/// The error of a file that cannot be opened, read or written.
pub fn failed(path: &str, what: &str, e: impl std::fmt::Display) -> Box<Fault> {
    Fault::new("Q0413", format!("{what} '{path}': {e}")).help("check the name and the permissions of the file")
}
