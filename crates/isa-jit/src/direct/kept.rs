//! Translations for programs that come again: in this process each launch of a kernel is a machine of its own.

use quadra_base::quick::Map;
use quadra_isa::vc4::emu::translate::{Contents, Listing, Translation};
use std::sync::Mutex;

/// Instructions of all programs whose translations are kept; some hundred bytes each.
const MOST: usize = 200_000;

/// Translations, by the hash of their program and their head.
#[derive(Debug, Default)]
pub struct Units {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    units: Map<(u64, usize), Unit>,
    instructions: usize,
}

#[derive(Debug)]
struct Unit {
    program: Contents,
    translation: Translation,
}

impl Units {
    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.lock().is_ok_and(|kept| kept.units.is_empty())
    }

    /// The translation from this instruction, if it was made from the same program.
    pub fn find(&self, code: &Listing, head: usize) -> Option<Translation> {
        let kept = self.kept.lock().ok()?;
        let unit = kept.units.get(&(code.digest(), head))?;
        code.is(&unit.program).then(|| unit.translation.clone())
    }

    /// Keeps a translation; all others go when there are too many.
    pub fn keep(&self, code: &Listing, head: usize, translation: &Translation) {
        let Ok(mut kept) = self.kept.lock() else { return };
        if kept.instructions + code.decoded() > MOST {
            *kept = Kept::default();
        }
        kept.instructions += code.decoded();
        let unit = Unit { program: code.contents(), translation: translation.clone() };
        kept.units.insert((code.digest(), head), unit);
    }
}
