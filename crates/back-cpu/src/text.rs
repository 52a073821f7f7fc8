//! Text of LLVM IR under construction: lines, fresh names, types and constants.

use quadra_kir::{Const, Elem, Type};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lines of a function, fresh names, and what must be declared.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub lines: String,
    /// Slots of the frame: all stand in the entry block, so that loops do not grow the stack.
    pub slots: String,
    pub declarations: BTreeSet<String>,
    names: usize,
}

/// The masks' type, and that of 16 indices.
pub const MASK: &str = "<16 x i1>";
pub const LANES: &str = "<16 x i32>";

impl Text {
    /// Adds an instruction that gives a value; its name.
    pub fn def(&mut self, instruction: &str) -> String {
        self.names += 1;
        let name = format!("%t{}", self.names);
        writeln!(self.lines, "  {name} = {instruction}").expect("a string takes all");
        name
    }

    /// Adds an instruction without a value.
    pub fn line(&mut self, instruction: &str) {
        writeln!(self.lines, "  {instruction}").expect("a string takes all");
    }

    /// A label that is not in use.
    pub fn fresh_label(&mut self) -> String {
        self.names += 1;
        format!("l{}", self.names)
    }

    /// Begins a basic block.
    pub fn label(&mut self, label: &str) {
        writeln!(self.lines, "{label}:").expect("a string takes all");
    }

    /// Ends a basic block and begins the next one.
    pub fn branch(&mut self, to: &str) {
        self.line(&format!("br label %{to}"));
    }

    /// Ends a basic block by a condition.
    pub fn branch_if(&mut self, condition: &str, yes: &str, no: &str) {
        self.line(&format!("br i1 {condition}, label %{yes}, label %{no}"));
    }

    /// A slot of the frame.
    pub fn slot(&mut self, ty: &str) -> String {
        self.names += 1;
        let name = format!("%s{}", self.names);
        writeln!(self.slots, "  {name} = alloca {ty}").expect("a string takes all");
        name
    }

    /// Calls an intrinsic function, which is declared by the types of its arguments.
    pub fn call(&mut self, result: &str, name: &str, args: &[(&str, &str)]) -> String {
        let types: Vec<&str> = args.iter().map(|a| a.0).collect();
        self.declarations.insert(format!("declare {result} @{name}({})", types.join(", ")));
        let args: Vec<String> = args.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
        let call = format!("call {result} @{name}({})", args.join(", "));
        if result == "void" {
            self.line(&call);
            return String::new();
        }
        self.def(&call)
    }

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
    format!("<{}>", vec![format!("{} {one}", elem(t.elem)); 16].join(", "))
}
