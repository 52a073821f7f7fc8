//! Whether two iterations ever use the same element of an array: exact tests where the rules of [`super::reason`] say maybe.
//!
//! Subscripts that are linear in loop variables, literals and integers that do not change become a system of equations with the
//! bounds of the loops ([`super::system`]) and the conditions around the accesses, such as `mod(m + n, 2) == 0`; `m*w + n` with
//! `n` in `0..w-1` counts as two subscripts. Loops with literal bounds and few iterations are gone through one by one, which also
//! understands `floor` and products.

use super::body::{Access, Body};
use super::system::{Form, System};
use crate::meaning::{Library, Meaning, Measure};
use crate::op1::Op1;
use crate::op2::Op2;
use crate::scope::Names;
use crate::types::Type;
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, For, Text, UnaryOp};
use quadra_quasar_syntax::pretty;
use std::collections::HashMap;

/// Pairs of accesses that are compared.
const MOST_PAIRS: usize = 100;
/// Iterations that are gone through one by one.
const MOST_ITERATIONS: i64 = 4096;

/// The unknowns of a system.
#[derive(Default)]
struct Unknowns {
    names: Vec<String>,
    /// What holds for those that stand for quotients.
    known: Vec<Form>,
}

impl Unknowns {
    fn form(&mut self, name: String) -> Form {
        let at = match self.names.iter().position(|n| *n == name) {
            Some(at) => at,
            None => {
                self.names.push(name);
                self.names.len() - 1
            }
        };
        Form::unknown(at)
    }

    /// The remainder of a division by a positive number: `x - n · quotient`.
    fn remainder(&mut self, x: &Form, n: i64) -> Option<Form> {
        let quotient = self.form(format!("{x:?} / {n}"));
        let rest = x.plus(&quotient, -n)?;
        let left = Form::constant(n - 1).plus(&rest, -1)?;
        self.known.extend([rest.clone(), left]);
        Some(rest)
    }
}

/// One of the two iterations that might meet.
struct Side<'a> {
    number: u8,
    /// Values of loop variables.
    values: HashMap<Text, Form>,
    body: &'a Body<'a>,
}

/// A subscript: one form, or a row, a place in it and the length of rows.
type Parts = Vec<Form>;

