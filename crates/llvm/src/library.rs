//! A loaded library, whichever functions it has: LLVM's own or those of llvmlite.

use super::host::Host;
use super::wire::Job;
use super::{ffi, lite};
use std::path::Path;

/// A library that compiles.
#[derive(Debug)]
pub enum Library {
    C(ffi::Library),
    Lite(lite::Library),
}

impl Library {
    pub fn load(path: &Path) -> Result<Library, String> {
        let library = ffi::open(path)?;
        match lite::is_one(&library) {
            true => lite::Library::of(library, path).map(Library::Lite),
            false => ffi::Library::of(library).map(Library::C),
        }
    }

    /// What this library is, and what it says of this machine.
    pub fn host(&self) -> Host {
        match self {
            Library::C(library) => library.host(),
            Library::Lite(library) => library.host(),
        }
    }

    /// Compiles a module. On a thread that `contain` started, or a fatal error tells nobody.
    pub fn generate(&self, job: &Job) -> Result<Vec<u8>, String> {
        match self {
            Library::C(library) => library.generate(job),
            Library::Lite(library) => library.generate(job),
        }
    }
}
