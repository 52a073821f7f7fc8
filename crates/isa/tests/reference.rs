//! The engines against a second implementation of ALU and load immediate instructions, written to be obviously right: one
//! lane at a time, straight from the instruction's fields.

use quadra_isa::vc4::emu::{
    Config, Engine, Lanes, Machine, Region, Registers, RunError, Thread, alu, flags::Flags, pack,
};
use quadra_isa::vc4::timing::{self, Parameters};
use quadra_isa::vc4::{AddOp, Alu, Branch, Cond, File, Inst, Ldi, LdiMode, MulOp, Mux, Pack, Program, Raddr};
use quadra_isa::vc4::{Sema, Signal, SmallImm, Unpack, Waddr, encode, imm};

const CODE: u32 = 0x1000;

#[derive(Clone)]
struct State {
    a: [Lanes; 32],
    b: [Lanes; 32],
    r: [Lanes; 6],
    z: [bool; 16],
    n: [bool; 16],
    c: [bool; 16],
}

impl State {
    fn of(registers: &Registers) -> State {
        let Flags { z, n, c } = registers.flags;
        let bits = |mask: u16| std::array::from_fn(|i| mask >> i & 1 == 1);
        State { a: registers.a, b: registers.b, r: registers.accumulators, z: bits(z), n: bits(n), c: bits(c) }
    }

    fn holds(&self, cond: Cond, lane: usize) -> bool {
        match cond {
            Cond::Never => false,
            Cond::Always => true,
            Cond::Zs => self.z[lane],
            Cond::Zc => !self.z[lane],
            Cond::Ns => self.n[lane],
            Cond::Nc => !self.n[lane],
            Cond::Cs => self.c[lane],
            Cond::Cc => !self.c[lane],
        }
    }

    /// What operand `mux` reads in `lane`, before rotation.
    fn operand(&self, inst: &Alu, mux: Mux, lane: usize, float: bool) -> u32 {
        let raw = match mux {
            Mux::A => match inst.raddr_a.0 {
                38 => lane as u32,
                n => self.a[n as usize].0[lane],
            },
            Mux::B => match (inst.sig, inst.raddr_b.0) {
                (Signal::SmallImm, code) => SmallImm(code).bits(),
                (_, 38) => 0,
                (_, n) => self.b[n as usize].0[lane],
            },
            accumulator => self.r[accumulator.code() as usize].0[lane],
        };
        match (inst.pm, mux) {
            (false, Mux::A) => pack::unpack(inst.unpack, raw, float),
            (true, Mux::R4) => pack::unpack(inst.unpack, raw, true),
            _ => raw,
        }
    }

    fn rotated_operand(&self, inst: &Alu, mux: Mux, lane: usize, float: bool) -> u32 {
        let rotation = if inst.sig == Signal::SmallImm { SmallImm(inst.raddr_b.0).rotation() } else { None };
        let n = match rotation {
            None => 0,
            Some(imm::Rotation::By(n)) => n as usize,
            Some(imm::Rotation::R5) => self.r[5].0[0] as usize % 16,
        };
        let quad = lane - lane % 4;
        let source = match mux {
            Mux::R0 | Mux::R1 | Mux::R2 | Mux::R3 => (16 + lane - n) % 16,
            _ => quad + (lane % 4 + 4 - n % 4) % 4,
        };
        self.operand(inst, mux, source, float)
    }

    fn write(&mut self, file: File, waddr: Waddr, lane: usize, value: u32) {
        match (waddr.0, file) {
            (n @ 0..32, File::A) => self.a[n as usize].0[lane] = value,
            (n @ 0..32, File::B) => self.b[n as usize].0[lane] = value,
            (n @ 32..=35, _) => self.r[n as usize - 32].0[lane] = value,
            (37, File::A) if lane.is_multiple_of(4) => self.r[5].0[lane..lane + 4].fill(value),
            (37, File::B) if lane == 0 => self.r[5].0.fill(value),
            _ => {}
        }
    }

    fn old(&self, file: File, waddr: Waddr, lane: usize) -> u32 {
        match (waddr.0, file) {
            (n @ 0..32, File::A) => self.a[n as usize].0[lane],
            (n @ 0..32, File::B) => self.b[n as usize].0[lane],
            (n @ 32..=35, _) => self.r[n as usize - 32].0[lane],
            _ => 0,
        }
    }

