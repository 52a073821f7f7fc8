//! Statements: branches, loops, stores, operations in one step.

use super::body::Body;
use super::ops::{bytes, is_common};
use super::ty;
use naga::{AtomicFunction as A, Barrier, Block, Expression, Handle, ScalarKind, Statement, TypeInner};

impl Body<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Emit(range) => range.clone().for_each(|e| self.expression(e)),
            Statement::Block(block) => self.block(block),
            Statement::If { condition, accept, reject } => self.branch(*condition, accept, reject),
            Statement::Loop { body, continuing, break_if: None } => self.repeat(body, continuing),
            Statement::Break | Statement::Continue => {
                let around = self.loops.last().expect("a loop stands around");
                let to = if matches!(statement, Statement::Break) { around.1.clone() } else { around.0.clone() };
                self.end(&format!("br label %{to}"));
            }
            Statement::Return { value: None } => self.end("ret void"),
            Statement::Store { pointer, value } => {
                let (at, to, value) = (self.typed(*pointer), self.pointee(*pointer), self.typed(*value));
                match to {
                    TypeInner::Atomic(_) => self.line(&format!("store atomic {value}, {at} monotonic, align 4")),
                    _ => self.line(&format!("store {value}, {at}, align {}", bytes(to))),
                }
            }
            Statement::ControlBarrier(_) => self.line("call void @llvm.nvvm.barrier0()"),
            Statement::MemoryBarrier(barrier) => {
                debug_assert!(barrier.contains(Barrier::STORAGE));
                self.line("call void @llvm.nvvm.membar.gl()");
            }
            Statement::Atomic { pointer, fun, value, result } => self.atomic(*pointer, *fun, *value, *result),
            Statement::Call { function, arguments, result: None } => {
                let arguments = arguments.iter().map(|&e| self.typed(e));
                let list: Vec<String> = self.handed.iter().cloned().chain(arguments).collect();
                self.line(&format!("call void @f{}({}) convergent", function.index(), list.join(", ")));
            }
            _ => quadra_base::bug!("shaders of kernels have no such statements"),
        }
    }

    /// Ends a block of instructions; what stands behind is never reached.
    fn end(&mut self, instruction: &str) {
        self.line(instruction);
        let dead = self.fresh_label();
        self.label(&dead);
    }

    fn branch(&mut self, condition: Handle<Expression>, accept: &Block, reject: &Block) {
        let [yes, no, join] = [(); 3].map(|()| self.fresh_label());
        let condition = self.typed(condition);
        let other = if reject.is_empty() { &join } else { &no };
        self.line(&format!("br {condition}, label %{yes}, label %{other}"));
        for (label, block) in [(&yes, accept), (&no, reject)] {
            if !block.is_empty() || label == &yes {
                self.label(label);
                self.block(block);
                self.line(&format!("br label %{join}"));
            }
        }
        self.label(&join);
    }

    fn repeat(&mut self, body: &Block, continuing: &Block) {
        let [head, next, exit] = [(); 3].map(|()| self.fresh_label());
        self.line(&format!("br label %{head}"));
        self.label(&head);
        self.loops.push((next.clone(), exit.clone()));
        self.block(body);
        self.loops.pop();
        self.line(&format!("br label %{next}"));
        self.label(&next);
        self.block(continuing);
        self.line(&format!("br label %{head}"));
        self.label(&exit);
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: A,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) {
        debug_assert!(is_common(self.inner(pointer)));
        let (at, signed) = (self.typed(pointer), self.scalar(value).kind == ScalarKind::Sint);
        let of = ty(self.inner(value));
        let value = self.value(value);
        let name = match fun {
            A::Add => "add",
            A::Subtract => "sub",
            A::And => "and",
            A::InclusiveOr => "or",
            A::ExclusiveOr => "xor",
            A::Min if signed => "min",
            A::Min => "umin",
            A::Max if signed => "max",
            A::Max => "umax",
            A::Exchange { compare: None } => "xchg",
            A::Exchange { compare: Some(old) } => {
                let old = self.typed(old);
                let pair = self.def(&format!("cmpxchg {at}, {old}, {of} {value} monotonic monotonic"));
                result.into_iter().for_each(|r| self.name(r, pair.clone()));
                return;
            }
        };
        let old = self.def(&format!("atomicrmw {name} {at}, {of} {value} monotonic"));
        result.into_iter().for_each(|r| self.name(r, old.clone()));
    }
}
