//! Images: QPU programs with their memory, as files that any tool can write.
//!
//! An image is a JSON file and, beside it, a file with the same stem and the ending `.bin`:
//!
//! ```json
//! { "threads": [ { "pc": 4096, "unif": 8192 } ],
//!   "segments": [ { "name": "code", "addr": 4096, "off": 0, "nbytes": 104 },
//!                 { "name": "uniforms", "addr": 8192, "off": 104, "nbytes": 8 } ],
//!   "zero_segments": [ { "addr": 65536, "nbytes": 4096 } ] }
//! ```
//!
//! `threads` holds one entry per QPU: the byte addresses of its first instruction and of its uniforms. A segment's contents
//! are the `nbytes` bytes at byte `off` of the `.bin` file, loaded at address `addr`; a zero segment begins as zeros. Every
//! segment can be written. A read past the end of a segment, by less than a page, gives zeros and a warning, because
//! programs that run on hardware prefetch; any other access outside the segments is a fault.

use super::emu::{Config, Machine, Memory, Region, Report, Tail, Thread, Translator};
use super::timing::published::Launch;
use super::timing::{self, Board, trace::Trace};
use quadra_base::{Diagnostic, FileId, Span, file};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// Bytes that all segments together may hold: more than any board has for the GPU.
pub const MAX_BYTES: u64 = 1 << 30;

/// The JSON part.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Image {
    pub threads: Vec<ImageThread>,
    pub segments: Vec<Segment>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zero_segments: Vec<ZeroSegment>,
    /// How long it takes on a board: for comparisons with the timing model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// A time that was measured on a board.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Measured {
    /// Seconds of `launches` launches, or of one of the `parts` of a launch.
    pub seconds: f64,
    pub launches: u32,
    pub parts: u32,
    /// The board: zero, 1, 2 or 3.
    pub pi: String,
    /// Clock of the V3D block in MHz, if it is not the board's usual one.
    pub mhz: Option<f64>,
    /// Who started the programs, if that is part of the time.
    pub launch: Launch,
    pub program: Option<String>,
    pub source: Option<String>,
}

impl Default for Measured {
    fn default() -> Measured {
        let (pi, launch) = ("1".into(), Launch::None);
        Measured { seconds: 0.0, launches: 1, parts: 1, pi, mhz: None, launch, program: None, source: None }
    }
}

impl Measured {
    /// The same, if a time can be compared with it; `path` is the image's file.
    ///
    /// # Errors
    /// `E0722` for an unknown board, and for numbers that are not above 0.
    pub fn checked(self, path: &Path) -> Result<Measured> {
        let wrong = |what: String| Box::new(Diagnostic::error("E0722", format!("{}: {what}", path.display())));
        if Board::from_name(&self.pi).is_none() {
            return Err(wrong(format!("there is no board `{}`; the boards are zero, 1, 2 and 3", self.pi)));
        }
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let good = positive(self.seconds) && self.mhz.is_none_or(positive) && self.launches > 0 && self.parts > 0;
        if good { Ok(self) } else { Err(wrong("`seconds`, `mhz`, `launches` and `parts` must be above 0".into())) }
    }
}

/// What one QPU starts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ImageThread {
    /// Byte address of the first instruction.
    pub pc: u32,
    /// Byte address of the uniforms.
    pub unif: u32,
}

/// Memory with contents from the `.bin` file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Segment {
    pub name: String,
    /// Byte address; a multiple of 4.
    pub addr: u32,
    /// Byte position of the contents in the `.bin` file.
    pub off: u64,
    pub nbytes: u64,
}

/// Memory that begins as zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ZeroSegment {
    /// Byte address; a multiple of 4.
    pub addr: u32,
    pub nbytes: u64,
}

