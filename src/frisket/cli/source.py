"""Command-line arguments → Grammar, Model, Vocabulary; an error names the argument that cannot be read."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from frisket.cli.bundle import Bundle
from frisket.errors import (
    FrisketError,
    GrammarError,
    InvalidSchemaError,
    UnsatisfiableSchemaError,
    UnsupportedSchemaError,
)

if TYPE_CHECKING:
    from frisket.description import Encodes
    from frisket.grammar import Grammar
    from frisket.models.protocol import Model
    from frisket.vocabulary import Vocabulary


#: The bundle without `--root` and `--with`: the file is the schema.
ALONE = Bundle()
#: Suffix of a file with rules → the constructor that reads them.
NOTATIONS = {".gbnf": "from_gbnf", ".abnf": "from_abnf", ".ebnf": "from_ebnf", ".lark": "from_lark"}


def grammar(
    *,
    schema: str | None = None,
    tp: str | None = None,
    regex: str | None = None,
    choices: str | None = None,
    rules: str | None = None,
    bundle: Bundle = ALONE,
) -> Grammar:
    """The grammar of the one source that was given."""
    from frisket.grammar import Grammar

    if bundle != ALONE and schema is None:
        raise typer.BadParameter("--root and --with are about a JSON Schema")
    given = [source for source in (schema, tp, regex, choices, rules) if source is not None]
    if len(given) != 1:
        raise typer.BadParameter("give exactly one of a schema, --grammar, --type, --regex and --choices")
    if rules is not None:
        if not is_rules(rules):
            raise typer.BadParameter(f"the suffix says which notation it is: {', '.join(NOTATIONS)}")
        return schema_grammar(rules)
    if regex is not None:
        return Grammar.from_regex(regex)
    if choices is not None:
        texts = [choice.strip() for choice in choices.split(",")]
        if "" in texts:
            raise typer.BadParameter(f"--choices {choices!r}: choice {texts.index('') + 1} is empty")
        return Grammar.from_choices(texts)
    if tp is not None:
        return Grammar.from_type(_type(tp))
    assert schema is not None
    return schema_grammar(schema, bundle)


def schema_grammar(source: str, bundle: Bundle = ALONE) -> Grammar:
    """The grammar of a schema in a file, on stdin (`-`) or in the argument, or of a file with rules, by its suffix."""
    from frisket.grammar import Grammar

    text, name = document(source)
    if bundle != ALONE and is_rules(source):
        raise typer.BadParameter("--root and --with are about a JSON Schema")
    text = bundle.text(text, name)
    with named(name):
        if is_rules(source):
            made: Grammar = getattr(Grammar, NOTATIONS[Path(source).suffix])(text)
            return made
        grammar = Grammar.from_json_schema(text)
        if grammar.report is not None:
            grammar.report.check_asks()
        return grammar


def bundled(root: str | None, others: list[str] | None) -> Bundle:
    """The values of `--root` and `--with` as a bundle."""
    return Bundle(root, tuple(others or ()))


def is_rules(source: str) -> bool:
    """Whether the name is that of a file with rules, and not of a schema."""
    return source.lstrip()[:1] != "{" and Path(source).suffix in NOTATIONS


def document(source: str) -> tuple[str, str]:
    """The text of a schema, and the name of its source for messages."""
    if source.lstrip()[:1] in ("{", "[") or source.strip() in ("true", "false"):
        return source, "the argument"
    return (sys.stdin.read(), "stdin") if source == "-" else (read(Path(source)), source)


def prompt(text: str) -> str:
    """The prompt: the argument, or for `-` the text on stdin."""
    if text != "-":
        return text
    found = sys.stdin.read().rstrip("\n")
    if not found:
        raise typer.BadParameter("the prompt is -, and nothing came on stdin, or the schema has taken it")
    return found


@contextlib.contextmanager
def named(name: str) -> Iterator[None]:
    """Add the file's name to the place of an error in its schema or grammar."""
    try:
        yield
    except GrammarError as error:
        error.where = f"{name}:{error.where}" if error.where else name
        raise
    except InvalidSchemaError as error:
        from frisket.json_schema.text import NO_NAME

        error.where = f"{name}:{error.where}" if error.where else name
        error.hint = error.hint and error.hint.removesuffix(NO_NAME)  # this hint is only for callers that pass texts
        if Path(name).suffix in (".yaml", ".yml"):
            error.hint = "YAML is not read; turn it into JSON first, as `yq -o json` does"
        raise
    except UnsupportedSchemaError as error:
        error.hint = error.hint and error.hint.replace("in Python pass registry=", "give it as --with FILE")
        raise
    except UnsatisfiableSchemaError as error:
        error.where = f"{name}:{error.where or '(root)'}"
        raise


