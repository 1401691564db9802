"""The heap's next pages are there before a mask needs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os, time
from frisket import Grammar, Vocabulary

def threads():
    return len(os.listdir("/proc/self/task"))

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

vocabulary = Vocabulary.from_bytes([bytes([value]) for value in range(256)], eos=[255])
alone, before = threads(), resident()
Grammar.from_regex("[a-z]{3}").compile(vocabulary).matcher().mask()
while threads() > alone:
    time.sleep(0.001)
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="MADV_POPULATE_WRITE is Linux's")
def test_a_first_grammar_brings_pages_for_the_next_ones() -> None:
    grown = int(subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout)
    assert grown >= 16 << 20, "eight huge pages; the grammar itself takes less than one"
