//! "Did you mean": the known name nearest to an unknown one.

/// The known name within two edits of `name`, if one is near enough to be meant.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let most = if name.len() <= 3 { 1 } else { 2 };
    if name.len() > 40 {
        return None;
    }
    let near = known.filter(|k| k.len().abs_diff(name.len()) <= most && *k != name);
    let scored = near.map(|k| (distance(name, k), k)).filter(|(d, _)| *d <= most);
    scored.min().map(|(_, k)| k.to_string())
}

/// Levenshtein distance in bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.bytes().enumerate() {
            let next = (diagonal + usize::from(ca != cb)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn near_names_are_found() {
        let known = ["elem_num", "qpu_num", "unif"];
        assert_eq!(super::nearest("elemnum", known.into_iter()).as_deref(), Some("elem_num"));
        assert_eq!(super::nearest("unfi", known.into_iter()).as_deref(), Some("unif"));
        assert_eq!(super::nearest("banana", known.into_iter()), None);
    }
}
