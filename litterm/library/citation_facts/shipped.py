"""The citation facts that ship with litterm: `litterm/data/citation-facts.pack`, made by `litterm_training.facts`.

The file is mapped and never read as a whole: opening it takes a fifth of a millisecond, looking a name up some
microseconds. Each fact is marked as part of the *bench build* or of the rest; which of them are used is said when the
facts are opened. Papers are called by ids (`acl:P16-1162`), or by `title:` and the first 90 characters of the title key
where no id is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from litterm.library.index.array_file import SortedStrings, read_pack
from litterm.model.citations.facts import NAME_USAGES, NETWORK_YEAR, CitedProfile, FactSource, FieldCount, NameFact
from litterm.model.paper import PaperId
from litterm.text.references.identity import title_key
from litterm.text.tokens import words

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.library.index.array_file import Arrays
    from litterm.model.citations.facts import FactsBuild

FACTS_FILE = Path(__file__).parents[2] / "data" / "citation-facts.pack"
TITLE_PREFIX, TITLE_CHARS = "title:", 90


def name_key(name: str) -> str:
    """What names are looked up by: the folded words of `name`, a blank between two."""
    return " ".join(words(name))


def title_id(title: str) -> str:
    """What a paper without a known id is called by in the facts."""
    return TITLE_PREFIX + title_key(title)[:TITLE_CHARS]


@cache
def open_facts(build: FactsBuild = "full", path: Path = FACTS_FILE) -> ShippedFacts:
    """The facts of `build`; opened once in a process.

    Raises:
        OSError, ValueError: the file is missing or damaged.
    """
    return ShippedFacts(read_pack(path), build)


@dataclass(frozen=True, slots=True)
class ProfileArrays:
    """All profiles at once, as arrays, for those who make an index of them."""

    papers: tuple[str, ...]
    """The papers that have a profile."""
    texts: npt.NDArray[np.int64]
    """A number a paper: the texts that cite it."""
    starts: npt.NDArray[np.int64]
    """One more than there are papers: where the stems of each begin."""
    stem_numbers: npt.NDArray[np.int64]
    """The stems of all papers, one after the other, as places in `stems`."""
    counts: npt.NDArray[np.int64]
    """A number an entry of `stem_numbers`: the texts that hold the stem near a mark."""
    stems: tuple[str, ...]
    """All stems, ascending."""


@dataclass(frozen=True, slots=True)
class EdgeArrays:
    """All edges at once, as arrays, for those who count them."""

    papers: tuple[str, ...]
    """All papers of the facts, ascending."""
    cited: npt.NDArray[np.int64]
    """The cited paper of each edge, as its place in `papers`."""
    citing: npt.NDArray[np.int64]


class ShippedFacts:
    """Names, edges, counts and profiles of one build; safe from any thread."""

    def __init__(self, arrays: Arrays, build: FactsBuild, left_out: str = "") -> None:
        """Facts of `build`; names that only the source with the key `left_out` knows are not there."""
        self._arrays = arrays
        self._left_out = left_out
        self.build: FactsBuild = build
        self._keys = SortedStrings.from_arrays(arrays, "name_key")
        self._name_ids = SortedStrings.from_arrays(arrays, "name_id")
        self._papers = SortedStrings.from_arrays(arrays, "paper")

    @cached_property
    def sources(self) -> tuple[FactSource, ...]:
        """The collections that names were taken from."""
        fields = json.loads(bytes(self._arrays["source"]))
        return tuple(FactSource(*entry) for entry in fields)

    def without_source(self, key: str) -> ShippedFacts:
        """The same facts as if the source `key` had not been read for names: what benches measure names with."""
        return ShippedFacts(self._arrays, self.build, key)

    # Names

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The folded first words of all names: most words of a text are none, and need no look-up."""
        return frozenset(bytes(self._arrays["first_word"]).decode().split("\n"))

    @cached_property
    def max_name_words(self) -> int:
        """The number of words of the longest name."""
        return int(self._arrays["max_name_words"][0])

    def names(self, key: str, *, with_variants: bool = False) -> tuple[NameFact, ...]:
        """What stands under the name whose `name_key` is `key`: several facts where several papers bear it.

        With variants also names whose words are joined or divided otherwise: `wiki text` for WikiText.
        """
        place = self._keys.find(key)
        if place < 0:
            return ()
        # Variants come behind the names that are written so.
        start, end = int(self._arrays["name_start"][place]), int(self._arrays["name_start"][place + 1])
        numbers = self._arrays["name_of_key"][start:end].tolist()
        first_variant = int(self._arrays["name_exact"][place])
        return self._name_facts(numbers if with_variants else numbers[:first_variant])

    def names_of(self, ids: Iterable[str]) -> tuple[NameFact, ...]:
        """The names of the paper with `ids`, which may hold its `title_id`."""
        numbers: set[int] = set()
        for paper_id in ids:
            place = self._name_ids.find(paper_id)
            if place >= 0:
                start, end = self._arrays["name_id_start"][place : place + 2].tolist()
                numbers.update(self._arrays["name_of_id"][start:end].tolist())
        return self._name_facts(sorted(numbers))

    def all_names(self) -> Iterator[NameFact]:
        """Every name, in the order of the keys."""
        return iter(self._name_facts(range(len(self._arrays["name_extra"]))))

    def _name_facts(self, numbers: Sequence[int]) -> tuple[NameFact, ...]:
        extra, starts = self._arrays["name_extra"], self._arrays["name_row_at"]
        facts = []
        for number in numbers:
            if self.build == "bench" and extra[number]:
                continue
            row = json.loads(bytes(self._arrays["name_row"][int(starts[number]) : int(starts[number + 1])]))
            name, kind, ids, title, year, author, sources, rivals, usage = row
            sources = [entry for entry in sources if self.sources[entry[0]].key != self._left_out]
            if not sources:
                continue
            shown = tuple(self.sources[source].name + (f" ({texts})" if texts else "") for source, texts in sources)
            facts.append(NameFact(name, kind, tuple(ids), title, year, author, shown, rivals, NAME_USAGES[usage]))
        return tuple(facts)

    # Who cites whom

    def citations(self, paper_id: str) -> tuple[PaperId, ...]:
        """The papers that cite `paper_id`, ascending by id."""
        place = self._papers.find(paper_id)
        if place < 0:
            return ()
        start, end = self._arrays["cited_start"][place : place + 2].tolist()
        return self._paper_ids(self._arrays["citing"][start:end][self._is_used("edge_extra", start, end)])

    def references(self, paper_id: str) -> tuple[PaperId, ...]:
        """The papers that `paper_id` cites, ascending by id."""
        place = self._papers.find(paper_id)
        if place < 0:
            return ()
        by_citing, cited = self._edges_by_citing
        citing = self._arrays["citing"]
        start, end = np.searchsorted(citing, [place, place + 1], sorter=by_citing).tolist()
        edges = np.sort(by_citing[start:end])
        if self.build == "bench":
            edges = edges[self._arrays["edge_extra"][edges] == 0]
        return self._paper_ids(cited[edges])

    @cached_property
    def _edges_by_citing(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The edges in the order of the citing papers, and the cited paper of each edge."""
        cited = np.repeat(np.arange(len(self._papers)), np.diff(self._arrays["cited_start"]))
        return np.argsort(self._arrays["citing"], kind="stable"), cited

    def edges(self) -> EdgeArrays:
        """All edges."""
        starts, citing = self._arrays["cited_start"], self._arrays["citing"]
        used = self._is_used("edge_extra", 0, len(citing))
        cited = np.repeat(np.arange(len(self._papers)), np.diff(starts))
        return EdgeArrays(
            papers=tuple(self._papers.slice(range(len(self._papers)))),
            cited=cited[used].astype(np.int64),
            citing=citing[used].astype(np.int64),
        )

    # Counts

    def count(self, paper_id: str) -> FieldCount | None:
        """How often the ACL Anthology Network counts `paper_id`; `None` where it does not know the paper."""
        place = self._papers.find(paper_id)
        count = int(self._counts[place]) if place >= 0 else -1
        return FieldCount(count, NETWORK_YEAR) if count >= 0 else None

    def counts(self) -> tuple[list[str], npt.NDArray[np.int64]]:
        """All papers that have a count, ascending, and their counts."""
        places = np.flatnonzero(self._counts >= 0)
        return self._papers.at_all(places.tolist()), self._counts[places].astype(np.int64)

    @staticmethod
    def is_counted(paper_id: str, year: int | None) -> bool:
        """Whether the Network could know the paper: an Anthology paper of its years, so that no count means few."""
        return paper_id.startswith("acl:") and year is not None and year <= NETWORK_YEAR

    @property
    def _counts(self) -> npt.NDArray[np.int32]:
        """One a paper; -1 where none is known."""
        return cast("npt.NDArray[np.int32]", self._arrays["count" if self.build == "full" else "bench_count"])

    # Words near marks

    def profile(self, paper_id: str) -> CitedProfile | None:
        """What stands near the marks of `paper_id`; `None` where fewer than two texts are known that cite it."""
        place = self._papers.find(paper_id)
        papers = self._arrays["profile_paper"]
        number = int(np.searchsorted(papers, place)) if place >= 0 else len(papers)
        if (
            number == len(papers)
            or papers[number] != place
            or not self._is_used("profile_extra", number, number + 1)[0]
        ):
            return None
        start, end = self._arrays["profile_start"][number : number + 2].tolist()
        stems = map(self._stems.at, self._arrays["profile_stem"][start:end].tolist())
        counts = self._arrays["profile_count"][start:end].tolist()
        return CitedProfile(int(self._arrays["profile_texts"][number]), dict(zip(stems, counts, strict=True)))

    def profiles(self) -> ProfileArrays:
        """All profiles."""
        arrays = self._arrays
        used = self._is_used("profile_extra", 0, len(arrays["profile_paper"]))
        lengths = np.diff(arrays["profile_start"]).astype(np.int64)
        entries = np.repeat(used, lengths)
        return ProfileArrays(
            papers=tuple(self._papers.at_all(arrays["profile_paper"][used].tolist())),
            texts=arrays["profile_texts"][used].astype(np.int64),
            starts=np.concatenate(([0], np.cumsum(lengths[used]))),
            stem_numbers=arrays["profile_stem"][entries].astype(np.int64),
            counts=arrays["profile_count"][entries].astype(np.int64),
            stems=tuple(self._stems.slice(range(len(self._stems)))),
        )

    @cached_property
    def _stems(self) -> SortedStrings:
        return SortedStrings.from_arrays(self._arrays, "stem")

    def _is_used(self, extra: str, start: int, end: int) -> npt.NDArray[np.bool_]:
        """Which facts from `start` to `end` belong to the build."""
        return np.ones(end - start, np.bool_) if self.build == "full" else self._arrays[extra][start:end] == 0

    def _paper_ids(self, places: npt.NDArray[np.generic]) -> tuple[PaperId, ...]:
        return tuple(PaperId(self._papers.at(place)) for place in places.tolist())
