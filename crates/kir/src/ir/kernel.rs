//! Kernels, blocks, instructions, values.

use crate::ops::Op;
use crate::types::{Const, Elem, LANES, Type};
use quadra_base::{Arena, Span, define_id, quick};
use smallvec::SmallVec;
use std::sync::Arc;

/// Regions within regions that a kernel may have; more is an error rather than a stack overflow.
pub const MAX_NESTING: usize = 200;

define_id! {
    /// A value: a parameter, a constant, a block parameter or the result of an instruction.
    pub struct Value, "%"
}
define_id! {
    /// A buffer: a parameter, or an array shared by the items of a group.
    pub struct Buf, "buf"
}
define_id! {
    /// A variable of a front end, until `promote` has turned it into values.
    pub struct Var, "var"
}

/// Which of the two levels a kernel is at; see the crate documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Code per item; control flow may differ between lanes.
    Simt,
    /// Control flow is scalar, lanes are data, memory operations carry masks.
    Simd,
}

/// What a kernel may do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
    ReadWrite,
}

/// Where a buffer lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// An argument of the launch.
    Global,
    /// One array per group, zero at its start, of at most [`BufInfo::dims`] elements.
    Shared,
}

/// A buffer's declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct BufInfo {
    pub name: String,
    pub elem: Elem,
    /// Number of indices, at least 1.
    pub rank: u8,
    pub access: Access,
    /// Each item has an element of its own: the one that it would store, whether it does or not, exists, and no other item
    /// stores it. What the author of a kernel says; nothing checks it.
    pub own: bool,
    pub space: Space,
    /// Sizes of a shared array; empty for arguments, whose sizes are known at launch.
    pub dims: Vec<u32>,
}

impl BufInfo {
    /// Elements of a shared array, the largest number there is where they are more; 1 for an argument.
    pub fn elements(&self) -> u64 {
        self.dims.iter().fold(1, |n: u64, &d| n.saturating_mul(u64::from(d)))
    }

    /// Bytes of a shared array.
    pub fn bytes(&self) -> u64 {
        self.elements().saturating_mul(u64::from(self.elem.bytes()))
    }
}

/// One parameter of a kernel, in the order of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    Scalar(Value),
    Buffer(Buf),
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Def {
    /// A constant; it belongs to no block and the text form writes it in place.
    Const(Const),
    /// A scalar parameter of the kernel: the same for all lanes and workers.
    Param,
    /// A block parameter or the result of an instruction.
    Local,
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueInfo {
    pub ty: Type,
    pub def: Def,
    /// A name to print, without `%`; empty for a numbered value. Not unique.
    pub name: Arc<str>,
}

/// A variable's declaration. It starts as zero.
#[derive(Clone, Debug, PartialEq)]
pub struct VarInfo {
    pub name: Arc<str>,
    pub ty: Type,
    pub span: Option<Span>,
}

/// The boundary access mode of a `load` or `store`: what an index outside the buffer means. It belongs to the reference,
/// not to the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A fault in the interpreters and the emulator; devices without checks may do anything inside the launch's memory.
    #[default]
    Unchecked,
    /// A fault on every device.
    Checked,
    /// A load gives 0, a store does nothing.
    Safe,
    /// The nearest index inside.
    Clamp,
    /// Reflection at the borders, the border element twice: -1 is 0, n is n - 1.
    Mirror,
    /// The index modulo the size.
    Circular,
    /// A `load` that the author marked as a prefetch: lanes up to 4 KiB past the end give 0, anything else is a fault.
    Guarded,
    /// The author proved that the index lies inside. Interpreters and the emulator look all the same, as at `Unchecked`;
    /// devices may leave the test out.
    Inside,
}

