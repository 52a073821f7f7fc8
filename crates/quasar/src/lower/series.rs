//! Launches that wait, to run as one parallel region: between two of them threads stay at work, and nobody is woken.
//!
//! A program that steps through time launches one small kernel after the other, with scalars, exchanges and element-wise
//! work in between. A launch whose code cannot stop half-way need not have run when the program goes on: it waits, until
//! somebody looks at an array that it reads or writes (`host::elements`), or enough launches have come together. So it makes
//! no difference what stands between the launches, and errors, which have nothing to do with them, come up where they belong.

use super::bind::lend;
use crate::host::cx::Cx;
use crate::host::profile::Work;
use crate::host::tensor::Tensor;
use quadra_device::{LaunchOptions, Module, Stage, series};
use quadra_kir::{Arg, FaultKind, Lent};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Most launches that wait: the host looks in between whether it is to stop.
const MOST: usize = 256;
/// Bytes of a launch that takes so long by itself that waking threads costs nothing beside it.
pub(super) const LARGE: f64 = (4 << 20) as f64;
/// Bytes of launches that are enough.
const ENOUGH: f64 = (16 << 20) as f64;

#[derive(Default)]
struct Series {
    stages: Vec<Stage>,
    /// The records of the launches in the profile, and what they move.
    works: Vec<Option<(usize, Work)>>,
    /// Their arrays, and whether one of them writes it.
    arrays: Vec<(Rc<Tensor>, bool)>,
    bytes: f64,
}

/// A launch that was made: its record, when it began, how long it took, what it moved.
type Made = (usize, Instant, Duration, Work);

thread_local! {
    static SERIES: RefCell<Series> = RefCell::default();
    /// What profiles have not noted yet.
    static MADE: RefCell<Vec<Made>> = const { RefCell::new(Vec::new()) };
}

/// A launch on arrays, each with whether it is written, that can wait; nothing if its code may stop. The arrays count as written,
/// so it must be added.
pub(super) fn stage(
    module: &dyn Module,
    args: &[Arg],
    arrays: &[(Rc<Tensor>, bool)],
    options: &LaunchOptions,
) -> Option<Stage> {
    let mut guards = arrays.iter().map(|(t, written)| t.data.lend_later(*written)).collect::<Option<Vec<_>>>()?;
    let lent = guards.iter_mut().map(|(data, blank)| Some(Lent { blank: *blank, ..lend(&mut *data)? }));
    let mut buffers = lent.collect::<Option<Vec<_>>>()?;
    let stage = module.stage(args, &mut buffers, options)?;
    drop(guards);
    arrays.iter().filter(|a| a.1).for_each(|a| a.0.data.overwritten());
    Some(stage)
}

/// Adds a launch on these arrays. `work` has the number of the launch's record.
pub(super) fn add(
    mut stage: Stage,
    arrays: &[(Rc<Tensor>, bool)],
    bytes: f64,
    work: Option<(usize, Work)>,
    cx: &mut Cx,
) {
    let enough = SERIES.with_borrow_mut(|s| {
        let number = |(t, written): &(Rc<Tensor>, bool)| {
            let known = s.arrays.iter().position(|a| Rc::ptr_eq(&a.0, t)).unwrap_or_else(|| {
                t.data.wait(true);
                s.arrays.push((t.clone(), false));
                s.arrays.len() - 1
            });
            s.arrays[known].1 |= written;
            known
        };
        let numbers: Vec<usize> = arrays.iter().map(number).collect();
        stage.renumber(|n| numbers[n]);
        s.stages.push(stage);
        s.works.push(work);
        s.bytes += bytes;
        s.stages.len() >= MOST || s.bytes >= ENOUGH
    });
    if enough {
        run();
        note(cx);
    }
}

/// Runs the launches that wait.
#[cold]
pub fn run() {
    let Series { stages, works, arrays, .. } = SERIES.take();
    if stages.is_empty() {
        return;
    }
    arrays.iter().for_each(|(t, _)| t.data.wait(false));
    let free = "nobody holds an array for which launches wait";
    let mut guards: Vec<_> = arrays.iter().map(|(t, written)| t.data.lend(*written).expect(free)).collect();
    let mut buffers: Vec<_> = guards.iter_mut().map(|g| lend(&mut g.0).expect("it has been lent before")).collect();
    let start = Instant::now();
    let done = series::run(&stages, &mut buffers);
    drop(guards);
    let done = match done {
        Ok(done) => done,
        Err(f) if matches!(f.kind, FaultKind::Stray { .. } | FaultKind::Proof { .. }) => {
            quadra_base::bug!("{}", f.to_diagnostic().message)
        }
        // Arguments fit when the launches were made: somebody wants an end, which the program sees itself.
        Err(_) => return,
    };
    if works.iter().all(Option::is_none) {
        return;
    }
    MADE.with_borrow_mut(|made| {
        let mut before = Duration::ZERO;
        for (n, (work, done)) in works.into_iter().zip(done).enumerate() {
            if let Some((record, work)) = work {
                let joined = u64::from(n > 0);
                made.push((record, start + before, done.saturating_sub(before), Work { joined, ..work }));
            }
            before = done.max(before);
        }
    });
}

/// Runs the launches that wait, and notes in the profile what they cost.
pub fn finish(cx: &mut Cx) {
    run();
    note(cx);
}

/// Notes in the profile what launches cost that have waited.
pub(super) fn note(cx: &mut Cx) {
    let made = MADE.take();
    if let Some(profile) = &mut cx.profile {
        made.into_iter().for_each(|(record, start, length, work)| profile.launched(record, start, length, work));
    }
}
