//! Calling translated code: the memory it shares with the caller, the mode of the processor's float unit, the call.

use quadra_base::Diagnostic;
use quadra_isa::vc4::emu::Lanes;
use quadra_isa::vc4::emu::sfu::Function;
use quadra_isa::vc4::emu::translate::{Outcome, Progress, Qpu};
use quadra_llvm::Code;

/// Results that a TMU's queue holds.
const DEPTH: usize = 4;

/// Where things lie in [`Context`], in bytes.
pub mod layout {
    use super::Context;
    use std::mem::offset_of;

    pub const DEPTH: usize = super::DEPTH;
    pub const SLOTS: usize = offset_of!(Context, slots);
    pub const UNIFORM_BYTES: usize = offset_of!(Context, uniform_bytes);
    pub const UNIFORM_LENGTH: usize = offset_of!(Context, uniform_length);
    pub const UNIFORM_AT: usize = offset_of!(Context, uniform_at);
    pub const UNIFORM_BASE: usize = offset_of!(Context, uniform_base);
    pub const POOL: usize = offset_of!(Context, pool);
    pub const LIMIT: usize = offset_of!(Context, limit);
    pub const GATHER: usize = offset_of!(Context, gather);
    pub const WINDOW: usize = offset_of!(Context, window);
    pub const WINDOW_BASE: usize = offset_of!(Context, window_base);
    pub const WINDOW_LENGTH: usize = offset_of!(Context, window_length);
    pub const SPECIAL: usize = offset_of!(Context, special);
    pub const INDEX: usize = offset_of!(Context, index);
    pub const ISSUED: usize = offset_of!(Context, issued);
    pub const UNIFORMS_READ: usize = offset_of!(Context, uniforms_read);
    pub const REQUESTS: usize = offset_of!(Context, requests);
    pub const SPECIALS: usize = offset_of!(Context, specials);
    pub const SFU_AT: usize = offset_of!(Context, sfu_at);
    pub const UNIFORM_SET: usize = offset_of!(Context, uniform_set);
    pub const INEXACT: usize = offset_of!(Context, inexact);
    pub const JUMPED: usize = offset_of!(Context, jumped);
    pub const HEADS: usize = offset_of!(Context, heads);
    pub const LENGTHS: usize = offset_of!(Context, lengths);
    pub const FLAGS: usize = offset_of!(Context, flags);
    pub const RECORDED: usize = offset_of!(Context, recorded);
    pub const QUEUES: usize = offset_of!(Context, queues);
    pub const SCRATCH: usize = offset_of!(Context, scratch);
    pub const WORK: usize = offset_of!(Context, work);
}

/// What translated code and its caller share.
#[repr(C)]
struct Context {
    slots: *const Lanes,
    uniform_bytes: *const u8,
    uniform_length: u64,
    /// Offset of the next uniform.
    uniform_at: u64,
    uniform_base: u32,
    pool: *const Lanes,
    limit: u64,
    gather: extern "C" fn(*mut Context, *const Lanes, *mut Lanes) -> u32,
    special: extern "C" fn(*mut Context, u32, *const Lanes, *mut Lanes),
    qpu: *mut Qpu<'static>,
    /// The memory that the TMU last read from, with its address and length.
    window: *const u8,
    window_base: u32,
    window_length: u32,
    index: u64,
    issued: u64,
    uniforms_read: u64,
    requests: u64,
    specials: u64,
    /// Issue counts from the start of the block, or [`NOT`].
    sfu_at: u64,
    uniform_set: u64,
    /// Registers that may hold -0 for +0: the low 64, the others.
    inexact: [u64; 2],
    jumped: u64,
    heads: [u64; 2],
    lengths: [u64; 2],
    flags: [u16; 3],
    recorded: [u16; 2],
    queues: [[Lanes; DEPTH]; 2],
    scratch: [Lanes; 2],
    work: [Lanes; super::facts::REGISTERS],
}

/// The count of what did not happen.
const NOT: u64 = u64::MAX;

