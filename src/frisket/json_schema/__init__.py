"""JSON Schema → Grammar that is exact, or an error that lists the places where it cannot be.

compile     schema × options → rules and report    options     how documents are spelled
report      the outcome of each keyword            validation  a validator for relaxed grammars
"""

from frisket.json_schema.compile import compile_json_schema, lower_json_schema, prelude_of
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.json_schema.report import Entry, Note, Report

__all__ = [
    "DEFAULT",
    "Entry",
    "JSONSchemaOptions",
    "Note",
    "Report",
    "compile_json_schema",
    "lower_json_schema",
    "prelude_of",
]
