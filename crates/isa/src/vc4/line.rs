//! One line of assembly: the operations that shall share an instruction, before it is decided which field holds what.
//!
//! Text ([`super::asm`]), the builder ([`super::builder`]) and the disassembler ([`super::disasm`]) all speak in these
//! types; [`super::fit`] turns a line into an instruction.

use super::imm::Rotation;
use super::names;
use super::op::{AddOp, BranchCond, Cond, MulOp, Signal};
use super::pack::{Pack, Unpack};
use super::reg::File;
use std::fmt;

/// Where an operand lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// Accumulator r0 to r5.
    Acc(u8),
    /// Address 0 to 63 of one file.
    File(File, u8),
    /// Address 32 to 63 that means the same in both files.
    Io(u8),
}

/// A part of a register: the suffix of a packed or unpacked operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    /// The suffix as the file A packer names it; `8dr` has no packer form.
    pub pack: Option<Pack>,
    /// The suffix as an unpack mode, if it has one.
    pub unpack: Option<Unpack>,
    /// Whether integer or float conversion was asked for explicitly.
    pub kind: SliceKind,
}

/// The conversion a suffix asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SliceKind {
    /// As the operation has it.
    Any,
    /// `i`: integers.
    Int,
    /// `f`: floats; as the destination of the mul ALU, a colour of 0.0 to 1.0.
    Float,
}

impl Slice {
    /// The slice with this suffix (without the dot): `16a`, `8bs`, `8888sf`, `8abcd`, `8dr`, `32s`, …
    pub fn from_suffix(text: &str) -> Option<Slice> {
        // Broadcom's names of the formats that saturate, and of the one that copies a byte to all four.
        match text {
            "32i" => return Slice::from_suffix("32s"),
            "8ddupe" => {
                let copies =
                    Slice { pack: Some(Pack::B8888), unpack: Unpack::from_suffix("8dr"), kind: SliceKind::Any };
                return Some(copies);
            }
            "8ddupeclamp" => return Slice::from_suffix("8888s"),
            _ => {}
        }
        if let Some(base) = text.strip_suffix("clamp") {
            return Slice::from_suffix(&format!("{base}s"));
        }
        let (base, kind) = match text.as_bytes().last()? {
            b'i' => (&text[..text.len() - 1], SliceKind::Int),
            b'f' => (&text[..text.len() - 1], SliceKind::Float),
            _ => (text, SliceKind::Any),
        };
        let base = match base {
            "32" => return Some(Slice { pack: None, unpack: None, kind }),
            "8abcd" => "8888",
            "8abcds" => "8888s",
            other => other,
        };
        let unpack = Unpack::from_suffix(base).or_else(|| Unpack::from_suffix(base.strip_suffix('s')?));
        let pack = Pack::from_suffix(base);
        (unpack.is_some() || pack.is_some()).then_some(Slice { pack, unpack, kind })
    }

    /// The slice of an unpack mode.
    pub fn of_unpack(unpack: Unpack) -> Option<Slice> {
        (unpack != Unpack::None).then_some(Slice {
            pack: Pack::from_suffix(unpack.suffix()),
            unpack: Some(unpack),
            kind: SliceKind::Any,
        })
    }

    /// The slice of a pack mode; `pm` as in the instruction word.
    pub fn of_pack(pack: Pack, pm: bool) -> Option<Slice> {
        if pack == Pack::None || pm && !pack.valid_for_mul() {
            return None;
        }
        // Colours always saturate: byte x is written `8xsf`.
        let suffix = match (pm, pack) {
            (true, Pack::B8888) => Pack::B8888s,
            (true, Pack::B8a) => Pack::B8as,
            (true, Pack::B8b) => Pack::B8bs,
            (true, Pack::B8c) => Pack::B8cs,
            (true, Pack::B8d) => Pack::B8ds,
            _ => pack,
        };
        let kind = if pm { SliceKind::Float } else { SliceKind::Any };
        Some(Slice { pack: Some(suffix), unpack: Unpack::from_suffix(pack.suffix()), kind })
    }

    fn suffix(self) -> String {
        let base = match (self.pack, self.unpack) {
            (Some(pack), _) => pack.suffix(),
            (None, Some(unpack)) => unpack.suffix(),
            (None, None) => "32",
        };
        let kind = match self.kind {
            SliceKind::Any => "",
            SliceKind::Int => "i",
            SliceKind::Float => "f",
        };
        format!("{base}{kind}")
    }
}

