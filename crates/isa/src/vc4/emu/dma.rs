//! DMA between memory and the VPM, both ways, as the setup words describe it (guide p. 57-60; details from
//! py-videocore's hardware tests and the vc4asm addendum).
//!
//! A transfer happens in full when it is started; the waiting that hardware needs is checked by the rules, and its
//! duration is the business of the timing model.

use super::fault::{Access, FaultKind};
use super::memory::Memory;
use super::vpm::{ROWS, Vpm, Width};

/// A register that may not have been written yet, so that native code can write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Setting {
    pub(super) word: u32,
    /// Whether it was, 0 or 1.
    pub(super) set: u32,
}

impl Setting {
    /// The register with this word.
    pub const fn of(word: u32) -> Setting {
        Setting { word, set: 1 }
    }

    /// Its word, if it was written.
    pub fn word(self) -> Option<u32> {
        (self.set != 0).then_some(self.word)
    }
}

/// DMA registers of one QPU, as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    /// Basic setup of loads.
    pub load: Option<u32>,
    /// Bytes from the start of one memory row to the start of the next, for loads without a pitch of their own.
    pub load_pitch: Option<u32>,
    /// Basic setup of stores.
    pub store: Setting,
    /// Setup of the gap between rows of stores.
    pub store_stride: Setting,
}

impl Registers {
    /// The rule that a load breaks by its registers: the pitch between its rows was never set.
    pub fn load_breaks(&self) -> Option<FaultKind> {
        let needs = |word: u32| word >> 24 & 15 == 0 && word >> 16 & 15 != 1;
        (self.load_pitch.is_none() && self.load.is_some_and(needs)).then_some(FaultKind::PitchNotSet)
    }

    /// The same for a store and the gap.
    pub fn store_breaks(&self) -> Option<FaultKind> {
        if self.store.word().is_none_or(|word| word >> 23 & 0x7f == 1) {
            return None;
        }
        match self.store_stride.word() {
            None => Some(FaultKind::StrideNotSet),
            Some(word) => (word & 0x1_0000 != 0 && word & 0xffff != 0).then_some(FaultKind::GapClosed),
        }
    }
}

/// What a transfer did; the timing model and the checks want to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Transfer {
    /// Rows in memory.
    pub rows: u32,
    /// Bytes per row in memory.
    pub row_bytes: u32,
    pub address: u32,
    /// Bytes from the start of one memory row to the start of the next.
    pub pitch: u32,
    /// VPM rows touched, one bit each.
    pub vpm_rows: u64,
    /// Whether the VPM side runs down columns.
    pub vertical: bool,
    /// Whether a horizontal row crossed column 15.
    pub crossed: bool,
    /// First address that was read from a tail which warns.
    pub past_end: Option<u32>,
}

/// A fault and the address it happened at.
pub type Failure = (FaultKind, u32);

/// Width and position inside the word of a MODEW code.
fn mode(code: u32, word: u32) -> Result<(Width, u32), Failure> {
    match code {
        0 => Ok((Width::Bits32, 0)),
        2 | 3 => Ok((Width::Bits16, code & 1)),
        4..=7 => Ok((Width::Bits8, code & 3)),
        _ => Err((FaultKind::ReservedSetup(word), 0)),
    }
}

fn or_16(field: u32) -> u32 {
    if field == 0 { 16 } else { field }
}

fn or_128(field: u32) -> u32 {
    if field == 0 { 128 } else { field }
}

/// Where an element lies in the VPM. `start` counts elements from the left end of the row (or top of the 16-row block).
struct Walk {
    width: Width,
    vertical: bool,
    row: u32,
    column: u32,
}

impl Walk {
    /// The row and the part of it that so many words from the walk's start make, if they lie in one row.
    fn part(&self, words: u32) -> Option<(usize, std::ops::Range<usize>)> {
        let inside = !self.vertical && self.width == Width::Bits32 && self.column + words <= 16;
        inside.then(|| (self.row as usize % ROWS, self.column as usize..(self.column + words) as usize))
    }

