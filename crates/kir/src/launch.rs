//! What a launch is made of, and what can go wrong in one. Shared by the interpreters and every device.

use crate::types::{Const, Elem};
use quadra_base::stop::Reason;
use quadra_base::{Diagnostic, Span};
use std::time::{Duration, Instant};

/// Bytes past the end of a buffer that a prefetch (`tmu.request`, `load.guarded`) may touch; it reads zeros there.
pub const GUARD_BYTES: u32 = 4096;

/// Which arithmetic floats follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// IEEE 754, round to nearest, denormals and NaNs.
    #[default]
    Nearest,
    /// The exact result truncated toward zero; denormals and -0 become +0, overflow becomes infinity, NaNs do not arise
    ///.
    TowardZero,
}

/// One buffer's contents.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryBuffer {
    pub elem: Elem,
    /// Sizes along each axis, row-major, in elements.
    pub dims: Vec<u32>,
    /// Little-endian elements, exactly as many as `dims` says.
    pub bytes: Vec<u8>,
}

impl MemoryBuffer {
    /// A one-dimensional buffer of these 32-bit integers.
    pub fn of_i32(values: &[i32]) -> MemoryBuffer {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        MemoryBuffer { elem: Elem::I32, dims: vec![values.len() as u32], bytes }
    }

    /// A one-dimensional buffer of these single-precision numbers.
    pub fn of_f32(values: &[f32]) -> MemoryBuffer {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        MemoryBuffer { elem: Elem::F32, dims: vec![values.len() as u32], bytes }
    }

    /// Its memory, for a launch in place.
    pub fn lend(&mut self) -> Lent<'_> {
        Lent { elem: self.elem, bytes: &mut self.bytes, blank: false }
    }

    /// The contents as 32-bit words.
    pub fn words(&self) -> Vec<u32> {
        self.bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }
}

/// A buffer that belongs to the caller of a launch, who lends its memory: as [`MemoryBuffer::bytes`], of one axis.
#[derive(Debug)]
pub struct Lent<'a> {
    pub elem: Elem,
    /// Little-endian elements. They need not be aligned.
    pub bytes: &'a mut [u8],
    /// The elements stand for zeros, whatever the bytes are: who does not overwrite all of them clears them first.
    pub blank: bool,
}

/// The buffers of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    pub buffers: Vec<MemoryBuffer>,
}

/// One argument, in the order of the kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg {
    Scalar(Const),
    /// Index into [`Memory::buffers`]. Two parameters may name the same buffer only if the launch says `alias` or the
    /// kernel writes neither.
    Buffer(usize),
}

/// How a kernel is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub args: Vec<Arg>,
    /// Workers (QPUs, threads), at least 1.
    pub workers: u32,
    /// Items along each axis, for kernels launched over an extent; empty otherwise.
    pub extent: Vec<u32>,
    pub arithmetic: Arithmetic,
    /// Instructions (counted once per subgroup) all workers together may run before the launch is stopped as endless.
    pub budget: u64,
    /// Whether two parameters may be bound to one buffer though the kernel writes to it.
    pub alias: bool,
    /// When the launch is stopped as endless, whatever is left of its budget.
    pub deadline: Option<Deadline>,
}

/// The end of a launch's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    pub at: Instant,
    /// How long the launch may take.
    pub limit: Duration,
}

impl Deadline {
    /// So long from now; `None` for a time that no clock reaches.
    pub fn after(limit: Duration) -> Option<Deadline> {
        Instant::now().checked_add(limit).map(|at| Deadline { at, limit })
    }

    /// Whether it has passed.
    pub fn over(&self) -> bool {
        Instant::now() >= self.at
    }
}

impl Launch {
    /// One worker, round to nearest, a budget of 2^32 instructions.
    pub fn new(args: Vec<Arg>) -> Launch {
        Launch {
            args,
            workers: 1,
            extent: Vec::new(),
            arithmetic: Arithmetic::Nearest,
            budget: 1 << 32,
            alias: false,
            deadline: None,
        }
    }
}

/// What stopped a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// An access outside a buffer. `index` counts elements of the flattened buffer where one is known.
    OutOfBounds { buffer: String, index: i64, len: u64, write: bool },
    /// An access outside a buffer of which somebody had proved that it lies inside, and by which rule.
    Proof { rule: String, buffer: String, index: i64, len: u64 },
    /// Generated code accessed memory at an address where no buffer of the launch lies.
    Stray { address: u64 },
    /// More requests waiting than the queue holds, a receive without a request, or requests left at the end.
    Queue(String),
    /// Every worker waits: who for what.
    Deadlock(Vec<(u32, String)>),
    /// All workers are done, and a semaphore is not 0 or the mutex is held; the place raised or took it last.
    Unbalanced(String),
    /// The budget ran out.
    Budget(u64),
    /// The time was over.
    Time(Duration),
    /// Somebody asked for an end; what a launch in place had written by then stays.
    Stopped(Reason),
    /// An `assert` failed.
    Assert(String),
    /// Something was read through a path that does not see this launch's own stores.
    Incoherent { buffer: String, index: i64 },
    /// Two accesses to one element, at least one of which writes, that nothing orders; the other one came first.
    Race { buffer: String, element: u64, write: bool, other: Option<Span>, other_write: bool, other_item: Vec<u32> },
    /// The arguments do not fit the kernel's parameters.
    Arguments(String),
    /// There is no code to run, because the compiler that a device uses failed; nothing has been run.
    NoCode(String),
    /// Anything else, in words.
    Other(String),
}

