//! Names of the registers in assembly text, which are those of vc4asm's language.
//!
//! A name stands for an address, and for a file where the meaning differs between the files. `ra33`, `rb47` and the like
//! name the addresses 32 to 63 with the file, for what has no name or must use one file.

use super::line::Place;
use super::reg::File;

/// Which files a name covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    A,
    B,
    Either,
}

/// Addresses that can be read: address, file, names (the first is the one printed).
const READS: &[(u8, Side, &[&str])] = &[
    (32, Side::Either, &["unif", "uniform_read"]),
    (35, Side::Either, &["vary", "varying_read"]),
    (38, Side::A, &["elem_num", "elem_number", "element_number"]),
    (38, Side::B, &["qpu_num", "qpu_number"]),
    (39, Side::Either, &["-"]),
    (41, Side::A, &["x_coord", "quad_x", "x_pixel_coord"]),
    (41, Side::B, &["y_coord", "quad_y", "y_pixel_coord"]),
    (42, Side::A, &["ms_mask", "ms_flags"]),
    (42, Side::B, &["rev_flag"]),
    (48, Side::Either, &["vpm", "vpm_read"]),
    (49, Side::A, &["vr_busy", "vpm_ld_busy"]),
    (49, Side::B, &["vw_busy", "vpm_st_busy"]),
    (50, Side::A, &["vr_wait", "vpm_ld_wait"]),
    (50, Side::B, &["vw_wait", "vpm_st_wait"]),
    (51, Side::Either, &["mutex", "mutex_acq", "mutex_acquire"]),
];

/// Addresses that can be written.
const WRITES: &[(u8, Side, &[&str])] = &[
    (36, Side::Either, &["tmurs", "tmu_noswap"]),
    (37, Side::A, &["r5quad"]),
    (37, Side::B, &["r5rep"]),
    (38, Side::Either, &["irq", "interrupt", "host_int"]),
    (39, Side::Either, &["-"]),
    (40, Side::A, &["unif_addr"]),
    (40, Side::B, &["unif_addr_rel"]),
    (41, Side::A, &["x_coord", "quad_x", "x_pixel_coord"]),
    (41, Side::B, &["y_coord", "quad_y", "y_pixel_coord"]),
    (42, Side::A, &["ms_mask", "ms_flags"]),
    (42, Side::B, &["rev_flag"]),
    (43, Side::Either, &["stencil", "tlb_stencil"]),
    (44, Side::Either, &["tlbz", "tlb_z"]),
    (45, Side::Either, &["tlbm", "tlb_colour_ms"]),
    (46, Side::Either, &["tlbc", "tlb_colour_all"]),
    (47, Side::Either, &["tlbam", "tlb_alpha_mask"]),
    (48, Side::Either, &["vpm", "vpm_write"]),
    (49, Side::A, &["vr_setup", "vpmvcd_rd_setup"]),
    (49, Side::B, &["vw_setup", "vpmvcd_wr_setup"]),
    (50, Side::A, &["vr_addr", "vpm_ld_addr"]),
    (50, Side::B, &["vw_addr", "vpm_st_addr"]),
    (51, Side::Either, &["mutex", "mutex_rel", "mutex_release"]),
    (52, Side::Either, &["recip", "sfu_recip"]),
    (53, Side::Either, &["recipsqrt", "rsqrt", "sfu_recipsqrt"]),
    (54, Side::Either, &["exp", "sfu_exp"]),
    (55, Side::Either, &["log", "sfu_log"]),
    (56, Side::Either, &["t0s", "tmu0_s"]),
    (57, Side::Either, &["t0t", "tmu0_t"]),
    (58, Side::Either, &["t0r", "tmu0_r"]),
    (59, Side::Either, &["t0b", "tmu0_b"]),
    (60, Side::Either, &["t1s", "tmu1_s"]),
    (61, Side::Either, &["t1t", "tmu1_t"]),
    (62, Side::Either, &["t1r", "tmu1_r"]),
    (63, Side::Either, &["t1b", "tmu1_b"]),
];

/// What a register name means where it is read and where it is written; `None` where it cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named {
    pub read: Option<Place>,
    pub write: Option<Place>,
}

