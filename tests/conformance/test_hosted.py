"""A sample of MaskBench through each dialect; `python -m tests.conformance.hosted` takes more of it."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.data import data_dir, maskbench

pytest.importorskip("jsonschema_rs")

from frisket import hosted

from .hosted import look


@pytest.mark.data
@pytest.mark.parametrize("to", hosted.dialects())
def test_decoded_documents_are_valid_or_explained(to: str) -> None:
    entries = list(islice(maskbench(data_dir()), 0, None, 120))
    found = {entry["id"]: look(entry["schema"], to, number) for number, entry in enumerate(entries)}
    assert not {name: shown for name, (outcome, shown) in found.items() if shown}
    assert sum(outcome.startswith("all valid") for outcome, _ in found.values()) > len(found) / 2
