//! Where programs print: through memory, so that printing is cheap, and yet soon to be seen.
//!
//! On a terminal every piece of text appears at once. Elsewhere text goes out when there is much of it, when a tenth of a second has
//! passed, and when the program ends, however it ends: the memory belongs to the process, so that whoever ends it can empty it.

use std::io::{self, IsTerminal, Write};
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

/// Text that waits at most.
const ENOUGH: usize = 64 << 10;
/// How long text waits at most.
const SOON: Duration = Duration::from_millis(100);

struct Waiting {
    text: Vec<u8>,
    /// What became of text that went out in the background.
    failed: Option<io::Error>,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { text: Vec::new(), failed: None });
static ANY: Condvar = Condvar::new();

/// The standard output of a program.
pub struct Output {
    at_once: bool,
}

impl Output {
    pub fn new() -> Output {
        static CLOCK: Once = Once::new();
        let at_once = io::stdout().is_terminal();
        if !at_once {
            // Without a thread for it text goes out later.
            CLOCK.call_once(|| drop(std::thread::Builder::new().stack_size(64 << 10).spawn(send_soon)));
        }
        Output { at_once }
    }
}

impl Default for Output {
    fn default() -> Output {
        Output::new()
    }
}

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Waiting {
    fn send(&mut self) -> io::Result<()> {
        if let Some(e) = self.failed.take() {
            return Err(e);
        }
        if self.text.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.text);
        quadra_base::inject::write()?;
        let mut out = io::stdout().lock();
        out.write_all(&text).and_then(|()| out.flush())
    }
}

/// Sends what has waited long enough, until the process ends.
fn send_soon() {
    loop {
        let mut some = waiting();
        while some.text.is_empty() || some.failed.is_some() {
            some = ANY.wait(some).unwrap_or_else(PoisonError::into_inner);
        }
        drop(some);
        std::thread::sleep(SOON);
        let mut some = waiting();
        if let Err(e) = some.send() {
            some.failed = Some(e);
        }
    }
}

/// Sends what waits, unless somebody is at it: for who ends the process. Needs no memory.
pub fn send_last() {
    if let Ok(mut some) = WAITING.try_lock() {
        // Nobody is left to tell.
        let _gone = some.send();
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut some = waiting();
        if let Some(e) = some.failed.take() {
            return Err(e);
        }
        let first = some.text.is_empty();
        some.text.extend_from_slice(bytes);
        if self.at_once || some.text.len() >= ENOUGH {
            some.send()?;
        } else if first {
            ANY.notify_one();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        waiting().send()
    }
}
