"""CompiledGrammar → Matcher: the position of one sequence.

This is the native class under its public name, without a wrapper: a mask takes about as long as one call of a Python
method, so a wrapper would double the time.

If a budget runs out, `completion` tells how to close the text:

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
