//! Arrays of a group that lie in registers: which ones, and loops that index them become their iterations.
//!
//! * Needs: a SIMD kernel without variables.
//! * Gives: of counted loops of few iterations that access such arrays only their iterations are left, so that indices are
//!   constants where they can be.
//! * Keeps: everything that the kernel computes.
//!
//! A register cannot be indexed: an element at a constant index costs nothing, or a rotation, and any other index is compared
//! with all rows of the array. It stands at the front of what knows the launch, because constant indices are of use to all.
//!
//! ```kir
//! ; launches: near=4
//! kernel @f(%p: buf<f32, r>, %q: buf<f32, w>, %t: shared<f32, 16>) simd group=16 over=0 {
//!   %a = load.row %p[0]
//!   store.row %t[0], %a
//!   for %k in 0..2 {
//!     %b = load %t[%k]
//!     store %q[%k], %b
//!   }
//! }
//! ; check: kernel @f(%p: buf<f32, r>, %q: buf<f32, w>, %t: shared<f32, 16>) simd group=16 {
//! ; check:   %a = load.row %p[0]
//! ; check:   store.row %t[0], %a
//! ; check:   %0 = load %t[0]
//! ; check:   store %q[0], %0
//! ; check:   %1 = load %t[1]
//! ; check:   store %q[1], %1
//! ; check: }
//! ```

use quadra_base::Diagnostic;
use quadra_kir::{Buf, BufInfo, Inst, Kernel, LANES, Level};
use quadra_passes::pass::{Facts, Pass, PassCx};
use quadra_passes::{cse, dce, fold, unfold};

/// The pass.
pub const PASS: Pass = Pass {
    name: "near",
    about: "repeats loops that index arrays in registers",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: pass,
};

/// Elements of a row, which is a register.
const ROW: u64 = LANES as u64;
/// The most instructions that a loop's iterations have in all. What follows from their counters and from nothing else in a loop
/// around them moves out of that one, to registers that the arrays want: more iterations than this would spill more than they
/// save, and would not fit the cache of instructions.
const MOST_INSTS: usize = 320;

fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    run(kernel, cx.launches.near_rows);
    Ok(())
}

/// The arrays shared by a group that lie in registers if there are `rows` of them, with the rows that each takes: the smallest
/// first.
pub fn arrays(kernel: &Kernel, rows: u32) -> Vec<(Buf, usize)> {
    let rows_of = |(b, info): (Buf, &BufInfo)| {
        let words = info.elem.bytes() == 4 && info.rank == 1;
        words.then(|| (info.elements().div_ceil(ROW).max(1), b))
    };
    let mut found: Vec<(u64, Buf)> = kernel.shared().filter_map(rows_of).collect();
    found.sort();
    let mut left = u64::from(rows);
    found.retain(|(n, _)| {
        let fits = *n <= left;
        left -= if fits { *n } else { 0 };
        fits
    });
    found.into_iter().map(|(n, b)| (b, n as usize)).collect()
}

/// Unfolds loops around accesses to arrays in registers, if there are `rows` of those.
pub fn run(kernel: &mut Kernel, rows: u32) {
    if kernel.level != Level::Simd {
        return;
    }
    let near = arrays(kernel, rows);
    if near.is_empty() {
        return;
    }
    let accesses = |i: &Inst| i.buf.is_some_and(|b| near.iter().any(|n| n.0 == b));
    unfold::run_where(kernel, MOST_INSTS, &|inst| inst.regions[0].any(&mut |i| accesses(i)));
    fold::run(kernel);
    cse::run(kernel);
    dce::run(kernel);
}
