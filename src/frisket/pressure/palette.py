"""Level of pressure → its colour, in either theme: for the page of a trace and for `frisket play`."""

from __future__ import annotations

#: `--h1` to `--h5` are the levels of `heat.LEVELS`; text of either theme has a contrast of 7 : 1 on them.
PALETTE = """
:root { color-scheme: light dark; --text: #1b1b1b; --paper: #ffffff; --quiet: #5a5a5a; --line: #c9c9c9;
  --h1: #fff3c4; --h2: #ffe08a; --h3: #ffc078; --h4: #ff9d84; --h5: #f58ba8; }
@media (prefers-color-scheme: dark) { :root { --text: #ececec; --paper: #161616; --quiet: #b0b0b0; --line: #4a4a4a;
  --h1: #3d3716; --h2: #574a0f; --h3: #6b3f10; --h4: #7c2f1d; --h5: #7d1f45; } }
"""
