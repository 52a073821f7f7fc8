//! Conditions of several parts as a chain of instructions that set flags: each runs where all before it hold, and leaves the flags of
//! the other lanes as they are, which must say to the last one that they failed.
//!
//! ```text
//! max.setf -, limit, n          C where n < limit
//! fmax.setf.ifc -, 4.0, m       C where m < 4.0, too
//! ```

use super::bools::{Parts, Setter, is_compare};
use super::cx::{Cx, Rep};
use crate::vc4::minst::{Dst, MInst, Reg, Src, imm};
use kir::{Def, Elem, Inst, Op, Value};
use quadra_isa::vc4::{AddOp, Cond};
use quadra_kir as kir;

/// The test of a register of 0 and 1 of which `holds` says that it is 1.
fn test_of(register: Src, holds: Cond) -> Setter {
    let add = |op, a, b| MInst::add(op, Dst::None, a, b);
    let inst = match holds {
        Cond::Cs | Cond::Ns => add(AddOp::Sub, imm(0), register),
        Cond::Cc | Cond::Nc => add(AddOp::Sub, register, imm(1)),
        Cond::Zs => add(AddOp::Xor, register, imm(1)),
        _ => MInst::mov(Dst::None, register),
    };
    let holds = if matches!(holds, Cond::Always | Cond::Never) { Cond::Zc } else { holds };
    Setter { inst: inst.flags(), holds, clears_c: matches!(holds, Cond::Zs | Cond::Zc) }
}

impl<'k> Cx<'k> {
    /// `and`, `or`, `andnot`: the flags are set for it.
    pub(super) fn connective(&mut self, inst: &'k Inst) -> Cond {
        let or = inst.op == Op::Or;
        let mut parts = Parts::default();
        self.operands_of(inst, or, &mut parts);
        let holds = self.conjunction(parts);
        if or { holds.inverse() } else { holds }
    }

    /// The operands of a connective as parts; of an `or`, those of the negated one.
    fn operands_of(&mut self, inst: &'k Inst, negated: bool, parts: &mut Parts) {
        let (a, b) = (inst.args[0], inst.args[1]);
        self.part(a, negated, parts);
        self.part(b, negated || inst.op == Op::AndNot, parts);
    }

    /// Adds that `v` holds, or does not.
    pub(super) fn part(&mut self, v: Value, negated: bool, parts: &mut Parts) {
        if let Rep::Lazy(inst) = self.reps[v.index()] {
            let equal_floats =
                matches!(inst.op, Op::CmpEq | Op::CmpNe) && self.kernel.ty(inst.args[0]).elem == Elem::F32;
            match (inst.op, negated) {
                (Op::Not, _) => return self.part(inst.args[0], !negated, parts),
                (Op::And | Op::AndNot, false) | (Op::Or, true) => return self.operands_of(inst, negated, parts),
                (op, _) if is_compare(op) && !equal_floats => {
                    let test = self.compare_setter(inst);
                    let holds = if negated { test.holds.inverse() } else { test.holds };
                    return parts.tests.push(Setter { holds, ..test });
                }
                _ => {}
            }
            let register = self.materialise(inst);
            return self.register_part(register.into(), negated, parts);
        }
        if let Def::Const(c) = self.kernel.values[v].def {
            // What always holds asks for nothing; of what never does a register tells, since an instruction has one immediate.
            if (c.bits & 1 == 0) != negated {
                let never = self.fresh();
                self.emit(MInst::mov(never, imm(0)));
                parts.registers.push(never.into());
            }
            return;
        }
        let register = self.src(v);
        self.register_part(register, negated, parts);
    }

    fn register_part(&mut self, register: Src, negated: bool, parts: &mut Parts) {
        if negated {
            parts.tests.push(Setter { inst: MInst::mov(Dst::None, register).flags(), holds: Cond::Zs, clears_c: true });
        } else {
            parts.registers.push(register);
        }
    }

    /// Sets the flags for all parts together.
    pub(super) fn conjunction(&mut self, mut parts: Parts) -> Cond {
        if parts.tests.is_empty() && parts.registers.is_empty() {
            parts.registers.push(imm(1));
        }
        let mut classes: Vec<Cond> = Vec::new();
        for test in &parts.tests {
            if !classes.contains(&test.holds) {
                classes.push(test.holds);
            }
        }
        let size = |parts: &Parts, c: Cond| parts.tests.iter().filter(|t| t.holds == c).count();
        // The last tests decide by which flag it is told: C can follow all that leave it clear.
        let last = if classes.contains(&Cond::Cs) {
            Cond::Cs
        } else {
            classes.iter().copied().max_by_key(|&c| size(&parts, c)).unwrap_or(Cond::Zc)
        };
        let clear = |parts: &Parts, c: Cond| parts.tests.iter().all(|t| t.holds != c || t.clears_c);
        let first = (last == Cond::Cs)
            .then(|| {
                classes.iter().copied().filter(|&c| c != last && clear(&parts, c)).max_by_key(|&c| size(&parts, c))
            })
            .flatten();
        for class in classes.into_iter().filter(|&c| c != last && Some(c) != first) {
            let (of_class, others) = parts.tests.drain(..).partition(|t| t.holds == class);
            parts.tests = others;
            let register = self.zero_or_one(of_class);
            parts.registers.push(register.into());
        }
        parts.tests.sort_by_key(|t| t.holds == last);
        let at = parts.tests.iter().position(|t| t.holds == last).unwrap_or(parts.tests.len());
        parts.tests.splice(at..at, parts.registers.into_iter().map(|r| test_of(r, last)));
        self.chain(&parts.tests);
        last
    }

    fn chain(&mut self, tests: &[Setter]) {
        let mut before = Cond::Always;
        for test in tests {
            self.emit(test.inst.when(before));
            before = test.holds;
        }
    }

    /// A register that is 1 where all of these tests, which one flag tells, hold, and 0 elsewhere.
    fn zero_or_one(&mut self, tests: Vec<Setter>) -> Reg {
        let m = self.fresh();
        self.emit(MInst::mov(m, imm(0)));
        self.chain(&tests);
        self.emit(MInst::mov(m, imm(1)).when(tests[tests.len() - 1].holds));
        m
    }
}
