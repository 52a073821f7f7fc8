//! What host and shader agree on: bindings, the words of the header, how many groups a launch has.

pub mod codes;

use quadra_kir::{Const, Kernel, Level, Param};
use quadra_passes::fission;

/// What a particular GPU offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub float64: bool,
    pub int64: bool,
    /// Most items of a group.
    pub group: u32,
    /// Bytes of arrays that a group shares.
    pub shared_bytes: u32,
    /// Every float operation is to be rounded by itself. Otherwise the driver may make several into one.
    pub exact: bool,
    /// Quotients and roots of 32 bits are rounded correctly by the driver. Otherwise they are computed in double precision where
    /// there is one.
    pub rounds: bool,
    /// Iterations, of all loops of an item together, after which it is stopped.
    pub fuel: u32,
    /// Items whose iterations the driver counts together, and the limit holds for their sum: 1 where it counts none.
    pub together: u32,
    /// Items of a group where the kernel has no say.
    pub items: u32,
    /// Groups that keep the GPU busy: where items are cheap and a group costs something of its own, there are no more.
    pub groups: u32,
    /// The driver takes a product with 0 for 0 whatever the other factor, and what is taken from itself.
    pub folds: bool,
    /// Whether the driver can be told to keep zeros with a sign, what is infinite and what is no number, in operations of 32 and of 64
    /// bits. Those that cannot take a comparison and a choice for a minimum, which differs there.
    pub special: [bool; 2],
    /// Whether the driver can be told to keep numbers below 2^-126, and 2^-1022, in operations of 32 and of 64 bits.
    pub denormals: [bool; 2],
    /// Conversions to integers are the driver's own, whatever they make of numbers that no integer holds: to find out.
    pub raw: bool,
}

impl Target {
    /// What every GPU has.
    pub const LEAST: Target = Target {
        float64: false,
        int64: false,
        group: 256,
        shared_bytes: 16 << 10,
        exact: true,
        rounds: true,
        fuel: 1 << 24,
        together: 1,
        items: 64,
        groups: 1024,
        folds: false,
        special: [false; 2],
        denormals: [false; 2],
        raw: false,
    };

    /// What NVIDIA's GPUs have since their compute capability 7.0.
    pub const NVIDIA: Target = Target {
        float64: true,
        int64: true,
        group: 1024,
        shared_bytes: 48 << 10,
        items: Target::ITEMS_OF_LARGE,
        groups: Target::GROUPS_OF_LARGE,
        ..Target::LEAST
    };

    /// Items of a group on large GPUs, which begin about as many groups a nanosecond as they have clusters of processors.
    pub const ITEMS_OF_LARGE: u32 = 256;
    /// Groups of four times as many that keep those busy: more would wait for each other where they add to one element.
    pub const GROUPS_OF_LARGE: u32 = 264;
}

impl Default for Target {
    fn default() -> Target {
        Target::LEAST
    }
}

/// Word 0 of the buffer of marks: an access outside of a buffer, or an assertion that does not hold.
pub const MARK_FAULT: u32 = 1;
/// Word 0 of the buffer of marks: an item ran out of iterations.
pub const MARK_FUEL: u32 = 2;
/// Word 0 of the buffer of marks: an item prints, which whoever launches does in the order of the items.
pub const MARK_PRINTS: u32 = 4;

/// The entry point of every shader.
pub const ENTRY: &str = "main";

/// Binding of the header: 32-bit words that the shader only reads.
pub const HEADER: u32 = 0;
/// Binding of the marks: two words, of which the second is the number of the first item that ran out of iterations.
pub const MARKS: u32 = 1;
/// Binding of the first buffer; the others follow in the order of the parameters.
pub const FIRST_BUFFER: u32 = 2;

/// Where things stand in the header.
pub(crate) const BASE: u32 = 0;
pub(crate) const COUNT: u32 = 1;
pub(crate) const ACROSS: u32 = 2;
pub(crate) const EACH: u32 = 3;
pub(crate) const EXTENT: u32 = 4;
/// Most axes of an extent.
pub(crate) const AXES: u32 = 4;
/// Two words for each scalar parameter, then a word for each axis of each buffer.
pub(crate) const ARGUMENTS: u32 = EXTENT + AXES;

/// Most groups along an axis of a dispatch, which every GPU has.
const MOST_GROUPS: u64 = 65_535;

/// How items are dealt to the invocations of a shader.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// Items of a group along each axis of the extent.
    pub sizes: Vec<u32>,
    /// The shader's groups are the kernel's, because their items share memory or wait for each other; otherwise any
    /// items may stand side by side.
    pub grouped: bool,
    /// Whether there may be fewer items than invocations in the last groups along an axis.
    pub partial: bool,
    /// Invocations of a group.
    pub invocations: u32,
    /// How many items an invocation takes one after the other.
    pub series: Series,
    /// Neighbouring items along each axis that are computed as one; empty for one each.
    pub tile: Vec<u32>,
}

/// Items that invocations take one after the other, as many as leave so many groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series {
    pub least: u32,
    pub most: u32,
    pub groups: u32,
}

impl Series {
    /// Every invocation takes one item.
    pub(crate) const ONE: Series = Series { least: 1, most: 1, groups: 1 };
}

impl Form {
    /// Neighbouring items along an axis that are computed as one.
    pub(crate) fn tile(&self, axis: usize) -> u32 {
        self.tile.get(axis).copied().unwrap_or(1)
    }

    /// Items that each invocation takes of a launch over an extent.
    pub fn each(&self, extent: &[u32]) -> u32 {
        let Series { least, most, groups } = self.series;
        if most <= 1 {
            return 1;
        }
        let wanted = self.count(extent).div_ceil(u64::from(self.invocations) * u64::from(groups.max(1)));
        u32::try_from(wanted).unwrap_or(u32::MAX).clamp(least.min(most), most)
    }

