"""Keys pressed in a real terminal, and `kill -9` at the moment at which the screen shows what they did.

What the screen has shown as done is on the disk; more may be, never less.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pty_terminal import Terminal

from .outcome import Outcome

NAME = "keys just before a kill"
CLEAR = "\x15"
"""ctrl+u: empties a field."""
MOST = 6
"""Papers that are decided about in one session, at most."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Something a user does, up to the moment of the kill."""

    play: Callable[[Terminal, Random, Path], int]
    """Presses keys, kills the workbench, and says how much the screen had shown as done."""
    held: Callable[[Path], int]
    """How much of that is in a home."""


def attack(root: Path, chance: Random, count: int, finished: Sequence[str] = ()) -> Iterator[Outcome]:
    """`count` kills, each of a workbench of its own, the scenes in turn; one row."""
    if NAME in finished:
        return
    outcome = Outcome(NAME, "kills")
    tried: Counter[str] = Counter()
    while outcome.tried < count:
        name = list(SCENES)[outcome.tried % len(SCENES)]
        home = root / "home"
        home.mkdir()
        terminal = Terminal(home)
        try:
            shown = SCENES[name].play(_results(terminal), chance, home)
            held = SCENES[name].held(home)
            if held < shown:
                outcome.broken.append(f"{name}: the screen showed {shown}, {held} are on the disk")
        except AssertionError as error:
            outcome.broken.append(f"{name}: {str(error)[:2000]}")
        finally:
            terminal.close()
        outcome.tried += 1
        tried[name] += 1
        shutil.rmtree(home)
    outcome.seen = ", ".join(f"{number} {name}" for name, number in tried.items())
    yield outcome


def _results(shown: Terminal) -> Terminal:
    """The papers of the starter library, the cursor on the first."""
    shown.until("guided tour")
    shown.press("esc")
    shown.until(lambda text: " command " in text.splitlines()[-1][:10])
    shown.until("10 ")
    return shown


def _kill(shown: Terminal, shows: Callable[[str], bool]) -> None:
    """Ends it at the very moment at which the screen first shows what `shows` looks for."""
    shown.until(shows)
    assert shown.child.isalive(), "it was dead before it was killed"
    os.kill(shown.child.pid, signal.SIGKILL)
    assert shown.ended() is None, "it ended by itself"


def _lines(home: Path) -> list[Mapping[str, object]]:
    files = home.rglob("journal.jsonl")
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line]


def _decided(key: str, glyph: str) -> Scene:
    """A key on one paper after the other, killed when some of them show its glyph."""

    def play(shown: Terminal, chance: Random, _home: Path) -> int:
        wanted = chance.randint(1, MOST)
        # The first `j` goes from the query to the first row.
        shown.press(*["j", key] * MOST, "j")
        _kill(shown, lambda text: text.count(glyph) >= wanted)
        return shown.text.count(glyph)

    return Scene(play, lambda home: sum(line["kind"] == "desk" for line in _lines(home)))


def _taken_back(shown: Terminal, _chance: Random, _home: Path) -> int:
    shown.press("s")
    shown.until("★")
    shown.press("u")
    _kill(shown, lambda text: "★" not in text)
    return 2


def _note(shown: Terminal, chance: Random, _home: Path) -> int:
    shown.press("m")
    shown.until("─ note · ")
    words = "zebras " * chance.randint(1, 9)
    shown.press(f"{words}end")
    shown.until("end")
    shown.press("enter")
    _kill(shown, lambda text: "─ note · " not in text)
    return words.count("zebras")


def _marked(shown: Terminal, chance: Random, _home: Path) -> int:
    shown.press("2", "enter")
    shown.until("─ 3 reader · ")
    shown.press("e")
    shown.until("hypothesis")
    shown.press(CLEAR, "evidence sentences are chosen", "enter")
    shown.until("─ 4 evidence · ")
    shown.until(lambda text: "▌· 1 " in text)
    shown.press("n", "a")
    _kill(shown, lambda text: "◆" in text)
    return 1


def _drafted(shown: Terminal, _chance: Random, home: Path) -> int:
    draft = home / "d.tex"
    draft.write_text("Greedy choice of sentences covers what a claim says [CITATION].\n")
    shown.press(f":draft {draft}", "enter")
    shown.until("0 of 1 accepted")
    shown.until("%")
    shown.press("a")
    _kill(shown, lambda text: "1 of 1 accepted" in text)
    return 1


def _decided_drafts(home: Path) -> int:
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.sessions import draft_decisions

    states = (StateDatabase(path.parent) for path in home.rglob("state.db"))
    return sum('"starter:' in json.dumps(draft_decisions(state).load()) for state in states)


SCENES: Mapping[str, Scene] = {
    "papers excluded": _decided("x", "×"),
    "papers starred": _decided("s", "★"),
    "stars taken back": Scene(_taken_back, lambda home: len(_lines(home))),
    "notes": Scene(_note, lambda home: json.dumps(_lines(home)).count("zebras")),
    "marks on evidence": Scene(_marked, lambda home: json.dumps(_lines(home)).count('"mark", "starter:')),
    "decisions of drafts": Scene(_drafted, _decided_drafts),
}
