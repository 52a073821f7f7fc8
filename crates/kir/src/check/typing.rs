//! The result types of every instruction, also of those that have a rule of their own. Parser and checker share it.

use crate::kernel::{Block, BufInfo, Inst, Kernel, Level, Value};
use crate::ops::{Op, Rule};
use crate::types::{Elem, Type};

/// Whether a value of type `from` may be passed on as `to`: the same type, or at SIMD level one element for all lanes
/// where one per lane is wanted.
pub fn fits(level: Level, from: Type, to: Type) -> bool {
    from == to || (level == Level::Simd && from.with_lanes(true) == to)
}

/// The types of an instruction's results by its operands, attributes and regions.
///
/// # Errors
/// What is wrong with the instruction, in words.
pub fn result_types(kernel: &Kernel, inst: &Inst) -> Result<Vec<Type>, String> {
    let types: Vec<Type> = inst.args.iter().map(|&v| kernel.ty(v)).collect();
    let info = inst.op.info();
    if info.rule != Rule::Own {
        let ty = inst.op.result_type(kernel.level, &types)?;
        axis_in_range(kernel, inst)?;
        return Ok(vec![ty]);
    }
    if let Some(n) = info.arity
        && n != types.len()
    {
        return Err(format!("`{}` takes {n} operands, not {}", info.mnemonic, types.len()));
    }
    match inst.op {
        Op::If => branch(kernel, inst, &types),
        Op::For => counted(kernel, inst, &types),
        Op::Loop => Ok(exits(kernel, inst, Op::Break)),
        Op::VarGet => Ok(vec![variable(kernel, inst)?]),
        Op::VarSet => {
            let ty = variable(kernel, inst)?;
            if fits(kernel.level, types[0], ty) {
                Ok(vec![])
            } else {
                Err(format!("a {ty} variable is set to a {}", types[0]))
            }
        }
        Op::TmuReceive => receive(kernel, inst),
        Op::Print => said(inst, &types).map(|()| vec![]),
        Op::Comment => inst.text.as_ref().map(|_| vec![]).ok_or_else(|| "`comment` needs its text".into()),
        Op::Assert => {
            inst.text.as_ref().ok_or("`assert` needs its text")?;
            if types[0].elem == Elem::Bool {
                Ok(vec![])
            } else {
                Err(format!("`assert` wants a bool, not {}", types[0]))
            }
        }
        Op::SemaInc | Op::SemaDec if inst.imm > 15 => {
            Err(format!("there is no semaphore {}: they count from 0 to 15", inst.imm))
        }
        op if op.is_terminator() => Ok(vec![]),
        _ if needs_buffer(inst.op) => memory(kernel, inst, &types),
        _ => Ok(vec![]),
    }
}

/// Whether the operation names a buffer.
pub fn needs_buffer(op: Op) -> bool {
    op.is_atomic()
        || matches!(op, Op::Load | Op::Store | Op::LoadRow | Op::StoreRow | Op::StoreRows | Op::TmuRequest | Op::Dim)
}

/// Whether the operation has an immediate that is an axis of the launch or of the group.
pub fn has_axis(op: Op) -> bool {
    matches!(op, Op::Item | Op::Local | Op::Group | Op::NumGroups | Op::GroupSize | Op::Extent)
}

/// Operands of a memory operation that follow the indices.
pub fn data_operands(inst: &Inst) -> usize {
    match inst.op {
        Op::StoreRows => inst.args.len().saturating_sub(1),
        Op::Load | Op::LoadRow | Op::TmuRequest | Op::Dim => 0,
        Op::AtomicCompareExchange => 2,
        _ => 1,
    }
}

fn axis_in_range(kernel: &Kernel, inst: &Inst) -> Result<(), String> {
    let name = inst.op.mnemonic();
    if has_axis(inst.op) {
        // A kernel that a pass made loop over the groups itself (`over` = 0) may still ask for the extent.
        let axes = if kernel.over == 0 { 8 } else { kernel.over as usize };
        if inst.imm as usize >= axes {
            return Err(format!("`{name} {}`: the launch has {axes} axes", inst.imm));
        }
        if kernel.over == 0 && inst.op == Op::Item {
            return Err("`item` needs a kernel that is launched over an extent (`over=1` or more)".into());
        }
    }
    if inst.op == Op::Dim {
        let buf = buffer(kernel, inst)?;
        if inst.imm >= buf.rank as u32 {
            return Err(format!("`dim`: buffer `{}` has {} axes, there is no axis {}", buf.name, buf.rank, inst.imm));
        }
    }
    Ok(())
}

fn buffer<'k>(kernel: &'k Kernel, inst: &Inst) -> Result<&'k BufInfo, String> {
    let buf = inst.buf.ok_or_else(|| format!("`{}` names no buffer", inst.op.mnemonic()))?;
    kernel.bufs.get(buf).ok_or_else(|| "this buffer is not declared".to_string())
}

fn variable(kernel: &Kernel, inst: &Inst) -> Result<Type, String> {
    let var = inst.var.ok_or_else(|| format!("`{}` names no variable", inst.op.mnemonic()))?;
    kernel.vars.get(var).map(|v| v.ty).ok_or_else(|| "this variable is not declared".to_string())
}

fn want_index(t: Type) -> Result<(), String> {
    if t.elem == Elem::I32 { Ok(()) } else { Err(format!("an index must be an i32, not {t}")) }
}

