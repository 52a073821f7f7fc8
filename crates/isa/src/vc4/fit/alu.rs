//! ALU instructions: which operation goes to which ALU, and the operands of both.

use super::super::imm::SmallImm;
use super::super::inst::{Alu, Inst};
use super::super::line::{Op, OpName, Place, Reg, SliceKind, Src, Unit, constant};
use super::super::op::{AddOp, Cond, MulOp, Signal};
use super::super::pack::Pack;
use super::super::reg::{File, Mux, Raddr};
use super::Misfit;
use super::output::Output;
use super::reads::{PortB, Reads};

/// Whether an operation reads a register that stalls the QPU: VPM_LD_WAIT, VPM_ST_WAIT or the mutex.
fn stalls(task: Task) -> bool {
    let waits = |reg: Reg| matches!(reg.place, Place::Io(50 | 51) | Place::File(_, 50 | 51));
    let reads = |src: Src| matches!(src, Src::Reg(reg) if waits(reg));
    match task {
        Task::Op(_, a, b) => reads(a) || reads(b),
        Task::Move(reg) => waits(reg),
        Task::Constant(_) | Task::Nop => false,
    }
}

/// What an ALU is asked to do.
#[derive(Clone, Copy)]
enum Task {
    Op(OpName, Src, Src),
    Move(Reg),
    Constant(u32),
    Nop,
}

/// One ALU operation of the line.
#[derive(Clone, Copy)]
struct Item {
    op: usize,
    task: Task,
    dst: Option<Reg>,
    cond: Cond,
    setf: bool,
    can: [bool; 2],
}

/// The code, operands and muxes chosen for one ALU.
#[derive(Clone, Copy)]
struct Slot {
    code: u8,
    a: Mux,
    b: Mux,
}

pub(super) fn fit(ops: &[Op]) -> Result<Inst, Misfit> {
    let mut items = Vec::new();
    let mut signal = None;
    let mut reads = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        match op {
            Op::Signal(sig) => {
                if signal.is_some() {
                    let help = "put the second one on another line";
                    return Err(Misfit::new(index, "an instruction has room for one signal", help));
                }
                signal = Some((index, *sig));
            }
            Op::Read(src) => reads.push((index, *src)),
            _ => collect(index, op, &mut items),
        }
    }
    if let Some(third) = items.get(2) {
        let help = "put it on another line";
        return Err(Misfit::new(third.op, "an instruction has one add and one mul operation", help));
    }
    let fitted = fit_items(&items, &reads, signal);
    fitted.or_else(|misfit| match otherwise(&items) {
        Some(moves) => fit_items(&moves, &reads, signal).map_err(|_| misfit),
        None => Err(misfit),
    })
}

fn fit_items(items: &[Item], reads: &[(usize, Src)], signal: Option<(usize, Signal)>) -> Result<Inst, Misfit> {
    let mut first_misfit = None;
    for units in assignments(items)? {
        match resolve(items, &units, reads, signal) {
            Ok(alu) => return Ok(Inst::Alu(alu)),
            Err(misfit) => {
                first_misfit.get_or_insert(misfit);
            }
        }
    }
    Err(first_misfit.expect("there is at least one assignment"))
}

/// The operations with those that either ALU, or the other one, does in another way: what gives back its operand moves (`and r0, r1,
/// r1`, `min r0, 3, 3`), what gives 0 is a difference of bytes (`sub r0, r1, r1`). Flags stay with the operation that sets them,
/// whose carry is its own. `None` if there are none.
fn otherwise(items: &[Item]) -> Option<Vec<Item>> {
    let gives_back = |name: OpName| match name {
        OpName::Add(op) => matches!(op, AddOp::And | AddOp::Or | AddOp::Min | AddOp::Max),
        OpName::Mul(op) => matches!(op, MulOp::V8min | MulOp::V8max),
        OpName::Either(..) => false,
    };
    let gives_zero = |name: OpName| matches!(name, OpName::Add(AddOp::Sub | AddOp::Xor));
    let moved: Vec<Item> = items
        .iter()
        .map(|item| match item.task {
            Task::Op(name, a, b) if a == b && !item.setf && gives_back(name) => match a {
                Src::Reg(a) => Item { task: Task::Move(a), can: [a.rotate.is_none(), !needs_float_move(a)], ..*item },
                Src::Imm(bits) => Item { task: Task::Constant(bits), can: [true; 2], ..*item },
            },
            Task::Op(name, a, b) if a == b && !item.setf && gives_zero(name) => {
                Item { task: Task::Op(OpName::Mul(MulOp::V8subs), a, b), can: [false, true], ..*item }
            }
            _ => *item,
        })
        .collect();
    let any = moved.iter().zip(items).any(|(new, old)| new.can != old.can);
    any.then_some(moved)
}

