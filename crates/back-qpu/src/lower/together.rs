//! Rows that one transfer loads: neighbours in memory that a block loads one after the other, past the caches.
//!
//! A transfer costs 60 clocks and each row of 16 words 19.4 of the one engine that all QPUs share (fitted to published
//! measurements), so that four rows at once take less than half of the time of four. The later rows are loaded where the
//! first one is, which nothing in between may notice.

use kir::{Block, Buf, Effect, Inst, Kernel, Op, Value};
use quadra_kir as kir;
use quadra_passes::analysis::linear::{Form, Forms};
use std::collections::{HashMap, HashSet};

/// Words of a row.
const ROW: i32 = 16;
/// More rows at once would keep more registers at once if their values are spilled.
pub(super) const MOST: u32 = 4;

/// Rows that are loaded with others.
#[derive(Default)]
pub(super) struct Together {
    /// By the result of the first load: those of the others, in order.
    pub groups: HashMap<Value, Vec<Value>>,
    /// The results of the others.
    pub others: HashSet<Value>,
}

impl Together {
    /// Finds groups of at most `most` rows of buffers that are loaded through DMA.
    pub fn of(kernel: &Kernel, through_dma: &[bool], most: u32) -> Together {
        let mut together = Together::default();
        if most > 1 && through_dma.iter().any(|d| *d) {
            let forms = Forms::of(kernel);
            together.block(kernel, &kernel.body, &Rules { forms, through_dma, most: most as usize });
        }
        together
    }

    /// The rows of the largest group.
    pub fn rows(&self) -> u32 {
        1 + self.groups.values().map(|g| g.len() as u32).max().unwrap_or(0)
    }

    fn block(&mut self, kernel: &Kernel, block: &Block, rules: &Rules<'_>) {
        let mut open: HashMap<Buf, (Value, Form)> = HashMap::new();
        for inst in &block.insts {
            inst.regions.iter().for_each(|r| self.block(kernel, r, rules));
            let Some(buf) = rules.row(inst) else {
                if !harmless(inst) {
                    open.clear();
                }
                continue;
            };
            let form = rules.forms.at(kernel, inst.args[0]);
            let follows = open.get(&buf).filter(|(first, last)| {
                let others = self.groups.get(first).map_or(0, Vec::len);
                form.minus(last).as_constant() == Some(ROW) && others + 2 <= rules.most
            });
            let first = follows.map_or(inst.result(), |(first, _)| *first);
            if first != inst.result() {
                self.groups.entry(first).or_default().push(inst.result());
                self.others.insert(inst.result());
            }
            open.insert(buf, (first, form));
        }
    }
}

struct Rules<'k> {
    forms: Forms,
    through_dma: &'k [bool],
    most: usize,
}

impl Rules<'_> {
    /// The buffer of a load of a whole row by DMA.
    fn row(&self, inst: &Inst) -> Option<Buf> {
        let buf = inst.buf.filter(|b| self.through_dma[b.index()])?;
        (inst.op == Op::LoadRow && inst.mask.is_none()).then_some(buf)
    }
}

/// Whether a load may be made before this instruction instead of behind it.
fn harmless(inst: &Inst) -> bool {
    let reads = matches!(inst.op.info().effect, Effect::Read) || matches!(inst.op, Op::TmuReceive | Op::Comment);
    inst.regions.is_empty() && (inst.op.is_pure() || reads)
}
