//! Instructions as text, one line per word. The text assembles to the same word: what the operations of the language do
//! not determine (fields of unused operands, conditions of unused ALUs) is appended as a `fields` operation.

use super::decode::decode;
use super::encode::encode;
use super::fields;
use super::fit::fit;
use super::imm::{Rotation, SmallImm};
use super::inst::{Alu, Branch, Inst, Ldi, LdiMode, Sema};
use super::line::{LdiValue, Op, OpName, Place, Reg, Slice, SliceKind, Src, Unit};
use super::names;
use super::op::{AddOp, Cond, MulOp, Signal};
use super::pack::{Pack, Unpack};
use super::program::Program;
use super::reg::{File, Mux, Raddr, Waddr};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text of one instruction. Branch targets are numbers; [`program`] gives them names.
///
/// ```
/// use quadra_isa::vc4::{decode, disasm};
/// let inst = decode(0x10024061_219c21d3).expect("valid");
/// assert_eq!(disasm::inst(&inst), "fadd ra1, r0, rb2; fmul r1, r2, r3");
/// ```
pub fn inst(inst: &Inst) -> String {
    join(&line(inst))
}

/// What the setup word says that an instruction loads, as a call of the include file.
fn setup(inst: &Inst) -> Option<String> {
    let (Inst::Ldi(ldi), Some((word, write))) = (inst, setup_word(inst)) else { return None };
    (ldi.pack == Pack::None).then(|| super::setup::describe(word, write))?
}

/// The setup word that an instruction loads, and whether it is for writes.
fn setup_word(inst: &Inst) -> Option<(u32, bool)> {
    let Inst::Ldi(ldi) = inst else { return None };
    let file = inst.writes().find(|(_, waddr, _)| *waddr == Waddr::VPM_RD_SETUP)?.0;
    (ldi.mode == LdiMode::All).then_some((ldi.imm, file == File::B))
}

/// The text of a word; a word with a reserved code becomes data with the reason as a comment.
pub fn word(word: u64) -> String {
    match decode(word) {
        Ok(decoded) => inst(&decoded),
        Err(error) => format!(".long {word:#018x} # {error}"),
    }
}

/// A listing that assembles to the program's words: labels, comments, and branches to labels.
///
/// ```
/// use quadra_isa::vc4::{Branch, Inst, Program, disasm};
/// let mut p = Program::new("forever");
/// p.push(Branch::between(0, 0), None);
/// p.extend([Inst::NOP; 3]);
/// assert_eq!(disasm::program(&p), ":L0\nbrr -, r:L0\nnop\nnop\nnop\n");
/// ```
pub fn program(program: &Program) -> String {
    listing(program, |_, _| String::new(), |_| String::new())
}

/// A listing with the address and word of each instruction in front and, where it changes, the source line it comes from
/// behind, for reading.
pub fn annotated(program: &Program) -> String {
    let mut last = None;
    listing(
        program,
        |index, inst| format!("{:04x}  {:016x}  ", index * 8, encode(inst)),
        |index| {
            let Some(span) = program.span(index) else { return String::new() };
            if last == Some((span.file, span.line)) {
                return String::new();
            }
            last = Some((span.file, span.line));
            let text = span.file.text();
            let line = text.as_deref().and_then(|t| t.lines().nth(span.line as usize - 1)).unwrap_or_default();
            let name = span.file.name();
            let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
            format!("  # {name}:{}  {}", span.line, line.trim())
        },
    )
}

fn listing(
    program: &Program,
    prefix: impl Fn(usize, &Inst) -> String,
    mut suffix: impl FnMut(usize) -> String,
) -> String {
    let labels = labels(program);
    let mut text = String::new();
    for index in 0..=program.insts.len() {
        for (_, name) in labels.iter().filter(|(at, _)| **at == index) {
            let _ = writeln!(text, ":{name}");
        }
        for (_, comment) in program.comments.iter().filter(|(at, _)| *at == index) {
            comment.lines().for_each(|line| {
                let _ = writeln!(text, "# {line}");
            });
        }
        let Some(inst) = program.insts.get(index) else { break };
        let ops = line(inst);
        let mut line = join(&ops);
        if let Inst::Branch(branch) = inst
            && let Some(name) = branch.target(index).and_then(|target| labels.get(&target))
        {
            let plain = join(&ops[..1]);
            let (head, _) = plain.rsplit_once(' ').unwrap_or((&plain, ""));
            line = format!("{head} r:{name}{}", &line[plain.len()..]);
        }
        if let Some(call) = setup(inst) {
            line = format!("{line} # {call}");
        }
        let suffix = suffix(index);
        let gap = if suffix.is_empty() { 0 } else { 44 };
        let _ = writeln!(text, "{}{line:<gap$}{suffix}", prefix(index, inst));
    }
    text
}

