//! Requests that wait. One thread reads them; the one that runs the program answers them, between two statements at the latest.

use super::wire::{self, Request};
use quadra_base::stop::{Reason, Stop};
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

#[derive(Default)]
struct Waiting {
    requests: VecDeque<Request>,
    /// No more will come.
    closed: bool,
    /// What ends the program that runs, if one does.
    stop: Option<Stop>,
}

#[derive(Default)]
pub struct Inbox {
    waiting: Mutex<Waiting>,
    any: Condvar,
    wanted: AtomicBool,
    leaving: AtomicBool,
    left: AtomicBool,
}

impl Inbox {
    /// Reads requests until the client is gone.
    ///
    /// # Errors
    /// There is no thread to read on.
    pub fn fill(self: &Arc<Inbox>, mut from: impl BufRead + Send + 'static) -> std::io::Result<()> {
        let inbox = self.clone();
        let read = move || {
            while let Some(request) = wire::read(&mut from) {
                inbox.put(request);
            }
            inbox.close();
        };
        std::thread::Builder::new().name("quadra-requests".into()).spawn(read).map(drop)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, request: Request) {
        let stays = request.arguments.get("terminateDebuggee").is_some_and(|v| v == false);
        let leaves = request.command == "terminate" || request.command == "disconnect" && !stays;
        self.lock().requests.push_back(request);
        if leaves {
            self.leave();
        }
        self.wanted.store(true, Ordering::SeqCst);
        self.any.notify_all();
    }

    fn close(&self) {
        self.lock().closed = true;
        self.leave();
        self.any.notify_all();
    }

    /// The program is to end, and whatever it computes.
    fn leave(&self) {
        self.leaving.store(true, Ordering::SeqCst);
        if let Some(stop) = &self.lock().stop {
            stop.request(Reason::Interrupt);
        }
    }

    /// Says what ends the program that runs.
    pub fn runs(&self, stop: Option<Stop>) {
        self.lock().stop = stop;
    }

    /// Whether somebody waits for an answer.
    pub fn wanted(&self) -> bool {
        self.wanted.load(Ordering::SeqCst)
    }

    /// Whether the program is to end.
    pub fn leaving(&self) -> bool {
        self.leaving.load(Ordering::SeqCst)
    }

    /// Whether the client has said that it goes.
    pub fn left(&self) -> bool {
        self.left.load(Ordering::SeqCst)
    }

    /// The next request, if one waits.
    pub fn poll(&self) -> Option<Request> {
        let mut waiting = self.lock();
        let first = waiting.requests.pop_front();
        if waiting.requests.is_empty() {
            self.wanted.store(false, Ordering::SeqCst);
        }
        if first.as_ref().is_some_and(|r| r.command == "disconnect") {
            self.left.store(true, Ordering::SeqCst);
        }
        first
    }

    /// Waits for the next request; none once the client is gone.
    pub fn take(&self) -> Option<Request> {
        let mut waiting = self.lock();
        while waiting.requests.is_empty() && !waiting.closed {
            waiting = self.any.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        drop(waiting);
        self.poll()
    }
}
