"""A library on disk behind a real server on 127.0.0.1."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
from libraries import store

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.model.document import Document
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId, Provenance
from litterm.server.http.library_server import LibraryServer
from litterm.server.http.listen import ListenAddress
from litterm.server.users.limits import ServerLimits
from litterm.server.users.user_file import UserFile
from litterm.text.documents.builder import abstract_document

TEXTS = (
    ("P18-1001", "Structured pruning of language models", "We prune whole heads. Pruning heads speeds up inference."),
    ("P19-1002", "Unstructured pruning of single weights", "Single weights are pruned. The loss in accuracy is small."),
    ("P20-1003", "A corpus of parallel sentences", "We collect parallel sentences from the web. The corpus is large."),
)


def papers(folder: Path) -> list[Parsed]:
    """Three papers, the first with a full text, as if they had been read from a file in `folder`."""
    found = [
        Paper(
            PaperId(f"acl:{key}"),
            title,
            abstract,
            (Author("Lee", "Ada"),),
            2000 + int(key[1:3]),
            provenance=Provenance("jsonl", str(folder / "papers.jsonl"), "2026-01-01T00:00:00Z"),
        )
        for key, title, abstract in TEXTS
    ]
    return [Parsed(found[0], full_text(found[0])), *map(Parsed, found[1:])]


def full_text(paper: Paper) -> Document:
    return replace(abstract_document(paper), origin="jsonl")


@contextmanager
def served(
    home: Path, *, limits: ServerLimits | None = None, address: ListenAddress | None = None, filled: bool = True
) -> Iterator[LibraryServer]:
    """A server over the library in `home`, with the users that are kept there."""
    settings = replace(from_home(home), offline=True)
    if filled:
        store(settings.library, papers(home / "secret-folder"))
    server = LibraryServer(
        build_engine(settings),
        settings,
        UserFile(settings.config.parent),
        limits or ServerLimits(),
        address or ListenAddress(port=0),
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


def client(server: LibraryServer, token: str = "") -> httpx.Client:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=30)
