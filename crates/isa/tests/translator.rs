//! When the machine asks for native code.

use quadra_isa::vc4::asm::{Options, assemble};
use quadra_isa::vc4::emu::translate::{Listing, Translation, Translator};
use quadra_isa::vc4::emu::{Config, Machine, Region, Thread};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const CODE: u32 = 0x1000;

/// 1,000 iterations of 5 instructions.
const LOOP: &str = "
ldi r0, 1000
:loop
sub.setf r0, r0, 1
brr.anynz -, :loop
nop
nop
nop
thrend
nop
nop
";

/// A translator that has nothing, and keeps what it was asked.
#[derive(Debug, Default)]
struct Silent {
    earliest: u64,
    due: u64,
    asked: Mutex<Vec<u64>>,
    found: AtomicU64,
    translated: AtomicU64,
}

impl Translator for Silent {
    fn threshold(&self) -> u32 {
        2
    }

    fn earliest(&self) -> u64 {
        self.earliest
    }

    fn is_due(&self, _: &Listing, executed: u64) -> bool {
        self.asked.lock().expect("no panic").push(executed);
        executed >= self.due
    }

    fn find(&self, _: &Listing, _: usize) -> Option<Translation> {
        self.found.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn translate(&self, _: &Listing, _: usize) -> Option<Translation> {
        self.translated.fetch_add(1, Ordering::Relaxed);
        None
    }
}

/// Runs the loop on so many QPUs; gives what the translator was asked, and how many instructions were executed.
fn run(qpus: usize, earliest: u64, due: u64) -> (Arc<Silent>, u64) {
    let (assembly, wrong) = assemble("t.qasm", LOOP, &Options::default());
    let words = assembly.unwrap_or_else(|| panic!("{wrong:?}")).words;
    let words: Vec<u32> = words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
    let silent = Arc::new(Silent { earliest, due, ..Silent::default() });
    let mut machine = Machine::new(Config::default());
    machine.set_translator(silent.clone());
    machine.add_region(Region::of_words("code", CODE, &words)).expect("free");
    let report = machine.run(&vec![Thread { pc: CODE, uniforms: CODE }; qpus]).expect("it breaks no rule");
    (silent, report.issued())
}

#[test]
fn a_translator_that_may_translate_at_once_is_asked_at_its_threshold() {
    let (silent, _) = run(1, 0, 0);
    assert_eq!(silent.translated.load(Ordering::Relaxed), 1);
    assert!(silent.asked.lock().expect("no panic")[0] < 20);
}

#[test]
fn nothing_is_asked_before_there_can_be_a_translation() {
    for qpus in [1, 3, 12] {
        let (silent, executed) = run(qpus, 3000 * qpus as u64, 0);
        let asked = silent.asked.lock().expect("no panic");
        assert!(asked.iter().all(|executed| *executed >= 3000), "{asked:?} of {executed}");
        assert_eq!(silent.translated.load(Ordering::Relaxed), 1);
        let (silent, executed) = run(qpus, u64::MAX, 0);
        assert!(silent.asked.lock().expect("no panic").is_empty());
        assert_eq!(silent.found.load(Ordering::Relaxed), 0, "of {executed} instructions");
    }
}

#[test]
fn a_translation_that_does_not_pay_yet_is_asked_for_again() {
    let (silent, _) = run(1, 0, 4000);
    let asked = silent.asked.lock().expect("no panic");
    assert!(asked.len() > 10 && asked[asked.len() - 1] >= 4000, "{asked:?}");
    assert_eq!((silent.translated.load(Ordering::Relaxed), silent.found.load(Ordering::Relaxed)), (1, 1));
}
