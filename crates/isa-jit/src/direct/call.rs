//! Calling machine code: what it shares with its caller, and what it calls.

use super::emit::{constant, exit};
use super::{Counters, Unit};
use quadra_isa::vc4::emu::Lanes;
use quadra_isa::vc4::emu::translate::{Branching, Outcome, Qpu, Stepped};
use std::sync::atomic::Ordering;

/// Where things lie in [`Context`], in bytes.
pub mod layout {
    use super::Context;
    use std::mem::offset_of;

    pub const CORE: i32 = offset_of!(Context, core) as i32;
    pub const SLOTS: i32 = offset_of!(Context, slots) as i32;
    pub const UNIFORM: i32 = offset_of!(Context, uniform) as i32;
    pub const UNIFORM_START: i32 = offset_of!(Context, uniform_start) as i32;
    pub const UNIFORM_END: i32 = offset_of!(Context, uniform_end) as i32;
    pub const UNIFORM_BIAS: i32 = offset_of!(Context, uniform_bias) as i32;
    pub const LEFT: i32 = offset_of!(Context, left) as i32;
    pub const END: i32 = offset_of!(Context, end) as i32;
    pub const STEP: i32 = offset_of!(Context, step) as i32;
    pub const STEP_AGAIN: i32 = offset_of!(Context, step_again) as i32;
    pub const UNIT: i32 = offset_of!(Context, unit) as i32;
    pub const INDEX: i32 = offset_of!(Context, index) as i32;
    pub const KIND: i32 = offset_of!(Context, kind) as i32;
    pub const SLOT: i32 = offset_of!(Context, slot) as i32;
    pub const TAKEN: i32 = offset_of!(Context, taken) as i32;
    pub const LEAVE: i32 = offset_of!(Context, leave) as i32;
    pub const TARGET: i32 = offset_of!(Context, target) as i32;
    pub const MODE: i32 = offset_of!(Context, mode) as i32;
    pub const USUAL: i32 = offset_of!(Context, usual) as i32;
    pub const CONSTANTS: i32 = offset_of!(Context, constants) as i32;
    pub const VALUES: i32 = offset_of!(Context, values) as i32;
}

/// What machine code and its caller share.
#[repr(C)]
struct Context {
    values: [Lanes; 2],
    core: *mut u8,
    /// The middle of the registers, which short distances reach from.
    slots: *mut Lanes,
    /// The next uniform, the start and the end of those that may be read, here; what the first is more than its address
    /// there.
    uniform: u64,
    uniform_start: u64,
    uniform_end: u64,
    uniform_bias: u64,
    left: u64,
    end: u64,
    step: extern "C" fn(*mut Context, u32) -> u32,
    step_again: extern "C" fn(*mut Context, u32) -> u32,
    unit: extern "C" fn(*mut Context, u32, u32, *const Lanes) -> u32,
    qpu: *mut Qpu<'static>,
    index: u32,
    kind: u32,
    slot: u32,
    taken: u32,
    target: u32,
    leave: u32,
    mode: u32,
    usual: u32,
    /// Instructions that the engine executed.
    steps: u32,
    constants: [u32; constant::VALUES.len()],
}

/// All exceptions masked, rounding toward zero, flush to zero, denormals are zero.
const MODE: u32 = 0x1f80 | 0x6000 | 0x8000 | 0x0040;
/// What Rust expects.
const USUAL: u32 = 0x1f80;

