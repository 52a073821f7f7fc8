//! Statements.

use super::{Compiler, Loop};
use crate::builtins::meaning;
use crate::code::{Op, Reg};
use crate::nest::{Around, Nest};
use quadra_base::{Diagnostic, Span};
use quadra_quasar_hir::live::read_after;
use quadra_quasar_hir::par::Plan;
use quadra_quasar_hir::par::pattern::any_index;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, For, Function, Stmt, StmtKind, Text};
use std::rc::Rc;

/// A nest that has been tried on a device in front of a loop.
struct Tried {
    /// The jump behind the loop.
    done: usize,
    index: u16,
    bounds: Reg,
    /// Whether the bounds are computed before the loop in any case.
    bounds_hold: bool,
    /// Says behind the loop whether an iteration ended the function, if one may.
    returned: Option<Reg>,
}

impl Compiler<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        for stmt in block {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        self.top().span = stmt.span;
        let silent = matches!(
            stmt.kind,
            StmtKind::Function(_)
                | StmtKind::Module(_)
                | StmtKind::TypeDef(_)
                | StmtKind::Attribute(_)
                | StmtKind::Import(_)
        );
        if !silent {
            self.begins(stmt.span);
        }
        if self.shared.evaluates && self.top().global {
            self.emit(Op::Publish);
        }
        match &stmt.kind {
            StmtKind::Expr(e) => self.discard(e),
            StmtKind::If { arms, otherwise } => self.if_statement(arms, otherwise),
            StmtKind::For(f) => self.scratch(|c| c.for_loop(f)),
            StmtKind::While { condition, body } => self.while_loop(condition, body),
            StmtKind::Repeat { body, condition } => self.repeat_loop(body, condition),
            StmtKind::Match { value, arms } => self.scratch(|c| c.match_statement(value, arms)),
            StmtKind::Try { body, name, handler } => self.try_statement(body, name.as_ref(), handler, stmt.span),
            StmtKind::Function(f) => self.function_statement(f),
            StmtKind::Break | StmtKind::Continue => self.leave_loop(matches!(stmt.kind, StmtKind::Break)),
            StmtKind::Return => {
                self.emit(Op::Return);
            }
            StmtKind::Sync { fence, scope } => self.sync(*fence, scope.as_ref(), stmt.span),
            StmtKind::Command { name, args } => self.scratch(|c| c.command(name, args, stmt.span)),
            StmtKind::Module(module) => self.block(&module.body),
            StmtKind::TypeDef(_) | StmtKind::Attribute(_) | StmtKind::Import(_) => {}
        }
    }

    /// Code that fills in missing optional arguments, from left to right.
    pub(super) fn defaults(&mut self, f: &Function) {
        for (i, param) in f.params.iter().enumerate() {
            let Some(default) = &param.default else { continue };
            let later = Names::of_expr(default);
            if let Some(later) = f.params[i..].iter().find(|p| later.mentions(&p.name)) {
                let message = format!("the default of '{}' uses the later parameter '{}'", param.name, later.name);
                let help = "defaults may use earlier parameters only: change the order";
                self.error(Diagnostic::error("Q0210", message).at(default.span).help(help));
            }
            let reg = i as Reg;
            self.top().span = default.span;
            let skip = self.emit(Op::UnlessUnset { a: reg, to: 0 });
            self.scratch(|c| c.value_into(default, reg));
            self.emit(Op::CheckParam { param: i as u16 });
            self.patch(skip);
        }
    }

    fn if_statement(&mut self, arms: &[(Expr, Block)], otherwise: &Block) {
        let mut ends = Vec::new();
        for (i, (condition, body)) in arms.iter().enumerate() {
            let no = self.jump_unless(condition);
            self.block(body);
            if i + 1 < arms.len() || !otherwise.is_empty() {
                ends.push(self.emit(Op::Jump { to: 0 }));
            }
            no.into_iter().for_each(|at| self.patch(at));
        }
        self.block(otherwise);
        ends.into_iter().for_each(|at| self.patch(at));
    }

    fn enter_loop(&mut self) {
        let tries = self.top().tries;
        self.top().loops.push(Loop { breaks: Vec::new(), continues: Vec::new(), tries });
    }

    /// Ends a loop: `continue` goes to `next`, `break` to here.
    fn end_loop(&mut self, next: u32) {
        let Some(this) = self.top().loops.pop() else { return };
        this.continues.into_iter().for_each(|at| self.patch_to(at, next));
        this.breaks.into_iter().for_each(|at| self.patch(at));
    }

    fn leave_loop(&mut self, out: bool) {
        let tries = self.top().tries;
        let Some(inner) = self.top().loops.last().map(|l| l.tries) else { return };
        for _ in inner..tries {
            self.emit(Op::EndTry);
        }
        let at = self.emit(Op::Jump { to: 0 });
        if let Some(this) = self.top().loops.last_mut() {
            if out { this.breaks.push(at) } else { this.continues.push(at) }
        }
    }

    fn for_loop(&mut self, f: &For) {
        let done = self.nest(f);
        let safe = self.shared.safe_loops.contains(&f.id);
        let outer = self.top().default_access;
        if safe {
            self.top().default_access = Access::Safe;
        }
        let state = self.temporaries(5);
        let var = self.variable(&f.name);
        self.top().span = f.span;
        let start = match &f.over.kind {
            ExprKind::Range { from, step, to } => {
                let a = self.temporaries(3);
                self.value_into(from, a);
                match step {
                    Some(step) => self.value_into(step, a + 1),
                    None => self.load(f.span, a + 1, crate::value::Value::Int(1)),
                }
                self.value_into(to, a + 2);
                self.emit_at(f.over.span, Op::ForRange { state, a, to: 0 })
            }
            _ => {
                let a = self.value(&f.over);
                self.emit_at(f.over.span, Op::ForEach { state, a, to: 0 })
            }
        };
        self.enter_loop();
        let body = self.here();
        let open = |c: &Self, t: &Tried| c.stack.last().is_some_and(|f| f.code.nests[t.index as usize].is_open());
        let looks = |c: &Self, t: &&Tried| t.bounds_hold && (open(c, t) || c.may_take_long(&f.body));
        let rest = done.as_ref().filter(|t| looks(self, t)).map(|t| {
            let (index, bounds) = (t.index, t.bounds);
            self.emit_at(f.span, Op::Rest { index, bounds, state, to: 0 })
        });
        self.block(&f.body);
        let next = self.here();
        self.patch(start);
        self.emit_at(f.span, Op::ForNext { state, var, to: body });
        self.end_loop(next);
        self.note_around(f, state, var);
        self.top().default_access = outer;
        rest.into_iter().for_each(|at| self.patch(at));
        if let Some(Tried { done, index, returned, .. }) = done {
            self.patch(done);
            if let Some(a) = returned {
                let goes_on = self.emit(Op::JumpUnless { a, to: 0 });
                self.emit(Op::Return);
                self.patch(goes_on);
            }
            let code = &self.top().code;
            let ops = &code.ops[done..];
            let loops = ops.iter().filter(|op| matches!(op, Op::ForNext { .. })).count();
            let nest = &code.nests[index as usize];
            let slice =
                |items: &[Expr]| items.iter().any(|i| matches!(i.kind, ExprKind::Colon | ExprKind::Range { .. }));
            let slices = any_index(&nest.ast.body, &slice);
            nest.weight.set((crate::auto::instructions(ops, done), loops.saturating_sub(nest.plan.depth), slices));
        }
    }

    /// Tells a nest of a loop that does nothing else but exchange two variables.
    fn note_around(&mut self, f: &For, state: Reg, var: Reg) {
        let (inner, swap) = match &f.body[..] {
            [one] => (one, None),
            [one, other] => match exchange(other) {
                Some(names) => (one, Some(names)),
                None => return,
            },
            _ => return,
        };
        let StmtKind::For(inner) = &inner.kind else { return };
        let top = self.top();
        let reg = |name: &Text| top.registers.get(name).copied();
        let swap = match swap {
            None => None,
            Some((a, b)) => match (reg(a), reg(b)) {
                (Some(a), Some(b)) => Some((a, b)),
                _ => return,
            },
        };
        let found = top.code.nests.iter().find(|n| n.ast.id == inner.id);
        if let Some(nest) = found.filter(|n| n.vars.iter().all(|v| v.1 != var)) {
            nest.around.set(Some(Around { state, var, swap }));
        }
    }

    /// How a loop is carried out on devices, and the nest for which it stands in if that becomes no kernel.
    fn plan(&self, f: &For) -> Option<(Plan, Option<Rc<Nest>>)> {
        if let Some(plan) = self.shared.plans.get(&f.id) {
            return Some((plan.clone(), None));
        }
        let (around, plan) = self.shared.reserve.get(&f.id)?;
        let around = self.stack.last()?.code.nests.iter().find(|n| n.ast.id == *around)?;
        Some((plan.clone(), Some(around.clone())))
    }

    /// Whether an iteration may take much longer than its text says: loops turn in it, or functions of the program are called.
    fn may_take_long(&self, body: &Block) -> bool {
        fn loops(body: &Block) -> bool {
            body.iter().any(|s| match &s.kind {
                StmtKind::For(_) | StmtKind::While { .. } | StmtKind::Repeat { .. } => true,
                StmtKind::If { arms, otherwise } => arms.iter().any(|a| loops(&a.1)) || loops(otherwise),
                StmtKind::Match { arms, .. } => arms.iter().any(|a| loops(&a.body)),
                _ => false,
            })
        }
        loops(body) || Names::of_block(body).mentioned.iter().any(|n| self.shared.functions.contains_key(n))
    }

    /// Code that tries a parallel nest on the device.
    fn nest(&mut self, f: &For) -> Option<Tried> {
        let body = self.top().body.clone()?;
        let (mut plan, within) = self.plan(f)?;
        let mut loops = vec![f];
        while loops.len() < plan.depth {
            let inner = loops[loops.len() - 1].body.iter().find_map(|s| match &s.kind {
                StmtKind::For(inner) => Some(&**inner),
                _ => None,
            })?;
            loops.push(inner);
        }
        let device = self.device();
        let own = |n: &Text| self.shared.functions.contains_key(n);
        if device || !loops.iter().all(|l| plain_bound(&l.over, &own)) {
            return None;
        }
        let mut names = Names::of_block(&f.body);
        names.expr(&f.over);
        for l in &loops {
            self.variable(&l.name);
        }
        let registers = &self.top().registers;
        let all = names.mentioned.iter().chain(&names.assigned).chain(loops.iter().map(|l| &l.name));
        let mut vars: Vec<(Text, Reg)> = all.filter_map(|n| registers.get(n).map(|r| (n.clone(), *r))).collect();
        vars.sort();
        vars.dedup();
        let returned = plan.serial.as_ref().is_some_and(|s| s.returns).then(|| self.returned(f.span, &mut vars));
        let types = self.top().code.types.clone();
        let declared = self.top().declared.iter().map(|(n, t)| (n.clone(), types[*t as usize].clone())).collect();
        let outputs = self.top().code.outputs.iter().map(|o| o.0.clone()).collect();
        let mut read_after = read_after(&body, f.id, &outputs, crate::builtins::library());
        let only_returned =
            outputs.into_iter().filter(|o| returned.is_some() && read_after.insert(o.clone())).collect();
        let access = self.top().access.clone();
        let global = self.top().global;
        let outer = plan.outer.take();
        let mut around = Names::default();
        quadra_quasar_hir::scope::set_around(&body, f.id, &mut around);
        let varying = around.assigned.into_iter().collect();
        let mut nest =
            Nest { access, declared, read_after, only_returned, varying, global, ..Nest::new(f.clone(), plan, vars) };
        let reserve = within.is_some();
        nest.within = within;
        nest.outer = outer.map(|plan| std::rc::Rc::new(nest.with(*plan)));
        self.top().code.nests.push(std::rc::Rc::new(nest));
        let index = (self.top().code.nests.len() - 1) as u16;
        let skip = reserve.then(|| self.emit_at(f.span, Op::UnlessRefused { index, to: 0 }));
        let d = self.temporary();
        let bounds = self.bounds(&loops)?;
        self.emit_at(f.span, Op::Nest { d, index, bounds });
        let done = self.emit(Op::JumpIf { a: d, to: 0 });
        skip.into_iter().for_each(|at| self.patch(at));
        Some(Tried { done, index, bounds, bounds_hold: !reserve, returned })
    }

    /// The first, the step and the last of the range of each loop, in registers from this one on.
    fn bounds(&mut self, loops: &[&For]) -> Option<Reg> {
        let bounds = self.temporaries(3 * loops.len());
        for (level, l) in loops.iter().enumerate() {
            let ExprKind::Range { from, step, to } = &l.over.kind else { return None };
            let a = bounds + 3 * level as Reg;
            self.value_into(from, a);
            match step {
                Some(step) => self.value_into(step, a + 1),
                None => self.load(l.span, a + 1, crate::value::Value::Int(1)),
            }
            self.value_into(to, a + 2);
        }
        Some(bounds)
    }

    /// A variable of a nest that says whether an iteration ended the function; none has.
    fn returned(&mut self, span: Span, vars: &mut Vec<(Text, Reg)>) -> Reg {
        let reg = self.temporary();
        vars.push((crate::nest::RETURNED.into(), reg));
        self.load(span, reg, crate::value::Value::Int(0));
        reg
    }

    fn while_loop(&mut self, condition: &Expr, body: &Block) {
        let top = self.here();
        let no = self.jump_unless(condition);
        self.enter_loop();
        self.block(body);
        self.top().span = condition.span;
        self.emit(Op::Jump { to: top });
        no.into_iter().for_each(|at| self.patch(at));
        self.end_loop(top);
    }

    fn repeat_loop(&mut self, body: &Block, condition: &Expr) {
        let top = self.here();
        self.enter_loop();
        self.block(body);
        let test = self.here();
        let again = self.jump_unless(condition);
        again.into_iter().for_each(|at| self.patch_to(at, top));
        self.end_loop(test);
    }

    fn match_statement(&mut self, value: &Expr, arms: &[quadra_quasar_syntax::ast::MatchArm]) {
        let subject = self.temporary();
        self.value_into(value, subject);
        let mut ends = Vec::new();
        for arm in arms {
            let mut hits = Vec::new();
            for pattern in &arm.patterns {
                self.scratch(|c| {
                    let b = c.value(pattern);
                    let d = c.temporary();
                    c.emit_at(pattern.span, Op::Equal { d, a: subject, b });
                    hits.push(c.emit(Op::JumpIf { a: d, to: 0 }));
                });
            }
            let miss = (!arm.patterns.is_empty()).then(|| self.emit(Op::Jump { to: 0 }));
            hits.into_iter().for_each(|at| self.patch(at));
            self.block(&arm.body);
            ends.push(self.emit(Op::Jump { to: 0 }));
            if let Some(miss) = miss {
                self.patch(miss);
            }
        }
        ends.into_iter().for_each(|at| self.patch(at));
    }

    fn try_statement(&mut self, body: &Block, name: Option<&Text>, handler: &Block, span: Span) {
        if self.device() {
            let help = "check the condition before, or use error with constant text";
            self.error(
                Diagnostic::error("Q0404", "try is not allowed in kernel and device functions").at(span).help(help),
            );
        }
        let var = match name {
            Some(name) => self.variable(name),
            None => self.temporary(),
        };
        let start = self.emit(Op::Try { to: 0, name: var });
        self.top().tries += 1;
        self.block(body);
        self.top().tries -= 1;
        self.emit(Op::EndTry);
        let end = self.emit(Op::Jump { to: 0 });
        self.patch(start);
        self.block(handler);
        self.patch(end);
    }

    fn function_statement(&mut self, f: &std::rc::Rc<quadra_quasar_syntax::ast::Function>) {
        if self.top().global {
            let index = self.function(f, None);
            let global = &mut self.top().code.functions[index as usize];
            if let Some(code) = std::rc::Rc::get_mut(global) {
                code.global = true;
            }
            self.emit_at(f.span, Op::Define { index });
            return;
        }
        let index = self.function(f, Some(f.name.clone()));
        let d = self.variable(&f.name);
        self.emit_at(f.span, Op::Closure { d, index });
    }

    fn sync(&mut self, fence: bool, scope: Option<&Text>, span: Span) {
        let word = if fence { "memfence" } else { "syncthreads" };
        let code = match scope.map(|s| &**s) {
            None | Some("block") => 0,
            Some("warp") => 1,
            Some("grid") => 2,
            Some("host") | Some("system") => 3,
            Some(other) => {
                let message = format!("unknown scope '{other}' of {word}");
                self.error(Diagnostic::error("Q0405", message).at(span).help("block, warp, grid or host"));
                0
            }
        };
        let scope = if fence { 8 + code } else { code };
        self.emit_at(span, Op::Barrier { scope });
    }

    fn command(&mut self, name: &Text, args: &[quadra_quasar_syntax::ast::Arg], span: Span) {
        let what = quadra_quasar_syntax::token::COMMANDS.iter().position(|c| **c == **name).map_or(3, |k| k as u8);
        if self.device() && what != 2 {
            let message = format!("'{name}' is not allowed in kernel and device functions");
            let help = "write the value to an array and print it on the host";
            self.error(Diagnostic::error("Q0403", message).at(span).help(help));
        }
        let spread = args.iter().any(|a| matches!(a.value.kind, ExprKind::Spread(_)));
        if spread || args.len() > 250 {
            let spec = self.argument_spec(args);
            self.emit_at(span, Op::CommandSpread { what, spec });
            return;
        }
        let first: Reg = self.temporaries(args.len().max(1));
        for (i, arg) in args.iter().enumerate() {
            self.value_into(&arg.value, first + i as Reg);
        }
        self.emit_at(span, Op::Command { what, first, n: args.len() as u8 });
    }
}

