//! Text files: a handle is a whole number from 3, as 1 and 2 stand for what the program prints.

use super::{Builtin, Call, Run, row};
use crate::fault::{Fault, Res, fault};
use crate::open_files::{Open, Stream, failed};
use crate::value::Value;
use quadra_base::file::Whole;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};

/// How many files a program may have open.
const LIMIT: usize = 200;
/// The handle of the first file.
const FIRST: usize = 3;

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
    Ok(Value::size(slot + FIRST))
}

fn slot<'a>(call: &'a mut Call) -> Res<&'a mut Option<Open>> {
    let handle = call.integer(0)?;
    let name = call.name;
    let slot = usize::try_from(handle)
        .ok()
        .and_then(|h| h.checked_sub(FIRST))
        .and_then(|i| call.cx.files.0.get_mut(i))
        .filter(|s| s.is_some());
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
    if call.args[0].as_text().is_some() {
        let text = super::string::format_values(call.args)?;
        return super::io::write(call.cx, &text);
    }
    let text = super::string::format_values(&call.args[1..])?;
    if matches!(call.integer(0)?, 1 | 2) {
        return super::io::write(call.cx, &text);
    }
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
        "fprintf(f,format,…), fprintf(format,…)",
        "text in a C format to a file; without one, or to 1 or 2, to where print writes",
        "f = fopen(\"a.txt\", \"w\"); fprintf(f, \"%d\\n\", 3); fclose(f)",
        1..=250,
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
