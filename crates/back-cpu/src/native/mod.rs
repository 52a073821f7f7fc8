//! Calling compiled kernels: the memory that code and caller share, the functions that code calls, the call.

pub mod context;
mod guard;
mod lending;
mod sync;
pub mod signal;

use crate::common::function::{Private, Site, Sort, neutral};
use context::{Context, PART, Place, Words};
use guard::{Memory64, Pages};
pub use lending::Lending;
use quadra_base::checked::{self, Guard};
use quadra_base::stop::{self, Reason, Stop};
use quadra_kir::{Arithmetic, Buf, Elem, Fault, FaultKind, Kernel, Op, Space, eval};
use quadra_llvm::Code;
use std::cell::RefCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, RwLock};
use sync::Sync as Meeting;

/// A compiled kernel.
#[derive(Debug)]
pub struct Native {
    /// Holds the code in memory.
    _code: Code,
    entry: usize,
    sites: Vec<Site>,
}

/// Strips of a buffer that threads combine with their copies at the same time, and the fewest elements of one.
const STRIPS: usize = 16;
const STRIP: usize = 4096;

/// What all workers of a launch share.
pub struct Run<'a> {
    pub kernel: &'a Kernel,
    scalars: Vec<u64>,
    places: Vec<Place>,
    /// The places when two buffers have changed theirs.
    swapped: Vec<Place>,
    /// For each buffer of the kernel its parameter's number.
    parameter: Vec<usize>,
    /// Held by atomic operations of the caller; shared by threads that combine their copies, each at a strip of its own.
    atomics: RwLock<()>,
    strips: [Mutex<()>; STRIPS],
    pub lines: Mutex<Vec<String>>,
    pub meeting: Meeting,
    pub workers: u32,
    pub groups: [u32; 4],
    pub extent: [u32; 4],
    pub group_size: [u32; 4],
    pub budget: u64,
    stop: Stop,
}

// SAFETY: the places point into buffers that the launch borrows exclusively for as long as this lives; the code that
// several threads run on them is generated, and what kernels race for is theirs to order.
unsafe impl Sync for Run<'_> {}

impl<'a> Run<'a> {
    /// A launch of `kernel` with these words for scalar parameters, and buffers given by their number, per parameter. Several
    /// launches may have the same buffers: whoever runs them runs one after the other.
    pub fn new(
        kernel: &'a Kernel,
        memory: &'a Lending<'_>,
        args: &[(u64, Option<usize>)],
        workers: u32,
        swap: Option<(usize, usize)>,
    ) -> Run<'a> {
        let none = Place { bytes: std::ptr::null_mut(), elements: 0 };
        let places: Vec<Place> = args.iter().map(|(_, at)| at.map_or(none, |at| memory.places[at])).collect();
        let mut swapped = places.clone();
        if let Some((a, b)) = swap {
            swapped.swap(a, b);
        }
        let mut parameter = vec![0; kernel.bufs.len()];
        for (n, p) in kernel.params.iter().enumerate() {
            if let quadra_kir::Param::Buffer(b) = p {
                parameter[b.index()] = n;
            }
        }
        Run {
            kernel,
            scalars: args.iter().map(|a| a.0).collect(),
            places,
            swapped,
            parameter,
            atomics: RwLock::default(),
            strips: Default::default(),
            lines: Mutex::default(),
            meeting: Meeting::new(workers),
            workers,
            groups: [1; 4],
            extent: [0; 4],
            group_size: [1; 4],
            budget: 0,
            stop: stop::current().unwrap_or_default(),
        }
    }
}