/// A name for every labelled instruction and every branch target within the program, by index.
pub fn labels(program: &Program) -> BTreeMap<usize, String> {
    let mut names = BTreeMap::new();
    for (index, inst) in program.insts.iter().enumerate() {
        if let Inst::Branch(branch) = inst
            && let Some(target) = branch.target(index).filter(|t| *t <= program.insts.len())
        {
            names.insert(target, format!("L{target}"));
        }
    }
    let mut used = std::collections::BTreeSet::new();
    for (index, name) in &program.labels {
        let plain =
            name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.starts_with(|c: char| c.is_alphabetic());
        if plain && *index <= program.insts.len() && used.insert(name.as_str()) {
            names.insert(*index, name.clone());
        }
    }
    names
}

/// The operations of an instruction, which [`fit`] turns back into exactly that instruction.
pub fn line(inst: &Inst) -> Vec<Op> {
    let mut ops = match inst {
        Inst::Alu(i) => alu(i),
        Inst::Ldi(i) => vec![ldi(i)],
        Inst::Sema(i) => vec![sema(i)],
        Inst::Branch(i) => vec![branch(i)],
    };
    let word = encode(inst);
    match fit(&ops) {
        Ok(fitted) if encode(&fitted) == word => {}
        Ok(fitted) if encode(&fitted) >> 60 == word >> 60 || !matches!(inst, Inst::Ldi(_) | Inst::Branch(_)) => {
            ops.push(Op::Fields(fields::difference(encode(&fitted), word)));
        }
        _ => {
            let nop = encode(&Inst::NOP);
            ops = vec![Op::Nop { unit: Unit::Any, dst: None, setf: false }, Op::Fields(fields::difference(nop, word))];
        }
    }
    ops
}

fn join(ops: &[Op]) -> String {
    let mut text = String::new();
    for (i, op) in ops.iter().enumerate() {
        let _ = write!(text, "{}{op}", if i == 0 { "" } else { "; " });
    }
    text
}

fn ldi(i: &Ldi) -> Op {
    let value = match i.mode {
        LdiMode::All => LdiValue::All(i.imm),
        _ => LdiValue::PerLane(std::array::from_fn(|lane| i.lane(lane) as i8)),
    };
    let dsts = destinations(i.ws, [i.waddr_add, i.waddr_mul], i.cond_mul, i.pm, i.pack);
    Op::Ldi { dsts, value, cond: i.cond_add, setf: i.sf }
}

fn sema(i: &Sema) -> Op {
    let dsts = destinations(i.ws, [i.waddr_add, i.waddr_mul], i.cond_mul, i.pm, i.pack);
    let cond = if dsts == [Some(Reg::NONE), None] { Cond::Always } else { i.cond_add };
    Op::Sema { dsts, down: i.down, value: i.imm() & !16, cond, setf: i.sf }
}

fn branch(i: &Branch) -> Op {
    let dsts = destinations(i.ws, [i.waddr_add, i.waddr_mul], Cond::Never, false, Pack::None);
    Op::Branch { rel: i.rel, cond: i.cond, dsts, reg: i.reg.then_some(i.raddr_a), imm: i.imm }
}

/// The destinations of a load immediate, semaphore or branch; the mul output is named if it goes anywhere.
fn destinations(ws: bool, waddrs: [Waddr; 2], cond_mul: Cond, pm: bool, pack: Pack) -> [Option<Reg>; 2] {
    let add = destination(if ws { File::B } else { File::A }, waddrs[0], false, pm, pack);
    let mul = destination(if ws { File::A } else { File::B }, waddrs[1], true, pm, pack);
    [Some(add), (waddrs[1] != Waddr::NOP || cond_mul != Cond::Never).then_some(mul)]
}

fn destination(file: File, waddr: Waddr, is_mul: bool, pm: bool, pack: Pack) -> Reg {
    let place = names::write_place(file, waddr.0);
    let packed = if pm { is_mul && waddr != Waddr::NOP } else { matches!(place, Place::File(File::A, 0..32)) };
    let mut slice = if packed { Slice::of_pack(pack, pm) } else { None };
    // Bit 3 of a colour's code has a form of its own where file A's packer cannot be meant.
    if pm && packed && !matches!(place, Place::File(File::A, 0..32)) {
        slice = plain_byte(pack).or(slice);
    }
    Reg { place, slice, rotate: None }
}

/// The suffix `8a` to `8d` of a colour's code with bit 3 set.
fn plain_byte(pack: Pack) -> Option<Slice> {
    let plain = match pack {
        Pack::B8as => Pack::B8a,
        Pack::B8bs => Pack::B8b,
        Pack::B8cs => Pack::B8c,
        Pack::B8ds => Pack::B8d,
        _ => return None,
    };
    Some(Slice { pack: Some(plain), unpack: Unpack::from_suffix(plain.suffix()), kind: SliceKind::Any })
}

