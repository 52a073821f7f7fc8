//! A kernel as a module of its own, for processors and programs that know nothing of this one: the kernel's function as launches have
//! it, and one that does what `native` and `deal` do otherwise, on one thread.
//!
//! `@run(i32 workers, i32 e0, i32 e1, i32 e2, ptr scalars, ptr buffers)` launches the kernel and gives 0, or 1 if it stopped. The
//! scalars are words of 64 bits, the buffers pairs of an address and a number of elements, 16 bytes each, both by parameter.

use crate::common::function::Shape;
use crate::lower;
use crate::native::context::layout;
use crate::plan::{self, Setting};
use crate::processor::Processor;
use quadra_base::Diagnostic;
use quadra_kir::{Elem, Kernel, Op};
use quadra_passes::pipeline;
use quadra_passes::specialise::Known;
use std::fmt::Write;

/// Atomic operations that the module does itself, on integers of 32 bits: with LLVM's instruction, or a comparison that chooses.
const INTEGERS: &[(Op, &str)] = &[
    (Op::AtomicAdd, "add"),
    (Op::AtomicSub, "sub"),
    (Op::AtomicAnd, "and"),
    (Op::AtomicOr, "or"),
    (Op::AtomicXor, "xor"),
    (Op::AtomicMin, "icmp slt"),
    (Op::AtomicMax, "icmp sgt"),
];
const FLOATS: &[(Op, &str)] = &[(Op::AtomicAdd, "fadd"), (Op::AtomicSub, "fsub")];

const MEMSET: &str = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n";

/// The module of a kernel (SIMT level, without barriers) for a processor that multiplies and adds with one rounding, or does not.
///
/// # Errors
/// What the passes find wrong, and what only works in this process.
pub fn module(kernel: &Kernel, fuses: bool) -> Result<String, Vec<Diagnostic>> {
    let refuse = |what: &str| {
        let message = format!("kernel `{}` cannot be exported for processors: it has {what}", kernel.name);
        vec![
            Diagnostic::error("E0807", message)
                .help("`--to c` exports it for QPUs; on processors `quadra run` runs it"),
        ]
    };
    if let Some(what) = lower::unsupported(&pipeline::compile(kernel, &crate::caps())?) {
        return Err(refuse(what));
    }
    if let Some(what) = foreign(kernel) {
        return Err(refuse(&what));
    }
    let many = kernel.params.len();
    let setting = Setting {
        known: Known {
            extent: vec![None; kernel.over as usize],
            workers: None,
            scalars: vec![None; many],
            dims: vec![None; many],
        },
        streams: vec![false; many],
        alias: false,
        checked: false,
        guarded: false,
    };
    let (narrow, mut plan) =
        plan::portable(kernel, Processor { scales: false, fuses, permutes: false, avx2: false }, &setting)?;
    plan.private = vec![None; narrow.bufs.len()];
    plan.atomics = false;
    plan.shape = Shape::ONE;
    let kernel = &lower::without_votes(&narrow, &plan.private);
    let (text, _) = lower::module(kernel, &plan).ok_or_else(|| refuse("no form for one group at a time"))?;
    for (at, what) in [
        (layout::FUNCTION, "functions that only the interpreter has"),
        (layout::PRINT, "text that it prints"),
        (layout::SYNCHRONISE, "workers that wait for each other"),
    ] {
        if text.contains(&format!("getelementptr i8, ptr %c, i64 {at}\n")) {
            return Err(refuse(what));
        }
    }
    let text = text.replacen("define i32 @kernel(", "define internal i32 @kernel(", 1);
    let clears = if text.contains("@llvm.memset.p0.i64(") { "" } else { MEMSET };
    Ok(text + clears + &atomic() + &run(kernel))
}

/// An atomic operation that [`atomic`] does not do.
fn foreign(kernel: &Kernel) -> Option<String> {
    let mut found = None;
    kernel.body.walk(&mut |i| {
        let name = i.op.info().mnemonic;
        let Some(buf) = i.buf.filter(|_| name.starts_with("atomic.")) else { return };
        let known = match kernel.bufs[buf].elem {
            Elem::I32 => INTEGERS,
            Elem::F32 => FLOATS,
            _ => &[],
        };
        if !known.iter().any(|row| row.0 == i.op) {
            found = Some(format!("`{name}` on elements of another kind than it is done for there"));
        }
    });
    found
}

/// The function that code calls for atomic operations: lane by lane, as there is one thread. What it computes stands at `CASES`.
const ATOMIC: &str = "\
define internal void @atomic(ptr %c, i32 %op, i32 %elem, i16 %live, ptr %array, ptr %index, ptr %a, ptr %b, ptr %old) {
entry:
  br label %next
next:
  %lane = phi i64 [ 0, %entry ], [ %behind, %go ]
  %done = icmp eq i64 %lane, 16
  br i1 %done, label %end, label %test
test:
  %shift = trunc i64 %lane to i16
  %word = lshr i16 %live, %shift
  %bit = trunc i16 %word to i1
  %olds = getelementptr i64, ptr %old, i64 %lane
  store i64 0, ptr %olds
  br i1 %bit, label %do, label %go
do:
  %ip = getelementptr i32, ptr %index, i64 %lane
  %i = load i32, ptr %ip
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr %array, i64 %wide
  %before = load i32, ptr %at, align 1
  %beforez = zext i32 %before to i64
  store i64 %beforez, ptr %olds
  %ap = getelementptr i64, ptr %a, i64 %lane
  %aw = load i64, ptr %ap
  %x = trunc i64 %aw to i32
  %xf = bitcast i32 %x to float
  %beforef = bitcast i32 %before to float