impl Run<'_> {
    /// The whole number of a parameter.
    pub fn number(&self, parameter: usize) -> Option<i64> {
        self.scalars.get(parameter).map(|&word| i64::from(word as u32 as i32))
    }

    /// Whether somebody wants an end.
    ///
    /// # Errors
    /// The fault of that.
    pub fn may_go_on(&self) -> Result<(), Fault> {
        let fault = |reason| Fault::new(&self.kernel.name, FaultKind::Stopped(reason));
        self.stop.reason().map_or(Ok(()), |reason| Err(fault(reason)))
    }

    /// Where the kernel's buffers lie, by number, when two of them have changed places or not: 0 for those of a group.
    pub fn addresses(&self, swapped: bool) -> Vec<usize> {
        let places = if swapped { &self.swapped } else { &self.places };
        let address = |(b, parameter): ((Buf, &quadra_kir::BufInfo), &usize)| match b.1.space {
            Space::Global => places[*parameter].bytes as usize,
            Space::Shared => 0,
        };
        self.kernel.bufs.iter().zip(&self.parameter).map(address).collect()
    }

    /// Bytes of an element of the buffer at an address.
    pub fn bytes_at(&self, address: usize) -> usize {
        let at = |b: &(Buf, &quadra_kir::BufInfo)| self.places[self.parameter[b.0.index()]].bytes as usize == address;
        self.kernel.bufs.iter().find(at).map_or(0, |b| b.1.elem.bytes() as usize)
    }

    /// Vector instructions of the launch, if a group takes so many; 0 if that depends on the data.
    pub fn work(&self, cost: u64) -> u64 {
        self.groups.iter().map(|g| u64::from(*g)).product::<u64>().saturating_mul(cost)
    }

    /// How many elements a buffer or an array of a group has.
    fn elements(&self, buf: Buf) -> u64 {
        let info = &self.kernel.bufs[buf];
        match info.space {
            Space::Global => self.places[self.parameter[buf.index()]].elements,
            Space::Shared => info.elements(),
        }
    }
}

/// A thread's copies of small buffers.
#[derive(Default)]
pub struct Copies {
    pointers: Vec<*mut u8>,
    words: Vec<(usize, Private, Memory64)>,
    /// Whether the thread is the only one at the launch.
    alone: bool,
    /// Arrays of a group between guard pages.
    _shared: Vec<Pages>,
}

impl Copies {
    /// Copies of the buffers that a plan says, with elements that change nothing.
    pub fn new(kernel: &Kernel, private: &[Option<Private>]) -> Copies {
        let mut copies = Copies { pointers: vec![std::ptr::null_mut(); private.len()], ..Copies::default() };
        for (b, info) in kernel.shared().filter(|_| checked::guard() != Guard::Off) {
            if let Some(pages) = Pages::new(info.bytes() as usize, checked::guard()) {
                copies.pointers[b.index()] = pages.data();
                copies._shared.push(pages);
            }
        }
        for ((n, private), (_, info)) in private.iter().enumerate().zip(kernel.bufs.iter()) {
            let Some(private) = *private else { continue };
            let elements = (private.stride() * private.copies) as usize;
            let size = info.elem.bytes() as usize;
            let half = neutral(private.op) as i32 as u32;
            let words = Memory64::new(elements * size, u64::from(half) << 32 | u64::from(half));
            copies.pointers[n] = words.as_ptr();
            copies.words.push((n, private, words));
        }
        copies
    }

