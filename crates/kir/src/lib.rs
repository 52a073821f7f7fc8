//! Internal crate of Quadra: no stable interface.
//!
//! The kernel IR of Quadra: structured SSA at two levels.
//!
//! # Levels
//! Front ends write the **SIMT level**: code per item, in which control flow may differ between the lanes of a subgroup
//! (16 neighbouring items). The pass `mask` turns it into the **SIMD level**: control flow is scalar, lanes are data,
//! memory operations and votes carry a mask. Both use the same structs and the same table of operations ([`ops`]); a
//! kernel's [`Level`] says what the checker allows.
//!
//! # Values and control
//! A kernel is a tree: a [`Block`] is a list of [`Inst`], an instruction may own regions, which are blocks. Values are
//! defined once; loops have parameters and results instead of phis, `if` has results. Constants and parameters are values
//! that belong to no block. `break`, `continue` and `return` may end any region inside a loop or kernel; they leave the
//! innermost loop only. Front ends may use variables (`get`, `set`); the pass `promote` removes them.
//!
//! # Lanes
//! Pure operations are total and are computed in **all** lanes of a subgroup whenever their block runs; the set of live
//! lanes matters only to memory operations, votes, `print`, `assert` and loop exits. Three rules follow from this:
//! * `load` gives 0 in a lane that is not live; `store` and atomics do nothing there.
//! * `vote.any` and `vote.all` ask the live lanes. Without a live lane they give false and true.
//! * `rotate` and `broadcast` read other lanes' values, live or not. So that nobody sees a value that depends on how dead
//!   lanes are handled, their operand must be **full**: defined under control flow that does not differ between lanes, or
//!   uniform, or a pure operation on full operands. The checker refuses everything else and names the divergent condition.
//!   Lanes past the extent of the launch read as 0.
//!
//! `tmu.request`, `tmu.receive`, `barrier`, semaphores and the mutex need control flow that does not differ between lanes.
//!
//! # Workers and groups
//! A kernel launched over an extent (`over` ≥ 1) runs once per item; a group is `group` items, a subgroup 16 of them. A
//! kernel with `over` = 0 runs once per worker with 16 lanes; `worker` and `num_workers` tell which. Workers run in any
//! order and interleaving; only semaphores and the mutex order them.
//!
//! # Arithmetic
//! [`eval`] gives every pure operation a meaning in two arithmetics: IEEE round-to-nearest, and truncation toward zero
//! without denormals, NaNs and negative zeros.
//!
//! # Reading order
//! [`types`], [`ops`], [`ext`], [`kernel`], [`build`], [`walk`], [`bounds`], [`caps`], [`launch`], [`interp`].
#![forbid(unsafe_code)]

pub mod ir;
pub mod ext;
mod text;
pub mod build;
pub mod walk;
pub mod variance;
pub mod bounds;
pub mod caps;
pub mod launch;
pub mod check;
pub mod codes;
mod atomic;
pub mod eval;
pub mod interp;

pub use ir::{kernel, ops, types};
pub use text::{parse, print};

pub use bounds::Bounds;
pub use build::Builder;
pub use caps::{Caps, Cost, Costs};
pub use ext::Ext;
pub use kernel::{
    Access, Block, Buf, BufInfo, Def, Inst, Kernel, Level, Mode, Param, Space, Value, ValueInfo, Values, Var, VarInfo,
};
pub use launch::{Arg, Arithmetic, Deadline, Fault, FaultKind, Launch, Lent, Memory, MemoryBuffer};
pub use ops::{At, Effect, Op, OpInfo, Rule};
pub use types::{Const, Elem, LANES, Type};
