//! What a session knows from earlier programs, and which of their variables grow with what is stored in them.

use super::Session;
use quadra_base::Diagnostic;
use quadra_quasar_hir as hir;
use quadra_quasar_syntax::ast::{Block, NodeId};
use quadra_quasar_vm::builtins;
use quadra_quasar_vm::value::Value;

impl Session {
    /// Whether earlier programs gave a name a value, or defined a function or a type of it.
    pub(super) fn knows(&self, name: &str) -> bool {
        let types = &self.cx.shared.types;
        self.cx.globals.iter().any(|g| *g.0 == *name)
            || self.cx.shared.functions.contains_key(name)
            || types.classes.contains_key(name)
            || types.aliases.contains_key(name)
    }

    /// Whether stores into a variable of earlier programs make room: it is empty, or has grown so.
    fn grows(&self, name: &str) -> bool {
        let empty = |v: &Value| matches!(v, Value::Array(t) if t.is_empty() && t.cell_type.is_none());
        match self.cx.globals.iter().find(|g| *g.0 == *name) {
            Some((_, value)) => empty(value) || self.grown.iter().any(|n| **n == *name),
            None => false,
        }
    }

    /// Rewrites a program so that stores into variables that begin empty make room, and notes which those are.
    pub(super) fn make_room(&mut self, block: &mut Block, next_id: &mut NodeId, said: &mut Vec<Diagnostic>) {
        let outside = hir::grow::Outside {
            known: &|n: &str| self.knows(n),
            built_in: &|n: &str| builtins::named(n).is_some(),
            grows: &|n: &str| self.grows(n),
        };
        let begins = hir::grow::rewrite(block, outside, next_id, said);
        self.grown.retain(|n| !begins.assigned.contains(n));
        self.grown.extend(begins.grown);
    }
}
