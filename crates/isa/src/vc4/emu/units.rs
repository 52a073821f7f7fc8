//! The peripherals of a QPU: what reading and writing their addresses does.

use super::code::slot;
use super::core::{Core, MOST_LOOKUPS, Shared, Stop, TMU_DEPTH};
use super::event::Event;
use super::fault::{Access, FaultKind, WaitFor, Warning};
use super::sfu::Function;
use super::vpm::Block;
use super::{LANES, Lanes, dma};
use crate::vc4::{Alu, File, Inst, Raddr, Waddr};

impl Core {
    /// Reads of the mutex, VPM_LD_WAIT and VPM_ST_WAIT. Transfers are complete as soon as they start.
    pub fn wait_registers(&mut self, shared: &mut Shared, alu: &Alu) -> Result<(), Stop> {
        let (a, b) = (alu.read(File::A), alu.read(File::B));
        if [a, b].contains(&Some(Raddr::MUTEX_ACQUIRE)) {
            if let Some(owner) = shared.mutex {
                return Err(Stop::Wait(WaitFor::Mutex { owner }));
            }
            shared.mutex = Some(self.number);
            shared.taken = self.site();
            self.event(Event::MutexAcquire);
        }
        if a == Some(Raddr::VPM_LD_WAIT) {
            self.load_rows = 0;
            self.event(Event::LoadWait);
        }
        if b == Some(Raddr::VPM_ST_WAIT) {
            self.store_rows = 0;
            self.event(Event::StoreWait);
        }
        Ok(())
    }

    pub fn read_vpm(&mut self, shared: &mut Shared) -> Result<(), Stop> {
        let block = self.peek_vpm(shared)?;
        if shared.vpm.marks.is_some() {
            self.mark_vpm_read(shared, &block);
        }
        self.vpm_reads.advance();
        self.counts.vpm_reads += 1;
        self.event(Event::VpmRead);
        Ok(())
    }

    /// Brings the next vector of the VPM into its slot, and stays at it.
    pub(super) fn peek_vpm(&mut self, shared: &Shared) -> Result<Block, Stop> {
        let block = *self.vpm_reads.front().ok_or(FaultKind::VpmReadEmpty)?;
        if block.rows() & self.load_rows != 0 {
            return Err(FaultKind::VpmLoadPending.into());
        }
        self.slots[slot::VPM as usize] = shared.vpm.read(&block);
        Ok(block)
    }

    /// Writes r5 or a peripheral.
    pub fn write_special(
        &mut self,
        shared: &mut Shared,
        file: File,
        waddr: Waddr,
        value: &Lanes,
        mask: u16,
    ) -> Result<(), Stop> {
        let first = value.0[0];
        // Which lanes the register looks at: those must be written, or what it gets is undefined.
        let needed = match waddr.0 {
            36 | 40 | 49 | 50 => 1,
            48 | 52.. => !0,
            _ => 0,
        };
        if mask & needed != needed {
            let lane = (needed & !mask).trailing_zeros() as usize;
            return Err(Stop::Fault(FaultKind::ConditionalPeripheral, Some(lane), None));
        }
        match waddr.0 {
            36 => self.noswap_at = self.counts.issued,
            37 => self.write_r5(file, value, mask),
            38 => self.host_interrupt(value, mask),
            40 => {
                self.uniform_address = first;
                self.uniform_set_at = self.counts.issued;
                self.event(Event::UniformPointer { address: first });
            }
            42 => self.write_flag_storage(file, value, mask),
            48 => self.write_vpm(shared, value)?,
            49 => self.set_up(file, first)?,
            50 if file == File::A => self.dma_load(shared, first)?,
            50 => self.dma_store(shared, first)?,
            51 if shared.mutex == Some(self.number) => {
                shared.mutex = None;
                self.event(Event::MutexRelease);
            }
            51 if shared.mutex.is_none() => self.broken(shared, FaultKind::MutexNotHeld, None, None)?,
            51 => return Err(FaultKind::MutexNotOwned.into()),
            52..=55 => self.start_sfu(shared, Function::ALL[usize::from(waddr.0 - 52)], value)?,
            56 | 60 => self.tmu_request(shared, usize::from(waddr == Waddr::TMU1_S), value)?,
            57.. => self.texture_coordinate(shared, waddr, value)?,
            _ => {}
        }
        Ok(())
    }

