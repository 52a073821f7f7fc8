//! Expressions given as text.

use crate::compile;
use crate::cx::Cx;
use crate::fault::{Res, fault};
use crate::value::{Callable, Closure, Value};
use quadra_base::FileId;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_syntax::parser;
use std::rc::Rc;

/// The value of an expression given as text, which sees the global variables.
pub fn evaluate(cx: &mut Cx, name: &'static str, text: &str) -> Res<Value> {
    let file = FileId::of_text(name, text);
    let (expr, diagnostics) = parser::parse_expression(file, text, &mut cx.next_id);
    if let Some(d) = diagnostics.first() {
        fault!("Q0316", "{name}: syntax error: {}", d.message; "one expression is expected");
    }
    let names: Vec<Text> = cx.globals.iter().map(|g| g.0.clone()).collect();
    let errors = cx.shared.diagnostics.len();
    let (code, captured) = compile::expression(&mut cx.shared, &expr, &names);
    if let Some(d) = cx.shared.diagnostics.drain(errors..).next() {
        fault!("Q0316", "{name}: {}", d.message; "one expression is expected");
    }
    let captures = captured
        .iter()
        .map(|name| cx.globals.iter().find(|g| g.0 == *name).map(|g| g.1.clone()).unwrap_or_default())
        .collect();
    let callable = Value::Function(Rc::new(Callable::Closure(Closure { code, captures })));
    let results = cx.call(&callable, Vec::new(), 1)?;
    Ok(results.into_iter().next().unwrap_or_default())
}
