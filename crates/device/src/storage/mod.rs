//! The memory behind a buffer: the host's, and a copy that a device may have in memory of its own.
//!
//! Who reads or writes the host's elements need not know of the copy: [`Storage::read`] brings newer elements back first,
//! [`Storage::write`] gives the copy up.

use quadra_kir::MemoryBuffer;
use std::any::Any;
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, Weak};

/// A copy of a buffer's elements in the memory of a device. Dropping it gives the memory back.
pub(crate) trait Remote: Any + Debug + Send + Sync {
    /// Copies the elements to the host.
    fn fetch(&self, into: &mut [u8]);
}

#[derive(Debug)]
pub(crate) struct Contents {
    host: MemoryBuffer,
    remote: Option<Arc<dyn Remote>>,
    /// The copy is newer than the host's elements; there is one then.
    stale: bool,
}

impl Contents {
    fn fetch(&mut self) {
        if let (true, Some(remote)) = (self.stale, &self.remote) {
            remote.fetch(&mut self.host.bytes);
        }
        self.stale = false;
    }
}

/// The storage behind a buffer; what a launch holds on to. Clones share it.
#[derive(Clone, Debug)]
pub struct Storage(Arc<RwLock<Contents>>);

impl Storage {
    pub fn new(host: MemoryBuffer) -> Storage {
        Storage(Arc::new(RwLock::new(Contents { host, remote: None, stale: false })))
    }

    /// The elements.
    pub fn read(&self) -> Read<'_> {
        loop {
            let contents = self.peek();
            if !contents.0.stale {
                return contents;
            }
            drop(contents);
            self.hold().0.fetch();
        }
    }

    /// The elements to be changed; what a device has of them is given up.
    pub fn write(&self) -> Write<'_> {
        let mut held = self.hold();
        held.0.fetch();
        held.0.remote = None;
        Write(held.0)
    }

    /// For who asks for type, sizes and length only: the elements may be older than those of a device.
    pub fn peek(&self) -> Read<'_> {
        Read(self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether both are one storage.
    pub fn same(&self, other: &Storage) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Its place in the order in which launches lock storages.
    pub(crate) fn order(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Both the host's elements and the copy, for a device with memory of its own.
    pub(crate) fn hold(&self) -> Held<'_> {
        Held(self.0.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same, unless somebody uses it.
    pub(crate) fn try_hold(&self) -> Option<Held<'_>> {
        match self.0.try_write() {
            Ok(contents) => Some(Held(contents)),
            Err(TryLockError::Poisoned(e)) => Some(Held(e.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(crate) fn downgrade(&self) -> WeakStorage {
        WeakStorage(Arc::downgrade(&self.0))
    }
}

/// A storage, as long as somebody else has it.
#[derive(Clone, Debug)]
pub(crate) struct WeakStorage(Weak<RwLock<Contents>>);

impl WeakStorage {
    pub fn upgrade(&self) -> Option<Storage> {
        self.0.upgrade().map(Storage)
    }
}

/// Elements that somebody reads.
#[derive(Debug)]
pub struct Read<'a>(RwLockReadGuard<'a, Contents>);

impl Deref for Read<'_> {
    type Target = MemoryBuffer;
    fn deref(&self) -> &MemoryBuffer {
        &self.0.host
    }
}

/// Elements that somebody changes.
#[derive(Debug)]
pub struct Write<'a>(RwLockWriteGuard<'a, Contents>);

impl Deref for Write<'_> {
    type Target = MemoryBuffer;
    fn deref(&self) -> &MemoryBuffer {
        &self.0.host
    }
}

impl DerefMut for Write<'_> {
    fn deref_mut(&mut self) -> &mut MemoryBuffer {
        &mut self.0.host
    }
}

/// A storage in the hands of a device.
pub(crate) struct Held<'a>(RwLockWriteGuard<'a, Contents>);

impl Held<'_> {
    /// The host's elements, which may be stale.
    pub fn host(&self) -> &MemoryBuffer {
        &self.0.host
    }

    /// Whether only the copy has the elements.
    pub fn is_stale(&self) -> bool {
        self.0.stale
    }

    /// The copy, if it is one of this kind.
    pub fn remote<T: Remote>(&self) -> Option<Arc<T>> {
        let remote: Arc<dyn Any + Send + Sync> = self.0.remote.clone()?;
        remote.downcast().ok()
    }

    /// There is this copy from now on; with newer elements if `stale`.
    pub fn keep(&mut self, remote: Arc<dyn Remote>, stale: bool) {
        (self.0.remote, self.0.stale) = (Some(remote), stale);
    }

    /// Brings the elements back by `fetch`, if only the copy has them, and gives the copy up.
    pub fn settle_by(&mut self, fetch: impl FnOnce(&mut [u8])) {
        if std::mem::take(&mut self.0.stale) {
            fetch(&mut self.0.host.bytes);
        }
        self.0.remote = None;
    }

    /// The same in the way of the copy itself.
    pub fn settle(&mut self) {
        self.0.fetch();
        self.0.remote = None;
    }
}
