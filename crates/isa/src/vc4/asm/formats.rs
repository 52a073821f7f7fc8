//! What an assembly is written out as.

use super::Assembly;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The JSON form of an assembly.
#[derive(Serialize)]
struct Image<'a> {
    format: &'static str,
    name: &'a str,
    /// Sixteen hexadecimal digits each.
    words: Vec<String>,
    /// For each word whether it is an instruction.
    code: Vec<bool>,
    labels: BTreeMap<&'a str, u64>,
    globals: &'a BTreeMap<String, i64>,
}

impl Assembly {
    /// The words as they lie in memory: little endian.
    pub fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// An array definition for C: 32-bit halves, low half first.
    ///
    /// ```
    /// use quadra_isa::vc4::asm;
    /// let (assembly, _) = asm::assemble("n.qasm", "nop", &asm::Options::default());
    /// let c = assembly.expect("assembles").to_c("n");
    /// assert_eq!(c, "#include <stdint.h>\n\nconst uint32_t n[2] = {\n    0x009e7000, 0x100009e7, // 0000: nop\n};\n");
    /// ```
    pub fn to_c(&self, name: &str) -> String {
        let mut text =
            format!("#include <stdint.h>\n\nconst uint32_t {}[{}] = {{\n", identifier(name), 2 * self.words.len());
        for (index, word) in self.words.iter().enumerate() {
            let (low, high) = (*word as u32, word >> 32);
            let _ = writeln!(text, "    {low:#010x}, {high:#010x}, // {:04x}: {}", index * 8, self.comment(index));
        }
        text.push_str("};\n");
        text
    }

    /// A constant definition for Rust: 64-bit words.
    pub fn to_rust(&self, name: &str) -> String {
        let mut text = format!("pub const {}: [u64; {}] = [\n", identifier(name).to_uppercase(), self.words.len());
        for (index, word) in self.words.iter().enumerate() {
            let _ = writeln!(text, "    {word:#018x}, // {:04x}: {}", index * 8, self.comment(index));
        }
        text.push_str("];\n");
        text
    }

    /// A JSON object: `format`, `name`, `words` (hexadecimal), `code` (which words are instructions), `labels` and
    /// `globals` (byte addresses).
    pub fn to_json(&self) -> String {
        let image = Image {
            format: "quadra-isa-1",
            name: &self.name,
            words: self.words.iter().map(|word| format!("{word:016x}")).collect(),
            code: self.insts.iter().map(Option::is_some).collect(),
            labels: self.labels.iter().map(|(name, address)| (name.as_str(), *address)).collect(),
            globals: &self.globals,
        };
        serde_json::to_string_pretty(&image).expect("strings and numbers always serialize")
    }

    /// One word per line in hexadecimal.
    pub fn to_hex(&self) -> String {
        self.words.iter().map(|word| format!("{word:016x}\n")).collect()
    }

    fn comment(&self, index: usize) -> String {
        match &self.insts[index] {
            Some(inst) => super::super::disasm::inst(inst),
            None => "data".to_string(),
        }
    }
}

/// A name that C and Rust accept.
fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { plain } else { format!("_{plain}") }
}
