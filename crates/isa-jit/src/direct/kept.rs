//! Translations for programs that come again: in this process each launch of a kernel is a machine of its own.

use quadra_base::quick::Map;
use quadra_isa::vc4::emu::translate::{Contents, Listing, Translation};
use std::sync::Mutex;

/// Instructions of all programs whose translations are kept; some hundred bytes each.
const MOST: usize = 200_000;

/// Translations, by where their program lies, its length, and their head.
#[derive(Debug, Default)]
pub struct Units {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    units: Map<Place, Vec<Unit>>,
    instructions: usize,
}

type Place = (u32, usize, usize);

#[derive(Debug)]
struct Unit {
    program: Contents,
    translation: Translation,
}

fn place(code: &Listing, head: usize) -> Place {
    (code.base(), code.len(), head)
}

impl Units {
    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.lock().is_ok_and(|kept| kept.units.is_empty())
    }

    /// Whether there is a translation from this instruction of a program at the same place.
    pub fn may_have(&self, code: &Listing, head: usize) -> bool {
        self.kept.lock().is_ok_and(|kept| kept.units.contains_key(&place(code, head)))
    }

    /// The translation from this instruction, if it was made from the same program.
    pub fn find(&self, code: &Listing, head: usize) -> Option<Translation> {
        let kept = self.kept.lock().ok()?;
        let units = kept.units.get(&place(code, head))?;
        units.iter().find(|unit| code.is(&unit.program)).map(|unit| unit.translation.clone())
    }

    /// Keeps a translation of a program; all others go when there are too many.
    pub fn keep(&self, code: &Listing, head: usize, program: Contents, translation: &Translation) {
        let Ok(mut kept) = self.kept.lock() else { return };
        if kept.instructions + program.len() > MOST {
            *kept = Kept::default();
        }
        kept.instructions += program.len();
        let unit = Unit { program, translation: translation.clone() };
        kept.units.entry(place(code, head)).or_default().push(unit);
    }
}