/// An image with its contents.
#[derive(Clone, PartialEq, Debug)]
pub struct Loaded {
    pub image: Image,
    /// The bytes of the `.bin` file.
    pub contents: Vec<u8>,
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl Image {
    /// Parses the JSON text; `name` is the file's name for messages.
    ///
    /// # Errors
    /// `E0722` with the place in the text.
    pub fn parse(name: &str, text: &str) -> Result<Image> {
        serde_json::from_str(text).map_err(|error| {
            let file = FileId::of_text(name, text);
            let place = Span::new(file, error.line().max(1) as u32, error.column().max(1) as u32, 1);
            // The message ends with the place, which the diagnostic shows in its own way.
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
            Box::new(Diagnostic::error("E0722", format!("malformed image: {message}")).at(place))
        })
    }

    /// The end of the highest segment.
    pub fn end(&self) -> u64 {
        let ends = self.segments.iter().map(|s| u64::from(s.addr) + s.nbytes);
        let zero_ends = self.zero_segments.iter().map(|s| u64::from(s.addr) + s.nbytes);
        ends.chain(zero_ends).max().unwrap_or(0)
    }
}

impl Loaded {
    /// Reads the JSON file at `path` and the `.bin` file beside it.
    ///
    /// # Errors
    /// `E0721` for a file that cannot be read, `E0722` for a malformed one.
    pub fn read(path: &Path) -> Result<Loaded> {
        let image = Image::read(path)?;
        let bin = path.with_extension("bin");
        // An image of zero segments alone needs no second file.
        let contents = match std::fs::read(&bin) {
            Err(_) if image.segments.is_empty() => Vec::new(),
            other => other.map_err(|e| file_error("read", &bin, &e))?,
        };
        Ok(Loaded { image, contents })
    }

    /// Writes the JSON file at `path` and the `.bin` file beside it.
    ///
    /// # Errors
    /// `E0721` for a file that cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(&self.image).expect("the types have no maps with odd keys");
        text.push('\n');
        file::write(path, text).map_err(|e| file_error("write", path, &e))?;
        let bin = path.with_extension("bin");
        file::write(&bin, &self.contents).map_err(|e| file_error("write", &bin, &e))
    }

    /// A machine with the image's memory, and the threads to run on it.
    ///
    /// # Errors
    /// `E0722` for segments outside the `.bin` file or the address space, too many threads or too much memory; `E0720` for
    /// segments that overlap or are misaligned.
    pub fn machine(&self, config: Config) -> Result<(Machine, Vec<Thread>)> {
        self.image.machine(config, self.contents.len() as u64, |segment| {
            Ok(self.contents[segment.off as usize..(segment.off + segment.nbytes) as usize].to_vec())
        })
    }
}

impl Image {
    /// As [`Loaded::machine`], where `contents` gives those of a segment that lies inside the `.bin` file of `size` bytes.
    fn machine(
        &self,
        config: Config,
        size: u64,
        mut contents: impl FnMut(&Segment) -> Result<Vec<u8>>,
    ) -> Result<(Machine, Vec<Thread>)> {
        if self.threads.is_empty() || self.threads.len() > super::emu::QPUS {
            let message = format!("an image has 1 to 12 threads, not {}", self.threads.len());
            return Err(Diagnostic::error("E0722", message).into());
        }
        let sizes = self.segments.iter().map(|s| s.nbytes).chain(self.zero_segments.iter().map(|s| s.nbytes));
        let total = sizes.fold(0u64, u64::saturating_add);
        if total > MAX_BYTES {
            let message = format!("the segments hold {total} bytes together, more than 1 GiB");
            return Err(Diagnostic::error("E0722", message).into());
        }
        let mut machine = Machine::new(config);
        for segment in &self.segments {
            let Segment { name, addr, off, nbytes } = segment;
            if off.checked_add(*nbytes).is_none_or(|end| end > size) {
                let message =
                    format!("segment `{name}` wants {nbytes} bytes at byte {off}, but the .bin file has {size}");
                return Err(Diagnostic::error("E0722", message).into());
            }
            machine.add_region(region(name, *addr, contents(segment)?))?;
        }
        for (i, segment) in self.zero_segments.iter().enumerate() {
            let bytes = vec![0; segment.nbytes as usize];
            machine.add_region(region(&format!("zero segment {i}"), segment.addr, bytes))?;
        }
        let threads = self.threads.iter().map(|t| Thread { pc: t.pc, uniforms: t.unif }).collect();
        Ok((machine, threads))
    }

    /// Reads the image at `path`, and its memory segment by segment, which is held once.
    fn open(path: &Path, config: Config) -> Result<(Image, Machine, Vec<Thread>)> {
        let image = Image::read(path)?;
        let bin = path.with_extension("bin");
        let failed = |e| file_error("read", &bin, &e);
        let mut file = match File::open(&bin) {
            Err(_) if image.segments.is_empty() => None,
            other => Some(other.map_err(failed)?),
        };
        let size = file.as_ref().map_or(Ok(0), |file| file.metadata().map(|m| m.len())).map_err(failed)?;
        let (machine, threads) = image.machine(config, size, |segment| {
            let mut bytes = Vec::with_capacity(segment.nbytes as usize + 4);
            if let Some(file) = &mut file {
                file.seek(SeekFrom::Start(segment.off)).map_err(failed)?;
                file.take(segment.nbytes).read_to_end(&mut bytes).map_err(failed)?;
            }
            // A file that shrinks meanwhile ends in zeros.
            bytes.resize(segment.nbytes as usize, 0);
            Ok(bytes)
        })?;
        Ok((image, machine, threads))
    }