    fn write_r5(&mut self, file: File, value: &Lanes, mask: u16) {
        let r5 = &mut self.slots[slot::R5 as usize];
        for lane in 0..LANES {
            let source = if file == File::A { lane / 4 * 4 } else { 0 };
            if mask >> source & 1 == 1 {
                r5.0[lane] = value.0[source];
            }
        }
    }

    fn host_interrupt(&mut self, value: &Lanes, mask: u16) {
        if (0..LANES).any(|lane| mask >> lane & 1 == 1 && value.0[lane] != 0) {
            self.counts.host_interrupts += 1;
            self.event(Event::HostInterrupt);
        }
    }

    fn write_flag_storage(&mut self, file: File, value: &Lanes, mask: u16) {
        for lane in (0..LANES).filter(|lane| mask >> lane & 1 == 1) {
            match file {
                File::A => self.slots[slot::MS_FLAGS as usize].0[lane] = value.0[lane] & 15,
                File::B if lane == 0 => self.slots[slot::REV_FLAG as usize] = Lanes::splat(value.0[0] & 1),
                File::B => {}
            }
        }
    }

    pub(super) fn write_vpm(&mut self, shared: &mut Shared, value: &Lanes) -> Result<(), Stop> {
        let mut block = self.vpm_write.if_any().ok_or(FaultKind::VpmNotSetUp)?;
        let rows = block.rows() & self.store_rows;
        if rows != 0 {
            let row = rows.trailing_zeros() as usize;
            self.warn(shared, Warning::RowOverwritten { qpu: self.number, index: self.index, row });
        }
        if shared.vpm.marks.is_some() {
            self.mark_vpm_write(shared, &block);
        }
        shared.vpm.write(&mut block, value);
        self.vpm_write = block;
        self.counts.vpm_writes += 1;
        self.event(Event::VpmWrite);
        Ok(())
    }

    /// VPMVCD_RD_SETUP (file A) and VPMVCD_WR_SETUP (file B); the top bits say which register is meant.
    fn set_up(&mut self, file: File, word: u32) -> Result<(), Stop> {
        match (file, word >> 30) {
            (File::A, 0) => {
                // A second setup waits behind a block of which at most one vector is undelivered; else it is lost.
                if self.vpm_reads.left() > 1 {
                    return Err(FaultKind::VpmSetupIgnored.into());
                }
                self.vpm_reads.push(Block::from_setup(word)?);
                self.event(Event::VpmReadSetup);
            }
            (File::B, 0) => self.vpm_write = Block::from_setup(word)?,
            // The guide gives the pitch 13 bits; programs that run on hardware use more.
            (File::A, 2 | 3) if word >> 28 == 9 => self.dma.load_pitch = Some(word & 0xffff),
            (File::A, 2 | 3) => self.dma.load = Some(word),
            (File::B, 2) => self.dma.store = dma::Setting::of(word),
            (File::B, 3) => self.dma.store_stride = dma::Setting::of(word),
            _ => return Err(FaultKind::ReservedSetup(word).into()),
        }
        Ok(())
    }

    fn dma_load(&mut self, shared: &mut Shared, address: u32) -> Result<(), Stop> {
        if let Some(kind) = self.dma.load_breaks() {
            self.broken(shared, kind, None, Some(address))?;
        }
        let mut done = dma::Transfer::default();
        dma::load(&self.dma, address, &mut shared.memory, &mut shared.vpm, &mut done).map_err(at_address)?;
        self.load_rows |= done.vpm_rows;
        self.transfer_warnings(shared, &done);
        if done.vpm_rows & self.store_rows != 0 {
            let row = (done.vpm_rows & self.store_rows).trailing_zeros() as usize;
            self.warn(shared, Warning::RowOverwritten { qpu: self.number, index: self.index, row });
        }
        self.counts.dma_loads += 1;
        self.counts.dma_load_bytes += u64::from(done.rows * done.row_bytes);
        if self.events.is_some() {
            self.event(Event::DmaLoad(done));
        }
        Ok(())
    }

