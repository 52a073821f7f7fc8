//! Translations on disk: taken by who runs the same program again, by nobody else, and only if they are whole.

use quadra_base::cache::Cache;
use quadra_isa::vc4::asm::{Options, assemble};
use quadra_isa::vc4::emu::{Config, Machine, Region, Registers, Report, Thread};
use quadra_isa_jit::Jit;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const CODE: u32 = 0x1000;

/// A loop with a jump by a register and a load of different lanes.
fn words(step: u32) -> Vec<u32> {
    let text = format!(
        "ldi ra0, 40\nldi rb1, 0.5\n:loop\nldi r1, [0,1,-1,-2,0,1,-1,-2,0,1,-1,-2,0,1,-1,-2]\nmov r0, ra0\nitof r2, r0\n\
         fmul r2, r2, rb1\nadd r3, r2, r1\nbrr ra5, r:sub\nnop\nnop\nnop\nsub.setf ra0, r0, {step}\nbrr.anynz -, :loop\nnop\nnop\n\
         nop\nthrend\nnop\nnop\n:sub\nfadd ra3, ra3, r2\nbra -, ra5\nnop\nnop\nnop\n"
    );
    let (assembly, wrong) = assemble("t.qasm", &text, &Options::default());
    let words = assembly.unwrap_or_else(|| panic!("{wrong:?}")).words;
    words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect()
}

type Ending = (Report, Registers);

fn run(base: u32, words: &[u32], jit: Option<&Arc<Jit>>) -> Ending {
    let mut machine = Machine::new(Config { budget: 100_000, ..Config::default() });
    if let Some(jit) = jit {
        machine.set_translator(jit.clone());
    }
    machine.add_region(Region::of_words("code", base, words)).expect("free");
    let report = machine.run(&[Thread { pc: base, uniforms: base }]).expect("it breaks no rule");
    (report, machine.registers(0).expect("it ran"))
}

/// Runs a program as a process of its own would that has this cache: how many units it translated, how many it found.
fn process(directory: &Path, base: u32, words: &[u32]) -> (u64, u64) {
    let cache = Cache::at(directory).expect("own directory");
    let jit = Arc::new(Jit::direct(2, false).expect("asked before").keeping(Some(cache)));
    assert_eq!(run(base, words, None), run(base, words, Some(&jit)));
    jit.settle();
    let s = jit.statistics();
    assert!(s.executed() > 50, "{} native instructions", s.executed());
    (s.compiled(), s.loaded())
}

fn files(directory: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(directory).expect("it was made").flatten().map(|e| e.path()).collect()
}

fn is_supported() -> bool {
    let supported = Jit::direct(2, false).is_some();
    if !supported {
        quadra_base::testing::not_here("this processor has no AVX2");
    }
    supported
}

#[test]
fn the_second_process_translates_nothing() {
    if !is_supported() {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (made, found) = process(directory.path(), CODE, &words(1));
    assert!(made > 0 && found == 0);
    for _ in 0..2 {
        assert_eq!(process(directory.path(), CODE, &words(1)), (0, made));
    }
    assert_eq!(files(directory.path()).len() as u64, made + 1, "the units and their list");
}

#[test]
fn another_program_or_place_is_not_taken() {
    if !is_supported() {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (made, _) = process(directory.path(), CODE, &words(1));
    for (base, words) in [(CODE, words(2)), (2 * CODE, words(1)), (CODE, words(4))] {
        assert_eq!(process(directory.path(), base, &words).1, 0);
        assert_eq!(process(directory.path(), base, &words).0, 0);
    }
    assert_eq!(process(directory.path(), CODE, &words(1)), (0, made), "the first is still there");
}

#[test]
fn what_is_not_whole_is_not_executed() {
    if !is_supported() {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (made, _) = process(directory.path(), CODE, &words(1));
    for path in files(directory.path()) {
        let whole = std::fs::read(&path).expect("readable");
        for at in (0..whole.len()).step_by(whole.len() / 23 + 1) {
            let mut wrong = whole.clone();
            wrong[at] ^= 0x10;
            std::fs::write(&path, &wrong).expect("writable");
            let (again, found) = process(directory.path(), CODE, &words(1));
            assert!(again > 0 && found < made, "byte {at} of {}", path.display());
            assert_eq!(process(directory.path(), CODE, &words(1)), (0, made), "mended");
        }
        std::fs::write(&path, &whole[..whole.len() / 2]).expect("writable");
        assert!(process(directory.path(), CODE, &words(1)).0 > 0, "cut");
    }
}
