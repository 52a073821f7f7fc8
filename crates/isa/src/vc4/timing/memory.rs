//! What lies behind the L2 cache of the V3D block: the L2 cache of the VideoCore's processors, on boards whose memory for the
//! GPU goes through it, and the SDRAM with its rows.

use super::cache::{Cache, LINE_BYTES};
use super::channel::Channel;
use super::params::Parameters;
use super::units::{Ticks, ticks};

/// Address bits 31 and 30 name the way to memory; as lines of 64 bytes.
const ALIAS_SHIFT: u32 = 24;
/// Alias 0xc: past the processors' L2 cache.
const DIRECT: u32 = 3;
/// Alias 0x8: a line that is in that cache is found, but none is brought into it.
const COHERENT: u32 = 2;
/// Ways of that cache.
const WAYS: usize = 4;

/// Where a line came from, and when it is there beyond the client's latency of a hit in the V3D block's L2 cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    pub ready: Ticks,
    pub from_memory: bool,
}

/// The processors' L2 cache, and the SDRAM.
#[derive(Clone, Debug)]
pub struct Memory {
    params: Parameters,
    outer: Option<Cache>,
    outer_free: Ticks,
    pub channel: Channel,
    /// How long the cache worked.
    pub outer_busy: Ticks,
}

impl Memory {
    /// Idle, with an empty cache and no open row.
    pub fn new(params: &Parameters) -> Memory {
        let bytes = params.vpu_l2_bytes as usize / (WAYS * LINE_BYTES as usize) * WAYS * LINE_BYTES as usize;
        Memory {
            params: *params,
            outer: (bytes > 0).then(|| Cache::new(bytes, WAYS)),
            outer_free: 0,
            channel: Channel::new(
                (ticks(params.memory_line), ticks(params.memory_turnaround)),
                ticks(params.memory_row_miss),
                params.memory_banks as usize,
            ),
            outer_busy: 0,
        }
    }

    /// A line for the V3D block's L2 cache, asked for at `now`; `latency` is what the client waits for memory longer than
    /// for that cache, if a row must be opened.
    pub fn fetch(&mut self, line: u32, now: Ticks, latency: Ticks) -> Fetched {
        let latency = latency.saturating_sub(ticks(self.params.memory_row_miss));
        let (alias, line) = (line >> ALIAS_SHIFT, line & ((1 << ALIAS_SHIFT) - 1));
        let Some(outer) = self.outer.as_mut().filter(|_| alias != DIRECT) else {
            return Fetched { ready: self.channel.access(self.page(line), false, now, 0) + latency, from_memory: true };
        };
        let start = now.max(self.outer_free);
        self.outer_free = start + ticks(self.params.vpu_l2_line);
        self.outer_busy += ticks(self.params.vpu_l2_line);
        if let Some(there) = outer.lookup(line) {
            let ready = start.max(there) + ticks(self.params.vpu_l2_extra);
            return Fetched { ready, from_memory: false };
        }
        let ready = self.channel.access(self.page(line), false, start, 0) + latency;
        if let Some(outer) = self.outer.as_mut().filter(|_| alias != COHERENT) {
            outer.insert(line, ready);
        }
        Fetched { ready, from_memory: true }
    }

    /// When the channel of the SDRAM can take a line of a DMA engine, which can wait for it for `slack`. The engines neither
    /// bring lines into the processors' cache nor take them away.
    pub fn transfer(&mut self, line: u32, write: bool, now: Ticks, slack: Ticks) -> Ticks {
        self.channel.access(self.page(line & ((1 << ALIAS_SHIFT) - 1)), write, now, slack)
    }

    /// The row across all banks in which a line lies.
    fn page(&self, line: u32) -> u32 {
        line / (self.params.memory_row_bytes as u32 / LINE_BYTES).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATENCY: Ticks = 320;

    #[test]
    fn a_line_comes_from_the_processors_cache_the_second_time() {
        let params = Parameters::default();
        let mut memory = Memory::new(&params);
        let first = memory.fetch(5, 0, LATENCY);
        assert_eq!(first, Fetched { ready: LATENCY, from_memory: true });
        let second = memory.fetch(5, 10_000, LATENCY);
        assert_eq!(second, Fetched { ready: 10_000 + ticks(params.vpu_l2_extra), from_memory: false });
        // 512 sets of four ways: the fifth line of a set drives out the first.
        (1..5).for_each(|n| _ = memory.fetch(5 + 512 * n, 20_000, LATENCY));
        assert!(memory.fetch(5, 30_000, LATENCY).from_memory);
        // The alias 0xc goes past it, and so do all on a board without it.
        assert!(memory.fetch(3 << ALIAS_SHIFT | 6, 40_000, LATENCY).from_memory);
        assert!(memory.fetch(3 << ALIAS_SHIFT | 6, 50_000, LATENCY).from_memory);
        let mut direct = Memory::new(&Parameters { vpu_l2_bytes: 0.0, ..params });
        assert!(direct.fetch(5, 0, LATENCY).from_memory && direct.fetch(5, 10_000, LATENCY).from_memory);
    }
}