/// Whether the bounds of a loop may be computed before it is known that the loop runs: they have no effect and cannot fail
/// but by an undefined name.
/// The variables of `[a, b] = [b, a]`.
fn exchange(s: &Stmt) -> Option<(&Text, &Text)> {
    let StmtKind::Expr(Expr { kind: ExprKind::MultiAssign { targets, value }, .. }) = &s.kind else { return None };
    let ExprKind::Array(values) = &value.kind else { return None };
    let ([a, b], [c, d]) = (&targets[..], &values[..]) else { return None };
    let (ExprKind::Name(x), ExprKind::Name(y), ExprKind::Name(u), ExprKind::Name(v)) =
        (&a.kind, &b.kind, &c.kind, &d.kind)
    else {
        return None;
    };
    (x == v && y == u && x != y).then_some((x, y))
}

/// Whether an expression may be computed twice, for the device and for the host: it has no effect. `own` are the functions of the
/// program, of which nobody knows what they do.
fn plain_bound(e: &Expr, own: &dyn Fn(&Text) -> bool) -> bool {
    let plain = |e: &Expr| plain_bound(e, own);
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Name(_) => true,
        ExprKind::Unary(_, a) => plain(a),
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => plain(a) && plain(b),
        ExprKind::Ternary(c, a, b) => plain(c) && plain(a) && plain(b),
        ExprKind::Range { from, step, to } => plain(from) && plain(to) && step.as_ref().is_none_or(|s| plain(s)),
        ExprKind::Index { base, items } => matches!(base.kind, ExprKind::Name(_)) && items.iter().all(plain),
        ExprKind::Call { callee, args } => {
            let ExprKind::Name(n) = &callee.kind else { return false };
            let known = &**n == "int" || meaning(n).only_computes();
            known && !own(n) && args.iter().all(|a| plain(&a.value))
        }
        _ => false,
    }
}
