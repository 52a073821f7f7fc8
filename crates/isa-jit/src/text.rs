//! Text of LLVM IR under construction: registers of 16 lanes, memory at byte offsets, and a pool of constants.

use std::ops::{Deref, DerefMut};

/// The type of a register: 16 lanes.
pub const V: &str = "<16 x i32>";

/// A function's text and its constants.
#[derive(Clone, Debug, Default)]
pub struct Text {
    text: quadra_llvm::Text,
    /// Constants that LLVM must not know.
    pub constants: Vec<[u32; 16]>,
}

impl Deref for Text {
    type Target = quadra_llvm::Text;

    fn deref(&self) -> &Self::Target {
        &self.text
    }
}

impl DerefMut for Text {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.text
    }
}

impl Text {
    /// The place of a constant in the pool.
    pub fn pool(&mut self, lanes: [u32; 16]) -> usize {
        self.constants.iter().position(|c| *c == lanes).unwrap_or_else(|| {
            self.constants.push(lanes);
            self.constants.len() - 1
        })
    }

    /// Loads a value from a byte offset behind a pointer.
    pub fn load(&mut self, kind: &str, base: &str, offset: usize) -> String {
        let at = self.at(base, offset);
        self.def(&format!("load {kind}, ptr {at}, align {}", align(kind)))
    }

    /// Stores a value at a byte offset behind a pointer.
    pub fn store(&mut self, kind: &str, value: &str, base: &str, offset: usize) {
        let at = self.at(base, offset);
        self.line(&format!("store {kind} {value}, ptr {at}, align {}", align(kind)));
    }

    /// A pointer to a byte offset.
    pub fn at(&mut self, base: &str, offset: usize) -> String {
        if offset == 0 { base.to_string() } else { self.def(&format!("getelementptr i8, ptr {base}, i64 {offset}")) }
    }
}

fn align(kind: &str) -> usize {
    match kind {
        V => 64,
        "i64" | "ptr" => 8,
        "i32" => 4,
        "i16" => 2,
        _ => 1,
    }
}

/// The same word in all lanes.
pub fn splat(value: u32) -> String {
    vector(&[value; 16])
}

/// A constant.
pub fn vector(lanes: &[u32; 16]) -> String {
    if lanes.iter().all(|l| *l == 0) {
        return "zeroinitializer".into();
    }
    let lanes: Vec<String> = lanes.iter().map(|l| format!("i32 {}", *l as i32)).collect();
    format!("<{}>", lanes.join(", "))
}
