//! The keys of an array's numbers (see `quadra_numeric::order`).

use super::bulk;
use super::tensor::Data;
use quadra_numeric::order::{of_double, of_single};

/// The keys of an array's numbers.
pub enum Keys {
    Single(Vec<u32>),
    Double(Vec<u64>),
}

/// What exchanges the halves of the integers.
const SIGN: u32 = 0x8000_0000;

/// The keys of real elements.
pub fn keys(data: &Data) -> Keys {
    macro_rules! single {
        ($v:expr, $f:expr) => {
            Keys::Single(bulk::each($v, $f))
        };
    }
    match data {
        Data::F32(v) | Data::F16(v) => single!(v, of_single),
        Data::Int(v) | Data::I32(v) => single!(v, |x: i32| x as u32 ^ SIGN),
        Data::Mask(v) | Data::U8(v) => single!(v, |x: u8| u32::from(x)),
        Data::U16(v) => single!(v, |x: u16| u32::from(x)),
        Data::U32(v) => Keys::Single(v.clone()),
        Data::I8(v) => single!(v, |x: i8| i32::from(x) as u32 ^ SIGN),
        Data::I16(v) => single!(v, |x: i16| i32::from(x) as u32 ^ SIGN),
        other => Keys::Double(bulk::each(&super::arith::to_f64(other), of_double)),
    }
}
