//! Where code, uniforms and matrices lie in memory, and what the uniform streams say.

use super::{Data, Plan, Result, Version, article, broadcast, pipelined};
use crate::vc4::emu::{Region, Thread};
use crate::vc4::image::{Image, ImageThread, Loaded, Segment};
use crate::vc4::program::Program;
use quadra_base::Diagnostic;

/// Address of the program.
const CODE: u32 = 0x1_0000;
/// Addresses at which matrices begin are multiples of this, so that the rows of a matrix with 16 n columns lie in lines.
const PAGE: u32 = 4096;

/// Addresses of everything.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    pub plan: Plan,
    pub program: Program,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// First uniform of each thread.
    pub uniforms: Vec<u32>,
}

impl Layout {
    /// The layout of a plan: code, uniforms, A, B, C in this order, each beginning at a page.
    ///
    /// # Errors
    /// As [`Plan::check`].
    pub fn new(plan: &Plan) -> Result<Layout> {
        let program = plan.program()?;
        let mut layout = Layout { plan: *plan, program, a: 0, b: 0, c: 0, uniforms: Vec::new() };
        let mut free = (CODE + 8 * layout.program.len() as u32).next_multiple_of(PAGE);
        for thread in 0..plan.split.threads() {
            layout.uniforms.push(free);
            // A line more than the stream, which the hardware reads ahead.
            let words = layout.stream(thread, free).len() as u32;
            free = (free + 4 * words).next_multiple_of(64) + 64;
        }
        let mut matrix = |rows: u32, columns: u32| {
            let base = free.next_multiple_of(PAGE);
            free = base + 4 * rows * columns + PAGE;
            base
        };
        layout.a = matrix(plan.p, plan.q);
        layout.b = matrix(plan.q + layout.guard_rows(), plan.r);
        layout.c = matrix(plan.p, plan.r);
        Ok(layout)
    }

    /// Rows behind B that prefetching lookups touch.
    fn guard_rows(&self) -> u32 {
        if self.plan.prefetch { article::PREFETCH_ROWS } else { 0 }
    }

    /// The uniforms of a thread whose stream begins at `base`.
    fn stream(&self, thread: u32, base: u32) -> Vec<u32> {
        self.stream_with(thread, base, (1.0, 1.0))
    }

    fn stream_with(&self, thread: u32, base: u32, factors: (f32, f32)) -> Vec<u32> {
        match self.plan.version {
            Version::Article => article::uniforms(self, thread, base, factors),
            Version::Pipelined => pipelined::uniforms(self, thread, base, factors),
            Version::Broadcast => broadcast::uniforms(self, thread, factors),
        }
    }

    /// Address of an element of A.
    pub fn a_at(&self, row: u32, column: u32) -> u32 {
        self.a + 4 * (row * self.plan.q + column)
    }

    /// Address of an element of B.
    pub fn b_at(&self, row: u32, column: u32) -> u32 {
        self.b + 4 * (row * self.plan.r + column)
    }

    /// Address of an element of C.
    pub fn c_at(&self, row: u32, column: u32) -> u32 {
        self.c + 4 * (row * self.plan.r + column)
    }

    /// The memory with the matrices in it.
    ///
    /// # Errors
    /// `E0790` if the matrices have other sizes than the plan.
    pub fn regions(&self, data: &Data) -> Result<Vec<Region>> {
        let (p, q, r) = (self.plan.p as usize, self.plan.q as usize, self.plan.r as usize);
        for (name, matrix, wanted) in [("A", &data.a, p * q), ("B", &data.b, q * r), ("C", &data.c, p * r)] {
            if matrix.len() != wanted {
                let message = format!("{name} has {} elements, not {wanted}", matrix.len());
                return Err(Diagnostic::error("E0790", message).into());
            }
        }
        // Lookups run up to two elements past the end of A.
        let a = padded(&data.a, 16);
        let b = padded(&data.b, (self.guard_rows() * self.plan.r) as usize);
        let mut regions = vec![
            Region::new(self.program.name.clone(), CODE, self.program.bytes()),
            Region::of_words("a", self.a, &a),
            Region::of_words("b", self.b, &b),
            Region::of_words("c", self.c, &padded(&data.c, 0)).writable(),
        ];
        for (thread, base) in self.uniforms.iter().enumerate() {
            let words = self.stream_with(thread as u32, *base, (data.alpha, data.beta));
            regions.push(Region::of_words(format!("uniforms of thread {thread}"), *base, &words));
        }
        regions.sort_by_key(|r| r.base);
        Ok(regions)
    }

    /// Where the threads start.
    pub fn threads(&self) -> Vec<Thread> {
        self.uniforms.iter().map(|uniforms| Thread { pc: CODE, uniforms: *uniforms }).collect()
    }
}

fn padded(matrix: &[f32], more: usize) -> Vec<u32> {
    matrix.iter().map(|x| x.to_bits()).chain(std::iter::repeat_n(0, more)).collect()
}

/// Regions as an image, with contents in the order of the regions.
pub(super) fn image(regions: &[Region], threads: &[Thread]) -> Loaded {
    let mut image = Image {
        threads: threads.iter().map(|t| ImageThread { pc: t.pc, unif: t.uniforms }).collect(),
        ..Image::default()
    };
    let mut contents = Vec::new();
    for region in regions {
        let (off, nbytes) = (contents.len() as u64, region.bytes.len() as u64);
        image.segments.push(Segment { name: region.name.clone(), addr: region.base, off, nbytes });
        contents.extend_from_slice(&region.bytes);
    }
    Loaded { image, contents }
}
