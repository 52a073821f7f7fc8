//! Runs a thread one instruction at a time, for a [`Stepper`].

use super::run;
use crate::cx::Cx;
use crate::fault::{Fault, Res};
use crate::stepper::{Go, Stepper};
use crate::thread::{Stop, Thread};

/// Hands the run to the stepper, which is not there for what runs meanwhile.
fn with(cx: &mut Cx, work: impl FnOnce(&mut dyn Stepper, &mut Cx) -> Option<Go>) -> Res<()> {
    let Some(mut stepper) = cx.debug.take() else { return Ok(()) };
    let go = work(&mut *stepper, cx);
    if go != Some(Go::Free) {
        cx.debug = Some(stepper);
    }
    if go == Some(Go::Quit) {
        let mut fault = Fault::new("Q0317", "the debugger ended the program").fatal();
        fault.exit = Some(0);
        return Err(fault);
    }
    Ok(())
}

/// Runs a thread as [`run::run`] does.
pub fn run(thread: &mut Thread, cx: &mut Cx) -> Res<Stop> {
    if let Some(stepper) = &mut cx.debug {
        stepper.begins();
    }
    let result = watched(thread, cx);
    if let Some(stepper) = &mut cx.debug {
        stepper.ends();
    }
    result
}

fn watched(thread: &mut Thread, cx: &mut Cx) -> Res<Stop> {
    loop {
        let Some(frame) = thread.frames.last() else { return Ok(Stop::Done) };
        let Some(stepper) = &cx.debug else { return run::run(thread, cx) };
        let (op, depth) = (frame.code.ops[frame.pc], thread.frames.len());
        let looks = stepper.looks_at_results();
        if let Some(span) = frame.code.statement_at(frame.pc) {
            with(cx, |stepper, cx| stepper.statement(thread, cx, span))?;
        }
        if let Some(stop) = run::advance::<true>(thread, cx)? {
            return Ok(stop);
        }
        if looks && thread.frames.len() == depth {
            with(cx, |stepper, cx| stepper.result(thread, cx, op))?;
        }
    }
}

/// Says that an instruction failed.
///
/// # Errors
/// The program is to end instead.
pub fn failed(thread: &mut Thread, cx: &mut Cx, fault: &Fault) -> Res<()> {
    with(cx, |stepper, cx| stepper.failed(thread, cx, fault))
}
