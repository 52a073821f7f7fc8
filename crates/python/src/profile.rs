//! Profiles as dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use quadra::quasar::profile::{Profile, Record};

fn kernel<'py>(py: Python<'py>, r: &Record) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("kernel", &r.name)?;
    d.set_item("place", r.span.map(|s| s.to_string()))?;
    d.set_item("line", r.span.map(|s| s.line))?;
    d.set_item("device", r.device)?;
    d.set_item("launches", r.launches)?;
    d.set_item("seconds", r.seconds)?;
    d.set_item("items", r.items)?;
    d.set_item("bytes", r.bytes)?;
    d.set_item("flops", r.flops)?;
    d.set_item("compiled", r.compiled)?;
    d.set_item("compile_seconds", r.compile_seconds)?;
    d.set_item("disk_hits", r.disk_hits)?;
    d.set_item("modelled_seconds", r.modelled_seconds)?;
    d.set_item("bound_seconds", r.bound.map(|b| b.0))?;
    d.set_item("bound_unit", r.bound.map(|b| b.1))?;
    Ok(d)
}

/// What `quadra run --profile=json` prints, but for the roofline.
pub fn dictionary<'py>(py: Python<'py>, profile: &Profile) -> PyResult<Bound<'py, PyDict>> {
    let kernels = PyList::empty(py);
    for r in &profile.records {
        kernels.append(kernel(py, r)?)?;
    }
    let functions = PyList::empty(py);
    for f in &profile.functions {
        let d = PyDict::new(py);
        d.set_item("function", f.name)?;
        d.set_item("place", f.span.map(|s| s.to_string()))?;
        d.set_item("calls", f.calls)?;
        d.set_item("seconds", f.seconds)?;
        functions.append(d)?;
    }
    let all = PyDict::new(py);
    all.set_item("seconds", profile.elapsed())?;
    let (to, back) = profile.copied();
    all.set_item("bytes_to_device", to)?;
    all.set_item("bytes_from_device", back)?;
    all.set_item("kernels", kernels)?;
    all.set_item("functions", functions)?;
    Ok(all)
}
