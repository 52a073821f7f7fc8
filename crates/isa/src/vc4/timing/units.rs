//! The units that QPUs share, as clocks until which they are busy. Times are tenths of a V3D clock.

use super::cache::{Cache, LINE_BYTES};
use super::memory::Memory;
use super::params::Parameters;
use crate::vc4::emu::{Lanes, Transfer};

/// Time in tenths of a V3D clock.
pub type Ticks = u64;

/// Tenths per clock.
pub const PER_CLOCK: u64 = 10;

/// Clocks as ticks.
pub fn ticks(clocks: f64) -> Ticks {
    (clocks * PER_CLOCK as f64).round() as Ticks
}

/// What belongs to a slice of four QPUs.
#[derive(Clone, Debug)]
struct Slice {
    instructions: Cache,
    uniforms: Cache,
    /// L1 caches of the two TMUs.
    textures: [Cache; 2],
    tmu_free: [Ticks; 2],
    sfu_free: Ticks,
}

/// Slices, L2 cache, memory, VPM port and the two DMA engines.
#[derive(Clone, Debug)]
pub struct Units {
    params: Parameters,
    slices: Vec<Slice>,
    l2: Cache,
    l2_free: Ticks,
    memory: Memory,
    vpm_free: Ticks,
    load_free: Ticks,
    store_free: Ticks,
    /// How long each of them was busy.
    pub busy: Busy,
}

/// Time in which the shared units worked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Busy {
    pub l2: Ticks,
    pub vpm: Ticks,
    pub load: Ticks,
    pub store: Ticks,
    pub tmu: [Ticks; 6],
    pub sfu: [Ticks; 3],
    /// Lines that left the L2 cache for the caches of the slices, and lines that entered it from memory.
    pub lines: Lines,
}

/// Traffic of the caches in lines of 64 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// From the L2 cache to the slices' caches of instructions.
    pub instructions: u64,
    /// From the L2 cache to the slices' caches of uniforms.
    pub uniforms: u64,
    /// From the L2 cache to the caches of the TMUs.
    pub lookups: u64,
    /// From the L2 cache of the VideoCore's processors to that of the V3D block.
    pub from_vpu_l2: u64,
    /// From memory to the caches.
    pub from_memory: u64,
}

impl Lines {
    /// All lines that left the L2 cache.
    pub fn from_l2(&self) -> u64 {
        self.instructions + self.uniforms + self.lookups
    }
}

impl Units {
    /// Idle units with empty caches.
    pub fn new(params: &Parameters) -> Units {
        let slice = Slice {
            instructions: Cache::new(4096, 4),
            uniforms: Cache::new(4096, 4),
            textures: [Cache::new(4096, 1), Cache::new(4096, 1)],
            tmu_free: [0; 2],
            sfu_free: 0,
        };
        Units {
            params: *params,
            slices: vec![slice; 3],
            l2: Cache::new(32 * 1024, 4),
            l2_free: 0,
            memory: Memory::new(params),
            vpm_free: 0,
            load_free: 0,
            store_free: 0,
            busy: Busy::default(),
        }
    }

    /// Fetches a line through L2 from `now` on, for a client with these latencies (from L2, from memory): when it
    /// arrives. A request for a line that is on its way occupies the cache twice: it finds the line missing, and is looked up
    /// again.
    fn fetch(&mut self, line: u32, now: Ticks, from_l2: Ticks, from_memory: Ticks) -> Ticks {
        let start = now.max(self.l2_free);
        let found = self.l2.lookup(line);
        let lookups = if found.is_some_and(|ready| ready > start) { 2 } else { 1 };
        self.l2_free = start + lookups * ticks(self.params.l2_line);
        self.busy.l2 += ticks(self.params.l2_line);
        if let Some(ready) = found {
            return start.max(ready) + from_l2;
        }
        let fetched = self.memory.fetch(line, start, from_memory.saturating_sub(from_l2));
        match fetched.from_memory {
            true => self.busy.lines.from_memory += 1,
            false => self.busy.lines.from_vpu_l2 += 1,
        }
        self.l2.insert(line, fetched.ready);
        fetched.ready + from_l2
    }

    /// No QPU will ask for anything before `now`.
    pub fn past(&mut self, now: Ticks) {
        self.memory.channel.past(now);
    }

    /// How long the processors' L2 cache and the channel of the memory worked.
    pub fn memory_busy(&self) -> [Ticks; 2] {
        [self.memory.outer_busy, self.memory.channel.busy]
    }

