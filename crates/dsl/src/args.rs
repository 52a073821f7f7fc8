//! Parameters of kernels and arguments of launches.

use crate::elements::{Byte, Half, Short, Stored};
use crate::ptr::Ptr;
use crate::record;
use crate::value::{Float, Int, Value};
use quadra_device::{Argument, Buffer, f16};
use quadra_kir::{Access, Const};
use std::panic::Location;

/// A type that a kernel's parameter can have: `Int`, `Float`, and `Ptr` to these, `Byte`, `Short` or `Half`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "expected `Int`, `Float`, `Ptr<Int>` or `Ptr<Float>`",
    note = "mark parameters of Rust types, which are given when the kernel is recorded, with `#[host]`"
)]
pub trait Parameter: Sized {
    /// Declares the next parameter of the kernel that is being recorded.
    fn declare(name: &str) -> Self;
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
scalar!(Int, Float);

impl<T: Stored> Parameter for Ptr<T> {
    #[track_caller]
    fn declare(name: &str) -> Ptr<T> {
        record::with(Location::caller(), |r| {
            let buf = r.b.buffer(name, T::ELEM, 1, Access::ReadWrite);
            r.uses.push(record::Uses::default());
            Ptr::to_start(buf, r.constant(Const::i32(0)))
        })
    }
}

/// Tuples of up to 12 parameters.
pub trait Parameters: Sized {
    /// Declares them in order.
    fn declare(names: &[&str]) -> Self;
}

/// An argument that fits a parameter of type `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument for a parameter of type `{P}`",
    label = "wrong argument type",
    note = "`Int` takes i32, `Float` takes f32, `Ptr<Int>` takes &Buffer<i32>, `Ptr<Float>` takes &Buffer<f32>, `Ptr<Byte>` takes &Buffer<i8>, `Ptr<Short>` takes &Buffer<i16>, `Ptr<Half>` takes &Buffer<f16>"
)]
pub trait ArgumentFor<P> {
    /// As the device takes it.
    fn into_argument(self) -> Argument;
}

impl ArgumentFor<Int> for i32 {
    fn into_argument(self) -> Argument {
        self.into()
    }
}

impl ArgumentFor<Float> for f32 {
    fn into_argument(self) -> Argument {
        self.into()
    }
}

macro_rules! buffers {
    ($($reference:ty => $ty:ty),*) => {$(
        impl ArgumentFor<Ptr<$ty>> for $reference {
            fn into_argument(self) -> Argument {
                self.into()
            }
        }
    )*};
}
buffers!(
    &Buffer<i32> => Int, &mut Buffer<i32> => Int, &Buffer<u32> => Int, &mut Buffer<u32> => Int,
    &Buffer<f32> => Float, &mut Buffer<f32> => Float, &Buffer<i8> => Byte, &mut Buffer<i8> => Byte,
    &Buffer<i16> => Short, &mut Buffer<i16> => Short, &Buffer<f16> => Half, &mut Buffer<f16> => Half
);

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
    ($($P:ident $A:ident $i:tt),*) => {
        impl<$($P: Parameter),*> Parameters for ($($P,)*) {
            #[allow(unused_variables, clippy::unused_unit)]
            fn declare(names: &[&str]) -> Self {
                ($($P::declare(names[$i]),)*)
            }
        }
        impl<$($P, $A: ArgumentFor<$P>),*> Arguments<($($P,)*)> for ($($A,)*) {
            fn into_arguments(self) -> Vec<Argument> {
                vec![$(self.$i.into_argument()),*]
            }
        }
    };
}
tuples!();
tuples!(P0 A0 0);
tuples!(P0 A0 0, P1 A1 1);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10);
tuples!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10, P11 A11 11);
