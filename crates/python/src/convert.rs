//! Values of Python as values of programs, and back.

use crate::error::refuse;
use crate::lend::{Loans, give};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyComplexMethods, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use quadra::quasar::IntKind;
use quadra::quasar::tensor::{Data, Tensor};
use quadra::quasar::typing::type_of;
use quadra::quasar::value::{Instance, Value};
use std::rc::Rc;

/// Nested lists and objects that are followed.
const DEPTH: u32 = 64;

fn namespace(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "types", "SimpleNamespace")
}

/// The values of one call on their way in.
pub struct Into<'py> {
    pub py: Python<'py>,
    pub loans: Loans<'py>,
    /// Whether `scalar` is double precision.
    pub double: bool,
}

impl<'py> Into<'py> {
    /// A value of Python for a program.
    ///
    /// # Errors
    /// It has no counterpart.
    pub fn value(&mut self, v: &Bound<'py, PyAny>) -> PyResult<Value> {
        self.nested(v, 0)
    }

    /// An argument of a function; an array of doubles in single precision if that is what the function takes.
    ///
    /// # Errors
    /// It has no counterpart.
    pub fn argument(&mut self, v: &Bound<'py, PyAny>, single: bool) -> PyResult<Value> {
        match v.cast::<PyUntypedArray>() {
            Ok(array) if single && array.ndim() > 0 => self.loans.lend(array, true),
            _ => self.value(v),
        }
    }

    fn nested(&mut self, v: &Bound<'py, PyAny>, depth: u32) -> PyResult<Value> {
        if let Ok(array) = v.cast::<PyUntypedArray>() {
            if array.ndim() > 0 {
                return self.loans.lend(array, false);
            }
            return self.nested(&v.call_method0("item")?, depth);
        }
        if let Ok(b) = v.cast::<PyBool>() {
            return Ok(Value::bool(b.is_true()));
        }
        if v.is_instance_of::<PyFloat>() {
            return Ok(Value::scalar(v.extract()?, self.double));
        }
        if v.is_instance_of::<PyInt>() {
            if let Ok(n) = v.extract::<i32>() {
                return Ok(Value::Int(n));
            }
            if let Ok(n) = v.extract::<i64>() {
                return Ok(Value::IntN(IntKind::I64, n));
            }
            let n: u64 = v.extract().map_err(|_| refuse(self.py, "an integer of more than 64 bits", "use a float"))?;
            return Ok(Value::IntN(IntKind::U64, n as i64));
        }
        if let Ok(text) = v.cast::<PyString>() {
            return Ok(Value::str(&text.to_cow()?));
        }
        if let Ok(z) = v.cast::<PyComplex>() {
            return Ok(Value::complex(z.real(), z.imag(), self.double));
        }
        if v.is_none() {
            return Ok(Value::Null);
        }
        if depth > DEPTH {
            return Err(refuse(self.py, "lists or objects nested too deeply", "pass arrays"));
        }
        self.structure(v, depth)
    }

    /// Lists, dictionaries, objects with fields, and what NumPy takes for an array or a number.
    fn structure(&mut self, v: &Bound<'py, PyAny>, depth: u32) -> PyResult<Value> {
        let py = self.py;
        if v.is_instance_of::<PyList>() || v.is_instance_of::<PyTuple>() {
            return self.list(v, depth);
        }
        let fields = match v.cast::<PyDict>() {
            Ok(d) => Some(d.clone()),
            Err(_) if v.is_instance(namespace(py)?)? => Some(v.getattr("__dict__")?.cast_into()?),
            Err(_) => None,
        };
        if let Some(fields) = fields {
            let mut all = Vec::new();
            for (name, value) in fields {
                all.push((name.cast::<PyString>()?.to_cow()?.as_ref().into(), self.nested(&value, depth + 1)?));
            }
            return Ok(Value::Object(Rc::new(Instance::new(None, all))));
        }
        if v.hasattr("__dlpack__")? {
            return self.nested(&py.import("numpy")?.call_method1("from_dlpack", (v,))?, depth + 1);
        }
        if v.hasattr("__array__")? || v.hasattr("__array_interface__")? {
            let array = py.import("numpy")?.call_method1("asarray", (v,))?;
            return self.nested(&array, depth + 1);
        }
        // Whatever else shows its memory: `bytes`, `memoryview`, `array.array`.
        if let Ok(view) = py.import("builtins")?.call_method1("memoryview", (v,)) {
            let array = py.import("numpy")?.call_method1("asarray", (view,))?;
            return self.nested(&array, depth + 1);
        }
        let message = format!("a '{}' has no counterpart in Quasar", v.get_type().qualname()?);
        Err(refuse(py, message, "pass numbers, strings, lists, dictionaries or arrays of NumPy"))
    }

