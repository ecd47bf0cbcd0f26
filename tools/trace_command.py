"""What a command really enters: files, functions, moves between files and depth of calls of `litterm`, while it runs.

`python tools/trace_command.py search "label smoothing" -k 3` runs the command in this process and prints the figures
on stderr; `--stations` before the command also prints each file where it is first entered. Imports are not counted,
nor what other threads and processes do.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGE = str(CHECKOUT / "litterm") + "/"
USAGE_ERROR = 2


@dataclass(slots=True)
class Trace:
    """What was entered so far."""

    files: dict[str, str] = field(default_factory=dict)
    """Each file with the function by which it was entered first, in order."""
    functions: set[CodeType] = field(default_factory=set)
    moves: int = 0
    """Calls from one file of the package into another."""
    deepest: int = 0
    """Most calls of the package's functions within each other."""

    def on_event(self, frame: FrameType, event: str, _argument: object) -> None:
        """Counts one call; a hook for `sys.setprofile`."""
        code = frame.f_code
        # A module's body and a class's body have no such flag.
        if event != "call" or not code.co_flags & inspect.CO_OPTIMIZED or not code.co_filename.startswith(PACKAGE):
            return
        callers = callers_in_package(frame)
        if callers is None:
            return
        name = code.co_filename.removeprefix(PACKAGE)
        self.files.setdefault(name, code.co_qualname)
        self.functions.add(code)
        self.moves += bool(callers) and callers[0] != code.co_filename
        self.deepest = max(self.deepest, len(callers) + 1)


def callers_in_package(frame: FrameType) -> list[str] | None:
    """The files of the calling functions of the package, the nearest first; `None` while a module is imported."""
    files = []
    caller = frame.f_back
    while caller is not None:
        code = caller.f_code
        if code.co_filename.startswith(PACKAGE):
            if code.co_name == "<module>":
                return None
            files.append(code.co_filename)
        caller = caller.f_back
    return files


def trace(run: Callable[[], object]) -> Trace:
    """Calls `run`, whose `SystemExit` is caught, and returns what it entered."""
    seen = Trace()
    sys.setprofile(seen.on_event)
    try:
        run()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
    return seen


def main() -> None:
    """Traces the command of the arguments."""
    stations = sys.argv[1:2] == ["--stations"]
    words = sys.argv[2:] if stations else sys.argv[1:]
    if not words:
        print("Give the command to trace: python tools/trace_command.py search QUERY", file=sys.stderr)
        sys.exit(USAGE_ERROR)
    sys.path.insert(0, str(CHECKOUT))
    from litterm.__main__ import entry

    sys.argv = ["litterm", *words]
    seen = trace(entry)
    if stations:
        for number, (name, function) in enumerate(seen.files.items(), 1):
            print(f"{number:4} {name} {function}", file=sys.stderr)
    print(
        f"{len(seen.files)} files, {len(seen.functions)} functions, {seen.moves} moves between files,"
        f" {seen.deepest} calls deep",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
