//! An allocator for programs that work on long arrays.
//!
//! Vectors of 16 floats are read fastest from addresses that are multiples of 64, and long arrays from large pages: one page
//! fault and one entry of the translation buffer for 2 MiB, not for 4 KiB. Linux gives large pages to who asks (`madvise`), which
//! the usual allocator does not. The command is built with it:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: quadra_device::pages::Pages = quadra_device::pages::Pages::new();
//!
//! assert_eq!(vec![0.0f32; 5000].as_ptr().addr() % 64, 0);
//! assert_eq!(vec![0.0f32; 2 << 20].as_ptr().addr() % (2 << 20), 0);
//! ```
#![allow(unsafe_code)]

use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{NonNull, null_mut};
use std::sync::Mutex;

/// Bytes from which blocks begin at a multiple of [`LINE`].
const MEDIUM: usize = 4 << 10;
/// Bytes of a cache line, and of a vector of 16 floats.
const LINE: usize = 64;
/// Bytes from which blocks are mappings of their own. Below, the system's allocator uses memory again without page faults.
const LARGE: usize = 4 << 20;
/// Bytes of a large page.
const PAGE: usize = 2 << 20;
/// Mappings that are kept when they are freed, and their bytes in all.
const KEPT: usize = 8;
const KEPT_BYTES: usize = 128 << 20;

/// The system's allocator, with aligned blocks and large pages.
#[derive(Debug)]
pub struct Pages {
    /// Freed mappings, by address and size.
    kept: Mutex<[(usize, usize); KEPT]>,
}

impl Pages {
    pub const fn new() -> Pages {
        Pages { kept: Mutex::new([(0, 0); KEPT]) }
    }

    /// Asks the system's allocator to keep what is freed, too. Otherwise each array of some hundred kilobytes that a step of a
    /// program makes and drops costs a page fault for every 4 KiB.
    pub fn keep_freed(&self) {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            use std::ffi::c_int;
            unsafe extern "C" {
                fn mallopt(parameter: c_int, value: c_int) -> c_int;
            }
            // `malloc.h`.
            const TRIM_THRESHOLD: c_int = -1;
            const MMAP_THRESHOLD: c_int = -3;
            // SAFETY: the C library's own function, which only sets numbers. Where it refuses, all stays as it was.
            unsafe {
                let _unneeded = mallopt(TRIM_THRESHOLD, KEPT_BYTES as c_int);
                let _unneeded = mallopt(MMAP_THRESHOLD, LARGE as c_int);
            }
        }
    }

    /// A freed mapping of this size.
    fn again(&self, size: usize) -> Option<*mut u8> {
        let mut kept = self.kept.try_lock().ok()?;
        let found = kept.iter_mut().find(|k| k.1 == size)?;
        let (at, _) = std::mem::take(found);
        Some(std::ptr::with_exposed_provenance_mut(at))
    }

    /// Keeps a mapping, if there is room.
    fn keep(&self, at: *mut u8, size: usize) -> bool {
        let Ok(mut kept) = self.kept.try_lock() else { return false };
        let held: usize = kept.iter().map(|k| k.1).sum();
        match kept.iter_mut().find(|k| k.1 == 0) {
            Some(free) if held + size <= KEPT_BYTES => {
                *free = (at.expose_provenance(), size);
                true
            }
            _ => false,
        }
    }
}

impl Default for Pages {
    fn default() -> Pages {
        Pages::new()
    }
}

/// Whether a block is a mapping of its own.
fn mapped(layout: &Layout) -> bool {
    cfg!(all(target_os = "linux", target_pointer_width = "64")) && layout.size() >= LARGE && layout.align() <= PAGE
}

/// Bytes of the mapping for a block: eight sizes to each power of two, so that freed ones fit again.
fn mapping(size: usize) -> usize {
    let step = (size.next_power_of_two() / 16).max(PAGE);
    size.checked_next_multiple_of(step).unwrap_or(size)
}

/// The layout that the system's allocator sees.
fn aligned(layout: Layout) -> Layout {
    match layout.size() >= MEDIUM && layout.align() < LINE {
        true => Layout::from_size_align(layout.size(), LINE).unwrap_or(layout),
        false => layout,
    }
}

