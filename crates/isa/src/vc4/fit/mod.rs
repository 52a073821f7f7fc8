//! A line of operations to one instruction: chooses ALUs, read ports, write files, small immediates and `pm`.
//!
//! What a line leaves open is decided the same way every time: an operation goes to the add ALU if it can, a register of
//! either file is read through file A if that port is free, unused fields get the values of the canonical no-operation.

mod alu;
mod output;
mod reads;

use super::decode::decode;
use super::encode::encode;
use super::fields;
use super::inst::{Branch, Inst, Ldi, LdiMode, Sema};
use super::line::{FieldSet, LdiValue, Op, Reg, Src};
use super::op::Cond;
use output::Output;

/// Why operations cannot share an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// Index of the operation in the line.
    pub op: usize,
    pub message: String,
    /// What to do, or empty.
    pub help: String,
}

impl Misfit {
    fn new(op: usize, message: impl Into<String>, help: impl Into<String>) -> Misfit {
        Misfit { op, message: message.into(), help: help.into() }
    }
}

/// The instruction of a line. An empty line is a no-operation.
///
/// # Errors
/// The operation that does not fit, why, and what to do.
///
/// ```
/// use quadra_isa::vc4::{encode, fit::fit, line::*, op::AddOp, Cond};
/// let r = |n| Src::Reg(Reg::new(Place::Acc(n)));
/// let dst = Reg::new(Place::Acc(0));
/// let add = Op::Alu { op: OpName::Add(AddOp::Add), dst, a: r(1), b: Some(r(2)), cond: Cond::Always, setf: false };
/// assert_eq!(encode(&fit(&[add]).expect("fits")), 0x10020827_0c9e7280);
/// ```
pub fn fit(ops: &[Op]) -> Result<Inst, Misfit> {
    let inst = operations(ops)?;
    let Some(first) = ops.iter().position(|op| matches!(op, Op::Fields(_))) else {
        return Ok(inst);
    };
    let sets: Vec<FieldSet> =
        ops.iter().filter_map(|op| if let Op::Fields(f) = op { Some(f) } else { None }).flatten().copied().collect();
    let word = fields::apply(encode(&inst), &sets).map_err(|name| {
        Misfit::new(
            first,
            format!("this instruction has no field `{name}`"),
            "the fields of a branch, a load immediate and an ALU instruction differ",
        )
    })?;
    decode(word).map_err(|error| Misfit::new(first, format!("the fields give no instruction: {error}"), ""))
}

/// The conditions of one operation with two destinations: vc4asm gives the second one "always".
fn two(cond: Cond) -> [Cond; 2] {
    [cond, Cond::Always]
}

fn operations(ops: &[Op]) -> Result<Inst, Misfit> {
    if let Some((index, dsts, value, conds, setf)) = same_constant(ops) {
        return ldi(index, &dsts, LdiValue::All(value), conds, setf);
    }
    let active = || ops.iter().enumerate().filter(|(_, op)| !matches!(op, Op::Fields(_)));
    let alone = active().find(|(_, op)| matches!(op, Op::Ldi { .. } | Op::Sema { .. } | Op::Branch { .. }));
    if let Some((index, op)) = alone {
        if let Some((other, _)) = active().find(|(other, _)| *other != index) {
            let what = match op {
                Op::Ldi { .. } => "a load immediate",
                Op::Sema { .. } => "a semaphore instruction",
                _ => "a branch",
            };
            let help = "put it on a line of its own";
            return Err(Misfit::new(other, format!("nothing can share an instruction with {what}"), help));
        }
        return match op {
            Op::Ldi { dsts, value, cond, setf } => ldi(index, dsts, *value, two(*cond), *setf),
            Op::Sema { .. } => sema(index, op),
            _ => branch(index, op),
        };
    }
    alu::fit(ops)
}

type Constant = (usize, [Option<Reg>; 2], u32, [Cond; 2], bool);

