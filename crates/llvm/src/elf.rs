//! Relocatable object files of LLVM's code generator as images that only have to be copied into memory: for code without
//! writable data, which is what kernels compile to. Sources: the System V ABI's chapters on object files and the supplements
//! for x86-64 and for the Arm 64-bit architecture, for the numbers of relocations.

use std::collections::HashMap;

/// Code and constants in the order they will lie in memory, and what depends on where that is.
#[derive(Debug)]
pub struct Image {
    pub bytes: Vec<u8>,
    relocations: Vec<Relocation>,
    /// Offsets of the functions.
    functions: HashMap<String, usize>,
    /// A jump for each function of the process that is called, and its address behind it.
    stubs: Vec<(Target, usize)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Target {
    /// An offset in the image.
    Inside(usize),
    /// A function of the process.
    Process(String),
}

#[derive(Clone, Debug)]
struct Relocation {
    at: usize,
    kind: u32,
    target: Target,
    addend: i64,
}

/// How files for this processor are marked.
const MACHINE: u16 = if cfg!(target_arch = "x86_64") {
    62
} else if cfg!(target_arch = "aarch64") {
    183
} else {
    0
};

const RELOCATABLE: u16 = 1;
const PROGBITS: u32 = 1;
const SYMBOLS: u32 = 2;
const RELOCATIONS: u32 = 4;
const WRITABLE: u64 = 1;
const LOADED: u64 = 2;
const THREAD_LOCAL: u64 = 1 << 10;
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

fn word<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    word(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    word(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    word(bytes, at).map(u64::from_le_bytes)
}

fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64_at(bytes, at)?).ok()
}

fn text_at(table: &[u8], at: usize) -> Option<&str> {
    let tail = table.get(at..)?;
    std::str::from_utf8(&tail[..tail.iter().position(|b| *b == 0)?]).ok()
}

/// A section's header.
struct Section<'a> {
    name: usize,
    sort: u32,
    flags: u64,
    contents: &'a [u8],
    align: usize,
    link: usize,
    info: usize,
    /// Where it lies in the image, if it does.
    place: Option<usize>,
}

fn sections(object: &[u8]) -> Option<Vec<Section<'_>>> {
    if !object.starts_with(b"\x7fELF\x02\x01") || MACHINE == 0 {
        return None;
    }
    if u16_at(object, 16)? != RELOCATABLE || u16_at(object, 18)? != MACHINE {
        return None;
    }
    let (table, count) = (size_at(object, 40)?, usize::from(u16_at(object, 60)?));
    let section = |n: usize| {
        let head = object.get(table.checked_add(n * 64)?..)?.get(..64)?;
        let sort = u32_at(head, 4)?;
        let (offset, size) = (size_at(head, 24)?, size_at(head, 32)?);
        // Sections without contents (8) are writable data, which is refused, or empty.
        let contents = if sort == 8 { &[][..] } else { object.get(offset..offset.checked_add(size)?)? };
        let flags = u64_at(head, 8)?;
        let refused = flags & LOADED != 0 && flags & (WRITABLE | THREAD_LOCAL) != 0 && size > 0;
        let align = size_at(head, 48)?.clamp(1, 4096).next_power_of_two();
        let (link, info) = (u32_at(head, 40)? as usize, u32_at(head, 44)? as usize);
        (!refused).then_some(Section {
            name: u32_at(head, 0)? as usize,
            sort,
            flags,
            contents,
            align,
            link,
            info,
            place: None,
        })
    };
    (0..count).map(section).collect()
}

impl Image {
    /// Takes an object file apart; nothing if it is none for this processor, or has what is not provided for.
    pub fn of(object: &[u8]) -> Option<Image> {
        let mut sections = sections(object)?;
        let names = sections.get(usize::from(u16_at(object, 62)?))?.contents;
        let mut bytes = Vec::new();
        for s in &mut sections {
            // Nothing is thrown through compiled code, so that tables for unwinding are not needed.
            if s.flags & LOADED == 0 || s.sort != PROGBITS || text_at(names, s.name)? == ".eh_frame" {
                continue;
            }
            bytes.resize(bytes.len().next_multiple_of(s.align), 0);
            s.place = Some(bytes.len());
            bytes.extend_from_slice(s.contents);
        }
        let mut image = Image { bytes, relocations: Vec::new(), functions: HashMap::new(), stubs: Vec::new() };
        for s in sections.iter().filter(|s| s.sort == SYMBOLS) {
            image.note_functions(&sections, s)?;
        }
        for s in sections.iter().filter(|s| s.sort == RELOCATIONS) {
            let Some(place) = sections.get(s.info)?.place else { continue };
            let (symbols, end) = (sections.get(s.link)?, sections.get(s.info)?.contents.len());
            for r in s.contents.chunks_exact(24) {
                let (at, info, addend) = (size_at(r, 0)?, u64_at(r, 8)?, u64_at(r, 16)? as i64);
                let (target, value) = target(&sections, symbols, (info >> 32) as usize)?;
                let (kind, addend) = (info as u32, addend.checked_add(value)?);
                if at.checked_add(4)? > end {
                    return None;
                }
                image.relocations.push(Relocation { at: place + at, kind, target, addend });
            }
        }
        image.add_stubs();
        Some(image)
    }

    fn note_functions(&mut self, sections: &[Section<'_>], symbols: &Section<'_>) -> Option<()> {
        let names = sections.get(symbols.link)?.contents;
        for n in 0..symbols.contents.len() / 24 {
            let symbol = &symbols.contents[n * 24..];
            const FUNCTION: u8 = 2;
            if symbol[4] & 15 == FUNCTION
                && let Some(place) = sections.get(usize::from(u16_at(symbol, 6)?)).and_then(|s| s.place)
            {
                let name = text_at(names, u32_at(symbol, 0)? as usize)?.to_string();
                let at = place.checked_add(size_at(symbol, 8)?).filter(|at| *at < self.bytes.len())?;
                self.functions.insert(name, at);
            }
        }
        Some(())
    }

    /// Appends a jump to, and the address of, whatever is far away or wanted in a slot.
    fn add_stubs(&mut self) {
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

    /// Offset of a function.
    pub fn function(&self, name: &str) -> Option<usize> {
        self.functions.get(name).copied()
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

/// What a symbol stands for, and what is to be added to it.
fn target(sections: &[Section<'_>], symbols: &Section<'_>, number: usize) -> Option<(Target, i64)> {
    let symbol = symbols.contents.get(number.checked_mul(24)?..)?.get(..24)?;
    let section = usize::from(u16_at(symbol, 6)?);
    if section == 0 {
        let name = text_at(sections.get(symbols.link)?.contents, u32_at(symbol, 0)? as usize)?;
        return (!name.is_empty()).then(|| (Target::Process(name.to_string()), 0));
    }
    let place = sections.get(section)?.place?;
    Some((Target::Inside(place), i64::try_from(u64_at(symbol, 8)?).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_file_is_refused() {
        assert!(Image::of(b"").is_none());
        assert!(Image::of(b"\x7fELF\x02\x01").is_none());
        assert!(Image::of(&[0; 4096]).is_none());
        let mut head = vec![0; 4096];
        head[..6].copy_from_slice(b"\x7fELF\x02\x01");
        head[16] = 1;
        head[18..20].copy_from_slice(&MACHINE.to_le_bytes());
        head[60] = 255;
        head[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(Image::of(&head).is_none());
    }
}
