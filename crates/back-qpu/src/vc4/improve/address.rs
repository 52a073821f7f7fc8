//! Addresses in loops: what does not change from iteration to iteration is added up before the loop.
//!
//! ```text
//! add a, base, i         shl j, i, 2
//! shl b, a, 2       ⟶    add t0s, sum, j        where sum = buffer + (base << 2), computed before the loop
//! add t0s, buffer, b
//! ```
//! Integer additions and shifts left are exact modulo 2³², so that the order of the sum does not matter.

use crate::machine::isa::Instruction;
use crate::vc4::minst::{BlockId, Code, MInst, Oper, Reg, Rotate, Src, constant, shift_count};
use quadra_base::quick::Map;
use quadra_isa::vc4::{AddOp, Cond, SmallImm};

/// Terms that a sum may have.
const MOST_TERMS: usize = 6;

/// `constant`, plus invariant registers shifted left, plus one register that changes shifted left.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Sum {
    constant: u32,
    /// Sorted.
    fixed: Vec<(Reg, u32)>,
    /// Register, how often it had been written in the iteration, shift.
    variable: Option<(Reg, u32, u32)>,
}

impl Sum {
    fn shifted(mut self, by: u32) -> Sum {
        self.constant = self.constant.checked_shl(by).unwrap_or(0);
        self.fixed.iter_mut().for_each(|t| t.1 += by);
        if let Some(v) = &mut self.variable {
            v.2 += by;
        }
        self
    }

    fn plus(mut self, other: Sum) -> Option<Sum> {
        self.constant = self.constant.wrapping_add(other.constant);
        self.fixed.extend(other.fixed);
        self.fixed.sort_unstable();
        self.variable = match (self.variable, other.variable) {
            (Some(_), Some(_)) => return None,
            (a, b) => a.or(b),
        };
        (self.fixed.len() <= MOST_TERMS).then_some(self)
    }
}

struct Loop<'a> {
    code: &'a Code,
    b: BlockId,
    /// Per register, writes in the body.
    writes: Map<Reg, u32>,
    /// Writes so far.
    seen: Map<Reg, u32>,
    /// What registers written in the body hold, and from how many operations.
    sums: Map<Reg, (Sum, u32)>,
}

/// Rewrites the loop that is block `b` alone; block `before` runs before it, and only before it.
pub fn run(code: &mut Code, b: BlockId, before: BlockId) {
    let mut l = Loop { code, b, writes: Map::default(), seen: Map::default(), sums: Map::default() };
    for inst in &l.code.blocks[b].insts {
        if let Some(d) = inst.def() {
            *l.writes.entry(d).or_default() += 1;
        }
    }
    let found = l.find();
    if found.is_empty() {
        return;
    }
    rewrite(code, b, before, found);
}

