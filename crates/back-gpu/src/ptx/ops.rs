//! Expressions.

use super::body::Body;
use super::{space, ty};
use naga::{
    BinaryOperator as B, Expression, Handle, MathFunction as M, Scalar, ScalarKind as K, TypeInner, UnaryOperator,
};

/// The intrinsic functions that are called.
pub(super) const DECLARATIONS: &str = "\
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.barrier0() convergent
declare void @llvm.nvvm.membar.gl()
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i64 @llvm.abs.i64(i64, i1)
declare float @llvm.fabs.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.ceil.f32(float)
declare float @llvm.trunc.f32(float)
declare float @llvm.rint.f32(float)
declare float @llvm.sqrt.f32(float)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.trunc.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.sqrt.f64(double)";

impl Body<'_> {
    /// Computes an expression.
    pub(super) fn expression(&mut self, e: Handle<Expression>) {
        let name = match self.function.expressions[e] {
            Expression::Load { pointer } => self.load(pointer),
            Expression::Access { base, index } => {
                let index = self.typed(index);
                let wide = self.def(&format!("zext {index} to i64"));
                self.element(base, &wide)
            }
            Expression::AccessIndex { base, index } => match self.inner(base) {
                TypeInner::Pointer { .. } => self.element(base, &index.to_string()),
                TypeInner::Vector { .. } => format!("%group{index}"),
                _ => {
                    let value = self.value(base);
                    self.def(&format!("extractvalue {{ i32, i1 }} {value}, {index}"))
                }
            },
            Expression::Binary { op, left, right } => self.binary(op, left, right),
            Expression::Unary { op, expr } => {
                let (value, all) = (self.typed(expr), if self.scalar(expr).kind == K::Bool { "true" } else { "-1" });
                match op {
                    UnaryOperator::Negate => quadra_base::bug!("signs are changed by differences"),
                    UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot => self.def(&format!("xor {value}, {all}")),
                }
            }
            Expression::Select { condition, accept, reject } => {
                let [condition, accept, reject] = [condition, accept, reject].map(|e| self.typed(e));
                self.def(&format!("select {condition}, {accept}, {reject}"))
            }
            Expression::Math { fun, arg, .. } => self.math(fun, arg),
            Expression::As { expr, kind, convert } => self.conversion(
                expr,
                Scalar { kind, width: convert.unwrap_or(self.scalar(expr).width) },
                convert.is_some(),
            ),
            _ => quadra_base::bug!("shaders of kernels have no such expressions"),
        };
        self.name(e, name);
    }

    fn load(&mut self, pointer: Handle<Expression>) -> String {
        let (to, at) = (self.pointee(pointer), self.typed(pointer));
        match to {
            TypeInner::Atomic(_) => self.def(&format!("load atomic {}, {at} monotonic, align 4", ty(to))),
            _ => self.def(&format!("load {}, {at}, align {}", ty(to), bytes(to))),
        }
    }

    /// Where an element of an array is.
    fn element(&mut self, base: Handle<Expression>, index: &str) -> String {
        let element = match self.pointee(base) {
            TypeInner::Array { base, .. } => ty(&self.module.types[*base].inner),
            _ => quadra_base::bug!("what has elements is an array"),
        };
        let base = self.typed(base);
        self.def(&format!("getelementptr {element}, {base}, i64 {index}"))
    }

    fn binary(&mut self, op: B, left: Handle<Expression>, right: Handle<Expression>) -> String {
        let scalar = self.scalar(left);
        let (a, mut b) = (self.typed(left), self.value(right));
        if self.scalar(right).width < scalar.width && matches!(op, B::ShiftLeft | B::ShiftRight) {
            let narrow = self.typed(right);
            b = self.def(&format!("zext {narrow} to {}", ty(&TypeInner::Scalar(scalar))));
        }
        let name = instruction(op, scalar.kind);
        self.def(&format!("{name} {a}, {b}"))
    }

    fn math(&mut self, fun: M, arg: Handle<Expression>) -> String {
        let (scalar, value) = (self.scalar(arg), self.typed(arg));
        let of = ty(&TypeInner::Scalar(scalar));
        let name = match (fun, scalar.kind) {
            (M::Abs, K::Float) => "fabs",
            (M::Floor, _) => "floor",
            (M::Ceil, _) => "ceil",
            (M::Trunc, _) => "trunc",
            (M::Round, _) => "rint",
            (M::Sqrt, _) => "sqrt",
            (M::Abs, _) => return self.def(&format!("call {of} @llvm.abs.{of}({value}, i1 false)")),
            (M::CountLeadingZeros, _) => return self.def(&format!("call {of} @llvm.ctlz.{of}({value}, i1 false)")),
            (M::CountOneBits, _) => return self.def(&format!("call {of} @llvm.ctpop.{of}({value})")),
            _ => quadra_base::bug!("shaders of kernels call no such functions"),
        };
        let bits = if scalar.width == 8 { "f64" } else { "f32" };
        self.def(&format!("call {of} @llvm.{name}.{bits}({value})"))
    }

    /// A value as another type: its bits, or what is nearest.
    fn conversion(&mut self, expr: Handle<Expression>, to: Scalar, converts: bool) -> String {
        let from = self.scalar(expr);
        let [a, b] = [from, to].map(|s| ty(&TypeInner::Scalar(s)));
        if a == b {
            return self.value(expr);
        }
        let signed = from.kind == K::Sint;
        let name = match (from.kind, to.kind) {
            _ if !converts => "bitcast",
            (K::Float, K::Float) if to.width > from.width => "fpext",
            (K::Float, K::Float) => "fptrunc",
            (K::Float, K::Sint) => "fptosi",
            (K::Float, _) => "fptoui",
            (_, K::Float) if signed => "sitofp",
            (_, K::Float) => "uitofp",
            (K::Bool, _) => "zext",
            _ if to.width < from.width => "trunc",
            _ if signed => "sext",
            _ => "zext",
        };
        let value = self.typed(expr);
        self.def(&format!("{name} {value} to {b}"))
    }
}

