"""Programs with threads that come and go, each in a process of its own: one that crashes is a test that fails."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

#: Answers by the embedded model: the first one loads the extension, in whichever thread it runs.
ANSWER = """
def answer(number):
    import frisket

    model = frisket.models.embedded()
    assert frisket.generate(model, "My card", {"enum": ["a", number]}) in ("a", number)
"""
#: A server's address → ten requests, one after another, each in a connection of its own.
ASK = """
from urllib.request import urlopen


def ask(port):
    for number in range(10):
        with urlopen(f"http://127.0.0.1:{port}/{number}", timeout=300) as reply:
            assert reply.read() == b"done"
"""

SHORT_THREADS = """
from threading import Thread

for number in range(10):
    thread = Thread(target=answer, args=[number])
    thread.start()
    thread.join()
"""

THOUSAND_THREADS = """
from threading import Thread

from frisket import Grammar
from frisket._core import Vocabulary


def compute(number):
    matcher = Grammar.from_regex(f"a{{{number}}}b+").compile(vocabulary).matcher()
    matcher.advance_bytes(b"a" * number)
    assert matcher.allowed() == [98]


vocabulary = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[256])
for number in range(0, 1_000, 4):
    threads = [Thread(target=compute, args=[number + place]) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""

POOLS = """
from concurrent.futures import ThreadPoolExecutor

for number in range(5):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(answer, range(4)))
"""

HTTP_SERVER = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        answer(int(self.path[1:]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"done")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever).start()
ask(server.server_port)
server.shutdown()
"""

WERKZEUG = """
from threading import Thread

from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response


@Request.application
def application(request):
    answer(int(request.path[1:]))
    return Response("done")


server = make_server("127.0.0.1", 0, application, threaded=True)
Thread(target=server.serve_forever).start()
ask(server.server_port)
server.shutdown()
"""

DJANGO = """
from threading import Thread

from django.conf import settings
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler, get_internal_wsgi_application
from django.http import HttpResponse
from django.urls import path


def view(request, number):
    answer(number)
    return HttpResponse("done")


urlpatterns = [path("<int:number>", view)]
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], WSGI_APPLICATION=None)
server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
server.set_app(get_internal_wsgi_application())
Thread(target=server.serve_forever).start()
ask(server.server_port)
server.shutdown()
"""

FASTAPI = """
from fastapi import FastAPI
from fastapi.testclient import TestClient

application = FastAPI()


@application.get("/{number}")
def read(number: int):
    answer(number)
    return "done"


for number in range(10):
    # Without `with`, each request has an event loop and threads of its own.
    assert TestClient(application).get(f"/{number}").json() == "done"
"""

EVENT_LOOPS = """
import asyncio
from threading import Thread


async def work():
    answer(0)
    await asyncio.gather(*(asyncio.to_thread(answer, number) for number in range(3)))


for _ in range(5):
    thread = Thread(target=lambda: asyncio.run(work()))
    thread.start()
    thread.join()
"""

#: Words of a length that four numbers without a common divisor divide: to find the first one takes minutes.
ENDLESS = """
from frisket import Grammar, Limits

lengths = [{"pattern": f"^(?:[ab]{{{length}}})*$"} for length in (97, 101, 103, 107)]
schema = {"type": "string", "minLength": 1, "allOf": lengths}


def endless():
    Grammar.from_json_schema(schema, limits=Limits(steps=2**63, memory_bytes=2**40))


Grammar.from_json_schema({"type": "string"})
"""

LIVE_THREADS = (
    ENDLESS
    + """
import time
from threading import Thread

for _ in range(3):
    Thread(target=endless, daemon=True).start()
time.sleep(0.5)
"""
)

INTERRUPTED = (
    ENDLESS
    + """
import os
import signal
from threading import Timer

signal.signal(signal.SIGINT, signal.default_int_handler)
Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    endless()
except KeyboardInterrupt:
    answer(1)
else:
    raise SystemExit("the compile was not interrupted")
"""
)

PROGRAMS = {
    "short threads": SHORT_THREADS,
    "a thousand threads": THOUSAND_THREADS,
    "pools of threads": POOLS,
    "http.server": ASK + HTTP_SERVER,
    "werkzeug": ASK + WERKZEUG,
    "django": ASK + DJANGO,
    "fastapi": FASTAPI,
    "event loops in threads": EVENT_LOOPS,
    "exit with live threads": LIVE_THREADS,
    "Ctrl-C in a long compile": INTERRUPTED,
}
#: The packages that a program imports, if they are no dependencies.
NEEDED = {"werkzeug": ["werkzeug"], "django": ["django"], "fastapi": ["fastapi", "httpx"]}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_with_threads_ends_well(name: str) -> None:
    missing = [package for package in NEEDED.get(name, []) if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    command = [sys.executable, "-X", "faulthandler", "-c", ANSWER + PROGRAMS[name]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"status {done.returncode}\n{done.stderr[-4_000:]}"
