//! What the examples share: options, and how they end.
#![allow(dead_code, reason = "each example uses a part of it")]

use clap::Parser;
use quadra::device::{self, Device};
use quadra::dsl::Error;
use std::process::ExitCode;
use std::sync::Arc;

/// Options that every example takes.
#[derive(Parser)]
pub struct Options {
    /// Where to run: emu (QPU words on the emulator) or interp (the reference interpreter).
    #[arg(long, default_value = "emu")]
    pub device: String,
    /// On how many QPUs, 1 to 12.
    #[arg(long, default_value_t = 1)]
    pub qpus: u32,
}

impl Options {
    /// The chosen device.
    pub fn open(&self) -> Result<Arc<dyn Device>, Error> {
        Ok(device::open(&self.device)?)
    }
}

/// Prints what went wrong, if anything, and turns it into the program's exit code.
pub fn finish(result: Result<(), Error>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
