//! Calls of jitted functions whose arguments are like those of an earlier call: what Python would look up for them is known.

use crate::session::Function;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyTuple};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Integers and lengths up to these are told apart, as the programs do that are made for them.
const SMALL: i64 = 1 << 15;
const MIDDLE: i64 = 1 << 30;
/// Kinds of calls that are remembered; others take the way through Python.
const MOST: usize = 32;
/// Elements of arrays that programs have, as NumPy names kinds and sizes.
const ELEMENTS: [(u8, usize); 11] = [
    (b'f', 4),
    (b'f', 8),
    (b'i', 1),
    (b'i', 2),
    (b'i', 4),
    (b'i', 8),
    (b'u', 1),
    (b'u', 2),
    (b'u', 4),
    (b'c', 8),
    (b'c', 16),
];

/// What a call is told apart by: a number for each argument.
type Codes = Vec<u16>;

struct Known {
    codes: Codes,
    function: Py<Function>,
    /// Dimensions of the array that it returns; none for a number that is returned as it comes.
    dimensions: Option<usize>,
}

/// What jitted functions are made of: a call like an earlier one goes to its program at once, any other one to `_called`.
#[pyclass(module = "quadra._quadra", subclass, frozen)]
#[derive(Default)]
pub struct Dispatch {
    known: Mutex<Vec<Known>>,
}

/// What tells an argument from others; nothing for what Python has to look at.
fn code(v: &Bound<'_, PyAny>) -> Option<u16> {
    if let Ok(array) = v.cast::<PyUntypedArray>() {
        let dtype = array.dtype();
        let element = ELEMENTS.iter().position(|e| *e == (dtype.kind(), dtype.itemsize()))?;
        let longest = array.shape().iter().copied().max()? as i64;
        let fits = (1..=4).contains(&array.ndim()) && longest <= MIDDLE && dtype.is_native_byteorder() != Some(false);
        return fits.then(|| (element * 16 + array.ndim() * 2 + usize::from(longest > SMALL)) as u16 + 64);
    }
    if v.is_exact_instance_of::<PyFloat>() {
        return Some(0);
    }
    if !v.is_exact_instance_of::<PyInt>() {
        return None;
    }
    let n: i64 = v.extract().ok()?;
    let size = if n.unsigned_abs() <= SMALL as u64 { 0 } else { 1 + u16::from(n.unsigned_abs() > MIDDLE as u64) };
    Some(1 + 3 * size + (n.signum() + 1) as u16)
}

fn codes(args: &Bound<'_, PyTuple>) -> Option<Codes> {
    args.iter_borrowed().map(|v| code(&v)).collect()
}

impl Dispatch {
    fn known(&self) -> MutexGuard<'_, Vec<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program for a call like this.
    fn found(&self, args: &Bound<'_, PyTuple>) -> Option<(Py<Function>, Option<usize>)> {
        let codes = codes(args)?;
        let known = self.known();
        let found = known.iter().find(|k| k.codes == codes)?;
        Some((found.function.clone_ref(args.py()), found.dimensions))
    }
}

#[pymethods]
impl Dispatch {
    #[new]
    #[pyo3(signature = (*_args, **_named))]
    fn new(_args: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> Dispatch {
        Dispatch::default()
    }

    /// Remembers that calls like this go to a function as they are, and give a number, or an array of so many dimensions.
    fn _remember(&self, args: &Bound<'_, PyTuple>, function: Py<Function>, dimensions: Option<usize>) {
        let Some(codes) = codes(args) else { return };
        let mut known = self.known();
        if known.len() < MOST && known.iter().all(|k| k.codes != codes) {
            known.push(Known { codes, function, dimensions });
        }
    }

    #[pyo3(signature = (*args, **named))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let plain = named.is_none_or(|n| n.is_empty());
        let Some((function, dimensions)) = slf.get().found(args).filter(|_| plain) else {
            return slf.call_method("_called", args, named);
        };
        let result = match function.get().__call__(py, args, None) {
            Ok(result) => result,
            // An error has its line in the program's text.
            Err(e) if e.is_instance_of::<PyException>(py) => {
                return slf.call_method1("_failed", (e.into_value(py), args));
            }
            Err(e) => return Err(e),
        };
        let array = dimensions.and_then(|n| Some((n, result.cast::<PyUntypedArray>().ok()?)));
        match array {
            Some((n, array)) if array.ndim() != n => slf.call_method1("_shaped", (&result, n)),
            _ => Ok(result),
        }
    }
}
