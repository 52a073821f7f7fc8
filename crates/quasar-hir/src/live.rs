//! Which variables are looked at after a loop before they are set again: what a kernel must leave in them.

use super::scope::Names;
use crate::meaning::{Library, Meaning};
use quadra_base::quick;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, For, Function, NodeId, StmtKind, Text};

type Set = quick::Set<Text>;

/// Names that may be read after the loop `id` of a body whose end reads `outputs`.
pub fn read_after(body: &Block, id: NodeId, outputs: &Set, library: &Library) -> Set {
    let names = Names::of_block(body);
    if library.any_means(&names.mentioned, &[Meaning::Evaluate]) {
        return names.assigned.into_iter().chain(names.mentioned).collect();
    }
    let mut live =
        Live { id, outputs: outputs.clone(), found: Set::default(), always: Set::default(), loops: Vec::new() };
    live.block(body, outputs.clone());
    live.found.extend(live.always);
    live.found
}

struct Live {
    id: NodeId,
    outputs: Set,
    found: Set,
    /// What functions and handlers read, whenever they run.
    always: Set,
    /// What is read behind the open loops, and at their heads.
    loops: Vec<(Set, Set)>,
}

impl Live {
    /// What is read from the beginning of a block on, if `live` is read behind it.
    fn block(&mut self, block: &Block, mut live: Set) -> Set {
        for stmt in block.iter().rev() {
            live = self.statement(&stmt.kind, live);
        }
        live
    }

    fn statement(&mut self, stmt: &StmtKind, mut live: Set) -> Set {
        match stmt {
            StmtKind::Expr(e) => {
                for name in certain(e) {
                    live.remove(name);
                }
                self.reads(e, &mut live);
            }
            StmtKind::If { arms, otherwise } => {
                let mut all = self.block(otherwise, live.clone());
                for (condition, body) in arms {
                    all.extend(self.block(body, live.clone()));
                    self.reads(condition, &mut all);
                }
                live = all;
            }
            StmtKind::For(f) => live = self.for_loop(f, live),
            StmtKind::While { condition, body } => {
                self.reads(condition, &mut live);
                live = self.cycle(live, &mut |s, head| s.block(body, head));
            }
            StmtKind::Repeat { body, condition } => {
                self.reads(condition, &mut live);
                live = self.cycle(live, &mut |s, head| s.block(body, head));
            }
            StmtKind::Match { value, arms } => {
                let mut all = live.clone();
                for arm in arms {
                    all.extend(self.block(&arm.body, live.clone()));
                    arm.patterns.iter().for_each(|p| self.reads(p, &mut all));
                }
                self.reads(value, &mut all);
                live = all;
            }
            StmtKind::Break | StmtKind::Continue => {
                if let Some((behind, head)) = self.loops.last() {
                    live.extend(behind.iter().chain(head).cloned());
                }
            }
            StmtKind::Return => live.extend(self.outputs.iter().cloned()),
            StmtKind::Module(m) => live = self.block(&m.body, live),
            StmtKind::Try { body, handler, .. } => {
                // An error leaves the body anywhere.
                let handled = self.block(handler, live.clone());
                self.always.extend(handled.iter().chain(&live).cloned());
                live = self.block(body, live);
                live.extend(handled);
            }
            StmtKind::Command { args, .. } => args.iter().for_each(|a| self.reads(&a.value, &mut live)),
            StmtKind::Function(f) => {
                let reads = self.function(f);
                self.always.extend(reads);
            }
            _ => {}
        }
        live
    }

    /// What a function reads that it has not set itself.
    fn function(&mut self, f: &Function) -> Set {
        let ends: Set = f.outputs.iter().map(|o| o.0.clone()).collect();
        let outside = std::mem::replace(&mut self.outputs, ends.clone());
        let loops = std::mem::take(&mut self.loops);
        let mut live = self.block(&f.body, ends);
        (self.outputs, self.loops) = (outside, loops);
        f.value.iter().for_each(|v| self.reads(v, &mut live));
        f.params.iter().filter_map(|p| p.default.as_ref()).for_each(|d| self.reads(d, &mut live));
        live.retain(|name| f.params.iter().all(|p| p.name != *name) && f.outputs.iter().all(|o| o.0 != *name));
        live
    }