/// Fresh memory of zeros at a multiple of [`PAGE`]; null if there is none.
fn map(size: usize) -> *mut u8 {
    let (prot, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
    let Some(all) = size.checked_add(PAGE) else { return null_mut() };
    // SAFETY: an anonymous mapping at an address that the system chooses touches no memory that is in use.
    let Ok(at) = (unsafe { mm::mmap_anonymous(null_mut(), all, prot, flags) }) else { return null_mut() };
    let at = at.cast::<u8>();
    let before = at.addr().wrapping_neg() % PAGE;
    let after = PAGE - before;
    let start = at.wrapping_add(before);
    // SAFETY: both ends lie in the mapping made above, and nobody has seen it yet. What cannot be given back stays reserved, and
    // without large pages there are small ones.
    unsafe {
        if before > 0 {
            let _unneeded = mm::munmap(at.cast(), before);
        }
        let _unneeded = mm::munmap(start.wrapping_add(size).cast(), after);
        let _advice = mm::madvise(start.cast(), size, Advice::LinuxHugepage);
    }
    start
}

// SAFETY: blocks are the system allocator's, asked with a layout that depends on the caller's layout alone, or mappings of at
// least their size at multiples of `PAGE`, which belong to one block at a time.
unsafe impl GlobalAlloc for Pages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match mapped(&layout) {
            true => self.again(mapping(layout.size())).unwrap_or_else(|| map(mapping(layout.size()))),
            // SAFETY: the caller's promise: the size is not 0.
            false => unsafe { System.alloc(aligned(layout)) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match mapped(&layout) {
            true => map(mapping(layout.size())),
            // SAFETY: as in `alloc`.
            false => unsafe { System.alloc_zeroed(aligned(layout)) },
        }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if !mapped(&layout) {
            // SAFETY: `at` came from the system's allocator with the same layout.
            return unsafe { System.dealloc(at, aligned(layout)) };
        }
        let size = mapping(layout.size());
        if !self.keep(at, size) {
            // SAFETY: the mapping belongs to this block, which its owner gives up.
            let _unneeded = unsafe { mm::munmap(at.cast(), size) };
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(new) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        if mapped(&layout) && mapped(&new) && mapping(layout.size()) == mapping(size) {
            return at;
        }
        let plain = |l: &Layout| !mapped(l) && aligned(*l) == *l;
        if plain(&layout) && plain(&new) {
            // SAFETY: `at` came from the system's allocator with this layout.
            return unsafe { System.realloc(at, layout, size) };
        }
        // SAFETY: the new block holds the smaller of both sizes, and the old one is given up once its contents are copied.
        unsafe {
            let moved = self.alloc(new);
            if let Some(to) = NonNull::new(moved) {
                to.as_ptr().copy_from_nonoverlapping(at, layout.size().min(size));
                self.dealloc(at, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a pattern of its own into each block and finds it again after others came, grew and went.
    #[test]
    fn blocks_keep_their_contents() {
        let pages = Pages::new();
        let sizes = [16, 4096, 5000, LARGE - 1, LARGE, LARGE + PAGE + 3, 9 << 20, 40 << 20];
        let layout = |n: usize| Layout::from_size_align(n, 8).expect("a small alignment");
        for turn in 0..3u8 {
            let mut blocks = Vec::new();
            for (i, &n) in sizes.iter().enumerate() {
                let pattern = turn * 16 + i as u8 + 1;
                // SAFETY: blocks are used within their sizes and freed once, with the layout they have then.
                unsafe {
                    let at = if i % 2 == 0 { pages.alloc_zeroed(layout(n)) } else { pages.alloc(layout(n)) };
                    assert!(!at.is_null() && (n < MEDIUM || at.addr().is_multiple_of(LINE)));
                    assert!(i % 2 == 1 || (0..n).step_by(511).all(|k| *at.add(k) == 0), "fresh memory is zero");
                    at.write_bytes(pattern, n);
                    blocks.push((at, n, pattern));
                }
            }
            for (at, n, pattern) in blocks {
                let grown = n * 2 + 1;
                // SAFETY: as above.
                unsafe {
                    let at = pages.realloc(at, layout(n), grown);
                    assert!((0..n).step_by(509).all(|k| *at.add(k) == pattern), "{n} bytes grown to {grown}");
                    let at = pages.realloc(at, layout(grown), n / 2);
                    assert!((0..n / 2).step_by(509).all(|k| *at.add(k) == pattern), "{n} bytes shrunk to {}", n / 2);
                    pages.dealloc(at, layout(n / 2));
                }
            }
        }
    }

    #[test]
    fn mappings_of_about_one_size_fit_again() {
        assert_eq!(mapping(LARGE), LARGE);
        assert_eq!(mapping((64 << 20) - 100), 64 << 20);
        assert!(mapping(65 << 20) <= 72 << 20);
        let pages = Pages::new();
        let layout = |n: usize| Layout::from_size_align(n, 4).expect("a small alignment");
        // SAFETY: the first block is freed before the second is made.
        unsafe {
            let first = pages.alloc(layout(10 << 20));
            pages.dealloc(first, layout(10 << 20));
            assert_eq!(pages.alloc(layout((10 << 20) - 5)), first);
        }
    }
}
