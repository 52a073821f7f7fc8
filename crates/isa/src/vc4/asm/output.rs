//! The words assembled so far.

use super::super::decode::decode;
use super::super::encode::encode;
use super::super::inst::Inst;
use super::super::line::Op;
use super::{Assembler, Assembly};
use quadra_base::Span;

/// The output has at most this many bytes.
pub(super) const MOST_BYTES: usize = 4 << 20;

/// An instruction or eight bytes of data.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub content: Content,
    pub span: Span,
    /// For a relative branch to a label: the label's address.
    pub target: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    Inst(Inst),
    Data(u64),
}

/// Words in order, and what the next line may still join.
#[derive(Default, Debug)]
pub(super) struct Output {
    pub words: Vec<Word>,
    /// Bytes used of the last word, if it is data that is not full yet.
    filled: usize,
    /// The operations of the last instruction, if its line ended with `;`.
    pub open: Option<Vec<Op>>,
}

impl Output {
    pub fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// The byte address of what comes next.
    pub fn address(&self) -> i64 {
        let unused = if self.filled == 0 { 0 } else { 8 - self.filled };
        (self.bytes() - unused) as i64
    }

    /// The address of the next instruction: whole words.
    pub fn inst_address(&self) -> i64 {
        self.bytes() as i64
    }

    /// Keeps the next line from joining the last instruction.
    pub fn seal(&mut self) {
        self.open = None;
    }

    pub fn inst(&mut self, inst: Inst, span: Span, target: Option<i64>) {
        self.filled = 0;
        self.open = None;
        self.words.push(Word { content: Content::Inst(inst), span, target });
    }

    pub fn byte(&mut self, byte: u8, span: Span) {
        self.open = None;
        if self.filled == 0 {
            self.words.push(Word { content: Content::Data(0), span, target: None });
        }
        if let Some(Word { content: Content::Data(word), .. }) = self.words.last_mut() {
            *word |= u64::from(byte) << (8 * self.filled);
        }
        self.filled = (self.filled + 1) % 8;
    }

    /// Appends a copy of a word.
    pub fn copy(&mut self, word: Word) {
        self.filled = 0;
        self.open = None;
        self.words.push(word);
    }

    /// Takes the last `count` words off, for insertion before them.
    pub fn take_last(&mut self, count: usize) -> Vec<Word> {
        self.filled = 0;
        self.open = None;
        self.words.split_off(self.words.len().saturating_sub(count))
    }

    pub fn append(&mut self, mut words: Vec<Word>) {
        self.filled = 0;
        self.open = None;
        self.words.append(&mut words);
    }
}

impl Assembler<'_> {
    /// The assembly of a pass without errors.
    pub(super) fn finish(self, name: &str) -> Assembly {
        let mut assembly = Assembly {
            name: name.to_string(),
            words: Vec::new(),
            insts: Vec::new(),
            spans: Vec::new(),
            labels: self.labels.list(),
            globals: self.globals,
        };
        for (index, word) in self.out.words.into_iter().enumerate() {
            let inst = match (word.content, word.target) {
                (Content::Inst(Inst::Branch(mut branch)), Some(target)) => {
                    branch.imm = (target - index as i64 * 8 - 32) as i32;
                    Some(Inst::Branch(branch))
                }
                (Content::Inst(inst), _) => Some(inst),
                (Content::Data(_), _) => None,
            };
            let bits = match (inst, word.content) {
                (Some(inst), _) => encode(&inst),
                (None, Content::Data(bits)) => bits,
                (None, Content::Inst(_)) => 0,
            };
            debug_assert!(inst.is_none() || decode(bits).is_ok(), "only valid instructions are put out");
            assembly.words.push(bits);
            assembly.insts.push(inst);
            assembly.spans.push(Some(word.span));
        }
        assembly
    }
}