/// A register operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reg {
    pub place: Place,
    pub slice: Option<Slice>,
    /// On a source: the rotation that brings element i of the operand to element i + n of the result.
    pub rotate: Option<Rotation>,
}

impl Reg {
    /// No register, written `-`.
    pub const NONE: Reg = Reg::new(Place::Io(39));

    /// All of a register, not rotated.
    pub const fn new(place: Place) -> Reg {
        Reg { place, slice: None, rotate: None }
    }
}

/// A source operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Src {
    Reg(Reg),
    /// A constant, as 32 bits.
    Imm(u32),
}

/// The value of a load immediate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LdiValue {
    /// The same 32 bits in every lane.
    All(u32),
    /// One value per lane, all within -2..=1 or all within 0..=3.
    PerLane([i8; 16]),
}

/// An operation name: of one ALU, or of both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpName {
    Add(AddOp),
    Mul(MulOp),
    /// An operation that both ALUs have.
    Either(AddOp, MulOp),
}

impl OpName {
    /// The operation with this mnemonic; `nop` and `mov` are not among them.
    pub fn from_mnemonic(text: &str) -> Option<OpName> {
        let add = AddOp::from_mnemonic(text).filter(|op| *op != AddOp::Nop);
        let mul = MulOp::from_mnemonic(text).filter(|op| *op != MulOp::Nop);
        match (add, mul) {
            (Some(add), Some(mul)) => Some(OpName::Either(add, mul)),
            (Some(add), None) => Some(OpName::Add(add)),
            (None, Some(mul)) => Some(OpName::Mul(mul)),
            (None, None) => None,
        }
    }

    /// The name in text.
    pub fn mnemonic(self) -> &'static str {
        match self {
            OpName::Add(op) | OpName::Either(op, _) => op.mnemonic(),
            OpName::Mul(op) => op.mnemonic(),
        }
    }

    /// How many source operands have an effect.
    pub fn operands(self) -> usize {
        match self {
            OpName::Add(op) | OpName::Either(op, _) => op.operands(),
            OpName::Mul(op) => op.operands(),
        }
    }

    /// Whether its operands are floats.
    pub fn takes_floats(self) -> bool {
        match self {
            OpName::Add(op) | OpName::Either(op, _) => op.takes_floats(),
            OpName::Mul(op) => op.takes_floats(),
        }
    }
}

/// Which ALU a no-operation occupies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    Any,
    Add,
    Mul,
}

/// A field set by hand, for encodings that no operation describes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FieldSet {
    /// Name in [`super::fields`].
    pub name: &'static str,
    pub value: u32,
}

/// One operation of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    Alu {
        op: OpName,
        dst: Reg,
        a: Src,
        b: Option<Src>,
        cond: Cond,
        setf: bool,
    },
    Mov {
        dsts: [Option<Reg>; 2],
        src: Src,
        cond: Cond,
        setf: bool,
    },
    Ldi {
        dsts: [Option<Reg>; 2],
        value: LdiValue,
        cond: Cond,
        setf: bool,
    },
    /// `value`: number in bits 3:0, ignored bits from 5 up.
    Sema {
        dsts: [Option<Reg>; 2],
        down: bool,
        value: u32,
        cond: Cond,
        setf: bool,
    },
    /// `reg` is a file A register to add.
    Branch {
        rel: bool,
        cond: BranchCond,
        dsts: [Option<Reg>; 2],
        reg: Option<u8>,
        imm: i32,
    },
    Nop {
        unit: Unit,
        dst: Option<Reg>,
        setf: bool,
    },
    /// A read without an ALU operation.
    Read(Src),
    Signal(Signal),
    Fields(Vec<FieldSet>),
}

struct Dst(Reg);

impl fmt::Display for Dst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&names::write_name(self.0.place))?;
        self.0.slice.map_or(Ok(()), |slice| write!(f, ".{}", slice.suffix()))
    }
}

impl fmt::Display for Src {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reg = match self {
            Src::Imm(bits) => return f.write_str(&constant(*bits)),
            Src::Reg(reg) => reg,
        };
        f.write_str(&names::read_name(reg.place))?;
        if let Some(slice) = reg.slice {
            write!(f, ".{}", slice.suffix())?;
        }
        match reg.rotate {
            None => Ok(()),
            Some(Rotation::R5) => f.write_str(" >> r5"),
            Some(Rotation::By(n)) => write!(f, " >> {n}"),
        }
    }
}

