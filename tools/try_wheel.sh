#!/usr/bin/env bash
# A folder with wheels of one system, on that system → the README's first command, and the engine's tests against the wheel
# that fits this Python.
# usage: tools/try_wheel.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python="${PYTHON:-python3}"
# Free-threaded Pythons do not load abi3, and others load nothing else.
kind="$("$python" -c 'import sys, sysconfig
free = sysconfig.get_config_var("Py_GIL_DISABLED")
print("cp{}{}t".format(*sys.version_info) if free else "abi3")')"
wheel="$(echo "${1:?usage: tools/try_wheel.sh FOLDER}"/*-"$kind"-*.whl)"
[[ -f "$wheel" ]] || { echo "tools/try_wheel.sh: $1 holds no wheel for $kind, or several" >&2; exit 2; }
room="$(mktemp -d)"
trap 'rm -rf "$room"' EXIT
"$python" -m venv "$room/venv"
bin="$room/venv/bin"
[[ -d "$bin" ]] || bin="$room/venv/Scripts"
"$bin/python" -m pip install --quiet --disable-pip-version-check "$wheel[cli,pydantic]" pytest "tomli; python_version < '3.11'"
"$bin/frisket" example tutor "She wrote a book"
# Tests without src beside them: what they import is the wheel.
cp -r tests pyproject.toml "$room"
cd "$room"
"$bin/python" -c "import frisket; assert 'venv' in frisket.__file__, frisket.__file__"
"$bin/python" -m pytest -q tests/unit/_core tests/unit/test_matcher.py tests/unit/test_limits.py
