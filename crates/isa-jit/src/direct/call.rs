//! Calling machine code: what it shares with its caller, and what it calls.

use super::places::{constant, exit};
use quadra_isa::vc4::emu::Lanes;
use quadra_isa::vc4::emu::translate::{Branching, Outcome, Qpu, Stepped, TMU_DEPTH};
use quadra_isa::vc4::{File, Waddr};
use std::mem::MaybeUninit;

/// Where things lie in [`Context`], in bytes.
pub mod layout {
    use crate::direct::call::Context;
    use std::mem::offset_of;

    pub const CORE: i32 = offset_of!(Context, core) as i32;
    pub const SLOTS: i32 = offset_of!(Context, slots) as i32;
    pub const UNIFORM: i32 = offset_of!(Context, uniform) as i32;
    pub const UNIFORM_START: i32 = offset_of!(Context, uniform_start) as i32;
    pub const UNIFORM_END: i32 = offset_of!(Context, uniform_end) as i32;
    pub const UNIFORM_BIAS: i32 = offset_of!(Context, uniform_bias) as i32;
    pub const SET: i32 = offset_of!(Context, set) as i32;
    pub const LEFT: i32 = offset_of!(Context, left) as i32;
    pub const END: i32 = offset_of!(Context, end) as i32;
    pub const STEP: i32 = offset_of!(Context, step) as i32;
    pub const STEP_AGAIN: i32 = offset_of!(Context, step_again) as i32;
    pub const UNIT: i32 = offset_of!(Context, unit) as i32;
    pub const SET_UP: i32 = offset_of!(Context, set_up) as i32;
    pub const PEEK: i32 = offset_of!(Context, peek) as i32;
    pub const SHARED: i32 = offset_of!(Context, shared) as i32;
    pub const FILLS: i32 = offset_of!(Context, fills) as i32;
    pub const NUMBERS: i32 = offset_of!(Context, numbers) as i32;
    pub const TMU: i32 = offset_of!(Context, tmu) as i32;
    pub const WAIT: i32 = offset_of!(Context, wait) as i32;
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
    /// Vectors by their number, vectors of masks, and masks by their number, for processors that have no registers for them.
    pub const SCRATCH: i32 = offset_of!(Context, scratch) as i32;
    pub const SCRATCH_WIDE: i32 = SCRATCH + 32 * 64;
    pub const SCRATCH_MASKS: i32 = SCRATCH + 35 * 64;

    /// Where things lie in what a TMU knows.
    pub mod tmu {
        use crate::direct::call::Window;
        use std::mem::offset_of;

        pub const SIZE: i32 = size_of::<Window>() as i32;
        pub const BYTES: i32 = offset_of!(Window, bytes) as i32;
        pub const LINES: i32 = offset_of!(Window, lines) as i32;
        pub const BASE: i32 = offset_of!(Window, base) as i32;
        pub const LENGTH: i32 = offset_of!(Window, length) as i32;
        pub const ANY_STALE: i32 = offset_of!(Window, any_stale) as i32;
    }
}

/// Memory in which a TMU looks words up: all of it 0 for none.
#[derive(Clone, Copy)]
#[repr(C)]
struct Window {
    bytes: *const u8,
    /// Null where lines are not followed.
    lines: *mut [u32; 2],
    base: u32,
    length: u32,
    any_stale: u32,
}

impl Window {
    const NONE: Window =
        Window { bytes: std::ptr::null(), lines: std::ptr::null_mut(), base: 0, length: 0, any_stale: 0 };

    fn find(qpu: &mut Qpu, unit: usize) -> Window {
        let Some(found) = qpu.lookups(unit) else { return Window::NONE };
        // All bits, so that it can be a mask of the lines' stale words.
        let (bytes, base, any_stale) = (found.bytes.as_ptr(), found.base, if found.any_stale { !0 } else { 0 });
        let lines = found.lines.map_or(std::ptr::null_mut(), |lines| lines.as_mut_ptr());
        // Distances are signed where a gather takes them.
        let length = if found.bytes.len() <= 1 << 31 { found.bytes.len() as u32 } else { 0 };
        Window { bytes, lines, base, length, any_stale }
    }
}

