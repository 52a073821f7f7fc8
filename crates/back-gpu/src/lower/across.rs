//! What the items of a subgroup tell each other: rotations, broadcasts and votes, through memory that their group shares. That is there on
//! every GPU, and says which items are meant, which a driver's own subgroups of 4 to 128 do not.

use super::prelude::variable;
use super::{Cx, Expr};
use naga::{AddressSpace, Barrier, BinaryOperator as B, Expression, ScalarKind, Statement};
use quadra_kir::{Elem, Inst, LANES, Op};

impl Cx<'_> {
    /// Waits for the other items of the group, and for what they have written.
    pub(super) fn wait(&mut self) {
        self.push(Statement::ControlBarrier(Barrier::STORAGE | Barrier::WORK_GROUP));
    }

    /// The groups of such kernels have one subgroup each, and its items come here together.
    pub(super) fn across(&mut self, inst: &Inst) -> Expr {
        let shown = self.value(inst.args[0]);
        let elem = self.elem(inst.args[0]);
        match inst.op {
            Op::Rotate | Op::Broadcast => {
                let by = self.value(inst.args[1]);
                let from = match (inst.op, self.lane) {
                    (Op::Rotate, Some(lane)) => self.binary(B::Subtract, lane, by),
                    _ => by,
                };
                let from = self.bits(from, ScalarKind::Uint);
                let from = self.times(from, LANES - 1, B::And);
                self.show(shown, elem);
                let seen = self.seen(elem, from);
                self.wait();
                seen
            }
            op => {
                self.show(shown, elem);
                let seen: Vec<Expr> = (0..LANES)
                    .map(|lane| {
                        let from = self.u32(lane);
                        self.seen(elem, from)
                    })
                    .collect();
                self.wait();
                let how = if op == Op::VoteAny { B::LogicalOr } else { B::LogicalAnd };
                let all = seen.into_iter().reduce(|a, b| self.binary(how, a, b));
                all.expect("a subgroup has lanes")
            }
        }
    }

    /// Shows a value to the other items.
    fn show(&mut self, value: Expr, elem: Elem) {
        let value = if elem == Elem::Bool {
            let (one, zero) = (self.u32(1), self.u32(0));
            self.select(value, one, zero)
        } else {
            value
        };
        let own = self.pre(Expression::FunctionArgument(1));
        let pointer = self.shown(elem, own);
        self.push(Statement::Store { pointer, value });
        self.wait();
    }

    /// What the item of a lane has shown.
    fn seen(&mut self, elem: Elem, lane: Expr) -> Expr {
        let pointer = self.shown(elem, lane);
        let seen = self.emit(Expression::Load { pointer });
        if elem == Elem::Bool {
            let zero = self.u32(0);
            return self.binary(B::NotEqual, seen, zero);
        }
        seen
    }

    /// Where an item shows values of a type.
    fn shown(&mut self, elem: Elem, item: Expr) -> Expr {
        let global = match self.exchange.get(&elem) {
            Some(&there) => there,
            None => {
                // A truth value stands in a word, as an element of 16 bits does.
                let stored = if elem == Elem::Bool { Elem::I16 } else { elem };
                let ty = self.elements(stored, false, Some(self.invocations));
                let new = variable(&mut self.module, ty, AddressSpace::WorkGroup);
                self.exchange.insert(elem, new);
                new
            }
        };
        let base = self.pre(Expression::GlobalVariable(global));
        self.emit(Expression::Access { base, index: item })
    }
}
