//! Objects that were compiled last: launches with other numbers often come to the same text, the numbers making no difference in it.

use std::collections::VecDeque;
use std::sync::Mutex;

/// Objects that are kept. Their texts are long, and what another launch shares is seldom old.
const MOST: usize = 8;

type Entry = (String, Vec<u8>);

static LAST: Mutex<VecDeque<Entry>> = Mutex::new(VecDeque::new());

/// The object of a text for `compiler`, as last time or as `compile` makes it.
pub fn object<E>(compiler: &str, text: &str, compile: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Vec<u8>, E> {
    let is = |key: &str| key.strip_suffix(text).is_some_and(|before| before == compiler);
    let last = || LAST.lock().unwrap_or_else(|e| e.into_inner());
    if let Some((_, bytes)) = last().iter().find(|(key, _)| is(key)) {
        return Ok(bytes.clone());
    }
    let bytes = compile()?;
    let mut last = last();
    last.truncate(MOST - 1);
    last.push_front((format!("{compiler}{text}"), bytes.clone()));
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_compiled_once_for_each_compiler() {
        let object = |compiler: &str, text: &str, n: u8| object(compiler, text, || Ok::<_, ()>(vec![n]));
        assert_eq!(object("a", "text", 1), Ok(vec![1]));
        assert_eq!(object("a", "text", 2), Ok(vec![1]));
        assert_eq!(object("b", "text", 3), Ok(vec![3]));
        for n in 0..MOST as u8 {
            assert_eq!(object("a", &n.to_string(), n), Ok(vec![n]));
        }
        assert_eq!(object("a", "text", 4), Ok(vec![4]));
        assert_eq!(super::object("a", "none", || Err(())), Err(()));
    }
}
