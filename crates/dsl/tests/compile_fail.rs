//! Type errors in kernels are errors of rustc, at the place of the mistake. `TRYBUILD=overwrite cargo test` rewrites the
//! expected messages.

#[test]
fn mistakes_are_reported_where_they_are() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
