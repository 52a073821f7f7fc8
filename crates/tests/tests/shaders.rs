//! Shaders of random kernels, on what GPUs may offer: `spirv-val` of the SPIR-V tools accepts all of them. That naga's validator does is
//! seen whenever one is made.

use quadra_back_gpu::{Prepared, Target};
use quadra_kir::{Caps, Kernel};
use quadra_passes::specialise::Known;
use quadra_tests::fuzz::{self, Shape};
use std::process::Command;

/// What a GPU offers, with the capabilities that kernels are prepared for.
fn targets() -> [(Target, Caps); 3] {
    let caps = |wide: bool| Caps { int64: wide, float64: wide, extensions: &[], ..Caps::EVERYTHING };
    let special = [true; 2];
    let rich = Target {
        float64: true,
        int64: true,
        group: 1024,
        shared_bytes: 32 << 10,
        special,
        denormals: special,
        ..Target::default()
    };
    let imprecise = Target {
        rounds: false,
        exact: false,
        together: 8,
        fuel: 65_500,
        special: [false; 2],
        denormals: [false; 2],
        ..rich
    };
    [(rich, caps(true)), (Target::default(), caps(false)), (imprecise, caps(true))]
}

/// The shaders of a kernel: the one that tests every access, and the one for a launch of this size.
fn shaders(kernel: &Kernel, extent: u32, target: &Target, caps: &Caps) -> Vec<Vec<u32>> {
    let Ok(prepared) = Prepared::new(kernel, caps) else { return Vec::new() };
    let known = Known {
        extent: vec![Some(extent); usize::from(kernel.over.max(1))],
        workers: None,
        scalars: vec![None; kernel.params.len()],
        dims: vec![Some(vec![4096]); kernel.params.len()],
    };
    let confirmed = [prepared.none(), prepared.confirmed(&known)];
    confirmed.iter().filter_map(|c| prepared.shader(c, target).ok()).map(|s| s.words).collect()
}

#[test]
fn spirv_val_accepts_every_shader() {
    if Command::new("spirv-val").arg("--version").output().is_err() {
        quadra_base::testing::left_out("spirv-val is not installed");
        return;
    }
    let directory = std::env::temp_dir().join(format!("quadra-shaders-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("the temporary directory can be written");
    let count = std::env::var("SHADERS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let mut made = 0;
    for seed in 0..count {
        let random = fuzz::kernels::case(seed, Shape::default()).kernel;
        for kernel in [random, fuzz::devices::kernel(seed)] {
            for (target, caps) in targets() {
                for words in shaders(&kernel, 64, &target, &caps) {
                    made += 1;
                    let file = directory.join("shader.spv");
                    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                    std::fs::write(&file, bytes).expect("own directory");
                    let out = Command::new("spirv-val").args(["--target-env", "vulkan1.1"]).arg(&file).output();
                    let out = out.expect("it was there before");
                    let said = String::from_utf8_lossy(&out.stderr);
                    assert!(out.status.success(), "seed {seed}, {target:?}: {said}\n{kernel}");
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    println!("{made} shaders of {count} seeds");
    assert!(made > 3 * count, "only {made} shaders are made");
}
