//! Branches, loops and the fuel that ends endless ones.

use super::turns::is_loop;
use super::{Cx, Expr, Loop, Result};
use crate::abi::MARK_FUEL;
use naga::{BinaryOperator as B, Block, Expression, GlobalVariable, Handle, Literal, LocalVariable, Statement};
use quadra_kir::{Block as Body, Elem, Inst, Op, Value};

impl Cx<'_> {
    pub(super) fn control(&mut self, inst: &Inst) -> Result {
        match inst.op {
            Op::If => self.branch(inst),
            Op::For | Op::Loop => self.repeat(inst),
            Op::Return => {
                if let Some(returns) = self.returns.filter(|_| !self.loops.is_empty()) {
                    self.raise(returns);
                }
                self.leave();
                Ok(())
            }
            Op::Yield => {
                let into = self.yields.last().cloned().unwrap_or_default();
                self.assign(&into, &inst.args);
                Ok(())
            }
            _ => {
                let innermost = self.loops.last().expect("the checker has seen that a loop stands around");
                let leaves = inst.op == Op::Break;
                let into = if leaves { innermost.results.clone() } else { innermost.carried.clone() };
                self.assign(&into, &inst.args);
                if leaves {
                    self.leave();
                } else {
                    self.push(Statement::Continue);
                }
                Ok(())
            }
        }
    }

    /// Leaves the innermost loop at the head of its next iteration, or the kernel where there is none. llvmpipe loses values of
    /// lanes that leave a loop elsewhere, where others go on.
    fn leave(&mut self) {
        match self.loops.last().map(|l| l.done) {
            Some(Some(done)) => {
                self.raise(done);
                self.push(Statement::Continue);
            }
            Some(None) => self.push(Statement::Break),
            None => self.push(Statement::Return { value: None }),
        }
    }

    /// Sets a truth value.
    fn raise(&mut self, flag: Handle<LocalVariable>) {
        let always = self.pre(Expression::Literal(Literal::Bool(true)));
        self.set(flag, always);
    }

    /// A truth value that does not hold yet.
    pub(super) fn flag(&mut self) -> Handle<LocalVariable> {
        let flag = self.local_var(Elem::Bool);
        let never = self.pre(Expression::Literal(Literal::Bool(false)));
        self.set(flag, never);
        flag
    }

    /// Leaves the loop whose body is being filled if the flag is set.
    pub(super) fn leave_if(&mut self, flag: Handle<LocalVariable>) {
        let condition = self.get(flag);
        let mut accept = Block::new();
        accept.push(Statement::Break, naga::Span::UNDEFINED);
        self.push(Statement::If { condition, accept, reject: Block::new() });
    }

    /// Assigns at once: every value is computed before the first one is stored.
    fn assign(&mut self, into: &[Handle<LocalVariable>], values: &[Value]) {
        let values: Vec<Expr> = values.iter().map(|&v| self.value(v)).collect();
        into.iter().zip(values).for_each(|(&var, value)| self.set(var, value));
    }

    fn variables(&mut self, values: &[Value]) -> Vec<Handle<LocalVariable>> {
        values.iter().map(|&v| self.local_var(self.elem(v))).collect()
    }

    /// What `variables` hold now are the values.
    fn take(&mut self, values: &[Value], variables: &[Handle<LocalVariable>]) {
        for (&v, &var) in values.iter().zip(variables) {
            let e = self.get(var);
            self.values.insert(v, e);
        }
    }

    /// A block of its own for what `fill` adds.
    fn block(&mut self, fill: impl FnOnce(&mut Self) -> Result) -> Result<Block> {
        self.blocks.push(Block::new());
        let filled = fill(self);
        let block = self.blocks.pop().expect("it has just been pushed");
        filled.map(|()| block)
    }

    fn branch(&mut self, inst: &Inst) -> Result {
        let condition = self.value(inst.args[0]);
        let results = self.variables(&inst.results);
        self.yields.push(results.clone());
        let accept = self.block(|cx| cx.insts(&inst.regions[0].insts))?;
        let reject = match inst.regions.get(1) {
            Some(other) => self.block(|cx| cx.insts(&other.insts))?,
            None => Block::new(),
        };
        self.yields.pop();
        self.push(Statement::If { condition, accept, reject });
        self.take(&inst.results, &results);
        Ok(())
    }

    fn repeat(&mut self, inst: &Inst) -> Result {
        let body = &inst.regions[0];
        let counted = inst.op == Op::For;
        let carried = self.variables(&body.params[usize::from(counted)..]);
        let results = self.variables(&inst.results);
        let burns = self.burns_of(body);
        let counter = counted.then(|| self.local_var(self.elem(body.params[0])));
        self.assign(&carried, inst.carried());
        if let Some(counter) = counter {
            self.assign(&[counter], &inst.args[..1]);
        }
        // Nobody leaves a loop early that has neither an end within nor fuel. Those who are not there take no part in what only
        // some do.
        let absent = self.live.filter(|_| !burns.together);
        let leaves = burns.within || absent.is_some() || body.any(&mut |i| matches!(i.op, Op::Break | Op::Return));
        let done = leaves.then(|| self.flag());
        if let (Some(done), Some(live)) = (done, absent) {
            let absent = self.not(live);
            self.set(done, absent);
        }
        let around = Loop { carried: carried.clone(), results: results.clone(), done };
        let filled = self.block(|cx| {
            if let Some(done) = done {
                cx.leave_if(done);
            }
            if let Some(counter) = counter {
                cx.head(inst, counter, &around)?;
            }
            if let Some(done) = done.filter(|_| burns.each > 0) {
                // Items that leave a loop together run out together, too, whatever each has spent elsewhere.
                let fuel = if burns.together { cx.group_fuel } else { cx.fuel };
                cx.burn((fuel, burns.each), done, counted.then_some(&around))?;
            }
            let params = &body.params[usize::from(counted)..];
            cx.take(params, &carried);
            cx.loops.push(around);
            cx.yields.push(carried);
            cx.insts(&body.insts)?;
            cx.yields.pop();
            cx.loops.pop();
            Ok(())
        })?;
        let continuing = self.block(|cx| {
            counter.into_iter().for_each(|counter| cx.step(inst, counter));
            Ok(())
        })?;
        self.push(Statement::Loop { body: filled, continuing, break_if: None });
        if body.any(&mut |i| i.op == Op::Return) {
            self.leave_if_returned()?;
        }
        if burns.within && !self.grouped {
            self.leave_without_fuel()?;
        }
        self.take(&inst.results, &results);
        Ok(())
    }

    /// Behind a loop that an item may have returned from: it goes on to do so.
    fn leave_if_returned(&mut self) -> Result {
        let Some(returns) = self.returns else { return Ok(()) };
        let condition = self.get(returns);
        let accept = self.block(|cx| {
            cx.leave();
            Ok(())
        })?;
        self.push(Statement::If { condition, accept, reject: Block::new() });
        Ok(())
    }

    /// The counter of a loop goes on.
    fn step(&mut self, inst: &Inst, counter: Handle<LocalVariable>) {
        let (now, step) = (self.get(counter), self.value(inst.args[2]));
        let next = self.binary(B::Add, now, step);
        self.set(counter, next);
    }

    /// Ends an item that ran out of iterations: what the loop should have given it does not exist, and accesses behind may rely
    /// on it.
    fn leave_without_fuel(&mut self) -> Result {
        let (bad, mark, zero) = (self.get_global(self.bad), self.u32(MARK_FUEL), self.u32(0));
        let fuel = self.binary(B::And, bad, mark);
        let condition = self.binary(B::NotEqual, fuel, zero);
        let accept = self.block(|cx| {
            cx.leave();
            Ok(())
        })?;
        self.push(Statement::If { condition, accept, reject: Block::new() });
        Ok(())
    }

    /// Carried values become the results of a counted loop.
    fn give(&mut self, around: &Loop) {
        for (&from, &to) in around.carried.iter().zip(&around.results) {
            let last = self.get(from);
            self.set(to, last);
        }
    }

    /// The test at the head of a counted loop.
    fn head(&mut self, inst: &Inst, counter: Handle<LocalVariable>, around: &Loop) -> Result {
        let now = self.get(counter);
        self.values.insert(inst.regions[0].params[0], now);
        let (hi, step) = (self.value(inst.args[1]), self.value(inst.args[2]));
        let ends = match self.kernel.as_i32(inst.args[2]) {
            Some(step) => self.binary(if step < 0 { B::LessEqual } else { B::GreaterEqual }, now, hi),
            None => {
                let zero = self.i32(0);
                let down = self.binary(B::Less, step, zero);
                let (below, above) = (self.binary(B::LessEqual, now, hi), self.binary(B::GreaterEqual, now, hi));
                self.select(down, below, above)
            }
        };
        let leave = self.block(|cx| {
            cx.give(around);
            cx.push(Statement::Break);
            Ok(())
        })?;
        self.push(Statement::If { condition: ends, accept: leave, reject: Block::new() });
        Ok(())
    }

    /// What an iteration of the loop takes whose body comes next, and whether anything within takes some.
    fn burns_of(&mut self, body: &Body) -> Burns {
        let mut loops = 1;
        body.walk(&mut |i| loops += usize::from(is_loop(i)));
        let burns = &self.plan.burns[self.next_loop..self.next_loop + loops];
        let together = self.grouped && self.in_step[self.next_loop];
        self.next_loop += 1;
        Burns { each: burns[0], within: burns.iter().any(|b| *b > 0), together }
    }

    /// One iteration less is left, of so much fuel; without any, the item leaves its loops, a counted one with what it carries.
    pub(super) fn burn(
        &mut self,
        (fuel, each): (Handle<GlobalVariable>, u32),
        done: Handle<LocalVariable>,
        counted: Option<&Loop>,
    ) -> Result {
        let (left, each) = (self.get_global(fuel), self.u32(each));
        let empty = self.binary(B::Less, left, each);
        let leave = self.block(|cx| {
            let always = cx.pre(Expression::Literal(Literal::Bool(true)));
            cx.mark(always, MARK_FUEL);
            counted.into_iter().for_each(|around| cx.give(around));
            cx.raise(done);
            cx.push(Statement::Continue);
            Ok(())
        })?;
        self.push(Statement::If { condition: empty, accept: leave, reject: Block::new() });
        let less = self.binary(B::Subtract, left, each);
        self.set_global(fuel, less);
        Ok(())
    }
}

/// What a loop takes of the fuel.
struct Burns {
    each: u32,
    within: bool,
    /// Whether the items of a group wait for each other and leave it together.
    together: bool,
}