/// The register with this name.
///
/// ```
/// use quadra_isa::vc4::{File, line::Place, names};
/// let vpm = names::find("vpm").expect("a register");
/// assert_eq!(vpm.read, Some(Place::Io(48)));
/// assert_eq!(names::find("ra7").expect("a register").write, Some(Place::File(File::A, 7)));
/// assert_eq!(names::find("ra64"), None);
/// ```
pub fn find(name: &str) -> Option<Named> {
    if let Some(named) = numbered(name) {
        return Some(named);
    }
    let look = |table: &[(u8, Side, &[&str])]| {
        let row = table.iter().find(|row| row.2.contains(&name))?;
        Some(match row.1 {
            Side::A => Place::File(File::A, row.0),
            Side::B => Place::File(File::B, row.0),
            Side::Either => Place::Io(row.0),
        })
    };
    // What is written to r5 in one of two ways is read as r5.
    let r5 = matches!(name, "r5quad" | "r5rep").then_some(Place::Acc(5));
    let named = Named { read: look(READS).or(r5), write: look(WRITES) };
    (named.read.is_some() || named.write.is_some()).then_some(named)
}

/// `r0`…`r5`, `ra0`…`ra63`, `rb0`…`rb63`.
fn numbered(name: &str) -> Option<Named> {
    let rest = name.strip_prefix('r')?;
    let (file, digits) = match rest.as_bytes().first()? {
        b'a' => (Some(File::A), &rest[1..]),
        b'b' => (Some(File::B), &rest[1..]),
        _ => (None, rest),
    };
    let plain = !digits.is_empty() && digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit());
    if !plain || digits.len() == 2 && digits.starts_with('0') {
        return None;
    }
    let number: u8 = digits.parse().ok()?;
    match file {
        None if number <= 3 => Some(Named { read: Some(Place::Acc(number)), write: Some(Place::Acc(number)) }),
        None if number <= 5 => Some(Named { read: Some(Place::Acc(number)), write: None }),
        Some(file) if number < 64 => {
            Some(Named { read: Some(Place::File(file, number)), write: Some(Place::File(file, number)) })
        }
        _ => None,
    }
}

/// The text of a place where it is read.
pub fn read_name(place: Place) -> String {
    name_in(READS, place)
}

/// The text of a place where it is written.
pub fn write_name(place: Place) -> String {
    name_in(WRITES, place)
}

fn name_in(table: &[(u8, Side, &[&str])], place: Place) -> String {
    let (address, side) = match place {
        Place::Acc(n) => return format!("r{n}"),
        Place::File(File::A, n) => (n, Side::A),
        Place::File(File::B, n) => (n, Side::B),
        Place::Io(n) => (n, Side::Either),
    };
    match table.iter().find(|row| row.0 == address && row.1 == side) {
        Some(row) => row.2[0].to_string(),
        None => format!("r{}{address}", if side == Side::B { 'b' } else { 'a' }),
    }
}

/// The place that a read address of a file stands for, as unspecific as its name allows.
pub fn read_place(file: File, address: u8) -> Place {
    unspecific(READS, file, address)
}

/// The place that a write address of a file stands for, as unspecific as its name allows.
pub fn write_place(file: File, address: u8) -> Place {
    match address {
        32..=35 => Place::Acc(address - 32),
        _ => unspecific(WRITES, file, address),
    }
}

fn unspecific(table: &[(u8, Side, &[&str])], file: File, address: u8) -> Place {
    match table.iter().any(|row| row.0 == address && row.1 == Side::Either) {
        true => Place::Io(address),
        false => Place::File(file, address),
    }
}

/// Every name, for suggestions.
pub fn all() -> impl Iterator<Item = &'static str> {
    READS.iter().chain(WRITES).flat_map(|row| row.2.iter().copied()).filter(|name| *name != "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_a_text_that_leads_back_to_it() {
        for address in 0..64 {
            for file in [File::A, File::B] {
                let read = read_place(file, address);
                assert_eq!(find(&read_name(read)).and_then(|n| n.read), Some(read), "{address}");
                let write = write_place(file, address);
                assert_eq!(find(&write_name(write)).and_then(|n| n.write), Some(write), "{address}");
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_no_registers() {
        for name in ["r6", "ra64", "rb99", "ra", "r", "ra07", "rc1", "ra1x", "r-1"] {
            assert_eq!(find(name), None, "{name}");
        }
        assert_eq!(find("r5").expect("readable").write, None);
    }
}
