//! The pass `grid`: every item of an extent is still done once, by any number of workers.

use quadra_kir::{Arg, Elem, Kernel, Launch, Memory, MemoryBuffer, interp, parse, print};
use quadra_passes::grid;

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
