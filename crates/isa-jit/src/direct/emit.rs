//! Blocks as machine code: what surrounds the operations.
//!
//! While native code runs, r0 to r5 and the flags are in registers of the processor; the files A and B are where the
//! engines keep them. Every instruction is complete before the next one begins, so that execution can leave anywhere.
//!
//! | register | |
//! |---|---|
//! | `rbp` | the context |
//! | `r12` | the QPU |
//! | `rbx` | its registers, from the middle |
//! | `r13`, `r14` | the next uniform, the end of those that can be read |
//! | `r15` | instructions that may still be executed |

use super::super::facts::{acts, is_unpacked};
use super::super::x64::{ALL, Asm, Cc, Label, Masked, Rm, gpr::*, keep, op};
use super::alu::{self, mask};
use super::call::layout;
use super::places::{CTX, exit, in_memory, place_of, zmm};
use super::shape::{self, Block, End};
use quadra_isa::vc4::emu::translate::{Listing, core, registers as slot};
use quadra_isa::vc4::{AddOp, Alu, BranchCond, Cond, File, Inst, Ldi, LdiMode, Mux, Raddr, Sema, Waddr};
use std::collections::BTreeMap;

/// What is done later, outside the usual way.
#[derive(Clone, Copy, Debug)]
enum Cold {
    /// The engine executes the instruction, then `back`; the uniforms count from the place they had before.
    Engine(Label),
    /// The same where the instruction moves the uniforms.
    EngineMoves(Label),
    /// Behind a call of the engine for this instruction: it said to stop, or to leave after it.
    Called,
    /// Execution leaves before the instruction.
    Leave,
    /// The same, because the QPU waits for this semaphore, to go down or up.
    Wait(u8, bool),
    /// Float results in these lanes, of the sum and of the product, are out of the ordinary: they are put right, then
    /// `back`, unless the engine must compute them, which the last label is for.
    Odd([Option<u8>; 2], Label, Label),
    /// Rust code gives a vector in this register to a unit, then `back`; the last label is for what it cannot.
    Unit(u8, u8, Label, Label),
    /// Rust code looks at the next vector of the VPM, likewise.
    Peek(Label, Label),
    /// It leaves behind it.
    Behind,
}

#[derive(Clone, Copy, Debug)]
struct Stub {
    label: Label,
    cold: Cold,
    at: Place,
}

/// An instruction in its block.
#[derive(Clone, Copy, Debug)]
struct Place {
    index: usize,
    /// Instructions from here to the end of the block.
    left: i32,
    /// Uniforms that the block has read and the pointer has not passed.
    pending: i32,
    /// Which delay slot, 1 to 3, of which branch.
    slot: Option<(u32, usize)>,
    /// The flags that the instruction before has set, if they were put off.
    late: Option<Late>,
}

/// Flags that were put off: those of this register's value, a float's or that of an operation on bits.
#[derive(Clone, Copy, Debug)]
struct Late {
    register: u8,
    float: bool,
}

pub struct Emit<'a> {
    pub asm: Asm,
    code: &'a Listing<'a>,
    pub blocks: BTreeMap<usize, Block>,
    pub labels: BTreeMap<usize, Label>,
    stubs: Vec<Stub>,
    /// Reads of uniforms that were found to be possible.
    group: i32,
    pending: i32,
    /// Where the instruction's uniform is.
    uniform: Rm,
    late: Option<Late>,
    since_sfu: Option<usize>,
    since_set: Option<usize>,
    guarded: [bool; 2],
    /// Flags that the block has as vectors, where conditions need them so.
    widened: [bool; 3],
    common: Common,
    /// Constants with different lanes.
    vectors: Vec<(Label, [u32; 16])>,
    /// Jumps by registers: their tables, and the last delay slot.
    tables: Vec<(Label, usize)>,
}

/// Code that all blocks share.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    /// The first byte.
    start: Label,
    pub entry: Label,
    step: Label,
    step_again: Label,
    unit: Label,
    set_up: Label,
    special: Label,
    peek: Label,
    leave: Label,
    /// Leaves at an instruction (`eax` is 1) or behind it (2): its number is in `ecx`, instructions left with it in `esi`, uniforms
    /// read before it in the lower half of `edx`, its own in the upper one.
    pub called: Label,
    /// Puts odd results right, in all lanes: the sum's, the product's, both; "zero" if that was all.
    pub settle: [Label; 3],
    pub units: Units,
}

