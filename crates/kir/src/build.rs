//! Building kernels: what front ends call while they lower or record.
//!
//! Control flow is opened and closed (`begin_if` … `end`), variables are written and read by name-less handles, and
//! `promote` turns them into values later. Wrong types here are a front end's bug, so they stop with [`bug!`].

use crate::kernel::{Access, Block, Buf, Inst, Kernel, Level, Mode, Value, Values, Var, VarInfo};
use crate::ops::Op;
use crate::types::{Const, Elem, Type};
use quadra_base::{Span, bug};
use std::sync::Arc;

enum Open {
    Then(Inst),
    Else(Inst),
    Body(Inst),
}

/// A kernel under construction, at SIMT level.
///
/// ```
/// use quadra_kir::{build::Builder, Access, Elem, Mode, Op};
/// let mut b = Builder::new("twice");
/// let x = b.buffer("x", Elem::I32, 1, Access::ReadWrite);
/// b.set_over(1);
/// let i = b.axis(Op::Item, 0);
/// let v = b.load(x, Mode::Unchecked, &[i]);
/// let w = b.op(Op::Add, &[v, v]);
/// b.store(x, Mode::Unchecked, &[i], w);
/// let kernel = b.finish();
/// assert_eq!(kernel.body.insts.len(), 5);
/// ```
pub struct Builder {
    kernel: Kernel,
    /// Blocks under construction, innermost last; the first is the kernel's body.
    blocks: Vec<Block>,
    open: Vec<Open>,
    /// Numbers of the open regions, none of which is used twice.
    places: Vec<u32>,
    regions: u32,
    span: Option<Span>,
}

impl Builder {
    /// Starts a kernel without parameters.
    pub fn new(name: impl Into<String>) -> Builder {
        let kernel = Kernel::new(name, Level::Simt);
        Builder { kernel, blocks: vec![Block::default()], open: Vec::new(), places: Vec::new(), regions: 0, span: None }
    }

    /// The kernel so far; its body is empty until [`finish`](Builder::finish).
    pub fn kernel(&mut self) -> &mut Kernel {
        &mut self.kernel
    }

    /// The place in the source that the next instructions come from.
    pub fn set_span(&mut self, span: Option<Span>) {
        self.span = span;
    }

    /// The kernel is launched over an extent with this many axes.
    pub fn set_over(&mut self, axes: u8) {
        self.kernel.over = axes;
    }

    /// A scalar parameter.
    pub fn scalar(&mut self, name: &str, ty: Type) -> Value {
        self.kernel.add_scalar(name, ty)
    }

    /// A buffer parameter of scalars.
    pub fn buffer(&mut self, name: &str, elem: Elem, rank: u8, access: Access) -> Buf {
        self.kernel.add_buffer(name, elem, rank, access)
    }

    /// A constant.
    pub fn constant(&mut self, c: Const) -> Value {
        self.kernel.constant(c)
    }

    /// The constant `i32`.
    pub fn i32(&mut self, value: i32) -> Value {
        self.kernel.constant(Const::i32(value))
    }

    /// The constant `f32`.
    pub fn f32(&mut self, value: f32) -> Value {
        self.kernel.constant(Const::f32(value))
    }

    /// A constant truth value.
    pub fn bool(&mut self, value: bool) -> Value {
        self.kernel.constant(Const::bool(value))
    }

    /// Whether nothing that is added now could ever run, because the block has left by `break`, `continue` or `return`.
    pub fn unreachable(&self) -> bool {
        self.blocks.last().is_some_and(|b| b.terminator().is_some())
    }

    /// Adds an instruction with a result of type `ty` each.
    pub fn push(&mut self, mut inst: Inst, results: &[Type]) -> Values {
        inst.span = inst.span.or(self.span);
        inst.results = results.iter().map(|&ty| self.kernel.new_value(ty)).collect();
        let results = inst.results.clone();
        if !self.unreachable() {
            let block = self.blocks.last_mut().expect("the body's block stays until `finish`");
            block.insts.push(inst);
        }
        results
    }

