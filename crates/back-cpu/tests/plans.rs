//! Kernels on this processor in every way in which a launch may be planned, however large it is: long arrays in halves of vectors
//! and past the caches, with each libLLVM that is installed, for this processor and for such as have less.

mod common;

use common::{compiled, ways};
use quadra_kir::{Arg, Elem, Kernel, Launch, Memory, MemoryBuffer, Op, check, eval, interp, parse};

/// Equal but for the sign and payload of NaNs.
fn same(elem: Elem, a: &[u8], b: &[u8]) -> bool {
    if elem != Elem::F32 {
        return a == b;
    }
    let word = |c: &[u8]| u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    let is_nan = |x: u32| f32::from_bits(x).is_nan();
    a.chunks(4).zip(b.chunks(4)).all(|(a, b)| word(a) == word(b) || is_nan(word(a)) && is_nan(word(b)))
}

const ITEMS: u32 = 16 * 41 + 5;

fn buffer(elem: Elem, seed: u32) -> MemoryBuffer {
    let number = |i: u32| (i.wrapping_mul(2654435761).wrapping_add(seed) >> 8) as i32 % 200 - 100;
    match elem {
        Elem::F32 => {
            let extreme = [0.0, -0.0, 1e30, -1e30, 1e-40, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 88.7, -103.9];
            let value = |i| extreme.get(i as usize).copied().unwrap_or(number(i) as f32 * 0.37);
            MemoryBuffer::of_f32(&(0..ITEMS).map(value).collect::<Vec<f32>>())
        }
        _ => {
            let extreme = [0, -1, i32::MIN, i32::MAX, 31, 32, 1 << 24];
            let value = |i| extreme.get(i as usize).copied().unwrap_or(number(i));
            MemoryBuffer::of_i32(&(0..ITEMS).map(value).collect::<Vec<i32>>())
        }
    }
}

/// Every operation on lanes that can be written between loads of elements of one type and a store of another.
fn kernels() -> Vec<(Kernel, [Elem; 2])> {
    let mut found = Vec::new();
    let names = [(Elem::F32, "f32"), (Elem::I32, "i32")];
    for op in Op::ALL.iter().filter(|op| eval::is_lanewise(**op)) {
        for (from, from_name) in names {
            for (to, to_name) in names {
                for operands in ["%x", "%x, %y", "%x, %y, %x"] {
                    let name = op.info().mnemonic;
                    let text = format!(
                        "kernel @k(%a: buf<{from_name}, r>, %b: buf<{from_name}, r>, %o: buf<{to_name}, w>) simt group=16 over=1 {{
                           %i = item 0 %x = load %a[%i] %y = load %b[%i] %z = {name} {operands} store %o[%i], %z }}"
                    );
                    if let Ok(kernel) = parse::kernel("t.kir", &text)
                        && check::kernel(&kernel).is_empty()
                    {
                        found.push((kernel, [from, to]));
                    }
                }
            }
        }
    }
    found
}

#[test]
fn every_operation_is_selected_in_whole_vectors_and_in_halves() {
    let kernels = kernels();
    let ways = ways();
    assert!(kernels.len() > 50, "the table of operations was walked: {}", kernels.len());
    quadra_base::testing::each(&kernels, |(kernel, [from, to])| {
        let memory = Memory { buffers: vec![buffer(*from, 1), buffer(*from, 77), buffer(*to, 5)] };
        let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Buffer(2)]);
        launch.extent = vec![ITEMS];
        let mut expected = memory.clone();
        interp::simt::run(kernel, &mut expected, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
        for (llvm, long) in &ways {
            let got = compiled(llvm, kernel, &memory, &launch, *long);
            let same = same(*to, &expected.buffers[2].bytes, &got[2]);
            assert!(same, "{llvm:?}, long: {long}\n{}", quadra_kir::print::kernel(kernel));
        }
    });
    println!("{} kernels in {} ways", kernels.len(), ways.len());
}
