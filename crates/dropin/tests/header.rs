//! include/llguidance.h is the header that cbindgen makes of llguidance.rs.
//! `FRISKET_WRITE_HEADER=1 cargo test -p frisket-dropin` writes it.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_crate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("cbindgen.toml is read");
    let builder = cbindgen::Builder::new().with_config(config).with_src(folder.join("src/llguidance.rs"));
    let mut text = Vec::new();
    builder.generate().expect("cbindgen reads the file").write(&mut text);
    let path = folder.join("include/llguidance.h");
    if std::env::var_os("FRISKET_WRITE_HEADER").is_some() {
        std::fs::write(&path, &text).expect("the folder can be written");
    }
    let kept = std::fs::read(&path).unwrap_or_default();
    assert!(kept == text, "include/llguidance.h is not what the crate says: write it by FRISKET_WRITE_HEADER=1");
}
