//! Statements: what variables are behind them.

use super::value::{Kind, Known, Thing};
use super::{FARTHEST, Found, Marks, ROUNDS, Refusal, Walk, leaves};
use crate::meaning::Meaning;
use crate::scope::Names;
use quadra_base::Span;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, For, StmtKind};

impl Walk<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Found<()> {
        block.iter().try_for_each(|stmt| self.statement(&stmt.kind, stmt.span))
    }

    fn statement(&mut self, kind: &StmtKind, span: Span) -> Found<()> {
        let refuse = |why: &str| Err(Refusal { span, why: why.into() });
        match kind {
            StmtKind::Expr(e) => self.expression(e).map(drop),
            StmtKind::If { arms, otherwise } => self.branch(arms, otherwise, span),
            StmtKind::For(f) => self.loop_over(f),
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                let (control, innermost) = (self.control.clone(), std::mem::take(&mut self.innermost));
                let walked = self.rounds(span, |walk| {
                    let marks = walk.value(condition)?.marks;
                    walk.control.join(&marks);
                    walk.block(body)
                });
                (self.control, self.innermost) = (control, innermost);
                walked
            }
            StmtKind::Break if self.innermost => {
                refuse("it ends a loop over positions, so that the others depend on this one")
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Attribute(_) | StmtKind::Function(_) => Ok(()),
            StmtKind::Return if !self.loops.is_empty() => refuse("it returns from within a loop over positions"),
            StmtKind::Return => Ok(()),
            StmtKind::Command { name, .. } if self.library.meaning(name) == Meaning::Error => Ok(()),
            _ => refuse("this statement is not followed"),
        }
    }

    fn branch(&mut self, arms: &[(Expr, Block)], otherwise: &Block, span: Span) -> Found<()> {
        let control = self.control.clone();
        let mut end: Option<super::State> = None;
        let mut lasting = Marks::default();
        let mut conditions = Marks::default();
        for (condition, body) in arms {
            conditions.join(&self.value(condition)?.marks);
            if leaves(body) || leaves(otherwise) {
                // Whatever comes behind depends on it.
                lasting.join(&conditions);
            }
            let before = self.state.clone();
            self.control.join(&conditions);
            self.block(body)?;
            let after = std::mem::replace(&mut self.state, before);
            end = Some(match end {
                Some(end) => end.join(after, span)?,
                None => after,
            });
        }
        self.control.join(&conditions);
        self.block(otherwise)?;
        if let Some(end) = end {
            self.state = std::mem::take(&mut self.state).join(end, span)?;
        }
        self.control = control.joined(&lasting);
        Ok(())
    }

    /// Walks a body until nothing changes.
    fn rounds(&mut self, span: Span, mut body: impl FnMut(&mut Self) -> Found<()>) -> Found<()> {
        for round in 0..ROUNDS {
            let before = self.state.clone();
            body(self)?;
            let after = std::mem::take(&mut self.state);
            let mut joined = before.clone().join(after, span)?;
            if round >= 2 {
                // Numbers that grow are any numbers.
                for (name, known) in joined.scalars.iter_mut().filter_map(|(n, k)| k.as_mut().map(|k| (n, k))) {
                    let old = before.scalars.get(name).and_then(Option::as_ref).map(|k| k.kind);
                    if matches!(known.kind, Kind::Number(..)) && old != Some(known.kind) {
                        known.kind = Kind::Data;
                    }
                }
            }
            let same = joined == before;
            self.state = joined;
            if same {
                return Ok(());
            }
        }
        Err(Refusal { span, why: "every iteration looks further than the one before".into() })
    }

    fn loop_over(&mut self, f: &For) -> Found<()> {
        let refuse = |why: &str| Err(Refusal { span: f.span, why: why.into() });
        let ExprKind::Range { from, step, to } = &f.over.kind else {
            let marks = self.value(&f.over)?.marks;
            return self.iterate(f, Known::data(marks));
        };
        let (from, to) = (self.value(from)?, self.value(to)?);
        let marks = from.marks.clone().joined(&to.marks);
        let ends = match (from.kind, to.kind) {
            (Kind::Number(a, _), Kind::Number(_, b)) if step.is_none() => Kind::Number(a, b.max(a)),
            (Kind::Position(k, a, _), Kind::Position(l, _, b)) if k == l && step.is_none() => {
                Kind::Position(k, a, b.max(a))
            }
            (Kind::Number(a, b), Kind::Length(k, c, d)) if step.is_none() => {
                // The positions that the loop leaves out are known by their distance to the border.
                let border = Marks::at(k, -b.max(0), (-1 - c).max(0)).joined(&marks);
                if a < 0 || d > -1 {
                    return refuse("it runs over the border of the array");
                }
                return self.positions(f, k, border);
            }
            (Kind::Position(..) | Kind::Length(..), _) | (_, Kind::Position(..) | Kind::Length(..)) => {
                return refuse("its bounds depend on the position or on a length in a way that is not followed");
            }
            _ => Kind::Data,
        };
        self.iterate(f, Known { kind: ends, marks })
    }

    /// A loop that is walked for one position after another.
    fn iterate(&mut self, f: &For, variable: Known) -> Found<()> {
        let (control, innermost) = (self.control.clone(), std::mem::take(&mut self.innermost));
        self.control.join(&variable.marks);
        let walked = self.rounds(f.span, |walk| {
            walk.state.set(&f.name, Thing::Scalar(variable.clone()), f.span)?;
            walk.block(&f.body)
        });
        (self.control, self.innermost) = (control, innermost);
        walked
    }

    /// A loop over all positions along an axis: its iterations are told apart, so that nothing goes from one to another but through arrays.
    fn positions(&mut self, f: &For, axis: usize, border: Marks) -> Found<()> {
        if self.loops.contains(&axis) {
            return Err(Refusal {
                span: f.span,
                why: "for every position it runs over all along the same axis".into(),
            });
        }
        let (control, innermost) = (self.control.clone(), std::mem::replace(&mut self.innermost, true));
        self.control.join(&border);
        self.loops.push(axis);
        let names = Names::of_block(&f.body);
        let assigned = |name: &str| names.assigns(name);
        let walked = self.rounds(f.span, |walk| {
            walk.forget(|name| assigned(name));
            let variable = Known { kind: Kind::Position(axis, 0, 0), marks: Marks::default() };
            walk.state.set(&f.name, Thing::Scalar(variable), f.span)?;
            walk.block(&f.body)?;
            walk.forget(|name| assigned(name));
            match walk.state.arrays.values().any(|a| a.marks.extent() > FARTHEST) {
                true => Err(Refusal { span: f.span, why: "it looks further than any window".into() }),
                false => Ok(()),
            }
        });
        self.forget(|name| assigned(name) || *name == *f.name);
        self.loops.pop();
        (self.control, self.innermost) = (control, innermost);
        walked
    }

    /// Values of single positions are not those of others.
    fn forget(&mut self, chosen: impl Fn(&str) -> bool) {
        for (name, known) in &mut self.state.scalars {
            if chosen(name) {
                *known = None;
            }
        }
        self.state.arrays.retain(|name, array| !(array.private && chosen(name)));
    }
}
