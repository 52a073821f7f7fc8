//! The board: power, memory and launches, with everything given back at the end, whatever happened before.
//!
//! The order in which things are undone matters. A program that still runs may write to any memory it knows, so the QPUs
//! lose their power before memory is given back; if they cannot be stopped, the memory is kept and the board refuses
//! further work, because a reboot is cheaper than a corrupted kernel.

use super::detect::Machine;
use super::failure::{Launched, Shortfall};
use super::mailbox::{self, Mailbox};
use super::memory::{self, Allocation, Physical};
use super::registers::{self, Registers, Start, Status};
use crate::qpu::programs::SyncUse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use super::failure::Failure;

/// How long programs that an earlier process left behind may take to end.
const SETTLE: Duration = Duration::from_secs(1);
/// The wait starts with this many reads of the status register, so that short launches are not slowed by the scheduler.
const SPINS: u32 = 200;
/// Longest pause between two looks.
const PAUSE: Duration = Duration::from_millis(1);
/// The kernel gives up on a mailbox exchange after one second, so a launch by mailbox must end before.
pub const MAILBOX_LIMIT: Duration = Duration::from_millis(900);

/// Time, so that tests need none.
pub trait Clock: Send {
    /// Time since some fixed moment.
    fn now(&self) -> Duration;
    /// Waits.
    fn pause(&mut self, duration: Duration);
}

/// What a board needs of the machine and its kernel.
pub struct Host {
    pub mailbox: Box<dyn Mailbox>,
    pub physical: Box<dyn Physical>,
    pub clock: Box<dyn Clock>,
}

/// Who starts the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// This process writes the registers: about 2 microseconds, no limit of time, no interrupt needed.
    Registers,
    /// The firmware does: about 0.1 milliseconds, at most [`MAILBOX_LIMIT`]. The last program has to raise one interrupt.
    Mailbox,
}

/// A piece of GPU memory of a [`Board`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region(usize);

enum Power {
    Off,
    On(Box<dyn Registers>),
    /// The QPUs could not be stopped.
    Lost,
}

/// A Raspberry Pi whose GPU this process uses.
///
/// ```text
/// let mut board = Board::open(machine, host)?;
/// let code = board.allocate(4096)?;
/// board.write(code, 0, &bytes);
/// board.execute(Route::Registers, &[Start { code: board.bus(code), uniforms }], timeout)?;
/// ```
pub struct Board {
    machine: Machine,
    host: Host,
    power: Power,
    regions: Vec<Option<Allocation>>,
    control: Option<Region>,
    stop: Arc<AtomicBool>,
    /// Whether all semaphores are known to be 0 and the mutex to be free: nobody can read them.
    clean: bool,
}