    fn for_loop(&mut self, f: &For, live: Set) -> Set {
        if f.id == self.id {
            self.found.extend(live.iter().cloned());
        }
        let mut live = self.cycle(live, &mut |s, head| {
            let mut inner = s.block(&f.body, head);
            inner.remove(&f.name);
            inner
        });
        self.reads(&f.over, &mut live);
        live
    }

    /// A loop whose body reads, if something is read behind it, what `body` says.
    fn cycle(&mut self, behind: Set, body: &mut dyn FnMut(&mut Self, Set) -> Set) -> Set {
        let mut head = behind.clone();
        loop {
            self.loops.push((behind.clone(), head.clone()));
            let mut next = body(self, head.clone());
            self.loops.pop();
            next.extend(head.iter().cloned());
            if next.len() == head.len() {
                return head;
            }
            head = next;
        }
    }

    fn reads(&mut self, e: &Expr, live: &mut Set) {
        live.extend(Names::of_expr(e).mentioned);
    }
}

/// Variables that a statement sets whatever happens.
fn certain(e: &Expr) -> Vec<&Text> {
    let name = |target| match target {
        &Expr { kind: ExprKind::Name(ref name), .. } => Some(name),
        _ => None,
    };
    match &e.kind {
        ExprKind::Assign { target, op: None, .. } => name(target).into_iter().collect(),
        ExprKind::Declare { target, value: Some(_), .. } => name(target).into_iter().collect(),
        ExprKind::MultiAssign { targets, .. } => targets.iter().filter_map(name).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_quasar_syntax::ast::Stmt;

    /// What is read after the first loop of a program.
    fn after(text: &str) -> Vec<String> {
        let block = quadra_quasar_syntax::parser::parse(quadra_base::FileId::of_name("t.q"), text, &mut 0).0.body;
        fn first(block: &[Stmt]) -> Option<NodeId> {
            block.iter().find_map(|s| match &s.kind {
                StmtKind::For(f) => first(&f.body).or(Some(f.id)),
                StmtKind::While { body, .. } => first(body),
                _ => None,
            })
        }
        let id = first(&block).expect("there is a loop");
        let mut names: Vec<String> =
            read_after(&block, id, &Set::default(), &Library::default()).iter().map(|n| n.to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_set_again_is_not_read() {
        assert_eq!(after("for i = 0..3\nt = i\nendfor\nt = 2\nprint t"), [""; 0]);
        assert_eq!(after("for i = 0..3\nt = i\nendfor\nif t > 1\nt = 2\nendif"), ["t"]);
        assert_eq!(after("for i = 0..3\nt = i\nendfor\nfor t = 0..2\nu = t\nendfor"), [""; 0]);
    }

    #[test]
    fn a_loop_around_reads_in_its_next_iteration() {
        assert_eq!(after("while a\nb = t\nfor i = 0..3\nt = i\nendfor\nendwhile"), ["a", "t"]);
        assert_eq!(
            after("for k = 0..2\nfor i = 0..3\nt = i\nendfor\nif k\ncontinue\nendif\nt = 1\nendfor\nprint t"),
            ["k", "t"]
        );
    }

    #[test]
    fn functions_read_whenever_they_are_called() {
        assert_eq!(after("function [] = f()\nprint t\nendfunction\nfor i = 0..3\nt = i\nendfor\nt = 2"), ["t"]);
        // What a function sets first, or gets, is its own.
        let own = "function y = f(t)\nfor k = 0..t\ny = k\nendfor\nendfunction\n";
        assert_eq!(after(&format!("{own}for i = 0..3\nfor k = 0..i\nt = k\nendfor\nendfor")), [""; 0]);
    }
}
