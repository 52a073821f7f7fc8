//! Elements at equal distances where registers have two halves of 128 bits between which bytes move slowly (AVX2).
//!
//! What a half of the result holds lies in as many blocks of 16 bytes as the distance says, one behind the other. So each register
//! is loaded as two such blocks, those of its two halves, and elements only move within halves: bytes and elements of 16 bits by one
//! instruction for each block, with zeros where other blocks have the element, and a disjunction; words by shuffles of two blocks.
//! Stores are the same the other way round. Where the elements between may be read and a distance is a word of 16, 32 or 64 bits, an
//! element is a part of such a word.

use super::state::Lower;
use super::strided::Weave;
use super::words::memory_type;
use quadra_passes::analysis::linear::Form;

/// Bytes of half a register.
const HALF: i32 = 16;

/// Lanes of a vector in text.
fn lanes_of(from: impl Iterator<Item = Option<i32>>) -> String {
    let from: Vec<String> = from.map(|l| l.map_or("i32 undef".into(), |l| format!("i32 {l}"))).collect();
    format!("<{} x i32> <{}>", from.len(), from.join(", "))
}

impl Weave {
    /// Where the elements of a half of the result begin, behind `first`.
    fn base(&self, half: i32, each: i32) -> i32 {
        let half = if self.reversed { self.lanes / each - 1 - half } else { half };
        half * each * self.step
    }

    /// Where a block of the elements of a half begins. Unless others read what lies between, the last one ends with the last
    /// element, so that nothing else is read.
    fn block(&self, half: i32, n: i32, each: i32) -> i32 {
        let at = self.base(half, each) + n * each;
        if self.shared.is_some() { at } else { at.min((self.lanes - 1) * self.step + 1 - each).max(0) }
    }

    /// Where the element of a lane lies.
    fn element(&self, lane: i32) -> i32 {
        self.shared.unwrap_or(0) + self.step * if self.reversed { self.lanes - 1 - lane } else { lane }
    }
}

