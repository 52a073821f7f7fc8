//! Text files: a handle is a whole number from 1.
//!
//! What is written anew appears when the file is closed, when the program reads it, and when the program ends, by an error, too.
//! A file of which a part could not be written is given up: what was there before stays.

use super::{Builtin, Call, Run, row};
use crate::fault::{Fault, Res, fault};
use crate::value::Value;
use quadra_base::file::{Whole, place_of};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// Files that a program has open, by handle; slot 0 is handle 1.
#[derive(Default)]
pub struct Files(Vec<Option<Open>>);

struct Open {
    path: String,
    stream: Stream,
}

enum Stream {
    Read(BufReader<File>),
    Write(BufWriter<Whole>),
    Append(BufWriter<File>),
    /// What was written is lost, as the program has been told.
    Failed,
}

impl Files {
    /// Hands over what was written to a file, before somebody reads it.
    pub fn settle(&mut self, path: &Path) {
        if self.0.iter().flatten().any(Open::writes) {
            let place = place_of(path);
            for open in self.0.iter_mut().flatten().filter(|o| o.writes()) {
                if place_of(Path::new(&open.path)) == place {
                    // Who closes the file is told.
                    let _told_later = open.publish();
                }
            }
        }
    }

    /// Hands over what was written to all files.
    pub fn settle_all(&mut self) -> Vec<Box<Fault>> {
        self.0.iter_mut().flatten().filter_map(|open| open.publish().err()).collect()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.settle_all();
    }
}

impl Open {
    fn writes(&self) -> bool {
        matches!(self.stream, Stream::Write(_) | Stream::Append(_))
    }

    /// Puts what was written into its place.
    fn publish(&mut self) -> Res<()> {
        let result = match &mut self.stream {
            Stream::Write(w) => w.flush().and_then(|()| w.get_mut().publish()),
            Stream::Append(w) => w.flush(),
            Stream::Read(_) | Stream::Failed => Ok(()),
        };
        self.done(result)
    }

    fn write(&mut self, text: &str) -> Res<()> {
        let result = match &mut self.stream {
            Stream::Write(w) => w.write_all(text.as_bytes()),
            Stream::Append(w) => quadra_base::inject::write().and_then(|()| w.write_all(text.as_bytes())),
            Stream::Read(_) => {
                fault!("Q0417", "fprintf: '{}' is open for reading", self.path; "open it with mode \"w\" or \"a\"")
            }
            Stream::Failed => {
                fault!("Q0417", "fprintf: '{}' could not be written before", self.path; "close it")
            }
        };
        self.done(result)
    }

    /// Gives the file up if that was an error.
    fn done(&mut self, result: std::io::Result<()>) -> Res<()> {
        let Err(e) = result else { return Ok(()) };
        match std::mem::replace(&mut self.stream, Stream::Failed) {
            // What is pending would be tried again.
            Stream::Write(w) => drop(w.into_parts()),
            Stream::Append(w) => drop(w.into_parts()),
            _ => {}
        }
        Err(failed(&self.path, "cannot write", e))
    }
}

/// How many files a program may have open.
const LIMIT: usize = 200;

fn failed(path: &str, what: &str, e: impl std::fmt::Display) -> Box<Fault> {
    Fault::new("Q0413", format!("{what} '{path}': {e}")).help("check the name and the permissions of the file")
}

/// `fopen(file[,mode])`: "r" reads, "w" writes anew, "a" appends.
fn fopen(call: &mut Call) -> Res<Value> {
    let path = call.text(0)?.to_string();
    let mode = if call.args.len() > 1 { call.text(1)?.trim_end_matches(['b', 't']) } else { "r" };
    let mode = mode.to_string();
    let real = call.cx.readable(&path, call.name)?;
    let stream = match &*mode {
        "r" => File::open(&real).map(|f| Stream::Read(BufReader::new(f))),
        "w" => Whole::create(&real).map(|f| Stream::Write(BufWriter::new(f))),
        "a" => File::options().append(true).create(true).open(&real).map(|f| Stream::Append(BufWriter::new(f))),
        other => fault!("Q0314", "'fopen' knows no mode \"{other}\""; "\"r\" reads, \"w\" writes anew, \"a\" appends"),
    };
    let stream = stream.map_err(|e| failed(&path, "fopen: cannot open", e))?;
    let path = real.to_string_lossy().into_owned();
    let files = &mut call.cx.files.0;
    let slot = match files.iter().position(Option::is_none) {
        Some(slot) => slot,
        None if files.len() >= LIMIT => {
            fault!("Q0413", "more than {LIMIT} files are open"; "close files with fclose(f)");
        }
        None => {
            files.push(None);
            files.len() - 1
        }
    };
    files[slot] = Some(Open { path, stream });
    Ok(Value::size(slot + 1))
}

