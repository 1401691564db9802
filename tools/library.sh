#!/usr/bin/env bash
# A checkout → a release's folder for programs in C: libfrisket and libfrisket_dropin, shared and static, their headers, the licence.
# usage: tools/library.sh FOLDER
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
folder="${1:?usage: tools/library.sh FOLDER}"

[[ ! -e "$folder" ]] || { echo "tools/library.sh: $folder exists; name a new folder" >&2; exit 2; }
# Without symbols: they are two thirds of a shared library.
CARGO_PROFILE_RELEASE_STRIP=symbols cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml" \
    -p frisket-ffi -p frisket-dropin
built="${CARGO_TARGET_DIR:-$root/target}/release"

mkdir -p "$folder"
cp "$root"/crates/ffi/include/*.h "$root"/crates/dropin/include/*.h "$root/LICENSE" "$folder"
for name in frisket frisket_dropin; do
    # By system: Linux, macOS, Windows.
    for file in "$built/lib$name".{so,dylib,a} "$built/$name".{dll,dll.lib,lib}; do
        [[ ! -e "$file" ]] || cp "$file" "$folder"
    done
done
ls -l "$folder"
