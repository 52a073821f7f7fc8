//! Forms: sliders, buttons and their like, where a page shows the pictures of a program. What a form is stands in the library's
//! `ui.q`, which calls these functions.

use super::{Builtin, Call, Run, row};
use crate::display;
use crate::fault::{Res, fault};
use crate::tensor::{Data, Tensor};
use crate::value::Value;
use quadra_figure::{Control, Event};
use std::time::{Duration, Instant};

/// Between two looks at who wants the program to end.
const SLICE: Duration = Duration::from_millis(50);
/// Kinds of controls.
const KINDS: [&str; 6] = ["heading", "label", "button", "checkbox", "slider", "textbox"];

/// `form_control(n, kind, text, value, low, high)`: puts a control onto the page, or its new state if it has number `n` there; gives its
/// number, -1 if there is no page.
fn form_control(call: &mut Call) -> Res<Value> {
    let kind = call.text(1)?;
    let Some(kind) = KINDS.into_iter().find(|k| *k == kind) else {
        fault!("Q0314", "form_control: there is no control '{kind}'"; KINDS.join(", "));
    };
    let control = Control {
        kind,
        text: display::value(&call.args[2]),
        value: display::value(&call.args[3]),
        range: (call.number(4)?, call.number(5)?),
    };
    let known = usize::try_from(call.integer(0)?).ok();
    let number = call.cx.gallery.as_mut().and_then(|g| g.control(known, &control));
    Ok(number.map_or(Value::Int(-1), Value::size))
}

/// `form_event(seconds)`: the number of the control that somebody used and its value as text; `{-1,""}` if nobody did so in this time,
/// and an empty cell if nobody can any more.
fn form_event(call: &mut Call) -> Res<Value> {
    let seconds = call.number(0)?;
    let patience = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
    call.cx.send();
    let end = Instant::now() + patience.min(Duration::from_secs(1 << 30));
    let event = loop {
        call.cx.look()?;
        let left = end.saturating_duration_since(Instant::now());
        match call.cx.gallery.as_mut().and_then(|g| g.event(left.min(SLICE))) {
            Some(Event::Nothing) if !left.is_zero() => {}
            other => break other,
        }
    };
    let list = match event {
        None => Vec::new(),
        Some(Event::Nothing) => vec![Value::Int(-1), Value::str("")],
        Some(Event::Set(number, text)) => vec![Value::size(number), Value::str(&text)],
    };
    Ok(Value::array(Tensor::vector(Data::Cell(list))))
}

/// `form_display(n)`: what is shown next stands in display `n`, in a new one if there is none; gives its number. Without a page that
/// somebody sees there are no displays: each picture is one of its own.
fn form_display(call: &mut Call) -> Res<Value> {
    let known = u32::try_from(call.integer(0)?).ok();
    if !call.cx.gallery.as_ref().is_some_and(|g| g.is_watched()) {
        return Ok(Value::Int(-1));
    }
    Ok(Value::Int(call.cx.figures.display(known) as i32))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "form_display",
        "form_display(n)",
        "lets display n of a form on the page of --show hold what is shown next, a new one for -1; gives its number, -1 without a page",
        "print form_display(-1)",
        1..=1,
        Run::One(form_display)
    )
    .host_only(),
    row!(
        "form_control",
        "form_control(n,kind,text,value,low,high)",
        "puts a control onto the page of --show and gives its number there, -1 without a page; what forms are made of",
        "print form_control(-1, \"slider\", \"gain\", 3, 0, 10)",
        6..=6,
        Run::One(form_control)
    )
    .host_only(),
    row!(
        "form_event",
        "form_event(seconds)",
        "waits for somebody to use a control: its number and value, -1 if nobody did, an empty cell without a page",
        "print numel(form_event(0))",
        1..=1,
        Run::One(form_event)
    )
    .host_only(),
];
