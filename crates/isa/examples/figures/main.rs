//! The pictures of the book, drawn from the timing model's parameters and from runs.
//!
//! ```text
//! cargo run --release -p quadra-isa --example figures -- book/src/images
//! ```

mod machine;
mod runs;
mod svg;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let directory = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "book/src/images".into()));
    for (name, text) in machine::all().into_iter().chain(runs::all()) {
        std::fs::write(directory.join(name), text)?;
    }
    Ok(())
}
