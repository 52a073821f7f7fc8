//! Parts of the state of lowering, each of which a file of its own works on.

use super::agree::Common;
use super::state::Slot;
use super::value::{Element, Num};
use quadra_base::quick::Set;
use quadra_kir as kir;
use quadra_quasar_hir::types::Type;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::nest::Nest;

/// What a kernel has besides its variables where one worker runs a whole block.
#[derive(Debug, Default)]
pub(super) struct Together {
    /// Number of the block.
    pub number: Option<kir::Value>,
    /// Items of a block along each axis.
    pub sizes: Vec<kir::Value>,
    /// The components of positions.
    pub axes: Vec<Axis>,
    pub common: Common,
    /// Variables with an element per item in memory.
    pub spilled: Vec<(Text, Vec<Part>)>,
    /// Bytes that the device still has for arrays of a group.
    pub near: u64,
    /// Number of the item in the block, while items run, and its position there.
    pub item: Option<(kir::Value, Vec<kir::Value>)>,
    /// Special parameters by name and type.
    pub specials: Vec<(Text, Option<Type>)>,
}

/// A component of positions.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Length of the launch, a parameter.
    pub dim: kir::Value,
    /// Number of blocks.
    pub count: kir::Value,
    /// Which of them this is.
    pub index: kir::Value,
    /// Where it begins.
    pub origin: kir::Value,
}

/// Memory with an element for each item of each block.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub buf: kir::Buf,
    /// Items of a block.
    pub len: usize,
    pub element: Element,
}

/// A variable whose values are kept.
#[derive(Debug)]
pub(super) struct Kept {
    pub name: Text,
    /// The number of the last iteration that set it, -1 before.
    pub at: Option<kir::Var>,
    /// The last value, once there is one.
    pub slot: Option<Slot>,
    /// Somebody looks at what the last iteration leaves in it.
    pub needed: bool,
}

/// How pixels are spread over items.
#[derive(Clone, Debug)]
pub(super) struct Pixels {
    /// Channels of a pixel.
    pub count: i64,
    pub channel: Num,
}

/// Memory in which each lane of a group accumulates its own copy of a small array, or all of them one that they share.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    pub name: Text,
    pub buf: kir::Buf,
    pub len: usize,
    /// What the group shares, until it is over.
    pub shared: Option<kir::Buf>,
}

/// Kinds of the variables of a host loop.
#[derive(Default)]
pub struct Kinds {
    pub wanted: Wanted,
    /// Variables of an iteration that begin as small integers and become floats: floats from the start.
    pub floats: Set<Text>,
    /// Variables of an iteration, or of a function that it calls, that are integers in some cases and floats in others.
    pub either: Set<Text>,
    /// Integers of 64 bits from the start, for iterations give them such.
    pub wides: Set<Text>,
    /// The same as `floats` of variables that go from one iteration to the next, which the first one finds as integers.
    pub early: Set<Text>,
    /// Variables that somebody looks at after the loop, who sees whether they are integers.
    pub seen: Set<Text>,
    /// Variables for floats that take integers somewhere, and those that are changed in place (`v += 0.5`) by what an integer would take
    /// as one. On the host they have the type of what they hold.
    pub mixed: Set<Text>,
    pub changed: Set<Text>,
    /// Integers must not be floats early: what they are is looked at.
    pub exact: bool,
}

impl Kinds {
    /// What attempts at lowering a loop found of its variables.
    pub fn begin(&mut self, retyped: &Retyped, nest: &Nest) {
        self.either = retyped.either.clone();
        self.exact = retyped.exact;
        self.wides = retyped.wides.clone();
        for name in &retyped.floats {
            let set = if nest.is_own(name) { &mut self.floats } else { &mut self.early };
            set.insert(name.clone());
        }
    }
}

/// What an attempt at lowering a loop found missing.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// An integer variable that is given a float.
    pub float: Option<Text>,
    /// An integer variable that is given an integer of 64 bits.
    pub wide: Option<Text>,
    /// Something looks at what numbers are that were taken for floats.
    pub exact: bool,
}

/// Variables of a loop that change between integers and floats, as attempts at lowering it find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Retyped {
    /// Floats from the start, for what they begin with is small.
    pub floats: Set<Text>,
    /// Integers of 64 bits from the start.
    pub wides: Set<Text>,
    /// Both in one.
    pub either: Set<Text>,
    /// None is a float from the start: something looks at what they are.
    pub exact: bool,
}

impl Retyped {
    /// Takes up what an attempt wanted: a float from the start if it `may`, or else both in one. False if there is nothing more to try.
    pub fn add(&mut self, kinds: &Wanted, may: impl Fn(&Text) -> bool, own: impl Fn(&Text) -> bool) -> bool {
        if kinds.exact && !self.exact {
            self.exact = true;
            let early: Vec<Text> = self.floats.iter().filter(|n| own(n)).cloned().collect();
            self.floats.retain(|n| !own(n));
            self.either.extend(early);
            return true;
        }
        if let Some(name) = &kinds.wide {
            return self.wides.insert(name.clone());
        }
        let Some(name) = kinds.float.clone() else { return false };
        let settled = self.either.contains(&name) || (self.exact && own(&name));
        if !settled && may(&name) && self.floats.insert(name.clone()) {
            return true;
        }
        self.floats.remove(&name);
        own(&name) && self.either.insert(name)
    }
}

/// A loop of the source that is being lowered: what `continue` means within it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenLoop {
    /// Its next iteration.
    Plain,
    /// `repeat`, whose test `continue` must not skip.
    Repeat,
    /// A loop whose iterations are items or lanes: the end of this one. Loops around it, which one worker runs, go on.
    Items,
}
