//! An allocator for programs that work on long arrays.
//!
//! Vectors of 16 floats are read fastest from addresses that are multiples of 64, and long arrays from large pages: one page
//! fault and one entry of the translation buffer for 2 MiB, not for 4 KiB. Linux gives large pages to who asks (`madvise`), which
//! the usual allocator does not. The command is built with it:
//!
//! It counts what is in use (`quadra_base::memory`), and has a reserve for when the system has no memory left: small blocks come
//! from there, and whoever runs a program ends it in order. What is refused where nobody can be told ends the process, with a
//! message and a status.
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: quadra_device::pages::Pages = quadra_device::pages::Pages::new();
//!
//! assert_eq!(vec![0.0f32; 5000].as_ptr().addr() % 64, 0);
//! assert_eq!(vec![0.0f32; 2 << 20].as_ptr().addr() % (2 << 20), 0);
//! ```
#![allow(unsafe_code)]

use quadra_base::memory;
use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

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

/// Bytes of the reserve. They cost nothing until they are used.
const RESERVE: usize = 16 << 20;
/// Blocks beyond this size are not given from the reserve.
const MOST_RESERVED: usize = 4 << 20;
/// Blocks from this size on are held against the limit on memory.
const LIMITED: usize = 1 << 20;
/// The exit status when there is no memory left.
const STATUS: i32 = 1;

/// What is done before the process ends because it has no memory.
static LAST: OnceLock<fn()> = OnceLock::new();

/// Memory for when the system has none: blocks one behind the other, which are free again when all of them are.
#[repr(C, align(4096))]
struct Reserve {
    bytes: UnsafeCell<[u8; RESERVE]>,
    next: AtomicUsize,
    blocks: AtomicUsize,
}

// SAFETY: blocks do not overlap, since `next` only grows while there are any.
unsafe impl Sync for Reserve {}

static KEPT_BACK: Reserve =
    Reserve { bytes: UnsafeCell::new([0; RESERVE]), next: AtomicUsize::new(0), blocks: AtomicUsize::new(0) };

impl Reserve {
    fn has(&self, at: *mut u8) -> bool {
        at.addr().wrapping_sub(self.bytes.get().addr()) < RESERVE
    }

    /// A block; null if it is too large or there is no room.
    fn take(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST_RESERVED || layout.align() > 4096 {
            return null_mut();
        }
        self.blocks.fetch_add(1, Ordering::AcqRel);
        let place = |next: usize| next.next_multiple_of(layout.align());
        let taken = self.next.fetch_update(Ordering::AcqRel, Ordering::Acquire, |next| {
            Some(place(next) + layout.size()).filter(|end| *end <= RESERVE)
        });
        match taken {
            Ok(next) => self.bytes.get().cast::<u8>().wrapping_add(place(next)),
            Err(_) => {
                self.give_back();
                null_mut()
            }
        }
    }

    fn give_back(&self) {
        if self.blocks.fetch_sub(1, Ordering::AcqRel) == 1 {
            // A block that is taken right now is counted, so that nobody begins anew under it.
            let all = self.next.load(Ordering::Acquire);
            if self.blocks.load(Ordering::Acquire) == 0 {
                let _others = self.next.compare_exchange(all, 0, Ordering::AcqRel, Ordering::Relaxed);
            }
        }
    }
}

/// Says what is to be done before the process ends because it has no memory: it may not count on any.
pub fn at_the_end(last: fn()) {
    // The first one stays.
    let _again = LAST.set(last);
}

/// Memory from the reserve, or the end.
#[cold]
fn refused(layout: Layout, zeroed: bool) -> *mut u8 {
    if memory::may_refuse() {
        return null_mut();
    }
    memory::note_exhausted();
    let at = KEPT_BACK.take(layout);
    if at.is_null() {
        give_up(layout.size());
    }
    if zeroed {
        // SAFETY: the block has this size and is nobody else's.
        unsafe { at.write_bytes(0, layout.size()) };
    }
    at
}

