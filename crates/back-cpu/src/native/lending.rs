//! Where the buffers of a launch lie: where their owner has them, or in copies between guard pages.

use super::context::Place;
use super::guard::Pages;
use quadra_base::checked;
use quadra_kir::Lent;
use std::marker::PhantomData;

/// Where the buffers of launches lie, which are borrowed for as long as this lives.
pub struct Lending<'a> {
    pub(super) places: Vec<Place>,
    /// Copies between guard pages, and what they are copies of.
    guarded: Vec<(Pages, Place)>,
    lent: PhantomData<&'a mut [u8]>,
}

impl<'a> Lending<'a> {
    /// The places of buffers.
    pub fn new(memory: &'a mut [Lent<'_>]) -> Lending<'a> {
        let place = |b: &mut Lent<'_>| Place {
            elements: b.bytes.len() as u64 / u64::from(b.elem.bytes()),
            bytes: b.bytes.as_mut_ptr(),
        };
        let mut places: Vec<Place> = memory.iter_mut().map(place).collect();
        let mut guarded = Vec::new();
        for (place, lent) in places.iter_mut().zip(memory.iter()) {
            let bytes = lent.bytes.len();
            let Some(pages) = Pages::new(bytes, checked::guard()) else { continue };
            // SAFETY: both have so many bytes, and the pages are new.
            unsafe { std::ptr::copy_nonoverlapping(place.bytes, pages.data(), bytes) };
            let own = std::mem::replace(&mut place.bytes, pages.data());
            guarded.push((pages, Place { bytes: own, elements: bytes as u64 }));
        }
        Lending { places, guarded, lent: PhantomData }
    }
}

impl Drop for Lending<'_> {
    /// What the launch wrote goes back to where it was copied from.
    fn drop(&mut self) {
        for (pages, own) in &self.guarded {
            // SAFETY: both have so many bytes; the buffers are lent for as long as this lives, and no thread is at work.
            unsafe { std::ptr::copy_nonoverlapping(pages.data(), own.bytes, own.elements as usize) };
        }
    }
}