/// A compiled region.
#[derive(Debug)]
pub struct Native {
    /// Holds the code in memory.
    _code: Code,
    entry: usize,
    pub written: u128,
    pub in_memory: u128,
    pub numbers: u128,
    pub pool: Vec<Lanes>,
    /// The head's first touch of r4 and first uniform, which must keep away from what ran before.
    pub r4_first: Option<usize>,
    pub uniform_first: Option<usize>,
    /// Whether the head leaves such things to its followers.
    pub head_is_short: bool,
    /// Whether the region uses uniforms at all.
    pub uses_uniforms: bool,
}

impl Native {
    /// Code whose function `block` is a region's.
    ///
    /// # Errors
    /// If there is no such function.
    pub fn new(code: Code, written: u128, pool: Vec<Lanes>) -> Result<Native, Box<Diagnostic>> {
        let entry = code.address("block")?;
        Ok(Native {
            _code: code,
            entry,
            written,
            in_memory: 0,
            numbers: 0,
            pool,
            r4_first: None,
            uniform_first: None,
            head_is_short: false,
            uses_uniforms: false,
        })
    }

    /// Runs the code.
    pub fn run(&self, qpu: &mut Qpu, limit: u64) -> Outcome {
        let (issued, recent) = (qpu.issued(), qpu.recent());
        let apart = |at: u64, first: Option<usize>| {
            let since = issued.wrapping_sub(at);
            since >= 3 || first.map_or(!self.head_is_short, |first| since + first as u64 >= 3)
        };
        if !qpu.is_ready() || !apart(recent.sfu, self.r4_first) || !apart(recent.uniform_set, self.uniform_first) {
            return Outcome::Refused;
        }
        let (mut base, mut at, mut bytes) = (0, u64::MAX / 2, (std::ptr::null(), 0));
        if self.uses_uniforms {
            let Some(uniforms) = qpu.uniforms(qpu.uniform_address()) else { return Outcome::Refused };
            base = uniforms.base;
            at = u64::from((uniforms.address & !3).wrapping_sub(base));
            bytes = (uniforms.bytes.as_ptr(), uniforms.bytes.len() as u64);
        }
        let flags = qpu.flags();
        let mut context = Context {
            slots: qpu.registers().as_ptr(),
            uniform_bytes: bytes.0,
            uniform_length: bytes.1,
            uniform_at: at,
            uniform_base: base,
            pool: self.pool.as_ptr(),
            limit,
            gather,
            special,
            qpu: std::ptr::from_mut(qpu).cast(),
            window: std::ptr::null(),
            window_base: 0,
            window_length: 0,
            index: 0,
            issued: 0,
            uniforms_read: 0,
            requests: 0,
            specials: 0,
            sfu_at: NOT,
            uniform_set: NOT,
            inexact: [0; 2],
            jumped: 0,
            heads: [0; 2],
            lengths: [0; 2],
            flags: [flags.z, flags.n, flags.c],
            recorded: [0; 2],
            queues: [[Lanes::ZERO; DEPTH]; 2],
            scratch: [Lanes::ZERO; 2],
            work: [Lanes::ZERO; super::facts::REGISTERS],
        };
        let slots = qpu.registers();
        if each(self.numbers).any(|register| slots[register].0.iter().any(|bits| bits & 0x7fff_ffff > 0x7f80_0000)) {
            return Outcome::Undone(0);
        }
        for register in each(self.in_memory) {
            context.work[register] = slots[register];
        }
        for unit in 0..2 {
            for (n, result) in qpu.received(unit).enumerate() {
                context.queues[unit][n] = *result;
                context.lengths[unit] = n as u64 + 1;
            }
        }
        // SAFETY: the address is that of a function of type `fn(*mut Context) -> u32`, made by `emit`, and `_code` keeps it in
        // memory. It reads and writes the context, reads the registers, the pool and as many bytes of uniforms as it was told,
        // all of which outlive the call, and calls `gather` and `special` with pointers into the context.
        let (result, exceptions) = unsafe { float_mode::within(self.entry, &mut context) };
        match result {
            2 => Outcome::Refused,
            0 if !exceptions => {
                self.commit(qpu, &context, issued);
                Outcome::Done
            }
            _ => Outcome::Undone(context.issued),
        }
    }

