//! Values of expressions.

use super::super::imm::Rotation;
use super::super::line::{Place, Reg, Slice, SliceKind};
use super::super::names::{self, Named};
use super::super::op::Cond;
use super::super::pack::{Pack, float_to_half};
use super::super::reg::File;

/// A register with everything an operand can carry.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RegValue {
    pub named: Named,
    pub slice: Option<Slice>,
    /// As a source: how far the result is rotated upward.
    pub rotate: Option<Rotation>,
    pub cond: Option<Cond>,
    pub setf: bool,
}

/// The value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Int(i64),
    Float(f64),
    /// One 2-bit value per lane.
    PerLane([i8; 16]),
    Reg(RegValue),
    /// Semaphore: whether it is decremented, and its number.
    Sema(bool, i64),
    /// Byte offset from the start of the program; `relative`: written `r:name`.
    Label {
        address: i64,
        relative: bool,
    },
}

impl RegValue {
    pub fn find(name: &str) -> Option<RegValue> {
        let named = names::find(name)?;
        Some(RegValue { named, slice: None, rotate: None, cond: None, setf: false })
    }

    /// `-`
    pub fn none() -> RegValue {
        RegValue::find("-").expect("`-` is in the tables")
    }

    pub fn as_source(self) -> Option<Reg> {
        Some(Reg { place: self.named.read?, slice: self.slice, rotate: self.rotate })
    }

    pub fn as_destination(self) -> Option<Reg> {
        Some(Reg { place: self.named.write?, slice: self.slice, rotate: None })
    }

    /// The register `by` numbers further; `None` at the end of its kind.
    pub fn offset(self, by: i64) -> Option<RegValue> {
        let place = self.named.read.or(self.named.write)?;
        let shift =
            |n: u8, most: i64| u8::try_from(i64::from(n).checked_add(by)?).ok().filter(|n| i64::from(*n) <= most);
        let name = match place {
            Place::Acc(n) => format!("r{}", shift(n, 5)?),
            Place::File(File::A, n) => format!("ra{}", shift(n, if n < 32 { 31 } else { 63 })?),
            Place::File(File::B, n) => format!("rb{}", shift(n, if n < 32 { 31 } else { 63 })?),
            Place::Io(n) => {
                let n = shift(n, 63).filter(|n| *n >= 32)?;
                names::read_name(Place::Io(n))
            }
        };
        let write_io = |n: u8| Named { read: None, write: Some(Place::Io(n)) };
        let named = match (self.named.read, self.named.write) {
            (None, Some(Place::Io(n))) => write_io(shift(n, 63).filter(|n| *n >= 32)?),
            _ => names::find(&name)?,
        };
        Some(RegValue { named, ..self })
    }
}

impl Value {
    /// What kind of value this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Int(_) => "an integer",
            Value::Float(_) => "a float",
            Value::PerLane(_) => "a list of values per lane",
            Value::Reg(_) => "a register",
            Value::Sema(..) => "a semaphore",
            Value::Label { .. } => "a label",
        }
    }

    /// The 32 bits of a constant; `None` if the value is no constant or has more than 32 bits.
    pub fn bits(&self) -> Option<u32> {
        match self {
            Value::Int(value) if (-0x8000_0000..=0xffff_ffff).contains(value) => Some(*value as u32),
            Value::Float(value) => Some((*value as f32).to_bits()),
            _ => None,
        }
    }

    /// Whether a condition holds; `None` if the value is no number.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Value::Int(value) => Some(*value != 0),
            Value::Float(value) => Some(*value != 0.0),
            _ => None,
        }
    }
}

/// A float that `mov` packs into parts of registers of file A, as the integer that belongs there: load immediate knows no
/// floats, and would pack the float's own bits. Halves take every float, bytes only where the suffix says that a colour is
/// meant (`8af`). The destinations then take the integer as it is.
pub(super) fn packed_constant(value: Value, dsts: &mut [Option<Reg>; 2]) -> Value {
    let Value::Float(float) = value else { return value };
    let fold = |dst: &Reg| -> Option<(u32, Slice)> {
        let (Place::File(File::A, 0..32), Some(slice)) = (dst.place, dst.slice) else { return None };
        let (bits, pack) = match slice.pack? {
            _ if slice.kind == SliceKind::Int => return None,
            Pack::H16a | Pack::H16as => (float_to_half((float as f32).to_bits()), Pack::H16a),
            Pack::H16b | Pack::H16bs => (float_to_half((float as f32).to_bits()), Pack::H16b),
            Pack::None | Pack::S32s => return None,
            pack if slice.kind == SliceKind::Float => ((float.clamp(0.0, 1.0) * 255.0).round() as u32, pack),
            _ => return None,
        };
        Some((bits, Slice { pack: Some(pack), kind: SliceKind::Int, ..slice }))
    };
    let folded: Vec<(u32, Slice)> = dsts.iter().flatten().filter_map(fold).collect();
    let Some((bits, _)) = folded.first().copied() else { return value };
    if folded.len() != dsts.iter().flatten().count() || folded.iter().any(|(other, _)| *other != bits) {
        return value;
    }
    for (dst, (_, slice)) in dsts.iter_mut().flatten().zip(folded) {
        dst.slice = Some(slice);
    }
    Value::Int(i64::from(bits))
}
