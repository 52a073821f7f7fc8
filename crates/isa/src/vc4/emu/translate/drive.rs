//! When native code is asked for, and run.

use super::super::engine::Exit;
use super::super::machine::Machine;
use super::{Listing, Outcome, PATIENCE, Qpu, Translation, Translator, head};

/// After how many more jumps a translator is asked again.
const AGAIN: u32 = 16;

impl Machine {
    /// Has the QPUs not ask for native code before there can be any.
    pub(in super::super) fn wait_for_translations(&mut self) {
        let Some(translator) = self.translator.as_ref().filter(|_| self.blocks.is_empty()) else { return };
        let each = translator.earliest() / self.cores.len().max(1) as u64;
        self.cores.iter_mut().for_each(|core| core.quiet_until = each);
    }

    /// Whether there is native code for a QPU's next instruction.
    pub(in super::super) fn is_translated(&self, qpu: usize) -> bool {
        let core = &self.cores[qpu];
        let known = self.codes.get(core.code).and_then(|code| code.heads.get(core.index));
        core.delay == 0 && known.is_some_and(|known| *known >= head::TRANSLATED)
    }

    /// Runs native code from where execution has come to, as long as there is some. Gives what the engine would have given
    /// if it had gone on, or nothing if it shall.
    pub(in super::super) fn at_head(&mut self, qpu: usize, end: u64) -> Option<Exit> {
        loop {
            let core = &mut self.cores[qpu];
            let (code, index, issued) = (core.code, core.index, core.counts.issued);
            let mut known = *self.codes[code].heads.get(index)?;
            if known < head::NONE && !core.ended {
                known += 1;
                self.codes[code].heads[index] = known;
                known = self.look_at(known, code, index)?;
            }
            if known < head::TRANSLATED || issued < self.cores[qpu].quiet_until {
                return None;
            }
            let (block, undone) = &mut self.blocks[(known - head::TRANSLATED) as usize];
            let (core, code) = (&mut self.cores[qpu], &mut self.codes[code]);
            let mut lent = Qpu::new(core, &mut self.shared, code, self.config.engine);
            match block.run(&mut lent, end - issued) {
                Outcome::Done if !lent.is_in_slots() => {}
                Outcome::Done | Outcome::Refused => return None,
                Outcome::Stopped => return lent.stopped(),
                Outcome::Jump(address) => return Some(Exit::Jump(address)),
                Outcome::Dropped => {
                    code.heads[index] = head::NONE;
                    return None;
                }
                Outcome::Undone(count) => {
                    self.cores[qpu].quiet_until = issued + count;
                    *undone += 1;
                    if *undone >= PATIENCE {
                        code.heads[index] = head::NONE;
                    }
                    return None;
                }
            }
        }
    }

    /// Has an instruction translated after so many jumps there, if that is enough; gives what is known of it then.
    fn look_at(&mut self, jumps: u32, code: usize, index: usize) -> Option<u32> {
        let translator = self.translator.as_ref()?;
        let threshold = translator.threshold();
        if jumps < threshold || jumps > threshold && !jumps.is_multiple_of(AGAIN) {
            return None;
        }
        let executed = self.cores.iter().map(|core| core.counts.issued).sum();
        let listing = Listing::new(&self.codes[code]);
        let due = translator.is_due(&listing, executed);
        if !due && !translator.may_have(&listing, index, jumps == threshold, executed) {
            return None;
        }
        let translator = translator.clone();
        self.decode_for(&*translator, code, index);
        let listing = Listing::new(&self.codes[code]);
        let found = translator.find(&listing, index);
        if found.is_none() && !due {
            return None;
        }
        let translation = found.or_else(|| translator.translate(&listing, index));
        Some(self.install(translation, code, index))
    }

    /// Decodes what a translator wants to see, so that what it makes does not depend on what was executed before.
    fn decode_for(&mut self, translator: &dyn Translator, code: usize, head: usize) {
        loop {
            let missing = translator.missing(&Listing::new(&self.codes[code]), head);
            if missing.is_empty() {
                return;
            }
            for index in missing {
                if Listing::new(&self.codes[code]).is_missing(index) {
                    self.codes[code].decode_around(index, &self.shared.memory);
                }
            }
        }
    }

    /// Notes the translation of an instruction with what follows; gives what is known of it then.
    #[cold]
    fn install(&mut self, translation: Option<Translation>, code: usize, index: usize) -> u32 {
        let heads = &mut self.codes[code].heads;
        heads[index] = head::NONE;
        if let Some(translation) = translation {
            let number = head::TRANSLATED + self.blocks.len() as u32;
            self.blocks.push((translation.block, 0));
            for at in translation.heads {
                if let Some(known) = heads.get_mut(at).filter(|known| **known <= head::NONE) {
                    *known = number;
                }
            }
        }
        heads[index]
    }
}
