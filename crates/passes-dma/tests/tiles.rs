//! The pass `tiles`, alone and behind `grid`: what lanes load along rows of their own is the same when it is read by rows.

use quadra_kir::{Arg, Const, Kernel, Launch, Memory, MemoryBuffer, Op, check, interp, parse, print};
use quadra_passes::pass::Launches;
use quadra_passes_dma::{grid, tiles};

/// Elements of a row of `%x`, and its rows.
const ROW: i32 = 70;
const ROWS: i32 = 48;

fn kernel(text: &str) -> Kernel {
    parse::kernel("tiles", text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn count(kernel: &Kernel, op: Op) -> usize {
    let mut n = 0;
    kernel.body.walk(&mut |i| n += usize::from(i.op == op));
    n
}

/// What a launch with these numbers leaves in `%x`, `%from` and `%y`.
fn run(kernel: &Kernel, extent: &[u32], workers: u32, numbers: &[i32]) -> Vec<Vec<u8>> {
    let wrong = check::kernel(kernel);
    assert!(wrong.is_empty(), "{wrong:?}\n{}", print::kernel(kernel));
    let x: Vec<i32> = (0..ROW * ROWS).map(|i| i * 7 - 3000).collect();
    let from: Vec<i32> = (0..64).map(|i| (i * 37 % ROWS) * ROW + i % 5).collect();
    let buffers = vec![MemoryBuffer::of_i32(&x), MemoryBuffer::of_i32(&from), MemoryBuffer::of_i32(&vec![0; 4096])];
    let mut memory = Memory { buffers };
    let args = (0..3).map(Arg::Buffer).chain(numbers.iter().map(|&n| Arg::Scalar(Const::i32(n)))).collect();
    let launch = Launch { extent: extent.to_vec(), workers, budget: 50_000_000, ..Launch::new(args) };
    interp::simd::run(kernel, &mut memory, &launch, &mut |_| {})
        .unwrap_or_else(|e| panic!("{e:?}\n{}", print::kernel(kernel)));
    memory.buffers.into_iter().map(|b| b.bytes).collect()
}

/// A loop of one worker, over a counter from `%lo` to `%hi`; `rows` makes `%a`, `%b` … of it, and `sum` the next `%s`.
fn walk(body: &str) -> Kernel {
    // Only from 0 on is less without a sign the same as less.
    let lo = if body.contains("cmp.lt.u") { "0" } else { "%lo" };
    kernel(&format!(
        "kernel @f(%x: buf<i32, rw>, %from: buf<i32, r>, %y: buf<i32, rw>, %lo: i32, %hi: i32, %n: i32) simd group=16 over=0 {{
           %l = lane
           %rows = mul24 %l, {ROW}
           %firsts = load.inside %from[%l]
           %all = for %i in {lo}..%hi (%s: <i32> = 0) {{ {body} }}
           store.row %y[0], %all
         }}"
    ))
}

/// Applies the pass; gives how many rows it loads.
fn rows(before: &Kernel) -> (Kernel, usize) {
    let mut after = before.clone();
    tiles::run(&mut after, &Launches::default());
    let rows = count(&after, Op::LoadRow);
    (after, rows)
}

