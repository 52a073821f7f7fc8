//! The bits of numbers as numbers of another type.

use super::{Builtin, Call, Run, row};
use crate::fault::{Res, fault};
use crate::slice::is_column;
use crate::tensor::{Data, Shape, Tensor};
use crate::value::Value;
use quadra_quasar_hir::types::{Precision, Type};

/// The bytes of all elements, those of each from the least.
fn bytes(data: &Data) -> Option<Vec<u8>> {
    macro_rules! flat {
        ($v:expr) => {
            $v.iter().flat_map(|x| x.to_le_bytes()).collect()
        };
    }
    Some(match data {
        Data::F32(v) => flat!(v),
        Data::F64(v) => flat!(v),
        Data::Int(v) | Data::I32(v) => flat!(v),
        Data::I8(v) => flat!(v),
        Data::I16(v) => flat!(v),
        Data::I64(v) => flat!(v),
        Data::U8(v) | Data::Mask(v) => v.clone(),
        Data::U16(v) => flat!(v),
        Data::U32(v) => flat!(v),
        Data::U64(v) => flat!(v),
        Data::F16(_) | Data::C32(_) | Data::C64(_) | Data::Cell(_) => return None,
    })
}

/// `typecast(x,T)`: a row, or a column of a column; one number of what holds one.
fn typecast(call: &mut Call) -> Res<Value> {
    let ty = match call.args[1].as_text() {
        Some("single") => Type::Scalar(Precision::Single),
        Some("double") => Type::Scalar(Precision::Double),
        _ => call.type_argument(1)?,
    };
    let t = call.tensor(0)?;
    let Some(all) = bytes(&t.data.borrow()) else { return Err(call.wrong(0, "real numbers")) };
    let one = Tensor::zeros(Shape::from_slice(&[1, 1]), &ty, call.double())?;
    let mut out = one.data.borrow().copied();
    let size = match bytes(&out) {
        Some(one) if ty.is_number() => one.len(),
        _ => return Err(call.wrong(1, "a type of real numbers such as \"uint8\", \"single\" or \"int64\"")),
    };
    if all.len() % size != 0 {
        fault!("Q0320", "{} bytes are no whole number of elements with {size} bytes", all.len(); "give more or fewer elements");
    }
    macro_rules! taken {
        ($v:expr, $t:ty) => {
            *$v = all.chunks_exact(size).map(|c| <$t>::from_le_bytes(c.try_into().expect("as many bytes"))).collect()
        };
    }
    match &mut out {
        Data::F32(v) => taken!(v, f32),
        Data::F64(v) => taken!(v, f64),
        Data::Int(v) | Data::I32(v) => taken!(v, i32),
        Data::I8(v) => taken!(v, i8),
        Data::I16(v) => taken!(v, i16),
        Data::I64(v) => taken!(v, i64),
        Data::U8(v) => taken!(v, u8),
        Data::U16(v) => taken!(v, u16),
        Data::U32(v) => taken!(v, u32),
        Data::U64(v) => taken!(v, u64),
        _ => {}
    }
    let count = out.len();
    if count == 1 {
        return Ok(Tensor::vector(out).get(0).unwrap_or_default());
    }
    let shape = if is_column(&t) { [count, 1] } else { [1, count] };
    Ok(Value::array(Tensor::new(Shape::from_slice(&shape), out)))
}

pub const TABLE: &[Builtin] = &[row!(
    "typecast",
    "typecast(x,T)",
    "the bits of numbers, the least byte of each first, as numbers of another type: \"single\", \"double\", \"uint8\" and others",
    "print typecast(int32(1078530011), \"single\"), typecast(uint8([0,0,128,63]), \"single\")",
    2..=2,
    Run::One(typecast)
)];
