//! Parameters of kernels and arguments of launches.

use crate::elements::{Half, Stored};
use crate::ptr::Ptr;
use crate::record;
use crate::table::{self, Table};
use crate::value::{Float, Int, UInt, Value};
use quadra_device::{Argument, Buffer, f16};
use quadra_kir::{Access, Const, Elem};
use std::panic::Location;

/// A type that a kernel's parameter can have: `Int`, `UInt`, `Float`, `Ptr` to these, `i8`, `i16`, `Half`, `u8` or `u16`, and
/// `Ptr` to such a `Ptr`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "expected `Int`, `UInt`, `Float`, or a `Ptr` such as `Ptr<Float>`",
    note = "mark parameters of Rust types, which are given when the kernel is recorded, with `#[host]`"
)]
pub trait Parameter: Sized {
    /// Declares the next parameter of the kernel that is being recorded.
    fn declare(name: &str) -> Self;

    /// Declares what it needs besides, behind all parameters.
    fn declare_more(&self, _name: &str) {}
}

macro_rules! scalar {
    ($($ty:ident),*) => {$(
        impl Parameter for $ty {
            #[track_caller]
            fn declare(name: &str) -> $ty {
                record::with(Location::caller(), |r| {
                    let value = r.b.scalar(name, <$ty as Value>::TYPE);
                    $ty { raw: r.handle(value, true) }
                })
            }
        }
    )*};
}
scalar!(Int, UInt, Float);

impl<T: Stored> Parameter for Ptr<T> {
    #[track_caller]
    fn declare(name: &str) -> Ptr<T> {
        record::with(Location::caller(), |r| {
            let buf = r.b.buffer(name, T::ELEM, 1, Access::ReadWrite);
            r.uses.push(record::Uses::default());
            Ptr::to(buf, r.constant(Const::i32(0)))
        })
    }
}

impl<T: Stored> Parameter for Ptr<Ptr<T>> {
    #[track_caller]
    fn declare(name: &str) -> Ptr<Ptr<T>> {
        let elements = Ptr::<T>::declare(name);
        Ptr::to(elements.buffer(), elements.index)
    }

    fn declare_more(&self, name: &str) {
        record::with(Location::caller(), |r| {
            let starts = r.b.buffer(&table::starts_of(name), Elem::I32, 1, Access::Read);
            r.uses.push(record::Uses::default());
            r.tables.insert(self.buffer(), starts);
        });
    }
}

/// Tuples of up to 64 parameters.
pub trait Parameters: Sized {
    /// Declares them in order.
    fn declare(names: &[&str]) -> Self;
}

/// An argument that fits a parameter of type `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument for a parameter of type `{P}`",
    label = "wrong argument type",
    note = "`Int` takes i32, `UInt` u32, `Float` f32; `Ptr<Int>` takes &Buffer<i32>, `Ptr<UInt>` &Buffer<u32>, `Ptr<Float>` &Buffer<f32>, `Ptr<i8>` &Buffer<i8>, `Ptr<i16>` &Buffer<i16>, `Ptr<u8>` &Buffer<u8>, `Ptr<u16>` &Buffer<u16>, `Ptr<Half>` &Buffer<f16>, and `Ptr<Ptr<Int>>` &Table<i32>"
)]
pub trait ArgumentFor<P> {
    /// As the device takes it, and what stands behind all arguments for it.
    fn into_argument(self) -> (Argument, Option<Argument>);
}

impl ArgumentFor<Int> for i32 {
    fn into_argument(self) -> (Argument, Option<Argument>) {
        (self.into(), None)
    }
}

impl ArgumentFor<UInt> for u32 {
    fn into_argument(self) -> (Argument, Option<Argument>) {
        ((self as i32).into(), None)
    }
}

impl ArgumentFor<Float> for f32 {
    fn into_argument(self) -> (Argument, Option<Argument>) {
        (self.into(), None)
    }
}

