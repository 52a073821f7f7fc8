//! Internal crate of Quadra: no stable interface.
//!
//! Hot blocks of QPU programs as native code: the same results as the interpreter, some times faster.
//!
//! Where the processor has AVX2 or AVX-512, [`direct`] translates whole programs instruction by instruction, with the assembler
//! [`x64`]. What follows is about the way of all other processors, by libLLVM.
//!
//! Reading order: [`region`] chooses the instructions, [`facts`] says what is known about registers, [`step`] and [`alu`]
//! write instructions as LLVM IR, [`emit`] puts a function around them, `native` calls it. [`Jit`] is what a machine gets.
//!
//! # How results stay exact
//! The QPU rounds toward zero, has no denormals, no negative zero and no NaN, and overflows to infinity. Processors have a
//! mode that rounds toward zero and flushes denormals; translated code runs in it. What the mode does otherwise is dealt
//! with as follows.
//! - An overflow gives the largest number, not infinity, and an infinity less itself is invalid: both leave a mark in the
//!   processor's status. The code works on copies, and if there is a mark at the end, nothing was done and the interpreter
//!   executes the same instructions.
//! - A NaN that comes from elsewhere goes through without a mark: operands that may be one are looked at, with the same
//!   consequence.
//! - A zero may have a sign. No float operation can tell, so that it is removed only where something else looks.
//!
//! # What is left to the interpreter
//! Instructions that other QPUs can see (VPM, DMA, mutex, semaphores), packed results, texture lookups, branches through
//! registers, and whatever breaks a rule. A block never executes more instructions than a QPU's turn has left, so that QPUs
//! take turns at the same instructions as without a translator.
#![deny(unsafe_code)]

pub mod direct;
pub mod x64;
pub mod region;
pub mod statistics;
pub mod facts;
pub mod text;
pub mod alu;
pub mod step;
pub mod emit;
#[allow(unsafe_code)]
mod native;

use direct::Vectors;
use direct::kept::Units;
use direct::shape;
use direct::stored::Store;
use native::Native;
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
use quadra_isa::vc4::Inst;
use quadra_isa::vc4::emu::Lanes;
use quadra_isa::vc4::emu::translate::{Block, Listing, Outcome, Qpu, Translation, Translator};
use quadra_llvm::{Llvm, Options, Pipeline};
pub use statistics::Statistics;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// Jumps to an instruction before it is translated: a loop of ten instructions then has cost the interpreter about as long
/// as LLVM will take.
const THRESHOLD: u32 = 4000;

/// The same where translation takes microseconds; how many instructions the interpreter executes in the time that one takes, and
/// for each of its instructions; and how many must have been executed in this process for each of those: so little is lost where
/// programs end before their translations are of use.
const SOON: u32 = 16;
const EACH: u64 = 8000;
const PER_INSTRUCTION: u64 = 6;
/// The same where vectors are halves, which takes more code, and beside a slower interpreter.
const PER_INSTRUCTION_IN_HALVES: u64 = 20;
const PROFIT: u64 = 25;
/// How many instructions the interpreter executes in the time that a look for a translation on disk takes.
const LOOK: u64 = 3000;

/// Makes translated blocks, and keeps them for programs that come again.
#[derive(Debug)]
pub struct Jit {
    /// The library to use; `None` for the one of this process.
    llvm: Option<Arc<Llvm>>,
    threshold: u32,
    /// Whether every instruction is translated by itself, without libLLVM.
    direct: Option<Direct>,
    options: Options,
    /// What became of each region, by its head and the instructions of its blocks.
    known: Mutex<HashMap<Key, Option<Arc<Native>>>>,
    failure: Mutex<Option<Box<Diagnostic>>>,
    statistics: Arc<Statistics>,
}

/// What translating by itself takes, and what it has made.
#[derive(Debug)]
struct Direct {
    /// Whether translations wait until they are known to pay.
    patient: bool,
    vectors: Vectors,
    units: Units,
    /// Where translations are kept on disk, if they are.
    store: Option<Store>,
    /// Instructions that machines have executed, and what translations have cost, in such instructions.
    executed: AtomicU64,
    spent: AtomicU64,
}

impl Direct {
    /// How many instructions a machine must have executed before something that costs so many may be done.
    fn when(&self, cost: u64) -> u64 {
        let due = PROFIT * (self.spent.load(Ordering::Relaxed) + cost);
        due.saturating_sub(self.executed.load(Ordering::Relaxed))
    }
}

/// The head of a region and the instructions of its blocks.
type Key = Vec<(usize, Vec<Inst>)>;

impl Jit {
    /// The translator of this process, ready to translate.
    ///
    /// # Errors
    /// Where instructions cannot be translated one by one, and there is no libLLVM: see [`Llvm::get`].
    pub fn get() -> Result<Arc<Jit>, Box<Diagnostic>> {
        if direct::Vectors::best().is_none() {
            Llvm::get()?;
        }
        Ok(Jit::lazy())
    }

