//! Functions by what a kernel can do with them.

use super::advice::{Kind, Reason};
use super::body::Body;
use super::counter::breaks;
use super::program::Program;
use super::uses::Access;
use crate::scope::Names;
use crate::types::Env;
use quadra_quasar_syntax::ast::{Arg, Block, ExprKind, Function, FunctionKind, StmtKind, Text};
use std::collections::HashSet;

impl Body<'_> {
    /// A function that the loop calls must be able to run on a device, too. Where it changes elements of arrays that it is given, the
    /// iterations run in order.
    pub(super) fn callee(&mut self, name: &Text, f: &Function, args: &[&Arg], program: &mut dyn Program) {
        if f.kind == FunctionKind::Kernel {
            return self.hard(format!("it calls the kernel '{name}'"));
        }
        if !self.called.contains_key(name) {
            self.called.insert(name.clone(), Vec::new());
            match self.changed_by(f, program) {
                Ok(changed) => drop(self.called.insert(name.clone(), changed)),
                Err(why) => return self.cannot_run(name, &why),
            }
        }
        for param in self.called[name].clone() {
            let array = args.get(param).filter(|_| args.iter().all(|a| a.name.is_none()));
            match array.map(|a| &a.value.kind) {
                Some(ExprKind::Name(array)) => self.changes(name, &array.clone(), args),
                _ => self.cannot_run(name, &format!("it changes elements of '{}'", f.params[param].name)),
            }
        }
    }

    fn cannot_run(&mut self, name: &Text, why: &str) {
        let reason = Reason::new(Kind::Hard, format!("it calls '{name}', which cannot run on a device"));
        self.reasons.push(reason.also(self.here, format!("of '{name}': {why}")));
    }

    /// A call that changes elements of an array, nobody knows which.
    fn changes(&mut self, name: &Text, array: &Text, args: &[&Arg]) {
        let reason = Reason::new(Kind::InOrder, format!("it calls '{name}', which changes elements of '{array}'"));
        self.reasons.push(reason.also(self.here, "here"));
        let (Some(span), items) = (self.here, args.iter().map(|a| a.value.clone()).collect()) else { return };
        let (inner, guards) = (self.open.clone(), self.guards.clone());
        self.accesses.push(Access { array: array.clone(), items, span, update: None, write: true, inner, guards });
    }

    /// The numbers of the parameters whose elements a function changes, or why it cannot run on a device.
    fn changed_by(&mut self, f: &Function, program: &mut dyn Program) -> Result<Vec<usize>, String> {
        let mut defined: HashSet<Text> = f.params.iter().map(|p| p.name.clone()).collect();
        let empty = Env::default();
        let called = std::mem::take(&mut self.called);
        let mut inner = Body::empty(&empty, self.library);
        (inner.inner_loops, inner.called, inner.of_function) = (1, called, true);
        for default in f.params.iter().filter_map(|p| p.default.as_ref()) {
            inner.expr(default, &mut defined, program);
        }
        inner.block(&f.body, &mut defined, program);
        if let Some(value) = &f.value {
            inner.expr(value, &mut defined, program);
        }
        self.called = std::mem::take(&mut inner.called);
        if let Some(hard) = inner.reasons.iter().find(|r| r.kind == Kind::Hard) {
            return Err(hard.text.clone());
        }
        let set = Names::of_block(&f.body);
        let mut changed = Vec::new();
        for write in inner.accesses.iter().filter(|a| a.write) {
            // A parameter that is assigned may stand for another array.
            match f.params.iter().position(|p| p.name == write.array) {
                Some(param) if !set.assigns(&write.array) => changed.push(param),
                _ => return Err(format!("it changes elements of '{}'", write.array)),
            }
        }
        changed.sort_unstable();
        changed.dedup();
        match changed.first() {
            Some(first) if has_whole_loops(&f.body) => {
                Err(format!("it changes elements of '{}' and has loops of its own", f.params[*first].name))
            }
            _ => Ok(changed),
        }
    }
}

/// Whether there are loops that nothing leaves early. They may be parallel themselves: in order with the loop that calls the function,
/// a kernel would carry them out on one worker.
fn has_whole_loops(body: &Block) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::For(f) => !breaks(&f.body) || has_whole_loops(&f.body),
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| has_whole_loops(&a.1)) || has_whole_loops(otherwise),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| has_whole_loops(&a.body)),
        StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => has_whole_loops(body),
        _ => false,
    })
}
