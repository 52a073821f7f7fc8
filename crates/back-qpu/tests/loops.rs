//! The files of `tests/qpu`: one rule of selection, allocation or scheduling each, what its kernel costs at level 2, what the
//! listing holds, and the same memory at every level as in the interpreter.
//!
//! ```text
//! ; registers 6       so many registers of each file may be used
//! ; qpus 12           the program is made for so many QPUs, not for one
//! ; loads vpm         all loads go this way: tmu or vpm
//! ; refused: E0503    with this code, and that is all
//! ; of: longest       the lines on loops speak of the loop with the most operations, not of the one with the fewest slots
//! ; slots <= 6        of the loop
//! ; stages >= 2       iterations under way at once
//! ; operations <= 5   of one iteration
//! ; paired >= 3       slots with two operations
//! ; empty <= 0        slots without an operation
//! ; bound: add ALU    what its slots are bound by
//! ; within: min.setf  the loop holds this text
//! ; without: unif     the loop does not hold this text
//! ; lists: sub.ifc    the listing holds this text
//! ; lacks: mov.setf   the listing does not hold this text
//! ; times 1: .setf    the listing holds this text so many times
//! ; words <= 20       instructions of the program
//! ; scratch <= 0      bytes of memory for values without a register; also >=
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

/// What a file's kernel became.
struct Made<'a> {
    name: &'a str,
    compiled: back::Compiled,
    /// The loop that the file speaks of.
    of: Option<back::LoopReport>,
    listing: String,
}

impl Made<'_> {
    fn of(&self) -> &back::LoopReport {
        self.of.as_ref().unwrap_or_else(|| panic!("{} has no loop\n{}", self.name, self.listing))
    }

    /// The instructions of the loop.
    fn body(&self) -> String {
        let first = self.of().first;
        let insts = &self.compiled.program.insts[first..first + self.of().slots as usize];
        insts.iter().map(|i| quadra_isa::vc4::disasm::inst(i) + "\n").collect()
    }

    /// What one line of expectations asks.
    fn expect(&self, line: &str) {
        let Some((key, rest)) = line.strip_prefix("; ").and_then(|l| l.split_once(' ')) else { return };
        let (name, listing) = (self.name, &self.listing);
        let number = || -> u32 {
            let digits = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
            digits.parse().unwrap_or_else(|_| panic!("{name}: no number in `{line}`"))
        };
        let compare = |got: u32| {
            let fine = if rest.starts_with("<=") { got <= number() } else { got >= number() };
            assert!(fine, "{name}: {got}, not `{line}`\n{listing}");
        };
        let text = rest.trim();
        match key {
            "slots" => compare(self.of().slots),
            "stages" => compare(self.of().stages),
            "operations" => compare(self.of().operations),
            "paired" => compare(self.of().paired),
            "empty" => compare(self.of().empty),
            "words" => compare(self.compiled.program.len() as u32),
            "scratch" => compare(self.compiled.scratch_bytes),
            "bound:" => assert_eq!(self.of().bounds.binding().0, text, "{name}"),
            "within:" => assert!(self.body().contains(text), "{name}: `{line}`\n{}", self.body()),
            "without:" => assert!(!self.body().contains(text), "{name}: `{line}`\n{}", self.body()),
            "lists:" => assert!(listing.contains(text), "{name}: `{line}`\n{listing}"),
            "lacks:" => assert!(!listing.contains(text), "{name}: `{line}`\n{listing}"),
            "times" => {
                let (n, text) = rest.split_once(": ").unwrap_or_else(|| panic!("{name}: `{line}`"));
                assert_eq!(listing.matches(text).count().to_string(), n, "{name}: `{line}`\n{listing}");
            }
            _ => {}
        }
    }
}

#[test]
fn kernels_become_what_their_files_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/qpu");
    let mut files: Vec<_> = std::fs::read_dir(directory).expect("the directory is there").flatten().collect();
    files.sort_by_key(|f| f.path());
    assert!(files.len() >= 20);
    for file in files {
        let name = file.path().display().to_string();
        let text = std::fs::read_to_string(file.path()).expect("the file can be read");
        let kernel = simd(&name, &text);
        let setting = |key: &str| text.lines().find_map(|l| l.strip_prefix(key)?.parse::<u32>().ok());
        let registers = setting("; registers ").map_or(32, |n| n as u8);
        let qpus = Some(setting("; qpus ").unwrap_or(1));
        let loads = match text.lines().find_map(|l| l.strip_prefix("; loads ")) {
            None => back::Loads::Auto,
            Some("tmu") => back::Loads::Tmu,
            Some("vpm") => back::Loads::Vpm,
            Some(other) => panic!("{name}: loads go no way called `{other}`"),
        };
        let options = back::Options { qpus, registers, loads, ..back::Options::default() };
        if let Some(code) = text.lines().find_map(|l| l.strip_prefix("; refused: ")) {
            let refused = back::compile(&kernel, &options).expect_err("the file says so");
            assert!(refused.iter().all(|d| d.code == code && d.span.is_some()), "{name}: {refused:?}");
            continue;
        }
        let (compiled, loops) = back::explain(&kernel, &options).unwrap_or_else(|d| panic!("{name}: {d:?}"));
        let listing = common::listing(&compiled);
        let longest = text.lines().any(|l| l == "; of: longest");
        let of = loops.into_iter().min_by_key(|l| if longest { u32::MAX - l.operations } else { l.slots });
        let made = Made { name: &name, compiled, of, listing };
        text.lines().for_each(|line| made.expect(line));
        let listing = made.listing;
        let (memory, launch) = launch(&kernel);
        let mut want = memory.clone();
        kir::interp::simd::run(&kernel, &mut want, &launch, &mut |_| {}).unwrap_or_else(|f| panic!("{name}: {f:?}"));
        for level in [0, 1, 2] {
            let mut got = memory.clone();
            let how = How { level, registers, qpus, loads, ..How::default() };
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
    let empty = compiled.program.insts.iter().filter(|i| **i == quadra_isa::vc4::Inst::NOP).count();
    assert_eq!(reasons.len(), empty);
    assert!(reasons.iter().any(|(_, why)| why.contains("delay slot")), "{reasons:?}");
    assert!(reasons.iter().any(|(_, why)| why.contains("program ends")), "{reasons:?}");
}
