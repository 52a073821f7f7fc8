//! From kernel IR to a module.
//!
//! The kernel's body is a function of its own, so that an item may return from anywhere; the entry point calls it for the
//! items that exist and leaves the marks. Values are expressions, carried values and results of regions local variables.

mod across;
mod control;
mod elementary;
mod float;
mod fused;
pub(crate) mod gather;
mod int;
mod memory;
mod prelude;
pub(crate) mod turns;

use crate::abi::Target;
use crate::abi::codes::REFUSED;
use crate::abi::{self, Form};
use naga::{
    BinaryOperator, Expression, Function, Handle, Literal, LocalVariable, MathFunction, Module, Range, Scalar,
    ScalarKind, Span, Statement, TypeInner, UnaryOperator,
};
use quadra_base::Diagnostic;
use quadra_base::quick::Map;
use quadra_kir::{Buf, Const, Def, Elem, Inst, Kernel, Op, Param, Value};

pub(crate) use prelude::is_grouped;

type Expr = Handle<Expression>;
type Refused = Box<Diagnostic>;
type Result<T = ()> = std::result::Result<T, Refused>;

/// What became of a kernel.
pub struct Lowered {
    pub module: Module,
    pub form: Form,
    /// Whether items may leave a mark.
    pub marks: bool,
}

/// The module of a kernel behind the common passes, whose loops make so many iterations at most (0 where that is not known), and whose
/// buffers have so many elements, if they are gathered by groups (0 otherwise). Items along each axis come in tiles of so many.
///
/// # Errors
/// `E0870`: what the target does not do.
pub fn run(
    kernel: &Kernel,
    (iterations, gathers): (&[u32], &[u32]),
    (tile, partial): (Vec<u32>, bool),
    target: &Target,
) -> Result<Lowered> {
    let mut form = prelude::form(kernel, target)?;
    form.partial = form.grouped && partial;
    form.fill(target.together);
    form.tile = tile;
    let mut plan = turns::plan(&kernel.body, iterations, target);
    let gathers = gather::plan(kernel, gathers, (&mut form, &mut plan), target);
    let mut cx = Cx::new(kernel, target, &form, plan)?;
    cx.plan.share(&cx.in_step, target);
    cx.declare_gathered(gathers, &form);
    cx.prelude(&form);
    let body = &kernel.body;
    if body.any(&mut |i| matches!(i.op, Op::For | Op::Loop) && i.regions[0].any(&mut |i| i.op == Op::Return)) {
        cx.returns = Some(cx.flag());
    }
    cx.insts(&body.insts)?;
    let marks = cx.marks_anything;
    Ok(Lowered { module: cx.finish(&form), form, marks })
}

/// A memory that instructions name.
#[derive(Clone)]
struct Place {
    global: Handle<naga::GlobalVariable>,
    elem: Elem,
    /// Elements are atomic words, because something is done to them in one step.
    atomic: bool,
    shared: bool,
    /// Where its sizes begin in the header; sizes of shared arrays are constants.
    dims: u32,
}

/// The variables of a loop around an instruction.
struct Loop {
    carried: Vec<Handle<LocalVariable>>,
    results: Vec<Handle<LocalVariable>>,
    /// Whether the item leaves it at the head of the next iteration; none where items wait for each other.
    done: Option<Handle<LocalVariable>>,
}

