//! A GPU of NVIDIA at hand: its memory, what is on its way to it, and the shaders of libLLVM.

use super::api::{Address, Connection, Loaded, Times};
use crate::common::accelerator::{Driver, Facts, Launch, Trouble};
use quadra_back_gpu::{Confirmed, Prepared, Shader, entry_name};
use quadra_base::Diagnostic;
use quadra_base::quick::Map;
use quadra_kir::Kernel;
use quadra_llvm::{Llvm, Pipeline, Target};
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes of all headers that the GPU has, and where one may begin.
const HEADERS: usize = 64 << 10;
const ALIGNMENT: usize = 16;
/// No item has left a mark.
const NO_MARKS: [u8; 8] = [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];

/// Memory of the GPU. The last who has it gives it back.
#[derive(Clone)]
pub(crate) struct Memory(Arc<Block>);

struct Block {
    connection: Arc<Connection>,
    /// 0 where there was no memory.
    address: Address,
    bytes: u64,
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.address != 0 {
            self.connection.free(self.address);
        }
    }
}

/// A shader that can be launched.
pub(crate) struct Code {
    loaded: Loaded,
    /// Threads of a block.
    threads: u32,
}

/// What is on its way to the GPU. It does everything in the order in which it is told to.
pub(crate) struct Stream {
    headers: Memory,
    /// Where the GPU has which header: launches of a series often have the same.
    places: Map<Vec<u32>, usize>,
    used: usize,
    /// Two words: what went wrong, and the first item that took too long.
    marks: Memory,
}

pub(crate) struct Context {
    pub facts: Facts,
    connection: Arc<Connection>,
    llvm: Arc<Llvm>,
    /// The GPU as libLLVM knows it.
    target: &'static Target,
    stream: Mutex<Stream>,
    spare: Mutex<Vec<Memory>>,
    /// After some errors the driver takes no more of this process.
    trouble: Trouble,
}

impl Context {
    /// # Errors
    /// What the driver says.
    pub fn new(
        facts: Facts,
        connection: Connection,
        target: &'static Target,
        llvm: Arc<Llvm>,
    ) -> Result<Context, String> {
        let connection = Arc::new(connection);
        let block = |bytes: usize| -> Result<Memory, String> {
            let address = connection.allocate(bytes)?;
            Ok(Memory(Arc::new(Block { connection: connection.clone(), address, bytes: bytes as u64 })))
        };
        let (headers, marks) = (block(HEADERS)?, block(NO_MARKS.len())?);
        connection.write(marks.0.address, &NO_MARKS)?;
        let stream = Mutex::new(Stream { headers, places: Map::default(), used: 0, marks });
        Ok(Context { facts, connection, llvm, target, stream, spare: Mutex::default(), trouble: Trouble::default() })
    }

    /// Notes what went wrong, for who looks at results.
    fn note(&self, done: Result<(), String>) {
        if let Err(why) = done {
            self.trouble.note(why);
        }
    }

    /// What goes wrong on the GPU is said when somebody waits, and nothing works from then on.
    fn waited<T>(&self, done: Result<T, String>) -> Result<T, String> {
        let earlier = self.trouble.take();
        if done.is_err() {
            self.trouble.lose();
        }
        match earlier {
            Some(why) => Err(why),
            None => done,
        }
    }

    /// Whether what is done next works on memory that is there.
    fn is_well(&self) -> bool {
        self.trouble.is_none()
    }

    /// Where the GPU has a header, or will have it before what is launched next.
    fn header(&self, stream: &mut Stream, words: Vec<u32>) -> Address {
        let headers = stream.headers.0.address;
        if let Some(&at) = stream.places.get(&words) {
            return headers + at as Address;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        // What is written over others comes behind the launches that read those.
        if stream.used + bytes.len() > HEADERS {
            stream.places.clear();
            stream.used = 0;
        }
        let at = stream.used;
        stream.used = (at + bytes.len()).next_multiple_of(ALIGNMENT);
        stream.places.insert(words, at);
        let address = headers + at as Address;
        self.note(self.connection.write(address, &bytes));
        address
    }
}

impl Driver for Context {
    const NAME: &'static str = "cuda";
    type Memory = Memory;
    type Code = Code;
    type Stream = Stream;
    type Clock = Option<Times>;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn about(&self) -> String {
        format!("{}, through {}, exact (CUDA_VISIBLE_DEVICES)", self.facts.name, self.facts.driver)
    }