fn collect(index: usize, op: &Op, items: &mut Vec<Item>) {
    let base = Item { op: index, task: Task::Nop, dst: None, cond: Cond::Always, setf: false, can: [true, true] };
    match op {
        Op::Alu { op, dst, a, b, cond, setf } => {
            let rotated = |src: &Src| matches!(src, Src::Reg(Reg { rotate: Some(_), .. }));
            let can = [
                !matches!(op, OpName::Mul(_)) && !rotated(a) && !b.as_ref().is_some_and(rotated),
                !matches!(op, OpName::Add(_)),
            ];
            let task = Task::Op(*op, *a, b.unwrap_or(*a));
            items.push(Item { task, dst: Some(*dst), cond: *cond, setf: *setf, can, ..base });
        }
        Op::Mov { dsts, src, cond, setf } => {
            let (task, can) = match src {
                Src::Imm(bits) => (Task::Constant(*bits), [true, true]),
                Src::Reg(reg) => (Task::Move(*reg), [reg.rotate.is_none(), !needs_float_move(*reg)]),
            };
            for (i, dst) in dsts.iter().flatten().enumerate() {
                items.push(Item { task, dst: Some(*dst), cond: *cond, setf: *setf && i == 0, can, ..base });
            }
        }
        Op::Nop { unit, dst, setf } => {
            let can = [*unit != Unit::Mul, *unit != Unit::Add];
            items.push(Item { dst: *dst, setf: *setf, can, ..base });
        }
        _ => {}
    }
}

/// Whether a move must be a float operation, so that the file A unpacker converts to float.
fn needs_float_move(reg: Reg) -> bool {
    let float = reg.slice.is_some_and(|s| s.kind == SliceKind::Float && s.unpack.is_some());
    float && !matches!(reg.place, Place::Acc(_))
}

/// The ways to give the operations to the ALUs (0 add, 1 mul), the preferred one first.
fn assignments(items: &[Item]) -> Result<Vec<Vec<usize>>, Misfit> {
    let all: Vec<Vec<usize>> = match items {
        [] => vec![vec![]],
        [one] => (0..2).filter(|u| one.can[*u]).map(|u| vec![u]).collect(),
        [one, two, ..] => (0..2).filter(|u| one.can[*u] && two.can[1 - u]).map(|u| vec![u, 1 - u]).collect(),
    };
    match (all.is_empty(), items) {
        (true, [one]) => {
            let help = "copy the operand to a register first, or drop the rotation";
            Err(Misfit::new(one.op, "rotation works in the mul ALU only, which does not have this operation", help))
        }
        (true, [.., last]) => {
            let which = if last.can[0] { "add" } else { "mul" };
            let help = "put the second one on another line";
            Err(Misfit::new(last.op, format!("both operations need the {which} ALU"), help))
        }
        _ => Ok(all),
    }
}

