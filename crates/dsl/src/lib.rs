//! Internal crate of Quadra: no stable interface.
//!
//! Kernels written in Rust.
//!
//! A kernel is a Rust function with the attribute [`kernel`](macro@kernel). Its values are [`Int`], [`UInt`] and [`Float`]: sixteen 32-bit numbers,
//! one per lane; its parameters are those and pointers to them, [`Ptr`]. Called on the host, the function gives a
//! [`Kernel`], which is compiled for a device and launched on buffers:
//!
//! ```
//! # extern crate quadra_dsl as quadra;
//! use quadra_dsl::prelude::*;
//!
//! #[kernel]
//! fn gcd(p: Ptr<Int>, q: Ptr<Int>, r: Ptr<Int>) {
//!     let mut a = *p;
//!     let mut b = *q;
//!     while any(a != b) {
//!         if a > b {
//!             a = a - b;
//!         }
//!         if a < b {
//!             b = b - a;
//!         }
//!     }
//!     *r = a;
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let device = quadra_device::open("interp")?;
//! let a = Buffer::from((1..17).map(|i| 6 * i).collect::<Vec<i32>>());
//! let b = Buffer::from(vec![84; 16]);
//! let r = Buffer::<i32>::new(16);
//! let k = gcd().compile(&*device)?;
//! k.call((&a, &b, &r))?;
//! assert_eq!(r.to_vec()[..4], [6, 12, 6, 12]);
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//! The function is ordinary Rust that runs once, while the kernel is **recorded**: every operation on a kernel value writes
//! an instruction of the kernel IR. Rust is therefore the language's macro system. What Rust values decide happens while
//! recording: `if unroll`, `for i in 0..4`, function calls, vectors, closures. What kernel values decide happens in the
//! kernel:
//!
//! | in a kernel | means |
//! |---|---|
//! | `if a > b { … } else { … }` | for the lanes where it holds, and for the others |
//! | `while a != b { … }` | each lane until it is done |
//! | `a > b && p.at(a).load_lanes() > 0` | the right side for the lanes where the left one holds |
//! | `while any(a != b) { … }` | all lanes as long as one has work |
//! | `for i in range(lo, hi, step)` | a loop of the kernel |
//! | `for i in 0..4`, `if flag` | now: unrolled, chosen |
//! | `break`, `continue`, `return`, labels | as in Rust, lane by lane; in a Rust loop they mean the Rust loop |
//! | `*p`, `p[i]`, `*p = x`, `p[i] = x` | 16 consecutive words from lane 0's address on |
//! | `p.load_lanes()`, `p.scatter(x)` | each lane its own word |
//! | `pp[k]` of a `Ptr<Ptr<T>>` | 16 consecutive pointers of a [`Table`]; `(pp + k).load_lanes()`: each lane its own |
//! | `gather(p)`, `receive(&mut x)` | ask now, take later; at most 4 wait |
//! | `assert!(i < n, "too far")`, `assert_eq!(a, b)` | stops the launch where it fails in a live lane |
//! | `let t = a`, `a = b`, `swap`, `&mut a`, structs, arrays | Rust's own value semantics |
//!
//! The attribute rewrites only what Rust cannot overload: control flow, comparisons, `&& ||`, and places behind kernel
//! pointers. Functions that contain such things carry [`kernel_fn`]; others need nothing. They are inlined.
//!
//! # Variables
//! A kernel value is a handle that never changes; a variable changes by holding another handle. So copies, moves and swaps
//! are right by themselves. Around each kernel `if` and loop the recording reads the handles of every variable that the
//! body may change, and merges them afterwards; [`KernelState`] says where in a type they are. Structs derive it:
//!
//! ```
//! # extern crate quadra_dsl as quadra;
//! use quadra_dsl::prelude::*;
//!
//! #[derive(Clone, Copy, KernelState)]
//! struct Counter {
//!     n: Int,
//!     limit: Int,
//! }
//!
//! #[kernel_fn]
//! impl Counter {
//!     fn bump(&mut self) {
//!         if self.n < self.limit {
//!             self.n += 1;
//!         }
//!     }
//! }
//!
//! #[kernel]
//! fn count(rounds: Int, out: Ptr<Int>) {
//!     let mut c = Counter { n: int(0), limit: index() };
//!     for _ in range(0, rounds, 1) {
//!         c.bump();
//!     }
//!     *out = c.n;
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let device = quadra_device::open("interp")?;
//! let out = Buffer::<i32>::new(16);
//! count().compile(&*device)?.call((5, &out))?;
//! assert_eq!(out.to_vec(), [0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
//! # Ok(())
//! # }
//! ```
//!
//! Types whose kernel values the recording cannot see do not compile under kernel control flow, and Rust variables that
//! would change there are an error of the recording, with the line. A variable of type `Int` is written
//! `let mut n: Int = 0` or `let mut n = int(0)`; plain `let mut n = 0` is a Rust number.
//!
//! # Items
//! A kernel that asks for its [`item`] is launched over an extent, one item per lane, on as many QPUs as it is given:
//!
//! ```
//! # extern crate quadra_dsl as quadra;
//! use quadra_dsl::prelude::*;
//!
//! #[kernel]
//! fn axpy(a: Float, x: Ptr<Float>, y: Ptr<Float>) {
//!     let (p, q) = (x + item(), y + item());
//!     q.scatter(a * p.load_lanes() + q.load_lanes());
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let device = quadra_device::open("interp")?;
//! let (x, y) = (Buffer::from(vec![1.0; 100]), Buffer::from(vec![0.5; 100]));
//! axpy().compile(&*device)?.over(100).call((2.0, &x, &y))?;
//! assert_eq!(y.to_vec(), [2.5; 100]);
//! # Ok(())
//! # }
//! ```
//!
//! # Reading order
//! [`value`], [`ops`], [`math`], [`unsigned`], [`lanes`], [`elements`], [`ptr`], [`table`], [`sync`], [`mod@groups`] are the language; [`kernel`](mod@kernel) and
//! [`args`] the host's side; `record`, [`state`], `exits`, [`flow`] and [`loops`] how it is recorded.
#![forbid(unsafe_code)]

