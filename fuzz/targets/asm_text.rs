//! Any text goes through the assembler without a panic and within its limits; what it accepts is printed as text that
//! assembles to the same words.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadra_base::FileId;
use quadra_isa::vc4::{asm, disasm};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let options = asm::Options { no_files: true, most_steps: Some(2_000), ..asm::Options::default() };
    let file = FileId::of_name("fuzz");
    let (assembly, diagnostics) = asm::assemble_file(file, "fuzz", &text, &options);
    let Some(assembly) = assembly else {
        assert!(diagnostics.iter().any(|d| d.is_error()), "nothing came out, and nobody says why");
        return;
    };
    if assembly.insts.iter().any(Option::is_none) {
        return;
    }
    let listing = disasm::program(&assembly.program());
    let options = asm::Options { no_files: true, ..asm::Options::default() };
    let (again, diagnostics) = asm::assemble_file(file, "fuzz", &listing, &options);
    let again = again.unwrap_or_else(|| panic!("the listing does not assemble: {diagnostics:?}\n{listing}"));
    assert_eq!(again.words, assembly.words, "{listing}");
});
