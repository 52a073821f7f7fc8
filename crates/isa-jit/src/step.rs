//! One block of instructions as LLVM IR.

use super::alu;
use super::facts::{Facts, Kind, REGISTERS, acts, bit, is_unpacked, operand_slot, written_register};
use super::region::{Block, Next};
use super::text::{Text, V, splat, vector};
use quadra_isa::vc4::emu::translate::registers as slot;
use quadra_isa::vc4::{AddOp, Alu, BranchCond, Cond, File, Inst, MulOp, Mux, Signal, SmallImm, Waddr};

/// A value of 16 lanes on its way from operands to a destination.
#[derive(Clone, Debug)]
struct Value {
    name: String,
    kind: Kind,
    number: bool,
    /// The register that holds it.
    register: Option<u8>,
}

/// A block being written.
pub struct Writer<'a> {
    pub text: &'a mut Text,
    pub facts: Facts,
    /// Names of the registers' present values, as far as this block has met them.
    values: Vec<Option<String>>,
    /// The flags z, n, c likewise.
    flags: [Option<String>; 3],
    uniform: Option<Value>,
    uniforms_read: usize,
    /// Whether all uniforms of the block are operands of float arithmetic: then 16 are checked at a time.
    float_uniforms: bool,
    /// Instructions of the block before the present one.
    offset: usize,
    /// The condition of the block's branch.
    pub branch: Option<String>,
    /// Lanes that the last instruction wrote: add, mul.
    pub recorded: [String; 2],
}

/// Names of the flags' memory.
const FLAGS: [&str; 3] = ["%fz", "%fn", "%fc"];

/// Writes the instructions of a block behind its label, and the scalars that change with it.
pub fn block<'a>(text: &'a mut Text, block: &Block, facts: &Facts) -> Writer<'a> {
    let mut w = Writer {
        text,
        facts: facts.clone(),
        values: vec![None; REGISTERS],
        flags: Default::default(),
        uniform: None,
        uniforms_read: 0,
        float_uniforms: block.uniforms >= 16 && block.insts.iter().all(uses_uniform_as_float),
        offset: 0,
        branch: None,
        recorded: ["zeroinitializer".into(), "zeroinitializer".into()],
    };
    w.text.line(&format!("%iss{} = load i64, ptr %issued", block.start));
    if block.uniforms > 0 {
        w.text.line(&format!("%up{} = load i64, ptr %upos", block.start));
        w.text.line(&format!("%ub{0} = getelementptr i8, ptr %uptr, i64 %up{0}", block.start));
    }
    for (offset, inst) in block.insts.iter().enumerate() {
        w.offset = offset;
        match inst {
            Inst::Alu(alu) => w.alu(block, alu),
            Inst::Branch(branch) => {
                if let Next::Branch { cond, .. } = block.next {
                    debug_assert_eq!(cond, branch.cond);
                    w.branch = (cond != BranchCond::Always).then(|| w.holds(cond));
                }
            }
            Inst::Ldi(_) | Inst::Sema(_) => w.load_immediate(inst),
        }
    }
    w.count(block);
    w
}

