//! What the machine-independent part asks of operations, answered for the VideoCore IV.

use super::Vc4;
use super::bundle;
use super::minst::{self, Dst, MInst, Oper, Place, Reg, Rotate, Src};
use super::spill::Spill;
use crate::machine::isa::{Condition, Distance, Instruction, Isa, Operand, Resource};
use crate::machine::kind::Kind;
use crate::machine::registers::{Bank, Set, bit};
use quadra_base::Span;
use quadra_isa::vc4::{AddOp, Alu, BranchCond, Cond, File, Inst, MulOp, Raddr, Signal, Waddr};

const FILE_A: Bank = Bank::File(0);
const FILE_B: Bank = Bank::File(1);

/// What keeps its order: the stream of uniforms; VPM, DMA and everything whose order others can see.
const UNIFORMS: usize = 0;
const VPM: usize = 1;

impl Isa for Vc4 {
    type Inst = MInst;
    type Bundle = Inst;
    type Cond = BranchCond;
    type Spill = Spill;

    const QUICK: u8 = 4;
    const FILES: u8 = 2;
    const FILE: u8 = 32;
    /// r4 and r5.
    const SPECIAL: u8 = 2;
    const FILE_LATENCY: u32 = 2;
    const FEWEST: u8 = 6;
    /// r3.
    const RESERVE: Set = 1 << 3;
    /// VideoCore IV guide p. 34.
    const DELAY_SLOTS: usize = 3;
    const LONGEST_APART: usize = 4;
    const ORDERS: usize = 2;
    /// More were found unreliable (vc4asm's addendum).
    const MOST_REQUESTS: usize = 4;
    const RESULT: Distance = Distance { least: 1, calm: 9 };
    const LOOKUP: u32 = 12;

    fn bundle(insts: &[&MInst]) -> Option<Inst> {
        bundle::fit(insts)
    }

    fn nop() -> Inst {
        Inst::NOP
    }

    fn end() -> Vec<Inst> {
        // The signal and the two instructions behind it, which still run (VideoCore IV guide p. 21).
        vec![Inst::Alu(Alu::signal(Signal::ProgramEnd)), Inst::NOP, Inst::NOP]
    }

    fn apart(last: &Inst, next: &Inst) -> usize {
        bundle::apart(last, next)
    }

    fn operations(bundle: &Inst) -> usize {
        match bundle {
            Inst::Alu(a) => {
                let alus = usize::from(a.op_add != AddOp::Nop) + usize::from(a.op_mul != MulOp::Nop);
                if alus == 0 { usize::from(*bundle != Inst::NOP) } else { alus }
            }
            _ => 1,
        }
    }

    fn queue_use(bundle: &Inst, tmu: usize) -> (bool, bool) {
        let Inst::Alu(alu) = bundle else { return (false, false) };
        (alu.waddr_add == s_of(tmu) || alu.waddr_mul == s_of(tmu), alu.sig == result_of(tmu))
    }

    fn is_harmless(bundle: &Inst, needed: Set) -> bool {
        let quiet = match bundle {
            Inst::Alu(alu) => {
                let calm = |file: File| {
                    alu.read(file)
                        .is_none_or(|r| r.0 < 32 || r == Raddr::NOP || r == Raddr::ELEMENT_NUMBER && file == File::A)
                };
                matches!(alu.sig, Signal::None | Signal::SmallImm) && calm(File::A) && calm(File::B)
            }
            Inst::Ldi(_) => true,
            _ => false,
        };
        let unneeded = bundle.writes().all(|(file, waddr, _)| {
            let register = match waddr.as_accumulator() {
                Some(5) => Reg::R5,
                Some(n) => Bank::Quick.register::<Vc4>(n),
                None if waddr.is_physical() => if file == File::A { FILE_A } else { FILE_B }.register::<Vc4>(waddr.0),
                None => return false,
            };
            matches!(register, Reg::Phys(n) if needed & bit(n.into()) == 0)
        });
        quiet && unneeded && !bundle.sets_flags()
    }

    fn may_be_delayed(bundle: &Inst) -> bool {
        bundle.signal() != Signal::ProgramEnd
    }

