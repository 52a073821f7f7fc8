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
    pub(crate) index: Raw,
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
pub(crate) fn row(r: &mut Recorder, index: Raw, stride: Option<Raw>) -> Raw {
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

impl<T> Ptr<T> {
    /// A pointer to an element of a buffer, by its index in each lane.
    pub(crate) fn to(buf: Buf, index: Raw) -> Ptr<T> {
        Ptr { buf, index, element: PhantomData }
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
}

impl<T: Stored> Ptr<T> {
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

    pub(crate) fn write(self, r: &mut Recorder, index: Raw, value: T::Value) {
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
