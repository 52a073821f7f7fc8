//! The board as a device: compiles kernels as the emulated one does, and launches them with the same layout of memory.

use super::detect;
use super::resident::{Area, COPY, Gpu, LAUNCH, Place, Session, lock};
use super::run::{Board, Failure, Region};
use crate::common::storage::Held;
use crate::launch::{Argument, Bound, BoundRuns, LaunchOptions, Report};
use crate::qpu::layout::{Layout, Sequence};
use crate::qpu::programs::{Keep, Programs, SyncUse};
use crate::{Device, Listing, Module};
use quadra_back_qpu::{self as back_qpu, Compiled};
use quadra_base::Diagnostic;
use quadra_kir::{Access, Arg, Builder, Caps, Elem, Fault, FaultKind, Kernel, Mode, Op, Param};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// What the QPUs can do: their accesses cannot fault.
static CAPS: Caps = Caps { faults: false, ..back_qpu::caps() };

/// Clocks that one QPU needs at least for an instruction.
const CLOCKS_PER_INSTRUCTION: u64 = 4;
/// The lowest clock of all models, taken if the firmware does not say (raspberrypi/documentation, "Overclocking").
const LOWEST_CLOCK: u32 = 250_000_000;
/// However small the budget, a launch gets this long.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// The QPUs of this machine.
pub struct Vc4 {
    gpu: Arc<Gpu>,
    /// Copies buffers within the GPU's memory.
    copier: OnceLock<Programs>,
    model: String,
    hertz: u32,
    /// The device itself, for its modules.
    itself: Weak<Vc4>,
}

/// The device of this process: a second opening shares the first, since the board has one lock.
static OPENED: Mutex<Weak<Vc4>> = Mutex::new(Weak::new());

/// Opens the QPUs of this machine, or shares them with an earlier call.
///
/// # Errors
/// Why they cannot be used, and what to do about it.
pub fn open() -> Result<Arc<Vc4>, Diagnostic> {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = opened.upgrade() {
        return Ok(device);
    }
    let device = Vc4::new(super::open_board()?);
    *opened = Arc::downgrade(&device);
    Ok(device)
}

/// The row of `quadra devices`; only looks, switches nothing on.
pub fn listing() -> Listing {
    let (about, unavailable) = match super::look() {
        Ok(machine) => (about(&machine.model), None),
        Err(obstacles) => (about("a Raspberry Pi 0 to 3"), Some(detect::reason(&obstacles))),
    };
    Listing { name: "vc4", about, caps: &CAPS, unavailable }
}

fn about(model: &str) -> String {
    format!("QPUs of {model}: 12, the hardware itself")
}

/// Why a launch did not happen or did not end.
enum Stop {
    Failure(Failure),
    Fault(Fault),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failure(failure)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

/// `to[i] = from[i]`, over an extent.
fn copying() -> Kernel {
    let mut b = Builder::new("copy");
    let from = b.buffer("from", Elem::I32, 1, Access::Read);
    let to = b.buffer("to", Elem::I32, 1, Access::Write);
    b.set_over(1);
    let i = b.axis(Op::Item, 0);
    let v = b.load(from, Mode::Unchecked, &[i]);
    b.store(to, Mode::Unchecked, &[i], v);
    b.finish()
}

impl Drop for Vc4 {
    fn drop(&mut self) {
        self.gpu.close();
    }
}

impl Vc4 {
    /// A device on an open board.
    pub(super) fn new(board: Arc<Mutex<Board>>) -> Arc<Vc4> {
        let (model, hertz) = {
            let mut board = lock(&board);
            let hertz = board.clock_rate().unwrap_or(0).max(LOWEST_CLOCK);
            (board.machine().model.clone(), hertz)
        };
        let (gpu, copier) = (Gpu::new(board), OnceLock::new());
        Arc::new_cyclic(|itself| Vc4 { gpu, copier, model, hertz, itself: itself.clone() })
    }

