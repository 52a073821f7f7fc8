//! Arrays that iterations assign as a whole: `v = A[:,j]`, then `v = v - r*Q[:,i]`, or `P = F*P*transpose(F) + Q`. Where such a
//! variable has the same lengths after every assignment, one array of the loop's own can stand for it, whose elements the assignments
//! set. That is right as long as nobody else has the array that stands under the name: the name is read only where a new value is
//! computed of it. What an iteration makes under another name, and hands on as `v = t` before it forgets `t`, is copied.

use super::Program;
use super::fresh::{self, Fresh};
use super::hands::{Search, assignment};
use crate::meaning::{Fill, Meaning};
use crate::scope::Names;
use crate::types::Env;
use quadra_base::quick::Set;
use quadra_quasar_syntax::ast::{Arg, Block, Expr, ExprKind, For, NodeId, Stmt, StmtKind, Text};
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
    /// A declaration says that reading beyond it is an error.
    pub checked: bool,
}

impl Whole {
    /// Whether one statement makes it: it is one of those that iterations make anew.
    fn is_made_once(&self) -> bool {
        match &self.values[..] {
            [one] if !self.kept => {
                matches!(&one.kind, ExprKind::Call { callee, .. } if matches!(callee.kind, ExprKind::Type(_)))
            }
            _ => false,
        }
    }

    /// Whether the loop computes nothing of all elements: it fills the array, or copies what stands under other names.
    pub fn is_only_copied(&self) -> bool {
        self.values.iter().all(|v| match &v.kind {
            ExprKind::Name(_) => true,
            ExprKind::Call { callee, .. } => matches!(callee.kind, ExprKind::Type(_)),
            _ => false,
        })
    }
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
    /// Those that set all elements to one number.
    pub fills: Vec<NodeId>,
    /// Names of new arrays that are handed on, and forgotten.
    pub moved: Vec<Text>,
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

/// Finds the arrays that a body assigns as a whole, and makes the assignments such of all their elements. `end` are the statements
/// behind it that give names other arrays. What makes those of `fresh` has been taken out of the body.
pub fn rewrite(
    f: &For,
    (body, fresh): (&mut Block, &[Fresh]),
    end: &Block,
    env: &Env,
    program: &dyn Program,
) -> Wholes {
    let mut found = Wholes::default();
    let names = Names::of_block(body);
    let search = Search { env, program };
    let mut assigned = Vec::new();
    assignments(body, &mut assigned, &mut found.counters);
    found.counters.push(f.name.clone());
    let behind = Names::of_block(end);
    let known = arrays_of(&names, &assigned, &found.counters, &search);
    for name in &names.assigned {
        let values: Vec<Expr> = assigned.iter().filter(|a| a.0 == *name).map(|a| a.1.clone()).collect();
        if values.is_empty() && !found.counters.contains(name) {
            // It gets its values in another way.
            let (name, values) = (name.clone(), Vec::new());
            found.others.push(Whole { name, values, kept: true, always: false, checked: false });
            continue;
        }
        if behind.mentions(name) || behind.assigns(name) || found.counters.contains(name) {
            continue;
        }
        let (kept, always) = match begins(body, name) {
            Some(top) => (false, top && !super::pattern::continues(&f.body) && !super::counter::breaks(&f.body)),
            None => (true, true),
        };
        let checked = declares_checked(body, name);
        let whole = Whole { name: name.clone(), values, kept, always, checked };
        let handed = |v: &Expr| if let ExprKind::Name(from) = &v.kind { Some(from.clone()) } else { None };
        let from: Vec<Text> = whole.values.iter().filter_map(handed).collect();
        let forgotten = from.iter().all(|n| is_forgotten(body, n, fresh.iter().any(|f| f.name == *n), program));
        let only = search.is_only_assigned(body, name);
        // A store before the first assignment would be one to the array that others may have, too.
        let stored = kept && stores_first(body, name);
        // What a list of numbers makes anew is kept in registers.
        let listed = !kept && whole.values.iter().all(|v| matches!(v.kind, ExprKind::Array(_)));
        if known.contains(name) && only && !stored && !listed && !whole.is_made_once() && forgotten {
            found.moved.extend(from);
            found.arrays.push(whole);
        } else {
            found.others.push(whole);
        }
    }
    // What is handed on to one of them is copied, which is why others may have to go, too.
    loop {
        let arrays: Set<Text> = found.arrays.iter().map(|w| w.name.clone()).collect();
        let (gone, stay): (Vec<Whole>, Vec<Whole>) =
            std::mem::take(&mut found.arrays).into_iter().partition(|w| search.escapes(body, &w.name, &arrays));
        found.arrays = stay;
        if gone.is_empty() {
            search.replace(body, &arrays, &mut found);
            return found;
        }
        found.others.extend(gone);
    }
}

/// Names that the text says to hold arrays.
fn arrays_of(names: &Names, assigned: &[(Text, Expr)], counters: &[Text], search: &Search<'_>) -> Set<Text> {
    // What holds an array because of what is known already says of others that they do.
    let mut known: Set<Text> = Set::default();
    loop {
        let more = names.assigned.iter().filter(|n| !known.contains(*n) && !counters.contains(n));
        let is_array = |n: &Text| assigned.iter().any(|a| a.0 == *n && search.gives_array(&a.1, &known));
        let more: Vec<Text> = more.filter(|n| is_array(n)).cloned().collect();
        if more.is_empty() {
            break;
        }
        known.extend(more);
    }
    known
}

/// Whether a block has a declaration of an array of this name that makes reading beyond it an error.
fn declares_checked(block: &Block, name: &Text) -> bool {
    let mut found = false;
    each_block(block, &mut |b| {
        found |= b.iter().any(|s| match &s.kind {
            StmtKind::Expr(Expr { kind: ExprKind::Declare { target, ty, .. }, .. }) => {
                matches!(&target.kind, ExprKind::Name(n) if n == name) && ty.modifiers.iter().any(|m| **m == *"checked")
            }
            _ => false,
        });
    });
    found
}

/// A block, and those within it.
fn each_block(block: &Block, f: &mut dyn FnMut(&Block)) {
    f(block);
    for stmt in block {
        match &stmt.kind {
            StmtKind::For(l) => each_block(&l.body, f),
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => each_block(body, f),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|a| each_block(&a.1, f));
                each_block(otherwise, f);
            }
            _ => {}
        }
    }
}

