//! The functions that C calls. Each one looks at its arguments, keeps panics from leaving, and notes what is wrong.

use crate::lend::Loans;
use crate::session::{Failure, NOTHING, Opened, c_text, integer};
use crate::types::{CValue, DeviceRow, Kind, LoopRow, OpenOptions, Status};
use quadra_base::stop::{Reason, Stop};
use quadra_quasar::session::Options;
use quadra_quasar::value::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

/// Arguments or results of a call at most.
const MOST_VALUES: usize = 255;

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
    static DEVICES: RefCell<(Vec<CString>, Vec<DeviceRow>)> = RefCell::default();
}

/// Sessions that are open, by their addresses: what is not among them is no session, whatever the pointer says.
static OPEN: Mutex<BTreeMap<usize, (ThreadId, Stop)>> = Mutex::new(BTreeMap::new());

fn open_ones() -> std::sync::MutexGuard<'static, BTreeMap<usize, (ThreadId, Stop)>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note(text: &str) {
    ERROR.with(|e| *e.borrow_mut() = c_text(text));
}

/// Does the work of a function. A panic is noted as a bug.
fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Status> {
    let (status, why) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => {
            note("");
            return Ok(value);
        }
        Ok(Err(Failure::Program(why))) => (Status::QuadraProgramError, why),
        Ok(Err(Failure::Call(why))) => (Status::QuadraWrongCall, why),
        Err(_) => (Status::QuadraBug, "this is a bug in Quadra".to_string()),
    };
    note(&why);
    Err(status)
}

fn status(result: Result<(), Status>) -> Status {
    result.err().unwrap_or(Status::QuadraSuccess)
}

/// A text of C.
///
/// # Safety
/// The pointer is null, or a text that ends with a zero is there.
unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(format!("{what} is a null pointer").into());
    }
    // SAFETY: as the function demands.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| format!("{what} is not UTF-8").into())
}

/// The session of a handle, for the time of a call.
///
/// # Safety
/// No other reference to the session exists.
unsafe fn opened<'a>(session: *mut Opened) -> Result<&'a mut Opened, Failure> {
    match open_ones().get(&(session as usize)) {
        None if session.is_null() => Err("the session is a null pointer".into()),
        None => Err("this is no session, or one that was closed".into()),
        Some((thread, _)) if *thread != std::thread::current().id() => {
            Err("the session belongs to the thread that opened it".into())
        }
        // SAFETY: it was made by `quadra_session_open`, is not closed, and belongs to this thread, which is in no other call.
        Some(_) => Ok(unsafe { &mut *session }),
    }
}

/// Gives the version of the library, as 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn quadra_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Gives what was wrong with the last call on this thread; an empty text if nothing was.
#[unsafe(no_mangle)]
pub extern "C" fn quadra_error() -> *const c_char {
    ERROR.with(|e| e.borrow().as_ptr())
}

/// Opens a session. The options may be a null pointer. Gives a null pointer if something is wrong with them.
///
/// # Safety
/// The options and the texts in them are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_session_open(options: *const OpenOptions) -> *mut Opened {
    let opened = guarded(|| {
        let mut wanted = Options { device: "auto".into(), ..Options::default() };
        // SAFETY: as this function demands.
        if let Some(given) = unsafe { options.as_ref() } {
            if !given.device.is_null() {
                // SAFETY: as above.
                wanted.device = unsafe { text(given.device, "the device") }?.to_string();
            }
            wanted.double = given.double_precision != 0;
            if given.qpus > 12 {
                return Err(format!("{} QPUs: there are 1 to 12", given.qpus).into());
            }
            wanted.qpus = (given.qpus > 0).then_some(given.qpus);
            if given.max_memory > 0 {
                wanted.max_memory = given.max_memory;
            }
            if given.time_limit != 0.0 {
                let limit = Duration::try_from_secs_f64(given.time_limit);
                wanted.run_limit = Some(limit.map_err(|_| format!("{} is no time", given.time_limit))?);
            }
        }
        let mut opened = Box::new(Opened::new(wanted));
        // A device that cannot be used is told by the first program that runs.
        opened.compile("open", "")?;
        let stop = opened.stop();
        let handle = Box::into_raw(opened);
        open_ones().insert(handle as usize, (std::thread::current().id(), stop));
        Ok(handle)
    });
    opened.unwrap_or(std::ptr::null_mut())
}

