//! Synchronisation, the host's attention, and printing.

use crate::codes;
use crate::record::{self, Raw};
use crate::value::{Float, Int, Mask, UInt};
use quadra_kir::Op;
use std::panic::Location;

/// Checks the number of a semaphore and notes that the QPUs of the launch must run together.
#[track_caller]
pub(crate) fn check_semaphore(number: u32) {
    record::with(Location::caller(), |r| {
        if number > 15 {
            record::stop(r.error(codes::NUMBER, format!("semaphores are numbered 0 to 15, not {number}")));
        }
        r.b.kernel().concurrent = true;
    });
}

#[track_caller]
fn ordered(op: Op, number: u32) {
    record::with(Location::caller(), |r| r.b.sync(op, number));
}

/// Increments one of the 16 semaphores, which all QPUs share; waits while it is 15. They start at 0.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn in_turn(out: Ptr<Int>) {
///     if me() != 0 {
///         sema_dec(0);
///     }
///     *out = me();
///     if me() != num_qpus() - 1 {
///         sema_inc(0);
///     }
/// }
/// assert!(in_turn().record().unwrap().concurrent);
/// ```
#[track_caller]
pub fn sema_inc(number: u32) {
    check_semaphore(number);
    ordered(Op::SemaInc, number);
}

/// Decrements one of the 16 semaphores; waits while it is 0.
#[track_caller]
pub fn sema_dec(number: u32) {
    check_semaphore(number);
    ordered(Op::SemaDec, number);
}

/// Signals the host by an interrupt.
#[track_caller]
pub fn host_irq() {
    ordered(Op::HostIrq, 0);
}

/// Puts a remark into listings of the code (`quadra compile --emit asm`), before what follows, at the cost of one empty
/// instruction. A header is a comment at the kernel's start.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn noted(x: Ptr<Float>) {
///     comment("the sum of squares");
///     *x = *x * *x;
/// }
/// # assert!(quadra_kir::print::kernel(&noted().record().unwrap()).contains("the sum of squares"));
/// ```
#[track_caller]
pub fn comment(text: &str) {
    record::with(Location::caller(), |r| r.b.say(Op::Comment, &[], text));
}

/// Runs `body` while no other QPU (or thread) runs such a body: takes the one mutex of the launch, and gives it back when the
/// body's stores have reached memory.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn count(total: Ptr<Int>) {
///     mutex(|| *total = *total + 1);
/// }
/// let total = Buffer::from(vec![0; 16]);
/// count().compile(&*quadra_device::open("emu").unwrap()).unwrap().qpus(12).call((&total,)).unwrap();
/// assert_eq!(total.to_vec(), [12; 16]);
/// ```
#[track_caller]
pub fn mutex<R>(body: impl FnOnce() -> R) -> R {
    let at = Location::caller();
    record::with(at, |r| {
        r.b.kernel().concurrent = true;
        r.b.sync(Op::MutexLock, 0);
    });
    let depth = record::depth();
    let result = body();
    record::with(at, |r| {
        r.only(depth);
        r.b.sync(Op::Flush, 0);
        r.b.sync(Op::MutexUnlock, 0);
    });
    result
}

/// Waits until this QPU's stores have reached memory.
#[track_caller]
pub fn flush() {
    ordered(Op::Flush, 0);
}

/// What [`print`](fn@print) takes: text, kernel values, and tuples of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed by a kernel",
    label = "expected text, Int, Float or Mask"
)]
pub trait Printable {
    /// Appends text, with `{}` for each value.
    fn parts(&self, text: &mut String, values: &mut Vec<Raw>);
}

impl Printable for &str {
    fn parts(&self, text: &mut String, _: &mut Vec<Raw>) {
        // `{}` would stand for a value.
        text.push_str(&self.replace("{}", "{ }").replace("{u}", "{ u}"));
    }
}

macro_rules! printable {
    ($($ty:ty)*) => {$(
        impl Printable for $ty {
            fn parts(&self, text: &mut String, values: &mut Vec<Raw>) {
                text.push_str("{}");
                values.push(self.raw);
            }
        }
    )*};
}
printable!(Int Float Mask);

impl Printable for UInt {
    fn parts(&self, text: &mut String, values: &mut Vec<Raw>) {
        text.push_str("{u}");
        values.push(self.raw);
    }
}

macro_rules! printable_tuples {
    ($($T:ident $i:tt),*) => {
        impl<$($T: Printable),*> Printable for ($($T,)*) {
            fn parts(&self, text: &mut String, values: &mut Vec<Raw>) {
                $(self.$i.parts(text, values);)*
            }
        }
    };
}
printable_tuples!(A 0, B 1);
printable_tuples!(A 0, B 1, C 2);
printable_tuples!(A 0, B 1, C 2, D 3);
printable_tuples!(A 0, B 1, C 2, D 3, E 4);
printable_tuples!(A 0, B 1, C 2, D 3, E 4, F 5);

/// Prints a line of text and values from the running kernel. Devices that cannot print ignore it.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn show(x: Ptr<Float>) {
///     print("starting");
///     print(("x = ", *x, ", lane ", index()));
/// }
/// # show().record().unwrap();
/// ```
#[track_caller]
pub fn print(what: impl Printable) {
    let (mut text, mut values) = (String::new(), Vec::new());
    what.parts(&mut text, &mut values);
    record::with(Location::caller(), |r| {
        let values: Vec<_> = values.into_iter().map(|raw| r.value(raw)).collect();
        r.b.say(Op::Print, &values, text);
    });
}