/// Whether a block makes an array anew before it does anything else with it, hands it on, and does nothing with it any more: whoever has
/// it then has it alone. No other statement knows the name. `made_before`: the statement that makes it is not there any more, and stood
/// before all that know it.
fn is_forgotten(body: &Block, name: &Text, made_before: bool, program: &dyn Program) -> bool {
    let knows = |s: &Stmt| {
        let names = Names::of_block(&vec![s.clone()]);
        names.mentions(name) || names.assigns(name)
    };
    let made = |s: &Stmt| {
        let new = |v: &Expr| !Names::of_expr(v).mentions(name) && is_new(v, program);
        matches!(&s.kind, StmtKind::Expr(e) if assignment(e).is_some_and(|(n, v)| n == *name && new(&v)))
    };
    let all: Vec<usize> = (0..body.len()).filter(|at| knows(&body[*at])).collect();
    let Some(first) = all.first() else { return false };
    if made(&body[*first]) || made_before && all.len() > 1 {
        let rest = body[first + 1..].to_vec();
        return !Names::of_block(&rest).assigns(name) && is_last(&rest, name, false);
    }
    // One block knows it.
    let [only] = all[..] else { return false };
    match &body[only].kind {
        StmtKind::For(f) => {
            !Names::of_expr(&f.over).mentions(name) && is_forgotten(&f.body, name, made_before, program)
        }
        StmtKind::While { condition, body } => {
            !Names::of_expr(condition).mentions(name) && is_forgotten(body, name, made_before, program)
        }
        StmtKind::If { arms, otherwise } => {
            let mut blocks = arms.iter().map(|a| &a.1).chain([otherwise]).filter(|b| b.iter().any(knows));
            !arms.iter().any(|a| Names::of_expr(&a.0).mentions(name))
                && matches!((blocks.next(), blocks.next()), (Some(b), None) if is_forgotten(b, name, made_before, program))
        }
        _ => false,
    }
}

