//! Pointers, loads and stores.
//!
//! A pointer is a buffer, known while recording, and an index into it per lane. Loads and stores through `*p` and `p[i]`
//! move a row: 16 consecutive words from lane 0's index on. `gather` and `scatter` go by each lane's own index.

use crate::codes;
use crate::elements::{Stored, Word};
use crate::record::{self, Raw, Recorder};
use crate::state::{Fixed, KernelState, Visitor};
use crate::value::{Int, Value as _};
use quadra_kir::{Buf, Const, Mode, Op, Type};
use std::marker::PhantomData;
use std::ops;
use std::panic::Location;

/// A pointer into a buffer, one per lane.
///
/// `p + n`, `p - n` and `p += n` count in elements, and `n` may differ from lane to lane. A pointer parameter points at the
/// first element of its buffer in every lane.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn reverse(x: Ptr<Int>, out: Ptr<Int>) {
///     let p = x + (15 - index());
///     *out = p.load_lanes();      // each lane its own element
///     out[16] = x[16];            // 16 consecutive elements from element 16 on
/// }
/// # reverse().record().unwrap();
/// ```
#[derive(Clone, Copy)]
pub struct Ptr<T> {
    buf: Buf,
    index: Raw,
    element: PhantomData<T>,
}

impl<T> std::fmt::Debug for Ptr<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ptr({:?}, {:?})", self.buf, self.index)
    }
}

impl<T> KernelState for Ptr<T> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        visitor.fixed(Fixed::Buffer, self.buf.index() as u64);
        visitor.leaf(&mut self.index, Type::I32);
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        visitor.fixed(Fixed::Buffer, self.buf.index() as u64);
        visitor.shared_leaf(self.index);
    }
}

/// The index of each lane's element in the row that starts at lane 0's index.
fn row(r: &mut Recorder, index: Raw, stride: Option<Raw>) -> Raw {
    let first = if r.known_uniform(index) {
        index
    } else {
        let lane0 = r.constant(Const::i32(0));
        r.op(Op::Broadcast, &[index, lane0])
    };
    let lane = r.axis(Op::Lane, 0);
    let offset = match stride {
        Some(stride) => r.op(Op::Mul, &[lane, stride]),
        None => lane,
    };
    r.op(Op::Add, &[first, offset])
}

impl<T: Stored> Ptr<T> {
    /// A pointer to the start of a buffer, in every lane.
    pub(crate) fn to_start(buf: Buf, zero: Raw) -> Ptr<T> {
        Ptr { buf, index: zero, element: PhantomData }
    }

    /// The pointer `n` elements on.
    #[track_caller]
    pub fn at(self, n: impl Into<Int>) -> Ptr<T> {
        self + n.into()
    }

    /// The buffer it points into.
    pub(crate) fn buffer(self) -> Buf {
        self.buf
    }

    /// Each lane's index into the buffer.
    pub fn index(self) -> Int {
        Int { raw: self.index }
    }

    fn read(self, r: &mut Recorder, index: Raw, mode: Mode) -> T::Value {
        r.count();
        r.uses[self.buf.index()].read = true;
        let index = r.value(index);
        let value = r.b.load(self.buf, mode, &[index]);
        let value = r.handle(value, false);
        T::Value::from_raw(match T::KEPT {
            Some(bits) => {
                let bits = r.constant(Const::i32(bits as i32));
                r.op(Op::And, &[value, bits])
            }
            None => value,
        })
    }

    fn write(self, r: &mut Recorder, index: Raw, value: T::Value) {
        r.count();
        r.uses[self.buf.index()].written = true;
        let (index, value) = (r.value(index), r.value(value.raw()));
        r.b.store(self.buf, Mode::Unchecked, &[index], value);
    }

    /// `*p`: 16 consecutive elements from lane 0's element on, at the stride of [`set_read_stride`].
    #[track_caller]
    pub fn load(self) -> T::Value {
        record::with(Location::caller(), |r| {
            let stride = r.read_stride;
            let index = row(r, self.index, stride);
            self.read(r, index, Mode::Unchecked)
        })
    }

    /// `*p = x`: writes the live lanes of 16 consecutive elements from lane 0's element on, at the stride of
    /// [`set_write_stride`].
    #[track_caller]
    pub fn store(self, value: T::Value) {
        record::with(Location::caller(), |r| {
            let stride = r.write_stride;
            let index = row(r, self.index, stride);
            self.write(r, index, value);
        });
    }

    /// 16 elements from lane 0's element on, `stride` elements apart.
    #[track_caller]
    pub fn load_strided(self, stride: impl Into<Int>) -> T::Value {
        let stride = stride.into().raw;
        record::with(Location::caller(), |r| {
            let index = row(r, self.index, Some(stride));
            self.read(r, index, Mode::Unchecked)
        })
    }

    /// Writes the live lanes of 16 elements from lane 0's element on, `stride` elements apart.
    #[track_caller]
    pub fn store_strided(self, value: T::Value, stride: impl Into<Int>) {
        let stride = stride.into().raw;
        record::with(Location::caller(), |r| {
            let index = row(r, self.index, Some(stride));
            self.write(r, index, value);
        });
    }

    /// Each lane's own element.
    #[track_caller]
    pub fn load_lanes(self) -> T::Value {
        record::with(Location::caller(), |r| self.read(r, self.index, Mode::Unchecked))
    }

