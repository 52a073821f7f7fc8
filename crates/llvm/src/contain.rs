//! LLVM's fatal errors on the threads of this process: LLVM ends the process if its handler returns, so that ours never does.

use super::library::Library;
use super::wire::{Job, Reply};
use std::cell::RefCell;
use std::sync::{Arc, mpsc};

/// Stack of a thread that compiles: LLVM walks expressions and types by recursion.
const STACK: usize = 64 << 20;

type Told = Box<dyn FnOnce(Reply)>;

thread_local! {
    /// Whom to tell what becomes of the present job.
    static TELL: RefCell<Option<Told>> = const { RefCell::new(None) };
}

/// Tells who waits for this thread's job.
fn tell(reply: Reply) {
    if let Some(told) = TELL.take() {
        told(reply);
    }
}

/// LLVM cannot go on, and what it was at is in no state to be looked at again: the thread stays here for ever.
pub fn fatal(why: &str) -> ! {
    tell(Reply::Fatal(why.to_string()));
    loop {
        std::thread::park();
    }
}

/// Compiles on a thread of its own, which calls `told` once.
pub fn begin(library: &Arc<Library>, job: Job, told: impl FnOnce(Reply) + Send + 'static) -> std::io::Result<()> {
    let library = library.clone();
    let compile = move || {
        TELL.set(Some(Box::new(told)));
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| library.generate(&job)));
        tell(match done {
            Ok(Ok(bytes)) => Reply::Done(bytes),
            Ok(Err(why)) => Reply::Refused(why),
            Err(_) => Reply::Refused("the compiler's thread panicked".into()),
        });
    };
    std::thread::Builder::new().name("quadra-llvm".into()).stack_size(STACK).spawn(compile).map(drop)
}

/// [`begin`], waiting for the end.
pub fn compile(library: &Arc<Library>, job: Job) -> Reply {
    let (tell, told) = mpsc::channel();
    // Nobody is left to be told if the receiver is gone.
    let begun = begin(library, job, move |reply| drop(tell.send(reply)));
    let ended = |why: String| Reply::Refused(why);
    match begun {
        Err(why) => ended(format!("no thread could be started to compile on: {why}")),
        Ok(()) => told.recv().unwrap_or_else(|_| ended("the compiler's thread ended".into())),
    }
}