/// Code of the units, which answers in `eax`: 0 if all was done, 1 if nothing was.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// TMU 0 and 1 look up the addresses in [`zmm::VALUE`].
    pub look_up: [Label; 2],
    /// The VPM takes [`zmm::VALUE`].
    pub write: Label,
    /// The VPM's next vector comes to [`zmm::VPM`]; and the next but one becomes the next (no answer).
    pub read: Label,
    pub go_on: Label,
    /// The setup of writes and stores takes lane 0 of [`zmm::VALUE`].
    pub set_up: Label,
}

/// Writes the blocks.
pub fn emit<'a>(code: &'a Listing<'a>, blocks: BTreeMap<usize, Block>, mut asm: Asm) -> (Emit<'a>, Common) {
    let common = super::common::emit(&mut asm);
    let labels = blocks.keys().map(|start| (*start, asm.label())).collect();
    let mut e = Emit {
        asm,
        code,
        blocks,
        labels,
        stubs: Vec::new(),
        group: 0,
        pending: 0,
        uniform: Rm::Reg(zmm::ZERO),
        late: None,
        since_sfu: None,
        since_set: None,
        guarded: [false; 2],
        widened: [false; 3],
        common,
        vectors: Vec::new(),
        tables: Vec::new(),
    };
    let list: Vec<Block> = e.blocks.values().copied().collect();
    for (n, block) in list.iter().enumerate() {
        e.block(block, list.get(n + 1).map(|b| b.start));
    }
    e.cold();
    e.data();
    (e, common)
}

impl Common {
    pub fn new(asm: &mut Asm) -> Common {
        let start = asm.here();
        let [entry, step, step_again, unit, set_up, special, peek, leave] = std::array::from_fn(|_| asm.label());
        let [first, second, write, read, go_on, stores] = std::array::from_fn(|_| asm.label());
        let units = Units { look_up: [first, second], write, read, go_on, set_up: stores };
        let (settle, called) = (std::array::from_fn(|_| asm.label()), asm.label());
        Common { called, start, entry, step, step_again, unit, set_up, special, peek, leave, settle, units }
    }

    /// Labels in order: a call of the engine, the same where the uniforms stay, a call of a unit, of the setup registers, of
    /// the special functions, a look at the VPM, the way out.
    pub fn labels(&self) -> [Label; 7] {
        [self.step, self.step_again, self.unit, self.set_up, self.special, self.peek, self.leave]
    }
}

/// Looks at the float results among sum and product, each in its lanes.
pub fn each_float(asm: &mut Asm, lanes: [Option<u8>; 2], look: fn(&mut Asm, u8, u8, Masked)) {
    let found = [mask::T, mask::U];
    for (n, result) in [zmm::SUM, zmm::PRODUCT].into_iter().enumerate() {
        if let Some(lanes) = lanes[n] {
            look(asm, found[n], result, keep(lanes));
        }
    }
    let first = if lanes[0].is_some() { found[0] } else { found[1] };
    asm.kortest(first, if lanes[1].is_some() { found[1] } else { first });
}

