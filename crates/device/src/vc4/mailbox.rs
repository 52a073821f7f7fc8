//! The firmware's property mailbox: messages, their tags, and what the answers mean.
//!
//! A message is a list of 32-bit words: total bytes, code (0), then one tag with its value buffer, then 0. The firmware
//! answers in place: the code becomes `0x8000_0000`, the tag's length word gets bit 31, and the values are overwritten
//! (raspberrypi/firmware wiki, "Mailbox property interface").

use super::run::Failure;
use std::io;

/// Words a message can hold; the longest one here has ten.
const CAPACITY: usize = 16;

/// The answer's code when the firmware understood the message.
const SUCCESS: u32 = 0x8000_0000;
/// Bit of a tag's length word that says the firmware knows the tag.
const ANSWERED: u32 = 0x8000_0000;
/// What the firmware answers when the QPUs did not finish in time.
const TIMED_OUT: u32 = 0x8000_0000;

/// Clock number of the V3D block.
pub const CLOCK_V3D: u32 = 5;

/// Not cached by the processor's view of the GPU; bus addresses `0xCxxx_xxxx`.
pub const MEMORY_DIRECT: u32 = 0x4;
/// Through the VideoCore's own L2 cache, without allocation in its L1; bus addresses `0x4xxx_xxxx`.
pub const MEMORY_L1_NONALLOCATING: u32 = 0xc;

/// One request, and after the exchange its answer. The firmware takes the address of a message in 28 bits, so it is
/// aligned to 16 bytes.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Message {
    words: [u32; CAPACITY],
}

impl Message {
    /// A message with one tag; `values` are the request's, `room` words are reserved for request and answer.
    fn new(tag: u32, values: &[u32], room: usize) -> Message {
        assert!(values.len() <= room && room + 6 <= CAPACITY, "the message fits");
        let mut words = [0; CAPACITY];
        words[0] = 4 * (room as u32 + 6);
        words[2] = tag;
        words[3] = 4 * room as u32;
        words[4] = 4 * values.len() as u32;
        words[5..5 + values.len()].copy_from_slice(values);
        Message { words }
    }

    /// The words that are exchanged.
    pub fn words(&self) -> &[u32] {
        &self.words[..(self.words[0] as usize / 4).min(CAPACITY)]
    }

    /// The words that are exchanged, for whoever writes the answer.
    pub fn words_mut(&mut self) -> &mut [u32] {
        let words = (self.words[0] as usize / 4).min(CAPACITY);
        &mut self.words[..words]
    }
}

/// The kernel's door to the mailbox.
pub trait Mailbox: Send {
    /// Sends the message and waits for the answer, which replaces it.
    ///
    /// # Errors
    /// What the kernel reports; newer kernels give up after one second.
    fn exchange(&mut self, message: &mut Message) -> io::Result<()>;
}

/// A request: its name in messages, its tag, and the words reserved for its answer.
#[derive(Clone, Copy)]
struct Request {
    name: &'static str,
    tag: u32,
    room: usize,
}

fn call(mailbox: &mut dyn Mailbox, request: Request, values: &[u32]) -> Result<[u32; 2], Failure> {
    let mut message = Message::new(request.tag, values, request.room);
    mailbox.exchange(&mut message).map_err(|error| Failure::Kernel { call: request.name, error })?;
    let words = message.words;
    if words[1] != SUCCESS || words[4] & ANSWERED == 0 {
        return Err(Failure::Unknown { call: request.name, code: words[1] });
    }
    Ok([words[5], words[6]])
}

/// For requests that are answered by 0.
fn expect_zero(mailbox: &mut dyn Mailbox, request: Request, values: &[u32]) -> Result<(), Failure> {
    match call(mailbox, request, values)?[0] {
        0 => Ok(()),
        answer => Err(Failure::Refused { call: request.name, answer }),
    }
}

/// Allocates `bytes` of GPU memory and gives its handle.
///
/// # Errors
/// The kernel's and the firmware's refusals; [`Failure::OutOfMemory`] for the handle 0.
pub fn allocate(mailbox: &mut dyn Mailbox, bytes: u32, align: u32, flags: u32) -> Result<u32, Failure> {
    let request = Request { name: "allocate memory", tag: 0x3000c, room: 3 };
    match call(mailbox, request, &[bytes, align, flags])?[0] {
        0 => Err(Failure::OutOfMemory { bytes }),
        handle => Ok(handle),
    }
}

