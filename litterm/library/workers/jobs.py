"""The jobs a child can be started for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeAlias, cast

Answer: TypeAlias = Callable[[Mapping[str, object]], Mapping[str, object]]
"""One request to one answer. May raise `LittermError`, which crosses the border by name and message."""

JOBS: Mapping[str, str] = {
    "segments": "litterm.library.workers.segments",
    "pdf": "litterm.library.workers.pdf",
    "records": "litterm.library.workers.records",
    "citations": "litterm.citations.storage.pack_job",
    "echo": "litterm.library.workers.ping",
}
"""Job to the module whose `answer` does it; imported in the child only."""


def find_answer(job: str) -> Answer:
    """The function behind `job`.

    Raises:
        KeyError: there is no such job.
    """
    return cast(Answer, import_module(JOBS[job]).answer)
