//! Element types, value types and constants.

use std::fmt;

/// Lanes of a subgroup: neighbouring items that run in step.
pub const LANES: u32 = 16;

/// What one element is. `Bool`, `I32` and `F32` exist on every target; `I64` and `F64` only where
/// [`Caps`](crate::caps::Caps) says so; `I8`, `I16` and `F16` exist in memory only: a load widens them to `I32` or `F32`,
/// a store narrows (integers wrap, floats round to nearest). Integers are signless: the operation carries the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Elem {
    Bool,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

impl Elem {
    /// Every element type with its name in the text form.
    pub const ALL: [(Elem, &'static str); 8] = [
        (Elem::Bool, "bool"),
        (Elem::I8, "i8"),
        (Elem::I16, "i16"),
        (Elem::I32, "i32"),
        (Elem::I64, "i64"),
        (Elem::F16, "f16"),
        (Elem::F32, "f32"),
        (Elem::F64, "f64"),
    ];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Whether this is an integer type (`Bool` is not).
    pub fn is_int(self) -> bool {
        matches!(self, Elem::I8 | Elem::I16 | Elem::I32 | Elem::I64)
    }

    /// Whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Elem::F16 | Elem::F32 | Elem::F64)
    }

    /// Bytes of one element in memory; a `Bool` takes four, as an integer 0 or 1.
    pub fn bytes(self) -> u32 {
        match self {
            Elem::I8 => 1,
            Elem::I16 | Elem::F16 => 2,
            Elem::Bool | Elem::I32 | Elem::F32 => 4,
            Elem::I64 | Elem::F64 => 8,
        }
    }

    /// The type a value has once loaded from memory of this element type.
    pub fn in_register(self) -> Elem {
        match self {
            Elem::I8 | Elem::I16 => Elem::I32,
            Elem::F16 => Elem::F32,
            other => other,
        }
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of a value: `i32`; at SIMD level also `<i32>`, one element per lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    pub elem: Elem,
    /// SIMD level only: one element per lane rather than one for all lanes.
    pub lanes: bool,
}

impl Type {
    pub const BOOL: Type = Type::scalar(Elem::Bool);
    pub const I32: Type = Type::scalar(Elem::I32);
    pub const F32: Type = Type::scalar(Elem::F32);

    /// One element.
    pub const fn scalar(elem: Elem) -> Type {
        Type { elem, lanes: false }
    }

    /// One element per lane (SIMD level).
    pub const fn vector(elem: Elem) -> Type {
        Type { elem, lanes: true }
    }

    /// The same shape with other elements.
    pub const fn with_elem(self, elem: Elem) -> Type {
        Type { elem, ..self }
    }

    /// The same elements, one per lane or one for all.
    pub const fn with_lanes(self, lanes: bool) -> Type {
        Type { lanes, ..self }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lanes { write!(f, "<{}>", self.elem) } else { write!(f, "{}", self.elem) }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A constant: the bits of one element, the same in every lane. `Bool` is 0 or 1, `I32` and `F32` use the low 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Const {
    pub elem: Elem,
    pub bits: u64,
}

impl Const {
    /// A truth value.
    pub fn bool(value: bool) -> Const {
        Const { elem: Elem::Bool, bits: value as u64 }
    }

    /// A 32-bit integer.
    pub fn i32(value: i32) -> Const {
        Const { elem: Elem::I32, bits: value as u32 as u64 }
    }

    /// A single-precision number, by its bits.
    pub fn f32(value: f32) -> Const {
        Const { elem: Elem::F32, bits: value.to_bits() as u64 }
    }

    /// A 64-bit integer.
    pub fn i64(value: i64) -> Const {
        Const { elem: Elem::I64, bits: value as u64 }
    }

    /// A double-precision number, by its bits.
    pub fn f64(value: f64) -> Const {
        Const { elem: Elem::F64, bits: value.to_bits() }
    }

    /// All bits zero: `false`, 0 or +0.0.
    pub fn zero(elem: Elem) -> Const {
        Const { elem, bits: 0 }
    }

    /// The value as an `i32`, if it is one.
    pub fn as_i32(self) -> Option<i32> {
        (self.elem == Elem::I32).then_some(self.bits as u32 as i32)
    }

    /// The value as an `f32`, if it is one.
    pub fn as_f32(self) -> Option<f32> {
        (self.elem == Elem::F32).then_some(f32::from_bits(self.bits as u32))
    }

    /// The value as a truth value, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        (self.elem == Elem::Bool).then_some(self.bits != 0)
    }
}

/// As the text form writes it: `true`, `-3`, `1.5`, `7:i64`, `1.5:f64`, and floats that decimal digits cannot give
/// (infinities, NaNs) as `bits(0x7f800000):f32`.
impl fmt::Display for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.elem {
            Elem::Bool => write!(f, "{}", self.bits != 0),
            Elem::I32 => write!(f, "{}", self.bits as u32 as i32),
            Elem::F32 => {
                let value = f32::from_bits(self.bits as u32);
                if value.is_finite() { write!(f, "{value:?}") } else { write!(f, "bits({:#x}):f32", self.bits) }
            }
            Elem::F64 => {
                let value = f64::from_bits(self.bits);
                if value.is_finite() { write!(f, "{value:?}:f64") } else { write!(f, "bits({:#x}):f64", self.bits) }
            }
            elem => write!(f, "{}:{elem}", self.bits as i64),
        }
    }
}

impl fmt::Debug for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
