//! What pointers point to: elements as they lie in memory.

use crate::value::{Float, Int, Number, UInt};
use quadra_kir::Elem;

/// Elements a pointer can point to: [`Int`], [`UInt`] and [`Float`], and in memory alone `i8`, `i16`, `u8`, `u16` and [`Half`].
#[diagnostic::on_unimplemented(
    message = "`Ptr<{Self}>` does not exist",
    label = "a pointer points to `Int`, `UInt`, `Float`, `i8`, `i16`, `u8`, `u16` or `Half`"
)]
pub trait Stored: Copy {
    /// What an element is once it is loaded.
    type Value: Word;
    /// The element type in memory.
    const ELEM: Elem;
    /// The bits that a load keeps, of an element without a sign that is shorter than a word: the kernel's loads extend signs.
    const KEPT: Option<u32> = None;
}

/// Elements that are in memory what they are in a kernel: [`Int`], [`UInt`] and [`Float`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of 32 bits",
    label = "requests and atomic operations go to `Ptr<Int>`, `Ptr<UInt>` and `Ptr<Float>`"
)]
pub trait Word: Number + Default + Stored<Value = Self> {}

/// Floating-point numbers of half precision, 16 bits: every one of them is a [`Float`], and a store rounds to the nearest
/// one, the same on all devices. On the host they are [`f16`](quadra_device::f16).
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// use quadra_device::f16;
/// #[kernel]
/// fn scale(x: Ptr<Half>, y: Ptr<Half>) {
///     *y = *x * 0.1;
/// }
/// let (x, y) = (Buffer::from(vec![f16::from_f32(2.5); 16]), Buffer::<f16>::new(16));
/// scale().compile(&*quadra_device::open("emu").unwrap()).unwrap().call((&x, &y)).unwrap();
/// assert_eq!(y.get(3), f16::from_f32(0.25));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Half {}

macro_rules! elements {
    ($($ty:ident $value:ident $elem:ident),*) => {$(
        impl Stored for $ty {
            type Value = $value;
            const ELEM: Elem = Elem::$elem;
        }
    )*};
}
elements!(Int Int I32, Float Float F32, Half Float F16);

macro_rules! signed {
    ($($ty:ident $elem:ident),*) => {$(
        /// With a sign: [`Int`] in a kernel; a load extends the sign, a store keeps the low bits.
        impl Stored for $ty {
            type Value = Int;
            const ELEM: Elem = Elem::$elem;
        }
    )*};
}
signed!(i8 I8, i16 I16);

macro_rules! unsigned {
    ($($ty:ident $elem:ident),*) => {$(
        /// Without a sign: [`UInt`] in a kernel; a store keeps the low bits.
        impl Stored for $ty {
            type Value = UInt;
            const ELEM: Elem = Elem::$elem;
            const KEPT: Option<u32> = Some($ty::MAX as u32);
        }
    )*};
}
unsigned!(u8 I8, u16 I16);

impl Word for Int {}
impl Word for Float {}

/// Words with a sign, which atomic minima and maxima compare by: [`Int`] and [`Float`].
#[diagnostic::on_unimplemented(
    message = "there is no atomic minimum or maximum of `{Self}`",
    label = "expected `Ptr<Int>` or `Ptr<Float>`"
)]
pub trait Signed: Word {}
impl Signed for Int {}
impl Signed for Float {}