    /// Row, column and bit position of element `k`, which begins at sub-word `sub` of the walk's first word.
    fn place(&self, sub: u32, k: u32) -> (usize, usize, u32) {
        let per_word = self.width.per_word();
        let (words, inside) = ((sub + k) / per_word, (sub + k) % per_word);
        let (row, column) = if self.vertical {
            // A column wraps inside its block of 16 rows (vc4asm issue 27).
            let (block, top) = (self.row & !15, self.row & 15);
            (block + (top + words) % 16, self.column)
        } else {
            (self.row + (self.column + words) / 16, (self.column + words) % 16)
        };
        (row as usize % ROWS, column as usize % 16, inside * 8 * self.width.bytes())
    }
}

/// Runs the load that starts at memory address `address`, and says in `done` what it did.
///
/// # Errors
/// Where it breaks a rule.
pub fn load(
    regs: &Registers,
    address: u32,
    memory: &mut Memory,
    vpm: &mut Vpm,
    done: &mut Transfer,
) -> Result<(), Failure> {
    let word = regs.load.ok_or((FaultKind::DmaNotSetUp, address))?;
    let (width, sub) = mode(word >> 28 & 7, word)?;
    let (length, rows, vpitch) = (or_16(word >> 20 & 15), or_16(word >> 16 & 15), or_16(word >> 12 & 15));
    let (vertical, row, column) = (word >> 11 & 1 == 1, word >> 4 & 0x7f, word & 15);
    let pitch = match (word >> 24 & 15, regs.load_pitch) {
        (0, Some(pitch)) => pitch,
        (0, None) => 0,
        (code, _) => 8 << code,
    };
    let per_word = width.per_word();
    *done = Transfer {
        rows,
        row_bytes: length * width.bytes(),
        address,
        pitch,
        vpm_rows: 0,
        vertical,
        crossed: !vertical && column * per_word + sub + length > 16 * per_word,
        past_end: None,
    };
    memory.approach(address, pitch, rows);
    for r in 0..rows {
        // For narrow elements the sub-word position is the low part of the row address that VPITCH advances.
        let at = row * per_word + sub + r * vpitch;
        let walk = Walk { width, vertical: false, row: at / per_word, column };
        let sub = at % per_word;
        let source = address.wrapping_add(r * pitch);
        if width == Width::Bits32
            && load_row(memory, vpm, source, done, length, |k| match vertical {
                true => down(width, walk.row, column, sub, k),
                false => walk.place(sub, k),
            })
        {
            continue;
        }
        for k in 0..length {
            let source = address.wrapping_add(r * pitch).wrapping_add(k * width.bytes());
            let value = read(memory, source, width, done)?;
            let (y, x, shift) = match vertical {
                true => down(width, walk.row, column, sub, k),
                false => walk.place(sub, k),
            };
            insert(vpm, (y, x, shift), width, value);
            done.vpm_rows |= 1 << y;
        }
    }
    Ok(())
}

/// Element `k` of a vertical load: down the column from `row`, through all 64 rows.
fn down(width: Width, row: u32, column: u32, sub: u32, k: u32) -> (usize, usize, u32) {
    let per_word = width.per_word();
    let y = row + (sub + k) / per_word;
    (y as usize % ROWS, column as usize, (sub + k) % per_word * 8 * width.bytes())
}

/// Runs the store that starts at memory address `address`, and says in `done` what it did.
///
/// # Errors
/// Where it breaks a rule.
pub fn store(
    regs: &Registers,
    address: u32,
    memory: &mut Memory,
    vpm: &Vpm,
    done: &mut Transfer,
) -> Result<(), Failure> {
    let word = regs.store.word().ok_or((FaultKind::DmaNotSetUp, address))?;
    let (units, depth) = (or_128(word >> 23 & 0x7f), or_128(word >> 16 & 0x7f));
    let (laned, vertical) = (word >> 15 & 1 == 1, word >> 14 & 1 == 0);
    let (row, column) = (word >> 7 & 0x7f, word >> 3 & 15);
    let (width, sub) = mode(word & 7, word)?;
    let stride = regs.store_stride.word().unwrap_or(0);
    // Bit 16 concerns memory alone: rows lie back to back there. In the VPM every unit has a row or column of its own.
    let gap = if stride >> 16 & 1 == 1 { 0 } else { stride & 0xffff };
    let per_word = width.per_word();
    let row_bytes = depth * width.bytes();
    *done = Transfer {
        rows: units,
        row_bytes,
        address,
        pitch: row_bytes + gap,
        vpm_rows: 0,
        vertical,
        crossed: !vertical && column * per_word + sub + depth > 16 * per_word,
        past_end: None,
    };
    let mut target = address;
    memory.approach(address, row_bytes + gap, units);
    for u in 0..units {
        let walk = match vertical {
            true => Walk { width, vertical, row, column: column + u },
            false => Walk { width, vertical, row: row + u, column },
        };
        if width == Width::Bits32 && vpm.marked == 0 && store_row(memory, vpm, target, done, &walk, depth) {
            target = target.wrapping_add(row_bytes).wrapping_add(gap);
            continue;
        }
        for d in 0..depth {
            let (y, x, shift) = if laned { laned_place(&walk, sub, d) } else { walk.place(sub, d) };
            if let Some(kind) = vpm.marks.as_ref().and_then(|marks| marks.stored(y, x)) {
                return Err((kind, target));
            }
            let value = vpm.words[y][x] >> shift;
            if !target.is_multiple_of(width.bytes()) {
                return Err((FaultKind::Misaligned(Access::DmaStore), target));
            }
            memory.store(target, width.bytes(), value).map_err(|kind| (kind, target))?;
            done.vpm_rows |= 1 << y;
            target = target.wrapping_add(width.bytes());
        }
        target = target.wrapping_add(gap);
    }
    Ok(())
}

