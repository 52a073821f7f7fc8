//! What the kernels of a run cost: launches, time, memory traffic, arithmetic, compilation.

use quadra_base::Span;
use quadra_base::quick::Map;
use quadra_device::launch::Compiled;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

thread_local! {
    /// Bytes that this thread's program copied to devices, and back.
    static COPIED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    /// When it did so, if a profile asked for that.
    static COPIES: RefCell<Option<Vec<Copied>>> = const { RefCell::new(None) };
}

/// A copy of an array to a device or back.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    start: Instant,
    length: Duration,
    pub to: u64,
    pub back: u64,
}

/// Bytes that this thread's program has copied to the memory of devices, and back.
pub fn copied() -> (u64, u64) {
    COPIED.with(Cell::get)
}

/// Notes copies that began at `start` and end now.
pub fn count_copied(start: Instant, to: u64, back: u64) {
    COPIED.with(|c| c.set((c.get().0 + to, c.get().1 + back)));
    COPIES.with_borrow_mut(|all| {
        if let Some(all) = all.as_mut().filter(|all| all.len() < MOST_EVENTS && to + back > 0) {
            all.push(Copied { start, length: start.elapsed(), to, back });
        }
    });
}

/// Events that are kept for a trace; later ones count in the records only.
pub const MOST_EVENTS: usize = 1_000_000;

/// All launches of one kernel or loop on one device.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Name of the kernel; `for-loop` for loops, `fused` for chains of operators.
    pub name: String,
    /// Where it stands.
    pub span: Option<Span>,
    pub device: &'static str,
    pub launches: u64,
    /// How many of these followed another one without the host in between.
    pub joined: u64,
    /// Seconds of all launches, as the host measured them.
    pub seconds: f64,
    pub items: u64,
    /// Bytes of memory that the launches could not do without: every array that is read counts once, and once more if it
    /// is written, or what the items access of it if that is less.
    pub bytes: f64,
    /// Whether operations have been counted.
    pub counted: bool,
    /// Bytes of each array that an item accesses, counted with the operations; nothing where they were not.
    pub touched: Vec<f64>,
    /// Operations on floats, counted by the interpreter on some items of the first launch.
    pub flops: Option<f64>,
    /// Kernels compiled for it, and the seconds that took.
    pub compiled: u64,
    pub compile_seconds: f64,
    /// How many of these were found in the cache on disk.
    pub disk_hits: u64,
    /// Seconds of all launches on the chip, by the timing model.
    pub modelled_seconds: Option<f64>,
    /// Seconds in which the busiest unit of the chip worked in the modelled launches, and which one that is.
    pub bound: Option<(f64, &'static str)>,
}

/// All calls of a built-in function from one place.
#[derive(Clone, Debug)]
pub struct Called {
    pub name: &'static str,
    /// Where it is called.
    pub span: Option<Span>,
    pub calls: u64,
    /// Seconds of all calls, with what they run themselves and launches that they wait for.
    pub seconds: f64,
}

/// Something that took its time.
#[derive(Clone, Debug)]
pub struct Event {
    /// Number of the record.
    pub record: usize,
    pub compile: bool,
    /// Since the start of the run.
    pub start: Duration,
    pub length: Duration,
}

/// Something that the host did.
#[derive(Clone, Debug)]
pub struct HostEvent {
    pub name: &'static str,
    /// Where the program asks for it.
    pub span: Option<Span>,
    /// Bytes of a copy; 0 for a built-in function.
    pub bytes: u64,
    /// Since the start of the run.
    pub start: Duration,
    pub length: Duration,
}

/// The profile of a run.
#[derive(Clone, Debug)]
pub struct Profile {
    pub records: Vec<Record>,
    /// Built-in functions that were called, but for those of single numbers.
    pub functions: Vec<Called>,
    /// Their numbers.
    places: Map<(&'static str, Option<Span>), usize>,
    pub events: Vec<Event>,
    /// Calls of built-in functions.
    calls: Vec<HostEvent>,
    /// Events that were not kept.
    pub dropped: u64,
    started: Instant,
    /// When the last program or call ended.
    ended: Option<Instant>,
    /// Bytes copied to and from devices before the run.
    copied: (u64, u64),
}

impl Default for Profile {
    fn default() -> Self {
        COPIES.set(Some(Vec::new()));
        Profile {
            records: Vec::new(),
            functions: Vec::new(),
            places: Map::default(),
            events: Vec::new(),
            calls: Vec::new(),
            dropped: 0,
            started: Instant::now(),
            ended: None,
            copied: copied(),
        }
    }
}

impl Profile {
    /// The record of a kernel on a device; its number.
    pub fn record(&mut self, name: &str, span: Option<Span>, device: &'static str) -> usize {
        let same = |r: &Record| r.span == span && r.device == device && r.name == name;
        self.records.iter().position(same).unwrap_or_else(|| {
            self.records.push(Record { name: name.to_string(), span, device, ..Record::default() });
            self.records.len() - 1
        })
    }

