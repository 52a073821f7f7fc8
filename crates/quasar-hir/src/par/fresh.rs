//! Arrays that every iteration of a loop makes anew: `next = zeros(n)`, which its end hands on as `row = next`. Two arrays that
//! change names do the same, if the new one is filled first, or every element of it is set before anybody looks. What nobody hands
//! on is one array that all iterations use, one after the other.

use super::Program;
use super::lengths::Steady;
use crate::meaning::{Fill, Meaning};
use crate::scope::Names;
use crate::types::{Env, Precision, Rank, Type};
use quadra_base::quick::Set;
use quadra_quasar_syntax::ast::{
    Arg, BinaryOp, Block, Expr, ExprKind, For, NodeId, Stmt, StmtKind, Text, TypeExpr, TypeExprKind,
};
use quadra_quasar_syntax::pretty;
use std::rc::Rc;

/// Elements that a kernel may keep in registers: what has a constant length up to here needs no memory.
pub const MOST_SMALL: usize = 64;

/// The lengths of a new array.
#[derive(Clone, Debug)]
pub enum Lengths {
    Each(Vec<Expr>),
    /// Those of another array.
    Like(Text),
}

/// An array that every iteration makes anew.
#[derive(Clone, Debug)]
pub struct Fresh {
    pub name: Text,
    pub lengths: Lengths,
    pub element: Type,
    /// Every iteration makes it, so that what the last one has left is there behind the loop.
    pub always: bool,
    /// Its declaration says that reading beyond it is an error (`'checked`).
    pub checked: bool,
}

impl Fresh {
    /// Whether it is so short, whatever the launch, that it needs no memory.
    pub fn is_small(&self) -> bool {
        let Lengths::Each(lengths) = &self.lengths else { return false };
        let number = |e: &Expr| if let ExprKind::Int(n) = e.kind { Some(n) } else { None };
        lengths.iter().try_fold(1i64, |n, e| n.checked_mul(number(e)?)).is_some_and(|n| n <= MOST_SMALL as i64)
    }
}

impl PartialEq for Fresh {
    fn eq(&self, other: &Fresh) -> bool {
        let same = match (&self.lengths, &other.lengths) {
            (Lengths::Each(a), Lengths::Each(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| pretty::expression(a) == pretty::expression(b))
            }
            (Lengths::Like(a), Lengths::Like(b)) => a == b,
            _ => false,
        };
        let alike = (self.always, self.checked) == (other.always, other.checked);
        same && alike && self.name == other.name && self.element.same(&other.element)
    }
}

/// The statements of an iteration in which what was made anew is there already.
#[derive(Clone, Debug, Default)]
pub struct Head {
    pub body: Option<Rc<Block>>,
    /// Loops that fill arrays.
    pub fills: Vec<NodeId>,
}

impl PartialEq for Head {
    fn eq(&self, other: &Head) -> bool {
        self.body.is_some() == other.body.is_some() && self.fills == other.fills
    }
}

/// What `name = zeros(…)` makes, and of which value its elements are.
fn made(stmt: &Stmt, program: &dyn Program) -> Option<(Fresh, i64)> {
    let StmtKind::Expr(e) = &stmt.kind else { return None };
    let (target, value, checked) = match &e.kind {
        ExprKind::Assign { target, op: None, value } => (target, value, false),
        ExprKind::Declare { target, ty, value: Some(value) } => {
            let (ty, checked) = without_check(ty);
            if !declares(&ty, value) {
                return None;
            }
            (target, value, checked)
        }
        _ => return None,
    };
    let (ExprKind::Name(name), ExprKind::Call { callee, args }) = (&target.kind, &value.kind) else { return None };
    let (element, start) = match &callee.kind {
        ExprKind::Name(f) if program.function(f).is_none() && !program.is_inner(f) => {
            match program.library().meaning(f) {
                Meaning::Fill(Fill::Zeros) => (Type::SCALAR, 0),
                Meaning::Fill(Fill::Ones) => (Type::SCALAR, 1),
                _ => return None,
            }
        }
        ExprKind::Type(ty) => (elements(ty)?, 0),
        _ => return None,
    };
    if args.iter().any(|a| !Names::of_expr(&a.value).changes_nothing() || matches!(a.value.kind, ExprKind::Spread(_))) {
        return None;
    }
    let like = match &args[..] {
        [one] => measured(&one.value, program),
        _ => None,
    };
    let lengths = match like {
        Some(array) => Lengths::Like(array),
        None if (1..=2).contains(&args.len()) => Lengths::Each(args.iter().map(|a| a.value.clone()).collect()),
        None => return None,
    };
    Some((Fresh { name: name.clone(), lengths, element, always: false, checked }, start))
}

