//! `&&` and `||`: the right side is evaluated where the left side has not decided, as in Rust.
//!
//! On a Rust `bool` Rust decides, while the kernel is recorded. On a [`Mask`] the right side is recorded as the body of an
//! `if`, with its loads, stores, calls and exits, for the lanes that the left side leaves open. What only computes (and so
//! happens in all lanes anyway) needs no `if`: comparisons joined by `&&` stay one expression.

use crate::exits::Control;
use crate::record::{self, Raw, Recorder};
use crate::state::{self, Item, List};
use crate::value::Mask;
use quadra_kir::{Op, Type};
use std::panic::Location;

/// A side of `&&` or `||`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a truth value",
    label = "expected a comparison or a Rust `bool`",
    note = "compare it with something, for example `x != 0`"
)]
pub trait Truth: Copy {
    /// What it is in the kernel, or now.
    fn truth(self) -> Result<Raw, bool>;
}

impl Truth for bool {
    fn truth(self) -> Result<Raw, bool> {
        Err(self)
    }
}

impl Truth for Mask {
    fn truth(self) -> Result<Raw, bool> {
        Ok(self.raw)
    }
}

/// The types that `&&` and `||` join.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{R}` cannot be joined by `&&` or `||`",
    label = "expected comparisons or Rust `bool`s on both sides"
)]
pub trait Logic<R>: Truth {
    /// `bool` if both sides are, else `Mask`.
    type Output;
    /// Of what is known now, or was recorded.
    fn output(truth: Result<Raw, bool>) -> Self::Output;
}

impl Logic<bool> for bool {
    type Output = bool;
    fn output(truth: Result<Raw, bool>) -> bool {
        match truth {
            Err(known) => known,
            Ok(_) => quadra_base::bug!("two Rust truth values gave one of the kernel"),
        }
    }
}

macro_rules! masks {
    ($($left:ty, $right:ty;)*) => {$(
        impl Logic<$right> for $left {
            type Output = Mask;
            #[track_caller]
            fn output(truth: Result<Raw, bool>) -> Mask {
                match truth {
                    Ok(raw) => Mask { raw },
                    Err(known) => Mask::from(known),
                }
            }
        }
    )*};
}
masks! {
    bool, Mask;
    Mask, bool;
    Mask, Mask;
}

/// An `&&` or `||` while its right side is recorded.
pub struct ShortCircuit<L> {
    at: &'static Location<'static>,
    left: L,
    or: bool,
    before: Vec<Item>,
    /// Levels of open control flow, this one included.
    depth: usize,
}

impl<L: Truth> ShortCircuit<L> {
    /// Behind the left side, with the variables that the right side may change.
    #[track_caller]
    pub fn begin(left: L, or: bool, list: List<'_>) -> ShortCircuit<L> {
        let mut this = ShortCircuit { at: Location::caller(), left, or, before: Vec::new(), depth: 0 };
        if let Ok(left) = left.truth() {
            this.before = state::read(list);
            record::with(this.at, |r| {
                let goes_on = if or { r.op(Op::Not, &[left]) } else { left };
                r.begin_if(goes_on);
                r.control.push(Control::If(r.span));
                this.depth = r.control.len();
            });
        }
        this
    }

    /// Whether the right side is evaluated, by any lane.
    pub fn goes_on(&self) -> bool {
        self.left.truth() != Err(self.or)
    }

    /// Behind the right side. `None`: it has no value, because Rust did not evaluate it or it leads elsewhere.
    pub fn end<R: Truth>(self, right: Option<R>, list: List<'_>) -> L::Output
    where
        L: Logic<R>,
    {
        let left = match self.left.truth() {
            Err(left) => return L::output(right.map_or(Err(left), Truth::truth)),
            Ok(left) => left,
        };
        let after = state::read(&mut *list);
        let right = right.map(Truth::truth);
        let (handles, truth) = record::with(self.at, |r| {
            r.only(self.depth);
            self.join(r, left, right, &after)
        });
        state::write(list, &handles);
        L::output(Ok(truth))
    }

    /// Ends the `if`. Gives the variables' handles behind it, and the truth value.
    fn join(&self, r: &mut Recorder, left: Raw, right: Option<Result<Raw, bool>>, after: &[Item]) -> (Vec<Raw>, Raw) {
        let before = state::handles(&self.before);
        let right = match right {
            Some(right) if !r.b.unreachable() => {
                right.unwrap_or_else(|known| r.constant(quadra_kir::Const::bool(known)))
            }
            // The lanes that evaluate it do not come here: the others go by the left side.
            _ => {
                r.control.pop();
                r.end();
                return (before, left);
            }
        };
        if let Err(d) = state::compare(&self.before, after, "in the right side of `&&` or `||`", false) {
            record::stop(d.at(r.span));
        }
        let names = state::leaves(&self.before).map(|(name, _, ty)| (name, ty));
        let changed: Vec<_> =
            names.zip(before.iter().zip(state::handles(after))).filter(|(_, (b, a))| **b != *a).collect();
        r.control.pop();
        if changed.is_empty() && r.dissolve_pure_if() {
            let op = if self.or { Op::Or } else { Op::And };
            return (before, r.op(op, &[left, right]));
        }
        let mut sets: Vec<_> = changed.iter().map(|((name, ty), (b, a))| (r.var(name, *ty), **b, *a)).collect();
        sets.push((r.var("right", Type::BOOL), left, right));
        sets.iter().for_each(|&(var, _, new)| r.set(var, new));
        r.begin_else();
        sets.iter().for_each(|&(var, old, _)| r.set(var, old));
        r.end();
        let truth = r.get(sets.pop().expect("it was pushed above").0);
        let mut merged = sets.into_iter();
        let handles = before.iter().zip(state::handles(after)).map(|(&b, a)| match b == a {
            true => b,
            false => merged.next().map_or(b, |(var, ..)| r.get(var)),
        });
        (handles.collect(), truth)
    }
}
