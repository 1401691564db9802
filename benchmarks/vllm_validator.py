"""`python -m benchmarks.vllm_validator` → what vLLM's own validator does with MaskBench's schemas, beside frisket.

    FRISKET_ENGINE_TREE=$(python -m tests.contract vllm 0.33) python -m benchmarks.vllm_validator

No model and no GPU: the method that validates each request of vLLM, `SamplingParams._validate_structured_outputs`, as
it is without frisket and with the backend `auto`. It needs what that method imports: xgrammar, llguidance,
outlines_core and lm-format-enforcer. Some minutes.
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.report import commit
from frisket import Grammar
from frisket.errors import FrisketError
from tests import tiny_model
from tests.data import maskbench, required_data_dir

#: Keyword, or keywords of one subschema, that vLLM's check for xgrammar looks at.
SUBJECTS = {
    "`multipleOf`": ("multipleOf",),
    "`uniqueItems`": ("uniqueItems",),
    "`contains`": ("contains",),
    "`format`": ("format",),
    "`pattern` with a length": ("pattern", ("minLength", "maxLength")),
    "`propertyNames`": ("propertyNames",),
    "`patternProperties`": ("patternProperties",),
    "`allOf` of two or more": ("allOf",),
}


#: What becomes of a request.
OUTCOMES = ("xgrammar", "guidance", "outlines", "refused", "ends not")
#: What one schema may take, of CPU and of memory.
SECONDS, BYTES = 20, 4 << 30
#: One for each of vLLM's backends, so that all is imported before the first schema is looked at.
WARM: tuple[dict[str, Any], ...] = (
    {"type": "integer"},
    {"type": "integer", "multipleOf": 2},
    {"patternProperties": {"a": {}, "b": {}}},
)


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(
        prog="python -m benchmarks.vllm_validator", description=(__doc__ or "").split("\n")[0]
    )
    asked.add_argument("--every", type=int, default=1, help="look at one schema in so many")
    chosen = asked.parse_args(arguments)
    folder = required_data_dir()
    sys.path += [path for path in os.environ.get("FRISKET_ENGINE_TREE", "").split(os.pathsep) if path]
    vllm = importlib.import_module("vllm")
    tokenizer = tiny_model.make_tokenizer(importlib.import_module("transformers"))
    for schema in WARM:
        _chosen(schema, tokenizer)
    all_of, by_subject = Counter[tuple[str, bool]](), {name: Counter[tuple[str, bool]]() for name in SUBJECTS}
    for row in islice(maskbench(folder), 0, None, chosen.every):
        outcome = _vllm(row["schema"], tokenizer), _is_served(row["schema"])
        all_of[outcome] += 1
        for name in _subjects(row["schema"]):
            by_subject[name][outcome] += 1
    print(_page(str(vllm.__version__), all_of, by_subject))
    return 0


def _vllm(schema: Any, tokenizer: Any) -> str:
    """As `_chosen`, by a process of its own; "ends not" where it takes more than SECONDS of CPU or BYTES."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        most = BYTES + int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            os._exit(OUTCOMES.index(_chosen(schema, tokenizer)))
        except MemoryError:
            os._exit(OUTCOMES.index("ends not"))
        except BaseException:
            traceback.print_exc()
            os._exit(len(OUTCOMES))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == len(OUTCOMES):
        raise RuntimeError("vLLM's validator cannot be run: see above")
    return OUTCOMES[code] if code >= 0 else "ends not"


def _chosen(schema: Any, tokenizer: Any) -> str:
    """The backend that vLLM chooses for a schema, or "refused"."""
    sampling = importlib.import_module("vllm.sampling_params")
    config = importlib.import_module("vllm.config").StructuredOutputsConfig(backend="auto")
    try:
        params = sampling.SamplingParams(structured_outputs=sampling.StructuredOutputsParams(json=schema))
        params._validate_structured_outputs(SimpleNamespace(is_diffusion=False), config, tokenizer)
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        return "ends not" if "bad_alloc" in str(error) else "refused"
    return str(params.structured_outputs._backend)


def _is_served(schema: Any) -> bool:
    try:
        Grammar.from_json_schema(schema)
    except FrisketError:
        return False
    return True


def _subjects(schema: Any) -> set[str]:
    found = set()
    for part in _subschemas(schema):
        for name, (first, *rest) in SUBJECTS.items():
            is_there = first in part and all(any(key in part for key in keys) for keys in rest)
            if is_there and (first != "allOf" or (isinstance(part[first], list) and len(part[first]) > 1)):
                found.add(name)
    return found


def _subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object in a schema; a few are no subschemas, such as the members of `properties`."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from _subschemas(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _subschemas(value)


def _page(version: str, all_of: Counter[Any], by_subject: dict[str, Counter[Any]]) -> str:
    lines = [
        f"vLLM {version}, backend `auto`, and frisket at {commit()}; MaskBench dev, {all_of.total():,} schemas.",
        "",
        "| schemas with | schemas | xgrammar | guidance | outlines | refused | ends not | frisket refuses | both |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, counted in {"anything": all_of, **by_subject}.items():
        backends = Counter[str]()
        for (backend, _), number in counted.items():
            backends[backend] += number
        refused = sum(number for (_, is_served), number in counted.items() if not is_served)
        cells = [counted.total(), *(backends[key] for key in OUTCOMES), refused]
        lines.append(f"| {name} | {' | '.join(f'{cell:,}' for cell in (*cells, counted['refused', False]))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
