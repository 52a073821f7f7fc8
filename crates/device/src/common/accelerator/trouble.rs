//! What goes wrong on a GPU, and whether its driver has given it up.

use quadra_base::Diagnostic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What went wrong on a GPU since somebody asked.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    /// The first of it.
    wrong: Mutex<Option<String>>,
    /// The driver takes no more.
    lost: AtomicBool,
    told: AtomicBool,
}

impl Trouble {
    fn wrong(&self) -> MutexGuard<'_, Option<String>> {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what went wrong, for who looks at results.
    pub fn note(&self, why: String) {
        self.wrong().get_or_insert(why);
    }

    /// The driver has given the GPU up.
    pub fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether nothing went wrong about which nobody has asked.
    pub fn is_none(&self) -> bool {
        self.wrong().is_none()
    }

    /// What has gone wrong since the last question.
    pub fn take(&self) -> Option<String> {
        let lost = self.is_lost().then(|| "its driver gave it up".to_string());
        self.wrong().take().or(lost)
    }

    /// Says, once, that elements are lost that only the GPU of this name had.
    pub fn say_lost(&self, name: &str, why: &str) {
        if !self.told.swap(true, Ordering::Relaxed) {
            let d = Diagnostic::error("E0733", format!("GPU `{name}` was lost with the elements it had: {why}"));
            eprintln!("{}", d.help("run again, with smaller launches; or update its driver").render(false));
        }
    }
}
