"""Command-line arguments → exit code: 0 success, 1 refused (reason on stderr), 2 wrong usage, 130 interrupted."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Sequence

from frisket.errors import FrisketError, GrammarError, MissingDependencyError, UnsupportedSchemaError


def main(arguments: Sequence[str] | None = None) -> None:
    """The `frisket` command: runs it and exits."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code. A FrisketError becomes its message, never a traceback."""
    try:
        code = _run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the pipe has closed it, as `head` does.
        _close()
        return 1
    except OSError as error:
        _close()
        show(_lost_output(error), as_json=False)
        return 1
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        try:
            import rich
            import typer
        except ImportError as error:
            raise MissingDependencyError.of("typer" if "typer" in str(error) else "rich", "cli") from error
        del rich, typer
        from frisket.cli.app import app

        app(_with_values(arguments), prog_name="frisket")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return 130
    except FrisketError as error:
        show(error, as_json="--json" in arguments)
        return 1
    except UnicodeEncodeError as error:
        show(_unwritable(error), as_json="--json" in arguments)
        return 1
    return 0


def _with_values(arguments: Sequence[str]) -> list[str]:
    """The arguments with a placeholder after a bare `--trace`, since typer requires a value for each option.

    >>> _with_values(["generate", "--trace", "an order"])
    ['generate', '--trace', '-', 'an order']
    """
    from frisket.cli.option import BARE_TRACE

    found: list[str] = []
    for place, argument in enumerate(arguments):
        found.append(argument)
        following = "".join(arguments[place + 1 : place + 2])
        if argument == "--trace" and "--" not in found and not following.endswith((".html", ".json")):
            found.append(BARE_TRACE)
    return found


def show(error: FrisketError, *, as_json: bool) -> None:
    """The error for a program on stdout, or for a person on stderr."""
    places = error.places if isinstance(error, UnsupportedSchemaError) else []
    if as_json:
        described = {"code": error.code, "message": error.message, "where": error.where, "hint": error.hint}
        if places:
            described["places"] = [{"pointer": pointer, "reason": reason} for pointer, reason in places]  # type: ignore[assignment]
        print(json.dumps({"error": described}))  # in ASCII, since the error may quote unprintable text
        return
    lines = [f"error: {error.message}"]
    lines += [f"   at: {error.where}"] if error.where else []
    lines += [error.excerpt] if isinstance(error, GrammarError) and error.excerpt else []
    lines += [f"       {pointer or '(root)'}: {reason}" for pointer, reason in places if len(places) > 1]
    lines += [f" hint: {error.hint}"] if error.hint else []
    with contextlib.suppress(OSError):
        print("\n".join(lines), file=sys.stderr)


def _close() -> None:
    """Close stdout, so that Python does not flush it at exit and report an error."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _lost_output(error: OSError) -> FrisketError:
    """The error for an answer that could not be written."""
    return FrisketError(
        f"the answer cannot be written: {(error.strerror or str(error)).lower()}",
        hint="see where standard output leads, and whether there is room",
        code="output",
    )


def _unwritable(error: UnicodeEncodeError) -> FrisketError:
    """The error for undecodable bytes on the command line, or for a character that the terminal lacks."""
    return FrisketError(
        f"{error.object[error.start : error.end]!a} cannot be written in {error.encoding}",
        hint="give arguments in UTF-8, and let the output be UTF-8: PYTHONIOENCODING=utf-8",
        code="encoding",
    )