    fn commit(&self, qpu: &mut Qpu, context: &Context, before: u64) {
        let slots = qpu.registers();
        let inexact = u128::from(context.inexact[0]) | u128::from(context.inexact[1]) << 64;
        for register in each(self.written) {
            let value = context.work[register];
            slots[register] = match inexact >> register & 1 {
                0 => value,
                _ => Lanes(value.0.map(|bits| if bits == 0x8000_0000 { 0 } else { bits })),
            };
        }
        let mut recent = qpu.recent();
        if context.sfu_at != NOT {
            recent.sfu = before + context.sfu_at;
        }
        if context.uniform_set != NOT {
            recent.uniform_set = before + context.uniform_set;
        }
        if context.jumped != 0 {
            recent.jump = before + context.issued;
        }
        for unit in 0..2 {
            if context.heads[unit] != 0 || context.requests != 0 {
                let length = context.lengths[unit] as usize;
                let results: [Lanes; DEPTH] =
                    std::array::from_fn(|n| context.queues[unit][(context.heads[unit] as usize + n) % DEPTH]);
                qpu.set_received(unit, &results[..length]);
            }
        }
        let uniform_address = match self.uses_uniforms {
            true => Some(context.uniform_base.wrapping_add(context.uniform_at as u32)),
            false => None,
        };
        let [z, n, c] = context.flags;
        qpu.commit(&Progress {
            index: context.index as usize,
            flags: quadra_isa::vc4::emu::flags::Flags { z, n, c },
            issued: context.issued,
            uniforms: context.uniforms_read,
            tmu_requests: context.requests,
            sfu: context.specials,
            uniform_address,
            recent,
            recorded: context.recorded,
        });
    }
}

/// The registers of a set.
fn each(set: u128) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let register = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(register)
    })
}

/// Reads one word per lane as the TMU does, and remembers the memory; 0 if that must be left to the engine.
extern "C" fn gather(context: *mut Context, from: *const Lanes, to: *mut Lanes) -> u32 {
    // SAFETY: translated code passes its context on, whose QPU is borrowed exclusively by `run` below on the stack and not
    // used by it meanwhile; both vectors lie in the context and do not overlap. The memory of the window is neither moved
    // nor written while a block runs.
    unsafe {
        let context = &mut *context;
        let qpu = &mut *context.qpu;
        if !qpu.gather(&*from, &mut *to) {
            return 0;
        }
        if let Some((base, bytes)) = qpu.memory_at((*from).0[0]) {
            context.window = bytes.as_ptr();
            context.window_base = base;
            context.window_length = bytes.len().min(0x7fff_fffc) as u32;
        }
        1
    }
}

/// The special function unit. Its model computes in f64, to nearest.
extern "C" fn special(context: *mut Context, function: u32, from: *const Lanes, to: *mut Lanes) {
    // SAFETY: `model` is of this type.
    unsafe { float_mode::without(model, context, function, from, to) }
}

/// What [`special`] does in the usual mode.
extern "C" fn model(context: *mut Context, function: u32, from: *const Lanes, to: *mut Lanes) {
    // SAFETY: as in `gather`.
    unsafe {
        let function = Function::ALL[function as usize & 3];
        *to = (*(*context).qpu).special(function, &*from);
    }
}

/// A function that translated code calls for the special function unit.
type Special = extern "C" fn(*mut Context, u32, *const Lanes, *mut Lanes);

/// Whether this processor has a mode that translated code can run in.
pub const fn is_supported() -> bool {
    cfg!(all(unix, any(target_arch = "x86_64", target_arch = "aarch64")))
}

/// The float unit's mode: toward zero, denormals flushed both ways; overflow and invalid operations leave a mark.
///
/// The compiler takes it for granted that floats are rounded to nearest and moves their operations past a change of the mode,
/// even one by assembly. So a change, a call and the way back are one statement, which nothing can be moved into.
#[cfg(all(unix, target_arch = "x86_64"))]
mod float_mode {
    use super::{Context, Lanes, Special};
    use std::arch::asm;

    /// All exceptions masked, rounding toward zero, flush to zero, denormals are zero.
    const MODE: u32 = 0x1f80 | 0x6000 | 0x8000 | 0x0040;
    /// What Rust expects.
    const USUAL: u32 = 0x1f80;
    const OVERFLOW_OR_INVALID: u32 = 0x8 | 0x1;