impl Emit<'_> {
    fn block(&mut self, block: &Block, next: Option<usize>) {
        let label = self.labels[&block.start];
        self.asm.bind(label);
        (self.group, self.pending, self.since_sfu, self.since_set) = (0, 0, None, None);
        (self.guarded, self.late, self.widened) = ([false; 2], None, [false; 3]);
        self.asm.sub(R15, block.len as i32);
        let limit = self.stub(Cold::Leave, self.place(block, block.start));
        self.asm.jump_if(Cc::Below, limit);
        for index in block.start..block.start + block.len {
            let at = self.place(block, index);
            match (block.end, self.code.known(index).map(|k| k.inst)) {
                (End::Branch(branch, _), Some(Inst::Branch(_))) if branch == index => self.branch(index),
                _ if shape::is_plain(self.code, index) => self.plain(block, at),
                _ => self.by_engine(at),
            }
        }
        self.flush();
        self.end(block, next);
    }

    fn place(&self, block: &Block, index: usize) -> Place {
        let slot = match block.end {
            End::Branch(branch, _) if index > branch => Some(((index - branch) as u32, branch)),
            _ => None,
        };
        let left = (block.start + block.len - index) as i32;
        Place { index, left, pending: self.pending, slot, late: self.late }
    }

    fn stub(&mut self, cold: Cold, at: Place) -> Label {
        let label = self.asm.label();
        self.stubs.push(Stub { label, cold, at });
        label
    }

    /// Moves the pointer behind the uniforms that were read.
    fn flush(&mut self) {
        self.pass(self.pending, self.pending);
        (self.pending, self.group) = (0, 0);
    }

    /// Lets the engine execute an instruction.
    fn by_engine(&mut self, at: Place) {
        self.flush();
        self.widened = [false; 3];
        let at = Place { pending: 0, ..at };
        let [step, ..] = self.common.labels();
        self.asm.mov(R8, R13);
        self.call(at, step);
        let inst = self.code.known(at.index).map(|k| *k.inst);
        let writes = |set: fn(Waddr) -> bool| inst.is_some_and(|i| i.writes().any(|(_, w, _)| set(w)));
        if writes(|w| w.is_sfu()) {
            self.since_sfu = Some(at.index);
        }
        if writes(|w| w == Waddr::UNIFORMS_ADDRESS) {
            self.since_set = Some(at.index);
        }
    }

    fn call(&mut self, at: Place, step: Label) {
        self.asm.constant(RSI, at.index as u32);
        self.asm.constant(RDX, at.left as u32);
        self.asm.call(step);
        self.asm.test32(RAX, RAX);
        let stop = self.stub(Cold::Called, at);
        self.asm.jump_if(Cc::NotZero, stop);
    }

    /// Goes to `stub` if what happened at the issue count in the QPU is less than three instructions ago. Once is enough
    /// for a block, since later instructions are further away.
    fn guard(&mut self, which: usize, at: Place, stub: Label) {
        let (since, field) = [(self.since_sfu, core::SFU_AT), (self.since_set, core::UNIFORM_SET_AT)][which];
        match since {
            Some(index) if at.index - index < 3 => self.asm.jump(stub),
            Some(_) => {}
            None if self.guarded[which] => {}
            None => {
                self.guarded[which] = true;
                self.asm.load(RAX, CTX, layout::END);
                self.asm.sub_reg(RAX, R15);
                self.asm.sub_memory(RAX, R12, field);
                self.asm.add(RAX, -at.left);
                self.asm.cmp(RAX, 3);
                self.asm.jump_if(Cc::Below, stub);
            }
        }
    }

    fn plain(&mut self, block: &Block, at: Place) {
        let back = self.asm.label();
        let inst = self.code.known(at.index).map(|k| *k.inst);
        // A store may change what can be read as uniforms.
        let moves = inst.is_some_and(|i| i.writes().any(|(_, waddr, _)| matches!(waddr.0, 40 | 50)));
        let mut at = at;
        if moves {
            self.flush();
            at.pending = 0;
        }
        self.widen(inst.as_ref());
        let before = self.stubs.len();
        let doubt = self.stub(if moves { Cold::EngineMoves(back) } else { Cold::Engine(back) }, at);
        match inst {
            Some(Inst::Alu(alu)) => self.alu(block, at, &alu, doubt),
            Some(Inst::Ldi(ldi)) => self.load_immediate(at, &ldi, doubt),
            Some(Inst::Sema(sema)) => self.semaphore(at, &sema),
            _ => {}
        }
        if moves {
            self.group = 0;
        }
        if inst.is_some_and(|inst| inst.sets_flags()) {
            self.widened = [false; 3];
        }
        self.asm.bind(back);
        // The engine reads uniforms from where they are; the usual way goes on from the old place.
        let now = self.pending;
        for stub in &mut self.stubs[before..] {
            if let Cold::Engine(_) = stub.cold {
                stub.at.pending = stub.at.pending << 16 | now;
            }
        }
    }

    /// What comes before the operations: waits, and operands from queues. Gives the TMU whose result goes to r4 afterwards.
    fn prepare(&mut self, block: &Block, at: Place, alu: &Alu, doubt: Label) -> Option<usize> {
        if super::super::region::touches_r4(&Inst::Alu(*alu)) {
            self.guard(0, at, doubt);
        }
        let receives = match alu.sig {
            quadra_isa::vc4::Signal::LoadTmu0 => Some(0),
            quadra_isa::vc4::Signal::LoadTmu1 => Some(1),
            _ => None,
        };
        if let Some(unit) = receives {
            self.asm.cmp_constant32(R12, core::queue_length(unit), 0);
            self.asm.jump_if(Cc::Zero, doubt);
        }
        self.waits(alu);
        if shape::reads_vpm(alu) {
            self.read_vpm(at, doubt);
        }
        if alu.reads_uniform() {
            self.read_uniform(block, at);
        }
        receives
    }

    fn alu(&mut self, block: &Block, at: Place, alu: &Alu, doubt: Label) {
        let receives = self.prepare(block, at, alu, doubt);
        let masks = [self.condition(alu.cond_add, mask::ADD), self.condition(alu.cond_mul, mask::MUL)];
        self.record(at, [alu.cond_add, alu.cond_mul]);
        let [adds, muls] = acts(alu);
        let operands = self.operands(alu, adds, muls);
        self.compute(at, alu, [adds, muls], operands, masks, doubt);
        let outputs = [
            (adds, alu.waddr_add, if alu.ws { File::B } else { File::A }, zmm::SUM, masks[0]),
            (muls, alu.waddr_mul, if alu.ws { File::A } else { File::B }, zmm::PRODUCT, masks[1]),
        ];
        for (acts, waddr, file, value, _) in outputs {
            if acts && waddr == Waddr::UNIFORMS_ADDRESS {
                self.move_uniforms(at, value, doubt);
            } else if acts && shape::special(waddr) {
                self.unit(at, (file, waddr), value, doubt);
            }
        }
        let from_mul = alu.op_add == AddOp::Nop;
        self.late = self.flags_to_come(block, at, alu);
        let now = alu.sf && self.late.is_none();
        if now && !from_mul {
            alu::carry(&mut self.asm, alu.op_add, mask::U, [operands[0], operands[1]], zmm::SUM);
        } else if now {
            self.asm.kclear(mask::U);
        }
        for (acts, waddr, file, value, mask) in outputs {
            if acts {
                self.write(file, waddr, value, mask);
            }
        }
        if now && (adds || muls) {
            let (value, mask) = if from_mul { (zmm::PRODUCT, masks[1]) } else { (zmm::SUM, masks[0]) };
            self.set_flags(value, mask);
        }
        if let Some(unit) = receives {
            self.receive(unit);
        }
        if shape::reads_vpm(alu) {
            self.asm.call(self.common.units.go_on);
        }
        if outputs.iter().any(|o| o.0 && matches!(o.1.0, 56 | 60)) {
            let behind = self.stub(Cold::Behind, Place { pending: self.pending, ..at });
            self.asm.cmp_constant32(CTX, layout::LEAVE, 0);
            self.asm.jump_if(Cc::NotZero, behind);
        }
    }

    fn compute(&mut self, at: Place, alu: &Alu, [adds, muls]: [bool; 2], o: [Rm; 4], masks: [u8; 2], doubt: Label) {
        if muls {
            alu::mul(&mut self.asm, alu.op_mul, zmm::PRODUCT, o[2], o[3]);
        }
        if adds {
            alu::add(&mut self.asm, alu.op_add, zmm::SUM, o[0], o[1]);
        }
        let sum = adds && matches!(alu.op_add, AddOp::Fadd | AddOp::Fsub);
        let product = muls && alu.op_mul == quadra_isa::vc4::MulOp::Fmul;
        if !sum && !product {
            return;
        }
        let lanes = [sum.then_some(masks[0]), product.then_some(masks[1])];
        if self.asm.has_halves() {
            // What is odd in lanes that do not count leads to the exact look, which says so.
            let floats = [sum.then_some(zmm::SUM), product.then_some(zmm::PRODUCT)];
            self.asm.test_odd(&floats.into_iter().flatten().collect::<Vec<_>>());
        } else {
            each_float(&mut self.asm, lanes, alu::odd);
        }
        let back = self.asm.label();
        let odd = self.stub(Cold::Odd(lanes, back, doubt), at);
        self.asm.jump_if(Cc::NotZero, odd);
        self.asm.bind(back);
    }

    fn operands(&mut self, alu: &Alu, adds: bool, muls: bool) -> [Rm; 4] {
        let reads_vpm = |mux| match mux {
            Mux::A => alu.read(File::A) == Some(Raddr::VPM),
            Mux::B => alu.read(File::B) == Some(Raddr::VPM),
            _ => false,
        };
        let uniform = self.uniform;
        let find = |mux| match super::super::facts::operand_slot(alu, mux) {
            _ if reads_vpm(mux) => Rm::Reg(zmm::VPM),
            None => uniform,
            Some(register) => place_of(register),
        };
        let mut o = [alu.add_a, alu.add_b, alu.mul_a, alu.mul_b].map(find);
        self.unpack(alu, &mut o, [adds, muls]);
        let rotation = alu.small_imm().and_then(|imm| imm.rotation());
        if let (Some(by), true) = (rotation, muls) {
            for (n, mux) in [alu.mul_a, alu.mul_b].into_iter().enumerate() {
                if n == 1 && alu.mul_a == alu.mul_b {
                    o[3] = o[2];
                } else {
                    super::rotate::rotate(&mut self.asm, mux, by, o[2 + n], zmm::ROTATED[n]);
                    o[2 + n] = Rm::Reg(zmm::ROTATED[n]);
                }
            }
        }
        // A unary operation looks at its first operand only.
        if adds && alu.op_add.operands() < 2 {
            o[1] = o[0];
        }
        o
    }
}

mod conditions;
mod write;
mod units;
mod unpack;
mod control;
