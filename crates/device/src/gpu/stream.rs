//! What is on its way to a GPU: launches are recorded one after the other and handed over together, when there are enough of
//! them or somebody waits for what they leave.

use super::context::Context;
use super::shader::Code;
use crate::common::accelerator::Launch;
use quadra_base::quick::Map;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use wgpu::{
    BindGroup, BindGroupEntry, BindGroupLayout, BindingResource, Buffer, BufferBinding, BufferUsages, CommandEncoder,
    ComputePass, ComputePassDescriptor, ComputePassTimestampWrites, MapMode, SubmissionIndex,
};

/// Launches that are handed over together, and submissions that may be on their way: the host need not run far ahead.
const MOST_LAUNCHES: u32 = 64;
const MOST_SUBMISSIONS: usize = 8;
/// Work that is recorded at most before it is handed over, in nanoseconds: the GPU need not wait for the host.
const MOST_WORK: f64 = 5e6;
/// Groups of buffers that are remembered.
const MOST_GROUPS: usize = 8;
/// Bytes of all headers of launches on their way; a header begins at a multiple of what every GPU can bind.
const HEADERS: u64 = 64 << 10;
const ALIGNMENT: usize = 256;
/// Slices are much shorter.
const PATIENCE: Duration = Duration::from_secs(20);

static SUBMISSIONS: AtomicU64 = AtomicU64::new(0);

/// Submissions of this process so far.
pub(super) fn submissions() -> u64 {
    SUBMISSIONS.load(Ordering::Relaxed)
}

/// Launches on their way.
pub(super) struct Stream {
    pass: Option<ComputePass<'static>>,
    encoder: Option<CommandEncoder>,
    launches: u32,
    /// What has been bound since something was handed over last: series bind the same again and again.
    groups: Vec<Bound>,
    /// How long what has been recorded takes, in nanoseconds.
    work: f64,
    /// Headers, as the GPU has them or will have them, and where each stands.
    headers: Vec<u8>,
    places: Map<Vec<u32>, u32>,
    /// From where on the GPU does not have them yet.
    fresh: usize,
    header_buffer: Buffer,
    /// Two words: what went wrong, and the first item that took too long.
    pub marks: Buffer,
    /// Where the marks are read.
    staging: Buffer,
    underway: VecDeque<SubmissionIndex>,
    /// How long somebody waits for a submission.
    pub patience: Duration,
}

/// Buffers that are bound to a shader.
struct Bound {
    layout: BindGroupLayout,
    /// Bytes of the header.
    size: u64,
    buffers: Vec<Buffer>,
    group: BindGroup,
}

/// No item has left a mark.
const NO_MARKS: [u8; 8] = [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];

impl Stream {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Stream {
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        let marks = buffer(16, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
        queue.write_buffer(&marks, 0, &NO_MARKS);
        Stream {
            pass: None,
            encoder: None,
            launches: 0,
            groups: Vec::new(),
            work: 0.0,
            headers: Vec::new(),
            places: Map::default(),
            fresh: 0,
            header_buffer: buffer(HEADERS, BufferUsages::STORAGE | BufferUsages::COPY_DST),
            marks,
            staging: buffer(16, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
            underway: VecDeque::new(),
            patience: PATIENCE,
        }
    }

    /// For commands that are no launches.
    pub fn encoder(&mut self, context: &Context) -> &mut CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| context.device.create_command_encoder(&Default::default()))
    }

    /// Where these words stand among the headers.
    fn place(&mut self, context: &Context, words: Vec<u32>) -> u32 {
        if let Some(&at) = self.places.get(&words) {
            return at;
        }
        let window = window(words.len()) as usize;
        if self.headers.len() + window > HEADERS as usize {
            self.submit(context);
            self.headers.clear();
            self.places.clear();
            self.fresh = 0;
        }
        let at = self.headers.len();
        self.headers.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        self.headers.resize(at + window, 0);
        self.places.insert(words, at as u32);
        at as u32
    }

    /// Buffers behind a header of so many bytes.
    fn group(&mut self, context: &Context, pipeline: &Code, size: u64, buffers: &[&Buffer]) -> BindGroup {
        let same =
            |b: &&Bound| b.layout == pipeline.layout && b.size == size && b.buffers.iter().eq(buffers.iter().copied());
        if let Some(bound) = self.groups.iter().find(same) {
            return bound.group.clone();
        }
        let part = BufferBinding { buffer: &self.header_buffer, offset: 0, size: wgpu::BufferSize::new(size) };
        let others = [&self.marks].into_iter().chain(buffers.iter().copied()).map(Buffer::as_entire_binding);
        let entries: Vec<BindGroupEntry<'_>> = std::iter::once(BindingResource::Buffer(part))
            .chain(others)
            .zip(0..)
            .map(|(resource, binding)| BindGroupEntry { binding, resource })
            .collect();
        let group = wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
        let group = context.device.create_bind_group(&group);
        if self.groups.len() >= MOST_GROUPS {
            self.groups.clear();
        }
        let buffers = buffers.iter().map(|&b| b.clone()).collect();
        self.groups.push(Bound { layout: pipeline.layout.clone(), size, buffers, group: group.clone() });
        group
    }