fn alu(i: &Alu) -> Vec<Op> {
    let mut ops = Vec::new();
    let nothing = i.op_add == AddOp::Nop && i.op_mul == MulOp::Nop;
    let rotates = i.small_imm().and_then(SmallImm::rotation).is_some() && reads_register(i);
    if i.op_add != AddOp::Nop {
        ops.push(add_operation(i));
    } else if i.op_mul != MulOp::Nop && can_go_to_add(i) && !rotates {
        ops.push(Op::Nop { unit: Unit::Any, dst: None, setf: false });
    }
    if i.op_mul != MulOp::Nop {
        ops.push(mul_operation(i));
    }
    let dst = destination(Inst::Alu(*i).add_file().other(), i.waddr_mul, true, i.pm, i.pack);
    if i.op_mul == MulOp::Nop && i.waddr_mul != Waddr::NOP && i.cond_mul == Cond::Always {
        ops.push(Op::Nop { unit: Unit::Mul, dst: Some(dst), setf: nothing && i.sf });
    } else if nothing && (i.sf || i.raddr_a == Raddr::NOP && i.raddr_b == Raddr::NOP && i.sig == Signal::None) {
        ops.push(Op::Nop { unit: Unit::Any, dst: None, setf: i.sf });
    }
    ops.extend(unused_reads(i));
    if !matches!(i.sig, Signal::None | Signal::SmallImm) {
        ops.push(Op::Signal(i.sig));
    }
    ops
}

/// Whether the text of the mul operation could also mean an add operation.
fn can_go_to_add(i: &Alu) -> bool {
    matches!(i.op_mul, MulOp::V8adds | MulOp::V8subs) || is_move(i)
}

/// Whether the mul operation is written as `mov`.
fn is_move(i: &Alu) -> bool {
    i.op_mul == MulOp::V8min && i.mul_a == i.mul_b && !(i.mul_a == Mux::B && i.sig == Signal::SmallImm)
}

fn reads_register(i: &Alu) -> bool {
    i.mul_a != Mux::B || i.mul_b != Mux::B
}

fn add_operation(i: &Alu) -> Op {
    let inst = Inst::Alu(*i);
    let dst = destination(inst.add_file(), i.waddr_add, false, i.pm, i.pack);
    let (a, b) = (source(i, i.add_a, None), source(i, i.add_b, None));
    if i.op_add == AddOp::Or && i.add_a == i.add_b && matches!(a, Src::Reg(_)) {
        return Op::Mov { dsts: [Some(dst), None], src: a, cond: i.cond_add, setf: i.sf };
    }
    let op = match i.op_add {
        AddOp::V8adds => OpName::Either(AddOp::V8adds, MulOp::V8adds),
        AddOp::V8subs => OpName::Either(AddOp::V8subs, MulOp::V8subs),
        op => OpName::Add(op),
    };
    let b = (i.op_add.operands() == 2).then_some(b);
    Op::Alu { op, dst, a, b, cond: i.cond_add, setf: i.sf }
}

fn mul_operation(i: &Alu) -> Op {
    let inst = Inst::Alu(*i);
    let dst = destination(inst.add_file().other(), i.waddr_mul, true, i.pm, i.pack);
    let rotate = i.small_imm().and_then(SmallImm::rotation);
    let (a, b) = (source(i, i.mul_a, rotate), source(i, i.mul_b, rotate));
    let setf = i.sf && i.op_add == AddOp::Nop;
    if is_move(i) {
        return Op::Mov { dsts: [Some(dst), None], src: a, cond: i.cond_mul, setf };
    }
    let op = match i.op_mul {
        MulOp::V8adds => OpName::Either(AddOp::V8adds, MulOp::V8adds),
        MulOp::V8subs => OpName::Either(AddOp::V8subs, MulOp::V8subs),
        op => OpName::Mul(op),
    };
    Op::Alu { op, dst, a, b: Some(b), cond: i.cond_mul, setf }
}

fn source(i: &Alu, mux: Mux, rotate: Option<Rotation>) -> Src {
    let place = match mux {
        Mux::A => names::read_place(File::A, i.raddr_a.0),
        Mux::B => match i.small_imm() {
            Some(imm) => return Src::Imm(imm.bits()),
            // The name of a peripheral of either file would mean port A here.
            None if i.raddr_b == i.raddr_a => Place::File(File::B, i.raddr_b.0),
            None => names::read_place(File::B, i.raddr_b.0),
        },
        _ => Place::Acc(mux.code()),
    };
    let unpacked = mux == if i.pm { Mux::R4 } else { Mux::A };
    let slice = if unpacked && i.unpack != Unpack::None { Slice::of_unpack(i.unpack) } else { None };
    Src::Reg(Reg { place, slice, rotate })
}