    /// Where the item stands that the shader counts by this number, if it counts items.
    pub fn item(&self, extent: &[u32], number: u32) -> Option<Vec<u32>> {
        let mut rest = number;
        let mut at = vec![0; extent.len()];
        for (axis, at) in at.iter_mut().enumerate().rev() {
            let n = extent[axis].div_ceil(self.tile(axis));
            *at = rest.checked_rem(n)? * self.tile(axis);
            rest /= n;
        }
        (!self.grouped && rest == 0).then_some(at)
    }

    pub(crate) fn new(kernel: &Kernel, grouped: bool, items: u32) -> Form {
        debug_assert_eq!(kernel.level, Level::Simt);
        let sizes = fission::group_sizes(kernel);
        let invocations = if grouped { sizes.iter().product() } else { items };
        Form { sizes, grouped, partial: false, invocations, series: Series::ONE, tile: Vec::new() }
    }

    /// Groups have a multiple of so many invocations if their items wait for each other: llvmpipe, which runs as many in step, loses
    /// those of a vector that is not full behind a barrier in a branch.
    pub(crate) fn fill(&mut self, together: u32) {
        let full = self.invocations.next_multiple_of(together.max(1));
        if self.grouped && full > self.invocations {
            (self.invocations, self.partial) = (full, true);
        }
    }

    /// Whether a launch over an extent has items for every invocation that others wait for.
    pub fn fits(&self, extent: &[u32]) -> bool {
        !self.grouped || self.partial || extent.iter().zip(&self.sizes).all(|(n, &size)| n.is_multiple_of(size))
    }

    /// What is counted, items or groups, of a launch over an extent.
    fn count(&self, extent: &[u32]) -> u64 {
        let by = |axis: usize| if self.grouped { self.sizes[axis] } else { self.tile(axis) };
        extent.iter().enumerate().map(|(axis, n)| u64::from(n.div_ceil(by(axis)))).product()
    }

    /// What is counted for each group of the shader.
    fn per_group(&self, extent: &[u32]) -> u64 {
        if self.grouped { 1 } else { u64::from(self.invocations) * u64::from(self.each(extent)) }
    }

    /// The groups of the shader that a launch over an extent takes; `None` for more items than can be counted.
    pub fn groups(&self, extent: &[u32]) -> Option<u32> {
        let per_group = self.per_group(extent);
        let groups = self.count(extent).div_ceil(per_group);
        // Folded groups past the end count on, and must not wrap: there are fewer of them than rows.
        let last = (groups + groups.div_ceil(MOST_GROUPS)) * per_group;
        (last <= u64::from(u32::MAX)).then_some(groups as u32)
    }

    /// So many groups, along two axes of a dispatch.
    pub fn folded(&self, groups: u32) -> [u32; 2] {
        let down = u64::from(groups).div_ceil(MOST_GROUPS).max(1) as u32;
        [groups.div_ceil(down), down]
    }
}

/// What a launch hands over besides its buffers.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    pub extent: &'a [u32],
    /// Scalars in the order of the parameters.
    pub scalars: &'a [Const],
    /// Sizes of the buffers in the order of the parameters.
    pub dims: &'a [&'a [u32]],
}

impl Header<'_> {
    /// The words, for a dispatch of the groups from `first` on, behind which there are none or which end at a whole row.
    pub fn words(&self, form: &Form, first: u32, groups: u32) -> Vec<u32> {
        let per_group = form.per_group(self.extent);
        let end = (u64::from(first) + u64::from(groups)) * per_group;
        let base = first * per_group as u32;
        let count = form.count(self.extent).min(end) as u32;
        let mut words = vec![base, count, form.folded(groups)[0], form.each(self.extent)];
        words.extend((0..AXES as usize).map(|axis| self.extent.get(axis).copied().unwrap_or(1)));
        words.extend(self.scalars.iter().flat_map(|c| [c.bits as u32, (c.bits >> 32) as u32]));
        self.dims.iter().for_each(|dims| words.extend(*dims));
        words
    }
}

/// Where the words of each parameter begin in the header.
pub(crate) fn places(kernel: &Kernel) -> Vec<u32> {
    let scalars = kernel.params.iter().filter(|p| matches!(p, Param::Scalar(_))).count() as u32;
    let (mut scalar, mut dims) = (ARGUMENTS, ARGUMENTS + 2 * scalars);
    let place = |p: &Param| {
        let (next, words) = match p {
            Param::Scalar(_) => (&mut scalar, 2),
            Param::Buffer(b) => (&mut dims, u32::from(kernel.bufs[*b].rank)),
        };
        *next += words;
        *next - words
    };
    kernel.params.iter().map(place).collect()
}

/// What stands in the header's words, in words.
pub(crate) fn described(kernel: &Kernel, form: &Form) -> Vec<String> {
    let what = if form.grouped { "group" } else { "item" };
    let mut words = vec![format!("first {what}"), format!("{what} behind the last"), "blocks along x".into()];
    words.push("items of each thread (1)".into());
    words.extend((0..AXES).map(|axis| format!("extent {axis} or 1")));
    for param in &kernel.params {
        if let Param::Scalar(v) = *param {
            let name = &kernel.values[v].name;
            words.extend([format!("`{name}`"), "its high bits or 0".into()]);
        }
    }
    for param in &kernel.params {
        if let Param::Buffer(b) = *param {
            let info = &kernel.bufs[b];
            words.extend((0..info.rank).map(|axis| format!("size {axis} of `{}`", info.name)));
        }
    }
    words
}
