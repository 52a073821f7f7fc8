//! What a launch needs besides its arguments: code, for which groups, and what is known of it.

use crate::common::function::{Private, Shape, Site};
use crate::common::refill;
use crate::later::General;
use crate::native::Native;
use crate::plan::Setting;
use crate::steps::Steps;
use quadra_base::Diagnostic;
use quadra_kir::Kernel;
use quadra_llvm::Llvm;
use quadra_passes::analysis::covers::Frame;
use quadra_passes::analysis::range::Bounds;
use quadra_passes::limits::Limit;
use std::sync::Arc;

/// Code for one kind of launch.
#[derive(Debug)]
pub struct Variant<C = Native> {
    /// For every group.
    pub general: General<C>,
    /// For the groups of a box, in turns of a shape.
    pub inner: Option<Inner<C>>,
    pub private: Vec<Option<Private>>,
    /// Buffers of which a launch that ends well writes every element, and reads none, by [`quadra_kir::Buf::index`].
    pub covers: Vec<bool>,
    /// The same of buffers of which it writes a part at least, and which.
    pub frames: Vec<Option<Frame>>,
    /// Roughly how many vector instructions a group takes; 0 if that depends on the data.
    pub cost: u64,
    /// What is known of time loops. Not kept on disk.
    pub steps: Steps,
}

impl Variant {
    /// Whether the code may stop half-way.
    pub fn may_fault(&self) -> bool {
        let inner = |i: &Inner| i.native.may_fault() || i.refilled.as_ref().is_some_and(|r| r.native.may_fault());
        self.general.may_fault() || self.inner.as_ref().is_some_and(inner)
    }
}

/// Rows of a task that goes through blocks of data: they are loaded into the cache anew for it.
const MANY_ROWS: u32 = 64;

impl Variant {
    /// Into how many tasks so many rows of groups are cut at most, for so many threads.
    pub fn most_tasks(&self, rows: u32, threads: usize) -> u64 {
        let blocked = self.inner.as_ref().is_some_and(|i| i.blocked);
        if blocked { u64::from(rows / MANY_ROWS).max(threads as u64).min(rows.into()) } else { rows.into() }
    }
}

/// The interior: code that tests no border.
#[derive(Debug)]
pub struct Inner<C = Native> {
    pub native: C,
    pub low: [u32; 4],
    pub high: [u32; 4],
    /// What a launch's numbers take away of these groups.
    pub limits: Vec<Limit>,
    pub shape: Shape,
    /// Whether all groups of a call go through blocks of data together: few calls of many groups are best.
    pub blocked: bool,
    pub refilled: Option<Refilled<C>>,
}

impl<C> Inner<C> {
    /// The groups of the interior for a launch with these numbers, from and to; nothing if there are none.
    pub fn groups(&self, number: impl Fn(usize) -> Option<i64>) -> Option<([u32; 4], [u32; 4])> {
        let (mut low, mut high) = (self.low, self.high);
        if self.limits.is_empty() {
            return Some((low, high));
        }
        let axes = low.iter().zip(&high).map(|(&l, &h)| Bounds { low: l.into(), high: i64::from(h) - 1 });
        let inside = Limit::all_hold(&self.limits, &axes.collect::<Vec<_>>(), number)?;
        for (axis, b) in inside.iter().enumerate() {
            (low[axis], high[axis]) = (u32::try_from(b.low).ok()?, u32::try_from(b.high + 1).ok()?);
        }
        Some((low, high))
    }
}

/// Code whose lanes take the next item when theirs is done: another way to compute the interior.
#[derive(Debug)]
pub struct Refilled<C = Native> {
    pub native: C,
    /// Most groups of a call: a multiple of every turn.
    pub most: usize,
    /// Groups that are under way together.
    pub parts: usize,
    /// Instructions of a turn on vectors, and all, where lanes are not refilled.
    pub vectors: (usize, usize),
    pub choice: refill::Choice,
}

/// Code that is not in memory yet: an object file, and what may fault in it.
#[derive(Debug, PartialEq)]
pub struct Object {
    pub bytes: Vec<u8>,
    pub sites: Vec<Site>,
}

impl Variant<Object> {
    /// Puts the code into memory.
    ///
    /// # Errors
    /// Code that LLVM cannot link, which is a bug.
    pub fn link(self, llvm: &Arc<Llvm>, kernel: &Kernel, setting: &Setting) -> Result<Variant, Vec<Diagnostic>> {
        let native = |o: Object| llvm.link(&o.bytes).and_then(|code| Native::new(code, o.sites)).map_err(|d| vec![*d]);
        let refilled = |r: Refilled<Object>| {
            let Refilled { most, parts, vectors, choice, native: object } = r;
            native(object).map(|native| Refilled { native, most, parts, vectors, choice })
        };
        let inner = |i: Inner<Object>| {
            let Inner { low, high, limits, shape, blocked, native: object, refilled: other } = i;
            let other = other.map(refilled).transpose()?;
            native(object).map(|native| Inner { native, low, high, limits, shape, blocked, refilled: other })
        };
        let Variant { general, inner: inside, private, covers, frames, cost, steps } = self;
        let general = match general {
            General::Made(object) => General::Made(native(object)?),
            General::Later(_) => General::later(llvm, kernel, setting),
        };
        Ok(Variant { general, inner: inside.map(inner).transpose()?, private, covers, frames, cost, steps })
    }
}
