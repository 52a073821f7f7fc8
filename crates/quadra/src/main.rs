//! The `quadra` command.
fn main() {
    println!("quadra {}", env!("CARGO_PKG_VERSION"));
}