    /// Calls translated code in the mode; its result, and whether there was an overflow or an invalid operation.
    ///
    /// # Safety
    /// At `entry` there is a function `extern "C" fn(*mut Context) -> u32` that may be called with this context, and computes
    /// with floats in code that Rust compiled within [`without`] only.
    pub unsafe fn within(entry: usize, context: *mut Context) -> (u32, bool) {
        // The word before the call, that of the call, that behind it.
        let mut words = [0, MODE, 0];
        let result: u32;
        // SAFETY: as the caller promises; the control word is put back, and registers that the function keeps hold what is
        // needed behind the call.
        unsafe {
            asm!(
                "stmxcsr [r12]",
                "ldmxcsr [r12 + 4]",
                "call r13",
                "stmxcsr [r12 + 8]",
                "ldmxcsr [r12]",
                in("r12") words.as_mut_ptr(),
                in("r13") entry,
                in("rdi") context,
                lateout("eax") result,
                clobber_abi("C"),
            );
        }
        (result, words[2] & OVERFLOW_OR_INVALID != 0)
    }

    /// Calls a function in the usual mode, in the middle of [`within`].
    ///
    /// # Safety
    /// The function may be called with these arguments.
    pub unsafe fn without(f: Special, context: *mut Context, function: u32, from: *const Lanes, to: *mut Lanes) {
        let mut words = [0, USUAL];
        // SAFETY: as in `within`.
        unsafe {
            asm!(
                "stmxcsr [r12]",
                "ldmxcsr [r12 + 4]",
                "call r13",
                "ldmxcsr [r12]",
                in("r12") words.as_mut_ptr(),
                in("r13") f,
                in("rdi") context,
                in("esi") function,
                in("rdx") from,
                in("rcx") to,
                clobber_abi("C"),
            );
        }
    }
}

#[cfg(all(unix, target_arch = "aarch64"))]
mod float_mode {
    use super::{Context, Lanes, Special};
    use std::arch::asm;

    /// Rounding toward zero, flush to zero.
    const MODE: u64 = 3 << 22 | 1 << 24;
    const OVERFLOW_OR_INVALID: u64 = 1 << 2 | 1;

    /// Calls translated code in the mode; its result, and whether there was an overflow or an invalid operation.
    ///
    /// # Safety
    /// At `entry` there is a function `extern "C" fn(*mut Context) -> u32` that may be called with this context, and computes
    /// with floats in code that Rust compiled within [`without`] only.
    pub unsafe fn within(entry: usize, context: *mut Context) -> (u32, bool) {
        let (result, status): (u64, u64);
        // SAFETY: as the caller promises; control and status are put back from registers that the function keeps.
        unsafe {
            asm!(
                "mrs x20, fpcr",
                "mrs x21, fpsr",
                "msr fpcr, x22",
                "msr fpsr, xzr",
                "blr x23",
                "mrs x22, fpsr",
                "msr fpcr, x20",
                "msr fpsr, x21",
                out("x20") _,
                out("x21") _,
                inout("x22") MODE => status,
                in("x23") entry,
                inlateout("x0") context => result,
                clobber_abi("C"),
            );
        }
        (result as u32, status & OVERFLOW_OR_INVALID != 0)
    }

    /// Calls a function in the usual mode, in the middle of [`within`].
    ///
    /// # Safety
    /// The function may be called with these arguments.
    pub unsafe fn without(f: Special, context: *mut Context, function: u32, from: *const Lanes, to: *mut Lanes) {
        // SAFETY: as in `within`.
        unsafe {
            asm!(
                "mrs x20, fpcr",
                "mrs x21, fpsr",
                "msr fpcr, xzr",
                "msr fpsr, xzr",
                "blr x22",
                "msr fpcr, x20",
                "msr fpsr, x21",
                out("x20") _,
                out("x21") _,
                in("x22") f,
                in("x0") context,
                in("w1") function,
                in("x2") from,
                in("x3") to,
                clobber_abi("C"),
            );
        }
    }
}

#[cfg(not(all(unix, any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod float_mode {
    use super::{Context, Lanes, Special};

    /// Never called: see [`super::is_supported`].
    pub unsafe fn within(_: usize, _: *mut Context) -> (u32, bool) {
        (2, true)
    }

    /// Never called.
    pub unsafe fn without(_: Special, _: *mut Context, _: u32, _: *const Lanes, _: *mut Lanes) {}
}
