//! What a process and its compiler say to each other: frames over a socket, a number and its bytes each.

use std::io::{self, Read, Write};

/// What the compiler says before anything else.
pub const GREETING: &[u8] = b"quadra compiler 3";

/// Bytes of a frame at most: what is longer is no frame.
const MOST: u64 = 1 << 30;

/// What is asked of a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Load this library, and say what it is.
    Load(String),
    Generate(Job),
}

/// A module to be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub text: String,
    pub triple: String,
    /// By LLVM's name; empty where triple and features say all.
    pub processor: String,
    pub features: String,
    pub pipeline: Option<String>,
    /// Whether assembly is wanted, for people to read, and no object file.
    pub assembly: bool,
    /// Whether the code generator is to be quick rather than its code.
    pub hurried: bool,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Done(Vec<u8>),
    /// LLVM says what is wrong with the text.
    Refused(String),
    /// LLVM was about to end the process.
    Fatal(String),
}

fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
    bytes.extend_from_slice(part);
}

fn take<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    *bytes = rest;
    Some(part)
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    take(bytes).map(|part| String::from_utf8_lossy(part).into_owned())
}

impl Request {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Request::Load(path) => {
                bytes.push(0);
                put(&mut bytes, path.as_bytes());
            }
            Request::Generate(job) => {
                bytes.push(
                    1 + u8::from(job.assembly) + 2 * u8::from(job.pipeline.is_some()) + 4 * u8::from(job.hurried),
                );
                let pipeline = job.pipeline.clone().unwrap_or_default();
                for part in [&job.text, &job.triple, &job.processor, &job.features, &pipeline] {
                    put(&mut bytes, part.as_bytes());
                }
            }
        }
        bytes
    }

    pub fn of_bytes(bytes: &[u8]) -> Option<Request> {
        let (&kind, mut rest) = bytes.split_first()?;
        if kind == 0 {
            return take_text(&mut rest).map(Request::Load);
        }
        let how = kind.checked_sub(1).filter(|how| *how < 8)?;
        let mut next = || take_text(&mut rest);
        let (text, triple, processor, features, pipeline) = (next()?, next()?, next()?, next()?, next()?);
        let pipeline = (how & 2 != 0).then_some(pipeline);
        let (assembly, hurried) = (how & 1 != 0, how & 4 != 0);
        Some(Request::Generate(Job { text, triple, processor, features, pipeline, assembly, hurried }))
    }
}

impl Reply {
    pub fn to_bytes(&self) -> Vec<u8> {
        let (kind, part) = match self {
            Reply::Done(bytes) => (0, &bytes[..]),
            Reply::Refused(why) => (1, why.as_bytes()),
            Reply::Fatal(why) => (2, why.as_bytes()),
        };
        let mut bytes = vec![kind];
        bytes.extend_from_slice(part);
        bytes
    }

    pub fn of_bytes(bytes: &[u8]) -> Option<Reply> {
        let (&kind, rest) = bytes.split_first()?;
        let text = || String::from_utf8_lossy(rest).into_owned();
        match kind {
            0 => Some(Reply::Done(rest.to_vec())),
            1 => Some(Reply::Refused(text())),
            2 => Some(Reply::Fatal(text())),
            _ => None,
        }
    }
}

/// Sends a frame.
pub fn send(mut to: impl Write, number: u64, bytes: &[u8]) -> io::Result<()> {
    let mut head = [0; 16];
    head[..8].copy_from_slice(&number.to_le_bytes());
    head[8..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    to.write_all(&head)?;
    to.write_all(bytes)
}

/// Waits for a frame.
pub fn receive(mut from: impl Read) -> io::Result<(u64, Vec<u8>)> {
    let mut head = [0; 16];
    from.read_exact(&mut head)?;
    let word = |at: usize| head[at..at + 8].iter().rev().fold(0u64, |word, b| word << 8 | u64::from(*b));
    if word(8) > MOST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "this is no frame"));
    }
    let mut bytes = Vec::new();
    from.take(word(8)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != word(8) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((word(0), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received_and_nothing_else() {
        let job = |assembly, pipeline: Option<&str>| {
            Request::Generate(Job {
                text: "define".into(),
                triple: "x86".into(),
                processor: "sm_70".into(),
                features: "+a,-b".into(),
                pipeline: pipeline.map(String::from),
                assembly,
                hurried: assembly,
            })
        };
        let requests = [Request::Load("lib".into()), job(false, None), job(true, None), job(false, Some("sroa"))];
        for request in requests {
            let mut wire = Vec::new();
            send(&mut wire, 7, &request.to_bytes()).expect("a vector takes all");
            let (number, bytes) = receive(&wire[..]).expect("it is whole");
            assert_eq!((number, Request::of_bytes(&bytes)), (7, Some(request)));
            for cut in 0..wire.len() {
                assert!(receive(&wire[..cut]).is_err(), "{cut} bytes of it");
            }
            for cut in 0..bytes.len() {
                assert_eq!(Request::of_bytes(&bytes[..cut]), None, "{cut} bytes of it");
            }
        }
        for reply in [Reply::Done(vec![1, 2]), Reply::Refused("why".into()), Reply::Fatal(String::new())] {
            assert_eq!(Reply::of_bytes(&reply.to_bytes()), Some(reply));
        }
        assert!(receive(&[0xff; 32][..]).is_err(), "no memory is taken for a wrong length");
        assert_eq!((Request::of_bytes(&[9]), Reply::of_bytes(&[9]), Reply::of_bytes(&[])), (None, None, None));
    }
}