    /// The time in which one QPU could issue the budget: the hardware does not count instructions.
    fn time_limit(&self, budget: u64) -> Duration {
        let clocks = u128::from(budget) * u128::from(CLOCKS_PER_INSTRUCTION);
        let seconds = clocks / u128::from(self.hertz);
        Duration::from_secs(seconds.min(u128::from(u32::MAX)) as u64).max(LEAST_TIME)
    }

    /// Copies so many words from one bus address to another, by the QPUs: the host sees this memory without caches.
    fn copy(&self, session: &mut Session<'_>, addresses: Vec<u32>, words: u32) -> Result<(), Stop> {
        let options = LaunchOptions { workers: CAPS.max_workers, extent: vec![words], ..LaunchOptions::default() };
        let programs = match self.copier.get() {
            Some(programs) => programs,
            None => {
                let new = Programs::new(&copying(), back_qpu::Options::default(), Keep::User);
                self.copier.get_or_init(|| new.expect("the kernel is a fixed one that tests run"))
            }
        };
        let bound = Bound::copy_of(words);
        let compiled = programs.for_launch(&bound, &options)?.code;
        let layout = Layout::of(&programs.kernel, &compiled, 1, &[0, 0], options.workers, 0)?;
        let area = session.area(COPY, &compiled, &layout)?;
        let layout = layout.moved(session.board.bus(area), addresses);
        let streams = layout.streams_of(&programs.kernel, &compiled, &bound, &options, Sequence::Apart(1))?;
        Ok(session.start(area, &layout, &streams, (1, self.time_limit(options.budget), SyncUse::Unused))?)
    }
}

impl Device for Vc4 {
    fn name(&self) -> &'static str {
        "vc4"
    }

    fn about(&self) -> String {
        about(&self.model)
    }

    fn caps(&self) -> &'static Caps {
        &CAPS
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        if let Some(grouped) = crate::groups::compile(self, kernel) {
            return grouped;
        }
        let programs = Programs::new(
            kernel,
            back_qpu::Options { contained: !CAPS.faults, ..back_qpu::Options::default() },
            Keep::User,
        )?;
        let device = self.itself.upgrade().expect("whoever calls a method holds the device");
        Ok(Arc::new(OnBoard { device, programs }))
    }
}

struct OnBoard {
    device: Arc<Vc4>,
    programs: Programs,
}

impl OnBoard {
    /// Whether what a buffer holds before a launch does not matter: the launch writes all of it and reads none.
    fn overwritten(&self, bound: &Bound, options: &LaunchOptions) -> Vec<bool> {
        let kernel = &self.programs.kernel;
        let covered = |at: usize| {
            let names = |(arg, param): (&Arg, &Param)| match (*arg, *param) {
                (Arg::Buffer(n), Param::Buffer(b)) if n == at => Some(b),
                _ => None,
            };
            let length = bound.dims(at).iter().map(|&n| u64::from(n)).product();
            let mut params = bound.args.iter().zip(&kernel.params).filter_map(names);
            params.all(|b| self.programs.covers(b, &options.extent, length))
        };
        (0..bound.writes.len()).map(|at| bound.writes[at] && options.swap.is_none() && covered(at)).collect()
    }

    fn fault(&self, failure: Failure) -> Fault {
        let diagnostic = failure.diagnostic();
        let text = [Some(&diagnostic.message), diagnostic.help.first()].into_iter().flatten().cloned();
        let kind = FaultKind::Other(text.collect::<Vec<_>>().join("; "));
        Fault { span: self.programs.kernel.span, ..Fault::new(&self.programs.kernel.name, kind) }
    }

