//! Names that do not stand for what they seem to: two names of one array within an iteration, and functions of the program that
//! are called like built-in ones.

use super::advice::{Kind, Reason};
use super::body::Body;
use super::program::Program;
use crate::meaning::{Library, Meaning};
use crate::scope::Names;
use quadra_quasar_syntax::ast::{Expr, ExprKind, Text};
use std::collections::{HashMap, HashSet};

/// Functions of the language whose meaning the analysis knows.
fn known(library: &Library) -> impl Iterator<Item = &'static str> {
    library.all().filter(|f| f.meaning.guides_analysis()).map(|f| f.name).chain(["int"])
}

/// What a body does to names, whatever the order.
#[derive(Default)]
pub struct OtherNames {
    /// How often variables are assigned.
    sets: HashMap<Text, u32>,
    /// Variables of iterations of which an element is written.
    stored: HashSet<Text>,
    /// `a` and `b` where `a = b` makes them two names of one array, and the function that makes a new one unless it is the program's.
    pairs: Vec<(Text, Text, Option<Text>)>,
    /// Of the functions that the analysis knows, those that are others here.
    others: Vec<(&'static str, bool)>,
}

impl OtherNames {
    pub fn set(&mut self, name: &Text) {
        *self.sets.entry(name.clone()).or_default() += 1;
    }

    pub fn store(&mut self, name: &Text) {
        self.stored.insert(name.clone());
    }

    /// Whether a vector of an iteration holds the same from its one assignment on.
    pub fn is_set_once(&self, name: &Text) -> bool {
        self.sets.get(name) == Some(&1) && !self.stored.contains(name)
    }

    /// Notes `target = value`.
    pub fn assign(&mut self, target: &Expr, value: &Expr, library: &Library) {
        match &target.kind {
            ExprKind::Name(name) => {
                let mut found = Vec::new();
                arrays(value, library, &mut found);
                let maker = match &value.kind {
                    ExprKind::Call { callee, .. } => match &callee.kind {
                        ExprKind::Name(f) if library.allocates(f) => Some(f),
                        _ => None,
                    },
                    _ => None,
                };
                self.pairs.extend(found.into_iter().map(|a| (name.clone(), a, maker.cloned())));
            }
            ExprKind::TypeCheck(inner, _) => self.assign(inner, value, library),
            _ => {}
        }
    }

    /// Notes `[targets] = value`.
    pub fn assign_all(&mut self, targets: &[Expr], value: &Expr, library: &Library) {
        let values = match &value.kind {
            ExprKind::Array(items) | ExprKind::Sequence(items) => items,
            _ => std::slice::from_ref(value),
        };
        targets.iter().for_each(|t| values.iter().for_each(|v| self.assign(t, v, library)));
    }

    /// A function of the program that is called like one whose meaning the analysis knows, in the body or where `called`.
    pub fn redefined(&self, called: impl Fn(&str) -> bool) -> Option<&'static str> {
        self.others.iter().find(|(n, in_body)| *in_body || called(n)).map(|o| o.0)
    }
}

/// Arrays that an expression may hand on without a copy.
fn arrays(e: &Expr, library: &Library, out: &mut Vec<Text>) {
    match &e.kind {
        ExprKind::Name(n) => out.push(n.clone()),
        ExprKind::Ternary(_, a, b) => [a, b].into_iter().for_each(|e| arrays(e, library, out)),
        ExprKind::Assign { target, .. } => arrays(target, library, out),
        ExprKind::TypeCheck(a, _) => arrays(a, library, out),
        ExprKind::Call { callee, .. } if matches!(callee.kind, ExprKind::Type(_)) => {}
        // A function of the program may give its argument.
        ExprKind::Call { callee, args } if !matches!(&callee.kind, ExprKind::Name(n) if library.works_on_device(n)) => {
            args.iter().for_each(|a| arrays(&a.value, library, out));
        }
        _ => {}
    }
}

impl Body<'_> {
    /// Elements that are written under one name and may be read under another: iterations share them, or a kernel, in which
    /// small arrays are registers, would keep them apart.
    pub(super) fn refuse_other_names(&mut self, program: &dyn Program) {
        let others =
            known(self.library).filter(|n| self.is_own(n, program)).map(|n| (n, self.assigned.calls(n))).collect();
        self.other_names.others = others;
        for (name, array, maker) in std::mem::take(&mut self.other_names.pairs) {
            if maker.is_some_and(|f| !self.is_own(&f, program)) {
                continue;
            }
            let stored = &self.other_names.stored;
            if !self.assigned.assigns(&array) {
                if stored.contains(&name) {
                    let text = format!("'{name}' is another name of '{array}', which all iterations write");
                    self.reasons.push(Reason::dependency(text).help(format!("make a copy: {name} = copy({array})")));
                }
            } else if stored.contains(&name) || stored.contains(&array) {
                let text = format!("'{name}' is another name of '{array}', of which elements are written");
                self.reasons.push(Reason::new(Kind::Hard, text).help(format!("make a copy: {name} = copy({array})")));
            }
        }
    }

    /// Whether an expression is a call of a function of the program.
    pub(super) fn calls_own(&self, e: &Expr, program: &dyn Program) -> bool {
        let ExprKind::Call { callee, .. } = &e.kind else { return false };
        matches!(&callee.kind, ExprKind::Name(n) if self.is_own(n, program))
    }

    fn is_own(&self, function: &str, program: &dyn Program) -> bool {
        self.env_has(function) || program.function(function).is_some() || program.is_inner(function)
    }

    /// The loop variable of `ind2pos(size, variable)`, and the size.
    pub(super) fn position_vector(&self, value: &Expr) -> Option<(Text, Expr)> {
        let ExprKind::Call { callee, args } = &value.kind else { return None };
        let [size, variable] = &args[..] else { return None };
        let changes = Names::of_expr(&size.value).mentioned.iter().any(|n| self.assigned.assigns(n));
        let ExprKind::Name(v) = &variable.value.kind else { return None };
        let inverse = self.library.calls(callee, |m| m == Meaning::PositionOfNumber);
        (inverse && self.loops.contains(v) && !changes).then(|| (v.clone(), size.value.clone()))
    }
}