/// Loads a row of whole words if all lie in one piece of memory; else does nothing and gives `false`.
fn load_row(
    memory: &mut Memory,
    vpm: &mut Vpm,
    source: u32,
    done: &mut Transfer,
    length: u32,
    place: impl Fn(u32) -> (usize, usize, u32),
) -> bool {
    let mut words = [0; 16];
    let words = &mut words[..length as usize];
    if vpm.marked != 0 || !memory.load_words(source, words) {
        return false;
    }
    for (k, word) in words.iter().enumerate() {
        let (y, x, _) = place(k as u32);
        vpm.words[y][x] = *word;
        done.vpm_rows |= 1 << y;
    }
    true
}

/// Stores a row of at most 16 whole words if all go to one piece of memory; else does nothing and gives `false`.
fn store_row(memory: &mut Memory, vpm: &Vpm, target: u32, done: &mut Transfer, walk: &Walk, depth: u32) -> bool {
    let mut words = [0; 16];
    if depth > 16 {
        return false;
    }
    let words = &mut words[..depth as usize];
    if let Some((row, part)) = walk.part(depth) {
        // Most rows are pieces of the VPM's rows.
        let stored = memory.store_words(target, &vpm.words[row][part]);
        done.vpm_rows |= u64::from(stored) << row;
        return stored;
    }
    let mut rows = 0;
    for (d, word) in words.iter_mut().enumerate() {
        let (y, x, _) = walk.place(0, d as u32);
        *word = vpm.words[y][x];
        rows |= 1 << y;
    }
    let stored = memory.store_words(target, words);
    if stored {
        done.vpm_rows |= rows;
    }
    stored
}

/// One element per word, all at the same sub-word.
fn laned_place(walk: &Walk, sub: u32, k: u32) -> (usize, usize, u32) {
    let words = Walk { width: Width::Bits32, ..*walk };
    let (y, x, _) = words.place(0, k);
    (y, x, sub * 8 * walk.width.bytes())
}

fn read(memory: &mut Memory, address: u32, width: Width, done: &mut Transfer) -> Result<u32, Failure> {
    if !address.is_multiple_of(width.bytes()) {
        return Err((FaultKind::Misaligned(Access::DmaLoad), address));
    }
    let (value, past) = memory.load(address, width.bytes()).map_err(|kind| (kind, address))?;
    if past && done.past_end.is_none() {
        done.past_end = Some(address);
    }
    Ok(value)
}

fn insert(vpm: &mut Vpm, (row, column, shift): (usize, usize, u32), width: Width, value: u32) {
    let mask = (u32::MAX >> (32 - 8 * width.bytes())) << shift;
    let word = &mut vpm.words[row][column];
    *word = *word & !mask | value << shift & mask;
    vpm.clear_mark(row, column);
}

#[cfg(test)]
mod tests {
    use super::super::memory::Region;
    use super::*;

    fn counting(words: usize) -> Memory {
        let mut memory = Memory::default();
        let contents: Vec<u32> = (0..words as u32).map(|i| i.wrapping_mul(0x0101_0101)).collect();
        memory.add(Region::of_words("in", 0x1000, &contents)).expect("free");
        memory.add(Region::of_words("out", 0x8000, &vec![0; 4096]).writable()).expect("free");
        memory
    }

