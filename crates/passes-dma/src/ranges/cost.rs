//! What ranges cost a launch, and atomic operations in memory.

use quadra_kir::{Block, Kernel, LANES, Op};

/// The most rows of a range: registers for the rest are needed, too.
const MOST_ROWS: u64 = 32;
/// Clocks of a worker for an operation on all items of a vector, for finding an item of its range and adding it, and for a row of
/// the range that is added to memory; and clocks in which an atomic operation holds the mutex.
const OPERATION: u64 = 4;
const FOUND: u64 = 170;
const ADDED: u64 = 500;
const HELD: u64 = 170;
/// Iterations of a loop within, as an estimate.
const ITERATIONS: u64 = 16;

/// Rows of a range with which a launch over so many items that add to an array of so many elements takes less time than with atomic
/// operations in memory; 0 if there are none. The kernel adds to so many arrays, of which the longest has so many elements.
pub fn pays(kernel: &Kernel, items: u64, (arrays, elements): (usize, u64), workers: u32) -> u32 {
    let (workers, arrays) = (u64::from(workers), arrays.max(1) as u64);
    if workers < 2 || elements == 0 || elements > i32::MAX as u64 / 2 || kernel.over == 0 {
        return 0;
    }
    let rows = elements.div_ceil(LANES.into());
    // As many ranges as workers, or a multiple.
    let turns = rows.div_ceil(MOST_ROWS / arrays * workers);
    let each = rows.div_ceil(turns * workers);
    let (operations, added) = work(&kernel.body, 1);
    let vector = items.div_ceil(LANES.into()) * operations * OPERATION * turns;
    let ranges = vector + items * added * FOUND / workers + turns * each * arrays * ADDED;
    if ranges < items * added * HELD { each as u32 } else { 0 }
}

/// Operations for a vector of items, and atomic ones for an item.
fn work(block: &Block, times: u64) -> (u64, u64) {
    block.insts.iter().fold((0, 0), |(operations, added), i| {
        let within = if matches!(i.op, Op::For | Op::Loop) { times * ITERATIONS } else { times };
        let regions = i.regions.iter().map(|r| work(r, within)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        // A range is tested by some more operations.
        let own = if i.op.is_atomic() { (6 * times, times) } else { (times, 0) };
        (operations + own.0 + regions.0, added + own.1 + regions.1)
    })
}