/// Results that a TMU's queue takes.
pub const DEPTH: i32 = TMU_DEPTH as i32;

/// What machine code and its caller share.
#[repr(C)]
struct Context {
    values: [Lanes; 2],
    core: *mut u8,
    shared: *mut u8,
    fills: *mut u32,
    /// Of the QPU and its code.
    numbers: [u32; 2],
    tmu: [Window; 2],
    /// The middle of the registers, which short distances reach from.
    slots: *mut Lanes,
    /// The next uniform, the start and the end of those that may be read, here; what the first is more than its address
    /// there.
    uniform: u64,
    uniform_start: u64,
    uniform_end: u64,
    uniform_bias: u64,
    /// Where the pointer of the uniforms was last set to, here.
    set: u64,
    left: u64,
    end: u64,
    step: extern "C" fn(*mut Context, u32) -> u32,
    step_again: extern "C" fn(*mut Context, u32) -> u32,
    unit: extern "C" fn(*mut Context, u32, u32, *const Lanes) -> u32,
    set_up: extern "C" fn(*mut Context, u32, u32, *const Lanes) -> u32,
    peek: extern "C" fn(*mut Context) -> u32,
    qpu: *mut Qpu<'static>,
    index: u32,
    kind: u32,
    slot: u32,
    taken: u32,
    target: u32,
    leave: u32,
    /// 1, the direction and the number of a semaphore that the QPU waits for, in the bytes; 0 for none.
    wait: u32,
    mode: u32,
    usual: u32,
    /// Instructions that the engine executed.
    steps: u32,
    constants: [u32; constant::VALUES.len()],
    scratch: MaybeUninit<[Lanes; 36]>,
}

/// All exceptions masked, rounding toward zero, flush to zero, denormals are zero.
const MODE: u32 = 0x1f80 | 0x6000 | 0x8000 | 0x0040;
/// What Rust expects.
const USUAL: u32 = 0x1f80;

/// What a call has done: instructions, and how many of them the engine executed.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub outcome: Outcome,
    pub issued: u64,
    pub steps: u64,
}

/// Runs the code of the block at `block`, for a QPU that is ready and stands there. `entry` is the address of what `common`
/// has written for this code.
pub fn run(entry: usize, block: u64, qpu: &mut Qpu, limit: u64) -> Done {
    let before = qpu.issued();
    let slots = qpu.registers().as_mut_ptr();
    let mut context = Context {
        values: [Lanes::ZERO; 2],
        core: qpu.core_address(),
        shared: qpu.shared_address(),
        fills: qpu.fills(),
        numbers: qpu.numbers(),
        tmu: [Window::find(qpu, 0), Window::find(qpu, 1)],
        // SAFETY: the registers are 256 vectors.
        slots: unsafe { slots.add(128) },
        uniform: 0,
        uniform_start: 0,
        uniform_end: 0,
        uniform_bias: 0,
        set: 0,
        left: limit,
        end: before + limit,
        step,
        step_again,
        unit: use_unit,
        set_up,
        peek,
        qpu: std::ptr::from_mut(qpu).cast(),
        index: 0,
        kind: 0,
        slot: 0,
        taken: 0,
        target: 0,
        leave: 0,
        wait: 0,
        mode: MODE,
        usual: USUAL,
        steps: 0,
        constants: constant::VALUES,
        scratch: MaybeUninit::uninit(),
    };
    let address = qpu.uniform_address();
    find_uniforms(&mut context, qpu, address);
    // SAFETY: the address is that of the function that `common` writes, in memory that the caller holds; `block` is that of
    // one of its blocks. The code reads and writes the context, the QPU and its registers at the places that `layout` and
    // `translate::core` name, and as many uniforms as lie before the end that it was told; it calls `step` and `use_unit`.
    // The processor was asked for what the code needs when the unit was made.
    unsafe {
        let function: extern "C" fn(*mut Context, u64) = std::mem::transmute(entry);
        function(&raw mut context, block);
    }
    let issued = context.end - context.left - before;
    let address = context.uniform.wrapping_sub(context.uniform_bias) as u32;
    qpu.finish(context.index as usize, before + issued, address);
    Done { outcome: outcome(&context, qpu, issued), issued, steps: context.steps.into() }
}

