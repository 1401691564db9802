#!/usr/bin/env bash
# A checkout (or a wheel of it) → the folder that the server's image holds. The Dockerfile runs this; so can anybody without containers.
# usage: docker/build.sh FOLDER [WHEEL]
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
folder="${1:?usage: docker/build.sh FOLDER [WHEEL]}"
wheel="${2:-}"
python="${PYTHON:-python3}"
# Megabytes: an image of 250 has 120 of Python and its Debian.
most=125

[[ ! -e "$folder" ]] || { echo "docker/build.sh: $folder exists; name a new folder" >&2; exit 2; }
if [[ -z "$wheel" ]]; then
    wheels="$(mktemp -d)"
    trap 'rm -rf "$wheels"' EXIT
    "$python" -m maturin build --release --locked --manifest-path "$root/crates/python/Cargo.toml" --out "$wheels"
    wheel="$(echo "$wheels"/*.whl)"
fi

# A server and models in GGUF files: no torch.
"$python" -m pip install --quiet --disable-pip-version-check --no-compile --target "$folder" "$wheel[server,gguf]"
# Tests of numpy and programs to type are a fifth of it, and no server runs them.
find "$folder" -type d -name tests -prune -exec rm -rf {} +
# A faster way to fetch from Hugging Face, which a server does not: files are given to it.
rm -rf "$folder/bin" "$folder"/hf_xet*

size="$(du -sm "$folder" | cut -f 1)"
echo "$folder: $size MB of at most $most"
[[ "$size" -le "$most" ]] || { echo "docker/build.sh: the folder is too large for an image of 250 MB" >&2; exit 1; }
