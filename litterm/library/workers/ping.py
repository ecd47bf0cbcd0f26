"""The job `echo`: answers with its request, or fails as asked, to test the conversation with a child."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

from litterm.core.errors import DiskFull


def answer(request: Mapping[str, object]) -> Mapping[str, object]:
    """`request` and the child's process id; pauses, prints and fails where it is asked to.

    Raises:
        DiskFull: `raise` names it; anything else named there is a `ZeroDivisionError`.
    """
    pause = request.get("pause_s", 0)
    time.sleep(pause if isinstance(pause, int | float) else 0)
    if "print" in request:
        sys.stdout.write(f"{request['print']}\n")
    if error_name := request.get("raise"):
        raise (DiskFull if error_name == "DiskFull" else ZeroDivisionError)(str(request.get("message", "")))
    return {"pid": os.getpid(), **request}