def model(name: str) -> Model:
    """The model by its name: `embedded`, `smollm2`, a GGUF file, a folder, or `transformers:` and a name or folder."""
    from frisket import models

    if name == "embedded":
        embedded: Model = models.embedded()
        return embedded
    if name == "smollm2":
        smollm2: Model = models.smollm2()
        return smollm2
    kind, colon, rest = name.partition(":")
    if colon and kind == "transformers":
        return models.transformers(rest)
    folder = Path(name)
    if folder.suffix == ".gguf":
        return models.gguf(folder)
    if (folder / "config.json").is_file():
        return models.transformers(folder)
    missing = [file for file in ("model.safetensors", "tokenizer.json") if not (folder / file).is_file()]
    if missing:
        raise FrisketError(
            f"no model at {name}: {' and '.join(missing)} not there",
            where="--model",
            hint="give the folder of a model of transformers (with config.json), transformers:NAME for one of the hub, "
            "a file *.gguf, or smollm2; `--model embedded` is the one inside the package",
            code="file",
        )
    from frisket.models.embedded import Embedded

    return Embedded(folder)


def vocabulary(path: Path | None) -> Vocabulary:
    """The vocabulary of a tokenizer's file, or the embedded model's."""
    if path is None:
        return model("embedded").vocabulary
    from frisket.vocabulary import Vocabulary

    if not path.exists():
        raise _unreadable(path, "there is no such file")
    if path.suffix == ".tiktoken":
        return Vocabulary.from_tiktoken(path)
    if path.suffix == ".model":
        return Vocabulary.from_sentencepiece(path)
    if path.name.startswith("tekken"):
        return Vocabulary.from_mistral(path)
    return Vocabulary.from_huggingface(path)


def tokenizer(path: Path) -> Encodes | Vocabulary:
    """An object that counts tokens: a Hugging Face tokenizer, or the vocabulary of another file."""
    file = path / "tokenizer.json" if path.is_dir() else path
    if file.suffix == ".json" and not file.name.startswith("tekken"):
        with contextlib.suppress(ImportError):
            from tokenizers import Tokenizer

            with readable(file):
                found: Encodes = Tokenizer.from_str(file.read_text(encoding="utf-8"))
                return found
    if path.suffix == ".tiktoken":
        from frisket.vocabulary import Vocabulary

        # Counting needs no end token, and a file of ranks names none.
        return Vocabulary.from_tiktoken(path, eos=())
    return vocabulary(path)


def read(path: Path) -> str:
    """The text of a file."""
    with readable(path):
        return path.read_text(encoding="utf-8-sig")


@contextlib.contextmanager
def readable(path: Path) -> Iterator[None]:
    """Add the file's name to errors while it is read."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"it is not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise _unreadable(path, (error.strerror or str(error)).lower()) from error


def _unreadable(path: Path, reason: str) -> FrisketError:
    return FrisketError(
        f"cannot read {path}: {reason}", where=str(path), hint="check the path and the folder you are in", code="file"
    )


def _type(name: str) -> Any:
    module_name, colon, attribute = name.partition(":")
    if not (module_name and colon and attribute):
        raise typer.BadParameter(f"{name!r} is not of the form module:Name, as in shop.models:Order")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        value: Any = importlib.import_module(module_name)
    except Exception as error:
        raise FrisketError(
            f"cannot import {module_name}: {type(error).__name__}: {error}",
            where="--type",
            hint="modules are looked for in the current folder and where Python looks; try: "
            f'python -c "import {module_name}"',
            code="type-import",
        ) from error
    for part in attribute.split("."):
        try:
            value = getattr(value, part)
        except AttributeError as error:
            raise FrisketError(
                f"{module_name} has no {attribute}",
                where="--type",
                hint=f"it has {', '.join(name for name in dir(value) if not name.startswith('_'))}",
                code="type-import",
            ) from error
    return value