/// Leaves the QPU where native code has come to, and says how.
fn outcome(context: &Context, qpu: &mut Qpu, issued: u64) -> Outcome {
    if qpu.has_stopped() {
        leave_in_slots(context, qpu);
        return Outcome::Stopped;
    }
    match context.kind {
        exit::ADDRESS => return Outcome::Jump(context.target),
        exit::JUMPED => qpu.note_jump(),
        _ => leave_in_slots(context, qpu),
    }
    if context.wait != 0 {
        let [_, down, number, _] = context.wait.to_le_bytes();
        qpu.wait_for_semaphore(number, down != 0);
        return Outcome::Stopped;
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

/// Looks where the uniforms are that can be read without looking at each.
fn find_uniforms(context: &mut Context, qpu: &mut Qpu, address: u32) {
    (context.uniform, context.uniform_start, context.uniform_end) = (0, 0, 0);
    if let Some(uniforms) = qpu.uniforms(address) {
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
        find_uniforms(context, qpu, address);
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
    let stepped = qpu.step(index as usize);
    if stepped == Stepped::Stored {
        context.tmu = [Window::find(qpu, 0), Window::find(qpu, 1)];
    }
    stepped
}

/// Gives a vector to TMU 0, TMU 1 or the VPM: 0 if that was all, 1 if it needs the engine. Where native code must be left
/// behind the instruction, it finds a mark in the context.
extern "C" fn use_unit(context: *mut Context, index: u32, unit: u32, value: *const Lanes) -> u32 {
    // SAFETY: as in `step`; the value lies in the context, which nothing changes while the QPU looks at it.
    let (qpu, value) = unsafe { (&mut *(*context).qpu, &*value) };
    let done = qpu.use_unit(unit as usize, index as usize, value);
    // SAFETY: as in `step`.
    let context = unsafe { &mut *context };
    context.leave = u32::from(done == Stepped::Leave);
    if let Some(window) = context.tmu.get_mut(unit as usize) {
        *window = Window::find(qpu, unit as usize);
    }
    u32::from(done == Stepped::Stopped)
}

/// Writes a setup register, or starts a transfer or a special function; `to` is the address, and above it 1 for file B. 0 if
/// that was all, 1 if it needs the engine.
extern "C" fn set_up(context: *mut Context, index: u32, to: u32, value: *const Lanes) -> u32 {
    // SAFETY: as in `use_unit`.
    let (qpu, value) = unsafe { (&mut *(*context).qpu, &*value) };
    let file = if to >> 8 == 0 { File::A } else { File::B };
    let done = qpu.set_up(index as usize, file, Waddr(to as u8), value);
    if done == Stepped::Stored {
        // SAFETY: as in `step`.
        let context = unsafe { &mut *context };
        let address = context.uniform.wrapping_sub(context.uniform_bias) as u32;
        find_uniforms(context, qpu, address);
        context.tmu = [Window::find(qpu, 0), Window::find(qpu, 1)];
    }
    u32::from(done == Stepped::Stopped)
}

/// Brings the VPM's next vector into its register: 0 if that was all, 1 if it needs the engine.
extern "C" fn peek(context: *mut Context) -> u32 {
    // SAFETY: as in `step`.
    let qpu = unsafe { &mut *(*context).qpu };
    u32::from(!qpu.peek_vpm())
}
