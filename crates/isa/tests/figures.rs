//! The book's pictures of the machine are what the timing model's parameters give now.

#[path = "../examples/figures/svg.rs"]
mod svg;

#[path = "../examples/figures/machine.rs"]
mod machine;

#[test]
fn the_books_pictures_are_up_to_date() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/images");
    for (name, text) in machine::all() {
        let committed = std::fs::read_to_string(directory.join(name)).expect("the picture is committed");
        assert!(committed == text, "{name}: cargo run --release -p quadra-isa --example figures -- book/src/images");
    }
}