    /// Runs a program. Buffers stay in the GPU's memory.
    fn run(
        &self,
        compiled: &Arc<Compiled>,
        bound: &Bound,
        options: &LaunchOptions,
        sequence: Sequence,
    ) -> Result<Report, Fault> {
        let gpu = &self.device.gpu;
        let together = sequence.together(options);
        let mut held = bound.hold();
        // What another device has comes back before this one is locked.
        held.iter_mut().filter(|h| gpu.place_of(h).is_none()).for_each(Held::settle);
        let mut session = gpu.session();
        let lengths: Vec<usize> = held.iter().map(|h| h.host().bytes.len()).collect();
        let layout = Layout::of(&self.programs.kernel, compiled, together, &lengths, options.workers, 0)?;
        let overwritten = self.overwritten(bound, options);
        let prepared = match self.prepare(&mut session, compiled, &layout, (bound, &held, &overwritten)) {
            // Buffers that the host has are changed where they are, which needs less memory.
            Err(Stop::Failure(Failure::OutOfMemory { .. })) => {
                held.iter_mut().for_each(|h| session.settle(h));
                self.prepare(&mut session, compiled, &layout, (bound, &held, &overwritten))
            }
            prepared => prepared,
        };
        let result = prepared.and_then(|(area, places)| {
            let addresses = places.iter().map(|place| place.bus(&session.board)).collect();
            let layout = layout.moved(session.board.bus(area), addresses);
            let streams = layout.streams_of(&self.programs.kernel, compiled, bound, options, sequence)?;
            let limit = self.device.time_limit(options.budget.saturating_mul(u64::from(together)));
            let limit = options.time_limit.map_or(limit, |t| limit.min(t.saturating_mul(together)));
            let sync = self.programs.sync_use(options.workers, sequence == Sequence::Together);
            session.start(area, &layout, &streams, (sequence.launches(), limit, sync))?;
            Ok(places)
        });
        match result {
            Ok(places) => {
                for (at, place) in places.into_iter().enumerate() {
                    let stale = bound.writes[at] || held[at].is_stale();
                    held[at].keep(place, stale);
                }
                session.state.used(bound.storages());
            }
            Err(stop) => {
                session.state.areas = session.state.areas.clone().map(Area::forgotten);
                // What only the GPU has was not written to; of the rest the host's elements are right.
                let changed = held.iter_mut().zip(&bound.writes).filter(|(h, writes)| **writes && !h.is_stale());
                changed.for_each(|(h, _)| session.settle(h));
                return Err(self.stopped(stop));
            }
        }
        // The hardware does not say how many instructions it issued.
        let static_words = Some(compiled.program.len() as u32);
        Ok(Report { static_words, ..Report::default() })
    }

