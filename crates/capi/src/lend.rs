//! Arrays of C as arrays of programs, in place.
//!
//! A tensor keeps its elements in a `Vec`. For the time of a call memory of C is taken for one: it has the length and the capacity of
//! the array, is never grown or freed (tensors keep their shape, and the loan holds a reference, so that nobody takes the tensor
//! apart), and is taken out again before the call returns.

use crate::types::{Array, Element};
use quadra_quasar::tensor::{Data, Tensor, normal_shape};
use quadra_quasar::value::Value;
use std::ffi::c_void;
use std::ops::Range;
use std::rc::Rc;

/// Dimensions of an array at most.
const MOST_DIMENSIONS: u32 = 8;

/// Arrays that are lent to a call. Dropping it takes them back.
#[derive(Default)]
pub struct Loans(Vec<Loan>);

struct Loan {
    tensor: Rc<Tensor>,
    element: Element,
    shape: Vec<usize>,
    data: *mut c_void,
    /// The addresses of its bytes.
    place: Range<usize>,
}

/// The memory as elements.
///
/// # Safety
/// There are `n` initialised elements of this kind at `data`, aligned, which nobody else reads or writes while the vector exists, and
/// the vector is forgotten rather than dropped.
unsafe fn elements(element: Element, data: *mut c_void, n: usize) -> Data {
    macro_rules! vector {
        ($kind:ident) => {
            // SAFETY: as the function demands.
            Data::$kind(unsafe { Vec::from_raw_parts(data.cast(), n, n) })
        };
    }
    match element {
        Element::QuadraF32 => vector!(F32),
        Element::QuadraF64 => vector!(F64),
        Element::QuadraI8 => vector!(I8),
        Element::QuadraI16 => vector!(I16),
        Element::QuadraI32 => vector!(Int),
        Element::QuadraI64 => vector!(I64),
        Element::QuadraU8 => vector!(U8),
        Element::QuadraU16 => vector!(U16),
        Element::QuadraU32 => vector!(U32),
        Element::QuadraU64 => vector!(U64),
        Element::QuadraC32 => vector!(C32),
        Element::QuadraC64 => vector!(C64),
    }
}

impl Loans {
    /// An array for a program. One that is lent twice is one array.
    ///
    /// # Errors
    /// What is wrong with the array, or that it overlaps with another one.
    ///
    /// # Safety
    /// What the pointers of `array` point to is there, as its other fields say, until the loans are dropped.
    pub unsafe fn lend(&mut self, array: &Array) -> Result<Value, String> {
        let element = Element::of(array.element).ok_or_else(|| format!("{} is no quadra_element", array.element))?;
        if !(1..=MOST_DIMENSIONS).contains(&array.rank) {
            return Err(format!("an array of {} dimensions: it has 1 to {MOST_DIMENSIONS}", array.rank));
        }
        if array.shape.is_null() || !array.shape.is_aligned() {
            return Err("the shape of an array is a null pointer, or not aligned".into());
        }
        // SAFETY: `rank` lengths stand there, by this function's own demand.
        let shape = unsafe { std::slice::from_raw_parts(array.shape, array.rank as usize) }.to_vec();
        let (bytes, align) = element.layout();
        let n = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
        let total = n.and_then(|n| n.checked_mul(bytes)).filter(|b| isize::try_from(*b).is_ok());
        let (Some(n), Some(total)) = (n, total) else {
            return Err(format!("an array of {shape:?} elements does not fit into memory"));
        };
        let start = array.data as usize;
        if n > 0 && (array.data.is_null() || !start.is_multiple_of(align)) {
            return Err("the elements of an array are a null pointer, or not aligned".into());
        }
        let place = start..start.checked_add(total).ok_or("an array goes beyond the end of memory")?;
        if let Some(known) =
            self.0.iter().find(|l| n > 0 && l.place == place && l.element == element && l.shape == shape)
        {
            return Ok(Value::Array(known.tensor.clone()));
        }
        if n > 0 && self.0.iter().any(|l| l.place.start < place.end && place.start < l.place.end) {
            return Err("two arrays overlap: hand over the same one twice, or different ones".into());
        }
        // SAFETY: the elements are there by this function's own demand, no other loan has any of them, and `Drop` takes the vector out of
        // its tensor and forgets it. An empty vector has no memory.
        let data = unsafe {
            match n {
                0 => elements(element, std::ptr::without_provenance_mut(align), 0),
                n => elements(element, array.data, n),
            }
        };
        let tensor = Rc::new(Tensor::new(normal_shape(&shape), data));
        self.0.push(Loan { tensor: tensor.clone(), element, shape, data: array.data, place });
        Ok(Value::Array(tensor))
    }

    /// What C calls the elements of a tensor that it lent.
    pub fn original(&self, tensor: &Rc<Tensor>) -> Option<(Element, *mut c_void)> {
        self.0.iter().find(|l| Rc::ptr_eq(&l.tensor, tensor)).map(|l| (l.element, l.data))
    }
}

impl Drop for Loans {
    fn drop(&mut self) {
        for loan in self.0.drain(..) {
            let Ok(mut data) = loan.tensor.data.try_borrow_mut() else {
                // Somebody still has the elements, so the tensor must stay: better a leak than memory that is freed twice.
                std::mem::forget(loan.tensor.clone());
                continue;
            };
            // A program that keeps the array has a copy from here on.
            let rest = if Rc::strong_count(&loan.tensor) > 1 { data.clone() } else { Data::Mask(Vec::new()) };
            std::mem::forget(std::mem::replace(&mut *data, rest));
        }
    }
}
