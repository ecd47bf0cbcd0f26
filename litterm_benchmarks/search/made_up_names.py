"""Made-up names, planted in papers and searched like a new method or drug, which no model can know."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.learned import LinearAttributor
from litterm.attribution.weights import WEIGHTS_FILE, read_weights
from litterm.core.errors import UsageError
from litterm.library.index.static_embeddings import open_static
from litterm.model.events import Progress
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm.search.hybrid import HybridSearcher
from litterm.text.queries.parser import literal_query, parse_query
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore
from litterm_benchmarks.search.bench_library import reader_of

if TYPE_CHECKING:
    from litterm.core.settings import Settings
    from litterm.core.tasks import Task

MAX_NAMES = 200
"""Names planted in a library."""
_PAPERS_PER_NAME = 5
"""At most one paper in so many has a name."""
_SMALL_LIBRARY_SIZES = {"50 papers": 50, "1 paper": 1}
"""Sizes of libraries that are too small for useful word frequencies."""
_SYLLABLES = "kra bino sul tev oxa mir plen dac urto gly fen zam vio rop hest lun".split()
_FIELDS: Final = ("title", "abstract", "full text")
_QUESTIONS = (
    "{} is used for which diseases?",
    "What is known about {}?",
    "Is there any work that evaluates {} on standard data?",
    "How does {} compare with standard methods?",
)
_EXCERPT = "In contrast to earlier methods that compare results on standard data, we follow {} [CITATION] in our study."


@dataclass(frozen=True, slots=True)
class PlantedName:
    """A made-up name and the paper that holds it."""

    name: str
    place: str
    paper: PaperId


OutcomesByForm = Mapping[str, Sequence[tuple[PlantedName, bool]]]
"""By form of the query, each planted name and whether its paper comes first."""


def measure(paths: Sequence[Path], settings: Settings) -> Task[BenchReport]:
    """How often planted names are found first, by form: in each of `paths`, all together, 50 papers and single papers.

    Raises:
        UsageError: a path holds no paper.
    """
    libraries = {path.name: _distinct_papers(_read_papers(path, settings)) for path in paths}
    for name, papers in libraries.items():
        if not papers:
            raise UsageError(f"{name} holds no paper")
    every = _distinct_papers(paper for papers in libraries.values() for paper in papers)
    if len(libraries) > 1:
        libraries["together"] = every
    by_library: dict[str, OutcomesByForm] = {}
    for name, papers in libraries.items():
        by_library[name] = yield from find_planted(papers, MAX_NAMES)
    for name, size in _SMALL_LIBRARY_SIZES.items():
        if size < len(every):
            by_library[name] = yield from find_planted(every, MAX_NAMES, size=size)
    counts = ", ".join(f"{name} {len(papers):,}" for name, papers in libraries.items())
    notes = (f"{MAX_NAMES} made-up names a library, fewer where it is small; papers: {counts}",)
    count = sum(len(cases) for places in by_library.values() for cases in places.values())
    return BenchReport("made-up-names", ", ".join(path.name for path in paths), count, tuple(_rows(by_library)), notes)


def _rows(places_of: Mapping[str, OutcomesByForm]) -> Iterator[MethodRow]:
    """One row a form, with subsets by the field that holds the name and by library."""
    for form in next(iter(places_of.values())):
        by_library = {name: places[form] for name, places in places_of.items()}
        cases = [case for library_cases in by_library.values() for case in library_cases]
        by_field = {field_name: [case for case in cases if case[0].place == field_name] for field_name in _FIELDS}
        parts = [("in", field_name, some) for field_name, some in by_field.items() if some]
        parts += [("library", name, list(some)) for name, some in by_library.items()]
        yield MethodRow(
            "litterm" if form == "question" else form,
            (_first_share(cases),),
            tuple(SubsetScore(field, value, len(some), (_first_share(some),)) for field, value, some in parts),
        )


def _first_share(cases: Sequence[tuple[PlantedName, bool]]) -> Metric:
    return percent("first", [float(hit) for _, hit in cases])


def find_planted(
    papers: Sequence[Paper], max_names: int, *, size: int | None = None, seed: int = 7
) -> Task[OutcomesByForm]:
    """Plants at most `max_names` names in `papers`, or in samples of `size` papers, and searches for them."""
    size = min(size or len(papers), len(papers))
    names = max(1, size // _PAPERS_PER_NAME)
    rng = random.Random(seed)
    outcomes: dict[str, list[tuple[PlantedName, bool]]] = {}
    for number in range(-(-max_names // names) if size < len(papers) else 1):
        yield Progress("planting names", number * names, max_names)
        chosen = papers if size == len(papers) else rng.sample(papers, size)
        library = PlantedLibrary(chosen, min(max_names, names), rng, number)
        for form, ask in library.forms().items():
            for index, planted in enumerate(library.planted):
                first = yield from ask(planted.name, index)
                outcomes.setdefault(form, []).append((planted, first == planted.paper))
    return outcomes


class PlantedLibrary:
    """A library with names planted in evenly spaced papers, in title, abstract and full text in turn."""

    def __init__(self, papers: Sequence[Paper], max_names: int, rng: random.Random, turn: int) -> None:
        changed, texts = list(papers), {}
        self.planted: list[PlantedName] = []
        self._rng = rng
        chosen = range(0, len(papers), max(1, len(papers) // max_names))[:max_names]
        for number, (position, name) in enumerate(zip(chosen, _make_names(rng), strict=False), turn):
            field, paper = _FIELDS[number % len(_FIELDS)], papers[position]
            self.planted.append(PlantedName(name, field, paper.id))
            if field == "title":
                changed[position] = replace(paper, title=_insert_word(paper.title, name.capitalize(), rng))
            elif field == "abstract":
                changed[position] = replace(paper, abstract=_insert_word(paper.abstract, name.capitalize(), rng))
            else:
                texts[paper.id] = _insert_word(f"{paper.title} {paper.abstract} " * 10, name.capitalize(), rng)
        model = open_static()
        index = MemoryIndex(map(index_row, changed), model=model, bodies=texts.items())
        library = MemoryLibrary(map(Parsed, changed))
        self._searcher = HybridSearcher(library, index, embedder=model, excerpt=read_excerpt)
        self._attributor = LinearAttributor(
            CitationCandidateSearcher(library, index, embedder=model), read_weights(WEIGHTS_FILE)
        )

    def forms(self) -> dict[str, Callable[[str, int], Task[PaperId | None]]]:
        """The search of each form: it takes a name and its number and gives the first paper."""
        return {
            "question": lambda name, number: self._search(literal_query(_question(name, number))),
            "name alone": lambda name, _number: self._search(parse_query(name)),
            "while typing": lambda name, _number: self._search(
                replace(parse_query(""), text=name[:-2], unfinished=name[:-2])
            ),
            "excerpt": lambda name, _number: self._search(literal_query(_EXCERPT.format(name.capitalize()))),
            "cite": lambda name, _number: self._cite(_EXCERPT.format(name.capitalize())),
            "one letter missing": lambda name, number: self._search(
                literal_query(_question(self._shorter(name), number))
            ),
            "one letter wrong": lambda name, number: self._search(
                literal_query(_question(self._mistype(name), number))
            ),
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

    def _mistype(self, name: str) -> str:
        """`name` with one letter replaced, inserted, or swapped with the next."""
        position, letter = self._rng.randrange(1, len(name) - 1), self._rng.choice("aeioubcdfglmnprst")
        swapped = name[:position] + name[position + 1] + name[position] + name[position + 2 :]
        slips = (name[:position] + letter + name[position + 1 :], name[:position] + letter + name[position:], swapped)
        return self._rng.choice([slip for slip in slips if slip != name])


def _question(name: str, number: int) -> str:
    return _QUESTIONS[number % len(_QUESTIONS)].format(name.capitalize())


def _make_names(rng: random.Random) -> Iterator[str]:
    """Distinct words of four syllables."""
    known: set[str] = set()
    while True:
        name = "".join(rng.sample(_SYLLABLES, 4))
        if name not in known:
            known.add(name)
            yield name


def _insert_word(text: str, name: str, rng: random.Random) -> str:
    words = text.split()
    words.insert(rng.randint(0, len(words)), name)
    return " ".join(words)


def _distinct_papers(papers: Iterable[Paper]) -> list[Paper]:
    """The papers without duplicates; of several with one id the first."""
    first_records: dict[PaperId, Paper] = {}
    for paper in papers:
        first_records.setdefault(paper.id, paper)
    return list(first_records.values())


def _read_papers(path: Path, settings: Settings) -> Iterator[Paper]:
    """The records of anything that `litterm add` takes."""
    for result in reader_of(path, settings).read(path, lambda _key: False):
        if isinstance(result, Parsed):
            yield replace(result.paper, full_text=False)
