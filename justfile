# Every command of the house. `just` alone lists them.
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

# answers of random models within their budgets, on every schema of MaskBench
budget *ARGS:
    python -m tests.conformance.budget {{ARGS}}

# what it costs to measure what masks did to an answer, and how exact the figures are
pressure *ARGS:
    python -m benchmarks.pressure {{ARGS}}

# every experiment, one after the other, or those that are named (needs `pip install ".[train]"`; up to 45 minutes each)
experiments *NAMES:
    python -m experiments {{NAMES}}

# what a mask's time is made of (with --callgrind by instructions, too: valgrind, minutes)
floor *ARGS:
    python -m benchmarks.floor {{ARGS}}

# frisket's times with other vocabularies beside those with Llama 3's
tokenizers *ARGS:
    python -m benchmarks --engines frisket,frisket_native --tokenizer llama3,o200k,tekken {{ARGS}}

# random calls with every invariant checked; crashes and hangs are found too (a million: --cases 1000000 --jobs 2)
fuzz *ARGS:
    python -m tests.fuzz {{ARGS}}

# the rules that schemas become, written anew: `git diff tests/golden` shows what a change of lowering did
golden:
    python -m tests.golden

# families of grammars that differ by small edits, every shared mask verified (a million: --cases 1000000 --jobs 2)
hunt *ARGS:
    python -m tests.hunt {{ARGS}}

# the same over real schemas: MaskBench in both property orders, the suite, the four systems
hunt-corpus *ARGS:
    python -m tests.hunt.corpus {{ARGS}}

# JSON Schema's official suite, all drafts, against the committed baseline
suite *ARGS:
    python -m tests.conformance.suite {{ARGS}}

# MaskBench's real-world schemas, both property orders, against the committed baseline
maskbench *ARGS:
    python -m tests.conformance.maskbench {{ARGS}}

# `frisket lint` over MaskBench's schemas: time and counts for each rule (--verdicts: do fixes keep all verdicts?)
lint-schemas *ARGS:
    python -m tests.conformance.lint {{ARGS}}

# random walks under the masks end in documents that two validators accept
selfplay *ARGS:
    python -m tests.conformance.selfplay {{ARGS}}

# documents that are valid by construction, in every spelling, pass; what both validators refuse does not
converse *ARGS:
    python -m tests.conformance.converse {{ARGS}}

# every keyword that is reported as enforced makes a difference, or is proven redundant
mutation *ARGS:
    python -m tests.conformance.mutation {{ARGS}}

# masks against brute force over the whole of Llama 3's vocabulary (minutes)
brute *ARGS:
    python -m tests.exhaustive.brute_force {{ARGS}}

# the four worked systems on their held-out inputs: figures, tables, plots
evaluate:
    for name in triage tutor orders agent; do python examples/$name/evaluate.py; done

# the embedded model from its seed: tokenizer, held-out inputs, weights (needs `pip install ".[train]"`)
train *ARGS:
    cd training && python tokenizer.py && python heldout.py && python train.py {{ARGS}}
