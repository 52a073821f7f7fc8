//! What the parser knows of brackets that are open behind variables.

use super::ast::{Expr, NodeId};

/// The brackets whose indices are being read.
pub(super) struct Brackets {
    pub(super) base: Expr,
    /// The index that is read.
    pub(super) item: usize,
    /// How many there are; none if an index may stand for several.
    pub(super) count: Option<usize>,
}

/// Brackets that are open, innermost last, and the expressions that `end` became.
#[derive(Default)]
pub(super) struct Ends {
    pub(super) open: Vec<Brackets>,
    pub(super) made: Vec<NodeId>,
}
