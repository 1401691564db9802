"""Rust sources × mutants → the same sources with every mutant behind a switch, so that one build holds them all.

A mutant costs a build otherwise, which takes longer than the tests. Mutant schemata: Untch, Offutt and Harrold, 1993.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

#: The mutant that is on: its number, in the environment of the tests.
VARIABLE = "FRISKET_MUTANT"

#: What each switch asks, at the end of the core's root. It notes who asks: a test that reaches no mutant kills none.
FUNCTION = f"""
/// Whether each mutant was asked for.
#[doc(hidden)]
pub static MUTANTS_REACHED: [std::sync::atomic::AtomicBool; 65536] =
    [const {{ std::sync::atomic::AtomicBool::new(false) }}; 65536];

/// Whether the mutant of this number is on.
#[doc(hidden)]
pub fn mutant_is_on(number: usize) -> bool {{
    static ON: std::sync::LazyLock<Option<usize>> =
        std::sync::LazyLock::new(|| std::env::var("{VARIABLE}").ok()?.parse().ok());
    MUTANTS_REACHED[number].store(true, std::sync::atomic::Ordering::Relaxed);
    *ON == Some(number)
}}
"""

#: At the end of what the extension sees of the core.
REEXPORT = "pub use frisket_core::{mutant_is_on, MUTANTS_REACHED};\n"
#: At the end of the extension's root: a second module in the same file, with which Python asks, too.
MODULE = """
#[pyfunction]
fn is_on(number: usize) -> bool {
    frisket::front_end::mutant_is_on(number)
}

/// The mutants that were asked for since the last call.
#[pyfunction]
fn reached() -> Vec<usize> {
    let all = frisket::front_end::MUTANTS_REACHED.iter().enumerate();
    all.filter(|(_, asked)| asked.swap(false, std::sync::atomic::Ordering::Relaxed)).map(|(number, _)| number).collect()
}

#[pymodule]
fn _mutants(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(is_on, module)?)?;
    module.add_function(wrap_pyfunction!(reached, module)?)
}
"""


@dataclass(frozen=True)
class Switch:
    """Bytes `start..end` of a file, and what is written before and behind them."""

    number: int
    start: int
    end: int
    before: str
    behind: str


def switched(source: str, switches: Iterable[Switch]) -> tuple[str, dict[int, tuple[int, int]]]:
    """The source with all switches in it, and where each of them lies now."""
    opening = [(each.start, 1, -each.end, each.number, each.before, each) for each in switches]
    closing = [(each.end, 0, -each.start, -each.number, each.behind, each) for each in switches]
    text, made, at, size = source.encode(), [], 0, 0
    begins, places = {}, {}
    for place, is_opening, _, _, written, switch in sorted(opening + closing, key=lambda one: one[:4]):
        part = text[at:place]
        size += len(part)
        if is_opening:
            begins[switch.number] = size
        made += [part, written.encode()]
        at, size = place, size + len(written.encode())
        if not is_opening:
            places[switch.number] = (begins[switch.number], size)
    return b"".join([*made, text[at:]]).decode(), places


def switch(source: str, mutant: dict[str, Any], number: int, on: str) -> Switch | None:
    """The switch of a mutant as cargo-mutants describes it, on where `on` is true; None where none can stand."""
    text = source.encode()
    start, end = (_offset(source, mutant["span"][edge]) for edge in ("start", "end"))
    new = mutant["replacement"]

    def instead(node: Node, mutated: bytes) -> Switch:
        return Switch(number, node.start_byte, node.end_byte, f"(if {on} {{ {mutated.decode()} }} else {{ ", " })")

    node = _tree(source).descendant_for_byte_range(start, end)
    if node is None:
        return None
    match mutant["genre"]:
        case "FnValue":
            return Switch(number, start, end, f"if {on} {{ return {new}; }} ", "")
        case "BinaryOperator":
            whole = _above(node, "binary_expression", "compound_assignment_expr")
            if whole and (operator := whole.child_by_field_name("operator")) and operator.start_byte == start:
                return instead(whole, text[whole.start_byte : start] + new.encode() + text[end : whole.end_byte])
        case "UnaryOperator":
            whole = _above(node, "unary_expression")
            if whole and whole.start_byte == start:
                return instead(whole, text[end : whole.end_byte])
        case "MatchArmGuard":
            return Switch(number, start, end, f"(if {on} {{ {new} }} else {{ ", " })")
        case "MatchArm":
            arm = _above(node, "match_arm")
            pattern = arm and arm.child_by_field_name("pattern")
            if pattern and arm and arm.start_byte == start:
                guard = pattern.child_by_field_name("condition")
                if guard is None:
                    return Switch(number, pattern.start_byte, pattern.end_byte, "", f" if !{on}")
                if guard.type not in ("let_condition", "let_chain"):
                    return Switch(number, guard.start_byte, guard.end_byte, f"!{on} && (", ")")
        case "StructField":
            whole = _above(node, "struct_expression")
            if whole:
                rest = text[end : whole.end_byte].lstrip().removeprefix(b",")
                return instead(whole, text[whole.start_byte : start] + rest)
    return None


def _offset(source: str, place: dict[str, int]) -> int:
    """The byte of a line and a column, which count from 1 and count characters."""
    line = place["line"] - 1
    text = _lines(source)[line][: place["column"] - 1]
    return _starts(source)[line] + len(text.encode())


@cache
def _lines(source: str) -> list[str]:
    return source.split("\n")


@cache
def _starts(source: str) -> list[int]:
    return [0, *accumulate(len(line.encode()) + 1 for line in _lines(source))]


@cache
def _tree(source: str) -> Node:
    return Parser(Language(tree_sitter_rust.language())).parse(source.encode()).root_node


def _above(node: Node | None, *kinds: str) -> Node | None:
    """The nearest node of one of these kinds, from this one upwards."""
    while node is not None and node.type not in kinds:
        node = node.parent
    return node