    /// The translator of this process. Without AVX2 it loads libLLVM when something is hot; if there is none, it
    /// translates nothing and says why in [`Jit::failure`].
    pub fn lazy() -> Arc<Jit> {
        static JIT: OnceLock<Arc<Jit>> = OnceLock::new();
        JIT.get_or_init(|| Jit::with_cache(None)).clone()
    }

    /// A translator like that of this process which has translated nothing yet and keeps nothing on disk.
    pub fn of_its_own() -> Arc<Jit> {
        Arc::new(Jit::usual())
    }

    /// A translator like that of this process which has translated nothing yet, and this cache or, by default, that of this user.
    pub fn with_cache(cache: Option<Cache>) -> Arc<Jit> {
        Arc::new(Jit::usual().keeping(cache))
    }

    fn usual() -> Jit {
        Jit::direct(SOON, true).unwrap_or_else(|| Jit::with(None, THRESHOLD, ""))
    }

    /// Keeps translations on disk, in this cache or, by default, in that of this user: those that need no libLLVM.
    #[must_use]
    pub fn keeping(mut self, cache: Option<Cache>) -> Jit {
        if let Some(direct) = &mut self.direct {
            direct.store = Store::new(cache, direct.vectors);
        }
        self
    }

    /// A translator that uses this library, waits for `threshold` jumps, and switches processor features off or on, as in
    /// `-avx512f`.
    pub fn new(llvm: Arc<Llvm>, threshold: u32, features: &str) -> Jit {
        Jit::with(Some(llvm), threshold, features)
    }

    fn with(llvm: Option<Arc<Llvm>>, threshold: u32, features: &str) -> Jit {
        let options = Options { pipeline: Pipeline::Light, features: features.into(), ..Options::default() };
        let (known, failure) = (Mutex::default(), Mutex::default());
        Jit { llvm, threshold, direct: None, options, known, failure, statistics: Arc::default() }
    }

    /// A translator that needs no libLLVM: it waits for `threshold` jumps and, if it is `patient`, until a program has run so
    /// long that a translation costs little beside. `None` on processors without AVX2.
    pub fn direct(threshold: u32, patient: bool) -> Option<Jit> {
        Vectors::best().map(|vectors| Jit::direct_with(vectors, threshold, patient))
    }

    /// The same without AVX-512, whether the processor has it or not.
    pub fn direct_in_halves(threshold: u32, patient: bool) -> Option<Jit> {
        Vectors::best().map(|_| Jit::direct_with(Vectors::Halves, threshold, patient))
    }

    fn direct_with(vectors: Vectors, threshold: u32, patient: bool) -> Jit {
        let (executed, spent) = (AtomicU64::new(0), AtomicU64::new(0));
        let direct = Some(Direct { patient, vectors, units: Units::default(), store: None, executed, spent });
        Jit { direct, ..Jit::with(None, threshold, "") }
    }

    fn translate_directly(&self, direct: &Direct, code: &Listing, head: usize) -> Option<Translation> {
        let start = Instant::now();
        direct.spent.fetch_add(cost(code, direct.vectors), Ordering::Relaxed);
        let reach = shape::reach(code, head);
        let text = direct::translate(code, head, &reach, direct.vectors)?;
        let program = code.contents(&reach.seen);
        direct.store.iter().for_each(|store| store.put(code, &program, head, &text));
        let translation = direct::load(text, &self.statistics)?;
        self.statistics.compiled.fetch_add(1, Ordering::Relaxed);
        self.statistics.compile_nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        direct.units.keep(code, head, program, &translation);
        Some(translation)
    }

    /// A translation on disk.
    fn find_stored(&self, direct: &Direct, code: &Listing, head: usize) -> Option<Translation> {
        let store = direct.store.as_ref()?;
        store.look(code);
        if !store.has(code, head) {
            return None;
        }
        direct.spent.fetch_add(load_cost(code), Ordering::Relaxed);
        let program = code.contents(&shape::reach(code, head).seen);
        let translation = direct::load(store.get(code, &program, head)?, &self.statistics)?;
        self.statistics.loaded.fetch_add(1, Ordering::Relaxed);
        direct.units.keep(code, head, program, &translation);
        Some(translation)
    }

    /// Waits until all translations that are to be kept are on disk. A process that ends before has made some in vain.
    pub fn settle(&self) {
        self.direct.iter().filter_map(|direct| direct.store.as_ref()).for_each(Store::settle);
    }

    /// What was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Why something hot was not translated, if that ever happened: libLLVM is absent, or refused a region.
    pub fn failure(&self) -> Option<Box<Diagnostic>> {
        self.failure.lock().ok()?.clone()
    }

