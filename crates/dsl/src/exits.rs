//! Leaving recorded loops: `break`, `continue` and `return` across several levels, with the variables they carry.
//!
//! A `break` of the kernel IR leaves the innermost loop only. To leave several, a lane sets a flag, leaves the innermost
//! loop, and after each loop on the way a test of the flag leaves the next one. Blocks that Rust can leave early without
//! being loops (the body of an unrolled loop, of a function) are recorded as loops that are left at their end; where
//! nothing left them early the loop is dissolved.

use crate::codes;
use crate::record::{Raw, Recorder, stop};
use crate::state::{self, Item};
use quadra_base::{Diagnostic, Span};
use quadra_kir::{Type, Var};

/// One level of open control flow.
pub(crate) enum Control {
    /// With the place of its condition.
    If(Option<Span>),
    Loop(Box<Target>),
}

/// What an exit does at its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Break,
    Continue,
}

/// A recorded loop, as the target of exits.
pub(crate) struct Target {
    pub id: u32,
    /// One variable per leaf of the list that the loop carries.
    vars: Vec<Var>,
    changed: Vec<bool>,
    /// The variables' contents when the loop was opened.
    before: Vec<Item>,
    /// For loops that repeat: the handles at the top of the body, which the variables hold there.
    top: Option<Vec<Raw>>,
    /// Contents at the first early exit, against which the others are compared.
    first_exit: Option<Vec<Item>>,
    /// Exits recorded so far that leave or repeat this loop, or pass through it.
    pub exits: u32,
    flags: [Option<Var>; 2],
    /// Exits on their way to an outer target.
    passing: Vec<(u32, Exit)>,
    /// Results of `break value` and `return value`.
    value_vars: Vec<Var>,
    value: Option<Vec<Item>>,
}

