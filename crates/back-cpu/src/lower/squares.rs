//! Accesses of squares of memory: what is known of them. See [`super::turned`] and [`super::lines`].

use quadra_kir::Value;
use std::collections::HashMap;

/// Accesses of squares.
#[derive(Default)]
pub struct Turned {
    /// By the index: how far lanes lie apart, and whether rows of groups lie in falling order.
    pub found: HashMap<Value, (i32, bool)>,
    /// What loads have loaded for all parts, by their results.
    pub loaded: HashMap<Value, Vec<String>>,
}

/// Which square an element is of.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The constant of the square's first element, and how far behind that this one lies.
    pub first: i32,
    pub at: i32,
    /// Elements of a lane that the square holds.
    pub side: i32,
    /// Accesses among which memory stays as it is.
    pub group: usize,
}

/// A store as one of those that write a square.
#[derive(Clone, Debug)]
pub enum Stored {
    /// Another one writes its elements, too.
    Waits,
    /// What is written, by place, and the constant of the first element.
    All { first: i32, values: Vec<Value> },
}

/// Accesses of squares.
#[derive(Default)]
pub struct Lines {
    /// By the load's result.
    pub loads: HashMap<Value, Place>,
    /// By the store's index.
    pub stores: HashMap<Value, Stored>,
    pub groups: usize,
}
