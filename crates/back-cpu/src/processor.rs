//! What code may use of a processor, this one or another.

use quadra_llvm::Llvm;

/// What code may use of a processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Processor {
    /// As in the plan of a function.
    pub scales: bool,
    pub fuses: bool,
    pub permutes: bool,
    pub avx2: bool,
}

impl Processor {
    pub fn here(llvm: &Llvm) -> Processor {
        let scales = ["avx512f", "avx512dq", "avx512vl"].iter().all(|f| llvm.has_feature(f));
        Processor {
            scales,
            avx2: cfg!(target_arch = "x86_64") && !scales && llvm.has_feature("avx2"),
            fuses: cfg!(target_arch = "aarch64") || llvm.has_feature("fma"),
            permutes: llvm.has_feature("avx512vbmi"),
        }
    }

    /// Whether a square of eight words is turned over in few instructions.
    pub fn turns(&self) -> bool {
        self.scales || self.avx2
    }
}
