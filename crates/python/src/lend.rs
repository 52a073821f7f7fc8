//! Arrays of NumPy as arrays of programs, in place where their layout allows it, and back.
//!
//! A tensor keeps its elements in a `Vec`. For the time of a call the memory of a NumPy array is taken for one: it has the length and
//! the capacity of the array, is never grown or freed (tensors keep their shape, and the loan holds a reference, so that nobody
//! takes the tensor apart), and is taken out again before the call returns.
#![allow(unsafe_code)]

use crate::error::refuse;
use numpy::ndarray::ArrayView1;
use numpy::{
    Element, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, npyffi,
};
use pyo3::prelude::*;
use quadra::quasar::storage::{self, Kept};
use quadra::quasar::tensor::{Data, Tensor, normal_shape};
use quadra::quasar::value::Value;
use std::ops::Range;
use std::rc::Rc;

/// Elements of arrays that are copied rather than handed over.
const SHORT: usize = 256;

/// Arrays that are lent to a call. Dropping it takes back what is lent in place.
#[derive(Default)]
pub struct Loans<'py> {
    all: Vec<Loan<'py>>,
}

struct Loan<'py> {
    tensor: Rc<Tensor>,
    array: Bound<'py, PyUntypedArray>,
    /// The bytes of the array.
    place: Range<usize>,
    /// The elements that a copy was made of; none for a loan in place.
    copied: Option<Bound<'py, PyUntypedArray>>,
}

fn writeable(array: &Bound<'_, PyUntypedArray>) -> bool {
    // SAFETY: a reference to an array points to an array.
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    flags & npyffi::NPY_ARRAY_WRITEABLE != 0
}

/// Elements that lie one behind the other, where programs can have them in place.
fn in_place(array: &Bound<'_, PyUntypedArray>) -> Option<Data> {
    /// For the type that the array's elements have: numbers as they are, complex ones as pairs.
    fn elements<T>(array: &Bound<'_, PyUntypedArray>) -> Option<Vec<T>> {
        let n = array.len();
        // SAFETY: the memory holds `n` elements of this type, aligned: the match below asks for kind, size and byte order. `Loan` takes
        // the vector out of its tensor and forgets it.
        (n > 0).then(|| unsafe { Vec::from_raw_parts((*array.as_array_ptr()).fields.data.cast(), n, n) })
    }
    if !array.is_c_contiguous() || !array.is_aligned() || !writeable(array) {
        return None;
    }
    let dtype = array.dtype();
    if dtype.is_native_byteorder() == Some(false) {
        return None;
    }
    Some(match (dtype.kind(), dtype.itemsize()) {
        (b'f', 4) => Data::F32(elements(array)?),
        (b'f', 8) => Data::F64(elements(array)?),
        (b'i', 1) => Data::I8(elements(array)?),
        (b'i', 2) => Data::I16(elements(array)?),
        (b'i', 4) => Data::Int(elements(array)?),
        (b'i', 8) => Data::I64(elements(array)?),
        (b'u', 1) => Data::U8(elements(array)?),
        (b'u', 2) => Data::U16(elements(array)?),
        (b'u', 4) => Data::U32(elements(array)?),
        (b'u', 8) => Data::U64(elements(array)?),
        (b'c', 8) => Data::C32(elements(array)?),
        (b'c', 16) => Data::C64(elements(array)?),
        _ => return None,
    })
}

