//! include/frisket.h is the header that cbindgen makes of this crate. `FRISKET_WRITE_HEADER=1 cargo test -p frisket-ffi`
//! writes it.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_crate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = cbindgen::generate(folder).expect("cbindgen reads the crate");
    let mut text = Vec::new();
    made.write(&mut text);
    let path = folder.join("include/frisket.h");
    if std::env::var_os("FRISKET_WRITE_HEADER").is_some() {
        std::fs::write(&path, &text).expect("the folder can be written");
    }
    let kept = std::fs::read(&path).unwrap_or_default();
    assert!(kept == text, "include/frisket.h is not what the crate says: write it by FRISKET_WRITE_HEADER=1");
}