    /// The LLVM IR of the region that begins at an instruction, if there is anything to translate.
    pub fn text(code: &Listing, head: usize) -> Option<String> {
        Some(emit::emit(&region::region(code, head)?, head).text)
    }

    fn compile(&self, region: &region::Region, head: usize) -> Result<Native, Box<Diagnostic>> {
        let llvm = self.llvm.clone().map_or_else(Llvm::get, Ok)?;
        let start = Instant::now();
        let emitted = emit::emit(region, head);
        let code = llvm.compile(&emitted.text, &self.options)?;
        let first = &region[&head];
        let pool = emitted.pool.into_iter().map(Lanes).collect();
        let mut native = Native::new(code, emitted.written, pool)?;
        native.in_memory = emitted.in_memory;
        native.numbers = emitted.numbers;
        native.r4_first = first.r4_first;
        native.uniform_first = first.uniform_first;
        native.head_is_short = first.insts.len() < 3;
        native.uses_uniforms = region.values().any(|b| b.uniforms > 0 || b.address_last.is_some());
        self.statistics.compiled.fetch_add(1, Ordering::Relaxed);
        self.statistics.compile_nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(native)
    }
}

/// What translating a part of a program costs at most, in instructions of the interpreter.
fn cost(code: &Listing, vectors: Vectors) -> u64 {
    let each = if vectors == Vectors::Whole { PER_INSTRUCTION } else { PER_INSTRUCTION_IN_HALVES };
    EACH + each * code.decoded().min(shape::MOST) as u64
}

/// The same of bringing it from the disk.
fn load_cost(code: &Listing) -> u64 {
    LOOK + 2 * code.decoded().min(shape::MOST) as u64
}

impl Translator for Jit {
    fn threshold(&self) -> u32 {
        self.threshold
    }

    fn earliest(&self) -> u64 {
        let Some(direct) = self.direct.as_ref().filter(|d| d.patient && d.units.is_empty()) else { return 0 };
        direct.when(if direct.store.is_some() { LOOK } else { EACH })
    }

    fn is_due(&self, code: &Listing, executed: u64) -> bool {
        self.direct.as_ref().is_none_or(|direct| !direct.patient || executed >= direct.when(cost(code, direct.vectors)))
    }

    fn ended(&self, executed: u64) {
        self.direct.iter().for_each(|d| _ = d.executed.fetch_add(executed, Ordering::Relaxed));
    }

    fn may_have(&self, code: &Listing, head: usize, first: bool, executed: u64) -> bool {
        let Some(direct) = &self.direct else { return false };
        if first && direct.units.may_have(code, head) {
            return true;
        }
        let Some(store) = &direct.store else { return false };
        if executed >= direct.when(LOOK) && store.is_new(code) {
            direct.spent.fetch_add(LOOK, Ordering::Relaxed);
            store.look(code);
        }
        store.has(code, head) && executed >= direct.when(load_cost(code))
    }

    fn missing(&self, code: &Listing, head: usize) -> Vec<usize> {
        self.direct.as_ref().map(|_| shape::reach(code, head).missing).unwrap_or_default()
    }

    fn find(&self, code: &Listing, head: usize) -> Option<Translation> {
        let direct = self.direct.as_ref()?;
        direct.units.find(code, head).or_else(|| self.find_stored(direct, code, head))
    }

    fn translate(&self, code: &Listing, head: usize) -> Option<Translation> {
        if let Some(direct) = &self.direct {
            return self.translate_directly(direct, code, head);
        }
        if !native::is_supported() {
            return None;
        }
        let region = region::region(code, head)?;
        let mut key = vec![(head, Vec::new())];
        key.extend(region.values().map(|b| (b.start, b.insts.clone())));
        let mut known = self.known.lock().ok()?;
        let native = known.entry(key).or_insert_with(|| match self.compile(&region, head) {
            Ok(native) => Some(Arc::new(native)),
            // The interpreter does as well; the tests demand that this never happens.
            Err(why) => {
                if let Ok(mut failure) = self.failure.lock() {
                    *failure = Some(why);
                }
                None
            }
        });
        let block = Arc::new(Translated { native: native.clone()?, statistics: self.statistics.clone() });
        Some(Translation { block, heads: vec![head] })
    }
}

/// A block as the machine knows it.
#[derive(Debug)]
struct Translated {
    native: Arc<Native>,
    statistics: Arc<Statistics>,
}

impl Block for Translated {
    fn run(&self, qpu: &mut Qpu, limit: u64) -> Outcome {
        let before = qpu.issued();
        let outcome = self.native.run(qpu, limit);
        match outcome {
            Outcome::Done => self.statistics.executed.fetch_add(qpu.issued() - before, Ordering::Relaxed),
            Outcome::Undone(count) => self.statistics.undone.fetch_add(count, Ordering::Relaxed),
            _ => 0,
        };
        outcome
    }
}