    fn dma_store(&mut self, shared: &mut Shared, address: u32) -> Result<(), Stop> {
        if let Some(kind) = self.dma.store_breaks() {
            self.broken(shared, kind, None, Some(address))?;
        }
        let mut done = dma::Transfer::default();
        dma::store(&self.dma, address, &mut shared.memory, &shared.vpm, &mut done).map_err(at_address)?;
        self.store_rows |= done.vpm_rows;
        self.transfer_warnings(shared, &done);
        self.counts.dma_stores += 1;
        self.counts.dma_store_bytes += u64::from(done.rows * done.row_bytes);
        if self.events.is_some() {
            self.event(Event::DmaStore(done));
        }
        Ok(())
    }

    fn transfer_warnings(&self, shared: &mut Shared, done: &dma::Transfer) {
        let (qpu, index) = (self.number, self.index);
        if done.crossed {
            self.warn(shared, Warning::RowCrossesEdge { qpu, index });
        }
        if let Some(address) = done.past_end {
            self.warn(shared, Warning::ReadPastEnd { qpu, index, address, access: Access::DmaLoad });
        }
    }

    fn start_sfu(&mut self, shared: &Shared, function: Function, value: &Lanes) -> Result<(), Stop> {
        // The result is there at once: whoever looks before the third instruction gets a fault.
        self.slots[slot::R4 as usize] = shared.sfu.eval_lanes(function, value);
        self.sfu_at = self.counts.issued;
        self.counts.sfu += 1;
        self.event(Event::Sfu);
        Ok(())
    }

    /// What a lookup breaks by its time and by those before it.
    fn check_request(&self, shared: &mut Shared, unit: usize) -> Result<(), Stop> {
        if self.within(self.noswap_at, 3) {
            self.broken(shared, FaultKind::NoswapTooLate, None, None)?;
        }
        match self.tmu[unit].len() {
            MOST_LOOKUPS.. => Err(FaultKind::TmuFull.into()),
            TMU_DEPTH.. => self.broken(shared, FaultKind::TmuDeep, None, None),
            _ => Ok(()),
        }
    }

    pub(super) fn tmu_request(&mut self, shared: &mut Shared, unit: usize, addresses: &Lanes) -> Result<(), Stop> {
        self.check_request(shared, unit)?;
        if !self.texture[unit].params.is_empty() {
            return self.texture_request(shared, unit, addresses);
        }
        let mut out = Lanes::ZERO;
        let warned = shared
            .memory
            .gather(addresses, &mut out)
            .map_err(|(lane, kind)| Stop::Fault(kind, Some(lane), Some(addresses.0[lane])))?;
        if let Some(lane) = warned {
            let address = addresses.0[lane];
            let warning = Warning::ReadPastEnd { qpu: self.number, index: self.index, address, access: Access::Tmu };
            self.warn(shared, warning);
        }
        self.tmu[unit].push_back(out);
        self.mark_lookup(shared, unit, addresses);
        self.counts.tmu_requests += 1;
        if self.events.is_some() {
            self.event(Event::TmuRequest { unit, addresses: Box::new(*addresses) });
        }
        Ok(())
    }