    /// Adds an operation whose result type follows from its operands.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.op_imm(op, args, 0)
    }

    /// As [`op`](Builder::op), with the immediate that `vec.get` and the like take.
    pub fn op_imm(&mut self, op: Op, args: &[Value], imm: u32) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(Level::Simt, &types).unwrap_or_else(|e| bug!("{e}"));
        let mut inst = Inst::new(op, args.iter().copied());
        inst.imm = imm;
        self.push(inst, &[ty])[0]
    }

    /// `item`, `group`, `extent`… along an axis.
    pub fn axis(&mut self, op: Op, axis: u32) -> Value {
        self.op_imm(op, &[], axis)
    }

    /// Elements of a buffer along an axis.
    pub fn dim(&mut self, buf: Buf, axis: u32) -> Value {
        let mut inst = Inst::new(Op::Dim, []);
        inst.buf = Some(buf);
        inst.imm = axis;
        self.push(inst, &[Type::I32])[0]
    }

    fn elem_type(&self, buf: Buf) -> Type {
        let info = &self.kernel.bufs[buf];
        Type::scalar(info.elem.in_register())
    }

    /// The element at the indices, by the access mode.
    pub fn load(&mut self, buf: Buf, mode: Mode, indices: &[Value]) -> Value {
        let mut inst = Inst::new(Op::Load, indices.iter().copied());
        (inst.buf, inst.mode) = (Some(buf), mode);
        let ty = self.elem_type(buf);
        self.push(inst, &[ty])[0]
    }

    /// Writes the element at the indices, by the access mode.
    pub fn store(&mut self, buf: Buf, mode: Mode, indices: &[Value], value: Value) {
        let mut inst = Inst::new(Op::Store, indices.iter().copied().chain([value]));
        (inst.buf, inst.mode) = (Some(buf), mode);
        self.push(inst, &[]);
    }

    /// An atomic operation; gives the element's old value.
    pub fn atomic(&mut self, op: Op, buf: Buf, indices: &[Value], operands: &[Value]) -> Value {
        let mut inst = Inst::new(op, indices.iter().chain(operands).copied());
        inst.buf = Some(buf);
        let ty = self.elem_type(buf);
        self.push(inst, &[ty])[0]
    }

    /// Asks for the element at the indices; [`receive`](Builder::receive) gets it.
    pub fn request(&mut self, buf: Buf, indices: &[Value]) {
        let mut inst = Inst::new(Op::TmuRequest, indices.iter().copied());
        inst.buf = Some(buf);
        self.push(inst, &[]);
    }

    /// The element of the oldest waiting request, as `elem`, which must be `i32` or `f32`.
    pub fn receive(&mut self, elem: Elem) -> Value {
        self.push(Inst::new(Op::TmuReceive, []), &[Type::scalar(elem)])[0]
    }

    /// An ordered operation without operands and results: `barrier`, `fence`, `sema.inc` (number in `imm`)…
    pub fn sync(&mut self, op: Op, imm: u32) {
        let mut inst = Inst::new(op, []);
        inst.imm = imm;
        self.push(inst, &[]);
    }

    /// `print` or `assert` with its text.
    pub fn say(&mut self, op: Op, args: &[Value], text: impl Into<Arc<str>>) {
        let mut inst = Inst::new(op, args.iter().copied());
        inst.text = Some(text.into());
        self.push(inst, &[]);
    }

    /// A variable, zero until it is set.
    pub fn var(&mut self, name: &str, ty: Type) -> Var {
        let span = self.span;
        self.kernel.vars.push(VarInfo { name: name.into(), ty, span })
    }

    /// A variable's value here.
    pub fn get(&mut self, var: Var) -> Value {
        let mut inst = Inst::new(Op::VarGet, []);
        inst.var = Some(var);
        let ty = self.kernel.vars[var].ty;
        self.push(inst, &[ty])[0]
    }

    /// Assigns a variable in the live lanes.
    pub fn set(&mut self, var: Var, value: Value) {
        let mut inst = Inst::new(Op::VarSet, [value]);
        inst.var = Some(var);
        self.push(inst, &[]);
    }

    /// Opens `if`; the following instructions are its first region.
    pub fn begin_if(&mut self, condition: Value) {
        self.open.push(Open::Then(Inst::new(Op::If, [condition]).at(self.span)));
        self.open_block(Block::default());
    }

    /// Closes the first region of an `if` and opens the second.
    pub fn begin_else(&mut self) {
        let Some(Open::Then(mut inst)) = self.open.pop() else { bug!("`else` without `if`") };
        inst.regions.push(self.close(Op::Yield));
        self.open.push(Open::Else(inst));
        self.open_block(Block::default());
    }

    /// Opens an endless loop.
    pub fn begin_loop(&mut self) {
        self.open.push(Open::Body(Inst::new(Op::Loop, []).at(self.span)));
        self.open_block(Block::default());
    }

    /// Opens a counted loop over `lo, lo + step, …` while below `hi` (above it for a negative step); gives the induction
    /// variable.
    pub fn begin_for(&mut self, lo: Value, hi: Value, step: Value) -> Value {
        self.open.push(Open::Body(Inst::new(Op::For, [lo, hi, step]).at(self.span)));
        let iv = self.kernel.new_value(Type::I32);
        self.open_block(Block { params: Values::from_slice(&[iv]), insts: Vec::new() });
        iv
    }

    /// Closes the innermost open `if` or loop.
    pub fn end(&mut self) {
        let inst = match self.open.pop() {
            Some(Open::Then(mut inst)) => {
                let then = self.close(Op::Yield);
                let mut empty = Block::default();
                empty.insts.push(Inst::new(Op::Yield, []).at(inst.span));
                inst.regions = vec![then, empty];
                inst
            }
            Some(Open::Else(mut inst)) => {
                let other = self.close(Op::Yield);
                inst.regions.push(other);
                inst
            }
            Some(Open::Body(mut inst)) => {
                let op = if inst.op == Op::For { Op::Yield } else { Op::Continue };
                let body = self.close(op);
                inst.regions.push(body);
                inst
            }
            None => bug!("`end` without an open region"),
        };
        self.push(inst, &[]);
    }

    fn close(&mut self, terminator: Op) -> Block {
        if !self.unreachable() {
            self.push(Inst::new(terminator, []), &[]);
        }
        self.places.pop();
        self.blocks.pop().expect("every open region has its block")
    }

    fn open_block(&mut self, block: Block) {
        self.regions += 1;
        self.places.push(self.regions);
        self.blocks.push(block);
    }

    /// A number of the innermost open region that no other region has; 0 is the kernel's body.
    pub fn region(&self) -> u32 {
        self.places.last().copied().unwrap_or(0)
    }

    /// Closes the innermost open loop as if it had never been opened: its instructions stay where they are, outside. For
    /// front ends that learn only from the body whether there is anything to leave or repeat.
    pub fn dissolve_loop(&mut self) {
        let Some(Open::Body(inst)) = self.open.pop() else { bug!("no loop to dissolve") };
        self.places.pop();
        let body = self.blocks.pop().expect("every open region has its block");
        if inst.op != Op::Loop {
            bug!("a counted loop cannot be dissolved");
        }
        if !self.unreachable() {
            self.blocks.last_mut().expect("the body's block stays until `finish`").insts.extend(body.insts);
        }
    }

    /// Closes an `if` whose first region is open as if it had never been opened, if all instructions in it satisfy `may`:
    /// they stay where they are, outside. Says whether that was so; otherwise nothing happens.
    pub fn dissolve_if(&mut self, may: impl Fn(&Inst) -> bool) -> bool {
        let all = self.blocks.last().is_some_and(|b| b.insts.iter().all(may));
        if !all || !matches!(self.open.last(), Some(Open::Then(_))) {
            return false;
        }
        self.open.pop();
        let region = self.blocks.pop().expect("every open region has its block");
        if !self.unreachable() {
            self.blocks.last_mut().expect("the body's block stays until `finish`").insts.extend(region.insts);
        }
        true
    }

    /// Leaves the innermost loop.
    pub fn break_loop(&mut self) {
        self.push(Inst::new(Op::Break, []), &[]);
    }

    /// Goes on with the next iteration of the innermost loop.
    pub fn continue_loop(&mut self) {
        self.push(Inst::new(Op::Continue, []), &[]);
    }

    /// Ends the kernel for the live lanes.
    pub fn return_kernel(&mut self) {
        self.push(Inst::new(Op::Return, []), &[]);
    }

    /// Whether a loop is open.
    pub fn in_loop(&self) -> bool {
        self.open.iter().any(|o| matches!(o, Open::Body(_)))
    }

    /// The finished kernel.
    pub fn finish(mut self) -> Kernel {
        if !self.open.is_empty() {
            bug!("kernel `{}` ends inside an open region", self.kernel.name);
        }
        let body = self.close(Op::Return);
        self.kernel.body = body;
        self.kernel
    }
}