impl Loop<'_> {
    /// The instructions to replace, each with its sum.
    fn find(&mut self) -> Vec<(usize, Sum)> {
        let mut found = Vec::new();
        let insts = &self.code.blocks[self.b].insts;
        for (i, inst) in insts.iter().enumerate() {
            let plain = inst.cond == Cond::Always && !inst.sf && inst.rotate == Rotate::None;
            let sum = if plain { self.sum(inst) } else { None };
            if let Some(d) = inst.def() {
                *self.seen.entry(d).or_default() += 1;
                self.sums.remove(&d);
            }
            let Some((sum, length)) = sum else { continue };
            let something = !sum.fixed.is_empty() || sum.constant != 0;
            if length > 1 && something && sum.variable.is_some_and(|v| v.2 < 32) {
                found.push((i, sum.clone()));
            }
            if let Some(d) = inst.def()
                && self.writes[&d] == 1
            {
                self.sums.insert(d, (sum, length));
            }
        }
        found
    }

    /// What an instruction computes, and from how many operations of the body.
    fn sum(&self, inst: &MInst) -> Option<(Sum, u32)> {
        let operand = |i: usize| inst.src[i].and_then(|s| self.operand(s));
        match inst.op {
            Oper::Add(AddOp::Add) => {
                let ((a, n), (b, m)) = (operand(0)?, operand(1)?);
                Some((a.plus(b)?, n + m + 1))
            }
            Oper::Add(AddOp::Shl) => {
                let (a, n) = operand(0)?;
                let Some(Src::Imm(count)) = inst.src[1] else { return None };
                let by = count.bits();
                (by < 32).then(|| (a.shifted(by), n + 1))
            }
            _ => None,
        }
    }

    fn operand(&self, s: Src) -> Option<(Sum, u32)> {
        let r = match s {
            Src::Imm(i) => return Some((Sum { constant: i.bits(), ..Sum::default() }, 0)),
            Src::Reg(r @ Reg::Virt(_)) => r,
            _ => return None,
        };
        // A sum of something that has changed since then cannot be made again.
        let fresh = |s: &Sum| s.variable.is_none_or(|v| self.seen.get(&v.0).copied().unwrap_or(0) == v.1);
        if let Some((sum, n)) = self.sums.get(&r).filter(|(s, _)| fresh(s)) {
            return Some((sum.clone(), *n));
        }
        if self.writes.contains_key(&r) {
            let version = self.seen.get(&r).copied().unwrap_or(0);
            return Some((Sum { variable: Some((r, version, 0)), ..Sum::default() }, 0));
        }
        let known = r.virt().and_then(|v| self.code.virt[v as usize].constant);
        Some(match known {
            Some(constant) => (Sum { constant, ..Sum::default() }, 0),
            None => (Sum { fixed: vec![(r, 0)], ..Sum::default() }, 0),
        })
    }
}

fn rewrite(code: &mut Code, b: BlockId, before: BlockId, found: Vec<(usize, Sum)>) {
    let ladder = Ladder::of(&found);
    let mut rungs: (Vec<Reg>, Option<Reg>) = Default::default();
    let mut fixed: Map<Sum, Reg> = Map::default();
    let mut shifted: Map<(Reg, u32, u32), Reg> = Map::default();
    let mut insts = Vec::with_capacity(code.blocks[b].insts.len());
    let old = std::mem::take(&mut code.blocks[b].insts);
    let mut found = found.into_iter().peekable();
    for (i, inst) in old.into_iter().enumerate() {
        let Some((_, mut sum)) = found.next_if(|f| f.0 == i) else {
            insts.push(inst);
            continue;
        };
        let Some((v, version, shift)) = sum.variable.take() else { continue };
        let first = insts.len();
        let scaled = if shift == 0 {
            v
        } else {
            *shifted.entry((v, version, shift)).or_insert_with(|| {
                let r = code.fresh();
                insts.push(MInst { span: inst.span, ..MInst::add(AddOp::Shl, r, v, shift_by(shift)) });
                r
            })
        };
        let scaled = match ladder.as_ref().and_then(|l| Some((l, l.rung((v, version, shift), sum.constant)?))) {
            Some((ladder, rung)) => {
                sum.constant = ladder.first;
                ladder.climb(code, before, (scaled, rung), &mut rungs, &mut insts);
                rungs.0[rung]
            }
            None => scaled,
        };
        let base = match fixed.get(&sum) {
            Some(&r) => r,
            None => {
                let r = total(code, before, &sum, &inst);
                fixed.insert(sum, r);
                r
            }
        };
        // What the address needs stands within the sequence that it is part of, which spill code must not divide.
        insts[first..].iter_mut().for_each(|i| i.glued = inst.glued);
        insts.push(MInst { src: [Some(base.into()), Some(scaled.into())], op: Oper::Add(AddOp::Add), ..inst });
    }
    code.blocks[b].insts = insts;
}

/// Sums of one variable with several bases and the same constants in equal steps, as an unrolled stencil has them: a register
/// per base and the variable at each step, where a register per base and step would be many more.
///
/// ```text
/// add t0s, a0, j          add t0s, a, j
/// add t0s, b0, j          add t0s, b, j
/// add t0s, a1, j     ⟶    add j1, j, step
/// add t0s, b1, j          add t0s, a, j1
///                         add t0s, b, j1
/// ```
struct Ladder {
    variable: (Reg, u32, u32),
    first: u32,
    step: u32,
    count: usize,
}

