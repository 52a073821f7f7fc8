//! `*p`, `p[i]`, `*p = x` and `p[i] = x`: what the macro makes of them, for kernel pointers and for everything else.

use crate::elements::Stored;
use crate::ptr::{self, Ptr};
use crate::record;
use crate::value::Int;
use std::ops;
use std::panic::Location;

/// A value that was loaded through a pointer: what `*p` is made of.
pub struct Loaded<T>(T);

impl<T> ops::Deref for Loaded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// What `*p = x` assigns to: stores where it is dropped.
pub struct Slot<T: Stored> {
    ptr: Ptr<T>,
    value: T::Value,
    at: &'static Location<'static>,
}

impl<T: Stored> ops::Deref for Slot<T> {
    type Target = T::Value;
    fn deref(&self) -> &T::Value {
        &self.value
    }
}

impl<T: Stored> ops::DerefMut for Slot<T> {
    fn deref_mut(&mut self) -> &mut T::Value {
        &mut self.value
    }
}

impl<T: Stored> Drop for Slot<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        record::with(self.at, |r| {
            let stride = r.write_stride;
            let index = ptr::row(r, self.ptr.index, stride);
            self.ptr.write(r, index, self.value);
        });
    }
}

impl<T: Stored> Slot<T> {
    #[track_caller]
    fn new(ptr: Ptr<T>, load: bool) -> Slot<T> {
        let value = if load { ptr.load() } else { T::Value::default() };
        Slot { ptr, value, at: Location::caller() }
    }
}

/// `*e` as a value: first choice for pointers. The macro writes `*(&Deref(&e)).deref()`.
pub struct Star<'a, E: ?Sized>(pub &'a E);

/// `*p` of a kernel pointer.
pub trait StarPtr {
    type Place;
    fn star(&self) -> Self::Place;
}

impl<T: Stored> StarPtr for &Star<'_, Ptr<T>> {
    type Place = Loaded<T::Value>;
    #[track_caller]
    fn star(&self) -> Loaded<T::Value> {
        Loaded(self.0.load())
    }
}

impl<T: Stored> StarPtr for &Star<'_, Ptr<Ptr<T>>> {
    type Place = Loaded<Ptr<T>>;
    #[track_caller]
    fn star(&self) -> Loaded<Ptr<T>> {
        Loaded(self.0.load())
    }
}

/// `*r` of everything else.
pub trait StarRef<'a> {
    type Target: ?Sized;
    fn star(&self) -> &'a Self::Target;
}

impl<'a, E: ops::Deref + ?Sized> StarRef<'a> for Star<'a, E> {
    type Target = E::Target;
    fn star(&self) -> &'a E::Target {
        self.0
    }
}

/// `*e = x`, by the type of `e`: a kernel pointer gives a [`Slot`], a Rust reference itself.
pub trait Assignee: Sized {
    type Place;
    /// For `*e = x`.
    fn assignee(self) -> Self::Place;
    /// For `*e += x`.
    fn updatee(self) -> Self::Place;
}

impl<T: Stored> Assignee for Ptr<T> {
    type Place = Slot<T>;
    #[track_caller]
    fn assignee(self) -> Slot<T> {
        Slot::new(self, false)
    }
    #[track_caller]
    fn updatee(self) -> Slot<T> {
        Slot::new(self, true)
    }
}

impl<'a, T: ?Sized> Assignee for &'a mut T {
    type Place = &'a mut T;
    fn assignee(self) -> &'a mut T {
        self
    }
    fn updatee(self) -> &'a mut T {
        self
    }
}

/// `p[i]` of a kernel pointer.
pub trait PtrIndex<I> {
    type Place;
    fn element(self, i: I) -> Self::Place;
}

impl<T: Stored, I: Into<Int>> PtrIndex<I> for Ptr<T> {
    type Place = Loaded<T::Value>;
    #[track_caller]
    fn element(self, i: I) -> Loaded<T::Value> {
        Loaded((self + i.into()).load())
    }
}

impl<T: Stored, I: Into<Int>> PtrIndex<I> for Ptr<Ptr<T>> {
    type Place = Loaded<Ptr<T>>;
    #[track_caller]
    fn element(self, i: I) -> Loaded<Ptr<T>> {
        Loaded((self + i.into()).load())
    }
}

/// `p[i] = x` of a kernel pointer.
pub trait PtrIndexMut<I> {
    type Element: Stored;
    fn element_assignee(self, i: I) -> Slot<Self::Element>;
    fn element_updatee(self, i: I) -> Slot<Self::Element>;
}

impl<T: Stored, I: Into<Int>> PtrIndexMut<I> for Ptr<T> {
    type Element = T;
    #[track_caller]
    fn element_assignee(self, i: I) -> Slot<T> {
        Slot::new(self + i.into(), false)
    }
    #[track_caller]
    fn element_updatee(self, i: I) -> Slot<T> {
        Slot::new(self + i.into(), true)
    }
}

/// `a[i]` of everything else.
pub trait HostIndex<I> {
    type Output: ?Sized;
    fn element(&self, i: I) -> &Self::Output;
}

impl<A: ops::Index<I> + ?Sized, I> HostIndex<I> for A {
    type Output = A::Output;
    #[track_caller]
    fn element(&self, i: I) -> &A::Output {
        &self[i]
    }
}

/// `a[i] = x` of everything else.
pub trait HostIndexMut<I> {
    type Output: ?Sized;
    fn element_assignee(&mut self, i: I) -> &mut Self::Output;
    fn element_updatee(&mut self, i: I) -> &mut Self::Output;
}

impl<A: ops::IndexMut<I> + ?Sized, I> HostIndexMut<I> for A {
    type Output = A::Output;
    #[track_caller]
    fn element_assignee(&mut self, i: I) -> &mut A::Output {
        &mut self[i]
    }
    #[track_caller]
    fn element_updatee(&mut self, i: I) -> &mut A::Output {
        &mut self[i]
    }
}