/// Pins an allocation and gives its bus address.
///
/// # Errors
/// The kernel's and the firmware's refusals.
pub fn lock(mailbox: &mut dyn Mailbox, handle: u32) -> Result<u32, Failure> {
    let request = Request { name: "lock memory", tag: 0x3000d, room: 1 };
    match call(mailbox, request, &[handle])?[0] {
        0 => Err(Failure::Refused { call: request.name, answer: 0 }),
        bus => Ok(bus),
    }
}

/// Undoes [`lock`].
///
/// # Errors
/// The kernel's and the firmware's refusals.
pub fn unlock(mailbox: &mut dyn Mailbox, handle: u32) -> Result<(), Failure> {
    expect_zero(mailbox, Request { name: "unlock memory", tag: 0x3000e, room: 1 }, &[handle])
}

/// Undoes [`allocate`].
///
/// # Errors
/// The kernel's and the firmware's refusals.
pub fn release(mailbox: &mut dyn Mailbox, handle: u32) -> Result<(), Failure> {
    expect_zero(mailbox, Request { name: "release memory", tag: 0x3000f, room: 1 }, &[handle])
}

/// Switches the QPUs on or off, and with them the power of the V3D block.
///
/// # Errors
/// The kernel's and the firmware's refusals; a firmware whose GPU belongs to the Linux driver refuses.
pub fn enable_qpu(mailbox: &mut dyn Mailbox, on: bool) -> Result<(), Failure> {
    let name = if on { "enable the QPUs" } else { "disable the QPUs" };
    expect_zero(mailbox, Request { name, tag: 0x30012, room: 1 }, &[on as u32])
}

/// Runs `programs` programs; `control` is the bus address of two words for each: uniforms, code. The firmware flushes the
/// caches before. It waits for one interrupt, which the last program has to raise.
///
/// # Errors
/// The kernel's and the firmware's refusals; [`Failure::TimedOut`] without further figures.
pub fn execute_qpu(
    mailbox: &mut dyn Mailbox,
    programs: u32,
    control: u32,
    timeout_milliseconds: u32,
) -> Result<(), Failure> {
    let request = Request { name: "execute on the QPUs", tag: 0x30011, room: 4 };
    let flush = 0;
    match call(mailbox, request, &[programs, control, flush, timeout_milliseconds]) {
        Ok([0, _]) => Ok(()),
        Ok([TIMED_OUT, _]) => {
            Err(Failure::TimedOut { milliseconds: timeout_milliseconds as u64, finished: 0, launched: programs })
        }
        Ok([answer, _]) => Err(Failure::Refused { call: request.name, answer }),
        Err(Failure::Kernel { error, .. }) if error.kind() == io::ErrorKind::TimedOut => {
            Err(Failure::TimedOut { milliseconds: timeout_milliseconds as u64, finished: 0, launched: programs })
        }
        Err(failure) => Err(failure),
    }
}

/// The rate of a clock in Hz, as it is set; 0 if the clock is off.
///
/// # Errors
/// The kernel's and the firmware's refusals.
pub fn clock_rate(mailbox: &mut dyn Mailbox, clock: u32) -> Result<u32, Failure> {
    Ok(call(mailbox, Request { name: "read a clock", tag: 0x30002, room: 2 }, &[clock])?[1])
}

/// The rate of a clock in Hz, as it is measured; 0 if the clock is off.
///
/// # Errors
/// The kernel's and the firmware's refusals; old firmware does not know the request.
pub fn measured_clock_rate(mailbox: &mut dyn Mailbox, clock: u32) -> Result<u32, Failure> {
    Ok(call(mailbox, Request { name: "measure a clock", tag: 0x30047, room: 2 }, &[clock])?[1])
}