fn resolve(
    items: &[Item],
    units: &[usize],
    extra: &[(usize, Src)],
    signal: Option<(usize, Signal)>,
) -> Result<Alu, Misfit> {
    let mut output = Output::default();
    let mut reads = Reads::new();
    let mut slots = [Slot { code: 0, a: Mux::R0, b: Mux::R0 }; 2];
    for (item, &unit) in items.iter().zip(units) {
        if let Some(dst) = item.dst {
            output.place(item.op, unit, dst)?;
            // An acquire that never executes was seen not to acquire (H47); the waits for DMA are treated likewise.
            output.condition(unit, dst, item.cond, item.setf || stalls(item.task));
        }
        output.sf |= item.setf;
    }
    flags(items, units)?;
    operands(items, units, extra, (&mut reads, &mut output), &mut slots)?;
    let pm = match (output.pm, reads.unpack) {
        (Some(pack), Some((_, unpack))) if pack != unpack => {
            let help = "pack and unpack of one instruction act either on file A or on the mul result and r4";
            return Err(Misfit::new(items[0].op, "pack and unpack exclude each other here", help));
        }
        (pack, unpack) => pack.or(unpack.map(|(_, pm)| pm)).unwrap_or(false),
    };
    let (sig, raddr_b) = match reads.port_b {
        PortB::Imm(code) => {
            if let Some((index, sig)) = signal {
                let message = format!("`{}` cannot be combined with a small immediate or a rotation", sig.name());
                let help = "put the signal on another line, or read the constant one instruction earlier with `read`";
                return Err(Misfit::new(index, message, help));
            }
            (Signal::SmallImm, Raddr(code.0))
        }
        PortB::Read(address) => (Signal::None, Raddr(address)),
        PortB::Free => (Signal::None, Raddr::NOP),
    };
    Ok(Alu {
        sig: signal.map_or(sig, |(_, sig)| sig),
        unpack: reads.unpack.map_or(super::super::Unpack::None, |(unpack, _)| unpack),
        pm,
        pack: if output.pm.is_some() { output.pack } else { Pack::None },
        cond_add: output.conds[0],
        cond_mul: output.conds[1],
        sf: output.sf,
        ws: output.ws == Some(true),
        waddr_add: output.waddrs[0],
        waddr_mul: output.waddrs[1],
        op_mul: MulOp::from_code(slots[1].code).expect("the code of a mul operation"),
        op_add: AddOp::from_code(slots[0].code).expect("the code of an add operation"),
        raddr_a: reads.port_a.map_or(Raddr::NOP, Raddr),
        raddr_b,
        add_a: slots[0].a,
        add_b: slots[0].b,
        mul_a: slots[1].a,
        mul_b: slots[1].b,
    })
}

/// Flags come from the add ALU unless it does nothing.
fn flags(items: &[Item], units: &[usize]) -> Result<(), Misfit> {
    let on = |unit: usize| items.iter().zip(units).find(|(_, u)| **u == unit).map(|(item, _)| item);
    match (on(0), on(1)) {
        (Some(add), Some(mul)) if mul.setf && !add.setf && !matches!(add.task, Task::Nop) => {
            let help = "put `.setf` on the add operation, or the operations on two lines";
            Err(Misfit::new(mul.op, "the flags would come from the add operation beside it", help))
        }
        _ => Ok(()),
    }
}

/// An operand to resolve: operation, source, and which operand (0 or 1) of which ALU it is; `None` for a bare read.
type Operand = (usize, Src, Option<(usize, usize)>);

/// Resolves the operands: what has a fixed port first, then constants, then registers of either file.
fn operands(
    items: &[Item],
    units: &[usize],
    extra: &[(usize, Src)],
    (reads, output): (&mut Reads, &mut Output),
    slots: &mut [Slot; 2],
) -> Result<(), Misfit> {
    let mut open: Vec<Operand> = Vec::new();
    for (item, &unit) in items.iter().zip(units) {
        let (code, sources) = match item.task {
            Task::Op(name, a, b) => adapt(code_of(name, unit), unit, [a, b], item.setf),
            Task::Move(reg) => (move_code(item.op, reg, unit)?, [Src::Reg(reg); 2]),
            Task::Constant(_) | Task::Nop => continue,
        };
        slots[unit].code = code;
        kinds(item, unit, code, &sources)?;
        open.push((item.op, sources[0], Some((unit, 0))));
        open.push((item.op, sources[1], Some((unit, 1))));
    }
    open.extend(extra.iter().map(|(op, src)| (*op, *src, None)));
    let mut muxes = vec![None; open.len()];
    for (i, (op, src, _)) in open.iter().enumerate() {
        if let Src::Reg(reg) = src {
            muxes[i] = reads.fixed(*op, *reg)?;
        }
    }
    // Accumulators first: they decide the amount, other operands follow it modulo 4.
    for crosses in [true, false] {
        for (op, src, _) in &open {
            if let Src::Reg(Reg { rotate: Some(rotation), place, .. }) = src
                && matches!(place, Place::Acc(0..=3)) == crosses
            {
                reads.rotate(*op, *rotation, crosses)?;
            }
        }
    }
    for (i, (op, src, _)) in open.iter().enumerate() {
        if let Src::Imm(bits) = src {
            muxes[i] = Some(reads.constant(*op, *bits)?);
        }
    }
    constants(items, units, (reads, output), slots)?;
    for (i, (op, src, _)) in open.iter().enumerate() {
        if let (Src::Reg(Reg { place: Place::Io(address), .. }), None) = (src, muxes[i]) {
            muxes[i] = Some(reads.either(*op, *address)?);
        }
    }
    for ((op, src, slot), mux) in open.iter().zip(muxes) {
        let mux = mux.expect("every operand was resolved above");
        if let Some((unit, operand)) = *slot {
            reads.check_whole(*op, *src, mux)?;
            let slot = &mut slots[unit];
            *(if operand == 0 { &mut slot.a } else { &mut slot.b }) = mux;
        } else if mux.as_accumulator().is_some() {
            let help = "`read` acts on registers of the files, peripherals and constants";
            return Err(Misfit::new(*op, "an accumulator needs no read", help));
        }
    }
    Ok(())
}

