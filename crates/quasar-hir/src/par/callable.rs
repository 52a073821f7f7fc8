//! Functions by what a kernel can do with them.

use super::advice::{Kind, Reason};
use super::body::Body;
use super::program::Program;
use crate::types::Env;
use quadra_quasar_syntax::ast::{Function, FunctionKind, Text};
use std::collections::HashSet;

impl Body<'_> {
    /// A function that the loop calls must be able to run on a device, too.
    pub(super) fn callee(&mut self, name: &Text, f: &Function, program: &mut dyn Program) {
        if f.kind == FunctionKind::Kernel {
            return self.hard(format!("it calls the kernel '{name}'"));
        }
        if !self.called.insert(name.clone()) {
            return;
        }
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
        let found = inner.reasons.iter().find(|r| r.kind == Kind::Hard).map(|r| r.text.clone());
        let write = inner.accesses.iter().find(|a| a.write);
        let why = found.or(write.map(|w| format!("it changes elements of '{}'", w.array)));
        if let Some(why) = why {
            let reason = Reason::new(Kind::Hard, format!("it calls '{name}', which cannot run on a device"));
            self.reasons.push(reason.also(self.here, format!("of '{name}': {why}")));
        }
    }
}
