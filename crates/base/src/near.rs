//! Outputs that agree but for the last digits of their numbers.

/// Whether two texts are equal, where numbers at the same place need only be `near`.
///
/// ```
/// let near = |x: f64, y: f64| (x - y).abs() <= 1e-3;
/// assert!(quadra_base::near::texts("mean 0.1269 of [1,2]", "mean 0.12690001 of [1,2]", near));
/// assert!(!quadra_base::near::texts("mean 1", "means 1", near));
/// ```
pub fn texts(a: &str, b: &str, near: impl Fn(f64, f64) -> bool) -> bool {
    let (a, b) = (pieces(a), pieces(b));
    a.len() == b.len()
        && a.iter().zip(&b).all(|(x, y)| match (number(x), number(y)) {
            (Some(p), Some(q)) => x == y || near(p, q),
            _ => x == y,
        })
}

/// The value of a piece that begins as a number does.
fn number(piece: &str) -> Option<f64> {
    piece.parse().ok().filter(|_| piece.ends_with(|c: char| c.is_ascii_digit() || c == '.'))
}

/// The numbers of a text and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let (mut out, mut rest, mut from) = (Vec::new(), text, 0);
    while from < rest.len() {
        let length = number_length(&rest.as_bytes()[from..]);
        // Digits within a word belong to it.
        let within = rest[..from].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if length == 0 || within {
            from += rest[from..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        out.extend([&rest[..from], &rest[from..from + length]]);
        (rest, from) = (&rest[from + length..], 0);
    }
    out.push(rest);
    out
}

/// How many bytes at the start are a number: sign, digits with a point, exponent.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(sign);
    if whole == 0 {
        return 0;
    }
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(signed);
        if exponent > 0 {
            end = signed + exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_text() {
        assert_eq!(pieces("x1 = [-1.5e-05,2.]; 3e"), ["x1 = [", "-1.5e-05", ",", "2.", "]; ", "3", "e"]);
        assert_eq!(pieces("é 7"), ["é ", "7", ""]);
        assert_eq!(pieces(""), [""]);
    }

    #[test]
    fn numbers_may_differ_and_words_may_not() {
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-3 * x.abs().max(y.abs());
        assert!(texts("mean 0.126901 of [1, 2]", "mean 0.1269 of [1, 2]", near));
        assert!(texts("1e-05", "9.999e-06", near));
        assert!(!texts("mean 0.126901", "mean 0.1280", near));
        assert!(!texts("mean 1", "means 1", near));
        assert!(!texts("x1", "x2", near));
        assert!(!texts("1 2", "1 2 3", near));
        assert!(texts("nan inf", "nan inf", near) && !texts("nan", "1", near));
    }
}