    /// Notes what began at `start` and ended now; its seconds.
    pub fn event(&mut self, record: usize, compile: bool, start: Instant) -> f64 {
        self.event_of(record, compile, start, start.elapsed())
    }

    fn event_of(&mut self, record: usize, compile: bool, start: Instant, length: Duration) -> f64 {
        self.keep(Event { record, compile, start: start.saturating_duration_since(self.started), length });
        length.as_secs_f64()
    }

    fn keep(&mut self, event: Event) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.dropped += 1;
        }
    }

    /// Notes a call of a built-in function.
    pub fn called(&mut self, name: &'static str, span: Option<Span>, length: Duration) {
        let number = *self.places.entry((name, span)).or_insert_with(|| {
            self.functions.push(Called { name, span, calls: 0, seconds: 0.0 });
            self.functions.len() - 1
        });
        let called = &mut self.functions[number];
        called.calls += 1;
        called.seconds += length.as_secs_f64();
        let start = self.started.elapsed().saturating_sub(length);
        if self.calls.len() < MOST_EVENTS {
            self.calls.push(HostEvent { name, span, bytes: 0, start, length });
        } else {
            self.dropped += 1;
        }
    }

    /// Calls of built-in functions and copies of arrays, by the time at which they began.
    pub fn host_events(&self) -> Vec<HostEvent> {
        let copied = |c: &Copied| HostEvent {
            name: if c.to > 0 { "copy to the device" } else { "copy to the host" },
            span: None,
            bytes: c.to + c.back,
            start: c.start.saturating_duration_since(self.started),
            length: c.length,
        };
        let copies: Vec<HostEvent> =
            COPIES.with_borrow(|all| all.iter().flatten().filter(|c| c.start >= self.started).map(copied).collect());
        let mut all: Vec<HostEvent> = self.calls.iter().cloned().chain(copies).collect();
        all.sort_by_key(|e| e.start);
        all
    }

    /// Bytes of arrays that the run has copied to the memory of devices, and back.
    pub fn copied(&self) -> (u64, u64) {
        let (to, back) = copied();
        (to - self.copied.0, back - self.copied.1)
    }

    /// Notes that a program or call ends now.
    pub fn end(&mut self) {
        self.ended = Some(Instant::now());
    }

    /// Seconds from the start of the run to its end, or to now.
    pub fn elapsed(&self) -> f64 {
        let end = self.ended.unwrap_or_else(Instant::now);
        end.saturating_duration_since(self.started).as_secs_f64()
    }
}

/// What the launch of a compiled kernel moved and computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Runs of the kernel.
    pub runs: u64,
    /// How many of these followed another launch without the host in between.
    pub joined: u64,
    pub items: u64,
    pub bytes: f64,
    pub modelled_seconds: Option<f64>,
    /// How long it took by the device's own clock, which counts then.
    pub measured: Option<Duration>,
    /// As in [`Record::bound`].
    pub bound: Option<(f64, &'static str)>,
}

impl Profile {
    /// Notes a launch that began at `start`, with what was compiled for it at its beginning.
    pub fn launch(&mut self, record: usize, start: Instant, compiled: Option<Compiled>, work: Work) {
        let launched = start + self.compiled(record, start, compiled);
        match work.measured {
            // It ended just now.
            Some(length) => {
                let begun = Instant::now().checked_sub(length).unwrap_or(launched).max(launched);
                self.launched(record, begun, length, work);
            }
            None => self.launched(record, launched, launched.elapsed(), work),
        }
    }

    /// Notes what was compiled for a launch from `start` on; how long that took.
    pub fn compiled(&mut self, record: usize, start: Instant, compiled: Option<Compiled>) -> Duration {
        let Some(c) = compiled else { return Duration::ZERO };
        let length = Duration::from_secs_f64(c.seconds);
        self.event_of(record, true, start, length);
        let r = &mut self.records[record];
        r.compiled += 1;
        r.compile_seconds += c.seconds;
        r.disk_hits += u64::from(c.from_disk);
        length
    }

    /// Notes a launch that took so long from `start` on.
    pub fn launched(&mut self, record: usize, start: Instant, length: Duration, work: Work) {
        let seconds = self.event_of(record, false, start, length);
        let r = &mut self.records[record];
        r.launches += work.runs;
        r.joined += work.joined;
        r.seconds += seconds;
        // What was counted on the first launch holds per item.
        if let (Some(flops), true) = (&mut r.flops, r.items > 0) {
            *flops *= 1.0 + work.items as f64 / r.items as f64;
        }
        r.items += work.items;
        r.bytes += work.bytes;
        if let Some(s) = work.modelled_seconds {
            *r.modelled_seconds.get_or_insert(0.0) += s;
        }
        if let Some((seconds, unit)) = work.bound {
            let (sum, busiest) = r.bound.get_or_insert((0.0, unit));
            if seconds > *sum {
                *busiest = unit;
            }
            *sum += seconds;
        }
    }
}