    fn until_read(what: Resource, from: &MInst, to: &MInst) -> Distance {
        let Resource::Register(r) = what else { return Distance::exactly(1) };
        Distance::exactly(match Place::of(r) {
            Some(Place::A(_) | Place::B(_)) => 2,
            Some(Place::R5) if to.rotate == Rotate::R5 => 2,
            Some(Place::R4) if writes_sfu(from) => 3,
            Some(Place::Acc(_)) | None if to.rotate != Rotate::None => 2,
            _ => 1,
        })
    }

    fn until_write(what: Resource, from: &MInst, to: &MInst) -> Distance {
        let (least, calm) = match what {
            Resource::Register(Reg::R4) if writes_sfu(from) => (3, 3),
            // The setup needs three instructions before the first vector can be read (guide p. 56).
            Resource::Order(VPM) if from.dst == Dst::RD_SETUP && to.src[0] == Some(Src::Vpm) => (4, 6),
            Resource::Order(VPM) if from.dst == Dst::LD_ADDR => (1, 20),
            Resource::Order(VPM) if from.dst == Dst::ST_ADDR => (1, 14),
            Resource::Queue(_) if matches!(from.dst, Dst::Peripheral(Waddr::TMU_NOSWAP, _)) => (4, 4),
            Resource::Queue(_) if to.is_receive(0) || to.is_receive(1) => (1, 9),
            _ => (1, 1),
        };
        Distance { least, calm }
    }

    /// A wait for stores stands still until they are done, so it stays behind the operands of the vectors that are written
    /// behind it: half of them, because those that are written late find no other operations beside them.
    fn preferences(insts: &[MInst]) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for wait in (0..insts.len()).filter(|&i| insts[i].src[0] == Some(Src::StoreWait)) {
            let starts = |i: &MInst| i.dst == Dst::ST_ADDR || i.src[0] == Some(Src::StoreWait);
            let written = insts[wait + 1..].iter().take_while(|i| !starts(i)).filter(|i| i.dst == Dst::VPM);
            let vectors: Vec<Reg> = written.filter_map(|i| i.reads().next()).collect();
            let made = |r: Reg, before: usize| insts[..before].iter().rposition(|i| i.def() == Some(r));
            let of = vectors.get(vectors.len() / 2).and_then(|&r| made(r, wait));
            let operands = of.into_iter().flat_map(|of| insts[of].reads().filter_map(move |r| made(r, of)));
            out.extend(operands.map(|from| (from, wait)));
        }
        out
    }

    fn bounds(insts: &[MInst]) -> Vec<(&'static str, u32)> {
        let count = |f: &dyn Fn(&MInst) -> bool| insts.iter().filter(|i| f(i)).count() as u32;
        let add = count(&|i| matches!(i.op, Oper::Add(_)));
        let mul = count(&|i| matches!(i.op, Oper::Mul(_)) || i.rotate != Rotate::None);
        let either = count(&|i| matches!(i.op, Oper::Mov | Oper::Double) && i.rotate == Rotate::None);
        let alone = count(&|i| matches!(i.op, Oper::Ldi(_) | Oper::Sema(..)));
        let results = count(&|i| i.is_receive(0) || i.is_receive(1));
        let requests = count(&|i| i.is_request(0) || i.is_request(1) || writes_sfu(i));
        vec![
            ("add ALU", add + alone + 1),
            ("mul ALU", mul + alone + 1),
            ("both ALUs", (add + mul + either).div_ceil(2) + alone + 1),
            // One access to a TMU or to the special function unit per instruction.
            ("TMU", requests + results + 1),
            // Results of the TMUs cannot share an instruction with what touches VPM and DMA.
            ("VPM/DMA", count(&touches_vpm) + results + 1),
        ]
    }
}

/// Where a TMU is asked.
fn s_of(tmu: usize) -> Waddr {
    if tmu == 0 { Waddr::TMU0_S } else { Waddr::TMU1_S }
}

/// What takes its result.
fn result_of(tmu: usize) -> Signal {
    if tmu == 0 { Signal::LoadTmu0 } else { Signal::LoadTmu1 }
}

/// Whether it starts the special function unit.
fn writes_sfu(inst: &MInst) -> bool {
    matches!(inst.dst, Dst::Peripheral(w, _) if w.is_sfu())
}