    /// The same of a thread that has a launch for itself, or has not.
    pub fn alone(self, alone: bool) -> Copies {
        Copies { alone, ..self }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Combines the copies with the launch's own buffers, two of which may have changed places.
    pub fn merge(&mut self, run: &Run<'_>, swapped: bool) {
        let _lock = run.atomics.read();
        for (n, private, words) in &self.words {
            let Some((_, info)) = run.kernel.bufs.iter().nth(*n) else { continue };
            let places = if swapped { &run.swapped } else { &run.places };
            let place = places[run.parameter[*n]];
            let size = info.elem.bytes() as usize;
            let strip = (private.length as usize).div_ceil(STRIPS).max(STRIP);
            let mut left: Vec<usize> = (0..(private.length as usize).div_ceil(strip)).collect();
            while !left.is_empty() {
                // A strip at which nobody is, or the first one, once it is free.
                let free = left.iter().enumerate().find_map(|(at, n)| Some((at, run.strips[*n].try_lock().ok()?)));
                let (at, _held) =
                    free.unwrap_or_else(|| (0, run.strips[left[0]].lock().unwrap_or_else(|e| e.into_inner())));
                let from = left.swap_remove(at) * strip;
                let elements = from..(from + strip).min(private.length as usize);
                for copy in 0..private.copies as usize {
                    // SAFETY: both places lie within their buffers, and threads combine a strip one after the other.
                    unsafe {
                        let own = words.as_ptr().add(copy * private.stride() as usize * size);
                        combine(*private, info.elem, (place.bytes, own), elements.clone());
                    }
                }
            }
        }
    }
}

/// Combines a range of the elements at one place with those of a copy.
///
/// # Safety
/// As many elements must lie at both places, and those of the range may be used by nobody else meanwhile.
unsafe fn combine(private: Private, elem: Elem, (to, own): (*mut u8, *const u8), range: Range<usize>) {
    let (size, length) = (elem.bytes() as usize, range.len());
    // SAFETY: as the caller promises; elements need not be aligned.
    unsafe {
        let (to, own) = (to.add(range.start * size), own.add(range.start * size));
        match (private.op, elem) {
            (Op::AtomicAdd, Elem::F32) => each(to.cast(), own.cast(), length, |a: f32, b: f32| a + b),
            (Op::AtomicAdd, Elem::I32) => each(to.cast(), own.cast(), length, u32::wrapping_add),
            (op, _) => (0..length * size).step_by(size).for_each(|i| {
                let (at, x) = (to.add(i), read(elem, own.add(i)));
                let new = eval::atomic(op, elem.in_register(), read(elem, at), [x, 0], Arithmetic::Nearest);
                std::ptr::copy_nonoverlapping(new.to_le_bytes().as_ptr(), at, size);
            }),
        }
    }
}

/// [`combine`] for elements of one type.
/// # Safety
/// As of [`combine`].
unsafe fn each<T>(to: *mut T, own: *const T, length: usize, f: impl Fn(T, T) -> T) {
    // SAFETY: as the caller promises.
    (0..length).for_each(|i| unsafe {
        let at = to.add(i);
        at.write_unaligned(f(at.read_unaligned(), own.add(i).read_unaligned()));
    });
}

thread_local! {
    /// What a function that compiled code calls has panicked with. It must come back: no panic gets through compiled code.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What a panic says.
pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without words".into())
}

/// A function for compiled code, with what it gives after a panic.
fn guarded<T>(otherwise: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        PANIC.set(Some(panic_text(&*panic)));
        otherwise
    })
}

impl Native {
    /// Code whose function `kernel` is the kernel.
    ///
    /// # Errors
    /// If there is no such function.
    pub fn new(code: Code, sites: Vec<Site>) -> Result<Native, Box<quadra_base::Diagnostic>> {
        let entry = code.address("kernel")?;
        Ok(Native { _code: code, entry, sites })
    }

    /// Whether it may stop before its end, or speak.
    pub fn may_fault(&self) -> bool {
        // What tests a proof never stops a launch, as far as anybody knows.
        self.sites.iter().any(|s| s.proof.is_none())
    }

