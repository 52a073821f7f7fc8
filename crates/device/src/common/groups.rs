//! Kernels whose groups have more items than a device runs in step: the device compiles what barrier fission makes of them, and
//! a launch over the items becomes one over the lanes of a subgroup for each group.

use crate::launch::{Argument, LaunchOptions, Report, Runs};
use crate::{Device, Module};
use quadra_base::Diagnostic;
use quadra_kir::{Arg, Const, Fault, FaultKind, Kernel, LANES, Lent, check};
use quadra_passes::fission;
use std::sync::Arc;

/// Compiles a kernel with groups for a device that knows none; nothing if it has none.
pub(crate) fn compile(device: &dyn Device, kernel: &Kernel) -> Option<Result<Arc<dyn Module>, Vec<Diagnostic>>> {
    fission::needed(kernel).then(|| {
        let wrong = check::kernel(kernel);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let inner = device.compile(&fission::run(kernel)?)?;
        Ok(Arc::new(Grouped { kernel: kernel.clone(), sizes: fission::group_sizes(kernel), inner }) as Arc<dyn Module>)
    })
}

struct Grouped {
    kernel: Kernel,
    sizes: Vec<u32>,
    inner: Arc<dyn Module>,
}

impl Grouped {
    /// The options of the launch over groups, and the lengths that follow the kernel's own arguments.
    fn options(&self, options: &LaunchOptions) -> Result<(LaunchOptions, Vec<i32>), Fault> {
        let bad = |text: String| wrong(&self.kernel, text);
        whole(&self.kernel, &options.extent)?;
        if options.extent.len() != self.sizes.len() {
            let (want, have) = (self.sizes.len(), options.extent.len());
            return Err(bad(format!("the kernel is launched over {want} axes, the extent has {have}")));
        }
        let groups: u64 = options.extent.iter().zip(&self.sizes).map(|(&n, &size)| u64::from(n / size)).product();
        let lanes = u32::try_from(groups * u64::from(LANES)).ok().filter(|&n| n <= i32::MAX as u32);
        let lanes = lanes.ok_or_else(|| bad(format!("{groups} groups are more than a launch can have")))?;
        let lengths = options.extent.iter().map(|&n| n as i32).collect();
        // Groups that wait for each other do so within a run.
        Ok((LaunchOptions { extent: vec![lanes], runs: Runs::Apart, ..options.clone() }, lengths))
    }

    fn arguments(&self, args: &[Argument], lengths: Vec<i32>) -> Result<Vec<Argument>, Fault> {
        if args.len() != self.kernel.params.len() {
            let text = format!("{} arguments for {} parameters", args.len(), self.kernel.params.len());
            return Err(wrong(&self.kernel, text));
        }
        Ok(args.iter().cloned().chain(lengths.into_iter().map(Argument::from)).collect())
    }
}

fn wrong(kernel: &Kernel, text: String) -> Fault {
    let fault = Fault::new(&kernel.name, FaultKind::Arguments(text));
    Fault { span: kernel.span, ..fault }
}

/// Checks that a launch of a kernel with groups of more than 16 items, or of several axes, has whole groups.
///
/// # Errors
/// An extent that is no multiple of the groups.
pub fn whole(kernel: &Kernel, extent: &[u32]) -> Result<(), Fault> {
    if !fission::needed(kernel) || extent.len() != kernel.over as usize {
        return Ok(());
    }
    for (axis, (&n, &size)) in extent.iter().zip(&fission::group_sizes(kernel)).enumerate() {
        if !n.is_multiple_of(size) {
            let text = format!("the launch has {n} items along axis {axis}, no whole number of groups of {size}");
            return Err(wrong(kernel, text));
        }
    }
    Ok(())
}

impl Module for Grouped {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let (options, lengths) = self.options(options)?;
        self.inner.launch(&self.arguments(args, lengths)?, &options)
    }

    fn launch_on(&self, args: &[Arg], buffers: &mut [Lent<'_>], options: &LaunchOptions) -> Result<Report, Fault> {
        let (options, lengths) = self.options(options)?;
        let lengths = lengths.into_iter().map(|n| Arg::Scalar(Const::i32(n)));
        let args: Vec<Arg> = args.iter().copied().chain(lengths).collect();
        self.inner.launch_on(&args, buffers, &options)
    }

    fn in_place(&self) -> bool {
        self.inner.in_place()
    }
}
