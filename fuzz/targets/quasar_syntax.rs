//! Any text goes through the lexer and the parser of Quasar without a panic, and the formatter keeps what it means.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadra_base::FileId;
use quadra_quasar_syntax::{format, lexer, parser};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let file = FileId::of_name("fuzz");
    let (_, _) = lexer::lex(file, &text);
    let mut next_id = Default::default();
    let (_, diagnostics) = parser::parse(file, &text, &mut next_id);
    if diagnostics.is_empty() {
        let laid_out = format::format(&text);
        let (_, problems) = parser::parse(file, &laid_out, &mut next_id);
        assert!(problems.is_empty(), "laid out it does not parse: {problems:?}\n{laid_out}");
        assert_eq!(format::format(&laid_out), laid_out, "laid out again it looks different");
    }
});