    /// Runs the groups of a box as one worker. `swapped` says whether two buffers have changed places, `copies` are the
    /// thread's own copies of buffers.
    ///
    /// How much of the budget it took.
    ///
    /// # Errors
    /// The fault that stopped it.
    pub fn call(
        &self,
        run: &Run<'_>,
        worker: u32,
        (low, high): ([u32; 4], [u32; 4]),
        swapped: bool,
        copies: &mut Copies,
    ) -> Result<u64, Fault> {
        let budget = run.budget.min(i64::MAX as u64);
        let mut context = Context {
            fault_index: [0; 16],
            fault_mask: 0,
            fault_site: 0,
            fault_sort: 0,
            budget: budget.min(PART),
            rest: budget - budget.min(PART),
            stop: run.stop.flag(),
            low,
            high,
            groups: run.groups,
            extent: run.extent,
            group_size: run.group_size,
            worker,
            workers: run.workers,
            alone: u32::from(copies.alone),
            scalars: run.scalars.as_ptr(),
            buffers: if swapped { run.swapped.as_ptr() } else { run.places.as_ptr() },
            private: copies.pointers.as_ptr(),
            function,
            atomic,
            print,
            synchronise,
            run: std::ptr::from_ref(run).cast(),
            sites: std::ptr::from_ref(&self.sites),
        };
        // SAFETY: the address is that of a function of this type, made by `lower`, and `_code` keeps it in memory. It
        // checks every index against the lengths of the buffers, which are borrowed for as long as `run` lives.
        let failed = unsafe { signal::enter(self.entry, (&raw mut context).cast()) };
        if failed == signal::STRAY {
            let kind = FaultKind::Stray { address: signal::address() as u64 };
            return Err(Fault { worker: Some(worker), span: run.kernel.span, ..Fault::new(&run.kernel.name, kind) });
        }
        if let Some(text) = PANIC.take() {
            return Err(Fault {
                worker: Some(worker),
                ..Fault::new(&run.kernel.name, FaultKind::Other(format!("a function of the device panicked: {text}")))
            });
        }
        if failed == 0 {
            Ok(budget.saturating_sub(context.budget + context.rest))
        } else {
            Err(self.fault(run, &context))
        }
    }

    fn fault(&self, run: &Run<'_>, context: &Context) -> Fault {
        let site = &self.sites[context.fault_site as usize];
        let lane = context.fault_mask.trailing_zeros() as usize & 15;
        let sort = context.fault_sort;
        let kind = if sort == Sort::Bounds as u32 {
            let info = site.buf.map(|b| &run.kernel.bufs[b]);
            FaultKind::OutOfBounds {
                buffer: info.map_or(String::new(), |i| i.name.clone()),
                index: i64::from(context.fault_index[lane]),
                len: site.buf.map_or(0, |b| run.elements(b)),
                write: !matches!(site.op, Op::Load | Op::LoadRow | Op::TmuRequest),
            }
        } else if sort == Sort::Proof as u32 {
            FaultKind::Proof {
                rule: site.proof.map_or("a rule", |p| p.name()).into(),
                buffer: site.buf.map_or(String::new(), |b| run.kernel.bufs[b].name.clone()),
                index: i64::from(context.fault_index[lane]),
                len: site.buf.map_or(0, |b| run.elements(b)),
            }
        } else if sort == Sort::Assert as u32 {
            FaultKind::Assert(site.text.as_deref().unwrap_or_default().to_string())
        } else if sort == Sort::Budget as u32 {
            FaultKind::Budget(run.budget)
        } else if sort == Sort::Stopped as u32 {
            FaultKind::Stopped(run.stop.reason().unwrap_or(Reason::Interrupt))
        } else if sort == Sort::QueueFull as u32 {
            FaultKind::Queue("more than 4 requests wait".into())
        } else if sort == Sort::QueueEmpty as u32 {
            FaultKind::Queue("a receive without a waiting request".into())
        } else if sort == Sort::QueueLeft as u32 {
            FaultKind::Queue("requests were never received".into())
        } else {
            run.meeting.why()
        };
        let lane = matches!(kind, FaultKind::OutOfBounds { .. } | FaultKind::Assert(_)).then_some(lane as u32);
        Fault { worker: Some(context.worker), lane, span: site.span, ..Fault::new(&run.kernel.name, kind) }
    }
}