/// A constant as the assembler reads it back: small integers in decimal, powers of two as floats, the rest in hex.
pub fn constant(bits: u32) -> String {
    let int = bits as i32;
    if (-1024..=65535).contains(&int) {
        return int.to_string();
    }
    let value = f32::from_bits(bits);
    if bits & 0x007f_ffff == 0 && (1e-4..1e7).contains(&value.abs()) {
        return format!("{value:?}");
    }
    format!("{bits:#010x}")
}

/// Whether a destination is the setup register of VPM and DMA, of either file.
fn is_setup(dst: &Reg) -> bool {
    matches!(dst.place, Place::File(_, 49))
}

/// The suffix of a condition on an operation.
pub fn cond_suffix(cond: Cond) -> &'static str {
    match cond {
        Cond::Always => "",
        Cond::Never => ".never",
        Cond::Zs => ".ifz",
        Cond::Zc => ".ifnz",
        Cond::Ns => ".ifn",
        Cond::Nc => ".ifnn",
        Cond::Cs => ".ifc",
        Cond::Cc => ".ifcc",
    }
}

/// `name.cond.setf dst, dst`
fn head(f: &mut fmt::Formatter<'_>, name: &str, cond: &str, setf: bool, dsts: &[Option<Reg>]) -> fmt::Result {
    write!(f, "{name}{cond}{}", if setf { ".setf" } else { "" })?;
    for (i, dst) in dsts.iter().flatten().enumerate() {
        write!(f, "{}{}", if i == 0 { " " } else { ", " }, Dst(*dst))?;
    }
    Ok(())
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Alu { op, dst, a, b, cond, setf } => {
                head(f, op.mnemonic(), cond_suffix(*cond), *setf, &[Some(*dst)])?;
                write!(f, ", {a}")?;
                b.map_or(Ok(()), |b| write!(f, ", {b}"))
            }
            Op::Mov { dsts, src, cond, setf } => {
                head(f, "mov", cond_suffix(*cond), *setf, dsts)?;
                write!(f, ", {src}")
            }
            Op::Ldi { dsts, value, cond, setf } => {
                head(f, "ldi", cond_suffix(*cond), *setf, dsts)?;
                match value {
                    LdiValue::All(bits) if dsts.iter().flatten().any(is_setup) => write!(f, ", {bits:#010x}"),
                    LdiValue::All(bits) => write!(f, ", {}", constant(*bits)),
                    LdiValue::PerLane(values) => {
                        let values: Vec<String> = values.iter().map(i8::to_string).collect();
                        write!(f, ", [{}]", values.join(","))
                    }
                }
            }
            Op::Sema { dsts, down, value, cond, setf } => {
                head(f, if *down { "sacq" } else { "srel" }, cond_suffix(*cond), *setf, dsts)?;
                write!(f, ", {}", constant(*value))
            }
            Op::Branch { rel, cond, dsts, reg, imm } => {
                let name = if *rel { "brr" } else { "bra" };
                let suffix = match cond {
                    BranchCond::Always => String::new(),
                    _ => format!(".{}", cond.name()),
                };
                head(f, name, &suffix, false, dsts)?;
                match (reg, dsts[1]) {
                    (Some(reg), _) => write!(f, ", ra{reg}, {imm}"),
                    (None, Some(_)) => write!(f, ", -, {imm}"),
                    (None, None) => write!(f, ", {imm}"),
                }
            }
            Op::Nop { unit, dst, setf } => {
                let name = match unit {
                    Unit::Any => "nop",
                    Unit::Add => "anop",
                    Unit::Mul => "mnop",
                };
                head(f, name, "", *setf, &[*dst])
            }
            Op::Read(src) => write!(f, "read {src}"),
            Op::Signal(signal) => f.write_str(signal.name()),
            Op::Fields(fields) => {
                f.write_str("fields ")?;
                for (i, field) in fields.iter().enumerate() {
                    write!(f, "{}{}={}", if i == 0 { "" } else { ", " }, field.name, field.value)?;
                }
                Ok(())
            }
        }
    }
}
