//! A program: instructions with the places they come from.

use super::decode::{DecodeError, decode};
use super::encode::encode;
use super::inst::Inst;
use quadra_base::Span;

/// Instructions in order, and what a listing or a diagnostic wants to know about each. An instruction's address is eight
/// times its index plus the address the program is loaded at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Name for listings and messages.
    pub name: String,
    pub insts: Vec<Inst>,
    /// The source place of each instruction; as long as `insts`.
    pub spans: Vec<Option<Span>>,
    /// Labels for listings: index of the instruction they stand before, and name. The index may equal the number of
    /// instructions.
    pub labels: Vec<(usize, String)>,
    /// Comments for listings: index of the instruction, and text. Several may belong to one instruction.
    pub comments: Vec<(usize, String)>,
    /// What the emulator is to look at while the program runs; hardware knows nothing of it.
    pub probes: Vec<Probe>,
}

/// A place in a program where the emulator reports registers (a print statement of the source), or checks them (an
/// assertion). The instruction there must be a no-operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Index of the instruction.
    pub at: usize,
    /// Whether the program stops unless the first operand is non-zero in all live lanes.
    pub assert: bool,
    /// What to print, in the form that the program's author and the device agree on; the message of an assertion.
    pub text: String,
    pub operands: Vec<Operand>,
    /// The live lanes: those in which this register is not 0; all without it.
    pub mask: Option<Place>,
}

/// A register that a probe looks at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand {
    pub place: Place,
    pub kind: OperandKind,
}

/// Where an operand of a probe lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    A(u8),
    B(u8),
    /// r0 to r5.
    Accumulator(u8),
}

/// How an operand of a probe is to be shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OperandKind {
    /// True if not 0.
    Bool,
    Int,
    Float,
}

impl Program {
    /// A program without instructions.
    pub fn new(name: impl Into<String>) -> Program {
        Program { name: name.into(), ..Program::default() }
    }

    /// Appends an instruction that comes from `span`, and returns its index.
    pub fn push(&mut self, inst: impl Into<Inst>, span: Option<Span>) -> usize {
        self.insts.push(inst.into());
        self.spans.push(span);
        self.insts.len() - 1
    }

    /// Puts a label before the next instruction.
    pub fn label(&mut self, name: impl Into<String>) {
        self.labels.push((self.insts.len(), name.into()));
    }

    /// Attaches a comment to the next instruction.
    pub fn comment(&mut self, text: impl Into<String>) {
        self.comments.push((self.insts.len(), text.into()));
    }

    /// The place of an instruction, if it is known.
    pub fn span(&self, index: usize) -> Option<Span> {
        self.spans.get(index).copied().flatten()
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.insts.len()
    }

    /// Whether there are no instructions.
    pub fn is_empty(&self) -> bool {
        self.insts.is_empty()
    }

    /// The instruction words.
    pub fn words(&self) -> Vec<u64> {
        self.insts.iter().map(encode).collect()
    }

    /// The words as bytes, little endian, as they lie in memory.
    pub fn bytes(&self) -> Vec<u8> {
        self.insts.iter().flat_map(|i| encode(i).to_le_bytes()).collect()
    }

    /// The program of these words.
    ///
    /// # Errors
    /// Index and reserved code of the first word that is not an instruction.
    pub fn from_words(name: impl Into<String>, words: &[u64]) -> Result<Program, (usize, DecodeError)> {
        let mut program = Program::new(name);
        for (index, word) in words.iter().enumerate() {
            program.push(decode(*word).map_err(|e| (index, e))?, None);
        }
        Ok(program)
    }
}

impl Extend<Inst> for Program {
    fn extend<I: IntoIterator<Item = Inst>>(&mut self, insts: I) {
        for inst in insts {
            self.push(inst, None);
        }
    }
}
