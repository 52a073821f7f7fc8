//! Compiled kernels of a session, and the devices that run them.

use super::after::Afters;
use super::bind::Roots;
use super::lowered::Lowered;
use super::recent::Recent;
use super::shape::Shape;
use super::{Low, Refusal};
use quadra_base::Span;
use quadra_base::quick::{Map, Set};
use quadra_device::{Device, Module};
use quadra_quasar_vm::auto::Auto;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::value::Value;
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

/// Compiled kernels that are kept.
pub(super) const MOST_KERNELS: usize = 1024;

/// Kernels that differ by texts and numbers of launches, and why there are no more.
const MOST_MADE: usize = 16;
pub(super) const MANY: &str = "it would be compiled for each of many texts or lengths of arrays";

pub(super) struct Compiled {
    pub lowered: Lowered,
    /// What a loop leaves in variables.
    pub afters: Afters,
    /// With its device; none if no device takes the kernel.
    pub module: Option<(Arc<dyn Module>, Arc<dyn Device>)>,
}

#[derive(Clone)]
pub(super) enum Entry {
    /// The kernel depends on its block.
    WantsBlock,
    Refused(Refusal),
    Compiled(Rc<Compiled>),
}

/// Runs kernels and parallel loops on a device.
pub struct Kernels {
    /// What loops were launched with last, by their addresses.
    pub(super) recent: Map<usize, Recent>,
    /// In the order in which they are tried.
    pub(super) devices: Vec<Arc<dyn Device>>,
    pub(super) cache: Map<String, Vec<Entry>>,
    /// Kernels of nests that differ by integers that are constants in them.
    pub(super) variants: Map<String, Set<String>>,
    /// Look for accesses that nothing orders.
    pub(super) races: bool,
    /// Kernels of expressions over arrays; none where the device does not take one.
    pub(super) expressions: Map<String, Option<Arc<dyn Module>>>,
    /// How often expressions over short arrays were met.
    pub(super) met: Map<u64, u32>,
    /// If the user leaves the choice open.
    pub(super) auto: Option<Auto>,
    /// Code whose address is part of a key: as long as it lives, no other code has that address.
    pub(super) alive: Vec<Rc<dyn Any>>,
}

impl Kernels {
    /// The compiled kernel of a loop whose assumptions hold, lowered now if there is none yet. The key has the address of the
    /// loop's code.
    ///
    /// # Errors
    /// Why the loop is no kernel.
    pub(super) fn of_loop(
        &mut self,
        key: String,
        nest: &Rc<Nest>,
        (args, dims): (&[Value], &[i64]),
        cx: &mut Cx,
        lower: impl FnOnce(&mut Cx) -> Low<(Lowered, Afters)>,
    ) -> Result<Rc<Compiled>, Refusal> {
        let (roots, shape) = (Roots { arguments: args, captures: &[], cx }, Shape::new(dims, None));
        let holds = |entry: &&Entry| match entry {
            Entry::Compiled(c) => c.lowered.holds(&roots, &shape),
            _ => true,
        };
        let entry = match self.cache.get(&key).and_then(|known| known.iter().find(holds)).cloned() {
            Some(entry) => entry,
            None => {
                let entry = match lower(cx) {
                    Ok((lowered, _)) if self.has_many(&key, &lowered) => Entry::Refused(Refusal::new(MANY)),
                    Ok((lowered, afters)) => self.compiled(lowered, afters, nest.ast.span, cx),
                    Err(refusal) => Entry::Refused(*refusal),
                };
                self.make_room(nest.clone());
                self.cache.entry(key).or_default().push(entry.clone());
                entry
            }
        };
        match entry {
            Entry::Compiled(c) => Ok(c),
            Entry::Refused(r) => Err(r),
            Entry::WantsBlock => Err(Refusal::new("it synchronises")),
        }
    }

    /// Whether there are enough kernels that differ by texts and numbers of launches.
    pub(super) fn has_many(&self, key: &str, lowered: &Lowered) -> bool {
        !lowered.made_for.is_empty() && self.cache.get(key).is_some_and(|known| known.len() >= MOST_MADE)
    }

    /// Compiles a kernel.
    pub(super) fn compiled(&self, lowered: Lowered, afters: Afters, span: Span, cx: &mut Cx) -> Entry {
        let module = self.compile(&lowered, span, cx);
        Entry::Compiled(Rc::new(Compiled { lowered, afters, module }))
    }

    /// Makes room for an entry whose key has the address of this code.
    pub(super) fn make_room(&mut self, code: Rc<dyn Any>) {
        if self.cache.len() >= MOST_KERNELS {
            self.cache.clear();
            self.recent.clear();
            self.alive.clear();
        }
        self.alive.push(code);
    }
}
