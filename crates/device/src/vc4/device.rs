//! The board as a device: compiles kernels as the emulated one does, and launches them with the same layout of memory.

use super::run::{Board, Failure, Region, Route};
use super::{Start, detect};
use crate::emu::MAX_QPUS;
use crate::launch::{self, Argument, Bound, LaunchOptions, Report};
use crate::layout::Layout;
use crate::programs::Programs;
use crate::{Device, Listing, Module};
use quadra_back_qpu::{self as back_qpu, Compiled};
use quadra_base::Diagnostic;
use quadra_kir::launch::GUARD_BYTES;
use quadra_kir::{self as kir, Arg, Fault, FaultKind, Kernel, Param};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// Clocks that one QPU needs at least for an instruction.
const CLOCKS_PER_INSTRUCTION: u64 = 4;
/// The lowest clock of all models, taken if the firmware does not say (raspberrypi/documentation, "Overclocking").
const LOWEST_CLOCK: u32 = 250_000_000;
/// However small the budget, a launch gets this long.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// The QPUs of this machine.
pub struct Vc4 {
    board: Arc<Mutex<Board>>,
    /// The memory of the last launch, kept for the next.
    memory: Mutex<Option<Region>>,
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
    Listing { name: "vc4", about, unavailable }
}

fn about(model: &str) -> String {
    format!("QPUs of {model}: 12, the hardware itself")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Vc4 {
    /// A device on an open board.
    pub(super) fn new(board: Arc<Mutex<Board>>) -> Arc<Vc4> {
        let (model, hertz) = {
            let mut board = lock(&board);
            let hertz = board.clock_rate().unwrap_or(0).max(LOWEST_CLOCK);
            (board.machine().model.clone(), hertz)
        };
        Arc::new_cyclic(|itself| Vc4 { board, memory: Mutex::new(None), model, hertz, itself: itself.clone() })
    }

    /// The time in which one QPU could issue the budget: the hardware does not count instructions.
    fn time_limit(&self, budget: u64) -> Duration {
        let clocks = u128::from(budget) * u128::from(CLOCKS_PER_INSTRUCTION);
        let seconds = clocks / u128::from(self.hertz);
        Duration::from_secs(seconds.min(u128::from(u32::MAX)) as u64).max(LEAST_TIME)
    }
}

impl Device for Vc4 {
    fn name(&self) -> &'static str {
        "vc4"
    }

    fn about(&self) -> String {
        about(&self.model)
    }

    fn max_workers(&self) -> u32 {
        MAX_QPUS
    }

    fn arithmetic(&self) -> kir::Arithmetic {
        kir::Arithmetic::TowardZero
    }

    fn near_memory(&self) -> u64 {
        back_qpu::NEAR_BYTES
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        let programs = Programs::new(kernel, back_qpu::Options::default(), crate::programs::Keep::User)?;
        let device = self.itself.upgrade().expect("whoever calls a method holds the device");
        Ok(Arc::new(OnBoard { device, programs }))
    }
}

/// How the runs of a launch follow one another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sequence {
    /// All in one program.
    Together,
    /// So many launches.
    Apart(u32),
}

struct OnBoard {
    device: Arc<Vc4>,
    programs: Programs,
}

impl OnBoard {
    /// Memory of at least `bytes`; what the last launch had is used again if it is large enough.
    fn memory(board: &mut Board, kept: &mut Option<Region>, bytes: u32) -> Result<Region, Failure> {
        board.check()?;
        if let Some(region) = *kept {
            if board.bytes(region) >= bytes {
                return Ok(region);
            }
            *kept = None;
            board.release(region)?;
        }
        let region = board.allocate(bytes)?;
        *kept = Some(region);
        Ok(region)
    }

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

    /// Puts program and buffers to their places; of the buffers that the launch overwrites, only what lies behind them.
    fn copy_in(
        board: &mut Board,
        region: Region,
        layout: &Layout,
        compiled: &Compiled,
        (bound, overwritten): (&Bound, &[bool]),
    ) {
        board.write(region, layout.code, &compiled.program.bytes());
        for ((data, &at), &overwritten) in bound.read().iter().zip(&layout.buffers).zip(overwritten) {
            if !overwritten {
                board.write(region, at, &data.bytes);
            }
            // Gathers may run past the end and read zeros there, as on every device.
            let end = at + (data.bytes.len() as u32).next_multiple_of(4);
            board.write(region, end, &[0; GUARD_BYTES as usize - 4]);
        }
    }

    fn fault(&self, failure: Failure) -> Fault {
        let diagnostic = failure.diagnostic();
        let text = [Some(&diagnostic.message), diagnostic.help.first()].into_iter().flatten().cloned();
        let kind = FaultKind::Other(text.collect::<Vec<_>>().join("; "));
        Fault { span: self.programs.kernel.span, ..Fault::new(&self.programs.kernel.name, kind) }
    }

