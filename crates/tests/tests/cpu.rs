//! Kernels on this processor against the interpreter: random ones with fixed seeds, each on several workers.

use quadra_back_cpu::{Program, caps, lower};
use quadra_kir::{Elem, Fault, Memory, MemoryBuffer, interp};
use quadra_llvm::Llvm;
use quadra_passes::pipeline;
use quadra_tests::fuzz::kernels::{Case, case};
use quadra_tests::fuzz::{Shape, kernels};
use std::sync::Arc;

/// Equal but for the sign and payload of NaNs, which no arithmetic looks at.
fn same(a: &Memory, b: &Memory) -> Result<(), String> {
    for (n, (a, b)) in a.buffers.iter().zip(&b.buffers).enumerate() {
        for (at, (x, y)) in elements(a).into_iter().zip(elements(b)).enumerate() {
            let is_nan = |x: u32| match a.elem {
                Elem::F32 => f32::from_bits(x).is_nan(),
                Elem::F16 => x & 0x7fff > 0x7c00,
                _ => false,
            };
            let nan = is_nan(x) && is_nan(y);
            if x != y && !nan {
                return Err(format!("buffer {n}, element {at}: {x:08x} interpreted, {y:08x} compiled"));
            }
        }
    }
    Ok(())
}

/// The bits of each element.
fn elements(buffer: &MemoryBuffer) -> Vec<u32> {
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte));
    buffer.bytes.chunks(buffer.elem.bytes() as usize).map(bits).collect()
}

type Run = Result<(Memory, Vec<String>), Fault>;

fn interpreted(case: &Case) -> Run {
    let (mut memory, mut lines) = (case.memory.clone(), Vec::new());
    interp::simt::run(&case.kernel, &mut memory, &case.launch, &mut |line| lines.push(line.to_string()))?;
    Ok((memory, lines))
}

fn compiled(llvm: &Arc<Llvm>, case: &Case) -> Option<Run> {
    let kernel = pipeline::compile(&case.kernel, &caps()).ok()?;
    if lower::unsupported(&kernel).is_some() {
        return None;
    }
    let program = Program::new(llvm, &case.kernel);
    let (mut memory, mut lines) = (case.memory.clone(), Vec::new());
    let run = program.run(&mut memory, &case.launch, &mut |line| lines.push(line.to_string()));
    Some(run.map(|_| (memory, lines)))
}

fn check(llvm: &Arc<Llvm>, case: &Case) -> Result<bool, String> {
    let expected = interpreted(case);
    let Some(got) = compiled(llvm, case) else { return Ok(false) };
    match (expected, got) {
        (Ok((expected, mut lines)), Ok((got, mut printed))) => {
            lines.sort();
            printed.sort();
            if lines != printed {
                return Err(format!("printed {printed:?} instead of {lines:?}"));
            }
            same(&expected, &got).map(|()| true)
        }
        (Err(a), Err(b)) if std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind) => Ok(true),
        (a, b) => Err(format!("{:?} interpreted, {:?} compiled", a.map(|_| ()), b.map(|_| ()))),
    }
}

#[test]
fn random_kernels_leave_the_interpreters_memory() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    let mut done = 0;
    for seed in 0..250 {
        let case = case(seed, Shape::default());
        match check(&llvm, &case) {
            Ok(ran) => done += usize::from(ran),
            Err(what) => panic!("seed {seed}: {what}\n{}", quadra_kir::print::kernel(&case.kernel)),
        }
    }
    println!("{done} of 250 kernels compiled and compared");
    assert!(done > 200, "{done} of 250");
}

/// The same with each libLLVM that is installed, and for processors with fewer features.
#[test]
fn random_kernels_are_the_same_for_every_processor_and_library() {
    use quadra_llvm::Level;
    let names = ["libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM.so.19.1"];
    let found = names.into_iter().filter_map(|name| Llvm::load(name).ok());
    let ways: Vec<Arc<Llvm>> =
        found.flat_map(|llvm| [llvm.limited(Level::Baseline), llvm.limited(Level::Avx2), llvm]).collect();
    if ways.is_empty() {
        return quadra_base::testing::left_out("libLLVM is not installed");
    }
    let mut done = 0;
    for seed in 0..180 {
        let (case, llvm) = (case(10_000 + seed, Shape::default()), &ways[seed as usize % ways.len()]);
        match check(llvm, &case) {
            Ok(ran) => done += usize::from(ran),
            Err(what) => panic!("seed {seed}, {:?}: {what}\n{}", llvm, quadra_kir::print::kernel(&case.kernel)),
        }
    }
    println!("{done} of 180 kernels compiled and compared");
    assert!(done > 140, "{done} of 180");
}

/// Kernels that once went wrong anywhere go right here.
#[test]
fn kernels_that_once_went_wrong() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz");
    for file in std::fs::read_dir(directory).expect("the directory is there").flatten() {
        let name = file.path().display().to_string();
        let text = std::fs::read_to_string(file.path()).expect("the file can be read");
        let kernel = quadra_kir::parse::kernel(&name, &text).unwrap_or_else(|e| panic!("{}", e[0].render(false)));
        for seed in 0..3 {
            let case = kernels::with_seed(seed, kernel.clone());
            check(&llvm, &case).unwrap_or_else(|what| panic!("{name}, data of seed {seed}: {what}"));
        }
    }
}
