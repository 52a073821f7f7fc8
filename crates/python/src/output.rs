//! What programs print and draw.

use pyo3::prelude::*;
use quadra::quasar::figure::Gallery;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long a text may wait while its program runs.
const WAIT: Duration = Duration::from_millis(100);

/// Programs write to Python's `sys.stdout`: at once if they have not for a moment, otherwise at the end of the call.
#[derive(Clone, Default)]
pub struct Printed(Rc<RefCell<(Vec<u8>, Option<Instant>)>>);

impl Printed {
    /// Sends what waits.
    ///
    /// # Errors
    /// What `sys.stdout` raises.
    pub fn send(&self, py: Python<'_>) -> PyResult<()> {
        let text = {
            let mut waiting = self.0.borrow_mut();
            if waiting.0.is_empty() {
                return Ok(());
            }
            waiting.1 = Some(Instant::now());
            std::mem::take(&mut waiting.0)
        };
        py.import("sys")?.getattr("stdout")?.call_method1("write", (String::from_utf8_lossy(&text),))?;
        Ok(())
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.borrow_mut();
        waiting.0.extend_from_slice(bytes);
        let since = *waiting.1.get_or_insert_with(Instant::now);
        let whole = waiting.0.ends_with(b"\n");
        drop(waiting);
        if whole && since.elapsed() > WAIT {
            Python::attach(|py| self.send(py)).map_err(io::Error::other)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A picture: name of its file, caption, bytes of the file.
pub type Picture = (String, String, Vec<u8>);

/// Keeps pictures for who shows them. A new form of a picture takes the place of the one before.
#[derive(Clone, Default)]
pub struct Pictures(pub Rc<RefCell<Vec<Picture>>>);

impl Gallery for Pictures {
    fn take(&mut self, name: &str, caption: &str, bytes: &[u8]) -> io::Result<String> {
        let picture = (name.to_string(), caption.to_string(), bytes.to_vec());
        let mut all = self.0.borrow_mut();
        match all.iter_mut().find(|p| p.0 == name) {
            Some(old) => *old = picture,
            None => all.push(picture),
        }
        Ok(name.to_string())
    }
}
