//! A cache on disk for what is expensive to compile: entries are bytes under a key, which is bytes, too.
//!
//! It lies in the directory that `QUADRA_CACHE` names, else in `quadra` under `XDG_CACHE_HOME` or `~/.cache`;
//! `QUADRA_CACHE=off` switches it off.
//!
//! What it has may be code, which runs as it is. So it guards against other users: an entry counts only if it is a file that
//! belongs to this user and nobody else may write, in a directory of which the same holds, whenever it is looked at; no link,
//! pipe or device is opened. And it guards against accidents: an entry counts only if it was written by this version of
//! Quadra, holds the whole key, and has the right checksum. Everything else is a miss. It does not guard against its owner, who
//! can write there what has all of that. Entries appear whole, because they are renamed into place. What is used least
//! lately goes first once the cache is full. A directory that cannot be written, is full or disappears costs what it would have
//! saved, and nothing else.

pub mod state;

use std::cell::Cell;
use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Environment variable that names the directory, or says `off`.
pub const VARIABLE: &str = "QUADRA_CACHE";

const MAGIC: &[u8; 16] = b"quadra cache 1\r\n";
/// Bytes that all entries may take.
const MOST_BYTES: u64 = 256 << 20;
/// Entries that there may be.
const MOST_ENTRIES: usize = 4096;
/// Entries written between two looks at the size.
const LOOK_EVERY: u64 = 64;

/// How often [`Cache::get`] of this thread found something, and how often not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub hits: u64,
    pub misses: u64,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { hits: 0, misses: 0 }) };
    static SWITCHED_OFF: Cell<bool> = const { Cell::new(false) };
}

/// Does something on this thread as if the user's cache were switched off: to measure what it takes to make what the cache has.
pub fn without<T>(f: impl FnOnce() -> T) -> T {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            SWITCHED_OFF.set(self.0);
        }
    }
    let _back = Back(SWITCHED_OFF.replace(true));
    f()
}

/// The counts of this thread so far.
pub fn counts() -> Counts {
    COUNTS.get()
}

/// The compiler that this process is, by the size and age of its file: part of the key of what it makes. Nothing if the system
/// does not say.
pub fn compiler() -> Option<&'static str> {
    static COMPILER: OnceLock<Option<String>> = OnceLock::new();
    let known = COMPILER.get_or_init(|| {
        let file = std::env::current_exe().ok()?.metadata().ok()?;
        let age = file.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(format!("{} {age:?}", file.len()))
    });
    known.as_deref()
}

/// A directory of entries.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    most_bytes: u64,
    written: AtomicU64,
}

/// Where the user's cache lies, or would; nothing if it is switched off.
pub fn place() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    match named(VARIABLE) {
        Some(off) if off.as_os_str() == "off" => None,
        Some(directory) => Some(directory),
        None => named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache"))).map(|d| d.join("quadra")),
    }
}

/// Why a directory is of no use as a cache.
#[derive(Debug)]
pub enum Trouble {
    /// It cannot be made, or no file in it.
    NotWritable(std::io::Error),
    /// Something else has its name.
    NotADirectory,
    /// It belongs to another user, or others may write there.
    NotOwn,
}

