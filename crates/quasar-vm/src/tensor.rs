//! Arrays: a shape of at least two dimensions and elements in row-major order. The shape never changes; elements change
//! through any reference.

use super::elements::Elements;
use super::fault::{Fault, Res};
use super::memory;
use super::storage::{self, Kept, build};
use super::value::Value;
use quadra_quasar_hir::types::{Fit, IntKind, Precision, Type};
use smallvec::SmallVec;
use std::rc::Rc;

/// Lengths of the dimensions, at least two.
pub type Shape = SmallVec<[usize; 4]>;

/// Elements by type. Masks are what comparisons give: they read as `int` and become one when written to.
#[derive(Clone, Debug)]
pub enum Data {
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// Half precision, kept as singles of the same value.
    F16(Vec<f32>),
    C32(Vec<[f32; 2]>),
    C64(Vec<[f64; 2]>),
    Mask(Vec<u8>),
    Int(Vec<i32>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    Cell(Vec<Value>),
}

#[derive(Debug)]
pub struct Tensor {
    pub shape: Shape,
    pub data: Elements,
    /// How values are fitted to integer elements.
    pub fit: Fit,
    /// Element type of a typed cell.
    pub cell_type: Option<Rc<Type>>,
    /// The unmodified result of `find`: a position of an element in each row.
    pub positions: bool,
    bytes: usize,
}

/// Runs the same code for every kind of elements: `each!(data, v => v.len())`.
macro_rules! each {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            Data::F32($v) => $body,
            Data::F64($v) => $body,
            Data::F16($v) => $body,
            Data::C32($v) => $body,
            Data::C64($v) => $body,
            Data::Mask($v) => $body,
            Data::Int($v) => $body,
            Data::I8($v) => $body,
            Data::I16($v) => $body,
            Data::I32($v) => $body,
            Data::I64($v) => $body,
            Data::U8($v) => $body,
            Data::U16($v) => $body,
            Data::U32($v) => $body,
            Data::U64($v) => $body,
            Data::Cell($v) => $body,
        }
    };
}

/// Like [`each!`], but gives the same kind of elements back. Elements that are cells need `clone`, which the others get, too.
macro_rules! remap {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            Data::F32($v) => Data::F32($body),
            Data::F64($v) => Data::F64($body),
            Data::F16($v) => Data::F16($body),
            Data::C32($v) => Data::C32($body),
            Data::C64($v) => Data::C64($body),
            Data::Mask($v) => Data::Mask($body),
            Data::Int($v) => Data::Int($body),
            Data::I8($v) => Data::I8($body),
            Data::I16($v) => Data::I16($body),
            Data::I32($v) => Data::I32($body),
            Data::I64($v) => Data::I64($body),
            Data::U8($v) => Data::U8($body),
            Data::U16($v) => Data::U16($body),
            Data::U32($v) => Data::U32($body),
            Data::U64($v) => Data::U64($body),
            Data::Cell($v) => Data::Cell($body),
        }
    };
}
pub(crate) use remap;