/// The numbers that arrays of a type have, if it is `vec` or `mat` without modifiers: of floats or of integers of any size.
pub fn elements(ty: &TypeExpr) -> Option<Type> {
    let TypeExprKind::Named { name, rank: None, dims, element } = &ty.kind else { return None };
    if !matches!(&**name, "vec" | "mat") || !dims.is_empty() || !ty.modifiers.is_empty() {
        return None;
    }
    let Some(element) = element else { return Some(Type::SCALAR) };
    let TypeExprKind::Named { name, rank: None, dims, element: None } = &element.kind else { return None };
    let modifiers = &words(&element.modifiers);
    match (Type::of_numbers(name)?, &modifiers[..]) {
        _ if !dims.is_empty() => None,
        (number @ (Type::Int(..) | Type::Scalar(_)), []) => Some(number),
        (Type::Scalar(_), ["single"]) => Some(Type::Scalar(Precision::Single)),
        (Type::Scalar(_), ["double"]) => Some(Type::Scalar(Precision::Double)),
        _ => None,
    }
}

/// Whether numbers of an array of this type are the same in registers as in memory.
pub fn is_kept_exactly(ty: &TypeExpr) -> bool {
    use crate::types::IntKind;
    let (ty, _) = without_check(ty);
    let exact = |t: &Type| {
        matches!(t, Type::Scalar(Precision::Default | Precision::Double) | Type::Int(IntKind::Int | IntKind::I64, _))
    };
    elements(&ty).as_ref().is_some_and(exact)
}

fn words(all: &[Text]) -> Vec<&str> {
    all.iter().map(|m| &**m).collect()
}

/// A type without the modifier that makes reading outside an error, and whether it had that.
fn without_check(ty: &TypeExpr) -> (TypeExpr, bool) {
    let (check, modifiers): (Vec<Text>, Vec<Text>) = ty.modifiers.iter().cloned().partition(|m| **m == *"checked");
    (TypeExpr { modifiers, ..ty.clone() }, !check.is_empty())
}

/// The same of a declaration as it stands in the text.
pub fn declares_new(ty: &TypeExpr, value: &Expr) -> bool {
    declares(&without_check(ty).0, value)
}

/// Whether a declaration says no more of an array than the value that makes it.
fn declares(ty: &TypeExpr, value: &Expr) -> bool {
    let plain = matches!(&ty.kind, TypeExprKind::Named { element: None, .. });
    let made = match &value.kind {
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Type(made) => elements(made),
            _ => Some(Type::SCALAR),
        },
        _ => None,
    };
    match (elements(ty), made) {
        (Some(a), Some(b)) => plain || a.same(&b),
        _ => false,
    }
}

/// The array whose lengths `size(x)` gives.
fn measured(e: &Expr, program: &dyn Program) -> Option<Text> {
    let ExprKind::Call { callee, args } = &e.kind else { return None };
    let ([Arg { value, .. }], ExprKind::Name(f)) = (&args[..], &callee.kind) else { return None };
    let lengths = program.library().meaning(f) == Meaning::Measure(crate::meaning::Measure::Lengths);
    match &value.kind {
        ExprKind::Name(n) if lengths && program.function(f).is_none() && !program.is_inner(f) => Some(n.clone()),
        _ => None,
    }
}