    /// Writes each live lane's own element. Lanes that write the same element leave the value of one of them.
    #[track_caller]
    pub fn scatter(self, value: T::Value) {
        record::with(Location::caller(), |r| self.write(r, self.index, value));
    }
}

/// Writes `x` to 16 consecutive elements from lane 0's on, as `*p = x`, and does not wait for memory.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn copy(x: Ptr<Float>, y: Ptr<Float>) {
///     store(*x, y);
/// }
/// # copy().record().unwrap();
/// ```
#[track_caller]
pub fn store<T: Stored>(x: T::Value, p: Ptr<T>) {
    p.store(x);
}

/// Asks memory for each lane's own element; [`receive`] gets it. At most 4 requests may wait, and each must be received.
/// A request may run up to 4 KiB past the end of its buffer, where it gives zeros.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn add(x: Ptr<Int>, y: Ptr<Int>) {
///     gather(x + index());
///     gather(y + index());
///     let mut a: Int = 0;
///     receive(&mut a);
///     let b: Int = received();
///     *x = a + b;
/// }
/// # add().record().unwrap();
/// ```
#[track_caller]
pub fn gather<T: Word>(p: Ptr<T>) {
    record::with(Location::caller(), |r| {
        r.count();
        r.uses[p.buf.index()].read = true;
        let index = r.value(p.index);
        r.b.request(p.buf, &[index]);
    });
}

/// As two calls of [`gather`].
#[track_caller]
pub fn gather2<T: Word, U: Word>(p: Ptr<T>, q: Ptr<U>) {
    gather(p);
    gather(q);
}

/// The elements of the oldest [`gather`] that waits, as a value.
#[track_caller]
pub fn received<T: Word>() -> T {
    record::with(Location::caller(), |r| {
        r.count();
        let value = r.b.receive(T::ELEM);
        T::from_raw(r.handle(value, false))
    })
}

/// Puts the elements of the oldest [`gather`] that waits into `x`.
#[track_caller]
pub fn receive<T: Word>(x: &mut T) {
    *x = received();
}

/// Puts the elements that `p` points at, lane by lane, into `x` and moves `p` on by 16; the compiler asks for them as early
/// as it can. As a gather, this may run up to 4 KiB past the end of the buffer.
#[track_caller]
pub fn prefetch<T: Word>(x: &mut T, p: &mut Ptr<T>) {
    *x = record::with(Location::caller(), |r| p.read(r, p.index, Mode::Guarded));
    *p += 16;
}

#[track_caller]
fn stride(set: impl FnOnce(&mut Recorder, Option<Raw>), n: Int, what: &str) {
    record::with(Location::caller(), |r| {
        if !r.control.is_empty() {
            record::stop(
                r.error(codes::STRIDE, format!("the {what} stride changes under kernel control flow"))
                    .help("use `load_strided` and `store_strided` there"),
            );
        }
        let one = r.constant(Const::i32(1));
        set(r, (one != n.raw).then_some(n.raw));
    });
}

/// From here on `*p` and `p[i]` load elements that lie `n` apart; 1 at the start.
#[track_caller]
pub fn set_read_stride(n: impl Into<Int>) {
    stride(|r, n| r.read_stride = n, n.into(), "read");
}

/// From here on `*p = x`, `p[i] = x` and `store(x, p)` write elements that lie `n` apart; 1 at the start.
#[track_caller]
pub fn set_write_stride(n: impl Into<Int>) {
    stride(|r, n| r.write_stride = n, n.into(), "write");
}

macro_rules! arithmetic {
    ($($other:ty),*) => {$(
        impl<T> ops::Add<$other> for Ptr<T> {
            type Output = Ptr<T>;
            #[track_caller]
            fn add(self, n: $other) -> Ptr<T> {
                let index = Int { raw: self.index } + n;
                Ptr { index: index.raw, ..self }
            }
        }
        impl<T> ops::Sub<$other> for Ptr<T> {
            type Output = Ptr<T>;
            #[track_caller]
            fn sub(self, n: $other) -> Ptr<T> {
                let index = Int { raw: self.index } - n;
                Ptr { index: index.raw, ..self }
            }
        }
        impl<T> ops::AddAssign<$other> for Ptr<T> {
            #[track_caller]
            fn add_assign(&mut self, n: $other) {
                self.index = (Int { raw: self.index } + n).raw;
            }
        }
        impl<T> ops::SubAssign<$other> for Ptr<T> {
            #[track_caller]
            fn sub_assign(&mut self, n: $other) {
                self.index = (Int { raw: self.index } - n).raw;
            }
        }
    )*};
}
arithmetic!(Int, i32);

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
            let index = row(r, self.ptr.index, stride);
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
    type Element: Stored;
    fn element(self, i: I) -> Loaded<<Self::Element as Stored>::Value>;
    fn element_assignee(self, i: I) -> Slot<Self::Element>;
    fn element_updatee(self, i: I) -> Slot<Self::Element>;
}

impl<T: Stored, I: Into<Int>> PtrIndex<I> for Ptr<T> {
    type Element = T;
    #[track_caller]
    fn element(self, i: I) -> Loaded<T::Value> {
        Loaded((self + i.into()).load())
    }
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
