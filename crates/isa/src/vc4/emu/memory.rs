//! Memory as a set of named regions. An access that no region holds is a fault, never a silent zero.

use super::Lanes;
use super::fault::{Access, FaultKind};
use super::lines::{Fills, LINE, Lines};
use quadra_base::Diagnostic;
use quadra_base::quick::Quick;
use std::hash::Hasher;

mod lookups;
mod stored;
pub use lookups::Lookups;

/// How far past its end a region's tail reaches, in bytes, unless it says otherwise.
pub const TAIL_BYTES: u32 = 4096;

/// What reads past the end of a region give, up to [`TAIL_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tail {
    /// They are faults.
    #[default]
    Fault,
    /// TMU lookups read 0: the region stands for a padded buffer.
    Zero,
    /// TMU lookups and DMA loads read 0: a padded buffer in a program that makes DMA loads of lookups.
    Padded,
    /// TMU lookups, uniforms and DMA loads read 0, and a warning is recorded.
    Warn,
}

/// A piece of memory with contiguous addresses.
#[derive(Clone, Debug)]
pub struct Region {
    /// Name for messages.
    pub name: String,
    /// Byte address of the first byte; a multiple of 4.
    pub base: u32,
    /// Contents; the length is a multiple of 4.
    pub bytes: Vec<u8>,
    /// Whether DMA stores may write it.
    pub writable: bool,
    pub tail: Tail,
    /// Bytes of the tail.
    pub tail_bytes: u32,
    /// One bit per word that DMA stored in this launch; empty until the first store.
    stored: Vec<u64>,
    /// What the caches hold of a writable region in a lenient memory.
    lines: Lines,
    /// One bit per [`GRANULE`] in which a word was stored in this launch; empty until the first store.
    touched: Vec<u64>,
}

impl Region {
    /// A read-only region without tail.
    pub fn new(name: impl Into<String>, base: u32, bytes: Vec<u8>) -> Region {
        Region {
            name: name.into(),
            base,
            bytes,
            writable: false,
            tail: Tail::Fault,
            tail_bytes: TAIL_BYTES,
            stored: Vec::new(),
            lines: Lines::default(),
            touched: Vec::new(),
        }
    }

    /// A read-only region of 32-bit words.
    pub fn of_words(name: impl Into<String>, base: u32, words: &[u32]) -> Region {
        Region::new(name, base, words.iter().flat_map(|w| w.to_le_bytes()).collect())
    }

    /// This region, writable by DMA stores.
    pub fn writable(self) -> Region {
        Region { writable: true, ..self }
    }

    /// This region with a tail.
    pub fn with_tail(self, tail: Tail) -> Region {
        Region { tail, ..self }
    }

    /// The contents as 32-bit words.
    pub fn words(&self) -> Vec<u32> {
        self.bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }

    fn end(&self) -> u64 {
        u64::from(self.base) + self.bytes.len() as u64
    }

    /// The word at byte offset `at`, which must be inside and a multiple of 4.
    #[inline(always)]
    fn word(&self, at: usize) -> u32 {
        let word: [u8; 4] = self.bytes[at..at + 4].try_into().expect("the slice has four bytes");
        u32::from_le_bytes(word)
    }
}

/// Where an address was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Region and byte offset.
    Inside(usize, usize),
    /// In the tail of a region.
    Tail(Tail),
    Outside,
}

/// All regions of a machine, in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    regions: Vec<Region>,
    /// The region of the last access, which the next one probably hits too.
    last: usize,
    /// Whether words that DMA stored in this launch may be read through caches.
    pub lenient: bool,
    /// Whether that happened since the flag was last cleared; for a gather, the lanes.
    pub stale: bool,
    pub stale_lanes: u16,
    /// Lines that lookups have brought into the L2 cache.
    fills: Fills,
    /// Where lookups and uniforms were last read: what nothing was stored to. Forgotten when that may have changed.
    windows: [Window; 2],
    /// How often stores have changed what can be read without a look at every word.
    changes: u64,
    /// Where the last row was stored.
    last_row: u32,
}

/// A part of a region that nothing was stored to in this launch.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    region: usize,
    from: usize,
    to: usize,
}

/// Who reads through a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    Tmu,
    Uniforms,
}

