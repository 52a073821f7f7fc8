//! What can go wrong in a run, as plain data; layers above add kernel and source line.

use crate::vc4::hazard::Severity;
use quadra_base::Diagnostic;

/// Why a QPU was stopped, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Number of the QPU.
    pub qpu: usize,
    /// Index of the instruction in the region it was fetched from.
    pub index: usize,
    /// Byte address of the instruction.
    pub pc: u32,
    /// The lane, where one lane is to blame.
    pub lane: Option<usize>,
    /// The memory address, where there is one.
    pub address: Option<u32>,
    pub kind: FaultKind,
}

/// How memory was accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Lookup by a texture and memory unit.
    Tmu,
    /// Uniform stream.
    Uniform,
    /// DMA from memory into the VPM.
    DmaLoad,
    /// DMA from the VPM into memory.
    DmaStore,
    /// Instruction fetch.
    Code,
}

impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Access::Tmu => "TMU read",
            Access::Uniform => "uniform read",
            Access::DmaLoad => "DMA load",
            Access::DmaStore => "DMA store",
            Access::Code => "instruction fetch",
        })
    }
}

/// What a launch leaves behind for the next one: nothing on the chip sets it back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Left {
    /// A semaphore that is not 0.
    Semaphore { number: u8, value: u8 },
    /// The mutex, held by a QPU whose program is over.
    Mutex,
}

impl std::fmt::Display for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Left::Semaphore { number, value } => write!(f, "semaphore {number} at {value}"),
            Left::Mutex => f.write_str("the mutex held"),
        }
    }
}

/// Where a value is used that a board would not have delivered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sink {
    /// Stored to memory.
    Store,
    /// The address of a lookup, a transfer or the uniforms.
    Address,
    /// A setup word of VPM or DMA.
    Setup,
    /// The decision or the target of a branch.
    Branch,
    /// The interrupt of the host.
    Host,
}

impl std::fmt::Display for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Sink::Store => "a DMA store takes",
            Sink::Address => "an address is",
            Sink::Setup => "a setup word is",
            Sink::Branch => "a branch depends on",
            Sink::Host => "the host interrupt is",
        })
    }
}

/// Declares the kinds of faults: variant, number of the broken hardware rule or nothing, level, and message.
macro_rules! fault_kinds {
    ($($variant:ident $(($($field:ident: $type:ty),+))?, $rule:literal, $level:ident, $message:literal;)*) => {
        /// What happened. Where hardware would go wrong silently, [`FaultKind::rule`] numbers the rule that was broken.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum FaultKind {
            $(#[doc = $message] $variant $(($($type),+))?,)*
        }

        impl FaultKind {
            /// Number of the hazard rule, as the validator and the book number them; empty if none applies.
            pub const fn rule(&self) -> &'static str {
                match self {
                    $(fault_kinds!(@pattern $variant $($($field)+)?) => $rule,)*
                }
            }

            /// What a board makes of it: an error stops it or makes it compute something else; what it survives is a
            /// warning, unless the program is judged strictly.
            pub const fn level(&self) -> Severity {
                match self {
                    $(fault_kinds!(@pattern $variant $($($field)+)?) => Severity::$level,)*
                }
            }
        }

        impl std::fmt::Display for FaultKind {
            #[allow(unused_variables)]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(FaultKind::$variant $(($($field),+))? => write!(f, $message),)*
                }
            }
        }
    };
    (@pattern $variant:ident $($field:ident)+) => { FaultKind::$variant(..) };
    (@pattern $variant:ident) => { FaultKind::$variant };
}

