//! Kernels in every way in which a launch may be planned, and what they compute.

use quadra_back_cpu::plan::{Setting, Variant, variant};
use quadra_back_cpu::{Program, Repeat};
use quadra_kir::{Arg, Elem, Fault, Kernel, Launch, Lent, Memory, Param};
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
pub fn ways() -> Vec<(Arc<Llvm>, bool)> {
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
pub fn compiled(llvm: &Arc<Llvm>, kernel: &Kernel, memory: &Memory, launch: &Launch, long: bool) -> Vec<Vec<u8>> {
    launched(llvm, kernel, memory, launch, long).expect("the kernel stays inside its buffers")
}

/// Code for a launch.
pub fn made(llvm: &Arc<Llvm>, kernel: &Kernel, memory: &Memory, launch: &Launch, long: bool) -> Variant {
    let text = quadra_kir::print::kernel(kernel);
    let number = |arg: &Arg| match *arg {
        Arg::Scalar(c) if c.elem == Elem::I32 => Some(i64::from(c.bits as u32 as i32)),
        _ => None,
    };
    let likely: Vec<Option<i64>> = launch.args.iter().map(number).collect();
    let made = variant(llvm, kernel, || &text, &setting(kernel, memory, launch, long), &likely);
    made.unwrap_or_else(|e| panic!("{:?}: {}\n{text}", llvm.path(), e[0].render(false)))
}

/// The same of a kernel that may stop.
pub fn launched(
    llvm: &Arc<Llvm>,
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch,
    long: bool,
) -> Result<Vec<Vec<u8>>, Fault> {
    let made = made(llvm, kernel, memory, launch, long);
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
    program.run_on(&made, &mut lent, launch, once, &mut |_| {})?;
    Ok(lent.iter().map(|b| b.bytes.to_vec()).collect())
}