impl Mode {
    /// Every mode with the suffix that the text form gives the operation (`load.clamp`); none for `Unchecked`.
    pub const ALL: [(Mode, &'static str); 8] = [
        (Mode::Unchecked, ""),
        (Mode::Checked, "checked"),
        (Mode::Safe, "safe"),
        (Mode::Clamp, "clamp"),
        (Mode::Mirror, "mirror"),
        (Mode::Circular, "circular"),
        (Mode::Guarded, "guarded"),
        (Mode::Inside, "inside"),
    ];

    /// Whether an index is used as it is: no mode that changes it or leaves the access out.
    pub fn is_plain(self) -> bool {
        matches!(self, Mode::Unchecked | Mode::Guarded | Mode::Inside)
    }

    /// The suffix in the text form.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A list of values: most instructions have few operands, which need no memory of their own.
pub type Values = SmallVec<[Value; 4]>;

/// An instruction. Which fields mean something is the operation's own matter; the others keep their defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    pub op: Op,
    /// Operands. Memory: one index per rank, then the value of a store or the operands of an atomic. `For`: lo, hi, step,
    /// then the initial carried values. `Loop`: the initial carried values. Terminators: the values passed on.
    pub args: Values,
    pub results: Values,
    /// `If`: then and else. `For`, `Loop`: the body, whose parameters are the induction variable (`For` only) and
    /// the carried values.
    pub regions: Vec<Block>,
    pub buf: Option<Buf>,
    pub var: Option<Var>,
    /// SIMD level: lanes for which a memory operation, vote, `print` or `assert` happens; `None` for all.
    pub mask: Option<Value>,
    /// Access mode of `load` and `store`.
    pub mode: Mode,
    /// Axis of `item`, `dim`…, number of a semaphore, element of `vec.get`.
    pub imm: u32,
    /// Text of `print` and `assert`.
    pub text: Option<Arc<str>>,
    pub span: Option<Span>,
}

impl Inst {
    /// An instruction without results, regions and attributes.
    pub fn new(op: Op, args: impl IntoIterator<Item = Value>) -> Inst {
        Inst {
            op,
            args: args.into_iter().collect(),
            results: Values::new(),
            regions: Vec::new(),
            buf: None,
            var: None,
            mask: None,
            mode: Mode::Unchecked,
            imm: 0,
            text: None,
            span: None,
        }
    }

    /// The same instruction at a place of the source.
    pub fn at(mut self, span: Option<Span>) -> Inst {
        self.span = span;
        self
    }

    /// The only result.
    #[inline]
    pub fn result(&self) -> Value {
        debug_assert_eq!(self.results.len(), 1, "{:?} has one result", self.op);
        self.results[0]
    }

    /// Operands and mask: everything this instruction itself reads, its regions not included.
    pub fn uses(&self) -> impl Iterator<Item = Value> + '_ {
        self.args.iter().copied().chain(self.mask)
    }

    /// The loop's initial carried values (`For` and `Loop`).
    pub fn carried(&self) -> &[Value] {
        match self.op {
            Op::For => &self.args[3..],
            _ => &self.args,
        }
    }
}

/// A list of instructions, the last of which is the only terminator. The body of a kernel ends with `return`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Induction variable and carried values of a loop body; empty elsewhere.
    pub params: Values,
    pub insts: Vec<Inst>,
}

impl Block {
    /// The instruction that ends the block, if it has been ended.
    pub fn terminator(&self) -> Option<&Inst> {
        self.insts.last().filter(|i| i.op.is_terminator())
    }
}

/// A kernel: header, tables of values, buffers and variables, and the body. Value semantics: a clone is independent.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    pub level: Level,
    /// Items of a group along each axis, innermost last; `[16]` unless the front end says otherwise.
    pub group: Vec<u32>,
    /// Axes of the extent it is launched over; 0 for a kernel that runs once per worker.
    pub over: u8,
    /// Whether its groups synchronise with each other, so that all of them must run at once.
    pub concurrent: bool,
    /// Whether all groups have all of their items: the extent along the innermost axis is a multiple of 16. At SIMD level all
    /// lanes of all groups count as within the extent, whatever it is.
    pub whole: bool,
    /// Whether devices may bracket its sums of floats in another way, and round a product and a sum at once. Interpreters
    /// compute what is written.
    pub relaxed: bool,
    /// Whether devices may bracket sums and products of floats that its loops carry in another way; each term is computed as
    /// written. Interpreters keep the order.
    pub regroup: bool,
    pub params: Vec<Param>,
    pub bufs: Arena<Buf, BufInfo>,
    pub values: Arena<Value, ValueInfo>,
    pub vars: Arena<Var, VarInfo>,
    pub body: Block,
    pub span: Option<Span>,
    consts: quick::Map<Const, Value>,
}