impl Recorder {
    fn new_target(&mut self, before: Vec<Item>) -> Target {
        self.next_target += 1;
        let vars: Vec<Var> = state::leaves(&before)
            .map(|(name, _, ty)| (name, ty))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(name, ty)| self.var(name, ty))
            .collect();
        Target {
            id: self.next_target,
            changed: vec![false; vars.len()],
            vars,
            before,
            top: None,
            first_exit: None,
            exits: 0,
            flags: [None; 2],
            passing: Vec::new(),
            value_vars: Vec::new(),
            value: None,
        }
    }

    /// Opens a loop that is left at its end, for a block that can be left early. Gives the target's id.
    pub fn open_block(&mut self, before: Vec<Item>) -> u32 {
        let target = self.new_target(before);
        self.begin_loop();
        self.push_target(target)
    }

    fn push_target(&mut self, target: Target) -> u32 {
        let id = target.id;
        self.control.push(Control::Loop(Box::new(target)));
        id
    }

    /// Opens a loop that repeats, counted if bounds are given. Gives the target's id, the variables' handles in the body,
    /// and the induction variable.
    pub fn open_loop(&mut self, before: Vec<Item>, bounds: Option<[Raw; 3]>) -> (u32, Vec<Raw>, Option<Raw>) {
        let mut target = self.new_target(before);
        for (var, raw) in target.vars.clone().into_iter().zip(state::handles(&target.before)) {
            self.set(var, raw);
        }
        let iv = match bounds {
            Some([lo, hi, step]) => Some(self.begin_for(lo, hi, step)),
            None => {
                self.begin_loop();
                None
            }
        };
        let top: Vec<Raw> = target.vars.clone().into_iter().map(|var| self.get(var)).collect();
        target.top = Some(top.clone());
        (self.push_target(target), top, iv)
    }

    /// The target with this id, which must be open.
    pub fn target(&mut self, id: u32) -> &mut Target {
        let found = self.control.iter_mut().find_map(|c| match c {
            Control::Loop(t) if t.id == id => Some(&mut **t),
            _ => None,
        });
        found.unwrap_or_else(|| quadra_base::bug!("exit to a loop that is not open"))
    }

    /// Refuses what Rust has left early: control flow that is still open above the first `depth` levels.
    pub fn only(&self, depth: usize) {
        if let Some(left) = self.control.get(depth..).and_then(<[Control]>::first) {
            stop(self.left_early(left));
        }
    }

    /// The error of control flow that the kernel's Rust has left without its end.
    pub fn left_early(&self, control: &Control) -> Diagnostic {
        let (what, span) = match control {
            Control::If(span) => ("`if`", *span),
            Control::Loop(_) => ("loop", self.span),
        };
        let text = format!("Rust left this {what} of the kernel early");
        let note = "a `break` out of a labelled block and a `return` of a closure jump once, while the kernel is recorded; \
                    lanes would have to part there";
        Diagnostic::error(codes::LEFT, text)
            .at(span.or(self.span))
            .note(note)
            .help("give the block a value by `if` and `else`, or make it a `#[kernel_fn]`, which may return early")
    }

    fn check(&self, result: Result<(), Diagnostic>) {
        if let Err(d) = result {
            stop(d.at(self.span));
        }
    }

    /// Writes the variables for the way out (or round) of a target.
    fn leave_with(&mut self, id: u32, items: Vec<Item>, early: bool) {
        let target = self.target(id);
        let checked = if target.top.is_some() {
            state::compare(&target.before, &items, "in a kernel loop", false)
        } else {
            match &target.first_exit {
                Some(first) => {
                    state::compare(first, &items, "between the ways out of a block that lanes leave early", false)
                }
                None => Ok(()),
            }
        };
        let handles = state::handles(&items);
        let top = target.top.clone();
        let mut sets = Vec::new();
        for (i, &raw) in handles.iter().enumerate() {
            if top.as_ref().is_none_or(|top| top[i] != raw) {
                target.changed[i] = true;
                sets.push((target.vars[i], raw));
            }
        }
        if early && target.first_exit.is_none() {
            target.first_exit = Some(items);
        }
        self.check(checked);
        for (var, raw) in sets {
            self.set(var, raw);
        }
    }

    /// Records an early exit to a target, with the variables' contents and the result it brings, if any.
    pub fn exit(&mut self, id: u32, exit: Exit, items: Vec<Item>, value: Option<Vec<Item>>) {
        if self.b.unreachable() {
            return;
        }
        self.leave_with(id, items, true);
        if let Some(value) = value {
            self.set_value(id, value);
        }
        self.target(id).exits += 1;
        self.jump(id, exit);
    }

    /// Leaves the innermost loop on the way to a target.
    fn jump(&mut self, id: u32, exit: Exit) {
        let innermost = self.control.iter_mut().rev().find_map(|c| match c {
            Control::Loop(t) => Some(t),
            Control::If(_) => None,
        });
        let Some(innermost) = innermost else { quadra_base::bug!("exit without a loop") };
        if innermost.id == id {
            match exit {
                Exit::Break => self.b.break_loop(),
                Exit::Continue => self.b.continue_loop(),
            }
            return;
        }
        innermost.exits += 1;
        if !innermost.passing.contains(&(id, exit)) {
            innermost.passing.push((id, exit));
        }
        let flag = self.flag(id, exit);
        let yes = self.constant(quadra_kir::Const::bool(true));
        self.set(flag, yes);
        self.b.break_loop();
    }

    fn flag(&mut self, id: u32, exit: Exit) -> Var {
        if let Some(flag) = self.target(id).flags[exit as usize] {
            return flag;
        }
        let flag = self.var("leaving", Type::BOOL);
        self.target(id).flags[exit as usize] = Some(flag);
        flag
    }

    /// Records the results of a way out.
    fn set_value(&mut self, id: u32, value: Vec<Item>) {
        let (known, checked) = match &self.target(id).value {
            Some(first) => (true, state::compare(first, &value, "between the ways out", true)),
            None => (false, Ok(())),
        };
        self.check(checked);
        if !known {
            let vars = state::leaves(&value).map(|(_, _, ty)| ty).collect::<Vec<_>>();
            let vars = vars.into_iter().map(|ty| self.var("result", ty)).collect();
            self.target(id).value_vars = vars;
        }
        let vars = self.target(id).value_vars.clone();
        for (var, raw) in vars.into_iter().zip(state::handles(&value)) {
            self.set(var, raw);
        }
        if !known {
            self.target(id).value = Some(value);
        }
    }

    /// Closes a loop that repeats, at the end of its body. Gives the variables' handles after it.
    pub fn close_loop(&mut self, id: u32, items: Vec<Item>) -> (Vec<Raw>, Vec<Raw>) {
        self.innermost(id);
        if !self.b.unreachable() {
            self.leave_with(id, items, false);
        }
        self.end();
        self.pop_target(id)
    }

    /// Closes a block at its end. Gives the handles after it of the variables and of the result, or nothing if nothing left
    /// it early, so that everything is as it was.
    pub fn close_block(&mut self, id: u32, items: Vec<Item>, value: Option<Vec<Item>>) -> Option<(Vec<Raw>, Vec<Raw>)> {
        self.innermost(id);
        if self.target(id).exits == 0 {
            self.dissolve();
            self.control.pop();
            return None;
        }
        if !self.b.unreachable() {
            self.leave_with(id, items, false);
            if let Some(value) = value {
                self.set_value(id, value);
            }
            self.b.break_loop();
        }
        self.end();
        Some(self.pop_target(id))
    }

    /// Refuses what Rust has left early within a loop that ends.
    fn innermost(&self, id: u32) {
        let at = self.control.iter().position(|c| matches!(c, Control::Loop(t) if t.id == id));
        self.only(at.map_or(0, |at| at + 1));
    }

    fn pop_target(&mut self, id: u32) -> (Vec<Raw>, Vec<Raw>) {
        let Some(Control::Loop(target)) = self.control.pop() else { quadra_base::bug!("a loop was not closed") };
        if target.id != id {
            quadra_base::bug!("loops are closed out of order");
        }
        let mut after = Vec::new();
        for (i, raw) in state::handles(&target.before).into_iter().enumerate() {
            after.push(if target.changed[i] { self.get(target.vars[i]) } else { raw });
        }
        let value = target.value_vars.iter().map(|&var| self.get(var)).collect();
        for &(to, exit) in &target.passing {
            self.pass_on(to, exit);
        }
        (after, value)
    }

    /// After a loop that lanes left on their way to an outer target: they go on.
    fn pass_on(&mut self, id: u32, exit: Exit) {
        let flag = self.flag(id, exit);
        let leaving = self.get(flag);
        self.begin_if(leaving);
        self.control.push(Control::If(self.span));
        let arrived = self.control.iter().rev().find_map(|c| match c {
            Control::Loop(t) => Some(t.id == id),
            Control::If(_) => None,
        });
        if arrived == Some(true) {
            let no = self.constant(quadra_kir::Const::bool(false));
            self.set(flag, no);
        }
        self.jump(id, exit);
        self.control.pop();
        self.end();
    }

    /// Ends the kernel for the live lanes. Loops around it count this as a way out.
    pub fn return_kernel(&mut self) {
        if self.b.unreachable() {
            return;
        }
        for control in &mut self.control {
            if let Control::Loop(target) = control {
                target.exits += 1;
            }
        }
        self.b.return_kernel();
    }
}
