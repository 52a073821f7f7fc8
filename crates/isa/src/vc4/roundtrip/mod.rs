//! Random words through decoder, encoder, disassembler and assembler: the four must agree on every word.

use super::asm::{self, Options};
use super::{Program, decode, disasm, encode};
use quadra_base::FileId;

/// What became of the words of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Words that came back from their text.
    pub equal: u64,
    /// Words refused because of a reserved code.
    pub reserved: u64,
}

/// Words assembled as one text, which spreads the cost of a text over them.
const BATCH: u64 = 512;

/// Decodes, prints and assembles `count` random words of this seed. Words are drawn evenly from all 64-bit values and
/// from those near real instructions, in turn.
///
/// # Errors
/// The first word that does not come back, with its text and what it became.
///
/// ```
/// use quadra_isa::vc4::roundtrip;
/// let counts = roundtrip::run(1, 1000).expect("every word comes back");
/// assert_eq!(counts.equal + counts.reserved, 1000);
/// ```
pub fn run(seed: u64, count: u64) -> Result<Counts, String> {
    let mut random = seed ^ 0x9e37_79b9_7f4a_7c15;
    let mut counts = Counts::default();
    let mut left = count;
    while left > 0 {
        let size = left.min(BATCH);
        left -= size;
        let mut program = Program::new("random words");
        for n in 0..size {
            let word = if n % 2 == 0 { next(&mut random) } else { plausible(&mut random) };
            match decode(word) {
                Ok(inst) if encode(&inst) == word => {
                    program.push(inst, None);
                }
                Ok(inst) => {
                    return Err(format!("{word:016x} decodes to {inst:?}, which encodes to {:016x}", encode(&inst)));
                }
                Err(_) => counts.reserved += 1,
            }
        }
        counts.equal += program.len() as u64;
        batch(&program)?;
    }
    Ok(counts)
}

/// Compares a program with what its instructions, printed one by one, assemble to.
fn batch(program: &Program) -> Result<(), String> {
    let texts: Vec<String> = program.insts.iter().map(disasm::inst).collect();
    let options = Options { no_files: true, ..Options::default() };
    let (assembly, diagnostics) =
        asm::assemble_file(FileId::of_name("words.qasm"), "words.qasm", &texts.join("\n"), &options);
    let words = program.words();
    match assembly {
        None => {
            let first = diagnostics.iter().find(|d| d.is_error()).expect("no assembly means an error");
            let line = first.span.map_or(0, |s| s.line as usize - 1);
            let word = words.get(line).copied().unwrap_or_default();
            Err(format!("{word:016x} prints as `{}`: {first}", texts.get(line).map_or("", |t| t)))
        }
        Some(assembly) => match words.iter().zip(&assembly.words).position(|(a, b)| a != b) {
            Some(at) => Err(format!(
                "{:016x} prints as `{}`, which assembles to {:016x}",
                words[at], texts[at], assembly.words[at]
            )),
            None if words.len() == assembly.words.len() => Ok(()),
            None => Err(format!("{} words print as {} lines", words.len(), assembly.words.len())),
        },
    }
}

fn next(state: &mut u64) -> u64 {
    // SplitMix64 (Steele, Lea, Flood 2014): every seed is good.
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A word that differs from the canonical no-operation in a few fields.
fn plausible(state: &mut u64) -> u64 {
    let base = match next(state) % 8 {
        0 => 0xe002_09e7_0000_0000,
        1 => 0xe800_09e7_0000_0000,
        2 => 0xf0f8_09e7_0000_0000,
        3 => 0xd000_09e7_009e_7000,
        _ => 0x1000_09e7_009e_7000,
    };
    let fields = super::fields::of_word(base);
    let mut word = base;
    for _ in 0..next(state) % 9 {
        let pick = next(state);
        let field = fields[(pick % fields.len() as u64) as usize];
        if field.name != "sig" || word >> 60 < 14 {
            let value = (pick >> 32) as u32;
            let value = if field.name == "sig" { value % 14 } else { value };
            word = field.set(word, value);
        }
    }
    word
}