macro_rules! buffers {
    ($($reference:ty => $ty:ty),*) => {$(
        impl ArgumentFor<Ptr<$ty>> for $reference {
            fn into_argument(self) -> (Argument, Option<Argument>) {
                (self.into(), None)
            }
        }
    )*};
}
buffers!(
    &Buffer<i32> => Int, &mut Buffer<i32> => Int, &Buffer<u32> => UInt, &mut Buffer<u32> => UInt,
    &Buffer<f32> => Float, &mut Buffer<f32> => Float, &Buffer<i8> => i8, &mut Buffer<i8> => i8,
    &Buffer<u8> => u8, &mut Buffer<u8> => u8, &Buffer<u16> => u16, &mut Buffer<u16> => u16,
    &Buffer<i16> => i16, &mut Buffer<i16> => i16, &Buffer<f16> => Half, &mut Buffer<f16> => Half
);

macro_rules! tables {
    ($($element:ty => $ty:ty),*) => {$(
        impl ArgumentFor<Ptr<Ptr<$ty>>> for &Table<$element> {
            fn into_argument(self) -> (Argument, Option<Argument>) {
                let (elements, starts) = self.arguments();
                (elements, Some(starts))
            }
        }
        impl ArgumentFor<Ptr<Ptr<$ty>>> for &mut Table<$element> {
            fn into_argument(self) -> (Argument, Option<Argument>) {
                (&*self).into_argument()
            }
        }
    )*};
}
tables!(i32 => Int, u32 => UInt, f32 => Float, i8 => i8, u8 => u8, u16 => u16, i16 => i16, f16 => Half);

/// Arguments that fit the parameters `P`, in order.
#[diagnostic::on_unimplemented(
    message = "these arguments do not fit the kernel's parameters `{P}`",
    label = "expected as many arguments as the kernel has parameters"
)]
pub trait Arguments<P> {
    /// As the device takes them.
    fn into_arguments(self) -> Vec<Argument>;
}

macro_rules! tuples {
    ($(($P:ident $A:ident $i:tt))*) => {
        impl<$($P: Parameter),*> Parameters for ($($P,)*) {
            #[allow(unused_variables, clippy::unused_unit)]
            fn declare(names: &[&str]) -> Self {
                let all: Self = ($($P::declare(names[$i]),)*);
                $(all.$i.declare_more(names[$i]);)*
                all
            }
        }
        impl<$($P, $A: ArgumentFor<$P>),*> Arguments<($($P,)*)> for ($($A,)*) {
            fn into_arguments(self) -> Vec<Argument> {
                let given: Vec<(Argument, Option<Argument>)> = vec![$(self.$i.into_argument()),*];
                let (mut all, more): (Vec<_>, Vec<_>) = given.into_iter().unzip();
                all.extend(more.into_iter().flatten());
                all
            }
        }
    };
}

/// All beginnings of a list.
macro_rules! each_length {
    ([$($done:tt)*]) => { tuples!($($done)*); };
    ([$($done:tt)*] $next:tt $($rest:tt)*) => {
        tuples!($($done)*);
        each_length!([$($done)* $next] $($rest)*);
    };
}
each_length! { []
    (P0 A0 0) (P1 A1 1) (P2 A2 2) (P3 A3 3) (P4 A4 4) (P5 A5 5) (P6 A6 6) (P7 A7 7)
    (P8 A8 8) (P9 A9 9) (P10 A10 10) (P11 A11 11) (P12 A12 12) (P13 A13 13) (P14 A14 14) (P15 A15 15)
    (P16 A16 16) (P17 A17 17) (P18 A18 18) (P19 A19 19) (P20 A20 20) (P21 A21 21) (P22 A22 22) (P23 A23 23)
    (P24 A24 24) (P25 A25 25) (P26 A26 26) (P27 A27 27) (P28 A28 28) (P29 A29 29) (P30 A30 30) (P31 A31 31)
    (P32 A32 32) (P33 A33 33) (P34 A34 34) (P35 A35 35) (P36 A36 36) (P37 A37 37) (P38 A38 38) (P39 A39 39)
    (P40 A40 40) (P41 A41 41) (P42 A42 42) (P43 A43 43) (P44 A44 44) (P45 A45 45) (P46 A46 46) (P47 A47 47)
    (P48 A48 48) (P49 A49 49) (P50 A50 50) (P51 A51 51) (P52 A52 52) (P53 A53 53) (P54 A54 54) (P55 A55 55)
    (P56 A56 56) (P57 A57 57) (P58 A58 58) (P59 A59 59) (P60 A60 60) (P61 A61 61) (P62 A62 62) (P63 A63 63)
}
