//! Products of vectors of 64 bits, and elements that the data choose: what is known of them. See [`super::products`] and [`super::bins`].

use quadra_kir::{Elem, Inst, Type, Value};
use std::collections::{HashMap, HashSet};

pub const WIDE: Type = Type { elem: Elem::I64, lanes: true };
pub const DOUBLES: Type = Type { elem: Elem::F64, lanes: true };

/// A product and the assertion that it has not wrapped.
#[derive(Clone, Debug)]
pub struct Product {
    /// The operands, and whether they are known to fit 32 bits.
    pub args: [(Value, bool); 2],
    /// The assertion, and below which number the product of the doubles has to be.
    pub assert: Option<(Inst, String)>,
}

/// The products of a kernel that are computed so, by their values.
#[derive(Default)]
pub struct Products {
    pub of: HashMap<Value, Product>,
    /// What has been asserted where the product is made, and of which lanes.
    pub asserted: HashSet<(Value, Option<Value>)>,
    /// Room for operands and results of the function.
    pub room: Option<[String; 3]>,
}

impl Products {
    /// Whether an assertion stands where the product is made.
    pub fn asserts(&self, assert: &Inst) -> bool {
        self.asserted.contains(&(assert.args[0], assert.mask))
    }
}

/// What lanes may be read from again, and what is added in place.
#[derive(Default)]
pub struct Bins {
    /// Loads of which every lane can be read at any time, by what they load.
    pub readable: HashMap<Value, Inst>,
    /// What is added to an element that is loaded and stored, by the sum.
    pub added: HashMap<Value, Value>,
}