    /// Numbers become an array with elements as the language has them, everything else a cell.
    fn list(&mut self, v: &Bound<'py, PyAny>, depth: u32) -> PyResult<Value> {
        let numpy = self.py.import("numpy")?;
        let plain = numpy.call_method1("asarray", (v,)).ok();
        let kind = plain.as_ref().and_then(|a| a.getattr("dtype").ok()?.getattr("kind").ok()?.extract::<String>().ok());
        let wanted = match kind.as_deref() {
            Some("f") => Some(if self.double { "f8" } else { "f4" }),
            Some("c") => Some(if self.double { "c16" } else { "c8" }),
            Some("i") if v.len()? > 0 => Some("i4"),
            Some("b") => Some("?"),
            _ => None,
        };
        if let (Some(plain), Some(wanted)) = (plain, wanted) {
            let array = plain.call_method1("astype", (wanted,))?;
            // Integers that need 64 bits keep them.
            let fits = wanted != "i4" || numpy.call_method1("array_equal", (&array, &plain))?.extract()?;
            return self.nested(if fits { &array } else { &plain }, depth + 1);
        }
        let items = v.try_iter()?.map(|item| self.nested(&item?, depth + 1)).collect::<PyResult<Vec<_>>>()?;
        Ok(Value::array(Tensor::vector(Data::Cell(items))))
    }

    /// A program's value for Python.
    ///
    /// # Errors
    /// It has no counterpart.
    pub fn python(&self, v: Value) -> PyResult<Bound<'py, PyAny>> {
        self.out(v, 0)
    }

    fn out(&self, v: Value, depth: u32) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        if depth > DEPTH {
            return Err(refuse(py, "a value with lists or objects nested too deeply", "give back arrays"));
        }
        match v {
            Value::Unset | Value::Null => Ok(py.None().into_bound(py)),
            Value::Int(n) => n.into_bound_py_any(py),
            Value::IntN(IntKind::U64, n) => (n as u64).into_bound_py_any(py),
            Value::IntN(_, n) | Value::Raw(n) => n.into_bound_py_any(py),
            Value::F32(x) | Value::F16(x) => f64::from(x).into_bound_py_any(py),
            Value::F64(x) => x.into_bound_py_any(py),
            Value::C32([re, im]) => Ok(PyComplex::from_doubles(py, re.into(), im.into()).into_any()),
            Value::C64(z) => Ok(PyComplex::from_doubles(py, z[0], z[1]).into_any()),
            Value::Str(s) => s.as_ref().into_bound_py_any(py),
            Value::Array(t) => match self.loans.original(&t) {
                Some(array) => Ok(array),
                None if t.is_cell() => self.cell(&t, depth),
                None => give(py, t),
            },
            Value::Object(o) => {
                let fields = PyDict::new(py);
                for (name, value) in o.fields.borrow().iter() {
                    fields.set_item(&**name, self.out(value.clone(), depth + 1)?)?;
                }
                namespace(py)?.call((), Some(&fields))
            }
            other => {
                let message =
                    format!("a value of type '{}' has no counterpart in Python", type_of(&other, self.double));
                Err(refuse(py, message, "give back numbers, strings, arrays, cells or objects"))
            }
        }
    }

    /// A cell is a list; one with rows a list of its rows.
    fn cell(&self, t: &Tensor, depth: u32) -> PyResult<Bound<'py, PyAny>> {
        let items: Vec<Value> = (0..t.len()).filter_map(|i| t.get(i)).collect();
        let items = items.into_iter().map(|v| self.out(v, depth + 1)).collect::<PyResult<Vec<_>>>()?;
        let columns = t.shape.last().copied().unwrap_or(1).max(1);
        if t.is_vector() {
            return Ok(PyList::new(self.py, items)?.into_any());
        }
        let rows = items.chunks(columns).map(|row| PyList::new(self.py, row)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(self.py, rows)?.into_any())
    }
}
