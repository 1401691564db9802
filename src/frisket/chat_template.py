"""Chat template × messages → text, rendered as in transformers.

A template is a Jinja program that comes with a model's tokenizer. It specifies how the model reads a conversation and
writes its own turns. Models of GGUF files, tool formats and their tests all render it here.
"""

from __future__ import annotations

import copy
import importlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from frisket.errors import EngineError, MissingDependencyError


class ChatTemplate:
    """A compiled template. `defaults` are variables of every rendering, such as `bos_token` and `eos_token`.

    A tokenizer may have several named templates: `tool_use` for conversations with tools, `default` for all others.
    """

    def __init__(self, text: str | Mapping[str, str], defaults: Mapping[str, Any] | None = None) -> None:
        by_name = {"default": text} if isinstance(text, str) else text
        self.text = tool_template(by_name) or ""
        """The template's text; if there are several, that for conversations with tools."""
        self._defaults = dict(defaults or {})
        self._with_tools = _compiled(self.text)
        plain = by_name.get("default", self.text)
        self._without_tools = self._with_tools if plain == self.text else _compiled(plain)

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that the template reads.

        >>> sorted(ChatTemplate("{% if thinking %}{{ messages }}{% endif %}").variables)
        ['messages', 'thinking']
        """
        meta: Any = importlib.import_module("jinja2.meta")
        environment = self._with_tools.environment
        return frozenset(meta.find_undeclared_variables(environment.parse(self.text)))

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        *,
        add_generation_prompt: bool = True,
        **variables: Any,
    ) -> str:
        """The text of the messages; `variables` are other variables of the template, such as `enable_thinking`.

        Raises EngineError, with the template's own words, if the template refuses the messages.

        >>> ChatTemplate("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}").render(
        ...     [{"role": "user", "content": "Hi"}]
        ... )
        '<user>Hi'
        """
        # Copies, since a template may change the lists that it gets.
        said, told = copy.deepcopy((messages, tools))
        names = {**self._defaults, **variables}
        try:
            template = self._with_tools if tools else self._without_tools
            return str(template.render(messages=said, tools=told, add_generation_prompt=add_generation_prompt, **names))
        except Exception as error:
            # A template is a program, so besides its own `raise_exception` it can raise any error of Python.
            raise EngineError(
                f"the chat template refuses these messages: {error}",
                where="chat template",
                hint="write the conversation as the model's card shows it",
            ) from error


def tool_template(text: str | Mapping[str, str] | None) -> str | None:
    """The text of a tokenizer's template for conversations with tools; None if it has none."""
    return (text.get("tool_use") or text.get("default")) if isinstance(text, Mapping) else text


def _compiled(text: str) -> Any:
    environment = _environment()
    try:
        return environment.from_string(text)
    except importlib.import_module("jinja2").TemplateSyntaxError as error:
        raise EngineError(
            f"the chat template is not Jinja: line {error.lineno}: {error.message}",
            where="chat template",
            hint="give the template's text as the tokenizer's files have it",
        ) from error


def _environment() -> Any:
    try:
        sandbox: Any = importlib.import_module("jinja2.sandbox")
        nodes: Any = importlib.import_module("jinja2.nodes")
        extension: Any = importlib.import_module("jinja2.ext")
    except ImportError as error:
        raise MissingDependencyError.of("jinja2", "templates") from error

    class Generation(extension.Extension):  # type: ignore[misc]
        """`{% generation %}` … `{% endgeneration %}` marks the assistant's text for training; only its body is kept."""

        tags = frozenset({"generation"})

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return nodes.Scope(body).set_lineno(line)

    # Sandboxed, since the template is a program from a file of unknown origin. It may change its own lists, as in
    # llama.cpp; transformers refuses a template that does.
    environment = sandbox.SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return environment


def _json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """A value as JSON. Jinja's own filter escapes HTML, which models are not trained on."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _refuse(message: str) -> None:
    raise ValueError(message)
