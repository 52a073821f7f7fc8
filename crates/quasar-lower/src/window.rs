//! Loops over a window around the position of an item, from `m-r` to `m+r`: all items make as many iterations.

use super::Low;
use super::parts::OpenLoop;
use super::state::Lower;
use super::value::{Num, Val};
use quadra_kir::Bounds;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, For, Text, UnaryOp};
use quadra_quasar_vm::arith::Kind;
use std::collections::BTreeMap;

impl Lower<'_> {
    /// Item `k` of a range.
    pub fn range_item(&mut self, a: &Num, s: &Num, k: &Num) -> Low<Num> {
        let host = std::mem::replace(&mut self.host, false);
        // A step of 1 keeps what is known of the item's index.
        let unit = self.known_int(s) == Some(1) && k.kind == Kind::Int;
        let step = if unit { Ok(*k) } else { self.binary(Op2::Mul, k, s, false) };
        let item = step.and_then(|step| self.binary(Op2::Add, a, &step, false));
        self.host = host;
        item
    }

    /// A loop whose bounds move together, counted from 0; false if it is none.
    pub fn window_loop(
        &mut self,
        f: &For,
        (from, to): (&Expr, &Expr),
        (a, b): (&Num, &Num),
        body: &mut dyn FnMut(&mut Self) -> Low<()>,
    ) -> Low<bool> {
        let Some(length) = self.moving_window(from, to, a, b)? else { return Ok(false) };
        let (zero, one) = (self.int(0), self.int(1));
        let k = self.begin_counted(&zero, 1, &length);
        self.open_loop(OpenLoop::Plain);
        let range = self.bounds(&length).map(|r| Bounds::new(0, r.high.max(0)));
        let item = self.range_item(a, &one, &Num { range, ..Num::new(Kind::Int, k) })?;
        let ends = self.bounds(a).zip(self.bounds(b)).map(|(l, h)| Bounds::new(l.low, h.high.max(l.low)));
        self.loop_body(f, Num { range: ends.or(item.range), ..item }, body)?;
        self.close_loop();
        Ok(true)
    }

    /// For bounds that move together, such as `m-r` and `m+r`: the difference of the second and the first, in which what moves
    /// cancels out. The loop counts from 0 up to it, so that all items make as many iterations. Nothing for other bounds, and
    /// where sums might wrap.
    fn moving_window(&mut self, from: &Expr, to: &Expr, a: &Num, b: &Num) -> Low<Option<Num>> {
        if a.kind != Kind::Int || b.kind != Kind::Int || a.item.is_none() || b.item.is_none() {
            return Ok(None);
        }
        // An index is below a billion, and what is near it leaves room for one more.
        let most = 2 * super::loops::FEW.high - 2;
        let near = |r: Option<Bounds>| r.is_some_and(|r| r.within(-most, most));
        if !near(self.bounds(a)) || !near(self.bounds(b)) {
            return Ok(None);
        }
        let (mut low, mut high) = (Terms::default(), Terms::default());
        if !low.add(from, 1) || !high.add(to, 1) {
            return Ok(None);
        }
        let moves = low.0.keys().any(|n| n.is_some() && high.0.contains_key(n));
        let mut length = self.int(0);
        for (name, factor) in high.minus(&low) {
            let term = match &name {
                None => self.int(factor),
                Some(name) => {
                    let Some(Val::Num(n)) = self.variable_value(name)? else { return Ok(None) };
                    // A number of the launch or a constant: all items have the same.
                    let same = self.known_int(&n).is_some() || self.numbers.values().any(|given| given.re == n.re);
                    if n.kind != Kind::Int || !same {
                        return Ok(None);
                    }
                    let factor = self.int(factor);
                    self.binary(Op2::Mul, &factor, &n, false)?
                }
            };
            length = self.binary(Op2::Add, &length, &term, false)?;
        }
        Ok((moves && length.kind == Kind::Int).then_some(length))
    }
}

/// A sum of variables with factors; the constant has no name.
#[derive(Default)]
struct Terms(BTreeMap<Option<Text>, i64>);

impl Terms {
    /// Adds an expression so many times, if it is such a sum.
    fn add(&mut self, e: &Expr, factor: i64) -> bool {
        let mut count = |name: Option<Text>, by: i64| {
            *self.0.entry(name).or_default() += by;
            true
        };
        match &e.kind {
            ExprKind::Int(v) => v.checked_mul(factor).is_some_and(|v| v.abs() < 1 << 30 && count(None, v)),
            ExprKind::Name(name) => count(Some(name.clone()), factor),
            // A coordinate of a position: the same whenever it is asked for.
            ExprKind::Index { base, items } => match (&base.kind, &items[..]) {
                (ExprKind::Name(name), [Expr { kind: ExprKind::Int(n), .. }]) => {
                    count(Some(format!("{name}[{n}]").into()), factor)
                }
                _ => false,
            },
            ExprKind::Unary(UnaryOp::Neg, a) => self.add(a, -factor),
            ExprKind::Binary(BinaryOp::Add, a, b) => self.add(a, factor) && self.add(b, factor),
            ExprKind::Binary(BinaryOp::Sub, a, b) => self.add(a, factor) && self.add(b, -factor),
            _ => false,
        }
    }

    /// The terms of a difference that are not 0.
    fn minus(&self, other: &Terms) -> Vec<(Option<Text>, i64)> {
        let mut sum = self.0.clone();
        for (name, factor) in &other.0 {
            *sum.entry(name.clone()).or_default() -= factor;
        }
        sum.into_iter().filter(|t| t.1 != 0).collect()
    }
}