impl Writer<'_> {
    /// A writer that goes on in the same text from the same knowledge.
    pub fn fork(&mut self) -> Writer<'_> {
        Writer {
            text: self.text,
            facts: self.facts.clone(),
            values: self.values.clone(),
            flags: self.flags.clone(),
            uniform: None,
            uniforms_read: 0,
            float_uniforms: false,
            offset: self.offset,
            branch: None,
            recorded: self.recorded.clone(),
        }
    }

    fn count(&mut self, block: &Block) {
        let start = block.start;
        let issued = self.text.def(&format!("add i64 %iss{start}, {}", block.insts.len()));
        self.text.line(&format!("store i64 {issued}, ptr %issued"));
        if block.uniforms > 0 {
            self.add_to("%uniforms", block.uniforms);
            if block.address_last.is_none() {
                let next = self.text.def(&format!("add i64 %up{start}, {}", 4 * block.uniforms));
                self.text.line(&format!("store i64 {next}, ptr %upos"));
            }
        }
        for (last, to) in [(block.sfu_last, "%sfuat"), (block.address_last, "%uset")] {
            if let Some(last) = last {
                let at = self.text.def(&format!("add i64 %iss{start}, {last}"));
                self.text.line(&format!("store i64 {at}, ptr {to}"));
            }
        }
    }

    fn add_to(&mut self, counter: &str, n: u64) {
        let old = self.text.def(&format!("load i64, ptr {counter}"));
        let new = self.text.def(&format!("add i64 {old}, {n}"));
        self.text.line(&format!("store i64 {new}, ptr {counter}"));
    }

    fn flag(&mut self, n: usize) -> String {
        if self.flags[n].is_none() {
            self.flags[n] = Some(self.text.def(&format!("load <16 x i1>, ptr {}", FLAGS[n])));
        }
        self.flags[n].clone().expect("just loaded")
    }

    /// The lanes in which a condition holds; `None` for all.
    fn mask(&mut self, cond: Cond) -> Option<String> {
        let (n, inverted) = match cond {
            Cond::Always => return None,
            Cond::Never => return Some("zeroinitializer".into()),
            Cond::Zs => (0, false),
            Cond::Zc => (0, true),
            Cond::Ns => (1, false),
            Cond::Nc => (1, true),
            Cond::Cs => (2, false),
            Cond::Cc => (2, true),
        };
        let flag = self.flag(n);
        Some(if inverted { self.text.def(&format!("xor <16 x i1> {flag}, {}", all_lanes())) } else { flag })
    }

    fn holds(&mut self, cond: BranchCond) -> String {
        let (n, relation, bits) = match cond {
            BranchCond::AllZs => (0, "eq", -1),
            BranchCond::AllZc => (0, "eq", 0),
            BranchCond::AnyZs => (0, "ne", 0),
            BranchCond::AnyZc => (0, "ne", -1),
            BranchCond::AllNs => (1, "eq", -1),
            BranchCond::AllNc => (1, "eq", 0),
            BranchCond::AnyNs => (1, "ne", 0),
            BranchCond::AnyNc => (1, "ne", -1),
            BranchCond::AllCs => (2, "eq", -1),
            BranchCond::AllCc => (2, "eq", 0),
            BranchCond::AnyCs => (2, "ne", 0),
            BranchCond::AnyCc => (2, "ne", -1),
            BranchCond::Always => return "true".into(),
        };
        let flag = self.flag(n);
        let word = self.text.def(&format!("bitcast <16 x i1> {flag} to i16"));
        self.text.def(&format!("icmp {relation} i16 {word}, {bits}"))
    }

    /// The present value of a register.
    fn register(&mut self, register: u8) -> Value {
        let at = usize::from(register);
        if self.values[at].is_none() {
            self.values[at] = Some(self.text.def(&format!("load {V}, ptr %r{register}, align 64")));
        }
        let name = self.values[at].clone().expect("just loaded");
        Value {
            name,
            kind: self.facts.kinds[at],
            number: self.facts.numbers & bit(register) != 0,
            register: Some(register),
        }
    }

    fn set(&mut self, register: u8, value: &Value) {
        let at = usize::from(register);
        self.text.line(&format!("store {V} {}, ptr %r{register}, align 64", value.name));
        self.values[at] = Some(value.name.clone());
        self.facts.kinds[at] = value.kind;
        self.facts.numbers = self.facts.numbers & !bit(register) | if value.number { bit(register) } else { 0 };
    }

    /// The value with its exact bits; the register that holds it has them from now on.
    fn exact(&mut self, value: Value) -> Value {
        if value.kind == Kind::Exact {
            return value;
        }
        let name = alu::canonical(self.text, &value.name);
        let value = Value { name, kind: Kind::Exact, ..value };
        if let Some(register) = value.register {
            self.set(register, &value);
        }
        value
    }

    /// The value, which must be a number in all lanes, or the block is undone.
    fn number(&mut self, value: Value) -> Value {
        if value.number {
            return value;
        }
        let nan = alu::not_numbers(self.text, &value.name);
        self.bad(&nan);
        if let Some(register) = value.register {
            self.facts.numbers |= bit(register);
        }
        Value { number: true, ..value }
    }

    fn bad(&mut self, mask: &str) {
        let old = self.text.def("load <16 x i1>, ptr %bad");
        let new = self.text.def(&format!("or <16 x i1> {old}, {mask}"));
        self.text.line(&format!("store <16 x i1> {new}, ptr %bad"));
    }

    /// Makes a register exact where the next block wants it.
    pub fn make_exact(&mut self, register: u8) {
        let value = self.register(register);
        self.exact(value);
    }

    /// Checks a register where the next block wants a number.
    pub fn make_number(&mut self, register: u8) {
        let value = self.register(register);
        self.number(value);
    }

    fn alu(&mut self, block: &Block, alu: &Alu) {
        if alu.reads_uniform() {
            self.read_uniform(block);
        }
        let masks = [self.mask(alu.cond_add), self.mask(alu.cond_mul)];
        self.record(&masks);
        let [adds, muls] = acts(alu);
        let product = muls.then(|| self.mul(alu, masks[1].as_deref()));
        let sum = adds.then(|| self.add(alu, masks[0].as_deref()));
        if alu.sf {
            let (result, mask) = if alu.op_add == AddOp::Nop { (&product, &masks[1]) } else { (&sum, &masks[0]) };
            if let Some((_, Some(flags))) = result {
                self.set_flags(flags, mask.as_deref());
            }
        }
        for (result, mask, file, waddr) in [
            (sum, &masks[0], if alu.ws { File::B } else { File::A }, alu.waddr_add),
            (product, &masks[1], if alu.ws { File::A } else { File::B }, alu.waddr_mul),
        ] {
            if let Some((value, _)) = result {
                self.write(file, waddr, value, mask.as_deref());
            }
        }
        match alu.sig {
            Signal::LoadTmu0 => self.load_tmu(0),
            Signal::LoadTmu1 => self.load_tmu(1),
            _ => {}
        }
    }

    fn record(&mut self, masks: &[Option<String>; 2]) {
        self.recorded = masks.clone().map(|m| m.unwrap_or_else(all_lanes));
    }

    /// A constant of the machine, out of memory: LLVM must not know what it is.
    fn constant(&mut self, slot: u8) -> Value {
        let at = self.text.at("%slots", 64 * usize::from(slot));
        let name = self.text.def(&format!("load {V}, ptr {at}, align 64, !invariant.load !0"));
        let number = slot >= slot::IMMEDIATE && !f32::from_bits(SmallImm(slot - slot::IMMEDIATE).bits()).is_nan()
            || slot == slot::ELEMENT;
        Value { name, kind: Kind::Exact, number, register: None }
    }

    /// An operand before rotation. `arithmetic` says that the sign of a zero does not matter.
    fn operand(&mut self, alu: &Alu, mux: Mux, float: bool, arithmetic: bool) -> Value {
        let value = match operand_slot(alu, mux) {
            None => self.uniform.clone().expect("the instruction reads one"),
            Some(register) if usize::from(register) < REGISTERS => self.register(register),
            Some(constant) => self.constant(constant),
        };
        if is_unpacked(alu, mux) {
            let value = self.exact(value);
            let name = alu::unpack(self.text, alu.unpack, &value.name, float || alu.pm);
            return Value { name, kind: Kind::Exact, number: false, register: None };
        }
        if arithmetic { value } else { self.exact(value) }
    }

    /// Operands of arithmetic: numbers, and zero in the lanes that do not take part.
    fn numbers(&mut self, operands: [Value; 2], mask: Option<&str>) -> [Value; 2] {
        operands.map(|value| {
            let value = match mask {
                Some(mask) => {
                    let name =
                        self.text.def(&format!("select <16 x i1> {mask}, {V} {}, {V} zeroinitializer", value.name));
                    Value { name, register: None, ..value }
                }
                None => value,
            };
            self.number(value)
        })
    }

    /// The sum with its flags (z, n, c) if they are wanted.
    fn add(&mut self, alu: &Alu, mask: Option<&str>) -> (Value, Option<[String; 3]>) {
        let op = alu.op_add;
        let float = op.takes_floats();
        let arithmetic = matches!(op, AddOp::Fadd | AddOp::Fsub);
        let is_move = is_move(alu.add_a, alu.add_b, matches!(op, AddOp::Or | AddOp::And | AddOp::Min | AddOp::Max));
        let relaxed = arithmetic || is_move && !alu.sf || op == AddOp::Ftoi;
        let mut a = self.operand(alu, alu.add_a, float, relaxed);
        let mut b = if op.operands() > 1 { self.operand(alu, alu.add_b, float, relaxed) } else { a.clone() };
        let result = if arithmetic {
            [a, b] = self.numbers([a, b], mask);
            let name = alu::add_op(self.text, op, &a.name, &b.name);
            Value { name, kind: Kind::Zero, number: true, register: None }
        } else if is_move {
            Value { register: None, ..a.clone() }
        } else {
            [a, b] = self.integers(alu, [a, b], [alu.add_a, alu.add_b]);
            let name = alu::add_op(self.text, op, &a.name, &b.name);
            let number = a.number && b.number && matches!(op, AddOp::Fmin | AddOp::Fmax) || op == AddOp::Itof;
            Value { name, kind: Kind::Exact, number, register: None }
        };
        if !alu.sf {
            return (result, None);
        }
        let result = self.exact(result);
        let carry = alu::add_carry(self.text, op, &a.name, &b.name, &result.name);
        let flags = self.flags_of(&result, carry);
        (result, Some(flags))
    }

    /// The product with its flags if they are wanted.
    fn mul(&mut self, alu: &Alu, mask: Option<&str>) -> (Value, Option<[String; 3]>) {
        let op = alu.op_mul;
        let rotation = alu.small_imm().and_then(|imm| imm.rotation());
        let arithmetic = op == MulOp::Fmul;
        let is_move = is_move(alu.mul_a, alu.mul_b, matches!(op, MulOp::V8min | MulOp::V8max));
        let wants_flags = alu.sf && alu.op_add == AddOp::Nop;
        let relaxed = rotation.is_none() && (arithmetic || is_move && !wants_flags);
        let mut operands = [alu.mul_a, alu.mul_b].map(|mux| {
            let value = self.operand(alu, mux, op.takes_floats(), relaxed);
            rotation.map_or(value.clone(), |by| self.rotate(mux, by, value))
        });
        let result = if arithmetic {
            operands = self.numbers(operands, mask);
            let name = alu::mul_op(self.text, op, &operands[0].name, &operands[1].name);
            Value { name, kind: Kind::Zero, number: true, register: None }
        } else if is_move {
            Value { register: None, ..operands[0].clone() }
        } else {
            operands = self.integers(alu, operands, [alu.mul_a, alu.mul_b]);
            let name = alu::mul_op(self.text, op, &operands[0].name, &operands[1].name);
            Value { name, kind: Kind::Exact, number: false, register: None }
        };
        if !wants_flags {
            return (result, None);
        }
        let result = self.exact(result);
        let carry = alu::mul_carry(self.text, op, &operands[0].name, &operands[1].name);
        let flags = self.flags_of(&result, carry);
        (result, Some(flags))
    }

    /// Operands of an integer operation: a small immediate beside something else may be a constant that LLVM knows. (If both
    /// were, it would know the result, and might compute with it as a float in its own mode.)
    fn integers(&mut self, alu: &Alu, operands: [Value; 2], muxes: [Mux; 2]) -> [Value; 2] {
        let Some(imm) = alu.small_imm().filter(|imm| imm.0 < 32) else { return operands };
        if (muxes[0] == Mux::B) == (muxes[1] == Mux::B) {
            return operands;
        }
        let mut at = 0;
        operands.map(|value| {
            at += 1;
            if muxes[at - 1] == Mux::B { Value { name: splat(imm.bits()), ..value } } else { value }
        })
    }

    fn flags_of(&mut self, result: &Value, carry: String) -> [String; 3] {
        let z = self.text.def(&format!("icmp eq {V} {}, zeroinitializer", result.name));
        let n = self.text.def(&format!("icmp slt {V} {}, zeroinitializer", result.name));
        [z, n, carry]
    }

    fn set_flags(&mut self, new: &[String; 3], mask: Option<&str>) {
        for n in 0..3 {
            let value = match mask {
                None => new[n].clone(),
                Some(mask) => {
                    let old = self.flag(n);
                    self.text.def(&format!("select <16 x i1> {mask}, <16 x i1> {}, <16 x i1> {old}", new[n]))
                }
            };
            self.text.line(&format!("store <16 x i1> {value}, ptr {}", FLAGS[n]));
            self.flags[n] = Some(value);
        }
    }

    fn write(&mut self, file: File, waddr: Waddr, value: Value, mask: Option<&str>) {
        match waddr.0 {
            37 => self.write_r5(file, value, mask),
            40 => self.set_uniforms(value),
            52..=55 => self.special_function(waddr.0 - 52, value),
            56 | 60 => self.tmu_request(usize::from(waddr == Waddr::TMU1_S), value),
            _ => {
                if let Some(register) = written_register(file, waddr) {
                    self.write_register(register, value, mask);
                }
            }
        }
    }

    fn write_register(&mut self, register: u8, value: Value, mask: Option<&str>) {
        let Some(mask) = mask else { return self.set(register, &value) };
        let mut old = self.register(register);
        let mut value = value;
        if (value.kind, old.kind) != (Kind::Zero, Kind::Zero) {
            old = self.exact(old);
            value = self.exact(Value { register: None, ..value });
        }
        let name = self.text.def(&format!("select <16 x i1> {mask}, {V} {}, {V} {}", value.name, old.name));
        let number = value.number && old.number;
        self.set(register, &Value { name, kind: value.kind, number, register: None });
    }

    fn write_r5(&mut self, file: File, value: Value, mask: Option<&str>) {
        let source = |lane: usize| if file == File::A { lane / 4 * 4 } else { 0 };
        let name = self.shuffle(&value.name, source);
        let mask = mask.map(|mask| {
            let lanes = vector(&std::array::from_fn(|lane| source(lane) as u32));
            self.text.def(&format!("shufflevector <16 x i1> {mask}, <16 x i1> zeroinitializer, <16 x i32> {lanes}"))
        });
        self.write_register(slot::R5, Value { name, register: None, ..value }, mask.as_deref());
    }

    fn load_immediate(&mut self, inst: &Inst) {
        let Inst::Ldi(ldi) = inst else { return };
        let masks = [self.mask(ldi.cond_add), self.mask(ldi.cond_mul)];
        self.record(&masks);
        let lanes: [u32; 16] = std::array::from_fn(|lane| ldi.lane(lane));
        let name = self.pooled(&lanes);
        let number = lanes.iter().all(|l| !f32::from_bits(*l).is_nan());
        let value = Value { name, kind: Kind::Exact, number, register: None };
        if ldi.sf && ldi.cond_add != Cond::Never {
            let flags = self.flags_of(&value, "zeroinitializer".into());
            self.set_flags(&flags, masks[0].as_deref());
        }
        for (file, waddr, cond) in inst.writes() {
            let mask = self.mask_before(&masks, inst, file, cond);
            self.write(file, waddr, value.clone(), mask.as_deref());
        }
    }

    /// The mask of a write, as it was before the instruction set flags.
    fn mask_before(&self, masks: &[Option<String>; 2], inst: &Inst, file: File, cond: Cond) -> Option<String> {
        if cond == Cond::Always { None } else { masks[usize::from(file != inst.add_file())].clone() }
    }
}

/// Whether the uniform that an instruction may read goes into float arithmetic in all lanes.
fn uses_uniform_as_float(inst: &Inst) -> bool {
    let Inst::Alu(alu) = inst else { return true };
    let reads =
        |muxes: [Mux; 2]| muxes.into_iter().any(|mux| operand_slot(alu, mux).is_none() && !is_unpacked(alu, mux));
    let adds = matches!(alu.op_add, AddOp::Fadd | AddOp::Fsub) && alu.cond_add == Cond::Always;
    let multiplies = alu.op_mul == MulOp::Fmul && alu.cond_mul == Cond::Always;
    !alu.reads_uniform() || adds && reads([alu.add_a, alu.add_b]) || multiplies && reads([alu.mul_a, alu.mul_b])
}

fn all_lanes() -> String {
    format!("<{}>", ["i1 true"; 16].join(", "))
}

/// Whether an operation that gives x for twice x has the same operand twice.
fn is_move(a: Mux, b: Mux, idempotent: bool) -> bool {
    idempotent && a == b
}

mod units;
