//! Expressions over long arrays, as they are handed to what computes them in one pass.

use super::tensor::Tensor;
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use std::rc::Rc;

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// The result of an operation before.
    Node(usize),
    Array(usize),
    Number(f64),
}

/// One operation on all elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Apply {
    Two(Op2, Source, Source),
    One(Op1, Source),
}

/// What becomes of the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tail {
    Sum,
    Mean,
    /// [`Op2::Max`] or [`Op2::Min`].
    Extreme(Op2),
    /// The sums along a dimension, or their means.
    Lines {
        dim: usize,
        mean: bool,
    },
}

/// Operations in their order; the last one is the result, each of the others is used once.
pub struct Expression<'a> {
    pub nodes: &'a [Apply],
    pub arrays: &'a [&'a Rc<Tensor>],
    pub len: usize,
    /// Elements are `f64`, otherwise `f32`.
    pub double: bool,
    pub tail: Option<Tail>,
}