fault_kinds! {
    Outside(access: Access), "", Error, "{access} outside every buffer";
    ReadOnly, "", Error, "DMA store into a read-only buffer";
    StoredThisLaunch(access: Access), "H51", Warning, "{access} of a word that a DMA store wrote in this launch; the caches do not see it";
    StaleUsed(sink: Sink, index: usize, address: u32), "H51", Error, "{sink} what instruction {index} read at {address:#010x} after a DMA store of this launch had written it; the caches do not see that";
    RotatedUsed(sink: Sink, index: usize), "H06", Error, "{sink} a lane that the rotation in instruction {index}, right after the write of its accumulator, leaves undefined";
    Misaligned(access: Access), "", Error, "{access} at an address that is not a multiple of the element size";
    UniformsEnd, "", Error, "uniform read past the end of the stream";
    UniformTooEarly, "H09", Error, "uniform read less than three instructions after the uniform pointer was written";
    TwoUniforms, "H36", Error, "both files read the uniform stream in one instruction";
    RegisterTooEarly, "H01", Error, "register read by the instruction right after the one that wrote it";
    R4TooEarly, "H02", Error, "r4 used less than three instructions after a special function was started";
    SfuTooEarly, "H04", Error, "special function started less than three instructions after another";
    RotateTooEarly, "H06", Warning, "rotation of an accumulator written by the instruction before, across quads";
    RotateAmountTooEarly, "H07", Error, "rotation by r5 right after r5 was written";
    NoswapTooLate, "H11", Warning, "TMU lookup less than three instructions after TMU_NOSWAP was written";
    BranchTooClose, "H15", Error, "branch less than three instructions after another branch";
    BranchAtEnd, "H18", Error, "branch or program end in the delay slots of a branch or program end";
    EndAccess, "H19", Warning, "uniform or VPM access in the last three instructions of the program";
    EndWrite, "H20", Error, "register file write in the instruction that ends the program";
    EndRegister14, "H21", Error, "register 14 used in the last three instructions of the program";
    SameDestination, "H24", Error, "both ALUs write the same place";
    SameValue, "H24", Warning, "both ALUs write the same value to the same place";
    PartialPackToPeripheral, "H26", Warning, "byte of a colour packed into a peripheral";
    ConditionalPeripheral, "H27", Error, "peripheral written under a condition that does not hold in every lane that counts";
    TextureUniform, "H30", Error, "texture lookup, which takes a uniform, beside a uniform read in one instruction";
    TmuDeep, "H37", Warning, "more than 4 lookups outstanding on one TMU; results may be mixed up";
    TmuFull, "H37", Error, "more than 8 lookups outstanding on one TMU; the QPU waits forever";
    TmuEmpty, "H38", Error, "TMU result received that was never requested";
    TmuUndrained(count: usize), "H38", Warning, "program ends with {count} TMU results not received";
    VpmReadEmpty, "H40", Error, "VPM read beyond the vectors of the read setup";
    VpmSetupIgnored, "H40", Error, "VPM read setup while more than one vector of an older setup is undelivered";
    VpmLoadPending, "H44", Error, "VPM read of a row that a DMA load may still be filling; read VPM_LD_WAIT first";
    VpmNotSetUp, "", Error, "VPM accessed before its setup register was written";
    DmaNotSetUp, "", Error, "DMA started before its setup register was written";
    StrideNotSet, "H53", Warning, "DMA store of several rows before the gap between them was set; it is 0 after reset";
    GapClosed, "H53", Warning, "DMA store with a gap between its rows and bit 16 of the same word, which closes it";
    PitchNotSet, "H53", Warning, "DMA load of several rows before their pitch was set; it is 0 after reset";
    ReservedSetup(word: u32), "", Error, "reserved code in the VPM or DMA setup word {word:#010x}";
    SyncLeft(left: Left), "H45", Warning, "the program ends with {left}, which the next launch finds";
    MutexNotOwned, "H46", Error, "mutex released that another QPU holds";
    MutexNotHeld, "H46", Warning, "mutex released that nobody holds";
    Texture(about: &'static str), "", Error, "texture lookup: {about}";
    Graphics, "", Error, "a feature of fragment shaders, which do not exist here";
    Breakpoint, "", Error, "software breakpoint";
    Assertion(text: String), "", Error, "assertion failed: {text}";
    InvalidInstruction(error: crate::vc4::DecodeError), "", Error, "not an instruction: {error}";
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "QPU {}, instruction {} (pc {:#x})", self.qpu, self.index, self.pc)?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        if let Some(address) = self.address {
            write!(f, ", address {address:#010x}")?;
        }
        write!(f, ": {}", self.kind)?;
        match self.kind.rule() {
            "" => Ok(()),
            rule => write!(f, " [{rule}]"),
        }
    }
}

/// What a stalled QPU waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WaitFor {
    /// The mutex, which this QPU holds.
    Mutex { owner: usize },
    /// A semaphore that is 0.
    SemaphoreDown { number: u8 },
    /// A semaphore that is 15.
    SemaphoreUp { number: u8 },
}

impl std::fmt::Display for WaitFor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WaitFor::Mutex { owner } => write!(f, "the mutex, held by QPU {owner}"),
            WaitFor::SemaphoreDown { number } => write!(f, "semaphore {number} to rise above 0"),
            WaitFor::SemaphoreUp { number } => write!(f, "semaphore {number} to fall below 15"),
        }
    }
}

/// A stalled QPU and the place it stands at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    pub qpu: usize,
    /// Index of the stalled instruction in its region.
    pub index: usize,
    pub pc: u32,
    pub on: WaitFor,
}

