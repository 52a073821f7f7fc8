//! What a launch is called with: the memory of arrays, in place or on a device with memory of its own, and buffers made for it.

use quadra_device::buffer::Storage;
use quadra_device::{Argument, LaunchOptions, Module, Report};
use quadra_kir::{self as kir, Arg, MemoryBuffer};
use quadra_quasar_vm::lend::{beginning_of, buffer_of, lend, lent_bytes, zeros_like};
use quadra_quasar_vm::tensor::{Data, Tensor};
use std::rc::Rc;

/// What a launch is called with, and where what it writes goes.
#[derive(Default)]
pub(super) struct Bound {
    pub args: Vec<Arg>,
    /// The buffers of the launch.
    pub slots: Vec<Slot>,
    /// Arrays whose elements the launch works on.
    pub arrays: Vec<Rc<Tensor>>,
    /// Buffers made for the launch, in the order of their slots.
    pub own: Vec<MemoryBuffer>,
    /// Whether two parameters are one array.
    pub alias: bool,
    /// The arrays were worked on in the memory of a device.
    pub there: bool,
}

pub(super) struct Slot {
    pub memory: Memory,
    pub written: bool,
    /// The kernel reads what it writes.
    pub reread: bool,
    /// Several parameters are this array.
    pub alias: bool,
    /// Where what the kernel wrote into an own buffer goes.
    pub to: Option<Back>,
}

/// Whose memory a buffer is.
pub(super) enum Memory {
    /// That of the array with this number.
    Array(usize),
    Own,
}

pub(super) enum Back {
    Array(Rc<Tensor>),
    Output(usize),
    Result(usize),
}

impl Bound {
    /// A buffer of its own.
    pub fn own(&mut self, buffer: MemoryBuffer, to: Option<Back>) -> Arg {
        let written = to.is_some();
        self.own.push(buffer);
        self.slots.push(Slot { memory: Memory::Own, written, reread: true, alias: false, to });
        Arg::Buffer(self.slots.len() - 1)
    }

    /// An array, which may stand for several parameters.
    pub fn array(&mut self, t: Rc<Tensor>, written: bool, reread: bool) -> Option<Arg> {
        let same = |s: &Slot| match (&s.memory, &s.to) {
            (Memory::Array(i), _) => Rc::ptr_eq(&self.arrays[*i], &t),
            (_, Some(Back::Array(other))) => Rc::ptr_eq(other, &t),
            _ => false,
        };
        if let Some(at) = self.slots.iter().position(same) {
            let slot = &mut self.slots[at];
            // What one parameter writes another one may read.
            (slot.reread, slot.alias) = (true, true);
            slot.written |= written;
            self.alias = true;
            return Some(Arg::Buffer(at));
        }
        if lent_bytes(&t.data.peek()).is_none() {
            let buffer = buffer_of(&t.data.borrow())?;
            let argument = self.own(buffer, Some(Back::Array(t)));
            if let Some(slot) = self.slots.last_mut() {
                slot.written = written;
            }
            return Some(argument);
        }
        // An index is an `i32`.
        let parts = if matches!(&*t.data.peek(), Data::C32(_) | Data::C64(_)) { 2 } else { 1 };
        i32::try_from(t.len().checked_mul(parts)?).ok()?;
        self.arrays.push(t);
        self.slots.push(Slot { memory: Memory::Array(self.arrays.len() - 1), written, reread, alias: false, to: None });
        Some(Arg::Buffer(self.slots.len() - 1))
    }

    /// Parameters whose arrays change places from run to run: each of them may be written.
    pub fn exchanged(&mut self, parameters: &[usize]) {
        for &p in parameters {
            if let Arg::Buffer(at) = self.args[p] {
                let slot = &mut self.slots[at];
                (slot.written, slot.reread) = (true, true);
            }
        }
    }

    /// Launches in place; nothing if an array is in use.
    pub fn launch(&mut self, module: &dyn Module, options: &LaunchOptions) -> Option<Result<Report, kir::Fault>> {
        let result = self.lent(|args, buffers| module.launch_on(args, buffers, options))?;
        let written = self.slots.iter().filter(|s| s.written && result.is_ok());
        for slot in written {
            if let Memory::Array(i) = slot.memory {
                self.arrays[i].data.overwritten();
            }
        }
        Some(result)
    }

    /// Whether it is known that such a launch in place does not stop half-way, but by its budget.
    pub fn is_sure(&mut self, module: &dyn Module, options: &LaunchOptions) -> bool {
        self.lent(|args, buffers| module.is_sure(args, buffers, options)).unwrap_or(false)
    }