/// What is known of a loop while its arrays are looked for.
struct Search<'a> {
    variable: &'a Text,
    /// What the statements before the end of the body assign.
    all: Names,
    /// Names that its end knows.
    end: Set<Text>,
    env: &'a Env,
    program: &'a dyn Program,
    steady: Steady,
    found: Vec<Fresh>,
    fills: Vec<NodeId>,
}

/// What the statements before the end of a body make anew, and the statements in which that is there already.
pub fn of(f: &For, rest: usize, env: &Env, program: &dyn Program) -> (Vec<Fresh>, Head) {
    let mut head = Head::default();
    let found = more(f, (&f.body[..rest], &f.body[rest..]), env, program, &mut head);
    (found, head)
}

/// The same of statements that have taken the place of the loop's, before its end.
pub fn more(f: &For, (body, end): (&[Stmt], &[Stmt]), env: &Env, program: &dyn Program, head: &mut Head) -> Vec<Fresh> {
    let mut body: Block = body.to_vec();
    let all = Names::of_block(&body);
    let mut known = Set::default();
    note(&Names::of_block(&end.to_vec()), &mut known);
    let steady = Steady::of(&body);
    let (found, fills) = Default::default();
    let mut search = Search { variable: &f.name, all, end: known, env, program, steady, found, fills };
    let always = !super::pattern::continues(&f.body) && !super::counter::breaks(&f.body);
    search.block(&mut body, &Set::default(), always);
    if !search.found.is_empty() {
        head.body = Some(Rc::new(body));
    }
    head.fills.extend(search.fills);
    search.found
}

