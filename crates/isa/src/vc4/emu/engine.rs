//! The loop that executes decoded instructions, written once for every vector type.

use super::code::{Code, Kind, Op, SetFlags, post, pre, slot};
use super::core::{Core, Shared, Stop, Target};
use super::fast::Ahead;
use super::fault::{Access, FaultKind};
use super::native;
use super::translate::head;
use super::{Lanes, portable};
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

/// Instructions between two looks whether marks of values are left.
const REST: u64 = 64;

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
    /// A probe is due at the present instruction.
    Probe,
    /// Execution has jumped to the present instruction, and there may be native code for it.
    Head,
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

/// How an engine executes the two operations of an ALU instruction.
pub trait Alus {
    /// Executes them in the lanes `written` (add, mul): operands from the slots, results to the plain destinations and, if
    /// something is to be done with them afterwards, to [`slot::OUT_ADD`] and [`slot::OUT_MUL`]; sets the flags.
    fn execute(core: &mut Core, op: &Op, written: [u16; 2]);

    /// Executes the `count` plain instructions from `index` on; gives how many it did, fewer if one needs the loop. No
    /// special function and no move of the uniforms' pointer is less than three instructions ago.
    fn stretch(core: &mut Core, code: &Code, index: usize, count: usize, uniforms: &mut Ahead) -> usize;
}

/// The kernels of [`portable`], compiled for some processor. Each is one function, called through memory.
pub trait Kernels {
    fn add(op: AddOp, a: &Lanes, b: &Lanes, out: &mut Lanes);
    fn mul(op: MulOp, a: &Lanes, b: &Lanes, out: &mut Lanes);
    fn add_carry(op: AddOp, a: &Lanes, b: &Lanes, r: &Lanes) -> u16;
    fn zero_negative(r: &Lanes) -> (u16, u16);
    fn store_lanes(from: &Lanes, mask: u16, to: &mut Lanes);
}

/// The kernels for the baseline of the target.
pub struct Portable;

impl Kernels for Portable {
    #[inline(never)]
    fn add(op: AddOp, a: &Lanes, b: &Lanes, out: &mut Lanes) {
        portable::add_op(op, a, b, out);
    }
    #[inline(never)]
    fn mul(op: MulOp, a: &Lanes, b: &Lanes, out: &mut Lanes) {
        portable::mul_op(op, a, b, out);
    }
    #[inline(never)]
    fn add_carry(op: AddOp, a: &Lanes, b: &Lanes, r: &Lanes) -> u16 {
        portable::add_carry(op, a, b, r)
    }
    #[inline(never)]
    fn zero_negative(r: &Lanes) -> (u16, u16) {
        portable::zero_negative(r)
    }
    #[inline(never)]
    fn store_lanes(from: &Lanes, mask: u16, to: &mut Lanes) {
        portable::store_lanes(from, mask, to);
    }
}

impl<K: Kernels> Alus for K {
    #[inline(always)]
    fn execute(core: &mut Core, op: &Op, written: [u16; 2]) {
        let at = |n: u8| n as usize;
        let (mut sum, mut product) = (Lanes::ZERO, Lanes::ZERO);
        let mut flags = None;
        // Both operations read before either writes.
        if op.mul != MulOp::Nop {
            let (a, b) = (&core.slots[at(op.mul_a)], &core.slots[at(op.mul_b)]);
            K::mul(op.mul, a, b, &mut product);
            if op.set_flags == SetFlags::FromMul {
                flags = Some((written[1], K::zero_negative(&product), portable::mul_carry(op.mul, a, b)));
            }
        }
        if op.add != AddOp::Nop {
            let (a, b) = (&core.slots[at(op.add_a)], &core.slots[at(op.add_b)]);
            K::add(op.add, a, b, &mut sum);
            if op.set_flags == SetFlags::FromAdd {
                flags = Some((written[0], K::zero_negative(&sum), K::add_carry(op.add, a, b, &sum)));
            }
            if op.post & post::PACK != 0 {
                core.slots[at(slot::ROTATED_A)] = core.slots[at(op.add_a)];
                core.slots[at(slot::ROTATED_B)] = core.slots[at(op.add_b)];
            }
            write::<K>(core, &sum, written[0], op.to_add);
        }
        if op.mul != MulOp::Nop {
            write::<K>(core, &product, written[1], op.to_mul);
        }
        if op.post & (post::PACK | post::SPECIAL_ADD | post::SPECIAL_MUL) != 0 {
            core.slots[at(slot::OUT_ADD)] = sum;
            core.slots[at(slot::OUT_MUL)] = product;
        }
        if let Some((mask, (z, n), c)) = flags {
            core.set_flags(mask, z, n, c);
        }
    }

    #[inline(always)]
    fn stretch(core: &mut Core, code: &Code, index: usize, count: usize, uniforms: &mut Ahead) -> usize {
        for (done, op) in code.ops[index..index + count].iter().enumerate() {
            if op.pre & pre::UNIFORM != 0 {
                let Some(word) = uniforms.next() else { return done };
                core.slots[slot::UNIFORM as usize] = Lanes::splat(word);
            }
            let written = [core.masks[op.cond_add as usize], core.masks[op.cond_mul as usize]];
            Self::execute(core, op, written);
        }
        count
    }
}

#[inline(always)]
fn write<K: Kernels>(core: &mut Core, value: &Lanes, mask: u16, to: u8) {
    if mask == !0 {
        core.slots[to as usize] = *value;
    } else {
        K::store_lanes(value, mask, &mut core.slots[to as usize]);
    }
}

