//! A kernel's QPU programs, compiled on demand: one per number of QPUs, because fewer QPUs have more rows of the VPM each.

use crate::emu::QPUS;
use crate::kept;
use crate::launch::{Bound, LaunchOptions, Loads};
use crate::together;
use crate::vc4::SyncUse;
use quadra_back_qpu::{self as back_qpu, Compiled};
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
use quadra_kir::{Access, Buf, Fault, FaultKind, Kernel, Param};
use quadra_passes as passes;
use quadra_passes::analysis::balance;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Where programs are kept on disk.
#[derive(Clone, Debug, Default)]
pub(crate) enum Keep {
    #[default]
    Nowhere,
    User,
    In(Arc<Cache>),
}

impl Keep {
    fn cache(&self) -> Option<&Cache> {
        match self {
            Keep::Nowhere => None,
            Keep::User => Cache::user(),
            Keep::In(cache) => Some(cache),
        }
    }
}

/// The most runs in one launch: more would only need more memory for uniforms.
const MOST_RUNS: u32 = 1 << 16;

/// What a program depends on besides the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    qpus: u32,
    alias: bool,
    loads: Loads,
    /// For several runs in one launch, the buffers that any of them writes, by parameter.
    runs: Option<u64>,
}

impl Key {
    fn of(options: &LaunchOptions, runs: Option<u64>) -> Key {
        Key { qpus: options.workers, alias: options.alias, loads: options.loads, runs }
    }
}

/// A kernel and its programs.
pub(crate) struct Programs {
    pub kernel: Kernel,
    /// The kernel as the back end takes it, once a program was not found in the cache.
    legal: OnceLock<Kernel>,
    options: back_qpu::Options,
    compiled: Mutex<HashMap<Key, Arc<Compiled>>>,
    cache: Keep,
}

impl Programs {
    /// Compiles a SIMT kernel for one QPU; the other programs follow when they are asked for.
    ///
    /// # Errors
    /// Diagnostics that point at the source of the kernel.
    pub fn new(kernel: &Kernel, options: back_qpu::Options, cache: Keep) -> Result<Programs, Vec<Diagnostic>> {
        let (kernel, legal, compiled) = (kernel.clone(), OnceLock::new(), Mutex::default());
        let programs = Programs { kernel, legal, options, compiled, cache };
        // A kernel that cannot be compiled is refused here rather than at its first launch.
        programs.compile(Key { qpus: 1, alias: false, loads: Loads::Auto, runs: None })?;
        Ok(programs)
    }

    fn legal(&self) -> Result<&Kernel, Vec<Diagnostic>> {
        if let Some(legal) = self.legal.get() {
            return Ok(legal);
        }
        let legal = passes::pipeline::compile(&self.kernel, &QPUS)?;
        Ok(self.legal.get_or_init(|| legal))
    }

    fn compile(&self, key: Key) -> Result<Arc<Compiled>, Vec<Diagnostic>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(program) = compiled.get(&key) {
            return Ok(program.clone());
        }
        let options = back_qpu::Options {
            qpus: Some(key.qpus),
            alias: key.alias,
            uncached: self.options.uncached | key.runs.unwrap_or(0),
            loads: if key.loads == Loads::Auto { self.options.loads } else { key.loads },
            again: key.runs.is_some(),
            ..self.options
        };
        let cache = self.cache.cache();
        let text = cache.and_then(|_| kept::key(&self.kernel, &options));
        let found = cache.zip(text.as_ref()).and_then(|(cache, text)| kept::get(cache, text));
        let program = Arc::new(match found {
            Some(program) => program,
            None => {
                let program = back_qpu::compile(self.legal()?, &options)?;
                if let (Some(cache), Some(text)) = (cache, &text) {
                    kept::put(cache, text, &program);
                }
                program
            }
        });
        compiled.insert(key, program.clone());
        Ok(program)
    }

    fn get(&self, key: Key) -> Result<Arc<Compiled>, Fault> {
        self.compile(key).map_err(|d| {
            let first = d.first();
            let text = first.into_iter().flat_map(|d| [Some(&d.message), d.notes.first()]).flatten().cloned();
            let fault = Fault::new(&self.kernel.name, FaultKind::Other(text.collect::<Vec<_>>().join("; ")));
            Fault { span: first.and_then(|d| d.span).or(self.kernel.span), ..fault }
        })
    }

    /// The program for a launch.
    ///
    /// # Errors
    /// A kernel that can be compiled for fewer QPUs only.
    pub fn for_launch(&self, options: &LaunchOptions) -> Result<Arc<Compiled>, Fault> {
        self.get(Key::of(options, None))
    }

    /// The program that makes all runs of a launch, if there can be one: it needs three semaphores, and the parameters whose
    /// buffers are written must be among the first 64.
    ///
    /// # Errors
    /// As [`Programs::for_launch`].
    pub fn for_runs(&self, options: &LaunchOptions) -> Option<Result<Arc<Compiled>, Fault>> {
        if options.repeat > MOST_RUNS || back_qpu::free_semaphores(self.legal().ok()?).is_none() {
            return None;
        }
        let uncached = self.written_by_runs(options)?;
        Some(self.get(Key::of(options, Some(uncached))))
    }

    /// How the program for so many workers uses semaphores and mutex. Atomic operations, and the barrier between runs in one
    /// launch, leave them as they were.
    pub fn sync_use(&self, workers: u32, together: bool) -> SyncUse {
        if balance::synchronises(&self.kernel) {
            let balanced = self.legal().is_ok_and(|legal| balance::balanced(legal, workers));
            return if balanced { SyncUse::Balanced } else { SyncUse::Unknown };
        }
        let uses = together || self.kernel.body.any(&mut |i| i.op.is_atomic());
        if uses { SyncUse::Balanced } else { SyncUse::Unused }
    }

    /// Whether all runs in one launch take less time than one launch after the other; `false` if there can be no such launch.
    pub fn faster_together(&self, bound: &Bound, options: &LaunchOptions) -> bool {
        let (Some(written), Ok(legal), Ok(program)) =
            (self.written_by_runs(options), self.legal(), self.for_launch(options))
        else {
            return false;
        };
        together::faster(legal, program.program.len(), written, bound)
    }

    /// Whether every launch over this extent writes all of a parameter's `length` elements, whatever they held.
    pub fn covers(&self, buf: Buf, extent: &[u32], length: u64) -> bool {
        self.legal().is_ok_and(|legal| passes::analysis::covers::covers(legal, buf, extent, length))
    }

    /// The parameters, bit by bit, whose buffers any of the runs writes; `None` if one of them is not among the first 64.
    fn written_by_runs(&self, options: &LaunchOptions) -> Option<u64> {
        let written = |at: usize| match self.kernel.params.get(at) {
            Some(Param::Buffer(b)) => self.kernel.bufs[*b].access != Access::Read,
            _ => false,
        };
        let mut uncached = 0u64;
        for at in 0..self.kernel.params.len() {
            let partner = options.swap.and_then(|(a, b)| match at {
                _ if at == a => Some(b),
                _ if at == b => Some(a),
                _ => None,
            });
            if written(at) || partner.is_some_and(written) {
                uncached |= 1u64.checked_shl(at as u32)?;
            }
        }
        Some(uncached)
    }
}