/// A copy of the elements, doubles in single precision if that is wanted, and an array with these elements one behind the other.
fn copied<'py>(array: &Bound<'py, PyUntypedArray>, single: bool) -> PyResult<(Data, Bound<'py, PyUntypedArray>)> {
    let py = array.py();
    fn of<T: Element>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
        array.cast::<PyArrayDyn<T>>()?.to_vec().map_err(Into::into)
    }
    let dtype = array.dtype();
    let (kind, size) = match (dtype.kind(), dtype.itemsize()) {
        (b'f', 8) if single => (b'f', 4),
        found => found,
    };
    let name = match (kind, size) {
        (b'b', _) => "u1".to_string(),
        (b'f', 2) => "f4".to_string(),
        (b'f', 4 | 8) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'c', 8 | 16) => format!("{}{size}", char::from(kind)),
        _ => {
            let message = format!("an array of '{}' has no counterpart in Quasar", dtype.as_any().str()?);
            return Err(refuse(py, message, "convert it with astype() to bool, integers, floats or complex numbers"));
        }
    };
    let numpy = py.import("numpy")?;
    let plain = numpy.call_method1("ascontiguousarray", (array, name.as_str()))?;
    // The elements of complex numbers are read as pairs.
    let flat = match (kind, size) {
        (b'c', 8) => plain.call_method1("view", ("f4",))?,
        (b'c', _) => plain.call_method1("view", ("f8",))?,
        _ => plain.clone(),
    };
    let pairs32 = |v: Vec<f32>| v.as_chunks::<2>().0.to_vec();
    let pairs64 = |v: Vec<f64>| v.as_chunks::<2>().0.to_vec();
    let data = match (kind, size) {
        (b'b', _) => Data::Mask(of(&flat)?),
        (b'f', 2) => Data::F16(of(&flat)?),
        (b'f', 4) => Data::F32(of(&flat)?),
        (b'f', _) => Data::F64(of(&flat)?),
        (b'i', 1) => Data::I8(of(&flat)?),
        (b'i', 2) => Data::I16(of(&flat)?),
        (b'i', 4) => Data::Int(of(&flat)?),
        (b'i', _) => Data::I64(of(&flat)?),
        (b'u', 1) => Data::U8(of(&flat)?),
        (b'u', 2) => Data::U16(of(&flat)?),
        (b'u', 4) => Data::U32(of(&flat)?),
        (b'u', _) => Data::U64(of(&flat)?),
        (b'c', 8) => Data::C32(pairs32(of(&flat)?)),
        _ => Data::C64(pairs64(of(&flat)?)),
    };
    Ok((data, plain.cast_into::<PyUntypedArray>()?))
}

/// The bytes from an array's first element on, if they lie one behind the other.
fn place(array: &Bound<'_, PyUntypedArray>) -> Range<usize> {
    // SAFETY: as above.
    let start = unsafe { (*array.as_array_ptr()).fields.data } as usize;
    start..start + array.len() * array.dtype().itemsize()
}

/// Runs what needs nothing of Python while other threads of Python may run.
pub fn detach<T>(py: Python<'_>, f: impl FnOnce() -> T) -> T {
    struct Here<T>(T);
    // SAFETY: `Python::detach` runs the closure, which this goes into and comes out of, on the thread that calls it.
    unsafe impl<T> Send for Here<T> {}
    impl<T> Here<T> {
        fn take(self) -> T {
            self.0
        }
    }
    let f = Here(f);
    py.detach(move || Here(f.take()())).take()
}

impl<'py> Loans<'py> {
    /// An array for a program. One that is lent twice is one array; two that overlap are copies. `single`: an array of doubles is lent as
    /// one of single precision: a copy, into which it would be converted otherwise.
    ///
    /// # Errors
    /// Its elements have no counterpart.
    pub fn lend(&mut self, array: &Bound<'py, PyUntypedArray>, single: bool) -> PyResult<Value> {
        if let Some(known) = self.all.iter().find(|l| l.array.is(array)) {
            return Ok(Value::Array(known.tensor.clone()));
        }
        let place = place(array);
        let apart = !single && self.all.iter().all(|l| l.place.end <= place.start || place.end <= l.place.start);
        let shape = normal_shape(array.shape());
        let lent = if apart { in_place(array) } else { None };
        let (data, copied) = match lent {
            Some(data) => (data, None),
            None => copied(array, single).map(|(data, plain)| (data, Some(plain)))?,
        };
        let tensor = Rc::new(Tensor::new(shape, data));
        self.all.push(Loan { tensor: tensor.clone(), array: array.clone(), place, copied });
        Ok(Value::Array(tensor))
    }

    /// The array that a result is.
    pub fn original(&self, tensor: &Rc<Tensor>) -> Option<Bound<'py, PyAny>> {
        self.all.iter().find(|l| Rc::ptr_eq(&l.tensor, tensor)).map(|l| l.array.clone().into_any())
    }

    /// Ends the loans: what the call changed in a copy is written to the array that it is a copy of, if that can be written.
    ///
    /// # Errors
    /// What NumPy raises.
    pub fn settle(mut self, py: Python<'py>) -> PyResult<()> {
        for loan in &self.all {
            let Some(before) = &loan.copied else { continue };
            if !writeable(&loan.array) {
                continue;
            }
            let now = array_of(py, loan.tensor.data.borrow().clone(), loan.array.shape())?;
            let numpy = py.import("numpy")?;
            if !numpy.call_method1("array_equal", (&now, before))?.extract::<bool>()? {
                // What the call did not change stays as it was before it was converted.
                let changed = numpy.call_method1("not_equal", (&now, before))?;
                numpy.call_method1("copyto", (&loan.array, now, "unsafe", changed))?;
            }
        }
        self.take_back();
        Ok(())
    }

    fn take_back(&mut self) {
        for loan in self.all.drain(..).filter(|l| l.copied.is_none()) {
            let Ok(mut data) = loan.tensor.data.try_borrow_mut() else {
                // Somebody still has the elements, so the tensor must stay: better a leak than memory that is freed twice.
                std::mem::forget((loan.tensor.clone(), loan.array.clone()));
                continue;
            };
            // A program that keeps the array has a copy from here on.
            let rest = if Rc::strong_count(&loan.tensor) > 1 { data.clone() } else { Data::Mask(Vec::new()) };
            std::mem::forget(std::mem::replace(&mut *data, rest));
        }
    }
}