/// Ends the process with a message. Unwinding is not possible here: an allocator may not.
fn give_up(bytes: usize) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if !ENDING.swap(true, Ordering::SeqCst) {
        if let Some(last) = LAST.get() {
            last();
        }
        let mut digits = [b' '; 20];
        let mut rest = bytes;
        for d in digits.iter_mut().rev() {
            *d = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        let first = digits.iter().position(|d| *d != b' ').unwrap_or(0);
        for part in [
            b"error[Q0310]: out of memory: a block of ".as_slice(),
            &digits[first..],
            b" bytes is more than the machine or --max-memory allows\nhelp: use smaller arrays, or raise the limit\n",
        ] {
            // Nobody is left to tell if standard error is gone.
            let _told = std::io::Write::write_all(&mut std::io::stderr(), part);
        }
    }
    unsafe extern "C" {
        fn _exit(status: std::ffi::c_int) -> !;
    }
    // SAFETY: the C library's own function, which ends the process without running anything of it.
    unsafe { _exit(STATUS) }
}

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
    ///
    /// From here on what is in use counts for the process.
    pub fn keep_freed(&self) {
        memory::counts();
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

/// Whether a block is one of the many that the system's allocator is asked for as they are.
#[inline]
fn small(layout: &Layout) -> bool {
    layout.size() < MEDIUM
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

/// Whether a block is refused without asking the system.
fn forbidden(layout: &Layout) -> bool {
    memory::fails() || layout.size() >= LIMITED && !memory::within_limit(layout.size())
}

impl Pages {
    /// Memory of the system; null if there is none.
    fn ask(&self, layout: Layout, zeroed: bool) -> *mut u8 {
        match (mapped(&layout), zeroed) {
            (true, true) => map(mapping(layout.size())),
            (true, false) => self.again(mapping(layout.size())).unwrap_or_else(|| map(mapping(layout.size()))),
            // SAFETY: the size is not 0, as the callers of the allocator promise.
            (false, true) => unsafe { System.alloc_zeroed(aligned(layout)) },
            // SAFETY: as above.
            (false, false) => unsafe { System.alloc(aligned(layout)) },
        }
    }

    #[inline]
    fn give(&self, layout: Layout, zeroed: bool) -> *mut u8 {
        let at = match (small(&layout), zeroed) {
            _ if forbidden(&layout) => null_mut(),
            // SAFETY: the size is not 0, as the callers of the allocator promise.
            (true, false) => unsafe { System.alloc(layout) },
            _ => self.ask(layout, zeroed),
        };
        if at.is_null() {
            return refused(layout, zeroed);
        }
        memory::count(layout.size() as isize);
        at
    }
}

// SAFETY: blocks are the system allocator's, asked with a layout that depends on the caller's layout alone, or mappings of at
// least their size at multiples of `PAGE`, or parts of the reserve; each belongs to one block at a time.
unsafe impl GlobalAlloc for Pages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.give(layout, false)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.give(layout, true)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if KEPT_BACK.has(at) {
            return KEPT_BACK.give_back();
        }
        memory::count(-(layout.size() as isize));
        if small(&layout) {
            // SAFETY: as below.
            return unsafe { System.dealloc(at, layout) };
        }
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
        let own = !KEPT_BACK.has(at);
        if own && mapped(&layout) && mapped(&new) && mapping(layout.size()) == mapping(size) {
            memory::count(size as isize - layout.size() as isize);
            return at;
        }
        let plain = |l: &Layout| !mapped(l) && aligned(*l) == *l;
        if own && plain(&layout) && plain(&new) && !memory::fails() {
            // SAFETY: `at` came from the system's allocator with this layout.
            let moved = unsafe { System.realloc(at, layout, size) };
            if !moved.is_null() {
                memory::count(size as isize - layout.size() as isize);
                return moved;
            }
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

    #[test]
    fn the_reserve_gives_blocks_until_it_is_full_and_begins_anew() {
        static OWN: Reserve =
            Reserve { bytes: UnsafeCell::new([0; RESERVE]), next: AtomicUsize::new(0), blocks: AtomicUsize::new(0) };
        let reserve = &OWN;
        let layout = |n: usize, align: usize| Layout::from_size_align(n, align).expect("a small alignment");
        for _ in 0..2 {
            let first = reserve.take(layout(3, 1));
            let second = reserve.take(layout(100, 64));
            assert!(reserve.has(first) && reserve.has(second) && second.addr() - first.addr() >= 3);
            assert!(reserve.take(layout(MOST_RESERVED + 1, 8)).is_null());
            let large = (0..4).filter(|_| !reserve.take(layout(MOST_RESERVED, 8)).is_null()).count();
            assert_eq!(large, 3, "the rest has no room");
            (0..5).for_each(|_| reserve.give_back());
            assert_eq!(reserve.next.load(Ordering::Relaxed), 0);
        }
        assert!(!reserve.has(null_mut()));
    }
}