    /// Has the arguments and the buffers used; nothing if an array is in use.
    fn lent<R>(&mut self, with: impl FnOnce(&[Arg], &mut [kir::Lent<'_>]) -> R) -> Option<R> {
        let mut guards = Vec::with_capacity(self.arrays.len());
        for slot in &self.slots {
            if let Memory::Array(i) = slot.memory {
                guards.push(self.arrays[i].data.lend(slot.written)?);
            }
        }
        let (mut lent, mut own) = (guards.iter_mut(), self.own.iter_mut());
        let mut buffers = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            buffers.push(match slot.memory {
                Memory::Array(_) => {
                    let (data, blank) = lent.next()?;
                    kir::Lent { blank: *blank, ..lend(&mut *data)? }
                }
                Memory::Own => own.next()?.lend(),
            });
        }
        Some(with(&self.args, &mut buffers))
    }

    /// The arrays that the launch works on, and whether it writes them, in the order of its buffers; nothing if it works on
    /// anything else.
    pub fn only_arrays(&self) -> Option<Vec<(Rc<Tensor>, bool)>> {
        let array = |s: &Slot| match s.memory {
            Memory::Array(i) => Some((self.arrays[i].clone(), s.written)),
            Memory::Own => None,
        };
        self.slots.iter().map(array).collect()
    }

    /// Launches on a device with memory of its own, where arrays stay; nothing if one is in use. `backup`: keeps the host's
    /// elements of arrays that are written.
    pub fn launch_there(
        &mut self,
        module: &dyn Module,
        options: &LaunchOptions,
        backup: bool,
    ) -> Option<Result<Report, kir::Fault>> {
        let mut own = std::mem::take(&mut self.own).into_iter();
        let make = |data: &Data, blank: bool| if blank { zeros_like(data) } else { buffer_of(data) };
        let mut copies: Vec<Storage> = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            copies.push(match slot.memory {
                Memory::Array(i) => self.arrays[i].data.on_device(slot.written && backup, make)?,
                Memory::Own => Storage::new(own.next()?),
            });
        }
        let argument = |arg: &Arg| match *arg {
            Arg::Scalar(c) => Argument::Scalar(c),
            Arg::Buffer(at) => Argument::Buffer(copies[at].clone()),
        };
        let args: Vec<Argument> = self.args.iter().map(argument).collect();
        let result = module.launch(&args, options);
        drop(args);
        for (slot, copy) in self.slots.iter().zip(copies) {
            if let Memory::Own = slot.memory {
                let buffer = copy.read().clone();
                self.own.push(buffer);
            }
        }
        self.there = true;
        Some(result)
    }

    /// The array of a slot, if a launch has changed its copy in the memory of a device.
    pub fn changed_there(&self, slot: &Slot) -> Option<Rc<Tensor>> {
        match slot.memory {
            Memory::Array(i) if self.there && slot.written => Some(self.arrays[i].clone()),
            _ => None,
        }
    }

    /// Bytes that are read, and bytes that are written.
    pub fn bytes(&self) -> f64 {
        self.bytes_of(0, &[])
    }

    /// As [`bytes`](Bound::bytes), but of each array at most what so many items access, `touched` bytes each.
    pub fn bytes_of(&self, items: u64, touched: &[f64]) -> f64 {
        let mut own = self.own.iter();
        let bytes = |(k, s): (usize, &Slot)| {
            let (n, both) = match s.memory {
                Memory::Array(i) => (lent_bytes(&self.arrays[i].data.peek()).unwrap_or(0), s.reread),
                Memory::Own => (own.next().map_or(0, |b| b.bytes.len()), false),
            };
            let whole = if both && s.written { 2.0 * n as f64 } else { n as f64 };
            touched.get(k).map_or(whole, |each| whole.min(items as f64 * each))
        };
        self.slots.iter().enumerate().map(bytes).sum()
    }

    /// A copy of all buffers.
    pub fn copy(&self) -> kir::Memory {
        self.sample(usize::MAX)
    }

    /// A copy of the beginnings of all buffers, zeros behind `elements` of each.
    pub fn sample(&self, elements: usize) -> kir::Memory {
        let mut own = self.own.iter();
        let buffer = |s: &Slot| match s.memory {
            Memory::Array(i) => beginning_of(&self.arrays[i].data.borrow(), elements),
            Memory::Own => own.next().cloned(),
        };
        kir::Memory { buffers: self.slots.iter().filter_map(buffer).collect() }
    }
}