impl Lower<'_> {
    /// Elements at equal distances, as memory has them.
    pub(super) fn woven(&mut self, weave: &Weave) -> String {
        if let Some(parts) = self.parts_of_words(weave) {
            return parts;
        }
        let ty = memory_type(self.kernel.bufs[weave.buf].elem);
        let bytes = self.kernel.bufs[weave.buf].elem.bytes() as i32;
        let each = HALF / bytes;
        let halves = weave.lanes / each;
        // Two halves at a time, if there are.
        let many = if halves % 2 == 0 { 2 } else { 1 };
        let mut parts = Vec::new();
        for half in (0..halves).step_by(many as usize) {
            let mut blocks: Vec<(String, Vec<Option<i32>>)> = Vec::new();
            let mut placed = vec![false; (many * each) as usize];
            for n in 0..weave.step {
                let from: Vec<Option<i32>> = (0..many * each)
                    .map(|lane| {
                        let (h, place) = (lane / each, &mut placed[lane as usize]);
                        let at = weave.element(half * each + lane) - weave.block(half + h, n, each);
                        let here = !*place && (0..each).contains(&at);
                        *place |= here;
                        here.then_some(h * each + at)
                    })
                    .collect();
                if from.iter().any(Option::is_some) {
                    let loaded: Vec<String> =
                        (0..many).map(|h| self.woven_block(weave, weave.block(half + h, n, each), each)).collect();
                    let block = self.join(ty, each, loaded, many * each);
                    blocks.push((block, from));
                }
            }
            parts.push(self.merged(ty, many * each, bytes < 4, &blocks));
        }
        self.join(ty, many * each, parts, weave.lanes)
    }

    /// The same of elements that are as many bytes apart as a word has which holds all from one to the next.
    fn parts_of_words(&mut self, weave: &Weave) -> Option<String> {
        let elem = self.kernel.bufs[weave.buf].elem;
        let (bytes, lanes, shift) = (elem.bytes() as i32, weave.lanes, weave.shared?);
        let bits = 8 * bytes * weave.step;
        if bytes == 4 || weave.reversed || !matches!(bits, 16 | 32 | 64) {
            return None;
        }
        let ty = memory_type(elem);
        let (all, bits, shift) = match bits {
            64 => (self.halves_of_words(weave, 8 * bytes * shift / 32), 32, shift % (4 / bytes)),
            _ => (self.words(weave, lanes, bits), bits, shift),
        };
        let word = format!("<{lanes} x i{bits}>");
        let by = vec![format!("i{bits} {}", 8 * bytes * shift); lanes as usize].join(", ");
        let moved = if shift == 0 { all } else { self.t.def(&format!("lshr {word} {all}, <{by}>")) };
        let whole = format!("<{lanes} x i{}>", 8 * bytes);
        let part = self.t.def(&format!("trunc {word} {moved} to {whole}"));
        let kept = format!("<{lanes} x {ty}>");
        Some(if kept == whole { part } else { self.t.def(&format!("bitcast {whole} {part} to {kept}")) })
    }

    /// Words from the first element on, as memory has them.
    fn words(&mut self, weave: &Weave, lanes: i32, bits: i32) -> String {
        let place = self.place_of(weave.buf, weave.first.clone());
        let (word, align) = (format!("<{lanes} x i{bits}>"), self.kernel.bufs[weave.buf].elem.bytes());
        let key = format!("load words {word} {place}");
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        let all = self.t.def(&format!("load {word}, ptr {place}, align {align}"));
        self.memo.insert(key, all.clone());
        all
    }

    /// The lower or the upper halves of words of 64 bits: 32 bits are moved and cut by fewer instructions.
    fn halves_of_words(&mut self, weave: &Weave, upper: i32) -> String {
        let all = self.words(weave, 2 * weave.lanes, 32);
        let key = format!("load half {upper} of {all}");
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        let from = lanes_of((0..weave.lanes).map(|lane| Some(2 * lane + upper)));
        let of = format!("<{} x i32>", 2 * weave.lanes);
        let half = self.t.def(&format!("shufflevector {of} {all}, {of} zeroinitializer, {from}"));
        self.memo.insert(key, half.clone());
        half
    }

    fn woven_block(&mut self, weave: &Weave, at: i32, each: i32) -> String {
        let elem = self.kernel.bufs[weave.buf].elem;
        let constant = weave.first.constant.wrapping_add(at);
        let place = self.place_of(weave.buf, Form { constant, ..weave.first.clone() });
        let key = format!("load block {place}");
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        let load = format!("load <{each} x {}>, ptr {place}, align {}", memory_type(elem), elem.bytes());
        let value = self.t.def(&load);
        self.memo.insert(key, value.clone());
        value
    }

    /// One vector of lanes of several, each lane of at most one of them.
    fn merged(&mut self, ty: &str, lanes: i32, by_zeros: bool, of: &[(String, Vec<Option<i32>>)]) -> String {
        let vector = format!("<{lanes} x {ty}>");
        if by_zeros {
            let each = of.iter().map(|(value, from)| {
                let from = lanes_of(from.iter().map(|l| Some(l.unwrap_or(lanes))));
                self.t.def(&format!("shufflevector {vector} {value}, {vector} zeroinitializer, {from}"))
            });
            let each: Vec<String> = each.collect();
            let all = each.into_iter().reduce(|a, b| self.t.def(&format!("or {vector} {a}, {b}")));
            return all.unwrap_or_else(|| "zeroinitializer".into());
        }
        let mut all: Option<(String, Vec<Option<i32>>)> = None;
        for (value, from) in of {
            all = Some(match all {
                None => (value.clone(), from.clone()),
                Some((before, places)) => {
                    let both = places.iter().zip(from).map(|(a, b)| a.or(b.map(|b| lanes + b)));
                    let lanes = lanes_of(both.clone());
                    let merged = self.t.def(&format!("shufflevector {vector} {before}, {vector} {value}, {lanes}"));
                    (merged, both.enumerate().map(|(n, l)| l.map(|_| n as i32)).collect())
                }
            });
        }
        match all {
            Some((value, from)) if of.len() == 1 => {
                let from = lanes_of(from.into_iter());
                self.t.def(&format!("shufflevector {vector} {value}, {vector} zeroinitializer, {from}"))
            }
            Some((value, _)) => value,
            None => "zeroinitializer".into(),
        }
    }

    /// Vectors of `each` lanes one behind the other: the first `lanes` of all.
    pub(super) fn join(&mut self, ty: &str, mut each: i32, mut parts: Vec<String>, lanes: i32) -> String {
        while parts.len() > 1 {
            if parts.len() % 2 == 1 {
                parts.push("zeroinitializer".into());
            }
            let vector = format!("<{each} x {ty}>");
            let from = lanes_of((0..2 * each).map(Some));
            let pairs = parts
                .chunks(2)
                .map(|p| self.t.def(&format!("shufflevector {vector} {}, {vector} {}, {from}", p[0], p[1])));
            parts = pairs.collect();
            each *= 2;
        }
        let all = parts.pop().unwrap_or_default();
        if each == lanes { all } else { self.part_of(ty, &all, (each, 0, lanes)) }
    }

    /// So many lanes of a vector from one on.
    pub(super) fn part_of(&mut self, ty: &str, value: &str, (lanes, first, many): (i32, i32, i32)) -> String {
        let vector = format!("<{lanes} x {ty}>");
        let from = lanes_of((first..first + many).map(Some));
        self.t.def(&format!("shufflevector {vector} {value}, {vector} zeroinitializer, {from}"))
    }

    /// Stores vectors of elements, as memory has them, so that those of the same lane stand side by side.
    pub(super) fn weave(&mut self, weave: &Weave, values: &[String]) {
        let elem = self.kernel.bufs[weave.buf].elem;
        let (ty, bytes) = (memory_type(elem), elem.bytes() as i32);
        let each = HALF / bytes;
        let halves = weave.lanes / each;
        let many = if halves % 2 == 0 { 2 } else { 1 };
        let whole = many * each;
        for half in (0..halves).step_by(many as usize) {
            let parts: Vec<String> =
                values.iter().map(|v| self.part_of(ty, v, (weave.lanes, half * each, whole))).collect();
            for n in 0..weave.step {
                let blocks: Vec<(String, Vec<Option<i32>>)> = parts
                    .iter()
                    .enumerate()
                    .map(|(v, part)| {
                        let from = (0..whole).map(|lane| {
                            let at = n * each + lane % each;
                            let of = at / weave.step;
                            let of = if weave.reversed { each - 1 - of } else { of };
                            (at % weave.step == v as i32).then_some(lane / each * each + of)
                        });
                        (part.clone(), from.collect())
                    })
                    .filter(|(_, from): &(_, Vec<Option<i32>>)| from.iter().any(Option::is_some))
                    .collect();
                let block = self.merged(ty, whole, bytes < 4, &blocks);
                for h in 0..many {
                    let constant = weave.first.constant.wrapping_add(weave.base(half + h, each) + n * each);
                    let place = self.place_of(weave.buf, Form { constant, ..weave.first.clone() });
                    let stored = self.part_of(ty, &block, (whole, h * each, each));
                    self.t.line(&format!("store <{each} x {ty}> {stored}, ptr {place}, align {bytes}"));
                }
            }
        }
    }
}
