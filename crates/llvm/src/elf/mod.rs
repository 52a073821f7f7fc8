//! Relocatable object files of LLVM's code generator as images that only have to be copied into memory: for code without
//! writable data, which is what kernels compile to. Source: the System V ABI's chapters on object files.

mod relocate;

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

    /// Offset of a function.
    pub fn function(&self, name: &str) -> Option<usize> {
        self.functions.get(name).copied()
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
