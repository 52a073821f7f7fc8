//! Kernels on the host's side: record, compile, launch.

use crate::args::{Arguments, Parameters};
use crate::codes;
use crate::record;
use crate::table;
use quadra_base::{Diagnostic, FileId, Span};
use quadra_device::launch::{Print, Runs};
use quadra_device::{Device, LaunchOptions, Module, Report};
use quadra_kir as kir;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// A kernel written in Rust, with parameters `P`: what a `#[kernel]` function gives when it is called on the host.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn add(n: Int, x: Ptr<Int>) {
///     *x = *x + n;
/// }
/// let kernel: Kernel<(Int, Ptr<Int>)> = add();
/// let ir = kernel.record().unwrap();
/// assert_eq!(ir.params.len(), 2);
/// ```
pub struct Kernel<P> {
    name: &'static str,
    at: (&'static str, u32, u32),
    names: &'static [&'static str],
    body: Box<dyn Fn(P) + Send + Sync>,
}

impl<P: Parameters> Kernel<P> {
    /// What the macro calls: name, place, names of the parameters, and the function that is recorded.
    #[doc(hidden)]
    pub fn new(
        name: &'static str,
        at: (&'static str, u32, u32),
        names: &'static [&'static str],
        body: impl Fn(P) + Send + Sync + 'static,
    ) -> Kernel<P> {
        Kernel { name, at, names, body: Box::new(body) }
    }

    /// The name of the Rust function.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the Rust function once and gives what it recorded.
    ///
    /// # Errors
    /// What cannot be a kernel, with the line of the Rust source: see the codes E09xx.
    pub fn record(&self) -> Result<kir::Kernel, Vec<Diagnostic>> {
        let (file, line, column) = self.at;
        let span = Span::new(FileId::of_name(file), line, column, self.name.len() as u32);
        record::record(self.name, Some(span), || {
            let parameters = P::declare(self.names);
            (self.body)(parameters);
            Ok(())
        })
    }

    /// Records the kernel and compiles it for a device.
    ///
    /// # Errors
    /// What cannot be recorded or compiled, with the line of the Rust source.
    pub fn compile(&self, device: &dyn Device) -> Result<Compiled<P>, Error> {
        let kernel = self.record().map_err(Error)?;
        let module = device.compile(&kernel).map_err(Error)?;
        Ok(Compiled { module, options: LaunchOptions::default(), parameters: PhantomData })
    }
}

/// A kernel compiled for a device, and how to launch it. [`qpus`](Compiled::qpus), [`over`](Compiled::over) and the like
/// change the launches that follow.
///
/// ```no_run
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// # #[kernel] fn gcd(a: Ptr<Int>, b: Ptr<Int>, r: Ptr<Int>) { *r = *a + *b; }
/// # fn main() -> Result<(), Error> {
/// let device = quadra_device::open("emu").map_err(Error::from)?;
/// let (a, b, r) = (Buffer::from(vec![12; 16]), Buffer::from(vec![18; 16]), Buffer::<i32>::new(16));
/// let k = gcd().compile(&*device)?;
/// k.call((&a, &b, &r))?;
/// println!("{:?}", r.to_vec());
/// # Ok(())
/// # }
/// ```
pub struct Compiled<P> {
    module: Arc<dyn Module>,
    options: LaunchOptions,
    parameters: PhantomData<fn(P)>,
}

impl<P> Clone for Compiled<P> {
    fn clone(&self) -> Compiled<P> {
        Compiled { module: self.module.clone(), options: self.options.clone(), parameters: PhantomData }
    }
}

impl<P> Compiled<P> {
    /// Launch on this many QPUs, 1 to 12; 1 unless said.
    pub fn qpus(mut self, n: u32) -> Compiled<P> {
        self.options.workers = n;
        self
    }

    /// Launch over an extent: `over(n)`, `over([rows, columns])`. Kernels that use `item()` need one.
    pub fn over(mut self, extent: impl Into<Extent>) -> Compiled<P> {
        self.options.extent = extent.into().0;
        self
    }

    /// Stop a launch as endless after this many instructions of all QPUs together.
    pub fn budget(mut self, instructions: u64) -> Compiled<P> {
        self.options.budget = instructions;
        self
    }

    /// Stop a launch as endless after so long. Native code looks at the turns of its loops instead of a clock.
    pub fn time_limit(mut self, limit: Duration) -> Compiled<P> {
        self.options.time_limit = Some(limit);
        self
    }

    /// Allow one buffer as two arguments though the kernel writes it.
    pub fn alias(mut self) -> Compiled<P> {
        self.options.alias = true;
        self
    }

    /// Which way loads take on the QPU; chosen by the compiler unless said.
    pub fn loads(mut self, loads: quadra_device::Loads) -> Compiled<P> {
        self.options.loads = loads;
        self
    }

