//! Launches that wait, to run as one parallel region: between two of them threads stay at work, and nobody is woken.
//!
//! A program that steps through time launches one small kernel after the other, with scalars, exchanges and element-wise
//! work in between. A launch whose code cannot stop half-way need not have run when the program goes on: it waits in a [`Queue`], until
//! somebody looks at an array that it reads or writes, or enough launches have come together. So it
//! makes no difference what stands between the launches, and errors, which have nothing to do with them, come up where they belong.
//!
//! The queue belongs to whoever launches. An array for which launches wait knows it ([`Array::wait`]), so that looking at the array
//! runs them; launches run in the order in which they were added, each on what those before it have left.

use super::device::Module;
use super::launch::Compiled;
use super::launch::LaunchOptions;
use quadra_back_cpu as back_cpu;
use quadra_kir::{Arg, Costs, FaultKind, Lent};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

/// Most launches that wait: the host looks in between whether it is to stop.
const MOST: usize = 256;
/// A launch that takes so many times as long as an empty one does not wait: waking threads costs nothing beside it.
const LONG: f64 = 40.0;
/// Launches that take so many times as long as an empty one are enough.
const ENOUGH: f64 = 160.0;
/// The same of launches on arrays that come again and again, as in a time loop: the more steps are known, the more of them are
/// computed while their elements are in a cache.
const MUCH: f64 = 40_000.0;
/// Most arrays of long launches that are remembered.
const REMEMBERED: usize = 16;

/// A launch that cannot stop half-way, made by [`Module::stage`].
pub struct Stage {
    pub(crate) stage: back_cpu::Stage,
    /// What was compiled for it.
    pub compiled: Option<Compiled>,
}

/// Something that launches wait in.
pub trait Waiting {
    /// Runs them.
    fn run(&self);
}

/// An array whose memory launches use in place.
pub trait Array {
    /// Its memory, while it is lent.
    type Guard<'a>
    where
        Self: 'a;

    /// Says where launches wait that read or write the array, or that none do any more.
    fn wait(&self, queue: Option<Weak<dyn Waiting>>);

    /// Lends the memory to a launch, which changes it if `written`, behind launches that wait; nothing if it is in use.
    fn lend(&self, written: bool) -> Option<Self::Guard<'_>>;

    /// The memory that is lent; nothing if no launch can use it.
    fn memory<'g>(guard: &'g mut Self::Guard<'_>) -> Option<Lent<'g>>;

    /// The launch sets all elements of memory that stood for zeros, or has cleared it.
    fn overwritten(&self);
}

/// A launch that has been made, with what its owner noted of it.
#[derive(Debug)]
pub struct Done<T> {
    pub note: T,
    pub start: Instant,
    pub length: Duration,
    /// It ran in one parallel region with the one before.
    pub joined: bool,
}

struct Waits<A, T> {
    stages: Vec<back_cpu::Stage>,
    notes: Vec<T>,
    /// The arrays of all launches, and whether one of them writes it.
    arrays: Vec<(Rc<A>, bool)>,
    bytes: f64,
}

impl<A, T> Default for Waits<A, T> {
    fn default() -> Waits<A, T> {
        Waits { stages: Vec::new(), notes: Vec::new(), arrays: Vec::new(), bytes: 0.0 }
    }
}

/// Launches that wait, and those that have been made since somebody asked.
pub struct Queue<A: Array + 'static, T: 'static> {
    waits: RefCell<Waits<A, T>>,
    done: RefCell<Vec<Done<T>>>,
    /// Arrays of the last long launches.
    recent: RefCell<VecDeque<Weak<A>>>,
    costs: &'static Costs,
    itself: Weak<Queue<A, T>>,
}

impl<A: Array, T> Queue<A, T> {
    /// An empty queue, for a device of these costs.
    pub fn new(costs: &'static Costs) -> Rc<Queue<A, T>> {
        Rc::new_cyclic(|itself| Queue {
            waits: RefCell::default(),
            done: RefCell::new(Vec::new()),
            recent: RefCell::default(),
            costs,
            itself: itself.clone(),
        })
    }

    /// Whether a launch that moves so many bytes is so long that it gains nothing by waiting.
    pub fn is_long(&self, bytes: f64) -> bool {
        bytes * self.costs.memory.nanoseconds >= LONG * self.costs.launch.nanoseconds
    }

    /// Whether long launches before this one had the same arrays, as in a time loop: then it may wait, too. It is remembered for the next.
    pub fn comes_again(&self, arrays: &[(Rc<A>, bool)]) -> bool {
        let mut recent = self.recent.borrow_mut();
        let mut all = true;
        for (array, _) in arrays {
            let known = recent.iter().any(|r| std::ptr::eq(r.as_ptr(), Rc::as_ptr(array)) && r.strong_count() > 0);
            if !known {
                all = false;
                recent.push_back(Rc::downgrade(array));
            }
        }
        let many = recent.len().saturating_sub(REMEMBERED);
        recent.drain(..many);
        all
    }

