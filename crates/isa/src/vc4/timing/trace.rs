//! A timed run as a trace that Perfetto and Chrome open: one row per QPU, per TMU and per DMA engine.

use super::model::Cause;
use super::units::{PER_CLOCK, Ticks};
use crate::vc4::emu::Transfer;
use serde_json::{Value, json};

/// Events that one trace may hold; later ones are counted but not kept.
pub const MAX_EVENTS: usize = 1_000_000;

/// What happened when.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    events: Vec<Span>,
    dropped: usize,
}

#[derive(Clone, Debug)]
struct Span {
    row: Row,
    name: String,
    start: Ticks,
    end: Ticks,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Row {
    Qpu(usize),
    Tmu(usize),
    LoadEngine,
    StoreEngine,
}

impl Row {
    fn id(self) -> usize {
        match self {
            Row::Qpu(n) => n,
            Row::Tmu(n) => 100 + n,
            Row::LoadEngine => 200,
            Row::StoreEngine => 201,
        }
    }

    fn name(self) -> String {
        match self {
            Row::Qpu(n) => format!("QPU {n}"),
            Row::Tmu(n) => format!("TMU {} of slice {}", n % 2, n / 2),
            Row::LoadEngine => "DMA load".into(),
            Row::StoreEngine => "DMA store".into(),
        }
    }
}

impl Trace {
    fn push(&mut self, row: Row, name: String, start: Ticks, end: Ticks) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(Span { row, name, start, end });
        } else {
            self.dropped += 1;
        }
    }

    pub(super) fn stall(&mut self, qpu: usize, cause: Cause, pc: u32, start: Ticks, wait: Ticks) {
        self.push(Row::Qpu(qpu), format!("{} at {pc:#x}", cause.name()), start, start + wait);
    }

    pub(super) fn lookup(&mut self, qpu: usize, unit: usize, start: Ticks, end: Ticks) {
        let tmu = qpu / 4 * 2 + (unit ^ (qpu % 4 / 2));
        self.push(Row::Tmu(tmu), format!("lookup for QPU {qpu}"), start, end);
    }

    pub(super) fn transfer(&mut self, load: bool, qpu: usize, transfer: &Transfer, start: Ticks, end: Ticks) {
        let row = if load { Row::LoadEngine } else { Row::StoreEngine };
        let name = format!("{} rows of {} bytes for QPU {qpu}", transfer.rows, transfer.row_bytes);
        self.push(row, name, start, end);
    }

    /// Events that did not fit.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The trace in Chrome's JSON format; times in microseconds at this clock.
    pub fn to_json(&self, clock_mhz: f64) -> String {
        let microseconds = |t: Ticks| t as f64 / PER_CLOCK as f64 / clock_mhz;
        let mut rows: Vec<Row> = self.events.iter().map(|e| e.row).collect();
        rows.sort_unstable();
        rows.dedup();
        let names = rows.iter().map(
            |row| json!({"ph": "M", "name": "thread_name", "pid": 0, "tid": row.id(), "args": {"name": row.name()}}),
        );
        let spans = self.events.iter().map(|e| {
            let (start, end) = (microseconds(e.start), microseconds(e.end));
            json!({"ph": "X", "name": e.name, "pid": 0, "tid": e.row.id(), "ts": start, "dur": end - start})
        });
        let events: Vec<Value> = names.chain(spans).collect();
        json!({"traceEvents": events, "displayTimeUnit": "ns"}).to_string()
    }
}