/// A function of the interpreter on 16 floats.
extern "C" fn function(op: u32, wide: u32, a: *const u8, b: *const u8, to: *mut u8) {
    guarded((), || {
        let op = Op::ALL[op as usize];
        // SAFETY: compiled code passes three vectors of 16 floats in its frame, of 4 or 8 bytes each.
        (0..16).for_each(|lane| unsafe {
            if wide != 0 {
                let word = |p: *const u8| p.cast::<u64>().add(lane).read_unaligned();
                let r = eval::lane(op, Elem::F64, &[word(a), word(b), 0], Arithmetic::Nearest);
                to.cast::<u64>().add(lane).write_unaligned(r);
            } else {
                let word = |p: *const u8| u64::from(p.cast::<u32>().add(lane).read_unaligned());
                let r = eval::lane(op, Elem::F32, &[word(a), word(b), 0], Arithmetic::Nearest);
                to.cast::<u32>().add(lane).write_unaligned(r as u32);
            }
        });
    });
}

/// An atomic operation on elements of an array, for the lanes of `live` in their order.
extern "C" fn atomic(
    context: *mut Context,
    op: u32,
    elem: u32,
    live: u16,
    array: *mut u8,
    index: *const [i32; 16],
    a: *const Words,
    b: *const Words,
    old: *mut Words,
) {
    // SAFETY: compiled code passes its own context and vectors of its frame; the indices of live lanes are checked. All
    // atomic operations of a launch take this lock.
    guarded((), || unsafe {
        let run = &*(*context).run.cast::<Run>();
        let _lock = run.atomics.write();
        let (op, (elem, _)) = (Op::ALL[op as usize], Elem::ALL[elem as usize]);
        let size = elem.bytes() as usize;
        *old = [0; 16];
        for lane in (0..16).filter(|l| live >> l & 1 == 1) {
            let at = array.add((*index)[lane] as usize * size);
            let before = read(elem, at);
            (*old)[lane] = before;
            let after = eval::atomic(op, elem.in_register(), before, [(*a)[lane], (*b)[lane]], Arithmetic::Nearest);
            std::ptr::copy_nonoverlapping(after.to_le_bytes().as_ptr(), at, size);
        }
    });
}

/// # Safety
/// An element of this type must lie at `at`.
unsafe fn read(elem: Elem, at: *const u8) -> u64 {
    // SAFETY: as the caller promises; elements need not be aligned.
    unsafe {
        match elem {
            Elem::I8 => u64::from(at.cast::<i8>().read_unaligned() as i32 as u32),
            Elem::I16 | Elem::F16 => u64::from(at.cast::<i16>().read_unaligned() as i32 as u32),
            Elem::Bool => u64::from(at.cast::<u32>().read_unaligned() != 0),
            Elem::I32 | Elem::F32 => u64::from(at.cast::<u32>().read_unaligned()),
            Elem::I64 | Elem::F64 => at.cast::<u64>().read_unaligned(),
        }
    }
}

/// Notes a line that `print` writes.
extern "C" fn print(context: *mut Context, site: u32, live: u16, values: *const Words) {
    // SAFETY: compiled code passes its own context and as many vectors as the site has operands.
    guarded((), || unsafe {
        let run = &*(*context).run.cast::<Run>();
        let site = &(&*(*context).sites)[site as usize];
        let operands: Vec<(Elem, Words)> = site.elems.iter().enumerate().map(|(n, &e)| (e, *values.add(n))).collect();
        if live != 0 {
            let line = quadra_kir::interp::line(site.text.as_deref().unwrap_or_default(), &operands, live);
            run.lines.lock().unwrap_or_else(|e| e.into_inner()).push(line);
        }
    });
}

/// Semaphores and the mutex; not 0 if the launch is over. `n` is the semaphore and, from bit 4 on, the number of the site.
extern "C" fn synchronise(context: *mut Context, op: u32, n: u32) -> u32 {
    // SAFETY: compiled code passes its own context.
    guarded(1, || unsafe {
        let run = &*(*context).run.cast::<Run>();
        let span = (&*(*context).sites).get(n as usize >> 4).and_then(|site| site.span);
        u32::from(!run.meeting.pass(Op::ALL[op as usize], n as usize & 15, (*context).worker, span))
    })
}
