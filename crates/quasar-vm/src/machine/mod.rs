//! The machine that runs compiled functions. It knows the library and what lies below; what lies below reaches it through
//! [`Machine`].

mod call;
mod chain;
mod evaluate;
mod fast;
pub mod launch;
mod operate;
mod reach;
mod rest;
pub mod run;
mod stepping;
mod steps;
pub mod undefined;

use crate::cx::{Cx, Machine};
use crate::executor::Launch;
use crate::fault::Res;
use crate::value::Value;

/// The machine, as a session hands it to its runs.
pub struct Vm;

impl Machine for Vm {
    fn call(&self, cx: &mut Cx, callee: &Value, args: Vec<Value>, outs: usize) -> Res<Vec<Value>> {
        call::call_value(cx, callee, args, outs)
    }

    fn launch(&self, cx: &mut Cx, launch: Launch) -> Res<Vec<Value>> {
        launch::Interpreter.launch(cx, launch)
    }

    fn evaluate(&self, cx: &mut Cx, name: &'static str, text: &str) -> Res<Value> {
        evaluate::evaluate(cx, name, text)
    }
}
