//! A row in Quasar.

use super::rows::case::{Case, elements};
use super::{How, Row};
use quadra_base::{Diagnostic, Severity, cache};
use quadra_quasar::session::{Options, Session};
use quadra_quasar::value::Value;
use std::time::Instant;

/// A program that has run once.
pub struct Run<'a> {
    session: Session,
    row: &'a Row,
    arguments: Vec<Value>,
    outputs: usize,
    device: String,
    /// Whether the first run's result was right.
    pub ok: bool,
    pub compile_ms: Option<f64>,
    pub compiled: u64,
}

impl<'a> Run<'a> {
    /// Compiles a row, with nothing in the cache, and runs it once.
    ///
    /// # Errors
    /// What the program reports.
    pub fn new(row: &'a Row, case: &Case, how: &How) -> Result<Run<'a>, Diagnostic> {
        if let Ok(device) = quadra_device::cpu::Cpu::new() {
            device.warm();
        }
        let (arguments, outputs) = (case.arguments(), case.want.len());
        let (run, start) = cache::without(|| {
            let start = Instant::now();
            let mut session = session(row, &how.device, false)?;
            let results = session.call(row.name, arguments.clone(), outputs)?.0;
            Ok::<_, Diagnostic>(((session, results), start))
        })?;
        let (session, results) = run;
        let made = quadra_device::cpu::made_since(start);
        let compile = made.first.map(|first| first.duration_since(start) + made.later);
        let got: Option<Vec<_>> = results.iter().zip(&case.want).map(|(v, w)| elements(v, &w.elements)).collect();
        Ok(Run {
            session,
            row,
            arguments,
            outputs,
            device: how.device.clone(),
            ok: got.is_some_and(|got| case.agrees(&got)),
            compile_ms: compile.map(|t| t.as_secs_f64() * 1e3),
            compiled: 0,
        })
    }

    fn once(&mut self) -> Result<f64, Diagnostic> {
        let start = Instant::now();
        let values = self.session.call(self.row.name, self.arguments.clone(), self.outputs)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        drop(values);
        Ok(ms)
    }

    /// The times of runs for at least so many milliseconds; at least one run.
    ///
    /// # Errors
    /// What the program reports.
    pub fn time(&mut self, at_least_ms: f64) -> Result<Vec<f64>, Diagnostic> {
        let (begin, mut times) = (Instant::now(), Vec::new());
        while times.is_empty() || times.len() < 1000 && begin.elapsed().as_secs_f64() * 1e3 < at_least_ms {
            times.push(self.once()?);
        }
        Ok(times)
    }

    /// The part of a run's time that launches on devices other than the host take.
    ///
    /// # Errors
    /// What the program reports.
    pub fn on_device(&mut self) -> Result<f64, Diagnostic> {
        let mut session = session(self.row, &self.device, true)?;
        let seconds = |session: &Session| -> (f64, u64) {
            let records = session.profile().map_or(&[][..], |p| &p.records);
            let away = || records.iter().filter(|r| r.device != "host");
            (away().map(|r| r.seconds).sum(), away().map(|r| r.compiled).sum())
        };
        session.call(self.row.name, self.arguments.clone(), self.outputs)?;
        let (before, compiled) = seconds(&session);
        self.compiled = compiled;
        let start = Instant::now();
        session.call(self.row.name, self.arguments.clone(), self.outputs)?;
        let whole = start.elapsed().as_secs_f64();
        Ok(((seconds(&session).0 - before) / whole).clamp(0.0, 1.0))
    }
}

fn session(row: &Row, device: &str, profile: bool) -> Result<Session, Diagnostic> {
    let options = Options { device: device.into(), profile, ..Options::default() };
    let mut session = Session::new(options, Box::new(std::io::sink()));
    let outcome = session.run("general.q", row.program);
    match outcome.diagnostics.into_iter().find(|d| d.severity == Severity::Error) {
        Some(error) => Err(error),
        None => Ok(session),
    }
}
