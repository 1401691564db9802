//! Flags of the compiler → how the extension was built, which benchmarks say beside their figures; the interpreter →
//! whether it has a GIL.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let build = if flags.contains("-Cprofile-use=") { "profile-guided" } else { "plain" };
    println!("cargo:rustc-env=FRISKET_BUILD={build}");
}
