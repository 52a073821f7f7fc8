//! Text of LLVM IR under construction: vectors of 16 lanes, types and constants of kernel IR.

use crate::common::brief;
use quadra_kir::{Const, Elem, Type};
use std::ops::{Deref, DerefMut};

/// A function's text, with vectors of 16 lanes.
#[derive(Clone, Debug, Default)]
pub struct Text(quadra_llvm::Text);

/// The masks' type, and that of 16 indices.
pub const MASK: &str = "<16 x i1>";
pub const LANES: &str = "<16 x i32>";

impl Deref for Text {
    type Target = quadra_llvm::Text;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Text {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Text {
    /// The same scalar in all lanes.
    pub fn splat(&mut self, elem: &str, value: &str) -> String {
        let ty = format!("<16 x {elem}>");
        let one = self.def(&format!("insertelement {ty} zeroinitializer, {elem} {value}, i32 0"));
        self.def(&format!("shufflevector {ty} {one}, {ty} zeroinitializer, {LANES} zeroinitializer"))
    }

    /// Whether any lane of a mask is set.
    pub fn any(&mut self, mask: &str) -> String {
        let word = self.def(&format!("bitcast {MASK} {mask} to i16"));
        self.def(&format!("icmp ne i16 {word}, 0"))
    }
}

/// LLVM's name of an element in a register.
pub fn elem(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool => "i1",
        Elem::I8 => "i8",
        Elem::I16 | Elem::F16 => "i16",
        Elem::I32 => "i32",
        Elem::I64 => "i64",
        Elem::F32 => "float",
        Elem::F64 => "double",
    }
}

/// LLVM's name of a value's type.
pub fn ty(t: Type) -> String {
    if t.lanes { format!("<16 x {}>", elem(t.elem)) } else { elem(t.elem).to_string() }
}

/// A constant of a scalar type.
pub fn constant(c: Const) -> String {
    match c.elem {
        Elem::Bool => (c.bits != 0).to_string(),
        // LLVM reads a number faster than an expression, which only NaNs need: of them, all bits count.
        Elem::F32 if !f32::from_bits(c.bits as u32).is_nan() => {
            format!("0x{:016X}", f64::from(f32::from_bits(c.bits as u32)).to_bits())
        }
        Elem::F32 => format!("bitcast (i32 {} to float)", c.bits as u32 as i32),
        Elem::F64 => format!("bitcast (i64 {} to double)", c.bits as i64),
        Elem::I64 => (c.bits as i64).to_string(),
        _ => (c.bits as u32 as i32).to_string(),
    }
}

/// A whole number as a constant of an element type.
pub fn constant_of(t: Elem, value: i64) -> String {
    number(Type::scalar(t), value)
}

/// The same constant in all lanes, or one.
pub fn number(t: Type, value: i64) -> String {
    let one = match t.elem {
        Elem::F32 => format!("0x{:016X}", (value as f64).to_bits()),
        Elem::F64 => format!("0x{:016X}", (value as f64).to_bits()),
        _ => value.to_string(),
    };
    lanes_of(t, &one)
}

/// A scalar constant repeated in all lanes if the type has lanes.
pub fn lanes_of(t: Type, one: &str) -> String {
    if !t.lanes {
        return one.to_string();
    }
    brief::splat(&format!("{} {one}", elem(t.elem)))
}
