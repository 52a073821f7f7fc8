//! A GPU at hand: the connection to it, and what is known of it.

use super::stream::Stream;
use quadra_back_gpu::Target;
use quadra_base::Diagnostic;
use quadra_kir::Caps;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A GPU at hand.
pub(super) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub target: Target,
    pub caps: &'static Caps,
    /// What its driver does with floats.
    pub found: Found,
    /// Its memory is the host's, and the host may look at buffers as they are.
    pub shares: bool,
    /// The largest buffer that a shader sees, in bytes.
    pub largest: u64,
    /// Most buffers of a shader, its header and marks among them.
    pub bindings: u32,
    pub name: String,
    /// The name of its driver, with a version.
    pub driver: String,
    /// It is a program of this processor.
    pub software: bool,
    /// Memory that no buffer has any more.
    pub spare: Mutex<Vec<wgpu::Buffer>>,
    pub(super) stream: Mutex<Stream>,
    /// Whether shaders are left to the driver to contract.
    pub(super) near: bool,
    pub(super) lost: Arc<AtomicBool>,
    pub(super) told: AtomicBool,
    /// The first thing that went wrong since somebody asked.
    pub(super) wrong: Arc<Mutex<Option<String>>>,
}

impl Context {
    /// What it is, in one line.
    pub fn about(&self) -> String {
        format!("{}, through Vulkan, {} (QUADRA_GPU)", self.name, self.found.class())
    }

    /// What is on its way, for one launch at a time.
    pub fn stream(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says, once, that elements are lost that only the GPU had.
    pub fn say_lost(&self, why: &str) {
        if !self.told.swap(true, Ordering::Relaxed) {
            let d = Diagnostic::error("E0733", format!("GPU `{}` was lost with the elements it had: {why}", self.name));
            eprintln!("{}", d.help("run again, with smaller launches; or update its driver").render(false));
        }
    }

    /// What has gone wrong since the last question.
    pub fn trouble(&self) -> Option<String> {
        let lost = self.lost.load(Ordering::Relaxed).then(|| "its driver gave it up".to_string());
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).take().or(lost)
    }
}

/// Units in the last place that results of class "near" may be off.
const NEAR_ULPS: u32 = 4;

/// What a driver does with floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Sums, differences and products are rounded to nearest, each by itself.
    pub single: bool,
    /// A product and a sum became one operation, which rounds once.
    pub contracts: bool,
    /// Quotients and roots are the nearest numbers, 1/3 among them.
    pub rounds: bool,
    /// Numbers below 2^-126 are kept.
    pub denormals: bool,
    /// What an integer becomes that is made of no number.
    pub nan: i32,
    /// A product with 0 is 0 whatever the other factor.
    pub folds: bool,
    /// Doubles are at hand, by which quotients and roots can be rounded.
    pub doubles: bool,
}

impl Default for Found {
    fn default() -> Found {
        Found { single: true, contracts: false, rounds: true, denormals: true, nan: 0, doubles: true, folds: false }
    }
}

impl Found {
    /// Whether results equal the processor's bit for bit.
    pub fn is_exact(&self) -> bool {
        self.single && !self.contracts && (self.rounds || self.doubles)
    }

    /// The class and its tolerance, in words.
    pub fn class(&self) -> String {
        match (self.is_exact(), self.denormals) {
            (true, true) => "exact".into(),
            (true, false) => "exact but for numbers below 2^-126, which become 0".into(),
            (false, _) => format!("near: within {NEAR_ULPS} units in the last place and the condition of sums"),
        }
    }
}
