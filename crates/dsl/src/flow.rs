//! What `#[kernel]` turns `if`, `while`, `for`, `loop`, `break`, `continue` and `return` into.
//!
//! The type of a condition or range decides: [`Mask`] and [`Range`](crate::Range) record kernel control flow, `bool` and
//! Rust iterators run now, while the kernel is recorded. The code that the macro writes is the same for both. It runs both
//! arms of a kernel `if` and the body of a kernel loop once, and shows the variables that they may change to the recording
//! (a [`List`]) before and after.

use crate::exits::{Control, Exit};
use crate::record::{self, Raw};
use crate::state::{self, Item, List};
use crate::value::Mask;
use quadra_kir::Var;
use std::panic::Location;

type At = &'static Location<'static>;

/// What a condition turned out to be.
#[derive(Clone, Copy)]
pub enum Condition {
    /// Known while recording.
    Host(bool),
    /// Recorded, as the truth value of each lane.
    Kernel(Raw),
}

/// What `if` and `while` take: `bool` is evaluated while the kernel is recorded, [`Mask`] in the kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition",
    label = "expected a comparison, `any(…)`, `all(…)` or a Rust `bool`",
    note = "compare it with something, for example `x != 0`"
)]
pub trait Cond {
    /// Whether the condition is evaluated in the kernel.
    const KERNEL: bool;
    /// The condition itself.
    fn condition(self) -> Condition;
}

impl Cond for bool {
    const KERNEL: bool = false;
    fn condition(self) -> Condition {
        Condition::Host(self)
    }
}

impl Cond for Mask {
    const KERNEL: bool = true;
    fn condition(self) -> Condition {
        Condition::Kernel(self.raw)
    }
}

/// An `if`. The macro asks [`then`](If::then) and [`otherwise`](If::otherwise) whether to run the arms, and tells when it
/// [leaves](If::leave) one.
pub struct If {
    at: At,
    condition: Condition,
    before: Vec<Item>,
    vars: Vec<Var>,
    changed: Vec<bool>,
    in_else: bool,
    /// Levels of open control flow, this one included.
    depth: usize,
    value: Option<(Vec<Item>, Vec<Var>)>,
}

impl If {
    /// Begins with a condition and the variables that the arms may change.
    #[track_caller]
    pub fn begin<C: Cond>(condition: C, list: List<'_>) -> If {
        let at = Location::caller();
        let condition = condition.condition();
        let mut this = If {
            at,
            condition,
            before: Vec::new(),
            vars: Vec::new(),
            changed: Vec::new(),
            in_else: false,
            depth: 0,
            value: None,
        };
        if let Condition::Kernel(raw) = condition {
            this.before = state::read(list);
            record::with(at, |r| {
                for (name, old, ty) in state::leaves(&this.before) {
                    let var = r.var(name, ty);
                    r.set(var, old);
                    this.vars.push(var);
                }
                r.begin_if(raw);
                r.control.push(Control::If(r.span));
                this.depth = r.control.len();
            });
            this.changed = vec![false; this.vars.len()];
        }
        this
    }

    /// Whether to run the first arm.
    pub fn then(&self) -> bool {
        !matches!(self.condition, Condition::Host(false))
    }

    /// Whether to run the second arm.
    pub fn otherwise(&self) -> bool {
        !matches!(self.condition, Condition::Host(true))
    }

    /// At the end of an arm, with the arm's value, if it has one.
    pub fn leave(&mut self, list: List<'_>, value: List<'_>) {
        if let Condition::Host(_) = self.condition {
            return;
        }
        let after = state::read(list);
        let value = state::read(value);
        let before = state::handles(&self.before);
        record::with(self.at, |r| {
            r.only(self.depth);
            if !r.b.unreachable() {
                if let Err(d) = state::compare(&self.before, &after, "under a kernel `if`", false) {
                    record::stop(d.at(r.span));
                }
                for (i, new) in state::handles(&after).into_iter().enumerate() {
                    if new != before[i] {
                        self.changed[i] = true;
                        r.set(self.vars[i], new);
                    }
                }
                self.set_value(r, value);
            }
        });
        state::write(list, &before);
    }

