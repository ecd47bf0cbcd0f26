"""`python -m litterm.library.workers JOB`: the child's side of the conversation."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import IO, TypeAlias, cast

from litterm.core.errors import LittermError

Answer: TypeAlias = Callable[[Mapping[str, object]], Mapping[str, object]]
"""One request to one answer. May raise `LittermError`, which crosses the border by name and message."""

JOBS: Mapping[str, str] = {
    "segments": "litterm.library.workers.segments",
    "pdf": "litterm.library.workers.pdf",
    "records": "litterm.library.workers.records",
    "echo": "litterm.library.workers.ping",
}
"""Job to the module whose `answer` does it; imported in the child only."""


def main() -> int:
    """Answers requests until standard input closes; 2 for a job that does not exist."""
    if len(sys.argv) != 2 or sys.argv[1] not in JOBS:
        sys.stderr.write(f"usage: python -m litterm.library.workers {{{','.join(JOBS)}}}\n")
        return 2
    # Ctrl-C in the terminal reaches the whole group; the parent decides what becomes of its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A library that prints would otherwise put its words between the replies.
    replies = _private_stdout()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
    answer = _find_answer(sys.argv[1])
    while True:
        _write_reply(replies, _run_job(answer, requests.get()))


def _find_answer(job: str) -> Answer:
    """The function that runs `job`.

    Raises:
        KeyError: there is no such job.
    """
    return cast(Answer, import_module(JOBS[job]).answer)


def _private_stdout() -> IO[bytes]:
    """Standard output for replies alone: whatever else prints goes to standard error."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return replies


def _read_requests(requests: queue.SimpleQueue[bytes]) -> None:
    # Not `sys.stdin`: a thread waiting in its buffer turns the end of the interpreter into an abort.
    rest = b""
    while piece := os.read(0, 1 << 16):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            requests.put(line)
    # The parent is gone or has let go: a child at work would otherwise live on, holding what it inherited.
    os._exit(0)


def _run_job(answer: Answer, line: bytes) -> Mapping[str, object]:
    try:
        return {"done": answer(json.loads(line))}
    except LittermError as error:
        return {"error": type(error).__name__, "message": str(error)}
    except MemoryError:
        return {"error": "ChildFailed", "message": "It needs more memory than it may have."}


def _write_reply(replies: IO[bytes], reply: Mapping[str, object]) -> None:
    replies.write(json.dumps(reply, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    replies.flush()


if __name__ == "__main__":
    sys.exit(main())