    /// Notes the lanes of the lookup just made that are stale.
    #[inline(always)]
    fn mark_lookup(&mut self, shared: &mut Shared, unit: usize, addresses: &Lanes) {
        let lanes = shared.memory.stale_lanes;
        if lanes != 0 {
            let (index, address) = (self.index, addresses.0[lanes.trailing_zeros() as usize]);
            let kind = FaultKind::StoredThisLaunch(Access::Tmu);
            let lane = Some(lanes.trailing_zeros() as usize);
            self.warn(shared, Warning::Rule { qpu: self.number, index, lane, address: Some(address), kind });
        }
        if lanes != 0 || self.stale.is_some() {
            self.mark_request(shared, unit, addresses, lanes);
        }
    }

    /// T, R or B of a texture lookup: each takes a parameter word from the uniform stream.
    fn texture_coordinate(&mut self, shared: &mut Shared, waddr: Waddr, value: &Lanes) -> Result<(), Stop> {
        if self.within(self.noswap_at, 3) {
            self.broken(shared, FaultKind::NoswapTooLate, None, None)?;
        }
        let unit = usize::from(waddr.0 >= 60);
        let param = self.next_param(shared)?;
        let request = &mut self.texture[unit];
        request.params.push(param);
        match waddr.0 & 3 {
            1 => request.t = Some(*value),
            2 => request.r = Some(*value),
            _ => request.b = Some(*value),
        }
        Ok(())
    }

    /// S of a texture lookup, which starts it.
    fn texture_request(&mut self, shared: &mut Shared, unit: usize, s: &Lanes) -> Result<(), Stop> {
        let param = self.next_param(shared)?;
        let mut request = std::mem::take(&mut self.texture[unit]);
        request.params.push(param);
        shared.memory.stale = false;
        let found = request
            .run(s, &mut shared.memory)
            .map_err(|(kind, lane, address)| Stop::Fault(kind, Some(lane), Some(address)))?;
        // Texels are mixed, so one stale word makes all of them stale.
        shared.memory.stale_lanes = if shared.memory.stale { !0 } else { 0 };
        let stale = shared.memory.stale_lanes;
        self.tmu[unit].push_back(found.words);
        self.mark_lookup(shared, unit, &found.addresses);
        if let Some(more) = found.more {
            self.check_request(shared, unit)?;
            self.tmu[unit].push_back(more);
            shared.memory.stale_lanes = stale;
            self.mark_lookup(shared, unit, &found.addresses);
        }
        self.counts.tmu_requests += 1;
        self.event(Event::TmuRequest { unit, addresses: Box::new(found.addresses) });
        Ok(())
    }

    fn next_param(&mut self, shared: &mut Shared) -> Result<u32, Stop> {
        self.read_uniform(shared)?;
        Ok(self.slots[slot::UNIFORM as usize].0[0])
    }

    /// Executes the waiting part of a semaphore instruction.
    pub fn semaphore(&mut self, shared: &mut Shared, inst: &Inst) -> Result<(), Stop> {
        let Inst::Sema(sema) = inst else { return Ok(()) };
        let value = &mut shared.semaphores[usize::from(sema.number & 15)];
        match (sema.down, *value) {
            (true, 0) => return Err(Stop::Wait(WaitFor::SemaphoreDown { number: sema.number })),
            (false, 15) => return Err(Stop::Wait(WaitFor::SemaphoreUp { number: sema.number })),
            (true, _) => *value -= 1,
            (false, _) => {
                *value += 1;
                shared.raised[usize::from(sema.number & 15)] = self.site();
            }
        }
        self.event(Event::Semaphore { number: sema.number, down: sema.down });
        Ok(())
    }

    /// Checks that nothing is left in the queues of a program that is over.
    pub fn check_drained(&self, shared: &mut Shared) -> Result<(), Stop> {
        let left = self.tmu[0].len() + self.tmu[1].len();
        if left != 0 {
            self.broken(shared, FaultKind::TmuUndrained(left), None, None)?;
        }
        if self.vpm_reads.left() > 0 {
            self.warn(shared, Warning::VpmReadsDropped { qpu: self.number, index: self.index });
        }
        Ok(())
    }
}

fn at_address((kind, address): dma::Failure) -> Stop {
    Stop::Fault(kind, None, Some(address))
}
