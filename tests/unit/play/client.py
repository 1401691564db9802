"""Models → a client of the page's API in this process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

import frisket

#: Says of a category that the model wants to write another one.
SCHEMA = {
    "type": "object",
    "properties": {"category": {"enum": ["account", "bug"]}, "note": {"type": "string", "maxLength": 20}},
    "required": ["category", "note"],
    "additionalProperties": False,
}
ASK: dict[str, Any] = {
    "notation": "json_schema",
    "text": json.dumps(SCHEMA),
    "model": "embedded",
    "prompt": "My card was charged twice",
    "max_tokens": 60,
}


class Client:
    """Requests as the page sends them."""

    def __init__(self, models: Mapping[str, Any] | None = None, **settings: Any) -> None:
        for package in ("starlette", "httpx", "prometheus_client"):
            pytest.importorskip(package, reason=f"{package} is not installed")
        from starlette.testclient import TestClient

        from frisket.play import Settings, make_application

        application = make_application(models or {"embedded": frisket.models.embedded}, Settings(**settings))
        self.service = application.state.service
        self.http = TestClient(application, base_url="http://127.0.0.1:8765")

    def get(self, path: str, **query: Any) -> Any:
        return self._read(self.http.get(path, params=query))

    def post(self, path: str, **body: Any) -> Any:
        return self._read(self.http.post(path, json=body))

    def lines(self, path: str, **body: Any) -> list[Any]:
        response = self.http.post(path, json=body)
        assert response.status_code == 200, response.text
        return [json.loads(line) for line in response.text.splitlines()]

    def begin(self, **more: Any) -> str:
        found: str = self.post("/api/answers", **{**ASK, **more})["id"]
        return found

    def run(self, name: str, **body: Any) -> tuple[list[Any], Any]:
        """Steps and what ended them: the state, or an error."""
        found = self.lines(f"/api/answers/{name}/run", **body)
        errors = [line["error"] for line in found if "error" in line]
        return [line["step"] for line in found if "step" in line], errors[0] if errors else found[-1]["state"]

    @staticmethod
    def _read(response: Any) -> Any:
        found = response.json()
        return found if response.status_code == 200 else {"status": response.status_code, **found}
