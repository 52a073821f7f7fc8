//! Sums of 64-bit integers whose terms iterations in parallel add up.
//!
//! In order, such a sum has to fit after every term, and not only in the end. Parts of it that items or lanes add up on their own
//! say nothing of that, unless they are small: where each stays within 2^62 divided by the number of items at all times, and the
//! variable began within 2^62, every sum of the first terms is the beginning and one sum of each part, and fits. So a part that
//! leaves these bounds ends the launch, and the host adds in order.

use super::state::Lower;
use super::value::Val;
use super::wide::MOST;
use super::{Low, refuse};
use quadra_kir::{Const, Op};
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::arith::Kind;

impl Lower<'_> {
    /// From here on, whatever is assigned to a variable is tested.
    pub fn begin_wide_sum(&mut self, name: &Text) {
        let most = self.b.constant(Const::i64(MOST));
        let mut items = self.b.constant(Const::i64(1));
        for axis in 0..self.b.kernel().over {
            let n = self.b.axis(Op::Extent, u32::from(axis));
            let n = self.op(Op::ToI64, &[n]);
            items = self.op(Op::Mul, &[items, n]);
        }
        let each = self.op(Op::Div, &[most, items]);
        self.wide_sums.push((name.clone(), each));
    }

    /// Stops the launch where a part of a sum leaves its bounds.
    pub fn stays_near(&mut self, name: &Text, v: &Val) -> Low<()> {
        let each = self.wide_sums.iter().find(|s| s.0 == *name).map(|s| s.1);
        let (Some(each), Val::Num(n)) = (each, v) else { return Ok(()) };
        if n.kind != Kind::Wide {
            refuse!(Retyped: "'{name}' changes its type");
        }
        let above = self.op(Op::Add, &[n.re, each]);
        let twice = self.op(Op::Add, &[each, each]);
        let near = self.op(Op::CmpLtU, &[above, twice]);
        self.require(near, "integer overflow");
        Ok(())
    }
}
