//! Where a launch's code, uniforms, buffers and scratch areas lie in the GPU's memory: one layout for the emulated and the
//! real chip.

use crate::launch::{Bound, LaunchOptions};
use quadra_back_qpu::{Binding, Bindings, Compiled};
use quadra_kir::launch::GUARD_BYTES;
use quadra_kir::{Arg, Caps, Fault, FaultKind, Kernel, Param};

/// What the QPUs can do.
pub(crate) static QPUS: Caps = quadra_back_qpu::caps();

/// Everything starts on a page, so that caches and DMA see aligned rows.
const PAGE: u32 = 4096;
/// Bytes mapped behind a uniform stream, because the hardware fetches whole lines ahead.
const UNIFORM_PAD: u32 = 64;
/// Distances between buffers of the emulated chip are multiples of this: more than its caches tell apart.
const APART: u32 = 1 << 20;
/// The chip addresses 2^30 bytes of memory.
const SPACE: u32 = 1 << 30;

/// How the runs of a launch follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sequence {
    /// All in one program.
    Together,
    /// So many launches.
    Apart(u32),
}

impl Sequence {
    /// Runs within one launch.
    pub fn together(self, options: &LaunchOptions) -> u32 {
        if self == Sequence::Together { options.repeat } else { 1 }
    }

    /// Launches.
    pub fn launches(self) -> usize {
        if let Sequence::Apart(times) = self { times as usize } else { 1 }
    }
}

/// Byte addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub code: u32,
    /// One stream per QPU.
    pub uniforms: Vec<u32>,
    /// Bytes of one stream.
    pub uniform_bytes: u32,
    /// One per distinct buffer; [`GUARD_BYTES`] of zeros follow each.
    pub buffers: Vec<u32>,
    /// The scratch areas of all QPUs, one after the other.
    pub scratch: u32,
    pub scratch_bytes: u32,
    /// Bytes in all.
    pub size: u32,
}

fn pages(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE as u64) * PAGE as u64
}

impl Layout {
    /// The same with the buffers so far from one another and from everything else that an index that leaves one by less than
    /// half the distance meets nothing else. Addresses keep their lower bits, which decide about cache sets.
    pub fn apart(self) -> Layout {
        let step =
            (SPACE - self.buffers.first().map_or(0, |_| self.code + self.size)) / (self.buffers.len() as u32 + 1);
        let step = step & !(APART - 1);
        let buffers = self.buffers.iter().zip(1..).map(|(&at, n)| at + n * step).collect();
        Layout { buffers, ..self }
    }

    /// Lays out a launch of `runs` runs on `workers` QPUs from `base` on, with buffers of so many bytes.
    ///
    /// # Errors
    /// If it does not fit the chip's address space.
    pub fn of(
        kernel: &Kernel,
        compiled: &Compiled,
        runs: u32,
        buffers: &[usize],
        workers: u32,
        base: u32,
    ) -> Result<Layout, Fault> {
        let mut next = base as u64;
        let mut place = |bytes: u64| {
            let at = next;
            next += pages(bytes.max(1));
            at
        };
        let code = place(compiled.program.len() as u64 * 8);
        let uniform_bytes = compiled.uniforms.len() as u64 * 4 * u64::from(runs);
        let uniforms: Vec<u64> = (0..workers).map(|_| place(uniform_bytes + u64::from(UNIFORM_PAD))).collect();
        let scratch_bytes = compiled.scratch_bytes;
        let scratch = place(scratch_bytes as u64 * workers as u64);
        let places: Vec<u64> = buffers.iter().map(|&bytes| place(bytes as u64 + GUARD_BYTES as u64)).collect();
        if next > SPACE as u64 {
            let text = format!("the launch needs {} MiB of GPU memory, the chip addresses 1024", next >> 20);
            return Err(Fault::new(&kernel.name, FaultKind::Arguments(text)));
        }
        let small = |v: Vec<u64>| v.into_iter().map(|a| a as u32).collect();
        Ok(Layout {
            code: code as u32,
            uniforms: small(uniforms),
            uniform_bytes: uniform_bytes as u32,
            buffers: small(places),
            scratch: scratch as u32,
            scratch_bytes,
            size: (next - base as u64) as u32,
        })
    }

