//! What earlier runs spent on a loop or kernel, for the automatic choice of a device: short programs that run often get compiled code
//! once all their runs together have paid for it.

use quadra_base::cache::Cache;
use quadra_base::{FileId, Span};
use quadra_quasar_vm::auto;
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};

thread_local! {
    /// The file asked for last and its [`digest`]: loops of one program follow each other.
    static LAST: Cell<Option<(FileId, [u64; 2])>> = const { Cell::new(None) };
}

/// 128 bits that tell texts apart by chance only. A mistake would cost time, no more.
fn digest(file: FileId) -> Option<[u64; 2]> {
    if let Some((_, digest)) = LAST.get().filter(|last| last.0 == file) {
        return Some(digest);
    }
    let text = file.text()?;
    let digest = [1, 2].map(|seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, &*text).hash(&mut hasher);
        hasher.finish()
    });
    LAST.set(Some((file, digest)));
    Some(digest)
}

/// The name under which is kept what a loop or kernel has cost: its place in a text.
fn key(span: Span) -> Option<Vec<u8>> {
    let [a, b] = digest(span.file)?;
    Some(format!("auto {} {} {} {a:x} {b:x}", env!("CARGO_PKG_VERSION"), span.line, span.column).into_bytes())
}

/// Steps that stand for code that was compiled, and is likely to be on disk.
const COMPILED: u64 = u64::MAX;

/// The steps of earlier runs for what stands there, and their place in the cache.
fn earlier(span: Span) -> Option<(u64, &'static Cache, Vec<u8>)> {
    let (cache, key) = Cache::user().zip(key(span))?;
    let steps = cache.get(&key).and_then(|kept| Some(u64::from_le_bytes(kept.try_into().ok()?)));
    Some((steps.unwrap_or(0), cache, key))
}

/// Whether a kernel for what stands there pays if this run's steps are added to those of earlier runs, and keeps their sum.
pub(super) fn was_worth(span: Span, spent: u64) -> bool {
    let Some((before, cache, key)) = earlier(span) else { return false };
    let all = before.saturating_add(spent);
    let pays = auto::compiling_pays(all);
    if !pays {
        cache.put(&key, &all.to_le_bytes());
    }
    pays
}

/// Keeps that code of what stands there is on disk.
pub(super) fn keep(span: Span) {
    if let Some((_, cache, key)) = earlier(span).filter(|(steps, ..)| *steps != COMPILED) {
        cache.put(&key, &COMPILED.to_le_bytes());
    }
}