    /// Begins a pass, perhaps with the times at which it begins and ends.
    pub fn begin(&mut self, context: &Context, timestamp_writes: Option<ComputePassTimestampWrites<'_>>) {
        let descriptor = ComputePassDescriptor { label: None, timestamp_writes };
        let pass = self.encoder(context).begin_compute_pass(&descriptor).forget_lifetime();
        self.pass = Some(pass);
    }

    /// Records a launch of so many groups along two axes.
    pub fn dispatch(
        &mut self,
        context: &Context,
        pipeline: &Code,
        Launch { header, groups, buffers }: Launch<'_, Context>,
    ) {
        let size = window(header.len());
        let at = self.place(context, header);
        let group = self.group(context, pipeline, size, buffers);
        if self.pass.is_none() {
            self.begin(context, None);
        }
        let pass = self.pass.as_mut().expect("there is one now");
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, &group, &[at]);
        pass.dispatch_workgroups(groups[0], groups[1], 1);
        self.launches += 1;
        if self.launches >= MOST_LAUNCHES {
            self.submit(context);
        }
    }

    /// The launch that was recorded last takes so many nanoseconds.
    pub fn expect(&mut self, context: &Context, nanoseconds: f64) {
        self.work += nanoseconds;
        if self.work >= MOST_WORK {
            self.submit(context);
        }
    }

    /// Hands over what has been recorded.
    pub fn submit(&mut self, context: &Context) {
        self.pass = None;
        (self.launches, self.work) = (0, 0.0);
        // Buffers live no longer for it.
        self.groups.clear();
        let Some(encoder) = self.encoder.take() else { return };
        if self.fresh < self.headers.len() {
            context.queue.write_buffer(&self.header_buffer, self.fresh as u64, &self.headers[self.fresh..]);
            self.fresh = self.headers.len();
        }
        self.underway.push_back(context.queue.submit([encoder.finish()]));
        SUBMISSIONS.fetch_add(1, Ordering::Relaxed);
        if self.underway.len() > MOST_SUBMISSIONS {
            let submission_index = self.underway.pop_front();
            // Whoever looks at results hears of what went wrong.
            let _ = context.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(self.patience) });
        }
    }

    /// Waits until everything is done.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn finish(&mut self, context: &Context) -> Result<(), String> {
        self.submit(context);
        self.underway.clear();
        let waited = context.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(self.patience) });
        if let Some(why) = context.trouble.take() {
            return Err(why);
        }
        waited.map(drop).map_err(|e| e.to_string())
    }

    /// Waits until everything is done and shows a buffer.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn read(&mut self, context: &Context, buffer: &Buffer, show: impl FnOnce(&[u8])) -> Result<(), String> {
        self.submit(context);
        let (send, receive) = mpsc::channel();
        // Nobody waits any more if the launch has been given up.
        buffer.map_async(MapMode::Read, .., move |result| drop(send.send(result)));
        let shown = self.finish(context).and_then(|()| {
            let mapped = receive.try_recv().map_err(|_| "it does not answer".to_string())?;
            mapped.map_err(|e| e.to_string())?;
            let view = buffer.get_mapped_range(..).map_err(|e| e.to_string())?;
            show(&view);
            Ok(())
        });
        // Whoever gave up must leave the buffer to others, too: a driver that was only slow goes on.
        buffer.unmap();
        shown
    }

    /// Waits until everything is done; the marks that were left since somebody asked last, and the first item that took too long.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn take_marks(&mut self, context: &Context) -> Result<(u32, u32), String> {
        let (marks, staging) = (self.marks.clone(), self.staging.clone());
        self.encoder(context).copy_buffer_to_buffer(&marks, 0, &staging, 0, staging.size());
        let mut words = [0; 2];
        let read = self.read(context, &staging, |view| {
            let word = |at: usize| view[at..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
            words = [word(0), word(4)];
        });
        // What a launch may still leave that was given up is not the next one's.
        if words[0] != 0 || read.is_err() {
            context.queue.write_buffer(&self.marks, 0, &NO_MARKS);
        }
        read?;
        Ok((words[0], words[1]))
    }
}

/// Bytes that a header of so many words takes.
fn window(words: usize) -> u64 {
    (words * 4).next_multiple_of(ALIGNMENT) as u64
}
