//! The positions of a launch, and what is at most a length.

use super::value::Length;
use quadra_base::quick::Map;
use quadra_kir as kir;

/// The positions of a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Lengths of the launch, in all its components.
    pub dims: Vec<i64>,
    /// The size of a block, if the kernel depends on it.
    pub block: Option<Vec<i64>>,
    /// Whether it turned out to.
    pub wants_block: bool,
    /// Whether the groups of the kernel are the blocks, because they share memory or synchronise.
    pub grouped: bool,
    /// The lengths of the leading components that the kernel's first axis stands for together, if it stands for several.
    pub folded: Vec<kir::Value>,
    /// The actual lengths behind parameters of the kernel, and the integers that are not negative.
    pub lengths: Map<kir::Value, usize>,
    /// What was found to be at most a length, with a number more.
    pub inside: Vec<(Amount, Bound, i64)>,
}

/// What a length is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Amount<V = kir::Value> {
    Nothing,
    /// The launch along an axis of the extent.
    Axis(u8),
    /// A parameter of the kernel.
    Given(V),
}

/// A length that something does not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bound<V = kir::Value> {
    Known(usize),
    Given(V),
}

impl<V: Copy> Amount<V> {
    /// What it is in a launch; `given` says what parameters are.
    pub fn value(self, shape: &Shape, given: impl Fn(V) -> Option<i64>) -> Option<i64> {
        match self {
            Amount::Nothing => Some(0),
            Amount::Axis(axis) => shape.axes().get(axis as usize).map(|d| shape.dims[*d]),
            Amount::Given(v) => given(v),
        }
    }
}

impl<V: Copy> Bound<V> {
    /// What it is in a launch; `given` says what parameters are.
    pub fn value(self, given: impl Fn(V) -> Option<i64>) -> Option<i64> {
        match self {
            Bound::Known(n) => Some(n as i64),
            Bound::Given(v) => given(v),
        }
    }
}

impl Shape {
    pub fn new(dims: &[i64], block: Option<Vec<i64>>) -> Shape {
        Shape { dims: dims.to_vec(), block, ..Shape::default() }
    }

    /// The components that are axes of the extent: those with more than one position.
    pub fn axes(&self) -> Vec<usize> {
        let long = |d: &usize| self.dims[*d] != 1 || self.grouped && self.block.as_ref().is_some_and(|b| b[*d] != 1);
        let axes: Vec<usize> = (0..self.dims.len()).filter(long).collect();
        if axes.is_empty() { vec![self.dims.len() - 1] } else { axes }
    }

    /// Whether an amount and `more` are at most a length. If they are in this launch, launches for which that is not so need
    /// another kernel.
    pub fn fits(&mut self, amount: Amount, more: i64, n: Length) -> bool {
        let bound = match n {
            Length::Known(n) => Bound::Known(n),
            Length::Given(v) => Bound::Given(v),
        };
        let given = |v| self.lengths.get(&v).map(|n| *n as i64);
        let (Some(least), Some(n)) = (amount.value(self, given), bound.value(given)) else { return false };
        if least + more > n {
            return false;
        }
        let fact = (amount, bound, more);
        let certain = matches!((amount, bound), (Amount::Nothing, Bound::Known(_)))
            || matches!((amount, bound), (Amount::Given(v), Bound::Given(w)) if v == w);
        if !certain && !self.inside.contains(&fact) {
            self.inside.push(fact);
        }
        true
    }

    /// The block along the axes.
    pub fn group(&self) -> Option<Vec<u32>> {
        let block = self.block.as_ref().filter(|_| self.grouped)?;
        Some(self.axes().iter().map(|d| block[*d] as u32).collect())
    }
}