struct Cx<'k> {
    kernel: &'k Kernel,
    target: &'k Target,
    module: Module,
    f: Function,
    /// Blocks that are being filled, the innermost last.
    blocks: Vec<naga::Block>,
    values: Map<Value, Expr>,
    places: Map<Buf, Place>,
    /// Where each parameter's words begin in the header.
    header: Handle<naga::GlobalVariable>,
    marks: Handle<naga::GlobalVariable>,
    /// What this item has to leave in the marks, and the iterations that it has left.
    bad: Handle<naga::GlobalVariable>,
    fuel: Handle<naga::GlobalVariable>,
    /// What is left of loops that the items of a group leave together: the same for all of them.
    group_fuel: Handle<naga::GlobalVariable>,
    loops: Vec<Loop>,
    /// Whether an item has returned from inside of a loop.
    returns: Option<Handle<LocalVariable>>,
    /// Where the regions around an instruction leave their results.
    yields: Vec<Vec<Handle<LocalVariable>>>,
    /// Of the item, along each axis: its index, its index in its group, its group.
    item: Vec<Expr>,
    local: Vec<Expr>,
    group: Vec<Expr>,
    lane: Option<Expr>,
    sizes: Vec<u32>,
    /// Whether items of a group may wait for each other.
    grouped: bool,
    /// Whether the item exists, where groups may have fewer items than invocations: those others come along to where items wait,
    /// and leave nothing behind.
    live: Option<Expr>,
    /// Whether the items of a group come to each loop and leave it together, in the order of the text.
    in_step: Vec<bool>,
    /// What is counted of loops, and how many of them have been met.
    plan: turns::Plan,
    next_loop: usize,
    /// Whether an item may leave a mark.
    marks_anything: bool,
    /// Buffers to which groups add once what their items add.
    gathered: Vec<gather::Gathered>,
    /// Where the items of a group show each other a value, by its type, and how many there are at most.
    exchange: Map<Elem, Handle<naga::GlobalVariable>>,
    invocations: u32,
    /// 0, of which the driver does not know that it is, where it would think too much of it.
    zero: Option<Expr>,
    /// What computes a product and a sum rounded once, where there are no doubles to do so.
    fused_function: Option<Handle<Function>>,
}