impl Search<'_> {
    /// `outside`: names that are known elsewhere in the loop than in this block.
    fn block(&mut self, body: &mut Block, outside: &Set<Text>, always: bool) {
        let mut at = 0;
        while at < body.len() {
            let made = self.made_here(body, at, outside);
            if made.is_none() {
                self.note_steady(&body[at]);
            }
            match made {
                Some((fresh, start)) => match self.is_set(&fresh, &body[at + 1..]) {
                    true => {
                        body.remove(at);
                        self.found.push(Fresh { always, ..fresh });
                    }
                    false => {
                        if let Some(fill) = fill(&fresh, start, &body[at], self.env, &mut self.fills) {
                            body[at] = fill;
                            self.found.push(Fresh { always, ..fresh });
                        }
                        at += 1;
                    }
                },
                None => {
                    self.within(body, at, outside);
                    at += 1;
                }
            }
        }
    }

    /// Looks into a statement. What a block in it makes may be known nowhere else: there it could be what an earlier time has left.
    fn within(&mut self, body: &mut Block, at: usize, outside: &Set<Text>) {
        if !matches!(body[at].kind, StmtKind::For(_) | StmtKind::If { .. } | StmtKind::While { .. }) {
            return;
        }
        let mut others: Set<Text> = outside.union(&self.end).cloned().collect();
        note(&Names::of_block(&body[..at].to_vec()), &mut others);
        note(&Names::of_block(&body[at + 1..].to_vec()), &mut others);
        // What is set in there may not have been set behind it.
        let steady = self.steady.clone();
        match &mut body[at].kind {
            StmtKind::For(f) => {
                note(&Names::of_expr(&f.over), &mut others);
                self.block(&mut f.body, &others, false);
            }
            StmtKind::While { condition, body } => {
                note(&Names::of_expr(condition), &mut others);
                self.block(body, &others, false);
            }
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|a| note(&Names::of_expr(&a.0), &mut others));
                for arm in 0..=arms.len() {
                    let mut beside = others.clone();
                    let branches = arms.iter().map(|a| &a.1).chain([&*otherwise]).enumerate();
                    branches.filter(|b| b.0 != arm).for_each(|b| note(&Names::of_block(b.1), &mut beside));
                    let branch = arms.get_mut(arm).map_or(&mut *otherwise, |a| &mut a.1);
                    self.block(branch, &beside, false);
                    self.steady.clone_from(&steady);
                }
            }
            _ => {}
        }
        self.steady = steady;
    }

    /// Whether the loop keeps a variable, or the lengths of the array in it.
    fn keeps(&self, name: &Text) -> bool {
        !self.all.assigns(name) && name != self.variable || self.found.iter().any(|f| f.name == *name)
    }

    fn note_steady(&mut self, stmt: &Stmt) {
        let mut steady = std::mem::take(&mut self.steady);
        steady.note(stmt, &|n| self.keeps(n), self.program);
        self.steady = steady;
    }

    /// Lengths in terms of what the loop keeps.
    fn lengths(&self, lengths: &Lengths) -> Option<Lengths> {
        Some(match lengths {
            Lengths::Each(all) => {
                let of = |e| self.steady.resolved(e, &|n| self.keeps(n), self.program);
                Lengths::Each(all.iter().map(of).collect::<Option<_>>()?)
            }
            Lengths::Like(array) => self.keeps(array).then(|| lengths.clone())?,
        })
    }

    /// The array that a statement makes, if nobody knows it before and it is made nowhere else, with lengths that the loop keeps.
    fn made_here(&self, body: &Block, at: usize, outside: &Set<Text>) -> Option<(Fresh, i64)> {
        let (fresh, start) = made(&body[at], self.program)?;
        let (before, behind) = (Names::of_block(&body[..at].to_vec()), Names::of_block(&body[at + 1..].to_vec()));
        let other = before.mentions(&fresh.name) || behind.assigns(&fresh.name) || outside.contains(&fresh.name);
        let lengths = self.lengths(&fresh.lengths)?;
        (!other && fresh.name != *self.variable).then_some((Fresh { lengths, ..fresh }, start))
    }

    /// Whether the first statement that knows an array is a nest of loops over all of its elements, each of which sets its own.
    fn is_set(&self, fresh: &Fresh, behind: &[Stmt]) -> bool {
        let Lengths::Each(lengths) = &fresh.lengths else { return false };
        let Some(first) = behind.iter().find(|s| Names::of_block(&vec![(*s).clone()]).mentions(&fresh.name)) else {
            return false;
        };
        let (mut stmt, mut variables) = (first, Vec::new());
        for length in lengths {
            let StmtKind::For(f) = &stmt.kind else { return false };
            if !self.counts(&f.over, length) || super::pattern::continues(&f.body) || super::counter::breaks(&f.body) {
                return false;
            }
            variables.push(f.name.clone());
            if variables.len() < lengths.len() {
                let [inner] = &f.body[..] else { return false };
                stmt = inner;
                continue;
            }
            // The statement that sets it is the only one that knows it.
            let knows = |s: &&Stmt| Names::of_block(&vec![(*s).clone()]).mentions(&fresh.name);
            let mut all = f.body.iter().filter(knows);
            let (Some(only), None) = (all.next(), all.next()) else { return false };
            let StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) = &only.kind else {
                return false;
            };
            let ExprKind::Index { base, items } = &target.kind else { return false };
            let own = matches!(&base.kind, ExprKind::Name(n) if *n == fresh.name);
            let at = |(item, variable): (&Expr, &Text)| matches!(&item.kind, ExprKind::Name(n) if n == variable);
            let assigned = Names::of_block(&f.body);
            let changed = variables.iter().any(|v| assigned.assigns(v));
            let apart = (1..variables.len()).all(|k| !variables[..k].contains(&variables[k]));
            return own
                && apart
                && !changed
                && items.len() == variables.len()
                && items.iter().zip(&variables).all(at)
                && !Names::of_expr(value).mentions(&fresh.name);
        }
        false
    }

    /// Whether a loop goes over `0..length-1`.
    fn counts(&self, over: &Expr, length: &Expr) -> bool {
        let ExprKind::Range { from, step: None, to } = &over.kind else { return false };
        let same = || {
            let to = self.steady.resolved(to, &|n| self.keeps(n), self.program)?;
            Some(counts((from, &to), length))
        };
        counts((from, to), length) || same().unwrap_or(false)
    }
}

