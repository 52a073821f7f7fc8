//! Kernels as PTX for NVIDIA's GPUs: libLLVM makes it, NVIDIA's assembler accepts it and finds registers for everything, and no product
//! and sum have become one operation. Nothing here runs it.

use quadra_back_gpu::{LlvmKernel, Prepared, Target};
use quadra_kir::{Caps, Kernel, parse};
use quadra_llvm::{Llvm, Pipeline};
use quadra_passes::specialise::Known;
use quadra_tests::fuzz::{self, Shape};
use std::path::{Path, PathBuf};
use std::process::Command;

/// NVIDIA's assembler: the one on the path, or that of the Python package `nvidia-cuda-nvcc-cu12`.
fn ptxas() -> Option<PathBuf> {
    if Command::new("ptxas").arg("--version").output().is_ok() {
        return Some("ptxas".into());
    }
    let python = PathBuf::from(std::env::var_os("QUADRA_PYTHON")?);
    let libraries = python.parent()?.parent()?.join("lib");
    let found = std::fs::read_dir(libraries).ok()?.flatten();
    found.map(|f| f.path().join("site-packages/nvidia/cuda_nvcc/bin/ptxas")).find(|file| file.exists())
}

/// The kernel for launches of any size, and for one of this size on buffers of 4096 elements.
fn versions(kernel: &Kernel, extent: u32) -> Vec<LlvmKernel> {
    let caps = Caps { int64: true, float64: true, extensions: &[], ..Caps::EVERYTHING };
    let Ok(prepared) = Prepared::new(kernel, &caps) else { return Vec::new() };
    let known = Known {
        extent: vec![Some(extent); usize::from(kernel.over.max(1))],
        workers: None,
        scalars: vec![None; kernel.params.len()],
        dims: vec![Some(vec![if kernel.name == "sum" { 1 } else { 4096 }]); kernel.params.len()],
    };
    let confirmed = [prepared.none(), prepared.confirmed(&known)];
    confirmed.iter().filter_map(|c| prepared.llvm(c, &Target::NVIDIA).ok()).collect()
}

/// Compiles for three generations of GPUs, and assembles each.
fn accepted(llvm: &Llvm, ptxas: Option<&Path>, folder: &Path, made: &LlvmKernel) {
    for name in ["sm_70", "sm_80", "sm_90"] {
        let target = quadra_llvm::Target::NVIDIA.iter().find(|t| t.name == name).expect("it is in the table");
        let ptx = llvm.assembly_for(&made.text, target, Pipeline::O2);
        let ptx = ptx.unwrap_or_else(|d| panic!("{name}: {d}\n{}", made.text));
        assert!(ptx.contains(&format!(".target {name}")) && ptx.contains(&format!(".entry {}", made.name)), "{ptx}");
        assert!(!ptx.contains("fma."), "{name}: a product and a sum round once\n{ptx}");
        let Some(ptxas) = ptxas else { continue };
        let file = folder.join("kernel.ptx");
        std::fs::write(&file, &ptx).expect("own directory");
        let out = Command::new(ptxas).args(["-v", "-arch", name, "-o", "/dev/null"]).arg(&file).output();
        let out = out.expect("the assembler starts");
        let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{name}: {said}\n{ptx}");
        assert!(said.contains("0 bytes spill stores, 0 bytes spill loads"), "{name}: {said}");
    }
}

/// What random kernels may not happen to have.
const KERNELS: &[&str] = &[
    "kernel @sum(%x: buf<f32, r>, %y: buf<f32, rw>) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %o = atomic.add %y[0], %v }",
    "kernel @bins(%x: buf<i32, r>, %y: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %b = and %v, 4095 %o = atomic.add %y[%b], 1 }",
    "kernel @functions(%x: buf<f32, rw>, %y: buf<f32, r>) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %w = load %y[%i] %a = sin %v %b = exp %w %c = pow %a, %b %d = div %c, %w %e = atan2 %d, %v
        %f = sqrt %e %g = log %f %h = tanh %g store %x[%i], %h }",
    "kernel @wide(%x: buf<f64, rw>, %y: buf<i64, rw>) simt group=16 over=2 {
        %i = item 0 %j = item 1 %m = extent 1 %r = mul %i, %m %at = add %r, %j %v = load %x[%at] %n = load %y[%at]
        %c = to.i64 7 %q = div %n, %c %f = to.f64 %q %s = add %f, %v %t = mul %s, %v store %x[%at], %t %k = to.i64 %t store %y[%at], %k }",
    // An atomic operation that changes nothing becomes a load.
    "kernel @nothing(%x: buf<i32, rw>, %y: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %o = atomic.or %y[%i], 0 %s = add %v, %o store %x[%i], %s }",
    // Arrays that a group shares begin with zeros.
    "kernel @zeros(%y: buf<i32, rw>, %s: shared<i32, 40>) simt group=16 over=1 {
        %i = item 0 %v = load %s[%i] store %y[%i], %v }",
    "kernel @bytes(%x: buf<i8, rw>, %y: buf<i16, rw>) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %w = load %y[%i] %s = add %v, %w store %x[%i], %s store %y[%i], %s }",
];

#[test]
fn assemblers_accept_every_kernel_without_spills() {
    let llvm = match Llvm::get() {
        Ok(llvm) if !llvm.is_llvmlite() => llvm,
        _ => return quadra_base::testing::left_out("libLLVM is not installed"),
    };
    let ptxas = ptxas();
    if ptxas.is_none() {
        quadra_base::testing::left_out("NVIDIA's `ptxas` is not installed");
    }
    let folder = std::env::temp_dir().join(format!("quadra-ptx-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary directory can be written");
    let mut made = 0;
    let mut all = |kernel: &Kernel| {
        for version in versions(kernel, 1 << 16) {
            made += 1;
            let cleared = version.text.contains("store i32 0, ptr addrspace(3)");
            assert!(cleared || kernel.name != "zeros", "{}", version.text);
            accepted(&llvm, ptxas.as_deref(), &folder, &version);
        }
    };
    for text in KERNELS {
        all(&parse::kernel("ptx.kir", text).unwrap_or_else(|d| panic!("{}: {text}", d[0].message)));
    }
    let count = std::env::var("SHADERS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    // In the last one nothing writes to the marks but what changes nothing.
    for seed in (0..count).chain([64_000_033]) {
        all(&fuzz::kernels::case(seed, Shape::default()).kernel);
        all(&fuzz::devices::kernel(seed));
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{made} kernels of {count} seeds");
    assert!(made > 2 * count, "only {made} kernels are made");
}
