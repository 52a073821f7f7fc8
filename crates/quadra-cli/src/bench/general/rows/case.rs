//! A row's inputs, arguments and the results that plain Rust computes.

use quadra_quasar::tensor::{Data, Tensor};
use quadra_quasar::value::Value;

/// The elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    F32(Vec<f32>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    I16(Vec<i16>),
}

macro_rules! elements {
    ($($kind:ident $rust:ty, $name:literal;)*) => {
        $(impl From<Vec<$rust>> for Elements {
            fn from(v: Vec<$rust>) -> Elements { Elements::$kind(v) }
        })*

        impl Elements {
            /// The name of the type, as peers know it.
            pub fn kind(&self) -> &'static str {
                match self { $(Elements::$kind(_) => $name,)* }
            }

            pub fn to_bytes(&self) -> Vec<u8> {
                match self { $(Elements::$kind(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),)* }
            }

            /// Elements of the same type, from a peer's file.
            pub fn of_bytes(&self, bytes: &[u8]) -> Elements {
                match self {
                    $(Elements::$kind(_) => {
                        const SIZE: usize = size_of::<$rust>();
                        let one = |c: &[u8]| <$rust>::from_le_bytes(c.try_into().expect("chunks of this size"));
                        Elements::$kind(bytes.chunks_exact(SIZE).map(one).collect())
                    })*
                }
            }

            pub fn len(&self) -> usize {
                match self { $(Elements::$kind(v) => v.len(),)* }
            }
        }
    };
}

elements! {
    F32 f32, "f32";
    I32 i32, "i32";
    I64 i64, "i64";
    U8 u8, "u8";
    I16 i16, "i16";
}

impl Elements {
    /// Whether they are those that are wanted: integers exactly, floats within a part of their size, and of one at the least.
    pub fn agrees(&self, want: &Elements, tolerance: f32) -> bool {
        match (self, want) {
            (Elements::F32(got), Elements::F32(want)) => {
                let near = |(a, b): (&f32, &f32)| (a - b).abs() <= tolerance * b.abs().max(1.0);
                got.len() == want.len() && got.iter().zip(want).all(near)
            }
            _ => self == want,
        }
    }
}

/// An array with its size.
#[derive(Clone, Debug)]
pub struct Array {
    pub shape: Vec<usize>,
    pub elements: Elements,
}

impl Array {
    /// As a value of Quasar, where vectors are rows.
    fn value(&self) -> Value {
        let data = match self.elements.clone() {
            Elements::F32(v) => Data::F32(v),
            Elements::I32(v) => Data::Int(v),
            Elements::I64(v) => Data::I64(v),
            Elements::U8(v) => Data::U8(v),
            Elements::I16(v) => Data::I16(v),
        };
        let rows: &[usize] = if self.shape.len() == 1 { &[1] } else { &[] };
        Value::array(Tensor::new(rows.iter().chain(&self.shape).copied().collect(), data))
    }
}

/// What a row computes, from what, to what.
#[derive(Debug, Default)]
pub struct Case {
    pub arrays: Vec<Array>,
    /// Numbers that peers take behind the arrays.
    pub numbers: Vec<f64>,
    /// What Quasar's function takes behind the arrays.
    values: Vec<Value>,
    pub want: Vec<Array>,
    /// By how much of their size floats may differ.
    pub tolerance: f32,
}

impl Case {
    pub fn new() -> Case {
        Case { tolerance: 1e-4, ..Case::default() }
    }

    pub fn array(mut self, shape: &[usize], elements: impl Into<Elements>) -> Case {
        self.arrays.push(Array { shape: shape.to_vec(), elements: elements.into() });
        self
    }

    /// A size that only peers are told: Quasar's arrays know theirs.
    pub fn size(mut self, n: usize) -> Case {
        self.numbers.push(n as f64);
        self
    }

    pub fn int(mut self, n: i32) -> Case {
        self.numbers.push(n.into());
        self.values.push(Value::Int(n));
        self
    }

    pub fn float(mut self, x: f32) -> Case {
        self.numbers.push(x.into());
        self.values.push(Value::F32(x));
        self
    }

    pub fn gives(mut self, shape: &[usize], elements: impl Into<Elements>) -> Case {
        self.want.push(Array { shape: shape.to_vec(), elements: elements.into() });
        self
    }

    pub fn within(self, tolerance: f32) -> Case {
        Case { tolerance, ..self }
    }

    /// The arguments of Quasar's function.
    pub fn arguments(&self) -> Vec<Value> {
        self.arrays.iter().map(Array::value).chain(self.values.iter().cloned()).collect()
    }

    /// Whether results are right; there may be fewer than the function has where it gives numbers that nobody asks for.
    pub fn agrees(&self, got: &[Elements]) -> bool {
        got.len() == self.want.len() && got.iter().zip(&self.want).all(|(a, b)| a.agrees(&b.elements, self.tolerance))
    }
}

/// The elements of a value, in the type that is wanted.
pub fn elements(value: &Value, like: &Elements) -> Option<Elements> {
    let Value::Array(t) = value else {
        return match like {
            Elements::F32(_) => Some(vec![value.as_f64()? as f32].into()),
            Elements::I32(_) => Some(vec![value.as_f64()? as i32].into()),
            Elements::I64(_) => Some(vec![value.as_f64()? as i64].into()),
            _ => None,
        };
    };
    Some(match &*t.data.borrow() {
        Data::F32(v) => v.clone().into(),
        Data::Int(v) | Data::I32(v) => v.clone().into(),
        Data::I64(v) => v.clone().into(),
        Data::U8(v) => v.clone().into(),
        Data::I16(v) => v.clone().into(),
        _ => return None,
    })
}
