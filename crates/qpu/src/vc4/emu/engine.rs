//! The loop that executes decoded instructions, written once for every vector type.

use super::code::{Code, Kind, Op, SetFlags, post, pre, slot};
use super::core::{Core, Shared, Stop, Target};
use super::fault::{Access, FaultKind};
use super::native;
use super::vector::{Portable, Vector, add_carry, add_op, mul_carry, mul_op};
use crate::vc4::{AddOp, MulOp};

/// How instructions are executed. All engines give identical results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Engine {
    /// The fastest that this processor has.
    #[default]
    Auto,
    /// For every processor.
    Portable,
    /// The portable engine compiled for AVX2; falls back to it where the processor has none.
    Avx2,
    /// 512-bit vectors with rounding toward zero in the instruction; falls back likewise.
    Avx512,
}

impl Engine {
    /// The engine that will really be used on this processor.
    pub fn resolve(self) -> Engine {
        match self {
            Engine::Auto | Engine::Avx512 if native::has_avx512() => Engine::Avx512,
            Engine::Auto | Engine::Avx512 | Engine::Avx2 if native::has_avx2() => Engine::Avx2,
            _ => Engine::Portable,
        }
    }

    /// Name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Portable => "portable",
            Engine::Avx2 => "avx2",
            Engine::Avx512 => "avx512",
        }
    }
}

/// Why the loop came back.
#[derive(Debug)]
pub enum Exit {
    /// The given number of instructions was executed.
    Limit,
    /// The present instruction is not decoded yet.
    Decode,
    /// Execution goes on at a byte address that may lie in another region.
    Jump(u32),
    /// The program is over.
    Ended,
    Stop(Stop),
}

/// Executes up to `limit` instructions of one QPU. `engine` must be resolved.
pub fn run(engine: Engine, core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
    match engine {
        Engine::Avx512 => native::run_avx512(core, shared, code, limit),
        Engine::Avx2 => native::run_avx2(core, shared, code, limit),
        _ => run_loop::<Portable>(core, shared, code, limit),
    }
}

/// The loop itself; inlined into one function per engine, so that each is compiled for its processor.
#[inline(always)]
pub fn run_loop<V: Vector>(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
    for _ in 0..limit {
        let Some(op) = code.ops.get(core.index) else {
            return Exit::Stop(Stop::Fault(FaultKind::Outside(Access::Code), None, None));
        };
        if let Err(exit) = step::<V>(core, shared, code, op) {
            return exit;
        }
        if let Some(profile) = &mut core.profile {
            profile[core.code][core.index] += 1;
        }
        core.counts.issued += 1;
        core.index += 1;
        if core.delay != 0 {
            core.delay -= 1;
            if core.delay == 0
                && let Some(exit) = redirect(core, code)
            {
                return exit;
            }
        }
    }
    Exit::Limit
}

#[inline(always)]
fn step<V: Vector>(core: &mut Core, shared: &mut Shared, code: &Code, op: &Op) -> Result<(), Exit> {
    if op.pre != 0 {
        if op.pre & pre::R4 != 0 && core.within(core.sfu_at, 3) {
            return Err(Exit::Stop(r4_fault(code, core.index).into()));
        }
        if op.pre & pre::RARE != 0 {
            core.before(shared, code, op).map_err(Exit::Stop)?;
        } else if op.pre & pre::UNIFORM != 0 {
            core.read_uniform(shared).map_err(Exit::Stop)?;
        }
    }
    match op.kind {
        Kind::Alu => {
            let written = [core.masks[op.cond_add as usize], core.masks[op.cond_mul as usize]];
            alu::<V>(core, op, written);
            if op.post == post::LOAD_TMU {
                core.load_tmu(op.index as usize & 1).map_err(Exit::Stop)?;
            } else if op.post != 0 {
                core.after(shared, code, op, written).map_err(Exit::Stop)?;
            }
            Ok(())
        }
        Kind::Branch => core.branch(shared, code, op).map_err(Exit::Stop),
        Kind::LoadImmediate => load_immediate::<V>(core, shared, code, op),
        Kind::Semaphore => {
            core.semaphore(shared, &code.insts[core.index]).map_err(Exit::Stop)?;
            load_immediate::<V>(core, shared, code, op)
        }
        Kind::Unknown => Err(Exit::Decode),
        Kind::Faulty => Err(Exit::Stop(code.fault_of(core.index, &shared.memory).into())),
    }
}