/// Reads of the ports that no operand uses.
fn unused_reads(i: &Alu) -> Vec<Op> {
    let mut used = Vec::new();
    if i.op_add != AddOp::Nop {
        used.push(i.add_a);
        used.extend((i.op_add.operands() == 2).then_some(i.add_b));
    }
    if i.op_mul != MulOp::Nop {
        used.extend([i.mul_a, i.mul_b]);
    }
    let mut reads = Vec::new();
    if i.raddr_a != Raddr::NOP && !used.contains(&Mux::A) {
        reads.push(Op::Read(Src::Reg(Reg::new(names::read_place(File::A, i.raddr_a.0)))));
    }
    match i.small_imm() {
        Some(imm) if !used.contains(&Mux::B) && imm.rotation().is_none() => {
            reads.push(Op::Read(Src::Imm(imm.bits())));
        }
        None if i.raddr_b != Raddr::NOP && !used.contains(&Mux::B) => {
            reads.push(Op::Read(Src::Reg(Reg::new(names::read_place(File::B, i.raddr_b.0)))));
        }
        _ => {}
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_instructions_read_as_they_are_written() {
        for (word, text) in [
            (0x100009e7009e7000, "nop"),
            (0x100200e715827d80, "mov ra3, unif"),
            (0x100229e70d9e7040, "sub.setf -, r0, r1"),
            (0x100708234c9e728a, "add.ifnz r0, r1, r2; mul24.ifn r3, r1, r2"),
            (0xd00049e1809f1000, "mov r1, r0 >> 1"),
            (0xd00049e1809f0000, "mov r1, r0 >> r5"),
            (0xd0024821959f4fd2, "or r0, -12, -12; mov r1, r2 >> 4"),
            (0xe00408e73f800000, "ldi.ifz r3, 1.0"),
            (0xe6024000ff00f0f0, "ldi ra0, rb0, [0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3]"),
            (0xe80009e700000013, "sacq -, 3"),
            (0xf0acd7e700000100, "brr.anyc rb31, ra6, 256"),
            (0xf04009e700001000, "bra.alln -, 4096"),
            (0x101201e7019e7040, "fadd ra7.16a, r0, r1"),
            (0x114049e2209e7001, "fmul r2.8asf, r0, r1"),
            (0xa0020867159e7900, "mov r1, r4; ldtmu0"),
            (0x10021967159e7000, "mov r5rep, r0"),
            (0x300009e7009e7000, "thrend"),
            (0x100009e7009f2000, "read vw_wait"),
            (0xe0021c67c0000000, "ldi vw_setup, 0xc0000000"),
            (0xe0020c6700000300, "ldi vr_setup, 0x00000300"),
            (0x11d049e0209e700a, "fmul r0.8b, r1, r2"),
            (0x11b049e0209e700a, "fmul r0.8888sf, r1, r2; fields pack=11"),
            (0x100049c160083037, "v8muld rb1, ra2, rb3"),
            (0xa00257e8819dfe12, "fadd rb31, rb31, r0; mov unif_addr, r2; ldtmu0"),
        ] {
            assert_eq!(super::word(word), text);
        }
        assert_eq!(super::word(0x100009e7099e7000), ".long 0x100009e7099e7000 # add operation code 9 is reserved");
    }

    #[test]
    fn listings_say_what_setup_words_mean() {
        let words =
            [0xe0021c67c0000000, 0xe0021c6780904000, 0xe0021c6700001a00, 0xe0020c6783011050, 0xe0020c6700000300];
        let listed = super::program(&Program::from_words("setup", &words).expect("valid"));
        let expected = "\
ldi vw_setup, 0xc0000000 # vdw_setup_1(0)
ldi vw_setup, 0x80904000 # vdw_setup_0(1, 16, dma_h32(0, 0))
ldi vw_setup, 0x00001a00 # vpm_setup(0, 1, h32(0))
ldi vr_setup, 0x83011050 # vdr_setup_0(3, 16, 1, vdr_h32(1, 5, 0))
ldi vr_setup, 0x00000300
";
        assert_eq!(listed, expected);
    }

    #[test]
    fn lines_fit_back_into_the_same_word() {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut fallbacks = 0;
        for _ in 0..100_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let Ok(inst) = decode(state) else { continue };
            let ops = line(&inst);
            let fitted = fit(&ops).unwrap_or_else(|e| panic!("{state:016x}: {} of `{}`", e.message, join(&ops)));
            assert_eq!(encode(&fitted), state, "{}", join(&ops));
            fallbacks += usize::from(matches!(ops[..], [Op::Nop { .. }, Op::Fields(_)]));
        }
        assert_eq!(fallbacks, 0, "every instruction has operations that describe it");
    }
}
