//! What pointers point to: elements as they lie in memory.

use crate::value::{Float, Int, Number};
use quadra_kir::Elem;

/// Elements a pointer can point to: [`Int`] and [`Float`], and in memory alone [`Byte`], [`Short`] and [`Half`].
#[diagnostic::on_unimplemented(
    message = "`Ptr<{Self}>` does not exist",
    label = "a pointer points to `Int`, `Float`, `Byte`, `Short` or `Half`"
)]
pub trait Stored: Copy {
    /// What an element is once it is loaded.
    type Value: Word;
    /// The element type in memory.
    const ELEM: Elem;
}

/// Elements that are in memory what they are in a kernel: [`Int`] and [`Float`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of 32 bits",
    label = "requests and atomic operations go to `Ptr<Int>` and `Ptr<Float>`"
)]
pub trait Word: Number + Default + Stored<Value = Self> {}

/// Signed integers of 8 bits: a load extends the sign, a store keeps the low bits. [`Int`] in a kernel, [`i8`] on the host.
#[derive(Clone, Copy, Debug)]
pub enum Byte {}

/// Signed integers of 16 bits: a load extends the sign, a store keeps the low bits. [`Int`] in a kernel, [`i16`] on the host.
#[derive(Clone, Copy, Debug)]
pub enum Short {}

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
elements!(Int Int I32, Float Float F32, Byte Int I8, Short Int I16, Half Float F16);

impl Word for Int {}
impl Word for Float {}
