//! The types of kernel values: [`Int`], [`Float`], [`Mask`].

use crate::record::{self, Raw};
use crate::state::{KernelState, Visitor};
use quadra_kir::{Const, Op, Type};
use std::panic::Location;

macro_rules! value {
    ($(#[$doc:meta])* $name:ident, $ty:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name {
            pub(crate) raw: Raw,
        }

        impl KernelState for $name {
            fn visit(&mut self, visitor: &mut Visitor<'_>) {
                visitor.leaf(&mut self.raw, $ty);
            }
            fn view(&self, visitor: &mut Visitor<'_>) {
                visitor.shared_leaf(self.raw);
            }
        }

        impl Value for $name {
            const TYPE: Type = $ty;
            fn from_raw(raw: Raw) -> $name {
                $name { raw }
            }
            fn raw(self) -> Raw {
                self.raw
            }
        }

        /// The handle, for debugging a kernel's Rust code; `print` shows values of the running kernel.
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({:?})"), self.raw)
            }
        }
    };
}

/// What [`Int`], [`UInt`], [`Float`] and [`Mask`] have in common.
pub trait Value: Copy + KernelState {
    /// The type in the kernel IR.
    const TYPE: Type;
    /// The value behind a handle, which must be of this type.
    fn from_raw(raw: Raw) -> Self;
    /// The handle.
    fn raw(self) -> Raw;
}

/// Kernel values that numbers can be made of: [`Int`], [`UInt`] and [`Float`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel number",
    label = "expected `Int`, `UInt` or `Float`"
)]
pub trait Number: Value {
    /// The Rust number it converts from.
    type Host: Copy;
    /// The smaller and the larger of two.
    const MIN: Op = Op::Min;
    const MAX: Op = Op::Max;
    /// The constant.
    fn constant(host: Self::Host) -> Const;
}

value! {
    /// Sixteen 32-bit integers, one per lane.
    ///
    /// `+ - *` wrap; `/` and `%` follow Rust and give 0 for a zero divisor; `>>` is arithmetic, [`shr`](crate::shr) logical;
    /// shift counts are taken modulo 32. Comparisons give a [`Mask`]. Literals convert: `x + 1`, `let mut n: Int = 0`.
    ///
    /// ```
    /// # extern crate quadra_dsl as quadra;
    /// use quadra_dsl::prelude::*;
    /// #[kernel]
    /// fn squares(out: Ptr<Int>) {
    ///     let i = index();
    ///     *out = i * i + 1;
    /// }
    /// let kernel = squares().record().unwrap();
    /// assert_eq!(kernel.name, "squares");
    /// ```
    Int, Type::I32
}

value! {
    /// Sixteen 32-bit integers without a sign, one per lane: as [`Int`], with `/ % >>`, comparisons, [`min`](crate::min) and
    /// [`max`](crate::max) of Rust's `u32`. Numbers of Rust convert: `x + 1`, `let mut n: UInt = 0`. `to_int` and `to_uint`
    /// convert without changing bits.
    ///
    /// ```
    /// # extern crate quadra_dsl as quadra;
    /// use quadra_dsl::prelude::*;
    /// #[kernel]
    /// fn hash(x: Ptr<UInt>) {
    ///     let mut h = *x ^ 0x9e37_79b9;
    ///     h = (h ^ (h >> 16)) * 0x85eb_ca6b;
    ///     *x = h % 1000;
    /// }
    /// # hash().record().unwrap();
    /// ```
    UInt, Type::I32
}

value! {
    /// Sixteen single-precision numbers, one per lane.
    ///
    /// ```
    /// # extern crate quadra_dsl as quadra;
    /// use quadra_dsl::prelude::*;
    /// #[kernel]
    /// fn halve(x: Ptr<Float>) {
    ///     *x = *x * 0.5;
    /// }
    /// # halve().record().unwrap();
    /// ```
    Float, Type::F32
}

