//! Barrier fission: groups of many items become loops over 16 items at a time, cut at the barriers.
//!
//! * Needs: a SIMT kernel as a front end makes it, with variables, over an extent.
//! * Gives: one whose groups are 16 lanes, which run a whole group of the original; without barriers, over one axis of 16 items
//!   for each group of the original. The lengths of the original extent are scalar parameters behind the others.
//! * Keeps: what is computed, for launches over whole groups, by any kernel without a race.
//!
//! Code between two barriers, a segment, runs in a loop over the subgroups of the group. What all items of the group share (by
//! `Variance`) is computed once per group, outside these loops: conditions of loops and branches that contain a barrier, and the
//! variables these count with. Values and variables of items that are used behind a barrier lie in memory, in arrays of the group
//! with an element for each item; values that follow from the item's number alone are computed again.
//!
//! It stands before every other pass, because there a value that changes is a variable and no parameter of a loop.
//!
//! ```text
//! kernel group=64 { A; barrier; B }                                                    before
//! kernel group=16 { for s in 0..64 step 16 { A of item s + lane }; for s in 0..64 step 16 { B … } }   after
//! ```

mod emit;
mod plan;

use quadra_base::{Diagnostic, Span};
use quadra_kir::{BufInfo, Kernel, LANES, Level, Space, Value};

pub(crate) const UNEVEN: &str = "E0403";
pub(crate) const RETURNS: &str = "E0404";

/// Whether a kernel has groups that devices of 16 lanes cannot run as they are. 16 items in a row are always together.
pub fn needed(kernel: &Kernel) -> bool {
    kernel.level == Level::Simt && kernel.over > 0 && kernel.group != [LANES]
}

/// The length of a group along each axis of the extent; groups lie along the innermost axes.
pub fn group_sizes(kernel: &Kernel) -> Vec<u32> {
    let mut sizes = vec![1; (kernel.over as usize).saturating_sub(kernel.group.len())];
    sizes.extend(&kernel.group);
    sizes
}

/// The kernel with groups of 16 lanes.
///
/// # Errors
/// Groups that are not a multiple of 16 items (`E0403`), items that return from within a loop between barriers (`E0404`).
pub fn run(kernel: &Kernel) -> Result<Kernel, Vec<Diagnostic>> {
    let items: u64 = kernel.group.iter().map(|&n| u64::from(n)).product();
    if items == 0 || !items.is_multiple_of(u64::from(LANES)) || items > 1 << 16 {
        let text = format!("groups of {items} items: a group has a multiple of {LANES} items, at most 65536");
        return Err(vec![Diagnostic::error(UNEVEN, text).at(kernel.span)]);
    }
    let plan = plan::Plan::of(kernel);
    emit::emit(kernel, &plan, items as u32)
}

/// An error about where items return.
fn returns(span: Option<Span>) -> Diagnostic {
    Diagnostic::error(RETURNS, "items return from within a loop of a kernel with barriers")
        .at(span)
        .help("leave the loop by `break`, and put what follows it under an `if`")
}

/// Whether a value is the same in all lanes by what it is: a constant or a parameter.
fn is_global(kernel: &Kernel, v: Value) -> bool {
    !matches!(kernel.values[v].def, quadra_kir::Def::Local)
}

/// An array of the group with an element for each item.
fn spill_array(kernel: &mut Kernel, name: &str, elem: quadra_kir::Elem, items: u32) -> quadra_kir::Buf {
    kernel.add_shared(name, elem, vec![items])
}

/// Whether a buffer is an argument that the kernel only reads.
fn is_input(info: &BufInfo) -> bool {
    info.space == Space::Global && info.access == quadra_kir::Access::Read
}