    /// A launch on arrays, each with whether it is written, that can wait; nothing if its code may stop. The arrays count as
    /// written, so it must be [added](Queue::add).
    pub fn stage(
        &self,
        module: &dyn Module,
        args: &[Arg],
        arrays: &[(Rc<A>, bool)],
        options: &LaunchOptions,
    ) -> Option<Stage> {
        let mut guards = arrays.iter().map(|(a, written)| a.lend(*written)).collect::<Option<Vec<_>>>()?;
        let mut buffers = guards.iter_mut().map(A::memory).collect::<Option<Vec<_>>>()?;
        let stage = module.stage(args, &mut buffers, options)?;
        drop(guards);
        arrays.iter().filter(|a| a.1).for_each(|a| a.0.overwritten());
        Some(stage)
    }

    /// Adds a launch on these arrays, which moves so many bytes, and runs all that wait if these are enough.
    pub fn add(&self, mut stage: Stage, arrays: &[(Rc<A>, bool)], bytes: f64, note: T) {
        let mut waits = self.waits.borrow_mut();
        let known = waits.arrays.len();
        let number = |(array, written): &(Rc<A>, bool)| {
            let known = waits.arrays.iter().position(|a| Rc::ptr_eq(&a.0, array)).unwrap_or_else(|| {
                let itself: Weak<dyn Waiting> = self.itself.clone();
                array.wait(Some(itself));
                waits.arrays.push((array.clone(), false));
                waits.arrays.len() - 1
            });
            waits.arrays[known].1 |= written;
            known
        };
        let numbers: Vec<usize> = arrays.iter().map(number).collect();
        stage.stage.renumber(|n| numbers[n]);
        waits.stages.push(stage.stage);
        waits.notes.push(note);
        waits.bytes += bytes;
        let time = waits.bytes * self.costs.memory.nanoseconds / self.costs.launch.nanoseconds;
        let again = known > 0 && waits.arrays.len() == known;
        let enough = waits.stages.len() >= MOST || time >= if again { MUCH } else { ENOUGH };
        drop(waits);
        if enough {
            self.run();
        }
    }

    /// The launches that were made since this was asked last.
    pub fn take_done(&self) -> Vec<Done<T>> {
        self.done.take()
    }
}

impl<A: Array, T> Waiting for Queue<A, T> {
    #[cold]
    fn run(&self) {
        let Waits { stages, notes, arrays, .. } = self.waits.take();
        if stages.is_empty() {
            return;
        }
        arrays.iter().for_each(|(a, _)| a.wait(None));
        let free = "nobody holds an array for which launches wait";
        let mut guards: Vec<_> = arrays.iter().map(|(a, written)| a.lend(*written).expect(free)).collect();
        let mut buffers: Vec<_> = guards.iter_mut().map(|g| A::memory(g).expect("it has been lent before")).collect();
        let start = Instant::now();
        let result = back_cpu::in_series(&stages, &mut buffers);
        drop(guards);
        let ends = match result {
            Ok(ends) => ends,
            Err(f) if matches!(f.kind, FaultKind::Stray { .. } | FaultKind::Proof { .. }) => {
                quadra_base::bug!("{}", f.to_diagnostic().message)
            }
            // Arguments fit when the launches were made: somebody wants an end, which the program sees itself.
            Err(_) => return,
        };
        let mut before = Duration::ZERO;
        let made = notes.into_iter().zip(ends).enumerate().map(|(n, (note, end))| {
            let (begun, length) = (start + before, end.saturating_sub(before));
            before = end.max(before);
            Done { note, start: begun, length, joined: n > 0 }
        });
        self.done.borrow_mut().extend(made);
    }
}

impl<A: Array + 'static, T: 'static> Drop for Queue<A, T> {
    /// Arrays outlive the queue, and what was to be done to them has been done then.
    fn drop(&mut self) {
        self.run();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, cpu};
    use quadra_kir::{Elem, Kernel, parse};
    use std::cell::RefMut;

    /// Words that know who is to run before somebody looks at them.
    #[derive(Default)]
    struct Words {
        bytes: RefCell<Vec<u8>>,
        queue: RefCell<Option<Weak<dyn Waiting>>>,
    }

    impl Words {
        fn new(values: [i32; 16]) -> Rc<Words> {
            let bytes = RefCell::new(values.iter().flat_map(|v| v.to_le_bytes()).collect());
            Rc::new(Words { bytes, ..Words::default() })
        }

        fn waits(&self) -> bool {
            self.queue.borrow().is_some()
        }

        /// The first word, as memory has it.
        fn peek(&self) -> i32 {
            self.bytes.borrow().first_chunk().map_or(0, |b| i32::from_le_bytes(*b))
        }

        /// The same once nothing waits.
        fn first(&self) -> i32 {
            let queue = self.queue.borrow().as_ref().and_then(Weak::upgrade);
            queue.iter().for_each(|q| q.run());
            self.peek()
        }
    }