mod record;
pub mod value;
pub mod ops;
pub mod math;
pub mod unsigned;
pub mod lanes;
pub mod elements;
pub mod ptr;
pub mod places;
pub mod table;
pub mod atomics;
pub mod sync;
pub mod groups;
pub mod state;
mod exits;
pub mod flow;
mod logic;
pub mod loops;
pub mod args;
pub mod kernel;
pub mod codes;
#[doc(hidden)]
pub mod rt;

pub use elements::Half;
pub use groups::{barrier, group, group_at, group_number, groups, local_at, private, shared};
pub use kernel::{Compiled, Error, Kernel};
pub use lanes::*;
pub use math::*;
pub use ptr::{Ptr, gather, gather2, prefetch, receive, received, set_read_stride, set_write_stride, store};
pub use quadra_dsl_macros::{KernelState, kernel, kernel_fn};
pub use record::Raw;
pub use state::KernelState;
pub use sync::*;
pub use table::Table;
pub use unsigned::uint;
pub use value::{Float, Int, Mask, UInt, float, int};

/// Everything a file with kernels needs.
pub mod prelude {
    pub use crate::elements::Half;
    pub use crate::groups::{barrier, group, group_at, group_number, groups, local_at, private, shared};
    pub use crate::kernel::{Compiled, Error, Kernel};
    pub use crate::lanes::{
        all, any, broadcast, extent, index, item, item_at, me, num_qpus, range, rotate, rotate_sum, set_at, sync_qpus,
    };
    pub use crate::math::*;
    pub use crate::ptr::{Ptr, gather, gather2, prefetch, receive, received, set_read_stride, set_write_stride, store};
    pub use crate::state::KernelState;
    pub use crate::sync::{comment, flush, host_irq, mutex, print, sema_dec, sema_inc};
    pub use crate::table::Table;
    pub use crate::unsigned::uint;
    pub use crate::value::{Float, Int, Mask, UInt, float, int};
    pub use quadra_device::Buffer;
    pub use quadra_dsl_macros::{KernelState, kernel, kernel_fn};
}
