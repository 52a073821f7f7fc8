//! Real hardware: the QPUs of a Raspberry Pi 0 to 3.
//!
//! ```text
//! detect ── which machine, and why not
//! sys ───── Linux: /dev/vcio, /dev/mem, files        fake ── a Pi for tests
//!    │  behind the traits of mailbox, memory, registers, run, detect
//!    ▼
//! run::Board ── power, memory, launch, wait, give everything back
//!    │
//! signals ── Ctrl-C closes the boards first
//! ```

pub mod detect;
pub mod mailbox;
pub mod memory;
pub mod registers;
pub mod failure;
pub mod run;
mod device;
mod resident;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod detect_tests;
#[cfg(test)]
mod resident_tests;
#[cfg(test)]
mod tests;

pub use crate::qpu::programs::SyncUse;
pub use detect::{Machine, Obstacle};
pub use device::{Vc4, listing, open};
pub use failure::{Failure, Launched};
pub use registers::Start;
pub use run::{Board, Region, Route};

use quadra_base::Diagnostic;
use std::sync::{Arc, Mutex};

/// Looks at this machine.
///
/// # Errors
/// All obstacles, the one to deal with first in front; never empty.
#[cfg(target_os = "linux")]
pub fn look() -> Result<Machine, Vec<Obstacle>> {
    detect::look(&sys::System)
}

/// Looks at this machine.
///
/// # Errors
/// Always: there is no interface to the GPU.
#[cfg(not(target_os = "linux"))]
pub fn look() -> Result<Machine, Vec<Obstacle>> {
    Err(vec![Obstacle::NotLinux])
}

/// Stops all launches and gives all boards back: for who ends the process at once.
pub fn close_boards() {
    #[cfg(target_os = "linux")]
    signals::close_all();
}

/// Opens the board of this machine; a signal that ends the process closes it first.
///
/// # Errors
/// Why the QPUs cannot be used, and what to do about it.
#[cfg(target_os = "linux")]
pub fn open_board() -> Result<Arc<Mutex<Board>>, Diagnostic> {
    let machine = look().map_err(|obstacles| detect::diagnostic(&obstacles))?;
    let host = sys::open().map_err(|obstacle| detect::diagnostic(&[obstacle]))?;
    let board = Board::open(machine, host).map_err(|failure| failure.diagnostic())?;
    let board = Arc::new(Mutex::new(board));
    signals::guard(&board).map_err(|error| {
        Diagnostic::error("E0715", format!("the process cannot be prepared for signals: {error}"))
            .note("without it, Ctrl-C would leave programs running and memory allocated")
    })?;
    Ok(board)
}

/// Opens the board of this machine.
///
/// # Errors
/// Always: there is no interface to the GPU.
#[cfg(not(target_os = "linux"))]
pub fn open_board() -> Result<Arc<Mutex<Board>>, Diagnostic> {
    Err(detect::diagnostic(&[Obstacle::NotLinux]))
}