impl Board {
    /// Switches the QPUs on and checks that they are there.
    ///
    /// # Errors
    /// A refusal by kernel or firmware, no access to the registers, a block that does not answer. Everything is undone.
    pub fn open(machine: Machine, host: Host) -> Result<Board, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let (regions, control) = (Vec::new(), None);
        let mut board = Board { machine, host, power: Power::Off, regions, control, stop, clean: false };
        board.power_on()?;
        Ok(board)
    }

    /// The machine it was opened for.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// When set, a launch in progress ends with [`Failure::Interrupted`] and no other starts.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// The clock of the QPUs in Hz.
    ///
    /// # Errors
    /// A refusal by kernel or firmware.
    pub fn clock_rate(&mut self) -> Result<u32, Failure> {
        mailbox::clock_rate(&mut *self.host.mailbox, mailbox::CLOCK_V3D)
    }

    /// Sets the clock of the QPUs in Hz and gives what it is now.
    ///
    /// # Errors
    /// A refusal by kernel or firmware.
    pub fn set_clock_rate(&mut self, hertz: u32) -> Result<u32, Failure> {
        mailbox::set_clock_rate(&mut *self.host.mailbox, mailbox::CLOCK_V3D, hertz)
    }

    fn power_on(&mut self) -> Result<(), Failure> {
        match self.power {
            Power::On(_) => return Ok(()),
            Power::Lost => return Err(Failure::Lost),
            Power::Off => {}
        }
        mailbox::enable_qpu(&mut *self.host.mailbox, true)?;
        let checked = self.map_registers().and_then(|mut registers| {
            let settled = self.settle(&mut *registers);
            settled.map(|()| registers)
        });
        match checked {
            Ok(registers) => {
                self.power = Power::On(registers);
                Ok(())
            }
            Err(failure) => {
                let _ = mailbox::enable_qpu(&mut *self.host.mailbox, false);
                Err(failure)
            }
        }
    }

    fn map_registers(&mut self) -> Result<Box<dyn Registers>, Failure> {
        let address = self.machine.v3d();
        let mut registers = self
            .host
            .physical
            .map_registers(address, registers::BYTES)
            .map_err(|error| Failure::Map { address, error })?;
        match registers.read(registers::IDENT0) {
            registers::IDENTITY => Ok(registers),
            registers::NO_POWER => Err(Failure::NoPower),
            identity => Err(Failure::NotV3d { identity }),
        }
    }

    /// Waits for programs that were running before; a power cycle ends those that do not end by themselves.
    fn settle(&mut self, registers: &mut dyn Registers) -> Result<(), Failure> {
        let start = self.host.clock.now();
        while !Status::read(registers).idle() {
            if self.host.clock.now() - start >= SETTLE {
                mailbox::enable_qpu(&mut *self.host.mailbox, false)?;
                mailbox::enable_qpu(&mut *self.host.mailbox, true)?;
                return if Status::read(registers).idle() { Ok(()) } else { Err(Failure::Busy) };
            }
            self.host.clock.pause(PAUSE);
        }
        Ok(())
    }

    /// At least `bytes` of memory that the QPUs see, at a multiple of 4096.
    ///
    /// # Errors
    /// No memory left, a refusal by kernel or firmware, no permission to map.
    pub fn allocate(&mut self, bytes: u32) -> Result<Region, Failure> {
        self.check()?;
        let flags = self.machine.soc.memory_flags();
        let allocation = memory::allocate(&mut *self.host.mailbox, &mut *self.host.physical, bytes, flags)?;
        self.regions.push(Some(allocation));
        Ok(Region(self.regions.len() - 1))
    }

    /// Gives memory back. Without effect for a region that was given back before.
    ///
    /// # Errors
    /// A refusal by kernel or firmware.
    pub fn release(&mut self, region: Region) -> Result<(), Failure> {
        if matches!(self.power, Power::Lost) {
            return Err(Failure::Lost);
        }
        match self.regions[region.0].take() {
            Some(allocation) => allocation.release(&mut *self.host.mailbox),
            None => Ok(()),
        }
    }

    /// Whether the board takes work.
    ///
    /// # Errors
    /// [`Failure::Lost`], and [`Failure::Interrupted`] once the stop flag is set.
    pub fn check(&self) -> Result<(), Failure> {
        match self.power {
            Power::Lost => Err(Failure::Lost),
            _ if self.stop.load(Ordering::SeqCst) => Err(Failure::Interrupted),
            _ => Ok(()),
        }
    }

    fn allocation(&self, region: Region) -> &Allocation {
        self.regions[region.0].as_ref().expect("a region is used before it is released")
    }

    /// Whether the region has not been released.
    pub fn has(&self, region: Region) -> bool {
        self.regions[region.0].is_some()
    }

    /// Where the QPUs see the region.
    ///
    /// # Panics
    /// If the region was released.
    pub fn bus(&self, region: Region) -> u32 {
        self.allocation(region).bus()
    }

    /// Bytes of the region.
    ///
    /// # Panics
    /// If the region was released.
    pub fn bytes(&self, region: Region) -> u32 {
        self.allocation(region).bytes()
    }

    /// Copies bytes into a region; a last word that is not filled gets zeros in its rest.
    ///
    /// # Panics
    /// If the region was released, `offset` is not a multiple of 4, or the bytes do not fit.
    pub fn write(&mut self, region: Region, offset: u32, bytes: &[u8]) {
        self.regions[region.0].as_mut().expect("a region is used before it is released").write(offset, bytes);
    }

    /// Copies bytes out of a region.
    ///
    /// # Panics
    /// If the region was released, `offset` is not a multiple of 4, or the range is not inside.
    pub fn read(&self, region: Region, offset: u32, into: &mut [u8]) {
        self.allocation(region).read(offset, into);
    }

    /// Sees to it that the semaphores are 0 and the mutex is free, whatever earlier programs left, by taking the block's
    /// power away and giving it back. Without effect where that is known.
    ///
    /// # Errors
    /// A refusal by kernel or firmware; [`Failure::Unclean`] if the block kept its power.
    pub fn clear_sync(&mut self) -> Result<(), Failure> {
        if self.clean {
            return Ok(());
        }
        self.check()?;
        self.power_on()?;
        let Power::On(registers) = &mut self.power else { return Err(Failure::Lost) };
        mailbox::enable_qpu(&mut *self.host.mailbox, false)?;
        let off = registers.read(registers::IDENT0) == registers::NO_POWER;
        let on = mailbox::enable_qpu(&mut *self.host.mailbox, true);
        if on.is_err() || registers.read(registers::IDENT0) != registers::IDENTITY {
            self.power = Power::Off;
            return on.and(Err(Failure::NoPower));
        }
        self.clean = off;
        if off { Ok(()) } else { Err(Failure::Unclean) }
    }

    /// As [`Board::execute`] by registers, for a program that uses semaphores or the mutex like this.
    ///
    /// # Errors
    /// As [`Board::clear_sync`] and [`Board::execute`].
    pub fn execute_synchronised(
        &mut self,
        programs: &[Start],
        timeout: Duration,
        sync: SyncUse,
    ) -> Result<Launched, Failure> {
        if sync != SyncUse::Unused {
            self.clear_sync()?;
        }
        let launched = self.execute(Route::Registers, programs, timeout)?;
        self.clean &= sync != SyncUse::Unknown;
        Ok(launched)
    }

    /// Runs one program per entry, all at once, and waits for their end.
    ///
    /// # Errors
    /// More programs than the queue takes, a time-out, an interruption, a refusal. After any of these the QPUs have been
    /// switched off, so that no program still runs, and the next call switches them on again; if they cannot be switched
    /// off, the board is lost ([`Failure::Lost`]) and keeps its memory.
    pub fn execute(&mut self, route: Route, programs: &[Start], timeout: Duration) -> Result<Launched, Failure> {
        if programs.len() > registers::QUEUE {
            return Err(Failure::TooManyPrograms { asked: programs.len() });
        }
        self.check()?;
        self.power_on()?;
        if programs.is_empty() {
            return Ok(Launched::default());
        }
        let start = self.host.clock.now();
        let result = match route {
            Route::Registers => self.by_registers(programs, start, timeout),
            Route::Mailbox => self.by_mailbox(programs, timeout),
        };
        match result {
            Ok(()) => Ok(Launched { time: self.host.clock.now() - start }),
            Err(failure) => {
                self.halt();
                Err(failure)
            }
        }
    }

    fn by_registers(&mut self, programs: &[Start], start: Duration, timeout: Duration) -> Result<(), Failure> {
        let Power::On(registers) = &mut self.power else { return Err(Failure::Lost) };
        registers::start(&mut **registers, programs);
        let launched = programs.len() as u32;
        let (mut looks, mut pause) = (0, Duration::from_micros(10));
        loop {
            let status = Status::read(&mut **registers);
            if status.error {
                return Err(Failure::Queue(Shortfall { finished: status.finished, launched }));
            }
            if status.finished == launched {
                return Ok(());
            }
            if self.stop.load(Ordering::SeqCst) || quadra_base::stop::requested().is_some() {
                return Err(Failure::Interrupted);
            }
            if self.host.clock.now() - start >= timeout {
                let milliseconds = timeout.as_millis() as u64;
                return Err(Failure::TimedOut { milliseconds, finished: status.finished, launched });
            }
            if looks < SPINS {
                looks += 1;
                std::hint::spin_loop();
            } else {
                self.host.clock.pause(pause);
                pause = (pause * 2).min(PAUSE);
            }
        }
    }

    fn by_mailbox(&mut self, programs: &[Start], timeout: Duration) -> Result<(), Failure> {
        let control = match self.control {
            Some(region) => region,
            None => {
                let region = self.allocate(8 * registers::QUEUE as u32)?;
                self.control = Some(region);
                region
            }
        };
        let words: Vec<u8> = programs.iter().flat_map(|p| [p.uniforms, p.code]).flat_map(u32::to_le_bytes).collect();
        self.write(control, 0, &words);
        let Power::On(registers) = &mut self.power else { return Err(Failure::Lost) };
        registers::reserve_vpm(&mut **registers);
        let milliseconds = timeout.min(MAILBOX_LIMIT).as_millis().max(1) as u32;
        let bus = self.bus(control);
        mailbox::execute_qpu(&mut *self.host.mailbox, programs.len() as u32, bus, milliseconds)
    }

    /// Takes the QPUs' power away. Afterwards no program runs, or the board is lost.
    fn halt(&mut self) {
        let Power::On(registers) = &mut self.power else { return };
        registers::clear_queue(&mut **registers);
        let idle = Status::read(&mut **registers).idle();
        let disabled = mailbox::enable_qpu(&mut *self.host.mailbox, false).is_ok();
        // The block keeps its power, whatever the firmware says, while something else in the firmware uses it.
        let stopped = match registers.read(registers::IDENT0) {
            registers::NO_POWER => true,
            _ => idle || Status::read(&mut **registers).idle(),
        };
        self.power = if disabled && stopped { Power::Off } else { Power::Lost };
        // Programs were stopped anywhere.
        self.clean = false;
    }

    /// Stops the QPUs and gives everything back. Without effect the second time.
    ///
    /// # Errors
    /// The first refusal; all steps are tried. [`Failure::Lost`] if programs still run: the memory is kept then.
    pub fn close(&mut self) -> Result<(), Failure> {
        let mut result = Ok(());
        if let Power::On(registers) = &mut self.power {
            if Status::read(&mut **registers).idle() {
                result = mailbox::enable_qpu(&mut *self.host.mailbox, false);
                self.power = Power::Off;
            } else {
                self.halt();
            }
        }
        if matches!(self.power, Power::Lost) {
            return Err(Failure::Lost);
        }
        self.control = None;
        for allocation in self.regions.iter_mut().filter_map(Option::take) {
            result = result.and(allocation.release(&mut *self.host.mailbox));
        }
        result
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure; the firmware keeps what it did not take back until the next boot.
        let _ = self.close();
    }
}
