"""CompiledGrammar → Matcher: one sequence's position.

The engine's own class under its public name, without a wrapper: a mask costs about as much as one call of a Python
method, so a layer in between would be half the bill.

Where a budget runs out, `completion` says how to close what was begun:

    >>> from frisket import Grammar, Vocabulary
    >>> tags = {"id": {"type": "integer"}, "tag": {"enum": ["a", "bc"]}}
    >>> schema = {"type": "object", "properties": tags, "required": ["tag"]}
    >>> letters = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256])
    >>> matcher = Grammar.from_json_schema(schema).compile(letters).matcher()
    >>> matcher.completion()
    b'{"tag":"a"}'
    >>> matcher.advance_bytes(b'{"id": 12, ')
    >>> matcher.completion()
    b'"tag":"a"}'
"""

from frisket._core import Matcher, fill_masks

__all__ = ["Matcher", "fill_masks"]