/// What an operation is called.
fn instruction(op: B, kind: K) -> &'static str {
    let (float, signed) = (kind == K::Float, kind == K::Sint);
    match op {
        B::Add if float => "fadd",
        B::Add => "add",
        B::Subtract if float => "fsub",
        B::Subtract => "sub",
        B::Multiply if float => "fmul",
        B::Multiply => "mul",
        B::Divide if float => "fdiv",
        B::Divide if signed => "sdiv",
        B::Divide => "udiv",
        B::Modulo if float => "frem",
        B::Modulo if signed => "srem",
        B::Modulo => "urem",
        B::Equal if float => "fcmp oeq",
        B::Equal => "icmp eq",
        B::NotEqual if float => "fcmp une",
        B::NotEqual => "icmp ne",
        B::Less if float => "fcmp olt",
        B::Less if signed => "icmp slt",
        B::Less => "icmp ult",
        B::LessEqual if float => "fcmp ole",
        B::LessEqual if signed => "icmp sle",
        B::LessEqual => "icmp ule",
        B::Greater if float => "fcmp ogt",
        B::Greater if signed => "icmp sgt",
        B::Greater => "icmp ugt",
        B::GreaterEqual if float => "fcmp oge",
        B::GreaterEqual if signed => "icmp sge",
        B::GreaterEqual => "icmp uge",
        B::And | B::LogicalAnd => "and",
        B::InclusiveOr | B::LogicalOr => "or",
        B::ExclusiveOr => "xor",
        B::ShiftLeft => "shl",
        B::ShiftRight if signed => "ashr",
        B::ShiftRight => "lshr",
    }
}

/// What memory of a type begins at a multiple of.
pub(super) fn bytes(inner: &TypeInner) -> u8 {
    match inner {
        TypeInner::Scalar(s) if s.kind == K::Bool => 1,
        TypeInner::Scalar(s) | TypeInner::Atomic(s) => s.width,
        _ => 8,
    }
}

/// Whether memory is seen by other invocations.
pub(super) fn is_common(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Pointer { space: to, .. } if space(*to) > 0)
}
