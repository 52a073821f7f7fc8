//! A GPU at hand: the connection to it, and what is known of it.

use super::clock::Clock;
use super::shader::Code;
use super::stream::Stream;
use crate::common::accelerator::{Driver, Facts, Launch, Trouble};
use quadra_back_gpu::{Confirmed, Prepared, Shader};
use quadra_base::Diagnostic;
use quadra_kir::Kernel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wgpu::{Buffer, BufferUsages};

/// A GPU at hand.
pub(super) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub facts: Facts,
    /// What its driver does with floats.
    pub found: Found,
    /// Its memory is the host's, and the host may look at buffers as they are.
    pub shares: bool,
    /// It is a program of this processor.
    pub software: bool,
    /// Memory that no buffer has any more.
    pub spare: Mutex<Vec<Buffer>>,
    pub(super) stream: Mutex<Stream>,
    /// Whether shaders are left to the driver to contract.
    pub(super) near: bool,
    pub(super) trouble: Arc<Trouble>,
}

impl Context {
    /// A buffer of zeros.
    pub fn empty(&self, size: u64, usage: BufferUsages) -> Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    }
}

impl Driver for Context {
    const NAME: &'static str = "gpu";
    type Memory = Buffer;
    type Code = Code;
    type Stream = Stream;
    type Clock = Option<Clock>;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn about(&self) -> String {
        format!("{}, through Vulkan, {} (QUADRA_GPU)", self.facts.name, self.found.class())
    }

    fn stream(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spare(&self) -> &Mutex<Vec<Buffer>> {
        &self.spare
    }

    fn trouble(&self) -> &Trouble {
        &self.trouble
    }

    fn allocate(&self, bytes: u64) -> Buffer {
        let reads = if self.shares { BufferUsages::MAP_READ } else { BufferUsages::empty() };
        self.empty(bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST | reads)
    }

    fn size(memory: &Buffer) -> u64 {
        memory.size()
    }

    fn write(&self, stream: &mut Stream, to: &Buffer, bytes: &[u8]) {
        // What is written here comes before what is submitted next, so that nothing may be on its way that uses the memory.
        stream.submit(self);
        let whole = bytes.len() / 4 * 4;
        self.queue.write_buffer(to, 0, &bytes[..whole]);
        if whole < bytes.len() {
            let mut last = [0; 4];
            last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
            self.queue.write_buffer(to, whole as u64, &last);
        }
    }

    fn read(&self, stream: &mut Stream, from: &Buffer, into: &mut [u8]) -> Result<(), String> {
        let show = |view: &[u8]| into.copy_from_slice(&view[..into.len()]);
        if self.shares {
            return stream.read(self, from, show);
        }
        let staging = self.empty(from.size(), BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        stream.encoder(self).copy_buffer_to_buffer(from, 0, &staging, 0, staging.size());
        stream.read(self, &staging, show)
    }

    fn duplicate(&self, stream: &mut Stream, from: &Buffer, to: &Buffer) {
        stream.encoder(self).copy_buffer_to_buffer(from, 0, to, 0, from.size());
    }

    fn key(&self) -> String {
        format!("{:?}", self.facts.target)
    }

    fn shader(&self, prepared: &Prepared, confirmed: &Confirmed) -> Result<Shader, Vec<Diagnostic>> {
        prepared.shader(confirmed, &self.facts.target)
    }

    fn load(&self, shader: &Shader, kernel: &Kernel) -> Result<Code, String> {
        let buffers = kernel.params.iter().filter(|p| matches!(p, quadra_kir::Param::Buffer(_))).count();
        // What goes wrong meanwhile must be this, and no launch of another thread's.
        let _alone = self.stream();
        Code::new(self, shader, buffers as u32)
    }

    fn dispatch(&self, stream: &mut Stream, code: &Code, launch: Launch<'_, Context>) {
        stream.dispatch(self, code, launch);
    }

    fn timed(
        &self,
        clock: &mut Option<Clock>,
        stream: &mut Stream,
        code: &Code,
        launch: Launch<'_, Context>,
    ) -> Result<Duration, String> {
        super::clock::dispatch(clock, self, stream, code, launch)
    }

    fn expect(&self, stream: &mut Stream, nanoseconds: f64) {
        stream.expect(self, nanoseconds);
    }

    fn finish(&self, stream: &mut Stream) -> Result<(), String> {
        stream.finish(self)
    }

    fn take_marks(&self, stream: &mut Stream) -> Result<(u32, u32), String> {
        stream.take_marks(self)
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
    /// Comparisons look at the signs of zeros as they should, and at what is no number.
    pub special: bool,
    /// Doubles are at hand, by which quotients and roots can be rounded.
    pub doubles: bool,
}

impl Default for Found {
    fn default() -> Found {
        Found {
            single: true,
            contracts: false,
            rounds: true,
            denormals: true,
            nan: 0,
            doubles: true,
            folds: false,
            special: true,
        }
    }
}

impl Found {
    /// Whether results equal the processor's bit for bit.
    pub fn is_exact(&self) -> bool {
        self.single && !self.contracts && (self.rounds || self.doubles)
    }

    /// The class and its tolerance, in words.
    pub fn class(&self) -> String {
        if !self.is_exact() {
            return format!("near: within {NEAR_ULPS} units in the last place and the condition of sums");
        }
        let but = [
            (!self.denormals, "numbers below 2^-126, which become 0"),
            (!self.special, "what is chosen by comparing zeros of different signs, or what is no number"),
        ];
        let but: Vec<&str> = but.iter().filter_map(|(is, what)| is.then_some(*what)).collect();
        if but.is_empty() { "exact".into() } else { format!("exact but for {}", but.join(", and ")) }
    }
}