    fn loaded(setup: u32, pitch: Option<u32>, memory: &mut Memory) -> (Vpm, Transfer) {
        let mut vpm = Vpm::default();
        let regs = Registers { load: Some(setup), load_pitch: pitch, ..Registers::default() };
        let mut done = Transfer::default();
        load(&regs, 0x1000, memory, &mut vpm, &mut done).expect("inside");
        (vpm, done)
    }

    fn stored(setup: u32, stride: Option<u32>, vpm: &Vpm) -> Vec<u32> {
        let mut memory = counting(16);
        let regs = Registers {
            store: Setting::of(setup),
            store_stride: stride.map_or(Setting::default(), Setting::of),
            ..Registers::default()
        };
        store(&regs, 0x8000, &mut memory, vpm, &mut Transfer::default()).expect("inside");
        memory.region("out").expect("exists").words()
    }

    fn numbered() -> Vpm {
        let mut vpm = Vpm::default();
        for row in 0..ROWS {
            vpm.words[row] = std::array::from_fn(|column| (row * 16 + column) as u32);
        }
        vpm
    }

    fn word(i: usize) -> u32 {
        (i as u32).wrapping_mul(0x0101_0101)
    }

    #[test]
    fn loads_fill_rows() {
        // vdr_setup_0(3, 16, 1, vdr_h32(1, 5, 0)): one row into row 5.
        let (vpm, done) = loaded(0x8301_1050, None, &mut counting(1024));
        assert_eq!(vpm.words[5], std::array::from_fn(word));
        assert_eq!((done.rows, done.row_bytes, done.vpm_rows), (1, 64, 1 << 5));
        // 16 rows with the pitch register.
        let (vpm, _) = loaded(0x8000_1000, Some(128), &mut counting(1024));
        assert_eq!(vpm.words[15], std::array::from_fn(|k| word(15 * 32 + k)));
        // 3 rows of 5 words to rows 2, 4, 6 from column 7.
        let (vpm, done) = loaded(0x8053_2027 | 3 << 24, None, &mut counting(1024));
        assert_eq!(vpm.words[4][7..12], [word(16), word(17), word(18), word(19), word(20)]);
        assert_eq!((vpm.words[3][7], vpm.words[4][6], vpm.words[4][12]), (0, 0, 0));
        assert_eq!(done.vpm_rows, 0b101_0100);
    }

    #[test]
    fn a_vertical_load_fills_one_column_of_64_rows() {
        // vdr_setup_0(3, 16, 4, vdr_v32(16, 0, 5)), as tested on hardware by py-videocore.
        let (vpm, _) = loaded(0x8304_0805, None, &mut counting(1024));
        for row in 0..64 {
            assert_eq!(vpm.words[row][5], word(row));
        }
        assert_eq!(vpm.words[0][4], 0);
    }

    #[test]
    fn narrow_loads_go_to_their_part_of_the_word() {
        // 8 bit, byte offset 1, 16 elements, 1 row, row 2.
        let (vpm, done) = loaded(0x8000_0000 | 5 << 28 | 3 << 24 | 1 << 16 | 1 << 12 | 2 << 4, None, &mut counting(64));
        assert_eq!(vpm.words[2][..5], [0, 0x0101_0100, 0x0202_0201, 0x0303_0302, 0x0000_0003]);
        assert_eq!(done.row_bytes, 16);
        // 16 bit, half offset 0, 4 elements, 2 rows with a row pitch of one half.
        let (vpm, _) =
            loaded(0x8000_0000 | 2 << 28 | 3 << 24 | 4 << 20 | 2 << 16 | 2 << 12 | 2 << 4, None, &mut counting(64));
        assert_eq!(vpm.words[2][..3], [0, 0x0101_0101, 0]);
        assert_eq!(vpm.words[3][..3], [0x1010_1010, 0x1111_1111, 0]);
    }

