"""Script name → code points: the Script property of the Unicode Character Database, for the scripts in wide use.

Each range is `gap-length` in hexadecimal: the distance from the end of the range before it, then how many code points
follow the first.
"""

from __future__ import annotations

from functools import cache


@cache
def script(name: str) -> tuple[tuple[int, int], ...] | None:
    """The code points of a script by its long or short name, any case; None if it is not in the table."""
    key = name.lower().replace("_", "").replace(" ", "")
    packed = _PACKED.get(_SHORT.get(key, key))
    return None if packed is None else unpacked(packed)


def unpacked(packed: str) -> tuple[tuple[int, int], ...]:
    """The ranges of a packed table."""
    ranges: list[tuple[int, int]] = []
    end = 0
    for part in packed.split():
        gap, _, length = part.partition("-")
        start = end + int(gap, 16)
        end = start + int(length or "0", 16)
        ranges.append((start, end))
    return tuple(ranges)


_PACKED: dict[str, str] = {
    "arabic": (
        "600-4 2-5 2-d 2-2 2-1f 2-9 c-19 2-6b 2-21 51-2f f1-21 6-4a 2-1c f251-1ed 3-8f 21-f 71-4 2-86 f64-1e "
        "44-5 2-25 2-f df01-3 2-1a 2-1 2 3 2-9 2-3 2 2 7 5 2 2 2-2 2-1 2 3 2 2 2 2 2-1 2 3-3 2-6 2-3 2-3 2 "
        "2-9 2-10 6-2 2-4 2-10 35-1"
    ),
    "armenian": ("531-25 2-37 f584-4"),
    "bengali": ("980-3 2-7 3-1 3-15 2-6 2 4-3 3-8 3-1 3-3 9 5-1 2-4 3-18 113f2-1"),
    "bopomofo": ("2ea-1 2e1a-2a 71-1f"),
    "braille": ("2800-ff"),
    "cherokee": ("13a0-55 3-5 9773-4f"),
    "common": (
        "0-40 1b-5 1b-2e 2-e 2-4 18 20 1c2-26 6-4 3-13 75 a 7 2 27e 7 f 4 21 9d 205 82-1 4da 196-3 123 5f0-2 "
        "48-1 cc-1 2 4ce e 8-3 2-5 2-2 3 306-b 3-56 2-a 4-a 2-f 11-24 3c-25 2-2 3-5 2-1a 2-10 2a-2 5-299 "
        "17-a 16-39f 101-273 3-89 201-5d 3-3 18d-14 2 2-18 10-7 5-3 5c-1 4 5b-1 94-f 21-25 a 31-3f 20-50 30 "
        "59-a7 19c1-3f 5901-21 67-2 a6-9 f5 a1 18c f-1 51d3-1 d1-9 17-22 2-12 2-3 94 2-1f 1b-5 1b-a b 2e-1 "
        "41-6 2-6 b-4 103-2 5-2c 4-8 51-c 34-2c e5-1a b9a5-3 f5d-fc 4-1b3 7-16 2-2 9-20 53-73 3d-f5 b-26 "
        "3-3d 4-10 9-1 8-1d 5-51 51-a 3-24 3f-13 d-13 d-56 a-18 88-54 2-46 2-1 3 3-1 3-3 2-b 2 2-6 2-40 2-3 "
        "3-7 2-6 2-1b 2-3 2-4 2 4-6 2-154 2-123 3-31 301-1c 1155-43 4d-3c 2c3-2b 5-63 d-e 3-e 2-e 2-24 b-ae "
        "38-19 2-1 e-2b 5-8 8-1 f-5 9b-3d9 3-10 4-c 4-db 5-b 5-1b 5-37 9-9 7-27 9-1d 3-b 5-1 f-8 28-157 9-d "
        "3-c 4-46 2 4-11 2-c 4-b 6-92 2-66 c0407 1f-5f"
    ),
    "coptic": ("3e2-d 2891-73 6-6"),
    "cyrillic": ("400-84 3-a8 1751-a a1 4d 1068-1f 7841-5f 578f-1 e201-3d 22"),
    "devanagari": ("900-50 5-e 3-19 9f61-1f 7201-a"),
    "ethiopic": (
        "1200-48 2-3 3-6 2 2-3 3-28 2-3 3-20 2-3 3-6 2 2-3 3-e 2-38 2-3 3-42 3-1f 4-19 19e7-16 a-6 2-6 2-6 "
        "2-6 2-6 2-6 2-6 2-6 7d23-5 3-5 3-5 a-6 2-6 13cb2-6 2-3 2-1 2-e"
    ),
    "georgian": ("10a0-25 2 6 3-2a 2-3 b91-2a 3-2 1041-25 2 6"),
    "greek": (
        "370-3 2-2 3-3 2 5 2 2-2 2 2-13 2-3e f-f 1927-4 33-4 5-4 55 141-15 3-5 3-25 3-5 3-7 2 2 2 2-1e 3-34 "
        "2-e 2-d 3-5 2-12 3-2 2-8 128 8a3f 55db-4e 12 d060-45 dae-1"
    ),
    "gujarati": ("a81-2 2-8 2-2 2-15 2-6 2-1 2-4 3-9 2-2 2-2 3 10-3 3-b 8-6"),
    "gurmukhi": ("a01-2 2-5 5-1 3-15 2-6 2-1 2-1 2-1 3 2-4 5-1 3-2 4 8-3 2 8-10"),
    "han": (
        "2e80-19 2-58 d-d5 30 2 1a-8 f-3 3c5-19bf 41-51ff 5901-16d 3-69 7509-1 d-6 900a-a6df 21-111e 2-168d "
        "3-1d30 10-26d 9a3-21d 5e3-134a 6-2129"
    ),
    "hangul": ("1100-ff 1e2f-1 102-5d 72-1e 42-1e 76e2-1c 284-2ba3 d-16 5-30 27a5-1e 4-5 3-5 3-5 3-2"),
    "hebrew": ("591-38 7-1a 5-5 f529-19 2-4 2 2-1 2-1 2-9"),
    "hiragana": ("3041-55 7-2 17f62-11e 4 f 1e-2 40ae"),
    "inherited": (
        "300-6f 116-1 1c5-a 1b 2e1-3 115c-40 1e0-2 2-c 2-6 5 7 4-1 c7-3f 20d-1 c3-20 f3a-3 6c-1 cd66-f 11-d "
        "3d0 e3 105b bbc5-2d 3-16 1e1-1 3f-2 12-7 3-6 1f-3 ae-1 c2ea4-ef"
    ),
    "kannada": ("c80-c 2-2 2-16 2-9 2-4 3-8 2-2 2-3 8-1 6-2 2-3 3-9 2-2"),
    "katakana": ("30a1-59 3-2 f1-f d1-2e 2-57 cc0f-9 2-2c b053-3 2-6 2-1 2 120-2 2-4 2d f-4"),
    "khmer": ("1780-5d 3-9 7-9 1e7-1f"),
    "lao": ("e81-1 2 2-4 2-17 2 2-16 3-4 2 2-6 2-9 3-3"),
    "latin": (
        "41-19 7-19 30 10 6-16 2-1e 2-1c0 28-4 1a1c-25 7-30 6-3 6-c 2-45 42-ff 172 e 11-f 8b-1 7 1c 12-28 "
        "ad8-1f 7aa3-65 4-52 5 f-e 331-2a 2-8 2-3 3-1 4f93-6 41b-19 7-19 826-5 2-29 2-d d741-81 f-6 37-25 "
        "3-a"
    ),
    "malayalam": ("d00-c 2-2 2-32 2-2 2-5 5-f 3-19"),
    "mongolian": ("1800-1 3 2-13 7-58 8-2a fdb6-c"),
    "myanmar": ("1000-9f 9941-1e 62-1f 6c51-13"),
    "oriya": ("b01-2 2-7 3-1 3-15 2-6 2-1 2-4 3-8 3-1 3-2 6-4 5-1 2-4 3-11"),
    "sinhala": ("d81-2 2-11 4-17 2-8 2 3-6 4 5-5 2 2-7 7-9 3-2 103ed-13"),
    "syriac": ("700-d 2-3b 3-2 111-a"),
    "tamil": ("b82-1 2-5 4-2 2-3 4-1 2 2-1 4-1 4-2 4-b 5-4 4-2 2-3 3 7 f-14 113c6-31 e"),
    "telugu": ("c00-c 2-2 2-16 2-f 3-8 2-2 2-3 8-1 2-2 2-1 3-3 3-9 8-8"),
    "thaana": ("780-31"),
    "thai": ("e01-39 6-1b"),
    "tibetan": ("f00-47 2-23 5-26 2-23 2-e 2-6 5-1"),
}

_SHORT = {
    "arab": "arabic",
    "armn": "armenian",
    "beng": "bengali",
    "bopo": "bopomofo",
    "brai": "braille",
    "cher": "cherokee",
    "zyyy": "common",
    "copt": "coptic",
    "qaac": "coptic",
    "cyrl": "cyrillic",
    "deva": "devanagari",
    "ethi": "ethiopic",
    "geor": "georgian",
    "grek": "greek",
    "gujr": "gujarati",
    "guru": "gurmukhi",
    "hani": "han",
    "hang": "hangul",
    "hebr": "hebrew",
    "hira": "hiragana",
    "zinh": "inherited",
    "qaai": "inherited",
    "knda": "kannada",
    "kana": "katakana",
    "khmr": "khmer",
    "laoo": "lao",
    "latn": "latin",
    "mlym": "malayalam",
    "mong": "mongolian",
    "mymr": "myanmar",
    "orya": "oriya",
    "sinh": "sinhala",
    "syrc": "syriac",
    "taml": "tamil",
    "telu": "telugu",
    "thaa": "thaana",
    "thai": "thai",
    "tibt": "tibetan",
}
