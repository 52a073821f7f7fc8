//! Programs for the QPU: text to words and back, runs on the emulator and on a Raspberry Pi. `quadra.qpu` makes it pleasant.

use crate::error::{Message, exception, message, refuse};
use crate::interrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use quadra::base::Diagnostic;
use quadra::base::stop::Stop;
use quadra::device::vc4;
use quadra::qpu::vc4::emu::{Config, Machine, Region, RunError, Thread};
use quadra::qpu::vc4::hazard::{self, Strictness};
use quadra::qpu::vc4::program::Program;
use quadra::qpu::vc4::timing::{self, Board, Cause};
use quadra::qpu::vc4::{asm, disasm};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn strictness(strict: bool) -> Strictness {
    if strict { Strictness::Strict } else { Strictness::Normal }
}

/// Words, the line of each, and warnings.
type Assembled = (Vec<u64>, Vec<Option<u32>>, Vec<Message>);

/// Words, the line of each, and warnings of a text.
///
/// # Errors
/// The diagnostics of the text; with `strict`, every broken rule of the hardware.
#[pyfunction]
#[pyo3(signature = (name, text, strict=false))]
pub fn assemble(py: Python<'_>, name: &str, text: &str, strict: bool) -> PyResult<Assembled> {
    let (assembly, mut found) = asm::assemble(name, text, &asm::Options::default());
    let Some(assembly) = assembly else { return Err(exception(py, &found)) };
    found.extend(hazard::diagnostics(&assembly.program(), strictness(strict)));
    if strict && found.iter().any(Diagnostic::is_error) {
        return Err(exception(py, &found));
    }
    let lines = assembly.spans.iter().map(|span| span.map(|s| s.line)).collect();
    Ok((assembly.words, lines, found.iter().map(message).collect()))
}

fn program(py: Python<'_>, words: &[u64]) -> PyResult<Program> {
    Program::from_words("program", words)
        .map_err(|(at, why)| refuse(py, format!("word {at} is no instruction: {why}"), "words come from `assemble`"))
}

/// The text of words, a line for each, which assembles to the same words.
#[pyfunction]
pub fn disassemble(words: Vec<u64>) -> Vec<String> {
    words.into_iter().map(disasm::word).collect()
}

/// A line of a profile: executions, clocks, clocks by the cause of waiting.
type Line<'n> = (u64, u64, Vec<(&'n str, u64)>);

/// Memory of a run: address, bytes, whether programs may write.
type Piece = (u32, Vec<u8>, bool);

/// Runs a program on emulated QPUs, one for each address of uniforms: memory behind it, and what it did. With the name of a board
/// (`zero`, `1`, `2`, `3`) in modelled time.
///
/// # Errors
/// What stopped the program; the exception has the number of the instruction as `index`.
#[pyfunction]
#[pyo3(signature = (words, base, pieces, uniforms, board=None, strict=false, budget=10_000_000_000))]
#[allow(clippy::too_many_arguments)]
pub fn emulate<'py>(
    py: Python<'py>,
    words: Vec<u64>,
    base: u32,
    pieces: Vec<Piece>,
    uniforms: Vec<u32>,
    board: Option<&str>,
    strict: bool,
    budget: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let program = program(py, &words)?;
    let board = match board {
        None => None,
        Some(name) => Some(Board::from_name(name).ok_or_else(|| {
            refuse(py, format!("there is no model of a board '{name}'"), "boards are zero, 1, 2 and 3")
        })?),
    };
    let config = Config { strictness: strictness(strict), budget, profile: board.is_some(), ..Config::of_others() };
    let mut machine = Machine::new(config);
    let build = |machine: &mut Machine| -> Result<(), Box<Diagnostic>> {
        machine.add_program(base, &program)?;
        for (address, bytes, writable) in pieces {
            let region = Region::new(format!("memory at {address:#x}"), address, bytes);
            machine.add_region(if writable { region.writable() } else { region })?;
        }
        Ok(())
    };
    build(&mut machine).map_err(|d| exception(py, &[*d]))?;
    let threads: Vec<Thread> = uniforms.into_iter().map(|uniforms| Thread { pc: base, uniforms }).collect();
    let stop = Stop::default();
    let watched = interrupt::watch(stop.clone());
    let (machine, outcome) = py.detach(move || {
        let _entered = stop.enter();
        let outcome = match board {
            Some(board) => timing::run(&mut machine, &threads, &board.parameters(), None),
            None => machine.run(&threads).map(|report| timing::Outcome { report, ..Default::default() }),
        };
        (machine, outcome)
    });
    drop(watched);
    let outcome = outcome.map_err(|why| stopped(py, &why))?;
    described(py, &machine, base, &program, &outcome, board)
}

/// What stopped a program.
fn stopped(py: Python<'_>, why: &RunError) -> PyErr {
    let error = exception(py, &[why.diagnostic()]);
    let index = match why {
        RunError::Fault(fault) => Some(fault.index),
        RunError::Deadlock(waiting) => waiting.first().map(|w| w.index),
        RunError::Budget { index, .. } => Some(*index),
        _ => None,
    };
    match error.value(py).setattr("index", index) {
        Ok(()) => error,
        Err(other) => other,
    }
}