    /// Between the arms.
    pub fn turn(&mut self) {
        if let Condition::Kernel(_) = self.condition {
            record::with(self.at, |r| r.begin_else());
            self.in_else = true;
        }
    }

    fn set_value(&mut self, r: &mut record::Recorder, value: Vec<Item>) {
        if let Some((first, _)) = &self.value {
            if let Err(d) = state::compare(first, &value, "of a kernel `if`", true) {
                record::stop(d.at(r.span));
            }
        } else {
            let vars = state::leaves(&value).map(|(_, _, ty)| ty).collect::<Vec<_>>();
            let vars = vars.into_iter().map(|ty| r.var("value", ty)).collect();
            self.value = Some((Vec::new(), vars));
        }
        let (first, vars) = self.value.as_mut().expect("it was put there above");
        for (var, raw) in vars.iter().zip(state::handles(&value)) {
            r.set(*var, raw);
        }
        if first.is_empty() {
            *first = value;
        }
    }

    /// After the arms: puts what was merged into the variables and the value.
    pub fn end(self, list: List<'_>, value: List<'_>) {
        if let Condition::Host(_) = self.condition {
            return;
        }
        let (merged, result) = record::with(self.at, |r| {
            r.only(self.depth);
            r.control.pop();
            r.end();
            let before = state::handles(&self.before);
            let merged: Vec<Raw> = before
                .into_iter()
                .enumerate()
                .map(|(i, old)| if self.changed[i] { r.get(self.vars[i]) } else { old })
                .collect();
            let result: Vec<Raw> = match &self.value {
                Some((_, vars)) => vars.iter().map(|&var| r.get(var)).collect(),
                None => Vec::new(),
            };
            (merged, result)
        });
        state::write(list, &merged);
        state::write(value, &result);
    }
}

/// The body of a function that can be left early by `return`.
pub struct Body {
    at: At,
    id: Option<u32>,
    depth: usize,
}

impl Body {
    /// Before the body, with what the function can change of its caller's variables.
    #[track_caller]
    pub fn begin(list: List<'_>) -> Body {
        let at = Location::caller();
        if !record::is_recording() {
            return Body { at, id: None, depth: 0 };
        }
        let before = state::read(list);
        let id = record::with(at, |r| r.open_block(before));
        Body { at, id: Some(id), depth: record::depth() }
    }

    /// A `return` with its value. Says whether Rust must do it; otherwise it was recorded.
    #[track_caller]
    pub fn exit(&mut self, list: List<'_>, value: List<'_>) -> bool {
        let at = Location::caller();
        let Some(id) = self.id else { return true };
        if record::depth() == self.depth {
            return true;
        }
        let items = state::read(list);
        let value = state::read(value);
        record::with(at, |r| r.exit(id, Exit::Break, items, Some(value)));
        false
    }

    /// After the body, with the value of its last way out.
    pub fn end(self, list: List<'_>, value: List<'_>) {
        let Some(id) = self.id else { return };
        let items = state::read(&mut *list);
        let result = state::read(&mut *value);
        if let Some((after, result)) = record::with(self.at, |r| r.close_block(id, items, Some(result))) {
            state::write(list, &after);
            state::write(value, &result);
        }
    }
}

/// A `return` of a kernel. Says whether Rust must do it; otherwise it was recorded.
#[track_caller]
pub fn return_kernel() -> bool {
    if record::depth() == 0 {
        return true;
    }
    record::with(Location::caller(), |r| r.return_kernel());
    false
}

/// Where no way leads on: a function that never returns a value.
#[track_caller]
pub fn never() -> ! {
    let at = quadra_base::Span::of_caller(Location::caller());
    record::stop(quadra_base::Diagnostic::error(crate::codes::ENDLESS, "nothing in a kernel leads on from here").at(at))
}
