"""`python tests/pictures.py`: the documents' pictures of the main job, taken by the app itself.

They show the starter library, which litterm's authors wrote, or papers made up for them, in a home that is thrown
away. `python tests/pictures.py docs/images home jobs` takes only those.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from contextlib import ExitStack, chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest.mock import patch

import picture_servers as homes
from picture_servers import Prepare

from litterm.build import build_engine
from litterm.tui.app import LittermApp
from litterm.tui.widgets.glyphs import UNICODE
from litterm.tui.workbench import Workbench

_PAUSE_S: Final = 0.4
"""Longer than the rest of the hand that the list waits for, and than a frame."""
_PATIENCE_S: Final = 60.0
_UNDER_WAY_S: Final = 4.0
"""After which something that is shown before its end has got somewhere."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture: what is searched and asked, then keys."""

    name: str
    size: tuple[int, int]
    query: str = ""
    hypothesis: str = ""
    keys: tuple[str, ...] = ()
    draft: str = ""
    """Text of a draft that is under review when the keys come."""
    prepare: Prepare = homes.bare
    """Fills the home, and starts the services or the model that it needs."""
    excerpt: str = ""
    """Text with a mark whose paper is looked for when the keys come."""
    last: str = ""
    """One more key, after which nobody waits for the end of what it begins."""
    adding: str = ""
    """A folder of the home that is added before the last key."""
    sync: str = ""
    """A subscription begun before the last key, which need not come to its end."""


_DRAFT: Final = r"""\section{Related work}
Attention alone suffices for machine translation \cite{}. Deep bidirectional transformers are
pretrained by masking words [CITATION].

Word vectors are learned by predicting the neighbours of a word [CITATION], and can be put together
from the vectors of character n-grams \citep[see][p.~3]{?}.

\section{Evaluation}
BLEU compares a translation with references by n-gram overlap [CITATION], and summaries are compared
with those of people by ROUGE [CITATION].

\bibliography{refs}
"""


_ASPECTS: Final = "evidence sentences for a claim || citations of papers || statistical tests"


def _typed(text: str) -> tuple[str, ...]:
    """Keys that type `text`."""
    names = {" ": "space", ",": "comma", "?": "question_mark", ".": "full_stop", ";": "semicolon"}
    return tuple(names.get(letter, letter) for letter in text)


