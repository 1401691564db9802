#!/usr/bin/env bash
# A checkout → the package for JavaScript: frisket.wasm beside the files of this folder.
# usage: npm/build.sh FOLDER
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
folder="${1:?usage: npm/build.sh FOLDER}"
target=wasm32-unknown-unknown
# Bytes of frisket.wasm as a server sends it, by gzip.
most=1500000

[[ ! -e "$folder" ]] || { echo "npm/build.sh: $folder exists; name a new folder" >&2; exit 2; }
rustup target list --installed | grep -qx "$target" || rustup target add "$target"
# Every browser since 2023 has vectors of 128 bits. Deep schemas take more than the stack of 1 MB.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=+simd128 -C link-arg=-zstack-size=4194304"
cargo build --quiet --manifest-path "$root/Cargo.toml" --profile wasm --target "$target" \
    -p frisket-ffi --no-default-features
built="${CARGO_TARGET_DIR:-$root/target}/$target/wasm/frisket.wasm"

mkdir -p "$folder"
cp "$root"/npm/*.js "$root/npm/frisket.d.ts" "$root/npm/README.md" "$root/LICENSE" "$folder"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)"
sed "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" "$root/npm/package.json" > "$folder/package.json"
if command -v wasm-opt >/dev/null; then
    # The features that rustc uses, and no later ones.
    wasm-opt -O3 --strip-producers --enable-simd --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
        --enable-nontrapping-float-to-int --enable-reference-types --enable-multivalue "$built" -o "$folder/frisket.wasm"
else
    echo "npm/build.sh: without wasm-opt (of binaryen) the file is a tenth larger" >&2
    cp "$built" "$folder/frisket.wasm"
fi

size="$(gzip -9 --stdout "$folder/frisket.wasm" | wc -c)"
echo "$folder/frisket.wasm: $size bytes by gzip, of at most $most"
[[ "$size" -le "$most" ]] || { echo "npm/build.sh: the file is too large" >&2; exit 1; }