#[test]
fn rows_of_lanes_are_read_as_rows() {
    let bodies = [
        // Rows one after the other, rows anywhere, two at once, one in a guard, and a second load that only moves with the counter.
        ("%j = add %rows, %i %a = load.inside %x[%j] %t = add %s, %a yield %t", 16),
        ("%j = add %firsts, %i %a = load.inside %x[%j] %u = mul %s, 3 %t = add %u, %a yield %t", 16),
        ("%j = add %rows, %i %a = load.inside %x[%j] %k = add %j, 70 %b = load.inside %x[%k] %d = sub %a, %b %t = xor %s, %d yield %t", 32),
        ("%in = cmp.lt.u %i, %n %j = add %rows, %i %a = if %in { %v = load.inside %x[%j] yield %v } else { yield -1 }
          %t = add %s, %a yield %t", 16),
        ("%in = cmp.lt %i, %n %j = add %rows, %i %a = if %in { %v = load.inside %x[%j] yield %v } else { yield %s }
          %t = add %s, %a yield %t", 16),
        ("%j = add %i, %rows %a = load.inside %x[%j] %b = load.inside %from[%i] %p = mul %a, %b %t = add %s, %p yield %t", 16),
    ];
    for (body, want) in bodies {
        let before = walk(body);
        let (after, rows) = rows(&before);
        assert_eq!(rows, want, "{body}");
        let guarded = body.contains("%in");
        for (lo, hi) in [(0, 0), (0, 1), (0, 15), (0, 16), (0, 17), (0, 48), (0, 61), (3, 50), (7, 23), (5, 2)] {
            for n in [0, 1, 16, 20, 64, 1000, -1, i32::MIN] {
                // Without the guard no bound is looked at; with it and a negative one, all is within.
                let last = if guarded && n >= 0 { hi.min(n) } else { hi };
                assert!(last <= 61, "the rows are long enough");
                let numbers = [lo, hi, n];
                assert!(run(&before, &[], 1, &numbers) == run(&after, &[], 1, &numbers), "{body}: {numbers:?}");
            }
        }
        for numbers in [[i32::MAX, i32::MIN, 5], [5, i32::MIN, i32::MIN], [i32::MAX, i32::MAX, 0], [0, i32::MIN + 7, 9]]
        {
            if body.contains("cmp.lt.u") && numbers[1] == i32::MAX {
                continue; // So many iterations take too long.
            }
            assert!(run(&before, &[], 1, &numbers) == run(&after, &[], 1, &numbers), "{body}: {numbers:?}");
        }
    }
}

#[test]
fn what_may_differ_by_rows_is_left_alone() {
    let bodies = [
        // Not proved inside, by twos, written to in the loop, under a condition of its own, and an index that the loop carries.
        "%j = add %rows, %i %a = load.guarded %x[%j] %t = add %s, %a yield %t",
        "%i2 = shl %i, 1 %j = add %rows, %i2 %a = load.inside %x[%j] %t = add %s, %a yield %t",
        "%j = add %rows, %i %a = load.inside %x[%j] store.inside %x[%j], %i %t = add %s, %a yield %t",
        "%even = and %i, 1 %in = cmp.eq %even, 0 %j = add %rows, %i
         %a = if %in { %v = load.inside %x[%j] yield %v } else { yield 0 } %t = add %s, %a yield %t",
        "%m = and %s, 7 %k = add %m, %rows %j = add %k, %i %a = load.inside %x[%j] %t = add %s, %a yield %t",
    ];
    for body in bodies {
        assert_eq!(rows(&walk(body)).1, 0, "{body}");
    }
}

/// A launch over two axes that reads its columns, and one that reads the differences of two.
fn columns(value: &str) -> Kernel {
    kernel(&format!(
        "kernel @f(%x: buf<i32, r>, %from: buf<i32, r>, %y: buf<i32, rw>, %stride: i32) simd group=16 over=2 {{
           %g = group 1
           %first = shl %g, 4
           %l = lane
           %c = add %first, %l
           %n = extent 1
           %in = cmp.lt %c, %n
           %r = group 0
           %rows = mul24 %c, {ROW}
           %j = add %rows, %r
           {value}
           %row = mul24 %r, %stride
           %at = add %row, %first
           store.row %y[%at], %v if %in
         }}"
    ))
}

#[test]
fn columns_of_a_grid_are_read_in_bands() {
    let values = [
        ("%v = load.inside %x[%j] if %in", 16),
        ("%a = load.inside %x[%j] if %in %k = add %j, 3 %b = load.inside %x[%k] if %in %v = sub %a, %b", 32),
    ];
    for (value, want) in values {
        let before = columns(value);
        let mut after = before.clone();
        grid::run(&mut after);
        let (after, rows) = rows(&after);
        assert_eq!((after.over, rows), (0, want), "{}", print::kernel(&after));
        for extent in [[0u32, 5], [5, 0], [1, 1], [3, 40], [16, 16], [17, 33], [60, 48], [33, 7], [64, 47]] {
            for workers in [1, 2, 5, 12] {
                let stride = [extent[1] as i32];
                let results = [&before, &after].map(|k| run(k, &extent, workers, &stride));
                assert!(results[0] == results[1], "{value}: {extent:?}, {workers} workers");
            }
        }
    }
}
