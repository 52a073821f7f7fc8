//! Statements at the end of a loop's body that give arrays other names: `[a, b] = [b, a]`, or `spare = before; before = u;
//! u = next; next = spare`. A loop that steps through time ends so. What such statements do does not depend on the iteration, so
//! that the rest of the body can be looked at as if the names were arrays.

use super::{Body, Plan, Program, serial};
use crate::scope::Names;
use crate::types::{Env, Type};
use quadra_quasar_syntax::ast::{Expr, ExprKind, For, Stmt, StmtKind, Text};

/// Names that pass arrays on at the end of every iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rotation {
    /// Statements at the end of the body that say so.
    pub statements: usize,
    /// A name, and the one whose array it takes; all in these pairs are different arrays if they were before the loop.
    pub takes: Vec<(Text, Text)>,
    /// Names that only help.
    pub lost: Vec<Text>,
}

impl Rotation {
    /// The name whose array a name has after so many iterations.
    pub fn after<'a>(&'a self, name: &'a Text, iterations: u64) -> &'a Text {
        let period = self.period().max(1) as u64;
        let next = |n: &'a Text| self.takes.iter().find(|t| t.0 == *n).map_or(n, |t| &t.1);
        // What a name has after two iterations is what the name that it took from had after one.
        (0..iterations % period).fold(name, |n, _| next(n))
    }

    /// Iterations after which all names have the arrays that they began with.
    pub fn period(&self) -> usize {
        let cycle = |start: &Text| {
            let mut at = start;
            (1..=self.takes.len())
                .find(|_| {
                    at = self.takes.iter().find(|t| t.0 == *at).map_or(start, |t| &t.1);
                    at == start
                })
                .unwrap_or(1)
        };
        let gcd = |mut a: usize, mut b: usize| {
            while b > 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        self.takes.iter().map(|t| cycle(&t.0)).fold(1, |all, n| all / gcd(all, n) * n)
    }
}

/// What a statement gives to names, if that is all that it does.
fn moves(stmt: &Stmt) -> Option<Vec<(Text, Text)>> {
    let StmtKind::Expr(e) = &stmt.kind else { return None };
    let name = |e: &Expr| if let ExprKind::Name(n) = &e.kind { Some(n.clone()) } else { None };
    match &e.kind {
        ExprKind::Assign { target, op: None, value } => Some(vec![(name(target)?, name(value)?)]),
        ExprKind::MultiAssign { targets, value } => {
            let (ExprKind::Array(values) | ExprKind::Sequence(values)) = &value.kind else { return None };
            let pairs = targets.iter().zip(values).map(|(t, v)| Some((name(t)?, name(v)?)));
            (targets.len() == values.len()).then(|| pairs.collect()).flatten()
        }
        _ => None,
    }
}

/// How the end of a loop's body passes arrays on, if it does and nothing else does.
fn rotation(f: &For, env: &Env) -> Option<Rotation> {
    let statements = f.body.iter().rev().take_while(|s| moves(s).is_some()).count();
    let rest = f.body.len() - statements;
    let mut holds: Vec<(Text, Text)> = Vec::new();
    for pairs in f.body[rest..].iter().filter_map(moves) {
        let of = |n: &Text| holds.iter().find(|h| h.0 == *n).map_or_else(|| n.clone(), |h| h.1.clone());
        let new: Vec<(Text, Text)> = pairs.into_iter().map(|(to, from)| (to, of(&from))).collect();
        holds.retain(|h| !new.iter().any(|n| n.0 == h.0));
        holds.extend(new);
    }
    holds.retain(|h| h.0 != h.1);
    let mut before = Names::of_block(&f.body[..rest].to_vec());
    before.expr(&f.over);
    let helps = |n: &Text| !before.mentions(n) && !before.assigns(n) && !holds.iter().any(|h| h.1 == *n);
    let lost: Vec<Text> = holds.iter().map(|h| h.0.clone()).filter(helps).collect();
    let takes: Vec<(Text, Text)> = holds.iter().filter(|h| !lost.contains(&h.0)).cloned().collect();
    let is_array = |n: &Text| matches!(env.get(n), Some(Some(Type::Array { .. })));
    let all = takes.iter().all(|(to, from)| {
        takes.iter().any(|t| t.0 == *from) && takes.iter().filter(|t| t.1 == *from).count() == 1 && is_array(to)
    });
    let own = |n: &Text| *n == f.name || before.assigns(n);
    let apart = !takes.iter().map(|t| &t.0).chain(&lost).any(own);
    (!takes.is_empty() && all && apart).then_some(Rotation { statements, takes, lost })
}

/// How a loop that passes arrays on at its end is carried out in order, if nothing else stands in the way of a kernel.
pub(super) fn plan(f: &For, env: &Env, program: &mut dyn Program) -> Option<Plan> {
    let rotation = rotation(f, env)?;
    let mut head = f.clone();
    head.body.truncate(f.body.len() - rotation.statements);
    let body = Body::collect(&head.body, std::slice::from_ref(&f.name), env, program);
    let mut plan = serial(&body, &head)?;
    plan.serial.as_mut()?.rotation = rotation;
    Some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str, arrays: &[&str]) -> Option<Rotation> {
        let text = format!("for t=1..9\n{body}\nendfor\n");
        let program = quadra_quasar_syntax::parser::parse(quadra_base::FileId::of_name("t.q"), &text, &mut 0).0;
        let StmtKind::For(f) = &program.body[0].kind else { panic!("a loop") };
        let mut env = Env::default();
        for name in arrays {
            let ty = Type::Array {
                rank: crate::types::Rank::Fixed(1),
                element: std::rc::Rc::new(Type::SCALAR),
                dims: Vec::new(),
            };
            env.insert((*name).into(), Some(ty));
        }
        rotation(f, &env)
    }

    #[test]
    fn exchanges_and_rotations_have_periods() {
        let two = of("b[t] = a[t]\n[a, b] = [b, a]", &["a", "b"]).expect("an exchange");
        assert_eq!((two.period(), two.statements, two.lost.len()), (2, 1, 0));
        let three = of("c[t] = a[t] + b[t]\ns = b\nb = a\na = c\nc = s", &["a", "b", "c"]).expect("three in a ring");
        assert_eq!((three.period(), three.statements, three.lost.len()), (3, 4, 1));
        let (a, b, c): (Text, Text, Text) = ("a".into(), "b".into(), "c".into());
        assert_eq!([three.after(&a, 1), three.after(&b, 1), three.after(&c, 1)], [&c, &a, &b]);
        assert_eq!([three.after(&a, 2), three.after(&a, 3), three.after(&a, 7)], [&b, &a, &c]);
        let both = of("x[t] = a[t]\n[a, b] = [b, a]\n[x, y, z] = [y, z, x]", &["a", "b", "x", "y", "z"]);
        assert_eq!(both.map(|r| r.period()), Some(6));
    }

    #[test]
    fn what_loses_an_array_or_is_no_array_is_no_rotation() {
        assert_eq!(of("b[t] = a[t]\na = b", &["a", "b"]), None);
        assert_eq!(of("b[t] = a[t]\n[a, b] = [b, b]", &["a", "b"]), None);
        assert_eq!(of("x[t] = a + b\n[a, b] = [b, a]", &["x"]), None);
        assert_eq!(of("a = b\nb[t] = a[t]", &["a", "b"]), None);
        assert_eq!(of("s[t] = a[t]\ns = a\na = b\nb = s", &["a", "b", "s"]), None);
    }
}
