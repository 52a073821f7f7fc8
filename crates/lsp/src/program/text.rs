//! Places in a text. The protocol counts lines that end in CR, LF or both, and units of UTF-16; the language counts lines that end in LF
//! and characters. Bytes stand between the two.

use lsp_types::{Position, Range};
use quadra_base::Span;
use std::sync::Arc;

/// A text and where its lines and characters begin.
#[derive(Clone, Debug)]
pub struct Text {
    pub text: Arc<str>,
    /// First bytes of the protocol's lines, and of the language's.
    lines: Vec<usize>,
    rows: Vec<usize>,
    /// Byte and UTF-16 unit of every character and of the end; none in a text of ASCII, where they are the same.
    chars: Option<Vec<(usize, usize)>>,
}

impl Text {
    pub fn new(text: &str) -> Text {
        let (mut lines, mut rows) = (vec![0], vec![0]);
        let bytes = text.as_bytes();
        for (i, b) in bytes.iter().enumerate() {
            if *b == b'\n' || *b == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
                lines.push(i + 1);
            }
            if *b == b'\n' {
                rows.push(i + 1);
            }
        }
        let chars = (!text.is_ascii()).then(|| {
            let mut units = 0;
            let mut all: Vec<(usize, usize)> = text
                .char_indices()
                .map(|(at, c)| {
                    units += c.len_utf16();
                    (at, units - c.len_utf16())
                })
                .collect();
            all.push((text.len(), units));
            all
        });
        Text { text: text.into(), lines, rows, chars }
    }

    fn units(&self, byte: usize) -> usize {
        match &self.chars {
            None => byte,
            Some(chars) => chars[chars.partition_point(|c| c.0 < byte).min(chars.len() - 1)].1,
        }
    }

    /// The byte where a character begins, counted from the start of the text in units; the middle of a pair is its first half.
    fn byte_of_unit(&self, unit: usize) -> usize {
        match &self.chars {
            None => unit,
            Some(chars) => chars[chars.partition_point(|c| c.1 <= unit).max(1) - 1].0,
        }
    }

    /// The end of the protocol's line that begins at `lines[line]`, without what ends it.
    fn line_end(&self, line: usize) -> usize {
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        let text = &self.text[self.lines[line]..end];
        self.lines[line] + text.trim_end_matches(['\n', '\r']).len()
    }

    /// The byte at a position. One behind the end of its line means that end, one behind the last line the end of the text.
    pub fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.lines.get(line) else { return self.text.len() };
        let unit = self.units(*start).saturating_add(position.character as usize);
        let last = self.units(self.text.len());
        self.byte_of_unit(unit.min(last)).min(self.line_end(line))
    }

    /// The position of a byte.
    pub fn position(&self, byte: usize) -> Position {
        let byte = byte.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= byte) - 1;
        Position::new(line as u32, (self.units(byte) - self.units(self.lines[line])) as u32)
    }

    pub fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range::new(self.position(bytes.start), self.position(bytes.end))
    }

    /// The byte at a row and column of the language, both counted from 1.
    pub fn byte(&self, row: u32, column: u32) -> usize {
        let row = row as usize - 1;
        let Some(start) = self.rows.get(row) else { return self.text.len() };
        let end = self.rows.get(row + 1).map_or(self.text.len(), |next| next - 1);
        let column = column as usize - 1;
        let at = match &self.chars {
            None => start + column,
            Some(chars) => {
                let first = chars.partition_point(|c| c.0 < *start);
                chars[first.saturating_add(column).min(chars.len() - 1)].0
            }
        };
        at.min(end)
    }

    /// Row and column of a byte, counted from 1.
    pub fn place(&self, byte: usize) -> (u32, u32) {
        let row = self.rows.partition_point(|start| *start <= byte) - 1;
        let count = |at: usize| match &self.chars {
            None => at,
            Some(chars) => chars.partition_point(|c| c.0 < at),
        };
        (row as u32 + 1, (count(byte) - count(self.rows[row])) as u32 + 1)
    }

    /// The bytes of a place.
    pub fn bytes(&self, span: Span) -> std::ops::Range<usize> {
        self.byte(span.line, span.column)..self.byte(span.line, span.column.saturating_add(span.len))
    }

    pub fn span(&self, span: Span) -> Range {
        self.range(self.bytes(span))
    }

    /// The bytes of the language's row that has this byte, with its line end.
    pub fn row(&self, byte: usize) -> std::ops::Range<usize> {
        let row = self.rows.partition_point(|start| *start <= byte) - 1;
        self.rows[row]..self.rows.get(row + 1).copied().unwrap_or(self.text.len())
    }

    /// The text with `range` replaced.
    pub fn replaced(&self, range: Range, new: &str) -> Text {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        let end = end.max(start);
        Text::new(&[&self.text[..start], new, &self.text[end..]].concat())
    }
}
