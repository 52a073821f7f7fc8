//! What the parser knows of brackets that are open behind variables.

use super::ast::{Expr, NodeId, Text};

/// The brackets whose indices are being read.
pub(super) struct Brackets {
    pub(super) base: Expr,
    /// The variable that holds its value, if an index needs it once more and it cannot be evaluated twice.
    pub(super) kept: Option<Text>,
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
