//! Code for the items away from borders: where accesses would need tests or changed subscripts at the borders only, a kernel
//! has its body twice, without them for groups whose items all lie far enough inside, and with them for all others. The first
//! lowering of a body notes which distances from which borders that takes.

use super::state::Lower;
use super::value::{Item, Length};
use crate::sema::types::Access;
use quadra_kir::{self as kir, Op};

/// Items that lie so far inside of a length along an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub axis: u8,
    pub low: i64,
    pub high: i64,
    pub n: Length,
}

/// What is known about the items of the code, and what it would help to know.
#[derive(Clone, Debug, Default)]
pub(super) struct Interior {
    pub known: Vec<Edge>,
    pub wanted: Vec<Edge>,
}

/// Distances beyond which the interior would be too small.
const FAR: i64 = 64;

pub(super) fn same(a: Length, b: Length) -> bool {
    match (a, b) {
        (Length::Known(a), Length::Known(b)) => a == b,
        (Length::Given(a), Length::Given(b)) => a == b,
        _ => false,
    }
}

impl Lower<'_> {
    /// Whether an item and what is added to its index is known to lie inside of a length. If not, that is noted.
    pub fn lies_within(&mut self, item: Item, n: Length, access: Access) -> bool {
        let about = |e: &&mut Edge| e.axis == item.axis && same(e.n, n);
        if let Some(edge) = self.interior.known.iter_mut().find(about) {
            return edge.low <= item.low && item.high <= edge.high;
        }
        if matches!(access, Access::Checked | Access::Unchecked) || item.low < -FAR || item.high > FAR {
            return false;
        }
        match self.interior.wanted.iter_mut().find(about) {
            Some(edge) => (edge.low, edge.high) = (edge.low.min(item.low), edge.high.max(item.high)),
            None => self.interior.wanted.push(Edge { axis: item.axis, low: item.low, high: item.high, n }),
        }
        false
    }

    /// Whether all items of the group lie inside of all edges.
    pub fn all_within(&mut self, edges: &[Edge]) -> kir::Value {
        let mut all = self.b.bool(true);
        for edge in edges {
            let (i, scale) = match &self.pixels {
                Some(p) if p.axis == edge.axis => (p.item, p.count),
                _ => (self.item(edge.axis as usize).re, 1),
            };
            if edge.low < 0 {
                let least = self.b.i32((-edge.low * scale) as i32);
                let ok = self.op(Op::CmpGe, &[i, least]);
                all = self.op(Op::And, &[all, ok]);
            }
            if edge.high > 0 || !self.launch.lies_inside(edge.axis, 0, edge.n) {
                let n = self.length(edge.n);
                let (high, scale) = (self.b.i32(edge.high as i32), self.b.i32(scale as i32));
                let most = self.op(Op::Sub, &[n, high]);
                let most = self.op(Op::Mul, &[most, scale]);
                let ok = self.op(Op::CmpLt, &[i, most]);
                all = self.op(Op::And, &[all, ok]);
            }
        }
        self.op(Op::VoteAll, &[all])
    }
}
