//! Keeps accesses inside their buffers, for a chip that cannot fault: what nobody proved to be inside is clamped.
//!
//! A load at an index outside gives some element of its buffer, a store changes some element of it, and no other memory is
//! touched. Lookups that may run into the guard behind a buffer stay within that. An access costs two instructions more, a minimum and a
//! maximum: one value for all lanes where a row is accessed, a vector where each lane has an index of its own.

use quadra_kir::{Block, Buf, Inst, Kernel, Mode, Op, Param, Space, Type, Value, Values, launch::GUARD_BYTES};

/// Lanes of a row.
const ROW: i32 = 16;

/// The parameters, bit by bit, whose buffers a kernel may read past their ends.
pub(crate) fn guarded(kernel: &Kernel) -> u64 {
    let mut mask = 0;
    kernel.body.walk(&mut |i| {
        if i.mode == Mode::Guarded
            && let Some(at) = i.buf.and_then(|b| kernel.params.iter().position(|p| *p == Param::Buffer(b)))
        {
            mask |= 1u64.checked_shl(at as u32).unwrap_or(0);
        }
    });
    mask
}

/// The kernel with all its accesses contained.
pub(crate) fn contained(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    kernel.rewrite(block);
    kernel
}

fn block(kernel: &mut Kernel, b: &mut Block) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, r));
        if let Some(buf) = inst.buf
            && !inst.args.is_empty()
            && inst.op != Op::Dim
            && inst.mode != Mode::Inside
            && kernel.bufs[buf].space == Space::Global
        {
            inst.args[0] = index(kernel, &inst, buf, &mut out);
        }
        out.push(inst);
    }
    b.insts = out;
}

/// The index of an access, brought inside.
fn index(kernel: &mut Kernel, inst: &Inst, buf: Buf, out: &mut Vec<Inst>) -> Value {
    let mut emit = |kernel: &mut Kernel, op: Op, args: &[Value], ty: Type| {
        let mut new = Inst::new(op, args.iter().copied()).at(inst.span);
        if op == Op::Dim {
            new.buf = Some(buf);
        }
        let v = kernel.new_value(ty);
        new.results = Values::from_slice(&[v]);
        out.push(new);
        v
    };
    let n = emit(kernel, Op::Dim, &[], Type::I32);
    let behind = GUARD_BYTES as i32 / kernel.bufs[buf].elem.bytes() as i32;
    let row = matches!(inst.op, Op::LoadRow | Op::StoreRow | Op::StoreRows);
    let most = match inst.op {
        // The rest of the row lies in the guard.
        Op::TmuRequest => behind - 1,
        _ if inst.mode == Mode::Guarded => behind - if row { ROW } else { 1 },
        // A row of which some lanes are elsewhere may begin anywhere.
        _ if row && inst.mask.is_none() => -ROW,
        _ => -1,
    };
    let most = kernel.const_i32(most);
    let mut last = emit(kernel, Op::Add, &[n, most], Type::I32);
    if inst.op == Op::StoreRows {
        let rows = kernel.const_i32(inst.args.len() as i32 - 3);
        let more = emit(kernel, Op::Mul24, &[inst.args[1], rows], Type::I32);
        last = emit(kernel, Op::Sub, &[last, more], Type::I32);
    }
    let ty = kernel.ty(inst.args[0]);
    let low = emit(kernel, Op::Min, &[inst.args[0], last], ty);
    let zero = kernel.const_i32(0);
    emit(kernel, Op::Max, &[low, zero], ty)
}
