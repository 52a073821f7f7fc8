//! A second instruction set for the machine-independent part, of the shape of a later QPU: one file of 64 registers, no banks, two
//! of them read per instruction; an operation of each unit and a signal per instruction; loads by signals, which write any register,
//! one instruction late; flags that are set where a result is not 0; three delay slots.

pub mod emulator;
pub mod select;

use quadra_back_qpu::machine::code::Code;
use quadra_back_qpu::machine::isa::{Condition, Distance, Home, Instruction, Isa, Operand, Resource, SpillCode};
use quadra_back_qpu::machine::kind::Kind;
use quadra_back_qpu::machine::registers::{Bank, Reg, Set, bit};
use quadra_base::Span;
use quadra_kir as kir;

/// The instruction set.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneFile;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Oper {
    /// What kernel IR means by it, on operands of this type.
    Compute(kir::Op, kir::Elem),
    /// On either unit.
    Mov,
    /// A constant, in an instruction of its own.
    Constant(u32),
    /// Signals: the next result of memory, a parameter of the launch, a spilled row.
    Result,
    Parameter(usize),
    LoadRow(u32),
    /// Spills its operand to a row.
    StoreRow(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Src {
    Reg(Reg),
    /// -16 to 15, in place of a register.
    Small(i32),
    /// The number of each lane.
    Lane,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dst {
    None,
    Reg(Reg),
    /// Asks memory for a word per lane.
    Request,
    /// What the next address stores.
    StoreData,
    StoreAddress,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cond {
    Always,
    /// In lanes whose flag is set, or is not.
    Set,
    Clear,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Branch {
    Always,
    AnySet,
    NoneSet,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Op {
    pub oper: Oper,
    pub dst: Dst,
    pub src: [Option<Src>; 2],
    pub cond: Cond,
    pub flags: bool,
    pub glued: bool,
}

/// One instruction: the operations of both units and the signal, or the end of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bundle {
    pub ops: [Option<Op>; 3],
    pub end: bool,
}

impl Op {
    pub fn new(oper: Oper, dst: Dst, src: &[Src]) -> Op {
        let src = [src.first().copied(), src.get(1).copied()];
        Op { oper, dst, src, cond: Cond::Always, flags: false, glued: false }
    }

    /// An operation that is computed from registers and constants, on a unit.
    fn computes(&self) -> bool {
        matches!(self.oper, Oper::Compute(..) | Oper::Mov)
    }

    fn is_signal(&self) -> bool {
        matches!(self.oper, Oper::Result | Oper::Parameter(_) | Oper::LoadRow(_))
    }

    /// Products are the second unit's.
    fn is_second(&self) -> bool {
        use kir::{Elem, Op::*};
        matches!(self.oper, Oper::Compute(Mul24, _) | Oper::Compute(Mul, Elem::F32))
    }

    fn has_small(&self) -> bool {
        self.src.iter().flatten().any(|s| matches!(s, Src::Small(_)))
    }
}

impl Bundle {
    pub const NOP: Bundle = Bundle { ops: [None; 3], end: false };

    fn ops(&self) -> impl Iterator<Item = &Op> {
        self.ops.iter().flatten()
    }
}

/// How many registers and constants operations read; there are two ports.
fn ports<'a>(ops: impl Iterator<Item = &'a Op>) -> usize {
    let mut read: Vec<Src> = Vec::new();
    for s in ops.flat_map(|op| op.src).flatten().filter(|s| *s != Src::Lane) {
        if !read.contains(&s) {
            read.push(s);
        }
    }
    read.len()
}

const STORES: usize = 0;
const ROWS: usize = 1;

impl Isa for OneFile {
    type Inst = Op;
    type Bundle = Bundle;
    type Cond = Branch;
    type Spill = Spill;

    const QUICK: u8 = 0;
    const FILES: u8 = 1;
    const FILE: u8 = 64;
    const SPECIAL: u8 = 0;
    const FILE_LATENCY: u32 = 1;
    const FEWEST: u8 = 5;
    const RESERVE: Set = 0;
    const DELAY_SLOTS: usize = 3;
    const LONGEST_APART: usize = 2;
    const ORDERS: usize = 2;
    const MOST_REQUESTS: usize = 4;
    const RESULT: Distance = Distance { least: 2, calm: 9 };
    const LOOKUP: u32 = 10;

    fn bundle(insts: &[&Op]) -> Option<Bundle> {
        let mut ops = [None; 3];
        let mut either = Vec::new();
        for &&op in insts {
            let place = match op.oper {
                _ if op.is_signal() => 2,
                Oper::Constant(_) if insts.len() > 1 => return None,
                Oper::Mov => {
                    either.push(op);
                    continue;
                }
                _ => usize::from(op.is_second()),
            };
            if ops[place].replace(op).is_some() {
                return None;
            }
        }
        for op in either {
            *ops[..2].iter_mut().find(|o| o.is_none())? = Some(op);
        }
        let bundle = Bundle { ops, end: false };
        let small = bundle.ops().any(Op::has_small);
        let written: Vec<Dst> = bundle.ops().map(|op| op.dst).filter(|d| *d != Dst::None).collect();
        let memory = written.iter().filter(|d| !matches!(d, Dst::Reg(_))).count();
        let twice = (1..written.len()).any(|i| written[..i].contains(&written[i]));
        let setters = bundle.ops().filter(|op| op.flags).count();
        let signal = ops[2].is_some();
        (ports(bundle.ops()) <= 2 && !(small && signal) && memory <= 1 && !twice && setters <= 1).then_some(bundle)
    }

    fn nop() -> Bundle {
        Bundle::NOP
    }

    fn end() -> Vec<Bundle> {
        vec![Bundle { end: true, ..Bundle::NOP }]
    }

    fn apart(last: &Bundle, next: &Bundle) -> usize {
        let late = last.ops[2].and_then(|op| op.def());
        let read = |r: Reg| next.ops().any(|op| op.src.contains(&Some(Src::Reg(r))));
        if late.is_some_and(read) { 2 } else { 1 }
    }

    fn operations(bundle: &Bundle) -> usize {
        bundle.ops().count()
    }

    fn queue_use(bundle: &Bundle, queue: usize) -> (bool, bool) {
        (bundle.ops().any(|op| op.is_request(queue)), bundle.ops().any(|op| op.is_receive(queue)))
    }

    fn is_harmless(bundle: &Bundle, needed: Set) -> bool {
        let harmless = |op: &Op| match op.dst {
            Dst::Reg(Reg::Phys(n)) => {
                (op.computes() || matches!(op.oper, Oper::Constant(_))) && needed & bit(n.into()) == 0
            }
            Dst::None => true,
            _ => false,
        };
        !bundle.end && bundle.ops().all(|op| harmless(op) && !op.flags)
    }

    fn may_be_delayed(bundle: &Bundle) -> bool {
        !bundle.end
    }

    fn until_read(what: Resource, from: &Op, _: &Op) -> Distance {
        Distance::exactly(if matches!(what, Resource::Register(_)) && from.is_signal() { 2 } else { 1 })
    }

    fn until_write(_: Resource, _: &Op, _: &Op) -> Distance {
        Distance::exactly(1)
    }

    fn bounds(insts: &[Op]) -> Vec<(&'static str, u32)> {
        let count = |f: &dyn Fn(&Op) -> bool| insts.iter().filter(|i| f(i)).count() as u32;
        let second = count(&Op::is_second);
        let either = count(&|i| i.oper == Oper::Mov);
        let alone = count(&|i| matches!(i.oper, Oper::Constant(_)));
        let signals = count(&Op::is_signal);
        let first = insts.len() as u32 - second - either - alone - signals;
        vec![
            ("first unit", first + alone + 1),
            ("second unit", second + alone + 1),
            ("both units", (first + second + either).div_ceil(2) + alone + 1),
            ("signals", signals + alone + 1),
        ]
    }
}

impl Instruction for Op {
    fn copy(dst: Reg, src: Reg) -> Op {
        Op::new(Oper::Mov, Dst::Reg(dst), &[Src::Reg(src)])
    }

    fn constant(dst: Reg, bits: u32) -> Op {
        match bits as i32 {
            small @ -16..16 => Op::new(Oper::Mov, Dst::Reg(dst), &[Src::Small(small)]),
            _ => Op::new(Oper::Constant(bits), Dst::Reg(dst), &[]),
        }
    }

    fn nothing() -> Op {
        Op::new(Oper::Mov, Dst::None, &[])
    }

    fn is_nothing(&self) -> bool {
        *self == Op::nothing()
    }

    fn span(&self) -> Option<Span> {
        None
    }

    fn set_span(&mut self, _: Option<Span>) {}

    fn operands(&self) -> [Option<Operand>; 2] {
        self.src.map(|s| {
            Some(match s? {
                Src::Reg(r) => Operand::Register(r),
                Src::Small(_) => Operand::Immediate(Bank::File(0)),
                Src::Lane => Operand::Other,
            })
        })
    }

    fn also_reads(&self) -> Option<Reg> {
        None
    }

    fn def(&self) -> Option<Reg> {
        match self.dst {
            Dst::Reg(r) => Some(r),
            _ => None,
        }
    }

    fn also_writes(&self) -> Option<Reg> {
        None
    }

    fn set_def(&mut self, r: Reg) {
        self.dst = Dst::Reg(r);
    }

    fn map_reads(&mut self, mut f: impl FnMut(Reg) -> Reg) {
        for s in self.src.iter_mut().flatten() {
            if let Src::Reg(r) = s {
                *r = f(*r);
            }
        }
    }

    fn keeps_destination(&self) -> bool {
        self.cond != Cond::Always
    }

    fn sets_flags(&self) -> bool {
        self.flags
    }

    fn reads_flags(&self) -> bool {
        self.cond != Cond::Always
    }

    fn is_pure(&self) -> bool {
        !self.flags && matches!(self.dst, Dst::Reg(_)) && (self.computes() || matches!(self.oper, Oper::Constant(_)))
    }

    fn is_plain(&self) -> bool {
        !self.is_signal() && !self.src.contains(&Some(Src::Lane))
    }

    fn as_copy(&self) -> Option<(Reg, Reg)> {
        match (self.oper, self.dst, self.src[0]) {
            (Oper::Mov, Dst::Reg(d), Some(Src::Reg(s))) if !self.flags => Some((d, s)),
            _ => None,
        }
    }

    fn bank(&self, _: usize) -> Option<Bank> {
        None
    }

    fn conflict(&self) -> Option<usize> {
        None
    }

    fn move_out(&mut self, _: usize, _: Reg) -> Op {
        unreachable!("two operands can always be read")
    }

    fn is_glued(&self) -> bool {
        self.glued
    }

    fn probe(&self) -> Option<u32> {
        None
    }

    fn kind(&self) -> Kind {
        Kind::of(&[
            (!self.is_signal() && !self.is_second() && self.oper != Oper::Mov, Kind::FIRST),
            (self.is_second(), Kind::SECOND),
            (!self.is_signal(), Kind::UNIT),
            (matches!(self.oper, Oper::Constant(_)), Kind::ALONE),
            (self.is_signal(), Kind::SIGNAL),
            (self.has_small(), Kind::NO_SIGNAL),
        ])
    }

    fn unit(&self) -> Option<u8> {
        matches!(self.oper, Oper::Compute(..)).then(|| u8::from(self.is_second()))
    }

    fn orders(&self, mut f: impl FnMut(usize)) {
        if matches!(self.dst, Dst::StoreData | Dst::StoreAddress) {
            f(STORES);
        }
        if matches!(self.oper, Oper::LoadRow(_) | Oper::StoreRow(_)) {
            f(ROWS);
        }
    }

    fn is_fence(&self) -> bool {
        false
    }

    fn is_request(&self, queue: usize) -> bool {
        queue == 0 && self.dst == Dst::Request
    }

    fn is_receive(&self, queue: usize) -> bool {
        queue == 0 && self.oper == Oper::Result
    }

    fn may_overlap(&self) -> bool {
        true
    }

    fn may_be_in_vain(&self) -> bool {
        let target = matches!(self.dst, Dst::None | Dst::Reg(Reg::Virt(_)));
        target && (self.computes() || matches!(self.oper, Oper::Constant(_)))
    }
}

impl Condition for Branch {
    const ALWAYS: Branch = Branch::Always;

    fn inverse(self) -> Option<Branch> {
        match self {
            Branch::Always => None,
            Branch::AnySet => Some(Branch::NoneSet),
            Branch::NoneSet => Some(Branch::AnySet),
        }
    }
}

/// Rows for spilled values: some near, the others behind them.
#[derive(Clone, Default)]
pub struct Spill {
    bytes: u32,
    /// Loads that were written, whether or not they stay.
    pub loads: usize,
    /// Values whose rows are not near.
    pub far: usize,
}

/// Rows that are near.
const NEAR: u32 = 8;

impl Spill {
    fn row(&mut self, home: Home) -> u32 {
        match home {
            Home::Near(row) => row,
            Home::Memory(offset) => {
                self.far += 1;
                NEAR + offset / 64
            }
            Home::Constant(_) => unreachable!("constants have no row"),
        }
    }
}

impl SpillCode<OneFile> for Spill {
    fn near(&self) -> u32 {
        NEAR
    }

    fn bytes(&mut self) -> &mut u32 {
        &mut self.bytes
    }

    fn reload(&mut self, _: &mut Code<OneFile>, home: Home, t: Reg, out: &mut Vec<Op>) {
        if let Home::Constant(bits) = home {
            return out.push(Op::constant(t, bits));
        }
        self.loads += 1;
        out.push(Op::new(Oper::LoadRow(self.row(home)), Dst::Reg(t), &[]));
    }

    fn store(&mut self, _: &mut Code<OneFile>, home: Home, t: Reg, out: &mut Vec<Op>) {
        out.push(Op::new(Oper::StoreRow(self.row(home)), Dst::None, &[Src::Reg(t)]));
    }

    fn prologue(&mut self) -> Vec<Op> {
        Vec::new()
    }
}
