//! What an instruction did to the units around the QPU: what the timing model needs to know beyond the instruction.

use super::{Lanes, dma};

/// One use of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A uniform was read from this address.
    Uniform {
        address: u32,
    },
    /// The uniform stream was moved.
    UniformPointer {
        address: u32,
    },
    TmuRequest {
        unit: usize,
        addresses: Box<Lanes>,
    },
    /// A result was received into r4.
    TmuLoad {
        unit: usize,
    },
    Sfu,
    VpmReadSetup,
    VpmRead,
    VpmWrite,
    DmaLoad(dma::Transfer),
    DmaStore(dma::Transfer),
    /// VPM_LD_WAIT or VPM_ST_WAIT was read.
    LoadWait,
    StoreWait,
    MutexAcquire,
    MutexRelease,
    Semaphore {
        number: u8,
        down: bool,
    },
    HostInterrupt,
}