    /// When the instruction line at `address` can be executed from.
    pub fn instruction_line(&mut self, qpu: usize, address: u32, now: Ticks) -> Ticks {
        let line = address / LINE_BYTES;
        if let Some(ready) = self.slices[qpu / 4].instructions.lookup(line) {
            return now.max(ready);
        }
        let (from_l2, from_memory) = (ticks(self.params.icache_l2), ticks(self.params.icache_memory));
        let ready = self.fetch(line, now, from_l2, from_memory);
        self.busy.lines.instructions += 1;
        self.slices[qpu / 4].instructions.insert(line, ready);
        ready
    }

    /// When the uniforms of the line at `address` are there, if they are asked for at `now`.
    pub fn uniform_line(&mut self, qpu: usize, address: u32, now: Ticks) -> Ticks {
        let line = address / LINE_BYTES;
        let hit = now + ticks(self.params.uniform_hit);
        if let Some(ready) = self.slices[qpu / 4].uniforms.lookup(line) {
            return hit.max(ready);
        }
        let (from_l2, from_memory) = (ticks(self.params.uniform_l2), ticks(self.params.uniform_memory));
        let ready = self.fetch(line, now, from_l2, from_memory);
        self.busy.lines.uniforms += 1;
        self.slices[qpu / 4].uniforms.insert(line, ready);
        ready
    }

    /// The TMU of its slice that a QPU's program calls `unit`: QPUs 2 and 3 have the two exchanged, unless the program has
    /// turned that off by TMU_NOSWAP (VideoCore IV guide p. 41).
    pub fn tmu(qpu: usize, unit: usize, by_name: bool) -> usize {
        if by_name { unit } else { unit ^ (qpu % 4 / 2) }
    }

    /// When a lookup in this TMU of the QPU's slice that starts at `now` is ready.
    pub fn tmu_lookup(&mut self, qpu: usize, tmu: usize, addresses: &Lanes, now: Ticks) -> Ticks {
        let start = now.max(self.slices[qpu / 4].tmu_free[tmu]);
        self.slices[qpu / 4].tmu_free[tmu] = start + ticks(self.params.tmu_request);
        self.busy.tmu[qpu / 4 * 2 + tmu] += ticks(self.params.tmu_request);
        let near = start + ticks(self.params.tmu_l1);
        let (from_l2, from_memory) = (ticks(self.params.tmu_l2), ticks(self.params.tmu_memory));
        let (mut ready, mut distinct, mut last) = (near, 0u32, None);
        for address in addresses.0 {
            let line = address / LINE_BYTES;
            if last == Some(line) {
                continue;
            }
            last = Some(line);
            distinct += 1;
            let there = match self.slices[qpu / 4].textures[tmu].lookup(line) {
                Some(there) => there,
                None => {
                    let there = self.fetch(line, start, from_l2, from_memory);
                    self.busy.lines.lookups += 1;
                    self.slices[qpu / 4].textures[tmu].insert(line, there);
                    there
                }
            };
            ready = ready.max(there);
        }
        ready + ticks(self.params.tmu_extra_line) * u64::from(distinct.saturating_sub(4))
    }

    /// When a special function can be started.
    pub fn sfu(&mut self, qpu: usize, now: Ticks) -> Ticks {
        let free = &mut self.slices[qpu / 4].sfu_free;
        let start = now.max(*free);
        *free = start + ticks(self.params.sfu);
        self.busy.sfu[qpu / 4] += ticks(self.params.sfu);
        start
    }

    /// When a vector has passed the VPM port.
    pub fn vpm_vector(&mut self, now: Ticks) -> Ticks {
        let start = now.max(self.vpm_free);
        self.vpm_free = start + ticks(self.params.vpm_vector);
        self.busy.vpm += ticks(self.params.vpm_vector);
        self.vpm_free
    }

    /// When a DMA load that is started at `now` begins and ends.
    pub fn dma_load(&mut self, transfer: &Transfer, now: Ticks) -> (Ticks, Ticks) {
        let p = self.params;
        let row = p.dma_load_row + bytes_part(transfer, p.dma_load_bytes);
        let start = now.max(self.load_free);
        let (work, waited) = self.rows(transfer, false, start, (p.dma_load_start, row));
        self.load_free = start + waited + stretched(work, start, self.store_free, p.dma_overlap);
        self.busy.load += self.load_free - start;
        (start, self.load_free)
    }

    /// When a DMA store that is started at `now` begins and ends.
    pub fn dma_store(&mut self, transfer: &Transfer, now: Ticks) -> (Ticks, Ticks) {
        let p = self.params;
        let row = p.dma_store_row + bytes_part(transfer, p.dma_store_bytes);
        let start = now.max(self.store_free);
        let (work, waited) = self.rows(transfer, true, start, (p.dma_store_start, row));
        self.store_free = start + waited + stretched(work, start, self.load_free, p.dma_overlap);
        self.busy.store += self.store_free - start;
        (start, self.store_free)
    }

