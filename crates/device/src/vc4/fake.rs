//! A Raspberry Pi for tests: firmware, physical memory, V3D registers and a clock that only moves when somebody waits.
//! Everything that reaches it is written down, and any step can be made to fail.

use super::detect::{Machine, Soc};
use super::failure::Failure;
use super::mailbox::{Mailbox, Message};
use super::memory::{Mapping, Physical};
use super::registers::{self, Registers, Start};
use super::run::{Board, Clock, Host};
use quadra_isa::vc4::emu as machine;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// What reached the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Tag and values of a mailbox request.
    Mail(u32, Vec<u32>),
    Map(u64, usize),
    Unmap(u64),
    Write(u32, u32),
}

/// What a started program does, given its start and the machine's memory.
pub type Program = Arc<dyn Fn(&[Start], &mut Vec<u32>) + Send + Sync>;

/// First physical address of the memory that the firmware hands out.
pub const MEMORY: u32 = 0x1c00_0000;

#[derive(Default)]
pub struct State {
    pub events: Vec<Event>,
    pub handles: BTreeMap<u32, u32>,
    pub locked: BTreeMap<u32, u32>,
    pub mapped: Vec<u64>,
    pub powered: bool,
    /// Words from [`MEMORY`] on; allocations are never reused.
    pub memory: Vec<u32>,
    pub now: Duration,
    /// Started and not finished programs.
    started: Vec<Start>,
    uniforms: u32,
    requested: u32,
    finished: u32,
    error: bool,
    steps: u32,
    /// Offset of the next allocation.
    next: u32,

    /// The step (exchange or mapping, from 0) that the kernel refuses.
    pub fail_at: Option<u32>,
    /// The step that the firmware refuses.
    pub refuse_at: Option<u32>,
    /// Programs do not end.
    pub endless: bool,
    /// The status register reports an overflow of the queue.
    pub overflow: bool,
    /// The power stays on although the firmware has switched it off.
    pub power_stays: bool,
    /// What `IDENT0` reads instead of the identity.
    pub identity: Option<u32>,
    /// Programs that an earlier process left running; a power cycle ends them.
    pub left_running: bool,
    /// The executing call of the mailbox ends like this.
    pub mailbox_times_out: bool,
    pub program: Option<Program>,
    /// The launch by registers, from 0, whose programs do not end; what they write arrives.
    pub endless_at: Option<u32>,
    /// Launches by registers.
    pub launches: u32,
    /// Bytes that the firmware has for allocations.
    pub capacity: Option<u32>,
    /// Words that the host copied into the memory, and out of it.
    pub copied: (usize, usize),
}

/// The fake; clones share the machine.
#[derive(Clone)]
pub struct Pi(Arc<Mutex<State>>);

impl Pi {
    pub fn new() -> Pi {
        Pi(Arc::new(Mutex::new(State { memory: vec![0; 1 << 20], ..State::default() })))
    }

    pub fn with(change: impl FnOnce(&mut State)) -> Pi {
        let pi = Pi::new();
        change(&mut pi.state());
        pi
    }

    /// A Pi whose QPUs are emulated: programs, uniforms and data are what the board put into its memory.
    pub fn emulated() -> Pi {
        const BUS: u32 = 0xc000_0000 | MEMORY;
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

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    pub fn machine() -> Machine {
        let model = "Raspberry Pi 3 Model B Rev 1.2".to_string();
        Machine { model, soc: Soc::Bcm2837, peripherals: 0x3f00_0000 }
    }

    pub fn host(&self) -> Host {
        Host { mailbox: Box::new(self.clone()), physical: Box::new(self.clone()), clock: Box::new(self.clone()) }
    }

    pub fn open(&self) -> Result<Board, Failure> {
        Board::open(Pi::machine(), self.host())
    }

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut self.state().events)
    }

    pub fn steps(&self) -> u32 {
        self.state().steps
    }

    #[track_caller]
    pub fn assert_all_given_back(&self) {
        let s = self.state();
        assert!(s.handles.is_empty(), "allocated: {:?}", s.handles);
        assert!(s.locked.is_empty(), "locked: {:?}", s.locked);
        assert!(s.mapped.is_empty(), "mapped: {:x?}", s.mapped);
        assert!(!s.powered, "the QPUs are on");
    }
}

impl State {
    /// Counts a step; whether the kernel refuses it.
    fn step(&mut self) -> (io::Result<()>, bool) {
        let step = self.steps;
        self.steps += 1;
        let refused = self.refuse_at == Some(step);
        match self.fail_at == Some(step) {
            true => (Err(io::Error::from(io::ErrorKind::PermissionDenied)), refused),
            false => (Ok(()), refused),
        }
    }

