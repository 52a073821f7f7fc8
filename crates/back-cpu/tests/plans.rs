//! Kernels on this processor in every way in which a launch may be planned, however large it is: long arrays in halves of vectors
//! and past the caches, with each libLLVM that is installed, for this processor and for such as have less.

use quadra_back_cpu::plan::{Setting, variant};
use quadra_back_cpu::{Program, Repeat};
use quadra_kir::{Arg, Elem, Kernel, Launch, Lent, Memory, MemoryBuffer, Op, Param, check, eval, interp, parse};
use quadra_llvm::{Level, Llvm};
use quadra_passes::specialise::Known;
use std::sync::Arc;

/// Every version that is installed here, newest last.
fn installed() -> Vec<Arc<Llvm>> {
    let names = ["libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM.so.19.1"];
    let found: Vec<_> = names.into_iter().filter_map(|name| Llvm::load(name).ok()).collect();
    if found.is_empty() {
        quadra_base::testing::left_out("libLLVM is not installed");
    }
    found
}

/// Each library with this processor's features and fewer, for long arrays and others.
fn ways() -> Vec<(Arc<Llvm>, bool)> {
    let processors = |llvm: Arc<Llvm>| {
        let less = [Level::Avx2, Level::Baseline].map(|level| llvm.limited(level));
        [llvm].into_iter().chain(less)
    };
    installed().into_iter().flat_map(processors).flat_map(|llvm| [(llvm.clone(), false), (llvm, true)]).collect()
}

/// What a launch of these sizes would be compiled for, were its buffers long.
fn setting(kernel: &Kernel, memory: &Memory, launch: &Launch, long: bool) -> Setting {
    let length = |arg: &Arg| match *arg {
        Arg::Buffer(at) => Some(vec![memory.buffers[at].bytes.len() as u32 / memory.buffers[at].elem.bytes()]),
        Arg::Scalar(_) => None,
    };
    let known = Known {
        extent: launch.extent.iter().copied().map(Some).collect(),
        workers: None,
        scalars: vec![None; launch.args.len()],
        dims: launch.args.iter().map(length).collect(),
    };
    let streams = kernel.params.iter().map(|p| long && matches!(p, Param::Buffer(_))).collect();
    Setting { known, streams, alias: false, checked: false, guarded: false }
}

/// The part of a buffer that begins with a line of the cache: what is written past the caches does.
fn aligned(spare: &mut [u8], many: usize) -> &mut [u8] {
    let from = (spare.as_ptr() as usize).wrapping_neg() % 64;
    &mut spare[from..from + many]
}

/// Compiles and runs a kernel; what its buffers hold then.
fn compiled(llvm: &Arc<Llvm>, kernel: &Kernel, memory: &Memory, launch: &Launch, long: bool) -> Vec<Vec<u8>> {
    let text = quadra_kir::print::kernel(kernel);
    let made = variant(llvm, kernel, || &text, &setting(kernel, memory, launch, long));
    let made = made.unwrap_or_else(|e| panic!("{:?}: {}\n{text}", llvm.path(), e[0].render(false)));
    let mut spare: Vec<Vec<u8>> = memory.buffers.iter().map(|b| vec![0; b.bytes.len() + 64]).collect();
    let mut lent: Vec<Lent<'_>> = spare
        .iter_mut()
        .zip(&memory.buffers)
        .map(|(spare, b)| {
            let bytes = aligned(spare, b.bytes.len());
            bytes.copy_from_slice(&b.bytes);
            Lent { elem: b.elem, bytes, blank: false }
        })
        .collect();
    let program = Program::new(llvm, kernel);
    let once = Repeat { times: 1, swap: None };
    program.run_on(&made, &mut lent, launch, once, &mut |_| {}).expect("the kernel stays inside its buffers");
    lent.iter().map(|b| b.bytes.to_vec()).collect()
}

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
    for (kernel, [from, to]) in &kernels {
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
    }
    println!("{} kernels in {} ways", kernels.len(), ways.len());
}