impl Drop for Loans<'_> {
    fn drop(&mut self) {
        self.take_back();
    }
}

/// Most elements of an array whose storage is kept for the next one when NumPy has let go of it.
const MOST_KEPT: usize = 1 << 22;

/// Storage that arrays of NumPy refer to.
struct Storage<T: Kept>(Vec<T>);

impl<T: Kept> Drop for Storage<T> {
    fn drop(&mut self) {
        if self.0.len() <= MOST_KEPT {
            storage::keep(&mut self.0);
        }
    }
}

/// What an array of NumPy holds so that its elements live.
#[pyclass(frozen)]
struct Owner {
    _storage: Box<dyn Send + Sync>,
}

/// An array of NumPy over the elements of a vector. Fresh memory of the operating system costs more than many functions compute, so that
/// the storage serves the next array of a program once this one is gone.
fn owner_of<T: Element + Kept>(py: Python<'_>, v: Vec<T>) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: so many elements lie there, which stay where they are while their vector moves.
    let elements = unsafe { ArrayView1::from_shape_ptr(v.len(), v.as_ptr()) };
    let owner = Bound::new(py, Owner { _storage: Box::new(Storage(v)) })?;
    // SAFETY: the owner has the elements as long as the array lives, and nothing else reaches them.
    Ok(unsafe { PyArray1::borrow_from_array(&elements, owner.into_any()) }.into_any())
}

/// An array of NumPy that owns these elements.
///
/// # Errors
/// What NumPy raises.
pub fn array_of<'py>(py: Python<'py>, data: Data, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    // An array that owns a vector is two objects of Python, which costs more than to copy a short one.
    fn new<T: Element + Kept>(py: Python<'_>, v: Vec<T>) -> PyResult<Bound<'_, PyAny>> {
        if v.len() <= SHORT { Ok(PyArray1::from_slice(py, &v).into_any()) } else { owner_of(py, v) }
    }
    let (flat, view) = match data {
        Data::F32(v) => (new(py, v)?, None),
        Data::F64(v) => (new(py, v)?, None),
        Data::F16(v) => (new(py, v)?.call_method1("astype", ("f2",))?, None),
        Data::C32(v) => (new(py, v.into_flattened())?, Some("c8")),
        Data::C64(v) => (new(py, v.into_flattened())?, Some("c16")),
        Data::Mask(v) => (new(py, v)?, Some("?")),
        Data::Int(v) | Data::I32(v) => (new(py, v)?, None),
        Data::I8(v) => (new(py, v)?, None),
        Data::I16(v) => (new(py, v)?, None),
        Data::I64(v) => (new(py, v)?, None),
        Data::U8(v) => (new(py, v)?, None),
        Data::U16(v) => (new(py, v)?, None),
        Data::U32(v) => (new(py, v)?, None),
        Data::U64(v) => (new(py, v)?, None),
        Data::Cell(_) => return Err(refuse(py, "a cell is no array of NumPy", "take its items one by one")),
    };
    let flat = match view {
        Some(dtype) => flat.call_method1("view", (dtype,))?,
        None => flat,
    };
    if shape.len() == 1 { Ok(flat) } else { flat.call_method1("reshape", (shape.to_vec(),)) }
}

/// A program's array as one of NumPy, without a copy if nobody else has it. Vectors have one dimension.
///
/// # Errors
/// What NumPy raises.
pub fn give<'py>(py: Python<'py>, tensor: Rc<Tensor>) -> PyResult<Bound<'py, PyAny>> {
    let shape = if tensor.is_vector() { vec![tensor.len()] } else { tensor.shape.to_vec() };
    let data = match Rc::try_unwrap(tensor) {
        Ok(mut own) => std::mem::replace(own.data.get_mut(), Data::Mask(Vec::new())),
        Err(shared) => shared.data.borrow().clone(),
    };
    array_of(py, data, &shape)
}