    fn step(&mut self, inst: &Inst) {
        let before = self.clone();
        for lane in 0..16 {
            let (outputs, pm, pack_code, sf, ops) = match inst {
                Inst::Alu(i) => {
                    let f = (i.op_add.takes_floats(), i.op_mul.takes_floats());
                    let sum = alu::add_op(
                        i.op_add,
                        before.operand(i, i.add_a, lane, f.0),
                        before.operand(i, i.add_b, lane, f.0),
                    );
                    let product = alu::mul_op(
                        i.op_mul,
                        before.rotated_operand(i, i.mul_a, lane, f.1),
                        before.rotated_operand(i, i.mul_b, lane, f.1),
                    );
                    let floats = [i.op_add.gives_float(), i.op_mul.gives_float()];
                    let ops = [i.op_add != AddOp::Nop, i.op_mul != MulOp::Nop];
                    ([(sum, floats[0]), (product, floats[1])], i.pm, i.pack, i.sf, ops)
                }
                Inst::Ldi(i) => {
                    let out = alu::Output { bits: i.lane(lane), carry: false, overflow: false };
                    ([(out, false); 2], i.pm, i.pack, i.sf, [true, true])
                }
                _ => return,
            };
            let conds = inst.conds().map(|cond| before.holds(cond, lane));
            for which in 0..2 {
                let file = if which == 0 { inst.add_file() } else { inst.add_file().other() };
                let waddr = inst.waddrs()[which];
                if !ops[which] || !conds[which] {
                    continue;
                }
                let (out, float) = outputs[which];
                let old = before.old(file, waddr, lane);
                let value = if pm && which == 1 {
                    pack::pack_mul(pack_code, old, out.bits)
                } else if !pm && file == File::A && waddr.is_physical() {
                    pack::pack_a(pack_code, old, out, float)
                } else {
                    out.bits
                };
                self.write(file, waddr, lane, value);
            }
            let from = if ops[0] { 0 } else { 1 };
            if sf && ops[from] && conds[from] {
                let out = outputs[from].0;
                self.z[lane] = out.bits == 0;
                self.n[lane] = out.bits >> 31 == 1;
                self.c[lane] = out.carry;
            }
        }
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ self.0 >> 33;
        x.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 16
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Words that reach every path of the float operations.
    fn word(&mut self) -> u32 {
        let x = self.next() as u32;
        match self.below(8) {
            0 => self.pick(&[0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, 0x0080_0000, 0x7fff_ffff, 1, !0]),
            1 => x & 0x807f_ffff,
            2 => 0x3f80_0000 ^ x & 0x81ff_ffff,
            3 => x & 0xff,
            4 => 0x7f00_0000 ^ x & 0x80ff_ffff,
            5 => 0x0080_0000 ^ x & 0x81ff_ffff,
            _ => x,
        }
    }

    fn waddr(&mut self) -> Waddr {
        match self.below(4) {
            0 => self.pick(&[Waddr::R0, Waddr::R1, Waddr::R2, Waddr::R3]),
            1 => self.pick(&[Waddr::R5, Waddr::NOP]),
            _ => Waddr(self.below(32) as u8),
        }
    }

    fn raddr(&mut self) -> Raddr {
        if self.below(8) == 0 { Raddr(38) } else { Raddr(self.below(32) as u8) }
    }

    fn inst(&mut self) -> Inst {
        let pm = self.below(3) == 0;
        let code = if self.below(2) == 0 { self.below(16) as u8 } else { 0 };
        let pack = Some(Pack::from_code(code)).filter(|p| !pm || p.valid_for_mul()).unwrap_or(Pack::None);
        let (cond_add, cond_mul) = (self.pick(Cond::ALL), self.pick(Cond::ALL));
        let (sf, ws) = (self.below(2) == 0, self.below(2) == 0);
        let (waddr_add, waddr_mul) = (self.waddr(), self.waddr());
        if self.below(6) == 0 {
            let mode = self.pick(&[LdiMode::All, LdiMode::PerLaneSigned, LdiMode::PerLaneUnsigned]);
            let imm = self.word();
            return Inst::Ldi(Ldi { mode, pm, pack, cond_add, cond_mul, sf, ws, waddr_add, waddr_mul, imm });
        }
        Inst::Alu(Alu {
            sig: self.pick(&[Signal::None, Signal::SmallImm]),
            unpack: if self.below(2) == 0 { self.pick(&Unpack::ALL) } else { Unpack::None },
            pm,
            pack,
            cond_add,
            cond_mul,
            sf,
            ws,
            waddr_add,
            waddr_mul,
            op_mul: self.pick(MulOp::ALL),
            op_add: self.pick(AddOp::ALL),
            raddr_a: self.raddr(),
            raddr_b: self.raddr(),
            add_a: self.pick(&Mux::ALL),
            add_b: self.pick(&Mux::ALL),
            mul_a: self.pick(&Mux::ALL),
            mul_b: self.pick(&Mux::ALL),
        })
    }
}

/// Loads of random words into all registers through load immediates, so that every engine starts alike.
fn preamble(random: &mut Random) -> Vec<Inst> {
    let mut insts = Vec::new();
    for n in (0..32).chain(32..36) {
        for file in [File::A, File::B] {
            insts.push(Ldi::all(file, Waddr(n), random.word()).into());
            // Different words per lane.
            let mode = LdiMode::PerLaneUnsigned;
            let imm = random.next() as u32;
            let ldi = Ldi { mode, imm, sf: true, ..Ldi::all(file, Waddr::NOP, 0) };
            insts.push(ldi.into());
            for cond in [Cond::Zs, Cond::Cs, Cond::Zc] {
                let word = random.word();
                let half = Ldi { mode: LdiMode::PerLaneSigned, imm: random.next() as u32, sf: true, ..ldi };
                insts.push(half.into());
                insts.push(Ldi { cond_add: cond, ..Ldi::all(file, Waddr(n), word) }.into());
            }
        }
    }
    insts.push(Ldi::all(File::B, Waddr::R5, random.word()).into());
    insts
}

fn registers_after(insts: &[Inst], engine: Engine) -> Registers {
    let mut program = Program::new("random");
    for inst in insts {
        program.push(*inst, None);
        program.push(Inst::NOP, None);
    }
    program.push(Alu::signal(Signal::ProgramEnd), None);
    program.extend([Inst::NOP, Inst::NOP]);
    let mut machine = Machine::new(Config { engine, leftovers: Some(5), ..Config::default() });
    machine.add_program(CODE, &program).expect("free");
    machine.run(&[Thread { pc: CODE, uniforms: 0 }]).expect("no rule is broken");
    machine.registers(0).expect("ran")
}

#[test]
fn random_instructions_leave_the_same_registers() {
    let mut random = Random(20_260);
    for round in 0..400 {
        let start = preamble(&mut random);
        let mut all = start.clone();
        let body: Vec<Inst> = std::iter::from_fn(|| Some(random.inst()))
            .filter(|inst| {
                let mut writes = inst.writes().map(|(_, waddr, _)| waddr);
                // Both outputs to one accumulator is a fault of its own.
                let (first, second) = (writes.next(), writes.next());
                first.is_none_or(|w| w.is_physical() || Some(w) != second)
            })
            .take(60)
            .collect();
        all.extend(&body);
        let mut state = State::of(&registers_after(&start, Engine::Portable));
        for inst in &body {
            state.step(inst);
        }
        for engine in [Engine::Portable, Engine::Avx2, Engine::Avx512] {
            let got = State::of(&registers_after(&all, engine));
            let same = got.a == state.a && got.b == state.b && got.r == state.r;
            if !same || (got.z, got.n, got.c) != (state.z, state.n, state.c) {
                // Name the first instruction that goes wrong.
                let mut state = State::of(&registers_after(&start, Engine::Portable));
                for (i, inst) in body.iter().enumerate() {
                    let before = state.clone();
                    state.step(inst);
                    let got = State::of(&registers_after(&all[..start.len() + i + 1], engine));
                    let same = got.a == state.a && got.b == state.b && got.r == state.r;
                    assert!(
                        same && got.c == state.c && got.z == state.z && got.n == state.n,
                        "round {round} {engine:?} {inst:?}\nr before {:x?}\nr expected {:x?}\nr got {:x?}\nflags {:?} {:?}",
                        before.r,
                        state.r,
                        got.r,
                        (state.z, state.n, state.c),
                        (got.z, got.n, got.c)
                    );
                }
            }
        }
    }
}

#[test]
fn float_operations_agree_on_many_operands() {
    let mut random = Random(7);
    for _ in 0..3000 {
        let (a, b): ([u32; 16], [u32; 16]) =
            (std::array::from_fn(|_| random.word()), std::array::from_fn(|_| random.word()));
        let mut insts = Vec::new();
        for (n, words) in [(0, a), (1, b)] {
            for (lane, word) in words.into_iter().enumerate() {
                // One lane at a time: a per-lane immediate that is zero in this lane only sets Z there.
                let imm = !(1u32 << lane) & 0xffff;
                insts.push(
                    Ldi { mode: LdiMode::PerLaneUnsigned, imm, sf: true, ..Ldi::all(File::A, Waddr::NOP, 0) }.into(),
                );
                insts.push(Ldi { cond_add: Cond::Zs, ..Ldi::all(File::A, Waddr(32 + n), word) }.into());
            }
        }
        let ops =
            [AddOp::Fadd, AddOp::Fsub, AddOp::Ftoi, AddOp::Itof, AddOp::Fmin, AddOp::Fmaxabs, AddOp::Shl, AddOp::Asr];
        for (i, op) in ops.into_iter().enumerate() {
            let inst = Alu { sf: i == 0, ..Alu::NOP.with_add(op, Waddr(i as u8), Mux::R0, Mux::R1) };
            insts.push(inst.with_mul(MulOp::Fmul, Waddr(i as u8), Mux::R0, Mux::R1).into());
        }
        for engine in [Engine::Portable, Engine::Avx2, Engine::Avx512] {
            let got = registers_after(&insts, engine);
            for lane in 0..16 {
                assert_eq!(got.b[0].0[lane], alu::fmul(a[lane], b[lane]), "{engine:?} {:x} * {:x}", a[lane], b[lane]);
                for (i, op) in ops.into_iter().enumerate() {
                    let expected = alu::add_op(op, a[lane], b[lane]).bits;
                    assert_eq!(got.a[i].0[lane], expected, "{engine:?} {op:?} {:x} {:x}", a[lane], b[lane]);
                }
            }
        }
    }
}

/// An instruction that may use anything, mostly in ways that hardware forbids.
fn wild(random: &mut Random) -> u64 {
    let mut inst = random.inst();
    match random.below(8) {
        0 => return random.next() << 32 ^ random.next(),
        1 => return encode(&Inst::Branch(Branch::between(0, random.below(12) as usize))),
        2 => return encode(&Inst::Sema(if random.below(2) == 0 { Sema::up(1) } else { Sema::down(1) })),
        3 | 4 => {
            // Peripherals, with values that have a chance to mean something.
            let waddr = Waddr(36 + random.below(28) as u8);
            let imm = random.pick(&[
                0x1a00,
                0x8090_4000,
                0x8301_0000,
                0xc000_0000,
                0x0010_1a00,
                DATA,
                DATA + 64,
                0x9000_0040,
            ]);
            return encode(&Ldi::all(random.pick(&[File::A, File::B]), waddr, imm).into());
        }
        5 => {
            if let Inst::Alu(alu) = &mut inst {
                (alu.raddr_a, alu.raddr_b) = (Raddr(random.below(64) as u8), Raddr(39));
                alu.sig = random.pick(&[Signal::None, Signal::LoadTmu0, Signal::LoadTmu1, Signal::ProgramEnd]);
            }
        }
        _ => {}
    }
    encode(&inst)
}

const DATA: u32 = 0x4000;

/// Whatever words are executed: nothing panics, nothing hangs, and all engines agree, as does the run in simulated time.
#[test]
fn wild_programs_end_the_same_way_in_every_engine() {
    let mut random = Random(31);
    let (mut completed, mut faults) = (0, std::collections::HashSet::new());
    for round in 0..4000 {
        let length = 1 + random.below(24);
        let mut words: Vec<u64> = (0..length).map(|_| wild(&mut random)).collect();
        words.extend([0x300009E7009E7000, 0x100009E7009E7000, 0x100009E7009E7000]);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let qpus = 1 + random.below(3) as usize;
        let outcomes =
            [(Engine::Portable, false), (Engine::Avx2, false), (Engine::Avx512, false), (Engine::Auto, true)].map(
                |(engine, timed)| {
                    let config = Config { engine, leftovers: Some(round), budget: 3000, ..Config::default() };
                    let mut machine = Machine::new(config);
                    machine.add_region(Region::new("code", CODE, bytes.clone())).expect("free");
                    let data: Vec<u32> = (0..256).collect();
                    machine.add_region(Region::of_words("data", DATA, &data).writable()).expect("free");
                    let threads = vec![Thread { pc: CODE, uniforms: DATA }; qpus];
                    let outcome = if timed {
                        timing::run(&mut machine, &threads, &Parameters::default(), None).map(|o| o.report)
                    } else {
                        machine.run(&threads)
                    };
                    (outcome, machine.registers(0), machine.memory().region("data").expect("exists").words())
                },
            );
        assert_eq!(outcomes[0], outcomes[1], "round {round}");
        assert_eq!(outcomes[0], outcomes[2], "round {round}");
        if qpus == 1 {
            assert_eq!(outcomes[0], outcomes[3], "round {round}");
        }
        match &outcomes[0].0 {
            Ok(_) => completed += 1,
            Err(RunError::Fault(fault)) => {
                faults.insert(std::mem::discriminant(&fault.kind));
            }
            Err(_) => {}
        }
    }
    assert!(completed > 100 && faults.len() > 20, "{completed} completed, {} kinds of faults", faults.len());
}