/// Why a run did not complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    Fault(Fault),
    /// Every QPU that has not ended waits for something that only another could give.
    Deadlock(Vec<Waiting>),
    /// More threads than QPUs.
    TooManyThreads(usize),
    /// The budget of instructions is used up; the place is that of the QPU that executed the last one.
    Budget {
        qpu: usize,
        index: usize,
        pc: u32,
        executed: u64,
    },
    /// Somebody asked for an end; the place is that of the QPU whose turn it was.
    Stopped {
        qpu: usize,
        index: usize,
        reason: quadra_base::stop::Reason,
    },
    /// The time is over; the place is that of the QPU whose turn it was.
    Time {
        qpu: usize,
        index: usize,
    },
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::Fault(fault) => fault.fmt(f),
            RunError::Deadlock(waiting) => {
                f.write_str("deadlock:")?;
                for (i, w) in waiting.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ";" };
                    write!(f, "{comma} QPU {} at instruction {} waits for {}", w.qpu, w.index, w.on)?;
                }
                Ok(())
            }
            RunError::TooManyThreads(count) => write!(f, "{count} threads, but the chip has 12 QPUs"),
            RunError::Budget { qpu, index, executed, .. } => {
                write!(f, "budget of {executed} instructions used up; QPU {qpu} is at instruction {index}")
            }
            RunError::Stopped { qpu, index, .. } => write!(f, "interrupted; QPU {qpu} is at instruction {index}"),
            RunError::Time { qpu, index } => write!(f, "the time is over; QPU {qpu} is at instruction {index}"),
        }
    }
}

impl std::error::Error for RunError {}

impl RunError {
    /// The error for a user who has no source text to point at.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error("E0723", self.to_string());
        match self {
            RunError::Budget { .. } => diagnostic.help("raise the budget if the program is meant to run this long"),
            _ => diagnostic,
        }
    }
}

/// Something that hardware would perhaps not forgive, found while running; each is reported once per instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// A broken rule that a board survives.
    Rule { qpu: usize, index: usize, lane: Option<usize>, address: Option<u32>, kind: FaultKind },
    /// A read past the end of a region, within its tail; zeros were delivered.
    ReadPastEnd { qpu: usize, index: usize, address: u32, access: Access },
    /// A VPM row was overwritten although a DMA store from it had not been waited for.
    RowOverwritten { qpu: usize, index: usize, row: usize },
    /// A horizontal DMA row crosses column 15; it continues in the next VPM row here, which no measurement confirms.
    RowCrossesEdge { qpu: usize, index: usize },
    /// The program ended while VPM vectors that it had set up were not read; hardware drops them.
    VpmReadsDropped { qpu: usize, index: usize },
    /// All programs are over, and a semaphore is not 0 or the mutex is held; the place raised or took it last.
    SyncLeft { qpu: usize, index: usize, left: Left },
}

impl Warning {
    /// The QPU and the instruction's index in its region.
    pub fn place(&self) -> (usize, usize) {
        match *self {
            Warning::Rule { qpu, index, .. }
            | Warning::ReadPastEnd { qpu, index, .. }
            | Warning::RowOverwritten { qpu, index, .. }
            | Warning::RowCrossesEdge { qpu, index }
            | Warning::VpmReadsDropped { qpu, index }
            | Warning::SyncLeft { qpu, index, .. } => (qpu, index),
        }
    }

    /// Whether both say the same of the same instruction.
    pub(super) fn repeats(&self, other: &Warning) -> bool {
        let rule = |w: &Warning| if let Warning::Rule { kind, .. } = w { kind.rule() } else { "" };
        let same = std::mem::discriminant(self) == std::mem::discriminant(other);
        same && self.place().1 == other.place().1 && rule(self) == rule(other)
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (qpu, index) = self.place();
        write!(f, "QPU {qpu}, instruction {index}")?;
        if let Warning::Rule { lane: Some(lane), .. } = self {
            write!(f, ", lane {lane}")?;
        }
        match self {
            Warning::Rule { address: Some(address), kind, .. } => {
                write!(f, ", address {address:#010x}: {kind} [{}]", kind.rule())
            }
            Warning::Rule { kind, .. } => write!(f, ": {kind} [{}]", kind.rule()),
            Warning::ReadPastEnd { address, access, .. } => {
                write!(f, ": {access} at {address:#010x}, past the end of its segment")
            }
            Warning::RowOverwritten { row, .. } => {
                write!(f, ": VPM row {row} written while a DMA store from it may be in flight")
            }
            Warning::RowCrossesEdge { .. } => f.write_str(": DMA row crosses column 15 of the VPM"),
            Warning::VpmReadsDropped { .. } => f.write_str(": program ends with VPM vectors not read"),
            Warning::SyncLeft { left, .. } => write!(f, ": all programs end with {left}, which the next launch finds"),
        }
    }
}

/// As text.
impl serde::Serialize for Warning {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