impl FaultKind {
    /// The fault of a launch that leaves semaphore `n` at `value`, or, without a value, the mutex held.
    pub fn unbalanced(n: usize, value: Option<u8>) -> FaultKind {
        FaultKind::Unbalanced(value.map_or("the mutex held".into(), |value| format!("semaphore {n} at {value}")))
    }
}

/// A launch that did not finish. Buffers keep the contents they had before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub kernel: String,
    pub kind: FaultKind,
    /// Worker that met it.
    pub worker: Option<u32>,
    /// Lane of the subgroup, 0 to 15.
    pub lane: Option<u32>,
    /// Item of the extent, for kernels launched over one.
    pub item: Option<Vec<u32>>,
    /// Address in the device's memory, where it has addresses.
    pub address: Option<u32>,
    pub span: Option<Span>,
}

impl Fault {
    /// A fault of which only the kind is known yet.
    pub fn new(kernel: &str, kind: FaultKind) -> Fault {
        let kernel = kernel.to_string();
        Fault { kernel, kind, worker: None, lane: None, item: None, address: None, span: None }
    }

    /// The fault as a message that names kernel, place, worker, lane and address.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let (code, what, help) = match &self.kind {
            FaultKind::OutOfBounds { buffer, index, len, write } => (
                "E0601",
                format!(
                    "{} outside buffer `{buffer}`: element {index} of {len}",
                    if *write { "store" } else { "load" }
                ),
                "check the index, or give the buffer the size that the kernel expects",
            ),
            FaultKind::Proof { rule, buffer, index, len } => (
                "E0610",
                format!(
                    "a wrong proof: element {index} of buffer `{buffer}`, which has {len}, was proved inside by {rule}"
                ),
                "this is a mistake of the compiler, which a test has found: please report it",
            ),
            FaultKind::Stray { address } => (
                "E0610",
                format!("generated code accessed memory outside of all buffers, at address {address:#x}"),
                "this is a mistake of the compiler: please report it",
            ),
            FaultKind::Queue(text) => {
                ("E0602", text.clone(), "every gather needs exactly one receive, and at most 4 may wait")
            }
            FaultKind::Deadlock(who) => {
                let list: Vec<String> = who.iter().map(|(w, t)| format!("worker {w} waits for {t}")).collect();
                (
                    "E0603",
                    format!("deadlock: {}", list.join(", ")),
                    "balance increments and decrements, locks and unlocks",
                )
            }
            FaultKind::Unbalanced(left) => (
                "E0609",
                format!("the launch ends with {left}"),
                "balance increments and decrements, locks and unlocks: a board keeps what is left for the next launch",
            ),
            FaultKind::Budget(n) => (
                "E0604",
                format!("still running after {n} instructions"),
                "check the loop's condition, or raise the launch's budget",
            ),
            FaultKind::Time(limit) => (
                "E0604",
                format!("still running after {} s", limit.as_secs_f64()),
                "check the loop's condition, or raise the launch's time limit",
            ),
            FaultKind::Stopped(Reason::Interrupt) => ("E0619", "interrupted".into(), ""),
            FaultKind::Stopped(Reason::Time) => ("E0619", "the time limit was reached".into(), "raise the time limit"),
            FaultKind::Stopped(Reason::Memory) => ("E0619", "there is no memory left".into(), "use smaller buffers"),
            FaultKind::Assert(text) => ("E0605", format!("assertion failed: {text}"), ""),
            FaultKind::Incoherent { buffer, index } => (
                "E0606",
                format!("element {index} of `{buffer}` was stored in this launch and is then gathered"),
                "the caches behind gathers do not see this launch's stores: use a plain load, or a second launch",
            ),
            FaultKind::Race { buffer, element, write, other, other_write, .. } => {
                let how = |write: bool| if write { "written" } else { "read" };
                let place = other.map_or(String::new(), |s| format!(" at {s}"));
                let (now, before) = (how(*write), how(*other_write));
                let text = format!(
                    "race: element {element} of `{buffer}` is {now} here and {before}{place}, and nothing orders the two"
                );
                ("E0608", text, "put a barrier between the two, or use an atomic operation")
            }
            FaultKind::Arguments(text) => ("E0607", text.clone(), ""),
            FaultKind::NoCode(text) | FaultKind::Other(text) => ("E0608", text.clone(), ""),
        };
        let mut place = Vec::new();
        if let Some(worker) = self.worker {
            place.push(format!("worker {worker}"));
        }
        if let Some(lane) = self.lane {
            place.push(format!("lane {lane}"));
        }
        if let Some(item) = &self.item {
            place.push(format!("item {item:?}"));
        }
        if let Some(address) = self.address {
            place.push(format!("address {address:#010x}"));
        }
        let mut d = Diagnostic::error(code, format!("kernel `{}`: {what}", self.kernel)).at(self.span);
        if !place.is_empty() {
            d = d.note(place.join(", "));
        }
        if help.is_empty() { d } else { d.help(help) }
    }
}
