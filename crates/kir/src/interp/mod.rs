//! The reference interpreters: what a kernel means, at either level, on any number of workers.
//!
//! [`simt::run`] runs kernels of the SIMT level, before or after `promote`; [`simd::run`] runs kernels of the SIMD level.
//! Both take the same arguments and give the same [`Stats`] or [`Fault`](crate::Fault).
//!
//! # Order
//! The 16 lanes of a subgroup go in lockstep: an instruction reads its operands in all lanes before it writes its result in
//! any; stores and atomics of one instruction happen in ascending order of lanes. Subgroups of one group take turns between
//! barriers; workers take turns too, each running to its next wait or for a fixed number of instructions. Groups are dealt
//! to workers in turn: worker w runs the groups w, w + workers, …, numbered with the last axis running fastest.
//!
//! A `tmu.request` reads memory when it is made. `each` at SIMT level is a barrier, its region once per subgroup, and a
//! barrier; at SIMD level, where one worker runs a whole group, it is a loop over the subgroups. A counted loop adds its
//! step with wrapping, and is endless if the step is 0.
//!
//! # Reading order
//! `launch` (workers and their turns), `code` (structure to linear code), `thread` (control flow of one subgroup), `compute`
//! (all other instructions), `memory`, `races`.

mod launch;
mod code;
mod thread;
mod compute;
mod memory;
mod races;
pub mod simt;
pub mod simd;

use crate::kernel::Buf;
use crate::ops::Op;
use crate::types::Elem;

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions executed by all workers, counted once per subgroup.
    pub instructions: u64,
    /// The same for each worker.
    pub per_worker: Vec<u64>,
    /// What was executed how often, if [`Options::count`] asked for it.
    pub counts: Vec<OpCount>,
}

/// How often an instruction of the kernel was executed by all workers, once per subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpCount {
    /// The operation. A turn of a loop counts as `continue`, besides the test of a counted loop, which is `for`.
    pub op: Op,
    /// Elements of the first result, or else of the last operand.
    pub elem: Elem,
    /// Operands.
    pub args: u32,
    /// The parameter's buffer, for operations on memory.
    pub buf: Option<Buf>,
    pub executions: u64,
}

/// What to watch besides running the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Stop at two accesses to one element that nothing orders, one of which writes. Costs a table of all elements touched.
    pub races: bool,
    /// Count the executions of each instruction.
    pub count: bool,
}

/// The line that `print` writes for one subgroup: `text`, in which each `{}` stands for an operand. An operand that is the
/// same in all live lanes is written once, any other as the live lanes' values separated by blanks. The 16 lanes hold bits
/// as [`eval`](crate::eval) describes them; bit l of `live` is lane l.
///
/// Whether lanes agree is a matter of their values, not of what the compiler knows, so the line is the same at every level
/// and on every device.
///
/// ```
/// use quadra_kir::{Elem, interp};
/// let x = std::array::from_fn(|l| l as u64);
/// assert_eq!(interp::line("x = {}, n = {}", &[(Elem::I32, x), (Elem::I32, [7; 16])], 0b1011), "x = 0 1 3, n = 7");
/// ```
pub fn line(text: &str, operands: &[(Elem, [u64; 16])], live: u16) -> String {
    let (mut out, mut rest) = (String::new(), text);
    for (elem, lanes) in operands {
        // `{u}` stands for an integer without a sign.
        let places = ["{}", "{u}"].map(|place| rest.find(place).map(|at| (at, place)));
        let Some((at, place)) = places.into_iter().flatten().min() else { break };
        out.push_str(&rest[..at]);
        rest = &rest[at + place.len()..];
        let elem = if place == "{u}" && *elem == Elem::I32 { None } else { Some(*elem) };
        let mut shown: Vec<u64> = thread::lanes(live).map(|l| lanes[l]).collect();
        if shown.windows(2).all(|w| w[0] == w[1]) {
            shown.truncate(1);
        }
        let word = |bits: u64| elem.map_or_else(|| (bits as u32).to_string(), |elem| number(elem, bits));
        out.push_str(&shown.into_iter().map(word).collect::<Vec<_>>().join(" "));
    }
    out + rest
}

fn number(elem: Elem, bits: u64) -> String {
    match elem {
        Elem::Bool => (bits != 0).to_string(),
        Elem::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Elem::F64 => format!("{:?}", f64::from_bits(bits)),
        Elem::I64 => (bits as i64).to_string(),
        _ => (bits as u32 as i32).to_string(),
    }
}
