//! GPU memory: allocated and pinned by the firmware, seen by the QPUs at a bus address and by this process through a
//! mapping of the physical address.

use super::mailbox::{self, Mailbox};
use super::registers::Registers;
use super::run::Failure;
use std::io;

/// The top two bits of a bus address choose a cache alias, the rest is the physical address (VideoCore IV guide p. 110).
const PHYSICAL: u32 = 0x3fff_ffff;
/// Allocations start at a page.
const ALIGN: u32 = 4096;

/// Physical memory of this machine, as far as the process may map it.
pub trait Physical: Send {
    /// Maps `bytes` from `address`, a multiple of the page size, for reading and writing, uncached.
    ///
    /// # Errors
    /// What the kernel reports.
    fn map(&mut self, address: u64, bytes: usize) -> io::Result<Box<dyn Mapping>>;

    /// Maps the registers of a block at `address`.
    ///
    /// # Errors
    /// What the kernel reports.
    fn map_registers(&mut self, address: u64, bytes: usize) -> io::Result<Box<dyn Registers>>;
}

/// Mapped memory; dropping it unmaps it. Offsets and lengths count 32-bit words, the only width that is safe on the
/// uncached mappings of every model.
pub trait Mapping: Send {
    /// Copies words out of the memory.
    ///
    /// # Panics
    /// If the range is not inside the mapping.
    fn read(&self, first_word: usize, into: &mut [u32]);

    /// Copies words into the memory.
    ///
    /// # Panics
    /// If the range is not inside the mapping.
    fn write(&mut self, first_word: usize, words: &[u32]);
}

/// One allocation: pinned and mapped.
pub struct Allocation {
    handle: u32,
    bus: u32,
    bytes: u32,
    mapping: Option<Box<dyn Mapping>>,
}

/// Allocates, pins and maps at least `bytes`; what was done is undone if a later step fails.
///
/// # Errors
/// No memory left, a refusal by kernel or firmware, no permission to map.
pub fn allocate(
    mailbox: &mut dyn Mailbox,
    physical: &mut dyn Physical,
    bytes: u32,
    flags: u32,
) -> Result<Allocation, Failure> {
    let bytes = match bytes.max(1).checked_next_multiple_of(ALIGN) {
        Some(bytes) if bytes <= PHYSICAL => bytes,
        _ => return Err(Failure::OutOfMemory { bytes }),
    };
    let handle = mailbox::allocate(mailbox, bytes, ALIGN, flags)?;
    let mut allocation = Allocation { handle, bus: 0, bytes, mapping: None };
    let locked = mailbox::lock(mailbox, handle);
    let mapped = locked.and_then(|bus| {
        allocation.bus = bus;
        let address = u64::from(bus & PHYSICAL);
        physical.map(address, bytes as usize).map_err(|error| Failure::Map { address, error })
    });
    match mapped {
        Ok(mapping) => {
            allocation.mapping = Some(mapping);
            Ok(allocation)
        }
        Err(failure) => {
            // The first failure is the one worth telling; memory that cannot even be given back stays the firmware's.
            let _ = allocation.release(mailbox);
            Err(failure)
        }
    }
}

impl Allocation {
    /// Where the QPUs see it.
    pub fn bus(&self) -> u32 {
        self.bus
    }

    /// Its size, a multiple of 4096.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    fn mapping(&self) -> &dyn Mapping {
        self.mapping.as_deref().expect("an allocation that was handed out is mapped")
    }

    /// Copies bytes into it. A last word that is not filled gets zeros in its rest.
    ///
    /// # Panics
    /// If `offset` is not a multiple of 4 or the bytes do not fit.
    pub fn write(&mut self, offset: u32, bytes: &[u8]) {
        assert!(offset.is_multiple_of(4) && offset as usize + bytes.len() <= self.bytes as usize, "the bytes fit");
        let mut words = Vec::with_capacity(bytes.len().div_ceil(4));
        for chunk in bytes.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            words.push(u32::from_le_bytes(word));
        }
        let mapping = self.mapping.as_deref_mut().expect("an allocation that was handed out is mapped");
        mapping.write(offset as usize / 4, &words);
    }

    /// Copies bytes out of it.
    ///
    /// # Panics
    /// If `offset` is not a multiple of 4 or the range is not inside.
    pub fn read(&self, offset: u32, into: &mut [u8]) {
        assert!(offset.is_multiple_of(4) && offset as usize + into.len() <= self.bytes as usize, "the bytes are there");
        let mut words = vec![0; into.len().div_ceil(4)];
        self.mapping().read(offset as usize / 4, &mut words);
        for (chunk, word) in into.chunks_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }

    /// Unmaps, unpins and gives it back. Every step is tried, whatever the ones before it say.
    ///
    /// # Errors
    /// The first refusal.
    pub fn release(mut self, mailbox: &mut dyn Mailbox) -> Result<(), Failure> {
        drop(self.mapping.take());
        let unlocked = if self.bus == 0 { Ok(()) } else { mailbox::unlock(mailbox, self.handle) };
        let released = mailbox::release(mailbox, self.handle);
        unlocked.and(released)
    }
}
