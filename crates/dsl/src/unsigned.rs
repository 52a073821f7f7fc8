//! Unsigned integers: [`UInt`], 32 bits, one per lane.
//!
//! The kernel's integers have no sign, the operations have. What the kernel IR lacks is made of what it has, alike on all
//! devices: division by a power of two is a shift, any other by half the dividend as signed.

use crate::elements::{Stored, Word};
use crate::math::select;
use crate::ops::Order as _;
use crate::record;
use crate::value::{Float, Int, Literal, Mask, Number, UInt, apply};
use quadra_kir::{Const, Elem, Op};
use std::ops;
use std::panic::Location;

/// A kernel number without a sign, of a Rust one.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn average(x: Ptr<u8>, y: Ptr<u8>, out: Ptr<UInt>) {
///     *out = (*x + *y + uint(1)) / 2;
/// }
/// let (x, y, out) = (Buffer::from(vec![250u8; 16]), Buffer::from(vec![255u8; 16]), Buffer::<u32>::new(16));
/// average().compile(&*quadra_device::open("emu").unwrap()).unwrap().call((&x, &y, &out)).unwrap();
/// assert_eq!(out.to_vec(), [253; 16]);
/// ```
#[track_caller]
pub fn uint(value: u32) -> UInt {
    UInt::from(value)
}

impl Number for UInt {
    type Host = u32;
    const MIN: Op = Op::MinU;
    const MAX: Op = Op::MaxU;
    fn constant(host: u32) -> Const {
        Const::i32(host as i32)
    }
}

impl From<u32> for UInt {
    #[track_caller]
    fn from(value: u32) -> UInt {
        UInt { raw: record::with(Location::caller(), |r| r.constant(Const::i32(value as i32))) }
    }
}

/// Zero, as a variable that is declared without a value has it.
impl Default for UInt {
    #[track_caller]
    fn default() -> UInt {
        uint(0)
    }
}

impl Literal<u32> for UInt {
    #[track_caller]
    fn literal(literal: u32) -> UInt {
        uint(literal)
    }
}

impl Stored for UInt {
    type Value = UInt;
    const ELEM: Elem = Elem::I32;
}

impl Word for UInt {}

/// The number that a value is, if it is known while recording.
#[track_caller]
fn known(x: UInt) -> Option<u32> {
    record::with(Location::caller(), |r| {
        let value = r.value(x.raw);
        r.b.kernel().as_i32(value).map(|n| n as u32)
    })
}

/// `a / b` and `a % b`; 0 for a divisor of 0.
#[track_caller]
fn divided(a: UInt, b: UInt) -> (UInt, UInt) {
    if let Some(n) = known(b).filter(|n| n.is_power_of_two()) {
        return (a >> n.trailing_zeros(), a & (n - 1));
    }
    // Half of the dividend fits a signed number, and so does a divisor below 2^31: the doubled quotient is at most 1 too small.
    let half: Int = apply(Op::Div, &[(a >> 1).raw, b.raw]);
    let q = UInt { raw: half.raw } << 1;
    let r = a - q * b;
    let more = r.greater_equal(&b);
    let (q, r) = (q + more.to_uint(), select(more, r - b, r));
    match known(b) {
        Some(0) => (uint(0), uint(0)),
        Some(n) if n <= i32::MAX as u32 => (q, r),
        _ => {
            // A divisor from 2^31 on goes into the dividend once or not at all.
            let large = b.to_int().less(&0);
            let once = a.greater_equal(&b);
            let q = select(large, once.to_uint(), q);
            let r = select(large, select(once, a - b, a), r);
            let none = b.to_int().greater(&0) | large;
            (select(none, q, 0u32), select(none, r, 0u32))
        }
    }
}

macro_rules! divide {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $part:tt;)*) => {$(
        impl ops::$trait for UInt {
            type Output = UInt;
            #[track_caller]
            fn $method(self, other: UInt) -> UInt {
                divided(self, other).$part
            }
        }
        impl ops::$trait<u32> for UInt {
            type Output = UInt;
            #[track_caller]
            fn $method(self, other: u32) -> UInt {
                divided(self, uint(other)).$part
            }
        }
        impl ops::$trait<UInt> for u32 {
            type Output = UInt;
            #[track_caller]
            fn $method(self, other: UInt) -> UInt {
                divided(uint(self), other).$part
            }
        }
        impl ops::$assign for UInt {
            #[track_caller]
            fn $assign_method(&mut self, other: UInt) {
                *self = divided(*self, other).$part;
            }
        }
        impl ops::$assign<u32> for UInt {
            #[track_caller]
            fn $assign_method(&mut self, other: u32) {
                *self = divided(*self, uint(other)).$part;
            }
        }
    )*};
}
divide! {
    Div div DivAssign div_assign 0;
    Rem rem RemAssign rem_assign 1;
}

impl UInt {
    /// The smaller of the two.
    #[track_caller]
    pub fn min(self, other: impl Into<UInt>) -> UInt {
        crate::math::min(self, other)
    }
    /// The larger of the two.
    #[track_caller]
    pub fn max(self, other: impl Into<UInt>) -> UInt {
        crate::math::max(self, other)
    }
    /// The signed number with the same bits.
    pub fn to_int(self) -> Int {
        Int { raw: self.raw }
    }
    /// The nearest float.
    #[track_caller]
    pub fn to_float(self) -> Float {
        // Both halves are exact, and so is the product: only the sum rounds.
        (self >> 16).to_int().to_float() * 65536.0 + (self & 0xffff).to_int().to_float()
    }
    /// The float with the same bits.
    #[track_caller]
    pub fn as_float(self) -> Float {
        self.to_int().as_float()
    }
    /// Rotated right by `n` modulo 32 bits.
    #[track_caller]
    pub fn ror(self, n: impl Into<UInt>) -> UInt {
        apply(Op::Ror, &[self.raw, n.into().raw])
    }
    /// Leading zero bits; 32 for zero.
    #[track_caller]
    pub fn clz(self) -> UInt {
        apply(Op::Clz, &[self.raw])
    }
    /// How many bits are 1.
    #[track_caller]
    pub fn count_ones(self) -> UInt {
        apply(Op::Popcount, &[self.raw])
    }
}

impl Int {
    /// The number without a sign that has the same bits: -1 becomes 2^32 - 1.
    pub fn to_uint(self) -> UInt {
        UInt { raw: self.raw }
    }
}

impl Float {
    /// Without its fraction; 0 for what does not fit.
    #[track_caller]
    pub fn to_uint(self) -> UInt {
        let high = self.greater_equal(&2147483648.0f32);
        let low = select(high, self - 2147483648.0, self);
        let bits = select(high, uint(0x8000_0000), 0u32);
        let fits = self.less(&4294967296.0f32) & self.greater(&-1.0f32);
        let x = low.to_int().to_uint() ^ bits;
        select(fits, x, 0u32)
    }
}

impl Mask {
    /// 1 where it holds, else 0.
    #[track_caller]
    pub fn to_uint(self) -> UInt {
        self.to_int().to_uint()
    }
}
