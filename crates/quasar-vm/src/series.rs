//! Launches of a program that wait for each other ([`Queue`]): on arrays of the language, with what profiles note of them.

use super::cx::Cx;
use super::lend::lend;
use super::profile::Work;
use super::tensor::{Data, Tensor};
use quadra_device::queue::Array;
use quadra_device::{Queue, Waiting};
use quadra_kir::Lent;
use std::cell::RefMut;
use std::rc::Weak;

/// The queue of a run. With each launch stands its record in the profile, and what it moves.
pub type Launches = Queue<Tensor, Option<(usize, Work)>>;

impl Array for Tensor {
    /// The elements, and whether they stand for zeros.
    type Guard<'a> = (RefMut<'a, Data>, bool);

    fn wait(&self, queue: Option<Weak<dyn Waiting>>) {
        self.data.wait(queue);
    }

    fn lend(&self, written: bool) -> Option<(RefMut<'_, Data>, bool)> {
        self.data.lend_later(written)
    }

    fn memory<'g>((data, blank): &'g mut (RefMut<'_, Data>, bool)) -> Option<Lent<'g>> {
        Some(Lent { blank: *blank, ..lend(data)? })
    }

    fn overwritten(&self) {
        self.data.overwritten();
    }
}

/// Runs the launches that wait, and notes in the profile what they cost.
pub fn finish(cx: &mut Cx) {
    cx.launches.run();
    note(cx);
}

/// Notes in the profile what launches cost that have waited.
pub fn note(cx: &mut Cx) {
    let made = cx.launches.take_done();
    let Some(profile) = &mut cx.profile else { return };
    for done in made {
        if let Some((record, work)) = done.note {
            profile.launched(record, done.start, done.length, Work { joined: done.joined.into(), ..work });
        }
    }
}