    fn read(path: &Path) -> Result<Image> {
        let text = std::fs::read_to_string(path).map_err(|e| file_error("read", path, &e))?;
        Image::parse(&path.display().to_string(), &text)
    }
}

/// What [`emulate`] is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    pub config: Config,
    /// File for the memory after the run, from address 0 to the end of the highest segment.
    pub memory_out: Option<&'a Path>,
    /// File for what the run did, as JSON.
    pub stats: Option<&'a Path>,
    /// Whether to simulate time, at the clock of this board.
    pub timing: Option<Board>,
    /// File for a trace; simulates time even without `timing`.
    pub trace: Option<&'a Path>,
    /// What makes native code of hot blocks. Simulated time does without.
    pub translator: Option<&'a Arc<dyn Translator>>,
}

/// What a run did, and its time if that was simulated.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    pub report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
}

/// Simulated time of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Time {
    /// V3D clocks until the last QPU ended.
    pub clocks: u64,
    /// The same in seconds, with a launch by registers.
    pub seconds: f64,
    pub qpus: Vec<timing::QpuTime>,
}

/// Reads the image at `path`, runs it and writes what the options ask for.
///
/// # Errors
/// As [`Loaded::read`] and [`Loaded::machine`]; `E0721` for a file that cannot be written; `E0723` if the program is stopped.
pub fn emulate(path: &Path, options: &Options) -> Result<Summary> {
    let (image, mut machine, threads) = Image::open(path, options.config)?;
    if let Some(translator) = options.translator {
        machine.set_translator(translator.clone());
    }
    let summary = if options.timing.is_some() || options.trace.is_some() {
        let mut trace = options.trace.map(|_| Trace::default());
        let board = options.timing.unwrap_or(Board::Pi1);
        let params = board.parameters();
        let outcome = timing::run(&mut machine, &threads, &params, trace.as_mut()).map_err(|e| e.diagnostic())?;
        let clock = board.clock_mhz();
        if let (Some(file), Some(trace)) = (options.trace, trace) {
            file::write(file, trace.to_json(clock)).map_err(|e| file_error("write", file, &e))?;
        }
        let seconds = outcome.seconds(clock, params.launch_registers);
        let time = Time { clocks: outcome.clocks, seconds, qpus: outcome.qpus };
        Summary { report: outcome.report, time: Some(time) }
    } else {
        Summary { report: machine.run(&threads).map_err(|e| e.diagnostic())?, time: None }
    };
    if let Some(file) = options.memory_out {
        write_memory(machine.memory(), image.end(), file)?;
    }
    if let Some(file) = options.stats {
        let text = serde_json::to_string_pretty(&summary).expect("the types have no maps with odd keys");
        file::write(file, text + "\n").map_err(|e| file_error("write", file, &e))?;
    }
    Ok(summary)
}

/// A region for a segment; the end is padded with zeros to a whole word.
fn region(name: &str, addr: u32, mut bytes: Vec<u8>) -> Region {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Region::new(name, addr, bytes).writable().with_tail(Tail::Warn)
}

/// Writes the memory from address 0 to `end` into a file; what lies between regions is zero.
///
/// # Errors
/// `E0721` if the file cannot be written.
pub fn write_memory(memory: &Memory, end: u64, path: &Path) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut out = file::Whole::create(path)?;
        // A sparse file: gaps between segments cost nothing, however far apart they lie.
        let mut at = 0;
        let mut regions: Vec<&Region> = memory.regions().iter().filter(|r| u64::from(r.base) < end).collect();
        regions.sort_by_key(|r| r.base);
        for region in regions {
            let length = (end - u64::from(region.base)).min(region.bytes.len() as u64);
            out.zeros(u64::from(region.base) - at)?;
            out.write_all(&region.bytes[..length as usize])?;
            at = u64::from(region.base) + length;
        }
        out.zeros(end - at)?;
        out.finish()
    };
    write().map_err(|e| file_error("write", path, &e))
}