impl Cache {
    /// The user's cache; nothing if it is switched off or cannot be made.
    pub fn user() -> Option<&'static Cache> {
        static USER: OnceLock<Option<Cache>> = OnceLock::new();
        if SWITCHED_OFF.get() {
            return None;
        }
        USER.get_or_init(|| Cache::at(place()?)).as_ref()
    }

    /// A cache in a directory, which is made if need be; nothing if others may write there.
    pub fn at(directory: impl AsRef<Path>) -> Option<Cache> {
        let directory = directory.as_ref().to_path_buf();
        let cache = Cache { directory, most_bytes: MOST_BYTES, written: AtomicU64::new(0) };
        cache.is_usable().then_some(cache)
    }

    /// Whether the directory is there, or can be made, and is this user's alone.
    fn is_usable(&self) -> bool {
        refused(&self.directory).is_none()
    }

    /// The same with another limit on the bytes of all entries.
    pub fn with_limit(self, most_bytes: u64) -> Cache {
        Cache { most_bytes, ..self }
    }

    fn path(&self, key: &[u8]) -> PathBuf {
        let [a, b] = digest(&[key]);
        self.directory.join(format!("{a:016x}{b:016x}"))
    }

    /// The entry with this key.
    pub fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        let found = self.read(key);
        let mut counts = COUNTS.get();
        *if found.is_some() { &mut counts.hits } else { &mut counts.misses } += 1;
        COUNTS.set(counts);
        found
    }

    fn read(&self, key: &[u8]) -> Option<Vec<u8>> {
        let path = self.path(key);
        let fits = |m: &Metadata| m.is_file() && is_own(m) && m.len() <= self.most_bytes;
        // To open a device may do something, so that it is looked at before, and again when it is open.
        if !fs::symlink_metadata(&path).is_ok_and(|m| fits(&m))
            || !fs::metadata(&self.directory).is_ok_and(|m| is_own(&m))
        {
            return None;
        }
        let file = open_old(&path).ok()?;
        let metadata = file.metadata().ok().filter(fits)?;
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        // A file that grows meanwhile is none that was written here.
        (&file).take(metadata.len()).read_to_end(&mut bytes).ok()?;
        let head = header(key);
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(16)?)?;
        let valid = body.starts_with(&head) && sum == checksum(body);
        if !valid {
            return None;
        }
        // Only the order of eviction hangs on the time.
        let _ = file.set_modified(SystemTime::now());
        Some(body[head.len()..].to_vec())
    }

    /// Keeps an entry. A cache that cannot be written stays as it is.
    pub fn put(&self, key: &[u8], value: &[u8]) {
        let mut bytes = header(key);
        bytes.extend_from_slice(value);
        bytes.extend_from_slice(&checksum(&bytes));
        if bytes.len() as u64 > self.most_bytes / 4 || !self.is_usable() {
            return;
        }
        let path = self.path(key);
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let partial = path.with_extension(format!("{}-{number}", std::process::id()));
        let written = open_new(&partial).and_then(|mut file| file.write_all(&bytes));
        if written.and_then(|()| fs::rename(&partial, &path)).is_err() {
            // Left over at worst, and evicted like everything else.
            let _ = fs::remove_file(&partial);
        }
        if self.written.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOK_EVERY) {
            self.evict();
        }
    }

    /// Removes what was used least lately until three quarters of the limit are left, if it is exceeded.
    fn evict(&self) {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|e| {
                let m = e.metadata().ok().filter(Metadata::is_file)?;
                Some((m.modified().ok()?, m.len(), e.path()))
            })
            .collect();
        let mut total: u64 = files.iter().map(|f| f.1).sum();
        if total <= self.most_bytes && files.len() <= MOST_ENTRIES {
            return;
        }
        files.sort();
        let mut left = files.len();
        for (_, bytes, path) in files {
            if total <= self.most_bytes / 4 * 3 && left <= MOST_ENTRIES / 4 * 3 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
            left -= 1;
        }
    }
}

/// What an entry starts with: who wrote it, and the key.
fn header(key: &[u8]) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let mut head = MAGIC.to_vec();
    for part in [version, key] {
        head.extend_from_slice(&(part.len() as u64).to_le_bytes());
        head.extend_from_slice(part);
    }
    head
}

/// Like [`digest`] a guard against accidents, as fast as memory: entries are code, for which nobody wants to wait. Two halves
/// of each 16 bytes go their own ways, so that no single word can change unnoticed.
fn checksum(bytes: &[u8]) -> [u8; 16] {
    const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];
    let mut sums = [bytes.len() as u64, !(bytes.len() as u64)];
    let mut add = |words: [u64; 2]| {
        for (n, word) in words.into_iter().enumerate() {
            sums[n] = (sums[n].rotate_left(29) ^ word).wrapping_mul(FACTORS[n]);
        }
    };
    let (pairs, rest) = bytes.as_chunks::<16>();
    let halves = |pair: &[u8; 16]| {
        let both = u128::from_le_bytes(*pair);
        [both as u64, (both >> 64) as u64]
    };
    pairs.iter().for_each(|pair| add(halves(pair)));
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    add(halves(&last));
    (u128::from(sums[0]) | u128::from(sums[1]) << 64).to_le_bytes()
}

/// 128 bits that tell parts apart by chance only: they guard against accidents, the owner and the mode of files against others.
fn digest(parts: &[&[u8]]) -> [u64; 2] {
    [1, 2].map(|seed| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(seed);
        parts.iter().for_each(|p| hasher.write(p));
        hasher.finish()
    })
}

/// Why a directory is not used, without a look at whether files can be made in it. It is made if need be.
fn refused(directory: &Path) -> Option<Trouble> {
    if !directory.exists()
        && let Err(e) = create(directory)
    {
        return Some(Trouble::NotWritable(e));
    }
    match fs::metadata(directory) {
        Err(e) => Some(Trouble::NotWritable(e)),
        Ok(m) if !m.is_dir() => Some(Trouble::NotADirectory),
        Ok(m) if !is_own(&m) => Some(Trouble::NotOwn),
        Ok(_) => None,
    }
}

