//! Arrays that iterations assign as a whole: `v = A[:,j]`, then `v = v - r*Q[:,i]`, or `P = F*P*transpose(F) + Q`. Where such a
//! variable has the same lengths after every assignment, one array of the loop's own can stand for it, whose elements the assignments
//! set. That is right as long as nobody else has the array that stands under the name: the name is read only where a new value is
//! computed of it.

use super::Program;
use crate::meaning::{Fill, Library, Meaning};
use crate::scope::Names;
use crate::types::{Env, Type};
use quadra_base::quick::Set;
use quadra_quasar_syntax::ast::{Arg, Block, Expr, ExprKind, For, NodeId, Stmt, StmtKind, Text, UnaryOp};
use quadra_quasar_syntax::pretty;

/// An array that iterations assign as a whole.
#[derive(Clone, Debug)]
pub struct Whole {
    pub name: Text,
    /// What the loop assigns, the first statement of its text first.
    pub values: Vec<Expr>,
    /// An iteration may read what stands under the name before the loop, or what another iteration has left.
    pub kept: bool,
    /// Every iteration assigns it, so that what the last one has left is there behind the loop.
    pub always: bool,
}

impl PartialEq for Whole {
    fn eq(&self, other: &Whole) -> bool {
        let text = |w: &Whole| w.values.iter().map(pretty::expression).collect::<Vec<_>>();
        self.name == other.name
            && self.kept == other.kept
            && self.always == other.always
            && self.values.len() == other.values.len()
            && text(self) == text(other)
    }
}

/// The arrays of a loop that are assigned as a whole, and what tells their lengths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wholes {
    pub arrays: Vec<Whole>,
    /// The assignments' targets.
    pub targets: Vec<NodeId>,
    /// Other variables that the loop assigns: as what, and those of its loops.
    pub others: Vec<Whole>,
    pub counters: Vec<Text>,
}

impl Wholes {
    /// Whether there are arrays that need memory: those that last, or change.
    pub fn are_needed(&self) -> bool {
        self.arrays.iter().any(|w| w.kept || w.values.len() > 1)
    }

    pub fn has(&self, name: &str) -> bool {
        self.arrays.iter().any(|w| *w.name == *name)
    }
}

struct Search<'a> {
    env: &'a Env,
    program: &'a dyn Program,
}

/// Finds the arrays that a body assigns as a whole, and makes the assignments such of all their elements. `end` are the statements
/// behind it that give names other arrays.
pub fn rewrite(f: &For, body: &mut Block, end: &Block, env: &Env, program: &dyn Program) -> Wholes {
    let mut found = Wholes::default();
    let names = Names::of_block(body);
    let search = Search { env, program };
    let mut assigned = Vec::new();
    assignments(body, &mut assigned, &mut found.counters);
    found.counters.push(f.name.clone());
    let behind = Names::of_block(end);
    // What holds an array because of what is known already says of others that they do.
    let mut known: Set<Text> = Set::default();
    loop {
        let more = names.assigned.iter().filter(|n| !known.contains(*n) && !found.counters.contains(n));
        let is_array = |n: &Text| assigned.iter().any(|a| a.0 == *n && search.gives_array(&a.1, &known));
        let more: Vec<Text> = more.filter(|n| is_array(n)).cloned().collect();
        if more.is_empty() {
            break;
        }
        known.extend(more);
    }
    for name in &names.assigned {
        let values: Vec<Expr> = assigned.iter().filter(|a| a.0 == *name).map(|a| a.1.clone()).collect();
        if values.is_empty() || behind.mentions(name) || behind.assigns(name) || found.counters.contains(name) {
            continue;
        }
        let (kept, always) = match begins(body, name) {
            Some(top) => (false, top && !super::pattern::continues(&f.body)),
            None => (true, true),
        };
        let whole = Whole { name: name.clone(), values, kept, always };
        let only = search.is_only_assigned(body, name);
        // A store before the first assignment would be one to the array that others may have, too.
        let stored = kept && stores_first(body, name);
        // What a list of numbers makes anew is kept in registers.
        let listed = !kept && whole.values.iter().all(|v| matches!(v.kind, ExprKind::Array(_)));
        if known.contains(name) && only && !stored && !listed && !search.escapes(body, name) {
            found.arrays.push(whole);
        } else {
            found.others.push(whole);
        }
    }
    let arrays: Set<Text> = found.arrays.iter().map(|w| w.name.clone()).collect();
    search.replace(body, &arrays, &mut found.targets);
    found
}