    /// Runs a program: each of these streams is a launch. Buffers are copied to the GPU's memory before the first of them and
    /// back behind the last.
    fn run(
        &self,
        compiled: &Compiled,
        bound: &Bound,
        options: &LaunchOptions,
        sequence: Sequence,
    ) -> Result<Report, Fault> {
        let kernel = &self.programs.kernel;
        let together = if sequence == Sequence::Together { options.repeat } else { 1 };
        let layout = Layout::of(kernel, compiled, together, &bound.read(), options.workers, 0)?;
        let mut kept = lock(&self.device.memory);
        let mut board = lock(&self.device.board);
        let region = Self::memory(&mut board, &mut kept, layout.size).map_err(|f| self.fault(f))?;
        let bus = board.bus(region);
        let streams_for = |bound: &Bound| layout.streams(kernel, compiled, bound, &options.extent, bus, false);
        let streams = match (sequence, options.swap) {
            (Sequence::Together, _) => vec![layout.streams_of_runs(kernel, compiled, bound, options, bus)?],
            (Sequence::Apart(2..), Some(pair)) => vec![streams_for(bound)?, streams_for(&bound.swapped(pair))?],
            (Sequence::Apart(_), _) => vec![streams_for(bound)?],
        };
        let overwritten = self.overwritten(bound, options);
        Self::copy_in(&mut board, region, &layout, compiled, (bound, &overwritten));
        let starts: Vec<Start> =
            layout.uniforms.iter().map(|&at| Start { code: bus + layout.code, uniforms: bus + at }).collect();
        let limit = self.device.time_limit(options.budget.saturating_mul(u64::from(together)));
        let limit = options.time_limit.map_or(limit, |t| limit.min(t.saturating_mul(together)));
        let launches = if let Sequence::Apart(times) = sequence { times } else { 1 };
        for launch in 0..launches as usize {
            // What the last launch had need not be written again.
            if launch < 1 || streams.len() > 1 {
                for (words, &at) in streams[launch % streams.len()].iter().zip(&layout.uniforms) {
                    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                    board.write(region, at, &bytes);
                }
            }
            board.execute(Route::Registers, &starts, limit).map_err(|f| self.fault(f))?;
        }
        for (at, &offset) in layout.buffers.iter().enumerate() {
            if bound.writes[at] {
                board.read(region, offset, &mut bound.write(at).bytes);
            }
        }
        // The hardware does not say how many instructions it issued.
        let static_words = Some(compiled.program.len() as u32);
        Ok(Report { static_words, ..Report::default() })
    }
}

impl Module for OnBoard {
    fn kernel(&self) -> &Kernel {
        &self.programs.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let bound = launch::bind(&self.programs.kernel, args, options, MAX_QPUS)?;
        let compiled = self.programs.for_launch(options)?;
        self.run(&compiled, &bound, options, Sequence::Apart(1))
    }

    fn launch_repeatedly(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let bound = launch::bind_runs(&self.programs.kernel, args, options, MAX_QPUS)?;
        let compiled = self.programs.for_launch(options)?;
        self.run(&compiled, &bound, options, Sequence::Apart(options.repeat))
    }

    fn faster_together(&self, args: &[Argument], options: &LaunchOptions) -> bool {
        launch::bind_runs(&self.programs.kernel, args, options, MAX_QPUS)
            .is_ok_and(|bound| self.programs.faster_together(&bound, options))
    }

    fn launch_together(&self, args: &[Argument], options: &LaunchOptions) -> Option<Result<Report, Fault>> {
        let bound = match launch::bind_runs(&self.programs.kernel, args, options, MAX_QPUS) {
            Ok(bound) => bound,
            Err(fault) => return Some(Err(fault)),
        };
        let compiled = self.programs.for_runs(options)?;
        Some(compiled.and_then(|compiled| self.run(&compiled, &bound, options, Sequence::Together)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vc4::fake::{self, Pi};
    use crate::{Buffer, emu::Emu};
    use quadra_kir::{Access, Builder, Elem, Mode, Op};
    use quadra_qpu::vc4::emu as machine;

    /// A Pi whose QPUs are emulated: programs, uniforms and data are what the board put into its memory.
    fn pi() -> Pi {
        const BUS: u32 = 0xc000_0000 | fake::MEMORY;
        Pi::with(|s| {
            s.program = Some(Arc::new(|starts, memory| {
                let config = machine::Config { leftovers: Some(7), ..machine::Config::default() };
                let mut qpus = machine::Machine::new(config);
                qpus.add_region(machine::Region::of_words("memory".to_string(), BUS, memory).writable()).unwrap();
                let threads: Vec<_> =
                    starts.iter().map(|s| machine::Thread { pc: s.code, uniforms: s.uniforms }).collect();
                qpus.run(&threads).unwrap();
                let after = qpus.into_memory();
                let bytes = &after.region("memory").unwrap().bytes;
                *memory = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            }));
        })
    }

    fn device(pi: &Pi) -> Arc<Vc4> {
        Vc4::new(Arc::new(Mutex::new(pi.open().unwrap())))
    }

    /// `y[i] = x[i] * k + i`, launched over an extent.
    fn kernel() -> Kernel {
        let mut b = Builder::new("scale");
        let x = b.buffer("x", Elem::F32, 1, Access::Read);
        let y = b.buffer("y", Elem::F32, 1, Access::Write);
        let k = b.scalar("k", kir::Type::scalar(Elem::F32));
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
        let pi = pi();
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
        let pi = pi();
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
        pi.state().refuse_at = Some(pi.steps() + 2);
        let large = Buffer::<f32>::new(100_000);
        let args = [Argument::from(&large), Argument::from(&large), Argument::from(2.0f32)];
        let options = LaunchOptions { alias: true, ..options };
        let fault = module.launch(&args, &options).unwrap_err();
        assert!(fault.to_diagnostic().message.contains("bytes of memory left"), "{fault:?}");
        pi.state().refuse_at = None;
        drop((module, vc4));
        pi.assert_all_given_back();
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
            println!("skipped: this machine has the hardware");
            return;
        }
        let row = listing();
        let reason = row.unavailable.unwrap();
        let error = crate::open("vc4").map(|_| ()).unwrap_err();
        assert!(!error.help.is_empty());
        assert!(error.message.ends_with(reason.split("; ").next().unwrap()), "{reason} / {}", error.message);
    }
}