    /// Bytes without the buffers, of a layout from 0 on.
    pub fn own_bytes(&self) -> u32 {
        self.buffers.first().copied().unwrap_or(self.size)
    }

    /// The same in memory that begins `by` bytes later, for buffers that lie at these addresses.
    pub fn moved(self, by: u32, buffers: Vec<u32>) -> Layout {
        let uniforms = self.uniforms.into_iter().map(|at| at + by).collect();
        Layout { code: self.code + by, uniforms, scratch: self.scratch + by, buffers, ..self }
    }

    /// The uniform streams of each launch of a sequence; they start over if there are fewer than launches.
    ///
    /// # Errors
    /// As [`Layout::streams`].
    pub fn streams_of(
        &self,
        kernel: &Kernel,
        compiled: &Compiled,
        bound: &Bound,
        options: &LaunchOptions,
        sequence: Sequence,
    ) -> Result<Vec<Vec<Vec<u32>>>, Fault> {
        let once = |bound: &Bound| self.streams(kernel, compiled, bound, &options.extent, false);
        Ok(match (sequence, options.swap) {
            (Sequence::Together, _) => vec![self.streams_of_runs(kernel, compiled, bound, options)?],
            (Sequence::Apart(2..), Some(pair)) => vec![once(bound)?, once(&bound.swapped(pair))?],
            (Sequence::Apart(_), _) => vec![once(bound)?],
        })
    }

    /// The words of each QPU's uniform stream for one run, which another one follows if it says `again`.
    ///
    /// # Errors
    /// A stream that asks for what the launch does not have: a bug of the back end, reported as a fault.
    fn streams(
        &self,
        kernel: &Kernel,
        compiled: &Compiled,
        bound: &Bound,
        extent: &[u32],
        again: bool,
    ) -> Result<Vec<Vec<u32>>, Fault> {
        let params: Vec<Binding> = bound
            .args
            .iter()
            .zip(&kernel.params)
            .map(|(arg, &param)| match *arg {
                Arg::Scalar(c) => Binding::Scalar(c.bits as u32),
                Arg::Buffer(at) => {
                    let dims = match param {
                        // A parameter of one axis sees a buffer of any shape as one row.
                        Param::Buffer(b) if kernel.bufs[b].rank == 1 => vec![bound.dims(at).iter().product()],
                        _ => bound.dims(at),
                    };
                    Binding::Buffer { address: self.buffers[at], dims }
                }
            })
            .collect();
        let workers = self.uniforms.len() as u32;
        (0..workers)
            .map(|worker| {
                let scratch = self.scratch + worker * self.scratch_bytes;
                let bindings = Bindings { params: &params, worker, num_workers: workers, extent, scratch, again };
                compiled.uniform_stream(&bindings).map_err(|e| Fault::new(&kernel.name, FaultKind::Other(e)))
            })
            .collect()
    }

    /// The streams of all runs, one behind the other; two parameters' buffers change places after each.
    ///
    /// # Errors
    /// As [`Layout::streams`].
    fn streams_of_runs(
        &self,
        kernel: &Kernel,
        compiled: &Compiled,
        bound: &Bound,
        options: &LaunchOptions,
    ) -> Result<Vec<Vec<u32>>, Fault> {
        let other = options.swap.map(|pair| bound.swapped(pair));
        let of = |run: u32, again: bool| {
            let bound = other.as_ref().filter(|_| run % 2 == 1).unwrap_or(bound);
            self.streams(kernel, compiled, bound, &options.extent, again)
        };
        let (last, pair) = (options.repeat - 1, [of(0, true)?, of(1, true)?]);
        let mut streams: Vec<Vec<u32>> = vec![Vec::new(); self.uniforms.len()];
        for run in 0..last {
            streams.iter_mut().zip(&pair[run as usize % 2]).for_each(|(all, one)| all.extend(one));
        }
        streams.iter_mut().zip(of(last, false)?).for_each(|(all, one)| all.extend(one));
        Ok(streams)
    }
}