/// The loop itself; inlined into one function per engine, so that each is compiled for its processor.
#[inline(always)]
pub fn run_loop<A: Alus>(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
    // Position and count live in registers; memory only gets copies, for the functions that look at them.
    let (mut index, mut issued) = (core.index, core.counts.issued);
    let end = issued + limit;
    // Whoever watches single instructions or uniforms sees each of them.
    let watched = core.profile.is_some() || core.events.is_some();
    while issued != end {
        (core.index, core.counts.issued) = (index, issued);
        let run = code.fast.get(index).map_or(0, |f| u64::from(f.run));
        let mut done = 0;
        if run != 0
            && !watched
            && core.stale.is_none()
            && !core.within(core.sfu_at, 3)
            && !core.within(core.uniform_set_at, 3)
        {
            let slots = if core.delay != 0 { u64::from(core.delay) } else { run };
            let count = run.min(slots).min(end - issued) as usize;
            let mut uniforms = core.ahead(shared);
            done = A::stretch(core, code, index, count, &mut uniforms);
            let read = uniforms.read;
            core.pass(read);
        }
        if done == 0 {
            if core.stale.is_some() && issued.is_multiple_of(REST) {
                core.rest();
            }
            let Some(op) = code.ops.get(index) else {
                if index < code.count {
                    return Exit::Decode;
                }
                return Exit::Stop(Stop::Fault(FaultKind::Outside(Access::Code), None, None));
            };
            if let Err(exit) = step::<A>(core, shared, code, op) {
                return exit;
            }
            if let Some(profile) = &mut core.profile {
                profile[core.code][index] += 1;
            }
            done = 1;
        }
        issued += done as u64;
        index += done;
        if core.delay != 0 {
            core.delay -= done as u32;
            if core.delay == 0 {
                (core.index, core.counts.issued) = (index, issued);
                if let Some(exit) = redirect(core, shared, code) {
                    return exit;
                }
                index = core.index;
            }
        } else if let Some(&known) = code.heads.get(index)
            && known >= head::TRANSLATED
            && issued != end
            && issued >= core.quiet_until
        {
            (core.index, core.counts.issued) = (index, issued);
            return Exit::Head;
        }
    }
    (core.index, core.counts.issued) = (index, issued);
    Exit::Limit
}

#[inline(always)]
fn step<A: Alus>(core: &mut Core, shared: &mut Shared, code: &Code, op: &Op) -> Result<(), Exit> {
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
            if core.stale.is_some() {
                core.carry_marks(shared, &code.insts[core.index], op, written).map_err(Exit::Stop)?;
            }
            A::execute(core, op, written);
            if op.post == post::LOAD_TMU {
                core.load_tmu(op.index as usize & 1).map_err(Exit::Stop)?;
            } else if op.post != 0 {
                core.after(shared, code, op, written).map_err(Exit::Stop)?;
            }
            Ok(())
        }
        Kind::Branch if op.jump.is_some() && core.delay == 0 && core.stale.is_none() => {
            core.jump(op).map_err(Exit::Stop)
        }
        Kind::Branch => core.branch(shared, code, op).map_err(Exit::Stop),
        Kind::LoadImmediate => load_immediate::<A>(core, shared, code, op),
        Kind::Semaphore => {
            core.semaphore(shared, &code.insts[core.index]).map_err(Exit::Stop)?;
            load_immediate::<A>(core, shared, code, op)
        }
        Kind::Probe if std::mem::take(&mut core.probed) => Ok(()),
        Kind::Probe => Err(Exit::Probe),
        Kind::Unknown => Err(Exit::Decode),
        Kind::Faulty => Err(Exit::Stop(code.fault_of(core.index, &shared.memory).into())),
    }
}

#[inline(always)]
fn load_immediate<A: Alus>(core: &mut Core, shared: &mut Shared, code: &Code, op: &Op) -> Result<(), Exit> {
    let value = &code.pool[op.index as usize];
    let written = [core.masks[op.cond_add as usize], core.masks[op.cond_mul as usize]];
    if core.stale.is_some() {
        core.carry_marks(shared, &code.insts[core.index], op, written).map_err(Exit::Stop)?;
    }
    portable::store_lanes(value, written[0], &mut core.slots[op.to_add as usize]);
    portable::store_lanes(value, written[1], &mut core.slots[op.to_mul as usize]);
    if op.set_flags != SetFlags::No {
        let (z, n) = portable::zero_negative(value);
        core.set_flags(written[0], z, n, 0);
    }
    if op.post != 0 {
        core.slots[slot::OUT_ADD as usize] = *value;
        core.slots[slot::OUT_MUL as usize] = *value;
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
fn redirect(core: &mut Core, shared: &mut Shared, code: &Code) -> Option<Exit> {
    let from = core.index - 1;
    core.jumped_at = core.counts.issued;
    let target = core.target;
    if let Some(next) = core.chained.take() {
        (core.delay, core.target) = (3, next);
    }
    match target {
        Target::Index(index) => {
            core.index = index;
            if core.check_target
                && let Some(exit) = check_target(core, shared, code, from, index)
            {
                return Some(exit);
            }
            // Without a translator there are no heads.
            let asks = code.heads.get(index).is_some_and(|known| *known != head::NONE);
            (asks && core.delay == 0 && core.counts.issued >= core.quiet_until).then_some(Exit::Head)
        }
        Target::Address(address) => Some(Exit::Jump(address)),
        Target::End => {
            core.ended = true;
            Some(Exit::Ended)
        }
    }
}

#[cold]
fn check_target(core: &mut Core, shared: &mut Shared, code: &Code, from: usize, to: usize) -> Option<Exit> {
    let target = code.inst_at(to, &shared.memory)?;
    core.check_pair(shared, &code.insts[from], &target).err().map(Exit::Stop)
}