value! {
    /// Sixteen truth values, one per lane: what comparisons give and `if` and `while` take.
    ///
    /// An `if` or `while` on a mask runs its body for the lanes where it holds. Where all lanes are known to agree (the
    /// result of [`any`](crate::any) and [`all`](crate::all), comparisons of scalars) it becomes a branch. `& | ^ !`
    /// combine masks of which both sides are evaluated; the right side of `&&` and `||` is evaluated in the lanes that the left
    /// side leaves open, with its loads, stores and calls: `i < n && p.at(i).load_lanes() > 0` stays inside.
    ///
    /// ```
    /// # extern crate quadra_dsl as quadra;
    /// use quadra_dsl::prelude::*;
    /// #[kernel]
    /// fn clamp(x: Ptr<Int>) {
    ///     let mut v = *x;
    ///     if v < 0 || v > 255 {
    ///         v = 0;
    ///     }
    ///     *x = v;
    /// }
    /// # clamp().record().unwrap();
    /// ```
    Mask, Type::BOOL
}

impl Number for Int {
    type Host = i32;
    fn constant(host: i32) -> Const {
        Const::i32(host)
    }
}

impl Number for Float {
    type Host = f32;
    fn constant(host: f32) -> Const {
        Const::f32(host)
    }
}

/// A kernel integer of a Rust one.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn count(out: Ptr<Int>) {
///     let mut n = int(0);
///     while any(n < index()) {
///         n += 1;
///     }
///     *out = n;
/// }
/// # count().record().unwrap();
/// ```
#[track_caller]
pub fn int(value: i32) -> Int {
    Int::from(value)
}

/// A kernel number of a Rust one.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn pi(out: Ptr<Float>) {
///     *out = float(3.14159);
/// }
/// # pi().record().unwrap();
/// ```
#[track_caller]
pub fn float(value: f32) -> Float {
    Float::from(value)
}

macro_rules! from_host {
    ($name:ident, $host:ty, $make:expr) => {
        impl From<$host> for $name {
            #[track_caller]
            fn from(value: $host) -> $name {
                let raw = record::with(Location::caller(), |r| r.constant($make(value)));
                $name { raw }
            }
        }
    };
}
from_host!(Int, i32, Const::i32);
from_host!(Float, f32, Const::f32);
from_host!(Mask, bool, Const::bool);

/// Zero, as a variable that is declared without a value has it.
impl Default for Int {
    #[track_caller]
    fn default() -> Int {
        int(0)
    }
}

/// Zero, as a variable that is declared without a value has it.
impl Default for Float {
    #[track_caller]
    fn default() -> Float {
        float(0.0)
    }
}

/// False in every lane.
impl Default for Mask {
    #[track_caller]
    fn default() -> Mask {
        Mask::from(false)
    }
}

/// Records an operation and gives its result as `T`.
#[track_caller]
pub(crate) fn apply<T: Value>(op: Op, args: &[Raw]) -> T {
    T::from_raw(record::with(Location::caller(), |r| r.op(op, args)))
}

/// What `let x: T = 1` and `x = 1` take a literal to.
#[diagnostic::on_unimplemented(
    message = "a literal of type `{L}` is not a `{Self}`",
    label = "expected `{Self}`",
    note = "write `1.0` for a Float, `1` for an Int"
)]
pub trait Literal<L> {
    /// The literal's value.
    fn literal(literal: L) -> Self;
}

impl Literal<i32> for Int {
    #[track_caller]
    fn literal(literal: i32) -> Int {
        int(literal)
    }
}

impl Literal<f32> for Float {
    #[track_caller]
    fn literal(literal: f32) -> Float {
        float(literal)
    }
}

macro_rules! host_literals {
    ($($t:ty)*) => {$(
        impl Literal<$t> for $t {
            fn literal(literal: $t) -> $t {
                literal
            }
        }
    )*};
}
host_literals!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);