SCENES: Final = (
    Scene("start", (80, 24)),
    Scene(
        "reading",
        (120, 40),
        "guided tour of litterm",
        "Marks survive a restart.",
        ("n", "a", "n", "x", "n", "n"),
    ),
    Scene(
        "wide",
        (200, 60),
        "how litterm chooses evidence sentences",
        "The method covers two thirds of the annotated aspects",
        ("n", "a", "n", "n"),
    ),
    Scene(
        "reading-list",
        (120, 40),
        keys=("escape", "L", *_typed("citations, evidence"), "enter", "d", "d", "j", "d", "j", "a"),
    ),
    Scene(
        "one-hop",
        (120, 40),
        "coreference",
        keys=("colon", *"one", "minus", *"hop", "space", *"refs", "enter", *"jjjjj", "i"),
    ),
    Scene("draft", (120, 40), keys=("a", "n", "a", "n"), draft=_DRAFT),
    Scene("export", (120, 40), "knowledge distillation", keys=("v", "j", "j", "v", "w", "l", "l", "l")),
    Scene(
        "aspects",
        (120, 40),
        _ASPECTS,
        keys=("S", "j", "enter", "j", "j"),
    ),
    Scene(
        "grades",
        (120, 40),
        _ASPECTS,
        keys=("shift+tab", "M", "enter", "2", "i"),
        prepare=homes.grader,
    ),
    Scene(
        "agreement",
        (120, 40),
        _ASPECTS,
        keys=("shift+tab", "colon", *"blind", "enter", "M", "enter", "#", "2", "1"),
        prepare=homes.grader,
    ),
    Scene(
        "ask",
        (120, 40),
        keys=("escape", "colon", *_typed("ask Do language models use long contexts well?"), "enter", "a", "j"),
    ),
    Scene(
        "check",
        (120, 40),
        keys=("escape", "colon", *_typed("check refs.bib"), "enter"),
        prepare=homes.bibliography,
    ),
    Scene(
        "columns",
        (120, 40),
        "randomised trial of drug against placebo",
        keys=("colon", *"columns", "enter", "ctrl+u", *_typed("sample size; year"), "enter", "j", "l"),
    ),
    Scene(
        "study-aspects",
        (120, 40),
        "how litterm chooses evidence sentences",
        "The method covers two thirds of the annotated aspects and costs nothing",
        ("colon", *"study", "enter", "4", "z", "g"),
    ),
    Scene("home", (120, 40), "zebras", keys=("j", "enter", "s", "2", "j", "d", "a", "0"), prepare=homes.zebras),
    Scene(
        "jobs", (120, 40), "zebras", adding="papers", sync="arxiv zebras", last="exclamation_mark", prepare=homes.jobs
    ),
    Scene(
        "group-library",
        (120, 40),
        "paths of zebras",
        keys=("enter", "m", *_typed("For the report on fences"), "enter", "s"),
        prepare=homes.group,
    ),
    Scene("fetch", (120, 40), "zebras", keys=("1", "ctrl+o", "escape", "2", "g", "enter"), prepare=homes.online),
    Scene(
        "stance",
        (120, 40),
        "how litterm chooses evidence sentences",
        "The method covers two thirds of the annotated aspects",
        ("M", "enter", "4", "j", "i"),
        prepare=homes.judge,
    ),
    Scene(
        "arriving",
        (200, 60),
        "how litterm chooses evidence sentences",
        "The method covers two thirds of the annotated aspects",
        ("M",),
        last="enter",
        prepare=homes.judge_that_stops,
    ),
    Scene(
        "trajectory",
        (120, 40),
        excerpt="Rules with gaps let a phrase contain other phrases, and are learned from parallel text"
        " that nobody has annotated [CITATION].",
        keys=("enter", "M", "enter"),
        prepare=homes.agent,
    ),
    Scene("tour", (200, 50), "how well do language models use long contexts", keys=("colon", *"tour", "enter")),
    Scene(
        "matrix",
        (120, 40),
        "evidence for a claim in papers",
        keys=(
            *("v", *["j"] * 7, "v", "E", "ctrl+u", *_typed("sentences that support a claim can be found"), "ctrl+j"),
            *(
                *_typed("a model is trained on labelled sentences"),
                "ctrl+j",
                *_typed("citations help readers"),
                "enter",
                "j",
            ),
        ),
    ),
)


async def take(scene: Scene, folder: Path) -> None:
    """Plays `scene` and writes `folder/NAME.svg`."""
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory(prefix="litterm-picture-"))
        settings = scene.prepare(Path(home), stack)
        # The pictures name folders that anybody may have: the home is the user's, and work is done in `~/papers`.
        papers = Path(home) / "papers"
        papers.mkdir(exist_ok=True)
        stack.enter_context(patch.dict(os.environ, HOME=home))
        stack.enter_context(chdir(papers))
        app = LittermApp(build_engine(settings), settings, UNICODE)
        async with app.run_test(size=scene.size) as pilot:
            screen = app.screen
            assert isinstance(screen, Workbench)

            async def settle() -> None:
                for _ in range(int(_PATIENCE_S / _PAUSE_S)):
                    await pilot.pause(_PAUSE_S)
                    if not screen.context.work.jobs:
                        return

            async def press(*keys: str) -> None:
                for key in keys:
                    await pilot.press(key)
                    await settle()

            await settle()
            if scene.query:
                screen.context.query.field.set_text(scene.query)
                await press("enter")
            if scene.draft:
                path = Path(home) / "related.tex"
                path.write_text(scene.draft, "utf-8")
                await press("escape")
                screen.controllers.drafts.start(str(path))
                await settle()
            if scene.hypothesis:
                await press("enter", "e")
                app.screen.query_one("#asked").text = scene.hypothesis  # type: ignore[attr-defined]
                await press("enter")
            if scene.excerpt:
                await press("escape")
                screen.controllers.attribution.open(scene.excerpt)
                await settle()
            await press(*scene.keys)
            if scene.adding:
                screen.controllers.imports.add(f"{home}/{scene.adding}")
                await settle()
            if scene.sync:
                screen.controllers.sync.sync_source(scene.sync)
                await pilot.pause(_UNDER_WAY_S)
            if scene.last:
                await pilot.press(scene.last)
                await pilot.pause(_UNDER_WAY_S)
            (folder / f"{scene.name}.svg").write_text(app.export_screenshot(title="litterm"), "utf-8")


if __name__ == "__main__":
    folder, *names = sys.argv[1:] or ["docs/images"]
    for each in SCENES:
        if not names or each.name in names:
            asyncio.run(take(each, Path(folder).absolute()))
