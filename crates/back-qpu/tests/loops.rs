//! The files of `tests/qpu`: kernels with loops, what each loop costs at level 2, what the listing holds, and the same
//! memory at every level as in the interpreter.
//!
//! ```text
//! ; slots <= 6        of the loop that takes the fewest
//! ; stages >= 2       iterations under way at once, of that loop
//! ; bound: add ALU    what its slots are bound by
//! ; lists: sub.ifc    the listing holds this text
//! ; lacks: mov.setf   the listing does not hold this text
//! ```

mod common;

use common::{How, emulate};
use quadra_back_qpu as back;
use quadra_kir as kir;
use std::path::Path;

/// Elements of every buffer.
const ELEMENTS: u32 = 256;

fn launch(kernel: &kir::Kernel) -> (kir::Memory, kir::Launch) {
    let mut buffers = Vec::new();
    let mut args = Vec::new();
    for param in &kernel.params {
        match *param {
            kir::Param::Scalar(v) if kernel.ty(v).elem == kir::Elem::F32 => {
                args.push(kir::Arg::Scalar(kir::Const::f32(0.75)));
            }
            kir::Param::Scalar(_) => args.push(kir::Arg::Scalar(kir::Const::i32(96))),
            kir::Param::Buffer(b) => {
                args.push(kir::Arg::Buffer(buffers.len()));
                buffers.push(match kernel.bufs[b].elem {
                    kir::Elem::F32 => {
                        let data: Vec<f32> = (0..ELEMENTS).map(|i| (i % 23) as f32 * 0.5 - 3.0).collect();
                        kir::MemoryBuffer::of_f32(&data)
                    }
                    _ => kir::MemoryBuffer::of_i32(&(0..ELEMENTS as i32).map(|i| i * 7 % 50 + 1).collect::<Vec<_>>()),
                });
            }
        }
    }
    let mut launch = kir::Launch::new(args);
    launch.arithmetic = kir::Arithmetic::TowardZero;
    launch.workers = 1;
    (kir::Memory { buffers }, launch)
}

fn simd(name: &str, text: &str) -> kir::Kernel {
    let kernel = kir::parse::kernel(name, text).unwrap_or_else(|d| panic!("{name}: {}", d[0].render(false)));
    quadra_passes::pipeline::compile(&kernel, &back::caps())
        .unwrap_or_else(|d| panic!("{name}: {}", d[0].render(false)))
}

/// What one line of expectations asks of the best loop and of the listing.
fn expect(name: &str, line: &str, best: &back::LoopReport, listing: &str) {
    let number = |text: &str| text.trim().parse::<u32>().unwrap_or_else(|_| panic!("{name}: no number in `{line}`"));
    if let Some(n) = line.strip_prefix("; slots <=") {
        assert!(best.slots <= number(n), "{name}: {} slots, {}\n{listing}", best.slots, best.gap());
    } else if let Some(n) = line.strip_prefix("; stages >=") {
        assert!(best.stages >= number(n), "{name}: {} stages, {}\n{listing}", best.stages, best.gap());
    } else if let Some(bound) = line.strip_prefix("; bound:") {
        assert_eq!(best.bounds.binding().0, bound.trim(), "{name}");
    } else if let Some(text) = line.strip_prefix("; lists:") {
        assert!(listing.contains(text.trim()), "{name}\n{listing}");
    } else if let Some(text) = line.strip_prefix("; lacks:") {
        assert!(!listing.contains(text.trim()), "{name}\n{listing}");
    }
}

#[test]
fn loops_cost_what_their_files_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/qpu");
    let mut files: Vec<_> = std::fs::read_dir(directory).expect("the directory is there").flatten().collect();
    files.sort_by_key(|f| f.path());
    assert!(files.len() >= 6);
    for file in files {
        let name = file.path().display().to_string();
        let text = std::fs::read_to_string(file.path()).expect("the file can be read");
        let kernel = simd(&name, &text);
        let options = back::Options { qpus: Some(1), ..back::Options::default() };
        let (compiled, loops) = back::explain(&kernel, &options).unwrap_or_else(|d| panic!("{name}: {d:?}"));
        let listing = common::listing(&compiled);
        let best = loops.iter().min_by_key(|l| l.slots).unwrap_or_else(|| panic!("{name} has no loop\n{listing}"));
        text.lines().for_each(|line| expect(&name, line, best, &listing));
        let (memory, launch) = launch(&kernel);
        let mut want = memory.clone();
        kir::interp::simd::run(&kernel, &mut want, &launch, &mut |_| {}).unwrap_or_else(|f| panic!("{name}: {f:?}"));
        for level in [0, 1, 2] {
            let mut got = memory.clone();
            let how = How { level, ..How::default() };
            emulate(&kernel, &mut got, &launch, how).unwrap_or_else(|text| panic!("{name}: {text}"));
            let same = got.buffers.iter().zip(&want.buffers).all(|(g, w)| g.bytes == w.bytes);
            assert!(same, "{name} at level {level}\n{listing}");
        }
    }
}

#[test]
fn every_empty_slot_has_a_reason() {
    let text = include_str!("../../../tests/qpu/gcd.kir");
    let kernel = simd("gcd.kir", text);
    let compiled =
        back::compile(&kernel, &back::Options { opt_level: 1, ..back::Options::default() }).expect("compiles");
    let reasons = back::empty_slots(&compiled.program);
    let empty = compiled.program.insts.iter().filter(|i| **i == quadra_qpu::vc4::Inst::NOP).count();
    assert_eq!(reasons.len(), empty);
    assert!(reasons.iter().any(|(_, why)| why.contains("delay slot")), "{reasons:?}");
    assert!(reasons.iter().any(|(_, why)| why.contains("program ends")), "{reasons:?}");
}
