//! Memory between guard pages: an access by any `i32` index from its start lies in it or is stopped by the processor.

use quadra_base::checked::{self, Guard};

/// Pages that nobody may touch, and some between them that belong to a buffer.
#[derive(Debug)]
pub struct Pages {
    #[cfg_attr(not(all(unix, target_pointer_width = "64")), allow(dead_code))]
    start: *mut u8,
    #[cfg_attr(not(all(unix, target_pointer_width = "64")), allow(dead_code))]
    bytes: usize,
    data: *mut u8,
}

// SAFETY: this owns its memory.
unsafe impl Send for Pages {}

impl Pages {
    /// The first byte of the buffer.
    pub fn data(&self) -> *mut u8 {
        self.data
    }
}

/// Words in memory of the process, or between guard pages.
pub enum Memory64 {
    Plain(Vec<u64>),
    Guarded(Pages),
}

impl Memory64 {
    /// So many bytes, in which this word is repeated.
    pub fn new(bytes: usize, fill: u64) -> Memory64 {
        match Pages::new(bytes, checked::guard()) {
            Some(pages) => {
                for (n, byte) in (0..bytes).zip(fill.to_ne_bytes().iter().cycle()) {
                    // SAFETY: the pages have so many bytes.
                    unsafe { pages.data().add(n).write(*byte) };
                }
                Memory64::Guarded(pages)
            }
            None => Memory64::Plain(vec![fill; bytes.div_ceil(8)]),
        }
    }

    /// The first byte.
    pub fn as_ptr(&self) -> *mut u8 {
        match self {
            Memory64::Plain(words) => words.as_ptr().cast_mut().cast(),
            Memory64::Guarded(pages) => pages.data(),
        }
    }
}

#[cfg(all(unix, target_pointer_width = "64"))]
mod system {
    use super::{Guard, Pages};
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
    use std::ptr::null_mut;

    /// As far as an index of 32 bits reaches, of elements of 8 bytes, and a vector of them.
    const FAR: usize = (8 << 31) + (1 << 12);
    /// Where the system does not give that much.
    const NEAR: usize = 1 << 20;
    const PAGE: usize = 1 << 16;

    impl Pages {
        /// Zeros of this many bytes; nothing if there are to be no guard pages, or the system has no room for them.
        pub fn new(bytes: usize, guard: Guard) -> Option<Pages> {
            if guard == Guard::Off {
                return None;
            }
            let inner = bytes.next_multiple_of(PAGE);
            [FAR, NEAR].into_iter().find_map(|room| Pages::with_room(bytes, inner, room.next_multiple_of(PAGE), guard))
        }

        fn with_room(bytes: usize, inner: usize, room: usize, guard: Guard) -> Option<Pages> {
            let all = inner.checked_add(2 * room)?;
            // SAFETY: fresh memory at a place that the system chooses.
            let start = unsafe {
                mmap_anonymous(null_mut(), all, ProtFlags::empty(), MapFlags::PRIVATE | MapFlags::NORESERVE).ok()?
            };
            let start: *mut u8 = start.cast();
            // From here on it is unmapped when it is dropped.
            let mut pages = Pages { start, bytes: all, data: start };
            // SAFETY: the mapping has these bytes, and nobody else knows it.
            unsafe {
                let first = start.add(room);
                if inner > 0 {
                    mprotect(first.cast(), inner, MprotectFlags::READ | MprotectFlags::WRITE).ok()?;
                }
                pages.data = if guard == Guard::End { first.add(inner - bytes) } else { first };
            }
            Some(pages)
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: mapped by `with_room`, and no launch is at work on it. A failure would leave pages behind, no more.
            let _ = unsafe { munmap(self.start.cast(), self.bytes) };
        }
    }
}

#[cfg(not(all(unix, target_pointer_width = "64")))]
impl Pages {
    /// Not provided for this system.
    pub fn new(_: usize, _: Guard) -> Option<Pages> {
        None
    }
}
