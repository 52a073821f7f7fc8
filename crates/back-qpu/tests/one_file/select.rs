//! Kernel IR to operations of the second instruction set, and on through the machine-independent part.

use super::{Branch, Cond, Dst, OneFile, Op, Oper, Spill, Src, emulator};
use quadra_back_qpu::machine::cleanup;
use quadra_back_qpu::machine::code::{self, BlockId, Code, Term, VirtInfo};
use quadra_back_qpu::machine::isa::Instruction;
use quadra_back_qpu::machine::registers::Reg;
use quadra_back_qpu::machine::report::{self, LoopReport};
use quadra_back_qpu::machine::schedule::{self, borders, delay, deps};
use quadra_back_qpu::machine::{modulo, regalloc};
use quadra_kir as kir;
use std::collections::HashMap;

type Block = code::Block<OneFile>;

/// A compiled kernel.
pub struct Compiled {
    pub words: Vec<emulator::Word>,
    pub loops: Vec<LoopReport>,
    pub spill: Spill,
}

/// Compiles a kernel of one worker, at most `registers` in use; the buffers lie at `bases`.
pub fn compile(kernel: &kir::Kernel, bases: &[u32], registers: u8, level: u8) -> Compiled {
    let mut cx = Cx {
        kernel,
        bases,
        code: Code::default(),
        registers: HashMap::new(),
        constants: HashMap::new(),
        first: Vec::new(),
        depth: 0,
    };
    cx.new_block();
    cx.block(&kernel.body);
    let Cx { mut code, first, .. } = cx;
    code.blocks[0].insts.splice(0..0, first);
    cleanup::remove_dead(&mut code);
    cleanup::thread_jumps(&mut code);
    cleanup::rotate_loops(&mut code);
    cleanup::join_blocks(&mut code);
    let spill = regalloc::run(&mut code, Spill::default(), registers).expect("spill code finds registers");
    cleanup::join_blocks(&mut code);
    let queues = deps::queues(&code);
    let marked = report::mark(&mut code, queues);
    let mut outcomes = Vec::new();
    if level >= 2 {
        outcomes = modulo::run(&mut code, queues, registers);
        cleanup::join_blocks(&mut code);
    }
    let mut slots = schedule::run(&code, queues, level);
    borders::separate(&code, &mut slots);
    if level > 0 {
        delay::fill(&code, &mut slots);
    }
    let loops = report::finish(marked, &outcomes, &code, &slots);
    Compiled { words: emulator::layout(&code, &slots), loops, spill }
}

struct Cx<'k> {
    kernel: &'k kir::Kernel,
    bases: &'k [u32],
    code: Code<OneFile>,
    registers: HashMap<kir::Value, Reg>,
    constants: HashMap<u32, Reg>,
    /// What the program begins with: constants and parameters.
    first: Vec<Op>,
    depth: u32,
}