    #[test]
    fn stores_write_rows_and_columns() {
        // vdw_setup_0(16, 16, dma_h32(0, 0)) without gap.
        let out = stored(0x8810_4000, Some(0xc000_0000), &numbered());
        assert_eq!(out[..256], std::array::from_fn::<u32, 256, _>(|i| i as u32));
        // Two rows of 16 words with a gap of 64 bytes.
        let out = stored(0x8110_4280 & !0x80_0000, Some(0xc000_0040), &numbered());
        assert_eq!((out[0], out[15], out[16], out[31], out[32], out[47]), (80, 95, 0, 0, 96, 111));
        // vdw_setup_0(16, 16, dma_v32(16, 0)): 16 columns of rows 16 to 31.
        let out = stored(0x8810_0800, Some(0xc000_0000), &numbered());
        assert_eq!((out[0], out[1], out[16], out[255]), (256, 272, 257, 511));
    }

    #[test]
    fn a_deep_column_wraps_in_its_block() {
        // 1 unit of depth 32 from column 3 of rows 16 to 31: two copies.
        let out = stored(0x8000_0000 | 1 << 23 | 32 << 16 | 16 << 7 | 3 << 3, Some(0xc000_0000), &numbered());
        assert_eq!((out[0], out[15], out[16], out[31]), (259, 499, 259, 499));
    }

    #[test]
    fn bit_16_closes_the_gaps_in_memory_and_steps_through_the_vpm_all_the_same() {
        // 4 units of 8 words from row 0 on, gap of 8 bytes.
        let setup = 0x8000_0000 | 4 << 23 | 8 << 16 | 1 << 14;
        let out = stored(setup, Some(0xc001_0008), &numbered());
        assert_eq!((out[0], out[7], out[8], out[16], out[31], out[32]), (0, 7, 16, 32, 55, 0));
        let out = stored(setup, Some(0xc000_0008), &numbered());
        assert_eq!((out[0], out[7], out[10], out[20], out[37]), (0, 7, 16, 32, 55));
        // 16 units of one word down column 3 of row 5 on: how a row is stored as a column of units, with either bit.
        let column = 0x8000_0000 | 16 << 23 | 1 << 16 | 1 << 14 | 5 << 7 | 3 << 3;
        for stride in [0xc001_0000, 0xc000_0000, 0xc001_0040] {
            let out = stored(column, Some(stride), &numbered());
            assert_eq!(out[..16], std::array::from_fn::<u32, 16, _>(|u| (5 + u as u32) * 16 + 3), "{stride:x}");
        }
        // Columns as units: 2 units of 4 rows from column 1 on.
        let columns = 0x8000_0000 | 2 << 23 | 4 << 16 | 1 << 3;
        assert_eq!(stored(columns, Some(0xc001_0000), &numbered())[..8], [1, 17, 33, 49, 2, 18, 34, 50]);
    }

    #[test]
    fn narrow_stores_take_bytes() {
        let (vpm, _) = loaded(0x8301_1000, None, &mut counting(64));
        // 8 bit from byte 2 of word 1: 6 elements.
        let out = stored(0x8000_0000 | 1 << 23 | 6 << 16 | 1 << 14 | 1 << 3 | 6, None, &vpm);
        assert_eq!(out[..3], [0x0202_0101, 0x0000_0202, 0]);
        // Laned: one byte of each word.
        let out = stored(0x8000_0000 | 1 << 23 | 4 << 16 | 1 << 15 | 1 << 14 | 1 << 3 | 6, None, &vpm);
        assert_eq!(out[0], 0x0403_0201);
    }

    #[test]
    fn faults_name_the_address() {
        let mut memory = counting(16);
        let regs = Registers { load: Some(0x8302_1050), ..Registers::default() };
        let failure = load(&regs, 0x1000, &mut memory, &mut Vpm::default(), &mut Transfer::default());
        assert_eq!(failure, Err((FaultKind::Outside(Access::DmaLoad), 0x1040)));
        let regs = Registers { store: Setting::of(0x8090_4280), ..Registers::default() };
        assert_eq!(
            store(&regs, 0x1000, &mut memory, &Vpm::default(), &mut Transfer::default()),
            Err((FaultKind::ReadOnly, 0x1000))
        );
        let misaligned = store(&regs, 0x8002, &mut memory, &Vpm::default(), &mut Transfer::default());
        assert_eq!(misaligned, Err((FaultKind::Misaligned(Access::DmaStore), 0x8002)));
        let missing = load(&Registers::default(), 0x1000, &mut memory, &mut Vpm::default(), &mut Transfer::default());
        assert_eq!(missing, Err((FaultKind::DmaNotSetUp, 0x1000)));
    }
}