/// The plain assignments of variables in a block, `v op= e` as `v op e`, and the variables of its loops.
fn assignments(block: &Block, into: &mut Vec<(Text, Expr)>, counters: &mut Vec<Text>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Expr(e) => into.extend(assignment(e)),
            StmtKind::For(f) => {
                counters.push(f.name.clone());
                assignments(&f.body, into, counters);
            }
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => assignments(body, into, counters),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|a| assignments(&a.1, into, counters));
                assignments(otherwise, into, counters);
            }
            _ => {}
        }
    }
}

fn assignment(e: &Expr) -> Option<(Text, Expr)> {
    let ExprKind::Assign { target, op, value } = &e.kind else { return None };
    let ExprKind::Name(name) = &target.kind else { return None };
    let value = match op {
        None => (**value).clone(),
        Some(op) => {
            let kind = ExprKind::Binary(*op, target.clone(), value.clone());
            Expr { id: e.id, span: e.span, kind }
        }
    };
    Some((name.clone(), value))
}

/// Whether an iteration may store an element of a variable before it assigns that.
fn stores_first(body: &Block, name: &Text) -> bool {
    let assigns = |s: &Stmt| matches!(&s.kind, StmtKind::Expr(e) if assignment(e).is_some_and(|a| a.0 == *name));
    let before = body.iter().take_while(|s| !assigns(s)).cloned().collect();
    Names::of_block(&before).stored.contains(name)
}

/// Whether the first statement of a block that knows a name assigns it, without a look at it before: then every iteration has its own.
/// The answer says whether that is a statement of the block itself, or of one within that is the only one to know the name.
fn begins(block: &Block, name: &Text) -> Option<bool> {
    let knows = |s: &Stmt| {
        let names = Names::of_block(&vec![s.clone()]);
        names.mentions(name) || names.assigns(name)
    };
    let mut all = block.iter().filter(|s| knows(s));
    let first = all.next()?;
    let alone = all.next().is_none();
    let within = |b: &Block| begins(b, name).map(|_| false);
    match &first.kind {
        StmtKind::Expr(e) => {
            assignment(e).filter(|(n, v)| n == name && !Names::of_expr(v).mentions(name)).map(|_| true)
        }
        StmtKind::For(f) if alone && !Names::of_expr(&f.over).mentions(name) => within(&f.body),
        StmtKind::While { condition, body } if alone && !Names::of_expr(condition).mentions(name) => within(body),
        StmtKind::If { arms, otherwise } if alone => {
            let looks = arms.iter().any(|a| Names::of_expr(&a.0).mentions(name));
            let mut blocks = arms.iter().map(|a| &a.1).chain([otherwise]);
            let knowing = |b: &&Block| b.iter().any(knows);
            let all = blocks.by_ref().filter(knowing).all(|b| begins(b, name).is_some());
            (!looks && all).then_some(false)
        }
        _ => None,
    }
}