    impl Array for Words {
        type Guard<'a> = RefMut<'a, Vec<u8>>;
        fn wait(&self, queue: Option<Weak<dyn Waiting>>) {
            *self.queue.borrow_mut() = queue;
        }
        fn lend(&self, _: bool) -> Option<RefMut<'_, Vec<u8>>> {
            self.bytes.try_borrow_mut().ok()
        }
        fn memory<'g>(guard: &'g mut RefMut<'_, Vec<u8>>) -> Option<Lent<'g>> {
            Some(Lent { elem: Elem::I32, bytes: guard, blank: false })
        }
        fn overwritten(&self) {}
    }

    /// `to[i] = 2 * from[i] + 1`.
    fn kernel() -> Kernel {
        let text = "kernel @k(%from: buf<i32, r>, %to: buf<i32, w>) simt group=16 over=1 {
           %i = item 0 %x = load.inside %from[%i] %y = add %x, %x %z = add %y, 1 store.inside %to[%i], %z }";
        parse::kernel("t.kir", text).expect("the test's kernel parses")
    }

    struct Steps {
        module: std::sync::Arc<dyn Module>,
        queue: Rc<Queue<Words, u32>>,
    }

    impl Steps {
        fn new() -> Option<Steps> {
            let Ok(cpu) = cpu::Cpu::new() else {
                quadra_base::testing::left_out("libLLVM is not installed");
                return None;
            };
            let module = cpu.compile(&kernel()).expect("the device takes it");
            Some(Steps { module, queue: Queue::new(&cpu::CAPS.costs) })
        }

        fn step(&self, from: &Rc<Words>, to: &Rc<Words>, bytes: f64, note: u32) {
            let arrays = [(from.clone(), false), (to.clone(), true)];
            let options = LaunchOptions { extent: vec![16], ..LaunchOptions::default() };
            let args = [Arg::Buffer(0), Arg::Buffer(1)];
            let stage = self.queue.stage(&*self.module, &args, &arrays, &options).expect("it cannot stop");
            self.queue.add(stage, &arrays, bytes, note);
        }
    }

    #[test]
    fn launches_wait_until_somebody_looks_and_run_in_their_order() {
        let Some(steps) = Steps::new() else { return };
        let (a, b, c) = (Words::new([1; 16]), Words::new([0; 16]), Words::new([7; 16]));
        steps.step(&a, &b, 64.0, 1);
        steps.step(&b, &a, 64.0, 2);
        steps.step(&a, &b, 64.0, 3);
        assert_eq!((a.peek(), b.peek(), c.first()), (1, 0, 7), "nothing has run, and nobody waits for another array");
        assert!(a.waits() && b.waits() && !c.waits());
        assert_eq!(b.first(), 15, "1, 3, 7, 15");
        assert!(a.peek() == 7 && !a.waits() && !b.waits());
        let done = steps.queue.take_done();
        assert_eq!(done.iter().map(|d| (d.note, d.joined)).collect::<Vec<_>>(), [(1, false), (2, true), (3, true)]);
        assert!(done.windows(2).all(|d| d[0].start <= d[1].start) && steps.queue.take_done().is_empty());
    }

    #[test]
    fn long_launches_wait_where_their_arrays_come_again() {
        let queue: Rc<Queue<Words, u32>> = Queue::new(&cpu::CAPS.costs);
        let arrays = |names: &[&Rc<Words>]| names.iter().map(|w| (Rc::clone(w), true)).collect::<Vec<_>>();
        let (a, b, c) = (Words::new([1; 16]), Words::new([0; 16]), Words::new([7; 16]));
        assert!(!queue.comes_again(&arrays(&[&a, &b])) && queue.comes_again(&arrays(&[&b, &a])));
        assert!(!queue.comes_again(&arrays(&[&a, &c])) && queue.comes_again(&arrays(&[&c, &b, &a])));
        for _ in 0..3 * REMEMBERED {
            assert!(!queue.comes_again(&arrays(&[&Words::new([0; 16])])), "arrays that are gone do not come again");
        }
        assert!(!queue.comes_again(&arrays(&[&a])), "only the last ones are remembered");
    }

    #[test]
    fn enough_launches_run_and_a_queue_leaves_none_behind() {
        let Some(steps) = Steps::new() else { return };
        let (a, b) = (Words::new([1; 16]), Words::new([0; 16]));
        let costs = &cpu::CAPS.costs;
        let much = LONG * costs.launch.nanoseconds / costs.memory.nanoseconds;
        assert!(steps.queue.is_long(much) && !steps.queue.is_long(much - 1.0));
        steps.step(&a, &b, much * ENOUGH / LONG, 1);
        assert!(b.peek() == 3 && !b.waits(), "one that moves enough");
        for n in 0..MOST as u32 {
            assert_eq!(steps.queue.take_done().len(), usize::from(n == 0));
            steps.step(&b, &a, 64.0, n);
        }
        assert!(a.peek() == 7 && steps.queue.take_done().len() == MOST, "enough of them");
        steps.step(&a, &b, 64.0, 0);
        assert_eq!(b.peek(), 3);
        drop(steps);
        assert_eq!(b.peek(), 15);
    }
}