impl Kernel {
    /// A kernel without parameters and with an empty, unterminated body.
    pub fn new(name: impl Into<String>, level: Level) -> Kernel {
        Kernel {
            name: name.into(),
            level,
            group: vec![LANES],
            over: 0,
            concurrent: false,
            whole: false,
            relaxed: false,
            regroup: false,
            params: Vec::new(),
            bufs: Arena::new(),
            values: Arena::new(),
            vars: Arena::new(),
            body: Block::default(),
            span: None,
            consts: quick::Map::default(),
        }
    }

    /// The value of a constant, the same for equal constants.
    pub fn constant(&mut self, c: Const) -> Value {
        if let Some(&v) = self.consts.get(&c) {
            return v;
        }
        let info = ValueInfo { ty: Type::scalar(c.elem), def: Def::Const(c), name: Arc::default() };
        let v = self.values.push(info);
        self.consts.insert(c, v);
        v
    }

    /// The constant `i32`.
    pub fn const_i32(&mut self, value: i32) -> Value {
        self.constant(Const::i32(value))
    }

    /// A new value for a block parameter or result.
    pub fn new_value(&mut self, ty: Type) -> Value {
        self.named_value(ty, Arc::default())
    }

    /// A new value with a name to print.
    pub fn named_value(&mut self, ty: Type, name: impl Into<Arc<str>>) -> Value {
        self.values.push(ValueInfo { ty, def: Def::Local, name: name.into() })
    }

    /// A new scalar parameter.
    pub fn add_scalar(&mut self, name: &str, ty: Type) -> Value {
        let v = self.values.push(ValueInfo { ty, def: Def::Param, name: name.into() });
        self.params.push(Param::Scalar(v));
        v
    }

    /// A new buffer parameter.
    pub fn add_buffer(&mut self, name: &str, elem: Elem, rank: u8, access: Access) -> Buf {
        let (space, dims) = (Space::Global, Vec::new());
        let info = BufInfo { name: name.into(), elem, rank, access, own: false, space, dims };
        let b = self.bufs.push(info);
        self.params.push(Param::Buffer(b));
        b
    }

    /// A new array shared by the items of a group.
    pub fn add_shared(&mut self, name: &str, elem: Elem, dims: Vec<u32>) -> Buf {
        let rank = dims.len() as u8;
        let access = Access::ReadWrite;
        self.bufs.push(BufInfo { name: name.into(), elem, rank, access, own: false, space: Space::Shared, dims })
    }

    /// The arrays that the items of a group share.
    pub fn shared(&self) -> impl Iterator<Item = (Buf, &BufInfo)> {
        self.bufs.iter().filter(|(_, info)| info.space == Space::Shared)
    }

    /// Whether a launch with fitting arguments may end in a fault other than an exhausted budget: the kernel asserts something,
    /// or accesses memory at an index that nobody proved to be inside. A launch of any other kernel may write to its buffers
    /// in place, since there is nothing to undo.
    pub fn may_fault(&self) -> bool {
        self.body.any(&mut |i| match i.op {
            Op::Assert => true,
            Op::Load | Op::LoadRow | Op::Store | Op::StoreRow => i.mode != Mode::Inside,
            _ => i.op.info().effect != crate::ops::Effect::Pure && i.buf.is_some() && i.mode != Mode::Inside,
        })
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, v: Value) -> Type {
        self.values[v].ty
    }

    /// The constant that a value is, if it is one.
    #[inline]
    pub fn as_const(&self, v: Value) -> Option<Const> {
        match self.values[v].def {
            Def::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The `i32` constant that a value is, if it is one.
    #[inline]
    pub fn as_i32(&self, v: Value) -> Option<i32> {
        self.as_const(v).and_then(Const::as_i32)
    }

    /// The names of the parameters in order, for messages and launches.
    pub fn param_name(&self, param: Param) -> &str {
        match param {
            Param::Scalar(v) => &self.values[v].name,
            Param::Buffer(b) => &self.bufs[b].name,
        }
    }
}
