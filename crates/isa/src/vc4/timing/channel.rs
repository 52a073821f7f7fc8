//! The channel of the SDRAM, as a schedule: which line passes it when.
//!
//! A DMA engine says at the start of a transfer when it will want each of its lines. Fills that are asked for meanwhile go
//! between them: an engine has a buffer, so that its lines may come later than it wants them, up to a limit of each.

use super::units::Ticks;
use std::collections::VecDeque;

/// A line on the channel.
#[derive(Clone, Copy, Debug)]
struct Slot {
    start: Ticks,
    /// When it must begin at the latest, whatever is put before it.
    latest: Ticks,
    line: Line,
}

/// What passes.
#[derive(Clone, Copy, Debug)]
struct Line {
    bank: usize,
    /// The row of the bank, plus one.
    row: u32,
    /// To the memory, not from it.
    write: bool,
}

/// A bank of the SDRAM, after all lines that are no longer in the schedule.
#[derive(Clone, Copy, Debug, Default)]
struct Bank {
    /// The row that is open, plus one.
    open: u32,
    free: Ticks,
}

/// The channel and the banks behind it.
#[derive(Clone, Debug)]
pub struct Channel {
    /// How long a line takes.
    line: Ticks,
    /// How long it takes from a line to one the other way.
    turnaround: Ticks,
    /// How long it takes to close a row of a bank and open another.
    miss: Ticks,
    banks: Vec<Bank>,
    /// When the last line left that is no longer in the schedule, and whether it was written.
    free: (Ticks, bool),
    /// Lines that may not be over yet, by their starts.
    slots: VecDeque<Slot>,
    /// How long it worked.
    pub busy: Ticks,
}

impl Channel {
    /// Idle, with no open row.
    pub fn new((line, turnaround): (Ticks, Ticks), miss: Ticks, banks: usize) -> Channel {
        let banks = vec![Bank::default(); banks.max(1)];
        Channel { line, turnaround, miss, banks, free: (0, false), slots: VecDeque::new(), busy: 0 }
    }

    /// Nothing will be asked for that could pass before `now`.
    pub fn past(&mut self, now: Ticks) {
        while let Some(slot) = self.slots.front().filter(|slot| slot.start + self.line <= now) {
            let free = slot.start + self.line;
            self.free = (free, slot.line.write);
            self.banks[slot.line.bank] = Bank { open: slot.line.row, free };
            self.slots.pop_front();
        }
    }

    /// Puts a line of this page (row across all banks) into the schedule, wanted at `now`: when it begins. It may be moved
    /// up to `slack` behind `now` later on.
    ///
    /// Rows of different banks are opened side by side; another row of the same bank waits until that is done with the line
    /// before.
    pub fn access(&mut self, page: u32, write: bool, now: Ticks, slack: Ticks) -> Ticks {
        let banks = self.banks.len() as u32;
        let line = Line { bank: (page % banks) as usize, row: page / banks + 1, write };
        let mut at = self.slots.partition_point(|slot| slot.start + self.line <= now);
        let start = loop {
            let start = self.earliest(at, line, now);
            if self.make_room(at, line, start) {
                break start;
            }
            at += 1;
        };
        self.slots.insert(at, Slot { start, latest: start.max(now + slack), line });
        self.busy += self.line;
        start
    }

    /// When a line that is wanted at `now` can begin behind the first `at` lines of the schedule.
    fn earliest(&self, at: usize, line: Line, now: Ticks) -> Ticks {
        let before = self.slots.iter().take(at).rev();
        let Bank { open, free } = match before.clone().find(|slot| slot.line.bank == line.bank) {
            Some(slot) => Bank { open: slot.line.row, free: slot.start + self.line },
            None => self.banks[line.bank],
        };
        let ready = now.max(free) + if open == line.row { 0 } else { self.miss };
        let last = before.clone().next().map_or(self.free, |slot| (slot.start + self.line, slot.line.write));
        ready.max(last.0 + self.between(last.1, line.write))
    }

    /// The pause between two lines.
    fn between(&self, write: bool, next: bool) -> Ticks {
        if write == next { 0 } else { self.turnaround }
    }

    /// Moves the lines from place `at` on back as far as a new one before them at `start` asks for; changes nothing and
    /// gives false if one would begin too late.
    fn make_room(&mut self, at: usize, new: Line, start: Ticks) -> bool {
        let mut last = (start, new.write);
        // The next line of the new one's bank may have to open its row again.
        let mut reopened = false;
        let mut moved: Vec<(usize, Ticks)> = Vec::new();
        for (place, slot) in self.slots.iter().enumerate().skip(at) {
            let mut next = slot.start.max(last.0 + self.line + self.between(last.1, slot.line.write));
            if !reopened && slot.line.bank == new.bank {
                reopened = true;
                if slot.line.row != new.row {
                    next = next.max(start + self.line + self.miss);
                }
            }
            if next > slot.latest.max(slot.start) {
                return false;
            }
            if next > slot.start {
                moved.push((place, next));
            } else if reopened {
                break;
            }
            last = (next, slot.line.write);
        }
        for (place, start) in moved {
            self.slots[place].start = start;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_row_of_a_bank_waits_and_other_banks_do_not() {
        let (line, miss) = (100, 90);
        let mut channel = Channel::new((line, 0), miss, 8);
        assert_eq!(channel.access(0, false, 0, 0), miss);
        assert_eq!(channel.access(0, false, 0, 0), miss + line, "the row is open");
        assert_eq!(channel.access(1, false, 0, 0), miss + 2 * line, "another bank opened its row meanwhile");
        // The first bank is done with its second line after `miss + 2 * line`.
        assert_eq!(channel.access(8, false, 0, 0), 2 * miss + 2 * line + (line - miss));
    }

    #[test]
    fn lines_go_between_those_that_can_wait() {
        let line = 100;
        let transfer = |slack| {
            let mut channel = Channel::new((line, 0), 0, 8);
            let starts: Vec<Ticks> = (0..4).map(|n| channel.access(0, false, 140 * n, slack)).collect();
            assert_eq!(starts, [0, 140, 280, 420]);
            channel
        };
        // Gaps of 40 are too short; without slack, a fill waits for the end.
        assert_eq!(transfer(0).access(0, false, 150, 0), 520);
        let mut channel = transfer(60);
        assert_eq!(channel.access(0, false, 150, 0), 240, "the third line moves to 340, the fourth to 440");
        assert_eq!(channel.access(0, false, 150, 0), 540, "there is no room for a second one");
        assert_eq!(channel.busy, 6 * line);
        channel.past(400);
        assert_eq!(channel.access(0, false, 400, 0), 640, "what is over stays over");
    }

    #[test]
    fn a_line_between_two_of_a_row_closes_it() {
        let (line, miss) = (100, 50);
        let with = |slack| {
            let mut channel = Channel::new((line, 0), miss, 8);
            assert_eq!([0, 500].map(|now| channel.access(0, false, now, slack)), [50, 500]);
            channel
        };
        assert_eq!(with(0).access(8, false, 250, 0), 300, "there is time to open the first row again");
        assert_eq!(with(0).access(8, false, 320, 0), 650, "none here");
        assert_eq!(with(20).access(8, false, 320, 0), 370, "the second line can wait");
    }
}