impl Cx<'_> {
    fn new_block(&mut self) -> BlockId {
        self.code.blocks.push(Block::new(Vec::new(), Term::End, self.depth, None));
        self.code.blocks.len() - 1
    }

    fn here(&self) -> BlockId {
        self.code.blocks.len() - 1
    }

    fn emit(&mut self, op: Op) {
        let here = self.here();
        self.code.blocks[here].insts.push(op);
    }

    fn compute(&mut self, what: kir::Op, elem: kir::Elem, dst: Dst, src: &[Src]) {
        self.emit(Op::new(Oper::Compute(what, elem), dst, src));
    }

    fn constant(&mut self, bits: u32) -> Reg {
        if let Some(&r) = self.constants.get(&bits) {
            return r;
        }
        let r = self.code.fresh_in(VirtInfo { constant: Some(bits), ..VirtInfo::default() });
        self.first.push(Op::constant(r, bits));
        self.constants.insert(bits, r);
        r
    }

    fn src(&mut self, v: kir::Value) -> Src {
        match self.kernel.values[v].def {
            kir::Def::Const(c) => match c.bits as u32 as i32 {
                small @ -16..16 => Src::Small(small),
                bits => Src::Reg(self.constant(bits as u32)),
            },
            kir::Def::Param if !self.registers.contains_key(&v) => {
                let scalars = self.kernel.params.iter().filter(|p| matches!(p, kir::Param::Scalar(_)));
                let n = scalars.take_while(|p| **p != kir::Param::Scalar(v)).count();
                let r = self.define(v);
                self.first.push(Op::new(Oper::Parameter(n), Dst::Reg(r), &[]));
                Src::Reg(r)
            }
            _ => Src::Reg(self.registers[&v]),
        }
    }

    fn define(&mut self, v: kir::Value) -> Reg {
        let r = self.code.fresh();
        self.registers.insert(v, r);
        r
    }

    /// Copies that happen at once.
    fn copies(&mut self, to: &[Reg], from: &[Src]) {
        let temps: Vec<Reg> = to.iter().map(|_| self.code.fresh()).collect();
        for (t, s) in temps.iter().zip(from) {
            self.emit(Op::new(Oper::Mov, Dst::Reg(*t), &[*s]));
        }
        for (d, t) in to.iter().zip(temps) {
            self.emit(Op::copy(*d, t));
        }
    }

    fn sources(&mut self, values: &[kir::Value]) -> Vec<Src> {
        values.iter().map(|v| self.src(*v)).collect()
    }

    /// The operations of a block; gives what it yields.
    fn block(&mut self, block: &kir::Block) -> Vec<Src> {
        for inst in &block.insts {
            match inst.op {
                kir::Op::Yield => return self.sources(&inst.args),
                kir::Op::Return => {}
                kir::Op::If => self.choice(inst),
                kir::Op::For => self.counted(inst),
                _ => self.inst(inst),
            }
        }
        Vec::new()
    }

    fn inst(&mut self, inst: &kir::Inst) {
        use kir::Op::*;
        let args = self.sources(&inst.args);
        match inst.op {
            Lane => {
                let r = self.define(inst.result());
                self.emit(Op::new(Oper::Mov, Dst::Reg(r), &[Src::Lane]));
            }
            // Tested where it is used: a branch looks at all lanes.
            VoteAny => {
                let r = self.define(inst.result());
                self.emit(Op::new(Oper::Mov, Dst::Reg(r), &[args[0]]));
            }
            Select => {
                let r = self.define(inst.result());
                self.emit(Op { flags: true, ..Op::new(Oper::Mov, Dst::None, &[args[0]]) });
                // A constant comes second: allocation then may join the other value's register with the result's.
                let (first, second, cond) = match args[2] {
                    Src::Small(_) => (args[1], args[2], Cond::Clear),
                    _ => (args[2], args[1], Cond::Set),
                };
                self.emit(Op::new(Oper::Mov, Dst::Reg(r), &[first]));
                self.emit(Op { cond, ..Op::new(Oper::Mov, Dst::Reg(r), &[second]) });
            }
            LoadRow => {
                let [index, base] = self.address(inst, args[0]);
                let r = self.define(inst.result());
                self.compute(Add, kir::Elem::I32, Dst::Request, &[index, base]);
                self.emit(Op::new(Oper::Result, Dst::Reg(r), &[]));
            }
            StoreRow => {
                let [index, base] = self.address(inst, args[0]);
                self.emit(Op::new(Oper::Mov, Dst::StoreData, &[args[1]]));
                let address = Op::new(Oper::Compute(Add, kir::Elem::I32), Dst::StoreAddress, &[index, base]);
                self.emit(Op { glued: true, ..address });
            }
            op if kir::eval::is_lanewise(op) => {
                let elem = self.kernel.ty(inst.args[0]).elem;
                let r = self.define(inst.result());
                self.compute(op, elem, Dst::Reg(r), &args);
            }
            op => panic!("`{}` is not in the programs of this test", op.mnemonic()),
        }
    }

    /// Two operands whose sum is the address of each lane's word of a row.
    fn address(&mut self, inst: &kir::Inst, index: Src) -> [Src; 2] {
        let base = self.bases[inst.buf.expect("an access has a buffer").index()];
        let t = self.code.fresh();
        self.compute(kir::Op::Add, kir::Elem::I32, Dst::Reg(t), &[index, Src::Lane]);
        let base = self.constant(base);
        [Src::Reg(t), Src::Reg(base)]
    }

    fn choice(&mut self, inst: &kir::Inst) {
        let results: Vec<Reg> = inst.results.iter().map(|v| self.define(*v)).collect();
        let condition = self.src(inst.args[0]);
        self.emit(Op { flags: true, ..Op::new(Oper::Mov, Dst::None, &[condition]) });
        let from = self.here();
        let mut ends = Vec::new();
        let mut starts = Vec::new();
        for region in &inst.regions {
            starts.push(self.new_block());
            let yields = self.block(region);
            self.copies(&results, &yields);
            ends.push(self.here());
        }
        let join = self.new_block();
        self.code.blocks[from].term = Term::Branch { cond: Branch::AnySet, taken: starts[0], other: starts[1] };
        ends.into_iter().for_each(|end| self.code.blocks[end].term = Term::Jump(join));
    }

    /// Ends a block with a test whether the loop goes on.
    fn test(&mut self, iv: Reg, bound: Src) -> BlockId {
        let less = Op::new(Oper::Compute(kir::Op::CmpLt, kir::Elem::I32), Dst::None, &[Src::Reg(iv), bound]);
        self.emit(Op { flags: true, ..less });
        self.here()
    }

    /// A loop that counts up.
    fn counted(&mut self, inst: &kir::Inst) {
        let body = &inst.regions[0];
        let carried: Vec<Reg> = body.params.iter().map(|v| self.define(*v)).collect();
        let (bound, step) = (self.src(inst.args[1]), self.src(inst.args[2]));
        let start: Vec<kir::Value> = [inst.args[0]].into_iter().chain(inst.carried().iter().copied()).collect();
        let start = self.sources(&start);
        self.copies(&carried, &start);
        let iv = carried[0];
        let before = self.test(iv, bound);
        self.depth += 1;
        let head = self.new_block();
        let yields = self.block(body);
        self.copies(&carried[1..], &yields);
        self.compute(kir::Op::Add, kir::Elem::I32, Dst::Reg(iv), &[Src::Reg(iv), step]);
        let end = self.test(iv, bound);
        self.depth -= 1;
        let exit = self.new_block();
        for block in [before, end] {
            self.code.blocks[block].term = Term::Branch { cond: Branch::AnySet, taken: head, other: exit };
        }
        for (result, r) in inst.results.iter().zip(&carried[1..]) {
            let result = self.define(*result);
            self.emit(Op::copy(result, *r));
        }
    }
}
