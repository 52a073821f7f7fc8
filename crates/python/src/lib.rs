//! Internal crate of Quadra: the native part of the Python package `quadra`, its module `quadra._quadra`.
//!
//! `session` has sessions and functions as Python sees them, `dispatch` what calls of jitted functions have in common, `convert` values both ways, `lend` the memory of NumPy's arrays,
//! `interrupt` Ctrl-C, `prompt` what notebooks ask of a text, `output` what programs print and draw, `qpu` programs for the QPU, `error` diagnostics as exceptions.
#![deny(unsafe_code)]

mod convert;
mod dispatch;
mod error;
mod interrupt;
mod lend;
mod output;
mod profile;
mod prompt;
mod qpu;
mod session;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: quadra::device::pages::Pages = quadra::device::pages::Pages::new();

#[pymodule]
fn _quadra(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("Error", m.py().get_type::<error::Error>())?;
    m.add("Interrupted", m.py().get_type::<error::Interrupted>())?;
    m.add_class::<error::Message>()?;
    m.add_class::<session::Session>()?;
    m.add_class::<session::Function>()?;
    m.add_class::<dispatch::Dispatch>()?;
    m.add_function(wrap_pyfunction!(session::set_threads, m)?)?;
    m.add_function(wrap_pyfunction!(session::devices, m)?)?;
    m.add_function(wrap_pyfunction!(prompt::state, m)?)?;
    m.add_function(wrap_pyfunction!(prompt::last_expression, m)?)?;
    m.add_class::<qpu::QpuBoard>()?;
    m.add_function(wrap_pyfunction!(qpu::assemble, m)?)?;
    m.add_function(wrap_pyfunction!(qpu::disassemble, m)?)?;
    m.add_function(wrap_pyfunction!(qpu::emulate, m)?)?;
    m.add_function(wrap_pyfunction!(session::offer_llvmlite, m)?)
}