    /// How long an engine takes for the rows of a transfer that begins at `start`, with these clocks for the transfer and for
    /// each row, and how long it waits beside that because the memory does not keep up. Only work is stretched beside the other
    /// engine's: if waiting were, too, two engines that wait for each other would wait longer each time.
    fn rows(&mut self, transfer: &Transfer, write: bool, start: Ticks, (whole, row): (f64, f64)) -> (Ticks, Ticks) {
        let ahead = ticks(self.params.memory_ahead);
        let (mut waited, mut last) = (0, None);
        for n in 0..transfer.rows {
            let now = start + ticks(whole + f64::from(n + 1) * row) + waited;
            let address = transfer.address.wrapping_add(n.wrapping_mul(transfer.pitch));
            let end = address.wrapping_add(transfer.row_bytes.max(1) - 1);
            for line in address / LINE_BYTES..=end / LINE_BYTES {
                // Rows of a word each, side by side, are gathered.
                if last.replace(line) != Some(line) {
                    waited += self.memory.transfer(line, write, now, ahead).saturating_sub(now + ahead);
                }
            }
        }
        (ticks(whole + f64::from(transfer.rows) * row), waited)
    }
}

/// Clocks per row that depend on its length.
fn bytes_part(transfer: &Transfer, per_line: f64) -> f64 {
    f64::from(transfer.row_bytes) / f64::from(LINE_BYTES) * per_line
}

/// The duration of a transfer that runs beside one of the other engine until `other`.
fn stretched(duration: Ticks, start: Ticks, other: Ticks, overlap: f64) -> Ticks {
    let beside = other.saturating_sub(start).min(duration);
    duration + (beside as f64 * overlap).round() as Ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(rows: u32, row_bytes: u32) -> Transfer {
        Transfer {
            rows,
            row_bytes,
            address: 0,
            pitch: row_bytes,
            vpm_rows: 0,
            vertical: false,
            crossed: false,
            past_end: None,
        }
    }

    fn near(clocks: Ticks, expected: f64) -> bool {
        (clocks as f64 / PER_CLOCK as f64 - expected).abs() <= expected * 0.02
    }

    #[test]
    fn transfers_take_what_was_measured() {
        let once = |rows, bytes, load: bool| {
            let mut units = Units::new(&Parameters::default());
            let t = transfer(rows, bytes);
            if load { units.dma_load(&t, 0).1 } else { units.dma_store(&t, 0).1 }
        };
        assert!(near(once(16, 4, true), 160.0) && near(once(16, 4, false), 160.0));
        assert!(near(once(1, 64, true), 80.0) && near(once(16, 64, true), 371.0));
        assert!(near(once(1, 64, false), 53.0) && near(once(128, 64, false), 1829.0));
        let mut units = Units::new(&Parameters::default());
        units.dma_load(&transfer(16, 4), 0);
        assert!(near(units.dma_store(&transfer(16, 4), 0).1, 193.0));
        let first = units.store_free;
        assert_eq!(units.dma_store(&transfer(16, 4), 0).0, first, "the next one queues");
    }

    #[test]
    fn engines_that_wait_for_each_other_take_as_long_each_time() {
        let mut units = Units::new(&Parameters::default());
        let mut both = || {
            (0..200).map(|_| units.dma_load(&transfer(4, 64), 0).1.max(units.dma_store(&transfer(4, 64), 0).1)).max()
        };
        let (first, second) = (both().unwrap(), both().unwrap());
        assert!(second <= 3 * first, "{first}, then {second}");
    }

    #[test]
    fn lookups_take_9_12_or_20_instructions() {
        let mut units = Units::new(&Parameters::default());
        let addresses = Lanes::splat(0x1000);
        assert_eq!(units.tmu_lookup(0, 0, &addresses, 0), ticks(80.0));
        assert_eq!(units.tmu_lookup(0, 0, &addresses, 1000), 1000 + ticks(36.0));
        assert_eq!(units.tmu_lookup(4, 0, &addresses, 2000), 2000 + ticks(48.0));
        // The two TMUs of a slice have a cache each.
        assert_eq!([Units::tmu(1, 0, false), Units::tmu(2, 0, false), Units::tmu(2, 0, true)], [0, 1, 0]);
        assert_eq!(units.tmu_lookup(2, 1, &addresses, 3000), 3000 + ticks(48.0));
        assert_eq!(units.busy.lines, Lines { lookups: 3, from_memory: 1, ..Lines::default() });
    }
}