fn code_of(name: OpName, unit: usize) -> u8 {
    match (name, unit) {
        (OpName::Add(op) | OpName::Either(op, _), 0) => op.code(),
        (OpName::Mul(op) | OpName::Either(_, op), 1) => op.code(),
        _ => unreachable!("assignments() gives an operation to an ALU that has it"),
    }
}

/// The same operation in a form whose constant is a small immediate: shifts take their count modulo 32, and adding 16
/// is subtracting -16 where nobody asks for the carry.
fn adapt(code: u8, unit: usize, sources: [Src; 2], setf: bool) -> (u8, [Src; 2]) {
    let (0, Some(op)) = (unit, AddOp::from_code(code)) else { return (code, sources) };
    let small = |bits: u32| SmallImm::from_bits(bits).is_some();
    match (op, sources) {
        (AddOp::Shl | AddOp::Shr | AddOp::Asr | AddOp::Ror, [a, Src::Imm(count)]) if !small(count) => {
            (code, [a, Src::Imm(((count << 27) as i32 >> 27) as u32)])
        }
        (AddOp::Add, [a @ Src::Reg(_), Src::Imm(n)] | [Src::Imm(n), a @ Src::Reg(_)])
            if !setf && !small(n) && small(n.wrapping_neg()) =>
        {
            (AddOp::Sub.code(), [a, Src::Imm(n.wrapping_neg())])
        }
        (AddOp::Sub, [a, Src::Imm(n)]) if !setf && !small(n) && small(n.wrapping_neg()) => {
            (AddOp::Add.code(), [a, Src::Imm(n.wrapping_neg())])
        }
        _ => (code, sources),
    }
}

fn move_code(op: usize, reg: Reg, unit: usize) -> Result<u8, Misfit> {
    match (needs_float_move(reg), unit) {
        (false, 0) => Ok(AddOp::Or.code()),
        (false, _) => Ok(MulOp::V8min.code()),
        (true, 0) => Ok(AddOp::Fmin.code()),
        (true, _) => {
            let help = "put the move first, or on a line of its own";
            Err(Misfit::new(op, "a move that unpacks to float needs the add ALU", help))
        }
    }
}

/// Refuses suffixes that ask for integers where the operation takes floats, or the reverse: the hardware converts as the
/// operation has it.
fn kinds(item: &Item, unit: usize, code: u8, sources: &[Src; 2]) -> Result<(), Misfit> {
    let floats = match unit {
        0 => AddOp::from_code(code).is_some_and(AddOp::takes_floats),
        _ => MulOp::from_code(code).is_some_and(MulOp::takes_floats),
    };
    for src in sources {
        let Src::Reg(Reg { place: Place::File(File::A, _), slice: Some(slice), .. }) = src else { continue };
        let message = match (slice.kind, floats) {
            (SliceKind::Float, false) => "this operation takes integers, so the operand is unpacked to an integer",
            (SliceKind::Int, true) => "this operation takes floats, so the operand is unpacked to a float",
            _ => continue,
        };
        return Err(Misfit::new(item.op, message, "move the operand in the wanted form to a register first"));
    }
    Ok(())
}