impl Body<'_> {
    /// Whether no element of the array is used by two iterations, one of which writes it.
    pub fn never_meet(&self, array: &Text, heads: &[&For]) -> bool {
        if self.whole_reads.contains_key(array) || self.other_names.redefined(|_| true).is_some() {
            return false;
        }
        if self.bent.contains(array) {
            return false;
        }
        let all: Vec<&Access> = self.accesses.iter().filter(|a| a.array == *array).collect();
        let writes = all.iter().filter(|a| a.write);
        let pairs: Vec<(&Access, &Access)> = writes.flat_map(|w| all.iter().map(|a| (*w, *a))).collect();
        if pairs.len() > MOST_PAIRS {
            return false;
        }
        pairs.iter().all(|(a, b)| self.apart(a, b, heads)) || self.apart_one_by_one(&all, heads)
    }

    fn apart(&self, a: &Access, b: &Access, heads: &[&For]) -> bool {
        self.system(a, b, heads).is_some_and(|(system, turns)| {
            // Some turn differs: the one iteration comes before or after the other.
            turns.iter().all(|(t, u)| {
                [1, -1].iter().all(|sign| {
                    let mut ordered = system.clone();
                    let distance =
                        t.plus(u, -1).and_then(|d| d.times(*sign)).and_then(|d| d.plus(&Form::constant(-1), 1));
                    distance.is_some_and(|d| {
                        ordered.least.push(d);
                        ordered.has_no_solution()
                    })
                })
            })
        })
    }

    /// The equations under which two accesses meet, and the turns of the loops in both iterations.
    fn system(&self, a: &Access, b: &Access, heads: &[&For]) -> Option<(System, Vec<(Form, Form)>)> {
        for access in [a, b] {
            let names = access.items.iter().map(Names::of_expr);
            let outside = |n: &Text| !access.inner.contains(n) || !self.inner_variables.contains(n);
            if names.into_iter().any(|names| self.inner_heads.iter().any(|h| names.mentions(&h.0) && outside(&h.0))) {
                return None;
            }
        }
        let mut unknowns = Unknowns::default();
        let mut system = System::default();
        let mut sides = Vec::new();
        let mut turns: Vec<Vec<Form>> = Vec::new();
        for number in 0..2 {
            let mut side = Side { number, values: HashMap::new(), body: self };
            let mut own = Vec::new();
            for f in heads {
                own.push(side.open(&f.name, &f.over, &mut unknowns, &mut system)?);
            }
            let access = [a, b][number as usize];
            for name in &access.inner {
                // Two loops of one name have two heads.
                let mut of_name = self.inner_heads.iter().filter(|h| h.0 == *name);
                let (Some((_, over)), None) = (of_name.next(), of_name.next()) else { return None };
                let before = (system.clone(), side.values.clone());
                if side.open(name, over, &mut unknowns, &mut system).is_none() {
                    (system, side.values) = before;
                    let any = unknowns.form(format!("{name}@{number}"));
                    side.values.insert(name.clone(), any);
                }
            }
            sides.push(side);
            turns.push(own);
        }
        let mut places: Vec<Vec<Parts>> = Vec::new();
        for (access, side) in [a, b].into_iter().zip(&sides) {
            places.push(side.place(access, &mut unknowns, &mut system)?);
        }
        if places[0].len() != places[1].len() {
            return None;
        }
        for (p, q) in places[0].iter().zip(&places[1]) {
            // Rows of another width are other rows.
            if p.len() != q.len() || p.len() == 3 && p[2] != q[2] {
                return None;
            }
            for (x, y) in p.iter().zip(q) {
                system.zero.push(x.plus(y, -1)?);
            }
        }
        for (access, side) in [a, b].into_iter().zip(&sides) {
            for (condition, holds) in &access.guards {
                side.assume(condition, *holds, &mut unknowns, &mut system);
            }
        }
        system.least.append(&mut unknowns.known);
        let [first, second] = &turns[..] else { return None };
        Some((system, first.iter().cloned().zip(second.iter().cloned()).collect()))
    }

    /// Goes through the iterations of loops with literal bounds.
    fn apart_one_by_one(&self, all: &[&Access], heads: &[&For]) -> bool {
        let Some(ranges) = heads.iter().map(|f| literal_range(&f.over, self.library)).collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let total: i64 = ranges.iter().map(|r| r.2.min(MOST_ITERATIONS + 1)).product();
        if total * all.len() as i64 > MOST_ITERATIONS {
            return false;
        }
        // Who wrote an element, and who read it.
        let mut users: HashMap<Vec<i64>, (i64, bool)> = HashMap::new();
        for iteration in 0..total {
            let mut rest = iteration;
            let mut values = HashMap::new();
            for (f, r) in heads.iter().zip(&ranges).rev() {
                values.insert(f.name.clone(), (r.0 + r.1 * (rest % r.2)) as f64);
                rest /= r.2;
            }
            for access in all {
                let Some(at) = access
                    .items
                    .iter()
                    .map(|e| evaluate(e, self.library, &|n| values.get(n).copied()).map(|x| x as i64))
                    .collect::<Option<Vec<_>>>()
                else {
                    return false;
                };
                let at: Vec<i64> = std::iter::once(at.len() as i64).chain(at).collect();
                match users.get_mut(&at) {
                    Some((who, written)) if *who != iteration && (*written || access.write) => return false,
                    // Several iterations may read it; the first stands for them, and a later write meets it.
                    Some((_, written)) => *written |= access.write,
                    None => drop(users.insert(at, (iteration, access.write))),
                }
            }
        }
        // Subscripts of different counts may mean one element.
        let mut counts = all.iter().map(|a| a.items.len());
        let first = counts.next();
        counts.all(|n| Some(n) == first)
    }
}

