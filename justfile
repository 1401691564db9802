# The commands of every day; `just` alone lists them. Longer runs stand in CONTRIBUTING.md.
# A fresh checkout needs Rust and Python only: `just setup` makes .venv with everything else.

data := env_var_or_default("FRISKET_DATA", justfile_directory() / "../shared/data")
export FRISKET_DATA := data

_list:
    @just --list --unsorted

# .venv with the package in place and all tools
setup:
    python3 -m venv .venv
    .venv/bin/python -m pip install --quiet "maturin>=1.15,<2"
    .venv/bin/python -m pip install --quiet -e ".[dev]"

# rebuild the Rust extension in place (after any change in crates/)
build:
    maturin develop --release

# a wheel as a release has it, in dist/: built along a profile of the tests' grammars (needs `rustup component add llvm-tools`)
wheel:
    maturin build --release --locked --pgo --out dist

# all Python tests; arguments go to pytest
test *ARGS:
    python -m pytest -n 2 {{ARGS}}

# the tests of the Rust engine (its Python face is tested by pytest)
rust *ARGS:
    cargo test -p frisket-core {{ARGS}}

# rewrite the sources in the house's format
format:
    ruff format .
    ruff check --fix .
    cargo fmt --all

# formatting and lints, changing nothing
lint:
    ruff format --check .
    ruff check .
    cargo fmt --all -- --check
    cargo clippy --workspace --all-targets -- -D warnings

# static types of the package and of a user's script, and the extension against its stubs
types:
    mypy
    python -m pytest -q tests/stubs tests/types

# every code block of the documents and every example of a docstring
docs:
    python -m pytest -q tests/docs

# the documentation site in site/, without a warning (needs `pip install ".[docs]"`)
site:
    NO_MKDOCS_2_WARNING=1 mkdocs build --strict
    python -m pytest -q tests/docs/test_site.py

# what continuous integration runs, from nothing
ci:
    .ci/run

# masks and compile times, ours and the rivals' (needs `pip install ".[bench]"`)
bench *ARGS:
    python -m benchmarks {{ARGS}}

# every bound of hard, hostile, many and large inputs, with its measured value (10 minutes)
bounds *ARGS:
    python -m benchmarks.bounds {{ARGS}}

# the four worked systems on their held-out inputs: figures, tables, plots
evaluate:
    for name in triage tutor orders agent; do python examples/$name/evaluate.py; done

# the embedded model from its seed: tokenizer, held-out inputs, weights (needs `pip install ".[train]"`)
train *ARGS:
    cd training && python tokenizer.py && python heldout.py && python train.py {{ARGS}}