impl Search<'_> {
    fn library(&self) -> &'static Library {
        self.program.library()
    }

    /// The meaning of a built-in function.
    fn meaning(&self, callee: &Expr) -> Option<Meaning> {
        let ExprKind::Name(f) = &callee.kind else { return None };
        let own = self.program.function(f).is_some() || self.program.is_inner(f) || self.env.contains_key(f);
        (!own).then(|| self.library().meaning(f))
    }

    fn type_of(&self, name: &str) -> Option<&Type> {
        self.env.get(name).and_then(Option::as_ref)
    }

    /// Whether the text says that an expression is an array of more than one element.
    fn gives_array(&self, e: &Expr, known: &Set<Text>) -> bool {
        match &e.kind {
            ExprKind::Name(n) => known.contains(n) || matches!(self.type_of(n), Some(Type::Array { .. })),
            ExprKind::Unary(_, a) => self.gives_array(a, known),
            ExprKind::Binary(_, a, b) => self.gives_array(a, known) || self.gives_array(b, known),
            ExprKind::Index { items, .. } => {
                items.iter().any(|i| matches!(i.kind, ExprKind::Colon | ExprKind::Range { .. }))
            }
            ExprKind::Array(items) => !items.is_empty(),
            ExprKind::Call { callee, args } => match self.meaning(callee) {
                Some(Meaning::Fill(_) | Meaning::Identity) => true,
                Some(Meaning::Map(_) | Meaning::Pair(_) | Meaning::Copy | Meaning::Transpose | Meaning::Formula(_)) => {
                    args.iter().any(|a| self.gives_array(&a.value, known))
                }
                Some(Meaning::Extreme(_)) => args.len() == 2 && args.iter().any(|a| self.gives_array(&a.value, known)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a name gets values from nothing but statements that assign it.
    fn is_only_assigned(&self, block: &Block, name: &Text) -> bool {
        block.iter().all(|stmt| match &stmt.kind {
            StmtKind::Expr(e) => match assignment(e) {
                Some((_, value)) => !Names::of_expr(&value).assigns(name),
                None => !Names::of_expr(e).assigns(name),
            },
            StmtKind::For(f) => !Names::of_expr(&f.over).assigns(name) && self.is_only_assigned(&f.body, name),
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                !Names::of_expr(condition).assigns(name) && self.is_only_assigned(body, name)
            }
            StmtKind::If { arms, otherwise } => {
                arms.iter().all(|a| !Names::of_expr(&a.0).assigns(name) && self.is_only_assigned(&a.1, name))
                    && self.is_only_assigned(otherwise, name)
            }
            _ => !Names::of_block(&vec![stmt.clone()]).assigns(name),
        })
    }

    /// Whether the array that stands under a name may come to stand elsewhere, too.
    fn escapes(&self, block: &Block, name: &Text) -> bool {
        block.iter().any(|stmt| match &stmt.kind {
            StmtKind::Expr(e) => match &e.kind {
                ExprKind::Assign { target: assigned_to, op, value } => {
                    let target = match &assigned_to.kind {
                        ExprKind::Name(_) => false,
                        ExprKind::Index { base, items } => {
                            let own = matches!(&base.kind, ExprKind::Name(_));
                            !own && self.hands_on(base, name) || items.iter().any(|i| self.hands_on_operand(i, name))
                        }
                        _ => Names::of_expr(assigned_to).mentions(name),
                    };
                    // What is computed with it, or stored as the elements of a slice, is copied.
                    let slice = |i: &Expr| matches!(i.kind, ExprKind::Colon | ExprKind::Range { .. });
                    let sliced = |e: &Expr| matches!(&e.kind, ExprKind::Index { items, .. } if items.iter().any(slice));
                    let stores = op.is_some() || sliced(assigned_to);
                    target || if stores { self.hands_on_operand(value, name) } else { self.hands_on(value, name) }
                }
                _ => self.hands_on(e, name),
            },
            StmtKind::For(f) => self.hands_on(&f.over, name) || self.escapes(&f.body, name),
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                self.hands_on_operand(condition, name) || self.escapes(body, name)
            }
            StmtKind::If { arms, otherwise } => {
                arms.iter().any(|a| self.hands_on_operand(&a.0, name) || self.escapes(&a.1, name))
                    || self.escapes(otherwise, name)
            }
            _ => Names::of_block(&vec![stmt.clone()]).mentions(name),
        })
    }

    /// Whether the value of an expression may be the array of a name itself.
    fn hands_on(&self, e: &Expr, name: &Text) -> bool {
        match &e.kind {
            ExprKind::Name(n) => n == name,
            ExprKind::Index { base, items } => {
                let own = matches!(&base.kind, ExprKind::Name(_));
                !own && self.hands_on(base, name) || items.iter().any(|i| self.hands_on_operand(i, name))
            }
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Not, a) => self.hands_on_operand(a, name),
            ExprKind::Binary(_, a, b) => self.hands_on_operand(a, name) || self.hands_on_operand(b, name),
            ExprKind::Array(items) => items.iter().any(|i| self.hands_on(i, name)),
            ExprKind::Call { callee, args } if self.computes(callee) => {
                args.iter().any(|a| self.hands_on_operand(&a.value, name))
            }
            // What it gives may be its argument, but not what that was computed from.
            ExprKind::Call { callee, args } if self.meaning(callee).is_some_and(Meaning::only_computes) => {
                args.iter().any(|a| self.hands_on(&a.value, name))
            }
            ExprKind::Ternary(c, a, b) => {
                self.hands_on_operand(c, name) || self.hands_on(a, name) || self.hands_on(b, name)
            }
            _ => Names::of_expr(e).mentions(name),
        }
    }

    /// The same of what takes part in the computation of another value.
    fn hands_on_operand(&self, e: &Expr, name: &Text) -> bool {
        match &e.kind {
            ExprKind::Name(_) => false,
            ExprKind::And(a, b) => self.hands_on_operand(a, name) || self.hands_on_operand(b, name),
            ExprKind::Or(a, b) => self.hands_on_operand(a, name) || self.hands_on_operand(b, name),
            ExprKind::Range { from, step: None, to } => {
                self.hands_on_operand(from, name) || self.hands_on_operand(to, name)
            }
            ExprKind::Call { callee, args }
                if matches!(self.meaning(callee), Some(Meaning::Map(_) | Meaning::Transpose | Meaning::Float)) =>
            {
                args.iter().any(|a| self.hands_on_operand(&a.value, name))
            }
            _ => self.hands_on(e, name),
        }
    }

    /// Whether a function makes a new value of its arguments.
    fn computes(&self, callee: &Expr) -> bool {
        matches!(
            self.meaning(callee),
            Some(
                Meaning::Sum
                    | Meaning::Product
                    | Meaning::Mean
                    | Meaning::Norm
                    | Meaning::DotProduct
                    | Meaning::Truth { .. }
                    | Meaning::Extreme(_)
                    | Meaning::Pair(_)
                    | Meaning::Measure(_)
                    | Meaning::Copy
            )
        )
    }

    /// Makes the assignments of these names such of all elements, and notes their targets.
    fn replace(&self, block: &mut Block, names: &Set<Text>, targets: &mut Vec<NodeId>) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Expr(e) => {
                    let Some((name, value)) = assignment(e).filter(|a| names.contains(&a.0)) else { continue };
                    let ExprKind::Assign { target, .. } = &e.kind else { continue };
                    let colon = Expr { id: target.id, span: target.span, kind: ExprKind::Colon };
                    let base = Box::new(Expr { kind: ExprKind::Name(name), ..(**target).clone() });
                    let items = vec![colon.clone(), colon];
                    let all = Expr { id: target.id, span: target.span, kind: ExprKind::Index { base, items } };
                    targets.push(target.id);
                    let value = Box::new(self.without_copy(value));
                    e.kind = ExprKind::Assign { target: Box::new(all), op: None, value };
                }
                StmtKind::For(f) => self.replace(&mut f.body, names, targets),
                StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => self.replace(body, names, targets),
                StmtKind::If { arms, otherwise } => {
                    arms.iter_mut().for_each(|a| self.replace(&mut a.1, names, targets));
                    self.replace(otherwise, names, targets);
                }
                _ => {}
            }
        }
    }

    /// The elements that are stored: those of an array that would be copied, or the number that a new array is full of.
    fn without_copy(&self, e: Expr) -> Expr {
        let ExprKind::Call { callee, args } = &e.kind else { return e };
        match (self.meaning(callee), &args[..]) {
            (Some(Meaning::Copy), [Arg { value, name: None }]) => self.without_copy(value.clone()),
            (Some(Meaning::Fill(fill @ (Fill::Zeros | Fill::Ones))), _) => {
                let kind = ExprKind::Float(f64::from(u8::from(fill == Fill::Ones)));
                Expr { kind, ..e }
            }
            _ => e,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meaning::{Facts, Gives};
    use quadra_quasar_syntax::ast::Function;
    use std::rc::Rc;
    use std::sync::LazyLock;

    const fn facts(name: &'static str, meaning: Meaning) -> Facts {
        Facts { name, meaning, gives: Gives::Unknown, host_only: false }
    }
    const SUM: Facts = facts("sum", Meaning::Sum);
    const COPY: Facts = facts("copy", Meaning::Copy);
    const TRANSPOSE: Facts = facts("transpose", Meaning::Transpose);
    static LIBRARY: LazyLock<Library> = LazyLock::new(|| [&SUM, &COPY, &TRANSPOSE].into_iter().collect());

    struct Nothing;

    impl Program for Nothing {
        fn library(&self) -> &'static Library {
            &LIBRARY
        }

        fn function(&self, _name: &str) -> Option<Rc<Function>> {
            None
        }

        fn lambda(&self, _name: &str) -> Option<Rc<Function>> {
            None
        }

        fn is_inner(&self, _name: &str) -> bool {
            false
        }

        fn type_of(&mut self, _e: &Expr, _env: &mut Env) -> Option<Type> {
            None
        }
    }

    /// What is found in a body, each with whether it is kept and always assigned, and how many assignments were made such of elements.
    fn of(body: &str) -> (Vec<(String, bool, bool)>, usize) {
        let text = format!("for t=1..9\n{body}\nendfor\n");
        let program = quadra_quasar_syntax::parser::parse(quadra_base::FileId::of_name("t.q"), &text, &mut 0).0;
        let StmtKind::For(f) = &program.body[0].kind else { panic!("a loop") };
        let found = rewrite(f, &mut f.body.clone(), &Vec::new(), &Env::default(), &Nothing);
        (found.arrays.iter().map(|w| (w.name.to_string(), w.kept, w.always)).collect(), found.targets.len())
    }

    fn one(name: &str, kept: bool, always: bool) -> Vec<(String, bool, bool)> {
        vec![(name.to_string(), kept, always)]
    }

    #[test]
    fn arrays_begin_anew_or_last() {
        assert_eq!(of("v = a[:,t]\nv = v - 2*v\ny[t] = sum(v)"), (one("v", false, true), 2));
        assert_eq!(of("for k=0..t\nv = a[:,k]\nv -= b\nendfor"), (one("v", false, false), 2));
        assert_eq!(of("if t > 3\nv = a[t,:]\nelse\nv = copy(b[:,0])\nendif\ny[t] = 2"), (one("v", false, false), 2));
        assert_eq!(of("y[t] = v[t]\nv = a[t,:] + v"), (one("v", true, true), 1));
        assert_eq!(of("if t > 3\nv = a[t,:]\nendif\ny[t] = sum(v)"), (one("v", true, true), 1));
        assert_eq!(of("if t > 3\ncontinue\nendif\nv = a[t,:]\nv = v + 1"), (one("v", false, false), 2));
        // What has the form of another is an array, too.
        assert_eq!(of("v = a[t,:]\nw = 2*v\nw = w + 1").0.len(), 2);
        assert_eq!(of("v = a[t,:]\nv = v + 1\nb[t,:] = v").0.len(), 1);
        assert_eq!(of("p = p*transpose(p) + a[0..1,0..1]\np[0,0] = 2"), (one("p", true, true), 1));
    }

    #[test]
    fn an_array_that_others_may_have_is_left_alone() {
        for body in [
            "v = a[t,:]\nw = v\nv = v + 1",
            "v = a[t,:]\nw = transpose(v)\nv = v + 1",
            "v = a[t,:]\nw = t > 2 ? v : b\nv = v + 1",
            "v = a[t,:]\nw = f(v)\nv = v + 1",
            "v = a[t,:]\nc = {v, 1}\nv = v + 1",
            "v = a[t,:]\nc[t] = v\nv = v + 1",
            "v = a[t,:]\n[v, w] = [w, v]",
            // A store to the array that was there before the loop.
            "v[t] = 1\nv = a[t,:] + v",
            // Numbers.
            "v = a[t,0]\nv = v + 1",
        ] {
            assert_eq!(of(body).0.iter().filter(|w| w.0 == "v").count(), 0, "{body}");
        }
    }
}