fn note(names: &Names, into: &mut Set<Text>) {
    into.extend(names.mentioned.iter().chain(&names.assigned).cloned());
}

/// Whether a loop goes over `0..length-1`.
fn counts((from, to): (&Expr, &Expr), length: &Expr) -> bool {
    if !matches!(from.kind, ExprKind::Int(0)) {
        return false;
    }
    let same = |e: &Expr| pretty::expression(e) == pretty::expression(length);
    match (&to.kind, &length.kind) {
        (ExprKind::Binary(BinaryOp::Sub, n, one), _) if matches!(one.kind, ExprKind::Int(1)) => same(n),
        // `zeros(m+1)` and `0..m`.
        (_, ExprKind::Binary(BinaryOp::Add, m, one)) if matches!(one.kind, ExprKind::Int(1)) => {
            pretty::expression(to) == pretty::expression(m)
        }
        (ExprKind::Int(to), ExprKind::Int(n)) => to.checked_add(1) == Some(*n),
        _ => false,
    }
}

/// Loops that fill an array; the innermost one is noted.
fn fill(fresh: &Fresh, start: i64, stmt: &Stmt, env: &Env, fills: &mut Vec<NodeId>) -> Option<Stmt> {
    let StmtKind::Expr(Expr { id, kind, .. }) = &stmt.kind else { return None };
    let (ExprKind::Assign { value, .. } | ExprKind::Declare { value: Some(value), .. }) = kind else { return None };
    let expr = |kind: ExprKind| Expr { id: *id, span: stmt.span, kind };
    let lengths = match &fresh.lengths {
        Lengths::Each(all) => all.clone(),
        Lengths::Like(array) => {
            let ExprKind::Call { args, .. } = &value.kind else { return None };
            let ExprKind::Call { callee, args } = &args.first()?.value.kind else { return None };
            let along = |axis: i64| {
                let mut both = vec![args[0].clone()];
                both.push(Arg { value: expr(ExprKind::Int(axis)), ..args[0].clone() });
                expr(ExprKind::Call { callee: callee.clone(), args: both })
            };
            let two = [along(0), along(1)];
            match env.get(array)? {
                Some(Type::Array { rank: Rank::Fixed(1), .. }) => {
                    let [a, b] = two.map(Box::new);
                    vec![expr(ExprKind::Binary(BinaryOp::Mul, a, b))]
                }
                Some(Type::Array { rank: Rank::Fixed(2), .. }) => two.to_vec(),
                _ => return None,
            }
        }
    };
    let variables: Vec<Text> = (0..lengths.len()).map(|k| format!("{}'{k}", fresh.name).into()).collect();
    let items = variables.iter().map(|v| expr(ExprKind::Name(v.clone()))).collect();
    let target = expr(ExprKind::Index { base: Box::new(expr(ExprKind::Name(fresh.name.clone()))), items });
    let set = ExprKind::Assign { target: Box::new(target), op: None, value: Box::new(expr(ExprKind::Int(start))) };
    let mut inner = Stmt { kind: StmtKind::Expr(expr(set)), span: stmt.span };
    // The statement and its value lend their numbers to loops: no other loop has these.
    let mut number = *id;
    for (name, length) in variables.into_iter().zip(lengths).rev() {
        let last = expr(ExprKind::Binary(BinaryOp::Sub, Box::new(length), Box::new(expr(ExprKind::Int(1)))));
        let over = ExprKind::Range { from: Box::new(expr(ExprKind::Int(0))), step: None, to: Box::new(last) };
        let body = vec![inner];
        let f = For { id: number, name, name_span: stmt.span, over: expr(over), body, span: stmt.span };
        inner = Stmt { kind: StmtKind::For(Box::new(f)), span: stmt.span };
        number = value.id;
    }
    // The innermost loop is the one that was made first.
    fills.push(*id);
    Some(inner)
}
