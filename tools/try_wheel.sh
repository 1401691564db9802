#!/usr/bin/env bash
# A folder with one wheel, on the system that it is for → the README's first command, and the engine's tests against it.
# usage: tools/try_wheel.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wheel="$(echo "${1:?usage: tools/try_wheel.sh FOLDER}"/*.whl)"
[[ -f "$wheel" ]] || { echo "tools/try_wheel.sh: $1 holds no wheel, or several" >&2; exit 2; }
room="$(mktemp -d)"
trap 'rm -rf "$room"' EXIT
"${PYTHON:-python3}" -m venv "$room/venv"
bin="$room/venv/bin"
[[ -d "$bin" ]] || bin="$room/venv/Scripts"
"$bin/python" -m pip install --quiet --disable-pip-version-check "$wheel[cli,pydantic]" pytest "tomli; python_version < '3.11'"
"$bin/frisket" example tutor "She wrote a book"
# Tests without src beside them: what they import is the wheel.
cp -r tests pyproject.toml "$room"
cd "$room"
"$bin/python" -c "import frisket; assert 'venv' in frisket.__file__, frisket.__file__"
"$bin/python" -m pytest -q tests/unit/_core tests/unit/test_matcher.py tests/unit/test_limits.py
