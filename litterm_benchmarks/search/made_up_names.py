"""Names nobody knew yesterday: made-up words planted in papers, and asked for like a new method or a new drug.

No model can know them, and a paper that holds one in the middle of its abstract is what is asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.learned import LinearAttributor
from litterm.attribution.weights import FILE, read_weights
from litterm.core.errors import UsageError
from litterm.library.index.memory_index import MemoryIndex
from litterm.library.index.static_embeddings import open_static
from litterm.library.memory_library import MemoryLibrary
from litterm.model.events import Progress
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm.search.hybrid import HybridSearcher
from litterm.text.queries.parser import literal, parse_query
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore
from litterm_benchmarks.search.bench_library import reader_of

if TYPE_CHECKING:
    from litterm.core.settings import Settings
    from litterm.core.tasks import Task

MOST = 200
"""Names planted in each library."""
_ONE_IN = 5
"""At most so many papers of a library have a name in it."""
_SMALL = {"50 papers": 50, "1 paper": 1}
"""Sizes of libraries in which frequencies of words tell nothing yet."""
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


Places = Mapping[str, Sequence[tuple[Planted, bool]]]
"""By form of the query, each planted name and whether its paper comes first; the question stands first."""


def measure(paths: Sequence[Path], settings: Settings) -> Task[BenchReport]:
    """Names planted in the papers of each of `paths`, of all together, of 50 and of single ones; found first, by form.

    Raises:
        UsageError: a path holds no paper.
    """
    libraries = {path.name: _distinct(_papers(path, settings)) for path in paths}
    for name, papers in libraries.items():
        if not papers:
            raise UsageError(f"{name} holds no paper")
    every = _distinct(paper for papers in libraries.values() for paper in papers)
    if len(libraries) > 1:
        libraries["together"] = every
    by_library: dict[str, Places] = {}
    for name, papers in libraries.items():
        by_library[name] = yield from first_places(papers, MOST)
    for name, size in _SMALL.items():
        if size < len(every):
            by_library[name] = yield from first_places(every, MOST, size=size)
    counts = ", ".join(f"{name} {len(papers):,}" for name, papers in libraries.items())
    notes = (f"{MOST} made-up names a library, fewer where it is small; papers: {counts}",)
    count = sum(len(cases) for places in by_library.values() for cases in places.values())
    return BenchReport("made-up-names", ", ".join(path.name for path in paths), count, tuple(_rows(by_library)), notes)


def _rows(places_of: Mapping[str, Places]) -> Iterator[MethodRow]:
    """One row a form, with its parts by where the name stands and by library."""
    for form in next(iter(places_of.values())):
        by_library = {name: places[form] for name, places in places_of.items()}
        cases = [case for library_cases in by_library.values() for case in library_cases]
        by_place = {place: [case for case in cases if case[0].place == place] for place in _PLACES}
        parts = [("in", place, some) for place, some in by_place.items() if some]
        parts += [("library", name, list(some)) for name, some in by_library.items()]
        yield MethodRow(
            "litterm" if form == "question" else form,
            (_first(cases),),
            tuple(SubsetScore(field, value, len(some), (_first(some),)) for field, value, some in parts),
        )


def _first(cases: Sequence[tuple[Planted, bool]]) -> Metric:
    return percent("first", [float(hit) for _, hit in cases])


def first_places(papers: Sequence[Paper], most: int, *, size: int | None = None, seed: int = 7) -> Task[Places]:
    """At most `most` names in `papers`, or in libraries of `size` papers taken from them, several names in each."""
    size = min(size or len(papers), len(papers))
    names = max(1, size // _ONE_IN)
    rng = random.Random(seed)
    outcomes: dict[str, list[tuple[Planted, bool]]] = {}
    for number in range(-(-most // names) if size < len(papers) else 1):
        yield Progress("planting names", number * names, most)
        chosen = papers if size == len(papers) else rng.sample(papers, size)
        library = PlantedLibrary(chosen, min(most, names), rng, number)
        for form, ask in library.forms().items():
            for index, planted in enumerate(library.planted):
                first = yield from ask(planted.name, index)
                outcomes.setdefault(form, []).append((planted, first == planted.paper))
    return outcomes


class PlantedLibrary:
    """A library with names planted in evenly spread papers, in turn in title, abstract and full text."""

    def __init__(self, papers: Sequence[Paper], most: int, rng: random.Random, turn: int) -> None:
        changed, texts = list(papers), {}
        self.planted: list[Planted] = []
        self._rng = rng
        chosen = range(0, len(papers), max(1, len(papers) // most))[:most]
        for number, (position, name) in enumerate(zip(chosen, _names(rng), strict=False), turn):
            place, paper = _PLACES[number % len(_PLACES)], papers[position]
            self.planted.append(Planted(name, place, paper.id))
            if place == "title":
                changed[position] = replace(paper, title=_with(paper.title, name.capitalize(), rng))
            elif place == "abstract":
                changed[position] = replace(paper, abstract=_with(paper.abstract, name.capitalize(), rng))
            else:
                texts[paper.id] = _with(f"{paper.title} {paper.abstract} " * 10, name.capitalize(), rng)
        model = open_static()
        index = MemoryIndex(map(index_row, changed), model=model, bodies=texts.items())
        library = MemoryLibrary(map(Parsed, changed))
        self._searcher = HybridSearcher(library, index, embedder=model, excerpt=read_excerpt)
        self._attributor = LinearAttributor(
            CitationCandidateSearcher(library, index, embedder=model), read_weights(FILE)
        )

    def forms(self) -> dict[str, Callable[[str, int], Task[PaperId | None]]]:
        """Name and number to the first paper found, by form."""
        return {
            "question": lambda name, number: self._search(literal(_question(name, number))),
            "name alone": lambda name, _number: self._search(parse_query(name)),
            "while typing": lambda name, _number: self._search(
                replace(parse_query(""), text=name[:-2], unfinished=name[:-2])
            ),
            "excerpt": lambda name, _number: self._search(literal(_EXCERPT.format(name.capitalize()))),
            "cite": lambda name, _number: self._cite(_EXCERPT.format(name.capitalize())),
            "one letter missing": lambda name, number: self._search(literal(_question(self._shorter(name), number))),
            "one letter wrong": lambda name, number: self._search(literal(_question(self._mistyped(name), number))),
        }

    def _search(self, query: Query) -> Task[PaperId | None]:
        ranking = yield from self._searcher.search(query, k=1)
        return next((item.paper.id for item in ranking.papers), None)

    def _cite(self, text: str) -> Task[PaperId | None]:
        attribution = yield from self._attributor.attribute(read_excerpt(text), k=1)
        return next((candidate.paper.id for candidate in attribution.candidates), None)

    def _shorter(self, name: str) -> str:
        position = self._rng.randrange(1, len(name) - 1)
        return name[:position] + name[position + 1 :]

    def _mistyped(self, name: str) -> str:
        """One letter of `name` exchanged, put in, or swapped with the next."""
        position, letter = self._rng.randrange(1, len(name) - 1), self._rng.choice("aeioubcdfglmnprst")
        swapped = name[:position] + name[position + 1] + name[position] + name[position + 2 :]
        slips = (name[:position] + letter + name[position + 1 :], name[:position] + letter + name[position:], swapped)
        return self._rng.choice([slip for slip in slips if slip != name])


def _question(name: str, number: int) -> str:
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


def _distinct(papers: Iterable[Paper]) -> list[Paper]:
    """Of papers that come twice the first, as in a library."""
    first_records: dict[PaperId, Paper] = {}
    for paper in papers:
        first_records.setdefault(paper.id, paper)
    return list(first_records.values())


def _papers(path: Path, settings: Settings) -> Iterator[Paper]:
    """The records of anything that `litterm add` takes."""
    for result in reader_of(path, settings).read(path, lambda _key: False):
        if isinstance(result, Parsed):
            yield replace(result.paper, full_text=False)