/// Registers that a ladder must save: each step costs an addition.
const LADDER_SAVES: usize = 6;

impl Ladder {
    fn of(found: &[(usize, Sum)]) -> Option<Ladder> {
        let variable = found.first()?.1.variable?;
        let same = || found.iter().map(|f| &f.1).filter(|s| s.variable == Some(variable));
        let mut all: Vec<&Sum> = same().filter(|s| !s.fixed.is_empty()).collect();
        let mut bases: Vec<_> = all.iter().map(|s| &s.fixed).collect();
        let mut constants: Vec<u32> = all.iter().map(|s| s.constant).collect();
        bases.sort_unstable();
        bases.dedup();
        constants.sort_unstable();
        constants.dedup();
        all.sort_unstable_by_key(|s| (&s.fixed, s.constant));
        all.dedup();
        let (first, step) = (*constants.first()?, constants.get(1)?.wrapping_sub(constants[0]));
        let equal = constants.windows(2).all(|w| w[1] - w[0] == step);
        let saves = all.len().saturating_sub(bases.len() + 1) >= LADDER_SAVES;
        (equal && saves).then_some(Ladder { variable, first, step, count: constants.len() })
    }

    /// The step of a sum of this variable.
    fn rung(&self, variable: (Reg, u32, u32), constant: u32) -> Option<usize> {
        let rung = constant.wrapping_sub(self.first) / self.step;
        let exact = constant.wrapping_sub(self.first).is_multiple_of(self.step);
        (variable == self.variable && exact && (rung as usize) < self.count).then_some(rung as usize)
    }

    /// Makes the registers up to a step.
    fn climb(
        &self,
        code: &mut Code,
        before: BlockId,
        (scaled, rung): (Reg, usize),
        (rungs, step): &mut (Vec<Reg>, Option<Reg>),
        insts: &mut Vec<MInst>,
    ) {
        if rungs.is_empty() {
            rungs.push(scaled);
        }
        while rungs.len() <= rung {
            let step = *step.get_or_insert_with(|| {
                let k = code.fresh();
                code.virt[k.virt().expect("a fresh register") as usize].constant = Some(self.step);
                code.blocks[before].insts.push(constant(k, self.step));
                k
            });
            let r = code.fresh();
            insts.push(MInst::add(AddOp::Add, r, rungs[rungs.len() - 1], step));
            rungs.push(r);
        }
    }
}

fn shift_by(n: u32) -> Src {
    shift_count(n)
}

/// Adds up, before the loop, what does not change.
fn total(code: &mut Code, before: BlockId, sum: &Sum, like: &MInst) -> Reg {
    let mut out: Vec<MInst> = Vec::new();
    let mut so_far: Option<Reg> = None;
    for &(r, shift) in &sum.fixed {
        let term = match shift {
            0 => r,
            32.. => continue,
            n => {
                let t = code.fresh();
                out.push(MInst::add(AddOp::Shl, t, r, shift_by(n)));
                t
            }
        };
        so_far = Some(match so_far {
            None => term,
            Some(s) => {
                let t = code.fresh();
                out.push(MInst::add(AddOp::Add, t, s, term));
                t
            }
        });
    }
    let total = match (so_far, sum.constant) {
        (Some(r), 0) => r,
        (r, c) => {
            let t = code.fresh();
            match (r, SmallImm::from_bits(c)) {
                (Some(r), Some(small)) => out.push(MInst::add(AddOp::Add, t, r, Src::Imm(small))),
                (Some(r), None) => {
                    let k = code.fresh();
                    out.push(constant(k, c));
                    out.push(MInst::add(AddOp::Add, t, r, k));
                }
                (None, _) => {
                    out.push(constant(t, c));
                    code.virt[t.virt().expect("a fresh register") as usize].constant = Some(c);
                }
            }
            t
        }
    };
    out.iter_mut().for_each(|i| i.span = like.span);
    code.blocks[before].insts.extend(out);
    total
}
