"""Names nobody knew yesterday: made-up words planted in papers, and asked for like a new method or a new drug.

No model can know them, and a paper that holds one in the middle of its abstract is what is asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.bench.metrics import percent
from litterm.bench.report import Part, Report, Row
from litterm.bench.tables import read_rows
from litterm.cite.excerpt import read_excerpt
from litterm.errors import UsageError
from litterm.index.memory import MemoryIndex
from litterm.index.static import open_static
from litterm.model.events import Progress
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query
from litterm.retrieve.hybrid import HybridSearcher
from litterm.store.memory import MemoryLibrary
from litterm.text.query import literal, parse_query

if TYPE_CHECKING:
    from litterm.tasks import Task

MOST = 200
"""Names planted, where there are as many papers."""
_SYLLABLES = "kra bino sul tev oxa mir plen dac urto gly fen zam vio rop hest lun".split()
_PLACES: Final = ("title", "abstract", "full text")
_QUESTIONS = (
    "{} is used for which diseases?",
    "What is known about {}?",
    "Is there any work that evaluates {} on standard data?",
    "How does {} compare with standard methods?",
)
_EXCERPT = "In contrast to earlier methods that compare results on standard data, we follow {} [CITATION] in our study."


@dataclass(frozen=True, slots=True)
class Planted:
    """A made-up name and the paper that holds it."""

    name: str
    place: str
    paper: PaperId


def measure(path: Path) -> Task[Report]:
    """Names planted in the papers of `path`, JSON Lines with `id`, `title` and `abstract`; found first, by form.

    Raises:
        BadInput: the file is not in that form.
        UsageError: it holds no paper.
    """
    papers = list(read_rows(path, _paper))
    if not papers:
        raise UsageError(f"{path} holds no paper")
    found = yield from first_places(papers)
    cases = [each for places in found.values() for each in places]
    rows = tuple(
        Row(
            "litterm" if form == "question" else form,
            (percent("first", [float(hit) for _, hit in hits]),),
            tuple(
                Part("in", place, len(some), (percent("first", some),))
                for place in _PLACES
                if (some := [float(hit) for planted, hit in hits if planted.place == place])
            ),
        )
        for form, hits in found.items()
    )
    notes = (f"{len(cases) // len(found)} made-up names in {len(papers)} papers, one paper each",)
    return Report("made-up-names", path.name, len(cases), rows, notes)


def first_places(
    papers: Sequence[Paper], most: int = MOST, seed: int = 7
) -> Task[Mapping[str, list[tuple[Planted, bool]]]]:
    """By form of the query, each planted name and whether its paper comes first; the question stands first."""
    planted, searcher = planted_library(papers, most, seed)
    slips = random.Random(seed)
    found: dict[str, list[tuple[Planted, bool]]] = {}
    for form, ask in _forms(slips).items():
        found[form] = []
        for number, each in enumerate(planted):
            if number % 20 == 0:
                yield Progress(form, number, len(planted))
            ranking = yield from searcher.search(ask(each.name, number), k=1)
            found[form].append((each, [one.paper.id for one in ranking.papers] == [each.paper]))
    return found


def planted_library(papers: Sequence[Paper], most: int, seed: int) -> tuple[list[Planted], HybridSearcher]:
    """Names in evenly spread papers, in turn in title, abstract and full text; and a searcher over all."""
    rng = random.Random(seed)
    # The larger part of a library has no name in it.
    chosen = list(range(0, len(papers), max(1, len(papers) // most)))[:most]
    made, texts, planted = list(papers), {}, []
    for number, (at, name) in enumerate(zip(chosen, _names(rng), strict=False)):
        place, paper = _PLACES[number % len(_PLACES)], papers[at]
        planted.append(Planted(name, place, paper.id))
        if place == "title":
            made[at] = replace(paper, title=_with(paper.title, name.capitalize(), rng))
        elif place == "abstract":
            made[at] = replace(paper, abstract=_with(paper.abstract, name.capitalize(), rng))
        else:
            texts[paper.id] = _with(f"{paper.title} {paper.abstract} " * 10, name.capitalize(), rng)
    model = open_static()
    index = MemoryIndex(map(index_row, made), model=model, bodies=texts.items())
    return planted, HybridSearcher(MemoryLibrary(map(Parsed, made)), index, embedder=model, excerpt=read_excerpt)


def _forms(slips: random.Random) -> dict[str, Callable[[str, int], Query]]:
    def mistyped(name: str, number: int) -> Query:
        at = slips.randrange(1, len(name) - 1)
        return literal(_asked(name[:at] + name[at + 1 :], number))

    return {
        "question": lambda name, number: literal(_asked(name, number)),
        "name alone": lambda name, _number: parse_query(name),
        "while typing": lambda name, _number: replace(parse_query(""), text=name[:-2], unfinished=name[:-2]),
        "excerpt": lambda name, _number: literal(_EXCERPT.format(name.capitalize())),
        "one letter missing": mistyped,
    }


def _asked(name: str, number: int) -> str:
    return _QUESTIONS[number % len(_QUESTIONS)].format(name.capitalize())


def _names(rng: random.Random) -> Iterator[str]:
    """Distinct words of four syllables."""
    known: set[str] = set()
    while True:
        name = "".join(rng.sample(_SYLLABLES, 4))
        if name not in known:
            known.add(name)
            yield name


def _with(text: str, name: str, rng: random.Random) -> str:
    words = text.split()
    words.insert(rng.randint(0, len(words)), name)
    return " ".join(words)


def _paper(row: Mapping[str, object], number: int) -> Paper:
    return Paper(PaperId(f"local:{number}"), str(row["title"] or ""), str(row.get("abstract") or ""))
