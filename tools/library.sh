#!/usr/bin/env bash
# A checkout → a release's folder for programs in C: libfrisket and libfrisket_dropin, shared and static, their headers, the licence.
# usage: tools/library.sh FOLDER [PROFILE]
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
folder="${1:?usage: tools/library.sh FOLDER [PROFILE]}"
profile="${2:-library}"

[[ ! -e "$folder" ]] || { echo "tools/library.sh: $folder exists; name a new folder" >&2; exit 2; }
cargo build --quiet --profile "$profile" --locked --manifest-path "$root/Cargo.toml" -p frisket-ffi -p frisket-dropin
built="${CARGO_TARGET_DIR:-$root/target}/$profile"

mkdir -p "$folder"
cp "$root"/crates/ffi/include/*.h "$root"/crates/dropin/include/*.h "$root/LICENSE" "$folder"
for name in frisket frisket_dropin; do
    # By system: Linux, macOS, Windows.
    for file in "$built/lib$name".{so,dylib,a} "$built/$name".{dll,dll.lib,lib}; do
        [[ ! -e "$file" ]] || cp "$file" "$folder"
    done
done
if [[ "$(uname)" == Linux ]]; then
    # Linked anew, since rustc has a version script of its own, beside which no other may be.
    "${CC:-cc}" -shared -o "$folder/libfrisket.so" -Wl,-soname,libfrisket.so -Wl,--gc-sections -Wl,--no-undefined \
        -Wl,--strip-all -Wl,--version-script="$root/crates/ffi/frisket.map" -Wl,--whole-archive "$folder/libfrisket.a" -Wl,--no-whole-archive \
        -lgcc_s -lpthread -lm -ldl -lc
fi
ls -l "$folder"
