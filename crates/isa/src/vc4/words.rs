//! Words out of files: bytes, hexadecimal text, arrays of C and Rust.

use quadra_base::{Diagnostic, FileId, Span};

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// A number of the text: its value, whether it is written with more than 32 bits, and where it stands.
struct Number {
    value: u64,
    wide: bool,
    line: u32,
    column: u32,
    len: u32,
}

/// The 64-bit words of a file. Text holds numbers in hexadecimal, with 16 digits for a word or with at most 8 for a half, the
/// low half first; if it has braces or brackets behind an equals sign, they are the elements of arrays. Whatever is no text
/// is little-endian words.
///
/// # Errors
/// `E0741` with the place: what is no number, half a word, bytes that are no whole number of words.
///
/// ```
/// use quadra_isa::vc4::words;
/// let word = [0x1000_09e7_009e_7000];
/// assert_eq!(words::parse("a.hex", b"0x009e7000, 0x100009e7, // nop").expect("two halves"), word);
/// assert_eq!(words::parse("a.c", b"const unsigned a[2] = { 0x009e7000u, 0x100009e7u };").expect("an array"), word);
/// assert_eq!(words::parse("a.bin", &word[0].to_le_bytes()).expect("8 bytes"), word);
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Vec<u64>> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text(text) && !name.ends_with(".bin") => from_text(name, text),
        _ if bytes.len().is_multiple_of(8) => {
            let (chunks, _) = bytes.as_chunks::<8>();
            Ok(chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
        }
        _ => {
            let message = format!("{} bytes are not a whole number of 64-bit words", bytes.len());
            Err(Diagnostic::error("E0741", message).into())
        }
    }
}

fn is_text(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || c.is_whitespace())
}

fn from_text(name: &str, text: &str) -> Result<Vec<u64>> {
    let file = FileId::of_text(name, text);
    let plain = elements(&without_comments(text));
    let numbers = numbers(file, &plain)?;
    let at = |n: &Number| Span::new(file, n.line, n.column, n.len);
    let Some(first) = numbers.first() else { return Ok(Vec::new()) };
    if let Some(other) = numbers.iter().find(|n| n.wide != first.wide) {
        let message = "words of 64 bits and halves of 32 bits in one file";
        return Err(Diagnostic::error("E0741", message).at(at(other)).also(at(first), "the first one").into());
    }
    if first.wide {
        return Ok(numbers.iter().map(|n| n.value).collect());
    }
    if let (true, Some(last)) = (numbers.len() % 2 == 1, numbers.last()) {
        let message = format!("{} halves of 32 bits are not a whole number of words", numbers.len());
        return Err(Diagnostic::error("E0741", message)
            .at(at(last))
            .help("a word is its low half and its high half")
            .into());
    }
    Ok(numbers.chunks_exact(2).map(|pair| pair[1].value << 32 | pair[0].value).collect())
}

/// The text with comments and lines of the preprocessor blanked, so that places stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut block, mut line) = (false, false);
    let mut chars = text.chars().peekable();
    let mut fresh = true;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        if c == '\n' {
            (line, fresh) = (false, true);
            out.push(c);
            continue;
        }
        if block && c == '*' && next == Some('/') {
            chars.next();
            out.push_str("  ");
            block = false;
            continue;
        }
        line |= !block && (c == '/' && next == Some('/') || c == '#' || c == ';' && fresh);
        block |= !line && c == '/' && next == Some('*');
        fresh &= c.is_whitespace();
        out.push(if block || line { ' ' } else { c });
    }
    out
}

/// What stands in braces, or in brackets behind an equals sign, if there is any: the elements of arrays; all else blanked.
fn elements(text: &str) -> String {
    if !text.contains(['{', '=']) {
        return text.to_string();
    }
    let (mut depth, mut after_equals) = (0u32, false);
    let blank = |c: char| {
        match c {
            '{' => depth += 1,
            '[' if after_equals || depth > 0 => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ if depth > 0 => return c,
            _ => {}
        }
        if !c.is_whitespace() {
            after_equals = c == '=';
        }
        if c == '\n' { c } else { ' ' }
    };
    text.chars().map(blank).collect()
}

fn numbers(file: FileId, text: &str) -> Result<Vec<Number>> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut column = 0;
        for part in line.split_inclusive(|c: char| c.is_whitespace() || c == ',') {
            let token = part.trim_end_matches(|c: char| c.is_whitespace() || c == ',');
            let len = token.chars().count() as u32;
            let place = (index as u32 + 1, column + 1);
            column += part.chars().count() as u32;
            if token.is_empty() {
                continue;
            }
            let hex = token.strip_prefix("0x").or(token.strip_prefix("0X")).unwrap_or(token);
            let digits = hex.trim_end_matches(['u', 'U', 'l', 'L']);
            let value = u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'));
            let Some(value) = value else {
                let span = Span::new(file, place.0, place.1, len);
                let message = format!("`{token}` is not a word in hexadecimal");
                return Err(Diagnostic::error("E0741", message).at(span).into());
            };
            found.push(Number { value, wide: digits.len() > 8, line: place.0, column: place.1, len });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: u64 = 0x1000_09e7_009e_7000;

    fn words(text: &str) -> Vec<u64> {
        parse("words.txt", text.as_bytes()).expect("words")
    }

    #[test]
    fn text_is_read_in_every_form() {
        assert_eq!(words("100009e7009e7000\n0x100009e7009e7000\n"), [NOP; 2]);
        assert_eq!(words("0x009e7000, 0x100009e7, // 0x12: nop\n009E7000 100009E7"), [NOP; 2]);
        assert_eq!(
            words("#include <a.h>\n/* 3\n 4 */ static const uint64_t a[1] = {\n 0x100009e7009e7000ULL, // x\n};"),
            [NOP]
        );
        assert_eq!(words("uint32_t a[] = {0x9e7000, 0x100009e7};\nuint32_t b[2]={0x9e7000,0x100009e7};"), [NOP; 2]);
        assert_eq!(words("pub const A: [u64; 1] = [\n    0x100009e7009e7000, // 0000: nop\n];\n"), [NOP]);
        assert_eq!(words("// nothing\n"), Vec::<u64>::new());
    }

    #[test]
    fn our_own_outputs_are_read_back() {
        let (assembly, _) = super::super::asm::assemble("n.qasm", "nop\nldi r0, 0x12345678\n", &Default::default());
        let assembly = assembly.expect("assembles");
        for text in [assembly.to_hex(), assembly.to_c("n"), assembly.to_rust("n")] {
            assert_eq!(words(&text), assembly.words, "{text}");
        }
        assert_eq!(parse("n.bin", &assembly.bytes()).expect("bytes"), assembly.words);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let message = |text: &str| parse("words.hex", text.as_bytes()).expect_err("wrong").to_string();
        assert!(message("0x009e7000, 0x100009e7,\n0x1,").starts_with("words.hex:2:1: "), "{}", message("0x1"));
        assert!(message("0x009e7000 xyz").contains("`xyz` is not a word in hexadecimal"));
        assert!(message("0x009e7000, 0x100009e7009e7000").contains("words of 64 bits and halves of 32 bits"));
        assert!(message("0x12345678901234567").contains("is not a word"));
        assert!(parse("a.bin", &[0; 12]).is_err() && parse("a", &[0xff; 9]).is_err());
        assert_eq!(parse("a", &[0xff; 8]).expect("bytes"), [u64::MAX]);
    }
}