impl Data {
    pub fn len(&self) -> usize {
        each!(self, v => v.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes per element.
    fn width(&self) -> usize {
        match self {
            Data::F32(_) | Data::F16(_) | Data::Int(_) | Data::I32(_) | Data::U32(_) => 4,
            Data::F64(_) | Data::C32(_) | Data::I64(_) | Data::U64(_) => 8,
            Data::C64(_) | Data::Cell(_) => 16,
            Data::I16(_) | Data::U16(_) => 2,
            Data::Mask(_) | Data::I8(_) | Data::U8(_) => 1,
        }
    }

    /// The element as a value.
    pub fn get(&self, i: usize) -> Option<Value> {
        Some(match self {
            Data::F32(v) => Value::F32(*v.get(i)?),
            Data::F64(v) => Value::F64(*v.get(i)?),
            Data::F16(v) => Value::F16(*v.get(i)?),
            Data::C32(v) => Value::C32(*v.get(i)?),
            Data::C64(v) => Value::C64(Box::new(*v.get(i)?)),
            Data::Mask(v) => Value::Int(i32::from(*v.get(i)?)),
            Data::Int(v) | Data::I32(v) => Value::Int(*v.get(i)?),
            Data::I8(v) => Value::Int(i32::from(*v.get(i)?)),
            Data::I16(v) => Value::Int(i32::from(*v.get(i)?)),
            Data::I64(v) => Value::IntN(IntKind::I64, *v.get(i)?),
            Data::U8(v) => Value::Int(i32::from(*v.get(i)?)),
            Data::U16(v) => Value::Int(i32::from(*v.get(i)?)),
            Data::U32(v) => {
                let x = *v.get(i)?;
                i32::try_from(x).map_or(Value::IntN(IntKind::I64, i64::from(x)), Value::Int)
            }
            Data::U64(v) => Value::IntN(IntKind::U64, *v.get(i)? as i64),
            Data::Cell(v) => v.get(i)?.clone(),
        })
    }

    /// The type of the elements, but for cells.
    pub fn int_kind(&self) -> Option<IntKind> {
        Some(match self {
            Data::Mask(_) | Data::Int(_) => IntKind::Int,
            Data::I8(_) => IntKind::I8,
            Data::I16(_) => IntKind::I16,
            Data::I32(_) => IntKind::I32,
            Data::I64(_) => IntKind::I64,
            Data::U8(_) => IntKind::U8,
            Data::U16(_) => IntKind::U16,
            Data::U32(_) => IntKind::U32,
            Data::U64(_) => IntKind::U64,
            _ => return None,
        })
    }

    pub fn is_complex(&self) -> bool {
        matches!(self, Data::C32(_) | Data::C64(_))
    }

    /// `n` zeros of a type; cells are filled with `Unset`, which prints as `[]`.
    pub fn zeros(element: &Type, n: usize, double: bool) -> Data {
        match element {
            Type::Int(kind, _) => match kind {
                IntKind::Int => Data::Int(vec![0; n]),
                IntKind::I8 => Data::I8(vec![0; n]),
                IntKind::I16 => Data::I16(vec![0; n]),
                IntKind::I32 => Data::I32(vec![0; n]),
                IntKind::I64 => Data::I64(vec![0; n]),
                IntKind::U8 => Data::U8(vec![0; n]),
                IntKind::U16 => Data::U16(vec![0; n]),
                IntKind::U32 => Data::U32(vec![0; n]),
                IntKind::U64 => Data::U64(vec![0; n]),
            },
            Type::Scalar(Precision::Half) => Data::F16(vec![0.0; n]),
            Type::Scalar(Precision::Single) => Data::F32(vec![0.0; n]),
            Type::Scalar(Precision::Double) => Data::F64(vec![0.0; n]),
            Type::Scalar(Precision::Default) if double => Data::F64(vec![0.0; n]),
            Type::Scalar(Precision::Default) => Data::F32(vec![0.0; n]),
            Type::Complex(Precision::Double) => Data::C64(vec![[0.0; 2]; n]),
            Type::Complex(Precision::Default) if double => Data::C64(vec![[0.0; 2]; n]),
            Type::Complex(_) => Data::C32(vec![[0.0; 2]; n]),
            _ => Data::Cell(vec![Value::Unset; n]),
        }
    }

    /// `n` elements of a type in storage that was used before, if there is any; they hold anything.
    fn kept(element: &Type, n: usize, double: bool) -> Option<Data> {
        match Data::zeros(element, 0, double) {
            Data::Cell(_) => None,
            Data::F32(_) => storage::kept(n).map(Data::F32),
            Data::F64(_) => storage::kept(n).map(Data::F64),
            Data::F16(_) => storage::kept(n).map(Data::F16),
            Data::C32(_) => storage::kept(n).map(Data::C32),
            Data::C64(_) => storage::kept(n).map(Data::C64),
            Data::Mask(_) => storage::kept(n).map(Data::Mask),
            Data::Int(_) => storage::kept(n).map(Data::Int),
            Data::I8(_) => storage::kept(n).map(Data::I8),
            Data::I16(_) => storage::kept(n).map(Data::I16),
            Data::I32(_) => storage::kept(n).map(Data::I32),
            Data::I64(_) => storage::kept(n).map(Data::I64),
            Data::U8(_) => storage::kept(n).map(Data::U8),
            Data::U16(_) => storage::kept(n).map(Data::U16),
            Data::U32(_) => storage::kept(n).map(Data::U32),
            Data::U64(_) => storage::kept(n).map(Data::U64),
        }
    }

    /// A copy; of numbers in storage that was used before.
    pub fn copied(&self) -> Data {
        fn copy<T: Kept>(v: &[T]) -> Vec<T> {
            build(v.len(), |range, out| out.copy_from_slice(&v[range]))
        }
        match self {
            Data::F32(v) => Data::F32(copy(v)),
            Data::F64(v) => Data::F64(copy(v)),
            Data::F16(v) => Data::F16(copy(v)),
            Data::C32(v) => Data::C32(copy(v)),
            Data::C64(v) => Data::C64(copy(v)),
            Data::Mask(v) => Data::Mask(copy(v)),
            Data::Int(v) => Data::Int(copy(v)),
            Data::I8(v) => Data::I8(copy(v)),
            Data::I16(v) => Data::I16(copy(v)),
            Data::I32(v) => Data::I32(copy(v)),
            Data::I64(v) => Data::I64(copy(v)),
            Data::U8(v) => Data::U8(copy(v)),
            Data::U16(v) => Data::U16(copy(v)),
            Data::U32(v) => Data::U32(copy(v)),
            Data::U64(v) => Data::U64(copy(v)),
            Data::Cell(v) => Data::Cell(v.clone()),
        }
    }

    /// Makes all numbers 0.
    pub fn clear(&mut self) {
        each!(self, v => v.fill(Default::default()));
    }
}

/// The bytes that `n` elements of a type take.
pub fn bytes_of(element: &Type, n: usize, double: bool) -> usize {
    Data::zeros(element, 0, double).width().saturating_mul(n)
}

impl Tensor {
    pub fn new(shape: Shape, data: Data) -> Tensor {
        Tensor::with_elements(shape, Elements::new(data))
    }

    fn with_elements(shape: Shape, data: Elements) -> Tensor {
        debug_assert_eq!(shape.iter().product::<usize>(), data.peek().len(), "shape {shape:?}");
        let bytes = data.peek().len() * data.peek().width() + 96;
        memory::charge(bytes);
        Tensor { shape, data, fit: Fit::Checked, cell_type: None, positions: false, bytes }
    }

    pub fn with_fit(mut self, fit: Fit) -> Tensor {
        self.fit = fit;
        self
    }

    pub fn with_cell_type(mut self, ty: Option<Rc<Type>>) -> Tensor {
        self.cell_type = ty;
        self
    }

    /// Positions of elements, one in each row.
    pub fn found(shape: Shape, data: Data) -> Tensor {
        let mut found = Tensor::new(shape, data);
        found.positions = true;
        found
    }

    /// A vector, which has the shape 1×N.
    pub fn vector(data: Data) -> Tensor {
        let n = data.len();
        Tensor::new(SmallVec::from_slice(&[1, n]), data)
    }

    /// A vector of sizes or indices.
    pub fn ints(values: impl IntoIterator<Item = i64>) -> Tensor {
        let clip = |v: i64| v.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        Tensor::vector(Data::Int(values.into_iter().map(clip).collect()))
    }

    /// A vector of `scalar`.
    pub fn scalars(values: Vec<f64>, double: bool) -> Tensor {
        Tensor::vector(real_data(values, double))
    }

    /// Zeros of a shape, within the limit on memory.
    pub fn zeros(shape: Shape, element: &Type, double: bool) -> Res<Tensor> {
        let n = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
        let n = n.filter(|n| *n as u64 <= 1 << 40 && memory::fits(bytes_of(element, *n, double)));
        let Some(n) = n else {
            let text = super::display::shape_text(&shape);
            return Err(Fault::new("Q0310", format!("out of memory: an array of size {text}"))
                .help("use a smaller array, or raise the limit with --max-memory"));
        };
        let elements = match Data::kept(element, n, double) {
            Some(data) => Elements::blank(data),
            None => Elements::new(Data::zeros(element, n, double)),
        };
        let mut tensor = Tensor::with_elements(shape, elements);
        match element {
            Type::Int(_, fit) => tensor.fit = *fit,
            Type::Scalar(_) | Type::Complex(_) | Type::Any => {}
            other => tensor.cell_type = Some(Rc::new(other.clone())),
        }
        Ok(tensor)
    }

    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of dimensions as the language counts them: a 1×N array is a vector and has one.
    pub fn rank(&self) -> usize {
        if self.shape.len() == 2 && self.shape[0] == 1 { 1 } else { self.shape.len() }
    }

    pub fn is_vector(&self) -> bool {
        self.shape.len() == 2 && self.shape[0] == 1
    }

    pub fn is_cell(&self) -> bool {
        matches!(*self.data.peek(), Data::Cell(_))
    }

    /// The element at a row-major position.
    pub fn get(&self, i: usize) -> Option<Value> {
        self.data.borrow().get(i)
    }

    /// A copy that shares nothing with this array but what its cells refer to.
    pub fn duplicate(&self) -> Tensor {
        let copy = Tensor::new(self.shape.clone(), self.data.borrow().copied());
        copy.with_fit(self.fit).with_cell_type(self.cell_type.clone())
    }

    /// The same elements in another shape of the same size.
    pub fn reshaped(&self, shape: Shape) -> Tensor {
        let copy = Tensor::new(shape, self.data.borrow().copied());
        copy.with_fit(self.fit).with_cell_type(self.cell_type.clone())
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        memory::release(self.bytes);
        match self.data.storage() {
            Data::Cell(values) => super::value::drop_later(std::mem::take(values).into_iter()),
            Data::F32(v) | Data::F16(v) => storage::keep(v),
            Data::F64(v) => storage::keep(v),
            Data::C32(v) => storage::keep(v),
            Data::C64(v) => storage::keep(v),
            Data::Mask(v) | Data::U8(v) => storage::keep(v),
            Data::Int(v) | Data::I32(v) => storage::keep(v),
            Data::I8(v) => storage::keep(v),
            Data::I16(v) => storage::keep(v),
            Data::I64(v) => storage::keep(v),
            Data::U16(v) => storage::keep(v),
            Data::U32(v) => storage::keep(v),
            Data::U64(v) => storage::keep(v),
        }
    }
}

/// Real elements in the precision of the session.
pub fn real_data(values: Vec<f64>, double: bool) -> Data {
    if double { Data::F64(values) } else { Data::F32(values.into_iter().map(|v| v as f32).collect()) }
}

/// Drops trailing dimensions of length 1 beyond the second, and pads to two.
pub fn normal_shape(dims: &[usize]) -> Shape {
    let mut shape: Shape = SmallVec::from_slice(dims);
    match shape.len() {
        0 => shape.extend([1, 1]),
        1 => shape.insert(0, 1),
        _ => {}
    }
    while shape.len() > 2 && shape.last() == Some(&1) {
        shape.pop();
    }
    shape
}
