"""JSON Schema → Grammar: what is legal, exactly, or a list of the places where that cannot be said.

compile     schema × options → rules and report    options   how documents are spelled
report      what became of each keyword             demand    what a schema without values says
validation  what a relaxed grammar leaves open
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
