//! Statements.

use super::parts::OpenLoop;
use super::state::Lower;
use super::value::{Num, Val};
use super::{Low, refuse};
use quadra_base::quick::Set;
use quadra_kir::{self as kir, Bounds, Op};
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::par::pattern::continues;
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, For, MatchArm, Stmt, StmtKind, Text};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::builtins::{meaning, name_of};

impl Lower<'_> {
    pub fn block(&mut self, block: &Block) -> Low<()> {
        for stmt in block {
            if self.b.unreachable() {
                return Ok(());
            }
            self.at(stmt.span);
            self.statement(stmt).map_err(|mut r| {
                r.span = r.span.or(Some(stmt.span));
                r
            })?;
        }
        Ok(())
    }

    fn statement(&mut self, stmt: &Stmt) -> Low<()> {
        match &stmt.kind {
            StmtKind::Expr(e) => self.discard(e),
            StmtKind::If { arms, otherwise } => self.if_statement(arms, otherwise),
            StmtKind::For(f) => self.for_loop(f),
            StmtKind::While { condition, body } => self.while_loop(condition, body),
            StmtKind::Repeat { body, condition } => self.repeat_loop(body, condition),
            StmtKind::Match { value, arms } => {
                let v = self.expr(value)?;
                self.match_arms(&v, arms)
            }
            StmtKind::Break => {
                self.b.break_loop();
                Ok(())
            }
            StmtKind::Continue => match self.frame().loops.last() {
                Some(OpenLoop::Repeat) => refuse!("'continue' in a repeat loop"),
                Some(OpenLoop::Plain) => {
                    self.b.continue_loop();
                    Ok(())
                }
                Some(OpenLoop::Items) | None => self.next_item(),
            },
            StmtKind::Return => self.return_statement(),
            StmtKind::Sync { fence, scope } => self.sync(*fence, scope.as_ref()),
            StmtKind::Attribute(text) => {
                if text.split_whitespace().eq(["serial", "for"]) {
                    self.b.kernel().regroup = false;
                }
                Ok(())
            }
            StmtKind::Command { name, .. } if meaning(name) == Meaning::Error => {
                self.error();
                Ok(())
            }
            StmtKind::Command { name, .. } => refuse!(Call: "it calls '{name}'"),
            StmtKind::Function(f) => {
                let v = self.local_function(f, Some(f.name.clone()))?;
                self.set_variable(&f.name, v, stmt.span).map(drop)
            }
            StmtKind::Try { .. } => refuse!("it contains 'try'"),
            StmtKind::TypeDef(_) | StmtKind::Import(_) | StmtKind::Module(_) => refuse!("it contains a definition"),
        }
    }

    /// Evaluates an expression for its effect.
    fn discard(&mut self, e: &Expr) -> Low<()> {
        match &e.kind {
            ExprKind::Call { callee, args } => self.call(e, callee, args, 0).map(drop),
            _ => self.expr(e).map(drop),
        }
    }

    /// `continue` outside of the inner loops of a loop that is a kernel.
    fn next_item(&mut self) -> Low<()> {
        if !self.frame().iteration {
            refuse!("'continue' leaves the iteration");
        }
        self.b.break_loop();
        Ok(())
    }

    /// The body of a loop that is a kernel. `continue` leaves it as if it were a loop of its own.
    pub fn block_with_continue(&mut self, body: &Block) -> Low<()> {
        if !continues(body) {
            return self.block(body);
        }
        let before = self.frame().defined.clone();
        self.frame().iteration = true;
        self.forget_assigned(body);
        let facts = self.facts.clone();
        self.b.begin_loop();
        self.open_loop(OpenLoop::Items);
        self.block(body)?;
        self.b.break_loop();
        self.depth -= 1;
        self.frame().loops.pop();
        self.b.end();
        self.facts = facts.joined(&self.facts);
        self.frame().defined = before;
        Ok(())
    }

    fn if_statement(&mut self, arms: &[(Expr, Block)], otherwise: &Block) -> Low<()> {
        let Some(((condition, body), rest)) = arms.split_first() else { return self.block(otherwise) };
        let c = self.condition(condition)?;
        if let Some(k) = self.constant(c) {
            return if k.bits != 0 { self.block(body) } else { self.if_statement(rest, otherwise) };
        }
        self.branch(c, Some(condition), body, &mut |l| l.if_statement(rest, otherwise))
    }

    /// A block under a condition, what stands otherwise, and what is defined behind both.
    fn branch(
        &mut self,
        c: kir::Value,
        condition: Option<&Expr>,
        body: &Block,
        otherwise: &mut dyn FnMut(&mut Self) -> Low<()>,
    ) -> Low<()> {
        let before = self.frame().defined.clone();
        let facts = self.facts.clone();
        self.depth += 1;
        self.b.begin_if(c);
        if let Some(condition) = condition {
            self.learn(condition, true);
        }
        self.block(body)?;
        let then = self.end_of_branch();
        self.b.begin_else();
        self.frame().defined = before;
        let then_facts = std::mem::replace(&mut self.facts, facts);
        if let Some(condition) = condition {
            self.learn(condition, false);
        }
        otherwise(self)?;
        let other = self.end_of_branch();
        self.b.end();
        self.depth -= 1;
        self.facts = std::mem::take(&mut self.facts).joined(&then_facts);
        self.join(then, other);
        Ok(())
    }

    /// What is defined where a branch ends; nothing if it does not get there.
    fn end_of_branch(&mut self) -> Option<Set<Text>> {
        let left = self.b.unreachable();
        let defined = self.frame().defined.clone();
        (!left).then_some(defined)
    }

    fn join(&mut self, a: Option<Set<Text>>, b: Option<Set<Text>>) {
        let joined = match (a, b) {
            (Some(a), Some(b)) => a.intersection(&b).cloned().collect(),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return,
        };
        self.frame().defined = joined;
    }

    pub fn open_loop(&mut self, kind: OpenLoop) {
        self.depth += 1;
        self.frame().loops.push(kind);
    }

    /// Closes a loop of the source; a function that returned within it goes on returning.
    pub fn close_loop(&mut self) {
        self.b.end();
        self.depth -= 1;
        self.frame().loops.pop();
        if let Some(flag) = self.frame().returned {
            let returned = self.b.get(flag);
            self.b.begin_if(returned);
            self.b.break_loop();
            self.b.end();
        }
    }

    fn while_loop(&mut self, condition: &Expr, body: &Block) -> Low<()> {
        self.while_loop_with(condition, body, &mut |l| l.block(body))
    }

    /// A `while` whose body is lowered by `body`.
    pub fn while_loop_with(
        &mut self,
        condition: &Expr,
        block: &Block,
        body: &mut dyn FnMut(&mut Self) -> Low<()>,
    ) -> Low<()> {
        let before = self.frame().defined.clone();
        self.forget_assigned(block);
        let facts = self.facts.clone();
        self.b.begin_loop();
        self.open_loop(OpenLoop::Plain);
        let c = self.condition(condition)?;
        self.b.begin_if(c);
        self.b.begin_else();
        self.b.break_loop();
        self.b.end();
        self.learn(condition, true);
        body(self)?;
        self.close_loop();
        self.facts = facts.joined(&self.facts);
        self.frame().defined = before;
        Ok(())
    }

    fn repeat_loop(&mut self, body: &Block, condition: &Expr) -> Low<()> {
        self.repeat_loop_with(condition, body, &mut |l| l.block(body))
    }

    /// A `repeat` whose body is lowered by `inner`.
    pub fn repeat_loop_with(
        &mut self,
        condition: &Expr,
        body: &Block,
        inner: &mut dyn FnMut(&mut Self) -> Low<()>,
    ) -> Low<()> {
        self.forget_assigned(body);
        let facts = self.facts.clone();
        self.b.begin_loop();
        self.open_loop(OpenLoop::Repeat);
        self.in_repeat += 1;
        inner(self)?;
        if !self.b.unreachable() {
            let c = self.condition(condition)?;
            self.b.begin_if(c);
            self.b.break_loop();
            self.b.end();
        }
        self.in_repeat -= 1;
        self.close_loop();
        self.facts = facts.joined(&self.facts);
        Ok(())
    }

    fn for_loop(&mut self, f: &For) -> Low<()> {
        if self.lanes.contains(&f.id) {
            return self.lanes_loop(f);
        }
        // What only combines counts as a kernel, however it runs.
        if let Some((_, reads)) = self.combining.iter().find(|c| c.0 == f.id) {
            let of_loads = if *reads { Access::Checked } else { Access::Safe };
            let access = std::mem::replace(&mut self.frame().default_access, (of_loads, Access::Checked));
            let done = self.for_in_order(f);
            self.frame().default_access = access;
            return done;
        }
        self.for_in_order(f)
    }

    fn for_in_order(&mut self, f: &For) -> Low<()> {
        if let Some(block) = self.hoisted(f)? {
            return self.block(&block);
        }
        self.for_loop_with(f, &mut |l| l.block(&f.body))
    }

    /// A `for` whose body is lowered by `body`.
    pub fn for_loop_with(&mut self, f: &For, body: &mut dyn FnMut(&mut Self) -> Low<()>) -> Low<()> {
        self.forget_assigned(&f.body);
        let facts = self.facts.clone();
        let done = self.for_range_or_each(f, body);
        self.facts = facts.joined(&self.facts);
        done
    }

    fn for_range_or_each(&mut self, f: &For, body: &mut dyn FnMut(&mut Self) -> Low<()>) -> Low<()> {
        let ExprKind::Range { from, step, to } = &f.over.kind else { return self.for_each(f, body) };
        let (a, b) = (self.number(from)?, self.number(to)?);
        let s = match step {
            Some(step) => self.number(step)?,
            None => self.int(1),
        };
        if a.im.is_some() || b.im.is_some() || s.im.is_some() || a.kind == Kind::Wide || s.kind == Kind::Wide {
            refuse!("a loop over complex or 64-bit numbers");
        }
        let before = self.frame().defined.clone();
        if step.is_none() && self.window_loop(f, (from, to), (&a, &b), body)? {
            self.frame().defined = before;
            return Ok(());
        }
        if a.kind == Kind::Int
            && s.kind == Kind::Int
            && b.kind == Kind::Int
            && let Some(step) = self.known_int(&s).filter(|s| *s != 0 && *s != i64::from(i32::MIN))
        {
            let (a, b) = (self.plain(&a), self.plain(&b));
            let iv = self.begin_counted(&a, step, &b);
            let (a, b) = (self.bounds(&a), self.bounds(&b));
            let (low, high) = if step > 0 { (a, b) } else { (b, a) };
            let range = low.zip(high).map(|(l, h)| Bounds::new(l.low, h.high.max(l.low)));
            self.open_loop(OpenLoop::Plain);
            let item = Num { range, ..Num::new(Kind::Int, iv) };
            self.loop_body(f, item, body)?;
        } else {
            let count = self.range_count(&a, &s, &b)?;
            let (zero, one) = (self.int(0), self.int(1));
            let k = self.b.begin_for(zero.re, count, one.re);
            self.open_loop(OpenLoop::Plain);
            let item = self.range_item(&a, &s, &Num::new(Kind::Int, k))?;
            self.loop_body(f, item, body)?;
        }
        self.close_loop();
        self.frame().defined = before;
        Ok(())
    }

    /// Opens a loop from `a` to `b`, both included, and gives its variable. Counted loops of the kernel IR end at the first
    /// number that is not below their bound, so neither the bound nor that number may wrap.
    pub fn begin_counted(&mut self, a: &Num, step: i64, b: &Num) -> kir::Value {
        let end = self.bounds(b).unwrap_or(Bounds::ANY);
        let (one, by) = (self.b.i32(step.signum() as i32), self.b.i32(step as i32));
        if end.plus(Bounds::exactly(step)).fitting(32).is_some() {
            let hi = self.op(Op::Add, &[b.re, one]);
            return self.b.begin_for(a.re, hi, by);
        }
        let zero = self.b.i32(0);
        if step.abs() == 1 {
            // Up to the largest integer, one number less and counted by one less.
            let extreme = self.b.i32(if step > 0 { i32::MAX } else { i32::MIN });
            let at_end = self.op(Op::CmpEq, &[b.re, extreme]);
            let off = self.op(Op::Select, &[at_end, one, zero]);
            let (low, last) = (self.op(Op::Sub, &[a.re, off]), self.op(Op::Sub, &[b.re, off]));
            let hi = self.op(Op::Add, &[last, one]);
            let k = self.b.begin_for(low, hi, by);
            return self.op(Op::Add, &[k, off]);
        }
        // The distance is a number without a sign; its half is divided, since there is only the division of signed ones.
        let (from, to) = if step > 0 { (a.re, b.re) } else { (b.re, a.re) };
        let (size, unit) = (self.b.i32(step.unsigned_abs() as i32), self.b.i32(1));
        let distance = self.op(Op::Sub, &[to, from]);
        let half = self.op(Op::Shr, &[distance, unit]);
        let quotient = self.op(Op::Div, &[half, size]);
        let quotient = self.op(Op::Shl, &[quotient, unit]);
        let product = self.op(Op::Mul, &[quotient, size]);
        let rest = self.op(Op::Sub, &[distance, product]);
        let more = self.op(Op::CmpGeU, &[rest, size]);
        let more = self.op(Op::Select, &[more, unit, zero]);
        let steps = self.op(Op::Add, &[quotient, more]);
        let count = self.op(Op::Add, &[steps, unit]);
        let none = self.op(Op::CmpLt, &[to, from]);
        let count = self.op(Op::Select, &[none, zero, count]);
        let k = self.b.begin_for(zero, count, unit);
        let distance = self.op(Op::Mul, &[k, by]);
        self.op(Op::Add, &[a.re, distance])
    }

    pub fn loop_body(&mut self, f: &For, item: Num, body: &mut dyn FnMut(&mut Self) -> Low<()>) -> Low<()> {
        if self.frame().assigns.get(&f.name).copied().unwrap_or(0) == 0 && !self.frame().vars.contains_key(&f.name) {
            // Nothing but this loop assigns the variable, so it is the counter itself.
            self.frame().vars.insert(f.name.clone(), super::state::Slot::Fixed(Val::Num(item)));
            self.frame().defined.insert(f.name.clone());
            self.keep_value(&f.name, &Val::Num(item))?;
            body(self)?;
            self.frame().vars.remove(&f.name);
            return Ok(());
        }
        *self.frame().assigns.entry(f.name.clone()).or_default() += 2;
        self.set_variable(&f.name, Val::Num(item), f.name_span)?;
        body(self)
    }

    /// A loop over the elements of a vector.
    fn for_each(&mut self, f: &For, body: &mut dyn FnMut(&mut Self) -> Low<()>) -> Low<()> {
        let over = self.expr(&f.over)?;
        let before = self.frame().defined.clone();
        match over {
            Val::Array(a) if a.is_vector() => {
                let (zero, one) = (self.int(0), self.int(1));
                let n = self.length(a.shape[1]);
                let k = self.b.begin_for(zero.re, n, one.re);
                self.open_loop(OpenLoop::Plain);
                let item = self.load(&a, &super::element::Place::new(k))?;
                self.loop_body(f, item, body)?;
            }
            Val::Small(s) if s.is_vector() && !s.items.is_empty() => {
                let (zero, one, n) = (self.int(0), self.int(1), self.int(s.items.len() as i64));
                let k = self.b.begin_for(zero.re, n.re, one.re);
                self.open_loop(OpenLoop::Plain);
                let mut item = s.items[0];
                for (i, n) in s.items.iter().enumerate().skip(1) {
                    let i = self.int(i as i64);
                    let here = self.op(Op::CmpEq, &[k, i.re]);
                    item = self.select(here, n, &item);
                }
                self.loop_body(f, item, body)?;
            }
            other => refuse!("a loop over {}", other.what()),
        }
        self.close_loop();
        self.frame().defined = before;
        Ok(())
    }

    /// The arms of `match`, one after another.
    fn match_arms(&mut self, v: &Val, arms: &[MatchArm]) -> Low<()> {
        let Some((arm, rest)) = arms.split_first() else { return Ok(()) };
        if arm.patterns.is_empty() {
            return self.block(&arm.body);
        }
        if let Val::Text(..) = v {
            return self.match_texts(v, arm, rest);
        }
        let Val::Num(subject) = v else { refuse!("'match' of {}", v.what()) };
        let mut hit: Option<kir::Value> = None;
        for pattern in &arm.patterns {
            let p = self.number(pattern)?;
            let equal = self.binary(Op2::Eq, subject, &p, false)?;
            hit = Some(match hit {
                Some(h) => self.op(Op::Or, &[h, equal.re]),
                None => equal.re,
            });
        }
        let Some(hit) = hit else { return Ok(()) };
        self.branch(hit, None, &arm.body, &mut |l| l.match_arms(v, rest))
    }

    /// Ends the launch: who waits for it says why.
    pub fn error(&mut self) -> Vec<Val> {
        let never = self.known_bool(false);
        self.require(never.re, name_of(Meaning::Error));
        Vec::new()
    }

    /// The arm for a text, which is known.
    fn match_texts(&mut self, v: &Val, arm: &MatchArm, rest: &[MatchArm]) -> Low<()> {
        for pattern in &arm.patterns {
            let p = self.expr(pattern)?;
            match self.same_text(v, &p) {
                Some(true) => return self.block(&arm.body),
                Some(false) => {}
                None => refuse!("'match' of a string with {}", p.what()),
            }
        }
        self.match_arms(v, rest)
    }

    fn return_statement(&mut self) -> Low<()> {
        if self.frames.len() == 1 && self.frame().returned.is_none() {
            if self.together.is_some() {
                refuse!("'return' in a kernel with barriers");
            }
            self.b.return_kernel();
            return Ok(());
        }
        if self.frames.len() > 1 {
            if !self.frame().wrapped {
                refuse!("'return' in a lambda");
            }
            self.outputs_defined()?;
        }
        if !self.frame().loops.is_empty() {
            let flag = match self.frame().returned {
                Some(flag) => flag,
                None => refuse!("'return' in a loop of a function"),
            };
            let yes = self.known_bool(true);
            self.b.set(flag, yes.re);
        }
        self.b.break_loop();
        Ok(())
    }
}
