//! The compiler's side: a process that is this same program, started by `compiler`, which compiles and does nothing else.
//!
//! A library has no `main` to put that into, and its users should not have to call anything from theirs. So the loader calls
//! [`begin`] before `main` in every process with this library; it returns at once unless the process was started as a
//! compiler, in which case it never does.

use super::contain;
use super::library::Library;
use super::wire::{self, GREETING, Reply, Request};
use std::ffi::c_int;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The environment variable of a process that is to be a compiler; its standard input is the socket.
pub const VARIABLE: &str = "QUADRA_IS_COMPILER";

/// Whether the loader has called [`begin`] in this process, as it then would in another one of the same program.
static CALLED: AtomicBool = AtomicBool::new(false);

/// A function that the loader calls when the program or library has been loaded.
#[used]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
static BEGIN: extern "C" fn() = begin;

unsafe extern "C" {
    fn _exit(status: c_int) -> !;
}

/// Whether a process of this program can be a compiler, and this is none that should have become one.
pub fn is_possible() -> bool {
    CALLED.load(Ordering::Relaxed) && std::env::var_os(VARIABLE).is_none()
}

/// The address of something in this library's file.
pub fn address() -> usize {
    begin as *const () as usize
}

extern "C" fn begin() {
    CALLED.store(true, Ordering::Relaxed);
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    // The program's own work must not be done twice: from here on there is no way back to it.
    let _ = std::panic::catch_unwind(serve);
    // SAFETY: ends the process. The destructors of LLVM, whose threads may be at work, must not run.
    unsafe { _exit(0) }
}

/// Answers requests until the other side is gone.
fn serve() {
    std::panic::set_hook(Box::new(|_| {}));
    // A crash is an answer here, and a dump of it would be large.
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    let Ok(socket) = std::io::stdin().as_fd().try_clone_to_owned() else { return };
    let socket = UnixStream::from(socket);
    let Ok(out) = socket.try_clone() else { return };
    let out = Arc::new(Mutex::new(out));
    let answer = |out: &Arc<Mutex<UnixStream>>, number: u64, reply: &Reply| {
        let out = out.lock().unwrap_or_else(|e| e.into_inner());
        wire::send(&*out, number, &reply.to_bytes()).is_ok()
    };
    if !answer(&out, 0, &Reply::Done(GREETING.to_vec())) {
        return;
    }
    let mut library: Option<Arc<Library>> = None;
    while let Ok((number, bytes)) = wire::receive(&socket) {
        let reply = match (Request::of_bytes(&bytes), &library) {
            (None, _) => return,
            (Some(Request::Load(path)), _) => match Library::load(Path::new(&path)) {
                Ok(loaded) => {
                    let host = loaded.host().to_text();
                    library = Some(Arc::new(loaded));
                    Reply::Done(host.into_bytes())
                }
                Err(why) => Reply::Refused(why),
            },
            (Some(Request::Generate(_)), None) => Reply::Refused("no library is loaded".into()),
            (Some(Request::Generate(job)), Some(library)) => {
                let to = out.clone();
                let told = move |reply: Reply| {
                    let sent = answer(&to, number, &reply);
                    if !sent || matches!(reply, Reply::Fatal(_)) {
                        // SAFETY: as above; what LLVM has left is in no state to be used again.
                        unsafe { _exit(1) }
                    }
                };
                match contain::begin(library, job, told) {
                    Ok(()) => continue,
                    Err(why) => Reply::Refused(format!("no thread could be started to compile on: {why}")),
                }
            }
        };
        if !answer(&out, number, &reply) {
            return;
        }
    }
}