impl Side<'_> {
    /// Opens a loop: its variable is `from + step · turn`. Gives the turn.
    fn open(&mut self, name: &Text, over: &Expr, unknowns: &mut Unknowns, system: &mut System) -> Option<Form> {
        let ExprKind::Range { from, step, to } = &over.kind else { return None };
        let step = match step {
            None => 1,
            Some(e) => self.form(e, unknowns)?.known().filter(|s| *s != 0)?,
        };
        let turn = unknowns.form(format!("{name}#{}", self.number));
        let from = self.form(from, unknowns)?;
        let value = from.plus(&turn, step)?;
        system.least.push(turn.clone());
        if let Some(to) = self.form(to, unknowns) {
            let left = to.plus(&value, -1)?;
            system.least.push(left.times(step.signum())?);
        }
        self.values.insert(name.clone(), value);
        Some(turn)
    }

    /// Adds what a condition says that holds, or does not, as far as it is linear.
    fn assume(&self, e: &Expr, holds: bool, unknowns: &mut Unknowns, system: &mut System) {
        let (op, a, b) = match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => return self.assume(a, !holds, unknowns, system),
            ExprKind::And(a, b) if holds => {
                self.assume(a, true, unknowns, system);
                return self.assume(b, true, unknowns, system);
            }
            ExprKind::Or(a, b) if !holds => {
                self.assume(a, false, unknowns, system);
                return self.assume(b, false, unknowns, system);
            }
            ExprKind::Binary(op, a, b) => (*op, a, b),
            _ => return,
        };
        let (Some(x), Some(y)) = (self.form(a, unknowns), self.form(b, unknowns)) else { return };
        // `above - below` is at least `by`.
        let least = |above: &Form, below: &Form, by: i64| above.plus(below, -1)?.plus(&Form::constant(-by), 1);
        let said = match (op, holds) {
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
                system.zero.extend(x.plus(&y, -1));
                None
            }
            (BinaryOp::Eq, false) | (BinaryOp::Ne, true) => {
                // One of two values is the other one.
                if let (Some(k @ 0..=1), true) = (y.known(), is_parity(a, self.body.library)) {
                    system.zero.extend(x.plus(&Form::constant(k - 1), 1));
                }
                None
            }
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => least(&y, &x, 1),
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => least(&y, &x, 0),
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => least(&x, &y, 1),
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => least(&x, &y, 0),
            _ => None,
        };
        system.least.extend(said);
    }

    fn place(&self, access: &Access, unknowns: &mut Unknowns, system: &mut System) -> Option<Vec<Parts>> {
        let mut parts = Vec::new();
        for (d, item) in access.items.iter().enumerate() {
            match &item.kind {
                ExprKind::Range { from, step: None, to } => {
                    let any = unknowns.form(format!("slice{d}@{}", self.number));
                    let (from, to) = (self.form(from, unknowns)?, self.form(to, unknowns)?);
                    system.least.push(any.plus(&from, -1)?);
                    system.least.push(to.plus(&any, -1)?);
                    parts.push(vec![any]);
                }
                ExprKind::Range { .. } | ExprKind::Colon => {
                    parts.push(vec![unknowns.form(format!("slice{d}@{}", self.number))]);
                }
                // A position vector is not looked into.
                ExprKind::Name(n) if self.body.positions.contains_key(n) => return None,
                _ => parts.push(match self.form(item, unknowns) {
                    Some(form) => vec![form],
                    None => match self.row_and_place(item, unknowns, system) {
                        Some(parts) => parts,
                        // Some index or other: what else is known may tell the elements apart.
                        None => vec![unknowns.form(format!("{d}: {} @{}", pretty::expression(item), self.number))],
                    },
                }),
            }
        }
        Some(parts)
    }

    /// `a*w + b` with `b` in `0..w-1`: then it determines `a` and `b`.
    fn row_and_place(&self, e: &Expr, unknowns: &mut Unknowns, system: &System) -> Option<Parts> {
        let ExprKind::Binary(BinaryOp::Add, x, y) = &e.kind else { return None };
        let split = |product: &Expr| match &product.kind {
            ExprKind::Binary(BinaryOp::Mul, a, w) => Some(((**a).clone(), (**w).clone())),
            _ => None,
        };
        for (product, rest) in [(x, y), (y, x)] {
            let Some((a, w)) = split(product) else { continue };
            for (row, width) in [(&a, &w), (&w, &a)] {
                let (Some(row), Some(wide), Some(rest)) =
                    (self.form(row, unknowns), self.form(width, unknowns), self.form(rest, unknowns))
                else {
                    continue;
                };
                let mentions = Names::of_expr(width);
                if self.values.keys().any(|v| mentions.mentions(v)) {
                    continue;
                }
                let never = |least: Option<Form>| {
                    least.is_some_and(|f| {
                        let mut outside = system.clone();
                        outside.zero.clear();
                        outside.least.push(f);
                        outside.has_no_solution()
                    })
                };
                let negative = rest.times(-1).and_then(|f| f.plus(&Form::constant(-1), 1));
                let beyond = rest.plus(&wide, -1);
                if never(negative) && never(beyond) {
                    return Some(vec![row, rest, wide]);
                }
            }
        }
        None
    }

    /// An expression as a linear form over the unknowns.
    fn form(&self, e: &Expr, unknowns: &mut Unknowns) -> Option<Form> {
        match &e.kind {
            ExprKind::Int(v) => Some(Form::constant(*v)),
            ExprKind::Name(n) => match self.values.get(n) {
                Some(f) => Some(f.clone()),
                None => self.symbol(e, unknowns),
            },
            ExprKind::Unary(UnaryOp::Neg, a) => self.form(a, unknowns)?.times(-1),
            ExprKind::Unary(UnaryOp::Plus, a) => self.form(a, unknowns),
            ExprKind::Binary(BinaryOp::Add, a, b) => self.form(a, unknowns)?.plus(&self.form(b, unknowns)?, 1),
            ExprKind::Binary(BinaryOp::Sub, a, b) => self.form(a, unknowns)?.plus(&self.form(b, unknowns)?, -1),
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                let (x, y) = (self.form(a, unknowns)?, self.form(b, unknowns)?);
                match (x.known(), y.known()) {
                    (Some(k), _) => y.times(k),
                    (_, Some(k)) => x.times(k),
                    _ => None,
                }
            }
            ExprKind::Call { callee, args } if is_mod(callee, self.body.library) => {
                let [x, n] = &args[..] else { return None };
                let n = self.form(&n.value, unknowns)?.known().filter(|n| *n > 0)?;
                let x = self.form(&x.value, unknowns)?;
                unknowns.remainder(&x, n)
            }
            ExprKind::Call { callee, args } => {
                let ExprKind::Name(function) = &callee.kind else { return None };
                let meaning = self.body.library.meaning(function);
                let elements = meaning == Meaning::Measure(Measure::Elements);
                let measure = elements || meaning == Meaning::Measure(Measure::Lengths);
                let known = |e: &Expr| matches!(e.kind, ExprKind::Name(_) | ExprKind::Int(_));
                let number = args.len() == 2 || elements;
                (measure && number && args.iter().all(|a| known(&a.value))).then(|| self.symbol(e, unknowns))?
            }
            _ => None,
        }
    }

    /// An integer that does not change in the loops.
    fn symbol(&self, e: &Expr, unknowns: &mut Unknowns) -> Option<Form> {
        let names = Names::of_expr(e);
        if names.mentioned.iter().any(|n| self.body.assigned.assigns(n)) {
            return None;
        }
        if let ExprKind::Name(n) = &e.kind
            && !matches!(self.body.type_of(n), Some(Type::Int(..)))
        {
            return None;
        }
        Some(unknowns.form(pretty::expression(e)))
    }
}