#[cfg(unix)]
fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn create(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

#[cfg(not(unix))]
fn create(directory: &Path) -> std::io::Result<()> {
    fs::create_dir_all(directory)
}

/// Opens a file to read; a link is an error, a pipe that nobody writes does not wait.
#[cfg(unix)]
fn open_old(path: &Path) -> std::io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_old(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn open_new(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn open_new(path: &Path) -> std::io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(directory: &Path) -> Vec<PathBuf> {
        fs::read_dir(directory).expect("it was made").flatten().map(|e| e.path()).collect()
    }

    #[test]
    fn there_is_no_cache_while_it_is_switched_off() {
        without(|| {
            without(|| assert!(Cache::user().is_none()));
            assert!(Cache::user().is_none(), "still off");
        });
        assert!(!SWITCHED_OFF.get());
    }

    #[test]
    fn entries_come_back_and_are_counted() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(directory.path().join("new")).expect("can be made");
        let before = counts();
        assert_eq!(cache.get(b"key"), None);
        cache.put(b"key", b"value");
        assert_eq!(cache.get(b"key").as_deref(), Some(&b"value"[..]));
        cache.put(b"key", b"other");
        assert_eq!(cache.get(b"key").as_deref(), Some(&b"other"[..]));
        assert_eq!((counts().hits - before.hits, counts().misses - before.misses), (2, 1));
        assert_eq!(files(&directory.path().join("new")).len(), 1, "nothing partial is left");
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_a_miss() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(directory.path()).expect("own directory");
        cache.put(b"k", b"value");
        let path = files(directory.path()).pop().expect("one entry");
        let whole = fs::read(&path).expect("readable");
        for at in 0..whole.len() {
            let mut wrong = whole.clone();
            wrong[at] ^= 1;
            fs::write(&path, &wrong).expect("writable");
            assert_eq!(cache.get(b"k"), None, "byte {at}");
            fs::write(&path, &whole[..at]).expect("writable");
            assert_eq!(cache.get(b"k"), None, "cut at {at}");
        }
        fs::write(&path, &whole).expect("writable");
        assert!(cache.get(b"k").is_some());
        // The entry of another key in its place.
        cache.put(b"other", b"value");
        fs::copy(cache.path(b"other"), cache.path(b"k")).expect("writable");
        assert_eq!(cache.get(b"k"), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_is_not_trusted() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(directory.path()).expect("own directory");
        cache.put(b"k", b"value");
        let path = files(directory.path()).pop().expect("one entry");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("own file");
        assert_eq!(cache.get(b"k"), None);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("own file");
        assert!(cache.get(b"k").is_some());
        // Also if the directory becomes everybody's while the cache is in use.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).expect("own directory");
        assert!(Cache::at(directory.path()).is_none() && cache.get(b"k").is_none());
        cache.put(b"other", b"value");
        assert_eq!(files(directory.path()).len(), 1, "nothing is written there");
    }

    #[cfg(unix)]
    #[test]
    fn only_files_are_opened() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(directory.path()).expect("own directory");
        let path = cache.path(b"k");
        // A pipe that nobody writes: who opens it in the usual way waits for ever.
        let made = rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0);
        made.expect("own directory");
        assert_eq!(cache.get(b"k"), None);
        cache.put(b"k", b"value");
        assert_eq!(cache.get(b"k").as_deref(), Some(&b"value"[..]), "a file takes its place");
        let elsewhere = directory.path().join("elsewhere");
        fs::rename(&path, &elsewhere).expect("own directory");
        for target in [elsewhere.as_path(), Path::new("/dev/zero"), directory.path()] {
            std::os::unix::fs::symlink(target, &path).expect("own directory");
            assert_eq!(cache.get(b"k"), None, "{}", target.display());
            fs::remove_file(&path).expect("own directory");
        }
        fs::create_dir(&path).expect("own directory");
        assert_eq!(cache.get(b"k"), None);
        cache.put(b"k", b"value");
        assert_eq!(cache.get(b"k"), None, "a directory stays where it is");
    }

    #[test]
    fn a_directory_that_goes_away_is_made_again_or_missed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let place = directory.path().join("cache");
        let cache = Cache::at(&place).expect("own directory");
        cache.put(b"k", b"value");
        fs::remove_dir_all(&place).expect("own directory");
        assert_eq!(cache.get(b"k"), None);
        cache.put(b"k", b"value");
        assert!(cache.get(b"k").is_some());
        // No directory can be made, nor anything be written, where there is a file.
        fs::remove_dir_all(&place).expect("own directory");
        fs::write(&place, b"").expect("own directory");
        cache.put(b"k", b"value");
        assert_eq!(cache.get(b"k"), None);
        assert!(Cache::at(&place).is_none());
    }

    #[test]
    fn the_oldest_entries_go_when_it_is_full() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(directory.path()).expect("own directory").with_limit(64 << 10);
        for n in 0..=LOOK_EVERY {
            cache.put(format!("key {n}").as_bytes(), &[n as u8; 4000]);
            let age = std::time::Duration::from_secs(1000 - n);
            let file = File::options().write(true).open(cache.path(format!("key {n}").as_bytes())).expect("own file");
            file.set_modified(SystemTime::now() - age).expect("own file");
        }
        let total: u64 = files(directory.path()).iter().map(|f| f.metadata().map_or(0, |m| m.len())).sum();
        assert!(total <= 64 << 10, "{total}");
        assert_eq!(cache.get(b"key 0"), None);
        assert!(cache.get(format!("key {}", LOOK_EVERY - 1).as_bytes()).is_some());
    }
}