    fn stream(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spare(&self) -> &Mutex<Vec<Memory>> {
        &self.spare
    }

    fn trouble(&self) -> &Trouble {
        &self.trouble
    }

    fn allocate(&self, bytes: u64) -> Memory {
        let mut made = self.connection.allocate(bytes as usize);
        if made.is_err() {
            // There may be enough where nobody needs it.
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).clear();
            made = self.connection.allocate(bytes as usize);
        }
        let address = *made.as_ref().unwrap_or(&0);
        self.note(made.map(drop));
        Memory(Arc::new(Block { connection: self.connection.clone(), address, bytes }))
    }

    fn size(memory: &Memory) -> u64 {
        memory.0.bytes
    }

    fn write(&self, _stream: &mut Stream, to: &Memory, bytes: &[u8]) {
        if !self.is_well() {
            return;
        }
        let whole = bytes.len() / 4 * 4;
        self.note(self.connection.write(to.0.address, &bytes[..whole]));
        if whole < bytes.len() {
            let mut last = [0; 4];
            last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
            self.note(self.connection.write(to.0.address + whole as Address, &last));
        }
    }

    fn read(&self, _stream: &mut Stream, from: &Memory, into: &mut [u8]) -> Result<(), String> {
        self.waited(self.connection.read(from.0.address, into))
    }

    fn duplicate(&self, _stream: &mut Stream, from: &Memory, to: &Memory) {
        if self.is_well() {
            self.note(self.connection.copy(from.0.address, to.0.address, from.0.bytes as usize));
        }
    }

    fn key(&self) -> String {
        let (llvm, version) = (self.llvm.is_llvmlite(), self.llvm.version());
        format!("PTX of LLVM {version:?} {llvm} for {} {:?}", self.target.name, self.facts.target)
    }

    fn shader(&self, prepared: &Prepared, confirmed: &Confirmed) -> Result<Shader, Vec<Diagnostic>> {
        let made = prepared.llvm(confirmed, &self.facts.target)?;
        let ptx = self.llvm.assembly_for(&made.text, self.target, Pipeline::O2).map_err(|d| vec![*d])?;
        Ok(Shader::of_text(&ptx, made.form, made.marks, confirmed.is_complete()))
    }

    fn load(&self, shader: &Shader, kernel: &Kernel) -> Result<Code, String> {
        let entry = CString::new(entry_name(kernel)).map_err(|e| e.to_string())?;
        let loaded = self.connection.load(&shader.text(), &entry)?;
        Ok(Code { loaded, threads: shader.form.invocations })
    }

    fn dispatch(&self, stream: &mut Stream, code: &Code, Launch { header, groups, buffers }: Launch<'_, Context>) {
        let header = self.header(stream, header);
        let buffers = buffers.iter().map(|b| b.0.address);
        let parameters: Vec<Address> = [header, stream.marks.0.address].into_iter().chain(buffers).collect();
        if self.is_well() {
            self.note(self.connection.launch(&code.loaded, groups, code.threads, &parameters));
        }
    }

    fn timed(
        &self,
        clock: &mut Option<Times>,
        stream: &mut Stream,
        code: &Code,
        launch: Launch<'_, Context>,
    ) -> Result<Duration, String> {
        let times = match clock {
            Some(times) => times,
            None => clock.insert(self.connection.times()?),
        };
        self.connection.mark(times, 0)?;
        self.dispatch(stream, code, launch);
        self.connection.mark(times, 1)?;
        self.waited(self.connection.between(times))
    }

    /// The GPU has begun already.
    fn expect(&self, _stream: &mut Stream, _nanoseconds: f64) {}

    fn finish(&self, _stream: &mut Stream) -> Result<(), String> {
        self.waited(self.connection.finish())
    }

    fn take_marks(&self, stream: &mut Stream) -> Result<(u32, u32), String> {
        let words = self.waited(self.connection.reply(stream.marks.0.address))?;
        let word = |at: usize| words[at..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        if word(0) != 0 {
            self.note(self.connection.write(stream.marks.0.address, &NO_MARKS));
        }
        Ok((word(0), word(4)))
    }
}
