//! Rotations of products: the mul ALU rotates what it multiplies.
//!
//! ```text
//! fmul t, x, y
//! mov a, t            ⟶    fmul d, x, y >> 3
//! mov d, a >> 3
//! ```
//! Both factors then have to lie in accumulators, as everything that is rotated across quads. A factor that is computed
//! shortly before and not needed afterwards moves there; one other factor may be copied, in place of the copy of the product.
//! Part of a word is copied always, since only file A unpacks.

use super::Counts;
use crate::machine::isa::Instruction;
use crate::machine::registers::Bank;
use crate::vc4::minst::{Code, MInst, Oper, Reg, Rotate, Src};

/// Instructions from the computation of a factor to the rotation: there are four accumulators.
const NEAR: usize = 8;

/// Rewrites every block.
pub fn run(code: &mut Code) {
    let mut counts = Counts::of(code);
    for b in 0..code.blocks.len() {
        let mut k = 0;
        while k < code.blocks[b].insts.len() {
            if let Some(product) = find(code, b, k, &counts) {
                // What stood between moves up by what is left out.
                k -= usize::from(product.copied.is_none()) + 1;
                apply(code, b, product);
                counts = Counts::of(code);
            }
            k += 1;
        }
    }
}

/// A rotated product: where it is multiplied, copied and rotated.
struct Product {
    multiplied: usize,
    copy: usize,
    rotated: usize,
    /// Factors that move to accumulators.
    moved: Vec<u32>,
    /// The factor that is copied to one.
    copied: Option<Src>,
}

fn is_plain(inst: &MInst) -> bool {
    !inst.keeps_destination() && !inst.sf && !inst.glued && inst.rotate == Rotate::None
}

/// The product that instruction `k` rotates.
fn find(code: &Code, b: usize, k: usize, counts: &Counts) -> Option<Product> {
    let insts = &code.blocks[b].insts;
    let rotation = &insts[k];
    if rotation.rotate == Rotate::None || rotation.op != Oper::Mov || rotation.sf || rotation.glued {
        return None;
    }
    let source = |i: usize| insts[i].src[0].and_then(Src::reg).and_then(Reg::virt).filter(|&v| counts.is_temporary(v));
    let made = |v: u32, before: usize| insts[..before].iter().rposition(|i| i.def() == Some(Reg::Virt(v)));
    let copy = made(source(k)?, k).filter(|&i| insts[i].op == Oper::Mov && is_plain(&insts[i]))?;
    let multiplied = made(source(copy)?, copy)?;
    let product = &insts[multiplied];
    if !matches!(product.op, Oper::Mul(_)) || !is_plain(product) || k - multiplied > NEAR {
        return None;
    }
    let mut found = Product { multiplied, copy, rotated: k, moved: Vec::new(), copied: None };
    for factor in product.src.into_iter().flatten() {
        let whole = if let Src::Reg(r) = factor { r.virt() } else { None };
        match whole.filter(|&v| may_move(code, b, v, k, counts)) {
            Some(v) => found.moved.push(v),
            None if found.copied.is_none() || found.copied == Some(factor) => found.copied = Some(factor),
            None => return None,
        }
    }
    Some(found)
}

/// Whether a factor may lie in an accumulator until instruction `k`, which is the last one to read it.
fn may_move(code: &Code, b: usize, v: u32, k: usize, counts: &Counts) -> bool {
    let insts = &code.blocks[b].insts;
    let start = k.saturating_sub(NEAR);
    let Some(at) = (start..k).find(|&i| insts[i].def() == Some(Reg::Virt(v))) else { return false };
    let mut here = 0;
    for inst in &insts[at + 1..=k] {
        code.for_each_use(inst, |r| here += u32::from(r == Reg::Virt(v)));
    }
    counts.defs[v as usize] == 1 && here == counts.uses[v as usize]
}

fn apply(code: &mut Code, b: usize, product: Product) {
    for &v in &product.moved {
        code.virt[v as usize].bank = Some(Bank::Quick);
    }
    let Product { multiplied, copy, rotated, copied, .. } = product;
    let through = copied.map(|source| {
        let r = code.fresh();
        code.virt.last_mut().expect("just added").bank = Some(Bank::Quick);
        (source, r)
    });
    let insts = &mut code.blocks[b].insts;
    let MInst { op, src, span, .. } = insts[multiplied];
    let factor = |s: Src| match through {
        Some((source, r)) if s == source => r.into(),
        _ => s,
    };
    insts[rotated].op = op;
    insts[rotated].src = src.map(|s| s.map(factor));
    insts.remove(copy);
    match through {
        Some((source, r)) => insts[multiplied] = MInst { span, ..MInst::mov(r, source) },
        None => {
            insts.remove(multiplied);
        }
    }
}
