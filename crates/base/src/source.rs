//! Source files and places in them.
//!
//! A [`Span`] names a file, a line and a column rather than byte offsets, because kernels recorded from Rust know their
//! place only as `file!()`, `line!()`, `column!()`, while the text itself may be absent on the machine that reports.

use std::path::Path;
use std::sync::{Arc, OnceLock, RwLock};

crate::define_id! {
    /// A source file known to this process.
    pub struct FileId, "file"
}

#[derive(Clone)]
struct SourceFile {
    name: Arc<str>,
    text: Option<Arc<str>>,
}

fn table() -> &'static RwLock<Vec<SourceFile>> {
    static TABLE: OnceLock<RwLock<Vec<SourceFile>>> = OnceLock::new();
    TABLE.get_or_init(RwLock::default)
}

impl FileId {
    /// The id of the file called `name`, whose text is not known yet. The same name gives the same id.
    pub fn of_name(name: &str) -> FileId {
        let mut files = table().write().unwrap_or_else(|e| e.into_inner());
        if let Some(i) = files.iter().position(|f| &*f.name == name) {
            return FileId::from_index(i);
        }
        files.push(SourceFile { name: name.into(), text: None });
        FileId::from_index(files.len() - 1)
    }

    /// The id of the file called `name` with this text. A file with the same name but another text gets a new id, so
    /// places found earlier keep showing what they were found in.
    pub fn of_text(name: &str, text: &str) -> FileId {
        let mut files = table().write().unwrap_or_else(|e| e.into_inner());
        if let Some(i) = files.iter().position(|f| &*f.name == name && f.text.as_deref() == Some(text)) {
            return FileId::from_index(i);
        }
        files.push(SourceFile { name: name.into(), text: Some(text.into()) });
        FileId::from_index(files.len() - 1)
    }

    /// The name the file was registered under.
    pub fn name(self) -> Arc<str> {
        let files = table().read().unwrap_or_else(|e| e.into_inner());
        files.get(self.index()).map_or_else(|| "<unknown>".into(), |f| f.name.clone())
    }

    /// The text of the file: as registered, or read from disk where only the name is known and the file is there.
    pub fn text(self) -> Option<Arc<str>> {
        let (name, text) = {
            let files = table().read().unwrap_or_else(|e| e.into_inner());
            let file = files.get(self.index())?;
            (file.name.clone(), file.text.clone())
        };
        text.or_else(|| std::fs::read_to_string(Path::new(&*name)).ok().map(Into::into))
    }
}

/// A place in a source file: `len` characters from `column` of `line` (both counted from 1). A place that runs over
/// several lines is given by its start and the characters up to the end of its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
    pub len: u32,
}

impl Span {
    /// The place `len` characters long at `line`:`column` of `file`.
    pub fn new(file: FileId, line: u32, column: u32, len: u32) -> Span {
        Span { file, line, column, len: len.max(1) }
    }

    /// The place of a caller, as `#[track_caller]` gives it.
    pub fn of_caller(at: &std::panic::Location<'_>) -> Span {
        Span::new(FileId::of_name(at.file()), at.line(), at.column(), 1)
    }

    /// The place from the start of `self` to the end of `other`, which must not lie before it.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && self.line == other.line && other.column >= self.column {
            return Span { len: other.column + other.len - self.column, ..self };
        }
        let rest = self.file.text().and_then(|t| {
            let line = t.lines().nth(self.line as usize - 1)?.trim_end().chars().count() as u32;
            Some((line + 1).saturating_sub(self.column))
        });
        Span { len: rest.unwrap_or(self.len).max(self.len), ..self }
    }

    /// Byte range of this place in `text`, clipped to the text.
    pub fn byte_range(&self, text: &str) -> std::ops::Range<usize> {
        let mut start = 0;
        for _ in 1..self.line {
            match text[start..].find('\n') {
                Some(i) => start += i + 1,
                None => return text.len()..text.len(),
            }
        }
        let line = text[start..].split('\n').next().unwrap_or("");
        let at = |chars: u32| line.char_indices().nth(chars as usize).map_or(line.len(), |(i, _)| i);
        start + at(self.column - 1)..start + at(self.column - 1 + self.len)
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file.name(), self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_range_counts_characters_not_bytes() {
        let text = "aä = 1\nßx = yz\n";
        let file = FileId::of_text("t", text);
        let r = Span::new(file, 2, 2, 1).byte_range(text);
        assert_eq!(&text[r], "x");
        assert_eq!(Span::new(file, 9, 1, 1).byte_range(text), text.len()..text.len());
    }

    #[test]
    fn joining_places_on_one_line_covers_both() {
        let file = FileId::of_text("u", "abc def");
        let joined = Span::new(file, 1, 1, 3).to(Span::new(file, 1, 5, 3));
        assert_eq!(joined.len, 7);
    }
}