/// Closes a session. A null pointer is closed already.
///
/// # Safety
/// What the session gave pointers to is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_session_close(session: *mut Opened) -> Status {
    status(guarded(|| {
        if session.is_null() {
            return Ok(());
        }
        // SAFETY: nobody else is in a call for it.
        let known: *mut Opened = unsafe { opened(session) }?;
        open_ones().remove(&(known as usize));
        // SAFETY: it was made by `Box::into_raw`, and is closed once.
        drop(unsafe { Box::from_raw(known) });
        Ok(())
    }))
}

/// Compiles a program and runs its statements; its functions can be called from then on. `name` is what messages call it.
///
/// # Safety
/// The texts are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_compile(session: *mut Opened, name: *const c_char, program: *const c_char) -> Status {
    // SAFETY: as this function demands.
    status(guarded(|| unsafe { opened(session)?.compile(text(name, "the name")?, text(program, "the program")?) }))
}

/// Compiles the program in a file, which may import others, as quadra_compile() does.
///
/// # Safety
/// The path is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_load(session: *mut Opened, path: *const c_char) -> Status {
    status(guarded(|| {
        // SAFETY: as this function demands.
        let (session, path) = unsafe { (opened(session)?, text(path, "the path")?) };
        let (program, _) = quadra_quasar::load::read(Path::new(path)).map_err(|why| why.message)?;
        session.compile(path, &program)
    }))
}

/// Calls a function of a program with `count` arguments and fills `wanted` results. Arrays among the arguments are read and written in
/// place; arrays among the results belong to the session, or are those of the arguments if the function gives these back. If the
/// call fails, the results are nothing.
///
/// # Safety
/// There are so many arguments and results; arrays and texts among the arguments are there, and nobody else uses the elements meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_call(
    session: *mut Opened,
    function: *const c_char,
    arguments: *const CValue,
    count: usize,
    results: *mut CValue,
    wanted: usize,
) -> Status {
    let place = (!results.is_null() && results.is_aligned() && wanted <= MOST_VALUES)
        // SAFETY: as this function demands. The results need not be set before, and any bits are a value of this type.
        .then(|| unsafe { std::slice::from_raw_parts_mut(results, wanted) });
    status(guarded(|| {
        let results = match place {
            Some(results) => results,
            None if wanted == 0 => &mut [],
            None => {
                return Err(format!("the results are a null pointer, not aligned, or more than {MOST_VALUES}").into());
            }
        };
        results.fill(NOTHING);
        if count > MOST_VALUES || count > 0 && (arguments.is_null() || !arguments.is_aligned()) {
            return Err(format!("the arguments are a null pointer, not aligned, or more than {MOST_VALUES}").into());
        }
        // SAFETY: as this function demands.
        let (session, name) = unsafe { (opened(session)?, text(function, "the function's name")?) };
        let given = match count {
            0 => &[],
            // SAFETY: as this function demands.
            n => unsafe { std::slice::from_raw_parts(arguments, n) },
        };
        let mut loans = Loans::default();
        let mut args = Vec::with_capacity(count);
        for (i, value) in given.iter().enumerate() {
            // SAFETY: as this function demands; the loans end with the call.
            let value = unsafe { argument(value, &mut loans, session.double()) };
            args.push(value.map_err(|why| Failure::Call(format!("argument {}: {why}", i + 1)))?);
        }
        let called = session.call(name, args, &loans, results);
        if called.is_err() {
            results.fill(NOTHING);
        }
        called
    }))
}

