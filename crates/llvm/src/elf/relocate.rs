//! What depends on where an image lies: numbers of relocations, and the jumps to functions of the process. Sources: the supplements
//! to the System V ABI for x86-64 and for the Arm 64-bit architecture.

use super::{Image, Relocation, Target, u32_at};

/// Bytes of a stub: a jump and an address.
const STUB: usize = 16;
/// The address lies behind the jump.
const SLOT: usize = 8;

/// Numbers of relocations.
mod x86_64 {
    pub const ABSOLUTE: u32 = 1;
    pub const RELATIVE: u32 = 2;
    pub const CALL: u32 = 4;
    pub const SLOT: [u32; 3] = [9, 41, 42];
    pub const RELATIVE_64: u32 = 24;
}
mod aarch64 {
    pub const ABSOLUTE: u32 = 257;
    pub const PAGE: u32 = 275;
    pub const IN_PAGE: u32 = 277;
    pub const JUMP: [u32; 2] = [282, 283];
    pub const SLOT_PAGE: u32 = 311;
    pub const SLOT_IN_PAGE: u32 = 312;
    /// Loads and stores of 1, 2, 4, 8 and 16 bytes: the offset is counted in elements.
    pub const ACCESS: [(u32, u32); 5] = [(278, 0), (284, 1), (285, 2), (286, 3), (299, 4)];
}

impl Image {
    /// Appends a jump to, and the address of, whatever is far away or wanted in a slot.
    pub(super) fn add_stubs(&mut self) {
        let slots =
            |kind: u32| x86_64::SLOT.contains(&kind) || matches!(kind, aarch64::SLOT_PAGE | aarch64::SLOT_IN_PAGE);
        for r in &self.relocations {
            let wanted = matches!(r.target, Target::Process(_)) || slots(r.kind);
            if wanted && !self.stubs.iter().any(|(t, _)| *t == r.target) {
                self.bytes.resize(self.bytes.len().next_multiple_of(STUB), 0);
                self.stubs.push((r.target.clone(), self.bytes.len()));
                let jump: [u8; SLOT] = match cfg!(target_arch = "x86_64") {
                    // jmp [rip + 2]: the address is 8 bytes behind the start of the jump of 6 bytes.
                    true => [0xff, 0x25, 2, 0, 0, 0, 0, 0],
                    // ldr x16, 8 bytes ahead; br x16.
                    false => [0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6],
                };
                self.bytes.extend_from_slice(&jump);
                self.bytes.extend_from_slice(&[0; 8]);
            }
        }
    }

    /// Fills in what depends on the address of the image, and on those of functions of the process. Nothing if one is missing
    /// or a distance does not fit.
    pub fn relocate(&mut self, base: u64, process: &dyn Fn(&str) -> Option<u64>) -> Option<()> {
        for (target, at) in &self.stubs {
            let address = match target {
                Target::Inside(offset) => base + *offset as u64,
                Target::Process(name) => process(name)?,
            };
            self.bytes[at + SLOT..at + STUB].copy_from_slice(&address.to_le_bytes());
        }
        for r in std::mem::take(&mut self.relocations) {
            let stub = self.stubs.iter().find(|(t, _)| *t == r.target).map(|(_, at)| base + *at as u64);
            let address = match &r.target {
                Target::Inside(offset) => base + *offset as u64,
                Target::Process(_) => stub?,
            };
            self.apply(&r, base, address, stub)?;
        }
        Some(())
    }

    fn apply(&mut self, r: &Relocation, base: u64, address: u64, stub: Option<u64>) -> Option<()> {
        let place = base + r.at as u64;
        let slot = stub.map(|s| s + SLOT as u64);
        let sum = |a: u64| a.wrapping_add_signed(r.addend);
        if cfg!(target_arch = "x86_64") {
            let distance = |to: u64| sum(to).wrapping_sub(place) as i64;
            return match r.kind {
                x86_64::ABSOLUTE if matches!(r.target, Target::Inside(_)) => {
                    self.put(r.at, &sum(address).to_le_bytes())
                }
                x86_64::RELATIVE_64 => self.put(r.at, &distance(address).to_le_bytes()),
                x86_64::RELATIVE | x86_64::CALL => {
                    self.put(r.at, &i32::try_from(distance(address)).ok()?.to_le_bytes())
                }
                kind if x86_64::SLOT.contains(&kind) => {
                    self.put(r.at, &i32::try_from(distance(slot?)).ok()?.to_le_bytes())
                }
                _ => None,
            };
        }
        let old = u32_at(&self.bytes, r.at)?;
        let pages = |to: u64| (to >> 12).wrapping_sub(place >> 12) as i64;
        let page = |to: u64| {
            let n = pages(to);
            ((-(1 << 20)..1 << 20).contains(&n)).then_some(old | (n as u32 & 3) << 29 | (n as u32 >> 2 & 0x7_ffff) << 5)
        };
        let new = match r.kind {
            aarch64::ABSOLUTE if matches!(r.target, Target::Inside(_)) => {
                return self.put(r.at, &sum(address).to_le_bytes());
            }
            aarch64::PAGE => page(sum(address))?,
            aarch64::IN_PAGE => old | (sum(address) as u32 & 0xfff) << 10,
            aarch64::SLOT_PAGE => page(slot?)?,
            aarch64::SLOT_IN_PAGE => old | (slot? as u32 & 0xfff) >> 3 << 10,
            kind if aarch64::JUMP.contains(&kind) => {
                let distance = sum(address).wrapping_sub(place) as i64 >> 2;
                let near = (-(1 << 25)..1 << 25).contains(&distance);
                near.then_some(old | distance as u32 & 0x3ff_ffff)?
            }
            kind => {
                let (_, shift) = aarch64::ACCESS.iter().find(|a| a.0 == kind)?;
                old | (sum(address) as u32 & 0xfff) >> shift << 10
            }
        };
        self.put(r.at, &new.to_le_bytes())
    }

    fn put(&mut self, at: usize, bytes: &[u8]) -> Option<()> {
        self.bytes.get_mut(at..at.checked_add(bytes.len())?)?.copy_from_slice(bytes);
        Some(())
    }
}