    /// Hand what the kernel prints to `sink`, line by line, instead of to the terminal.
    pub fn print_to(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Compiled<P> {
        self.options.print = Print::To(Arc::new(sink));
        self
    }

    /// Run the kernel `n` times at each call, one run after the other: time steps.
    ///
    /// ```
    /// # extern crate quadra_dsl as quadra;
    /// use quadra_dsl::prelude::*;
    /// #[kernel]
    /// fn step(from: Ptr<Int>, to: Ptr<Int>) {
    ///     *to = *from + 1;
    /// }
    /// # fn main() -> Result<(), Error> {
    /// let device = quadra_device::open("emu")?;
    /// let (a, b) = (Buffer::<i32>::new(16), Buffer::<i32>::new(16));
    /// step().compile(&*device)?.repeat(5).swapping(0, 1).call((&a, &b))?;
    /// assert_eq!((a.get(0), b.get(0)), (4, 5));
    /// # Ok(())
    /// # }
    /// ```
    pub fn repeat(mut self, n: u32) -> Compiled<P> {
        self.options.repeat = n;
        self
    }

    /// The buffers of two parameters, counted from 0, change places after each run of [`repeat`](Compiled::repeat): what one
    /// run wrote is what the next reads.
    pub fn swapping(mut self, a: usize, b: usize) -> Compiled<P> {
        self.options.swap = Some((a, b));
        self
    }

    /// Make the runs of [`repeat`](Compiled::repeat) one launch, where the device can do that: the QPUs meet at a barrier
    /// between two runs. See [`Runs`] for when that pays.
    pub fn in_one_launch(mut self) -> Compiled<P> {
        self.options.runs = Runs::Together;
        self
    }

    /// Make each run of [`repeat`](Compiled::repeat) a launch of its own. Without this or
    /// [`in_one_launch`](Compiled::in_one_launch) the device does what is faster in the model of its time.
    pub fn separately(mut self) -> Compiled<P> {
        self.options.runs = Runs::Apart;
        self
    }

    /// The compiled module.
    pub fn module(&self) -> &Arc<dyn Module> {
        &self.module
    }

    /// Runs the kernel to its end, with an argument for each parameter: `i32` for `Int`, `f32` for `Float`,
    /// `&Buffer<i32>` for `Ptr<Int>`, `&Buffer<f32>` for `Ptr<Float>`; a single argument without parentheses of its own
    /// is written `call((&x,))`.
    ///
    /// # Errors
    /// What goes wrong while the kernel runs, with the line of the Rust source; buffers keep their contents then.
    pub fn call<A: Arguments<P>>(&self, arguments: A) -> Result<Report, Error> {
        // Every device that has no groups of its own needs whole ones; so does a kernel on all of them.
        quadra_device::groups::whole(self.module.kernel(), &self.options.extent)
            .map_err(|fault| Error(vec![fault.to_diagnostic()]))?;
        self.swaps_no_table()?;
        let report = self.module.launch(&arguments.into_arguments(), &self.options);
        report.map_err(|fault| Error(vec![fault.to_diagnostic()]))
    }
}

impl<P> Compiled<P> {
    /// # Errors
    /// E0914 if one of the buffers that are to change places holds the rows of a table, which lie where the other does not say.
    fn swaps_no_table(&self) -> Result<(), Error> {
        let kernel = self.module.kernel();
        let name = |param: usize| match kernel.params.get(param) {
            Some(kir::Param::Buffer(b)) => Some(kernel.bufs[*b].name.as_str()),
            _ => None,
        };
        let is_table = |name: &&str| kernel.bufs.iter().any(|(_, info)| info.name == table::starts_of(name));
        let swap = self.options.swap.into_iter().flat_map(|(a, b)| [a, b]);
        match swap.filter_map(name).find(is_table) {
            None => Ok(()),
            Some(name) => {
                let text = format!("the rows of `{name}` cannot change places with another buffer");
                let d = Diagnostic::error(codes::ROWS, text).at(kernel.span);
                Err(Error(vec![d.help("call the kernel once for each step, with the tables in turn")]))
            }
        }
    }
}

/// How many items a launch has along each axis.
pub struct Extent(pub Vec<u32>);

impl From<u32> for Extent {
    fn from(n: u32) -> Extent {
        Extent(vec![n])
    }
}

impl From<usize> for Extent {
    /// A size that no `u32` holds becomes the largest one, which every launch refuses.
    fn from(n: usize) -> Extent {
        Extent(vec![u32::try_from(n).unwrap_or(u32::MAX)])
    }
}

impl From<i32> for Extent {
    /// A negative size becomes the largest one, which every launch refuses.
    fn from(n: i32) -> Extent {
        Extent(vec![u32::try_from(n).unwrap_or(u32::MAX)])
    }
}

impl<const N: usize> From<[u32; N]> for Extent {
    fn from(n: [u32; N]) -> Extent {
        Extent(n.to_vec())
    }
}

/// What went wrong with a kernel: diagnostics that point at the Rust source. `{}` and `{:?}` print them as rustc does, so that
/// `fn main() -> Result<(), Error>` shows them to people.
pub struct Error(pub Vec<Diagnostic>);

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", d.render(false))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<Diagnostic> for Error {
    fn from(d: Diagnostic) -> Error {
        Error(vec![d])
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(d: Vec<Diagnostic>) -> Error {
        Error(d)
    }
}

impl From<Error> for Diagnostic {
    /// The first of the diagnostics.
    fn from(e: Error) -> Diagnostic {
        let empty = || Diagnostic::error("", "a kernel failed without a reason");
        e.0.into_iter().next().unwrap_or_else(empty)
    }
}