/// A line of nothing but moves or loads of one constant, which a load immediate does with the least power.
fn same_constant(ops: &[Op]) -> Option<Constant> {
    let mut found: Option<Constant> = None;
    for (index, op) in ops.iter().enumerate() {
        match (op, &mut found) {
            (Op::Fields(_), _) => {}
            (
                Op::Mov { dsts, src: Src::Imm(value), cond, setf }
                | Op::Ldi { dsts, value: LdiValue::All(value), cond, setf },
                None,
            ) => {
                found = Some((index, *dsts, *value, two(*cond), *setf));
            }
            (
                Op::Mov { dsts: [dst, None], src: Src::Imm(value), cond, setf: false }
                | Op::Ldi { dsts: [dst, None], value: LdiValue::All(value), cond, setf: false },
                Some(first),
            ) if first.1[1].is_none() && first.2 == *value => {
                first.1[1] = *dst;
                first.3[1] = *cond;
            }
            _ => return None,
        }
    }
    found
}

/// The two outputs of a load immediate, a semaphore or a branch: the first destination takes the add ALU's. A byte of what is no
/// register of file A takes the mul ALU's, which alone can pack that; flags are always the add ALU's.
fn outputs(op: usize, dsts: &[Option<Reg>; 2], conds: [Cond; 2], setf: bool) -> Result<Output, Misfit> {
    let through = |dsts: &[Option<Reg>; 2], conds: [Cond; 2]| {
        let mut output = Output { sf: setf, ..Output::default() };
        for unit in 0..2 {
            if let Some(dst) = dsts[unit] {
                output.place(op, unit, dst)?;
                output.condition(unit, dst, conds[unit], setf && unit == 0);
            }
        }
        Ok(output)
    };
    match dsts {
        [dst @ Some(_), None] if !setf => through(dsts, conds)
            .or_else(|misfit| through(&[None, *dst], [conds[1], conds[0]]).map_err(|_: Misfit| misfit)),
        _ => through(dsts, conds),
    }
}

fn ldi(op: usize, dsts: &[Option<Reg>; 2], value: LdiValue, conds: [Cond; 2], setf: bool) -> Result<Inst, Misfit> {
    let out = outputs(op, dsts, conds, setf)?;
    let (mode, imm) = match value {
        LdiValue::All(bits) => (LdiMode::All, bits),
        LdiValue::PerLane(values) => Ldi::per_lane(values.map(i32::from)).ok_or_else(|| {
            let help = "the values of one list must all lie in -2..=1 or all in 0..=3";
            Misfit::new(op, "a value per lane has two bits", help)
        })?,
    };
    Ok(Inst::Ldi(Ldi {
        mode,
        pm: out.pm == Some(true),
        pack: out.pack,
        cond_add: out.conds[0],
        cond_mul: out.conds[1],
        sf: out.sf,
        ws: out.ws == Some(true),
        waddr_add: out.waddrs[0],
        waddr_mul: out.waddrs[1],
        imm,
    }))
}

fn sema(index: usize, op: &Op) -> Result<Inst, Misfit> {
    let Op::Sema { dsts, down, value, cond, setf } = op else {
        return Ok(Inst::NOP);
    };
    // With the single destination `-` the conditions stay "never", as vc4asm has it.
    let real = if dsts[1].is_some() { *dsts } else { dsts.map(|dst| dst.filter(|reg| *reg != Reg::NONE)) };
    let mut out = outputs(index, &real, [*cond; 2], *setf)?;
    // `-, -` is the form with both conditions, as py-videocore has it.
    if dsts[1].is_some() {
        out.conds = [*cond; 2];
    }
    Ok(Inst::Sema(Sema {
        pm: out.pm == Some(true),
        pack: out.pack,
        cond_add: out.conds[0],
        cond_mul: out.conds[1],
        sf: out.sf,
        ws: out.ws == Some(true),
        waddr_add: out.waddrs[0],
        waddr_mul: out.waddrs[1],
        down: *down,
        number: (value & 15) as u8,
        ignored: value >> 5,
    }))
}

fn branch(index: usize, op: &Op) -> Result<Inst, Misfit> {
    let Op::Branch { rel, cond, dsts, reg, imm } = op else {
        return Ok(Inst::NOP);
    };
    let out = outputs(index, dsts, [Cond::Always; 2], false)?;
    if out.pack != super::Pack::None {
        return Err(Misfit::new(index, "a branch cannot pack its link value", "write the whole register"));
    }
    Ok(Inst::Branch(Branch {
        cond: *cond,
        rel: *rel,
        reg: reg.is_some(),
        raddr_a: reg.unwrap_or(0),
        ws: out.ws == Some(true),
        waddr_add: out.waddrs[0],
        waddr_mul: out.waddrs[1],
        imm: *imm,
        ignored: 0,
    }))
}