/// Whether a value is an array that nobody else has.
fn is_new(v: &Expr, program: &dyn Program) -> bool {
    match &v.kind {
        ExprKind::Binary(..) => true,
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Type(ty) => fresh::elements(ty).is_some(),
            ExprKind::Name(f) if program.function(f).is_none() && !program.is_inner(f) => {
                matches!(program.library().meaning(f), Meaning::Fill(_) | Meaning::Identity | Meaning::Copy)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether statements that hand the array of a name on, as `other = name`, are the last to know the name on every way through a block.
/// `after`: what comes behind the block knows it.
fn is_last(block: &[Stmt], name: &Text, after: bool) -> bool {
    let leaves = matches!(block.last().map(|s| &s.kind), Some(StmtKind::Break | StmtKind::Continue));
    (0..block.len()).all(|at| {
        let rest = block[at + 1..].to_vec();
        let later = Names::of_block(&rest).mentions(name) || after && !leaves;
        match &block[at].kind {
            StmtKind::Expr(e) => !hands(e, name) || !later,
            StmtKind::If { arms, otherwise } => {
                arms.iter().map(|a| &a.1).chain([otherwise]).all(|b| is_last(b, name, later))
            }
            // In a loop what comes first may come again.
            StmtKind::For(f) => is_last(&f.body, name, true),
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => is_last(body, name, true),
            _ => !Names::of_block(&vec![block[at].clone()]).mentions(name),
        }
    })
}

/// Whether a statement is `other = name`.
fn hands(e: &Expr, name: &Text) -> bool {
    assignment(e).is_some_and(|(_, value)| matches!(&value.kind, ExprKind::Name(n) if n == name))
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

    /// Makes the assignments of these names such of all elements, and notes their targets.
    fn replace(&self, block: &mut Block, names: &Set<Text>, found: &mut Wholes) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Expr(e) => {
                    let Some((name, value)) = assignment(e).filter(|a| names.contains(&a.0)) else { continue };
                    let (ExprKind::Assign { target, .. } | ExprKind::Declare { target, .. }) = &e.kind else {
                        continue;
                    };
                    let colon = Expr { id: target.id, span: target.span, kind: ExprKind::Colon };
                    let base = Box::new(Expr { kind: ExprKind::Name(name), ..(**target).clone() });
                    let items = vec![colon.clone(), colon];
                    let all = Expr { id: target.id, span: target.span, kind: ExprKind::Index { base, items } };
                    found.targets.push(target.id);
                    let (value, fills) = self.without_copy(value);
                    found.fills.extend(fills.then_some(target.id));
                    let value = Box::new(value);
                    e.kind = ExprKind::Assign { target: Box::new(all), op: None, value };
                }
                StmtKind::For(f) => self.replace(&mut f.body, names, found),
                StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => self.replace(body, names, found),
                StmtKind::If { arms, otherwise } => {
                    arms.iter_mut().for_each(|a| self.replace(&mut a.1, names, found));
                    self.replace(otherwise, names, found);
                }
                _ => {}
            }
        }
    }

    /// The elements that are stored: those of an array that would be copied, or the number that a new array is full of, which the answer
    /// says.
    fn without_copy(&self, e: Expr) -> (Expr, bool) {
        let ExprKind::Call { callee, args } = &e.kind else { return (e, false) };
        match (self.meaning(callee), &args[..]) {
            (Some(Meaning::Copy), [Arg { value, name: None }]) => self.without_copy(value.clone()),
            (Some(Meaning::Fill(fill @ (Fill::Zeros | Fill::Ones))), _) => {
                let kind = ExprKind::Float(f64::from(u8::from(fill == Fill::Ones)));
                (Expr { kind, ..e }, true)
            }
            _ if matches!(callee.kind, ExprKind::Type(_)) => (Expr { kind: ExprKind::Int(0), ..e }, true),
            _ => (e, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meaning::{Facts, Gives, Library};
    use crate::types::Type;
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
        let found = rewrite(f, (&mut f.body.clone(), &[]), &Vec::new(), &Env::default(), &Nothing);
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
        // What another such variable is assigned is copied.
        assert_eq!(of("v = a[t,:]\nw = transpose(v)\nv = v + 1").0.len(), 2);
        assert_eq!(of("p = p*transpose(p) + a[0..1,0..1]\np[0,0] = 2"), (one("p", true, true), 1));
    }

    #[test]
    fn an_array_that_others_may_have_is_left_alone() {
        for body in [
            "v = a[t,:]\nw = v\nv = v + 1",
            "v = a[t,:]\nw = transpose(v)\nc[t] = w\nv = v + 1",
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