fn memory(kernel: &Kernel, inst: &Inst, types: &[Type]) -> Result<Vec<Type>, String> {
    let name = inst.op.mnemonic();
    let buf = buffer(kernel, inst)?;
    let (rank, data) = (buf.rank as usize, data_operands(inst));
    if types.len() != rank + data {
        let indices = types.len() as i64 - data as i64;
        return Err(format!("`{name}`: buffer `{}` takes {rank} indices, not {indices}", buf.name));
    }
    for &t in &types[..rank] {
        want_index(t)?;
    }
    let elem = Type::scalar(buf.elem.in_register());
    if inst.op == Op::StoreRows {
        return rows(inst, buf, types, elem);
    }
    for &t in &types[rank..] {
        if t.with_lanes(false) != elem {
            return Err(format!("`{name}`: buffer `{}` holds {elem}, not {}", buf.name, t.with_lanes(false)));
        }
    }
    let simd = kernel.level == Level::Simd;
    let lanes = simd && types.iter().any(|t| t.lanes);
    match inst.op {
        Op::Load => Ok(vec![elem.with_lanes(lanes)]),
        Op::LoadRow | Op::StoreRow => {
            if rank != 1 || types[0].lanes {
                return Err(format!("`{name}` takes one index that is the same in all lanes"));
            }
            Ok(if inst.op == Op::LoadRow { vec![elem.with_lanes(true)] } else { vec![] })
        }
        Op::TmuRequest => match buf.elem {
            Elem::I32 | Elem::F32 => Ok(vec![]),
            _ => Err(format!("`{name}` asks for i32 or f32, buffer `{}` holds {elem}", buf.name)),
        },
        op if op.is_atomic() => {
            let bits = matches!(op, Op::AtomicAnd | Op::AtomicOr | Op::AtomicXor);
            let moves = matches!(op, Op::AtomicExchange | Op::AtomicCompareExchange);
            if (bits && elem.elem.is_float()) || (!bits && !moves && elem.elem == Elem::Bool) {
                return Err(format!("`{name}` cannot work on {elem}"));
            }
            Ok(vec![elem.with_lanes(simd)])
        }
        _ => Ok(vec![]),
    }
}

/// The rule of `store.rows`: a scalar index, a scalar stride, and what each row holds.
fn rows(inst: &Inst, buf: &BufInfo, types: &[Type], elem: Type) -> Result<Vec<Type>, String> {
    let scalar = |t: Type| t == Type::I32;
    match types {
        [index, stride, values @ ..] if buf.rank == 1 && scalar(*index) && scalar(*stride) && !values.is_empty() => {
            match values.iter().find(|t| t.with_lanes(false) != elem) {
                Some(t) => {
                    Err(format!("`store.rows`: buffer `{}` holds {elem}, not {}", buf.name, t.with_lanes(false)))
                }
                None if inst.mask.is_some() => Err("`store.rows` takes no mask".into()),
                None => Ok(vec![]),
            }
        }
        _ => Err("`store.rows` takes an index and a stride that are the same in all lanes, then values".into()),
    }
}

fn receive(kernel: &Kernel, inst: &Inst) -> Result<Vec<Type>, String> {
    let [result] = inst.results[..] else { return Err("`tmu.receive` has one result".into()) };
    let ty = kernel.ty(result);
    let want = Type::scalar(ty.elem).with_lanes(kernel.level == Level::Simd);
    if ty == want && matches!(ty.elem, Elem::I32 | Elem::F32) {
        Ok(vec![ty])
    } else {
        Err(format!("`tmu.receive` gives i32 or f32, not {ty}"))
    }
}

fn said(inst: &Inst, types: &[Type]) -> Result<(), String> {
    let text = inst.text.as_ref().ok_or("`print` needs its text")?;
    let places = text.matches("{}").count() + text.matches("{u}").count();
    if places != types.len() {
        return Err(format!("`print`: {places} places `{{}}` for {} operands", types.len()));
    }
    Ok(())
}

fn branch(kernel: &Kernel, inst: &Inst, types: &[Type]) -> Result<Vec<Type>, String> {
    if types[0].elem != Elem::Bool {
        return Err(format!("`if` wants a bool, not {}", types[0]));
    }
    if inst.regions.len() != 2 {
        return Err("`if` has two regions".into());
    }
    Ok(exits(kernel, inst, Op::Yield))
}

fn counted(kernel: &Kernel, inst: &Inst, types: &[Type]) -> Result<Vec<Type>, String> {
    if types.len() < 3 || inst.regions.len() != 1 || inst.regions[0].params.len() != types.len() - 2 {
        return Err("`for` takes lo, hi, step and one initial value per carried value".into());
    }
    for t in &types[..3] {
        if t.with_lanes(false) != Type::I32 {
            return Err(format!("the bounds of `for` are i32, not {t}"));
        }
    }
    Ok(inst.regions[0].params[1..].iter().map(|&v| kernel.ty(v)).collect())
}

/// The joined types of what all exits of the kind `op` pass on: the `yield`s of an `if`, the `break`s of a loop.
fn exits(kernel: &Kernel, inst: &Inst, op: Op) -> Vec<Type> {
    let mut found: Option<Vec<Type>> = None;
    let mut join = |args: &[Value]| {
        let new: Vec<Type> = args.iter().map(|&v| kernel.ty(v)).collect();
        match &mut found {
            None => found = Some(new),
            Some(old) => {
                for (o, n) in old.iter_mut().zip(&new) {
                    o.lanes |= n.lanes;
                }
            }
        }
    };
    for region in &inst.regions {
        match op {
            Op::Break => breaks(region, &mut join),
            _ => region.terminator().filter(|t| t.op == op).into_iter().for_each(|t| join(&t.args)),
        }
    }
    found.unwrap_or_default()
}

/// Calls `f` with the operands of every `break` that leaves the loop whose body this is.
fn breaks(block: &Block, f: &mut impl FnMut(&[Value])) {
    for inst in &block.insts {
        match inst.op {
            Op::Break => f(&inst.args),
            Op::If => inst.regions.iter().for_each(|r| breaks(r, f)),
            _ => {}
        }
    }
}
