"""`python -m tests.conformance.templates` → the differences between chat templates and the families of their models.

    python -m tests.conformance.templates                              every pair
    python -m tests.conformance.templates --template Qwen-Qwen3-0.6B   one template, by its name
    python -m tests.conformance.templates --family glm45 --case null   one family, one case
    python -m tests.conformance.templates --family own                 the families that are read from the templates
    python -m tests.conformance.templates --write                      write the list anew, with the reasons it has

Each difference that `differences.toml` does not list is shown, and so is each that it lists and that is gone. With
either, the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from .case import CASES
from .judge import Difference, judge
from .known import Key, entries, key, known, pairs, wanted


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance.templates",
        description="Chat templates against the families of their models",
        epilog=(__doc__ or "").partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--template", action="append", help="one template by its name; may be repeated")
    parser.add_argument("--family", action="append", help="one family; may be repeated")
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES], help="one case")
    parser.add_argument("--all", action="store_true", help="show the differences that have a reason, too")
    parser.add_argument("--write", action="store_true", help="write the list anew; what is new has no reason in it")
    chosen = parser.parse_args(arguments)
    began = time.monotonic()
    cases = [case for case in CASES if chosen.case is None or case.name in chosen.case]
    chosen_pairs = [
        (claim, family)
        for claim, family in pairs()
        if (chosen.template is None or claim.name in chosen.template)
        and (chosen.family is None or family in chosen.family)
    ]
    if not chosen_pairs:
        parser.error("no claim has this template and this family")
    reasons = known()
    judged = 0
    found: dict[Key, Difference] = {}
    for place, (claim, family) in enumerate(chosen_pairs, 1):
        verdict = judge(claim.text(), wanted(claim, family), cases=cases)
        judged += verdict.judged
        mine = {key(claim.name, family, difference): difference for difference in verdict.differences}
        found |= mine
        print(
            f"{place:3}/{len(chosen_pairs)} {claim.name} {family}: {verdict.judged:,} judged, {len(mine)} differ, "
            f"{len(verdict.unwritten)} cases unwritten",
            file=sys.stderr,
        )
    judged_pairs = {(claim.name, family) for claim, family in chosen_pairs}
    names = {case.name for case in cases}
    stale = [each for each in reasons if each[:2] in judged_pairs and each[2] in names and each not in found]
    fresh = [each for each in found if not reasons.get(each)]
    for each in found if chosen.all else fresh:
        print(f"{' · '.join(each)}: {found[each].detail}")
    for each in stale:
        print(f"gone, take it off the list: {' · '.join(each)}")
    print(
        f"{len(chosen_pairs)} pairs, {judged:,} judgements in {time.monotonic() - began:,.0f} s: "
        f"{len(found):,} differences, "
        f"{len(fresh):,} without a reason; {len(stale):,} listed ones are gone"
    )
    if chosen.write:
        kept = {each: reason for each, reason in reasons.items() if each not in stale}
        _write({**kept, **{each: reasons.get(each, "") for each in found}})
    return 1 if fresh or stale else 0


def _write(reasons: dict[Key, str]) -> None:
    path = Path(__file__).with_name("differences.toml")
    head = path.read_text(encoding="utf-8").partition("[[")[0]
    lines = []
    for entry in entries(reasons.items()):
        lines.append("[[difference]]")
        for name, value in entry.items():
            shown = json.dumps(value, ensure_ascii=False)
            if len(shown) > 100 and not isinstance(value, str):
                shown = "[\n" + "".join(f"    {json.dumps(item, ensure_ascii=False)},\n" for item in value) + "]"
            lines.append(f"{name} = {shown}")
        lines.append("")
    path.write_text(head + "\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
