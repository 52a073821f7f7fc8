use lsp_types::{Position, Range};
use quadra_base::{FileId, Span};
use quadra_lsp::program::text::Text;

#[test]
fn places_count_utf16_units_outside_and_characters_inside() {
    let text = Text::new("a😀b = 1\r\nx\ry𝒳z\n");
    // The lone CR ends a line of the protocol only.
    for (byte, (line, unit), place) in [
        (0, (0, 0), (1, 1)),
        (1, (0, 1), (1, 2)),
        (5, (0, 3), (1, 3)),
        (12, (1, 0), (2, 1)),
        (14, (2, 0), (2, 3)),
        (19, (2, 3), (2, 5)),
        (21, (3, 0), (3, 1)),
    ] {
        assert_eq!(text.position(byte), Position::new(line, unit), "{byte}");
        assert_eq!(text.offset(Position::new(line, unit)), byte, "{byte}");
        assert_eq!(text.place(byte), place, "{byte}");
        assert_eq!(text.byte(place.0, place.1), byte, "{byte}");
    }
    assert_eq!(text.offset(Position::new(0, 2)), 1, "the middle of a pair");
    assert_eq!(text.offset(Position::new(0, 99)), 10);
    assert_eq!(text.offset(Position::new(99, 0)), 21);
    let span = Span::new(FileId::of_name("t"), 1, 2, 2);
    assert_eq!(text.span(span), Range::new(Position::new(0, 1), Position::new(0, 4)));
    assert_eq!(&*text.replaced(text.span(span), "").text, "a = 1\r\nx\ry𝒳z\n");
}
