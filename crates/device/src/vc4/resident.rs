//! GPU memory of a device: buffers stay in it between launches until the host reads or writes them.
//!
//! What a launch may leave half-written lies in another piece than what it found, unless the host has that, too: so a fault leaves
//! every buffer as it was. Pieces that nobody needs are used again; when the firmware has no more, they are given back, and
//! the buffers that were used longest ago go to the host.
//!
//! Locks are taken in this order: storages, state, board, freed. Whoever has the board only tries to get a storage.

use super::failure::Failure;
use super::registers::Start;
use super::run::{Board, Region};
use crate::common::storage::{Held, Remote, Storage, WeakStorage};
use crate::qpu::layout::Layout;
use crate::qpu::programs::SyncUse;
use quadra_back_qpu::Compiled;
use quadra_kir::launch::GUARD_BYTES;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The area of launches, and that of copies within the memory.
pub(super) const LAUNCH: usize = 0;
pub(super) const COPY: usize = 1;

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The board and what lies in its memory.
pub(super) struct Gpu {
    board: Arc<Mutex<Board>>,
    state: Mutex<State>,
    /// Pieces that no buffer has any more.
    freed: Mutex<Vec<Piece>>,
}

#[derive(Default)]
pub(super) struct State {
    /// Code, uniforms and scratch of [`LAUNCH`] and [`COPY`].
    pub areas: [Area; 2],
    /// Storages with a place, those used last at the end.
    resident: Vec<WeakStorage>,
}

/// Memory that launches use one after the other.
#[derive(Clone, Default)]
pub(super) struct Area {
    pub region: Option<Region>,
    /// The program whose words are there.
    pub loaded: Option<Arc<Compiled>>,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    region: Region,
    /// Behind so many bytes there are zeros.
    bytes: u32,
}

/// Where a buffer's elements are in the GPU's memory.
pub(super) struct Place {
    gpu: Arc<Gpu>,
    piece: Piece,
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.piece.fmt(f)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.gpu.freed).push(self.piece);
    }
}

impl Remote for Place {
    fn fetch(&self, into: &mut [u8]) {
        let board = lock(&self.gpu.board);
        if board.has(self.piece.region) {
            board.read(self.piece.region, 0, into);
            return;
        }
        drop(board);
        // A signal has closed the board and ends the process: nobody may take older elements for the result until then.
        loop {
            std::thread::park();
        }
    }
}

impl Place {
    pub fn bus(&self, board: &Board) -> u32 {
        board.bus(self.piece.region)
    }

    pub fn write(&self, board: &mut Board, bytes: &[u8]) {
        board.write(self.piece.region, 0, bytes);
    }
}

impl Gpu {
    pub fn new(board: Arc<Mutex<Board>>) -> Arc<Gpu> {
        Arc::new(Gpu { board, state: Mutex::default(), freed: Mutex::default() })
    }

    /// Locks everything for a launch.
    pub fn session(self: &Arc<Gpu>) -> Session<'_> {
        let state = lock(&self.state);
        Session { gpu: self, state, board: lock(&self.board) }
    }

    /// The place that a storage has in this memory.
    pub fn place_of(self: &Arc<Gpu>, held: &Held<'_>) -> Option<Arc<Place>> {
        held.remote::<Place>().filter(|place| Arc::ptr_eq(&place.gpu, self))
    }

    /// A place for a buffer of so many bytes; it holds anything, with zeros behind.
    ///
    /// # Errors
    /// No memory left, a refusal by kernel or firmware.
    pub fn place(self: &Arc<Gpu>, state: &mut State, board: &mut Board, bytes: usize) -> Result<Arc<Place>, Failure> {
        let too_large = Failure::OutOfMemory { bytes: u32::MAX };
        let bytes = u32::try_from(bytes).ok().filter(|&b| b <= u32::MAX - 2 * GUARD_BYTES).ok_or(too_large)?;
        // Gathers may run past the end and read zeros there, as on every device.
        let end = bytes.next_multiple_of(4);
        let size = end + GUARD_BYTES;
        let found = self.take(board, bytes, size);
        let region = match found {
            Some(piece) if piece.bytes == bytes => return Ok(self.own(piece)),
            Some(piece) => piece.region,
            None => self.allocate(state, board, size)?,
        };
        board.write(region, end, &[0; GUARD_BYTES as usize]);
        Ok(self.own(Piece { region, bytes }))
    }

    fn own(self: &Arc<Gpu>, piece: Piece) -> Arc<Place> {
        Arc::new(Place { gpu: self.clone(), piece })
    }

    /// A free piece: one that held as many bytes, or the smallest that is not more than twice as large as needed.
    fn take(&self, board: &Board, bytes: u32, size: u32) -> Option<Piece> {
        let mut freed = lock(&self.freed);
        let at = freed.iter().position(|p| p.bytes == bytes).or_else(|| {
            let fits = |p: &Piece| (size..=size.saturating_mul(2)).contains(&board.bytes(p.region));
            (0..freed.len()).filter(|&at| fits(&freed[at])).min_by_key(|&at| board.bytes(freed[at].region))
        })?;
        Some(freed.swap_remove(at))
    }

    /// Memory from the firmware. If it has none left, first free pieces are given back, then buffers go to the host.
    ///
    /// # Errors
    /// As [`Board::allocate`].
    pub fn allocate(&self, state: &mut State, board: &mut Board, bytes: u32) -> Result<Region, Failure> {
        loop {
            match board.allocate(bytes) {
                Err(Failure::OutOfMemory { .. }) if self.release_freed(board)? || self.evict(state, board) => {}
                result => return result,
            }
        }
    }

    /// Gives pieces that no buffer has back to the firmware; whether there were any.
    fn release_freed(&self, board: &mut Board) -> Result<bool, Failure> {
        let pieces = std::mem::take(&mut *lock(&self.freed));
        pieces.iter().try_for_each(|piece| board.release(piece.region))?;
        Ok(!pieces.is_empty())
    }

    /// Brings the buffer back that was used longest ago, of those that nobody uses now; whether there was one.
    fn evict(&self, state: &mut State, board: &Board) -> bool {
        let mut at = 0;
        while at < state.resident.len() {
            let Some(storage) = state.resident[at].upgrade() else {
                state.resident.remove(at);
                continue;
            };
            let Some(mut held) = storage.try_hold() else {
                at += 1;
                continue;
            };
            state.resident.remove(at);
            if let Some(place) = held.remote::<Place>().filter(|place| std::ptr::eq(&*place.gpu, self)) {
                held.settle_by(|bytes| board.read(place.piece.region, 0, bytes));
                return true;
            }
        }
        false
    }

    /// Brings the elements of a storage back, if only this memory has them, and gives its place up.
    pub fn settle(&self, board: &Board, held: &mut Held<'_>) {
        if let Some(place) = held.remote::<Place>().filter(|place| std::ptr::eq(&*place.gpu, self)) {
            held.settle_by(|bytes| board.read(place.piece.region, 0, bytes));
        }
    }

    /// Brings all buffers back and gives everything to the firmware.
    pub fn close(&self) {
        let resident = std::mem::take(&mut lock(&self.state).resident);
        for storage in resident.iter().filter_map(WeakStorage::upgrade) {
            let mut held = storage.hold();
            if held.remote::<Place>().is_some_and(|place| std::ptr::eq(&*place.gpu, self)) {
                held.settle();
            }
        }
        // Nobody is left to hear of a failure.
        let _ = lock(&self.board).close();
    }
}

