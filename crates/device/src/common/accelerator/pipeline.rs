//! Shaders in the hands of a driver, and how long they take.

use super::driver::Driver;
use quadra_back_gpu::{Form, Shader, abi};
use quadra_base::Diagnostic;
use quadra_kir::Kernel;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// A shader that can be launched.
pub(crate) struct Pipeline<D: Driver> {
    pub code: D::Code,
    /// Whether it may leave a mark.
    pub marks: bool,
    /// How it is launched.
    pub form: Form,
    /// Picoseconds that a group took for one item of each invocation, the last time somebody waited; 0 if nobody has.
    pace: AtomicU64,
    /// How often somebody has waited.
    times: AtomicU32,
}

/// How often somebody waits until the pace is believed.
const SETTLED: u32 = 3;

fn refused(why: &str) -> Box<Diagnostic> {
    let d = Diagnostic::error("E0732", format!("the GPU does not take the shader: {why}"));
    Box::new(d.help("run the kernel on another device"))
}

/// Whether the GPU binds so many buffers.
///
/// # Errors
/// `E0732` with the number of buffers that it takes.
pub(super) fn room(bindings: u32, buffers: u32) -> Result<(), Box<Diagnostic>> {
    let most = bindings.saturating_sub(abi::FIRST_BUFFER);
    let why = || format!("it has {buffers} buffers, and the GPU takes {most}");
    if buffers > most { Err(refused(&why())) } else { Ok(()) }
}

impl<D: Driver> Pipeline<D> {
    /// Hands a shader of a kernel to the driver.
    ///
    /// # Errors
    /// `E0732` with what the driver says.
    pub fn new(driver: &D, shader: &Shader, kernel: &Kernel) -> Result<Pipeline<D>, Box<Diagnostic>> {
        let code = driver.load(shader, kernel).map_err(|why| refused(&why))?;
        let (marks, form) = (shader.marks, shader.form.clone());
        Ok(Pipeline { code, marks, form, pace: AtomicU64::new(0), times: AtomicU32::new(0) })
    }

    /// Nanoseconds that so many groups take, whose invocations take one item each; nothing if that is not known.
    pub fn estimate(&self, groups: u64) -> Option<f64> {
        let pace = self.pace.load(Ordering::Relaxed);
        (pace > 0).then_some(pace as f64 * 1e-3 * groups as f64)
    }

    /// So many groups took so long. The first times count as the shortest of them: a driver compiles at the first one, and
    /// whatever else a machine does only makes one longer.
    pub fn took(&self, groups: u64, time: Duration) {
        let pace = ((time.as_secs_f64() * 1e12 / groups.max(1) as f64) as u64).max(1);
        let (known, settled) = (self.pace.load(Ordering::Relaxed), self.is_settled());
        self.times.fetch_add(1, Ordering::Relaxed);
        self.pace.store(if known == 0 || settled { pace } else { pace.min(known) }, Ordering::Relaxed);
    }

    /// Whether it was looked at often enough to be sure.
    pub fn is_settled(&self) -> bool {
        self.times.load(Ordering::Relaxed) >= SETTLED
    }
}
