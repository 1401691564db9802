"""All rules, in the order of their codes. Each is a module, whose docstring is the rule's page."""

from __future__ import annotations

from frisket.lint.rule import Rule
from frisket.lint.rules import (
    answer_before_reason,
    dead_property,
    discriminator_late,
    free_text_before_identifier,
    late_member,
    many_tokens,
    no_description,
    no_way_out,
    open_object,
    over_budget,
    recursion,
    root_asks_nothing,
    shared_first_token,
    sorted_by_tool,
    unanchored,
    unbounded_array,
    unbounded_number,
    unbounded_string,
    undiscriminated_union,
    unknown_keyword,
)

_MODULES = (
    *(answer_before_reason, discriminator_late, free_text_before_identifier, sorted_by_tool, late_member),
    *(shared_first_token, many_tokens, no_way_out),
    *(unbounded_string, unbounded_array, unbounded_number, open_object, recursion, over_budget),
    *(no_description, dead_property, undiscriminated_union, unknown_keyword, root_asks_nothing),
    unanchored,
)
RULES: tuple[Rule, ...] = tuple(module.RULE for module in _MODULES)
