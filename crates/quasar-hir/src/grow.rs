//! Variables that are made by storing elements: `D[i,j] = v` where nothing else gives `D` a value, or only `D = []`, or what does
//! stands behind the first of these stores. They begin empty
//! and have room for whatever is stored. All other arrays keep their size, and an index outside of them is an error. In the same way
//! `s.a = v` makes an object where nothing else makes `s`, and `s[k].a = v` a cell of objects.

use crate::scope::{Names, Root, root};
use quadra_base::quick::Set;
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{
    Arg, Block, Expr, ExprKind, Function, FunctionKind, HOLDING, NodeId, STORED, Stmt, StmtKind, Text,
};
use std::rc::Rc;

/// What the variables of a program may be otherwise.
pub struct Outside<'a> {
    /// Variables and functions from before.
    pub known: &'a dyn Fn(&str) -> bool,
    /// Functions that are built in.
    pub built_in: &'a dyn Fn(&str) -> bool,
    /// Variables from before into which stores make room.
    pub grows: &'a dyn Fn(&str) -> bool,
}

/// What becomes of the variables of a program's own scope, for programs that go on after it.
pub struct Begins {
    /// Those that stores make longer.
    pub grown: Vec<Text>,
    /// Those that something else than an empty array is assigned to.
    pub assigned: Vec<Text>,
}

/// A program in which such variables begin as empty arrays, and stores into them make room. What is said of the variables goes to `said`.
pub fn rewrite(block: &mut Block, outside: Outside, next_id: &mut NodeId, said: &mut Vec<Diagnostic>) -> Begins {
    let names = Names::of_block(block);
    let mut pass = Pass { outside, next_id, said };
    let made = pass.made_by_stores(&names, &Set::default());
    pass.scope(block, &names, &made, &Set::default(), &[]);
    let assigned = names.assigned.iter().filter(|n| names.makes(n)).cloned().collect();
    Begins { grown: made.arrays.into_iter().collect(), assigned }
}

/// What to write instead of a store behind the end of an array.
pub fn instead(name: &str) -> String {
    let name = if name.is_empty() { "x" } else { name };
    format!("stores do not make arrays longer: {name}[end+1] = … appends, {name} = zeros(…) makes room before")
}

/// The names that only stores make.
#[derive(Default)]
struct Made {
    arrays: Set<Text>,
    objects: Set<Text>,
}

impl Made {
    fn is_empty(&self) -> bool {
        self.arrays.is_empty() && self.objects.is_empty()
    }
}

/// The first store of each of these names.
#[derive(Default)]
struct First {
    arrays: Vec<(Text, Span)>,
    objects: Vec<(Text, Span)>,
}

fn note(list: &mut Vec<(Text, Span)>, name: &Text, span: Span) {
    if !list.iter().any(|(n, _)| n == name) {
        list.push((name.clone(), span));
    }
}

struct Pass<'a> {
    outside: Outside<'a>,
    next_id: &'a mut NodeId,
    said: &'a mut Vec<Diagnostic>,
}

