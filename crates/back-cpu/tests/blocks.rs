//! Products of matrices of which the second is larger than the second cache.

mod common;

use quadra_kir::{Arg, Kernel, Launch, Memory, MemoryBuffer, interp, parse};

fn product([_, inner, columns]: [usize; 3], ty: &str, zero: &str) -> Kernel {
    let text = format!(
        "kernel @product(%a: buf<{ty}, r>, %b: buf<{ty}, r>, %c: buf<{ty}, rw>) simt group=16 over=2 {{
            %m = item 0 %n = item 1 %r = mul %m, {inner}
            %sum = for %k in 0..{inner} (%s: {ty} = {zero}) {{
                %i = add %r, %k %x = load %a[%i] %o = mul %k, {columns} %j = add %o, %n %y = load %b[%j]
                %p = mul %x, %y %t = add %s, %p yield %t
            }}
            %h = mul %m, {columns} %e = add %h, %n store %c[%e], %sum
        }}"
    );
    parse::kernel("blocks.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses")
}

#[test]
fn products_that_go_through_the_cache_in_blocks_are_what_the_interpreter_computes() {
    // Rows of whole groups and of others, and numbers of iterations that blocks do not divide.
    for (size, ty, zero) in
        [([20, 300, 1040], "f32", "0.0"), ([33, 527, 643], "i32", "0"), ([17, 97, 3100], "f32", "2.5")]
    {
        let kernel = product(size, ty, zero);
        let [rows, inner, columns] = size;
        let array = |many: usize, seed: usize| {
            let numbers = (0..many).map(|i| ((i * 13 + seed) % 41) as i32 - 20);
            match ty {
                "f32" => MemoryBuffer::of_f32(&numbers.map(|x| x as f32 * 0.31).collect::<Vec<_>>()),
                _ => MemoryBuffer::of_i32(&numbers.collect::<Vec<_>>()),
            }
        };
        let memory =
            Memory { buffers: vec![array(rows * inner, 1), array(inner * columns, 2), array(rows * columns, 3)] };
        let mut launch = Launch::new((0..3).map(Arg::Buffer).collect());
        launch.extent = vec![rows as u32, columns as u32];
        let mut want = Memory { buffers: memory.buffers.clone() };
        interp::simt::run(&kernel, &mut want, &launch, &mut |_| {}).expect("the kernel is right");
        for (llvm, long) in common::ways() {
            let got = common::compiled(&llvm, &kernel, &memory, &launch, long);
            assert!(got[2] == want.buffers[2].bytes, "{size:?}, {:?}, {long}", llvm.path());
        }
    }
}