fn is_mod(callee: &Expr, library: &Library) -> bool {
    library.calls(callee, |m| m == Meaning::Pair(Op2::Mod))
}

/// `mod(…, 2)`.
fn is_parity(e: &Expr, library: &Library) -> bool {
    let ExprKind::Call { callee, args } = &e.kind else { return false };
    is_mod(callee, library) && matches!(&args[..], [_, n] if matches!(n.value.kind, ExprKind::Int(2)))
}

/// First value, step and number of the items of a range of literals.
pub fn literal_range(e: &Expr, library: &Library) -> Option<(i64, i64, i64)> {
    let ExprKind::Range { from, step, to } = &e.kind else { return None };
    let whole = |e: &Expr| evaluate(e, library, &|_| None).filter(|x| x.fract() == 0.0).map(|x| x as i64);
    let (from, to) = (whole(from)?, whole(to)?);
    let step = step.as_ref().map_or(Some(1), |s| whole(s)).filter(|s| *s != 0)?;
    let count = ((to - from) / step + 1).max(0);
    let against = to != from && (to > from) != (step > 0);
    Some((from, step, if against { 0 } else { count }))
}

/// The value of a subscript whose every part is exact.
pub(super) fn evaluate(e: &Expr, library: &Library, values: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    Some(match &e.kind {
        ExprKind::Int(v) => *v as f64,
        ExprKind::Name(n) => values(n)?,
        ExprKind::Unary(UnaryOp::Neg, a) => -evaluate(a, library, values)?,
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (evaluate(a, library, values)?, evaluate(b, library, values)?);
            match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                // Halves and quarters are exact.
                BinaryOp::Div if matches!(b.kind, ExprKind::Int(2 | 4 | 8 | 16)) => x / y,
                _ => return None,
            }
        }
        ExprKind::Call { callee, args } => {
            let ExprKind::Name(name) = &callee.kind else { return None };
            let values = args.iter().map(|a| evaluate(&a.value, library, values)).collect::<Option<Vec<_>>>()?;
            if &**name == "int" {
                return if let [x] = values[..] { Some(x.trunc()) } else { None };
            }
            match (library.meaning(name), &values[..]) {
                (Meaning::Pair(Op2::Mod), [x, n]) if *n > 0.0 && x.fract() == 0.0 && n.fract() == 0.0 => {
                    x.rem_euclid(*n)
                }
                (Meaning::Map(Op1::Floor), [x]) => x.floor(),
                (Meaning::Map(Op1::Ceil), [x]) => x.ceil(),
                (Meaning::Map(Op1::Round), [x]) => x.round(),
                (Meaning::Map(Op1::Fix), [x]) => x.trunc(),
                (Meaning::Map(Op1::Abs), [x]) => x.abs(),
                (Meaning::Extreme(Op2::Max), [x, y]) => x.max(*y),
                (Meaning::Extreme(Op2::Min), [x, y]) => x.min(*y),
                _ => return None,
            }
        }
        _ => return None,
    })
    .filter(|x| x.abs() < (1 << 20) as f64)
}