    /// Puts the program and the buffers into the GPU's memory, as far as they are not there. A buffer that the launch changes
    /// gets another place if only the GPU has its elements, so that they outlive a fault.
    fn prepare(
        &self,
        session: &mut Session<'_>,
        compiled: &Arc<Compiled>,
        layout: &Layout,
        (bound, held, overwritten): (&Bound, &[Held<'_>], &[bool]),
    ) -> Result<(Region, Vec<Arc<Place>>), Stop> {
        session.board.check()?;
        let area = session.area(LAUNCH, compiled, layout)?;
        let mut places = Vec::with_capacity(held.len());
        for (at, held) in held.iter().enumerate() {
            let (bytes, now) = (&held.host().bytes, self.device.gpu.place_of(held));
            let apart = bound.writes[at] && held.is_stale();
            let place = match &now {
                Some(now) if !apart => now.clone(),
                _ => session.place(bytes.len())?,
            };
            match now {
                _ if overwritten[at] => {}
                None => place.write(&mut session.board, bytes),
                Some(now) if apart => {
                    let (from, to) = (now.bus(&session.board), place.bus(&session.board));
                    self.device.copy(session, vec![from, to], bytes.len().div_ceil(4) as u32)?;
                }
                Some(_) => {}
            }
            places.push(place);
        }
        Ok((area, places))
    }

    fn stopped(&self, stop: Stop) -> Fault {
        match stop {
            Stop::Failure(failure) => self.fault(failure),
            Stop::Fault(fault) => fault,
        }
    }
}

impl Module for OnBoard {
    fn kernel(&self) -> &Kernel {
        &self.programs.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let runs = BoundRuns::new(&self.programs.kernel, args, options, CAPS.max_workers)?;
        let all = runs.all();
        // Where semaphores cannot be set back one launch follows the other, if the kernel has none of its own.
        let unclean = || matches!(self.device.gpu.session().board.clear_sync(), Err(Failure::Unclean));
        let (program, sequence) = match self.programs.together(&all, options)? {
            Some(program) if !unclean() => (program, Sequence::Together),
            _ => (self.programs.for_launch(&all, options)?, Sequence::Apart(options.repeat)),
        };
        let report = self.run(&program.code, &all, options, sequence)?;
        Ok(Report { compiled: program.made, ..report })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vc4::fake::{Event, Pi};
    use crate::{Buffer, emu::Emu};

    fn device(pi: &Pi) -> Arc<Vc4> {
        Vc4::new(Arc::new(Mutex::new(pi.open().unwrap())))
    }

    /// `y[i] = x[i] * k + i`, launched over an extent.
    fn kernel() -> Kernel {
        let mut b = Builder::new("scale");
        let x = b.buffer("x", Elem::F32, 1, Access::Read);
        let y = b.buffer("y", Elem::F32, 1, Access::Write);
        let k = b.scalar("k", quadra_kir::Type::F32);
        b.set_over(1);
        let i = b.axis(Op::Item, 0);
        let v = b.load(x, Mode::Unchecked, &[i]);
        let w = b.op(Op::Mul, &[v, k]);
        let f = b.op(Op::ToF32, &[i]);
        let sum = b.op(Op::Add, &[w, f]);
        b.store(y, Mode::Unchecked, &[i], sum);
        b.finish()
    }

    #[test]
    fn a_kernel_runs_as_on_the_emulated_chip() {
        let pi = Pi::emulated();
        let vc4 = device(&pi);
        let (on_board, on_emu) = (vc4.compile(&kernel()).unwrap(), Emu::new().compile(&kernel()).unwrap());
        for (n, workers) in [(16, 1), (33, 1), (1000, 12), (7, 3)] {
            let x = Buffer::from((0..n).map(|i| 0.37 * i as f32 - 3.0).collect::<Vec<f32>>());
            let options = LaunchOptions { workers, extent: vec![n], ..LaunchOptions::default() };
            let run = |module: &Arc<dyn Module>| {
                let mut y = Buffer::<f32>::new(n as usize);
                y.fill(-1.0);
                let args = [Argument::from(&x), Argument::from(&mut y), Argument::from(1.7f32)];
                module.launch(&args, &options).unwrap();
                y.to_vec()
            };
            let (got, want) = (run(&on_board), run(&on_emu));
            assert_eq!(got, want, "{n} items on {workers} QPUs");
            assert!(got.iter().all(|&y| y != -1.0));
        }
        drop((on_board, vc4));
        pi.assert_all_given_back();
    }

    #[test]
    fn a_launch_that_fails_keeps_the_buffers_and_the_next_one_works() {
        let pi = Pi::emulated();
        let vc4 = device(&pi);
        let module = vc4.compile(&kernel()).unwrap();
        let x = Buffer::from(vec![1.0f32; 16]);
        let mut y = Buffer::from(vec![5.0f32; 16]);
        let args = [Argument::from(&x), Argument::from(&mut y), Argument::from(2.0f32)];
        let options = LaunchOptions { extent: vec![16], budget: 1000, ..LaunchOptions::default() };
        pi.state().endless = true;
        let fault = module.launch(&args, &options).unwrap_err();
        assert!(fault.to_diagnostic().message.contains("0 of 1 programs"), "{fault:?}");
        assert_eq!(y.to_vec(), [5.0; 16]);
        pi.state().endless = false;
        module.launch(&args, &options).unwrap();
        assert_eq!(y.get(3), 5.0);
        assert_eq!(y.get(15), 17.0);
        // What does not fit the GPU's memory is refused by the firmware.
        pi.state().capacity = Some(100_000);
        let large = Buffer::<f32>::new(100_000);
        let args = [Argument::from(&large), Argument::from(&large), Argument::from(2.0f32)];
        let options = LaunchOptions { alias: true, ..options };
        let fault = module.launch(&args, &options).unwrap_err();
        assert!(fault.to_diagnostic().message.contains("bytes of memory left"), "{fault:?}");
        pi.state().capacity = None;
        drop((module, vc4));
        pi.assert_all_given_back();
    }

    /// Workers that write one after the other; the last one passes the signal on if `n` is above 0.
    fn in_turn() -> Kernel {
        let text = "kernel @in_turn(%y: buf<i32, w>, %n: i32) simt concurrent {
            %w = worker %all = num_workers %l = lane %first = cmp.eq %w, 0
            if %first {} else { sema.dec 2 }
            %at = mul %w, 16 %i = add %at, %l store %y[%i], %w flush
            %last = sub %all, 1 %c = cmp.eq %w, %last %more = cmp.gt %n, 0
            if %c { if %more { sema.inc 2 } else {} } else { sema.inc 2 }
            }";
        quadra_kir::parse::kernel("t.kir", text).unwrap()
    }

    #[test]
    fn semaphores_are_set_back_by_a_power_cycle_where_it_is_not_known_what_they_are() {
        let cycles = |pi: &Pi| pi.take_events().iter().filter(|e| **e == Event::Mail(0x30012, vec![0])).count();
        let launch = |module: &Arc<dyn Module>, n: i32| {
            let mut y = Buffer::<i32>::new(48);
            let options = LaunchOptions { workers: 3, ..LaunchOptions::default() };
            let result = module.launch(&[Argument::from(&mut y), Argument::from(n)], &options);
            result.map(|_| y.to_vec()[47])
        };
        let pi = Pi::emulated();
        let vc4 = device(&pi);
        let (plain, synchronised) = (vc4.compile(&kernel()).unwrap(), vc4.compile(&in_turn()).unwrap());
        let _ = cycles(&pi);
        let x = Buffer::<f32>::new(16);
        let mut y = Buffer::<f32>::new(16);
        let options = LaunchOptions { extent: vec![16], ..LaunchOptions::default() };
        plain.launch(&[Argument::from(&x), Argument::from(&mut y), Argument::from(2.0f32)], &options).unwrap();
        assert_eq!(cycles(&pi), 0, "it uses none");
        assert_eq!(launch(&synchronised, 0).unwrap(), 2);
        assert_eq!(cycles(&pi), 1, "an earlier process may have left anything");
        launch(&synchronised, 0).unwrap();
        assert_eq!(cycles(&pi), 1, "what it leaves depends on data");
        let mut barrier = Builder::new("barrier");
        let y = barrier.buffer("y", Elem::I32, 1, Access::Write);
        let (zero, one) = (barrier.i32(0), barrier.i32(1));
        barrier.kernel().concurrent = true;
        barrier.sync(Op::SemaInc, 1);
        barrier.sync(Op::SemaDec, 1);
        barrier.store(y, Mode::Unchecked, &[zero], one);
        let balanced = vc4.compile(&barrier.finish()).unwrap();
        for expected in [1, 0] {
            let mut y = Buffer::<i32>::new(16);
            balanced.launch(&[Argument::from(&mut y)], &LaunchOptions::default()).unwrap();
            assert_eq!(cycles(&pi), expected, "then it is known");
        }
        pi.state().power_stays = true;
        assert_eq!(launch(&synchronised, 0).unwrap(), 2, "all is known to be 0");
        let text = launch(&synchronised, 0).unwrap_err().to_diagnostic().message;
        assert!(text.contains("the semaphores cannot be set to 0"), "{text}");
    }

    #[test]
    fn the_time_limit_is_what_one_qpu_needs_for_the_budget() {
        let vc4 = device(&Pi::new());
        assert_eq!(vc4.time_limit(10), Duration::from_secs(1));
        assert_eq!(vc4.time_limit(1_000_000_000), Duration::from_secs(10), "4 clocks at 400 MHz");
        assert!(vc4.time_limit(u64::MAX) > Duration::from_secs(1 << 31));
    }

    #[test]
    fn elsewhere_the_list_and_the_opening_say_why_not() {
        if super::super::look().is_ok() {
            quadra_base::testing::not_here("this machine has the hardware");
            return;
        }
        let row = listing();
        let reason = row.unavailable.unwrap();
        let error = crate::open("vc4").map(|_| ()).unwrap_err();
        assert!(!error.help.is_empty());
        assert!(error.message.ends_with(reason.split("; ").next().unwrap()), "{reason} / {}", error.message);
    }
}
