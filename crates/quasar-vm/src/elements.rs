//! The elements of an array, which may be elsewhere: not written yet, in the memory of a device, or with launches that wait.
//!
//! A long array of zeros in storage that was used before is not cleared until somebody looks at it, because what comes next is
//! often a kernel that overwrites all of it. What a kernel of a device with memory of its own writes stays there until the host
//! reads it, and what was copied there is not copied again as long as the host does not write. Launches that wait for others to
//! run with (`quadra_device::queue`) run before anybody looks at their arrays.

use super::profile::count_copied;
use super::tensor::Data;
use quadra_device::Waiting;
use quadra_device::buffer::Storage;
use quadra_kir::MemoryBuffer;
use std::cell::{BorrowError, BorrowMutError, Cell, Ref, RefCell, RefMut};
use std::rc::Weak;

/// What the host's own elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    Valid,
    /// They stand for zeros, whatever they hold.
    Blank,
    /// The device has newer ones.
    Stale,
}

#[derive(Debug)]
pub struct Elements {
    data: RefCell<Data>,
    host: Cell<Host>,
    /// The copy in the memory of a device, if it is what the elements are.
    copy: RefCell<Option<Storage>>,
    /// Where launches wait that read or write them.
    waiting: RefCell<Option<Weak<dyn Waiting>>>,
    /// Whether there is neither a copy nor anything to do before the elements may be used.
    plain: Cell<bool>,
}

impl Elements {
    pub fn new(data: Data) -> Elements {
        Elements {
            data: RefCell::new(data),
            host: Cell::new(Host::Valid),
            copy: RefCell::new(None),
            waiting: RefCell::new(None),
            plain: Cell::new(true),
        }
    }

    /// Zeros in storage that holds anything.
    pub fn blank(data: Data) -> Elements {
        Elements { host: Cell::new(Host::Blank), plain: Cell::new(false), ..Elements::new(data) }
    }

    /// The elements.
    ///
    /// # Panics
    /// If they are being changed.
    pub fn borrow(&self) -> Ref<'_, Data> {
        self.settle();
        self.data.borrow()
    }

    /// The elements, unless they are being changed.
    pub fn try_borrow(&self) -> Result<Ref<'_, Data>, BorrowError> {
        self.settle();
        self.data.try_borrow()
    }

    /// The elements to be changed.
    ///
    /// # Panics
    /// If they are in use.
    pub fn borrow_mut(&self) -> RefMut<'_, Data> {
        self.own();
        self.data.borrow_mut()
    }

    /// The elements to be changed, unless they are in use.
    pub fn try_borrow_mut(&self) -> Result<RefMut<'_, Data>, BorrowMutError> {
        self.own();
        self.data.try_borrow_mut()
    }

    pub fn get_mut(&mut self) -> &mut Data {
        self.own();
        self.data.get_mut()
    }

    /// For who asks for the type and the number of the elements only: their values may be wrong.
    pub fn peek(&self) -> Ref<'_, Data> {
        self.data.borrow()
    }

    /// Whether they stand for zeros that have not been written.
    pub fn is_blank(&self) -> bool {
        self.host.get() == Host::Blank
    }

    /// Whether only a device has the elements.
    pub fn is_elsewhere(&self) -> bool {
        self.host.get() == Host::Stale
    }

    /// Whether a device has a copy that is what the elements are.
    pub fn has_copy(&self) -> bool {
        self.copy.borrow().is_some()
    }

    /// A copy of the elements that a device has.
    pub fn there(&self) -> Option<MemoryBuffer> {
        self.copy.borrow().as_ref().map(|copy| copy.read().clone())
    }

    /// The storage itself, for who gives it up.
    pub fn storage(&mut self) -> &mut Data {
        self.data.get_mut()
    }

    /// Makes the host's elements what they are to be.
    fn settle(&self) {
        if !self.plain.get() {
            self.fetch();
        }
    }

    /// The same, and gives up the copy: the host is about to change its elements.
    fn own(&self) {
        if !self.plain.get() {
            self.fetch();
            *self.copy.borrow_mut() = None;
            self.look();
        }
    }

    /// Notes whether there is anything to do before the elements may be used.
    fn look(&self) {
        self.plain.set(self.host.get() == Host::Valid && !self.waits() && self.copy.borrow().is_none());
    }

    /// Says where launches wait that read or write the elements, or that none do any more.
    pub fn wait(&self, queue: Option<Weak<dyn Waiting>>) {
        *self.waiting.borrow_mut() = queue;
        self.look();
    }

    /// Whether launches wait that read or write the elements.
    pub fn waits(&self) -> bool {
        self.waiting.borrow().is_some()
    }

    /// Runs the launches that wait.
    fn catch_up(&self) {
        let queue = self.waiting.borrow().as_ref().and_then(Weak::upgrade);
        if let Some(queue) = queue {
            queue.run();
        }
    }

    #[cold]
    fn fetch(&self) {
        self.catch_up();
        if self.host.get() == Host::Valid {
            return;
        }
        // Whoever has the storage right now will say what it holds.
        let Ok(mut data) = self.data.try_borrow_mut() else { return };
        match &*self.copy.borrow() {
            Some(copy) => {
                let start = std::time::Instant::now();
                let copy = copy.read();
                super::lend::store_back(&mut data, &copy);
                count_copied(start, 0, copy.bytes.len() as u64);
            }
            None => data.clear(),
        }
        self.host.set(Host::Valid);
        self.look();
    }

    /// The storage for a launch in place, which changes it if `written`, and whether what it holds stands for zeros. The caller
    /// says by [`overwritten`](Elements::overwritten) that this is over.
    pub fn lend(&self, written: bool) -> Option<(RefMut<'_, Data>, bool)> {
        self.catch_up();
        self.lend_later(written)
    }

    /// The same for a launch that runs behind those that wait.
    pub fn lend_later(&self, written: bool) -> Option<(RefMut<'_, Data>, bool)> {
        let waits = self.waiting.take();
        if !written || self.host.get() == Host::Stale {
            self.settle();
        }
        *self.waiting.borrow_mut() = waits;
        let data = self.data.try_borrow_mut().ok()?;
        if written {
            *self.copy.borrow_mut() = None;
        }
        self.look();
        Some((data, self.host.get() == Host::Blank))
    }

    /// A launch in place has set all elements.
    pub fn overwritten(&self) {
        self.host.set(Host::Valid);
        self.look();
    }

    /// The copy for a launch on a device with memory of its own, made by `make` of the host's elements if there is none.
    /// `backup`: the host's own elements must not be lost.
    pub fn on_device(&self, backup: bool, make: impl FnOnce(&Data, bool) -> Option<MemoryBuffer>) -> Option<Storage> {
        if backup || self.waits() {
            self.settle();
        }
        if let Some(copy) = &*self.copy.borrow() {
            return Some(copy.clone());
        }
        let blank = self.host.get() == Host::Blank;
        let start = std::time::Instant::now();
        let buffer = make(&*self.data.try_borrow().ok()?, blank)?;
        count_copied(start, if blank { 0 } else { buffer.bytes.len() as u64 }, 0);
        let copy = Storage::new(buffer);
        *self.copy.borrow_mut() = Some(copy.clone());
        self.plain.set(false);
        Some(copy)
    }

    /// The device has changed the copy, which is what the elements are from now on.
    pub fn changed_there(&self) {
        if self.copy.borrow().is_some() {
            self.host.set(Host::Stale);
            self.plain.set(false);
        }
    }

    /// The copy is not what the elements are; the host's own still are.
    pub fn forget_copy(&self) {
        *self.copy.borrow_mut() = None;
        self.look();
    }
}