#[inline(always)]
fn alu<V: Vector>(core: &mut Core, op: &Op, written: [u16; 2]) {
    let at = |n: u8| n as usize;
    // Both operations read before either writes.
    let (mul_a, mul_b) = (V::load(&core.slots[at(op.mul_a)]), V::load(&core.slots[at(op.mul_b)]));
    let product = mul_op(op.mul, mul_a, mul_b);
    if op.add != AddOp::Nop {
        let (a, b) = (V::load(&core.slots[at(op.add_a)]), V::load(&core.slots[at(op.add_b)]));
        let sum = add_op(op.add, a, b);
        sum.store_lanes(written[0], &mut core.slots[at(op.to_add)]);
        if op.post & (post::PACK | post::SPECIAL_ADD) != 0 {
            sum.store(&mut core.slots[at(slot::OUT_ADD)]);
            a.store(&mut core.slots[at(slot::ROTATED_A)]);
            b.store(&mut core.slots[at(slot::ROTATED_B)]);
        }
        if op.set_flags == SetFlags::FromAdd {
            set_flags(core, written[0], sum, add_carry(op.add, a, b, sum));
        }
    }
    if op.mul != MulOp::Nop {
        product.store_lanes(written[1], &mut core.slots[at(op.to_mul)]);
        if op.post & (post::PACK | post::SPECIAL_MUL) != 0 {
            product.store(&mut core.slots[at(slot::OUT_MUL)]);
        }
        if op.set_flags == SetFlags::FromMul {
            set_flags(core, written[1], product, mul_carry(op.mul, mul_a, mul_b));
        }
    }
}

#[inline(always)]
fn set_flags<V: Vector>(core: &mut Core, mask: u16, result: V, carry: u16) {
    let (z, n) = (result.zero_lanes(), V::splat(0).greater_lanes(result));
    let flags = &mut core.flags;
    flags.z = flags.z & !mask | z & mask;
    flags.n = flags.n & !mask | n & mask;
    flags.c = flags.c & !mask | carry & mask;
    core.refresh_masks();
}

#[inline(always)]
fn load_immediate<V: Vector>(core: &mut Core, shared: &mut Shared, code: &Code, op: &Op) -> Result<(), Exit> {
    let value = V::load(&code.pool[op.index as usize]);
    let written = [core.masks[op.cond_add as usize], core.masks[op.cond_mul as usize]];
    value.store_lanes(written[0], &mut core.slots[op.to_add as usize]);
    value.store_lanes(written[1], &mut core.slots[op.to_mul as usize]);
    if op.set_flags != SetFlags::No {
        set_flags(core, written[0], value, 0);
    }
    if op.post != 0 {
        value.store(&mut core.slots[slot::OUT_ADD as usize]);
        value.store(&mut core.slots[slot::OUT_MUL as usize]);
        core.after(shared, code, op, written).map_err(Exit::Stop)?;
    }
    Ok(())
}

#[cold]
fn r4_fault(code: &Code, index: usize) -> FaultKind {
    let starts_sfu = code.insts[index].writes().any(|(_, waddr, _)| waddr.is_sfu());
    if starts_sfu { FaultKind::SfuTooEarly } else { FaultKind::R4TooEarly }
}

/// Goes where the branch or program end leads whose delay slots are over.
#[inline(always)]
fn redirect(core: &mut Core, code: &Code) -> Option<Exit> {
    let from = core.index - 1;
    core.jumped_at = core.counts.issued;
    let target = core.target;
    if let Some(next) = core.chained.take() {
        (core.delay, core.target) = (3, next);
    }
    match target {
        Target::Index(index) => {
            core.index = index;
            if core.check_target {
                return check_target(core, code, from, index);
            }
            None
        }
        Target::Address(address) => Some(Exit::Jump(address)),
        Target::End => {
            core.ended = true;
            Some(Exit::Ended)
        }
    }
}

#[cold]
fn check_target(core: &mut Core, code: &Code, from: usize, to: usize) -> Option<Exit> {
    let target = code.insts.get(to).filter(|_| code.ops[to].kind != Kind::Unknown)?;
    core.check_pair(&code.insts[from], target).err().map(Exit::Stop)
}
