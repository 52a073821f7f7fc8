//! Translations on disk, for processes that run a program again.
//!
//! An entry of the cache is the code of one unit, which holds no address, under all that the unit depends on: the instructions
//! that it was made from with their places, the head, and the program that made it, since the code calls that one's functions and
//! reaches into its structures. Of the processor what
//! its vectors are is part of it.

use super::{Text, Vectors};
use quadra_base::cache::{Cache, compiler};
use quadra_base::quick::Map;
use quadra_isa::vc4::emu::translate::{Contents, Listing};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Where translations are kept on disk.
#[derive(Debug)]
pub struct Store {
    vectors: Vectors,
    /// Nothing for the cache of this user.
    cache: Option<Arc<Cache>>,
    /// The heads of programs that can be found there and have not been asked for.
    heads: Mutex<Map<Identity, Vec<usize>>>,
    /// Threads that write; each holds the lock meanwhile.
    writers: Mutex<Vec<JoinHandle<()>>>,
    writing: Arc<Mutex<()>>,
}

type Identity = (u32, usize, u64);

/// Cache of this user, or another.
#[derive(Clone)]
enum Place {
    User(&'static Cache),
    Own(Arc<Cache>),
}

impl std::ops::Deref for Place {
    type Target = Cache;

    fn deref(&self) -> &Cache {
        match self {
            Place::User(cache) => cache,
            Place::Own(cache) => cache,
        }
    }
}

impl Store {
    /// A store in a cache, by default in that of this user; nothing if it is not known which program this is.
    pub fn new(cache: Option<Cache>, vectors: Vectors) -> Option<Store> {
        compiler()?;
        let (heads, writers, writing) = Default::default();
        Some(Store { vectors, cache: cache.map(Arc::new), heads, writers, writing })
    }

    fn place(&self) -> Option<Place> {
        match &self.cache {
            Some(cache) => Some(Place::Own(cache.clone())),
            None => Cache::user().map(Place::User),
        }
    }

    /// Whether nobody has looked for this program yet.
    pub fn is_new(&self, code: &Listing) -> bool {
        self.heads.lock().is_ok_and(|heads| !heads.contains_key(&code.identity()))
    }

    /// Looks which heads of a program there are, if nobody has.
    pub fn look(&self, code: &Listing) {
        if self.is_new(code) {
            let found = self.heads_on_disk(code);
            self.heads.lock().iter_mut().for_each(|heads| _ = heads.insert(code.identity(), found.clone()));
        }
    }

    /// Whether there should be a translation from this head which nobody has asked for.
    pub fn has(&self, code: &Listing, head: usize) -> bool {
        self.heads.lock().is_ok_and(|heads| heads.get(&code.identity()).is_some_and(|known| known.contains(&head)))
    }

    fn heads_on_disk(&self, code: &Listing) -> Vec<usize> {
        self.place().zip(self.index_key(code)).map(|(place, key)| heads(&place, &key)).unwrap_or_default()
    }

    /// The code from this head that was made of these instructions.
    pub fn get(&self, code: &Listing, program: &Contents, head: usize) -> Option<Text> {
        if let Some(known) = self.heads.lock().ok()?.get_mut(&code.identity()) {
            known.retain(|at| *at != head);
        }
        read(&self.place()?.get(&self.key(program, head)?)?)
    }

    /// Keeps code. The program that it is for need not wait until it is written. Of two processes that do so at once, one may
    /// be forgotten.
    pub fn put(&self, code: &Listing, program: &Contents, head: usize, text: &Text) {
        let Some(((place, key), index)) = self.place().zip(self.key(program, head)).zip(self.index_key(code)) else {
            return;
        };
        let (entry, writing) = (write(text), self.writing.clone());
        let put = move || {
            let _one_at_a_time = writing.lock();
            place.put(&key, &entry);
            let mut heads = heads(&place, &index);
            if !heads.contains(&head) {
                heads.push(head);
                place.put(&index, &heads.iter().flat_map(|head| (*head as u32).to_le_bytes()).collect::<Vec<_>>());
            }
        };
        // Where there can be no more threads, the next process translates anew.
        if let (Ok(writer), Ok(mut writers)) = (std::thread::Builder::new().spawn(put), self.writers.lock()) {
            writers.push(writer);
        }
    }

    /// The key of the list of a program's heads. That says where to look; it need not be right.
    fn index_key(&self, code: &Listing) -> Option<Vec<u8>> {
        let (base, count, origin) = code.identity();
        Some(
            format!("QPU code of {} in {}\nwith {base} {count} {origin}", compiler()?, self.vectors.name())
                .into_bytes(),
        )
    }

    fn key(&self, program: &Contents, head: usize) -> Option<Vec<u8>> {
        let mut key = format!("QPU code of {} in {}\nfrom {head}\n", compiler()?, self.vectors.name()).into_bytes();
        key.extend_from_slice(&program.bytes());
        Some(key)
    }

    /// Waits until all is written.
    pub fn settle(&self) {
        let writers = self.writers.lock().map(|mut writers| std::mem::take(&mut *writers)).unwrap_or_default();
        writers.into_iter().for_each(|writer| _ = writer.join());
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.settle();
    }
}

fn heads(cache: &Cache, key: &[u8]) -> Vec<usize> {
    let bytes = cache.get(key).unwrap_or_default();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word) as usize).collect()
}

fn write(text: &Text) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.code.len() + 8 * text.blocks.len() + 8);
    let mut number = |n: u32| bytes.extend_from_slice(&n.to_le_bytes());
    number(text.entry);
    number(text.blocks.len() as u32);
    text.blocks.iter().for_each(|(index, place)| [index, place].into_iter().for_each(|n| number(*n)));
    bytes.extend_from_slice(&text.code);
    bytes
}

/// Nothing where a number does not fit the others.
fn read(bytes: &[u8]) -> Option<Text> {
    let (words, _) = bytes.as_chunks::<4>();
    let number = |n: usize| words.get(n).map(|word| u32::from_le_bytes(*word));
    let (entry, count) = (number(0)?, number(1)? as usize);
    let (head, code) = bytes.split_at_checked(count.checked_mul(8)?.checked_add(8)?)?;
    let blocks: Vec<(u32, u32)> =
        (1..head.len() / 8).map(|n| Some((number(2 * n)?, number(2 * n + 1)?))).collect::<Option<_>>()?;
    let inside = |place: u32| (place as usize) < code.len();
    let valid = !blocks.is_empty()
        && blocks.is_sorted_by(|a, b| a.0 < b.0)
        && blocks.iter().all(|b| b.1 > 0 && inside(b.1))
        && inside(entry);
    valid.then(|| Text { code: code.to_vec(), entry, blocks })
}
