//! Memory that holds code.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Where code lies: first and last address, which a signal handler may look up. Code that finds no room is not listed.
static LISTED: [[AtomicUsize; 2]; 4096] = [const { [const { AtomicUsize::new(0) }; 2] }; 4096];

/// Whether an address lies in code that was put into memory here. Safe to call in a signal handler.
pub fn is_code(address: usize) -> bool {
    LISTED.iter().any(|[start, end]| {
        let first = start.load(Ordering::Acquire);
        first != 0 && first <= address && address < end.load(Ordering::Acquire)
    })
}

fn list(first: usize, bytes: usize) {
    for [start, end] in &LISTED {
        if start.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            // Until its end is known the entry holds nothing.
            end.store(first + bytes, Ordering::Release);
            return start.store(first, Ordering::Release);
        }
    }
}

fn strike(first: usize) {
    if let Some([start, end]) = LISTED.iter().find(|e| e[0].load(Ordering::Acquire) == first) {
        end.store(0, Ordering::Release);
        start.store(0, Ordering::Release);
    }
}

/// Pages with code, as long as this value lives.
#[derive(Debug)]
pub struct Executable {
    start: usize,
    bytes: usize,
}

#[cfg(all(unix, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod system {
    use super::Executable;
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
    use std::ffi::c_void;
    use std::ptr::{null_mut, with_exposed_provenance_mut};

    /// Gives the address of a function.
    type Place = fn() -> usize;

    /// Functions that LLVM calls where the processor has no instruction, by their names in C: a program need not have linked
    /// the library that they are in.
    const MATHS: [(&str, Place); 12] = {
        macro_rules! maths {
            ($($name:literal: ($($x:ident),*) $type:ty => $value:expr;)*) => {
                [$(($name, || {
                    extern "C" fn function($($x: $type),*) -> $type { $value }
                    function as *const () as usize
                })),*]
            };
        }
        maths! {
            "floorf": (x) f32 => x.floor();
            "floor": (x) f64 => x.floor();
            "ceilf": (x) f32 => x.ceil();
            "ceil": (x) f64 => x.ceil();
            "truncf": (x) f32 => x.trunc();
            "trunc": (x) f64 => x.trunc();
            "roundevenf": (x) f32 => x.round_ties_even();
            "roundeven": (x) f64 => x.round_ties_even();
            "fmaf": (x, y, z) f32 => x.mul_add(y, z);
            "fma": (x, y, z) f64 => x.mul_add(y, z);
            "fmodf": (x, y) f32 => x % y;
            "fmod": (x, y) f64 => x % y;
        }
    };

    impl Executable {
        /// Reserves memory and has it filled: `fill` is given its address and gives the bytes, at most as many as were
        /// asked for.
        pub fn new(bytes: usize, fill: impl FnOnce(u64) -> Option<Vec<u8>>) -> Option<Executable> {
            let bytes = bytes.max(1);
            // SAFETY: fresh memory at a place that the system chooses.
            let start =
                unsafe { mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) };
            let start: *mut c_void = start.ok()?;
            // From here on it is unmapped when it is dropped.
            let held = Executable { start: start.expose_provenance(), bytes };
            let contents = fill(held.start as u64).filter(|c| c.len() <= bytes)?;
            // SAFETY: the mapping has this many bytes, and nobody else knows it.
            unsafe {
                std::ptr::copy_nonoverlapping(contents.as_ptr(), start.cast::<u8>(), contents.len());
                mprotect(start, bytes, MprotectFlags::READ | MprotectFlags::EXEC).ok()?;
            }
            #[cfg(target_arch = "aarch64")]
            {
                unsafe extern "C" {
                    fn __clear_cache(start: *mut c_void, end: *mut c_void);
                }
                // SAFETY: the range is that of the mapping. Without this the processor may execute what was there before.
                unsafe { __clear_cache(start, start.byte_add(contents.len())) };
            }
            super::list(held.start, held.bytes);
            Some(held)
        }

        /// The address of a function of this process.
        pub fn symbol(name: &str) -> Option<u64> {
            if let Some((_, address)) = MATHS.iter().find(|(known, _)| *known == name) {
                return Some(address() as u64);
            }
            let library = libloading::os::unix::Library::this();
            // SAFETY: only the address is taken; compiled code calls it as LLVM declares it.
            let symbol = unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.ok()?;
            Some((*symbol) as usize as u64)
        }
    }

    impl Drop for Executable {
        fn drop(&mut self) {
            super::strike(self.start);
            // SAFETY: mapped by `new`, and nothing runs there any more. A failure would leave pages behind, no more.
            let _ = unsafe { munmap(with_exposed_provenance_mut(self.start), self.bytes) };
        }
    }
}

#[cfg(not(all(unix, any(target_arch = "x86_64", target_arch = "aarch64"))))]
impl Executable {
    /// Not provided for this system.
    pub fn new(_: usize, _: impl FnOnce(u64) -> Option<Vec<u8>>) -> Option<Executable> {
        None
    }

    /// Not provided for this system.
    pub fn symbol(_: &str) -> Option<u64> {
        None
    }
}

impl Executable {
    /// The address of the byte at `offset`.
    pub fn address(&self, offset: usize) -> Option<usize> {
        (offset < self.bytes).then_some(self.start + offset)
    }
}