/// An argument for a program.
///
/// # Safety
/// Its text or array is there until the loans are dropped.
unsafe fn argument(value: &CValue, loans: &mut Loans, double: bool) -> Result<Value, String> {
    let kind = |k: Kind| value.kind == k as u32;
    if kind(Kind::QuadraNothing) {
        return Ok(Value::Null);
    }
    if kind(Kind::QuadraNumber) {
        return Ok(Value::scalar(value.number, double));
    }
    if kind(Kind::QuadraInteger) {
        return Ok(integer(value.integer));
    }
    if kind(Kind::QuadraComplex) {
        return Ok(Value::complex(value.number, value.imaginary, double));
    }
    if kind(Kind::QuadraText) {
        // SAFETY: as this function demands.
        return match unsafe { text(value.text, "the text") } {
            Ok(text) => Ok(Value::str(text)),
            Err(Failure::Call(why) | Failure::Program(why)) => Err(why),
        };
    }
    if kind(Kind::QuadraArray) {
        // SAFETY: as this function demands.
        return unsafe { loans.lend(&value.array) };
    }
    Err(format!("{} is no quadra_kind", value.kind))
}

/// Gives what programs printed since this was asked last; a null pointer if this is no session.
///
/// # Safety
/// None beyond that of the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_output(session: *mut Opened) -> *const c_char {
    // SAFETY: nobody else is in a call for it.
    guarded(|| unsafe { opened(session) }.map(Opened::output)).unwrap_or(std::ptr::null())
}

/// Gives warnings and notes of the last program or call; a null pointer if this is no session.
///
/// # Safety
/// None beyond that of the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_warnings(session: *mut Opened) -> *const c_char {
    // SAFETY: nobody else is in a call for it.
    guarded(|| unsafe { opened(session) }.map(Opened::warnings)).unwrap_or(std::ptr::null())
}

/// Says of every loop of a program whether it is parallel, without running the program. Gives the loops, and how many there are; a null
/// pointer if the program is wrong.
///
/// # Safety
/// The texts and the count are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_verdicts(
    session: *mut Opened,
    name: *const c_char,
    program: *const c_char,
    count: *mut usize,
) -> *const LoopRow {
    let found = guarded(|| {
        // SAFETY: as this function demands.
        let count = unsafe { count.as_mut() }.ok_or("the count is a null pointer")?;
        *count = 0;
        // SAFETY: as above.
        let rows = unsafe { opened(session)?.verdicts(text(name, "the name")?, text(program, "the program")?) }?;
        *count = rows.len();
        Ok(rows.as_ptr())
    });
    found.unwrap_or(std::ptr::null())
}

/// Lists the devices that kernels may run on, and how many there are.
///
/// # Safety
/// The count is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quadra_devices(count: *mut usize) -> *const DeviceRow {
    let found = guarded(|| {
        // SAFETY: as this function demands.
        let count = unsafe { count.as_mut() }.ok_or("the count is a null pointer")?;
        let mut texts: Vec<CString> = Vec::new();
        let mut keep = |text: &str| {
            texts.push(c_text(text));
            texts[texts.len() - 1].as_ptr()
        };
        let rows: Vec<DeviceRow> = quadra_device::list()
            .into_iter()
            .map(|d| DeviceRow {
                name: keep(d.name),
                about: keep(&d.about),
                unavailable: d.unavailable.map_or(std::ptr::null(), |why| keep(&why)),
            })
            .collect();
        *count = rows.len();
        Ok(DEVICES.with_borrow_mut(|kept| {
            *kept = (texts, rows);
            kept.1.as_ptr()
        }))
    });
    found.unwrap_or(std::ptr::null())
}

/// Has the call that runs for a session end with an error, from another thread or a signal's handler that may wait.
#[unsafe(no_mangle)]
pub extern "C" fn quadra_stop(session: *mut Opened) -> Status {
    status(guarded(|| {
        let stop = open_ones().get(&(session as usize)).map(|open| open.1.clone());
        stop.ok_or("this is no session, or one that was closed")?.request(Reason::Interrupt);
        Ok(())
    }))
}
