"""Schema × a document of its relaxed grammar → the value, after a validator has checked the whole schema."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any

from frisket.errors import AnswerError, MissingDependencyError, UnsupportedSchemaError
from frisket.json_schema.compile import documents_of


def validating(schema: Any, registry: Any, value: Callable[[str], Any]) -> Callable[[str], Any]:
    """`value`, with a check of what the relaxed grammar does not enforce."""
    try:
        jsonschema_rs = importlib.import_module("jsonschema_rs")
    except ImportError as error:
        raise MissingDependencyError.of("jsonschema-rs", "validate") from error
    documents = documents_of(registry)

    def retriever(uri: str) -> Any:
        document = documents(uri)
        if document is None:
            raise LookupError(f"{uri} is not among the documents given")
        return document

    try:
        validator = jsonschema_rs.validator_for(schema, validate_formats=True, retriever=retriever)
    except Exception as error:  # the validator has error types of its own
        raise UnsupportedSchemaError(
            f"what is not enforced cannot be validated afterwards: {str(error).splitlines()[0]}",
            where="",
            hint="correct the schema, so that jsonschema-rs reads it",
        ) from error

    def validated(text: str) -> Any:
        made = value(text)  # raises an error with the place if the text is not JSON
        for error in validator.iter_errors(json.loads(text)):
            raise AnswerError(
                f"a document that the relaxed grammar allows breaks its schema: {error.message}",
                where="".join(f"/{part}" for part in error.instance_path) or "(root)",
                hint="generate again with another seed, or see `grammar.report` for what is not enforced",
                code="value-refused",
            )
        return made

    return validated
