#!/usr/bin/env bash
# A Python without the GIL that has frisket, numpy, pytest, pytest-xdist and hypothesis → the tests that need no other package.
# usage: tools/free_threaded.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python="${PYTHON:-python3}"
"$python" -c 'import frisket._core, sys; sys.exit(sys._is_gil_enabled() and "the GIL is on")'
"$python" -m pytest -q -n 2 tests/unit/_core tests/unit/test_matcher.py tests/unit/test_limits.py tests/unit/test_recent.py \
    tests/unit/test_cancellation.py tests/unit/test_builder.py tests/unit/vocabulary tests/unit/notations tests/unit/parts
