//! The memory that compiled code and its caller share.

use crate::common::function::Site;
use std::ffi::c_void;

/// Where things lie in [`Context`], in bytes.
pub mod layout {
    use super::Context;
    use std::mem::offset_of;

    pub const FAULT_INDEX: usize = offset_of!(Context, fault_index);
    pub const FAULT_MASK: usize = offset_of!(Context, fault_mask);
    pub const FAULT_SITE: usize = offset_of!(Context, fault_site);
    pub const FAULT_SORT: usize = offset_of!(Context, fault_sort);
    pub const BUDGET: usize = offset_of!(Context, budget);
    pub const REST: usize = offset_of!(Context, rest);
    pub const STOP: usize = offset_of!(Context, stop);
    pub const LOW: usize = offset_of!(Context, low);
    pub const HIGH: usize = offset_of!(Context, high);
    pub const PRIVATE: usize = offset_of!(Context, private);
    pub const GROUPS: usize = offset_of!(Context, groups);
    pub const EXTENT: usize = offset_of!(Context, extent);
    pub const GROUP_SIZE: usize = offset_of!(Context, group_size);
    pub const WORKER: usize = offset_of!(Context, worker);
    pub const WORKERS: usize = offset_of!(Context, workers);
    pub const ALONE: usize = offset_of!(Context, alone);
    pub const SCALARS: usize = offset_of!(Context, scalars);
    pub const BUFFERS: usize = offset_of!(Context, buffers);
    pub const FUNCTION: usize = offset_of!(Context, function);
    pub const ATOMIC: usize = offset_of!(Context, atomic);
    pub const PRINT: usize = offset_of!(Context, print);
    pub const SYNCHRONISE: usize = offset_of!(Context, synchronise);
    pub const SIZE: usize = size_of::<Context>();
}

/// Instructions between two looks whether somebody wants an end: some ten milliseconds.
pub const PART: u64 = 1 << 24;

/// One buffer of a launch: address and number of elements.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Place {
    pub(super) bytes: *mut u8,
    pub(super) elements: u64,
}

/// Lanes as the interpreters have them.
pub(super) type Words = [u64; 16];
pub(super) type Function = extern "C" fn(u32, u32, *const u8, *const u8, *mut u8);
pub(super) type Atomic =
    extern "C" fn(*mut Context, u32, u32, u16, *mut u8, *const [i32; 16], *const Words, *const Words, *mut Words);
pub(super) type Print = extern "C" fn(*mut Context, u32, u16, *const Words);
pub(super) type Synchronise = extern "C" fn(*mut Context, u32, u32) -> u32;

/// What compiled code and its caller share.
#[repr(C, align(64))]
pub(super) struct Context {
    pub(super) fault_index: [i32; 16],
    pub(super) fault_mask: u16,
    pub(super) fault_site: u32,
    pub(super) fault_sort: u32,
    /// What the code has at hand of the budget, and the rest.
    pub(super) budget: u64,
    pub(super) rest: u64,
    /// Not 0 once somebody wants an end.
    pub(super) stop: *const u8,
    pub(super) low: [u32; 4],
    pub(super) high: [u32; 4],
    pub(super) groups: [u32; 4],
    pub(super) extent: [u32; 4],
    pub(super) group_size: [u32; 4],
    pub(super) worker: u32,
    pub(super) workers: u32,
    /// Not 0 if no other thread is at the launch.
    pub(super) alone: u32,
    pub(super) scalars: *const u64,
    pub(super) buffers: *const Place,
    pub(super) private: *const *mut u8,
    pub(super) function: Function,
    pub(super) atomic: Atomic,
    pub(super) print: Print,
    pub(super) synchronise: Synchronise,
    /// A [`Run`](super::Run).
    pub(super) run: *const c_void,
    pub(super) sites: *const Vec<Site>,
}