impl Cx<'_> {
    fn refuse<T>(&self, inst: &Inst, what: impl std::fmt::Display) -> Result<T> {
        Err(refused(what).at(inst.span.or(self.kernel.span)).into())
    }

    /// An expression that holds wherever it is used.
    fn pre(&mut self, e: Expression) -> Expr {
        self.f.expressions.append(e, Span::UNDEFINED)
    }

    /// An expression that is computed here.
    fn emit(&mut self, e: Expression) -> Expr {
        let at = self.pre(e);
        self.push(Statement::Emit(Range::new_from_bounds(at, at)));
        at
    }

    fn push(&mut self, statement: Statement) {
        let block = self.blocks.last_mut().expect("the body's block is always there");
        block.push(statement, Span::UNDEFINED);
    }

    fn ty(&mut self, inner: TypeInner) -> Handle<naga::Type> {
        self.module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED)
    }

    fn local_var(&mut self, elem: Elem) -> Handle<LocalVariable> {
        let ty = self.ty(TypeInner::Scalar(scalar(elem)));
        self.f.local_variables.append(LocalVariable { name: None, ty, init: None }, Span::UNDEFINED)
    }

    fn get(&mut self, var: Handle<LocalVariable>) -> Expr {
        let pointer = self.pre(Expression::LocalVariable(var));
        self.emit(Expression::Load { pointer })
    }

    fn set(&mut self, var: Handle<LocalVariable>, value: Expr) {
        let pointer = self.pre(Expression::LocalVariable(var));
        self.push(Statement::Store { pointer, value });
    }

    fn get_global(&mut self, var: Handle<naga::GlobalVariable>) -> Expr {
        let pointer = self.pre(Expression::GlobalVariable(var));
        self.emit(Expression::Load { pointer })
    }

    fn set_global(&mut self, var: Handle<naga::GlobalVariable>, value: Expr) {
        let pointer = self.pre(Expression::GlobalVariable(var));
        self.push(Statement::Store { pointer, value });
    }

    fn i32(&mut self, value: i32) -> Expr {
        self.pre(Expression::Literal(Literal::I32(value)))
    }

    fn u32(&mut self, value: u32) -> Expr {
        self.pre(Expression::Literal(Literal::U32(value)))
    }

    fn binary(&mut self, op: BinaryOperator, left: Expr, right: Expr) -> Expr {
        self.emit(Expression::Binary { op, left, right })
    }

    fn not(&mut self, expr: Expr) -> Expr {
        self.emit(Expression::Unary { op: UnaryOperator::LogicalNot, expr })
    }

    fn select(&mut self, condition: Expr, accept: Expr, reject: Expr) -> Expr {
        self.emit(Expression::Select { condition, accept, reject })
    }

    fn math(&mut self, fun: MathFunction, arg: Expr) -> Expr {
        self.emit(Expression::Math { fun, arg, arg1: None, arg2: None, arg3: None })
    }

    /// The same bits as another type.
    fn bits(&mut self, expr: Expr, kind: ScalarKind) -> Expr {
        self.emit(Expression::As { expr, kind, convert: None })
    }

    /// The value as another type of so many bytes.
    fn convert(&mut self, expr: Expr, kind: ScalarKind, bytes: u8) -> Expr {
        self.emit(Expression::As { expr, kind, convert: Some(bytes) })
    }

    fn constant(&mut self, c: Const) -> Expr {
        let literal = match c.elem {
            Elem::Bool => Literal::Bool(c.bits != 0),
            Elem::F32 if f32::from_bits(c.bits as u32).is_finite() => Literal::F32(f32::from_bits(c.bits as u32)),
            Elem::F64 if f64::from_bits(c.bits).is_finite() => Literal::F64(f64::from_bits(c.bits)),
            Elem::F32 => {
                let bits = self.u32(c.bits as u32);
                return self.bits(bits, ScalarKind::Float);
            }
            Elem::F64 => {
                let bits = self.pre(Expression::Literal(Literal::U64(c.bits)));
                return self.bits(bits, ScalarKind::Float);
            }
            Elem::I64 => Literal::I64(c.bits as i64),
            _ => Literal::I32(c.bits as u32 as i32),
        };
        self.pre(Expression::Literal(literal))
    }

    /// The expression of a value. Parameters are in the table from the beginning.
    fn value(&mut self, v: Value) -> Expr {
        if let Some(&e) = self.values.get(&v) {
            return e;
        }
        match self.kernel.values[v].def {
            Def::Const(c) => self.constant(c),
            _ => quadra_base::bug!("a value is used before it is computed"),
        }
    }

    fn elem(&self, v: Value) -> Elem {
        self.kernel.ty(v).elem
    }

    fn insts(&mut self, insts: &[Inst]) -> Result {
        insts.iter().try_for_each(|inst| self.inst(inst))
    }

    fn inst(&mut self, inst: &Inst) -> Result {
        let result = match inst.op {
            Op::If | Op::For | Op::Loop | Op::Yield | Op::Break | Op::Continue | Op::Return => {
                return self.control(inst);
            }
            Op::Load => self.load(inst)?,
            Op::Store => return self.store(inst),
            op if op.is_atomic() => self.atomic(inst)?,
            Op::Assert => {
                let holds = self.value(inst.args[0]);
                let fails = self.not(holds);
                self.mark(fails, crate::abi::MARK_FAULT);
                return Ok(());
            }
            Op::Comment => return Ok(()),
            Op::Print => {
                let always = self.pre(Expression::Literal(Literal::Bool(true)));
                self.mark(always, crate::abi::MARK_PRINTS);
                return Ok(());
            }
            Op::Barrier => {
                self.wait();
                return Ok(());
            }
            op if op.is_cross_lane() => self.across(inst),
            Op::Fence | Op::Flush => {
                self.push(Statement::MemoryBarrier(naga::Barrier::STORAGE | naga::Barrier::WORK_GROUP));
                return Ok(());
            }
            Op::Item => self.item[inst.imm as usize],
            Op::Local => self.local[inst.imm as usize],
            Op::Group => self.group[inst.imm as usize],
            Op::GroupSize => {
                let size = self.sizes[inst.imm as usize];
                self.i32(size as i32)
            }
            Op::Extent => self.extent(inst.imm),
            Op::NumGroups => {
                let (extent, size) = (self.extent(inst.imm), self.sizes[inst.imm as usize] as i32);
                let (more, size) = (self.i32(size - 1), self.i32(size));
                let sum = self.binary(BinaryOperator::Add, extent, more);
                self.binary(BinaryOperator::Divide, sum, size)
            }
            Op::Lane => match self.lane {
                Some(lane) => lane,
                None => return self.refuse(inst, "it asks for lanes without items"),
            },
            Op::Dim => {
                let buf = inst.buf.expect("`dim` names a buffer");
                self.dim(buf, inst.imm)
            }
            _ => self.pure(inst)?,
        };
        if let Some(&r) = inst.results.first() {
            self.values.insert(r, result);
        }
        Ok(())
    }

    fn pure(&mut self, inst: &Inst) -> Result<Expr> {
        let args: Vec<Expr> = inst.args.iter().map(|&v| self.value(v)).collect();
        let elem = inst.args.first().map_or(Elem::I32, |&v| self.elem(v));
        let done = match (inst.op, elem) {
            (Op::Select, _) => Some(self.select(args[0], args[1], args[2])),
            (Op::ToI32 | Op::ToI64 | Op::ToF32 | Op::ToF64, _) => Some(self.conversion(inst.op, elem, args[0])),
            (Op::BitsI32, _) => Some(self.bits(args[0], ScalarKind::Sint)),
            (Op::BitsF32, _) => Some(self.bits(args[0], ScalarKind::Float)),
            (op, Elem::Bool) => self.logic(op, &args),
            (op, Elem::F32 | Elem::F64) => self.float(op, elem, &args),
            (op, _) => self.int(op, elem, &args),
        };
        match done {
            Some(e) => Ok(e),
            None if elem == Elem::F32
                && matches!(inst.op, Op::Pow | Op::Rsqrt)
                && !(self.target.float64 && self.target.int64) =>
            {
                self.refuse(inst, format!("`{}` takes 64-bit numbers, which it does not have", inst.op.mnemonic()))
            }
            None => self.refuse(
                inst,
                format!("shaders do not compute `{}` of {elem} as the processor does", inst.op.mnemonic()),
            ),
        }
    }

    /// Leaves a mark where `when` holds.
    fn mark(&mut self, when: Expr, mark: u32) {
        self.marks_anything = true;
        let when = self.live.map_or(when, |live| self.binary(BinaryOperator::LogicalAnd, when, live));
        let old = self.get_global(self.bad);
        let mark = self.u32(mark);
        let marked = self.binary(BinaryOperator::InclusiveOr, old, mark);
        let new = self.select(when, marked, old);
        self.set_global(self.bad, new);
    }

    /// A word of the header.
    fn word(&mut self, at: u32) -> Expr {
        let base = self.pre(Expression::GlobalVariable(self.header));
        let pointer = self.emit(Expression::AccessIndex { base, index: at });
        self.emit(Expression::Load { pointer })
    }

    fn extent(&mut self, axis: u32) -> Expr {
        let word = self.word(abi::EXTENT + axis);
        self.bits(word, ScalarKind::Sint)
    }
}

pub(crate) fn refused(what: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(REFUSED, format!("this GPU does not run the kernel: {what}")).help("run it on another device")
}

/// How values of a type are held in registers.
fn scalar(elem: Elem) -> Scalar {
    match elem {
        Elem::Bool => Scalar::BOOL,
        Elem::I8 | Elem::I16 | Elem::I32 => Scalar::I32,
        Elem::I64 => Scalar::I64,
        Elem::F16 | Elem::F32 => Scalar::F32,
        Elem::F64 => Scalar::F64,
    }
}

/// Buffers among the parameters, in order.
fn buffers(kernel: &Kernel) -> impl Iterator<Item = Buf> + '_ {
    kernel.params.iter().filter_map(|p| match p {
        Param::Buffer(b) => Some(*b),
        Param::Scalar(_) => None,
    })
}