impl Pass<'_> {
    fn expr(&mut self, span: Span, kind: ExprKind) -> Expr {
        *self.next_id += 1;
        Expr { id: *self.next_id - 1, span, kind }
    }

    fn call(&mut self, span: Span, function: &str, args: Vec<Expr>) -> Expr {
        let callee = Box::new(self.expr(span, ExprKind::Name(function.into())));
        let args = args.into_iter().map(|value| Arg { name: None, value }).collect();
        self.expr(span, ExprKind::Call { callee, args })
    }

    fn assign(&mut self, span: Span, name: &Text, value: Expr) -> Expr {
        let target = Box::new(self.expr(span, ExprKind::Name(name.clone())));
        self.expr(span, ExprKind::Assign { target, op: None, value: Box::new(value) })
    }

    fn made_by_stores(&self, names: &Names, outer: &Set<Text>) -> Made {
        // A name of the library's is a variable where nobody calls it.
        let function = |n: &Text| (self.outside.built_in)(n) && (names.calls(n) || names.fielded.contains(n));
        let other = |n: &&Text| {
            !(names.makes(n) && !names.begins_by_store(n)
                || outer.contains(*n)
                || names.functions.contains(n)
                || (self.outside.known)(n) && !(self.outside.grows)(n)
                || function(n))
        };
        let arrays: Set<Text> = names.stored.iter().filter(other).cloned().collect();
        let plain = |n: &&Text| !names.assigns(n) && !names.stored.contains(n);
        let objects = names.fielded.iter().filter(other).filter(plain).cloned().collect();
        Made { arrays, objects }
    }

    /// Rewrites the statements of a program or function, whose variables inner functions see.
    fn scope(&mut self, block: &mut Block, names: &Names, made: &Made, outer: &Set<Text>, params: &[Text]) {
        let mut seen: Set<Text> = outer.clone();
        seen.extend(names.assigned.iter().chain(&made.arrays).chain(&made.objects).chain(params).cloned());
        let mut first = First::default();
        self.block(block, made, &seen, &mut first);
        // Attributes stand first in a body.
        let at = block.iter().position(|s| !matches!(s.kind, StmtKind::Attribute(_))).unwrap_or(block.len());
        for (name, span) in first.arrays.into_iter().rev() {
            if outer.is_empty() && params.is_empty() && (self.outside.grows)(&name) {
                continue;
            }
            let begins = names.assigns(&name) && !names.begins_by_store(&name);
            let message = format!("'{name}' grows with what is stored in it");
            let help =
                format!("a size that is known before is quicker, and lets loops run in parallel: {name} = zeros(…)");
            self.said.push(Diagnostic::warning("Q0127", message).at(span).help(help));
            if !begins {
                let empty = self.expr(span, ExprKind::Array(Vec::new()));
                let assign = self.assign(span, &name, empty);
                block.insert(at, Stmt { kind: StmtKind::Expr(assign), span });
            }
        }
        for (name, span) in first.objects.into_iter().rev() {
            let message = format!("'{name}' begins as an object without fields");
            let help = format!("to say so, write {name} = object() before");
            self.said.push(Diagnostic::warning("Q0129", message).at(span).help(help));
            let object = self.call(span, "object", Vec::new());
            let assign = self.assign(span, &name, object);
            block.insert(at, Stmt { kind: StmtKind::Expr(assign), span });
        }
    }

    fn block(&mut self, block: &mut Block, made: &Made, seen: &Set<Text>, first: &mut First) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Expr(e) => self.store(e, made, first),
                StmtKind::If { arms, otherwise } => {
                    arms.iter_mut().for_each(|(_, body)| self.block(body, made, seen, first));
                    self.block(otherwise, made, seen, first);
                }
                StmtKind::For(f) => self.block(&mut f.body, made, seen, first),
                StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => self.block(body, made, seen, first),
                StmtKind::Match { arms, .. } => {
                    arms.iter_mut().for_each(|a| self.block(&mut a.body, made, seen, first));
                }
                StmtKind::Try { body, handler, .. } => {
                    self.block(body, made, seen, first);
                    self.block(handler, made, seen, first);
                }
                StmtKind::Module(module) => self.block(&mut module.body, made, seen, first),
                StmtKind::Function(f) if f.kind == FunctionKind::Host => self.function(f, seen),
                _ => {}
            }
        }
    }

    fn function(&mut self, function: &mut Rc<Function>, outer: &Set<Text>) {
        let names = Names::of_function(function);
        let params: Vec<Text> = function.params.iter().map(|p| p.name.clone()).collect();
        let typed = |n: &Text| function.outputs.iter().any(|(name, ty)| name == n && ty.is_some());
        // What a function gives is its own, whatever has that name outside of it.
        let mut others = outer.clone();
        for (name, _) in &function.outputs {
            others.remove(name);
        }
        let mut made = self.made_by_stores(&names, &others);
        made.arrays.retain(|n| !params.contains(n) && !typed(n));
        made.objects.retain(|n| !params.contains(n) && !typed(n));
        let has_inner = !names.functions.is_empty();
        if made.is_empty() && !has_inner {
            return;
        }
        let mut changed = Function::clone(function);
        self.scope(&mut changed.body, &names, &made, outer, &params);
        *function = Rc::new(changed);
    }

    /// `D[i,j] = v` becomes `D = stored(D, v, i, j)`, also where it is one of several results.
    fn store(&mut self, e: &mut Expr, made: &Made, first: &mut First) {
        match &mut e.kind {
            ExprKind::Assign { target, op: None, value } => {
                if let Some(store) = self.stored(target, value, made, first) {
                    *e = store;
                } else if let Some(holds) = self.held(target, made, first) {
                    let store = self.expr(e.span, std::mem::replace(&mut e.kind, ExprKind::Missing));
                    e.kind = ExprKind::Sequence(vec![holds, store]);
                }
            }
            ExprKind::MultiAssign { targets, .. } => {
                let mut stores = Vec::new();
                for target in targets.iter_mut() {
                    // The name has a blank, so that no program can mean it.
                    let result = self.expr(target.span, ExprKind::Name(format!("result {}", self.next_id).into()));
                    if let Some(store) = self.stored(target, &result, made, first) {
                        *target = result;
                        stores.push(store);
                    }
                }
                if !stores.is_empty() {
                    let results = self.expr(e.span, std::mem::replace(&mut e.kind, ExprKind::Missing));
                    e.kind = ExprKind::Sequence(std::iter::once(results).chain(stores).collect());
                }
            }
            _ => {}
        }
    }

    fn stored(&mut self, target: &Expr, value: &Expr, made: &Made, first: &mut First) -> Option<Expr> {
        let ExprKind::Index { base, items } = &target.kind else { return None };
        let ExprKind::Name(name) = &base.kind else { return None };
        if !made.arrays.contains(name) {
            return None;
        }
        let mut args = vec![base.as_ref().clone(), value.clone()];
        args.extend(self.indices(items)?);
        note(&mut first.arrays, name, target.span);
        let longer = self.call(target.span, STORED, args);
        Some(self.assign(target.span, name, longer))
    }

    /// What makes room for a store into a field: `s = holding(s,i)` before `s[i].a = v`. Objects within an object are made here, too:
    /// in `s.a.b = v`, `s.a` becomes `holding(s,"a")`.
    fn held(&mut self, target: &mut Expr, made: &Made, first: &mut First) -> Option<Expr> {
        let span = target.span;
        match root(target)? {
            Root::Element(name, items) if made.arrays.contains(name) => {
                let name = name.clone();
                let items = self.indices(items)?;
                note(&mut first.arrays, &name, span);
                let variable = self.expr(span, ExprKind::Name(name.clone()));
                let room = self.call(span, HOLDING, std::iter::once(variable).chain(items).collect());
                self.inner_objects(target);
                Some(self.assign(span, &name, room))
            }
            Root::Object(name) if made.objects.contains(name) => {
                note(&mut first.objects, &name.clone(), span);
                self.inner_objects(target);
                None
            }
            _ => None,
        }
    }

    fn inner_objects(&mut self, target: &mut Expr) {
        let ExprKind::Field { base, .. } = &mut target.kind else { return };
        self.inner_objects(base);
        let span = base.span;
        if let ExprKind::Field { base: outer, name, .. } = &base.kind {
            let (outer, name) = (outer.as_ref().clone(), name.clone());
            let name = self.expr(span, ExprKind::Str(name));
            **base = self.call(span, HOLDING, vec![outer, name]);
        }
    }

    /// Indices as arguments: `:` as a text.
    fn indices(&mut self, items: &[Expr]) -> Option<Vec<Expr>> {
        let mut args = Vec::new();
        for item in items {
            args.push(match item.kind {
                ExprKind::Spread(_) => return None,
                ExprKind::Colon => self.expr(item.span, ExprKind::Str(":".into())),
                _ => item.clone(),
            });
        }
        Some(args)
    }
}
