//! What the compiler asks about the processor that it runs on, and libLLVM does not tell.

use std::sync::OnceLock;

/// Where Linux tells about the caches of the first processor.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";
/// Bytes of the last cache where nobody tells.
const USUAL: usize = 32 << 20;
/// The same of the first cache.
const USUAL_FIRST: usize = 32 << 10;
/// The same of the second cache.
const USUAL_SECOND: usize = 512 << 10;

/// Bytes of the last cache.
pub fn last_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let size = |n: usize| std::fs::read_to_string(format!("{CACHES}/index{n}/size")).ok();
        (0..8).map_while(size).filter_map(|text| bytes(text.trim())).max().unwrap_or(USUAL)
    })
}

/// Bytes of the first cache of data.
pub fn first_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| of_level("1").unwrap_or(USUAL_FIRST))
}

/// Bytes of the cache of data behind the first, which one processor has for itself.
pub fn second_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| of_level("2").unwrap_or(USUAL_SECOND))
}

/// Bytes of the cache of a level that holds data.
fn of_level(level: &str) -> Option<usize> {
    let read = |n: usize, what: &str| std::fs::read_to_string(format!("{CACHES}/index{n}/{what}")).ok();
    let is = |n: usize, what: &str, value: &str| read(n, what).is_some_and(|text| text.trim() == value);
    let found = (0..8).find(|&n| is(n, "level", level) && !is(n, "type", "Instruction"))?;
    bytes(read(found, "size")?.trim())
}

/// The number of bytes that `512K` or `32M` says.
fn bytes(text: &str) -> Option<usize> {
    let (number, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    number.parse::<usize>().ok()?.checked_mul(unit).filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_of_caches_are_read() {
        assert_eq!(super::bytes("32768K"), Some(32 << 20));
        assert_eq!(super::bytes("8M"), Some(8 << 20));
        assert_eq!(super::bytes("4096"), Some(4096));
        assert_eq!((super::bytes("0K"), super::bytes(""), super::bytes("much")), (None, None, None));
        assert!(super::last_cache() > 0);
    }
}
