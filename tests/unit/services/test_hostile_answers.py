"""Answers of a service that would fill the memory: refused, or read within what a child process may have."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fakes_web_server import WebServer, page
from http_clients import opened

from litterm.core.errors import Malformed, TooLarge
from litterm.core.tasks import run
from litterm.services.http.messages import Request

READ = """
import json, sys
from litterm.library.workers.memory import limit_memory, peak_megabytes
from litterm.core.errors import LittermError
from litterm.importers.xml.tree import parse_tree
from litterm.services.json_access import decode_json
from litterm.services.http.messages import ServiceResponse

limit_memory(1024)
MB = 1 << 20
BODIES = {
    "empty lists": lambda: b"[" + b"[]," * (50 * MB // 3) + b"[]]",
    "small objects": lambda: b"[" + b'{"a":1},' * (12 * MB // 8) + b"{}]",
    "as many as are read": lambda: b"[" + b'{"a":1},' * 1_400_000 + b"{}]",
    "numbers": lambda: b"[" + b"1," * (31 * MB // 2) + b"1]",
    "deep": lambda: b"[" * (31 * MB),
    "long text": lambda: b'["' + b"\\\\u00e9" * (31 * MB // 6) + b'"]',
    "deep XML": lambda: b"<a>" * (31 * MB // 3),
    "wide XML": lambda: b"<a>" + b"<b/>" * (31 * MB // 4) + b"</a>",
    "as much XML as is read": lambda: b"<a>" + b"<b c='d'/>" * 900_000 + b"</a>",
    "large XML": lambda: b"<a>" + b"x" * (50 * MB) + b"</a>",
}
for name, body in BODIES.items():
    try:
        if "XML" in name:
            parse_tree(body())
        else:
            decode_json(ServiceResponse("https://api.crossref.org/x", 200, body()), "api.crossref.org")
        told = "read"
    except LittermError as error:
        told = type(error).__name__
    print(json.dumps([name, told, round(peak_megabytes())]), flush=True)
"""


def test_a_hostile_answer_is_refused_or_read_within_the_memory_of_a_child() -> None:
    ended = subprocess.run([sys.executable, "-c", READ], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    told = {name: (outcome, peak) for name, outcome, peak in map(json.loads, ended.stdout.splitlines())}
    assert {name: outcome for name, (outcome, _) in told.items()} == {
        "empty lists": "Malformed",
        "small objects": "Malformed",
        "as many as are read": "read",
        "numbers": "Malformed",
        "deep": "Malformed",
        "long text": "read",
        "deep XML": "BadInput",
        "wide XML": "BadInput",
        "as much XML as is read": "read",
        "large XML": "BadInput",
    }
    assert max(peak for _, peak in told.values()) < 1024


def test_fifty_megabytes_are_not_taken(tmp_path: Path, server: WebServer) -> None:
    server.on("/s2/x", page(b"[" + b"[]," * (50 << 20 >> 2) + b"[]]", content_type="application/json"))
    with opened(tmp_path, server) as client, pytest.raises(TooLarge, match="more than 32 MB"):
        run(client.get(Request(f"{server.url}/s2/x")))


def test_what_is_no_answer_is_not_read_for_what_it_says(tmp_path: Path, server: WebServer) -> None:
    body = b'{"error": "No such thing"' + b',"a":[]' * 20_000 + b"}"
    server.on("/arxiv/x", page(body))
    with opened(tmp_path, server) as client, pytest.raises(Malformed, match="other than XML") as caught:
        run(client.get(Request(f"{server.url}/arxiv/x", expect="xml")))
    assert "No such thing" in str(caught.value)
    assert len(str(caught.value)) < 1000
