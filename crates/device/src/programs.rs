//! A kernel's QPU programs, compiled on demand: one per number of QPUs, because fewer QPUs have more rows of the VPM each.

use quadra_back_qpu::{self as back_qpu, Compiled};
use quadra_base::Diagnostic;
use quadra_kir::{Fault, FaultKind, Kernel};
use quadra_passes as passes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A kernel and its programs.
pub(crate) struct Programs {
    pub kernel: Kernel,
    legal: Kernel,
    options: back_qpu::Options,
    compiled: Mutex<HashMap<(u32, bool), Arc<Compiled>>>,
}

impl Programs {
    /// Compiles a SIMT kernel for one QPU; the other programs follow when they are asked for.
    ///
    /// # Errors
    /// Diagnostics that point at the source of the kernel.
    pub fn new(kernel: &Kernel, options: back_qpu::Options) -> Result<Programs, Vec<Diagnostic>> {
        let legal = passes::pipeline::compile(kernel, &back_qpu::caps())?;
        let programs = Programs { kernel: kernel.clone(), legal, options, compiled: Mutex::default() };
        // A kernel that cannot be compiled is refused here rather than at its first launch.
        programs.compile(1, false)?;
        Ok(programs)
    }

    fn compile(&self, qpus: u32, alias: bool) -> Result<Arc<Compiled>, Vec<Diagnostic>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(program) = compiled.get(&(qpus, alias)) {
            return Ok(program.clone());
        }
        let options = back_qpu::Options { qpus: Some(qpus), alias, ..self.options };
        let program = Arc::new(back_qpu::compile(&self.legal, &options)?);
        compiled.insert((qpus, alias), program.clone());
        Ok(program)
    }

    /// The program for a launch on `qpus` QPUs, in which two parameters may be one buffer if it says `alias`.
    ///
    /// # Errors
    /// A kernel that can be compiled for fewer QPUs only.
    pub fn for_launch(&self, qpus: u32, alias: bool) -> Result<Arc<Compiled>, Fault> {
        self.compile(qpus, alias).map_err(|d| {
            let text = d.first().map_or_else(String::new, |d| d.message.clone());
            Fault::new(&self.kernel.name, FaultKind::Other(text))
        })
    }
}