CASES  store i32 %after, ptr %at, align 1
  br label %go
go:
  %behind = add i64 %lane, 1
  br label %next
end:
  ret void
}
";

fn atomic() -> String {
    let mut cases = String::new();
    let mut chosen = "%x".to_string();
    for (n, (op, how)) in INTEGERS.iter().enumerate() {
        cases += &match how.strip_prefix("icmp ") {
            Some(than) => {
                format!("  %c{n} = icmp {than} i32 %before, %x\n  %r{n} = select i1 %c{n}, i32 %before, i32 %x\n")
            }
            None => format!("  %r{n} = {how} i32 %before, %x\n"),
        };
        let code = *op as u32;
        let _ =
            writeln!(cases, "  %is{n} = icmp eq i32 %op, {code}\n  %s{n} = select i1 %is{n}, i32 %r{n}, i32 {chosen}");
        chosen = format!("%s{n}");
    }
    let mut floats = "%x".to_string();
    for (n, (op, how)) in FLOATS.iter().enumerate() {
        let code = *op as u32;
        let _ = writeln!(
            cases,
            "  %f{n} = {how} float %beforef, %xf\n  %fi{n} = bitcast float %f{n} to i32\n  %fis{n} = icmp eq i32 %op, {code}\n  \
             %fs{n} = select i1 %fis{n}, i32 %fi{n}, i32 {floats}"
        );
        floats = format!("%fs{n}");
    }
    let float = Elem::F32 as u32;
    let _ = writeln!(
        cases,
        "  %float = icmp eq i32 %elem, {float}\n  %after = select i1 %float, i32 {floats}, i32 {chosen}"
    );
    ATOMIC.replace("CASES", &cases)
}

/// The launch. Workers of a kernel without an extent come one after the other.
fn run(kernel: &Kernel) -> String {
    let (size, worker) = (layout::SIZE, layout::WORKER);
    let workers = if kernel.over == 0 { "%workers" } else { "1" };
    format!(
        "@none = internal constant i8 0
define internal i32 @run(i32 %workers, i32 %e0, i32 %e1, i32 %e2, ptr %scalars, ptr %buffers) {{
entry:
  %c = alloca [{size} x i8], align 64
  call void @llvm.memset.p0.i64(ptr align 64 %c, i8 0, i64 {size}, i1 false)
{}  %now = getelementptr i8, ptr %c, i64 {worker}
  br label %next
next:
  %w = phi i32 [ 0, %entry ], [ %behind, %good ]
  store i32 %w, ptr %now
  %r = call i32 @kernel(ptr %c)
  %stopped = icmp ne i32 %r, 0
  br i1 %stopped, label %end, label %good
good:
  %behind = add i32 %w, 1
  %more = icmp ult i32 %behind, {workers}
  br i1 %more, label %next, label %end
end:
  ret i32 %r
}}
",
        context(kernel, workers)
    )
}

/// Fills the context of a launch.
fn context(kernel: &Kernel, workers: &str) -> String {
    let over = kernel.over as usize;
    let mut out = String::new();
    let mut store = |ty: &str, value: &str, at: usize| {
        let _ = writeln!(out, "  %at{at} = getelementptr i8, ptr %c, i64 {at}\n  store {ty} {value}, ptr %at{at}");
    };
    store("ptr", "@none", layout::STOP);
    store("ptr", "@atomic", layout::ATOMIC);
    store("ptr", "%scalars", layout::SCALARS);
    store("ptr", "%buffers", layout::BUFFERS);
    store("i64", &i64::MAX.to_string(), layout::BUDGET);
    store("i32", workers, layout::WORKERS);
    let mut groups = String::new();
    for axis in 0..4 {
        let (at, is_last) = (4 * axis, axis + 1 == over);
        let count = match axis {
            _ if is_last => {
                // Without a carry at the largest extents.
                let _ = writeln!(
                    groups,
                    "  %h{axis} = lshr i32 %e{axis}, 4\n  %l{axis} = and i32 %e{axis}, 15\n  %m{axis} = icmp ne i32 %l{axis}, 0\n  \
                     %z{axis} = zext i1 %m{axis} to i32\n  %g{axis} = add i32 %h{axis}, %z{axis}"
                );
                format!("%g{axis}")
            }
            _ if axis < over => format!("%e{axis}"),
            0 => workers.to_string(),
            _ => "1".into(),
        };
        store("i32", if over == 0 { "1" } else { &count }, layout::HIGH + at);
        store("i32", &count, layout::GROUPS + at);
        store("i32", if axis < over { ["%e0", "%e1", "%e2"][axis] } else { "0" }, layout::EXTENT + at);
        store("i32", if is_last { "16" } else { "1" }, layout::GROUP_SIZE + at);
    }
    groups + &out
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_llvm::{Llvm, Pipeline, Target};

    const SUM: &str = "kernel @k(%a: buf<f32, r>, %o: buf<f32, rw>, %s: f32) simt group=16 over=1 {
        %i = item 0
        %x = load %a[%i]
        %y = mul %x, %s
        store %o[%i], %y
    }";

    #[test]
    fn every_target_has_code() {
        let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
        let kernel = quadra_kir::parse::kernel("t.kir", SUM).map_err(|d| format!("{d:?}")).expect("the test's kernel");
        for target in Target::ALL {
            let text = module(&kernel, target.fuses).expect("it can be exported");
            let code =
                llvm.object_for(&text, target, Pipeline::Vectors).unwrap_or_else(|d| panic!("{}: {d:?}", target.name));
            assert_eq!((&code[..4], code[18]), (&b"\x7fELF"[..], target.machine), "{}", target.name);
        }
    }
}
