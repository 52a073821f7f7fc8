//! Formatting, and the edits between two texts.

use crate::program::language::format;
use crate::program::text::Text;
use lsp_types::TextEdit;

/// What the standard layout changes, as one edit of the lines that differ; none if there are none.
pub fn formatting(text: &Text) -> Vec<TextEdit> {
    let new = format(&text.text);
    if *new == *text.text {
        return Vec::new();
    }
    let old: Vec<&str> = text.text.split_inclusive('\n').collect();
    let lines: Vec<&str> = new.split_inclusive('\n').collect();
    let front = old.iter().zip(&lines).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(lines.len()) - front;
    let back = old.iter().rev().zip(lines.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let bytes = |lines: &[&str]| lines.iter().map(|l| l.len()).sum::<usize>();
    let range = text.range(bytes(&old[..front])..bytes(&old[..old.len() - back]));
    vec![TextEdit { range, new_text: lines[front..lines.len() - back].concat() }]
}
