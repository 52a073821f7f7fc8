//! Source files and places in them.
//!
//! A [`Span`] names a file, a line and a column rather than byte offsets, because kernels recorded from Rust know their
//! place only as `file!()`, `line!()`, `column!()`, while the text itself may be absent on the machine that reports.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, OnceLock, RwLock};

crate::define_id! {
    /// A source file known to this process.
    pub struct FileId, "file"
}

/// What the names of files begin with that come with the program.
pub const SHIPPED: &str = "<library>/";

/// What is known of a file's text.
#[derive(Clone)]
enum Text {
    OnDisk,
    Known(Arc<str>),
    /// Many other texts of the same name came later.
    Forgotten,
}

struct SourceFile {
    name: Arc<str>,
    text: Text,
}

#[derive(Default)]
struct Table {
    files: Vec<SourceFile>,
    names: HashMap<Arc<str>, Versions>,
}

/// The files of one name, by their place in the table.
#[derive(Default)]
struct Versions {
    first: Option<usize>,
    /// Those whose text is known, the oldest first.
    known: VecDeque<usize>,
}

/// Texts of one name that are kept: a program that evaluates new text for ever must not fill the memory.
const MOST_TEXTS: usize = 256;

impl Table {
    /// The name as it is shared, and its files.
    fn versions(&mut self, name: &str) -> (Arc<str>, &mut Versions) {
        if !self.names.contains_key(name) {
            self.names.insert(name.into(), Versions::default());
        }
        let name = self.names.get_key_value(name).map_or_else(|| name.into(), |(name, _)| name.clone());
        (name.clone(), self.names.entry(name).or_default())
    }

    fn of_name(&mut self, name: &str) -> usize {
        let new = self.files.len();
        let (name, versions) = self.versions(name);
        let at = *versions.first.get_or_insert(new);
        if at == new {
            self.files.push(SourceFile { name, text: Text::OnDisk });
        }
        at
    }

    fn of_text(&mut self, name: &str, text: &str) -> usize {
        let new = self.files.len();
        let has = |f: &SourceFile| matches!(&f.text, Text::Known(t) if **t == *text);
        let known = self.names.get(name).map(|v| &v.known);
        if let Some(at) = known.and_then(|known| known.iter().rev().find(|at| has(&self.files[**at]))) {
            return *at;
        }
        let (name, versions) = self.versions(name);
        versions.first.get_or_insert(new);
        versions.known.push_back(new);
        let oldest = if versions.known.len() > MOST_TEXTS { versions.known.pop_front() } else { None };
        if let Some(oldest) = oldest {
            self.files[oldest].text = Text::Forgotten;
        }
        self.files.push(SourceFile { name, text: Text::Known(text.into()) });
        new
    }
}

fn table() -> &'static RwLock<Table> {
    static TABLE: OnceLock<RwLock<Table>> = OnceLock::new();
    TABLE.get_or_init(RwLock::default)
}

impl FileId {
    /// The id of the file called `name`, whose text is not known yet. The same name gives the same id.
    pub fn of_name(name: &str) -> FileId {
        FileId::from_index(table().write().unwrap_or_else(|e| e.into_inner()).of_name(name))
    }

    /// The id of the file called `name` with this text. A file with the same name but another text gets a new id, so
    /// places found earlier keep showing what they were found in, until there are hundreds of other texts of that name.
    pub fn of_text(name: &str, text: &str) -> FileId {
        FileId::from_index(table().write().unwrap_or_else(|e| e.into_inner()).of_text(name, text))
    }

    /// Lets go of the file's text: for those who register a new one at every stroke of a key.
    pub fn forget(self) {
        let mut table = table().write().unwrap_or_else(|e| e.into_inner());
        let Some(file) = table.files.get_mut(self.index()) else { return };
        file.text = Text::Forgotten;
        let name = file.name.clone();
        if let Some(versions) = table.names.get_mut(&name) {
            versions.known.retain(|at| *at != self.index());
        }
    }

    /// The name the file was registered under.
    pub fn name(self) -> Arc<str> {
        let files = table().read().unwrap_or_else(|e| e.into_inner());
        files.files.get(self.index()).map_or_else(|| "<unknown>".into(), |f| f.name.clone())
    }

    /// Whether the file comes with the program: its name begins with [`SHIPPED`].
    pub fn is_shipped(self) -> bool {
        self.name().starts_with(SHIPPED)
    }

    /// The text of the file: as registered, or read from disk where only the name is known and the file is there.
    pub fn text(self) -> Option<Arc<str>> {
        let (name, text) = {
            let files = table().read().unwrap_or_else(|e| e.into_inner());
            let file = files.files.get(self.index())?;
            (file.name.clone(), file.text.clone())
        };
        match text {
            Text::Known(text) => Some(text),
            Text::OnDisk => std::fs::read_to_string(Path::new(&*name)).ok().map(Into::into),
            Text::Forgotten => None,
        }
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
    fn texts_of_a_name_are_kept_until_many_others_have_come() {
        let first = FileId::of_text("again", "text 0");
        let kept = FileId::of_text("other", "text 0");
        let ids: Vec<FileId> = (1..=MOST_TEXTS).map(|n| FileId::of_text("again", &format!("text {n}"))).collect();
        assert_eq!((first.text(), &*first.name()), (None, "again"), "forgotten, and not read from a file of that name");
        assert_eq!(ids[0].text().as_deref(), Some("text 1"));
        assert_eq!(FileId::of_text("again", "text 1"), ids[0]);
        assert_ne!(FileId::of_text("again", "text 0"), first);
        assert_eq!(kept.text().as_deref(), Some("text 0"));
        kept.forget();
        assert_eq!((kept.text(), &*kept.name()), (None, "other"));
        assert_ne!(FileId::of_text("other", "text 0"), kept);
    }

    #[test]
    fn joining_places_on_one_line_covers_both() {
        let file = FileId::of_text("u", "abc def");
        let joined = Span::new(file, 1, 1, 3).to(Span::new(file, 1, 5, 3));
        assert_eq!(joined.len, 7);
    }
}