/// Finds operations that make the wanted constants out of one small immediate.
fn constants(
    items: &[Item],
    units: &[usize],
    (reads, output): (&mut Reads, &mut Output),
    slots: &mut [Slot; 2],
) -> Result<(), Misfit> {
    let mut wanted = Vec::new();
    for (item, &unit) in items.iter().zip(units) {
        match item.task {
            // A register combined with itself gives zero without any immediate.
            Task::Constant(0) => {
                let code = if unit == 0 { AddOp::Xor.code() } else { MulOp::V8subs.code() };
                slots[unit] = Slot { code, a: Mux::R0, b: Mux::R0 };
            }
            Task::Constant(bits) => wanted.push((item, unit, bits)),
            _ => {}
        }
    }
    let Some(&(first, _, bits)) = wanted.first() else { return Ok(()) };
    let candidates: Vec<SmallImm> = match reads.port_b {
        PortB::Imm(code) => vec![code],
        PortB::Free => SmallImm::from_bits(bits).into_iter().chain((0..48).map(SmallImm)).collect(),
        PortB::Read(_) => return reads.constant(first.op, bits).map(drop),
    };
    // File A can write the lowest byte four times, where nothing else is packed or unpacked.
    let may_repeat = output.pm.is_none() && reads.unpack.is_none();
    let repeats = |item: &Item, bits: u32| {
        let whole = |dst: Reg| matches!(dst.place, Place::File(File::A, 0..32)) && dst.slice.is_none();
        may_repeat && item.dst.is_some_and(whole) && bits == (bits & 0xff) * 0x0101_0101
    };
    for repeat in [false, true] {
        for &code in &candidates {
            let found: Option<Vec<u8>> = wanted
                .iter()
                .map(|&(item, unit, bits)| match repeat && repeats(item, bits) {
                    true if code.bits() & 0xff == bits & 0xff => recipe(unit, code.bits(), code.bits()),
                    true => None,
                    false => recipe(unit, code.bits(), bits),
                })
                .collect();
            let Some(found) = found else { continue };
            reads.port_b = PortB::Imm(code);
            for (&(item, unit, bits), code) in wanted.iter().zip(found) {
                slots[unit] = Slot { code, a: Mux::B, b: Mux::B };
                if repeat && repeats(item, bits) {
                    (output.pack, output.pm) = (Pack::B8888, Some(false));
                }
            }
            return Ok(());
        }
    }
    let message = format!("no small immediate gives {} here", constant(wanted[wanted.len() - 1].2));
    Err(Misfit::new(first.op, message, "load the constant with a line of its own"))
}

/// The operation of an ALU that makes `wanted` of twice the operand `v`; only operations whose result is the same in
/// every rounding are considered.
fn recipe(unit: usize, v: u32, wanted: u32) -> Option<u8> {
    let float = f32::from_bits(v);
    let is_float = v.wrapping_add(16) > 31;
    if unit == 0 {
        let results = [
            (AddOp::Or, Some(v)),
            (AddOp::Add, Some(v.wrapping_add(v))),
            (AddOp::Shl, Some(v.wrapping_shl(v))),
            (AddOp::Shr, Some(v.wrapping_shr(v))),
            (AddOp::Asr, Some((v as i32).wrapping_shr(v) as u32)),
            (AddOp::Ror, Some(v.rotate_right(v & 31))),
            (AddOp::Not, Some(!v)),
            (AddOp::Clz, Some(v.leading_zeros())),
            (AddOp::Itof, (!is_float && v != 0).then(|| (v as i32 as f32).to_bits())),
            (AddOp::Ftoi, is_float.then_some(float as i32 as u32)),
            (AddOp::Fadd, is_float.then(|| (float + float).to_bits())),
        ];
        return results.into_iter().find(|(_, result)| *result == Some(wanted)).map(|(op, _)| op.code());
    }
    let bytes = |f: fn(u8) -> u8| u32::from_le_bytes(v.to_le_bytes().map(f));
    let results = [
        (MulOp::V8min, Some(v)),
        (MulOp::Mul24, Some((v & 0xff_ffff).wrapping_mul(v & 0xff_ffff))),
        (MulOp::Fmul, is_float.then(|| (float * float).to_bits())),
        (MulOp::V8adds, Some(bytes(|b| b.saturating_add(b)))),
    ];
    results.into_iter().find(|(_, result)| *result == Some(wanted)).map(|(op, _)| op.code())
}
