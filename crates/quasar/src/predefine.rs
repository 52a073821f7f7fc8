//! Functions of a program before it runs.

use quadra_quasar_vm::code::{Capture, Code};
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::value::{Callable, Closure, Value};
use std::rc::Rc;

/// Global functions can be called before their definition ran; what they capture is not there yet then.
pub(crate) fn predefine(code: &Rc<Code>, cx: &mut Cx) {
    for inner in code.functions.iter().filter(|f| f.global) {
        let captures = inner
            .captures
            .iter()
            .map(|(_, c)| match c {
                Capture::Register(_) | Capture::Itself | Capture::Missing => Value::Unset,
            })
            .collect();
        let name = inner.name.clone();
        cx.define(&name, Rc::new(Callable::Closure(Closure { code: inner.clone(), captures })));
    }
}
