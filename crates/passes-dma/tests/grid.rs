//! The pass `grid`: every item of an extent is still done once, by any number of workers.

use quadra_kir::{Arg, Elem, Kernel, Launch, Memory, MemoryBuffer, interp, parse, print};
use quadra_passes_dma::grid;

/// A kernel over one to three axes that adds 1 to what it finds at each item, and 1000 times the item's group along the
/// innermost axis.
fn kernel(axes: usize) -> Kernel {
    let groups: String = (0..axes).map(|a| format!("%g{a} = group {a}\n%n{a} = extent {a}\n")).collect();
    let inner = axes - 1;
    let rows: String =
        (0..inner).map(|a| format!("%m{a} = mul24 %r{a}, %n{a}\n%r{} = add %m{a}, %g{a}\n", a + 1)).collect();
    let text = format!(
        "kernel @f(%q: buf<i32, rw>) simd group=16 over={axes} {{
           {groups}
           %first = shl %g{inner}, 4
           %l = lane
           %x = add %first, %l
           %in = cmp.lt %x, %n{inner}
           %r0 = mul24 %g0, 0
           {rows}
           %row = mul24 %r{inner}, %n{inner}
           %at = add %row, %first
           %old = load.row %q[%at] if %in
           %k = mul24 %g{inner}, 1000
           %one = add %k, 1
           %new = add %old, %one
           store.row %q[%at], %new if %in
         }}"
    );
    parse::kernel("grid", &text).expect("a kernel")
}

fn run(kernel: &Kernel, extent: &[u32], workers: u32) -> Vec<u8> {
    let items: u32 = extent.iter().product();
    let mut memory = Memory::default();
    // Rows of 16 may be read past the end.
    memory.buffers.push(MemoryBuffer {
        elem: Elem::I32,
        dims: vec![items + 16],
        bytes: vec![0; 4 * (items as usize + 16)],
    });
    let launch = Launch { extent: extent.to_vec(), workers, budget: 50_000_000, ..Launch::new(vec![Arg::Buffer(0)]) };
    interp::simd::run(kernel, &mut memory, &launch, &mut |_| {})
        .unwrap_or_else(|e| panic!("{e:?}\n{}", print::kernel(kernel)));
    memory.buffers.remove(0).bytes
}

#[test]
fn each_item_is_done_once() {
    let extents: [&[u32]; 18] = [
        &[0],
        &[1],
        &[16],
        &[63],
        &[64],
        &[1000],
        &[5000],
        &[0, 5],
        &[5, 0],
        &[1, 1],
        &[3, 100],
        &[100, 3],
        &[7, 1025],
        &[200, 130],
        &[2, 3, 50],
        &[5, 0, 7],
        &[9, 11, 70],
        &[1, 40, 129],
    ];
    for extent in extents {
        let before = kernel(extent.len());
        let mut after = before.clone();
        grid::run(&mut after);
        assert_eq!((before.over as usize, after.over), (extent.len(), 0));
        for workers in [1, 2, 5, 12] {
            assert!(run(&before, extent, workers) == run(&after, extent, workers), "{extent:?}, {workers} workers");
        }
    }
}

/// The sum of a window around each item, 0 where it reaches over the edge, and of the nearest items in a row; `known` windows
/// become their iterations.
fn window(known: bool) -> Kernel {
    let (low, high) = if known { ("-1", "2") } else { ("%low", "%high") };
    let text = format!(
        "kernel @f(%p: buf<i32, r>, %q: buf<i32, rw>, %h: i32, %w: i32, %low: i32, %high: i32) simd group=16 over=2 {{
           %g0 = group 0 %g1 = group 1 %n0 = extent 0 %n1 = extent 1
           %first = shl %g1, 4 %l = lane %x = add %first, %l %in = cmp.lt %x, %n1
           %last = add %w, -1 %e = add %x, 2 %f = min %e, %last %c = max %f, 0
           %r0 = mul24 %g0, %w %near = add %r0, %c
           %ok0 = cmp.lt.u %g0, %h %okn = and %in, %ok0
           %start = load %p[%near] if %okn
           %sum = for %k in {low}..{high} step 1 (%s: <i32> = %start) {{
             %row = add %g0, %k %inrow = cmp.lt.u %row, %h %base = mul24 %row, %w
             %t = for %m in {low}..{high} step 1 (%u: <i32> = %s) {{
               %col = add %x, %m %incol = cmp.lt.u %col, %w %both = and %inrow, %incol %live = and %in, %both
               %b = add %base, %first %at = add %b, %m
               %v = load.row %p[%at] if %live
               %here = select %both, %v, 0
               %z = add %u, %here
               yield %z
             }}
             yield %t
           }}
           %out = mul24 %g0, %n1 %o = add %out, %first
           store.row %q[%o], %sum if %in
         }}"
    );
    parse::kernel("grid", &text).expect("a kernel")
}

/// An image of another size than the extent, so that some items have no window at all, one of their windows is cut, and the tests
/// are of sums that the launch gives.
#[test]
fn windows_are_cut_at_the_edges() {
    let run = |kernel: &Kernel, extent: [u32; 2], [h, w, low, high]: [i32; 4], workers: u32| {
        let numbers: Vec<i32> = (0..5000).map(|i| i * 37 % 1001).collect();
        let mut memory = Memory::default();
        memory.buffers.push(MemoryBuffer::of_i32(&numbers));
        memory.buffers.push(MemoryBuffer::of_i32(&vec![-1; (extent[0] * extent[1]) as usize + 16]));
        let scalars = [h, w, low, high].map(|n| Arg::Scalar(quadra_kir::Const::i32(n)));
        let args = [Arg::Buffer(0), Arg::Buffer(1)].into_iter().chain(scalars).collect();
        let launch = Launch { extent: extent.to_vec(), workers, budget: 50_000_000, ..Launch::new(args) };
        interp::simd::run(kernel, &mut memory, &launch, &mut |_| {})
            .unwrap_or_else(|e| panic!("{e:?}\n{}", print::kernel(kernel)));
        memory.buffers.remove(1).bytes
    };
    for known in [true, false] {
        let before = window(known);
        let mut after = before.clone();
        grid::run(&mut after);
        assert_eq!(after.over, 0);
        let loops = print::kernel(&after).matches("load.row").count();
        assert!(loops > 1, "inside there is code of its own");
        for extent in [[3, 100], [20, 64], [9, 130], [1, 16], [5, 48], [0, 9]] {
            let (h, w) = (extent[0] as i32, extent[1] as i32);
            for size in [[h, w], [h - 1, w - 7], [h, 40], [2, w], [0, w], [h + 3, w], [h, 0]] {
                for [low, high] in [[-1, 2], [-3, 1], [0, 4], [2, 2], [5, -5], [-20, -18]] {
                    if known && low != -1 {
                        continue;
                    }
                    for workers in [1, 5] {
                        let sizes = [size[0], size[1], low, high];
                        let [want, got] = [&before, &after].map(|k| run(k, extent, sizes, workers));
                        assert!(want == got, "{extent:?}, {sizes:?}, {workers} workers\n{}", print::kernel(&after));
                    }
                }
            }
        }
    }
}