/// Whether r4 changes.
pub fn writes_r4(inst: &MInst) -> bool {
    writes_sfu(inst) || matches!(inst.op, Oper::Signal(s) if s.loads_r4())
}

/// Whether others can see when this happens.
fn is_synchronising(inst: &MInst) -> bool {
    let peripheral = matches!(inst.dst, Dst::Peripheral(Waddr::HOST_INT | Waddr::MUTEX_RELEASE, _));
    matches!(inst.op, Oper::Sema(..) | Oper::Probe(_)) || peripheral || inst.src[0] == Some(Src::Mutex)
}

/// Whether it reads or writes what belongs to the VPM or its DMA.
fn touches_vpm(inst: &MInst) -> bool {
    let write = matches!(inst.dst, Dst::Peripheral(w, _) if (48..=50).contains(&w.0));
    let read = inst.src.iter().flatten().any(|s| matches!(s, Src::Vpm | Src::LoadWait | Src::StoreWait));
    write || read
}

impl Instruction for MInst {
    fn copy(dst: Reg, src: Reg) -> MInst {
        MInst::mov(dst, src)
    }

    fn constant(dst: Reg, bits: u32) -> MInst {
        minst::constant(dst, bits)
    }

    fn nothing() -> MInst {
        MInst::new(Oper::Mov, Dst::None, &[])
    }

    fn is_nothing(&self) -> bool {
        self.op == Oper::Mov && self.dst == Dst::None && self.src == [None, None]
    }

    #[inline]
    fn span(&self) -> Option<Span> {
        self.span
    }

    fn set_span(&mut self, span: Option<Span>) {
        self.span = span;
    }

    #[inline]
    fn operands(&self) -> [Option<Operand>; 2] {
        self.src.map(|s| {
            Some(match s? {
                Src::Reg(r) => Operand::Register(r),
                Src::Part(r, _) => Operand::Part(r, FILE_A),
                Src::Imm(_) => Operand::Immediate(FILE_B),
                Src::Element => Operand::Port(FILE_A),
                _ => Operand::Other,
            })
        })
    }

    #[inline]
    fn also_reads(&self) -> Option<Reg> {
        (self.rotate == Rotate::R5).then_some(Reg::R5)
    }

    #[inline]
    fn def(&self) -> Option<Reg> {
        self.dst.reg()
    }

    #[inline]
    fn also_writes(&self) -> Option<Reg> {
        writes_r4(self).then_some(Reg::R4)
    }

    fn set_def(&mut self, r: Reg) {
        self.dst = Dst::Reg(r);
    }

    #[inline]
    fn map_reads(&mut self, mut f: impl FnMut(Reg) -> Reg) {
        for s in self.src.iter_mut().flatten() {
            if let Src::Reg(r) | Src::Part(r, _) = s {
                *r = f(*r);
            }
        }
    }

    #[inline]
    fn keeps_destination(&self) -> bool {
        self.cond != Cond::Always
    }

    #[inline]
    fn sets_flags(&self) -> bool {
        self.sf
    }

    #[inline]
    fn reads_flags(&self) -> bool {
        self.cond.is_conditional()
    }

    fn is_pure(&self) -> bool {
        let quiet = |s: &Src| matches!(s, Src::Reg(_) | Src::Part(..) | Src::Imm(_) | Src::Element);
        matches!(self.op, Oper::Add(_) | Oper::Mul(_) | Oper::Mov | Oper::Double | Oper::Ldi(_))
            && !self.sf
            && matches!(self.dst, Dst::Reg(_))
            && self.src.iter().flatten().all(quiet)
    }

    fn is_plain(&self) -> bool {
        self.src.iter().flatten().all(|s| matches!(s, Src::Reg(_) | Src::Imm(_))) && self.rotate == Rotate::None
    }

    #[inline]
    fn as_copy(&self) -> Option<(Reg, Reg)> {
        let copies = self.op == Oper::Mov && !self.sf && self.rotate == Rotate::None;
        match (self.dst, self.src[0]) {
            (Dst::Reg(d), Some(Src::Reg(s))) if copies => Some((d, s)),
            _ => None,
        }
    }

    fn bank(&self, operand: usize) -> Option<Bank> {
        match self.src[operand]? {
            Src::Part(..) => Some(FILE_A),
            // Lanes rotate across quads only there.
            _ => (self.rotate != Rotate::None).then_some(Bank::Quick),
        }
    }

