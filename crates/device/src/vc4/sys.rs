//! Linux: the mailbox device, physical memory, the files of the machine. The only unsafe code of the device.
#![allow(unsafe_code)]

use super::detect::{Files, MEM, Obstacle, VCIO};
use super::mailbox::{Mailbox, Message};
use super::memory::{Mapping, Physical};
use super::registers::Registers;
use super::run::{Clock, Host};
use rustix::fs::FlockOperation;
use rustix::ioctl::{self, IoctlOutput, Opcode};
use rustix::mm::{self, MapFlags, ProtFlags};
use std::ffi::{c_char, c_void};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

/// The files of the running machine.
pub struct System;

impl Files for System {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn open(&self, path: &str) -> io::Result<()> {
        open_device(path).map(drop)
    }

    fn group(&self, path: &str) -> Option<String> {
        let metadata = std::fs::metadata(path).ok()?;
        // Joining the group helps only if the group may read and write.
        if metadata.mode() & 0o060 != 0o060 {
            return None;
        }
        let groups = std::fs::read_to_string("/etc/group").ok()?;
        let of_file = |line: &&str| line.split(':').nth(2).and_then(|id| id.parse().ok()) == Some(metadata.gid());
        groups.lines().find(of_file)?.split(':').next().map(str::to_string)
    }
}

fn open_device(path: &str) -> io::Result<File> {
    // Without O_SYNC the kernel would map memory that it knows with caches.
    let sync = rustix::fs::OFlags::SYNC.bits();
    OpenOptions::new().read(true).write(true).custom_flags(sync as i32).open(path)
}

/// Opens the mailbox and physical memory. The lock on the mailbox device keeps a second process off the QPUs until this
/// one has closed it or ended, however it ended.
///
/// # Errors
/// The obstacle.
pub fn open() -> Result<Host, Obstacle> {
    let device =
        |file: &'static str| open_device(file).map_err(|error| Obstacle::CannotOpen { file, error: error.to_string() });
    let vcio = device(VCIO)?;
    let memory = device(MEM)?;
    match rustix::fs::flock(&vcio, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Err(Obstacle::InUse),
        Err(error) => return Err(Obstacle::CannotOpen { file: VCIO, error: error.to_string() }),
    }
    Ok(Host {
        mailbox: Box::new(Vcio(vcio)),
        physical: Box::new(DevMem(memory)),
        clock: Box::new(SystemClock(Instant::now())),
    })
}

struct Vcio(File);

/// `_IOWR(100, 0, char *)`: the size in the number is that of a pointer of this process, and the kernel's compatibility
/// layer knows both (raspberrypi/linux, drivers/char/broadcom/vcio.c).
const PROPERTY: Opcode = ioctl::opcode::read_write::<*mut c_char>(100, 0);

struct Property<'a>(&'a mut Message);

// SAFETY: the kernel reads and writes as many bytes from the pointer as the first word of the message says, and
// `words_mut` is a slice of exactly so many bytes, borrowed for as long as this value lives.
unsafe impl ioctl::Ioctl for Property<'_> {
    type Output = ();
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        PROPERTY
    }

    fn as_ptr(&mut self) -> *mut c_void {
        self.0.words_mut().as_mut_ptr().cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut c_void) -> rustix::io::Result<()> {
        Ok(())
    }
}

impl Mailbox for Vcio {
    fn exchange(&mut self, message: &mut Message) -> io::Result<()> {
        // SAFETY: `Property` describes the operation as the driver of this device defines it.
        unsafe { ioctl::ioctl(&self.0, Property(message)) }.map_err(io::Error::from)
    }
}

struct DevMem(File);

impl Physical for DevMem {
    fn map(&mut self, address: u64, bytes: usize) -> io::Result<Box<dyn Mapping>> {
        Ok(Box::new(Words::map(&self.0, address, bytes)?))
    }

    fn map_registers(&mut self, address: u64, bytes: usize) -> io::Result<Box<dyn Registers>> {
        Ok(Box::new(Words::map(&self.0, address, bytes)?))
    }
}

