//! Statements at the end of a loop's body that give arrays other names: `[a, b] = [b, a]`, or `spare = before; before = u;
//! u = next; next = spare`. A loop that steps through time ends so. What such statements do does not depend on the iteration, so
//! that the rest of the body can be looked at as if the names were arrays.

use super::fresh::{self, Fresh, Head};
use super::whole::{self, Wholes};
use super::{Body, Plan, Program, serial};
use crate::scope::Names;
use crate::types::{Env, Type};
use quadra_quasar_syntax::ast::{Expr, ExprKind, For, Stmt, StmtKind, Text};
use std::rc::Rc;

/// Names that pass arrays on at the end of every iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rotation {
    /// Statements at the end of the body that say so.
    pub statements: usize,
    /// A name, and the one whose array it takes; all in these pairs are different arrays if they were before the loop.
    pub takes: Vec<(Text, Text)>,
    /// Names that only help.
    pub lost: Vec<Text>,
    /// Arrays that every iteration makes anew.
    pub fresh: Vec<Fresh>,
    pub head: Head,
    /// Arrays that iterations assign as a whole.
    pub wholes: Wholes,
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

    /// Whether an iteration makes the array of a name anew.
    pub fn is_fresh(&self, name: &str) -> bool {
        self.fresh.iter().any(|f| *f.name == *name)
    }

    /// Whether the loop has arrays of its own.
    pub fn has_own(&self) -> bool {
        !self.fresh.is_empty() || !self.wholes.arrays.is_empty()
    }

    /// Whether the array of a name is one of the loop's own, which all iterations use.
    pub fn is_own(&self, name: &str) -> bool {
        self.is_fresh(name) || self.wholes.has(name)
    }

    /// Whether an iteration makes arrays that are not short whatever the launch.
    pub fn needs_memory(&self) -> bool {
        self.fresh.iter().any(|f| !f.is_small()) || !self.wholes.arrays.is_empty()
    }

    /// Whether a name is in a ring with one that is made anew: its array comes to be written, though the program does not say so.
    pub fn is_copied(&self, name: &str) -> bool {
        let mut at = name;
        (0..self.takes.len()).any(|_| {
            at = self.takes.iter().find(|t| *t.0 == *at).map_or(at, |t| &t.1);
            self.is_fresh(at)
        })
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

/// How the end of a loop's body passes arrays on, if it does and nothing else does, and which arrays its iterations make.
fn rotation(f: &For, env: &Env, program: &dyn Program, wholes: bool) -> Option<Rotation> {
    let statements = match super::counter::breaks(&f.body) {
        true => 0,
        false => f.body.iter().rev().take_while(|s| moves(s).is_some()).count(),
    };
    let passed = (statements > 0).then(|| passed_on(f, statements, env, program, wholes)).flatten();
    let makes = |r: &Rotation| !r.fresh.is_empty() || !r.wholes.arrays.is_empty();
    passed.or_else(|| passed_on(f, 0, env, program, wholes).filter(makes))
}

/// The same, if so many statements are that end.
fn passed_on(f: &For, statements: usize, env: &Env, program: &dyn Program, wholes: bool) -> Option<Rotation> {
    let rest = f.body.len() - statements;
    let mut holds: Vec<(Text, Text)> = Vec::new();
    for pairs in f.body[rest..].iter().filter_map(moves) {
        let of = |n: &Text| holds.iter().find(|h| h.0 == *n).map_or_else(|| n.clone(), |h| h.1.clone());
        let new: Vec<(Text, Text)> = pairs.into_iter().map(|(to, from)| (to, of(&from))).collect();
        holds.retain(|h| !new.iter().any(|n| n.0 == h.0));
        holds.extend(new);
    }
    holds.retain(|h| h.0 != h.1);
    let (mut fresh, mut head) = fresh::of(f, rest, env, program);
    let mut all_wholes = Wholes::default();
    if wholes {
        let mut body = head.body.as_deref().cloned().unwrap_or_else(|| f.body[..rest].to_vec());
        all_wholes = whole::rewrite(f, (&mut body, &fresh), &f.body[rest..].to_vec(), env, program);
        // Their lengths are known now, and so are those of others that depend on these.
        let more = fresh::more(f, (&body, &f.body[rest..]), env, program, &mut head);
        if more.is_empty() {
            head.body = Some(Rc::new(body));
        }
        fresh.extend(more);
    }
    let mut before = Names::of_block(head.body.as_deref().unwrap_or(&f.body[..rest].to_vec()));
    before.expr(&f.over);
    let helps = |n: &Text| !before.mentions(n) && !before.assigns(n) && !holds.iter().any(|h| h.1 == *n);
    let lost: Vec<Text> = holds.iter().map(|h| h.0.clone()).filter(helps).collect();
    let mut takes: Vec<(Text, Text)> = holds.iter().filter(|h| !lost.contains(&h.0)).cloned().collect();
    close(&fresh, &mut takes);
    let is_fresh = |n: &Text| fresh.iter().any(|f| f.name == *n);
    let ring = fresh.iter().any(|f| takes.iter().any(|t| t.0 == f.name));
    // What is no array before the loop takes no part when it runs.
    let is_array = |n: &Text| {
        is_fresh(n)
            || matches!(env.get(n), Some(Some(Type::Array { .. })))
            || ring && !matches!(env.get(n), Some(Some(_)))
    };
    let all = takes.iter().all(|(to, from)| {
        takes.iter().any(|t| t.0 == *from) && takes.iter().filter(|t| t.1 == *from).count() == 1 && is_array(to)
    });
    let own = |n: &Text| *n == f.name || before.assigns(n);
    let apart = !takes.iter().map(|t| &t.0).chain(&lost).any(own);
    let found = Rotation { statements, takes, lost, fresh, head, wholes: all_wholes };
    // What stands under a name before the loop is copied, which must not keep a store from other names of it.
    let stored = |n: &Text| before.stored.contains(n) && !found.is_fresh(n) && found.is_copied(n);
    let kept = !found.takes.iter().any(|t| stored(&t.0));
    let some = !found.takes.is_empty() || statements == 0;
    (some && all && apart && kept).then_some(found)
}

/// Makes rings of the names that pass new arrays on: nobody has the array of the last of them any more, so that the next iteration
/// makes its own of it.
fn close(fresh: &[Fresh], takes: &mut Vec<(Text, Text)>) {
    for f in fresh.iter().filter(|f| !takes.iter().any(|t| t.0 == f.name)).collect::<Vec<_>>() {
        let mut last = f.name.clone();
        for _ in 0..takes.len() {
            match takes.iter().find(|t| t.1 == last) {
                Some(next) => last = next.0.clone(),
                None => break,
            }
        }
        if last != f.name && !takes.iter().any(|t| t.1 == last) {
            takes.push((f.name.clone(), last));
        }
    }
}

/// How a loop that passes arrays on at its end is carried out in order, if nothing else stands in the way of a kernel.
pub(super) fn plan(f: &For, env: &Env, program: &mut dyn Program, wholes: bool) -> Option<Plan> {
    let rotation = rotation(f, env, program, wholes)?;
    let mut head = f.clone();
    match &rotation.head.body {
        Some(body) => head.body.clone_from(body),
        None => head.body.truncate(f.body.len() - rotation.statements),
    }
    // What kind of elements they have is seen when the loop begins, too.
    let mut env = env.clone();
    rotation.wholes.arrays.iter().for_each(|w| drop(env.insert(w.name.clone(), None)));
    let body = Body::collect(&head.body, std::slice::from_ref(&f.name), &env, program);
    let mut plan = serial(&body, &head)?;
    plan.serial.as_mut()?.rotation = rotation;
    Some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meaning::{Facts, Fill, Gives, Library, Meaning, Measure};
    use quadra_quasar_syntax::ast::Function;
    use std::sync::LazyLock;

    const ZEROS: Facts =
        Facts { name: "zeros", meaning: Meaning::Fill(Fill::Zeros), gives: Gives::Unknown, host_only: false };
    const SIZE: Facts =
        Facts { name: "size", meaning: Meaning::Measure(Measure::Lengths), gives: Gives::Unknown, host_only: false };
    static LIBRARY: LazyLock<Library> = LazyLock::new(|| [&ZEROS, &SIZE].into_iter().collect());

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
        rotation(f, &env, &Nothing, false).filter(|r| !r.takes.is_empty())
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

    #[test]
    fn new_arrays_join_the_ring_of_those_that_they_replace() {
        let each = "new = zeros(n)\nfor i = 1..n-2\nnew[i] = old[i] + older[i]\nendfor\nolder = old\nold = new";
        let found = of(each, &["old", "older"]).expect("two are handed on, the third is made anew");
        assert_eq!((found.period(), found.statements, found.fresh.len(), found.head.fills.len()), (3, 2, 1, 1));
        let (old, older, new): (Text, Text, Text) = ("old".into(), "older".into(), "new".into());
        assert_eq!([found.after(&old, 1), found.after(&older, 1), found.after(&new, 1)], [&new, &old, &older]);
        assert!(found.is_fresh(&new) && found.is_copied(&old) && found.is_copied(&older));
        // Where every element is set before anybody looks, nothing is filled.
        let all = "q = zeros(n, k)\nfor i = 0..n-1\nfor j = 0..k-1\nq[i,j] = p[i,j] + t\nendfor\nendfor\np = q";
        assert!(of(all, &["p"]).is_some_and(|r| r.head.fills.is_empty() && r.fresh.len() == 1));
        for part in ["1..n-1", "0..n-2", "0..n", "0..2..n-1"] {
            let some = of(&all.replace("0..n-1", part), &["p"]).expect("some are set");
            assert_eq!(some.head.fills.len(), 1, "{part}");
        }
        let reads = all.replace("p[i,j] + t", "p[i,j] + q[0,j]");
        assert!(of(&reads, &["p"]).is_some_and(|r| r.head.fills.len() == 1));
        let like = "q = zeros(size(p))\nq[t] = p[t]\np = q";
        assert!(of(like, &["p"]).is_some_and(|r| r.head.fills.len() == 1));
    }

    #[test]
    fn what_others_see_of_new_arrays_keeps_them_with_the_host() {
        // It is looked at before it is made, stored into by another name, made twice, or of lengths that change.
        for body in [
            "s += q[0]\nq = zeros(n)\np = q",
            "p[t] = 1\nq = zeros(n)\np = q",
            "q = zeros(n)\nq = zeros(n)\np = q",
            "q = zeros(n)\nn = n + 1\np = q",
            "n = n + 1\nq = zeros(n)\np = q",
            "q = zeros(t)\np = q",
            "if t > 1\nq = zeros(n)\nendif\np = q",
        ] {
            assert_eq!(of(body, &["p"]), None, "{body}");
        }
    }
}