/// Runs a unit's code from where the QPU stands.
pub fn run(unit: &Unit, qpu: &mut Qpu, limit: u64) -> Outcome {
    let Some(entry) = unit.address_of(qpu.index()).filter(|_| qpu.is_ready()) else { return Outcome::Refused };
    let before = qpu.issued();
    let slots = qpu.registers().as_mut_ptr();
    let mut context = Context {
        values: [Lanes::ZERO; 2],
        core: qpu.core_address(),
        // SAFETY: the registers are 256 vectors.
        slots: unsafe { slots.add(128) },
        uniform: 0,
        uniform_start: 0,
        uniform_end: 0,
        uniform_bias: 0,
        left: limit,
        end: before + limit,
        step,
        step_again,
        unit: use_unit,
        qpu: std::ptr::from_mut(qpu).cast(),
        index: 0,
        kind: 0,
        slot: 0,
        taken: 0,
        target: 0,
        leave: 0,
        mode: MODE,
        usual: USUAL,
        steps: 0,
        constants: constant::VALUES,
    };
    find_uniforms(&mut context, qpu);
    // SAFETY: the address is that of the function that `common` writes, in memory that the unit holds; `entry` is that of
    // one of its blocks. The code reads and writes the context, the QPU and its registers at the places that `layout` and
    // `translate::core` name, and as many uniforms as lie before the end that it was told; it calls `step` and `use_unit`.
    // The processor was asked for what the code needs when the unit was made.
    unsafe {
        let function: extern "C" fn(*mut Context, u64) = std::mem::transmute(unit.entry);
        function(&raw mut context, entry);
    }
    let issued = context.end - context.left - before;
    let address = context.uniform.wrapping_sub(context.uniform_bias) as u32;
    qpu.finish(context.index as usize, before + issued, address);
    count(&unit.counters, issued, u64::from(context.steps));
    if qpu.has_stopped() {
        leave_in_slots(&context, qpu);
        return Outcome::Stopped;
    }
    match context.kind {
        exit::ADDRESS => return Outcome::Jump(context.target),
        exit::JUMPED => qpu.note_jump(),
        _ => leave_in_slots(&context, qpu),
    }
    if issued == 0 { Outcome::Refused } else { Outcome::Done }
}

fn leave_in_slots(context: &Context, qpu: &mut Qpu) {
    if context.taken == 0 {
        return;
    }
    match context.kind {
        exit::SLOT => qpu.enter_slots(context.slot, Branching::To(context.target as usize)),
        exit::SLOT_ADDRESS => qpu.enter_slots(context.slot, Branching::ToAddress(context.target)),
        _ => {}
    }
}

fn count(counters: &Counters, issued: u64, steps: u64) {
    counters.calls.fetch_add(1, Ordering::Relaxed);
    counters.issued.fetch_add(issued, Ordering::Relaxed);
    counters.steps.fetch_add(steps, Ordering::Relaxed);
}

/// Looks where the uniforms are that can be read without looking at each.
fn find_uniforms(context: &mut Context, qpu: &mut Qpu) {
    let address = qpu.uniform_address();
    (context.uniform, context.uniform_start, context.uniform_end) = (0, 0, 0);
    if let Some(uniforms) = qpu.uniforms() {
        let at = (address & !3).wrapping_sub(uniforms.base) as usize;
        if at < uniforms.bytes.len() {
            let start = uniforms.bytes.as_ptr() as u64;
            (context.uniform, context.uniform_start) = (start + at as u64, start);
            context.uniform_end = start + uniforms.bytes.len() as u64;
        }
    }
    context.uniform_bias = context.uniform.wrapping_sub(u64::from(address & !3));
}

/// Executes one instruction by the engine: 0 if execution goes on, 1 if it has stopped, 2 if native code must be left.
extern "C" fn step(context: *mut Context, index: u32) -> u32 {
    // SAFETY: machine code passes its context on, whose QPU is borrowed exclusively by `run` and not used by it meanwhile.
    let (context, qpu) = unsafe { (&mut *context, &mut *(*context).qpu) };
    let before = qpu.uniform_address();
    let stepped = step_only(context, qpu, index);
    let address = qpu.uniform_address();
    if address != before || stepped == Stepped::Stored {
        find_uniforms(context, qpu);
    } else {
        context.uniform = context.uniform_bias.wrapping_add(u64::from(address & !3));
    }
    stepped.code()
}

/// The same where machine code keeps its own place in the uniforms.
extern "C" fn step_again(context: *mut Context, index: u32) -> u32 {
    // SAFETY: as in `step`.
    let (context, qpu) = unsafe { (&mut *context, &mut *(*context).qpu) };
    step_only(context, qpu, index).code()
}

fn step_only(context: &mut Context, qpu: &mut Qpu, index: u32) -> Stepped {
    context.steps += 1;
    qpu.step(index as usize)
}

/// Gives a vector to TMU 0, TMU 1 or the VPM: 0 if that was all, 1 if it needs the engine. Where native code must be left
/// behind the instruction, it finds a mark in the context.
extern "C" fn use_unit(context: *mut Context, index: u32, unit: u32, value: *const Lanes) -> u32 {
    // SAFETY: as in `step`; the value lies in the context, which this function does not change.
    let (qpu, value, leave) = unsafe { (&mut *(*context).qpu, &*value, &mut (*context).leave) };
    let done = qpu.use_unit(unit as usize, index as usize, value);
    *leave = u32::from(done == Stepped::Leave);
    u32::from(done == Stepped::Stopped)
}