/// Mapped physical memory as words.
struct Words {
    start: NonNull<u32>,
    words: usize,
    /// What was mapped: whole pages around the words.
    pages: NonNull<c_void>,
    page_bytes: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread, and this value is its only owner.
unsafe impl Send for Words {}

impl Words {
    /// Maps `bytes` from physical address `address`, both multiples of 4; pages may be larger than what is asked for.
    fn map(file: &File, address: u64, bytes: usize) -> io::Result<Words> {
        let page = rustix::param::page_size();
        let inside = (address % page as u64) as usize;
        let page_bytes = (inside + bytes).next_multiple_of(page);
        let (protection, first) = (ProtFlags::READ | ProtFlags::WRITE, address - inside as u64);
        // SAFETY: a new mapping at an address of the kernel's choice takes nothing away from this process. What is
        // behind it, registers or memory that the firmware gave to this process, is reached through this value alone.
        let pages = unsafe { mm::mmap(std::ptr::null_mut(), page_bytes, protection, MapFlags::SHARED, file, first)? };
        let pages = NonNull::new(pages).ok_or_else(|| io::Error::other("mapped at address 0"))?;
        // SAFETY: `inside + bytes` is at most `page_bytes`, so the first word lies in the mapping.
        let start = unsafe { pages.byte_add(inside) }.cast();
        Ok(Words { start, words: bytes / 4, pages, page_bytes })
    }

    fn load(&self, word: usize) -> u32 {
        assert!(word < self.words, "the word is inside the mapping");
        // SAFETY: the word is inside the mapping, which lives as long as `self`, and aligned because the mapping's
        // physical address is a multiple of 4. Others (the QPUs) may write at any time: hence volatile.
        unsafe { self.start.add(word).read_volatile() }
    }

    fn store(&mut self, word: usize, value: u32) {
        assert!(word < self.words, "the word is inside the mapping");
        // SAFETY: as for `load`; the mapping is writable.
        unsafe { self.start.add(word).write_volatile(value) }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: exactly what `map` mapped, and nothing refers to it any more. It cannot fail for such a range.
        let _ = unsafe { mm::munmap(self.pages.as_ptr(), self.page_bytes) };
    }
}

/// Orders what was written to memory before what is written to registers after, and the other way round. On AArch64 the
/// fence alone (`dmb ish`) orders only what the processors see.
fn barrier() {
    fence(Ordering::SeqCst);
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the instruction waits for memory accesses and changes nothing.
    unsafe {
        std::arch::asm!("dsb sy", options(nostack, preserves_flags));
    }
}

impl Mapping for Words {
    fn read(&self, first_word: usize, into: &mut [u32]) {
        barrier();
        for (i, word) in into.iter_mut().enumerate() {
            *word = self.load(first_word + i);
        }
    }

    fn write(&mut self, first_word: usize, words: &[u32]) {
        for (i, &word) in words.iter().enumerate() {
            self.store(first_word + i, word);
        }
        barrier();
        // Reading the last word back makes sure that write buffers on the way to memory are empty.
        if let Some(last) = words.len().checked_sub(1) {
            self.load(first_word + last);
        }
    }
}

impl Registers for Words {
    fn read(&mut self, offset: u32) -> u32 {
        let value = self.load(offset as usize / 4);
        barrier();
        value
    }

    fn write(&mut self, offset: u32, value: u32) {
        barrier();
        self.store(offset as usize / 4, value);
    }
}

struct SystemClock(Instant);

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&mut self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    // The type of a request number differs between C libraries.
    #[allow(clippy::unnecessary_cast)]
    fn the_request_number_has_the_size_of_a_pointer() {
        let expected = if size_of::<usize>() == 8 { 0xc008_6400_u32 } else { 0xc004_6400 };
        assert_eq!(PROPERTY as u32, expected);
    }

    /// An ordinary file maps like memory does: words, offsets within a page, contents that stay after unmapping.
    #[test]
    fn a_file_maps_as_words() {
        let mut path = std::env::temp_dir();
        path.push(format!("quadra-words-{}", std::process::id()));
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        let page = rustix::param::page_size() as u64;
        file.set_len(3 * page).unwrap();
        let mut words = Words::map(&file, page + 64, 32).unwrap();
        Mapping::write(&mut words, 1, &[0x0102_0304, 5]);
        Registers::write(&mut words, 28, 9);
        assert_eq!(Registers::read(&mut words, 8), 5);
        drop(words);
        let bytes = std::fs::read(&path).unwrap();
        let at = page as usize + 64;
        assert_eq!(bytes[at + 4..at + 8], 0x0102_0304_u32.to_ne_bytes());
        assert_eq!(bytes[at + 28..at + 32], 9_u32.to_ne_bytes());
        let words = Words::map(&file, page + 64, 32).unwrap();
        let mut read = [0; 3];
        Mapping::read(&words, 1, &mut read);
        assert_eq!(read, [0x0102_0304, 5, 0]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    #[should_panic(expected = "inside the mapping")]
    fn words_past_the_end_are_refused() {
        let file = File::open("/proc/self/exe").unwrap();
        let page = rustix::param::page_size();
        let words = Words { start: NonNull::dangling(), words: 4, pages: NonNull::dangling(), page_bytes: page };
        // The value owns no pages, so it must not be dropped.
        let words = std::mem::ManuallyDrop::new(words);
        drop(file);
        words.load(4);
    }
}