    fn answer(&mut self, tag: u32, values: &[u32]) -> u32 {
        match tag {
            0x3000c if self.capacity.is_some_and(|c| self.handles.values().sum::<u32>() + values[0] > c) => 0,
            0x3000c => {
                let handle = self.handles.len() as u32 + 1 + self.steps;
                self.handles.insert(handle, values[0]);
                handle
            }
            0x3000d => {
                assert!(self.handles.contains_key(&values[0]), "locks what is allocated");
                let bus = 0xc000_0000 | (MEMORY + self.next);
                self.next += self.handles[&values[0]];
                self.locked.insert(values[0], bus);
                bus
            }
            0x3000e => {
                assert!(self.locked.remove(&values[0]).is_some(), "unlocks what is locked");
                0
            }
            0x3000f => {
                let refuses = self.fail_at.is_some() || self.refuse_at.is_some();
                assert!(self.locked.remove(&values[0]).is_none() || refuses, "releases what is unlocked");
                assert!(self.handles.remove(&values[0]).is_some(), "releases what is allocated");
                0
            }
            0x30012 => {
                self.powered = values[0] == 1;
                if !self.powered && !self.power_stays {
                    self.started.clear();
                    (self.requested, self.finished, self.left_running) = (0, 0, false);
                }
                0
            }
            0x30011 => {
                let control = (values[1] & 0x3fff_ffff) - MEMORY;
                let words = &self.memory[control as usize / 4..][..2 * values[0] as usize];
                self.started = words.chunks(2).map(|w| Start { uniforms: w[0], code: w[1] }).collect();
                if self.mailbox_times_out {
                    self.requested = values[0];
                    return 0x8000_0000;
                }
                self.run();
                0
            }
            0x30002 => values[0],
            _ => panic!("request {tag:#x}"),
        }
    }

    fn run(&mut self) {
        let started = std::mem::take(&mut self.started);
        if let Some(program) = self.program.clone() {
            program(&started, &mut self.memory);
        }
    }
}

impl Mailbox for Pi {
    fn exchange(&mut self, message: &mut Message) -> io::Result<()> {
        let mut s = self.state();
        let words = message.words_mut();
        let (tag, length) = (words[2], words[4] as usize / 4);
        let values = words[5..5 + length].to_vec();
        s.events.push(Event::Mail(tag, values.clone()));
        let (kernel, refused) = s.step();
        kernel?;
        words[1] = 0x8000_0000;
        words[4] = 0x8000_0004;
        words[5] = match refused {
            // Allocating and locking answer with 0 when refused, everything else with a failure.
            true if matches!(tag, 0x3000c | 0x3000d) => 0,
            true => 0x8000_0001,
            false => s.answer(tag, &values),
        };
        if tag == 0x30002 {
            words[6] = 400_000_000;
        }
        Ok(())
    }
}

struct Mapped {
    pi: Pi,
    address: u64,
}

impl Physical for Pi {
    fn map(&mut self, address: u64, bytes: usize) -> io::Result<Box<dyn Mapping>> {
        Ok(Box::new(self.map_any(address, bytes)?))
    }

    fn map_registers(&mut self, address: u64, bytes: usize) -> io::Result<Box<dyn Registers>> {
        Ok(Box::new(self.map_any(address, bytes)?))
    }
}

impl Pi {
    fn map_any(&self, address: u64, bytes: usize) -> io::Result<Mapped> {
        let mut s = self.state();
        s.events.push(Event::Map(address, bytes));
        s.step().0?;
        s.mapped.push(address);
        Ok(Mapped { pi: self.clone(), address })
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let mut s = self.pi.state();
        s.events.push(Event::Unmap(self.address));
        let at = s.mapped.iter().position(|&a| a == self.address).expect("what is unmapped was mapped");
        s.mapped.remove(at);
    }
}

impl Mapping for Mapped {
    fn read(&self, first_word: usize, into: &mut [u32]) {
        let start = (self.address as u32 - MEMORY) as usize / 4 + first_word;
        let mut s = self.pi.state();
        s.copied.1 += into.len();
        into.copy_from_slice(&s.memory[start..start + into.len()]);
    }

    fn write(&mut self, first_word: usize, words: &[u32]) {
        let start = (self.address as u32 - MEMORY) as usize / 4 + first_word;
        let mut s = self.pi.state();
        s.copied.0 += words.len();
        s.memory[start..start + words.len()].copy_from_slice(words);
    }
}

impl Registers for Mapped {
    fn read(&mut self, offset: u32) -> u32 {
        let mut s = self.pi.state();
        if !s.powered && !s.power_stays {
            return registers::NO_POWER;
        }
        match offset {
            registers::IDENT0 => s.identity.unwrap_or(registers::IDENTITY),
            registers::SRQCS => {
                let running = s.left_running as u32;
                if s.endless_at.is_some_and(|at| at + 1 == s.launches) {
                    s.run();
                } else if !s.endless && s.requested > s.finished {
                    s.finished = s.requested;
                    s.run();
                }
                s.finished << 16 | (s.requested + running) << 8 | (s.error as u32) << 7
            }
            _ => panic!("reads register {offset:#x}"),
        }
    }

    fn write(&mut self, offset: u32, value: u32) {
        let mut s = self.pi.state();
        s.events.push(Event::Write(offset, value));
        match offset {
            registers::SRQUA => s.uniforms = value,
            registers::SRQPC => {
                let start = Start { code: value, uniforms: s.uniforms };
                s.started.push(start);
                s.requested += 1;
                s.error |= s.overflow;
            }
            registers::SRQCS if value >> 16 & 1 == 1 => {
                (s.requested, s.finished, s.error) = (0, 0, false);
                s.launches += 1;
            }
            _ => {}
        }
    }
}

impl Clock for Pi {
    fn now(&self) -> Duration {
        // A look at the clock takes a microsecond, so that loops without a pause end as well.
        let mut s = self.state();
        s.now += Duration::from_micros(1);
        s.now
    }

    fn pause(&mut self, duration: Duration) {
        self.state().now += duration;
    }
}
