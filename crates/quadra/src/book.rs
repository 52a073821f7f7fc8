//! The book's Rust code, run as documentation tests. Blocks of kernel IR are run by the crate `quadra-tests`.

macro_rules! chapters {
    ($($name:ident $file:literal)*) => {
        $(#[cfg(doctest)]
        #[doc = include_str!(concat!("../../../book/src/", $file))]
        mod $name {})*
    };
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

chapters! {
    hello "hello.md"
    gcd "gcd.md"
    rot3d "rot3d.md"
    heat "heat.md"
    devices "devices.md"
}