/// Sets the rate of a clock in Hz and gives the rate it has now.
///
/// # Errors
/// The kernel's and the firmware's refusals.
pub fn set_clock_rate(mailbox: &mut dyn Mailbox, clock: u32, hertz: u32) -> Result<u32, Failure> {
    let keep_turbo_setting = 1;
    Ok(call(mailbox, Request { name: "set a clock", tag: 0x38002, room: 3 }, &[clock, hertz, keep_turbo_setting])?[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers with fixed words and keeps what was sent.
    struct Replay {
        sent: Vec<u32>,
        code: u32,
        answer: Vec<u32>,
    }

    impl Mailbox for Replay {
        fn exchange(&mut self, message: &mut Message) -> io::Result<()> {
            self.sent = message.words().to_vec();
            let words = message.words_mut();
            words[1] = self.code;
            words[4] = if self.answer.is_empty() { words[4] } else { 0x8000_0000 + 4 * self.answer.len() as u32 };
            words[5..5 + self.answer.len()].copy_from_slice(&self.answer);
            Ok(())
        }
    }

    fn replay(answer: &[u32]) -> Replay {
        Replay { sent: Vec::new(), code: 0x8000_0000, answer: answer.to_vec() }
    }

    #[test]
    fn requests_are_these_words_and_answers_are_understood() {
        let mut m = replay(&[7]);
        assert_eq!(allocate(&mut m, 0x2000, 4096, MEMORY_L1_NONALLOCATING).unwrap(), 7);
        assert_eq!(m.sent, [36, 0, 0x3000c, 12, 12, 0x2000, 4096, 0xc, 0]);
        m = replay(&[0xdeaf_0000]);
        assert_eq!(lock(&mut m, 7).unwrap(), 0xdeaf_0000);
        assert_eq!(m.sent, [28, 0, 0x3000d, 4, 4, 7, 0]);
        m = replay(&[0]);
        unlock(&mut m, 7).unwrap();
        assert_eq!(m.sent, [28, 0, 0x3000e, 4, 4, 7, 0]);
        release(&mut m, 7).unwrap();
        assert_eq!(m.sent, [28, 0, 0x3000f, 4, 4, 7, 0]);
        enable_qpu(&mut m, true).unwrap();
        assert_eq!(m.sent, [28, 0, 0x30012, 4, 4, 1, 0]);
        enable_qpu(&mut m, false).unwrap();
        assert_eq!(m.sent, [28, 0, 0x30012, 4, 4, 0, 0]);
        execute_qpu(&mut m, 12, 0xc012_3000, 900).unwrap();
        assert_eq!(m.sent, [40, 0, 0x30011, 16, 16, 12, 0xc012_3000, 0, 900, 0]);
        m = replay(&[5, 300_000_000]);
        assert_eq!(clock_rate(&mut m, CLOCK_V3D).unwrap(), 300_000_000);
        assert_eq!(m.sent, [32, 0, 0x30002, 8, 4, 5, 0, 0]);
        assert_eq!(measured_clock_rate(&mut m, CLOCK_V3D).unwrap(), 300_000_000);
        assert_eq!(m.sent, [32, 0, 0x30047, 8, 4, 5, 0, 0]);
        assert_eq!(set_clock_rate(&mut m, CLOCK_V3D, 250_000_000).unwrap(), 300_000_000);
        assert_eq!(m.sent, [36, 0, 0x38002, 12, 12, 5, 250_000_000, 1, 0]);
    }

    #[test]
    fn the_bytes_in_memory_are_little_endian_and_aligned() {
        let message = Message::new(0x30012, &[1], 1);
        assert_eq!(std::ptr::from_ref(&message) as usize % 16, 0);
        let bytes: Vec<u8> = message.words().iter().flat_map(|w| w.to_le_bytes()).collect();
        let recorded = [
            0x1c, 0, 0, 0, 0, 0, 0, 0, 0x12, 0, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, //
        ];
        assert_eq!(bytes, recorded);
    }

    #[test]
    fn refusals_are_told_apart() {
        assert!(matches!(allocate(&mut replay(&[0]), 64, 4096, 4), Err(Failure::OutOfMemory { bytes: 64 })));
        assert!(matches!(enable_qpu(&mut replay(&[0x8000_0000]), true), Err(Failure::Refused { answer: SUCCESS, .. })));
        assert!(matches!(lock(&mut replay(&[0]), 1), Err(Failure::Refused { .. })));
        assert!(matches!(
            execute_qpu(&mut replay(&[TIMED_OUT]), 3, 0, 5),
            Err(Failure::TimedOut { milliseconds: 5, launched: 3, .. })
        ));
        assert!(matches!(execute_qpu(&mut replay(&[1]), 3, 0, 5), Err(Failure::Refused { answer: 1, .. })));
        // The firmware does not know the tag: the length word has no bit 31.
        assert!(matches!(measured_clock_rate(&mut replay(&[]), 5), Err(Failure::Unknown { code: SUCCESS, .. })));
        let mut m = replay(&[1]);
        m.code = 0x8000_0001;
        assert!(matches!(clock_rate(&mut m, 5), Err(Failure::Unknown { code: 0x8000_0001, .. })));
    }
}