fn file_error(verb: &str, path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    Diagnostic::error("E0721", format!("cannot {verb} {}: {error}", path.display())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Image> {
        Image::parse("case.json", text)
    }

    fn loaded(segments: &str, contents: &[u8]) -> Loaded {
        let text = format!(r#"{{"threads": [{{"pc": 0, "unif": 0}}], {segments}}}"#);
        Loaded { image: parsed(&text).expect("well formed"), contents: contents.to_vec() }
    }

    fn refused(image: &Loaded) -> String {
        image.machine(Config::default()).expect_err("must be refused").to_string()
    }

    #[test]
    fn malformed_text_is_placed() {
        let error = parsed("{\n  \"threads\": [],\n  \"segments\": [{\"name\": 3}]\n}").expect_err("a name is text");
        assert!(error.to_string().starts_with("case.json:3:"), "{error}");
        assert!(error.message.contains("invalid type"), "{error}");
        assert!(parsed("").is_err() && parsed("[]").is_err() && parsed("{\"threads\": []}").is_err());
        assert!(parsed(r#"{"threads": [{"pc": -8, "unif": 0}], "segments": []}"#).is_err());
        assert!(parsed(r#"{"threads": [{"pc": 4294967296, "unif": 0}], "segments": []}"#).is_err());
        assert!(parsed(r#"{"threads": [], "segments": [], "version": 2}"#).is_ok(), "unknown fields are let pass");
    }

    #[test]
    fn segments_that_do_not_fit_are_refused() {
        let segment = |addr: u64, off: u64, nbytes: u64| {
            format!(r#""segments": [{{"name": "s", "addr": {addr}, "off": {off}, "nbytes": {nbytes}}}]"#)
        };
        assert!(refused(&loaded(&segment(0, 4, 8), &[0; 11])).contains("but the .bin file has 11"));
        assert!(refused(&loaded(&segment(0, u64::MAX, 8), &[0; 16])).contains("E0722"));
        assert!(refused(&loaded(&segment(2, 0, 8), &[0; 16])).contains("E0720"));
        assert!(refused(&loaded(&segment(0xffff_fffc, 0, 8), &[0; 16])).contains("address space"));
        let zeros = r#""segments": [], "zero_segments": [{"addr": 0, "nbytes": 2000000000}]"#;
        assert!(refused(&loaded(zeros, &[])).contains("1 GiB"));
        let none = Loaded { image: Image::default(), contents: Vec::new() };
        assert!(refused(&none).contains("1 to 12 threads"));
    }

    #[test]
    fn an_image_runs_and_its_memory_is_written() {
        let words: [u64; 13] = [
            0x1002082715827D80,
            0x1002086715827D80,
            0xE0021C6700001A00,
            0xD00208A711982DC0,
            0x10020C270C9E7280,
            0xE0021C6780904000,
            0xE0021C67C0000000,
            0x10021CA7159E7000,
            0x100009E7009F2000,
            0xE00209A700000001,
            0x300009E7009E7000,
            0x100009E7009E7000,
            0x100009E7009E7000,
        ];
        let mut contents: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        contents.extend([0x80, 0x20, 0, 0, 100, 0, 0, 0]);
        let segment = |name: &str, addr, off, nbytes| Segment { name: name.into(), addr, off, nbytes };
        let image = Image {
            threads: vec![ImageThread { pc: 0x1000, unif: 0x1800 }],
            segments: vec![segment("code", 0x1000, 0, 104), segment("uniforms", 0x1800, 104, 8)],
            zero_segments: vec![ZeroSegment { addr: 0x2000, nbytes: 0x101 }],
            measured: None,
        };
        let directory = tempfile::tempdir().expect("a place for files");
        let path = directory.path().join("case.json");
        Loaded { image, contents }.write(&path).expect("writable");
        let (out, stats) = (directory.path().join("memory"), directory.path().join("stats.json"));
        let options = Options { memory_out: Some(&out), stats: Some(&stats), ..Options::default() };
        assert_eq!(emulate(&path, &options).expect("runs").report.issued(), 13);
        let timed = Options { timing: Some(Board::Pi2), ..options };
        let time = emulate(&path, &timed).expect("runs").time.expect("simulated");
        assert!(time.clocks > 13 * 4 && time.seconds < 1e-4, "{time:?}");
        let stats: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&stats).expect("readable")).expect("JSON");
        assert_eq!(
            (&stats["report"]["qpus"][0]["dma_stores"], &stats["time"]["clocks"]),
            (&1.into(), &time.clocks.into())
        );
        let memory = std::fs::read(&out).expect("readable");
        assert_eq!(memory.len(), 0x2101);
        let word = |at: usize| u32::from_le_bytes(memory[at..at + 4].try_into().expect("four bytes"));
        assert_eq!((word(0x2080), word(0x2080 + 60), word(0x20c0), word(0)), (100, 160, 0, 0));
        assert_eq!(memory[0x1000..0x1008], 0x1002082715827D80u64.to_le_bytes());
    }
}
