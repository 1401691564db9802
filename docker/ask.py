"""Address of a server → one answer, held against its schema; waits until the server is there."""

from __future__ import annotations

import json
import sys
import time
from urllib.error import URLError
from urllib.request import Request, urlopen

SCHEMA = {"enum": ["billing", "technical", "other"]}
BODY = {
    "model": "embedded",
    "messages": [{"role": "user", "content": "My card was charged twice"}],
    "response_format": {"type": "json_schema", "json_schema": {"name": "category", "schema": SCHEMA}},
}


def ask(address: str) -> str:
    """The answer's value."""
    while True:
        try:
            with urlopen(f"{address}/health"):
                break
        except (URLError, ConnectionError):
            time.sleep(0.1)
    request = Request(
        f"{address}/v1/chat/completions", json.dumps(BODY).encode(), headers={"Content-Type": "application/json"}
    )
    with urlopen(request) as reply:
        answer = json.load(reply)["choices"][0]["message"]["content"]
    value: str = json.loads(answer)
    if value not in SCHEMA["enum"]:
        raise SystemExit(f"{address}: {answer} is not what was asked for")
    return value


if __name__ == "__main__":
    print(ask(sys.argv[1].rstrip("/")))