impl Memory {
    /// Adds a region.
    ///
    /// # Errors
    /// If the region is not aligned to words, reaches past the address space, or overlaps another.
    pub fn add(&mut self, region: Region) -> Result<(), Box<Diagnostic>> {
        let name = &region.name;
        if !region.base.is_multiple_of(4) || !region.bytes.len().is_multiple_of(4) {
            let message = format!("region `{name}` does not begin and end at multiples of 4 bytes");
            return Err(Diagnostic::error("E0720", message).into());
        }
        if region.end() > 1 << 32 {
            return Err(
                Diagnostic::error("E0720", format!("region `{name}` reaches past the 32-bit address space")).into()
            );
        }
        let at = self.regions.partition_point(|r| r.base < region.base);
        let before = at.checked_sub(1).map(|i| &self.regions[i]).filter(|r| r.end() > u64::from(region.base));
        let after = self.regions.get(at).filter(|r| u64::from(r.base) < region.end());
        if let Some(other) = before.or(after) {
            return Err(Diagnostic::error("E0720", format!("regions `{name}` and `{}` overlap", other.name)).into());
        }
        self.regions.insert(at, region);
        self.windows = Default::default();
        Ok(())
    }

    /// The regions in the order of their addresses.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The region with this name.
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|r| r.name == name)
    }

    /// Takes the regions out.
    pub fn into_regions(self) -> Vec<Region> {
        self.regions
    }

    /// Forgets what was stored: a new launch begins with clean caches.
    pub fn begin_launch(&mut self) {
        self.fills = Fills::default();
        for region in &mut self.regions {
            region.stored.clear();
            region.lines = Lines::default();
            region.touched.clear();
        }
        self.windows = Default::default();
    }

    /// Where `address` lies.
    pub fn find(&mut self, address: u32) -> Place {
        if let Some(region) = self.regions.get(self.last) {
            let at = address.wrapping_sub(region.base) as usize;
            if at < region.bytes.len() {
                return Place::Inside(self.last, at);
            }
        }
        let after = self.regions.partition_point(|r| r.base <= address);
        let Some(i) = after.checked_sub(1) else { return Place::Outside };
        let region = &self.regions[i];
        let at = (address - region.base) as usize;
        if at < region.bytes.len() {
            self.last = i;
            return Place::Inside(i, at);
        }
        let past = u64::from(address) - region.end();
        if past < u64::from(region.tail_bytes) && region.tail != Tail::Fault {
            return Place::Tail(region.tail);
        }
        Place::Outside
    }

    /// Reads one word per lane, as a TMU does. Gives the lane of a fault, or the first lane that read a tail that warns.
    #[inline]
    pub fn gather(&mut self, addresses: &Lanes, out: &mut Lanes) -> Result<Option<usize>, (usize, FaultKind)> {
        let (low, high) = addresses.0.iter().fold((u32::MAX, 0), |(low, high), a| (low.min(*a), high.max(*a)));
        // Length and base are multiples of 4, so that a first byte inside means a whole word inside.
        if self.lenient
            && let Place::Inside(region, _) = self.find(addresses.0[0])
            && let region = &self.regions[region]
            && region.writable
            && low >= region.base
            && ((high - region.base) as usize) < region.bytes.len()
        {
            return Ok(self.gather_lines(addresses, out));
        }
        if let Some((base, bytes)) = self.unstored(Reader::Tmu, addresses.0[0] & !3)
            && low >= base
            && ((high - base) as usize) < bytes.len()
        {
            for (o, a) in out.0.iter_mut().zip(&addresses.0) {
                let at = ((a & !3) - base) as usize;
                *o = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("the slice has four bytes"));
            }
            self.stale_lanes = 0;
            return Ok(None);
        }
        let mut warned = None;
        self.stale_lanes = 0;
        for lane in 0..addresses.0.len() {
            self.stale = false;
            let (word, warn) = self.cached_word(addresses.0[lane] & !3, Access::Tmu).map_err(|kind| (lane, kind))?;
            out.0[lane] = word;
            self.stale_lanes |= u16::from(self.stale) << lane;
            if warn && warned.is_none() {
                warned = Some(lane);
            }
        }
        Ok(warned)
    }

    /// A gather out of the region of the last access, which may be stored to.
    fn gather_lines(&mut self, addresses: &Lanes, out: &mut Lanes) -> Option<usize> {
        let Region { lines, bytes, base, .. } = &mut self.regions[self.last];
        self.stale_lanes = lines.gather(bytes, *base, addresses, out, &mut self.fills);
        None
    }

    /// Reads a word through a cache that does not see DMA stores. The flag says that a warning is due.
    pub fn cached_word(&mut self, address: u32, access: Access) -> Result<(u32, bool), FaultKind> {
        match self.find(address) {
            Place::Inside(region, at) => {
                let region = &mut self.regions[region];
                // The uniforms' cache is not followed line by line: what was stored may be in it.
                let mut stale = region.is_stored(at);
                if self.lenient && region.writable && access == Access::Tmu {
                    region.lines.look_up(at / LINE, region.bytes.len(), &mut self.fills);
                    stale = region.lines.is_stale(at);
                }
                self.stale |= stale;
                if stale && !self.lenient {
                    return Err(FaultKind::StoredThisLaunch(access));
                }
                Ok((region.word(at), false))
            }
            Place::Tail(Tail::Warn) => Ok((0, true)),
            Place::Tail(Tail::Zero | Tail::Padded) if access == Access::Tmu => Ok((0, false)),
            _ if access == Access::Uniform => Err(FaultKind::UniformsEnd),
            _ => Err(FaultKind::Outside(access)),
        }
    }

    /// Base and contents of the memory around `address` that nothing was stored to in this launch.
    #[inline(always)]
    pub fn unstored(&mut self, reader: Reader, address: u32) -> Option<(u32, &[u8])> {
        let Window { region, from, to } = self.windows[reader as usize];
        let inside = self.regions.get(region).is_some_and(|r| {
            let at = address.wrapping_sub(r.base) as usize;
            (from..to).contains(&at)
        });
        if !inside {
            self.find_window(reader, address)?;
        }
        let Window { region, from, to } = self.windows[reader as usize];
        let region = self.regions.get(region)?;
        Some((region.base + from as u32, region.bytes.get(from..to)?))
    }

    #[cold]
    fn find_window(&mut self, reader: Reader, address: u32) -> Option<()> {
        let Place::Inside(region, at) = self.find(address) else { return None };
        // Where lookups are followed line by line, each has to be seen.
        if reader == Reader::Tmu && self.lenient && self.regions[region].writable {
            return None;
        }
        let range = self.regions[region].untouched(at);
        if range.is_empty() {
            return None;
        }
        self.windows[reader as usize] = Window { region, from: range.start, to: range.end };
        Some(())
    }

    /// Reads a uniform.
    #[inline(always)]
    pub fn uniform(&mut self, address: u32) -> Result<(u32, bool), FaultKind> {
        if let Some((base, bytes)) = self.unstored(Reader::Uniforms, address)
            && let Some(word) = bytes[(address - base) as usize..].first_chunk()
        {
            return Ok((u32::from_le_bytes(*word), false));
        }
        self.cached_word(address, Access::Uniform)
    }

    /// Reads `size` bytes (1, 2 or 4) at a multiple of `size`, as DMA does. The flag says that a warning is due.
    pub fn load(&mut self, address: u32, size: u32) -> Result<(u32, bool), FaultKind> {
        match self.find(address) {
            Place::Inside(region, at) => {
                let bytes = &self.regions[region].bytes[at..at + size as usize];
                Ok((bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)), false))
            }
            Place::Tail(Tail::Warn) => Ok((0, true)),
            Place::Tail(Tail::Padded) => Ok((0, false)),
            _ => Err(FaultKind::Outside(Access::DmaLoad)),
        }
    }

    /// Writes the low `size` bytes (1, 2 or 4) of `value` at a multiple of `size`, and remembers the word as stored.
    pub fn store(&mut self, address: u32, size: u32, value: u32) -> Result<(), FaultKind> {
        let Place::Inside(region, at) = self.find(address) else {
            return Err(FaultKind::Outside(Access::DmaStore));
        };
        let region = &mut self.regions[region];
        if !region.writable {
            return Err(FaultKind::ReadOnly);
        }
        region.bytes[at..at + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        let mut changed = region.note_stored(at, 1);
        if self.lenient {
            changed |= region.lines.store(at, self.fills);
        }
        self.note_change(changed);
        Ok(())
    }

    /// Reads words as DMA does, if all lie in one region; else `false`, with nothing done.
    pub fn load_words(&mut self, address: u32, words: &mut [u32]) -> bool {
        let Place::Inside(region, at) = self.find(address) else { return false };
        let bytes = self.regions[region].bytes.get(at..at + 4 * words.len());
        let Some(bytes) = bytes.filter(|_| at % 4 == 0) else { return false };
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        true
    }

    /// Stores words as DMA does, if all go to one writable region; else `false`, with nothing done.
    pub fn store_words(&mut self, address: u32, words: &[u32]) -> bool {
        let Place::Inside(region, at) = self.find(address) else { return false };
        let region = &mut self.regions[region];
        if !region.writable || at % 4 != 0 || at + 4 * words.len() > region.bytes.len() {
            return false;
        }
        for (bytes, word) in region.bytes[at..].chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let mut changed = region.note_stored(at, words.len());
        if self.lenient {
            changed |= region.lines.store_words(at, words.len(), self.fills);
        }
        self.note_change(changed);
        true
    }

    fn note_change(&mut self, changed: bool) {
        if changed {
            self.windows = Default::default();
            self.changes += 1;
        }
    }

    /// How often stores have changed what [`Memory::lookups`] and [`Memory::unstored`] give.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// The 64-bit word at a multiple of 8, for instruction fetch.
    pub fn code_word(&self, region: usize, at: usize) -> Option<u64> {
        let bytes = self.regions.get(region)?.bytes.get(at..at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().expect("the slice has eight bytes")))
    }

    /// A hash of some bytes of a region.
    pub fn digest(&self, region: usize, at: std::ops::Range<usize>) -> u64 {
        let mut hash = Quick::default();
        hash.write(self.regions.get(region).and_then(|r| r.bytes.get(at)).unwrap_or_default());
        hash.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.add(Region::of_words("b", 0x2000, &[5, 6, 7, 8]).writable().with_tail(Tail::Zero)).expect("free");
        memory.add(Region::of_words("a", 0x1000, &[1, 2, 3, 4])).expect("free");
        memory
    }

    #[test]
    fn regions_must_not_overlap() {
        let mut memory = memory();
        assert!(memory.add(Region::of_words("c", 0x100c, &[0])).is_err());
        assert!(memory.add(Region::of_words("c", 0x0ff8, &[0, 0, 0])).is_err());
        assert!(memory.add(Region::of_words("c", 0x1010, &[0])).is_ok());
        assert!(memory.add(Region::of_words("c", 0x1011, &[0])).is_err());
        assert!(memory.add(Region::of_words("c", 0xffff_fffc, &[0, 0])).is_err());
    }

    #[test]
    fn a_gather_reads_tails_and_names_the_stray_lane() {
        let mut memory = memory();
        let mut out = Lanes::ZERO;
        let mut addresses = Lanes::splat(0x2004);
        addresses.0[3] = 0x2013;
        addresses.0[4] = 0x1003;
        assert_eq!(memory.gather(&addresses, &mut out), Ok(None));
        assert_eq!(out.0[..5], [6, 6, 6, 0, 1]);
        addresses.0[9] = 0x1010;
        assert_eq!(memory.gather(&addresses, &mut out), Err((9, FaultKind::Outside(Access::Tmu))));
        addresses.0[9] = 0x3010;
        assert_eq!(memory.gather(&addresses, &mut out), Err((9, FaultKind::Outside(Access::Tmu))));
    }

    #[test]
    fn stored_words_cannot_be_read_through_the_caches() {
        let mut memory = memory();
        memory.store(0x2004, 4, 60).expect("writable");
        assert_eq!(memory.load(0x2004, 4), Ok((60, false)));
        assert_eq!(memory.cached_word(0x2004, Access::Uniform), Err(FaultKind::StoredThisLaunch(Access::Uniform)));
        assert_eq!(memory.cached_word(0x2008, Access::Uniform), Ok((7, false)));
        assert_eq!(memory.gather(&Lanes::splat(0x2004), &mut Lanes::splat(0)).expect_err("stored").0, 0);
        assert_eq!(memory.store(0x1000, 4, 1), Err(FaultKind::ReadOnly));
        memory.begin_launch();
        assert_eq!(memory.cached_word(0x2004, Access::Uniform), Ok((60, false)));
    }
}