/// The GPU while a launch has it.
pub(super) struct Session<'a> {
    gpu: &'a Arc<Gpu>,
    pub state: MutexGuard<'a, State>,
    pub board: MutexGuard<'a, Board>,
}

impl Session<'_> {
    /// See [`Gpu::place`].
    pub fn place(&mut self, bytes: usize) -> Result<Arc<Place>, Failure> {
        self.gpu.place(&mut self.state, &mut self.board, bytes)
    }

    /// See [`Gpu::settle`].
    pub fn settle(&self, held: &mut Held<'_>) {
        self.gpu.settle(&self.board, held);
    }

    /// The memory for code, uniforms and scratch of a layout from 0 on, with the program in it.
    ///
    /// # Errors
    /// No memory left, a refusal by kernel or firmware.
    pub fn area(&mut self, which: usize, compiled: &Arc<Compiled>, layout: &Layout) -> Result<Region, Failure> {
        let Area { region, loaded } = std::mem::take(&mut self.state.areas[which]);
        let bytes = layout.own_bytes();
        let (region, loaded) = match region {
            Some(region) if self.board.bytes(region) >= bytes => (region, loaded),
            old => {
                old.map_or(Ok(()), |region| self.board.release(region))?;
                (self.gpu.allocate(&mut self.state, &mut self.board, bytes)?, None)
            }
        };
        if !loaded.is_some_and(|loaded| Arc::ptr_eq(&loaded, compiled)) {
            self.board.write(region, layout.code, &compiled.program.bytes());
        }
        self.state.areas[which] = Area { region: Some(region), loaded: Some(compiled.clone()) };
        Ok(region)
    }

    /// Launches a program so many times, each time within `limit`, with these streams in turn.
    ///
    /// # Errors
    /// As [`Board::execute`].
    pub fn start(
        &mut self,
        area: Region,
        layout: &Layout,
        streams: &[Vec<Vec<u32>>],
        (launches, limit, sync): (usize, Duration, SyncUse),
    ) -> Result<(), Failure> {
        let bus = self.board.bus(area);
        let starts: Vec<Start> =
            layout.uniforms.iter().map(|&uniforms| Start { code: layout.code, uniforms }).collect();
        for launch in 0..launches {
            // What the last launch had need not be written again.
            if launch < 1 || streams.len() > 1 {
                for (words, &at) in streams[launch % streams.len()].iter().zip(&layout.uniforms) {
                    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                    self.board.write(area, at - bus, &bytes);
                }
            }
            self.board.execute_synchronised(&starts, limit, sync)?;
        }
        Ok(())
    }
}

impl Area {
    /// The same memory; what lies in it is not relied on.
    pub fn forgotten(self) -> Area {
        Area { loaded: None, ..self }
    }
}

impl State {
    /// Notes that these storages have a place and were used last.
    pub fn used(&mut self, storages: &[Storage]) {
        let other = |weak: &WeakStorage| weak.upgrade().is_some_and(|s| !storages.iter().any(|used| used.same(&s)));
        self.resident.retain(other);
        self.resident.extend(storages.iter().map(Storage::downgrade));
    }
}
