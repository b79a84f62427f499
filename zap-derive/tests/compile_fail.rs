//! The text of every compile error that a user's mistake makes. Each file is one kind of mistake and uses the record
//! beside it as if nothing were wrong, which must add nothing. After a change read the new text with
//! `TRYBUILD=overwrite cargo test -p zap-derive --test compile_fail` and `git diff`.

#[test]
fn every_mistake_has_its_message() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/compile_fail/*.rs");
}