fn slot<'a>(call: &'a mut Call) -> Res<&'a mut Option<Open>> {
    let handle = call.integer(0)?;
    let name = call.name;
    let slot = usize::try_from(handle - 1).ok().and_then(|i| call.cx.files.0.get_mut(i)).filter(|s| s.is_some());
    slot.ok_or_else(|| {
        Fault::new("Q0417", format!("{name}: {handle} is no open file")).help("f = fopen(\"name\", \"r\") opens one")
    })
}

fn fclose(call: &mut Call) -> Res<()> {
    match slot(call)?.take() {
        Some(mut open) => open.publish(),
        None => Ok(()),
    }
}

fn fprintf(call: &mut Call) -> Res<()> {
    let text = super::string::format_values(&call.args[1..])?;
    match slot(call)? {
        Some(open) => open.write(&text),
        None => Ok(()),
    }
}

fn reader<'a>(call: &'a mut Call) -> Res<(&'a str, &'a mut BufReader<File>)> {
    let name = call.name;
    match slot(call)? {
        Some(Open { path, stream: Stream::Read(r) }) => Ok((path, r)),
        _ => fault!("Q0417", "{name}: the file is open for writing"; "open it with mode \"r\""),
    }
}

/// The next line without its end; "" behind the last.
fn fgetl(call: &mut Call) -> Res<Value> {
    let (path, r) = reader(call)?;
    let mut line = Vec::new();
    r.read_until(b'\n', &mut line).map_err(|e| failed(path, "fgetl: cannot read", e))?;
    let text = String::from_utf8_lossy(&line);
    Ok(Value::str(text.trim_end_matches(['\n', '\r'])))
}

/// Everything that is left of the file whose handle is the first argument.
pub fn rest(call: &mut Call) -> Res<String> {
    let (path, r) = reader(call)?;
    let path = path.to_string();
    let mut bytes = Vec::new();
    const PIECE: u64 = 16 << 20;
    loop {
        crate::memory::demand(bytes.len(), "a file")?;
        let read = r.by_ref().take(PIECE).read_to_end(&mut bytes);
        if read.map_err(|e| failed(&path, "textscan: cannot read", e))? == 0 {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

fn feof(call: &mut Call) -> Res<Value> {
    let (path, r) = reader(call)?;
    let rest = r.fill_buf().map_err(|e| failed(path, "feof: cannot read", e))?;
    Ok(Value::bool(rest.is_empty()))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "fopen",
        "fopen(file[,mode])",
        "opens a text file and returns its handle; mode \"r\" (default), \"w\" or \"a\"",
        "f = fopen(\"a.txt\", \"w\"); fclose(f)",
        1..=2,
        Run::One(fopen)
    )
    .host_only(),
    row!(
        "fclose",
        "fclose(f)",
        "closes a file: what was written to it appears under its name",
        "f = fopen(\"a.txt\", \"w\"); fclose(f)",
        1..=1,
        Run::Effect(fclose)
    )
    .host_only(),
    row!(
        "fprintf",
        "fprintf(f,format,…)",
        "text in a C format to a file",
        "f = fopen(\"a.txt\", \"w\"); fprintf(f, \"%d\\n\", 3); fclose(f)",
        2..=250,
        Run::Effect(fprintf)
    )
    .host_only(),
    row!(
        "fgetl",
        "fgetl(f)",
        "the next line of a file, \"\" behind the last",
        "f = fopen(\"a.txt\", \"w\"); fclose(f); f = fopen(\"a.txt\"); print fgetl(f); fclose(f)",
        1..=1,
        Run::One(fgetl)
    )
    .host_only(),
    row!(
        "feof",
        "feof(f)",
        "1 if the file has no more text",
        "f = fopen(\"a.txt\", \"w\"); fclose(f); f = fopen(\"a.txt\"); print feof(f); fclose(f)",
        1..=1,
        Run::One(feof)
    )
    .host_only(),
];
