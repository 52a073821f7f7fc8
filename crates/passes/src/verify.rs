//! What must hold between passes: values are defined once and before their uses, and have the types that their
//! operations give them.

use quadra_kir::check::typing;
use quadra_kir::{Block, Def, Inst, Kernel, Op, Value};

/// Everything that is wrong with `kernel`, in words.
pub fn problems(kernel: &Kernel) -> Vec<String> {
    let mut v = Verify {
        kernel,
        visible: vec![false; kernel.values.len()],
        seen: vec![false; kernel.values.len()],
        out: Vec::new(),
    };
    v.block(&kernel.body);
    if kernel.body.terminator().is_none() {
        v.out.push("the body has no terminator".into());
    }
    v.out
}

struct Verify<'k> {
    kernel: &'k Kernel,
    visible: Vec<bool>,
    seen: Vec<bool>,
    out: Vec<String>,
}

impl Verify<'_> {
    fn define(&mut self, v: Value) {
        if self.seen[v.index()] {
            self.out.push(format!("{v:?} is defined twice"));
        }
        self.seen[v.index()] = true;
        self.visible[v.index()] = true;
    }

    fn block(&mut self, block: &Block) {
        let mut defined: Vec<Value> = block.params.clone();
        block.params.iter().for_each(|&p| self.define(p));
        for (i, inst) in block.insts.iter().enumerate() {
            self.inst(inst);
            if inst.op.is_terminator() != (i + 1 == block.insts.len()) {
                self.out.push(format!("a block's end and its terminator differ at `{}`", inst.op.mnemonic()));
            }
            inst.results.iter().for_each(|&r| self.define(r));
            defined.extend(&inst.results);
        }
        for v in defined {
            self.visible[v.index()] = false;
        }
    }

    fn inst(&mut self, inst: &Inst) {
        for v in inst.uses() {
            if matches!(self.kernel.values[v].def, Def::Local) && !self.visible[v.index()] {
                self.out.push(format!("`{}` uses {v:?} where it is not defined", inst.op.mnemonic()));
            }
        }
        for region in &inst.regions {
            self.block(region);
        }
        if matches!(inst.op, Op::If | Op::For | Op::Loop | Op::Each) {
            return;
        }
        match typing::result_types(self.kernel, inst) {
            Err(text) => self.out.push(text),
            Ok(types) => {
                let got: Vec<_> = inst.results.iter().map(|&r| self.kernel.ty(r)).collect();
                if got != types {
                    self.out.push(format!("`{}` gives {types:?}, its results are {got:?}", inst.op.mnemonic()));
                }
            }
        }
    }
}
