//! Files as the client names them. It counts lines from 1 or from 0.

use quadra_base::FileId;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// How the client counts, and texts that are no file it could open.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    from_zero: bool,
    shown: Vec<FileId>,
}

/// The name under which a file is one and the same, however it was reached.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Whether a file of the program is the one that a client names.
pub fn same(file: FileId, path: &str) -> bool {
    let name = file.name();
    *name == *path || real(Path::new(&*name)) == real(Path::new(path))
}

impl Sources {
    /// Counts as the client says when it begins.
    pub fn new(lines_start_at_1: Option<bool>) -> Sources {
        Sources { from_zero: lines_start_at_1 == Some(false), shown: Vec::new() }
    }

    /// A line as the client counts.
    pub fn line(&self, line: u32) -> u32 {
        if self.from_zero { line.saturating_sub(1) } else { line }
    }

    /// The line that a client's number means.
    pub fn line_of(&self, number: i64) -> u32 {
        u32::try_from(number.saturating_add(i64::from(self.from_zero))).unwrap_or(0)
    }

    /// A file; one that is not on disk has a reference by which its text is asked for.
    pub fn of(&mut self, file: FileId) -> Value {
        let name = file.name();
        let path = real(Path::new(&*name));
        let short = path.file_name().map_or(name.to_string(), |n| n.to_string_lossy().into_owned());
        if path.is_file() {
            return json!({"name": short, "path": path});
        }
        let number = self.shown.iter().position(|f| *f == file).unwrap_or_else(|| {
            self.shown.push(file);
            self.shown.len() - 1
        });
        json!({"name": short, "path": &*name, "sourceReference": number + 1})
    }

    /// The text of a reference.
    ///
    /// # Errors
    /// There is none.
    pub fn text(&self, reference: i64) -> Result<Value, String> {
        let number = usize::try_from(reference.saturating_sub(1)).ok();
        let text = number.and_then(|n| self.shown.get(n)).and_then(|file| file.text());
        text.map(|t| json!({"content": &*t})).ok_or_else(|| format!("there is no text with the number {reference}"))
    }
}
