//! A kernel's QPU programs, compiled on demand: one per number of QPUs, because fewer QPUs have more rows of the VPM each.

use super::layout::QPUS;
use super::{kept, together};
use crate::launch::{self, Bound, LaunchOptions, Loads, Runs};
use quadra_back_qpu::{self as back_qpu, Compiled};
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
use quadra_kir::{Access, Arg, Buf, Fault, FaultKind, Kernel, Param};
use quadra_passes as passes;
use quadra_passes::analysis::balance;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

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

/// How a program uses what all QPUs share and nothing sets back between launches: the semaphores and the mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncUse {
    Unused,
    /// It leaves them as it must find them: the semaphores 0, the mutex free.
    Balanced,
    /// What it leaves depends on data.
    Unknown,
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
    /// See [`back_qpu::Options::range_rows`].
    range_rows: u32,
}

impl Key {
    fn of(options: &LaunchOptions, runs: Option<u64>) -> Key {
        Key { qpus: options.workers, alias: options.alias, loads: options.loads, runs, range_rows: 0 }
    }
}

/// A program, and what it took to make it if it was made just now.
pub(crate) struct Program {
    pub code: Arc<Compiled>,
    pub made: Option<launch::Compiled>,
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
    /// For a SIMT kernel that there can be programs of; they are compiled when launches ask for so many QPUs.
    ///
    /// # Errors
    /// Why the kernel cannot be compiled, with places in its source: here rather than at its first launch.
    pub fn new(kernel: &Kernel, options: back_qpu::Options, cache: Keep) -> Result<Programs, Vec<Diagnostic>> {
        let (kernel, legal, compiled) = (kernel.clone(), OnceLock::new(), Mutex::default());
        let programs = Programs { kernel, legal, options, compiled, cache };
        let cache = programs.cache.cache();
        let text = cache.and_then(|_| kept::key(&programs.kernel, &programs.options));
        let text = text.map(|text| format!("kernel that is taken\n{text}").into_bytes());
        let known = cache.zip(text.as_ref()).filter(|(cache, text)| cache.get(text).is_some());
        if known.is_none() {
            back_qpu::check(programs.legal()?, &back_qpu::Options { qpus: Some(1), ..programs.options })?;
            if let (Some(cache), Some(text)) = (cache, &text) {
                cache.put(text, b"taken");
            }
        }
        Ok(programs)
    }

    fn legal(&self) -> Result<&Kernel, Vec<Diagnostic>> {
        if let Some(legal) = self.legal.get() {
            return Ok(legal);
        }
        let legal = passes::pipeline::compile(&self.kernel, &QPUS)?;
        Ok(self.legal.get_or_init(|| legal))
    }

    fn compile(&self, key: Key) -> Result<Program, Vec<Diagnostic>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(program) = compiled.get(&key) {
            return Ok(Program { code: program.clone(), made: None });
        }
        let start = Instant::now();
        let options = back_qpu::Options {
            qpus: Some(key.qpus),
            alias: key.alias,
            uncached: self.options.uncached | key.runs.unwrap_or(0),
            loads: if key.loads == Loads::Auto { self.options.loads } else { key.loads },
            again: key.runs.is_some(),
            range_rows: key.range_rows,
            ..self.options
        };
        let cache = self.cache.cache();
        let text = cache.and_then(|_| kept::key(&self.kernel, &options));
        let found = cache.zip(text.as_ref()).and_then(|(cache, text)| kept::get(cache, text));
        let from_disk = found.is_some();
        let code = Arc::new(match found {
            Some(program) => program,
            None => {
                let program = back_qpu::compile(self.legal()?, &options)?;
                if let (Some(cache), Some(text)) = (cache, &text) {
                    kept::put(cache, text, &program);
                }
                program
            }
        });
        compiled.insert(key, code.clone());
        Ok(Program { code, made: Some(launch::Compiled { seconds: start.elapsed().as_secs_f64(), from_disk }) })
    }

    fn get(&self, key: Key) -> Result<Program, Fault> {
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
    pub fn for_launch(&self, bound: &Bound, options: &LaunchOptions) -> Result<Program, Fault> {
        self.get(Key { range_rows: self.range_rows(bound, options), ..Key::of(options, None) })
    }

    /// Rows of the ranges that workers keep of arrays which the kernel only adds to, if that is quicker for this launch.
    fn range_rows(&self, bound: &Bound, options: &LaunchOptions) -> u32 {
        if options.alias || !self.kernel.body.any(&mut |i| i.op.is_atomic()) {
            return 0;
        }
        let Ok(legal) = self.legal() else { return 0 };
        let product = |sizes: &[u32]| -> u64 { sizes.iter().map(|&n| u64::from(n)).product() };
        let elements = |i: usize| match bound.args.get(i) {
            Some(&Arg::Buffer(at)) => product(&bound.dims(at)),
            _ => 0,
        };
        let lengths: Vec<u64> = back_qpu::ranged(legal).into_iter().map(elements).collect();
        let Some(&longest) = lengths.iter().max() else { return 0 };
        back_qpu::range_rows(legal, product(&options.extent), (lengths.len(), longest), options.workers)
    }

    /// The program that makes all runs of a launch, if that is asked for, or faster, and there can be one: it needs three semaphores,
    /// and the parameters whose buffers are written must be among the first 64.
    ///
    /// # Errors
    /// As [`Programs::for_launch`].
    pub fn together(&self, bound: &Bound, options: &LaunchOptions) -> Result<Option<Program>, Fault> {
        let wanted = match options.runs {
            _ if !(2..=MOST_RUNS).contains(&options.repeat) => false,
            Runs::Auto => self.faster_together(bound, options)?,
            Runs::Together => true,
            Runs::Apart => false,
        };
        let semaphores = || self.legal().ok().and_then(back_qpu::free_semaphores).is_some();
        match self.written_by_runs(options) {
            Some(uncached) if wanted && semaphores() => self.get(Key::of(options, Some(uncached))).map(Some),
            _ => Ok(None),
        }
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
    fn faster_together(&self, bound: &Bound, options: &LaunchOptions) -> Result<bool, Fault> {
        let (Some(written), Ok(legal)) = (self.written_by_runs(options), self.legal()) else { return Ok(false) };
        let alone = self.for_launch(bound, options)?;
        Ok(together::faster(legal, alone.code.program.len(), written, bound))
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
