//! File names as URIs and back.

use lsp_types::Uri;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The file that a URI names; none for other schemes.
pub fn to_path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // A host may stand before the path; it is this machine.
    let path = &rest[rest.find('/')?..];
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = path.get(i + 1..i + 3).filter(|_| bytes[i] == b'%').and_then(|h| u8::from_str_radix(h, 16).ok());
        out.push(hex.unwrap_or(bytes[i]));
        i += if hex.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8(out).ok()?;
    // `/c:/x` on Windows.
    let drive = matches!(path.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    Some(PathBuf::from(if drive && cfg!(windows) { &path[1..] } else { &path }))
}

/// The URI of a file.
pub fn of_path(path: &Path) -> Option<Uri> {
    let path = path.to_str()?.replace('\\', "/");
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for b in path.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(b.into()),
            _ => out.push_str(&format!("%{b:02X}")),
        }
    }
    Uri::from_str(&out).ok()
}