    fn conflict(&self) -> Option<usize> {
        let in_a = |r: Reg| matches!(Place::of(r), Some(Place::A(_)));
        let in_b = |r: Reg| matches!(Place::of(r), Some(Place::B(_)));
        match (self.src[0]?, self.src[1]?) {
            (Src::Reg(x), Src::Reg(y)) if x != y && (in_a(x) && in_a(y) || in_b(x) && in_b(y)) => Some(1),
            // A part can be had from file A alone.
            (Src::Part(..), Src::Reg(r)) if in_a(r) => Some(1),
            (Src::Reg(r), Src::Part(..)) if in_a(r) => Some(0),
            (Src::Reg(r), Src::Imm(_)) if in_b(r) => Some(0),
            (Src::Imm(_), Src::Reg(r)) if in_b(r) => Some(1),
            _ => None,
        }
    }

    fn move_out(&mut self, operand: usize, through: Reg) -> MInst {
        let source = self.src[operand].expect("a conflict has two operands");
        for s in self.src.iter_mut().flatten().filter(|s| **s == source) {
            *s = through.into();
        }
        MInst { span: self.span, ..MInst::mov(through, source) }
    }

    #[inline]
    fn is_glued(&self) -> bool {
        self.glued
    }

    #[inline]
    fn probe(&self) -> Option<u32> {
        match self.op {
            Oper::Probe(p) => Some(p),
            _ => None,
        }
    }

    #[inline]
    fn kind(&self) -> Kind {
        let rotates = self.rotate != Rotate::None;
        let signal = matches!(self.op, Oper::Signal(_));
        let immediate = rotates || self.src.iter().flatten().any(|s| matches!(s, Src::Imm(_)));
        Kind::of(&[
            (matches!(self.op, Oper::Add(_)), Kind::FIRST),
            (matches!(self.op, Oper::Mul(_)) || rotates, Kind::SECOND),
            (!signal, Kind::UNIT),
            (matches!(self.op, Oper::Ldi(_)), Kind::ALONE),
            (signal, Kind::SIGNAL),
            (immediate || touches_vpm(self), Kind::NO_SIGNAL),
        ])
    }

    #[inline]
    fn unit(&self) -> Option<u8> {
        match self.op {
            Oper::Add(_) => Some(0),
            Oper::Mul(_) => Some(1),
            _ => None,
        }
    }

    fn orders(&self, mut f: impl FnMut(usize)) {
        if self.src.contains(&Some(Src::Uniform)) {
            f(UNIFORMS);
        }
        if touches_vpm(self) || is_synchronising(self) {
            f(VPM);
        }
    }

    fn is_fence(&self) -> bool {
        is_synchronising(self) || matches!(self.dst, Dst::Peripheral(Waddr::TMU_NOSWAP, _))
    }

    #[inline]
    fn is_request(&self, tmu: usize) -> bool {
        matches!(self.dst, Dst::Peripheral(w, _) if w == s_of(tmu))
    }

    #[inline]
    fn is_receive(&self, tmu: usize) -> bool {
        self.op == Oper::Signal(result_of(tmu))
    }

    fn may_overlap(&self) -> bool {
        !matches!(self.op, Oper::Sema(..)) && self.src[0] != Some(Src::Uniform) && !is_synchronising(self)
    }

    fn may_be_in_vain(&self) -> bool {
        let calm = |s: &Src| matches!(s, Src::Reg(_) | Src::Part(..) | Src::Imm(_) | Src::Element);
        let target = match self.dst {
            Dst::None | Dst::Reg(Reg::R5 | Reg::Virt(_)) => true,
            Dst::Peripheral(w, _) => w.is_sfu(),
            Dst::Reg(_) => false,
        };
        let computes = matches!(self.op, Oper::Add(_) | Oper::Mul(_) | Oper::Mov | Oper::Double | Oper::Ldi(_));
        computes && target && self.src.iter().flatten().all(calm)
    }
}

impl Condition for BranchCond {
    const ALWAYS: BranchCond = BranchCond::Always;

    fn inverse(self) -> Option<BranchCond> {
        BranchCond::inverse(self)
    }
}