fn described<'py>(
    py: Python<'py>,
    machine: &Machine,
    base: u32,
    program: &Program,
    outcome: &timing::Outcome,
    board: Option<Board>,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let memory = PyDict::new(py);
    for region in machine.memory().regions() {
        let bytes: Vec<u8> = region.words().into_iter().flat_map(u32::to_le_bytes).collect();
        memory.set_item(region.base, PyBytes::new(py, &bytes))?;
    }
    all.set_item("memory", memory)?;
    all.set_item("issued", outcome.report.qpus.iter().map(|q| q.issued).collect::<Vec<_>>())?;
    all.set_item("warnings", outcome.report.warnings.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let Some(board) = board else { return Ok(all) };
    let parameters = board.parameters();
    all.set_item("clocks", outcome.clocks)?;
    all.set_item("seconds", outcome.seconds(board.clock_mhz(), parameters.launch_registers))?;
    let profile = timing::profile::profile(outcome, base, &program.insts);
    let rows: Vec<Line<'_>> = profile
        .lines
        .iter()
        .map(|line| {
            let stalls = Cause::ALL.iter().map(|c| (c.name(), line.stalls[*c as usize])).filter(|s| s.1 > 0);
            (line.executions, line.clocks(), stalls.collect())
        })
        .collect();
    all.set_item("lines", rows)?;
    all.set_item("dual_issue", profile.dual_issue)?;
    all.set_item("shares", profile.shares)?;
    all.set_item("busy", profile.busy)?;
    all.set_item("limit", profile.limit)?;
    Ok(all)
}

/// The QPUs of this Raspberry Pi.
#[pyclass(module = "quadra._quadra", frozen)]
pub struct QpuBoard {
    board: Arc<Mutex<vc4::Board>>,
    regions: Mutex<Vec<vc4::Region>>,
}

impl QpuBoard {
    fn with<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut vc4::Board) -> Result<T, vc4::Failure> + Send,
    ) -> PyResult<T>
    where
        T: Send,
    {
        let done = py.detach(|| work(&mut self.board.lock().unwrap_or_else(|e| e.into_inner())));
        done.map_err(|failure| exception(py, &[failure.diagnostic()]))
    }

    fn region(&self, py: Python<'_>, number: usize, board: &vc4::Board) -> PyResult<vc4::Region> {
        let regions = self.regions.lock().unwrap_or_else(|e| e.into_inner());
        let found = regions.get(number).copied().filter(|region| board.has(*region));
        found.ok_or_else(|| refuse(py, "this memory was given back", "allocate it again"))
    }
}

#[pymethods]
impl QpuBoard {
    /// Switches the QPUs on.
    #[new]
    fn new(py: Python<'_>) -> PyResult<QpuBoard> {
        let board = vc4::open_board().map_err(|d| exception(py, &[d]))?;
        Ok(QpuBoard { board, regions: Mutex::default() })
    }

    /// Memory that the QPUs see: its number and its address.
    fn allocate(&self, py: Python<'_>, bytes: u32) -> PyResult<(usize, u32)> {
        let (region, bus) = self.with(py, |board| {
            let region = board.allocate(bytes)?;
            Ok((region, board.bus(region)))
        })?;
        let mut regions = self.regions.lock().unwrap_or_else(|e| e.into_inner());
        regions.push(region);
        Ok((regions.len() - 1, bus))
    }

    fn write(&self, py: Python<'_>, number: usize, bytes: Vec<u8>) -> PyResult<()> {
        let mut board = self.board.lock().unwrap_or_else(|e| e.into_inner());
        let region = self.region(py, number, &board)?;
        if bytes.len() > board.bytes(region) as usize {
            return Err(refuse(py, "more bytes than this memory has", "allocate more"));
        }
        board.write(region, 0, &bytes);
        Ok(())
    }

    fn read<'py>(&self, py: Python<'py>, number: usize, bytes: u32) -> PyResult<Bound<'py, PyBytes>> {
        let board = self.board.lock().unwrap_or_else(|e| e.into_inner());
        let region = self.region(py, number, &board)?;
        let mut into = vec![0; bytes.min(board.bytes(region)) as usize];
        board.read(region, 0, &mut into);
        Ok(PyBytes::new(py, &into))
    }

    /// Runs programs, each given by the addresses of its code and its uniforms; seconds.
    fn execute(&self, py: Python<'_>, programs: Vec<(u32, u32)>, timeout: f64) -> PyResult<f64> {
        let timeout = Duration::try_from_secs_f64(timeout).unwrap_or(Duration::from_secs(600));
        let starts: Vec<_> = programs.into_iter().map(|(code, uniforms)| vc4::Start { code, uniforms }).collect();
        let stop = Stop::default();
        let watched = interrupt::watch(stop.clone());
        let launched = self.with(py, |board| {
            let _entered = stop.enter();
            board.execute_synchronised(&starts, timeout, vc4::SyncUse::Unknown)
        });
        drop(watched);
        Ok(launched?.time.as_secs_f64())
    }

    /// Gives memory back.
    fn release(&self, py: Python<'_>, number: usize) -> PyResult<()> {
        let region = self.region(py, number, &self.board.lock().unwrap_or_else(|e| e.into_inner()))?;
        self.with(py, |board| board.release(region))
    }

    /// Stops the QPUs and gives everything back.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, vc4::Board::close)
    }
}
