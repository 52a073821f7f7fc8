//! This processor as a device: kernels compiled through libLLVM, on as many threads as there are.

use crate::interp::Interp;
use crate::launch::{self, Argument, LaunchOptions, Report};
use crate::{Device, Module};
use quadra_back_cpu::{self as back_cpu, Program, lower};
use quadra_base::Diagnostic;
use quadra_kir::{self as kir, Arithmetic, Fault, Kernel};
use quadra_llvm::Llvm;
use quadra_passes as passes;
use std::sync::Arc;

/// Most workers of a launch that names its workers.
const MAX_WORKERS: u32 = 4096;

/// Compiles kernels for this processor.
pub struct Cpu {
    llvm: Arc<Llvm>,
}

impl Cpu {
    /// The device, if libLLVM is there.
    ///
    /// # Errors
    /// Which package to install.
    pub fn new() -> Result<Cpu, Box<Diagnostic>> {
        Ok(Cpu { llvm: Llvm::get()? })
    }
}

impl Device for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn about(&self) -> String {
        format!("this processor, {} threads of 16 lanes (QUADRA_THREADS), through libLLVM", back_cpu::threads())
    }

    fn max_workers(&self) -> u32 {
        MAX_WORKERS
    }

    fn arithmetic(&self) -> Arithmetic {
        Arithmetic::Nearest
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        let simd = passes::pipeline::compile(kernel, &back_cpu::caps());
        match simd {
            Ok(simd) if lower::unsupported(&simd).is_none() => {
                let program = Program::compile(&self.llvm, &simd).map_err(|d| vec![*d])?;
                Ok(Arc::new(Compiled { kernel: kernel.clone(), program }))
            }
            // What has no vectors yet (shared arrays, barriers, small vectors) runs as written.
            _ => Interp::new(Arithmetic::Nearest).compile(kernel),
        }
    }
}

struct Compiled {
    kernel: Kernel,
    program: Program,
}

impl Module for Compiled {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let bound = launch::bind(&self.kernel, args, options, MAX_WORKERS)?;
        let mut memory = bound.copy_in();
        let launch: kir::Launch = bound.launch(options, Arithmetic::Nearest);
        let stats = self.program.run(&mut memory, &launch, &mut |line| options.print.line(line))?;
        bound.copy_out(memory);
        Ok(Report { instructions: stats.instructions, per_worker: stats.per_worker, ..Report::default() })
    }
}
